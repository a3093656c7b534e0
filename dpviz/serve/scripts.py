"""The script that draws figures, served by us: once, compressed, and kept by browsers.

assets/scripts holds plotly.js as its makers publish it, in the smallest bundle with all the traces
drawn here, and its licence.
"""

import gzip
from functools import cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dpviz.results.files import ASSETS

FOLDER = ASSETS / "scripts"
KEEP = "public, immutable, max-age=31536000"


@cache
def plotly() -> Path:
    """Return the file of plotly.js; its name holds the version."""
    [file] = FOLDER.glob("plotly-*.min.js")
    return file


def address() -> str:
    """Return where browsers find it."""
    return f"/scripts/{plotly().name}"


@cache
def _packed() -> bytes:
    return gzip.compress(plotly().read_bytes(), mtime=0)


def route() -> Route:
    """Return the route of the script."""

    async def script(request: Request) -> Response:
        headers = {"Cache-Control": KEEP, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            content = await run_in_threadpool(_packed)
        else:
            headers["Content-Encoding"] = "identity"
            content = await run_in_threadpool(plotly().read_bytes)
        return Response(content, headers=headers, media_type="text/javascript")

    return Route(address(), script, methods=["GET"])
