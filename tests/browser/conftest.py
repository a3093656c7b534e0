"""A running app and a real Chromium for the tests in this folder: one of each serves them all."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

from dpviz.results.folders import ROOT
from tests.support.chromium import FLAGS, chromium_path
from tests.support.ports import own_ports
from tests.support.reader import Reader


@contextmanager
def running_app(
    port: int = 0,
    script: str = "app.py",
    surroundings: Mapping[str, str] | None = None,
    folder: Path = ROOT,
) -> Iterator[str]:
    """Start a fresh server on the `port`, or on one of its own; yield its address.

    folder: the checkout whose code runs.
    """
    port = port or own_ports()
    options = {"server.address": "127.0.0.1", "server.port": port, "server.headless": "true"}
    command = [sys.executable, "-m", "streamlit", "run", script]
    command += [word for key, value in options.items() for word in (f"--{key}", str(value))]
    server = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(os.environ) | dict(surroundings or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
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
    """The browser of a network who comes again: it has the scripts, and has compiled them.

    Only a browser with a folder of its own keeps what it compiled; that is a quarter of the time
    that a page takes.
    """
    context = driver.chromium.launch_persistent_context(
        tmp_path_factory.mktemp("network"),
        executable_path=chromium_path(),
        args=FLAGS,
        viewport={"width": 1280, "height": 800},
    )
    yield context
    context.close()


class Shared:
    """A tab that stays open between tests: most of the time of a page is a visit's, not its own."""

    def __init__(self, window: BrowserContext, address: str) -> None:
        self._window, self._address = window, address
        self._stack = ExitStack()
        self._reader: Reader | None = None

    def take(self) -> Reader:
        """Return the tab as a network finds it, a new one where there is none that may stay."""
        if self._reader is None:
            opened = self._stack.enter_context(Reader.within(self._window, self._address))
            opened.open("")
            opened.at_home = True
            self._reader = opened
        self._reader.tidy()
        return self._reader

    def leave(self) -> None:
        """Close the tab, after a fault or at the end; it must not have seen one."""
        self._reader = None
        self._stack.close()


@pytest.fixture(scope="session")
def shared(window, address) -> Iterator[Shared]:
    tabs = Shared(window, address)
    yield tabs
    tabs.leave()


@pytest.fixture
def reader(request, shared) -> Iterator[Reader]:
    """A reader whose tab others have used: nothing stays of them but the session of the app.

    A test about a visit, a reload, an upload, a lecture of one's own or with a script of its own
    in the page takes `fresh`. The tab is not passed on after a failure.
    """
    failed = request.session.testsfailed
    reader = shared.take()
    yield reader
    in_order = not reader.faults and not reader.page.locator(".stException").count()
    if request.session.testsfailed > failed or not in_order:
        shared.leave()


@pytest.fixture
def fresh(window, address) -> Iterator[Reader]:
    """A reader with a tab of their own, who must not have seen a fault at the end."""
    with Reader.within(window, address) as opened:
        yield opened
