"""The users one by one: whom the test deletes first, and what it does without some of them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.groups import Whole, group_of, intervals, within
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import pause
from dpviz.topics.propose_test_release.data import (
    Setting,
    least_mechanism,
    louder,
    release,
)
from dpviz.topics.propose_test_release.delstab import DelStab
from dpviz.topics.propose_test_release.roles import Role, roles
from dpviz.topics.propose_test_release.user_groups import edges_of
from dpviz.topics.propose_test_release.users_needed import UsersNeeded

_MOST_GROUPS, _FEW_GROUPS = 10, 4  # between those of the farthest users
_LONG = 1000  # κ from which so many searches take long
_MOST_SIZES = 61


@dataclass(frozen=True, eq=False)
class People(Result):
    """Who takes part, what the test does with each, and the chance of an answer without some.

    release: the algorithm at the reader's noise. edges: the ends of the groups of users by their
    sums; the outer groups hold all who are farther out, too. sizes: some R₁, ascending, κ among
    them. factors: the noise, ascending, in units of the least for well-behaved users; here: the
    place of the reader's among them. limits: the spread allowed at each.
    """

    other_origins = (Origin(Evidence.EXACT, Source(UL, "Algorithm 1")),)

    release: DelStab
    edges: FloatArray
    sizes: Whole
    factors: FloatArray
    here: int
    limits: FloatArray
    spreads: FloatArray
    """The least spread at each R₁, of all users and without each range of groups.

    (1 + ranges, sizes); NaN where too few users are left for the test.
    """
    answers: FloatArray
    """The probability of an answer at each noise, likewise: (1 + ranges, factors)."""

    @property
    def users(self) -> int:
        """How many users take part."""
        return self.release.users

    @property
    def groups(self) -> int:
        """How many groups of users there are."""
        return self.edges.size - 1

    @cached_property
    def group(self) -> Whole:
        """The group of each user."""
        return group_of(self.release.sums, self.edges)

    @cached_property
    def people(self) -> Whole:
        """How many users each range of neighbouring groups holds."""
        return within(np.ones(self.users), self.group, self.groups)

    @property
    def usual(self) -> int:
        """The place of κ, the likeliest R₁, among the sizes."""
        return int(np.searchsorted(self.sizes, self.release.budget.kappa))

    @cached_property
    def roles(self) -> NDArray[np.int8]:
        """The `Role` of each user at each R₁: (users, sizes)."""
        return np.stack([roles(self.release, size) for size in self.sizes.tolist()], axis=1)

    @cached_property
    def parts(self) -> Whole:
        """How many users of each range have each role at each R₁: (ranges, sizes, roles)."""
        kinds = len(Role)
        by_group = [
            np.bincount(self.group * kinds + of_size, minlength=self.groups * kinds)
            for of_size in self.roles.T
        ]
        counts = np.stack(by_group).reshape(-1, self.groups, kinds).swapaxes(0, 1)
        return within(counts, np.arange(self.groups), self.groups)

    @property
    def chance(self) -> float:
        """The probability of an answer at the reader's noise."""
        return 1 - self.release.refusal_probability

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each user: the sum, and the part at the likeliest R₁."""
        names = np.array([role.name.lower() for role in Role])
        return {
            "user": np.arange(1, self.users + 1),
            "sum": self.release.sums,
            "part": names[self.roles[:, self.usual]],
        }

    @property
    def meanings(self) -> dict[str, str]:
        """What each column holds."""
        usual = self.release.budget.kappa
        return {
            "user": "number of the user",
            "sum": "sum of the user's examples",
            "part": f"what the test does with the user at R₁ = {usual}, the likeliest",
        }


def people(**setting: Unpack[Setting]) -> Iterator[People | UsersNeeded]:
    """Yield the users of the data, one by one, and the test on all and on some of them.

    Without some users it is the same test, with the same noise, on the others. Raises
    `ParameterError`.
    """
    algorithm = release(setting)
    if isinstance(algorithm, UsersNeeded):
        yield algorithm
        return
    factors = np.union1d(LIMITS["noise_factor"].grid, [setting["noise_factor"]])
    least = least_mechanism(algorithm.sums, setting)
    mechanisms = [louder(least, factor) for factor in factors.tolist()]
    budget = algorithm.budget
    close = {"epsilon": budget.epsilon_bar, "delta": budget.delta_bar}
    limits = np.array([float(mechanism.farthest(**close)) for mechanism in mechanisms])
    edges = edges_of(algorithm.sums, _MOST_GROUPS if budget.kappa < _LONG else _FEW_GROUPS)
    sizes = np.unique(np.rint(np.linspace(0, 2 * budget.kappa, _MOST_SIZES))).astype(np.int64)
    sizes = np.union1d(sizes, [budget.kappa])
    tests = []
    for some in _without(algorithm, edges):
        pause()
        tests.append(_tested(some, sizes, limits))
    spreads, answers = (np.stack(part) for part in zip(*tests, strict=True))
    yield People(
        release=algorithm,
        edges=edges,
        sizes=sizes,
        factors=factors,
        here=int(np.searchsorted(factors, setting["noise_factor"])),
        limits=limits,
        spreads=spreads,
        answers=answers,
    )


def _without(release: DelStab, edges: FloatArray) -> Iterator[DelStab | None]:
    """Yield the algorithm on all, and without each range of groups; None where too few are left."""
    yield release
    ordered = release.sums[release.order]
    starts = np.searchsorted(group_of(ordered, edges), np.arange(edges.size))
    for first, last in intervals(edges.size - 1).tolist():
        others = np.concatenate([ordered[: starts[first]], ordered[starts[last + 1] :]])
        yield _on(others, release)


def _on(others: FloatArray, release: DelStab) -> DelStab | None:
    """Return the algorithm on these sums, ascending."""
    budget, ends = release.budget, 4 * release.budget.kappa
    if others.size < budget.fewest_users:
        return None
    # Only the 4κ sums at each end enter any spread: what lies between can be left out.
    if others.size > 2 * ends:
        others = np.concatenate([others[:ends], others[-ends:]])
    return DelStab(others, mechanism=release.mechanism, epsilon=budget.epsilon, delta=budget.delta)


def _tested(
    algorithm: DelStab | None, sizes: Whole, limits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the least spread at each R₁, and the probability of an answer at each limit."""
    if algorithm is None:
        return np.full(sizes.shape, math.nan), np.full(limits.shape, math.nan)
    known = {size: algorithm.least_spread(size) for size in sizes.tolist()}
    spreads = np.array(list(known.values()))
    law = algorithm.budget.threshold
    least = least_sizes(algorithm, limits, known)
    return spreads, np.array([1 - law.below(size) for size in least])


def least_sizes(release: DelStab, limits: ArrayLike, known: dict[int, float]) -> list[int]:
    """Return the least R₁ whose spread is within each limit; 2κ + 1 where there is none.

    known: the least spreads at some R₁, 0 and 2κ among them. The spread does not grow with R₁.
    """
    most = 2 * release.budget.kappa
    sizes = np.array(sorted(known))
    falling = np.array([known[size] for size in sizes.tolist()])
    least = []
    for limit in np.asarray(limits, dtype=float).tolist():
        place = int(np.searchsorted(-falling, -limit))  # the first within the limit
        if place == 0:
            least.append(0)
            continue
        low, high = int(sizes[place - 1]), int(sizes[place]) if place < sizes.size else most + 1
        while high - low > 1 and high <= most:
            middle = (low + high) // 2
            if middle not in known:
                known[middle] = release.least_spread(middle)
            low, high = (low, middle) if known[middle] <= limit else (middle, high)
        least.append(high)
    return least
