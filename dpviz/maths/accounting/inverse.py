"""The privacy, or the number of queries, that an error target allows.

The target is an error in units of Δ, the sensitivity. Noise meets it with certainty if its radius
is at most the target. Noise meets it with probability 1 − β if the largest of k errors exceeds the
target with probability at most β. Either way the largest radius (or σ) allowed follows at once. One
monotone function is left to invert: δ falls in ε and grows in k.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.search import Accountant, RootSearch
from dpviz.maths.bounded_noise import BoundedNoise, max_error
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import LIMITS, WIDE_EPSILON, validate, validate_array
from dpviz.results.refining import Steps, in_steps

_WIDTH = 2.5e-5  # on ln ε and ln k, for 30 queries and more
_MARGIN = 1e-11  # on ln δ: the Gaussian δ errs by less
_STEPS_DOWN = tuple(10.0**power for power in range(-12, 0))  # relative, from an ε that is enough


@in_steps
def smallest_epsilon(
    noise: BoundedNoise,
    *,
    target: float,
    delta: float,
    queries: float,
    failure_probability: float | None = None,
    start: float | None = None,
    width: float = 0.0,
) -> Steps[Bracket | None]:
    """Return certified bounds on the smallest ε at which errors can be held to the target.

    No answer to k adaptive queries has an error above the target: with certainty, or with
    probability 1 − failure_probability if that is given. The noise is private at ε = `upper`, and
    at no ε below `lower`. Where even the smallest ε of the table of limits is enough, both ends
    are that ε. None where not even the largest is certified to be enough.

    target: in units of the sensitivity, the most by which substituting one person's record
    moves an answer; start: a guess at ε, which only saves time; width: about how wide the bounds
    may be, relative to ε, if wider than usual. Raises `ParameterError`.
    """
    queries = validate("queries", queries)
    radius = validate("target", target) / _share(noise, queries, failure_probability)
    found: Bracket | None = yield from epsilon_of_radius.steps(
        noise, radius, delta=delta, queries=queries, start=start, width=width
    )
    return found


@in_steps
def epsilon_of_radius(
    noise: BoundedNoise,
    radius: float,
    *,
    delta: float,
    queries: float,
    start: float | None = None,
    width: float = 0.0,
) -> Steps[Bracket | None]:
    """Return certified bounds on the smallest ε at which noise of a radius is (ε, δ)-DP.

    radius: a positive number, in units of the sensitivity. Everything else is as in
    `smallest_epsilon`, with the radius as the target. Raises `ParameterError`.
    """
    queries = validate("queries", queries)
    goal = math.log(validate("delta", delta))
    shift = 1 / radius
    if Problem(noise, shift, LIMITS["epsilon"].maximum, queries).is_apart:
        return None
    if start is None:
        # for many queries the noise is Gaussian, with δ(ε) ≤ Φ(μ/2 − ε/μ)
        mu = math.sqrt(queries * noise.fisher_information) * shift
        start = mu * (mu / 2 - float(ndtri(delta)))

    search = RootSearch(
        Accountant(lambda epsilon: Problem(noise, shift, epsilon, queries)),
        goal=goal,
        width=max(width, _WIDTH if queries >= 30 else 10 * _WIDTH),
        span=(LIMITS["epsilon"].minimum, LIMITS["epsilon"].maximum),
        finest=1e-6 if queries >= 30 else 3e-5,
    )
    found = yield from search.steps(search.approach(start))
    return None if found is None else Bracket(*sorted(found))


@in_steps
def most_queries(
    noise: BoundedNoise,
    *,
    target: float,
    epsilon: float,
    delta: float,
    failure_probability: float | None = None,
    start: float | None = None,
    width: float = 0.0,
) -> Steps[Bracket | None]:
    """Return certified bounds on the largest number k of queries that meet the target.

    No answer has an error above the target: with certainty, or with probability
    1 − failure_probability if that is given. `lower` queries are private; more than `upper` are
    not. The two agree up to about k = 1e4, and differ by a few parts in 1e5 above. Where even the
    largest k of the table of limits is private, both are that k. None where not even one query is
    certified to be. The parameters are those of `smallest_epsilon`, but start is a guess at k.
    """
    target = validate("target", target)
    epsilon = validate("epsilon", epsilon)
    delta = validate("delta", delta)
    if start is None:
        one = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1))
        start = (target / (one * math.sqrt(noise.fisher_information))) ** 2

    def problem(queries: float) -> Problem:
        radius = target / _share(noise, queries, failure_probability)
        return Problem(noise, 1 / radius, epsilon, queries)

    search = RootSearch(
        Accountant(problem),
        goal=math.log(validate("delta", delta)),
        width=max(width, _WIDTH),
        span=(LIMITS["queries"].minimum, LIMITS["queries"].maximum),
        whole=True,
        finest=1e-6,
    )
    found = yield from search.steps(search.approach(start))
    if found is None:
        return None
    enough, too_many = found
    return Bracket(enough, max(enough, too_many - 1))


def gaussian_smallest_epsilon(
    *, target: ArrayLike, delta: ArrayLike, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the smallest ε at which Gaussian errors meet the target with probability 1 − β.

    With probability 1 − failure_probability no error of the k exceeds the target, in units of the
    sensitivity (substitute one person). The ε is exact up to 1e-9, and on the private side. It is
    NaN where not even the largest ε of the table of limits is enough, and never less than the
    smallest. The arguments broadcast. Raises `ParameterError`.
    """
    target, k, beta = np.broadcast_arrays(
        validate_array("target", target),
        validate_array("queries", queries),
        validate_array("failure_probability", failure_probability),
    )
    sigma = target / gaussian.max_error(1.0, queries=k, failure_probability=beta)
    return epsilon_of_sigma(sigma, delta=delta, queries=k)


