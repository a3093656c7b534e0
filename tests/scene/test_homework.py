"""Homework: what an address asks for, and the file of what was answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.exercise import ChoiceAnswer, Exercise, NumberAnswer
from dpviz.scene.homework import (
    MOST_EXERCISES,
    PARAMETERS,
    SET,
    Attempt,
    Task,
    exercise_request,
    set_query,
)

KEYS = [parameter.key for parameter in PARAMETERS]


def task(name, answer=None, topic="promise"):
    made = Exercise(
        name=name,
        level="work",
        minutes=5,
        link="view=odds",
        question=f"What is {name}?",
        hint="Look.",
        answer=answer,
        solution=lambda _: "So.",
    )
    return Task(topic, made)


ODDS = task("odds", NumberAnswer(lambda _: 1.0, 0.1, "%"))
COIN = task("coin", ChoiceAnswer(("heads", "tails"), 1, bool))
PROOF = task("proof", topic="clipping")
KNOWN = {one.key: one for one in (ODDS, COIN, PROOF)}


def opened(**query):
    return exercise_request({key: query.get(key, "") for key in KEYS}, KNOWN)


def test_an_address_asks_for_all_a_topic_one_or_a_homework():
    assert opened().around == (ODDS, COIN, PROOF)
    assert opened(topic="promise").around == (ODDS, COIN)
    assert opened(topic="promise", exercise="coin").task is COIN
    homework = opened(set="clipping.proof, promise.odds,clipping.proof")
    assert homework.chosen == (PROOF, ODDS)
    inside = opened(**set_query((PROOF, ODDS)), **ODDS.query)
    assert (inside.task, inside.around) == (ODDS, (PROOF, ODDS))
    assert not any(found.notes for found in (homework, inside))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"topic": "zz"}, "There are no exercises on “zz”; here are all."),
        (
            {"topic": "promise", "exercise": "proof"},
            "There is no exercise “proof” on “The promise”; choose one of these.",
        ),
        ({"exercise": "odds"}, "There is no exercise “odds”; choose one of these."),
        ({"set": "promise.zz"}, "This homework names “promise.zz”, which is not here."),
        ({"set": "a,b,promise.odds"}, "This homework names “a” and 1 more, which are not here."),
    ],
)
def test_what_is_not_there_is_named_and_left_out(query, said):
    found = opened(**query)
    assert found.notes == (said,)
    assert exercise_request(found.values, KNOWN).notes == ()
    assert found.task is None


def test_a_homework_has_an_end():
    many = {one.key: one for one in (task(f"t-{n}") for n in range(MOST_EXERCISES + 1))}
    listed = dict.fromkeys(KEYS, "") | set_query(many.values())
    found = exercise_request(listed, many)
    assert len(found.chosen) == MOST_EXERCISES
    assert found.notes == (
        f"A homework has at most {MOST_EXERCISES} exercises; here are the first.",
    )
    longest = set_query(
        task("n" * 40, topic="perfect_generalization") for _ in range(MOST_EXERCISES)
    )
    assert len(longest[SET.key]) <= SET.longest


@given(st.fixed_dictionaries({key: st.text() for key in KEYS}))
def test_any_text_asks_for_something_and_its_values_for_the_same(query):
    found = exercise_request(query, KNOWN)
    again = exercise_request(found.values, KNOWN)
    assert (again.topic, again.task, again.chosen) == (found.topic, found.task, found.chosen)
    assert not again.notes


def test_what_was_right_stays_right_and_ends_the_tries():
    attempt = Attempt()
    attempt.take("0.3", same="0.3", right=False, remark="It is too small.")
    attempt.take("3/10", same="0.3", right=False, remark="It is too small.")
    assert attempt.tries == 1  # the same number, in another notation
    attempt.refuse("half", "“half” is no number.")
    assert (attempt.right, attempt.tries) == (None, 1)
    attempt.take("50%", same="0.5", right=True, remark="Read as 0.5.")
    assert (attempt.given, attempt.right, attempt.tries) == ("50%", True, 2)
    attempt.take("7", same="7", right=False, remark="It is too large.")
    assert (attempt.given, attempt.right, attempt.tries, attempt.stays) == ("50%", True, 2, True)
    attempt.refuse("x", "“x” is no number.")
    assert attempt.in_words == "right after 2 tries"
    attempt.solved = True
    attempt.take("1/2", same="0.5", right=True, remark="")
    assert (attempt.after, attempt.stays, attempt.tries) == (False, False, 2)
    assert attempt.solution_in_words == "opened after the right answer"
