"""A bound on the privacy loss of one pair of data sets, from how often each output was drawn."""

import numpy as np
from scipy.stats import beta

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.public_data.learners import Budget


def worst_output(first: FloatArray, second: FloatArray) -> int:
    """Return the output that distinguishes two laws best, going by how often each came.

    first, second: counts of each output in independent draws from P and from Q. Chosen by the
    lower end of a rough interval, so that rare outputs do not win by chance.
    """
    p, q = (first + 1, second + 1)
    sure = np.abs(np.log(p / p.sum()) - np.log(q / q.sum())) - 2 * np.sqrt(1 / p + 1 / q)
    return int(np.argmax(sure))


def counted_log_ratio(
    first: float, second: float, *, draws: int, failure_probability: float
) -> tuple[float, float, float]:
    """Return lower, estimate, upper of |ln P(o)/Q(o)| for one output o, given its counts.

    first, second: how often o came in `draws` independent draws from P and from Q. Clopper and
    Pearson's ends for both probabilities; the interval fails with at most failure_probability.
    The upper end is infinite where o was not seen in one of them, and the estimate counts one.
    """
    share = validate("failure_probability", failure_probability) / 4
    counts = np.array([first, second])
    if first < second:
        counts = counts[::-1]
    low = np.where(counts > 0, beta.ppf(share, np.maximum(counts, 1), draws - counts + 1), 0.0)
    rest = np.maximum(draws - counts, 1)
    high = np.where(counts < draws, beta.isf(share, counts + 1, rest), 1.0)
    with np.errstate(divide="ignore"):
        lower = max(float(np.log(low[0]) - np.log(high[1])), 0.0)
        upper = float(np.log(high[0]) - np.log(low[1]))
    estimate = float(np.log(np.maximum(counts[0], 1) / np.maximum(counts[1], 1)))
    return lower, estimate, max(upper, estimate)


def perturb_loss(apart: FloatArray, budget: Budget) -> float:
    """Return the ε of the noisy numbers for two f̄(Z) so far apart, in units of γ.

    Exact for them (at the δ of the budget for normal noise), an upper bound for the release.
    """
    if budget.noise == "laplace":
        return float(np.abs(apart).sum())
    mu = max(float(np.linalg.norm(apart)), 1e-12)
    return float(gaussian.least_epsilon(np.array(mu), np.array(budget.delta)))
