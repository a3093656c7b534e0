"""When memory that nobody needs is given back."""

import asyncio

from dpviz.serve import memory
from tests.support.loops import run


def test_memory_is_given_back_when_much_more_is_held_than_was_left(monkeypatch):
    monkeypatch.setattr(memory, "_LOOK", 0.001)
    held, given, looked = [100.0], [], [0]

    def look():
        looked[0] += 1
        return held[0]

    def give():
        given.append(held[0])
        held[0] -= 50.0

    async def looks():
        seen = looked[0]
        while looked[0] < seen + 4:
            await asyncio.sleep(0.001)

    async def live():
        async with memory.tidy(look, give):
            await looks()
            held[0] += memory._MORE
            await looks()
            assert given == []
            held[0] += 1
            await looks()
            assert given == [101.0 + memory._MORE]
            held[0] += memory._MORE + 1  # what was left is what counts
            await looks()
            assert len(given) == 2
        seen = looked[0]
        await asyncio.sleep(0.01)
        assert looked[0] == seen

    run(live())


def test_giving_back_never_fails():
    memory.give_back()
