"""Votes in the lecturer's own words: what is taken, and what is not counted."""

import pytest

from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.poll import Poll, poll_of
from dpviz.serve.rooms.asking import LEFT_OUT, Question, RoomError
from dpviz.serve.rooms.own import Own, own

PHONES = [f"p{number}" for number in range(4)]


def asked(**said):
    return Own("How many?", poll_of({"kind": "number", **said}))


@pytest.mark.parametrize("text", ["1e300", "-1e308", "1e13", "9^99", "1" * 401, "1e400"])
def test_a_number_beyond_all_that_may_be_meant_is_refused(text):
    with pytest.raises(RoomError):
        asked().read(text)


def test_the_range_of_a_number_is_the_one_that_its_question_states():
    question = asked(span=[0, 100], unit="users")
    assert question.for_phones()["guess"]["label"] == "Your number, in users, from 0 to 100"
    assert question.read("100") == "100"
    with pytest.raises(RoomError, match="from 0 to 100"):
        question.read("101")
    assert Own.restored(question.stored()) == question
    assert asked(right="1e20").read("2e20") == "2e+20"


@pytest.mark.parametrize(
    "said",
    [
        {"span": [1]},
        {"span": [2, 1]},
        {"span": [0, 1e308]},
        {"span": [0, float("inf")]},
        {"span": "01"},
        {"span": [0, 1], "right": "2"},
        {"span": [0, 1], "kind": "words"},
    ],
)
def test_a_range_that_is_none_is_refused(said):
    with pytest.raises(LectureError):
        poll_of({"kind": "number", **said})


@pytest.mark.parametrize("said", [{"text": r"Is $\foo$ so?"}, {"answers": "yes\n$a_$"}])
def test_a_formula_that_cannot_be_read_is_refused_where_it_is_typed(said):
    with pytest.raises(RoomError, match="The formula"):
        own({"text": "?", "answers": "yes\nno"} | said)
    assert own({"text": r"Is $\varepsilon$ so?", "answers": "yes\nno"}).poll.answers == (
        "yes",
        "no",
    )


def test_the_answers_of_phones_are_right_within_the_tolerance_in_a_report_too():
    asked = Own("?", Poll("number", right="2.2", within=0.1))
    assert [asked.is_right(text, "2.2") for text in ("2.2", "2.19722", "2.4")] == [
        True,
        True,
        False,
    ]
    assert not asked.is_right("2.2", "")


def test_a_lecturer_leaves_a_single_answer_out_and_counts_it_again():
    question = Question(1, Own("?", Poll("number")))
    for phone, text in zip(PHONES, ("20", "21", "21", "1e12"), strict=True):
        question.take(phone, 1, text)
    with pytest.raises(RoomError):
        question.leave_out("1e+12")  # nobody has seen it yet
    question.show()
    question.leave_out("1e+12")
    assert question.counts() == [{"20": 1, "21": 2}]
    assert question.for_screen()["left_out"] == ["1e+12"]
    question.leave_out("1e+12")
    assert question.counts() == [{"20": 1, "21": 2, "1e+12": 1}]
    with pytest.raises(RoomError, match="Nobody"):
        question.leave_out("22")


def test_only_so_many_answers_are_left_out():
    question = Question(1, Own("?", Poll("number")))
    for number in range(LEFT_OUT + 1):
        question.take(f"p{number}", 1, str(number))
    question.show()
    for number in range(LEFT_OUT):
        question.leave_out(str(number))
    with pytest.raises(RoomError):
        question.leave_out(str(LEFT_OUT))
