"""The plain way: user-level noise on the sum of all users, beside what DelStab adds.

A sum of bounded numbers needs no test. With every user's sum cut off to [0, B] and one user
substituted, the sum of all moves by at most B, and does move by B: Laplace or Gaussian noise,
calibrated to B, is (ε, δ)-private on all data and never refuses. (A user who holds m bits has
B = m.) DelStab answers for n − 4κ users; for a fair comparison its noise is scaled to n users. That
the users left out are missing as well is not counted, which flatters DelStab.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.local_deletion import spread_bound
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.propose_test_release.delstab import Budget, quietest_for_spread
from dpviz.topics.propose_test_release.example_sums import ideal_spread
from dpviz.topics.propose_test_release.naming import UNSTABLE, proof_epsilon

_MANY = 10**6  # examples, at which ε′ of the proof is found; it goes like 1/√m
_FARTHEST = 1e9  # examples per user, up to about which the break-even is looked for


def noise_deviation(mechanism: SumMechanism) -> float:
    """Return the standard deviation of the mechanism's noise: σ, or 1/(√2·sinh(ε/2))."""
    if isinstance(mechanism, GaussianCount):
        return mechanism.sigma
    assert isinstance(mechanism, GeometricCount)
    return 1 / (math.sqrt(2) * math.sinh(mechanism.epsilon / 2))


def laplace_deviation(bound: float, *, epsilon: float, delta: float) -> float:
    """Return the standard deviation of the least Laplace noise on a sum that moves by `bound`.

    Two Laplace laws of scale b at distance Δ have d_ε = 1 − e^((ε − Δ/b)/2), so the least scale
    for (ε, δ) is b = Δ/(ε − 2 ln(1 − δ)), and the deviation is √2·b. Exact, under substitution.
    bound: Δ > 0, finite. Raises `ParameterError`.
    """
    loss = validate("epsilon", epsilon) - 2 * math.log1p(-validate("delta", delta))
    return math.sqrt(2) * _positive(bound) / loss


def gaussian_deviation(bound: float, *, epsilon: float, delta: float) -> float:
    """Return the standard deviation of the least Gaussian noise on a sum that moves by `bound`.

    The analytic Gaussian mechanism (Balle & Wang 2018), for one query; under substitution.
    bound: Δ > 0, finite. Raises `ParameterError`.
    """
    return _positive(bound) * float(minimal_sigma(epsilon=epsilon, delta=delta, queries=1))


@dataclass(frozen=True)
class Comparison:
    """Standard deviations of noise on the sum of n users, at the same (ε, δ).

    delstab: of DelStab's answer, scaled from n − 4κ users to n; laplace, gaussian: of plain noise.
    """

    delstab: float
    laplace: float
    gaussian: float

    @property
    def plain(self) -> tuple[str, float]:
        """The better of the two plain ways: its name and its standard deviation."""
        rivals = (("Laplace", self.laplace), ("Gaussian", self.gaussian))
        return min(rivals, key=lambda rival: rival[1])

    @property
    def ratio(self) -> float:
        """How many times DelStab's deviation is that of the better plain noise."""
        return self.delstab / self.plain[1]


def compare(deviation: float, *, users: int, bound: float, budget: Budget) -> Comparison:
    """Return DelStab's noise of standard deviation `deviation` beside plain noise.

    users: n > 4κ. bound: B, the most a user's sum may count. Raises `ParameterError`.
    """
    if users < budget.fewest_users:
        raise ParameterError("users", f"more than 4κ = {4 * budget.kappa}", users)
    privacy = {"epsilon": budget.epsilon, "delta": budget.delta}
    return Comparison(
        deviation * users / (users - 4 * budget.kappa),
        laplace_deviation(bound, **privacy),
        gaussian_deviation(bound, **privacy),
    )


