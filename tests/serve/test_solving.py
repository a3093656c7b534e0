"""Exercises in a lecture: every one can be shown to a class, and is answered as on its page."""

import math

import pytest

from dpviz.plot.text import readable
from dpviz.scene.exercise import ChoiceAnswer, CurveAnswer, NumberAnswer
from dpviz.scene.homework import tasks
from dpviz.scene.lectures import TEXT, LectureScene
from dpviz.serve import solving
from dpviz.serve.rooms.own import Own
from tests.support.declarations import SLUGS, page

TASKS = tasks(page(slug) for slug in SLUGS)


def given(key, *, solved=True):
    return solving.given(LectureScene(TEXT, {}, "?", ask=True, exercise=key), page, solved=solved)


@pytest.mark.parametrize("key", TASKS)
def test_a_class_sees_every_exercise_and_answers_what_can_be_checked(key):
    task = TASKS[key]
    exercise, shown = task.exercise, given(key, solved=False)
    assert "$" not in shown.html
    assert f'href="/{task.topic}?view=' in shown.html
    poll = shown.step.poll
    if exercise.level in ("proof", "program") or isinstance(exercise.answer, CurveAnswer):
        assert poll is None
        return
    assert poll.right == shown.solution == ""  # nothing is given away before
    guess = Own("?", poll).for_phones()["guess"]
    if isinstance(exercise.answer, ChoiceAnswer):
        assert len(guess["options"]) == len(exercise.answer.options)
        assert not any("$" in words for words in guess["options"].values())
    else:
        assert guess["written"] == "number"
        assert exercise.answer.unit in guess["label"]


@pytest.mark.parametrize(
    "key", ["promise.a-suspicion-becomes-even", "promise.right-guesses-that-a-promise-allows"]
)
def test_a_number_is_right_within_the_tolerance_of_its_exercise(key):
    shown, exercise = given(key), TASKS[key].exercise
    poll, asked = shown.step.poll, Own("?", shown.step.poll)
    result = solving.result(page("promise"), exercise)
    assert isinstance(exercise.answer, NumberAnswer)
    right, within = exercise.answer.value(result), exercise.answer.tolerance
    assert math.isclose(float(poll.right), right, rel_tol=1e-9)
    for factor in (1, 1 + 0.9 * within, 1 - 0.9 * within, 1 + 1.1 * within):
        text = f"{factor * right:.9g} {poll.unit}"
        accepted = exercise.answer.accepts(result, exercise.answer.read(text).value)
        assert poll.is_right(asked.read(text)) == accepted
    words, truth = asked.answer
    assert words == f"{readable(right)} {poll.unit}".strip()
    assert float(truth) == float(poll.right)
    assert shown.solution == exercise.solution(result)
    assert Own.restored(asked.stored()) == asked


def test_a_choice_of_formulas_is_one_of_letters_on_phones():
    shown = given("propose_test_release.if-the-number-were-not-drawn")
    poll = shown.step.poll
    assert poll.answers == ("A", "B", "C", "D")
    assert "<p>B. It grows by a factor of at most <math" in shown.html
    assert poll.right_in_words == poll.answer == "ABCD"[int(poll.right)]


def test_an_exercise_that_is_not_there_is_said_to_be_missing():
    assert "no exercise no-such here" in given("promise.no-such").html


def test_the_solution_of_a_program_has_its_lines():
    page_ = solving.solution_html(given("promise.the-exact-epsilon-of-a-thousand-bits").solution)
    assert "<pre>import numpy as np\n" in page_
    assert solving.solution_html(r"So $\nothing$ <b>.") == r"<p>So $\nothing$ &lt;b&gt;.</p>"
