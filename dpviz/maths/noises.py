"""The least noise of every kind that `compare` has, and what its errors are.

Noises go by one name everywhere: those of the rows of `dpviz.compare`, and the families of bounded
noise. Noise without a bound is told by its standard deviation, bounded noise by its radius. Noise
that may be used for k answers of sensitivity Δ is found as `dpviz.maths.composing` accounts for it,
from both sides; tuned, truncated and joint noise have modules of their own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import scipy

from dpviz.maths import discrete_noise, gaussian
from dpviz.maths.composing import COMPOSED, FINE, log_delta
from dpviz.maths.laplace_rivals import TruncatedLaplace
from dpviz.maths.mechanisms import DiscreteGaussian, DiscreteLaplace, Laplace, Mechanism
from dpviz.results.evidence import Bracket, FloatArray, Source
from dpviz.results.parameters import WIDE_EPSILON, ParameterError, validate

_FINEST = 1e-6  # relative: how near to the least noise its ends are sought
_MOST_ADDED = 10**7  # answers with Laplace noise whose losses are added up on a lattice
_LARGE = 2.0**12  # a σ from which discrete Gaussian noise is nearly Gaussian, for few answers too
_FEW = 3000  # answers with discrete Gaussian noise up to which it need not be nearly Gaussian


@dataclass(frozen=True)
class Family:
    """A family of noise without a bound, with one parameter.

    parameter: its name. of: the mechanism of k answers of a parameter, k and Δ. deviation: the
    standard deviation of a parameter; parameter_of: the parameter of a standard deviation. error:
    what the largest of k errors exceeds with probability β, of a parameter, k and β.
    """

    parameter: str
    of: Callable[[float, int, float], Mechanism]
    deviation: Callable[[float], float]
    parameter_of: Callable[[float], float]
    error: Callable[[float, float, float], float]


def _laplace_error(scale: float, queries: float, failure: float) -> float:
    noise = TruncatedLaplace(1 / scale, math.inf)
    return noise.max_error(queries=queries, failure_probability=failure)


def _discrete_laplace_error(scale: float, queries: float, failure: float) -> float:
    noise = discrete_noise.GeometricNoise(1 / scale, math.inf)
    return noise.max_error(queries=queries, failure_probability=failure)


def _whole(unit: float) -> float:
    if unit != math.floor(unit):
        raise ParameterError("sensitivity", "a whole number for noise on counts", unit)
    return unit


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "laplace": Family(
            "scale",
            lambda b, k, unit: Laplace(scale=b, count=k, sensitivity=unit),
            lambda b: math.sqrt(2) * b,
            lambda deviation: deviation / math.sqrt(2),
            _laplace_error,
        ),
        "discrete_laplace": Family(
            "scale",
            lambda b, k, unit: DiscreteLaplace(scale=b, count=k, sensitivity=unit),
            lambda b: 1 / (math.sqrt(2) * math.sinh(0.5 / b)) if b > 1e-3 else 0.0,
            lambda deviation: 0.5 / math.asinh(1 / (math.sqrt(2) * deviation)),
            _discrete_laplace_error,
        ),
        "discrete_gaussian": Family(
            "sigma",
            lambda s, k, unit: DiscreteGaussian(sigma=s, count=k, sensitivity=unit),
            lambda s: discrete_noise.DiscreteGaussian(s).standard_deviation,
            lambda sigma: sigma,
            lambda s, k, beta: discrete_noise.DiscreteGaussian(s).max_error(
                queries=k, failure_probability=beta
            ),
        ),
    }
)
"""Noises without a bound but the Gaussian, which has closed forms."""

SOURCE: Source = COMPOSED


def enough_scale(
    *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return a scale of Laplace noise, discrete or not, that is (ε, δ)-DP for k answers.

    Of all answers that are (Δ/b)-DP randomised response has the largest Rényi divergence,
    (ln cosh((α − ½)λ) − ln cosh(λ/2))/(α − 1) with λ = Δ/b, and all k of them k times as much:
    it is converted at the best order. For many answers; `least_parameter` is finer up to a million.
    Source: Canonne, Kamath & Steinke 2020, Proposition 12.
    """
    loss, goal = WIDE_EPSILON.validate(epsilon), math.log(validate("delta", delta))
    count, unit = validate("queries", queries), validate("sensitivity", sensitivity)
    order = 1 + np.exp(np.linspace(math.log(1e-3), math.log(1e14), 6000))

    def log_cosh(x: FloatArray) -> FloatArray:
        small = np.minimum(np.abs(x), 1.0)
        large = np.maximum(np.abs(x), 1.0)
        far = large + np.log1p(np.exp(-2 * large)) - math.log(2)
        near = np.log1p(2 * np.sinh(small / 2) ** 2)
        return np.asarray(np.where(np.abs(x) <= 1, near, far))

    def excess(log_scale: float) -> float:
        decay = unit * math.exp(-log_scale)
        spent = count * (log_cosh((order - 0.5) * decay) - log_cosh(np.array(decay / 2)))
        log_delta = spent - (order - 1) * loss - np.log(order - 1) + order * np.log1p(-1 / order)
        return float(log_delta.min()) - goal

    start = unit * math.sqrt(count) / float(gaussian.largest_mu(_array(loss), _array(delta))[0])
    low, high = math.log(start) - 1, math.log(start) + 6
    if excess(high) > 0:
        raise ParameterError("queries", "fewer for so small a δ, or ε larger", queries)
    while excess(low) <= 0:
        low -= 1
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) <= 0 else (middle, high)
    return math.exp(high)


