r"""Laplace and truncated Laplace noise for k answers, exactly composed: the rivals of tuned noise.

Truncated Laplace noise has the density c·e^(−λ|x|) on [−A, A], c = λ/(2 − 2e^(−λA)). Between it and
itself shifted by 1 the loss is ±λ where both laws are on one side of their centres, and falls
linearly in between. It is infinite on the last stretch of length 1, which has the mass
p = c/λ·(e^(−λ(A − 1)) − e^(−λA)). Its finite losses are those of Laplace noise, with
1/(1 − e^(−λA)) times the weight, and 1 − e^(−λ(A − 1)) of that at the two atoms ±λ. With k answers

    δ(ε) = 1 − (1 − p)^k + δ_finite(ε),

where δ_finite is composed on a lattice between two bounds (`dpviz.maths.loss_laws`); its upper
bound is used throughout. The noise is log-concave: the shift by all of Δ is the worst one.

Up to λ = ε/k no finite loss counts, and p falls as λ grows: the best λ lies between ε/k and that of
Laplace noise. For one answer it is ε, where p = δ gives A = ln(1 + (e^ε − 1)/(2δ))/ε (Geng, Ding,
Guo & Kumar 2018, "Privacy and utility tradeoff in approximate differential privacy").
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from scipy.special import gammainc

from dpviz.maths.accounting.answer import log_any_of
from dpviz.maths.accounting.search import solved_in_steps
from dpviz.maths.logspace import log1mexp, log_failure_of_each
from dpviz.maths.loss_laws import LossLaw, laplace_laws, log_delta_bounds
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import Steps, in_steps, pause

MOST_QUERIES = 3000
"""Beyond, the lattice grows large, and the noises here are far from the best ones."""

_PRECISION = 1e-4  # of log λ and log A
_NO_ROOM = -40.0  # log(R − 1): at δ = 1/2 one answer is private down to R = 1
_TOLERANCE = 3e-3  # of log δ
_MOST_BINS = 4000
_CLOSEST = -10.0  # log of how far, in log λ, the best rate lies below that of Laplace noise
_PLACES = 7


@dataclass(frozen=True)
class TruncatedLaplace:
    """Noise with density ∝ e^(−rate·|x|) on [−radius, radius], in units of Δ.

    rate: λ > 0; radius: A > 1, or inf for noise that is not truncated.
    """

    rate: float
    radius: float

    def max_error(self, *, queries: float, failure_probability: float) -> float:
        """Return what the largest of k errors exceeds with probability β, exactly."""
        kept = -math.expm1(-self.rate * self.radius)
        log_tail = float(log_failure_of_each(failure_probability, queries))
        # (e^(−λx) − e^(−λA))/(1 − e^(−λA)) = tail
        inside = -kept * math.expm1(log_tail)
        if inside < 0.5:
            return -math.log1p(-inside) / self.rate
        return -math.log(math.exp(log_tail) * kept + math.exp(-self.rate * self.radius)) / self.rate

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of one error."""
        reach = self.rate * self.radius
        # 2 − e^(−r)·(r² + 2r + 2) is about r³/3 for small r, and all of its digits would cancel
        return math.sqrt(2 * float(gammainc(3.0, reach)) / -math.expm1(-reach)) / self.rate

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Draw independent errors, by inverting the law of their size."""
        kept = -math.expm1(-self.rate * self.radius)
        sizes = -np.log1p(-kept * rng.random(size)) / self.rate
        return np.asarray(rng.choice([-1.0, 1.0], size) * sizes)

    def log_delta(self, *, epsilon: float, queries: float, goal: float | None = None) -> float:
        """Return an upper bound on log δ of k answers, nearly exact.

        goal: away from it a rough bound will do, if it is on the same side.
        """
        certain, atoms, log_kept = self._ends(queries)
        rest = goal
        if goal is not None:
            if certain > goal:
                return certain
            rest = goal + float(log1mexp(min(certain - goal, -1e-15)))
        finite = self._finite(epsilon, int(queries), atoms, log_kept, rest)
        return float(np.logaddexp(certain, finite))

    def laws(self, bins: int) -> tuple[float, tuple[LossLaw, LossLaw]]:
        """Return log of the chance of an infinite loss, and two laws around the finite ones.

        Of one answer, from below and from above; bins: as of `laplace_laws`.
        """
        certain, atoms, log_kept = self._ends(1.0)
        return certain, _laws(self.rate, bins, atoms, log_kept)

    def _ends(self, queries: float) -> tuple[float, float, float]:
        """Return log of the chance of an infinite loss, the atoms' share, and log(1 − e^(−λA))."""
        log_kept = float(log1mexp(-self.rate * self.radius))
        if math.isinf(self.radius):
            return -math.inf, 1.0, log_kept
        beyond = -self.rate * (self.radius - 1)
        infinite = beyond + float(log1mexp(-self.rate)) - log_kept - math.log(2)
        return log_any_of(infinite, queries), -math.expm1(beyond), log_kept

    def _finite(
        self, epsilon: float, count: int, atoms: float, log_kept: float, goal: float | None
    ) -> float:
        """Return an upper bound on log δ_finite; bins are halved until the bounds agree.

        Or until they lie on one side of the goal.
        """
        if epsilon >= count * self.rate:
            return -math.inf
        at, bins = np.array([epsilon]), 8
        while True:
            lower, upper = _laws(self.rate, bins, atoms, log_kept)
            _, high = log_delta_bounds(upper, count=count, epsilon=at)
            if high[0] == -math.inf or (goal is not None and high[0] <= goal):
                return float(high[0])
            low, _ = log_delta_bounds(lower, count=count, epsilon=at)
            is_settled = goal is not None and low[0] > goal
            narrow = high[0] < low[0] + _TOLERANCE or bins > _MOST_BINS / math.sqrt(count)
            if is_settled or narrow:
                return float(high[0])
            bins *= 2


