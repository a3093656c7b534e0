"""Whole answers, the same for everybody: kept here, and by browsers and caches on the way."""

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from dpviz.results.caching import Cache
from dpviz.serve import packing
from dpviz.serve.figure_request import FigureRequest
from dpviz.serve.version import version

ANSWERS = Cache[bytes](32 * 2**20)
"""The last ones, packed, by `FigureRequest.address`."""


def get(request: FigureRequest) -> bytes | None:
    """Return the answer that is kept for a request, packed, if there is one."""
    return ANSWERS.get(request.address) if request.scene.is_common else None


async def add(request: FigureRequest, text: bytes) -> None:
    """Add a whole answer, unless it is for this reader alone."""
    if request.scene.is_common:
        ANSWERS.add(request.address, await packing.whole(text))


def response(http: Request, request: FigureRequest, packed: bytes) -> Response:
    """Return a whole answer, which browsers keep as long as dpviz is the same."""
    mark = f'W/"{sha256(repr((version(), request.address)).encode()).hexdigest()[:20]}"'
    is_versioned = http.query_params.get("v") == version()
    control = "public, max-age=86400, immutable" if is_versioned else "no-cache"
    headers = {"ETag": mark, "Cache-Control": control, "Vary": "Accept-Encoding"}
    if http.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    if not packing.unpacks(http):
        packed = packing.unpacked(packed)
    else:
        headers["Content-Encoding"] = "gzip"
    return Response(packed, headers=headers, media_type="application/x-ndjson")