def enough_parameter(
    name: str, *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> float:
    """Return a parameter of a family that is (ε, δ)-DP for k answers: the least that is known."""
    at = {"epsilon": epsilon, "delta": delta, "queries": queries, "sensitivity": sensitivity}
    if name == "discrete_gaussian" or queries <= _MOST_ADDED:
        found = least_parameter(name, **at).upper
        is_close = name == "discrete_gaussian" or queries < _MOST_ADDED / 10
        return found if is_close else min(found, enough_scale(**at))
    return enough_scale(**at)


def least_parameter(
    name: str, *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> Bracket:
    """Return certified bounds on the least parameter of a family that is (ε, δ)-DP for k answers.

    name: of `FAMILIES`; epsilon: up to 100. `upper` is private, `lower` is not. Raises
    `ParameterError`.
    """
    family, loss = FAMILIES[name], WIDE_EPSILON.validate(epsilon)
    goal, count = math.log(validate("delta", delta)), int(validate("queries", queries))
    unit = validate("sensitivity", sensitivity)
    start = float(gaussian.largest_mu(*map(_array, (loss, math.exp(goal))))[0])
    start = unit * math.sqrt(count) / start / (math.sqrt(2) if family.parameter == "scale" else 1)
    if name == "discrete_gaussian" and (count > _FEW or start > _LARGE):
        return discrete_noise.wide_discrete_gaussian(
            epsilon=loss, delta=delta, queries=count, sensitivity=_whole(unit)
        )
    family.of(1.0, count, unit)  # what is refused is refused before anything is computed

    def ends(log_parameter: float, sites: int) -> tuple[float, float]:
        one = family.of(math.exp(log_parameter), count, unit)
        low, high = log_delta([one], loss, sites)
        return max(low, -1e4), max(high, -1e4)

    def excess(x: float) -> float:
        return ends(x, FINE // 16)[1] - goal

    low = high = math.log(start)
    step = 0.05
    while excess(high) > 0:
        low, high, step = high, high + step, 2 * step
    while low == high or excess(low) <= 0:
        low, step = low - step, 2 * step
    root = float(scipy.optimize.brentq(excess, low, high, xtol=_FINEST, rtol=1e-12))
    upper = lower = root
    step = _FINEST
    while ends(upper, FINE)[1] > goal:
        upper, step = upper + step, 4 * step
    step = _FINEST
    while ends(lower, FINE)[0] <= goal and lower > low - 1:
        lower, step = lower - step, 4 * step
    return Bracket(math.exp(lower), math.exp(upper))


def _array(value: float) -> FloatArray:
    return np.array([value])


def largest_parameter(name: str, most: float, *, queries: float, failure: float) -> float:
    """Return the largest parameter at which the largest of k errors exceeds `most` rarely enough.

    most: an error above 0; failure: β, how often it may be exceeded.
    """
    family = FAMILIES[name]

    def fits(log_parameter: float) -> bool:
        return family.error(math.exp(log_parameter), queries, failure) <= most

    low, high = math.log(most) - 30.0, math.log(most) + 30.0
    if name == "discrete_gaussian":
        low = math.log(0.05)
    elif name == "discrete_laplace":
        low = max(low, math.log(1e-2))
    if not fits(low):
        raise ParameterError("most", "larger for this noise, so many answers and β", most)
    if fits(high):
        raise ParameterError("most", "smaller for this noise; from there on use gaussian", most)
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return math.exp(low)
