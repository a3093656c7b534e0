"""Who opens an address below a page, where there is nothing, is led back to the page.

ASGI, and no Streamlit, which answers there with its own page: that asks for its scripts beside the
address, finds none, and stays white.
"""

from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
        if not below or not wants_page:
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        back = RedirectResponse(
            f"/{quote(first, safe='')}{'?' if query else ''}{query}",
            302,
            headers={"Cache-Control": "no-cache"},
        )
        astray = False

        async def lead_back(message: Message) -> None:
            nonlocal astray
            if message["type"] == "http.response.start" and _is_streamlits_page(scope, message):
                astray = True
                await back(scope, receive, send)
            if not astray:
                await send(message)

        await self._app(scope, receive, lead_back)


def _is_streamlits_page(scope: Scope, message: Message) -> bool:
    """Return whether Streamlit's files answer with HTML, of which they have one page."""
    kind = Headers(raw=message["headers"]).get("content-type", "")
    found = isinstance(scope.get("endpoint"), StaticFiles) and kind.startswith("text/html")
    return found and message["status"] == 200
