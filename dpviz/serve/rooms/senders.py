"""Who speaks to a room, and what they send."""

from secrets import compare_digest
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response

from dpviz.serve.local_network import is_local, public_address
from dpviz.serve.rooms.asking import RoomError
from dpviz.serve.rooms.room import Room
from dpviz.serve.site import prefix

LARGEST = 20_000  # bytes of what is sent to a room
_FIELDS = 9  # of a form
_SECRET, _PHONE = "dpviz_room", "dpviz_phone"  # cookies, each of one room
LEADS, PHONE = "x-dpviz-lead", "x-dpviz-phone"  # headers that say the same


async def body(request: Request) -> bytes:
    """Return what was sent; no more is read than a room takes."""
    parts, size = [], 0
    async for part in request.stream():
        parts.append(part)
        if (size := size + len(part)) > LARGEST:
            raise RoomError(f"That is more than {LARGEST:,} bytes.", 413)
    return b"".join(parts)


async def form(request: Request) -> dict[str, list[str]]:
    """Return the fields of the form that was sent. Raises `RoomError`."""
    try:
        return parse_qs((await body(request)).decode("utf-8", "replace"), max_num_fields=_FIELDS)
    except ValueError:
        raise RoomError(f"That is more than {_FIELDS} fields.", 400) from None


async def json(request: Request) -> dict[str, Any]:
    """Return the JSON object that was sent. Raises `RoomError`."""
    try:
        content = orjson.loads(await body(request))
    except orjson.JSONDecodeError:
        content = None
    if not isinstance(content, dict):
        raise RoomError("This cannot be read.", 400)
    return content


def same_site(request: Request) -> None:
    """Refuse what a page of another site sends; browsers name the origin of whatever they post."""
    origin = request.headers.get("origin")
    try:
        is_own = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    except ValueError:  # brackets that do not match
        raise RoomError("The origin of this request cannot be read.", 400) from None
    if not is_own:
        raise RoomError("Another site may not speak to a room.", 403)


def _is_secure(request: Request) -> bool:
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))


def host(request: Request) -> str:
    """Return the name of this site, as whoever asks has it."""
    return request.headers.get("host", "localhost")


def site(request: Request) -> str:
    """Return the address of this site as the lecturer's browser knows it."""
    scheme = "https" if _is_secure(request) else "http"
    return f"{scheme}://{host(request)}{prefix(request.scope)}"


def for_phones(request: Request) -> str:
    """Return the address of this site as phones know it, "" where none is known.

    Who asks by an address of this machine alone, from another one, asks a container.
    """
    client = request.client.host if request.client else ""
    if not is_local(host(request)):
        return site(request)
    contained = not is_local(client) and "x-forwarded-for" not in request.headers
    return public_address() or ("" if contained else site(request))


def port(request: Request) -> int:
    """Return the port at which this process was asked."""
    return int((request.scope.get("server") or ("", 0))[1] or 0)


def is_here(request: Request) -> bool:
    """Return whether a browser on this machine asks, by an address that no other one has.

    A proxy that stands before a server names for whom it asks.
    """
    client = request.client.host if request.client else ""
    proxied = "x-forwarded-for" in request.headers
    return is_local(client) and is_local(host(request)) and not proxied


def _give(answer: Response, request: Request, name: str, value: str, room: Room) -> None:
    """Give a browser a cookie for one room, which no script reads.

    Within a page of another site it is kept apart, for that site's pages alone, by browsers that
    keep one at all; for others the page itself has it.
    """
    path = f"{prefix(request.scope)}/room/{room.code}"
    answer.set_cookie(
        name, value, path=path, httponly=True, samesite="lax", secure=_is_secure(request)
    )
    if request.headers.get("sec-fetch-dest") == "iframe":
        apart = f"{name}={value}; Path={path}; HttpOnly; SameSite=None; Secure; Partitioned"
        answer.headers.append("set-cookie", apart)


def secret(request: Request) -> str:
    """Return the secret by which a lecturer's browser leads, "" if it has none."""
    return request.headers.get(LEADS, "") or request.cookies.get(_SECRET, "")


def phones(request: Request, room: Room) -> str:
    """Return the token by which a phone is known here, "" if it has none that is.

    It stands in a header, where streams are asked for in the address, or in a cookie.
    """
    query, cookies = request.query_params, request.cookies
    tokens = (request.headers.get(PHONE, ""), query.get("phone", ""), cookies.get(_PHONE, ""))
    return next((token for token in tokens if token and room.knows(token)), "")


def keeps(request: Request, phone: str) -> bool:
    """Return whether the browser of a phone has kept its cookie, so that it is known again."""
    return request.cookies.get(_PHONE, "") == phone


def give_secret(answer: Response, request: Request, room: Room) -> None:
    """Give a lecturer's browser what it leads by."""
    _give(answer, request, _SECRET, room.secret, room)


def give_token(answer: Response, request: Request, token: str, room: Room) -> None:
    """Give a phone what it is known by."""
    _give(answer, request, _PHONE, token, room)


def leads(request: Request, room: Room) -> bool:
    """Return whether the browser that opened the room asks."""
    return room.is_lecturer(secret(request))


def reads(request: Request, room: Room) -> bool:
    """Return whether the page of the browser that opened the room asks, by one of its links."""
    key = request.query_params.get("read", "")
    return leads(request, room) or compare_digest(key.encode(), room.reading.encode())


def speaks(request: Request, room: Room) -> bool:
    """Return whether the speaker's view of the browser that opened the room asks."""
    key = request.query_params.get("speaker", "")
    return leads(request, room) or compare_digest(key.encode(), room.speaking.encode())


def belongs(request: Request, room: Room) -> bool:
    """Return whether somebody is of this room, or has the address of its QR code."""
    key = request.query_params.get("k", "")
    has_key = compare_digest(key.encode(), room.key.encode())
    is_theirs = reads(request, room) or speaks(request, room)
    return has_key or is_theirs or bool(phones(request, room))
