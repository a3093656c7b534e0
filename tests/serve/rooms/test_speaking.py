"""The speaker's view, questions of a lecturer's own, countdowns, and the report of a class."""

import re
from urllib.parse import urlencode

import orjson
import pytest

from dpviz.plot.formulas import mathml
from dpviz.scene.lectures import TEXT, Lecture, LectureScene, pack, shipped
from dpviz.scene.poll import Poll
from dpviz.serve.rooms.asking import RoomError
from dpviz.serve.rooms.own import Own, own
from dpviz.serve.rooms.room import Room
from dpviz.serve.rooms.speaking import plan
from dpviz.serve.topics import Topics
from tests.serve.rooms.test_routes import ODDS, Site, room_of
from tests.support.loops import run

EPSILON = mathml(r"\varepsilon")

POLL = Poll("choice", ("Gaussian", "Laplace"), "1", seconds=30)
LECTURE = Lecture(
    "Noise <b>",
    (
        LectureScene(TEXT, {}, "What is promised?", text=r"$\varepsilon$", notes="All!", minutes=3),
        LectureScene(TEXT, {}, "Which noise?", ask=True, poll=POLL),
        LectureScene("promise", {"view": "odds", "epsilon": "2"}, "So much"),
    ),
)
EXERCISE = "promise.a-suspicion-becomes-even"
PACKED = pack(LECTURE)


def link(number):
    return f"/{TEXT}?{urlencode({'lecture': PACKED, 'scene': number})}"


def go(number, heading="Heading"):
    return {"word": "go", "figure": link(number), "heading": heading, "link": link(number)}


def test_only_the_browser_that_opened_a_room_has_the_speakers_view():
    async def lesson():
        site = Site()
        lecturer = await site.open(link(1))
        phone, room = await site.join(), room_of(site)
        path = f"/room/{site.code}"
        page = await site.get(f"{path}/speaker", lecturer)
        assert page.status == 200
        assert room.speaking.encode() in page.content
        for stranger in (phone, ""):
            answer = await site.get(f"{path}/speaker", stranger)
            assert answer.status == 403
            assert room.speaking.encode() not in answer.content
            assert (await site.post(f"{path}/speaker", b"secret=x", stranger)).status == 403
        for place in ("plan", "events"):
            for key in ("", room.reading, room.key):  # what links hold does not do
                query = {"speaker": key, "read": room.reading}
                assert (await site.get(f"{path}/{place}", phone, query=query)).status == 403
        posted = await site.post(f"{path}/speaker", f"secret={room.secret}".encode())
        assert posted.status == 200
        assert (await site.get(f"{path}/report", phone)).status == 403

    run(lesson())


def test_a_scene_of_text_is_shown_and_a_question_in_it_asked_once():
    async def lesson():
        site = Site()
        lecturer = await site.open(link(1))
        phones = [await site.join() for _ in range(3)]
        room = room_of(site)
        room.wall = lambda: 1000.0
        await site.do(lecturer, **go(1))
        scene = room.for_phones()["scene"]
        assert scene["text"] == f"<p>{EPSILON}</p>"
        assert (scene["figure"], scene["heading"]) == ("", LECTURE.scenes[0].prompt)
        assert room.question is None
        await site.do(lecturer, **go(2))
        told = room.for_phones()["question"]
        assert told["guess"]["options"] == {"Gaussian": "A. Gaussian", "Laplace": "B. Laplace"}
        assert "1" not in told.values()  # nothing of which is right
        assert (await site.answer(phones[0], "Uniform")).status == 400
        for phone, text in zip(phones, ("Laplace", "Laplace", "Gaussian"), strict=True):
            assert (await site.answer(phone, text)).status == 200
        assert "counts" not in room.for_screen()["question"]
        speaker = room.for_speaker()
        assert speaker["question"]["hidden"] == [{"Laplace": 2, "Gaussian": 1}]
        assert (speaker["left"], speaker["elapsed"]) == (30.0, 0.0)
        room.wall = lambda: 1100.0
        assert (room.for_screen()["left"], room.for_speaker()["elapsed"]) == (0.0, 100.0)
        await site.do(lecturer, word="show")
        assert room.for_screen()["left"] is None
        await site.do(lecturer, word="reveal")
        shown = room.for_screen()["question"]
        assert (shown["exactly"], shown["truth"]) == ("B. Laplace", "Laplace")
        assert "The answer" not in room.for_phones()["scene"]["text"]  # it stands on the projector
        await site.do(lecturer, word="over")
        await site.do(lecturer, **go(2))
        assert room.question is None
        assert room.for_phones()["scene"]["text"] == "<p>The answer: B. Laplace.</p>"
        again = Own.restored(room.past[0].prompt.stored())
        assert again == room.past[0].prompt

    run(lesson())


