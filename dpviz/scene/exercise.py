"""An exercise: a question about one state of a page, an answer that is checked, a solution.

A topic declares its own in `exercises.py` beside its views, and the file of its page lists them.
Answers and the numbers of solutions are taken from the result at the exercise's link, so that they
stay true when the core changes.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpviz.scene.arithmetic import ReadNumber, read

LEVELS = {
    "warm-up": "Warm-up",
    "work": "To work out",
    "proof": "To prove",
    "program": "To program",
}
"""What an exercise asks of a student, in rising order, and how the app calls it."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 40  # characters
_PATIENCE = 240  # minutes, at most
_ROUNDING = 1e-9
_LEAST_PLACES = 3  # where a curve is compared
_WIDEST = 0.1  # of an axis's height
LONGEST_ANSWER = 40  # characters of a number


@dataclass(frozen=True)
class NumberAnswer:
    """A number to be typed.

    value: the right one, from the result at the link. tolerance: how far from it an answer may lie,
    as a part of it: 0.05 accepts 5 % more or less. unit: in which it is asked, "" for a plain
    number; the question names it as well.
    """

    value: Callable[[Any], float]
    tolerance: float
    unit: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be from 0 to below 1; got {self.tolerance!r}")

    def read(self, text: str) -> ReadNumber:
        """Return what a text was read as, in the unit of the answer."""
        return read(text, self.unit)

    def accepts(self, result: Any, given: float) -> bool:
        """Return whether a number is right, given the result at the link."""
        right = self.value(result)
        return abs(given - right) <= (self.tolerance + _ROUNDING) * abs(right)


@dataclass(frozen=True)
class ChoiceAnswer:
    """One of several options.

    right: the place of the right one, from 0. shown: tells of the result at the link whether it
    bears that out; a test asks it, so that a changed figure cannot leave a wrong answer behind.
    """

    options: tuple[str, ...]
    right: int
    shown: Callable[[Any], bool]

    def __post_init__(self) -> None:
        if len(set(self.options)) != len(self.options) or len(self.options) < 2:
            raise ValueError(f"options must be two or more different texts; got {self.options!r}")
        if self.right not in range(len(self.options)):
            raise ValueError(f"right must be the place of an option; got {self.right!r}")


@dataclass(frozen=True)
class CurveAnswer:
    """A curve to be drawn over the axes of the figure at the link.

    key: that of the right one in the chart. symbol: of the x axis, in words like "at n = 10". at:
    where a drawn one is compared with it. tolerance: how far from it a drawn one may lie there, as
    a part of the axis's height as it is drawn. beside: what is different, as a query, in the state
    that the figure opens in before the reader has answered, as it shows the curve itself.
    """

    key: str
    symbol: str
    at: tuple[float, ...]
    tolerance: float
    beside: str

    def __post_init__(self) -> None:
        if len(self.at) < _LEAST_PLACES or list(self.at) != sorted(set(self.at)):
            raise ValueError(f"at must be {_LEAST_PLACES} places at least, rising; got {self.at!r}")
        if not 0 < self.tolerance < _WIDEST:
            raise ValueError(
                f"tolerance must be above 0 and below {_WIDEST}; got {self.tolerance!r}"
            )
        if not self.beside.strip():
            raise ValueError(f"beside must say where the figure opens; got {self.beside!r}")


RightAnswer = NumberAnswer | ChoiceAnswer | CurveAnswer


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A question about one state of a page.

    name: short, in kebab case; part of its address, unique in its topic, and in words its title.
    level: one of `LEVELS`. minutes: about how long it takes.
    link: the state it is about, as the query of an address: "view=odds&epsilon=1".
    question, hint: Markdown, formulas between dollar signs; all that is needed to answer is said
    there or seen at the link.
    answer: what the app checks; None where there is only a solution to compare with.
    solution: Markdown, with its numbers taken from the result at the link. Python in it runs; that
    of a program whose answer is a number leaves it in `answer`.
    """

    name: str
    level: str
    minutes: int
    link: str
    question: str
    hint: str
    answer: RightAnswer | None
    solution: Callable[[Any], str]

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST_NAME:
            raise ValueError(
                f"name must be in kebab case, of at most {_LONGEST_NAME} characters; "
                f"got {self.name!r}"
            )
        if self.level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}; got {self.level!r}")
        if not 1 <= self.minutes <= _PATIENCE or self.minutes != math.floor(self.minutes):
            raise ValueError(
                f"minutes must be a whole number from 1 to {_PATIENCE}; got {self.minutes!r}"
            )
        if not self.question.strip() or not self.hint.strip():
            raise ValueError(f"question and hint must say something; exercise {self.name!r}")

    @property
    def title(self) -> str:
        """Its name in words: "Odds after ten answers"."""
        words = self.name.replace("-", " ")
        return words[0].upper() + words[1:]
