"""GET /picture/<topic>/<view>.svg|.png?<the page's parameters>: a figure as a picture.

It is what a link gives within its time, between its question and its caption, drawn without a
browser; see `dpviz.plot.picture`. The same link gives everybody the same picture.
"""

import asyncio
from hashlib import sha256
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.scene.scene import Scene
from dpviz.serve import exports
from dpviz.serve.answers import Answers
from dpviz.serve.figures import CALM, fields, version
from dpviz.serve.previews import finest, linked
from dpviz.serve.topics import Topics

_MEDIA: dict[exports.Kind, str] = {"svg": "image/svg+xml", "png": "image/png"}
_PATIENCE = 3.0  # seconds for a result
_SCALE = 1.2  # pixels of a PNG for each of the drawing
_AT_ONCE = 1  # drawn
_MOST_WAITING = 8  # with those that are drawn
_BUSY = "Many pictures are being drawn. Ask again in a few seconds."
PICTURES = Answers(size=16 * 2**20)


def routes(topics: Topics) -> list[Route]:
    """Return the routes of all pictures."""
    drawing = asyncio.Semaphore(_AT_ONCE)
    waiting: list[object] = []

    async def picture(request: Request) -> Response:
        topic, name, end = (request.path_params[part] for part in ("topic", "view", "kind"))
        kind = next((kind for kind in _MEDIA if kind == end), None)
        page = topics.loaded(topic) or await asyncio.to_thread(topics.page, topic)
        if page is None or kind is None or name not in {view.key for view in page.views}:
            return PlainTextResponse("There is no such picture.\n", 404)
        scene = linked(page, fields(request) | ({"view": [name]} if len(page.views) > 1 else {}))
        dark = request.query_params.get("theme") == "dark"
        about = (kind, dark, str(request.base_url), page.slug, *scene.query.items())
        drawn = PICTURES.get(about)
        if drawn is None:
            if drawing.locked() and len(waiting) >= _MOST_WAITING:
                return _later(_BUSY)
            waiting.append(about)
            try:
                async with drawing:
                    # whoever waited before may have asked for the same; who has gone needs none
                    drawn = PICTURES.get(about)
                    if drawn is None and not await request.is_disconnected():
                        drawn = await asyncio.to_thread(
                            _drawn, scene, kind, str(request.base_url), dark
                        )
            finally:
                waiting.remove(about)
            if drawn is None:
                return _later(CALM)
            PICTURES.add(about, drawn)
        mark = sha256(repr((version(), about)).encode()).hexdigest()[:20]
        headers = {"Cache-Control": "public, max-age=86400", "ETag": f'W/"{mark}"'}
        return Response(drawn, headers=headers, media_type=_MEDIA[kind])

    return [Route("/picture/{topic}/{view}.{kind}", picture, methods=["GET"])]


def _later(words: str) -> Response:
    return PlainTextResponse(f"{words}\n", 503, {"Cache-Control": "no-store", "Retry-After": "5"})


def _drawn(scene: Scene, kind: exports.Kind, base: str, dark: bool) -> bytes | None:
    """Return the picture of what a link gives, None where it gives nothing in time."""
    if scene.upload is not None or (found := finest(scene, _PATIENCE)) is None:
        return None
    link = f"{base}{scene.page.slug}?{urlencode(scene.query)}"
    return exports.contents(kind, scene, found, link, dark=dark, scale=_SCALE)
