"""Rooms in a real Valkey or Redis server: two replicas, one room, and one of them dies."""

import asyncio
import csv
import time
from contextlib import asynccontextmanager

import orjson
import pytest
from starlette.applications import Starlette

from dpviz.serve.figures import routes
from dpviz.serve.quotas import CLASS, GUESSES, PHONES, ROOMS_EACH
from dpviz.serve.rooms import shared
from dpviz.serve.rooms.routes import Classrooms
from dpviz.serve.rooms.tokens import network_of
from dpviz.serve.topics import Topics
from tests.serve.rooms.test_routes import SLOW, Clock, Listening, Site, cookie, events
from tests.serve.rooms.test_sketching import GO, HIGH, LOW
from tests.support.loops import run
from tests.support.valkey import server


@pytest.fixture(scope="module")
def url():
    with server() as address:
        yield address


class Replica(Site):
    """One of the processes that serve the rooms of one server, as far as a process matters."""

    def __init__(self, url):
        topics, self.clock = Topics(), Clock()
        self.rooms = Classrooms(topics, self.clock, shared=url)
        self.app = Starlette(routes=[*routes(topics), *self.rooms.routes()])
        self.code = ""

    async def room(self):
        return await self.rooms.store.find(self.code)

    async def come(self, phone):
        """Give a phone a place, which has listened for a while when it leaves again."""
        await super().come(phone)
        self.rooms.store.left(await self.room(), phone.partition("=")[2])
        await asyncio.gather(*self.rooms.store._following)


@asynccontextmanager
async def replicas(url, count=2):
    """Replicas of which the first has opened a room; its lecturer's cookie."""
    sites = [Replica(url) for _ in range(count)]
    lecturer = await sites[0].open()
    for site in sites:
        site.code = sites[0].code
    try:
        yield *sites, lecturer
    finally:
        with_room = sites[-1]
        await with_room.rooms.store.end(await with_room.room())
        for site in sites:
            await site.rooms.store.close()


async def until(condition):
    """Wait for a state that another replica was told of."""
    while not condition():
        await asyncio.sleep(0.01)


