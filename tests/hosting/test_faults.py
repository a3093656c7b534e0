"""What goes wrong in a lecture hall: a replica dies, a line is slow or cut, a link is garbled."""

import asyncio
import contextlib
import os
import random
import select
import signal
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from websockets.exceptions import WebSocketException

from dpviz.scene.codec import Number, Seed, decode, encode
from tests.hosting.site import MISSING, hosted
from tests.hosting.tab import Tab, played
from tests.support.declarations import SLUGS, last, page
from tests.support.examples import only_in_ci, some
from tests.support.heavy import HEAVY
from tests.support.pace import Gate

# A state whose results take seconds of processor time.
LONG = {"view": "best", "show": "power", "delta": "1e-250", "objective": "quantile"}


def moved_link(slug, rng):
    """A link to a page with one slider somewhere else, as the address bar shows it."""
    declared = page(slug)
    values = {p.key: p.default for p in declared.url_parameters}
    sliders = [
        parameter
        for parameter in map(declared.parameter, declared.open_view(values).parameters)
        if isinstance(parameter, Number) and not isinstance(parameter, Seed)
    ]
    slider = rng.choice(sliders)
    values[slider.key] = slider.read(f"{rng.choice(slider.limit.grid):g}", slider.default)[0]
    return urlencode(encode(values, declared.url_parameters))


async def back(tab):
    """Do what a browser does that lost its server, until a figure stands."""
    while True:
        try:
            await tab.connect()
            assert (await tab.run()).figures
        except (OSError, WebSocketException, TimeoutError):
            await asyncio.sleep(0.2)
        else:
            return


async def play(tab, rng, moved):
    """Move sliders until the line breaks; return the last one, and the value it was moved to."""
    while True:
        key = rng.choice(sorted(tab.controls))
        text = rng.choice(tab.grid(key))
        try:
            assert not (await tab.release(key, text)).faults
        except (OSError, WebSocketException):
            return {key: text}
        moved.set()
        await asyncio.sleep(rng.random())


async def lose_and_regain(tab, player):
    """Be away, and back; the slider just moved is where it was, or is now."""
    move = await player
    values = tab.values
    await back(tab)
    assert tab.values in (values, values | move)


@only_in_ci
def test_a_dead_replica_costs_its_readers_no_parameter(site):
    async def lecture():
        rng = random.Random(1)
        async with contextlib.AsyncExitStack() as hall:
            tabs = []
            for number in range(6):
                slug = SLUGS[number % len(SLUGS)]
                opened = Tab.at(site.address, slug, moved_link(slug, rng))
                tabs.append(await hall.enter_async_context(opened))
            await asyncio.gather(*(tab.run() for tab in tabs))
            moved = [asyncio.Event() for _ in tabs]
            players = [
                asyncio.create_task(play(tab, rng, event))
                for tab, event in zip(tabs, moved, strict=True)
            ]
            await asyncio.gather(*(event.wait() for event in moved))
            cookie = tabs[0].cookie
            doomed = site.port(cookie)
            victims = {n for n, tab in enumerate(tabs) if site.port(tab.cookie) == doomed}
            site.kill(doomed)
            away = [lose_and_regain(tabs[number], players[number]) for number in victims]
            # On the other one, or, where that takes longer, on the same one started again.
            await asyncio.gather(*away)
            for number in set(range(len(tabs))) - victims:
                assert not players[number].done()
                players[number].cancel()
            # The replica is started again, and readers are sent to it again.
            async with Tab.at(site.address, cookie=cookie) as newcomer:
                while newcomer.cookie != cookie:
                    await asyncio.sleep(0.2)
                    await newcomer.close()
                    newcomer.cookie = cookie
                    await newcomer.connect()
                assert (await newcomer.run()).figures

    played(lecture())


@only_in_ci
def test_who_reads_slowly_delays_nobody(site):
    async def hall():
        async with (
            Tab.at(site.address, query="view=attackers") as quick,
            Tab.at(site.address, query="view=attackers", cookie=quick.cookie) as slow,
        ):
            await quick.run()
            await slow.run()
            port, grid = site.port(quick.cookie), quick.grid("epsilon")
            before = site.memory(port)
            slow.pause()
            for number in range(40):
                slow.set("epsilon", grid[number % len(grid)])
                await slow.ask()
                assert not (await quick.release("epsilon", grid[number % len(grid)])).faults
            assert site.memory(port) - before < 60
            await slow.vanish()

    played(hall())


