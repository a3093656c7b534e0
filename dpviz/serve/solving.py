"""Answers to exercises, checked against the result at the exercise's link."""

from typing import Any
from urllib.parse import parse_qs

from dpviz.plot.text import readable
from dpviz.results.evidence import Result
from dpviz.scene.exercise import Choice, Exercise, Number
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene
from dpviz.serve.askers import Asker
from dpviz.serve.links import finest, scene_of

_PATIENCE = 10.0  # seconds; the links of exercises need less than one, a test sees to that


def scene(page: Page, exercise: Exercise) -> Scene:
    """Return the state that an exercise is about."""
    return scene_of(page, parse_qs(exercise.link))


def result(page: Page, exercise: Exercise, asker: Asker) -> Result | None:
    """Return what the figure shows there, None where it takes too long just now."""
    progress = finest(scene(page, exercise), _PATIENCE, asker)
    return None if progress is None else progress.result


def checked(exercise: Exercise, result: Any, given: str) -> tuple[bool | None, str]:
    """Return whether an answer is right, None for no answer at all, and what is said of it.

    given: of a number what was typed, of a choice its place.
    """
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


def answer(exercise: Exercise, result: Any) -> str:
    """Return the right answer as Markdown, "" where there is only a solution."""
    match exercise.answer:
        case Number() as number:
            return f"{readable(number.value(result))} {number.unit}".strip()
        case Choice() as choice:
            return choice.options[choice.right]
    return ""
