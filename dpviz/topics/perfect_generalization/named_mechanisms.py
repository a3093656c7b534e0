"""The mechanisms of the page by name, in the words of a link."""

import math

import numpy as np

from dpviz.maths.finite_exponential import MOST_SAMPLES, FiniteExponential, Mechanism
from dpviz.maths.gaussian_samples import GaussianMean
from dpviz.maths.randomized_response import RandomizedResponse
from dpviz.maths.sum_mechanisms import GaussianCount, GeometricCount, SumMechanism
from dpviz.results.parameters import ParameterError

MECHANISMS = {
    "geometric": "Geometric noise",
    "gaussian": "Gaussian noise",
    "response": "Randomised response",
    "exponential": "Exponential mechanism",
    "mean": "Mean of Gaussian samples",
}
"""The mechanisms by name; the first two add noise to a sum of bits."""

NOISES = dict(list(MECHANISMS.items())[:2])
"""Those that add noise to a sum."""

_EIGHTHS = 8


def named_mechanism(name: str, *, samples: float, epsilon: float, sigma: float) -> Mechanism:
    """Return the mechanism of this name, one of `MECHANISMS`.

    epsilon: ε; sigma: of Gaussian noise, in its place, in units of the sensitivity. The exponential
    mechanism chooses among the multiples 0, n/8, …, n of an eighth of the samples. Raises
    `ParameterError`.
    """
    if name in NOISES:
        return named_noise(name, epsilon=epsilon, sigma=sigma)
    if name == "response":
        return RandomizedResponse(epsilon)
    if name == "exponential":
        eighths = np.linspace(0, float(samples), _EIGHTHS + 1)
        return FiniteExponential(epsilon, tuple(eighths.tolist()))
    if name == "mean":
        return GaussianMean(sigma)
    raise ParameterError("mechanism", f"one of {', '.join(MECHANISMS)}", name)


def named_noise(name: str, *, epsilon: float, sigma: float) -> SumMechanism:
    """Return the noise of this name, one of `NOISES`. Raises `ParameterError`."""
    if name not in NOISES:
        raise ParameterError("noise", f"one of {', '.join(NOISES)}", name)
    return GeometricCount(epsilon) if name == "geometric" else GaussianCount(sigma)


def check_samples(mechanism: str, samples: float) -> None:
    """Raise `ParameterError` if the exact numbers of so many samples would take too long."""
    if mechanism == "exponential" and samples > MOST_SAMPLES and math.isfinite(samples):
        raise ParameterError(
            "samples",
            f"at most {MOST_SAMPLES} for the exponential mechanism, whose exact cost grows with "
            "their square",
            samples,
        )
