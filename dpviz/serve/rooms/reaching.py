"""Whether the server that keeps rooms can be had and answers, and what the log says of it."""

import logging
from importlib.util import find_spec
from urllib.parse import urlsplit

_log = logging.getLogger(__name__)


def problem(url: str) -> str:
    """Return why rooms cannot be where DPVIZ_ROOMS says, "" if they can or it says nothing.

    Of what it says no more is told than the scheme: the rest may hold a password.
    """
    if not url:
        return ""
    if find_spec("redis") is None:
        return 'DPVIZ_ROOMS is set, and shared rooms need: pip install "dpviz[rooms]"'
    from redis.asyncio import Redis

    try:
        Redis.from_url(url)
    except ValueError:
        has_scheme = url.partition("://")[0] in ("redis", "rediss", "unix")
        return (
            "DPVIZ_ROOMS is to be the address of a Valkey or Redis server, redis://host:port/0, "
            f"and what it says {'cannot be read' if has_scheme else 'begins otherwise'}"
        )
    return ""


class Reach:
    """Whether the server at a URL answers. reached: None before it was asked."""

    def __init__(self, url: str) -> None:
        self.reached: bool | None = None
        self._place = urlsplit(url).netloc.rpartition("@")[2]  # without a password

    def note(self, fault: Exception | None) -> None:
        """Note whether the server has just answered."""
        if fault is not None:
            _log.warning(
                "rooms: the server that keeps them (DPVIZ_ROOMS, %s) does not answer: %s",
                self._place,
                type(fault).__name__,
            )
        elif self.reached is False:
            _log.warning("rooms: the server that keeps them answers again")
        self.reached = fault is None
