"""What a class has drawn before it saw a curve, and the curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray, Result
from dpviz.topics.classroom.sketches import COLUMNS, Plane, fractions, quartiles


@dataclass(frozen=True, eq=False)
class ClassSketches(Result):
    """Sketches of one vote or two over the same axes.

    rounds: the heights of each vote, a row for each phone. middle: lower quartile, median and
    upper quartile of the last vote. state: of the page, in words. exact: x and y of the curve, None
    before it is revealed; label: what it is, and sentence: what is said of it.
    """

    plane: Plane
    state: str
    rounds: tuple[FloatArray, ...]
    middle: FloatArray
    exact: tuple[FloatArray, FloatArray] | None = None
    label: str = ""
    sentence: str = ""

    @property
    def count(self) -> int:
        """How many have drawn, in the vote in which most did."""
        return max((len(heights) for heights in self.rounds), default=0)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the sketches as a table: a row for each place of each sketch that has a line."""
        x = self.plane.places
        rows = [
            (vote, phone, x[at], height)
            for vote, heights in enumerate(self.rounds, 1)
            for phone, sketch in enumerate(heights, 1)
            for at, height in enumerate(sketch)
            if np.isfinite(height)
        ]
        names = ("round", "sketch", self.plane.x.name, self.plane.y.name)
        return {name: np.array([row[at] for row in rows]) for at, name in enumerate(names)}


def class_sketches(
    plane: Plane,
    *,
    state: str,
    rounds: Sequence[Sequence[str]],
    exact: tuple[FloatArray, FloatArray] | None = None,
    label: str = "",
    sentence: str = "",
) -> ClassSketches:
    """Return what sketches say together. rounds: those of each vote, as they are written.

    state: of the page, in words. exact, label, sentence: the curve, what it is and what is said of
    it, once that is revealed. Quartiles are taken
    on the axis as it is drawn, which is where people drew. Raises `ParameterError`.
    """
    drawn = [fractions(texts) for texts in rounds]
    last = next((d for d in reversed(drawn) if len(d)), np.empty((0, COLUMNS)))
    return ClassSketches(
        plane=plane,
        state=state,
        rounds=tuple(plane.y.values(each) for each in drawn),
        middle=plane.y.values(quartiles(last)),
        exact=exact,
        label=label,
        sentence=sentence,
    )