def test_all_replicas_serve_one_room(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            near, far = await one.join(), await other.join()
            listening = Listening(other, far)
            await one.do(lecturer, word="go", **SLOW)
            await other.do(lecturer, word="predict")
            assert (await one.answer(near, "31")).status == 200
            assert (await other.answer(far, "32")).status == 200
            assert (await one.answer(far, "33")).last["refused"].startswith("You have answered")
            assert (await one.answer(far, "32")).status == 200  # a confirmation that was lost
            for site in (one, other):
                room = await site.room()
                assert len(room.joined) == 2
                assert room.for_screen()["question"]["answered"] == 2
            await until(lambda: other.rooms.store._copies[other.code].question is not None)
            heard = events(await listening.heard())[-1][1]
            assert heard["question"]["question"].startswith("Of a hundred")
            await other.do(lecturer, word="show")
            assert (await one.room()).for_screen()["question"]["counts"] == [{"31": 1, "32": 1}]
            for counted in ([{"31": 1}], [{"31": 1, "32": 1}]):  # left out, and again not
                await one.do(lecturer, word="leave out", answer="32")
                assert (await other.room()).for_screen()["question"]["counts"] == counted
            assert (await one.answer(await one.join(), "40")).status == 409
            await one.do(lecturer, word="reveal")
            question = (await other.room()).for_screen()["question"]
            assert question["exactly"]
            assert question["truth"]
            table = await other.get(f"/room/{other.code}/counts", lecturer)
            rows = list(csv.DictReader(table.content.decode().splitlines()))
            assert [row["answer"] for row in rows] == ["31", "32"]
            assert {row["exact"] for row in rows} == {question["truth"]}
            assert {row["about"] for row in rows} == {"/figure/promise/odds"}

    run(lesson())


def test_a_dead_replica_takes_no_vote_with_it(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phones = [await one.join() for _ in range(8)]
            await one.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
            for phone, bit in zip(phones[:5], "10110", strict=True):
                assert (await one.answer(phone, bit)).status == 200
            await one.rooms.store.close()  # and nothing of its memory is used any more
            await other.room()
            back = events(await Listening(other, phones[0]).heard())
            assert back[0] == ("mine", {"said": ["1"], "dealt": None})
            for phone, bit in zip(phones[5:], "001", strict=True):
                assert (await other.answer(phone, bit)).status == 200
            question = (await other.room()).for_screen()["question"]
            assert question["answered"] == 8
            assert question["figure"][1]["bits"] == "10110001"  # in the order they came

    run(lesson())


def test_a_phone_counts_once_however_it_hurries(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phones = [await one.join() for _ in range(12)]
            await one.do(lecturer, word="ask", kind="shuffle", text="Do you?", epsilon="1")
            sent = [
                site.answer(phone, text)
                for phone in phones
                for site, text in ((one, "2"), (other, "2"), (one, "3"))
            ]
            assert {answer.status for answer in await asyncio.gather(*sent)} == {200}
            question = (await other.room()).question
            assert len(question.rounds[0]) == 12
            assert set(question.rounds[0].values()) == {""}
            assert 24 <= question.total <= 36

    run(lesson())


def test_a_phone_gives_its_place_back_everywhere_and_takes_it_again(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phone = await one.join()
            await one.do(lecturer, word="go", **SLOW)
            await one.do(lecturer, word="predict")
            assert (await one.answer(phone, "31")).status == 200
            for _ in range(2):
                assert (await other.post(f"/room/{other.code}/leave", b"", phone)).status == 200
                for site in (one, other):
                    assert not (await site.room()).joined
                    assert (await site.room()).for_screen()["question"]["answered"] == 1
            await one.come(phone)
            for site in (one, other):
                assert len((await site.room()).joined) == 1

    run(lesson())


def test_every_kind_of_question_is_the_same_everywhere(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phone = await one.join()
            await one.do(lecturer, word="go", **GO)
            await one.do(lecturer, word="sketch")
            await other.answer(phone, LOW)
            assert (await one.answer(phone, HIGH)).status == 200
            for word in ("show", "again"):
                await other.do(lecturer, word=word)
            assert (await one.answer(phone, LOW, given=2)).status == 200
            rooms = [await site.room() for site in (one, other)]
            assert [list(r.values()) for r in rooms[1].question.rounds] == [[HIGH], [LOW]]
            assert rooms[0].question.prompt == rooms[1].question.prompt
            await one.do(lecturer, word="ask", kind="worlds", epsilon="1")
            rooms = [await site.room() for site in (one, other)]
            hands = [orjson.dumps(room.for_phone(phone.partition("=")[2])) for room in rooms]
            assert hands[0] == hands[1]
            assert [q.prompt.kind for q in rooms[1].past] == ["sketch"]
            late = Replica(url)
            late.code = one.code
            room = await late.room()
            assert [list(r.values()) for r in room.past[0].rounds] == [[HIGH], [LOW]]
            await late.rooms.store.close()

    run(lesson())


def test_refusals_are_the_same_as_in_memory(url):
    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phone = await one.join()
            assert (await other.answer(phone, "31")).last["refused"] == "There is no such question."
            await one.do(lecturer, word="go", **SLOW)
            await one.do(lecturer, word="predict")
            assert (await other.answer("dpviz_phone=nobody", "31")).status == 403
            assert (await other.answer(phone, "x")).status == 400
            await one.do(lecturer, word="show")
            assert (await other.answer(phone, "31")).last["refused"] == "This question is closed."
            again = await other.post(f"/room/{one.code}", b"at=/promise")
            assert again.status == 409
            token = phone.partition("=")[2]
            await one.rooms.store.seen(await one.room(), token)
            key = f"dpviz:room:{one.code}:phones"
            server = one.rooms.store._server
            crowd = [f"phone {n}.{network_of(token)}.0.x" for n in range(PHONES)]
            await server.sadd(key, *crowd)
            late = cookie(await other.get(f"/room/{one.code}"))
            assert (await Listening(other, late).ended()).status == 503
            await server.srem(key, *crowd)
            await server.sadd(key, *(f"phone {n}.elsewhere.0.x" for n in range(PHONES)))
            await Listening(other, late).heard()  # one address shuts nobody out
            assert await server.ttl(key) > 3600

    run(lesson())


def test_in_a_full_room_whoever_is_silent_longest_makes_place_and_may_come_back(url, monkeypatch):
    """As in memory; one replica knows who listens to another."""
    monkeypatch.setattr(shared, "PHONES", 3)

    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            await one.do(lecturer, word="go", **SLOW)
            await one.do(lecturer, word="predict")
            listens, offline, later = [await one.join() for _ in range(3)]
            assert (await other.answer(offline, "31")).status == 200
            listening = Listening(other, listens)
            await until(lambda: other.rooms.store._copies[other.code].listening)
            honest = await other.join()
            joined = {phone.partition("=")[2] for phone in (listens, later, honest)}
            assert (await one.room()).joined.keys() == joined
            back = events(await Listening(one, offline).heard())
            assert back[0][1]["said"] == ["31"]
            assert (await other.answer(offline, "31")).status == 200
            assert (await other.answer(offline, "32")).status == 409
            room = await other.room()
            assert len(room.joined) == 3
            assert {phone.partition("=")[2] for phone in (listens, honest, offline)} == set(
                room.joined
            )
            assert room.for_screen()["question"]["answered"] == 1
            await listening.heard()

    run(lesson())


def test_of_too_many_answers_one_of_the_largest_crowd_makes_place(url, monkeypatch):
    monkeypatch.setattr(shared, "ANSWERS", 5)

    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            await one.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
            crowd = [await one.join() for _ in range(6)]
            for phone in crowd[:5]:
                assert (await one.answer(phone, "1")).status == 200
            assert (await one.answer(crowd[5], "1")).status == 503
            room = await other.room()
            token = room.fresh_token("elsewhere")
            await other.come(f"dpviz_phone={token}")
            assert (await other.answer(f"dpviz_phone={token}", "0")).status == 200
            question = (await one.room()).question
            assert list(question.rounds[0].values()) == ["1", "1", "1", "1", "0"]

    run(lesson())


def test_an_address_joins_guesses_and_is_turned_out_everywhere_alike(url, monkeypatch):
    for name in ("AFTER_IT", "GUESSING"):
        monkeypatch.setattr(shared, name, 0)  # the clock is that of the machine

    async def lesson():
        async with replicas(url) as (one, other, lecturer):
            phones = [await (one, other)[n % 2].join() for n in range(CLASS)]
            for site in (one, other):
                late = cookie(await site.get(f"/room/{one.code}"))
                assert (await Listening(site, late).ended()).status == 429
            assert not (await one.room()).word  # they stayed
            await one.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
            for phone in phones[:4]:
                assert (await other.answer(phone, "1")).status == 200
            (network,) = (await other.room()).for_screen()["networks"]
            assert (network["joined"], network["answered"]) == (CLASS, 4)
            await other.do(lecturer, word="word")
            await one.do(lecturer, word="clear", mark=network["mark"])
            for site in (one, other):
                room = await site.room()
                assert not room.joined
                assert room.for_screen()["question"]["answered"] == 0
                assert (await site.answer(phones[0], "1")).status == 403
                assert (await site.get(f"/room/{one.code}", phones[0])).status == 401
            word = (await other.room()).word
            again = [await other.join(query={"word": word}) for _ in range(3)]
            assert (await one.answer(again[0], "1")).status == 200
            for number in range(GUESSES):
                site = (one, other)[number % 2]
                assert (await site.get(f"/room/{site.rooms.store.fresh_code()}")).status == 404
            for site in (one, other):
                assert (await site.get(f"/room/{one.code}")).status == 429
                assert (await site.get(f"/room/{one.code}", again[0])).status == 200
            await one.rooms.store._server.delete(*await one.rooms.store._server.keys("*guesses*"))

    run(lesson())


def test_beside_a_script_of_its_own_address_a_class_comes_in_by_a_word(url, monkeypatch):
    """The replicas count together who left as soon as it had come."""
    monkeypatch.setattr(shared, "AFTER_IT", 0)  # the clock is that of the machine

    async def lesson():
        async with replicas(url) as (one, other, _):
            for number in range(CLASS):
                site = (one, other)[number % 2]
                script = cookie(await site.get(f"/room/{one.code}"))
                await Listening(site, script).heard()
                await asyncio.gather(*site.rooms.store._following)
            late = cookie(await one.get(f"/room/{one.code}"))
            refused = await asyncio.gather(*(Listening(one, late).ended() for _ in range(3)))
            assert {answer.status for answer in refused} <= {429, 403}
            states = [(await site.room()).for_screen() for site in (one, other)]
            (word,) = {state["word"] for state in states}
            assert [state["by_itself"] for state in states] == [True, True]
            assert len(word) == 8
            assert (await Listening(other, late).ended()).status == 403
            assert (await other.get(f"/room/{one.code}")).status == 401
            for number in range(CLASS):
                await (one, other)[number % 2].join(query={"word": word})
            assert len((await one.room()).joined) == 2 * CLASS

    run(lesson())


def test_a_room_that_was_left_gives_way(url, monkeypatch):
    monkeypatch.setattr(shared, "ROOMS_EACH", 2)

    async def lesson():
        async with replicas(url, 1) as (site, _):
            left, server = Replica(url), site.rooms.store._server
            await left.open()
            code = site.rooms.store.fresh_code()
            assert (await site.post(f"/room/{code}", b"at=/")).status == 503
            names = await server.keys("dpviz:rooms*")
            for name in names:
                await server.zadd(name, {left.code: time.time() - 1, site.code: time.time() - 2})
            await site.rooms.store.seen(await site.room())  # its screen is there
            await left.join()
            for name in names:
                await server.zadd(name, {left.code: time.time() - 1})
            assert (await site.post(f"/room/{code}", b"at=/")).status == 200
            assert (await site.get(f"/room/{left.code}")).status == 404
            assert await server.keys(f"dpviz:room:{left.code}*") == []
            assert (await site.room()).code == site.code
            await site.rooms.store.end(await site.rooms.store.find(code))
            await left.rooms.store.close()

    run(lesson())


def test_an_ended_room_is_gone_everywhere(url):
    async def lesson():
        async with replicas(url, 1) as (store, _):
            one, other = Replica(url), Replica(url)
            lecturer = await one.open()
            other.code = one.code
            phone = await other.join()
            await other.room()
            listening = Listening(other, phone)
            await until(lambda: other.rooms.store._copies[other.code].listening)
            await one.do(lecturer, word="end")
            assert events(await listening.ended())[-1] == ("over", {})
            assert (await one.get(f"/room/{one.code}")).status == 404
            left = [key async for key in store.rooms.store._server.scan_iter(f"*{one.code}*")]
            assert left == [f"dpviz:was:{one.code}"]  # which tells it from a wrong code
            for site in (one, other):
                await site.rooms.store.close()

    run(lesson())


def test_one_visitor_takes_so_many_rooms_and_no_more(url):
    async def lesson():
        async with replicas(url, 1) as (site, _):
            codes = [site.code]
            for _ in range(ROOMS_EACH - 1):
                await site.open()
                codes.append(site.code)
            refused = await site.post(f"/room/{site.rooms.store.fresh_code()}", b"at=/promise")
            assert refused.status == 503
            assert "from this network" in refused.last["refused"]
            for code in codes[1:]:
                await site.rooms.store.end(await site.rooms.store.find(code))
            site.code = codes[0]

    run(lesson())


def test_a_server_that_is_gone_is_asked_again():
    async def lesson():
        with server() as gone:
            site = Replica(gone)
            lecturer = await site.open()
            phone = await site.join()
            await site.do(lecturer, word="go", **SLOW)
            await site.do(lecturer, word="predict")
        answer = await site.answer(phone, "31")
        assert answer.status == 503
        assert b"refused" not in answer.content  # at which a phone would give up
        assert (await site.get(f"/room/{site.code}")).headers["retry-after"] == "1"
        await site.rooms.store.close()

    run(lesson())


def test_the_lecturer_is_told_how_long_answers_are_kept(url):
    async def lesson():
        site, memory = Replica(url), Site()
        assert b"restart of the server" not in (await site.get("/room")).content
        assert b"restart of the server" in (await memory.get("/room")).content
        await site.rooms.store.close()

    run(lesson())
