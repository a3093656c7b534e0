"""What a user's examples count in every comparison of two candidates, on fresh users.

A row is a number for each example; what is clipped is its sum over a user's m examples. Rows are
few enough to be computed for many users at once: comparisons that are equal are one row.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.topics.user_complexity.gaussian_pairs import features

Sums = NDArray[np.float32]
BLOCK = 2**20
"""How many numbers are computed at once."""


class ExampleRows(Protocol):
    """Rows, and users drawn from the truth."""

    @property
    def extremes(self) -> FloatArray:
        """The least and the greatest number of each row, (rows, 2)."""

    @property
    def numbers(self) -> tuple[int, int]:
        """How many numbers `sums` computes for each user, and for each example."""

    def sums(self, rng: np.random.Generator, *, users: int, examples: int) -> Sums:
        """Return each fresh user's sum of each row: (users, rows)."""

    def pooled(self, rng: np.random.Generator, *, users: int, examples: int) -> FloatArray:
        """Return the sum of each row over all examples of fresh users."""


@dataclass(frozen=True, eq=False)
class CellRows:
    """Rows on a finite domain. law: the truth, (cells,). columns: (cells, rows)."""

    law: FloatArray
    columns: Sums

    @cached_property
    def extremes(self) -> FloatArray:
        """The least and the greatest number of each row, (rows, 2)."""
        possible = self.columns[self.law > 0].astype(float)
        return np.stack([possible.min(axis=0), possible.max(axis=0)], axis=1)

    @property
    def numbers(self) -> tuple[int, int]:
        """How many numbers `sums` computes for each user, and for each example."""
        return self.columns.shape[1], 0

    def sums(self, rng: np.random.Generator, *, users: int, examples: int) -> Sums:
        """Return each fresh user's sum of each row: (users, rows)."""
        counts = rng.multinomial(examples, self.law, size=users).astype(np.float32)
        return np.asarray(counts @ self.columns)

    def pooled(self, rng: np.random.Generator, *, users: int, examples: int) -> FloatArray:
        """Return the sum of each row over all examples of fresh users."""
        return np.asarray(rng.multinomial(users * examples, self.law) @ self.columns, dtype=float)


@dataclass(frozen=True, eq=False)
class WallRows:
    """Rows that tell on which side of a wall an example of a Gaussian lies.

    mean, root: of the truth, with covariance root·rootᵀ. walls: (features + 1, walls), an example
    is inside where the features times it, plus the last entry, are above 0. Row r counts
    signs[r]·(shares[r] − 1[inside wall of_row[r]]).
    """

    mean: FloatArray
    root: FloatArray
    walls: Sums
    of_row: NDArray[np.intp]
    shares: Sums
    signs: Sums

    @cached_property
    def extremes(self) -> FloatArray:
        """The least and the greatest number of each row, (rows, 2)."""
        ends = self.signs[:, None] * (self.shares[:, None] - np.array([0.0, 1.0]))
        return np.sort(ends, axis=1)

    @property
    def numbers(self) -> tuple[int, int]:
        """How many numbers `sums` computes for each user, and for each example."""
        return self.of_row.size, self.walls.shape[1]

    def sums(self, rng: np.random.Generator, *, users: int, examples: int) -> Sums:
        """Return each fresh user's sum of each row: (users, rows)."""
        inside = self._inside(rng, users * examples).reshape(users, examples, -1)
        counts = inside.sum(axis=1, dtype=np.uint16).astype(np.float32)
        sums: Sums = self.signs * (np.float32(examples) * self.shares - counts[:, self.of_row])
        return sums

    def pooled(self, rng: np.random.Generator, *, users: int, examples: int) -> FloatArray:
        """Return the sum of each row over all examples of fresh users."""
        total = users * examples
        size = max(1, BLOCK // self.walls.shape[1])
        counts = np.zeros(self.walls.shape[1])
        for start in range(0, total, size):
            counts += self._inside(rng, min(size, total - start)).sum(axis=0, dtype=np.int64)
        return np.asarray(self.signs * (total * self.shares - counts[self.of_row]), dtype=float)

    def _inside(self, rng: np.random.Generator, points: int) -> NDArray[np.uint8]:
        d = self.mean.size
        z = rng.standard_normal((points, d)) @ self.root.T + self.mean
        listed = features(z, products=self.walls.shape[0] > d + 1).astype(np.float32)
        return np.asarray(listed @ self.walls[:-1] > -self.walls[-1]).view(np.uint8)
