"""Littlestone dimension of finite classes, exactly, and the learner that errs no more often.

A mistake tree of depth t is a binary tree of points such that each of its 2^t paths, read as
labels of its points, fits some hypothesis. The Littlestone dimension of a class is the depth of its
deepest mistake tree, and the number of mistakes that the best deterministic learner makes at worst
on examples that fit the class. Source: Littlestone 1987 (Ghazi, Kumar & Manurangsi 2021, 2.2).
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pause

_LARGEST = 2**9  # hypotheses


@dataclass(frozen=True, eq=False)
class FiniteClass:
    """A finite class of hypotheses; sets of them are the bits of whole numbers.

    labels: of each hypothesis (row) at each point (column); rows may repeat. Raises
    `ParameterError` where there is no row, or there are more than 512.
    """

    labels: NDArray[np.bool_]
    _known: dict[tuple[int, int], int | None] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.labels.ndim != 2 or not 1 <= len(self.labels) <= _LARGEST:
            raise ParameterError("labels", f"a row each for 1 to {_LARGEST}", self.labels.shape)

    @classmethod
    def of(cls, labels: ArrayLike) -> "FiniteClass":
        """Return the class of these labels, 0 and 1."""
        return cls(np.asarray(labels, dtype=bool))

    @cached_property
    def all(self) -> int:
        """The set of all hypotheses."""
        return (1 << len(self.labels)) - 1

    @cached_property
    def _ones(self) -> tuple[int, ...]:
        """For each point the set of hypotheses that label it 1."""
        return tuple(_set(column) for column in self.labels.T)

    def fitting(self, held: int, point: int, label: int) -> int:
        """Return those of the set that give the point this label."""
        return held & (self._ones[point] if label else ~self._ones[point])

    def shatters(self, held: int, depth: int) -> bool:
        """Return whether the set has a mistake tree of this depth."""
        return held != 0 if depth <= 0 else self._root(held, depth) is not None

    def dimension(self, held: int | None = None) -> int:
        """Return the Littlestone dimension of the set, of the class unless given; −1 if empty."""
        some = self.all if held is None else held
        depth = -1
        while self.shatters(some, depth + 1):
            depth += 1
        return depth

    def predict(self, held: int, point: int) -> int:
        """Return the label whose hypotheses have the larger dimension, 0 where both have the same.

        The standard optimal algorithm: if the label turns out wrong, the dimension has fallen.
        """
        zeros, ones = (self.fitting(held, point, label) for label in (0, 1))
        return int(self.dimension(ones) > self.dimension(zeros))

    def _root(self, held: int, depth: int) -> int | None:
        """Return the most even point with trees of depth − 1 on both sides, or None."""
        if depth < 1 or not held.bit_count() >> depth:  # 2^depth paths need as many hypotheses
            return None
        if (held, depth) not in self._known:
            self._known[held, depth] = self._search(held, depth)
        return self._known[held, depth]

    def _search(self, held: int, depth: int) -> int | None:
        pause()
        splits = []
        for point, ones in enumerate(self._ones):
            smaller, larger = sorted((held & ones, held & ~ones), key=int.bit_count)
            splits.append((-smaller.bit_count(), point, smaller, larger))
        for _, point, smaller, larger in sorted(splits):
            if self.shatters(smaller, depth - 1) and self.shatters(larger, depth - 1):
                return point
        return None


def _set(column: NDArray[np.bool_]) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(column))
