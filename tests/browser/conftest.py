"""A running app and a real Chromium for the tests in this folder: one of each serves them all."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import BrowserContext

from dpviz.results.files import ROOT
from tests.support.chromium import FLAGS, chromium_path
from tests.support.reader import Reader


@contextmanager
def running_app(port: int = 0, script: str = "app.py") -> Iterator[str]:
    """Start a fresh server on the `port`, or on a free one; yield its address."""
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    options = {"server.port": port, "server.headless": "true"}
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += [word for key, value in options.items() for word in (f"--{key}", str(value))]
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health", server)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=600)  # a busy machine is no failure


def _wait_for(url: str, server: subprocess.Popen) -> None:
    while True:
        assert server.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with running_app() as running:
        yield running


@pytest.fixture(scope="session")
def window(driver, tmp_path_factory) -> Iterator[BrowserContext]:
    """The browser of a visitor who comes again: it has the scripts, and has compiled them.

    Only a browser with a folder of its own keeps what it compiled; that is a quarter of the time
    that a page takes.
    """
    context = driver.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("visitor"),
        executable_path=chromium_path(),
        args=FLAGS,
        viewport={"width": 1280, "height": 800},
    )
    yield context
    context.close()


@pytest.fixture
def reader(window, address) -> Iterator[Reader]:
    """A reader with a fresh tab, who must not have seen a fault at the end."""
    with Reader.within(window, address) as opened:
        yield opened