def test_the_report_has_questions_votes_and_answers_and_names_no_phone():
    async def lesson():
        site = Site()
        lecturer = await site.open(link(1))
        phones = [await site.join() for _ in range(2)]
        await site.do(lecturer, **go(2))
        for phone in phones:
            await site.answer(phone, "Laplace")
        await site.do(lecturer, word="show")
        await site.do(lecturer, word="reveal")
        asked = {"word": "ask", "kind": "own", "form": "words", "text": "What is <unclear>?"}
        await site.do(lecturer, **asked)
        await site.answer(phones[0], "<b>δ", question=2)
        await site.do(lecturer, word="show")
        await site.do(lecturer, word="ask", kind="survey", text="Copied?", epsilon="1")
        await site.answer(phones[0], "1", question=3)
        await site.do(lecturer, word="over")
        await site.do(lecturer, word="ask", kind="survey", text="Open?", epsilon="1")
        answer = await site.get(f"/room/{site.code}/report", lecturer)
        page = answer.content.decode()
        assert "<title>Noise &lt;b&gt;, report of" in page
        assert page.count("<section>") == 3
        assert "Open?" not in page
        assert re.search(r'class="right"><th scope="row">B. Laplace</th><td class="count">2<', page)
        assert "A question of the lecturer's own." in page
        assert "The answer:</strong> B. Laplace." in page
        assert "What is &lt;unclear&gt;?" in page
        assert "&lt;b&gt;δ" in page
        assert "<svg" in page  # the interval of the survey
        room = room_of(site)
        for phone in room.joined:
            assert not any(part in page for part in phone.split(".")[:2])
        assert room.code not in page
        assert not re.search(r"<(?:script|img|link)\b", page)

    run(lesson())


def test_an_exercise_is_asked_revealed_and_reported_as_its_topic_has_it():
    async def lesson():
        scenes = (LectureScene(TEXT, {}, "Even?", ask=True, notes="Alone.", exercise=EXERCISE),)
        text = pack(Lecture("Noise", scenes))
        there = f"/{TEXT}?{urlencode({'lecture': text, 'scene': 1})}"
        site = Site()
        lecturer = await site.open(there)
        phone, room = await site.join(), room_of(site)
        await site.do(lecturer, word="go", figure=there, heading="Even?", link=there)
        told = room.for_phones()
        assert "10 in 100" in told["scene"]["text"]
        assert told["question"]["guess"] == {
            **{"key": "own", "label": "Your number", "written": "number"}
        }
        assert "2.2" not in str(told)
        assert (await site.answer(phone, "2,2")).status == 200
        await site.do(lecturer, word="show")
        await site.do(lecturer, word="reveal")
        assert room.for_screen()["question"]["exactly"] == "2.2"
        found = plan(there, Topics())
        assert (found["notes"], found["minutes"]) == ("<p>Alone.</p>", 4)
        assert "multiplies them by" in found["solution"]
        report = (await site.get(f"/room/{site.code}/report", lecturer)).content.decode()
        assert "10 in 100" in report
        assert "An exercise." in report
        assert 'href="http' in report  # a saved page leads there, too

    run(lesson())


def test_the_plan_says_notes_minutes_and_what_comes_next():
    topics = Topics()
    first = plan(link(1), topics)
    assert (first["notes"], first["minutes"]) == ("<p>All!</p>", 3)
    assert (first["before"], first["total"]) == (0, 9)
    assert (first["next"]["prompt"], first["next"]["asks"]) == ("Which noise?", "Asks for a choice")
    second = plan(link(2), topics)
    assert second["before"] == 3
    assert second["next"]["picture"].startswith("/picture/promise/odds.svg?epsilon=2")
    assert second["next"]["asks"] == ""
    assert plan(link(3), topics)["next"] is None
    assert plan(ODDS, topics) == plan("/promise?lecture=no", topics) == plan(link(4), topics) == {}
    for name, lecture in shipped().items():
        for number in range(1, len(lecture.scenes) + 1):
            assert plan(f"/x?{urlencode({'lecture': name, 'scene': number})}", topics)


def test_notes_without_a_room_come_in_a_window_of_their_own():
    async def lesson():
        site = Site()
        page = await site.get("/room/notes")
        assert page.status == 200
        assert b"Only for you" in page.content
        answer = await site.get("/room/notes/plan", query={"at": link(1)})
        assert orjson.loads(answer.content) == plan(link(1), Topics())
        for nowhere in ("/", "//elsewhere", link(9)):
            answer = await site.get("/room/notes/plan", query={"at": nowhere})
            assert orjson.loads(answer.content) == {}

    run(lesson())


def test_answers_in_numbers_and_words_are_read_or_refused():
    number, words = (own({"text": "?", "form": form}) for form in ("number", "words"))
    given = ("0,5", "1e-6", "50.0", "2,390", "1/4")
    assert [number.read(text) for text in given] == ["0.5", "1e-06", "50", "2390", "0.25"]
    for wrong in ("", "many", "nan", "inf"):
        with pytest.raises(RoomError, match="no number"):
            number.read(wrong)
    assert words.read("  two  words ") == "two words"
    for wrong in (" ", "x" * 61):
        with pytest.raises(RoomError):
            words.read(wrong)
    for said in ({"text": ""}, {"text": "?", "answers": "one"}, {"text": "?", "form": "none"}):
        with pytest.raises(RoomError):
            own(said)


def test_a_countdown_has_an_end():
    room = Room("code", lambda: 0.0, wall=lambda: 10.0)
    room.count_down(60)
    assert room.for_screen()["left"] == room.for_phone("any")["left"] == 60
    assert room.version == 1  # phones are told
    room.count_down(0)
    assert room.for_screen()["left"] is None
    assert "left" not in room.for_phone("any")
    for wrong in (-1, 3601):
        with pytest.raises(RoomError, match="countdown"):
            room.count_down(wrong)
