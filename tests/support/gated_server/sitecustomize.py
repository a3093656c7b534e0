"""Python runs this first in a process that has a `tests.support.pace.Gate` in its surroundings."""

import os
import traceback

from tests.support.pace import tell

try:
    tell()
except BaseException:
    # Python goes on without it: a server that knows no gate would let tests wait for ever.
    traceback.print_exc()
    os._exit(1)
