"""GET /tile/<topic>?theme=dark: a topic's own default result as a small picture.

All are drawn at once and kept: when the first of them is asked for, or soon after the server's
start, as soon as nobody computes. The next start of the same version finds them in a file.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot import tiles
from dpviz.plot.theme import DARK, LIGHT
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

_FILE = "tiles.json"
Drawn = Mapping[str, Mapping[str, str]]  # SVG, by theme and topic

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
    """The pictures of all topics in both themes, once they are drawn.

    folder: where they are kept for the next start of this version, and for other processes of this
    machine, if they can be; None keeps them in memory only.
    """

    def __init__(self, topics: Topics, folder: Path | None = None) -> None:
        self._topics, self._folder = topics, folder
        self._drawn: Drawn | None = None
        self._job: asyncio.Task[None] | None = None
        self._again = 0.0  # when to try again what failed

    async def picture(self, slug: str, *, dark: bool) -> str | None:
        """Return the SVG of a topic, None where there is none yet, or none can be drawn.

        Nobody waits for long, and no thread is held: drawing goes on for those who ask again.
        """
        if self._drawn is None and time.monotonic() >= self._again:
            if self._job is None:
                self._job = asyncio.create_task(self._draw())
            await asyncio.wait({self._job}, timeout=_PATIENCE)
        return None if self._drawn is None else self._drawn[_name(dark)].get(slug)

    @asynccontextmanager
    async def early(self) -> AsyncIterator[None]:
        """Draw all of them before anybody asks, as soon as nobody computes."""
        drawing = asyncio.create_task(self._ahead())
        try:
            yield
        finally:
            drawing.cancel()

    async def _ahead(self) -> None:
        await asyncio.sleep(_QUIET)
        while len(DESK):
            await asyncio.sleep(_QUIET)
        await self.picture(PAGES[0].slug, dark=False)

    async def _draw(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            self._drawn = await loop.run_in_executor(_artist, self._all)
        except Exception:
            _log.exception("the pictures of the topics could not be drawn")
            self._again = time.monotonic() + _REST
        finally:
            self._job = None

    def _all(self) -> Drawn:
        kept = self._folder and _read(self._folder)
        if kept:
            return kept
        charts = [chart(self._topics, entry) for entry in PAGES]
        themes = tiles.draw(charts, (LIGHT, DARK))
        drawn = {
            theme.name: dict(zip((entry.slug for entry in PAGES), pictures, strict=True))
            for theme, pictures in zip((LIGHT, DARK), themes, strict=True)
        }
        if self._folder:
            _write(self._folder, drawn)
        return drawn


def _read(folder: Path) -> Drawn | None:
    """Return what an earlier start of this version drew, None where nothing can be read."""
    try:
        kept = json.loads((folder / _FILE).read_bytes())
        same = kept.pop("version") == version()
        drawn = {
            theme.name: {entry.slug: str(kept[theme.name][entry.slug]) for entry in PAGES}
            for theme in (LIGHT, DARK)
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return drawn if same else None


def _write(folder: Path, drawn: Drawn) -> None:
    """Keep the pictures, whole or not at all, where the folder can be written."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
            json.dump({"version": version(), **drawn}, file)
        Path(file.name).replace(folder / _FILE)


def _name(dark: bool) -> str:
    return (DARK if dark else LIGHT).name


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
