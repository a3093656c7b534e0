"""Rooms as browsers speak to them, without a server: pages, cookies, events, refusals."""

import asyncio
import csv
import itertools
import json
import re
from hashlib import sha256
from urllib.parse import quote, urlencode

import orjson
import pytest
from starlette.applications import Starlette

from dpviz.serve import pacing, scripts
from dpviz.serve.figures import routes
from dpviz.serve.lines import line
from dpviz.serve.quotas import CLASS, GUESSES, ROOMS_EACH
from dpviz.serve.rooms import proof, sheets, store, streams
from dpviz.serve.rooms.asking import LONGEST_ANSWER
from dpviz.serve.rooms.room import SILENCE
from dpviz.serve.rooms.routes import Classrooms
from dpviz.serve.rooms.senders import LARGEST
from dpviz.serve.topics import Topics
from dpviz.serve.version import version
from tests.serve.asgi import Answer, asked
from tests.support.loops import run

ODDS = "/figure/promise/odds?mechanism=laplace&queries=1&epsilon=2&theme=dark&v=x"
SLOW = {"figure": ODDS, "heading": "What now?", "link": "/promise?view=odds&epsilon=2"}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Site:
    """The routes of rooms and figures, and a room in them."""

    def __init__(self):
        topics, self.clock = Topics(), Clock()
        self.rooms = Classrooms(topics, self.clock)
        self.app = Starlette(routes=[*routes(topics), *scripts.routes(), *self.rooms.routes()])
        self.code = ""

    async def get(self, path, cookie="", **more):
        return await asked(self.app, path, more.pop("query", ""), headers(cookie, **more))

    async def post(self, path, data, cookie="", **more):
        body = data if isinstance(data, bytes) else orjson.dumps(data)
        return await asked(self.app, path, "", headers(cookie, **more), body=body)

    async def open(self, link="/promise"):
        self.clock.now += 10
        page = await self.get("/room", query={"at": link})
        self.code = re.search(rb'action="[./]*room/(\w+)"', page.content)[1].decode()
        form = urlencode({"at": link}).encode()
        answer = await self.post(f"/room/{self.code}", form, origin="http://here")
        assert answer.status == 200
        return cookie(answer)

    async def join(self, **more):
        """A new phone, which has a place; its cookie."""
        phone = cookie(await self.get(f"/room/{self.code}", **more))
        await self.come(phone)
        return phone

    async def come(self, phone):
        """Give a phone a place, as when it begins to listen."""
        store = self.rooms.store
        await store.join(await store.find(self.code), phone.partition("=")[2])

    async def look(self, phone, query=""):
        """The head of the stream that a phone would get."""
        path = f"/room/{self.code}/events"
        return await asked(self.app, path, query, headers(phone), method="HEAD")

    async def do(self, lecturer, **data):
        self.clock.now += 1
        answer = await self.post(f"/room/{self.code}/do", data, lecturer)
        assert answer.status == 200, answer.content

    async def answer(self, phone, text, question=1, given=1):
        data = {"question": question, "round": given, "answer": text}
        return await self.post(f"/room/{self.code}/answer", data, phone)


def headers(cookie, **more):
    return {"host": "here", "cookie": cookie} | {k.replace("_", "-"): v for k, v in more.items()}


def cookie(answer):
    return answer.headers["set-cookie"].split(";")[0]


def events(answer):
    """What a stream told, by the name of the event, in order."""
    found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", answer.content.decode())
    return [(name, json.loads(data)) for name, data in found]


def room_of(site):
    """The room as this process has it."""
    store = site.rooms.store
    return store._copies[site.code] if store.durable else store.rooms.find(site.code)


class Listening:
    """A stream that is read as it comes, until it is left."""

    def __init__(self, site, cookie, screen=False, query=""):
        self._leave, self._room = asyncio.Event(), room_of(site)
        self._answer = Answer()
        path, query = f"/room/{site.code}/events", "screen" if screen else query
        given = {"leave": self._leave, "into": self._answer}
        self._task = asyncio.create_task(asked(site.app, path, query, headers(cookie), **given))

    async def ended(self):
        """Return what was heard until the stream ended by itself."""
        return await self._task

    async def heard(self):
        """Go away when the newest was heard, or all ended, and return what was heard."""
        while not self._task.done():
            rooms = [data for name, data in events(self._answer) if name == "room"]
            if rooms and rooms[-1]["version"] == self._room.version:
                break
            await asyncio.sleep(0.01)
        self._leave.set()
        return await self._task


