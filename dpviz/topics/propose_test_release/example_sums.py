"""Users' sums to try DelStab on: well-behaved ones, and the ways in which data misbehave."""

import numpy as np

from dpviz.maths.local_deletion import EXAMPLES
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
