"""Algorithm 1, DelStab, for noise on a sum: propose a set to delete, test it, release.

Source: Ghazi, Kamath et al. 2023, Algorithm 1 and Lemma 18; neighbouring data sets differ in all
examples of one user (substitute). Line 6 of the algorithm means "X_stable is empty".

Which set S is taken from X_stable: Lemma 18 couples two choices arbitrarily, so privacy holds for
any; Lemma 19's utility needs the uniform one. Where the mechanism is (4κ, ε̄, δ̄)-LDDP on the data,
every S is stable and the choice is uniform. Otherwise S is the set whose removal leaves the least
spread: R₁ users at the two ends, a of them the largest, R₁ − a the smallest.

Everything but the answer is private to the holder of the data: R₁, the margin, S and T are for
those who may see the data anyway.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from dpviz.maths.local_deletion import sums_for
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate

_CLOSE = 1e-9  # how close the quietest noise comes to the least, in ln ε


@dataclass(frozen=True)
class Budget:
    """What line 3 of Algorithm 1 makes of (ε, δ).

    epsilon, delta: user-level ε and δ, from the table of limits. Raises `ParameterError`.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", validate("epsilon", self.epsilon))
        object.__setattr__(self, "delta", validate("delta", self.delta))

    @property
    def epsilon_bar(self) -> float:
        """ε̄ = ε/3."""
        return self.epsilon / 3

    @property
    def delta_bar(self) -> float:
        """δ̄ = δ/(e^(2ε̄) + e^ε̄ + 2)."""
        return self.delta / (math.exp(2 * self.epsilon_bar) + math.exp(self.epsilon_bar) + 2)

    @cached_property
    def threshold(self) -> TruncatedDiscreteLaplace:
        """The law of R₁, TDLap(ε̄, δ̄)."""
        return TruncatedDiscreteLaplace(self.epsilon_bar, self.delta_bar)

    @cached_property
    def kappa(self) -> int:
        """κ(ε̄, δ̄); 4κ users are deleted."""
        return self.threshold.kappa

    @property
    def fewest_users(self) -> int:
        """4κ + 1: with fewer, nobody would be left to answer."""
        return 4 * self.kappa + 1


@dataclass(frozen=True, eq=False)
class Search:
    """The best set to delete for one R₁.

    size: R₁. largest, smallest: how many users of the largest, of the smallest sums it holds.
    spread: the least spread, over all sets of this size, of the others when 4κ − R₁ more are
    deleted. limit: the spread up to which outputs are (ε̄, δ̄)-close.
    """

    size: int
    largest: int
    smallest: int
    spread: float
    limit: float

    @property
    def margin(self) -> float:
        """The limit less the spread: the test passes where it is not negative."""
        return self.limit - self.spread

    @property
    def stable(self) -> bool:
        """Whether X_stable holds a set of this size."""
        return self.spread <= self.limit


@dataclass(frozen=True, eq=False)
class Outcome:
    """One run, with all that happened on the way.

    threshold: R₁. search: the test. deleted_first: S, deleted: T ⊇ S, as indices of users;
    empty where the test failed. uniform: whether S was a uniform choice. answer: None for ⊥.
    """

    threshold: int
    search: Search
    uniform: bool
    deleted_first: NDArray[np.intp]
    deleted: NDArray[np.intp]
    exact_sum: float
    answer: float | None

    @property
    def refused(self) -> bool:
        """Whether the answer is ⊥."""
        return self.answer is None


