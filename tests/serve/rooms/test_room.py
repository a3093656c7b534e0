"""Rooms without a server: who is in, what is asked, what is counted, what nobody is told."""

import json
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Choice, Number
from dpviz.scene.view import Prediction
from dpviz.serve.quotas import ALL_GUESSES, GUESSES, GUESSING, PHONES, QUESTIONS, ROOMS, ROOMS_EACH
from dpviz.serve.rooms.asking import Predicted, RoomError, control_data, plain_text, table
from dpviz.serve.rooms.modes import Shuffled
from dpviz.serve.rooms.room import LEFT, SILENCE, Guesses, Room, Rooms, Slide, is_code, written
from dpviz.serve.rooms.tokens import LETTERS, network_here

NUMBER = Number(Limit("guess", "%", "how often", 50, 100, 75, log=False, step=1))
CHOICE = Choice("guess", "It grows", {"slow": "slowly", "fast": "fast"}, "slow")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def prediction(guess=NUMBER):
    return Prediction("How often?", guess, lambda r: r, lambda _: "62%", lambda _: 62)


def scene(figure="/figure/promise/odds", ask=False, guess=NUMBER, **query):
    return Slide(figure, query, "A question", prediction=prediction(guess), ask=ask)


def come(room, network=""):
    """A new phone of an address, which has a place."""
    phone = room.fresh_token(network_here(room.secret, network))
    room.join(phone)
    return phone


def opened(guess=NUMBER):
    """A room with a prediction that is open, its clock, and three phones."""
    clock = Clock()
    room = Room("bcdfghjk", clock)
    phones = [come(room) for _ in range(3)]
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
    room.join(phones[0])
    for made_up in ("", "made up", "a.b.0.c", phones[0][:-1] + "!", f"0{phones[0]}"):
        assert refused(room.join, made_up).status == 403
    assert room.joined.keys() == set(phones)


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
    room = Room("bcdfghjk", Clock())
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


def test_a_page_that_was_drawn_late_ends_no_question_that_was_asked_since():
    """Asked before the screen's page had loaded, a question was gone again a moment later."""
    room, _, _ = opened()
    number = room.question.number
    assert not room.go(scene(epsilon="2"), "/promise?epsilon=2", latest=number - 1)
    assert room.question.number == number
    assert room.go(scene(epsilon="2"), "/promise?epsilon=2", latest=number)
    assert room.question is None


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
    phones += [come(room) for _ in range(PHONES - 3)]
    with ExitStack() as class_:
        for phone in phones:
            class_.enter_context(room.heard_by(phone))
        assert refused(come, room).status == 503
        room.join(phones[0])
    for _ in range(QUESTIONS - 1):
        clock.now += 1
        room.predict()
    clock.now += 1
    refused(room.predict)


def test_in_a_full_room_whoever_is_silent_longest_makes_place_and_may_come_back():
    """Votes that nobody stands behind any more shut nobody out, and offline phones lose nothing."""
    room, _, (listens, answers, left) = opened()
    room.answer(answers, 1, 1, "62")
    with room.heard_by(listens):
        flood = [come(room) for _ in range(PHONES - 3)]
        for phone in flood:
            room.answer(phone, 1, 1, "99")
        with room.heard_by(left), room.heard_by(left):
            pass  # it came after the flood, in two windows, and has just gone
        honest = come(room)
        assert room.joined.keys() == {listens, left, honest, *flood}
        assert refused(room.answer, answers, 1, 1, "62").status == 429  # until it is back
        room.join(answers)
        assert answers in room.joined
        assert flood[0] not in room.joined
        room.answer(answers, 1, 1, "62")  # it counts still
        assert refused(room.answer, answers, 1, 1, "70").status == 409
        assert room.for_phone(answers)["said"] == ["62"]
        for _ in range(PHONES):
            come(room)
        assert listens in room.joined
        assert len(room.joined) == PHONES


