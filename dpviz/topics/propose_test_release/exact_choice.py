"""The exact output law of DelStab around a private choice among three, with uniform S, as printed.

Each user holds one item, of one of three categories, and the most frequent one is to be named. Two
learners, ε′-private for one item (substitution): the exponential mechanism with the count as the
score (sensitivity 1), and the largest of a histogram with Laplace noise of scale 2/ε′ on every
count. A data set is known by its counts, and so is every set that is deleted: whether a learner is
(r, ε̄, δ̄)-LDDP is a question about all pairs of counts of n − 4κ users, each decided exactly, and
`X_stable` is found as it is defined. Every law is a finite sum.

Counts of `size` users are arrays [a, b, …] over the first two categories; a + b ≤ size.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax, logsumexp

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pause
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_law import least_epsilon

CHOICES = {
    "selection": "Exponential mechanism",
    "histogram": "Noisy histogram",
}
"""The learners by name."""
_Pair = tuple[FloatArray, FloatArray]
_ROWS = 2**16  # pairs of laws compared at once


@dataclass(frozen=True)
class CategoryUsers:
    """DelStab on n users with one of three categories each.

    users: n > 4κ; learner: one of `CHOICES`; item_epsilon: ε′. Raises `ParameterError`.
    """

    users: int
    learner: str
    item_epsilon: float
    budget: Budget

    def __post_init__(self) -> None:
        if self.users < self.budget.fewest_users:
            raise ParameterError("users", f"more than 4κ = {4 * self.budget.kappa}", self.users)
        if self.learner not in CHOICES:
            raise ParameterError("learner", f"one of {', '.join(CHOICES)}", self.learner)

    def log_laws(self) -> FloatArray:
        """Return the log masses of ⊥ and of each category, by the counts of all n users."""
        kept, most = self.users - 4 * self.budget.kappa, 2 * self.budget.kappa
        stable = self.stable_counts()
        named = _grid_of(np.exp(self.learner_laws(counts_of(kept))), kept)
        size = kept
        while size < self.users - most:
            named, size = _one_more(named, size), size + 1
        sizes = self.budget.threshold.pmf(np.arange(most + 1))
        law = np.zeros((self.users + 1, self.users + 1, 4))
        for drawn in range(most, -1, -1):  # R₁ users deleted first, `size` of n are left
            pause()
            chosen = np.concatenate([stable[size][..., None], named], axis=-1)
            chosen[..., 1:] *= chosen[..., :1]
            for before in range(size, self.users):
                chosen = _one_more(chosen, before)
            share = chosen[..., :1]  # of the sets of R₁ users that are stable
            some = share > 0
            part = np.where(some, chosen[..., 1:] / np.where(some, share, 1.0), 0.0)
            law[..., 0] += sizes[drawn] * ~some[..., 0]
            law[..., 1:] += sizes[drawn] * part
            if drawn:
                named, size = _one_more(named, size), size + 1
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(law))

    def untested(self) -> FloatArray:
        """Return the log masses of each category without the test, by the counts of all users."""
        return _grid_of(self.learner_laws(counts_of(self.users)), self.users)

    def exact_epsilon(self, log_laws: FloatArray, *, delta: float) -> float:
        """Return the least ε at which the laws of all neighbours are (ε, delta)-close.

        Categories are alike, so that one order of the first data set's counts is enough.
        """
        counts = counts_of(self.users)
        sorted_ = counts[_sorted(counts)]
        first, second = [], []
        for lost, won in itertools.permutations(range(3), 2):  # one user's item
            moved = sorted_[sorted_[:, lost] > 0]
            other = moved.copy()
            other[:, lost] -= 1
            other[:, won] += 1
            first.append(log_laws[moved[:, 0], moved[:, 1]])
            second.append(log_laws[other[:, 0], other[:, 1]])
        return least_epsilon(np.concatenate(first), np.concatenate(second), delta=delta)

    def stable_counts(self) -> dict[int, FloatArray]:
        """Return by the users left, n − 2κ to n, where all laws on n − 4κ of them are close.

        1 for stable counts, 0 for others. Two laws that are not close make all counts unstable that
        hold both, and so the least that do.
        """
        kept = self.users - 4 * self.budget.kappa
        unstable = self._least_unstable(kept)
        stable, here = {}, np.zeros((kept, kept), dtype=bool)
        for size in range(kept, self.users + 1):
            larger = unstable[size - kept, : size + 1, : size + 1]
            larger[:-1, :-1] |= here
            larger[1:, :-1] |= here
            larger[:-1, 1:] |= here
            here = larger
            stable[size] = (~here & _possible(size)).astype(float)
        return stable

    def _least_unstable(self, kept: int) -> NDArray[np.bool_]:
        """Return which counts are the least that hold two laws that are not (ε̄, δ̄)-close.

        By how many users more than n − 4κ they count, and by the first two categories. Categories
        are alike: of all pairs that differ in their names alone, one is compared.
        """
        counts = counts_of(kept)
        laws, n = np.exp(self.learner_laws(counts)), self.users
        unstable = np.zeros((n - kept + 1, n + 1, n + 1), dtype=bool)
        more = math.exp(self.budget.epsilon_bar)
        sorted_ = _sorted(counts)
        at_once = max(1, _ROWS // len(counts))
        for start in range(0, sorted_.size, at_once):
            pause()
            some = sorted_[start : start + at_once]
            p, q = laws[some, None], laws[None]
            one, other = (np.maximum(x - more * y, 0).sum(axis=-1) for x, y in ((p, q), (q, p)))
            i, j = np.nonzero(np.maximum(one, other) > self.budget.delta_bar)
            both = np.maximum(counts[some[i]], counts[j])
            both = both[both.sum(axis=1) <= n]
            for a, b in itertools.permutations(both.T, 2):
                unstable[both.sum(axis=1) - kept, a, b] = True
        return unstable

    def learner_laws(self, counts: NDArray[np.intp]) -> FloatArray:
        """Return the log masses of the three names, for rows of counts."""
        if self.learner == "selection":
            return np.asarray(log_softmax(self.item_epsilon / 2 * counts, axis=-1))
        return log_largest_noisy(counts, decay=self.item_epsilon / 2)


def counts_of(size: int) -> NDArray[np.intp]:
    """Return all counts of so many users in three categories, a row each."""
    a, b = np.nonzero(_possible(size))
    return np.stack([a, b, size - a - b], axis=1)


def _sorted(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which rows of counts fall from the first category to the last."""
    return np.flatnonzero((counts[:, 0] >= counts[:, 1]) & (counts[:, 1] >= counts[:, 2]))


