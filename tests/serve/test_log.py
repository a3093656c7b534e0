"""What the log of a server says of trouble: clear lines, each at most once a minute."""

import contextlib
import logging
import os
import resource
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from dpviz.results.folders import ROOT
from dpviz.serve.log import Seldom
from dpviz.serve.rooms.reaching import problem
from tests.support.examples import only_in_ci
from tests.support.ports import own_ports

DESCRIPTORS = 300


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=600) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        return refused.code


class Server:
    """A server that writes its log to a file."""

    def __init__(self, folder, **surroundings):
        self.file, self.port = Path(folder, "log"), own_ports()
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
        command.append("--server.address=127.0.0.1")
        few = (DESCRIPTORS, DESCRIPTORS)
        with self.file.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, f"--server.port={self.port}"],
                cwd=ROOT,
                env=dict(os.environ) | surroundings,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few),
            )

    def address(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def log(self):
        return self.file.read_text()

    def comes_up(self):
        while True:
            assert self.process.poll() is None, self.log
            with contextlib.suppress(OSError):
                assert status(self.address("/_stcore/health")) == 200
                return
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=600)


@only_in_ci
def test_a_dead_server_of_rooms_is_told_once_and_kills_nobody(tmp_path):
    url = f"redis://:hidden@127.0.0.1:{own_ports()}/0"
    with Server(tmp_path, DPVIZ_ROOMS=url) as server:
        server.comes_up()
        while "does not answer" not in server.log:  # before anybody opens a room
            time.sleep(0.05)
        for place in ("/room", "/room/bcdfghjk"):
            assert {status(server.address(place)) for _ in range(5)} == {503}
        assert status(server.address("/_stcore/health")) == 200
    warnings = [line for line in server.log.splitlines() if "does not answer" in line]
    assert 1 <= len(warnings) <= 2 + server.log.count("like this")  # a busy machine takes minutes
    assert f"DPVIZ_ROOMS, 127.0.0.1:{url[-7:-2]}" in warnings[0]
    assert "hidden" not in server.log
    assert "Traceback" not in server.log


@pytest.mark.parametrize("value", ["yes-hidden", "memcached://hidden@host", "redis://h:port/0"])
def test_what_a_foreign_value_of_the_server_of_rooms_is_to_be_is_said_without_it(value):
    assert "redis://host:port/0" in problem(value)
    assert "hidden" not in problem(value)


@only_in_ci
def test_a_server_with_a_foreign_value_ends_with_one_line(tmp_path):
    value = "memcached://hidden@host"
    with Server(tmp_path, DPVIZ_ROOMS=value) as server:
        assert server.process.wait(timeout=600) != 0
    assert "Traceback" not in server.log
    assert "hidden" not in server.log
    assert sum(problem(value) in line for line in server.log.splitlines()) == 1


@only_in_ci
def test_a_server_without_descriptors_says_so_once_and_comes_back(tmp_path):
    with Server(tmp_path) as server:
        server.comes_up()
        with contextlib.ExitStack() as lines:
            for _ in range(DESCRIPTORS):
                line = lines.enter_context(socket.socket())
                line.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    line.connect(("127.0.0.1", server.port))
            while "out of system resource" not in server.log:
                time.sleep(0.05)
            for _ in range(20):  # it tries once a second
                time.sleep(0.1)
        assert status(server.address("/_stcore/health")) == 200
    minutes = 1 + server.log.count("like this")  # on a busy machine it takes some
    assert server.log.count("out of system resource") <= 1 + minutes
    assert len(server.log.splitlines()) < 60


def record(line, words="%s failed", fault=""):
    made = logging.LogRecord("x", logging.WARNING, "file", line, words, ("it",), None)
    made.exc_text = fault
    return made


def test_the_same_line_comes_once_a_minute_with_the_number_of_those_left_out():
    now = 0.0
    seldom = Seldom(lambda: now)
    assert seldom.filter(record(1))
    assert not seldom.filter(record(1))
    now = 30.0
    assert not seldom.filter(record(1))
    now = 59.0
    assert not seldom.filter(record(1))
    assert seldom.filter(record(2))
    assert seldom.filter(record(1, fault="elsewhere"))
    now = 60.0
    after = record(1)
    assert seldom.filter(after)
    assert after.getMessage() == "it failed [3 more like this since the last such line]"
    now = 90.0
    assert not seldom.filter(record(1))
    made = logging.LogRecord("x", logging.INFO, "file", 3, "well", (), None)
    assert all(seldom.filter(made) for _ in range(3))
