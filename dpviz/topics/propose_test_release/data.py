"""The users' sums chosen by name, in the words of a link, and the noise meant for them."""

from functools import cache
from typing import TypedDict

import numpy as np

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.results.evidence import FloatArray
from dpviz.results.folders import ASSETS
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.propose_test_release.delstab import quietest_mechanism
from dpviz.topics.propose_test_release.example_sums import SHAPES, example_sums, ideal_sums

DATA = {
    "well-behaved": "Well-behaved",
    "outliers": "Outliers",
    "clusters": "Two clusters",
    "heavy": "Heavy tail",
    "wages": "Wage panel",
}
"""The data by name; the last are real, the others
`dpviz.topics.propose_test_release.example_sums.SHAPES`."""

_PANEL = ASSETS / "data" / "wage_panel.csv"


class Setting(TypedDict):
    """What all views of these data take.

    data: one of `DATA`; users, examples_per_user, rate: n, m and p of the data, which the wage
    panel fixes itself; outliers: how many users "outliers" moves, outlier_distance: how far, in
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


def mechanism_for(sums: FloatArray, setting: Setting) -> SumMechanism:
    """Return the noise, `noise_factor` times `least_mechanism`."""
    factor = validate("noise_factor", setting["noise_factor"])
    return louder(least_mechanism(sums, setting), factor)


def least_mechanism(sums: FloatArray, setting: Setting) -> SumMechanism:
    """Return the least noise that well-behaved users need.

    It is found without looking at the data, on users whose sums are the quantiles of
    Binomial(m, p): for these every set of 4κ users is stable. The wage panel has no such model,
    so its own sums take their place, which a private analysis could not do.
    """
    model = sums if setting["data"] == "wages" else _model_sums(setting)
    return quietest_mechanism(
        model, noise=setting["noise"], epsilon=setting["epsilon"], delta=setting["delta"]
    )


def louder(least: SumMechanism, factor: float) -> SumMechanism:
    """Return noise so many times as large, as far as the table of limits goes."""
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


def user_sums(setting: Setting) -> FloatArray:
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


def unit_of_distance(setting: Setting, sums: FloatArray) -> float:
    """Return in what the distance of outliers is counted: the largest honest sum."""
    if setting["data"] == "wages":
        return float(sums.max())
    return EXAMPLES.validate(setting["examples_per_user"])


def outliers_in(setting: Setting, users: int) -> int:
    """Return how many users move. Raises `ParameterError` for more than half of them."""
    count = int(validate("outliers", setting["outliers"]))
    if count > users // 2:
        raise ParameterError("outliers", f"at most half of the {users} users", count)
    return count


def centre(mechanism: SumMechanism, others: FloatArray) -> float:
    """Return the median of the others, whole for geometric noise."""
    return whole(mechanism, float(np.median(others)))


def whole(mechanism: SumMechanism, distance: float) -> float:
    """Return the distance, whole for geometric noise."""
    return distance if mechanism.continuous else float(round(distance))