class DelStab:
    """Algorithm 1 on given users' sums: the test, exact probabilities, and runs.

    user_sums: the sum of each user's examples, n > 4κ of them, in any order; whole numbers for
    geometric noise. mechanism: noise on a sum; what is released is the noisy sum of n − 4κ users.
    epsilon, delta: user-level. Raises `ParameterError`. Sorting is the whole cost of the test,
    O(n log n).
    """

    def __init__(
        self, user_sums: ArrayLike, *, mechanism: SumMechanism, epsilon: float, delta: float
    ) -> None:
        self.budget = Budget(epsilon, delta)
        self.mechanism = mechanism
        self.sums = sums_for(mechanism, user_sums)
        if self.sums.size < self.budget.fewest_users:
            raise ParameterError("users", f"more than 4κ = {4 * self.budget.kappa}", self.sums.size)
        self.order: NDArray[np.intp] = np.argsort(self.sums, kind="stable")
        self._total = np.append(0.0, np.cumsum(self.sums[self.order]))

    @property
    def users(self) -> int:
        """Return n."""
        return int(self.sums.size)

    @cached_property
    def limit(self) -> float:
        """The largest difference of two sums that is (ε̄, δ̄)-close."""
        farthest = self.mechanism.farthest(
            epsilon=self.budget.epsilon_bar, delta=self.budget.delta_bar
        )
        return float(farthest)

    def search(self, size: int) -> Search:
        """Return the best set of this size, from 0 to 2κ, to delete first.

        Among the sets of one size, deleting some largest and some smallest users leaves the least
        spread: a gap inside can always be closed by giving up an end instead.
        """
        spread = self._spreads(size)[::-1]
        best = int(spread.argmin())
        return Search(size, best, size - best, float(spread[best]), self.limit)

    def least_spread(self, size: int) -> float:
        """Return the spread of `search` alone."""
        return float(self._spreads(size).min())

    def _spreads(self, size: int) -> FloatArray:
        """Return, for each number of the largest, from `size` to 0, the spread of the others."""
        rest = 4 * self.budget.kappa - size
        n, total = self.users, self._total
        # What is left, sorted: its two ends.
        top = total[n - size : n + 1] - total[n - size - rest : n - rest + 1]
        bottom = total[rest : rest + size + 1] - total[: size + 1]
        spreads: FloatArray = top - bottom
        return spreads

    @cached_property
    def least_size(self) -> int:
        """The least R₁ for which X_stable is not empty; 2κ + 1 if there is none.

        A stable set stays stable when a user is added to it, so bisection finds it.
        """
        low, high = -1, 2 * self.budget.kappa + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.search(middle).stable:
                high = middle
            else:
                low = middle
        return high

    @property
    def refusal_probability(self) -> float:
        """Pr[⊥] = P(R₁ < least_size), exactly."""
        return self.budget.threshold.below(self.least_size)

    @cached_property
    def all_stable(self) -> bool:
        """Whether the mechanism is (4κ, ε̄, δ̄)-LDDP at the data: then every set is stable."""
        return self.search(0).stable

    def run(self, rng: np.random.Generator) -> Outcome:
        """Run the algorithm once."""
        size = int(self.budget.threshold.sample(rng, 1)[0])
        search = self.search(size)
        nobody = np.empty(0, dtype=np.intp)
        if not search.stable:
            return Outcome(size, search, False, nobody, nobody, math.nan, None)
        shuffled = rng.permutation(self.users)
        if self.all_stable:
            first = shuffled[:size]
        else:
            ends = np.r_[: search.smallest, self.users - search.largest : self.users]
            first = self.order[ends]
            shuffled = np.concatenate([first, shuffled[~np.isin(shuffled, first)]])
        deleted = shuffled[: 4 * self.budget.kappa]
        kept = np.delete(self.sums, deleted)
        exact = float(kept.sum())
        answer = exact + float(self.mechanism.sample_noise(rng, 1)[0])
        return Outcome(size, search, self.all_stable, first, deleted, exact, answer)


def quietest_mechanism(
    user_sums: ArrayLike, *, noise: str, epsilon: float, delta: float
) -> SumMechanism:
    """Return the mechanism of least noise for which every set is stable, so that Pr[⊥] = 0.

    noise: "geometric" or "gaussian". The parameter is found to 1e-9 and lies on the safe side. It
    depends on the data: a figure may start from it, a private analysis may not. Raises
    `ParameterError`, also where no noise of the table of limits is enough.
    """
    budget = Budget(epsilon, delta)
    _, loudest = _ends(noise)
    needed = DelStab(user_sums, mechanism=loudest, epsilon=epsilon, delta=delta)
    return quietest_for_spread(needed.search(0).spread, noise=noise, budget=budget)


def quietest_for_spread(spread: float, *, noise: str, budget: Budget) -> SumMechanism:
    """Return the mechanism of least noise for which sums `spread` apart are (ε̄, δ̄)-close.

    As `quietest_mechanism`, which asks for the spread that 4κ users can make. Raises
    `ParameterError`.
    """
    quiet, loud = _ends(noise)
    close = {"epsilon": budget.epsilon_bar, "delta": budget.delta_bar}
    if loud.farthest(**close) < spread:
        other = "choose Gaussian noise, " if noise == "geometric" else "choose "
        allowed = f"loud enough for sums that differ so much: {other}a larger ε or a smaller m"
        raise ParameterError("noise", allowed, noise)
    if quiet.farthest(**close) >= spread:
        return quiet
    if noise == "gaussian":  # the farthest sums are in proportion to σ
        return GaussianCount(spread / float(GaussianCount(1.0).farthest(**close)) * (1 + 1e-12))
    limit = LIMITS["epsilon"]

    def at(log_epsilon: float) -> GeometricCount:
        return GeometricCount(min(max(math.exp(log_epsilon), limit.minimum), limit.maximum))

    # The farthest sum is whole: it reaches the spread where the reach is at least this.
    whole = math.floor(spread - 0.5) + 1

    def spare(log_epsilon: float) -> float:
        return float(at(log_epsilon).reach(**close)) - whole

    # Laplace noise, of which it is a rounded version, is near enough to begin with.
    guess = (budget.epsilon_bar - 2 * math.log1p(-budget.delta_bar)) / max(spread, 1.0)
    near = math.log(guess) - 1e-5, math.log(guess) + 1e-5
    brackets = spare(near[0]) >= 0 > spare(near[1])
    ends = near if brackets else (math.log(limit.minimum), math.log(limit.maximum))
    root = brentq(spare, *ends, xtol=_CLOSE / 4)
    return at(root - _CLOSE / 2)


def _ends(noise: str) -> tuple[SumMechanism, SumMechanism]:
    """Return the mechanisms of least and of most noise in the table of limits."""
    if noise == "geometric":
        limit = LIMITS["epsilon"]
        return GeometricCount(limit.maximum), GeometricCount(limit.minimum)
    if noise == "gaussian":
        limit = LIMITS["sigma"]
        return GaussianCount(limit.minimum), GaussianCount(limit.maximum)
    raise ParameterError("noise", '"geometric" or "gaussian"', noise)