def _laws(rate: float, bins: int, atoms: float, log_kept: float) -> tuple[LossLaw, LossLaw]:
    """Return `laplace_laws` of the truncated noise; atoms: the share of the two atoms that is left.

    log_kept: log(1 − e^(−λA)). From above, each atom has half a bin's mass added to it.
    """
    moved = math.tanh(rate / (2 * bins)) / 2
    laws = []
    for law, extra in zip(laplace_laws(rate, bins), (0.0, moved), strict=True):
        weights = law.log_weights.copy()
        weights[[0, -1]] = math.log(atoms / 2 + extra) - rate / 2
        laws.append(replace(law, log_weights=weights - log_kept))
    return laws[0], laws[1]


def laplace_noise(*, epsilon: float, delta: float, queries: float) -> TruncatedLaplace:
    """Return the least Laplace noise, not truncated, that is (ε, δ)-DP for k answers; Δ = 1.

    queries: at most `MOST_QUERIES`. Certified to be private. Raises `ParameterError`.
    """
    epsilon, log_delta, queries = validated_rival(epsilon, delta, queries)

    def log_delta_at(rate: float) -> float:
        noise = TruncatedLaplace(rate, math.inf)
        return noise.log_delta(epsilon=epsilon, queries=queries, goal=log_delta)

    pure = epsilon / queries * (1 - 1e-12)  # private, whatever is rounded
    return TruncatedLaplace(largest_private(log_delta_at, pure, log_delta), math.inf)


