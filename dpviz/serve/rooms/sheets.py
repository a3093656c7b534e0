"""The pages of a room, a few kilobytes each, and the files they are made of."""

import gzip
import re
from contextvars import ContextVar
from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from io import BytesIO
from pathlib import Path

import segno

from dpviz.plot.schemes import variables
from dpviz.serve import fonts, scripts
from dpviz.serve.clients import TOKEN
from dpviz.serve.modules import code
from dpviz.serve.site import at
from dpviz.serve.version import version

DEPTH: ContextVar[int] = ContextVar("depth", default=2)
"""How deep in the site the page is that is made, see `dpviz.serve.site.at`."""

_FOLDER = Path(__file__).with_name("files")
_UI = Path(__file__).parents[2] / "ui"  # the browser's half of a figure is the same everywhere
_STAGE = "stage.js"
_SCRIPTS = (
    *("acting", "again", "answering", "common", "forms", "gone", "kept", "more", "notes"),
    *("opening", "pen", "phone", "planned", "proof", "randomise", "screen", "sketch", "speaker"),
    *("spread", "ticks", "timer"),
)
_PARTS = re.compile(r"\{\{(curtain|head|more|planned)\}\}")  # that pages have in common
_SPEAKERS = (_FOLDER / "screen.css", _FOLDER / "speaker.css")
_FILES = {
    "room.css": (_UI / "stage.css", _UI / "canvas.css", _FOLDER / "room.css"),
    "screen.css": (_FOLDER / "screen.css",),
    "speaker.css": _SPEAKERS,
    "notes.css": _SPEAKERS,
    "followed.css": (_FOLDER / "followed.css",),
    **{name: (_UI.parent / "scripts" / name,) for name in ("canvas.js", "permitted.js", "site.js")},
    **{f"{name}.js": (_FOLDER / f"{name}.js",) for name in _SCRIPTS},
}


def served(name: str) -> tuple[bytes, str] | None:
    """Return a file of the pages and what it is, None if there is none of that name."""
    if name == _STAGE:  # as on the pages: packed, and known to who has been there
        return scripts.module(_STAGE, alone=True).encode(), "text/javascript"
    if name not in _FILES:
        return None
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    text = "".join(part.read_text(encoding="utf-8") for part in _FILES[name])
    if name.endswith(".js"):
        text = code(text)
    elif name == "room.css":
        text = f"{fonts.own_rules(depth=4)}{variables()}{text}"
    return text.encode(), kind


@cache
def packed(name: str) -> bytes:
    """Return a file of the pages as phones load it: packed once for all of a class."""
    found = served(name)
    return b"" if found is None else gzip.compress(found[0], mtime=0)


@cache
def _mark() -> str:
    """Return a mark of the files: browsers keep others under another one."""
    found = b"".join(content for content, _ in filter(None, map(served, (*_FILES, _STAGE))))
    return sha256(found).hexdigest()[:12]


@cache
def _template(name: str) -> str:
    text = (_FOLDER / f"{name}.html").read_text(encoding="utf-8")
    return _PARTS.sub(lambda part: _template(part[1]), text)


def sheet(name: str, **words: str) -> str:
    """Return a page, as deep in the site as DEPTH says; words: what stands in it, as plain text."""
    depth = DEPTH.get()
    values = {
        "site": at("", depth),
        "files": at(f"/room/files/{_mark()}", depth),
        "version": version(),
        "token": TOKEN,
        "font": at(fonts.address("sans.woff2"), depth),
        "name": name,
    }
    texts = {key: escape(text) for key, text in (values | words).items()}
    texts["modules"] = scripts.preloads(_STAGE, depth=depth)
    texts["stage"] = (_UI / "stage.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: texts[place[1]], _template(name))


def spoken(code: str) -> str:
    """Return a code as it is read aloud: in capitals, with a gap."""
    half = (len(code) + 1) // 2
    return f"{code[:half]} {code[half:]}".upper()


@lru_cache(maxsize=200)  # who asks names the site
def qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG, which takes the colour of the text around it."""
    drawn = BytesIO()
    code = segno.make(address, error="m", micro=False)
    code.save(drawn, kind="svg", xmldecl=False, border=2, omitsize=True, dark="#000", light="#fff")
    return drawn.getvalue()


def refused(words: str, *, ended: bool) -> str:
    """Return a page that says why there is nothing else. ended: whether the room has."""
    return sheet("refused", words=words, ended="yes" if ended else "")