def test_where_all_listen_no_address_shuts_others_out():
    room = Room("bcdfghjk", Clock())
    with ExitStack() as streams:
        crowd = [come(room, "crowd") for _ in range(PHONES)]
        for phone in crowd:
            streams.enter_context(room.heard_by(phone))
        for number in range(30):
            streams.enter_context(room.heard_by(come(room, "class")))
            assert crowd[-1 - number] not in room.joined
        assert refused(come, room, "crowd").status == 503
        assert len(room.joined) == PHONES


def test_of_too_many_answers_one_of_the_largest_crowd_makes_place():
    room, _, phones = opened()
    crowd = [come(room, "crowd") for _ in range(PHONES)]
    for phone in crowd:
        room.answer(phone, 1, 1, "99")
    for phone in phones:
        room.join(phone)
        room.answer(phone, 1, 1, "62")
    assert room.for_screen()["question"]["answered"] == PHONES
    votes = list(room.question.rounds[0].values())
    assert votes.count("62") == 3
    late = come(room, "crowd")
    assert refused(room.answer, late, 1, 1, "99").status == 503


def test_the_lecturer_turns_an_address_out_with_its_votes_and_phones():
    room, clock, phones = opened()
    crowd = [come(room, "crowd") for _ in range(20)]
    for phone in crowd:
        room.answer(phone, 1, 1, "99")
    room.answer(phones[0], 1, 1, "62")
    (first, second) = room.for_screen()["networks"]
    assert (first["joined"], first["answered"]) == (20, 20)
    assert (second["joined"], second["answered"]) == (3, 1)
    refused(room.clear, "elsewhere")
    for _ in range(2):  # whoever joins anew may be turned out anew
        room.clear(first["mark"])
        assert room.joined.keys() == set(phones)
        assert room.for_screen()["question"]["answered"] == 1
        for phone in crowd:
            assert not room.knows(phone)
            assert refused(room.join, phone).status == 403
        crowd = [come(room, "crowd")]
        room.join(phones[0])
    room.ask(Shuffled("Do you?", 1.0, 4, 1.0))
    room.answer(crowd[0], 2, 1, "7")
    clock.now += 1
    assert "sum" in str(refused(room.clear, first["mark"]))
    assert crowd[0] in room.joined


def test_a_closed_door_and_a_word_let_in_whom_they_should():
    room, _, phones = opened()
    room.ask_in("")
    room.act("word")
    word = room.for_screen()["word"]
    assert word not in str(room.for_phones())
    for said in ("", "bcdfgh" if word != "bcdfgh" else "bcdfgj", word[:-1]):
        assert refused(room.ask_in, said).status == 401
    room.ask_in(f" {word[:3].upper()}-{word[3:]}")
    room.join(phones[0])  # who is in stays in
    room.act("shut")
    assert refused(room.ask_in, word).status == 403
    assert room.knows(phones[1])
    room.act("open")
    room.act("no word")
    room.ask_in("")


def test_wrong_codes_are_slowed_by_address_and_by_all():
    clock = Clock()
    guesses = Guesses(clock)
    for _ in range(GUESSES):
        guesses.note("one", wrong=True)
    assert refused(guesses.note, "one", wrong=True).status == 429
    assert refused(guesses.note, "one", wrong=False).status == 429  # it does not learn which
    guesses.note("other", wrong=True)
    clock.now += 5
    guesses.note("one", wrong=False)  # right ones cost nothing
    guesses.note("one", wrong=True)
    refused(guesses.note, "one", wrong=True)
    for number in range(ALL_GUESSES):
        guesses.note(f"crowd {number}", wrong=True)
    for _ in range(1000):
        guesses.note("class", wrong=False)  # whatever all others do
    tried = 0
    while tried < GUESSES:
        try:
            guesses.note("another", wrong=True)
        except RoomError:
            break
        tried += 1
    assert tried == 3


