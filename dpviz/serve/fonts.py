"""The fonts of every page, as small as they may be: a first visit loads them before its figure.

Streamlit brings whole families, of which a page shows a few letters and signs. Ours take precedence
by standing after Streamlit's in the page; a letter that ours lack still comes from Streamlit's.
"""

import re
from functools import cache
from zlib import crc32

from starlette.responses import FileResponse, Response
from starlette.routing import Route

from dpviz.results.files import ASSETS
from dpviz.serve.scripts import KEEP

FOLDER = ASSETS / "fonts"
_SIGNS = "U+370-3FF, U+2000-214F, U+2190-23FF, U+25A0-25FF"
# Family, style, weight, characters ("" for all) as assets/fonts/README.md says they were cut.
_FACES = {
    "sans.woff2": ("Source Sans", "normal", "100 900", f"U+20-24F, U+2C6-2DD, {_SIGNS}"),
    "sans-italic.woff2": ("Source Sans", "italic", "100 900", f"U+20-FF, {_SIGNS}"),
    "icons.woff2": ("Material Symbols Rounded", "normal", "400", ""),
}
_LOADED_EARLY = re.compile(r'\./static/media/SourceSansVF-Upright[^"]*')


@cache
def address(name: str) -> str:
    """Return where browsers find a font; another version of it has another address."""
    return f"/fonts/{name}?{crc32((FOLDER / name).read_bytes()):08x}"


def names() -> tuple[str, ...]:
    """Return the files that are served."""
    return tuple(_FACES)


def lightened(shell: str) -> str:
    """Return the HTML with which every page begins, with our fonts in place of Streamlit's."""
    rules = "".join(_rule(name) for name in _FACES)
    begun = _LOADED_EARLY.sub(address("sans.woff2"), shell)
    return begun.replace("</head>", f"<style>{rules}</style></head>", 1)


def _rule(name: str) -> str:
    family, style, weight, characters = _FACES[name]
    limits = f"unicode-range:{characters};" if characters else "font-display:block;"
    return (
        f'@font-face{{font-family:"{family}";font-style:{style};font-weight:{weight};{limits}'
        f'src:url({address(name)})format("woff2")}}'
    )


def routes() -> list[Route]:
    """Return the routes of the fonts."""

    def route(name: str) -> Route:
        async def font(_: object) -> Response:
            return FileResponse(
                FOLDER / name, headers={"Cache-Control": KEEP}, media_type="font/woff2"
            )

        return Route(f"/fonts/{name}", font, methods=["GET"])

    return [route(name) for name in _FACES]
