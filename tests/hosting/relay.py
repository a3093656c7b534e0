"""A line that counts what comes over it."""

import contextlib
import socket
import socketserver
from collections.abc import Callable, Iterator
from threading import Lock, Thread
from urllib.parse import urlsplit


class _Line(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with socket.create_connection(self.server.target) as there:
            upward = Thread(target=self._copy, args=(self.request, there, lambda _: None))
            upward.start()
            self._copy(there, self.request, self.server.count)
            upward.join()

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket, count: Callable[[int], None]) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(2**16):
                target.sendall(piece)
                count(len(piece))
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


class Relay(socketserver.ThreadingTCPServer):
    """Stands before a server, of which `counted` bytes have come."""

    daemon_threads = True

    def __init__(self, server: str) -> None:
        place = urlsplit(server)
        self.target = (place.hostname, place.port)
        self.counted = 0
        self._lock = Lock()
        super().__init__(("127.0.0.1", 0), _Line)

    def count(self, size: int) -> None:
        """Note that so many bytes have passed."""
        with self._lock:
            self.counted += size

    @contextlib.contextmanager
    def serving(self) -> Iterator[str]:
        """Serve in threads; yield the address."""
        Thread(target=self.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{self.server_address[1]}"
        finally:
            self.shutdown()
            self.server_close()
