"""Python runs this first in a process that has a `tests.support.pace.Gate` in its surroundings."""

from tests.support.pace import tell

tell()
