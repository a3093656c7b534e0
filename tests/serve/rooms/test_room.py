"""Rooms without a server: who is in, what is asked, what is counted, what nobody is told."""

import json
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.parameters import Limit
from dpviz.scene.codec import Choice, Number
from dpviz.scene.view import Prediction
from dpviz.serve.rooms.asking import Predicted, RoomError, plain_text, table
from dpviz.serve.rooms.room import (
    EMPTY,
    PHONES,
    QUESTIONS,
    ROOMS,
    ROOMS_EACH,
    SILENCE,
    Room,
    Rooms,
    Shown,
    is_code,
    written,
)

NUMBER = Number(Limit("guess", "%", "how often", 50, 100, 75, log=False, step=1))
CHOICE = Choice("guess", "It grows", {"slow": "slowly", "fast": "fast"}, "slow")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def prediction(guess=NUMBER):
    return Prediction("How often?", guess, lambda r: r, lambda _: "62%", lambda _: 62)


def scene(figure="/figure/promise/odds", ask=False, guess=NUMBER, **query):
    return Shown(figure, query, "A question", prediction=prediction(guess), ask=ask)


def opened(guess=NUMBER):
    """A room with a prediction that is open, its clock, and three phones."""
    clock = Clock()
    room = Room("bcdfgh", clock)
    phones = [room.join("") for _ in range(3)]
    room.go(scene(guess=guess), "/promise")
    room.predict()
    return room, clock, phones


def refused(act, *given, **named):
    with pytest.raises(RoomError) as caught:
        act(*given, **named)
    assert str(caught.value).endswith(".")
    return caught.value


def test_a_phone_that_comes_again_is_the_same_phone():
    room, _, phones = opened()
    assert room.join(phones[0]) == phones[0]
    assert room.join("made up") not in ("made up", *phones)
    assert len(room.joined) == 4


def test_a_phone_counts_once_and_a_lost_confirmation_does_no_harm():
    room, _, (first, second, _) = opened()
    room.answer(first, 1, 1, "62")
    room.answer(first, 1, 1, "62.0")
    room.answer(second, 1, 1, "70")
    assert "first answer counts" in str(refused(room.answer, first, 1, 1, "70"))
    assert room.for_screen()["question"]["answered"] == 2
    room.act("show")
    room.answer(first, 1, 1, "62")  # it was counted before the question closed
    assert room.for_screen()["question"]["counts"] == [{"62": 1, "70": 1}]


@pytest.mark.parametrize("text", ["", "x", "49", "101", "nan", "1e999", "<b>", "62;70"])
def test_garbage_is_refused(text):
    room, _, phones = opened()
    assert refused(room.answer, phones[0], 1, 1, text).status == 400
    assert room.for_screen()["question"]["answered"] == 0


def test_what_is_not_asked_is_not_answered():
    room, _, phones = opened()
    refused(room.answer, "nobody", 1, 1, "62")
    for number, given_round in ((0, 1), (2, 1), (1, 0), (1, 2), (-1, 1)):
        refused(room.answer, phones[0], number, given_round, "62")
    room.act("show")
    assert "closed" in str(refused(room.answer, phones[0], 1, 1, "62"))
    room.act("over")
    assert "closed" in str(refused(room.answer, phones[0], 1, 1, "62"))


def test_a_second_vote_stands_beside_the_first():
    room, _, (first, second, _) = opened(CHOICE)
    refused(room.act, "again")
    room.answer(first, 1, 1, "slow")
    room.answer(second, 1, 1, "slow")
    room.act("show")
    room.act("again")
    assert room.for_phone(first)["said"] == ["slow", None]
    room.answer(first, 1, 2, "fast")
    assert room.for_screen()["question"]["counts"] == [{"slow": 2}]  # the first alone
    room.act("show")
    refused(room.act, "again")
    assert room.for_screen()["question"]["counts"] == [{"slow": 2}, {"fast": 1}]
    room.reveal("62%", "62")
    state = room.for_screen()["question"]
    assert (state["exactly"], state["truth"]) == ("62%", "62")
    assert state["counts"] == [{"slow": 2}, {"fast": 1}]


