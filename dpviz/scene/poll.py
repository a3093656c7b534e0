"""A question of a lecture in the lecturer's own words, or in those of an exercise."""

import math
from dataclasses import dataclass, fields

from dpviz.results.numbers import read_number
from dpviz.scene.codec import quote
from dpviz.scene.reading import LectureError, damaged, finite, text, whole

LONGEST_PROMPT = 400  # characters
LONGEST_CHOICE = 100
MOST_CHOICES = 8
LONGEST_COUNTDOWN = 3600  # seconds


@dataclass(frozen=True)
class Poll:
    """What a lecturer asks in their own words, and how it is answered.

    kind: "choice" among `answers`, a "number", or "words". right: the place of the right answer,
    from 0, or the number as text; "" where nothing is right or wrong. within: how far a number may
    be from it. because: what is said once it is revealed. seconds: of a countdown, 0 for none.
    unit: of a number, "" for none. words: how the right number is said, "" for as it stands.
    """

    kind: str
    answers: tuple[str, ...] = ()
    right: str = ""
    within: float = 0.0
    because: str = ""
    seconds: int = 0
    unit: str = ""
    words: str = ""

    @property
    def answer(self) -> str:
        """The right answer as one would give it, "" where there is none."""
        if self.right and self.kind == "choice":
            return self.answers[int(self.right)]
        return self.right

    @property
    def said(self) -> str:
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
    if poll.kind == "number" and poll.right and not math.isfinite(read_number(poll.right)):
        raise LectureError(f"The right answer is no number: {quote(poll.right)}.")
    return poll