def test_a_room_is_opened_joined_and_led():
    async def lesson():
        site = Site()
        lecturer = await site.open("/promise?view=odds")
        phone = await site.join()
        screen = await site.get(f"/room/{site.code}/screen", lecturer)
        assert screen.status == 200
        await site.do(lecturer, word="go", **SLOW)
        heard = events(await Listening(site, phone).heard())
        mine, room = dict(heard)["mine"], dict(heard)["room"]
        assert mine == {}
        assert room["scene"]["figure"] == "/figure/promise/odds"
        assert room["scene"]["query"]["epsilon"] == "2"
        assert "theme" not in room["scene"]["query"]
        assert room["scene"]["heading"] == "What now?"
        assert "epsilon" in {control["key"] for control in room["scene"]["controls"]}
        own = dict(events(await Listening(site, lecturer, screen=True).heard()))["room"]
        assert (own["joined"], own["link"]) == (1, SLOW["link"])

    run(lesson())


def test_who_only_looks_at_the_head_of_a_page_does_not_join():
    async def lesson():
        site = Site()
        await site.open()
        answer = await asked(site.app, f"/room/{site.code}", "", headers(""), method="HEAD")
        assert answer.status == 200
        assert "set-cookie" not in answer.headers
        assert not room_of(site).joined
        phone = cookie(await site.get(f"/room/{site.code}"))
        assert not room_of(site).joined  # a page alone takes no place, and casts no vote
        assert (await site.look(phone)).status == 200
        assert not room_of(site).joined
        await Listening(site, phone).heard()
        assert len(room_of(site).joined) == 1

    run(lesson())


def test_who_only_looks_at_the_head_of_a_stream_opens_none():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone = await site.join()
        path = f"/room/{site.code}/events"
        for who, query in ((phone, ""), (lecturer, "screen")):
            answer = await asked(site.app, path, query, headers(who), method="HEAD")
            assert (answer.status, answer.content) == (200, b"")
            assert answer.headers["content-type"].startswith("text/event-stream")
        stranger = await asked(site.app, path, "", headers(""), method="HEAD")
        assert stranger.status == 403

    run(lesson())


def test_a_stream_is_a_sign_of_its_phone_as_long_as_it_is_open():
    async def lesson():
        site = Site()
        await site.open()
        phone, room = await site.join(), room_of(site)
        listening = Listening(site, phone)
        while not room.listening:
            await asyncio.sleep(0.01)
        assert list(room.listening) == [phone.partition("=")[2]]
        await listening.heard()
        assert not room.listening

    run(lesson())


def test_the_secret_stands_in_a_cookie_and_in_the_lecturers_page_and_in_no_link():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        secret = lecturer.partition("=")[2]
        page = await site.get(f"/room/{site.code}/screen", lecturer)
        assert page.content.count(secret.encode()) == 1
        assert f'data-secret="{secret}"'.encode() in page.content
        assert page.headers["cache-control"] == "no-store"
        for stranger in ("", await site.join()):
            for path in ("", "/screen"):
                other = await site.get(f"/room/{site.code}{path}", stranger)
                assert secret.encode() not in other.content
        form = urlencode({"at": "/"}).encode()
        plain = await site.post(f"/room/{site.rooms.store.rooms.fresh_code()}", form)
        given = plain.headers["set-cookie"]
        assert "HttpOnly" in given
        assert "SameSite=lax" in given
        assert "Secure" not in given
        code = site.rooms.store.rooms.fresh_code()
        secure = await site.post(f"/room/{code}", form, x_forwarded_proto="https")
        assert f"Path=/room/{code}" in secure.headers["set-cookie"]
        assert "Secure" in secure.headers["set-cookie"]

    run(lesson())


