"""What stands before every route: limits, and the headers that keep browsers careful.

ASGI, and no Streamlit: the single process has all this without a proxy.
"""

import asyncio
import base64
import re
import time
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve import scripts
from dpviz.serve.clients import CLIENT, Client, network_id
from dpviz.serve.quotas import MESSAGES
from dpviz.serve.usage import Usage

TOO_LONG = f"""\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>dpviz</title>
<p>This link is longer than {LONGEST_LINK:,} characters, and dpviz reads no longer ones.
Ask for the link again, or <a href="/">start dpviz</a>.</p></html>
"""
_LONGEST_HOST = 255  # characters: no name of a host has more, and pages repeat it in each link
_COUNTS = 2**14  # bytes of a message that count as one more
_MOST_SPENT = 1.3  # of `Usage`: a network's messages take 15 % of the event loop's time at most
_EACH = 5e-4  # seconds of it that a message takes besides
_LOOK = 0.1  # seconds between looks whether a network may be heard again
# What Streamlit tells programs and administrators is not for readers.
_PRIVATE = ("/_stcore/agent", "/_stcore/metrics", "/_stcore/script-health-check")


def policy(page: Path, embedders: str = "'self'") -> str:
    """Return a Content-Security-Policy that allows inline scripts of `page` and ours, no other.

    embedders: who may show the app within another page, in the words of ``frame-ancestors``.
    """
    inline = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    inline += [scripts.BACKEND, scripts.start(), scripts.NEAR]
    digests = [base64.b64encode(sha256(script.encode()).digest()).decode() for script in inline]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'self'; script-src 'self' {allowed} blob:; "  # components come as blobs
        "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
        f"frame-ancestors {embedders}"
    )


class Guard:
    """Middleware around all routes.

    content: the Content-Security-Policy. origins: whose pages may open WebSockets beside the app's
    own; None where anybody's may. short: returns what came over a WebSocket without what is longer
    than an address may be, None for what is too large as a whole.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        content: str,
        origins: Collection[str] | None = (),
        short: Callable[[bytes], bytes | None] = lambda message: message,
    ) -> None:
        self._app, self._origins, self._short = app, origins, short
        self._heard = Usage(time.monotonic)
        self._headers = {
            "Content-Security-Policy": content,
            "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        scope = _with_plain_cookies(scope)
        if scope["type"] == "websocket":
            if _is_long(scope) or _has_no_host(scope) or not self._is_own(Headers(scope=scope)):
                await send({"type": "websocket.close", "code": 1008})
                return
            client = Client(network_id(HTTPConnection(scope)))
            CLIENT.set(client)  # all it has done is at this account
            await self._app(scope, self._shortened(receive, send, client), send)
        elif scope["type"] == "http":
            ask = _head if scope["method"] == "HEAD" else _whole
            await ask(_answer(self._app, scope), scope, receive, self._careful(send))
        else:
            await self._app(scope, receive, send)

    def _is_own(self, headers: Headers) -> bool:
        """Return whether no other site's page speaks; programs name no origin."""
        origin = headers.get("origin")
        if origin is None or self._origins is None or origin in self._origins:
            return True
        try:
            return urlsplit(origin).netloc == headers.get("host", "")
        except ValueError:
            return False

    def _shortened(self, receive: Receive, send: Send, client: Client) -> Receive:
        """Return what hears a WebSocket: short messages, and no faster than a hand makes them.

        Whoever sends more waits: what has not been heard stays with them. So does a network whose
        messages, over all of its lines, take much of the event loop.
        """
        free, last = MESSAGES.burst, time.monotonic()

        async def receive_short() -> Message:
            nonlocal free, last
            message = await receive()
            now = time.monotonic()
            content = message.get("bytes") or b""
            free = min(free + (now - last) * MESSAGES.rate, MESSAGES.burst)
            free -= 1 + len(content) // _COUNTS
            last = now
            # Even one that is ready in the queue lets the event loop turn to others first.
            await asyncio.sleep(max(0.0, -free / MESSAGES.rate))
            while content and self._heard.spent(client) > _MOST_SPENT:
                await asyncio.sleep(_LOOK)
            if content:
                begin = time.thread_time()
                kept = self._short(content)
                # Streamlit reads it once more.
                self._heard.charge(client, 2 * (time.thread_time() - begin) + _EACH)
                if kept is None:
                    await send({"type": "websocket.close", "code": 1009})
                    return {"type": "websocket.disconnect", "code": 1009}
                message["bytes"] = kept
            return message

        return receive_short

    def _careful(self, send: Send) -> Send:
        async def send_carefully(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, words in self._headers.items():
                    headers.setdefault(name, words)
            await send(message)

        return send_carefully


def _with_plain_cookies(scope: Scope) -> Scope:
    r"""Return a scope without the cookies that have a backslash.

    Nobody here gives one. A quoted value with backslashes takes Python before 3.11.10 and 3.12.6,
    and so Starlette, time that grows with the square of its length (CVE-2024-7592).
    """
    headers = scope.get("headers", ())
    if not any(name == b"cookie" and b"\\" in value for name, value in headers):
        return scope
    kept = [
        (name, b";".join(part for part in value.split(b";") if b"\\" not in part))
        if name == b"cookie"
        else (name, value)
        for name, value in headers
    ]
    return {**scope, "headers": kept}


def _is_long(scope: Scope) -> bool:
    return len(scope["path"]) + len(scope["query_string"]) > LONGEST_LINK


def _has_no_host(scope: Scope) -> bool:
    """Return whether a request says it is for a host that cannot be."""
    named = (b"host", b"x-forwarded-host")
    return any(
        name in named and len(value) > _LONGEST_HOST for name, value in scope.get("headers", ())
    )


def _answer(app: ASGIApp, scope: Scope) -> ASGIApp:
    if _has_no_host(scope):
        return PlainTextResponse("No host has so long a name.\n", 400)
    if _is_long(scope):
        return HTMLResponse(TOO_LONG, 414)
    if scope["path"].startswith(_PRIVATE):
        return PlainTextResponse("There is nothing here.\n", 404)
    return app


async def _whole(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


class _SaidError(Exception):
    """All that was asked for has been said."""


async def _head(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Give the head of an answer, and end there: no body is made, which might have no end."""
    answered = False

    async def send_head(message: Message) -> None:
        nonlocal answered
        if answered:
            raise _SaidError
        await send(message)
        if message["type"] == "http.response.start":
            answered = True
            await send({"type": "http.response.body", "body": b""})
            raise _SaidError

    try:
        await app(scope, receive, send_head)
    except Exception:
        if not answered:
            raise
