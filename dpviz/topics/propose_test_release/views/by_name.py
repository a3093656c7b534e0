"""The views of DelStab on data chosen by name, in the words of a link.

Fewer than 4κ + 1 users leave nobody to answer: then every view is `UsersNeeded`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Origin,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.propose_test_release.delstab import Budget, DelStab, Outcome, quietest_mechanism
from dpviz.topics.propose_test_release.example_sums import SHAPES, example_sums, ideal_sums
from dpviz.topics.propose_test_release.plain import (
    Comparison,
    NoiseChart,
    compare,
    noise_chart,
    noise_deviation,
)
from dpviz.topics.propose_test_release.views.search import (
    OutlierChart,
    Role,
    SearchChart,
    move_outliers,
    refusal_against_outlier,
    roles,
    search_chart,
    threshold_chart,
)

DATA = {
    "well-behaved": "Well-behaved",
    "outliers": "Outliers",
    "clusters": "Two clusters",
    "heavy": "Heavy tail",
    "wages": "Wage panel",
}
"""The data by name; the last are real, the others
`dpviz.topics.propose_test_release.example_sums.SHAPES`."""

_PANEL = Path(__file__).parents[4] / "assets" / "data" / "wage_panel.csv"
_MOST_DOTS = 1500


class Setting(TypedDict):
    """What all views take.

    data: one of `DATA`; users, examples_per_user, rate: n, m and p of the data, which the wage
    panel brings along; outliers: how many users "outliers" moves, outlier_distance: how far, in
    units of m. noise: "geometric" or "gaussian"; noise_factor: see `mechanism_for`. epsilon,
    delta: user-level. rng draws the data, then the run.
    """

    data: str
    users: float
    examples_per_user: float
    rate: float
    outliers: float
    outlier_distance: float
    noise: str
    noise_factor: float
    epsilon: float
    delta: float
    rng: np.random.Generator


@dataclass(frozen=True, eq=False, kw_only=True)
class UsersNeeded(Chart):
    """The fewest users, 4κ + 1, along ε. users: the reader's, too few; kappa: κ."""

    users: int
    kappa: int


