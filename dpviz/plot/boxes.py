"""Boxes of words in a figure: how large they are, and what of each other they cover."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpviz.plot.ink import LINE
from dpviz.results.evidence import FloatArray

LINE_LENGTH = 26  # characters in a line
_AIR = 4  # pixels between words side by side
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # no line ends there
# Nor in a short pair of brackets, nor before a number of a theorem, or a factor.
_TOGETHER = re.compile(r"\([^()]{1,11}\)|(?:Algorithm|Corollary|Lemma|Theorem|Thm|×) \d")


@dataclass(frozen=True)
class WordBox:
    """A few lines of text, and the room they take in pixels."""

    lines: tuple[str, ...]
    width: float
    height: float
    size: int

    @classmethod
    def of(cls, text: str, size: int, most: int = LINE_LENGTH) -> "WordBox":
        """Return a text in lines of at most so many characters, in letters of this size."""
        lines = _wrapped(text, most)
        return cls(tuple(lines), 0.5 * size * max(map(len, lines)), LINE * size * len(lines), size)


@dataclass(frozen=True)
class Boxes:
    """Where words may be, or are: points, how far right of them and how far down; half of sizes."""

    at: FloatArray
    offset: FloatArray
    down: FloatArray
    across: FloatArray
    up: FloatArray

    @classmethod
    def of(cls, words: Sequence[tuple[float, ...]]) -> "Boxes":
        """Return the boxes of words written one after the other."""
        return cls(*np.array(words, dtype=float).reshape(-1, 5).T)

    def at_place(self, place: int) -> tuple[float, ...]:
        """Return one of them."""
        rows = (self.at, self.offset, self.down, self.across, self.up)
        return tuple(float(row[place]) for row in rows)

    def covered(self, others: "Boxes", stretched: Sequence[float]) -> FloatArray:
        """Return how many pixels, squared, each covers of all others, at the worst of the widths.

        In a plot `stretched` times as wide only the points move.
        """
        high = (self.up[:, None] + others.up) - abs(self.down[:, None] - others.down)
        room = self.across[:, None] + others.across + _AIR
        offset, apart = self.offset[:, None] - others.offset, self.at[:, None] - others.at
        wide = np.array(stretched)[:, None, None]
        each = np.maximum(room - abs(apart * wide + offset), 0.0)
        most: FloatArray = (each * np.maximum(high, 0.0)).sum(axis=2).max(axis=0)
        return most

    def struck(self, others: "Boxes", points: FloatArray, stretched: Sequence[float]) -> FloatArray:
        """Return through which others the line from each one's point to the box runs.

        A row for each, at the worst of the widths, as in `covered`.
        """
        rise = self.down - points[1]
        enter, margin = _passes(points[1][:, None], rise[:, None], others.down, others.up)
        # A first axis for the widths: most arrays here are so small that each call costs as much.
        wide = np.array(stretched)[:, None]
        middle = wide * others.at + others.offset
        begin, end = _passes(
            (wide * points[0])[:, :, None], self.offset[:, None], middle[:, None], others.across
        )
        first, last = np.maximum(begin, enter), np.minimum(end, margin)
        found: FloatArray = ((first < last) & (first < 1) & (last > 0)).any(axis=0).astype(float)
        return found


def _passes(
    start: FloatArray, step: FloatArray, middle: FloatArray, half: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return after how many steps each start comes into each strip around a middle, and leaves."""
    along = np.where(step, step, 1e-9)
    to, reach = (middle - start) / along, half / abs(along)
    return to - reach, to + reach


def _wrapped(text: str, most: int) -> list[str]:
    lines = [""]
    for word in _TOGETHER.sub(_kept, text.replace(" = ", _EQUALS)).split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def _kept(match: re.Match[str]) -> str:
    return match[0].replace(" ", "\N{NO-BREAK SPACE}")
