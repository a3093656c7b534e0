"""Users' sums to try DelStab on: well-behaved ones, and the ways in which data misbehave."""

import math

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.caching import cached
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

SHAPES = {
    "well-behaved": "every user draws m bits from one distribution",
    "outliers": "the same, but some users hold a very large sum",
    "clusters": "two groups of users with different distributions",
    "heavy": "user sums with a heavy tail",
}
"""The kinds of data by name, and in words."""


def example_sums(
    shape: str,
    *,
    users: float,
    examples_per_user: float,
    rate: float,
    rng: np.random.Generator,
    outliers: int = 1,
) -> FloatArray:
    """Return one whole sum for each user.

    shape: one of `SHAPES`. rate: p of the bits. "outliers" gives the last `outliers` users 10·m
    each; "clusters" gives half of the users the rate p, the other half 1 − p; "heavy" multiplies
    each sum by a Pareto variable with infinite variance (tail exponent 1.5) and rounds. Raises
    `ParameterError`.
    """
    if shape not in SHAPES:
        raise ParameterError("shape", f"one of {', '.join(SHAPES)}", shape)
    n, m = int(validate("users", users)), int(EXAMPLES.validate(examples_per_user))
    p = validate("rate", rate)
    rates = np.where(np.arange(n) % 2 == 0, p, 1 - p) if shape == "clusters" else p
    sums = rng.binomial(m, rates, size=n).astype(float)
    if shape == "outliers":
        sums[n - min(outliers, n) :] = 10.0 * m
    if shape == "heavy":
        sums = np.rint(sums * (1 + rng.pareto(1.5, size=n)))
    return sums


def ideal_sums(*, users: int, examples_per_user: int, rate: float) -> FloatArray:
    """Return the n quantiles of Binomial(m, p) at 1/2n, 3/2n, …: users as the model expects.

    Ascending. users, examples_per_user: whole numbers from 1; rate: p, between 0 and 1; not
    checked.
    """
    return _quantiles(np.arange(users), users, examples_per_user, rate)


def ideal_spread(r: int, *, users: int, examples_per_user: int, rate: float) -> float:
    """Return the `spread` of `ideal_sums` for r users, from those it is made of alone."""
    r = min(r, users - r)  # what both sets hold cancels
    ranks = np.concatenate([np.arange(r), np.arange(users - r, users)])
    sums = _quantiles(ranks, users, examples_per_user, rate)
    return float(sums[r:].sum() - sums[:r].sum())


def _quantiles(ranks: NDArray[np.int_], users: int, m: int, rate: float) -> FloatArray:
    """Return some of the `ideal_sums`, by their ranks from 0."""
    least, up_to = _usual(m, rate)
    places = np.searchsorted(up_to, (ranks + 0.5) / users)
    return np.asarray(least + np.minimum(places, up_to.size - 1), dtype=float)


@cached(8 * 2**20)
def _usual(m: int, rate: float) -> tuple[int, FloatArray]:
    """Return the least usual value of Binomial(m, p), and how likely it is at most that and more.

    Bernstein: what lies farther out has a mass below e^−30, far below 1/2n.
    """
    mean = m * rate
    reach = 9 * math.sqrt(mean * (1 - rate)) + 40
    values = np.arange(max(math.floor(mean - reach), 0), min(math.ceil(mean + reach), m) + 1)
    log_odds = math.log(rate) - math.log1p(-rate)
    up_to = np.cumsum(np.exp(log_binomial_pmf(values, m, log_odds=log_odds)))
    up_to.flags.writeable = False  # the cache hands it to all
    return int(values[0]), up_to
