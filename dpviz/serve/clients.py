"""Who asks: a network, and within it the reader whose session vouches for the request.

Turns are shared out by these two (`dpviz.serve.usage`). A network is an address that the server
or a trusted proxy saw, a reader the token of a session that lives here: what a client makes up is
neither. Before there is a session, the token that came with a page counts: it says for which
network it was made. All requests of a network that name neither are one reader.
"""

import os
import secrets
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from starlette.requests import HTTPConnection
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

# One address has one hash in all processes of a site, or each would count its rooms for itself.
_SHARED = os.environ.get("DPVIZ_COOKIE_KEY", "") or os.environ.get("DPVIZ_ROOMS", "")
_SALT = blake2b(os.fsencode(_SHARED)).digest() if _SHARED else secrets.token_bytes(64)
_PRIVATE = (
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    *("169.254.0.0/16", "::1/128", "fc00::/7", "fe80::/10"),
)

TOKEN = "x-dpviz-session"  # header with the token by which a session is known
_LONGEST_TOKEN = 100  # characters

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Client:
    """Who asks; "" where that is not known, and for what the server itself wants."""

    network_id: str = ""
    reader: str = ""


CLIENT: ContextVar[Client] = ContextVar("asking", default=Client())  # noqa: B039, it is frozen
"""For whom the running request or script works: at whose account it is."""


def keyed_hash(content: bytes, purpose: str = "") -> str:
    """Return a keyed hash of something, from which it cannot be read."""
    return blake2b(content, digest_size=12, key=_SALT, person=purpose.encode()).hexdigest()


@lru_cache(maxsize=8)
def proxies(text: str) -> tuple[Network, ...]:
    """Return the networks of trusted proxies, as DPVIZ_PROXIES says them. Raises `ValueError`."""
    words = text.replace(",", " ").split()
    named = (
        place for word in words for place in (_PRIVATE if word == "private_ranges" else [word])
    )
    return tuple(ip_network(place, strict=False) for place in named)


def problem(text: str) -> str:
    """Return what is wrong with DPVIZ_PROXIES, "" if nothing is."""
    try:
        proxies(text)
    except ValueError as wrong:
        return f"DPVIZ_PROXIES names no address or network of a proxy: {wrong}"
    return ""


def network_id(request: HTTPConnection) -> str:
    """Return a keyed hash of the network that asks, from which its address cannot be read.

    Behind trusted proxies (DPVIZ_PROXIES) it is what the outermost of them saw; nobody else is
    believed. Of IPv6 the first half names a network.
    """
    asking = request.client.host if request.client else ""
    trusted = proxies(os.environ.get("DPVIZ_PROXIES", ""))
    passed = ",".join(request.headers.getlist("x-forwarded-for")).split(",") if trusted else []
    try:
        while passed and _is_trusted(asking, trusted) and (before := passed.pop().strip()):
            asking = _without_port(before)
        address = ip_address(asking)
    except ValueError:
        return keyed_hash(asking.encode())
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return keyed_hash(address.packed[:8])


def _is_trusted(asking: str, trusted: tuple[Network, ...]) -> bool:
    address = ip_address(asking)
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return any(address in network for network in trusted)


def _without_port(address: str) -> str:
    """Return an address that a proxy passed on, some with a port: 1.2.3.4:5 or [::1]:5."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def vouched(network: str) -> str:
    """Return a token for a reader of a network who has no session yet."""
    name = secrets.token_urlsafe(12)
    return f"{name}.{keyed_hash(f'{name} {network}'.encode(), 'reader')}"


def is_vouched(token: str, network: str) -> bool:
    """Return whether a token was made for a reader of this network."""
    name, _, mark_sent = token[:_LONGEST_TOKEN].partition(".")
    expected = keyed_hash(f"{name} {network}".encode(), "reader")
    return secrets.compare_digest(mark_sent.encode(), expected.encode())


def at_first_hand(connection: Any) -> None:
    """Have uvicorn say who is connected: by itself it believes whatever comes from this machine."""
    config = getattr(connection, "config", None)
    for holder, name in ((config, "loaded_app"), (connection, "app")):
        app = getattr(holder, name, None)
        if isinstance(app, ProxyHeadersMiddleware):
            setattr(holder, name, app.app)
