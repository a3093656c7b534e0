"""GET /tile/<topic>?theme=dark: a topic's own default result as a small picture.

All tiles of a theme are drawn at once, when the first of them is asked for, and kept.
"""

import logging
import threading
from collections.abc import Mapping
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot import tiles
from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.results.evidence import Chart
from dpviz.scene.catalogue import PAGES, Entry
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.serve.figures import version
from dpviz.serve.topics import Topics

_SECONDS = 0.3  # of processor time, after which a picture takes what there is

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
    """The pictures of all topics, by theme, as far as they were asked for."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._drawn: dict[bool, Mapping[str, bytes]] = {}
        self._lock = threading.Lock()

    def picture(self, slug: str, *, dark: bool) -> bytes | None:
        """Return the SVG of a topic, None if there is no such topic or nothing could be drawn."""
        with self._lock:
            if dark not in self._drawn:
                self._drawn[dark] = self._all(DARK if dark else LIGHT)
            return self._drawn[dark].get(slug)

    def _all(self, theme: Theme) -> Mapping[str, bytes]:
        try:
            charts = [chart(self._topics, entry) for entry in PAGES]
            drawn = tiles.draw(charts, theme)
        except Exception:
            _log.exception("the pictures of the topics could not be drawn")
            return {}
        return dict(zip((entry.slug for entry in PAGES), drawn, strict=True))


def route(topics: Topics) -> Route:
    """Return the route of all pictures."""
    kept = Tiles(topics)

    async def picture(request: Request) -> Response:
        slug = request.path_params["topic"]
        if slug not in {entry.slug for entry in PAGES}:
            return PlainTextResponse("There is no such topic.\n", 404)
        dark = request.query_params.get("theme") == "dark"
        svg = await run_in_threadpool(partial(kept.picture, slug, dark=dark))
        if svg is None:
            return Response(status_code=204)
        known = request.query_params.get("v") == version()
        keep = "public, max-age=86400, immutable" if known else "no-cache"
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": keep})

    return Route("/tile/{topic}", picture, methods=["GET"])
