"""Exercises: what may be declared, and what counts as a right answer."""

import pytest

from dpviz.scene.exercise import Choice, Curve, Exercise, Number

GOOD = {
    "name": "odds-after-one-answer",
    "level": "warm-up",
    "minutes": 2,
    "link": "view=odds",
    "question": "What?",
    "hint": "Look.",
    "answer": None,
    "solution": lambda _: "So.",
}


def test_an_exercise_is_called_by_its_name_in_words():
    assert Exercise(**GOOD).title == "Odds after one answer"


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("name", "Odds after"),
        ("name", "a" * 41),
        ("level", "hard"),
        ("minutes", 0),
        ("minutes", 2.5),
        ("question", " "),
        ("hint", ""),
    ],
)
def test_what_no_exercise_can_be_is_named(key, wrong):
    with pytest.raises(ValueError, match=key):
        Exercise(**GOOD | {key: wrong})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Number(float, tolerance=1), "tolerance"),
        (lambda: Number(float, tolerance=-0.1), "tolerance"),
        (lambda: Choice(("a", "a"), 0, bool), "options"),
        (lambda: Choice(("a",), 0, bool), "options"),
        (lambda: Choice(("a", "b"), 2, bool), "right"),
        (lambda: Curve("exact", within=0), "within"),
    ],
)
def test_what_no_answer_can_be_is_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize(
    ("given", "right", "accepted"),
    [(105, 100, True), (106, 100, False), (-105, -100, True), (0, 0, True), (1e-9, 0, False)],
)
def test_a_number_is_right_within_its_tolerance(given, right, accepted):
    assert Number(lambda _: right, tolerance=0.05).accepts(None, given) == accepted


def test_a_number_that_is_not_one_is_never_right():
    assert not Number(lambda _: 1.0, tolerance=0.05).accepts(None, float("nan"))
