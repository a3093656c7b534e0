"""GET /tile/<topic>?theme=dark: a topic's own default result as a small picture.

All tiles of a theme are drawn at once and kept: when the first of them is asked for, or soon after
the server's start, as soon as nobody computes.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot import tiles
from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.results.evidence import Chart
from dpviz.scene.catalogue import PAGES, Entry
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.serve.desk import DESK
from dpviz.serve.figures import version
from dpviz.serve.topics import Topics

_SECONDS = 0.3  # of processor time, after which a picture takes what there is
_PATIENCE = 2.5  # seconds for which a request waits
_REST = 30.0  # seconds between a failure and the next try
_QUIET = 1.0  # seconds between looks whether a server that has just started is free to draw
_artist = ThreadPoolExecutor(1, thread_name_prefix="tiles")  # one process draws at a time

_log = logging.getLogger(__name__)


def address(slug: str, *, dark: bool) -> str:
    """Return where browsers find the picture of a topic; another version has another address."""
    return f"/tile/{slug}?theme={'dark' if dark else 'light'}&v={version()}"


def chart(topics: Topics, entry: Entry) -> Chart:
    """Return what the picture of a topic shows: the chart of one of its views, as it opens."""
    page = topics.page(entry.slug)
    assert page is not None
    values = {p.key: p.default for p in page.url_parameters} | {"view": entry.picture}
    computation = Computation(Scene.opened(page, values))
    while not computation.whole and computation.spent < _SECONDS:
        computation.advance()
    shown = getattr(computation.result, "chart", computation.result)
    assert isinstance(shown, Chart)
    return shown


class Tiles:
    """The pictures of all topics, by theme, as far as they are drawn."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._drawn: dict[bool, Mapping[str, bytes]] = {}
        self._jobs: dict[bool, asyncio.Task[None]] = {}
        self._again: dict[bool, float] = {}  # when to try again what failed

    async def picture(self, slug: str, *, dark: bool) -> bytes | None:
        """Return the SVG of a topic, None where there is none yet, or none can be drawn.

        Nobody waits for long, and no thread is held: drawing goes on for those who ask again.
        """
        if dark not in self._drawn and time.monotonic() >= self._again.get(dark, 0.0):
            if dark not in self._jobs:
                self._jobs[dark] = asyncio.create_task(self._draw(dark))
            await asyncio.wait({self._jobs[dark]}, timeout=_PATIENCE)
        return self._drawn.get(dark, {}).get(slug)

    @asynccontextmanager
    async def early(self) -> AsyncIterator[None]:
        """Draw all of them before anybody asks, as soon as nobody computes."""
        drawing = asyncio.create_task(self._ahead())
        try:
            yield
        finally:
            drawing.cancel()

    async def _ahead(self) -> None:
        for dark in (False, True):
            await asyncio.sleep(_QUIET)
            while len(DESK):
                await asyncio.sleep(_QUIET)
            await self.picture(PAGES[0].slug, dark=dark)

    async def _draw(self, dark: bool) -> None:
        loop, theme = asyncio.get_running_loop(), DARK if dark else LIGHT
        try:
            self._drawn[dark] = await loop.run_in_executor(_artist, self._all, theme)
        except Exception:
            _log.exception("the pictures of the topics could not be drawn")
            self._again[dark] = time.monotonic() + _REST
        finally:
            del self._jobs[dark]

    def _all(self, theme: Theme) -> Mapping[str, bytes]:
        charts = [chart(self._topics, entry) for entry in PAGES]
        drawn = tiles.draw(charts, theme)
        return dict(zip((entry.slug for entry in PAGES), drawn, strict=True))


def route(kept: Tiles) -> Route:
    """Return the route of all pictures."""

    async def picture(request: Request) -> Response:
        slug = request.path_params["topic"]
        if slug not in {entry.slug for entry in PAGES}:
            return PlainTextResponse("There is no such topic.\n", 404)
        svg = await kept.picture(slug, dark=request.query_params.get("theme") == "dark")
        if svg is None:
            return Response(status_code=204, headers={"Cache-Control": "no-store"})
        known = request.query_params.get("v") == version()
        keep = "public, max-age=86400, immutable" if known else "no-cache"
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": keep})

    return Route("/tile/{topic}", picture, methods=["GET"])