def epsilon_of_sigma(sigma: ArrayLike, *, delta: ArrayLike, queries: ArrayLike) -> FloatArray:
    """Return the smallest ε for which Gaussian noise σ is (ε, δ)-DP for k queries."""
    log_delta = np.log(validate_array("delta", delta)) - _MARGIN
    limit = LIMITS["epsilon"]

    def excess(log_epsilon: FloatArray, *rest: FloatArray) -> FloatArray:
        sigma, log_delta, k = rest
        epsilon = np.clip(np.exp(log_epsilon), limit.minimum, limit.maximum)
        return gaussian.log_privacy_delta(sigma, epsilon=epsilon, queries=k) - log_delta

    ends = np.log(limit.minimum), np.log(limit.maximum)
    rest = np.broadcast_arrays(np.asarray(sigma, dtype=float), log_delta, queries)
    at_minimum, at_maximum = (excess(np.full(rest[0].shape, end), *rest) for end in ends)
    from scipy.optimize import elementwise  # takes a while

    found = elementwise.find_root(excess, ends, args=tuple(rest))
    private = np.where(found.f_x <= 0, found.x, found.bracket[1])
    epsilon = np.minimum(np.exp(private), limit.maximum)
    epsilon = np.where(at_maximum > 0, np.nan, epsilon)
    smallest: FloatArray = np.where(at_minimum <= 0, limit.minimum, epsilon)[()]
    return smallest


def epsilon_bounds_of_sigma(sigma: float, *, delta: float, queries: float) -> Bracket | None:
    """Return bounds on the smallest ε ≥ 0 for which Gaussian noise σ is (ε, δ)-DP for k queries.

    `upper` is private, `lower` is not: 0 where the smallest ε of the table of limits is enough, and
    both are 0 where 0 is enough. None where no ε up to 100 is.
    """
    log_delta, mu = math.log(delta), np.array([math.sqrt(queries) / sigma])
    if gaussian.log_delta_of_mu(np.zeros(1), mu)[0][0] <= log_delta - _MARGIN:
        return Bracket(0.0, 0.0)
    enough = float(gaussian.least_epsilon(mu, np.array([delta]))[0])
    if not enough <= WIDE_EPSILON.maximum:
        return None
    if enough <= LIMITS["epsilon"].minimum:
        return Bracket(0.0, LIMITS["epsilon"].minimum)
    for step in _STEPS_DOWN:
        lower = np.array([enough * (1 - step)])
        if gaussian.log_delta_of_mu(lower, mu)[0][0] > log_delta + _MARGIN:
            return Bracket(float(lower[0]), enough)
    return Bracket(0.0, enough)


def gaussian_most_queries(
    *, target: ArrayLike, epsilon: ArrayLike, delta: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the largest k for which Gaussian errors meet the target with probability 1 − β.

    The parameters are those of `gaussian_smallest_epsilon`. NaN where not even one query is
    private; never more than the largest k of the table of limits.
    """
    target, one, beta = np.broadcast_arrays(
        validate_array("target", target),
        gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1),
        validate_array("failure_probability", failure_probability),
    )

    def meets(k: FloatArray) -> NDArray[np.bool_]:
        error = gaussian.max_error(one * np.sqrt(k), queries=k, failure_probability=beta)
        return np.asarray(error <= target)

    low, high = (np.full(target.shape, end) for end in (0.0, LIMITS["queries"].maximum + 1))
    while np.any(high - low > 1):
        middle = np.clip(np.floor((low + high) / 2), 1, LIMITS["queries"].maximum)
        enough = meets(middle)
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    most: FloatArray = np.where(low == 0, np.nan, low)[()]
    return most


def _share(noise: BoundedNoise, queries: float, failure_probability: float | None) -> float:
    """Return the part of the radius that has to stay below the target."""
    if failure_probability is None:
        return 1.0
    share = max_error(noise, 1.0, queries=queries, failure_probability=failure_probability)
    return float(share)