def page_of(answer, name):
    """What a page has in an attribute of its body."""
    return re.search(rf'data-{name}="([^"]*)"'.encode(), answer.content)[1].decode()


def test_a_room_works_without_a_cookie_as_within_a_page_of_another_site():
    async def lesson():
        site = Site()
        page = await site.get("/room")
        site.code = re.search(rb'action="[./]*room/(\w+)"', page.content)[1].decode()
        screen = await site.post(f"/room/{site.code}", b"at=/promise")
        secret, read = page_of(screen, "secret"), page_of(screen, "read")
        phone = page_of(await site.get(f"/room/{site.code}"), "phone")
        assert (await site.look("")).status == 403
        assert (await site.look("", {"phone": phone})).status == 200
        data = {"word": "ask", "kind": "survey", "text": "Do you?", "epsilon": "1"}
        for head, status in (
            ({}, 403),
            ({"x_dpviz_lead": read}, 403),
            ({"x_dpviz_lead": secret}, 200),
        ):
            assert (await site.post(f"/room/{site.code}/do", data, **head)).status == status
        vote = {"question": 1, "round": 1, "answer": "1"}
        path = f"/room/{site.code}/answer"
        assert (await site.post(path, vote)).status == 403
        assert (await site.post(path, vote, x_dpviz_phone=phone)).status == 429  # its page goes on
        await site.come(f"dpviz_phone={phone}")
        assert (await site.post(path, vote, x_dpviz_phone=phone)).status == 200
        assert room_of(site).for_screen()["question"]["answered"] == 1
        for part in ("counts", "qr.svg"):
            assert (await site.get(f"/room/{site.code}/{part}")).status == 403
            assert (await site.get(f"/room/{site.code}/{part}", query={"read": read})).status == 200
        assert (await site.look("", {"screen": "", "read": read})).status == 200
        again = f"/room/{site.code}/screen"  # a reload
        assert (await site.post(again, urlencode({"secret": read}).encode())).status == 403
        assert (
            page_of(await site.post(again, urlencode({"secret": secret}).encode()), "read") == read
        )
        same = await site.get(f"/room/{site.code}", query={"phone": phone})
        assert page_of(same, "phone") == phone

    run(lesson())


def test_the_cookies_of_a_frame_are_kept_for_the_site_around_it():
    async def lesson():
        site = Site()
        await site.open()
        path = f"/room/{site.code}"
        for kind, apart in (("document", False), ("iframe", True)):
            given = (await site.get(path, sec_fetch_dest=kind)).headers["set-cookie"]
            assert given.startswith("dpviz_phone=")
            kept = "; HttpOnly; SameSite=None; Secure; Partitioned"
            assert given.endswith(f"; Path={path}{kept}") == apart
            assert ("Partitioned" in given) == apart

    run(lesson())


def test_a_phone_that_keeps_nothing_gives_its_place_back_and_no_answer():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        path = f"/room/{site.code}/leave"
        phone, other = await site.join(), await site.join()
        named = Listening(site, "", query=urlencode({"phone": phone.partition("=")[2]}))
        for stream, told in ((Listening(site, phone), {}), (named, {"kept": False})):
            assert events(await stream.heard())[0] == ("mine", told)
        await site.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
        assert (await site.answer(phone, "1")).status == 200
        assert (await site.post(path, b"")).status == 403  # a stranger
        assert (await site.post(path, b"", phone, origin="http://there")).status == 403
        assert len(room_of(site).joined) == 2
        for _ in range(2):  # once more than it has a place
            assert (await site.post(path, b"", phone)).status == 200
            assert list(room_of(site).joined) == [other.partition("=")[2]]
        assert room_of(site).for_screen()["question"]["answered"] == 1
        await site.do(lecturer, word="shut")
        assert (await site.post(path, b"", other)).status == 200
        assert len(room_of(site).joined) == 1  # nobody would get the place back

    run(lesson())


