"""Homework: what an address asks for, and the file of what was answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.scene.exercise import Choice, Exercise, Number
from dpviz.scene.homework import MOST, PARAMETERS, SET, Attempt, Task, as_file, asked, set_query

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


ODDS = task("odds", Number(lambda _: 1.0, 0.1, "%"))
COIN = task("coin", Choice(("heads", "tails"), 1, bool))
PROOF = task("proof", topic="clipping")
KNOWN = {one.key: one for one in (ODDS, COIN, PROOF)}


def opened(**query):
    return asked({key: query.get(key, "") for key in KEYS}, KNOWN)


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
    assert asked(found.values, KNOWN).notes == ()
    assert found.task is None


def test_a_homework_has_an_end():
    many = {one.key: one for one in (task(f"t-{n}") for n in range(MOST + 1))}
    listed = dict.fromkeys(KEYS, "") | set_query(many.values())
    found = asked(listed, many)
    assert len(found.chosen) == MOST
    assert found.notes == (f"A homework has at most {MOST} exercises; here are the first.",)
    longest = set_query(task("n" * 40, topic="perfect_generalization") for _ in range(MOST))
    assert len(longest[SET.key]) <= SET.longest


@given(st.fixed_dictionaries({key: st.text() for key in KEYS}))
def test_any_text_asks_for_something_and_its_values_for_the_same(query):
    found = asked(query, KNOWN)
    again = asked(found.values, KNOWN)
    assert (again.topic, again.task, again.chosen) == (found.topic, found.task, found.chosen)
    assert not again.notes


def test_answers_go_into_a_file():
    attempts = {
        ODDS.key: Attempt(given="12", right=True, tries=2, solved=True, after=True),
        COIN.key: Attempt(given="0", right=False, tries=1),
        PROOF.key: Attempt(words="By induction.\nDone."),
    }
    text = as_file((ODDS, COIN, PROOF), attempts, "https://dp.example/exercises", "Ada")
    assert "Name: Ada" in text
    assert "1 of 2 checked answers are right." in text
    assert "https://dp.example/exercises?set=promise.odds,promise.coin,clipping.proof" in text
    assert "## 1. The promise: Odds" in text
    assert "State: right after 2 tries, with the solution seen before." in text
    assert "Answer: 12 %" in text
    assert "State: not right yet." in text
    assert "Answer: heads" in text
    assert "By induction.\nDone." in text


def test_what_was_not_answered_is_open():
    text = as_file((ODDS,), {}, "https://dp.example/exercises")
    assert "State: open." in text
    assert "Answer" not in text.replace("# Answers to exercises", "")
    assert "Name" not in text
