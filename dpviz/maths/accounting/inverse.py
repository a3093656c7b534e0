"""The privacy, or the number of queries, that an error target allows.

The target is an error in units of Δ, the sensitivity. Noise meets it with certainty if its
radius is at most the target, and with probability 1 − β if what the largest of k errors exceeds
with probability β is at most the target. Either way the largest radius (or σ) allowed is known
at once, and one monotone function is left to invert: δ falls in ε and grows in k.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import elementwise

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import privacy_delta
from dpviz.maths.bounded_noise import BoundedNoise, max_error
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import LIMITS, validate, validate_array

_MARGIN = 1e-11  # on ln δ: the Gaussian δ errs by less


def smallest_epsilon(
    noise: BoundedNoise,
    *,
    target: float,
    delta: float,
    queries: float,
    failure_probability: float | None = None,
    start: float | None = None,
) -> Bracket | None:
    """Return certified bounds on the smallest ε at which errors can be held to the target.

    Of k adaptive queries none errs by more than the target: with certainty, or with
    probability 1 − failure_probability if that is given. Private at ε = `upper`; at no ε below
    `lower`. Both ends are the smallest ε of the table of limits where even that is enough;
    None where not even the largest is (certified to be).

    target: in units of the sensitivity, the most by which substituting one person's record
    moves an answer; start: a guess at ε, for speed only. Raises `ParameterError`.
    """
    queries = validate("queries", queries)
    radius = validate("target", target) / _share(noise, queries, failure_probability)
    if start is None:
        sigma = radius / math.sqrt(noise.fisher_information)  # the limit for many queries
        guess = float(_epsilon_of_sigma(sigma, delta=delta, queries=queries))
        start = guess if guess > 0 else LIMITS["epsilon"].maximum

    def bounds(epsilon: float) -> Bracket:
        return privacy_delta(noise, radius, epsilon=epsilon, queries=queries, compared=delta)

    search = _Search("epsilon", bounds, delta, 1e-5 if queries >= 30 else 1e-4)
    found = search.ends(start)
    return None if found is None else Bracket(*sorted(found))


def most_queries(
    noise: BoundedNoise,
    *,
    target: float,
    epsilon: float,
    delta: float,
    failure_probability: float | None = None,
    start: float | None = None,
) -> Bracket | None:
    """Return certified bounds on the largest number k of queries that meet the target.

    No answer errs by more than the target: with certainty, or with probability
    1 − failure_probability if that is given. `lower` queries are private; more than `upper` are
    not. The two agree up to about k = 1e4 and differ by a few parts in 1e5 above. Both are the
    largest k of the table of limits where even that many are private; None where not even one
    is (certified to be). Parameters as for `smallest_epsilon`; start: a guess at k.
    """
    target = validate("target", target)
    epsilon = validate("epsilon", epsilon)
    delta = validate("delta", delta)
    if start is None:
        one = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1))
        start = (target / (one * math.sqrt(noise.fisher_information))) ** 2

    def bounds(queries: float) -> Bracket:
        radius = target / _share(noise, queries, failure_probability)
        return privacy_delta(noise, radius, epsilon=epsilon, queries=queries, compared=delta)

    found = _Search("queries", bounds, delta, 1e-5).ends(start)
    if found is None:
        return None
    enough, too_many = found
    return Bracket(enough, max(enough, too_many - 1))


def gaussian_smallest_epsilon(
    *, target: ArrayLike, delta: ArrayLike, queries: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the smallest ε at which Gaussian errors meet the target with probability 1 − β.

    With probability 1 − failure_probability none of the k errors is larger than the target, in
    units of the sensitivity (substitute one person). Exact up to 1e-9, and on the private side.
    NaN where not even the largest ε of the table of limits is enough; its smallest where that
    is. The arguments broadcast. Raises `ParameterError`.
    """
    target, k, beta = np.broadcast_arrays(
        validate_array("target", target),
        validate_array("queries", queries),
        validate_array("failure_probability", failure_probability),
    )
    sigma = target / gaussian.max_error(1.0, queries=k, failure_probability=beta)
    return _epsilon_of_sigma(sigma, delta=delta, queries=k)