def test_before_it_is_shown_nobody_is_told_which_way_it_goes():
    room, _, phones = opened()
    for phone, text in zip(phones, ["51", "62", "93"], strict=True):
        room.answer(phone, 1, 1, text)
    state = json.dumps([room.for_phones(), room.for_screen(), room.for_phone("somebody else")])
    assert '"answered": 3' in state
    grid = json.dumps(room.for_phones()["question"]["guess"])
    assert not {"51", "62", "93"} & set(state.replace(grid, "").split('"'))
    assert not {"exactly", "truth"} & set(room.for_screen()["question"])
    assert "counts" not in state
    # and phones are never told of others
    room.act("show")
    room.reveal("62%")
    state = json.dumps(room.for_phones()).replace(grid, "")
    assert "62" not in state


def test_the_scene_hides_its_answer_until_it_is_revealed():
    room, _, _ = opened()
    assert room.for_phones()["scene"]["ask"] is True
    assert room.for_phones()["scene"]["controls"] == []
    room.act("show")
    assert room.for_phones()["scene"]["ask"] is True
    room.reveal("")
    assert room.for_phones()["scene"]["ask"] is False


def test_a_scene_that_asks_is_asked_once():
    room = Room("bcdfgh", Clock())
    room.go(scene(ask=True, k="1"), "/promise")
    assert room.question is not None
    room.go(scene(ask=True, k="1"), "/promise")  # the same, drawn again
    assert room.question.number == 1
    room.act("over")
    room.go(scene(ask=True, k="1"), "/promise")
    assert room.question is None
    room.go(scene(ask=True, k="2"), "/promise")
    assert room.question.number == 2
    room.go(scene(k="3"), "/promise")
    assert room.question is None
    assert len(room.past) == 2


def test_everybody_sees_where_the_lecturer_is():
    room, _, _ = opened()
    version = room.version
    room.go(scene(epsilon="2"), "/promise?epsilon=2")
    assert room.version > version
    assert room.for_phones()["scene"]["query"] == {"epsilon": "2"}
    assert "link" not in room.for_phones()
    assert room.for_screen()["link"] == "/promise?epsilon=2"
    room.act("pause")
    assert room.for_phones()["paused"] is True
    room.act("resume")
    assert room.for_phones()["paused"] is False
    refused(room.act, "sing")


def test_a_vote_is_no_news_for_phones():
    room, _, phones = opened()
    version, news = room.version, room.news
    room.answer(phones[0], 1, 1, "62")
    assert (room.version, room.news) == (version, news + 1)


def test_the_secret_is_told_to_nobody():
    room, _, phones = opened()
    state = repr([room, room.for_phones(), room.for_screen(), room.for_phone(phones[0])])
    assert room.secret not in state
    assert not [phone for phone in phones if phone in state]
    assert room.is_lecturer(room.secret)
    assert not room.is_lecturer("")
    assert not room.is_lecturer("ü")


def test_bounds_of_a_room():
    room, clock, phones = opened()
    phones += [room.join("") for _ in range(PHONES - 3)]
    with ExitStack() as class_:
        for phone in phones:
            class_.enter_context(room.heard_by(phone))
        assert refused(room.join, "").status == 503
        assert room.join(phones[0]) == phones[0]
    for _ in range(QUESTIONS - 1):
        clock.now += 1
        room.predict()
    clock.now += 1
    refused(room.predict)


def test_in_a_full_room_whoever_is_silent_longest_makes_place():
    """One visitor who asks for the page 500 times shuts nobody out who takes part."""
    room, _, (listens, answers, left) = opened()
    room.answer(answers, 1, 1, "62")
    with room.heard_by(listens):
        flood = [room.join("") for _ in range(PHONES - 3)]
        with room.heard_by(left), room.heard_by(left):
            pass  # it came after the flood, in two windows, and has just gone
        honest = room.join("")
        assert room.joined.keys() == {listens, answers, left, honest, *flood[1:]}
        for _ in range(PHONES - 4):  # those are silent for longer than the honest one
            room.join("")
        assert {listens, answers, left, honest} < room.joined.keys()
        assert len(room.joined) == PHONES
        room.join("")
        assert left not in room.joined
        assert {listens, answers} < room.joined.keys()
    room.act("over")
    for _ in range(PHONES + 1):
        room.join("")
    assert listens not in room.joined
    assert answers in room.joined  # what it answered counts as long as the room lives


def test_who_hurries_waits():
    room, clock, phones = opened()
    for _ in range(10):
        room.answer(phones[0], 1, 1, "62")
    assert refused(room.answer, phones[0], 1, 1, "62").status == 429
    room.answer(phones[1], 1, 1, "62")  # nobody else has to
    clock.now += 1
    room.answer(phones[0], 1, 1, "62")


