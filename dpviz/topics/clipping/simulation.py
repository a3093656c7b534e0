"""How well clipped selection does over fresh data: Monte Carlo with intervals valid at any time.

The law of the answer given the data is computed, not drawn, so that a run contributes an expected
error or a probability of success: numbers in [0, 1].
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate, validate_array
from dpviz.results.refining import Steps, whole
from dpviz.topics.clipping.tasks import Task

_BATCH = 25
_NEGLIGIBLE = 1e-20  # mass of user types that are left out
# Sums of one block of users, and of how many columns of these at a time: they stay, with what they
# are made of, in the processor's cache.
_BLOCK, _WIDTH = 2**16, 512
_AT_ONCE = 4_000_000  # numbers computed in about a twentieth of a second


class Scorer:
    """Scores at several thresholds, of given users or of n fresh ones with m examples each.

    thresholds: every τ for which scores are wanted. Fresh users are drawn in the cheapest way
    that is exact: without clipping all examples at once; if only two cells occur, how many users
    are of each type; otherwise one by one.
    """

    def __init__(
        self,
        task: Task,
        *,
        examples_per_user: float,
        thresholds: FloatArray,
    ) -> None:
        self.task = task
        self.m = int(validate("examples_per_user", examples_per_user))
        self.thresholds = validate_array("threshold", np.atleast_1d(thresholds))
        cells = self._cells = np.flatnonzero(task.law > 0)
        self._law = task.law[cells] / task.law[cells].sum()
        # Many pairs of candidates are compared in the same way, or the other way round: clipping to
        # ±τ keeps the sign, and rows that are clipped at 0 have no negative number.
        rows = task.rows[:, cells]
        leading = np.take_along_axis(rows, np.argmax(rows != 0, axis=1)[:, None], axis=1)
        signs = np.where(leading < 0, -1.0, 1.0)
        self._sign_of_pair = signs[:, 0]
        rows, self._row_of_pair = np.unique(rows * signs, axis=0, return_inverse=True)
        self._columns: FloatArray = np.ascontiguousarray(rows.T)
        self._pooled = bool(np.all(self.thresholds >= self.m))
        self._by_type = not self._pooled and cells.size == 2

    @property
    def work(self) -> float:
        """Numbers to be computed for each user of a fresh data set."""
        if self._pooled or self._by_type:
            return 1.0
        return float(sum(self._columns.shape) * self.thresholds.size)

    def batch(self, users: int) -> int:
        """Return how many fresh data sets of n users take about a twentieth of a second."""
        affordable = int(_AT_ONCE / (users * self.work))
        return max(1, min(_BATCH, affordable))

    @cached_property
    def sensitivities(self) -> FloatArray:
        """What the mechanism divides by at each threshold."""
        return self.task.sensitivities(self.thresholds, examples_per_user=self.m)

    def scores_of(self, users: NDArray[Any]) -> FloatArray:
        """Return the scores on given users, as counts of the task's cells: (τ, candidates)."""
        return self.scores_from(self.totals_of(users))

    def totals_of(self, users: NDArray[Any]) -> FloatArray:
        """Return the clipped sums that make the scores of given users: (τ, sums).

        Those of several groups of users add up to those of all of them.
        """
        return whole(self.totals_steps(users))

    def totals_steps(self, users: NDArray[Any]) -> Steps[FloatArray]:
        """Compute `totals_of` with a pause before every block of users."""
        size = self._block_size
        starts = range(0, len(users), size)
        return self._totals(users[start : start + size, self._cells] for start in starts)

    def scores_from(self, totals: FloatArray) -> FloatArray:
        """Return the scores, from sums as `totals_of` returns them."""
        return self.task.collapse(totals[..., self._row_of_pair] * self._sign_of_pair)

    def scores(self, rng: np.random.Generator, *, users: int, runs: int) -> FloatArray:
        """Return the scores of fresh data sets: shape (runs, thresholds, candidates)."""
        return whole(self.scores_steps(rng, users=users, runs=runs))

    def scores_steps(self, rng: np.random.Generator, *, users: int, runs: int) -> Steps[FloatArray]:
        """Compute `scores` with a pause before every block of users."""
        if self._pooled:
            examples = rng.multinomial(users * self.m, self._law, size=runs)
            totals = np.repeat((examples @ self._columns)[:, None], self.thresholds.size, axis=1)
        elif self._by_type:
            probabilities, sums = self._types
            drawn = rng.multinomial(users, probabilities, size=runs).astype(float)
            totals = np.stack([drawn @ clipped for clipped in sums], axis=1)
        else:
            found = []
            for _ in range(runs):
                one = yield from self._totals(self._drawn(rng, users))
                found.append(one)
            totals = np.stack(found)
        return self.scores_from(totals)

    def probabilities(
        self, rng: np.random.Generator, *, users: int, runs: int, epsilon: float
    ) -> FloatArray:
        """Return the law of the selected candidate on fresh data, in the shape of `scores`."""
        return whole(self.probabilities_steps(rng, users=users, runs=runs, epsilon=epsilon))

    def probabilities_steps(
        self, rng: np.random.Generator, *, users: int, runs: int, epsilon: float
    ) -> Steps[FloatArray]:
        """Compute `probabilities` with the pauses of `scores_steps`."""
        scores = yield from self.scores_steps(rng, users=users, runs=runs)
        return selection_laws(scores, sensitivities=self.sensitivities, epsilon=epsilon)

    @cached_property
    def _types(self) -> tuple[FloatArray, list[FloatArray]]:
        """Return the probability of every type of user, and its clipped sums for each threshold.

        Types of a mass below 1e-20 together are left out: n users then follow another law than
        they should with probability at most n · 1e-20.
        """
        number = stats.binom(self.m, self._law[0])
        low, high = number.ppf(_NEGLIGIBLE / 2), number.isf(_NEGLIGIBLE / 2)
        first = np.arange(max(low, 0), min(high, self.m) + 1)
        probabilities = number.pmf(first)
        sums = np.stack([first, self.m - first], axis=1) @ self._columns
        clipped = [self._clipped(sums, tau) for tau in self.thresholds.tolist()]
        return probabilities / probabilities.sum(), clipped

    def _clipped(self, sums: FloatArray, tau: float, out: FloatArray | None = None) -> FloatArray:
        return np.clip(sums, self.task.low(tau), tau, out=out)

    def _drawn(self, rng: np.random.Generator, users: int) -> Iterator[NDArray[Any]]:
        size = self._block_size
        blocks = (min(size, users - start) for start in range(0, users, size))
        return (rng.multinomial(self.m, self._law, size=count) for count in blocks)

    @property
    def _block_size(self) -> int:
        return max(1, int(_BLOCK // min(self._columns.shape[1], _WIDTH)))

    def _totals(self, blocks: Iterable[NDArray[Any]]) -> Steps[FloatArray]:
        totals = np.zeros((self.thresholds.size, self._columns.shape[1]))
        for counts in blocks:
            yield
            # a sum is at most the number of its examples: from there on nothing is clipped
            clips = self.thresholds < counts.sum(axis=1).max()
            totals[~clips] += counts.sum(axis=0) @ self._columns
            if not clips.any():
                continue
            block = counts.astype(float)
            for start in range(0, self._columns.shape[1], _WIDTH):
                part = slice(start, start + _WIDTH)
                sums = block @ self._columns[:, part]
                clipped = np.empty_like(sums)
                for place in np.flatnonzero(clips).tolist():
                    tau = float(self.thresholds[place])
                    totals[place, part] += self._clipped(sums, tau, clipped).sum(axis=0)
        return totals


def selection_laws(scores: FloatArray, *, sensitivities: FloatArray, epsilon: float) -> FloatArray:
    """Return the law of the selected candidate; along the axis before the last Δ changes."""
    return selection_probabilities(scores, epsilon=epsilon, sensitivity=sensitivities)
