"""What takes longer than a moment is done in threads of its own, at the account of who asks."""

import ast
import asyncio
import threading
import zlib
from ipaddress import ip_address
from types import SimpleNamespace

import pytest

from benchmarks.hostile.inputs import lecture
from dpviz.results.folders import ROOT
from dpviz.serve import links, pacing, packing, previews
from dpviz.serve.clients import CLIENT, Client, keyed_hash
from dpviz.serve.jobs import BusyError
from dpviz.serve.rooms import report, scenes, sheets, speaking
from dpviz.serve.rooms.asking import Phase, Question
from dpviz.serve.rooms.modes import Attacked
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.topics import Topics
from dpviz.serve.workers import Workers
from tests.serve.asgi import app, ask, asked
from tests.serve.rooms.test_routes import Site
from tests.support.loops import run

# Starlette's and asyncio's threads, which all share: files that never change, and what the server
# does for itself or lets one do at a time.
SHARED = {"scripts.py": "run_in_threadpool", "memory.py": "to_thread", "previews.py": "to_thread"}


@pytest.fixture
def threads(monkeypatch):
    """Where functions are called, by their names, and at whose account."""
    found = {}

    def watch(module, name):
        real = getattr(module, name)

        def called(*words, **more):
            found[name] = threading.current_thread().name.partition("_")[0], CLIENT.get()
            return real(*words, **more)

        monkeypatch.setattr(module, name, called)

    watch(previews, "unpack")
    watch(scenes, "unpack")
    watch(sheets, "qr_code")
    watch(speaking, "plan")
    watch(scenes, "slide")
    watch(pacing, "line")
    return found


def test_no_work_is_left_to_the_threads_that_files_wait_for():
    used = set()
    for file in (ROOT / "dpviz" / "serve").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = getattr(node, "attr", getattr(node, "id", ""))
            if name in ("run_in_threadpool", "to_thread"):
                used.add((file.name, name))
    assert used == set(SHARED.items())


def test_a_lecture_is_unpacked_beside_the_event_loop(threads):
    link = f"lecture={lecture('*a ' * 400)}&scene=2"
    assert ask("/lectures", link).status == 200
    assert threads["unpack"][0] == "links"


def test_figures_are_drawn_among_their_like_at_the_account_of_who_asks(threads, monkeypatch):
    """Forty windows that played a figure had others wait for theirs for four seconds."""
    packed = []
    monkeypatch.setattr(packing, "_LONG_TEXT", 10_000)
    pressed = zlib.compressobj
    monkeypatch.setattr(
        packing.zlib, "compressobj", lambda *words, **more: Press(pressed(*words, **more), packed)
    )
    path = "/figure/shared_darts/board"
    for query, kind, address in (("", "drawings", "10.0.0.7"), ("&frames=1", "plays", "10.0.0.8")):
        run(asked(app(), path, f"across=900{query}", {"accept-encoding": "gzip"}, client=address))
        name, client = threads["line"]
        assert (name, client.network_id) == (kind, keyed_hash(ip_address(address).packed))
    assert {name for name, size in packed if size > 10_000} == {"slow-drawings"}


class Press:
    """What packs, and in which thread it does."""

    def __init__(self, press, seen):
        self._press, self._seen = press, seen

    def compress(self, text):
        self._seen.append((threading.current_thread().name.partition("_")[0], len(text)))
        return self._press.compress(text)

    def flush(self, *words):
        return self._press.flush(*words)


def test_rooms_compute_beside_the_event_loop_at_the_account_of_who_leads(threads, monkeypatch):
    clients = []
    results = SCHEDULER.results

    def watched(computation, alive, client=None, **more):
        clients.append(client)
        return results(computation, alive, client, **more)

    monkeypatch.setattr(links.SCHEDULER, "results", watched)

    async def lesson():
        site = Site()
        lecturer = await site.open()
        room = f"/room/{site.code}"

        await site.get(f"{room}/qr.svg", lecturer)
        await site.get(f"{room}/plan", lecturer)
        await site.get("/room/notes/plan", query={"at": "/promise?lecture=first-steps&scene=1"})
        await site.do(
            lecturer, word="go", figure="/figure/promise/odds?epsilon=0.77", link="/promise"
        )
        await site.do(lecturer, word="predict")
        await site.do(lecturer, word="reveal")
        return site.rooms.store.rooms._rooms[site.code].network

    network_of = run(lesson())
    names = {"qr_code": "asides", "plan": "rooms", "slide": "rooms"}
    assert {name: threads[name][0] for name in names} == names
    assert {threads[name][1].network_id for name in names} == {network_of}
    assert {client.network_id for client in clients} == {network_of}


def test_a_loop_that_goes_on_beyond_its_end_keeps_no_thread_for_ever():
    """No future ends with a StopIteration: who waited for one waited for ever, and all others."""

    async def scene():
        workers = Workers("test", 1, most=6)
        with pytest.raises(RuntimeError):
            await workers.do(next, iter(()))
        assert await workers.do(len, "after") == 5

    run(asyncio.wait_for(scene(), 600))


def test_one_network_takes_some_of_the_threads_and_no_more():
    one, other = Client("one"), Client("other")

    async def scene():
        workers, free = Workers("test", 3, most=6, each=2), threading.Event()
        begun = []

        async def work(client, name):
            CLIENT.set(client)

            def wait():
                begun.append(name)
                free.wait(600)

            await workers.do(wait)

        many = [asyncio.create_task(work(one, f"one {n}")) for n in range(6)]
        await asyncio.sleep(0)
        mine = asyncio.create_task(work(other, "other"))
        while "other" not in begun:
            await asyncio.sleep(0.01)
        assert sorted(begun) == ["one 0", "one 1", "other"]
        free.set()
        await mine
        refused = [each for each in await asyncio.gather(*many, return_exceptions=True) if each]
        assert [type(each) for each in refused] == [BusyError]  # of who asked for most

    run(asyncio.wait_for(scene(), 600))


def test_a_report_has_one_time_for_all_its_figures(monkeypatch):
    seconds, clock = [], iter([0.0, 1.0, 2.5, 4.0])
    monkeypatch.setattr(report, "finest", lambda _, left: seconds.append(left))
    monkeypatch.setattr(report, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    asked = [Question(number, Attacked(1.0), phase=Phase.SHOWN) for number in (1, 2, 3)]
    report.report(asked, "/promise", "http://here", Topics())
    assert seconds == [2.0, 0.5, -1.0]


def test_an_address_is_asked_for_its_allowance_before_anything_is_computed(monkeypatch):
    async def lesson():
        site = Site()
        lecturer = await site.open()
        computed = []
        monkeypatch.setattr(speaking, "plan", lambda *_: computed.append(1) or {})
        query = {"at": "/promise?lecture=first-steps"}
        answers = [await site.get("/room/notes/plan", query=query) for _ in range(70)]
        statuses = [answer.status for answer in answers]
        assert statuses == [200] * len(computed) + [429] * (70 - len(computed))
        refused = {"word": "go", "figure": "/figure/promise/odds", "link": "/promise"}
        assert (await site.post(f"/room/{site.code}/do", refused, lecturer)).status == 429
        site.clock.now += 1
        assert (await site.get("/room/notes/plan", query=query)).status == 200
        return len(computed)

    assert 30 < run(lesson()) < 70
