"""What somebody has had lately, and a door that lets in who has had least; clocks are told."""

import asyncio

import pytest

from dpviz.serve.clients import Client
from dpviz.serve.jobs import BusyError
from dpviz.serve.semaphore import FairSemaphore
from dpviz.serve.usage import Usage
from tests.support.loops import run

ONE, TWO = Client("net", "one"), Client("net", "two")
ELSEWHERE = Client("elsewhere", "one")


def test_a_reader_has_had_what_its_network_has_and_its_own():
    shares = Usage(lambda: 0.0)
    shares.charge(ONE, 2.0)
    shares.charge(TWO, 0.5)
    assert [shares.spent(who) for who in (ONE, TWO, ELSEWHERE)] == [4.5, 3.0, 0.0]


def test_what_is_longer_ago_counts_half():
    now = [0.0]
    shares = Usage(lambda: now[0])
    shares.charge(ONE, 2.0)
    now[0] = 3.0
    assert shares.spent(ONE) == pytest.approx(2.0)
    shares.charge(ONE, 1.0)
    now[0] = 6.0
    assert shares.spent(ONE) == pytest.approx(2.0)


def test_old_accounts_are_closed_however_many_networks_ask():
    now = [0.0]
    shares = Usage(lambda: now[0])
    for number in range(5000):
        now[0] += 1.0
        shares.charge(Client(f"net {number}"), 1.0)
    assert len(shares._accounts) < 1100


def test_the_door_lets_in_who_has_had_least_and_refuses_who_asks_for_most():
    now, order = [0.0], []

    async def scene():
        door, gate = FairSemaphore(1, 4, clock=lambda: now[0]), asyncio.Event()

        async def enter(name, client):
            try:
                async with door.passed(client):
                    order.append(name)
                    await gate.wait()
                    now[0] += 1.0
            except BusyError:
                order.append(f"{name} refused")

        tasks = []
        crowd = [(f"crowd {number}", Client("crowd")) for number in range(4)]
        for name, client in (*crowd, ("a reader", Client("elsewhere"))):
            tasks.append(asyncio.create_task(enter(name, client)))
            await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*tasks)
        async with door.passed(ONE):  # nobody is left inside
            pass

    run(asyncio.wait_for(scene(), 600))
    assert order == ["crowd 0", "crowd 3 refused", "a reader", "crowd 1", "crowd 2"]


def test_who_gives_up_outside_or_inside_leaves_the_door_open():
    async def scene():
        door = FairSemaphore(1, 8)

        async def stay():
            async with door.passed(ONE):
                await asyncio.Event().wait()

        tasks = [asyncio.create_task(stay()) for _ in range(4)]
        await asyncio.sleep(0)
        tasks[0].cancel()  # inside: the next is let in, and cancelled before it has noticed
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with door.passed(TWO):
            return door._inside.total()

    assert run(asyncio.wait_for(scene(), 600)) == 1
