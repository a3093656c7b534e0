"""Users as dots, piled up at their sums."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Dots, Ink, Mark, Text
from dpviz.plot.text import readables
from dpviz.results.evidence import FloatArray, Subject

OUTLIER = Subject.DANGER
_DOTS = 400  # most of all


@dataclass(frozen=True, eq=False)
class Piles:
    """Where dots stand: the kind of each, the sum of its users, and its place.

    wide: of a pile; top: of the highest; per: users of a dot.
    """

    kinds: NDArray[np.int_]
    sums: FloatArray
    x: NDArray[Any]
    y: NDArray[Any]
    wide: float
    per: int

    @property
    def top(self) -> float:
        """Where the highest pile ends."""
        return float(self.y.max()) + self.wide / 2

    def dots(self, kind: int, name: str, symbol: str, about: Ink, **looks: Any) -> Mark:
        """Return the dots of one kind."""
        own = self.kinds == kind
        said = [f"{name}, sum {each}" for each in readables(self.sums[own])]
        more: Mapping[str, Any] = {"share": 0.85 * self.wide, "said": said} | looks
        return Dots(self.x[own], self.y[own], symbol=symbol, about=about, **more)

    def named(self, words: str, at: float) -> Mark:
        """Return words above the pile that is nearest to a sum."""
        pile = self.x == self.x[np.abs(self.x - at).argmin()]
        high = float(self.y[pile].max()) + 0.5 * self.wide
        return Text(words, float(self.x[pile][0]), high, to="N", about=OUTLIER, backed=True)


def piled(
    sums: FloatArray,
    kinds: NDArray[np.int_],
    *,
    ends: tuple[float, float],
    wide: float,
    highest: int,
) -> Piles:
    """Return users, ascending by sum, as dots in piles between two ends.

    Those beyond share the last pile. A dot stands for as many users as it takes for no pile to
    have more than `highest`. Users in a row that are of one kind have a dot at least.
    """
    low, end = ends

    def pile(values: FloatArray) -> NDArray[np.intp]:
        return np.minimum((values - low) // wide, (end - low) // wide).astype(np.intp)

    most = int(np.bincount(pile(sums)).max())
    per = max(math.ceil(sums.size / _DOTS), math.ceil(most / highest))
    starts = np.flatnonzero(np.diff(kinds, prepend=-1)).tolist()
    runs = list(itertools.pairwise([*starts, sums.size]))
    shown, middles = list[int](), list[FloatArray]()
    for start, stop in runs:
        dots = max(round((stop - start) / per), 1)
        shown += [int(kinds[start])] * dots
        places = start + (np.arange(dots) + 0.5) * (stop - start) / dots
        middles.append(sums[places.astype(int)])
    there = np.concatenate(middles)
    column = pile(there)
    level = np.arange(there.size) - np.searchsorted(column, column)  # ascending, as the sums are
    return Piles(
        np.array(shown),
        there,
        low + (column + 0.5) * wide,
        (level + 0.5) * wide,
        wide,
        per,
    )
