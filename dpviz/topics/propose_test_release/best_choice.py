"""Algorithm 1 run around the plain best choice among many: no noise but that of the test.

Every user scores every candidate, as by the errors of each threshold; the candidate with the lowest
sum is named, the first of equals. Such a choice has one answer on any data, so a set S of R₁ users
is stable if and only if the same candidate wins whichever 4κ − R₁ more users are deleted. That is
a question about each rival apart, which a sort decides: the winner's lead must outlast the deletion
of those whose scores speak most for it.

Whether any set of R₁ users is stable asks for one S that serves against all rivals at once, and is
answered between two bounds. No S can do better against one rival than the users whose scores
speak most against the winner there (lower bound); the upper bound belongs to a set that is found.
On data where all sets are stable, which is nearly always where the algorithm is useful, both are 0.
Neighbouring data sets: one user is substituted, with all examples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget


@dataclass(frozen=True, eq=False)
class Verdict:
    """What the test says about one data set.

    winner: the candidate of the lowest sum of all users. lower, upper: bounds on the least R₁ at
    which a set exists without which it wins whoever else is deleted, 2κ + 1 if none does; both are
    0 where every set is stable.
    """

    winner: int
    lower: int
    upper: int

    @property
    def all_stable(self) -> bool:
        """Whether every set is stable: the choice is (4κ, ε̄, δ̄)-LDDP at the data."""
        return self.upper == 0


def verdict(scores: NDArray[np.int64] | FloatArray, budget: Budget) -> Verdict:
    """Return what the test of Algorithm 1 says about n > 4κ users' scores, a row for each.

    On data where deletions make another candidate win for good, its stable sets are not looked
    for: such a run counts as refused. Raises `ParameterError`.
    """
    users, deleted = len(scores), 4 * budget.kappa
    if users <= deleted:
        raise ParameterError("users", f"more than 4κ = {deleted}", users)
    winner = int(np.argmin(scores.sum(axis=0)))
    leads = _Leads(scores, winner, deleted)
    none = 2 * budget.kappa + 1
    lower = leads.lower(none)
    upper = lower
    if 0 < lower < none:
        upper = min(leads.upper(order, lower, none) for order in leads.orders())
    return Verdict(winner, lower, upper)


def widest_lead(scores: NDArray[np.int64] | FloatArray, deleted: int) -> float:
    """Return the largest spread, over pairs of candidates, of the lead of one over the other.

    The spread of `dpviz.maths.local_deletion` for so many users deleted. A learner that names the
    lowest score after noise of its own (the exponential mechanism: Gumbel noise of scale 2/ε′; a
    histogram: Laplace noise of scale 2/ε′) names a candidate with a probability that falls by a
    factor e^(−ε′s/2) at most when all leads over it change by s at most. So every set is stable
    where ε′/2 times this is at most ε̄.
    """
    r, widest = min(deleted, len(scores) - deleted), 0.0
    for j in range(1, scores.shape[1]):
        leads = scores[:, :j] - scores[:, [j]]
        ends = np.partition(leads, (r, len(leads) - r - 1), axis=0)
        moved = ends[len(leads) - r :].sum(axis=0) - ends[:r].sum(axis=0)
        widest = max(widest, float(moved.max()))
    return widest


class _Leads:
    """By how much each user puts the winner before each rival, and what deletions leave of it."""

    def __init__(self, scores: NDArray[np.int64] | FloatArray, winner: int, deleted: int) -> None:
        rivals = np.arange(scores.shape[1]) != winner
        self.leads = (scores - scores[:, [winner]])[:, rivals]
        # Equals: the first is named, so that earlier rivals must be beaten.
        self.strict = (np.arange(scores.shape[1]) < winner)[rivals]
        self.deleted = deleted

    def beaten(self, left: NDArray[np.int64] | FloatArray) -> NDArray[np.bool_]:
        """Return which rivals lose, by the lead that is left over each."""
        return np.asarray(np.where(self.strict, left > 0, left >= 0))

    def lower(self, none: int) -> int:
        """Return the least R₁ at which no single rival rules out every set."""
        ordered = np.sort(self.leads, axis=0)
        total = np.pad(np.cumsum(ordered, axis=0), ((1, 0), (0, 0)))
        sizes = np.arange(none)
        left = total[len(ordered) - self.deleted + sizes] - total[sizes]
        return int((~self.beaten(left).all(axis=1)).sum())  # grows with R₁: larger leads are left

    def orders(self) -> list[NDArray[np.intp]]:
        """Return orders in which users may be deleted first: by all close rivals, by the closest.

        A rival counts by how far the lead over it is from what deletions can take away.
        """
        most = np.partition(self.leads, len(self.leads) - self.deleted, axis=0)[-self.deleted :]
        left = self.leads.sum(axis=0) - most.sum(axis=0)
        scale = np.maximum(self.leads.std(axis=0), 1e-12)
        close = ~self.beaten(left)
        rates = self.leads / scale
        return [
            np.argsort(rates[:, close].sum(axis=1)),
            np.argsort(rates[:, np.argmin(left / scale)]),
        ]

    def upper(self, order: NDArray[np.intp], low: int, none: int) -> int:
        """Return the least R₁ at which the first users of the order are a stable set.

        A stable set stays stable when a user is added, so bisection finds it.
        """
        low, high = low - 1, none
        while high - low > 1:
            middle = (low + high) // 2
            if self.stable(order[middle:], self.deleted - middle):
                high = middle
            else:
                low = middle
        return high

    def stable(self, kept: NDArray[np.intp], rest: int) -> bool:
        """Return whether the winner stays, whichever `rest` of the users kept are deleted."""
        left = np.partition(self.leads[kept], kept.size - rest - 1, axis=0)[: kept.size - rest]
        return bool(self.beaten(left.sum(axis=0)).all())
