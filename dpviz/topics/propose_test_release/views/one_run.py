"""View: one run of DelStab in three steps, and its parts for all numbers that chance may draw."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Evidence, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.propose_test_release.data import (
    Setting,
    centre,
    outliers_in,
    release,
    unit_of_distance,
)
from dpviz.topics.propose_test_release.delstab import DelStab, Outcome
from dpviz.topics.propose_test_release.passing_sizes import (
    PassingSizes,
    least_spreads,
    threshold_law,
)
from dpviz.topics.propose_test_release.plain import Comparison, compare, noise_deviation
from dpviz.topics.propose_test_release.roles import Role, roles
from dpviz.topics.propose_test_release.users_needed import UsersNeeded

STEPS = {"run": "All three steps", "threshold": "1 Propose, closer", "search": "2 Test, closer"}
"""What is shown of a run: all of it, or a step for all numbers that chance may draw."""

_STEPS = 10**6  # to the farthest outlier, of sums that are not whole


@dataclass(frozen=True)
class Moved:
    """Where outliers are, from where they moved, and in which unit that is counted.

    brink: from where on the test refuses, for the R₁ drawn; infinite where it does not as far as
    they may move, NaN where that is not known.
    """

    at: float
    others: float
    unit: float
    brink: float


@dataclass(frozen=True, eq=False)
class Run(Result):
    """One run of DelStab, and the part of every user in its test.

    release: the algorithm on its data; outcome: what happened; roles: the `Role` of each user in
    the search for the R₁ drawn. comparison: its noise beside plain noise, for sums cut off to
    [0, m], on the wage panel to the range of the panel's own sums. unit_of_data: whether the least
    noise for well-behaved users is taken from the data, too. moved: the outliers, if there are any.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "sum": "sum of one user's examples, in the unit of the data",
            "part": "the user's part in the test",
        }
    )

    other_origins = (
        Origin(Evidence.SIMULATED, Source(UL, "Algorithm 1")),
        Origin(Evidence.EXACT, Source("Balle & Wang 2018", "Theorem 8, for the plain noise")),
    )

    release: DelStab
    outcome: Outcome
    roles: NDArray[np.int8]
    comparison: Comparison
    unit_of_data: bool
    moved: Moved | None

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each user: sum and part."""
        names = np.array([role.name.lower() for role in Role])
        return {"sum": self.release.sums, "part": names[self.roles]}


def one_run(*, step: str = "run", **setting: Unpack[Setting]) -> Run | PassingSizes | UsersNeeded:
    """Return one run of DelStab on the data, or one part for all R₁. Raises `ParameterError`.

    step: one of `STEPS`; "search" for `least_spreads`, "threshold" for `threshold_law`.
    """
    if step not in STEPS:
        raise ParameterError("step", f"one of {', '.join(STEPS)}", step)
    algorithm = release(setting)
    if isinstance(algorithm, UsersNeeded):
        return algorithm
    if step != "run":
        return (least_spreads if step == "search" else threshold_law)(algorithm)
    outcome = algorithm.run(setting["rng"])
    return Run(
        release=algorithm,
        outcome=outcome,
        roles=roles(algorithm, outcome.threshold),
        comparison=_comparison(algorithm, setting),
        unit_of_data=setting["data"] == "wages",
        moved=_moved(algorithm, setting, outcome) if setting["data"] == "outliers" else None,
    )


def _moved(release: DelStab, setting: Setting, outcome: Outcome) -> Moved:
    """Return where the last users moved, who are the outliers."""
    at, unit = float(release.sums[-1]), unit_of_distance(setting, release.sums)
    others = at - setting["outlier_distance"] * unit
    count = outliers_in(setting, release.users)
    farthest = LIMITS["outlier_distance"].maximum * unit
    brink = brink_of(release, outliers=count, farthest=farthest, size=outcome.threshold)
    return Moved(at, others, unit, brink)


def brink_of(release: DelStab, *, outliers: int, farthest: float, size: int) -> float:
    """Return the least sum of the outliers, the last users, from which on R₁ = size refuses.

    Infinite if none does up to `farthest` above the median of the others. If no outlier can be
    among the 4κ smallest users, the spread never falls as they move away, so bisection finds it
    (to a millionth of `farthest` for sums that are not whole, on the refusing side); else NaN.
    """
    others, gone = np.sort(release.sums[: release.users - outliers]), 4 * release.budget.kappa
    if gone > others.size // 2:
        return math.nan
    middle = centre(release.mechanism, others)
    ends = np.concatenate([others[:gone], others[-gone:]])  # no others are ever compared

    def refuses(distance: float) -> bool:
        sums = np.append(ends, np.full(outliers, middle + distance))
        moved = DelStab(
            sums,
            mechanism=release.mechanism,
            epsilon=release.budget.epsilon,
            delta=release.budget.delta,
        )
        return moved.least_spread(size) > release.limit

    step = farthest / _STEPS if release.mechanism.continuous else 1.0
    low, high = 0, math.floor(farthest / step)
    if refuses(low):
        return middle
    if not refuses(high * step):
        return math.inf
    while high - low > 1:
        half = (low + high) // 2
        low, high = (low, half) if refuses(half * step) else (half, high)
    return middle + high * step


def _comparison(release: DelStab, setting: Setting) -> Comparison:
    """Return the run's noise beside plain noise on the sum of all users."""
    sums = release.sums
    wages = setting["data"] == "wages"
    low, high = (sums.min(), sums.max()) if wages else (0.0, unit_of_distance(setting, sums))
    return compare(
        noise_deviation(release.mechanism),
        users=release.users,
        bound=float(high - low),
        budget=release.budget,
        cut=float(sums.sum() - np.clip(sums, low, high).sum()),
    )
