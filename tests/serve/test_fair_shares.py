"""Turns go round by network and by session; who cannot be served is told to come again."""

import asyncio
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from dpviz.results.caching import Cache
from dpviz.scene.scene import Scene
from dpviz.serve import answer_cache, figures, links, pacing, pictures, previews
from dpviz.serve import scheduler as desk_module
from dpviz.serve.clients import TOKEN
from dpviz.serve.computing import RESULTS, Computation
from dpviz.serve.grants import welcome
from dpviz.serve.scheduler import Scheduler
from tests.serve.asgi import app, asked
from tests.support import sample
from tests.support.loops import run
from tests.support.pace import Steps

READER, CROWD = "203.0.113.1", "203.0.113.2"


class Site:
    """A site with one view, computed one by one; the first of them waits for a gate."""

    def __init__(self, monkeypatch, **limits):
        self.now, self.gate, self.order = [0.0], threading.Event(), []
        RESULTS.clear()
        monkeypatch.setattr(answer_cache, "ANSWERS", Cache(2**20))
        monkeypatch.setattr(pictures, "PICTURES", Cache(2**20))
        steps = SimpleNamespace(thread_time=Steps().thread_time, monotonic=time.monotonic)
        monkeypatch.setattr(desk_module, "time", steps)  # so that every turn takes some time
        self.scheduler = Scheduler(1, clock=lambda: self.now[0], **limits)
        for module in (figures, pacing, links, previews):
            monkeypatch.setattr(module, "SCHEDULER", self.scheduler)

        def held(*, epsilon):
            self.order.append(epsilon)
            self.gate.wait(600)
            yield from sample.refined(epsilon=epsilon)

        view = replace(sample.PAGE.views[1], key="held", compute=held)
        self.routes = app(replace(sample.PAGE, slug="more", for_everyone=(view,)))
        self.tasks = []

    async def ask(self, epsilon, client, path="/figure/more/held", **options):
        """Ask for a figure, and wait until the wish is there; the first one has begun."""
        query = {"epsilon": epsilon}
        task = asyncio.create_task(asked(self.routes, path, query, client=client, **options))
        self.tasks.append(task)
        before = len(self.scheduler)
        while len(self.scheduler) == before and not any(task.done() for task in self.tasks):
            await asyncio.sleep(0.001)
        while not self.order:
            await asyncio.sleep(0.001)
        return task

    async def answers(self):
        """Open the gate, and return what everybody got."""
        self.gate.set()
        return [answer.last for answer in await asyncio.gather(*self.tasks)]


def played(scene):
    return run(asyncio.wait_for(scene, 600))


def test_who_asked_for_little_comes_before_a_network_that_asks_for_much(monkeypatch):
    site = Site(monkeypatch)

    async def scene():
        for number in range(6):
            await site.ask(1.0 + number / 10, CROWD)
        site.now[0] += 1.0  # the crowd has waited for longer
        await site.ask(3.0, READER)
        return await site.answers()

    assert all("spec" in line for line in played(scene()))
    assert site.order[:2] == [1.0, 3.0]


@pytest.mark.parametrize("made_up", [False, True])
def test_within_a_network_requests_without_a_session_share_one_turn(monkeypatch, made_up):
    site, grant = Site(monkeypatch), welcome()

    async def scene():
        for number in range(6):
            words = {TOKEN: f"made up {number}"} if made_up else {}
            await site.ask(1.0 + number / 10, CROWD, headers=words)
        await site.ask(3.0, CROWD, headers={TOKEN: grant.token})
        return await site.answers()

    played(scene())
    assert site.order[:2] == [1.0, 3.0]


def test_behind_our_proxy_networks_are_those_it_saw(monkeypatch):
    monkeypatch.setenv("DPVIZ_PROXIES", "127.0.0.1")
    site = Site(monkeypatch)

    async def scene():
        for number in range(4):  # what a client says of itself comes before what the proxy adds
            said = {"x-forwarded-for": f"198.51.100.{number}, {CROWD}"}
            await site.ask(1.0 + number / 10, "127.0.0.1", headers=said)
        await site.ask(3.0, "127.0.0.1", headers={"x-forwarded-for": READER})
        await site.answers()

    played(scene())
    assert site.order[:2] == [1.0, 3.0]


def test_where_too_many_wait_one_of_the_largest_crowd_is_asked_to_come_again(monkeypatch):
    site = Site(monkeypatch, most_waiting=3)

    async def scene():
        for number in range(4):
            await site.ask(1.0 + number / 10, CROWD)
        task = await site.ask(3.0, READER)
        while not any(other.done() for other in site.tasks):
            await asyncio.sleep(0.001)
        assert not task.done()
        return await site.answers()

    lines = played(scene())
    assert [line.get("busy", False) for line in lines] == [False, False, False, True, False]
    assert lines[3]["problem"] == figures.CROWDED
    assert not lines[3]["grave"]
    assert 1.3 not in site.order


def test_who_has_waited_too_long_is_asked_to_come_again(monkeypatch):
    site = Site(monkeypatch, longest_wait=10.0)

    async def scene():
        await site.ask(1.0, READER)
        await site.ask(2.0, READER)
        site.now[0] = 8.0
        await site.ask(3.0, READER)
        site.now[0] = 11.0
        return await site.answers()

    assert [line.get("busy", False) for line in played(scene())] == [False, True, False]
    assert site.order == [1.0, 3.0]


def test_a_script_waits_however_long_it_takes(monkeypatch):
    site = Site(monkeypatch, longest_wait=10.0)
    values = {p.key: p.default for p in sample.PAGE.url_parameters} | {"view": "curve"}
    scene_of_script = Scene.opened(sample.PAGE, values)
    found = []

    def script():
        computation = Computation(scene_of_script)
        found.extend(site.scheduler.results(computation, lambda: None, patient=True))

    async def scene():
        await site.ask(1.0, READER)
        thread = threading.Thread(target=script, daemon=True)
        thread.start()
        while len(site.scheduler) < 2:
            await asyncio.sleep(0.001)
        site.now[0] = 100.0
        await site.answers()
        await asyncio.to_thread(thread.join, 600)

    played(scene())
    assert found[-1].whole


def test_who_leaves_before_the_turn_is_never_computed(monkeypatch):
    site = Site(monkeypatch)

    async def scene():
        await site.ask(1.0, READER)
        leave = asyncio.Event()
        await site.ask(2.0, CROWD, leave=leave)
        leave.set()
        while len(site.scheduler) > 1:
            await asyncio.sleep(0.001)
        await asyncio.gather(site.tasks.pop(), return_exceptions=True)
        await site.answers()

    played(scene())
    assert site.order == [1.0]


def test_a_picture_whose_asker_leaves_is_neither_computed_nor_drawn(monkeypatch):
    site, leave = Site(monkeypatch), asyncio.Event()
    drawn = []
    monkeypatch.setattr(pictures.files, "contents", lambda *_, **__: drawn.append(1) or b"")

    async def scene():
        await site.ask(1.0, READER)
        await site.ask(2.0, CROWD, path="/picture/more/held.png", leave=leave)
        leave.set()
        while len(site.scheduler) > 1:
            await asyncio.sleep(0.001)
        await asyncio.gather(site.tasks.pop(), return_exceptions=True)
        await site.answers()

    played(scene())
    assert site.order == [1.0]
    assert not drawn