@in_steps
def truncated_laplace_noise(
    *, epsilon: float, delta: float, queries: float
) -> Steps[TruncatedLaplace]:
    """Return truncated Laplace noise of about the least radius that is (ε, δ)-DP; Δ = 1.

    The noise is certified to be private. For one answer no λ does better, for more another may.
    Parameters as `laplace_noise`.
    """
    epsilon, log_delta, queries = validated_rival(epsilon, delta, queries)
    if queries == 1:
        return _for_one(epsilon, log_delta)
    largest = math.log(laplace_noise(epsilon=epsilon, delta=delta, queries=queries).rate)

    def radius(log_rate: float) -> float:
        rate = math.exp(log_rate)

        def excess(log_radius: float) -> float:
            pause()
            noise = TruncatedLaplace(rate, 1 + math.exp(log_radius))
            found = noise.log_delta(epsilon=epsilon, queries=queries, goal=log_delta)
            return max(found - log_delta, -1e4)

        most = math.log((math.log(queries) - log_delta + 5) / rate)
        if excess(most) > 0:
            return math.inf
        least = most - 0.1
        while excess(least) <= 0:
            if least < _NO_ROOM:
                return 1 + math.exp(least)
            most, least = least, least - 0.3
        root = float(scipy.optimize.brentq(excess, least, most, xtol=_PRECISION))
        while excess(root) > 0:
            root += _PRECISION
        return 1 + math.exp(root)

    def best(value: Callable[[float], float]) -> float:
        return least_below(value, epsilon, queries, largest, _PLACES, 12)

    below = yield from solved_in_steps(best, lambda x: min(radius(largest - math.exp(x)), 1e300))
    yield
    rate = largest - math.exp(below)
    return TruncatedLaplace(math.exp(rate), radius(rate))


def _for_one(epsilon: float, log_delta: float) -> TruncatedLaplace:
    """Return the least truncated Laplace noise for one answer."""
    # ln(1 + (e^ε − 1)/(2δ)), where e^ε/δ may be large
    log_odds = epsilon + float(log1mexp(-epsilon)) - math.log(2) - log_delta
    radius = float(np.logaddexp(0.0, log_odds)) / epsilon
    while True:
        noise = TruncatedLaplace(epsilon, max(radius, 1.0))
        if noise.log_delta(epsilon=epsilon, queries=1) <= log_delta:
            return noise
        radius *= 1 + 1e-13  # what was rounded


def least_below(
    value: Callable[[float], float],
    epsilon: float,
    queries: float,
    largest: float,
    places: int,
    most: int,
) -> float:
    """Return the x at which a value of the rate e^(largest − e^x), at least ε/k, is about least.

    places: so many are compared before one is refined, with at most so many more values.
    """
    apart = largest - math.log(epsilon / queries)
    x = np.linspace(_CLOSEST, math.log(max(apart, 2 * math.exp(_CLOSEST))), places)
    values = [value(float(one)) for one in x]
    i = int(np.argmin(values))
    bounds = float(x[max(i - 1, 0)]), float(x[min(i + 1, places - 1)])
    found = scipy.optimize.minimize_scalar(
        value, bounds=bounds, method="bounded", options={"maxiter": most}
    )
    return float(found.x) if found.fun < values[i] else float(x[i])


def largest_private(
    log_delta_at: Callable[[float], float], start: float, log_delta: float
) -> float:
    """Return the largest rate at which log_delta_at is at most log_delta, from a start near it.

    log_delta_at: rises with the rate. The rate returned is certified, wherever the search ends.
    """

    def excess(log_rate: float) -> float:
        return max(log_delta_at(math.exp(log_rate)), -1e4) - log_delta

    low = math.log(start)
    while excess(low) > 0:
        low -= 0.1
    high = low
    while excess(high) <= 0:
        low, high = high, high + 0.5
    root = float(scipy.optimize.brentq(excess, low, high, xtol=_PRECISION))
    while excess(root) > 0:
        root -= _PRECISION
    return math.exp(root)


def validated_rival(epsilon: float, delta: float, queries: float) -> tuple[float, float, float]:
    """Return ε, log δ and k, or raise."""
    count = validate("queries", queries)
    if count > MOST_QUERIES:
        raise ParameterError("queries", f"at most {MOST_QUERIES} for noise on a lattice", queries)
    return validate("epsilon", epsilon), math.log(validate("delta", delta)), count
