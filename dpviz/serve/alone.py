"""What the figure of a file or a notebook carries along, to answer to a hand without a server."""

import re
from functools import cache
from pathlib import Path

from dpviz.plot.standalone import Lively
from dpviz.serve.lecture import classic

_FOLDER = Path(__file__).parent
_BLANK = re.compile(r"/\*.*?\*/|\s+", re.DOTALL)


@cache
def lively() -> Lively:
    """Return its script, made of the modules of a page, and the style of what they add."""
    entry = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    style = (_FOLDER.parent / "ui" / "stage.css").read_text(encoding="utf-8")
    return Lively(classic.script(entry), _BLANK.sub(" ", style))
