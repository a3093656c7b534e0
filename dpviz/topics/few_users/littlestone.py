"""Littlestone dimension of finite classes, exactly: mistake trees, and the learner that meets them.

A mistake tree of depth t is a binary tree of points such that each of its 2^t paths, read as
labels of its points, fits some hypothesis. The Littlestone dimension of a class is the depth of its
deepest mistake tree, and the number of mistakes that the best deterministic learner makes at worst
on examples that fit the class. Source: Littlestone 1987 (Ghazi, Kumar & Manurangsi 2021, 2.2).
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import pause

MISTAKE_CLASSES = {
    "thresholds": "Thresholds",
    "points": "Points",
    "paths": "Paths of a tree",
    "sparse": "Few ones",
    "random": "Random labels",
}
"""The classes by name."""

SPARSE_POINTS = 8
"""Points of the class of few ones."""

RANDOM_POINTS = 12
"""Points of the class of random labels."""

_LARGEST = 2**9  # hypotheses


def mistake_class(name: str, *, depth: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return the labels of each hypothesis (row) at each point (column); d = depth.

    thresholds: 1[x >= t], 2^d of them on 2^d − 1 points. points: 1[x = a], 2^d of them. paths: the
    2^d ways from the root of a complete binary tree of depth d to a leaf, with the labels taken on
    the way and 0 at all other nodes. sparse: all labellings of 8 points with at most d ones.
    random: 2^d labellings of 12 points by coins of rng, each once. Raises `ParameterError`.
    """
    d = int(LIMITS["depth"].validate(depth))
    size = 2**d
    match name:
        case "thresholds":
            return np.asarray(np.arange(size - 1) >= np.arange(size)[:, None])
        case "points":
            return np.eye(size, dtype=bool)
        case "paths":
            return _paths(d)
        case "sparse":
            sizes = range(d + 1)
            hypotheses = [ones for k in sizes for ones in combinations(range(SPARSE_POINTS), k)]
            labels = np.zeros((len(hypotheses), SPARSE_POINTS), dtype=bool)
            for row, ones in zip(labels, hypotheses, strict=True):
                row[list(ones)] = True
            return labels
        case "random":
            chosen = rng.choice(2**RANDOM_POINTS, size=size, replace=False)
            return np.asarray((chosen[:, None] >> np.arange(RANDOM_POINTS)) & 1 == 1)
    raise ParameterError("class", f"one of {', '.join(MISTAKE_CLASSES)}", name)


def _paths(depth: int) -> NDArray[np.bool_]:
    """Return the labels of all paths: node i has the children 2i + 1 (by 0) and 2i + 2 (by 1)."""
    labels = np.zeros((2**depth, 2**depth - 1), dtype=bool)
    for leaf, row in enumerate(labels):
        node = 0
        for level in reversed(range(depth)):
            row[node] = leaf >> level & 1
            node = 2 * node + 1 + int(row[node])
    return labels


@dataclass(frozen=True)
class Node:
    """An inner node of a mistake tree: a point, and what follows its labels 0 and 1, if anything.

    left: how many hypotheses still fit.
    """

    point: int
    left: int
    children: tuple["Node | None", "Node | None"]


@dataclass(frozen=True)
class Round:
    """One round of a game: a point, the label the learner predicts, and the true one.

    left: how many hypotheses fit afterwards.
    """

    point: int
    predicted: int
    label: int
    left: int


@dataclass(frozen=True, eq=False)
class FiniteClass:
    """A finite class of hypotheses; sets of them are the bits of whole numbers.

    labels: of each hypothesis (row) at each point (column); rows may repeat. Raises
    `ParameterError` where there is no row, or there are more than 512.
    """

    labels: NDArray[np.bool_]
    _roots: dict[tuple[int, int], int | None] = field(default_factory=dict, repr=False)

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

    def fitting(self, hypotheses: int, point: int, label: int) -> int:
        """Return those of the set that give the point this label."""
        return hypotheses & (self._ones[point] if label else ~self._ones[point])

    def shatters(self, hypotheses: int, depth: int) -> bool:
        """Return whether the set has a mistake tree of this depth."""
        return hypotheses != 0 if depth <= 0 else self._root(hypotheses, depth) is not None

    def dimension(self, hypotheses: int | None = None) -> int:
        """Return the Littlestone dimension of the set, of the class unless given; −1 if empty."""
        some = self.all if hypotheses is None else hypotheses
        depth = -1
        while self.shatters(some, depth + 1):
            depth += 1
        return depth

    def predict(self, hypotheses: int, point: int) -> int:
        """Return the label whose hypotheses have the larger dimension, 0 where both have the same.

        The standard optimal algorithm: if the label turns out wrong, the dimension has fallen.
        """
        zeros, ones = (self.fitting(hypotheses, point, label) for label in (0, 1))
        return int(self.dimension(ones) > self.dimension(zeros))

    def tree(self, hypotheses: int, depth: int) -> Node | None:
        """Return a mistake tree of this depth; None is the tree of depth 0, a leaf.

        Of the points that may stand at a node the one that splits the hypotheses most evenly does.
        Raises `ParameterError` where there is no such tree.
        """
        if depth == 0 and hypotheses:
            return None
        pause()
        point = self._root(hypotheses, depth)
        if point is None:
            raise ParameterError("depth", f"from 0 to {self.dimension(hypotheses)}", depth)
        sides = (self.fitting(hypotheses, point, label) for label in (0, 1))
        low, high = (self.tree(side, depth - 1) for side in sides)
        return Node(point, hypotheses.bit_count(), (low, high))

    def _root(self, hypotheses: int, depth: int) -> int | None:
        """Return the most even point with trees of depth − 1 on both sides, or None."""
        if depth < 1 or not hypotheses.bit_count() >> depth:  # 2^depth paths need as many
            return None
        if (hypotheses, depth) not in self._roots:
            self._roots[hypotheses, depth] = self._search(hypotheses, depth)
        return self._roots[hypotheses, depth]

    def _search(self, hypotheses: int, depth: int) -> int | None:
        pause()
        splits = []
        for point, ones in enumerate(self._ones):
            smaller, larger = sorted((hypotheses & ones, hypotheses & ~ones), key=int.bit_count)
            splits.append((-smaller.bit_count(), point, smaller, larger))
        for _, point, smaller, larger in sorted(splits):
            if self.shatters(smaller, depth - 1) and self.shatters(larger, depth - 1):
                return point
        return None


def _set(column: NDArray[np.bool_]) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(column))


# ---- the game ----------------------------------------------------------------------------------


def along_the_tree(concept: FiniteClass) -> tuple[Round, ...]:
    """Play the standard optimal algorithm against the adversary who walks down a mistake tree.

    The label is always the other one than predicted, so every round is a mistake: as many as the
    dimension.
    """
    hypotheses, rounds = concept.all, []
    node = concept.tree(hypotheses, concept.dimension())
    while node is not None:
        label = concept.predict(hypotheses, node.point)
        hypotheses = concept.fitting(hypotheses, node.point, 1 - label)
        rounds.append(Round(node.point, label, 1 - label, hypotheses.bit_count()))
        node = node.children[1 - label]
    return tuple(rounds)