def test_a_page_that_its_browser_posts_again_is_led_on():
    """WebKit loads a page again by what it came by, at the address that it has now."""

    async def lesson():
        site = Site()
        lecturer = await site.open()
        opened = urlencode({"at": "/promise"}).encode()
        for page in ("screen", "speaker"):
            path = f"/room/{site.code}/{page}"
            for known, there, status in (
                (lecturer, "http://here", 200),
                ("", "http://here", 403),
                (lecturer, "http://there", 403),
            ):
                answer = await site.post(path, opened, known, origin=there)
                assert answer.status == status
                again = b"again.js" in answer.content  # by what the script has kept
                assert again == (not known)

    run(lesson())


class Visitor:
    """Somebody at an address."""

    def __init__(self, site, address):
        self.site, self.address = site, address

    async def page(self, **query):
        """The phone's page; its cookie, and the status."""
        path = f"/room/{self.site.code}"
        answer = await asked(self.site.app, path, query, headers(""), client=self.address)
        return (cookie(answer) if answer.status == 200 else ""), answer.status

    async def listen(self, phone):
        """Begin to listen, and leave again; the status."""
        leave, answer, path = asyncio.Event(), Answer(), f"/room/{self.site.code}/events"
        task = asyncio.create_task(
            asked(
                self.site.app,
                path,
                headers=headers(phone),
                client=self.address,
                leave=leave,
                into=answer,
            )
        )
        while not answer.pieces and not task.done():
            await asyncio.sleep(0)
        leave.set()
        await task
        return answer.status

    async def come(self, **query):
        """Join and listen for a moment; the status."""
        phone, status = await self.page(**query)
        return await self.listen(phone) if status == 200 else status


def test_who_does_not_listen_takes_no_place_and_casts_no_vote():
    """A script of the class's own address, as many and as fast as it likes."""

    async def lesson():
        site = Site()
        lecturer = await site.open()
        await site.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
        script, phone = (Visitor(site, "1.2.3.4") for _ in range(2))
        for _ in range(8 * CLASS):
            token, status = await script.page()
            assert (status, (await site.answer(token, "1")).status) == (200, 429)
        assert not room_of(site).joined
        assert room_of(site).for_screen()["question"]["answered"] == 0
        for _ in range(CLASS):
            token, _ = await phone.page()
            await site.come(token)
            assert (await site.answer(token, "0")).status == 200
        assert room_of(site).for_screen()["question"]["answered"] == CLASS

    run(lesson())


def test_a_script_joins_no_faster_than_a_class_and_nobody_else_waits():
    async def lesson():
        site = Site()
        await site.open()
        script, other = Visitor(site, "1.2.3.4"), Visitor(site, "5.6.7.8")
        tokens = [(await script.page())[0] for _ in range(CLASS)]
        for token in tokens:
            await site.come(token)  # and stays
        refused = await asked(
            site.app, f"/room/{site.code}/events", "", headers((await script.page())[0])
        )
        assert (refused.status, refused.last["ended"]) == (429, False)
        assert [await other.come() for _ in range(CLASS)] == [200] * CLASS
        site.clock.now += 1
        assert [await script.come() for _ in range(6)] == [200] * 5 + [429]
        assert not room_of(site).word  # a class that stays is asked for none

    run(lesson())


def test_beside_a_script_of_its_own_address_a_class_comes_in_by_a_word():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        script, phone = Visitor(site, "1.2.3.4"), Visitor(site, "1.2.3.4")
        stays = await site.join()
        hoard = [(await script.page())[0] for _ in range(3)]
        for _ in range(CLASS):
            assert await script.come() == 200
        assert await script.come() == 429
        state = room_of(site).for_screen()
        word = state["word"]
        assert (len(word), state["by_itself"]) == (8, True)
        for token in hoard:  # of a time when the door was open
            assert await script.listen(token) == 403
        for _ in range(CLASS):
            assert await script.come() == 401
            assert await phone.come(word=word) == 200
        assert (await site.answer(stays, "1")).last["refused"] == "There is no such question."
        drawn = await site.get(f"/room/{site.code}/qr.svg", lecturer)
        address = f"http://here/room/{site.code}?k={room_of(site).key}&word={word}"
        assert drawn.content == sheets.qr_code(address)  # who points a camera there types nothing
        assert await phone.come(word=word) == 429
        assert room_of(site).word != word  # it was told, and those did not stay either
        await site.do(lecturer, word="no word")
        assert not room_of(site).for_screen()["by_itself"]

    run(lesson())


