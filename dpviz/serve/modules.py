"""What runs in the browser, as texts: the modules of dpviz/scripts, which import each other."""

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "scripts"
# Whole lines, and ends of lines after which no quote closes a string: without a parser nothing else
# is one for sure. They are a fourth of it, packed.
_COMMENT = re.compile(r"^[ ]*(//.*|/\*\*((?!\*/)[\s\S])*\*/)\n", re.MULTILINE)
_BESIDE = re.compile(r"(?<=[;,{)]) // [^\n`'\"]*+$", re.MULTILINE)
IMPORT = re.compile(r'(?<= from )"(?:[.a-z]++/)*(\w+\.js)"(?=;$)', re.MULTILINE)
"""The address in a line by which a module imports another, and in it the name of the other."""


def code(script: str) -> str:
    """Return a script without its comments, which a reader would load for nothing."""
    return _BESIDE.sub("", _COMMENT.sub("", script))


def rules(style: str) -> str:
    """Return a stylesheet without its comments, in one line."""
    return re.sub(r"/\*.*?\*/|\s+", " ", style, flags=re.DOTALL)


@cache
def modules() -> dict[str, str]:
    """Return the modules of the app, by name."""
    files = sorted(_FOLDER.glob("*.js"))
    return {file.name: code(file.read_text(encoding="utf-8")) for file in files}


def needed(*names: str) -> list[str]:
    """Return the names of these modules and of all that they import, those imported last."""
    found = list(names)
    for name in found:  # which grows
        found += [other for other in IMPORT.findall(modules()[name]) if other not in found]
    return found
