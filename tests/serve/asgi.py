"""Asks the routes of figures without a server, as a browser would."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit
from starlette.applications import Starlette

from dpviz.scene.page import Page
from dpviz.serve import pictures, previews, scripts
from dpviz.serve.figures import routes
from dpviz.serve.topics import Topics
from tests.support import sample
from tests.support.declarations import page
from tests.support.loops import run

SHELL = Path(streamlit.__file__).with_name("static") / "index.html"


def app(*more: Page) -> Starlette:
    """The routes of all pages, and of the sample page."""
    topics = Topics(page(""), sample.PAGE, *more)
    pages = previews.routes(topics, SHELL)
    return Starlette(routes=[*routes(topics), *pictures.routes(topics), *pages, *scripts.routes()])


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)

    @property
    def content(self) -> bytes:
        body = b"".join(self.pieces)
        return gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.content.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        return self.lines[-1]


async def asked(
    site: Starlette,
    path: str,
    query: Mapping[str, object] | str = "",
    headers: Mapping[str, str] | None = None,
    leave: asyncio.Event | None = None,
    body: bytes | None = None,
    into: Answer | None = None,
    method: str = "",
    client: str = "testclient",
) -> Answer:
    """Ask, and take all of the answer; or go away when `leave` is set. body: what is posted.

    client: the address that asks.

    into: takes the answer as it comes; the routes then learn as under uvicorn that somebody left.
    """
    answer, begun = into or Answer(), False
    text = query if isinstance(query, str) else urlencode(query)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4" if into is None else "2.3"},
        "http_version": "1.1",
        "method": method or ("GET" if body is None else "POST"),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": text.encode("latin-1", "replace"),
        "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()],
        "server": ("testserver", 80),
        "client": (client, 1),
    }

    async def receive() -> dict[str, Any]:
        nonlocal begun
        if not begun:
            begun = True
            return {"type": "http.request", "body": body or b"", "more_body": False}
        await (leave or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Mapping[str, Any]) -> None:
        if leave is not None and leave.is_set() and into is None:
            raise OSError("gone")
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {k.decode().lower(): v.decode() for k, v in message["headers"]}
        else:
            answer.pieces.append(message["body"])

    await site(scope, receive, send)
    return answer


def ask(path: str, query: Mapping[str, object] | str = "", **headers: str) -> Answer:
    """Ask the routes of all pages once; headers with _ for -."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return run(asked(app(), path, query, named))
