"""Exercises with the results at their links, and their programs."""

import importlib
import re
from functools import cache
from typing import Any

from dpviz.results.evidence import Result
from dpviz.scene.exercise import Exercise, Number
from dpviz.serve.opening import computed, opened

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
    assert isinstance(asked.answer, Number)
    return asked.answer.value(result)


def accepts(topic: str, name: str, given: float) -> bool:
    """Return whether a number is accepted."""
    asked, result = exercise(topic, name)
    assert isinstance(asked.answer, Number)
    return asked.answer.accepts(result, given)


def programmed(topic: str, name: str) -> float:
    """Return what the program of a solution leaves in `answer`."""
    asked, result = exercise(topic, name)
    (code,) = _PROGRAM.findall(asked.solution(result))
    known: dict[str, Any] = {}
    exec(code, known)
    return float(known["answer"])
