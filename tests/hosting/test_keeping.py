"""What `python -m hosting` does when processes end, without any of them."""

import contextlib
import http.server
import itertools
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time

import pytest

from dpviz.results.folders import ROOT
from hosting import keeping
from hosting.keeping import Kept, occupied
from tests.support.ports import own_ports


class Process:
    """One that has ended once `code` is set."""

    code: int | None = None

    def poll(self):
        return self.code

    def kill(self):
        self.code = -9

    def wait(self):
        assert self.code is not None


class Life:
    """Of a process that hangs from when it is told to until another one begins."""

    stuck = False

    def begin(self):
        self.stuck = False

    def hangs(self, _):
        return self.stuck


class World:
    """A clock, and the processes that were started."""

    def __init__(self):
        self.now, self.begun, self.life = 0.0, [], Life()
        self.kept = Kept("it", self.start, lambda: self.now, self.life)

    def start(self):
        self.begun.append((self.now, Process()))
        return self.begun[-1][1]

    def end(self):
        self.begun[-1][1].code = 1

    def until(self, time):
        while self.now < time:
            self.kept.look()
            self.now += 0.25


def test_an_accident_is_repaired_at_once():
    world = World()
    world.until(100)
    world.end()
    world.until(101)
    assert [when for when, _ in world.begun] == [0, 100]
    assert world.kept.failures == 0


def test_what_hangs_is_killed_and_started_again():
    world = World()
    world.until(100)
    assert not world.kept.hung
    world.life.stuck = True
    world.until(101)
    assert [when for when, _ in world.begun] == [0, 100]
    assert world.begun[0][1].code == -9
    assert world.kept.hung
    world.end()
    world.until(102)
    assert len(world.begun) == 3
    assert not world.kept.hung


class Server(http.server.BaseHTTPRequestHandler):
    """Answers with a fault; or not at all, while it is told to be silent."""

    silent, kept = threading.Event(), threading.Event()
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        while self.silent.is_set():
            self.kept.wait(0.01)
        with contextlib.suppress(OSError):
            self.send_error(503)

    def log_message(self, *_):
        pass


def until(condition):
    while not condition():
        time.sleep(0.01)


def test_a_process_hangs_if_it_has_answered_and_does_not_any_more(monkeypatch):
    monkeypatch.setattr(keeping, "_PATIENCE", 0.05)
    monkeypatch.setattr(keeping, "_BEAT", 0.01)
    quick, forever = 1.0, 1e6
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        pulse = keeping.Pulse(server.server_port)  # nothing answers yet: it is coming up
        until(lambda: pulse.hangs(forever))
        assert not pulse.hangs(quick)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        until(lambda: not pulse.hangs(forever))  # whatever it answers, it lives
        Server.silent.set()
        until(lambda: pulse.hangs(quick))
        pulse.begin()
        assert not pulse.hangs(quick)
        until(lambda: pulse.hangs(forever))
        Server.silent.clear()
        server.shutdown()


def test_what_hangs_is_noticed_within_fifteen_seconds():
    looks = keeping._HUNG * keeping._PATIENCE
    assert keeping._BEAT + looks < 15
    [patience] = re.findall(r"lb_try_duration (\d+)s", (ROOT / "hosting/Caddyfile").read_text())
    assert int(patience) > 15  # who reads waits so long for another one


def test_what_never_comes_up_is_tried_ever_later():
    world = World()
    while world.now < 200:
        world.until(world.now + 0.25)
        world.end()
    times = [when for when, _ in world.begun]
    pauses = [b - a for a, b in itertools.pairwise(times)]
    assert pauses == sorted(pauses)
    assert 25 <= pauses[-1] <= 31
    assert len(times) < 15
    assert world.kept.failures == len(times)
    world.kept.look()
    world.until(world.now + 100)  # now it lives
    world.end()
    world.until(world.now + 0.5)
    assert world.kept.failures == 0


def test_ports_on_which_others_listen_are_found():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        assert occupied("127.0.0.1", [taken, own_ports()]) == [taken]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_processes_end_with_the_one_that_keeps_them():
    code = (
        "import sys, time; from pathlib import Path; from hosting.keeping import begin\n"
        "child = begin([sys.executable, '-c', 'import time; time.sleep(600)'], Path('.'))\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    keeper = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    with keeper.stdout as output:
        child = int(output.readline())
        watch = os.pidfd_open(child)
        keeper.kill()
        keeper.wait()
        ended, _, _ = select.select([watch], [], [], 600)
    os.close(watch)
    assert ended
