"""GET /picture/<topic>/<view>.svg|.png?<the page's parameters>: a figure as a picture.

It is what a link gives within its time, between its question and its caption, drawn without a
browser; see `dpviz.plot.picture`. The same link gives everybody the same picture.
"""

import asyncio
from hashlib import sha256
from urllib.parse import urlencode

import vl_convert
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dpviz.plot.export import WIDTH, framed
from dpviz.plot.picture import svg
from dpviz.plot.theme import DARK, LIGHT
from dpviz.scene.catalogue import entry
from dpviz.scene.scene import Scene
from dpviz.serve import exports
from dpviz.serve.answers import Answers
from dpviz.serve.figures import CALM, fields, version
from dpviz.serve.previews import finest, linked
from dpviz.serve.topics import Topics

_KINDS = {"svg": "image/svg+xml", "png": "image/png"}
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
        topic, name, kind = (request.path_params[part] for part in ("topic", "view", "kind"))
        page = topics.loaded(topic) or await asyncio.to_thread(topics.page, topic)
        if page is None or kind not in _KINDS or name not in {view.key for view in page.views}:
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
        return Response(drawn, headers=headers, media_type=_KINDS[kind])

    return [Route("/picture/{topic}/{view}.{kind}", picture, methods=["GET"])]


def _later(words: str) -> Response:
    return PlainTextResponse(f"{words}\n", 503, {"Cache-Control": "no-store", "Retry-After": "5"})


def _drawn(scene: Scene, kind: str, base: str, dark: bool) -> bytes | None:
    """Return the picture of what a link gives, None where it gives nothing in time."""
    if scene.upload is not None or (result := finest(scene, _PATIENCE)) is None:
        return None
    theme = DARK if dark else LIGHT
    query = urlencode(scene.query)
    words = exports.words(
        entry(scene.page.slug).question, scene, result, f"{base}{scene.page.slug}?{query}"
    )
    text = svg(framed(scene.view.figure(result, theme), words, theme), theme, WIDTH)
    return text.encode() if kind == "svg" else bytes(vl_convert.svg_to_png(text, scale=_SCALE))
