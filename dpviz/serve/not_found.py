"""Who opens an address where there is nothing is told so, or led back to the page above it.

ASGI, and no Streamlit, which answers with its own page wherever it knows nothing: below a page that
asks for its scripts beside the address, finds none, and stays white; beside the pages it is home.
"""

from html import escape
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import quote as shortened
from dpviz.serve.site import at

_NONE = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>No such page · dpviz</title>
<style>:root {{ color-scheme: light dark; font: 1.1rem/1.5 Georgia, serif; padding: 1rem 2rem }}
a {{ color: inherit }}</style>
<h1>dpviz has no page {name}</h1>
<p><a href="./">Begin where everybody does</a>, or with one of the topics:</p>
<ul>{pages}</ul></html>
"""


class Astray:
    """Middleware that changes nothing but this one answer, and only where a page was asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        first, _, below = scope.get("path", "").strip("/").partition("/")
        wants_page = scope["type"] == "http" and "text/html" in Headers(scope=scope).get(
            "accept", ""
        )
        if not first or not wants_page:
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        depth = scope["path"].count("/")
        answer = _back(first, query, depth) if below else _none(first)
        astray = False

        async def lead_back(message: Message) -> None:
            nonlocal astray
            if message["type"] == "http.response.start" and _is_streamlits_page(scope, message):
                astray = True
                await answer(scope, receive, send)
            if not astray:
                await send(message)

        await self._app(scope, receive, lead_back)


def _back(first: str, query: str, depth: int) -> Response:
    return RedirectResponse(
        f"{at(quote(first, safe=''), depth)}{'?' if query else ''}{query}",
        302,
        headers={"Cache-Control": "no-cache"},
    )


def _none(name: str) -> Response:
    pages = "".join(
        f'<li><a href="{at(page.slug)}">{escape(page.title)}</a>: {escape(page.question)}</li>'
        for page in PAGES
    )
    text = escape(shortened(name, "“”"))
    headers = {"Cache-Control": "no-cache"}
    return HTMLResponse(_NONE.format(name=text, pages=pages), 404, headers=headers)


def _is_streamlits_page(scope: Scope, message: Message) -> bool:
    """Return whether Streamlit's files answer with HTML, of which they have one page."""
    kind = Headers(raw=message["headers"]).get("content-type", "")
    found = isinstance(scope.get("endpoint"), StaticFiles) and kind.startswith("text/html")
    return found and message["status"] == 200