def log_largest_noisy(counts: ArrayLike, *, decay: float) -> FloatArray:
    """Return the log probability of each of three counts to be largest after Laplace noise.

    The noise has a density ∝ e^(−decay·|u|). In the quantile u of the candidate's own noise both
    rivals lose with a probability that is a polynomial in u and 1/u between the places where a
    rival is level, so the integral is exact but for rounding.
    """
    rows = np.asarray(counts, dtype=float)
    lost = []
    for j in range(3):
        others = [rows[..., k] for k in range(3) if k != j]
        leads = decay * (rows[..., j] - np.stack(others))
        lost.append(_below_half(leads) + _above_half(leads))
    with np.errstate(divide="ignore"):
        log_law: FloatArray = np.log(np.maximum(np.stack(lost, axis=-1), 0.0))
    return log_law - logsumexp(log_law, axis=-1, keepdims=True)


def _below_half(leads: FloatArray) -> FloatArray:
    """Return the part of the integral over u in (0, 1/2), where noise is ln(2u) in its own scale.

    A rival led by d loses with probability u e^d while u < e^(−d)/2, else with 1 − e^(−d)/4u.
    """
    grow, one, none = np.exp(leads), np.ones_like(leads), np.zeros_like(leads)
    return _product(np.minimum(0.5 / grow, 0.5), (none, grow), (one, -0.25 / grow))


def _above_half(leads: FloatArray) -> FloatArray:
    """Return the part over v = 1 − u in (0, 1/2), where noise is −ln(2v) in its own scale.

    A rival led by d loses with probability 1 − v e^(−d) while v < e^d/2, else with e^d/4v.
    """
    grow, one, none = np.exp(leads), np.ones_like(leads), np.zeros_like(leads)
    return _product(np.minimum(0.5 * grow, 0.5), (one, -1 / grow), (none, 0.25 * grow))


def _product(turns: FloatArray, before: _Pair, after: _Pair) -> FloatArray:
    """Return the integral over u in (0, 1/2) of the product of two functions, along the first axis.

    Each is p + q·u up to its turn, with (p, q) of `before`, and p + q/u from there, of `after`.
    """
    order = np.argsort(turns, axis=0)
    (t, s), (p, q), (v, w) = (
        tuple(np.take_along_axis(part, order, axis=0) for part in parts)
        for parts in ((turns, turns), before, after)
    )
    early, late, half = t[0], s[1], 0.5

    def mixed(u: FloatArray) -> FloatArray:
        """Integrate the product where the first has turned."""
        even = (v[0] * p[1] + w[0] * q[1]) * u + v[0] * q[1] * u**2 / 2
        return np.asarray(even + w[0] * p[1] * np.log(u))

    def both(u: FloatArray | float) -> FloatArray:
        """Integrate the product where both have turned."""
        ends = v[0] * v[1] * u - w[0] * w[1] / u
        return np.asarray(ends + (v[0] * w[1] + w[0] * v[1]) * np.log(u))

    start = p[0] * p[1] * early + (p[0] * q[1] + q[0] * p[1]) * early**2 / 2
    start += q[0] * q[1] * early**3 / 3
    return np.asarray(start + (mixed(late) - mixed(early)) + (both(half) - both(late)))


def _possible(size: int) -> NDArray[np.bool_]:
    """Return which first two counts of so many users there are."""
    a = np.arange(size + 1)
    return np.asarray(np.add.outer(a, a) <= size)


def _grid_of(rows: FloatArray, size: int) -> FloatArray:
    """Return a row for all counts, in the order of `counts_of`, on the grid of counts."""
    grid = np.zeros((size + 1, size + 1, rows.shape[1]))
    grid[_possible(size)] = rows
    return grid


def _one_more(values: FloatArray, size: int) -> FloatArray:
    """Return the average over the user who is deleted, for all counts of one user more.

    values: by the counts of `size` users; deleted is each of size + 1 with the same probability.
    """
    n = size + 1
    share = np.arange(n + 1) / n
    larger = np.zeros((n + 1, n + 1, values.shape[-1]))
    larger[1:, :-1] += share[1:, None, None] * values
    larger[:-1, 1:] += share[None, 1:, None] * values
    last = np.maximum(n - np.add.outer(np.arange(n), np.arange(n)), 0) / n
    larger[:-1, :-1] += last[..., None] * values
    return larger
