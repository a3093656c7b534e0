"""Local-deletion DP (Ghazi, Kamath et al. 2023, Definition 16 and Theorem 17).

A mechanism is (r, ε, δ)-local-deletion DP at the data x of n users if, for all sets S, S' of r
users, its outputs on x without S and without S' are (ε, δ)-close. For noise on a sum the worst sets
are the r users of the largest and the r of the smallest sums, so sorting decides it.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from dpviz.maths.generalization_bounds import theorem_13_derived
from dpviz.maths.lattice_law import LatticeLaw, binomial_law
from dpviz.maths.logspace import log_sum_exp
from dpviz.maths.sum_mechanisms import GeometricCount, SumMechanism
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate, validate_array

EXAMPLES = LIMITS["examples_per_user"].narrowed(maximum=LIMITS["samples"].maximum)
"""The examples of one user, where their sum has an exact law."""


def sums_for(mechanism: SumMechanism, user_sums: ArrayLike) -> FloatArray:
    """Return the users' sums as an array of finite numbers, whole ones for geometric noise."""
    sums = np.asarray(user_sums, dtype=float)
    if sums.ndim != 1 or not sums.size or not np.all(np.isfinite(sums)):
        raise ParameterError("user_sums", "a list of finite numbers, one for each user", user_sums)
    if isinstance(mechanism, GeometricCount) and np.any(sums != np.floor(sums)):
        raise ParameterError("user_sums", "whole numbers for geometric noise", user_sums)
    return sums


def spread(user_sums: ArrayLike, r: int) -> float:
    """Return how far the sum of the others can move with the choice of r users to delete.

    It is the sum of the r largest less the sum of the r smallest (the sets may overlap). r: from
    0 to the number of users. Raises `ParameterError`.
    """
    sums = np.sort(np.asarray(user_sums, dtype=float))
    if not (0 <= r <= sums.size and r == math.floor(r)):
        raise ParameterError("r", f"a whole number from 0 to {sums.size}", r)
    r = min(int(r), sums.size - int(r))  # what both sets hold cancels
    return float(sums[sums.size - r :].sum() - sums[:r].sum())


def spread_bound(
    r: ArrayLike, *, users: int, examples: int, failure_probability: float
) -> FloatArray:
    """Return a spread that at most a share β of data sets exceeds: proven, for i.i.d. bits.

    By Hoeffding's inequality for the 2rm bits of two disjoint sets of r users, and a union bound
    over all pairs of sets: √(r m ln(C(n, r) C(n − r, r)/β)), and never more than r·m. It keeps the
    logarithm of the number of sets where the proof of Theorem 17 goes on to r ln n. Of r > n/2
    users the two sets share what cancels.
    """
    deleted = np.minimum(np.asarray(r, dtype=float), users - np.asarray(r, dtype=float))
    log_sets = gammaln(users + 1) - 2 * gammaln(deleted + 1) - gammaln(users - 2 * deleted + 1)
    beta = validate("failure_probability", failure_probability)
    bound: FloatArray = np.sqrt(deleted * examples * (log_sets - math.log(beta)))
    return np.asarray(np.minimum(bound, deleted * examples))


def is_local_deletion_dp(
    mechanism: SumMechanism, user_sums: ArrayLike, *, r: int, epsilon: float, delta: float
) -> bool:
    """Return whether the mechanism is (r, ε, δ)-local-deletion DP at these users' sums.

    Definition 16, decided by `spread`, as the divergence grows with the difference of two sums.
    Raises `ParameterError`.
    """
    eps, allowed = validate("closeness_epsilon", epsilon), validate("closeness_delta", delta)
    limit = float(mechanism.farthest(epsilon=eps, delta=allowed))
    return spread(sums_for(mechanism, user_sums), r) <= limit


def range_law(users: int, *, examples_per_user: int, rate: float) -> "RangeLaw":
    """Return the law of the spread for r = 1, largest less smallest sum of i.i.d. users.

    Each of the `users` holds the sum of examples_per_user independent Bernoulli(rate) bits.
    """
    n = int(validate("users", users))
    m = int(EXAMPLES.validate(examples_per_user))
    return RangeLaw(n, binomial_law(m, validate("rate", rate)))