@dataclass(frozen=True, eq=False)
class Run:
    """One run of DelStab, and the part of every user in its test.

    release: the algorithm on its data; outcome: what happened; roles: the `Role` of each user in
    the search for the R₁ drawn; comparison: its noise beside plain noise, for sums cut off to
    [0, m], on the wage panel to the range of the panel's own sums.
    """

    origins: ClassVar = (
        Origin(Evidence.SIMULATED, Source(UL, "Algorithm 1")),
        Origin(Evidence.EXACT, Source("Balle & Wang 2018", "Theorem 8, for the plain noise")),
    )

    release: DelStab
    outcome: Outcome
    roles: NDArray[np.int8]
    comparison: Comparison

    def dots(self, role: Role) -> FloatArray:
        """Return the sums of users of this part, ascending: all, or evenly spread by rank."""
        sums = np.sort(self.release.sums[self.roles == role])
        if sums.size <= _MOST_DOTS:
            return sums
        places = np.linspace(0, sums.size - 1, _MOST_DOTS).round().astype(int)
        return np.asarray(sums[places])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the dots: sum and part."""
        dots = {role: self.dots(role) for role in Role}
        return {
            "sum": np.concatenate(list(dots.values())),
            "part": np.concatenate(
                [np.full(sums.size, role.name.lower()) for role, sums in dots.items()]
            ),
        }


def one_run(**setting: Unpack[Setting]) -> Run | UsersNeeded:
    """Return one run of DelStab on the data. Raises `ParameterError`."""
    release = _release(setting)
    if isinstance(release, UsersNeeded):
        return release
    outcome = release.run(setting["rng"])
    comparison = _comparison(release, setting)
    return Run(release, outcome, roles(release, outcome.threshold), comparison)


def search(**setting: Unpack[Setting]) -> SearchChart | UsersNeeded:
    """Return `search_chart` of the data. Raises `ParameterError`."""
    release = _release(setting)
    return release if isinstance(release, UsersNeeded) else search_chart(release)


def threshold(**setting: Unpack[Setting]) -> SearchChart | UsersNeeded:
    """Return `threshold_chart` of the data. Raises `ParameterError`."""
    release = _release(setting)
    return release if isinstance(release, UsersNeeded) else threshold_chart(release)


class ModelSetting(TypedDict):
    """What `against_plain_noise` takes: `Setting` without the data and their randomness."""

    users: float
    examples_per_user: float
    rate: float
    noise: str
    noise_factor: float
    epsilon: float
    delta: float


def against_plain_noise(**setting: Unpack[ModelSetting]) -> NoiseChart | UsersNeeded:
    """Return `noise_chart` for well-behaved users. Raises `ParameterError`."""
    users = int(validate("users", setting["users"]))
    needed = _needed(users, Budget(setting["epsilon"], setting["delta"]))
    return noise_chart(**setting) if needed is None else needed


@dataclass(frozen=True, eq=False, kw_only=True)
class MovedOutliers(OutlierChart):
    """Pr[⊥] as outliers move, together and one of them alone.

    outliers: how many move together; budget: ε̄, δ̄ and κ.
    """

    outliers: int
    budget: Budget


def moving_outliers(**setting: Unpack[Setting]) -> Iterator[MovedOutliers | UsersNeeded]:
    """Yield `refusal_against_outlier` for the last users of the data, and for the last one alone.

    Raises `ParameterError`.
    """
    sums = _sums(setting)
    needed = _needed(sums.size, Budget(setting["epsilon"], setting["delta"]))
    if needed is not None:
        yield needed
        return
    unit, count = _unit(setting, sums), _outliers(setting, sums.size)
    budget = Budget(setting["epsilon"], setting["delta"])
    mechanism = mechanism_for(sums, setting)

    def moved(outliers: int) -> Iterator[OutlierChart]:
        return refusal_against_outlier(
            sums,
            mechanism=mechanism,
            epsilon=budget.epsilon,
            delta=budget.delta,
            reach=LIMITS["outlier_distance"].maximum * unit,
            here=validate("outlier_distance", setting["outlier_distance"]) * unit,
            outliers=outliers,
        )

    def chart(part: OutlierChart, *curves: Curve, finished: bool) -> MovedOutliers:
        return MovedOutliers(
            x=part.x,
            y=part.y,
            curves=curves,
            here=part.here,
            finished=finished,
            outliers=count,
            budget=budget,
        )

    label = "one outlier" if count == 1 else f"{count} outliers together"
    together: Curve | None = None
    for part in moved(count):
        together = replace(part.curve("refusal"), label=label)
        yield chart(part, together, finished=part.finished and count == 1)
    if count > 1 and together is not None:
        *_, part = moved(1)
        alone = replace(part.curve("refusal"), key="alone", label="one of them alone", weight=0.6)
        yield chart(part, together, alone, finished=True)


def mechanism_for(sums: FloatArray, setting: Setting) -> SumMechanism:
    """Return the noise, `noise_factor` times the least that well-behaved users need.

    The least is found without looking at the data, on users whose sums are the quantiles of
    Binomial(m, p): for these every set of 4κ users is stable. The wage panel has no such model,
    so its own sums take their place, which a private analysis could not do.
    """
    factor = validate("noise_factor", setting["noise_factor"])
    model = sums if setting["data"] == "wages" else _model_sums(setting)
    least = quietest_mechanism(
        model, noise=setting["noise"], epsilon=setting["epsilon"], delta=setting["delta"]
    )
    if isinstance(least, GaussianCount):
        return GaussianCount(min(least.sigma * factor, LIMITS["sigma"].maximum))
    assert isinstance(least, GeometricCount)
    limit = LIMITS["epsilon"]
    return GeometricCount(min(max(least.epsilon / factor, limit.minimum), limit.maximum))


@cache
def wage_panel_sums() -> tuple[float, ...]:
    """Return each person's sum of eight years' log wages, in hundredths, as whole numbers.

    545 people. Source: Vella & Verbeek 1998, see assets/data/README.md. A person's years are
    correlated, which Theorem 17 does not allow for; Algorithm 1 is private all the same.
    """
    person, log_wage = np.loadtxt(_PANEL, delimiter=",", skiprows=1, usecols=(0, 5), unpack=True)
    _, place = np.unique(person, return_inverse=True)
    return tuple(np.rint(100 * np.bincount(place, weights=log_wage)).tolist())


def _release(setting: Setting) -> DelStab | UsersNeeded:
    sums = _sums(setting)
    needed = _needed(sums.size, Budget(setting["epsilon"], setting["delta"]))
    if needed is not None:
        return needed
    mechanism = mechanism_for(sums, setting)
    if setting["data"] == "outliers":
        distance = validate("outlier_distance", setting["outlier_distance"])
        sums = move_outliers(
            sums,
            mechanism=mechanism,
            outliers=_outliers(setting, sums.size),
            distance=distance * _unit(setting, sums),
        )
    return DelStab(sums, mechanism=mechanism, epsilon=setting["epsilon"], delta=setting["delta"])


def _sums(setting: Setting) -> FloatArray:
    """Return the users' sums, outliers not yet moved."""
    data = setting["data"]
    if data not in DATA:
        raise ParameterError("data", f"one of {', '.join(DATA)}", data)
    if data == "wages":
        return np.array(wage_panel_sums())
    return example_sums(
        data if data in SHAPES and data != "outliers" else "well-behaved",
        users=setting["users"],
        examples_per_user=setting["examples_per_user"],
        rate=setting["rate"],
        rng=setting["rng"],
    )


