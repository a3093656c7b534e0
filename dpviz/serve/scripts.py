"""The scripts that draw figures, served by us: once, compressed, and kept by browsers.

assets/scripts holds plotly.js as its makers publish it, in the smallest bundle with all the traces
drawn here; Vega, Vega-Lite and the interpreter of Vega's expressions in one file, which only the
views with a `dpviz.plot.linked.Linked` figure ask for; and their licences.
"""

import gzip
from functools import cache
from hashlib import sha256
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


@cache
def vega() -> Path:
    """Return the file of Vega and what goes with it; its name holds the version."""
    [file] = FOLDER.glob("vega-*.min.js")
    return file


def linked() -> Path:
    """Return the file of ours that draws with Vega."""
    return Path(__file__).with_name("linked.js")


@cache
def named() -> dict[str, Path]:
    """Return every script by the name that browsers know: another content has another name."""
    ours = linked()
    mark = sha256(ours.read_bytes()).hexdigest()[:12]
    return {plotly().name: plotly(), vega().name: vega(), f"{ours.stem}-{mark}.js": ours}


def address() -> str:
    """Return where browsers find plotly.js."""
    return f"/scripts/{plotly().name}"


def linked_addresses() -> list[str]:
    """Return where browsers find what draws linked figures, in the order in which to run it."""
    return [f"/scripts/{name}" for name, file in named().items() if file != plotly()]


@cache
def _packed(name: str) -> bytes:
    return gzip.compress(named()[name].read_bytes(), mtime=0)


def routes() -> list[Route]:
    """Return the routes of the scripts."""

    def route(name: str, file: Path) -> Route:
        async def script(request: Request) -> Response:
            headers = {"Cache-Control": KEEP, "Vary": "Accept-Encoding"}
            if "gzip" in request.headers.get("accept-encoding", ""):
                headers["Content-Encoding"] = "gzip"
                content = await run_in_threadpool(_packed, name)
            else:
                headers["Content-Encoding"] = "identity"
                content = await run_in_threadpool(file.read_bytes)
            return Response(content, headers=headers, media_type="text/javascript")

        return Route(f"/scripts/{name}", script, methods=["GET"])

    return [route(name, file) for name, file in named().items()]