class RangeLaw:
    """The law of the largest less the smallest of n independent draws from a lattice law."""

    def __init__(self, users: int, one: LatticeLaw) -> None:
        seen = one.log_pmf > -100 - math.log(users)
        self._users = users
        self._log_pmf = one.log_pmf[seen]
        self._above = np.exp(one.log_tail[seen])
        below = np.logaddexp.accumulate(self._log_pmf)[:-1]
        self._below = np.append(0.0, np.exp(below))

    @property
    def widest(self) -> int:
        """The largest range that carries visible mass."""
        return int(self._log_pmf.size - 1)

    def failure(self, width: float) -> float:
        """Return P(range > width); the absolute error is about 1e-15·n.

        The smallest draw is at k with probability a^n − (a − f(k))^n, where a = P(k ≤ draw ≤
        k + width) and f the masses: all n in the interval, less all but none at k.
        """
        w = math.floor(width)
        if w < 0:
            return 1.0
        if w >= self.widest:
            return 0.0
        past = np.minimum(np.arange(self._log_pmf.size) + w, self.widest)
        missed = self._below + self._above[past]
        with np.errstate(divide="ignore"):
            inside = np.log1p(-np.minimum(missed, 1.0))
        possible = inside > -math.inf
        inside, log_pmf = inside[possible], self._log_pmf[possible]
        share = np.exp(np.minimum(log_pmf - inside, 0.0))
        with np.errstate(divide="ignore"):
            none_there = np.expm1(self._users * np.log1p(-np.minimum(share, 1.0)))
        terms = self._users * inside + np.log(-none_there)
        return float(max(-np.expm1(min(float(log_sum_exp(terms)), 0.0)), 0.0))

    def quantile(self, failure_probability: float) -> int:
        """Return the least width that the range exceeds with at most this probability."""
        low, high = -1, self.widest
        while high - low > 1:
            middle = (low + high) // 2
            if self.failure(middle) <= failure_probability:
                high = middle
            else:
                low = middle
        return high


def theorem_17_shape(
    users: ArrayLike,
    *,
    r: ArrayLike,
    examples_per_user: ArrayLike,
    epsilon: ArrayLike,
    log_delta: ArrayLike,
    failure_probability: ArrayLike,
    constant: ArrayLike = 1.0,
) -> FloatArray:
    """Return Theorem 17 with a constant of the reader's: C·ε·r·√(m·ln(n/(βδ))).

    epsilon, log_delta: the item-level (ε, ln δ); failure_probability: β. The same without C is
    what the theorem assumes to be sufficiently small.
    """
    n, m = validate_array("users", users), validate_array("examples_per_user", examples_per_user)
    beta = validate_array("failure_probability", failure_probability)
    log_inverse = np.log(n / beta) - np.asarray(log_delta, dtype=float)
    shape: FloatArray = (
        validate_array("constant", constant) * epsilon * np.asarray(r) * np.sqrt(m * log_inverse)
    )
    return shape


def theorem_17_derived(
    users: ArrayLike,
    *,
    r: ArrayLike,
    examples_per_user: ArrayLike,
    epsilon: ArrayLike,
    log_delta: ArrayLike,
    failure_probability: ArrayLike,
    delta: ArrayLike,
) -> FloatArray:
    """Return the ε for which A is (r, ε, delta)-LDDP with probability 1 − β, with all constants.

    The proof of Theorem 17: Theorem 13 on the r·m examples by which two sets differ, with failure
    probability β/(n choose r)², for all pairs of sets at once. +inf where it gives nothing.
    """
    n = validate_array("users", users)
    m = validate_array("examples_per_user", examples_per_user)
    beta = validate_array("failure_probability", failure_probability)
    deleted = np.asarray(r, dtype=float)
    log_sets = gammaln(n + 1) - gammaln(deleted + 1) - gammaln(n - deleted + 1)
    return theorem_13_derived(
        deleted * m,
        epsilon=epsilon,
        log_delta=log_delta,
        log_failure=np.log(beta) - 2 * log_sets,
        delta=delta,
    )
