"""Who speaks to a room, and what they send."""

import os
import secrets
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response

from dpviz.serve.rooms.asking import RoomError
from dpviz.serve.rooms.room import Room

LARGEST = 20_000  # bytes of what is sent to a room
_SALT = os.environ.get("DPVIZ_COOKIE_KEY", "").encode()[:64] or secrets.token_bytes(16)


async def body(request: Request) -> bytes:
    """Return what was sent; no more is read than a room takes."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        if (size := size + len(part)) > LARGEST:
            raise RoomError(f"That is more than {LARGEST:,} bytes.", 413)
    return b"".join(parts)


async def json(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent. Raises `RoomError`."""
    try:
        said = orjson.loads(await body(request))
    except orjson.JSONDecodeError:
        said = None
    if not isinstance(said, dict):
        raise RoomError("This cannot be read.", 400)
    return said


def same_site(request: Request) -> None:
    """Refuse what a page of another site sends; browsers name the origin of whatever they post."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise RoomError("Another site may not speak to a room.", 403)


def visitor(request: Request) -> str:
    """Return a mark of the network that asks: its address is not kept, nor to be read from it.

    Behind a proxy it is what the proxy saw. Of IPv6 the first half names a network.
    """
    asking = request.client.host if request.client else ""
    try:
        if not ip_address(asking).is_global and (passed := request.headers.get("x-forwarded-for")):
            asking = passed.rpartition(",")[2].strip()
        address = ip_address(asking)
    except ValueError:
        return blake2b(asking.encode(), digest_size=12, key=_SALT).hexdigest()
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return blake2b(address.packed[:8], digest_size=12, key=_SALT).hexdigest()


def _is_secure(request: Request) -> bool:
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))


def site(request: Request) -> str:
    """Return the address of this site as the lecturer's browser knows it."""
    scheme = "https" if _is_secure(request) else "http"
    return f"{scheme}://{request.headers.get('host', 'localhost')}"


def give(answer: Response, request: Request, name: str, value: str, room: Room) -> None:
    """Give a browser a cookie for one room, which no script reads."""
    answer.set_cookie(
        name,
        value,
        path=f"/room/{room.code}",
        httponly=True,
        samesite="lax",
        secure=_is_secure(request),
    )