def test_a_word_comes_by_itself_once_however_many_are_refused_at_a_time():
    async def lesson():
        site = Site()
        await site.open()
        room = room_of(site)
        era = room.era
        room.ask_by_itself(era)
        word = room.word
        room.ask_by_itself(era)
        assert room.word == word

    run(lesson())


def test_the_lecturer_clears_an_address_closes_the_door_and_asks_for_a_word():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        await site.do(lecturer, word="ask", kind="survey", text="Do you?", epsilon="1")
        phones = [await site.join() for _ in range(3)]
        for phone in phones:
            assert (await site.answer(phone, "1")).status == 200
        (network,) = room_of(site).for_screen()["networks"]
        listening = Listening(site, phones[0])
        while not room_of(site).listening:
            await asyncio.sleep(0.01)
        await site.do(lecturer, word="clear", mark=network["mark"])
        await listening.ended()  # it asks again, is told that it is a stranger, and loads its page
        assert (await site.answer(phones[0], "1")).status == 403
        assert room_of(site).for_screen()["question"]["answered"] == 0
        await site.do(lecturer, word="word")
        word = room_of(site).word
        outside = await site.get(f"/room/{site.code}", phones[0])
        assert outside.status == 401
        assert word.encode() not in outside.content
        assert (await site.get(f"/room/{site.code}", query={"word": "bcdfgh"})).status == 401
        phone = await site.join(query={"word": word})
        assert (await site.answer(phone, "0")).status == 200
        await site.do(lecturer, word="shut")
        assert (await site.get(f"/room/{site.code}", query={"word": word})).status == 403
        assert (await site.get(f"/room/{site.code}", phone)).status == 200
        bad = {"word": "clear", "mark": 3}
        assert (await site.post(f"/room/{site.code}/do", bad, lecturer)).status == 400

    run(lesson())


def test_who_guesses_codes_learns_nothing_more():
    """Neither by a page nor by any other address, nor by the head alone."""

    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone, key = await site.join(), room_of(site).key

        async def guess(code, part="", method="HEAD", **given):
            path = f"/room/{code}{part}"
            return (await asked(site.app, path, headers=headers(""), method=method, **given)).status

        parts = ("", "/events", "/screen", "/qr.svg", "/counts")
        for number in range(GUESSES):
            code = site.rooms.store.fresh_code()
            assert await guess(code, parts[number % len(parts)]) == 404
        for code in (site.code, site.rooms.store.fresh_code()):
            for part in parts:
                assert await guess(code, part) == 429
                assert await guess(code, part, "GET") == 429
            assert await guess(code, "/answer", "POST", body=b"{}") == 429
        assert await guess(site.code, client="5.6.7.8") == 200  # nobody else waits
        assert (await site.get(f"/room/{site.code}", phone)).status == 200
        assert (await site.get(f"/room/{site.code}", query={"k": key})).status == 200
        assert (await site.get(f"/room/{site.code}/screen", lecturer)).status == 200
        await site.do(lecturer, word="end")
        assert (await site.get(f"/room/{site.code}")).status == 404  # its class goes home

    run(lesson())


def test_where_many_rooms_are_taken_opening_one_asks_for_work(monkeypatch):
    monkeypatch.setattr(proof, "_FROM", 0.0)

    async def lesson():
        site = Site()
        page = await site.get("/room")
        code = re.search(rb'action="[./]*room/(\w+)"', page.content)[1].decode()
        task = page_of(page, "task")
        for work in ("", task, f"{task}.x", f"1.0.{task.rpartition('.')[2]}.1"):
            refused = await site.post(f"/room/{code}", urlencode({"work": work}).encode())
            assert refused.status == 403
            assert page_of(refused, "task")
        bits = int(task.split(".")[1])
        tries = (f"{task}.{number}" for number in itertools.count())
        work = next(
            t for t in tries if int(sha256(t.encode()).hexdigest(), 16) >> (256 - bits) == 0
        )
        other = await site.post(
            f"/room/{site.rooms.store.fresh_code()}", urlencode({"work": work}).encode()
        )
        assert other.status == 403  # it was done for one code
        form = urlencode({"work": work, "at": "/promise"}).encode()
        assert (await site.post(f"/room/{code}", form)).status == 200

    run(lesson())


