"""Exercises: what may be declared, what counts as right, and that all there are stay true."""

import importlib
import re
from functools import cache
from urllib.parse import parse_qs

import numpy as np
import pytest

from dpviz.plot.text import readable
from dpviz.results.folders import ROOT
from dpviz.scene.exercise import LEVELS, ChoiceAnswer, CurveAnswer, Exercise, NumberAnswer
from dpviz.scene.homework import tasks
from dpviz.serve import solving
from dpviz.serve.computing import Computation
from dpviz.serve.links import opened
from tests.support.declarations import SLUGS, page

TASKS = tasks(page(slug) for slug in SLUGS)
TOPICS = [slug for slug in SLUGS if slug]  # all but the home page
every_exercise = pytest.mark.parametrize("key", TASKS)
every_topic = pytest.mark.parametrize("slug", TOPICS)
_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)

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
        (lambda: NumberAnswer(float, tolerance=1), "tolerance"),
        (lambda: NumberAnswer(float, tolerance=-0.1), "tolerance"),
        (lambda: ChoiceAnswer(("a", "a"), 0, bool), "options"),
        (lambda: ChoiceAnswer(("a",), 0, bool), "options"),
        (lambda: ChoiceAnswer(("a", "b"), 2, bool), "right"),
        (lambda: CurveAnswer("exact", "n", (1, 2), 0.03, "epsilon=1"), "at"),
        (lambda: CurveAnswer("exact", "n", (1, 3, 2), 0.03, "epsilon=1"), "at"),
        (lambda: CurveAnswer("exact", "n", (1, 2, 3), 0.1, "epsilon=1"), "tolerance"),
        (lambda: CurveAnswer("exact", "n", (1, 2, 3), 0.03, ""), "beside"),
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
    assert NumberAnswer(lambda _: right, tolerance=0.05).accepts(None, given) == accepted


def test_a_number_that_is_not_one_is_never_right():
    assert not NumberAnswer(lambda _: 1.0, tolerance=0.05).accepts(None, float("nan"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5", 2.5),
        (" 12 % ", 12),
        ("1/8", 0.125),
        ("10^-6", 1e-6),
        ("1,000,000", 1e6),
        ("2,390", 2390),
        ("−1,880.5", -1880.5),
        ("2,2", 2.2),
        ("53,97", 53.97),
        ("0,125", 0.125),
        ("−3", -3),
    ],
)
def test_a_number_is_read_as_people_write_it(text, value):
    reading = NumberAnswer(float, 0.1, unit="%").read(text)
    assert (reading.value, reading.problem) == (pytest.approx(value), "")


@pytest.mark.parametrize(
    "text", ["", "abc", "1/0", "1/", "nan", "inf", "<b>1</b>", "1e999", "1,2,3", "1.2,3"]
)
def test_what_is_no_number_is_named(text):
    reading = NumberAnswer(float, 0.1).read(text)
    assert np.isnan(reading.value)
    assert "is no number; write it like 0.25" in reading.problem


@cache
def result(key):
    """The finest there is of an exercise's link without asking for more, as the app has it."""
    task = TASKS[key]
    computation = Computation(solving.scene(page(task.topic), task.exercise))
    *_, found = computation.first()
    return found


def test_the_exercises_of_a_topic_are_on_its_page():
    for file in (ROOT / "dpviz" / "topics").glob("*/exercises.py"):
        module = importlib.import_module(f"dpviz.topics.{file.parent.name}.exercises")
        assert page(file.parent.name).exercises is module.EXERCISES


@every_topic
def test_a_topic_has_six_in_rising_order(slug):
    exercises = page(slug).exercises
    assert len(exercises) == len({one.name for one in exercises}) == 6
    order = list(LEVELS)
    levels = [order.index(one.level) for one in exercises]
    assert levels == sorted(levels)
    assert set(levels) == set(range(4))


@every_exercise
def test_an_exercise_opens_the_state_it_names(key):
    task = TASKS[key]
    scene, notes = opened(page(task.topic), parse_qs(task.exercise.link))
    assert not notes
    named = {name: texts[-1] for name, texts in parse_qs(task.exercise.link).items()}
    assert named["view"] == scene.view.key
    assert named.keys() <= {"view", *scene.view.parameters}
    assert scene.is_common


@every_exercise
def test_its_answer_is_what_the_core_says(key):
    task, found = TASKS[key], result(key)
    exercise, answer = task.exercise, task.exercise.answer
    said = solving.answer(of_topic := page(task.topic), exercise, found)
    match answer:
        case NumberAnswer():
            value = answer.value(found)
            assert np.isfinite(value)
            assert solving.checked(of_topic, exercise, found, repr(value)).right
            assert not solving.checked(of_topic, exercise, found, repr(3 * value + 1)).right
            headline = solving.scene(page(task.topic), exercise).view.headline(found)
            assert not re.search(rf"(?<![\d.,]){re.escape(readable(value))}(?![\d,])", headline)
        case ChoiceAnswer():
            assert answer.shown(found)
            places = map(str, range(len(answer.options)))
            rights = [solving.checked(of_topic, exercise, found, place) for place in places]
            assert [one.right for one in rights].index(True) == answer.right
            assert said == answer.options[answer.right]
        case CurveAnswer():
            opening = solving.opening(of_topic, exercise, solved=False)
            scene = solving.scene(of_topic, exercise)
            assert opening.view is scene.view
            assert opening.values != scene.values
            drawing = solving.drawing(of_topic, exercise, found)
            assert ((drawing.marks >= -1e-9) & (drawing.marks <= 1 + 1e-9)).all()
            assert ((drawing.right > 0) & (drawing.right < 1)).all()
            assert said == drawing.in_words(drawing.right)
        case None:
            assert exercise.level in ("proof", "program")
            assert not said


@every_exercise
def test_its_solution_is_whole_and_its_program_runs(key):
    exercise, found = TASKS[key].exercise, result(key)
    text = exercise.solution(found)
    assert len(text) > 60
    assert not re.search(r"\bnan\b|undefined|∞|\bNone\b", text)
    prose = _CODE.sub("", text)
    for part in (prose, exercise.question, exercise.hint):
        assert part.count("$") % 2 == 0
    programs = _CODE.findall(text)
    assert len(programs) == (exercise.level == "program")
    for program in programs:
        names = {}
        exec(program, names)
        if exercise.answer is not None:
            assert exercise.answer.accepts(found, names["answer"])
