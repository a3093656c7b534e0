"""Exercises with the results at their links, and their programs."""

import importlib
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dpviz.results.evidence import FloatArray, Result
from dpviz.scene.exercise import Exercise, NumberAnswer
from dpviz.serve import solving
from dpviz.serve.link_results import computed, opened
from dpviz.topics.classroom.sketches import STEPS
from tests.support.declarations import page

_PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)


@cache
def exercise(topic: str, name: str) -> tuple[Exercise, Any]:
    """Return an exercise of a topic, and the result at its link, which must open as it is."""
    declared = importlib.import_module(f"dpviz.topics.{topic}.exercises").EXERCISES
    asked = next(one for one in declared if one.name == name)
    scene, notes = opened(f"{topic}?{asked.link}")
    assert not notes
    result: Result = computed(scene).result
    return asked, result


def answer(topic: str, name: str) -> float:
    """Return the right number."""
    asked, result = exercise(topic, name)
    assert isinstance(asked.answer, NumberAnswer)
    return asked.answer.value(result)


def accepts(topic: str, name: str, given: float) -> bool:
    """Return whether a number is accepted."""
    asked, result = exercise(topic, name)
    assert isinstance(asked.answer, NumberAnswer)
    return asked.answer.accepts(result, given)


def sketch(topic: str, name: str, heights: Callable[[FloatArray], FloatArray]) -> str:
    """Return a curve over the axes of an exercise as a reader would have drawn it."""
    asked, result = exercise(topic, name)
    plane = solving.drawing(page(topic), asked, result).plane
    parts = np.clip(plane.y.parts(heights(plane.places)), 0, 1)
    return "".join(np.base_repr(round(part * STEPS), 36).lower().rjust(2, "0") for part in parts)


def takes(topic: str, name: str, heights: Callable[[FloatArray], FloatArray]) -> bool | None:
    """Return whether a drawn curve is accepted. heights: its y at each x."""
    asked, result = exercise(topic, name)
    return solving.checked(page(topic), asked, result, sketch(topic, name, heights)).right


def programmed(topic: str, name: str) -> float:
    """Return what the program of a solution leaves in `answer`."""
    asked, result = exercise(topic, name)
    (code,) = _PROGRAM.findall(asked.solution(result))
    known: dict[str, Any] = {}
    exec(code, known)
    return float(known["answer"])