def _model_sums(setting: Setting) -> FloatArray:
    return ideal_sums(
        users=int(setting["users"]),
        examples_per_user=int(setting["examples_per_user"]),
        rate=setting["rate"],
    )


def _comparison(release: DelStab, setting: Setting) -> Comparison:
    """Return the run's noise beside plain noise on the sum of all users."""
    sums = release.sums
    wages = setting["data"] == "wages"
    low, high = (sums.min(), sums.max()) if wages else (0.0, _unit(setting, sums))
    return compare(
        noise_deviation(release.mechanism),
        users=release.users,
        bound=float(high - low),
        budget=release.budget,
        cut=float(sums.sum() - np.clip(sums, low, high).sum()),
    )


def _unit(setting: Setting, sums: FloatArray) -> float:
    """Return in what the distance of outliers is counted: the largest honest sum."""
    if setting["data"] == "wages":
        return float(sums.max())
    return EXAMPLES.validate(setting["examples_per_user"])


def _outliers(setting: Setting, users: int) -> int:
    count = int(validate("outliers", setting["outliers"]))
    if count > users // 2:
        raise ParameterError("outliers", f"at most half of the {users} users", count)
    return count


def _needed(users: int, budget: Budget) -> UsersNeeded | None:
    if users >= budget.fewest_users:
        return None
    epsilon = np.unique(np.append(np.geomspace(0.01, 10, 121), budget.epsilon))
    fewest = np.array([Budget(float(e), budget.delta).fewest_users for e in epsilon])
    return UsersNeeded(
        x=Axis("epsilon", "user-level privacy loss ε"),
        y=Axis("users", "users"),
        curves=(
            Curve(
                key="fewest",
                label="fewest users, 4κ + 1",
                subject=Subject.USER_LEVEL,
                evidence=Evidence.EXACT,
                source=Source(UL, "Algorithm 1"),
                x=epsilon,
                y=fewest.astype(float),
            ),
        ),
        marks=(Mark(budget.epsilon, float(users), f"n = {users} here", Subject.DANGER),),
        here=budget.epsilon,
        users=users,
        kappa=budget.kappa,
    )