def test_nobody_else_leads():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone = await site.join()
        for stranger in ("", phone, "dpviz_room=guess"):
            for path in ("screen", "events?screen", "counts"):
                name, _, query = path.partition("?")
                answer = await site.get(f"/room/{site.code}/{name}", stranger, query=query)
                assert answer.status == 403
            data = {"word": "end"}
            assert (await site.post(f"/room/{site.code}/do", data, stranger)).status == 403
        other = Site()
        other.rooms, other.app = site.rooms, site.app
        assert (await site.get(f"/room/{site.code}/screen", await other.open())).status == 403
        elsewhere = await site.post(
            f"/room/{site.code}/do", {"word": "end"}, lecturer, origin="https://evil.example"
        )
        assert elsewhere.status == 403
        assert (await site.get(f"/room/{site.code}/screen", lecturer)).status == 200

    run(lesson())


def test_a_sealed_prediction_from_the_question_to_the_answer():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phones = [await site.join() for _ in range(3)]
        asking = ODDS.replace("laplace", "gaussian") + "&ask=1"
        await site.do(lecturer, word="go", **SLOW | {"figure": asking})
        for phone, text in zip(phones, ("31", "32", "33"), strict=True):
            assert (await site.answer(phone, text)).status == 200
        sealed = [
            await Listening(site, phones[0]).heard(),
            await Listening(site, lecturer, screen=True).heard(),
        ]
        room = dict(events(sealed[1]))["room"]
        assert room["question"]["answered"] == 3
        grid = orjson.dumps(room["question"]["guess"]["grid"])
        of_others = [b'"32"', b'"33"']
        for stream in sealed:
            assert not [text for text in of_others if text in stream.content.replace(grid, b"")]
            assert b"exactly" not in stream.content
        figure = dict(events(sealed[0]))["room"]["scene"]
        assert figure["ask"] is True
        drawn = await site.get(figure["figure"], query=figure["query"] | {"ask": "1"})
        assert drawn.last["takeaway"].startswith("Of a hundred")
        await site.do(lecturer, word="show")
        shown = dict(events(await Listening(site, lecturer, screen=True).heard()))["room"]
        assert shown["question"]["counts"] == [{"31": 1, "32": 1, "33": 1}]
        assert "exactly" not in shown["question"]
        await site.do(lecturer, word="reveal")
        room = dict(events(await Listening(site, lecturer, screen=True).heard()))["room"]
        exactly = room["question"]["exactly"]
        whole = await site.get(figure["figure"], query=figure["query"] | {"guess": "31"})
        said = f"You predicted <strong>31</strong>; the answer is <strong>{exactly}</strong>."
        assert whole.last["takeaway"].startswith(said)
        table = (await site.get(f"/room/{site.code}/counts", lecturer)).content.decode()
        [row, *_] = csv.DictReader(table.splitlines())
        assert row["asked"].startswith("Of a hundred people")
        assert (row["question"], row["kind"], row["about"]) == ("1", "prediction", figure["figure"])
        assert f"{float(row['exact']):.3g}" in exactly
        assert dict(pair.split("=") for pair in row["parameters"].split()) == figure["query"]
        assert (row["round"], row["answer"], row["phones"]) == ("1", "31", "1")

    run(lesson())


def test_who_comes_late_or_again_is_where_the_class_is():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        early = await site.join()
        first = Listening(site, early)
        await site.do(lecturer, word="go", **SLOW)
        await asyncio.sleep(2 * streams._PAUSE)
        await site.do(lecturer, word="go", **SLOW | {"figure": ODDS.replace("=2", "=3")})
        early_heard = events(await first.heard())
        late_heard = events(await Listening(site, await site.join()).heard())
        assert early_heard[-1] == late_heard[-1]
        assert late_heard[-1][1]["scene"]["query"]["epsilon"] == "3"
        assert events(await Listening(site, early).heard())[-1] == early_heard[-1]

    run(lesson())