def _epsilon_of_sigma(sigma: ArrayLike, *, delta: ArrayLike, queries: ArrayLike) -> FloatArray:
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
    found = elementwise.find_root(excess, ends, args=tuple(rest))
    private = np.where(found.f_x <= 0, found.x, found.bracket[1])
    epsilon = np.minimum(np.exp(private), limit.maximum)
    epsilon = np.where(at_maximum > 0, np.nan, epsilon)
    smallest: FloatArray = np.where(at_minimum <= 0, limit.minimum, epsilon)[()]
    return smallest


def gaussian_most_queries(
    *, target: ArrayLike, epsilon: ArrayLike, delta: ArrayLike, failure_probability: ArrayLike
) -> FloatArray:
    """Return the largest k for which Gaussian errors meet the target with probability 1 − β.

    As `gaussian_smallest_epsilon`. NaN where not even one query is private; the largest k of
    the table of limits where even that many are.
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


class _Search:
    """Certified root finding for δ(x) = δ, where x is ε or k, along t = log ε or −log k.

    Privacy grows with t. The secant method on h = log(log δ(x)/log δ), which is nearly a line;
    near the root it aims a little to each side in turn, to settle both by certified values.
    """

    def __init__(
        self, name: str, bounds: Callable[[float], Bracket], delta: float, width: float
    ) -> None:
        limit = LIMITS[name]
        self._bounds, self._width = bounds, width
        self._log_delta = math.log(validate("delta", delta))
        self._sign = -1 if limit.integer else 1
        self._range = float(limit.minimum), float(limit.maximum)
        self._first, self._last = sorted(self._t(x) for x in self._range)

    def _t(self, x: float) -> float:
        return self._sign * math.log(x)

    def ends(self, start: float) -> tuple[float, float] | None:
        """Return an x that is private, and one next to it that is not.

        Both are the least private x of the range if even that is private. None: no x is.
        """
        broken, private = -math.inf, math.inf  # as t
        width, slope, side = self._width, 1.5, 0
        before: tuple[float, float] | None = None
        t = min(max(self._t(start), self._first), self._last)
        while True:
            t = self._whole(t, side, broken, private)
            delta = self._bounds(self._x(t))
            if _log(delta.upper) <= self._log_delta:
                private = t
            elif _log(delta.lower) > self._log_delta or t == self._first:
                broken = t
            else:
                width *= 2  # closer to the root the bounds cannot tell
            if private == self._first or t == self._last != private:
                return (self._x(t), self._x(t)) if private == t else None
            if private - broken <= 2.5 * width or self._adjacent(broken, private):
                return self._x(private), self._x(broken)
            h = math.log(min(max(-_log(delta.midpoint), 1e-12), 750.0) / -self._log_delta)
            if before is not None and t != before[0]:
                slope = min(max((h - before[1]) / (t - before[0]), 0.02), 50.0)
            before = t, h
            step = min(max(-h / slope, -2.0), 2.0)
            side = 0
            if step**2 < width / 2:  # the secant's error is of that order
                side = 1 if private > t + step + 2 * width else -1
            t = t + step + side * width
            low, high = max(broken, self._first), min(private, self._last)
            if not low < t < high:
                unknown = broken == -math.inf if t <= low else private == math.inf
                t, side = (min(max(t, low), high) if unknown else (low + high) / 2), 0

    def _x(self, t: float) -> float:
        """Return the x at t, whole where it has to be."""
        for end in self._range:
            if t == self._t(end):
                return end
        x = math.exp(self._sign * t)
        return float(round(x)) if self._sign < 0 else x

    def _whole(self, t: float, side: int, broken: float, private: float) -> float:
        """Return t; if x is k, that of the whole k on this side of it, and between the ends."""
        if self._sign > 0:
            return t
        k = (round, math.floor, math.ceil)[side](math.exp(-t))
        least = self._range[0] if private == math.inf else self._x(private) + 1
        most = self._range[1] if broken == -math.inf else self._x(broken) - 1
        return -math.log(min(max(k, least), most))

    def _adjacent(self, broken: float, private: float) -> bool:
        both = broken > -math.inf and private < math.inf
        return both and self._sign < 0 and self._x(broken) - self._x(private) <= 1


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
