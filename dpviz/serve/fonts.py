"""The fonts of every page, as small as they may be: a first visit loads them before its figure.

Streamlit brings whole families, of which a page shows a few letters and signs. Ours take precedence
by standing after Streamlit's in the page. What is asked for by Streamlit's address is ours, too:
its script asks for all icons there are, and a formula for signs that nobody sees. A letter that
ours lack comes from the reader's machine.
"""

import re
from functools import cache
from zlib import crc32

from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dpviz.results.folders import ASSETS
from dpviz.serve.site import at

FOLDER = ASSETS / "fonts"
KEEP = "public, immutable, max-age=31536000"
SERIF = "serif.woff2"
_LETTERS = "U+20-FF, U+300-304, U+2010-2026"
_SIGNS = (
    "U+100, U+391-3C9, U+3F5, U+2000-200F, U+2027-203A, U+2070-209C, U+2113, U+2190-2193, "
    "U+2200-22FF, U+25A0-25A1, U+25C6-25CF"
)
# What no page says by itself; a reader's own data may. Signs that it lacks stay out, for which a
# browser would load it in vain, and the triangles of lists that no figure has: plotly.js makes them
# ready with every row of buttons.
_RARE = (
    "U+101-17F, U+2C6-2DD, U+374-390, U+3CA-3D1, U+3D5-3F4, U+3F7-3F8, U+203C-204A, U+20A1-20BD, "
    "U+2105, U+2116-2117, U+211E-2122, U+2126, U+212E, U+2194-2199, U+21A8, U+21D0-21E7, "
    "U+2302-2303, U+2310-232B, U+25D8-25E6"
)
# Style, weights and characters of what replaces Source Sans, as assets/fonts/README.md says it was
# cut. What is bold and slanted, a symbol now and then, browsers thicken themselves.
_FACES = {
    "sans.woff2": ("normal", "100 900", f"{_LETTERS}, {_SIGNS}"),
    "sans-rare.woff2": ("normal", "100 900", _RARE),
    "sans-italic.woff2": ("italic", "400", _LETTERS),
    "sans-italic-signs.woff2": ("italic", "400", _SIGNS),
    "sans-italic-rare.woff2": ("italic", "400", _RARE),
}
_ICONS = "icons.woff2"
# As wide as ours: where these come late, no line breaks elsewhere when they do.
_EVEN = (
    '@font-face{font-family:"dpviz Even Sans";src:local("DejaVu Sans"),local("Verdana");'
    "size-adjust:82.6%}"
    '@font-face{font-family:"dpviz Even";src:local("DejaVu Serif"),local("Bitstream Vera Serif");'
    "size-adjust:85.2%;ascent-override:121%;descent-override:40%}"
)
_THEIRS = {
    "/static/media/MaterialSymbols-Rounded.": _ICONS,
    "/static/media/SourceSansVF-Upright.": "sans.woff2",
    "/static/media/SourceSansVF-Italic.": "sans-italic.woff2",
}
_LOADED_EARLY = re.compile(r'\./static/media/SourceSansVF-Upright[^"]*')


@cache
def address(name: str) -> str:
    """Return where a font is, from the site on; another version of it has another address."""
    return f"/fonts/{name}?{crc32((FOLDER / name).read_bytes()):08x}"


def names() -> tuple[str, ...]:
    """Return the files that are served."""
    return (*_FACES, _ICONS, SERIF)


def lightened(shell: str) -> str:
    """Return the HTML with which every page begins, with our fonts in place of Streamlit's.

    Those of the first words are asked for before all scripts: a sentence whose font comes after it
    may break into other lines.
    """
    begun = _LOADED_EARLY.sub(at(address("sans.woff2")), shell)
    kind = 'as="font" type="font/woff2" crossorigin'
    early = f'<link rel="preload" href="{at(address(SERIF))}" {kind}>'
    sans = _rule("sans.woff2", 1, "dpviz Standing Sans", "optional")
    standing = f"{heading('dpviz Standing', 'optional')}{sans}{_EVEN}"
    begun = begun.replace("<title>", f"{early}<title>", 1)
    return begun.replace("</head>", f"<style>{own_rules()}{standing}</style></head>", 1)


def last_rules() -> str:
    """Return what comes after Streamlit's style: of two faces with one name the later counts."""
    return f"<style>{_rules()}</style>"


def own_rules(depth: int = 1) -> str:
    """Return the rules of our fonts; a page's figures measure their words in them.

    depth: of the file or page that has them, see `at`.
    """
    return f"{_rules(depth)}{heading(depth=depth)}\n"


def _rules(depth: int = 1) -> str:
    return "".join(_rule(name, depth) for name in _FACES)


def heading(family: str = "dpviz Serif", display: str = "block", depth: int = 1) -> str:
    """Return the rule that brings the font of questions and sentences.

    What stands before any script runs has it at once or not at all: nothing moves as it comes.
    """
    return (
        f'@font-face{{font-family:"{family}";font-weight:400 600;font-display:{display};'
        f'src:url({at(address(SERIF), depth)})format("woff2")}}'
    )


def _rule(name: str, depth: int, family: str = "Source Sans", display: str = "auto") -> str:
    style, weights, characters = _FACES[name]
    return (
        f'@font-face{{font-family:"{family}";font-style:{style};font-weight:{weights};'
        f"unicode-range:{characters};font-display:{display};"
        f'src:url({at(address(name), depth)})format("woff2")}}'
    )


def routes() -> list[Route]:
    """Return the routes of the fonts."""

    def route(name: str) -> Route:
        async def font(_: object) -> Response:
            headers = {"Cache-Control": KEEP}
            return FileResponse(FOLDER / name, headers=headers, media_type="font/woff2")

        return Route(f"/fonts/{name}", font, methods=["GET"])

    return list(map(route, names()))


class OurFonts:
    """Middleware that leads from the addresses of Streamlit's fonts, no route's, to ours."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        app, path = self._app, scope["path"] if scope["type"] == "http" else ""
        ours = next((ours for theirs, ours in _THEIRS.items() if path.startswith(theirs)), None)
        if ours is not None:
            app = RedirectResponse(at(address(ours), 3), 302, headers={"Cache-Control": "no-cache"})
        await app(scope, receive, send)
