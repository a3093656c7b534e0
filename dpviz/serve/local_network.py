"""Under which addresses the devices of a network reach this machine, and whether they do."""

import ipaddress
import os
import socket
import time
from contextlib import closing, suppress
from functools import lru_cache
from urllib.parse import urlsplit

# Nothing is sent there: the system is only asked from where it would send.
_TOWARDS = ("192.0.2.1", "10.255.255.255", "172.31.255.255", "192.168.255.255")
_LATELY = 60  # seconds for which an address is believed
_PATIENCE = 0.3  # seconds for a connection that does not leave the machine


def is_local(host: str) -> bool:
    """Return whether a host, with its port or without, is this machine to itself alone."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets that do not match
        return False
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def public_address() -> str:
    """Return the address that whoever runs this copy has named in DPVIZ_ADDRESS, "" for none."""
    return os.environ.get("DPVIZ_ADDRESS", "").rstrip("/")


def own_addresses() -> list[str]:
    """Return the addresses of this machine in its networks, the likeliest first.

    A container has some that nobody outside of it reaches; DPVIZ_CONTAINED says that it is one.
    """
    if os.environ.get("DPVIZ_CONTAINED"):
        return []
    found: dict[str, None] = {}
    for place in _TOWARDS:
        with suppress(OSError), closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
            probe.connect((place, 9))
            found[probe.getsockname()[0]] = None
    with suppress(OSError):
        found |= dict.fromkeys(socket.gethostbyname_ex(socket.gethostname())[2])
    return [address for address in found if _is_in_a_network(address)]


def reached(port: int) -> list[str]:
    """Return those of `own_addresses` at which something on this machine answers at a port."""
    return [address for address in own_addresses() if _answers(address, port)]


def for_others(url: str, port: int) -> str:
    """Return an address of a page of this site as other devices know it.

    Where a browser knows it as this machine alone, nobody else can follow: `public_address` stands
    in its place or, if the app, at `port`, listens to a network, the address there.
    """
    try:
        parts = urlsplit(url)
        is_ours = is_local(parts.netloc) and parts.port == port
    except ValueError:  # a port that is none
        return url
    if is_local(parts.netloc) and (public := public_address()):
        return f"{public}/{parts.path.rpartition('/')[2]}"
    found = _reached_lately(port, int(time.monotonic() // _LATELY)) if is_ours else ""
    return parts._replace(netloc=f"{found}:{port}").geturl() if found else url


@lru_cache(maxsize=4)
def _reached_lately(port: int, _: int) -> str:
    return next(iter(reached(port)), "")


def _is_in_a_network(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    return not (ip.is_loopback or ip.is_link_local or ip.is_unspecified)


def _answers(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), timeout=_PATIENCE):
            return True
    except OSError:
        return False