def insist(asked):
    """Ask as a browser does: again, where the proxy found nobody in its time (test_keeping.py)."""
    while True:
        try:
            with urllib.request.urlopen(asked, timeout=600) as answer:
                return answer.read()
        except urllib.error.HTTPError as fault:
            if fault.code not in (502, 503, 504):
                raise


def test_a_replica_that_hangs_is_replaced_and_its_readers_go_on(site):
    port = site.ports[0]
    stopped = site.process(port)
    asked = urllib.request.Request(
        f"{site.address}/figure/home/attackers?epsilon=2.77", headers={"Cookie": site.cookie(port)}
    )
    ended = os.pidfd_open(stopped)
    os.kill(stopped, signal.SIGSTOP)
    try:
        assert b'"whole":true' in insist(asked)
        assert select.select([ended], [], [], 600)[0], "it still hangs"
    finally:
        os.close(ended)
        with contextlib.suppress(ProcessLookupError):
            os.kill(stopped, signal.SIGCONT)
    while True:
        with contextlib.suppress(OSError):
            assert site.numbers(port)["memory_mb"] > 0
            assert site.process(port) != stopped
            break
        time.sleep(0.1)


def test_replicas_tell_how_they_fare_and_nobody_but_those_who_run_them(site):
    async def tell():
        async with Tab.at(site.address, query="view=attackers&epsilon=2.9") as tab:
            port = site.port(tab.cookie)
            before = site.numbers(port)
            assert (await tab.run()).figures
            now = site.numbers(port)
            assert now["readers"] >= 1
            assert now["first_line"]["count"] > 0
            assert now["first_line"]["p50"] <= now["first_line"]["p95"]
            assert {type(now[name]) for name in ("wishes", "rooms")} == {int}
            assert now["rooms_reached"] is None
            assert now.keys() == before.keys()

    played(tell())
    for port in site.ports:
        assert site.numbers(port)
        listening = f":{port + len(site.ports):04X}"
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        places = {row[1] for row in rows if row[1].endswith(listening) and row[3] == "0A"}
        assert places == {f"0100007F{listening}"}  # 127.0.0.1
        environment = Path(f"/proc/{site.proxy()}/environ").read_bytes()
        assert f":{port + len(site.ports)}".encode() not in environment


def test_a_dead_proxy_is_started_again_and_costs_no_parameter(site):
    async def lecture():
        async with Tab.at(site.address, query="sigma=3&seed=5") as tab:
            await tab.run()
            before, first = tab.values, site.proxy()
            os.kill(first, signal.SIGKILL)
            await back(tab)
            assert tab.values == before
            assert site.proxy() != first

    played(lecture())


def test_who_sends_slowly_is_cut_off_and_delays_nobody(site):
    place = urlsplit(site.address)
    with contextlib.ExitStack() as lines:
        slow = [
            lines.enter_context(socket.create_connection((place.hostname, place.port)))
            for _ in range(200)
        ]
        for line in slow:
            line.sendall(b"GET / HTTP/1.1\r\nHost: dpviz\r\nX-Slow: ")

        async def others():
            async with Tab.at(site.address) as tab:
                assert (await tab.run()).figures

        played(others())
        for line in slow:
            line.settimeout(120)
            with contextlib.suppress(ConnectionError):
                assert b"200 OK" not in line.recv(100)


def test_a_computation_ends_with_its_session(site):
    async def leave():
        async with Tab.at(site.address, "bounded_noise", urlencode(LONG)) as tab:
            port = site.port(tab.cookie)
            await tab.ask()
            await asyncio.sleep(0.5)
            await tab.vanish()
        await site.idle(port)
        async with Tab.at(site.address) as tab:
            assert not (await tab.run()).faults

    played(leave())


