"""Where the site is: at the root of a host or under a path, of which a proxy may say nothing.

So what a page asks for is named from the page itself (`at`). Addresses that leave the page, in a QR
code say, need the path: it is Streamlit's server.baseUrlPath, or what a proxy that strips it tells.
"""

import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

_TOLD = ("x-forwarded-prefix", "x-forwarded-context")  # Traefik and others, JupyterHub's proxy
_PATH = re.compile(r"(?:/[\w.~@+-]{1,60}){1,8}", re.ASCII)
_LONGEST = 500  # characters


def at(path: str, depth: int = 1) -> str:
    """Return the address of something of the site for a page or a file that is so deep in it.

    path: from the site on, as in "/fonts/sans.woff2". depth: 1 right below the site, as pages are.
    """
    return f"{'../' * (depth - 1) or './'}{path.removeprefix('/')}"


def prefix(scope: Scope) -> str:
    """Return the path under which the site is, as far as it is known: "/dp", or ""."""
    return str(scope.get("app_root_path", ""))


def _configured(scope: Scope) -> str:
    """Return what a proxy says that it has stripped, "" for nothing or what is no path."""
    headers = Headers(scope=scope)
    header = next((headers[name] for name in _TOLD if name in headers), "")[:_LONGEST].rstrip("/")
    return header if _PATH.fullmatch(header) else ""


class Below:
    """Middleware before all: what follows sees paths from the site on. base: "/dp", or ""."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app, self._base = app, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        app = self._app
        if scope["type"] in ("http", "websocket"):
            path = scope["path"]
            if self._base and path == self._base and scope["type"] == "http":
                query = scope["query_string"].decode("latin-1")
                app = RedirectResponse(f"{path}/{'?' if query else ''}{query}", 307)
            if path.startswith(f"{self._base}/"):
                path = path.removeprefix(self._base)
            base = self._base or _configured(scope)
            if base:
                scope = {**scope, "path": path, "app_root_path": base}
        await app(scope, receive, send)


class Above:
    """Middleware after all others: what is no route of ours Streamlit knows under its base."""

    def __init__(self, app: ASGIApp, base: str, routes: Sequence[BaseRoute]) -> None:
        self._app, self._base, self._routes = app, base, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass."""
        if self._base and scope["type"] in ("http", "websocket"):
            ours = any(route.matches(scope)[0] is not Match.NONE for route in self._routes)
            if not ours:
                scope["path"] = self._base + scope["path"]  # there: who waits looks what answered
        await self._app(scope, receive, send)