def on_well_behaved_users(
    *, users: int, rate: float, noise: str, noise_factor: float, budget: Budget
) -> Callable[[int], Comparison]:
    """Return the comparison of DelStab's noise with plain noise for each m.

    noise_factor: DelStab's noise, in units of the least with which every set of well-behaved users
    is stable, for users whose sums are the quantiles of Binomial(m, p); it grows like √m, plain
    noise like m.
    """
    unit = compare(1.0, users=users, bound=1.0, budget=budget)  # plain noise grows like m

    def compared(m: int) -> Comparison:
        least = least_deviation(m, users=users, rate=rate, noise=noise, budget=budget)
        tested = least * noise_factor * users / (users - 4 * budget.kappa)
        laplace = laplace_deviation(m, epsilon=budget.epsilon, delta=budget.delta)
        return Comparison(tested, laplace, m * unit.gaussian)

    return compared


def least_deviation(
    examples_per_user: int, *, users: int, rate: float, noise: str, budget: Budget
) -> float:
    """Return the deviation of the least noise with which well-behaved users are always stable.

    The noise of `quietest_mechanism` for `ideal_sums`. Geometric noise with a decay below the
    table of limits is counted as the Laplace noise it then is, to seven digits.
    """
    pause()
    data = {"users": users, "examples_per_user": examples_per_user}
    most = ideal_spread(4 * budget.kappa, rate=rate, **data)
    decay = (budget.epsilon_bar - 2 * math.log1p(-budget.delta_bar)) / max(most, 1.0)
    if noise == "geometric" and decay < 2 * LIMITS["epsilon"].minimum:
        return math.sqrt(2) / decay
    return noise_deviation(quietest_for_spread(most, noise=noise, budget=budget))


def least_examples(compared: Callable[[int], Comparison]) -> float:
    """Return the m from which DelStab's noise is the smaller one, to two digits or so.

    The ratio falls like 1/√m, which leads near the root in one step; whole sums make it bumpy.
    """
    log_ratios: dict[int, float] = {}

    def log_ratio(log_m: float) -> float:
        m = round(math.exp(log_m))
        if m not in log_ratios:
            log_ratios[m] = math.log(compared(m).ratio)
        return log_ratios[m]

    if log_ratio(0.0) <= 0:
        return 0.0
    middle, end = math.log(1e4), math.log(_FARTHEST)
    guess = min(middle + 2 * log_ratio(middle), end)
    low, high = max(guess - 0.5, 0.0), min(guess + 0.5, end)
    while low > 0 and log_ratio(low) <= 0:
        low = max(low - 1, 0.0)
    while log_ratio(high) > 0:
        if high >= end:
            return math.inf
        high = min(high + 1, end)
    return float(round(math.exp(brentq(log_ratio, low, high, xtol=1e-4))))


def proven_examples(users: int, budget: Budget) -> float:
    """Return the m from which DelStab's noise is smaller with a spread that is proven.

    The bound on the spread is √m times what it is for one example, as long as it is not 4κ·m.
    """
    deleted = 4 * budget.kappa
    spread = float(
        spread_bound(deleted, users=users, examples=_MANY, failure_probability=UNSTABLE)
    ) / math.sqrt(_MANY)
    return (spread * _times_louder(users, budget) / _laplace_loss(budget, whole=False)) ** 2


def proof_examples(users: int, budget: Budget) -> float:
    """Return the m from which DelStab's noise is smaller with the constants of Theorem 17."""
    loss = proof_epsilon(users=users, examples=_MANY, budget=budget) * math.sqrt(_MANY)
    return (_times_louder(users, budget) / loss) ** 2


def _times_louder(users: int, budget: Budget) -> float:
    """Return how many times the noise per ε is that of plain noise for one example."""
    return _laplace_loss(budget, whole=True) * users / (users - 4 * budget.kappa)


def _laplace_loss(budget: Budget, *, whole: bool) -> float:
    """Return the sensitivity over the scale of the least Laplace noise, for (ε, δ) or (ε̄, δ̄)."""
    epsilon, delta = (
        (budget.epsilon, budget.delta) if whole else (budget.epsilon_bar, budget.delta_bar)
    )
    return epsilon - 2 * math.log1p(-delta)


def _positive(bound: float) -> float:
    if not 0 < bound < math.inf:
        raise ParameterError("bound", "a positive number", bound)
    return float(bound)
