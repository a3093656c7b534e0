"""Exercises, checked against the result at their link; and how a lecture asks them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode

from dpviz.plot.formulas import FormulaError
from dpviz.plot.text import readable
from dpviz.plot.written import html
from dpviz.results.evidence import Result
from dpviz.scene.exercise import ChoiceAnswer, CurveAnswer, Exercise, NumberAnswer
from dpviz.scene.lectures import LectureScene
from dpviz.scene.page import Page
from dpviz.scene.poll import Poll
from dpviz.scene.scene import Scene
from dpviz.serve.clients import Client
from dpviz.serve.curve_task import CurveTask
from dpviz.serve.links import finest, scene_of

_PATIENCE = 10.0  # seconds; the links of exercises need less than one, a test sees to that
_CODE = re.compile(r"```\w*\n(.*?)```", re.S)


def scene(page: Page, exercise: Exercise) -> Scene:
    """Return the state that an exercise is about."""
    return scene_of(page, parse_qs(exercise.link))


def opening(page: Page, exercise: Exercise, *, solved: bool) -> Scene:
    """Return the state in which its figure opens: where it does not tell the answer yet."""
    if isinstance(exercise.answer, CurveAnswer) and not solved:
        return scene_of(page, parse_qs(exercise.link) | parse_qs(exercise.answer.beside))
    return scene(page, exercise)


def drawing(page: Page, exercise: Exercise, result: Any) -> CurveTask | None:
    """Return what is to be drawn, None where the answer is no curve."""
    if not isinstance(exercise.answer, CurveAnswer):
        return None
    return CurveTask.of(exercise.answer, scene(page, exercise).view, result)


def result(page: Page, exercise: Exercise, client: Client | None = None) -> Result | None:
    """Return what the figure shows there, None where it takes too long just now."""
    progress = finest(scene(page, exercise), _PATIENCE, client)
    return None if progress is None else progress.result


@dataclass(frozen=True)
class Checked:
    """An answer that was compared with what the core says.

    right: whether it is, None for no answer at all. comment: what is said of it. same: how it is
    written in one way, whichever it was typed in.
    """

    right: bool | None
    comment: str
    same: str = ""


def checked(page: Page, exercise: Exercise, result: Any, given: str) -> Checked:
    """Return whether an answer is right.

    given: of a number what was typed, of a choice its place, of a curve how it is written.
    """
    if drawn := drawing(page, exercise, result):
        return Checked(*drawn.checked(given), given)
    match exercise.answer:
        case NumberAnswer() as number:
            reading = number.read(given)
            if reading.problem:
                return Checked(None, f"{reading.problem}.")
            right = number.accepts(result, reading.value)
            off = "" if right else _off(reading.value, number.value(result))
            remark = " ".join(filter(None, (off, reading.note)))
            return Checked(right, remark, f"{reading.value:.12g}")
        case ChoiceAnswer() as choice:
            return Checked(given == str(choice.right), "", given)
    return Checked(None, "")


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
        case NumberAnswer() as number:
            return f"{readable(number.value(result))} {number.unit}".strip()
        case ChoiceAnswer() as choice:
            return choice.options[choice.right]
    return ""


@dataclass(frozen=True)
class Given:
    """A scene of a lecture, with the words of its exercise.

    figure: the address of the state that the exercise is about. solution: of the exercise, as
    Markdown. Both are "" where there is none.
    """

    step: LectureScene
    figure: str = ""
    solution: str = ""

    @property
    def html(self) -> str:
        """What a class sees of it."""
        way = f'<p><a href="{escape(self.figure)}" target="_blank">Open the figure</a></p>'
        return html(self.step.text) + (way if self.figure else "")


def given(step: LectureScene, find: Callable[[str], Page | None], *, solved: bool = True) -> Given:
    """Return a scene of a lecture as a class sees it: with the question of the exercise it names.

    A choice or a number is answered as a question of the lecturer's own; a proof, a program and a
    curve are there to read. find: returns the page of a topic. solved: whether the right answer and
    the solution are computed, too.
    """
    if not step.exercise:
        return Given(step)
    topic, _, name = step.exercise.partition(".")
    page = find(topic)
    exercise = next((e for e in (page.exercises if page else ()) if e.name == name), None)
    if page is None or exercise is None:
        return Given(replace(step, text=f"There is no exercise {name} here."))
    found = result(page, exercise) if solved else None
    text, poll = exercise.question, None
    if exercise.level not in ("proof", "program"):
        text, poll = _question(exercise, found)
    opened = opening(page, exercise, solved=False)
    state = {"view": opened.view.key, **opened.query}
    return Given(
        replace(step, text=text, poll=poll),
        f"/{page.slug}?{urlencode(state)}",
        "" if found is None else exercise.solution(found),
    )


def _question(exercise: Exercise, found: Result | None) -> tuple[str, Poll | None]:
    """Return the text of an exercise, and how phones answer it; no right one without a result."""
    text = exercise.question
    match exercise.answer:
        case ChoiceAnswer(options=options, right=right):
            if any("$" in option for option in options):  # buttons have no formulas
                letters = tuple(chr(ord("A") + place) for place in range(len(options)))
                listed = (f"{one}. {words}" for one, words in zip(letters, options, strict=True))
                text, options = "\n\n".join((text, *listed)), letters
            return text, Poll("choice", options, "" if found is None else str(right))
        case NumberAnswer() as number if found is None:
            return text, Poll("number", unit=number.unit)
        case NumberAnswer() as number:
            value = number.value(found)
            within = number.tolerance * abs(value)
            poll = Poll("number", right=f"{value:.12g}", within=within, unit=number.unit)
            return text, replace(poll, words=readable(value))
    return text, None


def solution_html(text: str) -> str:
    """Return a solution as HTML; programs in it, and formulas that cannot be drawn, as they are."""
    parts = []
    for place, part in enumerate(_CODE.split(text)):
        if place % 2:
            parts.append(f"<pre>{escape(part)}</pre>")
            continue
        try:
            parts.append(html(part))
        except FormulaError:
            parts.append(f"<p>{escape(part)}</p>")
    return "".join(parts)
