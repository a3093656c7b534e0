"""A question of a lecture in the lecturer's own words, or in those of an exercise."""

import math
import sys
from dataclasses import dataclass, fields

from dpviz.plot.text import readable
from dpviz.results.numbers import read_number
from dpviz.scene.codec import quote
from dpviz.scene.lecture_checks import LectureError, damaged, finite, text, whole

LONGEST_PROMPT = 400  # characters
LONGEST_CHOICE = 100
MOST_CHOICES = 8
LONGEST_COUNTDOWN = 3600  # seconds
_MOST = 1e12  # of a number, where no range is said; or so many times the right one
_BEYOND = 1e3
_WIDEST = 1e300


@dataclass(frozen=True)
class Poll:
    """What a lecturer asks in their own words, and how it is answered.

    kind: "choice" among `answers`, a "number", or "words". right: the place of the right answer,
    from 0, or the number as text; "" where nothing is right or wrong. within: how far a number may
    be from it. because: what is said once it is revealed. seconds: of a countdown, 0 for none.
    unit: of a number, "" for none. words: how the right number is said, "" for as it stands.
    span: the least and the greatest number that is taken, nothing for `range`.
    """

    kind: str
    answers: tuple[str, ...] = ()
    right: str = ""
    within: float = 0.0
    because: str = ""
    seconds: int = 0
    unit: str = ""
    words: str = ""
    span: tuple[float, ...] = ()

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest number that is taken."""
        if self.span:
            return self.span[0], self.span[1]
        right = abs(read_number(self.right)) if self.kind == "number" and self.right else 0.0
        most = max(_MOST, min(_BEYOND * right, sys.float_info.max / 2))
        return -most, most

    @property
    def label(self) -> str:
        """What stands at the field for a number, with its unit and its range where it has them."""
        unit = f", in {self.unit}" if self.unit else ""
        ends = f", from {' to '.join(map(readable, self.span))}" if self.span else ""
        return f"Your number{unit}{ends}"

    @property
    def answer(self) -> str:
        """The right answer as one would give it, "" where there is none."""
        if self.right and self.kind == "choice":
            return self.answers[int(self.right)]
        return self.right

    @property
    def right_in_words(self) -> str:
        """The right answer in words, "" where there is none."""
        if self.kind == "choice":
            return self.lettered().get(self.answer, "")
        number = self.words or self.right
        return f"{number} {self.unit}".strip() if number else ""

    def lettered(self) -> dict[str, str]:
        """Return the answers to choose from, and each with its letter, unless it is one."""
        letters = [chr(ord("A") + place) for place in range(len(self.answers))]
        return {
            answer: answer if answer == letter else f"{letter}. {answer}"
            for letter, answer in zip(letters, self.answers, strict=True)
        }

    def is_right(self, given: str) -> bool:
        """Return whether an answer, a number as text, is right."""
        if self.kind == "number" and self.right:
            return abs(read_number(given) - read_number(self.right)) <= self.within
        return bool(self.right) and given == self.answer


_POLL = tuple(field.name for field in fields(Poll))


def poll_of(data: object) -> Poll:
    """Return a question of somebody's own, of a mapping or a list. Raises `LectureError`."""
    if isinstance(data, list):
        data = dict(zip(_POLL, data, strict=False))
    if not isinstance(data, dict) or set(data) - set(_POLL):
        raise damaged()
    if not isinstance(data.get("answers", []), list):
        raise damaged()
    poll = Poll(
        text(data.get("kind"), LONGEST_PROMPT),
        tuple(text(answer, LONGEST_CHOICE) for answer in data.get("answers", ())),
        text(data.get("right", ""), LONGEST_CHOICE),
        finite(data.get("within", 0.0)),
        text(data.get("because", ""), LONGEST_PROMPT),
        whole(data.get("seconds", 0), LONGEST_COUNTDOWN),
        text(data.get("unit", ""), LONGEST_CHOICE),
        text(data.get("words", ""), LONGEST_CHOICE),
        _span(data.get("span", [])),
    )
    if poll.kind not in ("choice", "number", "words"):
        raise damaged()
    if poll.kind == "choice":
        if not 2 <= len(set(poll.answers)) == len(poll.answers) <= MOST_CHOICES:
            raise LectureError(f"A choice has 2 to {MOST_CHOICES} answers, no two of them alike.")
        if poll.right and poll.right not in map(str, range(len(poll.answers))):
            raise damaged()
    elif poll.answers or (poll.kind == "words" and poll.right):
        raise damaged()
    if poll.span and poll.kind != "number":
        raise damaged()
    if poll.kind == "number" and poll.right and not math.isfinite(read_number(poll.right)):
        raise LectureError(f"The right answer is no number: {quote(poll.right)}.")
    if poll.span and poll.right and not poll.span[0] <= read_number(poll.right) <= poll.span[1]:
        raise LectureError("The right number must lie within the range that is taken.")
    return poll


def _span(data: object) -> tuple[float, ...]:
    if not isinstance(data, list) or len(data) not in (0, 2):
        raise damaged()
    span = tuple(map(finite, data))
    if span and not -_WIDEST <= span[0] < span[1] <= _WIDEST:
        raise LectureError("The least number must lie below the greatest.")
    return span