def test_a_room_that_ends_tells_everybody():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone = await site.join()
        listening = Listening(site, phone)
        await asyncio.sleep(0)
        await site.do(lecturer, word="end")
        assert events(await listening.ended())[-1] == ("over", {})
        gone = await site.get(f"/room/{site.code}/events", phone)
        assert (gone.status, gone.last["ended"]) == (404, True)
        page = await site.get(f"/room/{site.code}")
        assert (page.status, b"This room has ended" in page.content) == (404, True)

    run(lesson())


def test_silence_ends_a_room():
    async def lesson():
        site = Site()
        await site.open()
        site.clock.now += SILENCE + 1
        assert (await site.get(f"/room/{site.code}")).status == 404

    run(lesson())


def test_silence_ends_a_room_though_nobody_asks_for_any(monkeypatch):
    monkeypatch.setattr(store, "_MINUTE", 0)

    async def lesson():
        site = Site()
        await site.open()
        store = site.rooms.store
        store.begin()
        for silence, rooms in ((SILENCE - 1, 1), (2, 0)):
            site.clock.now += silence
            for _ in range(5):
                await asyncio.sleep(0)
            assert len(store) == rooms
        await store.close()

    run(lesson())


def test_streams_end_with_the_server():
    async def lesson():
        site = Site()
        await site.open()
        async with streams.ending(site.rooms.hub):
            path = f"/room/{site.code}/events"
            stream = asyncio.create_task(asked(site.app, path, "", headers(await site.join())))
            await asyncio.sleep(0.1)
            site.rooms.hub.close()
            answer = await asyncio.wait_for(stream, 60)
        assert "over" not in dict(events(answer))

    run(lesson())


GARBAGE = [
    b"",
    b"x",
    b"[]",
    b"\xff",
    b"[" * 5000,
    {"question": 1},
    {"question": "1", "round": 1, "answer": "5"},
    {"question": 1, "round": 1, "answer": 5},
    {"question": 1, "round": 1, "answer": "5" * (LONGEST_ANSWER + 1)},
]


@pytest.mark.parametrize("data", GARBAGE, ids=str)
def test_garbage_is_refused_in_plain_words(data):
    async def lesson():
        site = Site()
        lecturer = await site.open()
        phone = await site.join()
        answer = await site.post(f"/room/{site.code}/answer", data, phone)
        assert answer.status == 400
        assert answer.last["refused"].endswith(".")
        if isinstance(data, bytes):
            assert (await site.post(f"/room/{site.code}/do", data, lecturer)).status == 400

    run(lesson())


def test_what_is_too_large_is_not_read():
    async def lesson():
        site = Site()
        await site.open()
        phone = await site.join()
        answer = await site.post(f"/room/{site.code}/answer", b" " * (LARGEST + 1), phone)
        assert answer.status == 413

    run(lesson())


@pytest.mark.parametrize(
    "figure",
    [None, 3, "", "//evil.example/figure/promise/odds", "https://evil.example", "/figure/x/y",
     "/figure/promise/none", "/promise", "/figure/promise/odds\n", "/figure/" + "a" * 9000,
     "/figure/promise/odds?" + "a=1&" * 300, "/figure/glossary/x"],
    ids=str,
)  # fmt: skip
def test_only_figures_of_the_app_are_followed(figure):
    async def lesson():
        site = Site()
        lecturer = await site.open()
        data = {"word": "go", "figure": figure}
        answer = await site.post(f"/room/{site.code}/do", data, lecturer)
        assert answer.status in (400, 404)
        assert "scene" not in site.rooms.store.rooms.find(site.code).for_phones()

    run(lesson())


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        ("/promise?epsilon=2", "/promise?epsilon=2"),
        ("/", "/"),
        ("//evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/figure/promise/odds", "/"),
        ("/\\evil.example", "/"),
        ("/room", "/"),
    ],
)
def test_a_room_begins_at_a_page_of_the_app(at, kept):
    async def lesson():
        site = Site()
        await site.open(at)
        assert site.rooms.store.rooms.find(site.code).link == kept

    run(lesson())


