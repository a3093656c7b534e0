"""GET /tile/<topic>?theme=dark: the tile of a topic, a small picture of its own default result.

Tiles are files of the tree, which `make tiles` writes.
"""

from functools import cache
from zlib import crc32

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.folders import ASSETS
from dpviz.scene.catalogue import PAGES
from dpviz.serve.fonts import KEEP

FOLDER = ASSETS / "tiles"


def name(slug: str, *, dark: bool) -> str:
    """Return the file of a topic's tile."""
    return f"{slug}-{(DARK if dark else LIGHT).name}.svg"


@cache
def _mark(name: str) -> str:
    return f"{crc32((FOLDER / name).read_bytes()):08x}"


def address(slug: str, *, dark: bool) -> str:
    """Return where browsers find the tile of a topic; another version has another address."""
    theme = DARK if dark else LIGHT
    return f"/tile/{slug}?theme={theme.name}&v={_mark(name(slug, dark=dark))}"


def route() -> Route:
    """Return the route of all tiles."""

    async def tile(request: Request) -> Response:
        slug = request.path_params["topic"]
        if slug not in {entry.slug for entry in PAGES}:
            return PlainTextResponse("There is no such topic.\n", 404)
        file = name(slug, dark=request.query_params.get("theme") == "dark")
        # While an update goes on, a page of one version may ask a server of the other.
        is_versioned = request.query_params.get("v") == _mark(file)
        headers = {"Cache-Control": KEEP if is_versioned else "no-cache"}
        return FileResponse(FOLDER / file, headers=headers, media_type="image/svg+xml")

    return Route("/tile/{topic}", tile, methods=["GET"])
