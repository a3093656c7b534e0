"""All data sets of n users with m coin tosses each, up to what a private algorithm need not see.

A user's tosses are independent, so that only how many of them show heads tells the coins apart, and
the order of the users says nothing: a data set is a multiset of n counts from 0 to m. An algorithm
that looks at more can be averaged over all orders, and is as private and as good.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb, gammaln
from scipy.stats import binom

from dpviz.results.evidence import FloatArray

Indices = NDArray[np.intp]


def how_many_pairs(users: int, examples: int) -> int:
    """Return the number of ordered pairs of neighbouring data sets, C(n − 1 + m, m)·m(m + 1)."""
    return math.comb(users - 1 + examples, examples) * examples * (examples + 1)


@dataclass(frozen=True, eq=False)
class DataSets:
    """The data sets of n = `users` users with m = `examples` tosses each, in a fixed order."""

    users: int
    examples: int

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many users hold c heads, c = 0, ..., m: a row for each data set."""
        bars = _bars(self.users, self.examples)
        edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=-1)
        edges[:, -1] = self.users + self.examples
        counts = np.diff(edges, axis=1) - 1
        return np.asarray(counts[np.argsort(self.index(counts))])

    def index(self, counts: NDArray[np.int64]) -> Indices:
        """Return the places of data sets in the order: the combinatorial number system."""
        steps = np.arange(self.examples)
        bars = np.cumsum(counts[:, :-1], axis=1) + steps
        table = np.rint(comb(np.arange(self.users + self.examples + 1)[:, None], steps + 1))
        return np.asarray(table[bars, steps].sum(axis=1), dtype=np.intp)

    @cached_property
    def mirror(self) -> Indices:
        """The place of each data set with heads and tails exchanged."""
        return self.index(self.counts[:, ::-1])

    @cached_property
    def neighbours(self) -> tuple[Indices, Indices]:
        """Every ordered pair of data sets that differ in one user (substitution), as two arrays."""
        fewer = DataSets(self.users - 1, self.examples).counts
        one_user = np.eye(self.examples + 1, dtype=np.int64)  # with 0, ..., m heads
        places = np.stack([self.index(fewer + user) for user in one_user])
        pairs = list(itertools.permutations(range(self.examples + 1), 2))
        first, second = np.array(pairs).T
        return places[first].ravel(), places[second].ravel()

    def law(self, rate: float) -> FloatArray:
        """Return the probability of each data set if heads come with probability `rate`.

        The relative error is below 1e-11 (gammaln, and logarithms of less than 1e3).
        """
        log_user = binom.logpmf(np.arange(self.examples + 1), self.examples, rate)
        orders = gammaln(self.users + 1) - gammaln(self.counts + 1).sum(axis=1)
        return np.asarray(np.exp(orders + self.counts @ log_user))


def _bars(users: int, examples: int) -> NDArray[np.int64]:
    """Return where the m bars stand among n stars, for every way to put them."""
    ways = itertools.combinations(range(users + examples), examples)
    return np.array(list(ways), dtype=np.int64).reshape(-1, examples)