def test_nothing_is_computed_for_those_who_ask_and_leave(tmp_path):
    """What they wish for is held as long as they stay; though a proxy stands between."""
    assert not MISSING, MISSING
    gate = Gate(tmp_path)
    query = HEAVY["few_users/votes"][0]

    async def crowd(site):
        [port], place, writers = site.ports, urlsplit(site.address), []
        for seed in range(24):
            path = f"/figure/few_users/votes?{urlencode(query | {'seed': seed})}"
            _, writer = await asyncio.open_connection(place.hostname, place.port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            writers.append(writer)
        while site.numbers(port)["wishes"] < len(writers):
            await asyncio.sleep(0.01)
        for writer in writers:
            writer.close()
        while site.numbers(port)["wishes"]:
            await asyncio.sleep(0.01)

    gate.hold()
    with hosted(1, surroundings=gate.surroundings) as site:
        played(crowd(site))


NOISE = ["%", "\0", "é", "−", "1e999", "nan", "<b>", "💥", " ", "'", "--"]


def garbled(slug, rng):
    """A link that went through a mail program, a mistyped digit, or an attacker."""
    query = {}
    for parameter in rng.choices(page(slug).url_parameters, k=3):
        text = parameter.write(parameter.default)
        place = rng.randrange(len(text) + 1)
        query[parameter.key] = text[:place] + rng.choice(NOISE) + text[place:]
    link = urlencode(query)
    if rng.random() < 0.3:
        place = rng.randrange(len(link) + 1)
        link = link[:place] + rng.choice(["%", "%ff", "&&", "=", "&=&", "#", "%00"]) + link[place:]
    return link


@only_in_ci
def test_garbled_links_open_pages_with_parameters_that_can_be_read(site):
    links = some(240) // len(SLUGS)

    async def follow(slug, number):
        rng = random.Random(f"{slug} {number}")
        parameters = page(slug).url_parameters
        for tabs in range(0, links, 10):
            async with Tab.at(site.address, slug) as tab:
                for _ in range(min(10, links - tabs)):
                    link = tab.query = garbled(slug, rng)
                    run = await tab.run()
                    assert not run.faults, (slug, link)
                    assert run.figures, (slug, link)
                    read, notes = decode({k: [v] for k, v in tab.values.items()}, parameters)
                    assert not notes
                    said = [p for p in parameters if p.key in tab.values]
                    assert encode(read, said) == tab.values

    async def all_of_them():
        await asyncio.gather(*(follow(slug, n) for n, slug in enumerate(SLUGS)))

    played(all_of_them())


def test_two_sessions_see_each_their_own(site):
    """In one replica, at the same time, on the same page: nothing of the other comes through."""
    declared = page("")
    view = declared.views[-1]  # what a reader hears of its figure is its exact second line

    async def read(tab, offset):
        grid = tab.grid("epsilon")
        for step in range(20):
            text = grid[(3 * step + offset) % len(grid)]
            run = await tab.release("epsilon", text)
            own = last(declared, view.key, epsilon=float(text))
            assert tab.values["epsilon"] == text
            assert view.detail(own) in run.texts

    async def both():
        async with (
            Tab.at(site.address, query="view=attackers&epsilon=1") as one,
            Tab.at(site.address, query="view=attackers&epsilon=2", cookie=one.cookie) as other,
        ):
            await asyncio.gather(one.run(), other.run())
            assert one.session != other.session
            assert site.port(one.cookie) == site.port(other.cookie)
            await asyncio.gather(read(one, 1), read(other, 2))

    played(both())


def test_what_is_let_go_of_while_another_page_opens_comes_too_late(site):
    async def leave():
        async with Tab.at(site.address, "propose_test_release", "users=40") as tab:
            assert not (await tab.run()).faults
            left = dict(tab.controls)
            for slug in ("", "few_users", "propose_test_release"):
                assert not (await tab.follow(slug)).faults
                held = tab.values
                for key in left.keys() & {"users", "epsilon", "outliers"}:
                    tab.controls[key] = left[key]
                    assert not (await tab.release(key, tab.grid(key)[1])).faults
                    assert slug == "propose_test_release" or tab.values == held
            assert tab.values["users"] == tab.grid("users")[1]

    played(leave())
