"""GET /picture/<topic>/<view>.svg|.png?<the page's parameters>: a figure as a picture.

It is what a link gives within its time, between its question and its caption, drawn without a
browser; see `dpviz.plot.picture`. The same link gives everybody the same picture.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from hashlib import sha256
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot.drawable import UnknownPartError
from dpviz.results.caching import Cache
from dpviz.scene.scene import Scene
from dpviz.serve import files
from dpviz.serve.clients import Client, network_id
from dpviz.serve.faults import CALM, kinds
from dpviz.serve.jobs import BusyError
from dpviz.serve.links import fields, finest, scene_of
from dpviz.serve.quotas import PICTURES_DRAWN
from dpviz.serve.semaphore import FairSemaphore
from dpviz.serve.topics import Topics
from dpviz.serve.version import version
from dpviz.serve.workers import STARTS, ended

_MEDIA: dict[files.Kind, str] = {"svg": "image/svg+xml", "png": "image/png"}
_PATIENCE = 3.0  # seconds for a result
_SCALE = 1.2  # pixels of a PNG for each of the drawing
_LOOK = 0.1  # seconds between looks whether somebody still waits for a picture
_BUSY = "Many pictures are being drawn. Ask again in a few seconds."
_UNKNOWN = "This figure cannot be drawn."
_log = logging.getLogger(__name__)
PICTURES = Cache[bytes](16 * 2**20)


def routes(topics: Topics) -> list[Route]:
    """Return the routes of all pictures."""
    drawing = FairSemaphore(*PICTURES_DRAWN)
    threads = ThreadPoolExecutor(PICTURES_DRAWN.inside, thread_name_prefix="pictures")

    async def picture(request: Request) -> Response:
        topic, name, end = (request.path_params[part] for part in ("topic", "view", "kind"))
        kind = next((kind for kind in _MEDIA if kind == end), None)
        page = topics.loaded(topic) or await STARTS.do(topics.page, topic)
        if page is None or kind is None or name not in page.keys_of_views:
            return PlainTextResponse("There is no such picture.\n", 404)
        scene = scene_of(
            page, fields(request.query_params) | ({"view": [name]} if len(page.views) > 1 else {})
        )
        dark = request.query_params.get("theme") == "dark"
        about = (kind, dark, str(request.base_url), page.slug, *scene.query.items())
        drawn = PICTURES.get(about)
        if drawn is None:
            client = Client(network_id(request))
            try:
                async with drawing.passed(client), _watched(request) as gone:
                    # whoever waited before may have asked for the same; who has gone needs none
                    drawn = PICTURES.get(about)
                    if drawn is None and not gone():
                        base = str(request.base_url)
                        call = partial(
                            _drawn, scene, kind, base, dark=dark, client=client, gone=gone
                        )
                        loop = asyncio.get_running_loop()
                        drawn = await loop.run_in_executor(threads, ended, call)
            except BusyError:
                return _later(_BUSY)
            except UnknownPartError as fault:
                _log.error("%s failed: %s", scene.name, kinds(fault))
                return PlainTextResponse(f"{_UNKNOWN}\n", 501, {"Cache-Control": "no-store"})
            except Exception as fault:
                _log.error("%s failed: %s", scene.name, kinds(fault))
                return PlainTextResponse(f"{CALM}\n", 500, {"Cache-Control": "no-store"})
            if drawn is None:
                return _later(CALM)
            PICTURES.add(about, drawn)
        mark = sha256(repr((version(), about)).encode()).hexdigest()[:20]
        headers = {"Cache-Control": "public, max-age=86400", "ETag": f'W/"{mark}"'}
        return Response(drawn, headers=headers, media_type=_MEDIA[kind])

    return [Route("/picture/{topic}/{view}.{kind}", picture, methods=["GET"])]


def _later(words: str) -> Response:
    return PlainTextResponse(f"{words}\n", 503, {"Cache-Control": "no-store", "Retry-After": "5"})


@asynccontextmanager
async def _watched(request: Request) -> AsyncIterator[Callable[[], bool]]:
    """Watch whether somebody still waits for the answer; yield what tells any thread that not.

    A route is not told by itself, unlike a stream, which fails.
    """
    gone = threading.Event()

    async def look() -> None:
        while not gone.is_set():
            if await request.is_disconnected():
                gone.set()
            await asyncio.sleep(_LOOK)

    if await request.is_disconnected():
        gone.set()
    watching = asyncio.create_task(look())
    try:
        yield gone.is_set
    finally:
        watching.cancel()


def _drawn(
    scene: Scene,
    kind: files.Kind,
    base: str,
    *,
    dark: bool,
    client: Client,
    gone: Callable[[], bool],
) -> bytes | None:
    """Return the picture of what a link gives, None where that is nothing in time, or unwanted."""
    if scene.upload is not None or (progress := finest(scene, _PATIENCE, client, gone)) is None:
        return None
    if gone():
        return None
    link = f"{base}{scene.page.slug}?{urlencode(scene.query)}"
    return files.contents(kind, scene, progress, link, dark=dark, scale=_SCALE)
