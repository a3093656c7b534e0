"""The exact output law of DelStab on users whose sums are 0 or 1: what Lemma 18 gives away.

Such a data set is known by its number of ones, and two are neighbours if these differ by one. With
geometric noise the outcomes, ⊥ and the whole numbers, can be told apart only as far as the ratio
of two laws varies: all answers ≤ 0 are one outcome, all answers ≥ n − 4κ another. So every law is
a finite one, and every (ε, δ) a finite sum.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln

from dpviz.maths.divergence import log_closeness
from dpviz.maths.logspace import log_sum_exp
from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pause
from dpviz.topics.propose_test_release.delstab import Budget, DelStab

CHOICES = ("least spread", "uniform")
"""How S is taken from X_stable: as `dpviz.topics.propose_test_release.delstab` does, or uniformly
as printed."""


@dataclass(frozen=True)
class BitUsers:
    """DelStab on n users with sums 0 or 1, geometric noise, and a choice of S.

    users: n > 4κ. choice: one of `CHOICES`. Raises `ParameterError`.
    """

    users: int
    mechanism: GeometricCount
    budget: Budget
    choice: str = CHOICES[0]

    def __post_init__(self) -> None:
        if self.users < self.budget.fewest_users:
            raise ParameterError("users", f"more than 4κ = {4 * self.budget.kappa}", self.users)
        if self.choice not in CHOICES:
            raise ParameterError("choice", f"one of {', '.join(CHOICES)}", self.choice)

    def log_law(self, ones: int) -> FloatArray:
        """Return the log masses of ⊥, of all answers ≤ 0, of 1, 2, …, and of all ≥ n − 4κ."""
        kept = self.users - 4 * self.budget.kappa
        sizes = np.arange(2 * self.budget.kappa + 1)
        log_size = self.budget.threshold.log_pmf(sizes)
        run = self._release(ones)
        if run.all_stable:  # then any R₁ leaves the same random users
            left = np.tile(_log_hypergeometric(self.users, ones, kept), (sizes.size, 1))
        else:
            left = np.stack([self._log_left(run, ones, int(size)) for size in sizes])
        refused = np.isneginf(left).all(axis=1)
        log_left = log_sum_exp(log_size[:, None] + left, axis=0)  # of the ones left in the sum
        log_refused = log_sum_exp(log_size[refused]) if refused.any() else -np.inf
        answers, sums = np.arange(1, kept), np.arange(kept + 1)
        noise = self.mechanism.log_noise(np.subtract.outer(answers, sums).astype(float))
        decay = self.mechanism.epsilon
        tail = -np.log1p(np.exp(-decay))
        rows = np.vstack([tail - decay * sums, noise, tail - decay * (kept - sums)])
        return np.append(log_refused, log_sum_exp(rows + log_left, axis=1))

    def log_laws(self) -> FloatArray:
        """Return the laws of all data sets, one row for each number of ones, 0 to n."""
        return np.stack([self.log_law(ones) for ones in range(self.users + 1)])

    def _log_left(self, run: DelStab, ones: int, size: int) -> FloatArray:
        """Return the log law of the ones among the n − 4κ users left; all −inf for ⊥."""
        kept = self.users - 4 * self.budget.kappa
        users = self.users - size
        if self.choice == CHOICES[1]:
            removed = np.arange(max(0, size - (self.users - ones)), min(size, ones) + 1)
            rest = 4 * self.budget.kappa - size
            left = ones - removed
            spread = np.minimum(rest, left) - np.maximum(0, rest - (users - left))
            removed = removed[spread <= run.limit]
            if not removed.size:
                return np.full(kept + 1, -np.inf)
            weight = _log_choose(ones, removed) + _log_choose(self.users - ones, size - removed)
            weight -= log_sum_exp(weight)
            laws = [
                w + _log_hypergeometric(users, ones - int(k), kept)
                for w, k in zip(weight, removed, strict=True)
            ]
            law: FloatArray = log_sum_exp(np.stack(laws), axis=0)
            return law
        if size < run.least_size:
            return np.full(kept + 1, -np.inf)
        search = run.search(size)
        zeros = self.users - ones
        ones_left = max(self.users - search.largest - max(search.smallest, zeros), 0)
        return _log_hypergeometric(users, ones_left, kept)

    def _release(self, ones: int) -> DelStab:
        sums = np.repeat([0.0, 1.0], [self.users - ones, ones])
        return DelStab(
            sums, mechanism=self.mechanism, epsilon=self.budget.epsilon, delta=self.budget.delta
        )


def log_exact_delta(log_laws: FloatArray, *, epsilon: float) -> FloatArray:
    """Return ln of the least δ for each pair of neighbouring rows, both directions."""
    return log_closeness(log_laws[:-1], log_laws[1:], epsilon=epsilon)


def exact_epsilon(log_laws: FloatArray, *, delta: float) -> float:
    """Return the least ε at which all pairs of neighbouring rows are (ε, delta)-close."""
    return least_epsilon(log_laws[:-1], log_laws[1:], delta=delta)


def least_epsilon(first: FloatArray, second: FloatArray, *, delta: float) -> float:
    """Return the least ε at which every row of log masses is (ε, delta)-close to its partner."""
    log_delta = np.log(delta)

    def excess(epsilon: float) -> float:
        pause()
        return float(np.max(log_closeness(first, second, epsilon=epsilon))) - float(log_delta)

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(lambda e: max(excess(e), -700.0), 0.0, high, xtol=1e-10))


def _log_choose(n: int, k: NDArray[np.intp]) -> FloatArray:
    log_choose: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return log_choose


@lru_cache(maxsize=2**13)
def _log_hypergeometric(users: int, ones: int, kept: int) -> FloatArray:
    """Return the log law of the ones among `kept` of the users drawn without replacement."""
    j = np.arange(kept + 1)
    possible = (j <= ones) & (kept - j <= users - ones)
    k = np.where(possible, j, min(ones, kept))
    k = np.where(possible, k, max(kept - (users - ones), 0))
    log_law = (
        _log_choose(ones, k)
        + _log_choose(users - ones, kept - k)
        - _log_choose(users, np.asarray(kept))
    )
    law = np.where(possible, log_law, -np.inf)
    law.flags.writeable = False  # the cache hands it to all
    return law