def test_rooms_end_in_silence_and_make_room():
    clock, ended = Clock(), []
    rooms = Rooms(clock, ended.append)
    first = rooms.open(rooms.fresh_code())
    clock.now = SILENCE / 2
    first.join("")
    clock.now = SILENCE + 1
    assert rooms.find(first.code) is first
    clock.now = 2 * SILENCE
    assert refused(rooms.find, first.code).ended
    assert ended == [first]
    for _ in range(ROOMS):
        clock.now += 10
        rooms.open(rooms.fresh_code()).join("")
    assert refused(rooms.open, rooms.fresh_code()).status == 503


def test_a_room_that_nobody_joined_gives_way():
    clock = Clock()
    rooms = Rooms(clock)
    opened_ones = []
    for _ in range(ROOMS):
        clock.now += 5
        opened_ones.append(rooms.open(rooms.fresh_code()))
    clock.now += EMPTY
    rooms.open(rooms.fresh_code())
    refused(rooms.find, opened_ones[0].code)
    assert rooms.find(opened_ones[-1].code)


def test_one_visitor_takes_so_many_rooms_and_no_more():
    clock = Clock()
    rooms = Rooms(clock)
    own = []
    for _ in range(ROOMS_EACH):
        own.append(rooms.open(rooms.fresh_code(), visitor="a"))
        own[-1].join("")
    stopped = refused(rooms.open, rooms.fresh_code(), visitor="a")
    assert (stopped.status, "from this network" in str(stopped)) == (503, True)
    assert len(rooms) == ROOMS_EACH
    rooms.open(rooms.fresh_code(), visitor="b")  # nobody else has to suffer
    rooms.end(own[0])
    clock.now += 60
    empty = rooms.open(rooms.fresh_code(), visitor="a")
    clock.now += EMPTY + 1
    rooms.open(rooms.fresh_code(), visitor="a")  # in place of their own that nobody joined
    refused(rooms.find, empty.code)
    assert rooms.find(own[1].code)


def test_who_opens_rooms_in_haste_waits_and_nobody_else_does():
    clock = Clock()
    rooms = Rooms(clock)
    for _ in range(20):
        rooms.end(rooms.open(rooms.fresh_code(), visitor="a"))
    assert refused(rooms.open, rooms.fresh_code(), visitor="a").status == 429
    rooms.open(rooms.fresh_code(), visitor="b")
    clock.now += 5
    rooms.open(rooms.fresh_code(), visitor="a")


def test_a_lecturer_who_hurries_waits():
    room, clock, _ = opened()
    clock.now += 60
    for _ in range(60):
        room.act("pause")
    assert refused(room.act, "pause").status == 429
    clock.now += 1
    for _ in range(10):
        room.act("resume")
    refused(room.act, "pause")


def test_codes_are_read_as_people_write_them():
    rooms = Rooms(Clock())
    room = rooms.open("bcdfgh")
    for text in ("bcdfgh", "BCD FGH", " bcd-fgh "):
        assert rooms.find(text) is room
    refused(rooms.open, "bcdfgh")
    for text in ("", "bcdfg", "bcdfga", "../../"):
        assert not is_code(text)
        refused(rooms.open, text)


@given(st.text())
def test_any_text_is_a_code_or_none(text):
    assert len(written(text)) <= 12
    with pytest.raises(RoomError):
        Rooms(Clock()).find(text)


@given(st.text(max_size=300))
def test_a_sentence_is_one_line(text):
    said = plain_text(text)
    assert said.isprintable()
    assert "  " not in said
    with pytest.raises(RoomError):
        plain_text("x" * 401)


def test_counts_of_closed_questions_alone_make_the_table():
    room, clock, (first, second, _) = opened(CHOICE)
    room.answer(first, 1, 1, "slow")
    assert not table([room.question])["answer"]
    room.act("show")
    room.act("again")
    room.answer(first, 1, 2, "fast")
    room.answer(second, 1, 2, "fast")
    clock.now += 1
    room.reveal("")
    columns = table([room.question])
    assert columns["round"] == [1, 2]
    assert columns["answer"] == ["slow", "fast"]
    assert columns["phones"] == [1, 2]
    assert columns["about"] == ["/figure/promise/odds"] * 2


def test_what_is_predicted_is_told_as_a_control():
    assert Predicted("?", CHOICE).for_phones()["guess"]["options"] == CHOICE.options
    assert Predicted("?", NUMBER).for_phones()["guess"]["grid"][:2] == ["50", "51"]
