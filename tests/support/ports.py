"""Ports that belong to one test process, however long whoever is to listen there takes to begin."""

import os
import socket
import sys
from contextlib import ExitStack

_LOWEST, _HIGHEST = 20000, 32000  # below those that Linux gives to clients
_ROW = 10
_held = ExitStack()


def own_ports(count: int = 1) -> int:
    """Return the first of `count` ports in a row that nobody else gets while this process lives.

    A socket stands on each and does not listen. So the system gives the port to no client, and to
    no server that takes any; who asks for it by its number, as our servers do, may listen there.
    """
    rows = range(_LOWEST, _HIGHEST, _ROW)
    begin = os.getpid() % len(rows)
    for first in (*rows[begin:], *rows[:begin]):
        with ExitStack() as taken:
            try:
                for port in range(first, first + count):
                    _stand_on(taken.enter_context(socket.socket()), port)
            except OSError:
                continue
            if sys.platform == "linux":  # elsewhere nobody could listen beside such a socket
                _held.push(taken.pop_all())
            return first
    raise OSError("no free ports")


def _stand_on(place: socket.socket, port: int) -> None:
    place.bind(("127.0.0.1", port))  # fails where another stands or listens
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # from now on one may listen
