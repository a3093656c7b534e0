"""A Valkey or Redis server of one's own, for tests of rooms that all replicas share."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.ports import own_ports

PROGRAM = shutil.which("valkey-server") or shutil.which("redis-server")


@contextmanager
def server() -> Iterator[str]:
    """Start one, which keeps nothing; yield its URL. Skip without a program."""
    if PROGRAM is None:
        missing = "no valkey-server or redis-server: rooms that replicas share are UNTESTED"
        assert "CI" not in os.environ, missing
        pytest.skip(missing)
    port = own_ports()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        process = subprocess.Popen([PROGRAM, *options], stdout=subprocess.DEVNULL)
        try:
            while True:
                assert process.poll() is None, "the server ended at once"
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=60).close()
                    break
                except ConnectionError:
                    time.sleep(0.02)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()