def test_a_visitor_is_the_network_that_the_proxy_saw():
    async def lesson():
        site = Site()

        async def opened(**head):
            code = site.rooms.store.fresh_code()
            site.clock.now += 10
            return (await site.post(f"/room/{code}", b"at=/", **head)).status

        def marks():
            return {room.network for room in site.rooms.store.rooms._rooms.values()}

        assert await opened() == 200
        for _ in range(ROOMS_EACH - 1):
            await opened()
        assert await opened() == 503
        assert len(marks()) == 1
        assert "testclient" not in str(marks())

    run(lesson())


def test_a_lecturers_words_are_text():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        await site.do(lecturer, word="go", **SLOW | {"heading": "<img src=x> a\nb"})
        room = dict(events(await Listening(site, await site.join()).heard()))["room"]
        assert room["scene"]["heading"] == "<img src=x> a b"
        page = await site.get("/room", query={"at": '/promise?x="><script>'})
        assert b"<script>" not in page.content

    run(lesson())


def test_the_qr_code_leads_phones_to_the_room():
    async def lesson():
        site = Site()
        lecturer = await site.open()
        path = f"/room/{site.code}/qr.svg"
        assert (await site.get(path)).status == 403  # else who has a code had all of the address
        drawn = await site.get(path, lecturer, x_forwarded_proto="https")
        assert drawn.headers["content-type"] == "image/svg+xml"
        address = f"/room/{site.code}?k={room_of(site).key}"
        assert drawn.content == sheets.qr_code(f"https://here{address}")
        too_long = await asked(site.app, path, "", headers(lecturer) | {"host": "h" * 3500})
        assert too_long.status == 400
        typed = await site.get("/room", query={"code": sheets.spoken(site.code)})
        assert typed.headers["location"] == f"./room/{site.code}"
        shouted = await site.get(f"/room/{quote(site.code.upper())}")
        assert shouted.headers["location"] == f"../room/{site.code}"

    run(lesson())


def test_a_phone_loads_little_before_the_figure():
    async def lesson():
        site = Site()
        await site.open()
        page = (await site.get(f"/room/{site.code}")).content
        size, seen = len(page), set()
        waiting = re.findall(rb'(?:src|href)="\.\.(/(?:room/files|scripts)/[^"]+)"', page)
        while waiting:
            path = waiting.pop().decode()
            if path in seen:
                continue
            seen.add(path)
            answer = await site.get(path, accept_encoding="gzip")
            assert answer.status == 200
            assert "immutable" in answer.headers["cache-control"]
            size += sum(map(len, answer.pieces))
            folder = path.rpartition("/")[0].encode()
            imports = re.findall(rb'from "\./([\w.]+)"', answer.content)
            waiting += [folder + b"/" + name for name in imports]
        assert len(seen) >= 5
        modules = {path for path in seen if path.startswith("/scripts/")}
        names = {path.rpartition("/")[2] for path in modules}
        assert names >= {"stage.js", "drawing.js", "readout.js"}
        named = set(re.findall(rb'modulepreload" href="\.\.(/scripts/[^"]+)"', page))
        assert named == {path.encode() for path in modules}  # none waits for another to come
        assert size <= 60_000
        assert (await site.get("/room/files/x/../routes.py")).status == 404

    run(lesson())


def test_a_figure_is_drawn_once_for_all_phones_that_are_led_to_it(monkeypatch):
    drawn = []

    def counted(*given, **named):
        drawn.append(given)
        return line(*given, **named)

    async def lesson():
        site = Site()
        lecturer = await site.open()
        await site.do(lecturer, word="go", **SLOW | {"figure": ODDS.replace("=2", "=2.5")})
        await asyncio.gather(*site.rooms._drawing)  # though it should take longer than phones wait
        assert len(drawn) >= 2
        drawn.clear()
        scene = site.rooms.store.rooms.find(site.code).for_phones()["scene"]
        for width in ("320", "360", "400"):
            look = {"across": width, "narrow": "1", "unplayed": "1", "v": version()}
            answer = await site.get(scene["figure"], query=scene["query"] | look)
            assert answer.last["whole"]
            assert answer.last["svg"]
        assert drawn == []

    monkeypatch.setattr(pacing, "line", counted)
    run(lesson())
