"""GET /figure/<topic>/<view>?<the page's parameters>: a figure as lines of JSON, coarse to fine.

The same link gives everybody the same figure; so finished answers are kept for all readers, and by
their browsers. When a reader goes away, the computation ends.
"""

import contextlib
import logging
import time
from collections.abc import AsyncGenerator
from typing import cast

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from dpviz.results.parameters import ParameterError
from dpviz.scene.scene import Scene
from dpviz.serve import answer_cache, packing
from dpviz.serve.clients import CLIENT
from dpviz.serve.faults import CALM, kinds
from dpviz.serve.figure_request import FigureRequest
from dpviz.serve.jobs import BusyError
from dpviz.serve.lines import Look, problem
from dpviz.serve.monitor import FIRST_LINES
from dpviz.serve.pacing import Reader, results
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.topics import Topics
from dpviz.serve.workers import STARTS

BUSY = "x-dpviz-busy"  # header of an answer without a figure, because others are waiting
CROWDED = "Many figures are being computed. Ask for this one again in a few seconds."

Stream = AsyncGenerator[bytes, None]

_log = logging.getLogger(__name__)


class _Waiting:
    """Readers who are still to come."""

    async def is_disconnected(self) -> bool:
        return False


def routes(topics: Topics) -> list[Route]:
    """Return the routes of all figures."""

    async def figure(http: Request) -> Response:
        name = http.path_params["topic"]
        page = topics.loaded(name) or await STARTS.do(topics.page, name)
        key = http.path_params["view"]
        if page is None or key not in page.keys_of_views:
            return PlainTextResponse("There is no such figure.\n", 404)
        request = FigureRequest.read(http, page, key)
        CLIENT.set(request.client)
        if request.idle:
            return await _ahead(http, request)
        if (kept := answer_cache.get(request)) is not None:
            return answer_cache.response(http, request, kept)
        return _streamed(http, request)

    return [Route("/figure/{topic}/{view}", figure, methods=["GET"])]


async def make_ready(scene: Scene, look: Look) -> None:
    """Compute and draw what many will ask for at once, and keep it."""
    request = FigureRequest(
        scene, (), look, moving=False, idle=False, grant=None, client=CLIENT.get()
    )
    await _keep(_Waiting(), request)


async def _ahead(http: Request, request: FigureRequest) -> Response:
    """Compute what may be asked for next, and keep it; never while anybody else waits."""
    if len(SCHEDULER):
        return Response(status_code=204, headers={BUSY: "1"})
    await _keep(http, request)
    return Response(status_code=204)


async def _keep(reader: Reader, request: FigureRequest) -> None:
    if request.scene.is_common and answer_cache.get(request) is None:
        async with contextlib.aclosing(_lines(reader, request)) as lines:
            async for _ in lines:
                pass


class _Lines(StreamingResponse):
    """A stream that ends its source when the reader goes, and not when memory is tidied up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with contextlib.aclosing(cast(AsyncGenerator[bytes, None], self.body_iterator)):
            await super().__call__(scope, receive, send)


def _streamed(http: Request, request: FigureRequest) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    # Named even where nothing is packed: else a middleware would hold lines back to pack them.
    headers["Content-Encoding"] = "gzip" if packing.unpacks(http) else "identity"
    if http.method == "HEAD":  # nobody gets what would be computed
        return Response(headers=headers, media_type="application/x-ndjson")
    body = packing.packed(_timed(_lines(http, request)), pack=packing.unpacks(http))
    return _Lines(body, headers=headers, media_type="application/x-ndjson")


async def _timed(lines: Stream) -> Stream:
    """Pass lines on, and note how long the first of them took."""
    begin, is_first = time.monotonic(), True
    async with contextlib.aclosing(lines):
        async for text in lines:
            if is_first:
                FIRST_LINES.note(time.monotonic() - begin)
                is_first = False
            yield text


async def _lines(reader: Reader, request: FigureRequest) -> Stream:
    """Yield the lines of an answer; keep the last if it is whole and for everybody."""
    last = (b"", False)
    if refused := request.refused:
        yield problem(refused, grave=False)
        return
    try:
        async with contextlib.aclosing(results(reader, request)) as drawn:
            async for last in drawn:
                yield last[0]
    except ParameterError as refusal:
        yield problem(str(refusal), grave=False)
    except BusyError:
        yield problem(CROWDED, grave=False, busy=True)
    except Exception as fault:
        _log.error("%s failed: %s", request.scene.name, kinds(fault))
        yield problem(CALM, grave=True)
    else:
        text, whole = last
        if whole and not request.moving:
            await answer_cache.add(request, text)
