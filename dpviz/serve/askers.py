"""Who asks: a network, and within it the reader whose session vouches for the request.

Turns are shared out by these two (`dpviz.serve.shares`). A network is an address that the server
or its own proxy saw, a reader the token of a session that lives here: what a client makes up is
neither. All requests of a network that name no session are one reader.
"""

import os
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address

from starlette.requests import Request

_SALT = os.environ.get("DPVIZ_COOKIE_KEY", "").encode()[:64] or secrets.token_bytes(16)


@dataclass(frozen=True)
class Asker:
    """Who asks; "" where that is not known, and for what the server itself wants."""

    network: str = ""
    reader: str = ""


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
