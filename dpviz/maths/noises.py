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
_MOST_SIGMA = 2.0**21 / 60  # of discrete Gaussian noise, whose law is a list of its masses


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


def _discrete_gaussian(sigma: float) -> discrete_noise.DiscreteGaussian:
    if sigma > _MOST_SIGMA:
        raise ParameterError("sigma", "smaller here; from there on use gaussian", sigma)
    return discrete_noise.DiscreteGaussian(sigma)


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
            lambda s: _discrete_gaussian(s).standard_deviation,
            lambda sigma: sigma,
            lambda s, k, beta: _discrete_gaussian(s).max_error(queries=k, failure_probability=beta),
        ),
    }
)
"""Noises without a bound but the Gaussian, which has closed forms."""

SOURCE: Source = COMPOSED


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
    family.of(1.0, count, unit)  # what is refused is refused before anything is computed
    start = float(gaussian.largest_mu(*map(_array, (loss, math.exp(goal))))[0])
    start = unit * math.sqrt(count) / start / (math.sqrt(2) if family.parameter == "scale" else 1)

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
        low, high = math.log(0.05), min(high, math.log(_MOST_SIGMA))
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