def test_a_day_of_guessing_at_the_permitted_rate_finds_no_room():
    """Of one address: the limit of all binds where there are many."""
    tries = GUESSES + 86_400 * GUESSING
    codes = len(LETTERS) ** len(Rooms(Clock()).fresh_code())
    assert tries * 2 * ROOMS / codes < 1 / 1000


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
    come(first)
    clock.now = SILENCE + 1
    assert rooms.find(first.code) is first
    clock.now = 2 * SILENCE
    assert refused(rooms.find, first.code).ended
    assert ended == [first]
    for _ in range(ROOMS):
        clock.now += 5
        come(rooms.open(rooms.fresh_code()))
    assert refused(rooms.open, rooms.fresh_code()).status == 503


def test_a_room_that_was_left_gives_way():
    clock = Clock()
    rooms = Rooms(clock)
    taken = []
    for _ in range(ROOMS):
        clock.now += 5
        taken.append(rooms.open(rooms.fresh_code()))
        come(taken[-1])  # one phone, which leaves
    with taken[0].shown_on_screen(), taken[1].heard_by("phone"):
        clock.now += LEFT
        rooms.open(rooms.fresh_code())
        assert refused(rooms.find, taken[2].code).ended
        for room in (*taken[:2], *taken[3:]):
            assert rooms.find(room.code) is room
    clock.now += 1
    rooms.open(rooms.fresh_code())  # the screen of the first was there a second ago
    assert rooms.find(taken[0].code) is taken[0]
    assert refused(rooms.find, taken[3].code).ended


def test_one_visitor_takes_so_many_rooms_and_no_more():
    clock = Clock()
    rooms = Rooms(clock)
    own = [rooms.open(rooms.fresh_code(), network="a") for _ in range(ROOMS_EACH)]
    stopped = refused(rooms.open, rooms.fresh_code(), network="a")
    assert (stopped.status, "from this network" in str(stopped)) == (503, True)
    assert len(rooms) == ROOMS_EACH
    rooms.open(rooms.fresh_code(), network="b")  # nobody else has to suffer
    rooms.end(own[0])
    clock.now += 60
    empty = rooms.open(rooms.fresh_code(), network="a")
    with empty.shown_on_screen():
        clock.now += LEFT + 1
        rooms.open(rooms.fresh_code(), network="a")  # in place of their own that was left
    assert refused(rooms.find, own[1].code).ended
    assert rooms.find(empty.code) is empty


def test_who_opens_rooms_in_haste_waits_and_nobody_else_does():
    clock = Clock()
    rooms = Rooms(clock)
    for _ in range(20):
        rooms.end(rooms.open(rooms.fresh_code(), network="a"))
    assert refused(rooms.open, rooms.fresh_code(), network="a").status == 429
    rooms.open(rooms.fresh_code(), network="b")
    clock.now += 5
    rooms.open(rooms.fresh_code(), network="a")


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
    room = rooms.open("bcdfghjk")
    for text in ("bcdfghjk", "BCDF GHJK", " bcdf-ghjk "):
        assert rooms.find(text) is room
    refused(rooms.open, "bcdfghjk")
    for text in ("", "bcdfgh", "bcdfghja", "../../"):
        assert not is_code(text)
        refused(rooms.open, text)


@given(st.text())
def test_any_text_is_a_code_or_none(text):
    assert len(written(text)) <= 16
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
    room.reveal("62%", "62")
    room.act("over")  # the class goes on, and what was asked is still known
    columns = table(room.questions)
    assert columns["exact"] == ["62", "62"]
    assert columns["round"] == [1, 2]
    assert columns["answer"] == ["slow", "fast"]
    assert columns["phones"] == [1, 2]
    assert columns["about"] == ["/figure/promise/odds"] * 2


def test_what_is_predicted_is_told_as_a_control():
    assert Predicted("?", CHOICE).for_phones()["guess"]["options"] == CHOICE.options
    assert Predicted("?", NUMBER).for_phones()["guess"]["grid"][:2] == ["50", "51"]


def test_what_a_slider_stands_at_is_written_as_on_the_page():
    control = control_data(Number(LIMITS["queries"]))
    words = dict(zip(control["grid"], control["words"], strict=True))
    assert words["1000000"] == "10⁶"
    assert words["2000"] == "2,000"
    assert control_data(Number(LIMITS["delta"]))["words"][0].startswith("10⁻")
