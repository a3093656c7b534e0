r"""A rich class on which Gaussian weights give a private label away, inside Theorem 4's regime.

The class: all labellings of d places, hence of VC dimension d; f(x₀) = the parity of those labels;
f(x₁) = 1 for all. The public points are spread evenly over the d places, as many as Theorem 4
asks for; one private example lies at x₀, the others, however many, at x₁, where they say nothing.

The costs of a place's two labels differ by the sum W of its points' signed weights. Without the
example at x₀ the minimiser takes the cheaper label everywhere; if that has the wrong parity
(chance 1/2, by symmetry), flipping the place with the least |W| mends it, and pays if |W| < 1,
the loss of the example. So the parity of what is released is the private label with chance
(1 + p)/2, p = Pr[min |W| < 1]. No published source: the app's own counterexample to the Gaussian
variant of Theorem 4 of Block et al. 2024.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import beta as beta_function
from scipy.special import erf

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.public_data.noise_levels import at_least_one, gaussian_weights


def points_at_each_place(
    dimension: ArrayLike, *, alpha: float, smoothness: float, beta: float
) -> FloatArray:
    """Return how many public points each of d places gets: m/d, rounded, at least 1.

    m = (d + log(1/β))/(α²σ²) as in Theorem 10, which proves Theorem 4; its constant counts as 1.
    Raises `ParameterError`.
    """
    d = at_least_one("vc_dimension", dimension)
    scale = (validate("alpha", alpha) * validate("smoothness", smoothness)) ** 2
    each: FloatArray = np.maximum(np.rint((1 - math.log(validate("beta", beta)) / d) / scale), 1.0)
    return each


def flip_chance(dimension: ArrayLike, *, copies: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Return p = Pr[min |W| < 1] for Gaussian weights of this scale, exactly.

    dimension: d places; copies: public points at each.
    """
    chance: FloatArray = -np.expm1(_log_stay(dimension, copies, scale))
    return chance


def laplace_flip_bound(dimension: ArrayLike, *, copies: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Return an upper bound on p for Laplace weights of this scale.

    The density of W is largest at 0, where it is B(r − 1/2, 1/2)/(2π·scale) for r copies: the
    integral of its characteristic function (1 + scale²t²)^(−r).
    """
    d, r, s = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (dimension, copies, scale)))
    inside = np.minimum(beta_function(r - 0.5, 0.5) / (math.pi * s), 1.0)
    with np.errstate(divide="ignore"):
        bound: FloatArray = -np.expm1(d * np.log1p(-inside))
    return bound


def label_log_delta(chance: ArrayLike, *, epsilon: float) -> FloatArray:
    """Return ln δ(ε) between the two labels of the private example, given p; −inf if it is 0.

    Within each parity the law of f̃(Z) is uniform, so δ(ε) = [(1 + p)/2 − e^ε·(1 − p)/2]₊.
    """
    p = np.asarray(chance, dtype=float)
    excess = (1 + p) / 2 - math.exp(validate("epsilon", epsilon)) * (1 - p) / 2
    with np.errstate(divide="ignore"):
        log_delta: FloatArray = np.log(np.maximum(excess, 0.0))
    return log_delta


def least_broken_dimension(
    *,
    alpha: float,
    smoothness: float,
    beta: float,
    epsilon: float,
    delta: float,
    constant: float,
) -> int:
    """Return the least d for which Theorem 4's Gaussian weights are not (ε, δ)-DP on this class.

    They are not for any larger d either: p grows with d. constant: C of the weights.
    Raises `ParameterError`.
    """
    # δ(ε) > δ is 1 − p < 2·(1 − δ)/(1 + e^ε)
    allowed = math.exp(validate("epsilon", epsilon))
    limit = math.log(2) + math.log1p(-validate("delta", delta)) - math.log1p(allowed)

    def broken(d: int) -> bool:
        size = float(d)
        each = points_at_each_place(size, alpha=alpha, smoothness=smoothness, beta=beta)
        scale = gaussian_weights(size * each, epsilon=epsilon, delta=delta, constant=constant)
        return bool(_log_stay(size, each, scale) < limit)

    high = 1
    while not broken(high):
        high *= 2
    low = high // 2  # not broken, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if broken(middle) else (middle, high)
    return high


def _log_stay(dimension: ArrayLike, copies: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Return ln(1 − p) for Gaussian weights."""
    spread = np.asarray(scale, dtype=float) * np.sqrt(2 * np.asarray(copies, dtype=float))
    with np.errstate(divide="ignore"):
        stay: FloatArray = np.asarray(dimension, dtype=float) * np.log1p(-erf(1 / spread))
    return stay
