"""What browsers load once and keep: the scripts that draw figures, and the style of all pages.

Another content has another name: the modules of dpviz/scripts, the browser's half of the app, are
in a folder named after the content of all, so that each finds those it imports.
"""

import gzip
import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dpviz.plot.schemes import variables
from dpviz.serve import fonts
from dpviz.serve.fonts import KEEP
from dpviz.serve.lecture.classic import beside, joined
from dpviz.serve.modules import code, modules, needed
from dpviz.serve.site import at

_FOLDER = Path(__file__).parent
_UI = _FOLDER.parent / "ui"
ALL = "all.js"
"""The modules with which a page answers, as one: packed together they are a fourth less."""

_ENTRIES, _LATER = ("start.js", "stage.js", "range_control.js", "rounds.js"), "page.js"

_SHEETS = ("stage.css", "style.css")

_DEFERRED = "streamlit"
PATIENCE = 2500
"""Milliseconds for which what stands may keep Streamlit's scripts waiting."""

BACKEND = 'window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href }'
"""A script that tells Streamlit's where their server is: they would look below the page first."""

_DRAWN_BY_IT = 'a[data-testid=stPageLink-NavLink][href]:not([href=""], [href^="?"])'
_TO_PAGES = f".views a, .next a, {_DRAWN_BY_IT}"
_BY_STREAMLIT = "[href*='present=']"  # before a class
NEAR = json.dumps(
    {
        "prefetch": [
            {
                "where": {
                    "selector_matches": f":is({_TO_PAGES}):not({_BY_STREAMLIT}), #standing a"
                },
                "eagerness": "moderate",
            }
        ]
    }
)
"""The rules by which browsers ask for a page as the pointer comes near its link, or goes down."""


@cache
def _folder() -> str:
    """Return the name of the folder of the modules."""
    return sha256(repr(_texts()).encode()).hexdigest()[:12]


@cache
def _texts() -> dict[str, str]:
    return {**modules(), ALL: joined(*_ENTRIES), _LATER: beside(_LATER, ALL)}


@cache
def _ours() -> dict[str, tuple[str, bytes]]:
    """Return what is ours: the name that browsers know, and the content."""
    made = {"style.css": _style()}
    found = {name: (f"{_folder()}/{name}", text.encode()) for name, text in _texts().items()}
    for name, content in made.items():
        stem, _, kind = name.partition(".")
        found[name] = f"{stem}-{sha256(content).hexdigest()[:12]}.{kind}", content
    return found


def _style() -> bytes:
    """Return the style of all pages."""
    sheets = ((_UI / name).read_bytes() for name in _SHEETS)
    return b"\n".join([fonts.heading(depth=2).encode(), variables().encode(), *sheets])


def style_address() -> str:
    """Return where the style of all pages is, for a page."""
    return at(_address("style.css"))


@cache
def module(name: str, *, alone: bool = False) -> str:
    """Return the script of a component, a few lines that bring its module: see load.js.

    alone: not with those of every page.
    """
    text = code((_FOLDER / "load.js").read_text(encoding="utf-8"))
    file = ALL if name in _ENTRIES and not alone else name
    values = {"folder": _address(file).removesuffix(file), "file": file, "name": name}
    for word, place in values.items():
        text = text.replace(f"{{{word}}}", place)
    return text


def preloads(*names: str, depth: int = 1) -> str:
    """Return links, as HTML, for browsers to load modules at once: no import waits for another.

    depth: of the page, see `at`.
    """
    places = (at(_address(name), depth) for name in needed(*names))
    return "".join(f'<link rel="modulepreload" href="{place}">' for place in places)


def early() -> str:
    """Return what, as HTML, browsers do before Streamlit's own scripts: load and begin ours."""
    places = (at(_address(name)) for name in (ALL, _LATER))
    links = "".join(f'<link rel="modulepreload" href="{place}">' for place in places)
    return (
        f'<script>{BACKEND}</script>{links}<script type="module">{start()}</script>'
        f'<script type="speculationrules">{NEAR}</script>'
    )


def start() -> str:
    """Return the script with which a page begins: ours, and when that answers, Streamlit's.

    On a slow line they would share it, and what stands would answer no sooner than Streamlit.
    """
    begun = f'import("{at(_address(ALL))}").then(({{ made }}) => made["start.js"].start())'
    patience = f"new Promise((go) => setTimeout(go, {PATIENCE}))"
    theirs = f'document.head.append(document.getElementById("{_DEFERRED}").content)'
    return f"Promise.race([{begun}, {patience}]).catch(() => {{}}).then(() => {theirs});"


def deferred(scripts: str) -> str:
    """Return scripts, as HTML, as `start` lets browsers have them."""
    return f'<template id="{_DEFERRED}">{scripts}</template>'


def _address(name: str) -> str:
    return f"/scripts/{_ours()[name][0]}"


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(content(name), mtime=0)


def names() -> tuple[str, ...]:
    """Return the names of all that is served."""
    return tuple(dict(_ours().values()))


def content(name: str) -> bytes:
    """Return what is served under a name."""
    return dict(_ours().values())[name]


def routes() -> list[Route]:
    """Return the routes of the scripts and the style."""

    def route(name: str) -> list[Route]:
        kind = "text/css" if name.endswith(".css") else "text/javascript"

        async def send(request: Request) -> Response:
            headers = {"Cache-Control": KEEP, "Vary": "Accept-Encoding"}
            packs = "gzip" in request.headers.get("accept-encoding", "")
            headers["Content-Encoding"] = "gzip" if packs else "identity"
            body = await run_in_threadpool(_packed if packs else content, name)
            return Response(body, headers=headers, media_type=kind)

        # A browser that a module did not reach asks for all of them elsewhere: see load.js.
        again = f"/scripts/{_folder()}/{{turn:int}}/{name.rpartition('/')[2]}"
        paths = [f"/scripts/{name}", *([again] if "/" in name else [])]
        return [Route(path, send, methods=["GET"]) for path in paths]

    return [each for name in names() for each in route(name)]
