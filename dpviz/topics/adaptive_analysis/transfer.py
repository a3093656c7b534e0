"""The transfer theorem: private answers stay true of the distribution (Theorem 9.1).

n samples are drawn from a distribution P, and each statistical query q with values in [0, 1] is
to be answered by the expectation of q under P. The mechanism sees the sample alone.
"""

import math
from dataclasses import dataclass, replace

from dpviz.results.evidence import Evidence
from dpviz.results.parameters import LIMITS, ParameterError, validate

SAMPLES = replace(LIMITS["samples"], minimum=1e3, maximum=1e8, default=8e5)
"""n on this page. (Elsewhere it ends at 1e6, where exact laws of sums are computed.)"""
ALPHA = replace(
    LIMITS["alpha"].narrowed(minimum=0.005, default=0.1), meaning="error an answer may make"
)
"""The accuracy α that is asked for."""
BETA = LIMITS["beta"]
"""The probability β with which some answer may be less accurate."""


def transfer(
    *,
    epsilon: float,
    delta: float,
    sample_error: float,
    sample_failure: float,
    c: float,
    d: float,
) -> tuple[float, float]:
    """Return the (α, β) to which adaptively asked statistical queries are answered.

    If the answers are (ε, δ)-DP (substitute one sample) and with probability 1 − sample_failure
    all of them are within sample_error of the sample's mean, then for all c, d > 0, with
    probability 1 − β all are within α of the distribution's expectation, where

        α = sample_error + e^ε − 1 + c + 2d,   β = sample_failure/c + δ/d.

    c = 0 stands for the limit c → 0 and asks for sample_failure = 0. α and β may exceed 1, where
    the theorem says nothing. Raises `ParameterError`.
    Source: Jung et al. 2020, as quoted by Dagan & Kur, Theorem 9.1.
    """
    epsilon, delta = validate("epsilon", epsilon), validate("delta", delta)
    for name, value, allowed, ok in (
        ("sample_error", sample_error, "a number from 0", 0 <= sample_error < math.inf),
        ("sample_failure", sample_failure, "a number from 0 to 1", 0 <= sample_failure <= 1),
        ("c", c, "a positive number, or 0 if sample_failure is", 0 <= c < math.inf),
        ("d", d, "a positive number", 0 < d < math.inf),
    ):
        if not ok:
            raise ParameterError(name, allowed, value)
    if c == 0 < sample_failure:
        raise ParameterError("c", "a positive number, or 0 if sample_failure is", c)
    beta = delta / d + (sample_failure / c if sample_failure else 0.0)
    return sample_error + math.expm1(epsilon) + c + 2 * d, beta


@dataclass(frozen=True)
class QueryBudget:
    """How many adaptive queries are answered, and the parameters that prove it.

    queries: k, a proven lower bound on the most there are: with noise that is (ε, δ)-DP for k
    queries, all k errors against the sample are at most sample_error but with probability
    sample_failure, and `transfer` then gives (alpha, beta). 0: the search found nothing, and
    the other parameters are the nearest it came. The optimum over these parameters is searched
    numerically, hence the true most may be a little higher.
    evidence: a proven lower bound; as published, if the radius is; a limit where k is beyond the
    accountant: there R/σ is taken from its limit, a published one from the most queries.
    """

    queries: float
    epsilon: float
    delta: float
    c: float
    d: float
    sample_error: float
    sample_failure: float
    evidence: Evidence
    samples: float
    alpha: float
    beta: float

    @property
    def alpha_parts(self) -> dict[str, float]:
        """What α is spent on, in the order of Theorem 9.1."""
        return {
            "sample_error": self.sample_error,
            "privacy": math.expm1(self.epsilon),
            "c": self.c,
            "d": 2 * self.d,
        }

    @property
    def beta_parts(self) -> dict[str, float]:
        """What β is spent on."""
        sample = self.sample_failure / self.c if self.sample_failure else 0.0
        return {"sample_failure": sample, "privacy_failure": self.delta / self.d}
