"""The class as data, as attacker, and shuffled: what is counted, told and kept."""

import json
import math

import pytest

from dpviz.scene.codec import decode
from dpviz.serve.rooms import modes
from dpviz.serve.rooms.asking import Question, RoomError, table
from dpviz.serve.rooms.page import CLASS
from dpviz.serve.rooms.room import Room
from dpviz.topics.classroom.attack import GUESSES
from dpviz.topics.classroom.survey import ShuffledCount
from tests.serve.asgi import asked
from tests.serve.rooms.test_room import Clock, come, opened, refused
from tests.support.loops import run


def asking(joined=3, **said):
    return modes.prompt_of({"text": "Do you sleep enough?", "epsilon": "1"} | said, joined)


def room_with(thing, phones=3):
    room = Room("bcdfgh", Clock())
    tokens = [come(room) for _ in range(phones)]
    room.ask(thing)
    return room, tokens


def drawn(room):
    """The figure that the screen is told to show, read as its route reads it."""
    address, query = room.for_screen()["question"]["figure"]
    values, notes = decode({key: [text] for key, text in query.items()}, CLASS.parameters)
    assert not notes
    view = next(view for view in CLASS.views if address == f"/figure/class/{view.key}")
    assert set(query) == set(view.parameters)
    return view.compute(**CLASS.call(CLASS.arguments(view, values)))


def test_bits_are_taken_as_they_come():
    room, phones = room_with(asking(kind="survey"))
    assert "figure" not in room.for_screen()["question"]
    for phone, bit in zip(phones, "101", strict=True):
        room.answer(phone, 1, 1, bit)
    result = drawn(room)
    assert (result.answers, result.epsilon) == (3, 1.0)
    assert room.for_screen()["question"]["figure"][1]["bits"] == "101"
    state = room.for_phones()["question"]
    assert state["truth"] == pytest.approx(math.e / (1 + math.e))
    assert state["odds"] == "2.7"
    refused(room.answer, phones[0], 1, 1, "0")
    for text in ("yes", "2", ""):
        refused(room.answer, phones[0], 1, 1, text)
    refused(room.act, "again")


def test_of_shuffled_messages_the_total_alone_is_kept():
    room, phones = room_with(asking(kind="shuffle"))
    for phone, messages in zip(phones, ("7", "0", "19"), strict=True):
        room.answer(phone, 1, 1, messages)
    room.answer(phones[0], 1, 1, "7")
    room.answer(phones[0], 1, 1, "8")  # who sent what is not known, so neither counts twice
    assert set(room.question.rounds[0].values()) == {""}
    assert room.question.total == 26
    result = drawn(room)
    assert (result.answers, result.users) == (3, 3)
    assert result.low <= result.high <= 3
    state = room.for_phones()["question"]
    r = ShuffledCount(3, 3, 1.0, modes.DELTA).dispersion
    assert state["share"] == pytest.approx(r / 3)
    assert state["more"] == pytest.approx(math.exp(-0.2))
    assert table([Question(1, room.question.prompt)])["answer"] == []
    room.act("show")
    assert table([room.question])["phones"] == [26]
    for text in ("-1", "1.5", "9999999", "٣"):
        refused(room.answer, phones[1], 1, 1, text)


@pytest.mark.parametrize(
    ("kind", "answers", "words"),
    [
        ("survey", "101", "After the coin: 2 said yes, 1 said no"),
        ("survey", "", ""),
        ("shuffle", ("7", "0", "19"), "26 messages from 3 phones together"),
        ("shuffle", ("1",), "1 message from 1 phone together"),
        ("worlds", ("iiiii", "ooooo"), "5 of 10 guesses are right"),
    ],
)
def test_a_speaker_reads_in_words_how_the_class_answered(kind, answers, words):
    thing = modes.Attacked(1.0, 5) if kind == "worlds" else asking(kind=kind)
    room, phones = room_with(thing)
    for phone, answer in zip(phones, answers, strict=False):
        room.answer(phone, 1, 1, answer)
    if kind == "worlds":  # a phone that calls all five the same is right about those that are
        hands = [thing._hand(phone)[0] for phone in phones[:2]]
        right = int(hands[0].sum() + (~hands[1]).sum())
        words = f"{right} of 10 guesses are right"
    assert room.for_speaker()["question"]["words"] == words
    assert "words" not in room.for_screen()["question"]


def test_who_joins_after_the_question_is_counted_too():
    room, phones = room_with(asking(kind="shuffle"))
    late = come(room)
    for phone in (*phones, late):
        room.answer(phone, 1, 1, "3")
    assert drawn(room).users == 4


def test_a_class_attacks_without_knowing_the_worlds():
    thing = modes.Attacked(1.0, 5)
    room, phones = room_with(thing)
    hands = {phone: room.for_phone(phone)["dealt"]["answers"] for phone in phones}
    assert len({tuple(hand) for hand in hands.values()}) == 3
    for phone, hand in hands.items():
        assert len(hand) == GUESSES
        room.answer(phone, 1, 1, "".join("i" if answer > 60.5 else "o" for answer in hand))
    state = json.dumps([room.for_phones(), room.for_screen(), *map(room.for_phone, phones)])
    assert '"worlds": ' not in state
    result = drawn(room)
    assert result.score.guesses == 3 * GUESSES
    room.reveal("")
    right = 0
    for phone in phones:
        mine = room.for_phone(phone)
        assert mine["dealt"]["answers"] == hands[phone]
        pairs = zip(mine["said"][0], mine["dealt"]["worlds"], strict=True)
        right += sum(guess == world for guess, world in pairs)
    assert right == result.score.right
    for text in ("i", "iiiiii", "iiiix"):
        refused(room.answer, phones[0], 1, 1, text)


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "survey", "text": ""},
        {"kind": "survey", "text": "x" * 401},
        {"kind": "survey", "text": 3},
        {"kind": "survey", "epsilon": "11"},
        {"kind": "survey", "epsilon": "nan"},
        {"kind": "worlds", "epsilon": "0"},
        {"kind": "other"},
        {},
        {"kind": "shuffle", "joined": 0},
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(said):
    with pytest.raises(RoomError):
        asking(**said)


def test_another_question_ends_the_one_before():
    room, _, phones = opened()
    room.ask(asking(kind="survey"))
    assert room.question.number == 2
    room.answer(phones[0], 2, 1, "1")
    refused(room.answer, phones[0], 1, 1, "62")


def test_a_scene_of_a_lecture_asks_by_itself_once():
    from tests.serve.rooms.test_routes import SLOW, Site

    async def lesson():
        site = Site()
        lecturer = await site.open()
        link = SLOW["link"] + "&class=survey"
        await site.do(lecturer, word="go", **SLOW | {"link": link})
        room = site.rooms.store.rooms.find(site.code)
        assert room.question.for_phones()["question"] == "What now?"
        assert room.question.prompt.epsilon == 2.0
        await site.do(lecturer, word="over")
        await site.do(lecturer, word="go", **SLOW | {"link": link})
        assert room.question is None
        answer = await asked(site.app, "/figure/class/survey", {"bits": "101"})
        assert answer.status == 404  # where nobody added the figures of a class

    run(lesson())
