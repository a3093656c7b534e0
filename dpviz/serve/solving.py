"""Answers to exercises, checked against the result at the exercise's link."""

from typing import Any
from urllib.parse import parse_qs

from dpviz.plot.text import readable
from dpviz.results.evidence import Result
from dpviz.scene.exercise import Choice, Curve, Exercise, Number
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.serve.askers import Asker
from dpviz.serve.drawing import Drawing
from dpviz.serve.links import finest, scene_of

_PATIENCE = 10.0  # seconds; the links of exercises need less than one, a test sees to that


def scene(page: Page, exercise: Exercise) -> Scene:
    """Return the state that an exercise is about."""
    return scene_of(page, parse_qs(exercise.link))


def opening(page: Page, exercise: Exercise, *, solved: bool) -> Scene:
    """Return the state in which its figure opens: where it does not tell the answer yet."""
    if isinstance(exercise.answer, Curve) and not solved:
        return scene_of(page, parse_qs(exercise.link) | parse_qs(exercise.answer.beside))
    return scene(page, exercise)


def drawing(page: Page, exercise: Exercise, result: Any) -> Drawing | None:
    """Return what is to be drawn, None where the answer is no curve."""
    if not isinstance(exercise.answer, Curve):
        return None
    return Drawing.of(exercise.answer, scene(page, exercise).view, result)


def result(page: Page, exercise: Exercise, asker: Asker) -> Result | None:
    """Return what the figure shows there, None where it takes too long just now."""
    progress = finest(scene(page, exercise), _PATIENCE, asker)
    return None if progress is None else progress.result


def checked(page: Page, exercise: Exercise, result: Any, given: str) -> tuple[bool | None, str]:
    """Return whether an answer is right, None for no answer at all, and what is said of it.

    given: of a number what was typed, of a choice its place, of a curve how it is written.
    """
    if drawn := drawing(page, exercise, result):
        return drawn.checked(given)
    match exercise.answer:
        case Number() as number:
            value, wrong = number.read(given)
            if wrong:
                return None, f"{wrong}."
            if number.accepts(result, value):
                return True, ""
            return False, _off(value, number.value(result))
        case Choice() as choice:
            return given == str(choice.right), ""
    return None, ""


def _off(given: float, right: float) -> str:
    """Say in which direction a wrong number is wrong."""
    if given * right < 0:
        return "It has the wrong sign."
    return f"It is too {'large' if given > right else 'small'}."


def answer(page: Page, exercise: Exercise, result: Any) -> str:
    """Return the right answer as Markdown, "" where there is only a solution."""
    if drawn := drawing(page, exercise, result):
        return drawn.in_words(drawn.right)
    match exercise.answer:
        case Number() as number:
            return f"{readable(number.value(result))} {number.unit}".strip()
        case Choice() as choice:
            return choice.options[choice.right]
    return ""
