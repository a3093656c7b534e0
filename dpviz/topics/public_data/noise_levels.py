r"""How much noise: the paper's conditions solved for γ, and the exact calibration beside them.

Perturb (Algorithm 1) is a Gaussian or Laplace mechanism on the m numbers f̄(Z), followed by
post-processing. If neighbouring data sets move f̄ by at most ρ in ‖·‖_m, their l₂ sensitivity is
√m·ρ and their l₁ sensitivity at most m·ρ; both are attained, so the least γ for a given ρ is that
of the analytic Gaussian mechanism (Balle & Wang 2018) and m·ρ/ε.

Neighbouring data sets substitute one example. ‖f‖_m² is the mean of f(Z_i)², so ρ ≤ 2.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate, validate_array

MOST_STABLE = 2.0
"""ρ never exceeds the distance of two functions with values in [−1, 1]."""


def threshold_width(points: ArrayLike) -> FloatArray:
    """Return E sup ω_m over thresholds ±1, exactly; points: m. At most 2·√(2/π).

    sup ω_m·√m is S_m − 2·min S_k of a Gaussian walk, and Spitzer's identity gives
    E max S_k = Σ_k E[S_k⁺]/k, hence √(2/π)·Σ_k k^(−1/2)/√m. Source: Block et al. 2024,
    Definition 6, for the definition.
    """
    m = validate_array("public_points", points)
    sums = np.cumsum(1 / np.sqrt(np.arange(1, int(m.max()) + 1)))
    width: FloatArray = math.sqrt(2 / math.pi) * sums[m.astype(int) - 1] / np.sqrt(m)
    return width


# ---- stability -----------------------------------------------------------------------------


def regularized_stability(
    samples: ArrayLike, *, eta: ArrayLike, gap: float = 0.0, published: bool = False
) -> FloatArray:
    """Return ρ of Algorithm 3: ‖f̄ − f̄′‖_m ≤ 1/√(ηn) + 2·√(gap/η), at most 2.

    For the average loss in [0, 1], as used here. ‖·‖_m² is 2-strongly convex, so comparing f̄ and
    f̄′ in both objectives gives 2ηρ² ≤ 2/n. published: 2/√(ηn), as printed in Lemma 2. gap: the
    optimiser's. Raises `ParameterError`.
    """
    n, strength = validate_array("samples", samples), validate_array("eta", eta)
    rho = (2.0 if published else 1.0) / np.sqrt(strength * n) + 2 * np.sqrt(gap / strength)
    least: FloatArray = np.minimum(rho, MOST_STABLE)
    return least


def perturbed_stability(
    samples: ArrayLike,
    *,
    eta: ArrayLike,
    averages: ArrayLike,
    delta: float,
    width: ArrayLike,
    kappa: float = 1.0,
) -> FloatArray:
    """Return ρ of Algorithm 2 as published in Lemma 1, (12), at most 2; fails with chance δ.

    averages: J; width: E sup ω_m; kappa: inf ‖f‖_m, 1 for functions ±1. The printed proof bounds
    the square of the norm, so nothing here rests a claim of privacy on it.
    Raises `ParameterError`.
    """
    n, strength = validate_array("samples", samples), validate_array("eta", eta)
    j = validate_array("averages", averages)
    if not 0 < kappa <= 1:
        raise ParameterError("kappa", "a number above 0, up to 1", kappa)
    first = 2 / (strength * n * kappa**2) ** (1 / 3) * np.cbrt(np.asarray(width, dtype=float))
    rho = first + np.sqrt(-math.log(validate("delta", delta)) / j)
    least: FloatArray = np.minimum(rho, MOST_STABLE)
    return least


# ---- exact -----------------------------------------------------------------------------------


def exact_gaussian(
    points: ArrayLike, *, rho: ArrayLike, epsilon: float, delta: float
) -> FloatArray:
    """Return the least γ for which Perturb with normal noise is (ε, δ)-DP, given ρ.

    points: m; rho: ρ, positive. Raises `ParameterError`.
    """
    m, distance = _given(points, rho)
    return gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=m, sensitivity=distance)


def exact_laplace(points: ArrayLike, *, rho: ArrayLike, epsilon: float) -> FloatArray:
    """Return the least γ for which Perturb with Laplace noise is ε-DP, given ρ: m·ρ/ε."""
    m, distance = _given(points, rho)
    least: FloatArray = m * distance / validate("epsilon", epsilon)
    return least


def log_true_delta(
    gamma: ArrayLike, *, points: ArrayLike, rho: ArrayLike, epsilon: float
) -> FloatArray:
    """Return ln δ(ε) of Perturb with normal noise of scale γ, exactly, given ρ."""
    m, distance = _given(points, rho)
    mu = distance * np.sqrt(m) / np.asarray(gamma, dtype=float)
    return gaussian.log_delta_of_mu(*np.broadcast_arrays(validate("epsilon", epsilon), mu))[0]


# ---- as published --------------------------------------------------------------------------


def published_gaussian(
    points: ArrayLike, *, rho: ArrayLike, epsilon: float, delta: float, share: float = 1.0
) -> FloatArray:
    """Return the least γ with m/(2γ²)·(1 + γ·√log(share/δ))·ρ ≤ ε: conditions (14), (102), (104).

    share: 1 in (14), 2 in (102) and (104). A quadratic equation. Lemma 9 bounds
    ‖u − f̄′‖² − ‖u − f̄‖² too low by a factor of 2, and ‖ζ‖_m by √log(1/δ): the condition suffices
    for m ≥ 8 and ρ ≤ 1, not for small m. Raises `ParameterError`.
    """
    m, distance = _given(points, rho)
    a = m * distance / (2 * validate("epsilon", epsilon))
    root = math.sqrt(math.log(share / validate("delta", delta)))
    least: FloatArray = (a * root + np.sqrt((a * root) ** 2 + 4 * a)) / 2
    return least


def published_laplace(points: ArrayLike, *, rho: ArrayLike, epsilon: float) -> FloatArray:
    """Return the least γ with m^(3/2)·ρ/γ ≤ ε: conditions (15) and (105). Always sufficient."""
    m, distance = _given(points, rho)
    least: FloatArray = m**1.5 * distance / validate("epsilon", epsilon)
    return least


def perturbation_condition(
    points: ArrayLike,
    *,
    samples: float,
    eta: float,
    averages: float,
    epsilon: float,
    delta: float,
    width: ArrayLike,
) -> FloatArray:
    """Return the least γ that meets (102), as published; no claim of privacy rests on it.

    width: E sup ω_m. (102) has 4/(nη)^(1/3)·E sup ω_m + √(log(2/δ)/J) in place of ρ, where
    Lemma 1 has the cube root of the width.
    """
    n, strength, j = (
        validate(name, value)
        for name, value in (("samples", samples), ("eta", eta), ("averages", averages))
    )
    distance = 4 / math.cbrt(n * strength) * np.asarray(width, dtype=float) + math.sqrt(
        math.log(2 / validate("delta", delta)) / j
    )
    return published_gaussian(points, rho=distance, epsilon=epsilon, delta=delta, share=2.0)


def points_condition(
    points: ArrayLike, *, width: ArrayLike, delta: float, constant: float
) -> FloatArray:
    """Return the left side of (103), which must not exceed 1/6; the constant C is not given.

    C·(log²(m)/√m·width + √((log log m + log(1/δ))/m)), m ≥ 2; log log m counts as 0 below m = 3.
    """
    m = validate_array("public_points", points)
    c, log_delta = validate("constant", constant), -math.log(validate("delta", delta))
    logs = np.log(m)
    rare = np.sqrt((np.log(np.maximum(logs, 1.0)) + log_delta) / m)
    side: FloatArray = c * (logs**2 / np.sqrt(m) * np.asarray(width, dtype=float) + rare)
    return side


# ---- the weights of RRSPM and RSPM ---------------------------------------------------------


def laplace_weights(points: ArrayLike, *, epsilon: float) -> FloatArray:
    """Return the scale 2m/ε of the weights, for which RRSPM and RSPM are ε-DP (Theorem 8)."""
    scale: FloatArray = 2 * validate_array("public_points", points) / validate("epsilon", epsilon)
    return scale


def gaussian_weights(
    points: ArrayLike, *, epsilon: float, delta: float, constant: float = 1.0
) -> FloatArray:
    """Return C·√(m·log(1/δ))/ε, the scale of Theorem 4's Gaussian weights; C is not given.

    As published: not private for every class, see `parity_log_delta`.
    """
    m, c = validate_array("public_points", points), validate("constant", constant)
    log_delta = -math.log(validate("delta", delta))
    scale: FloatArray = c * np.sqrt(m * log_delta) / validate("epsilon", epsilon)
    return scale


def parity_flip_chance(points: ArrayLike, *, scale: ArrayLike, noise: str) -> FloatArray:
    """Return p, the chance that the least of m weights |ξ_i| is below 1.

    The class: all labelings of the m public points, f(x₀) = their parity at one further point x₀.
    The private example there changes the minimiser exactly if its label has the wrong parity
    (chance 1/2, by the random labels) and some weight is below 1: flipping that point costs less
    than the example's loss. So f̃(Z) has the parity of the private label with chance (1 + p)/2.
    """
    m, s = np.broadcast_arrays(validate_array("public_points", points), np.asarray(scale, float))
    if noise == "laplace":
        log_above = -1 / s
    elif noise == "gaussian":
        log_above = math.log(2) + log_ndtr(-1 / s)
    else:
        raise ParameterError("noise", "gaussian or laplace", noise)
    chance: FloatArray = -np.expm1(m * log_above)
    return chance


def parity_log_delta(
    points: ArrayLike, *, scale: ArrayLike, noise: str, epsilon: float
) -> FloatArray:
    """Return ln δ(ε) of RRSPM for the class of `parity_flip_chance`, exactly; −inf if it is 0.

    Within each parity the law of f̃(Z) is uniform, so δ(ε) = [(1 + p)/2 − e^ε·(1 − p)/2]₊. For
    Laplace weights 2m/ε the loss is ln(2·e^(ε/2) − 1) ≤ ε at every m. No published source: the
    app's own counterexample to the Gaussian variant of Theorem 4.
    """
    p = parity_flip_chance(points, scale=scale, noise=noise)
    excess = (1 + p) / 2 - math.exp(validate("epsilon", epsilon)) * (1 - p) / 2
    with np.errstate(divide="ignore"):
        log_delta: FloatArray = np.log(np.maximum(excess, 0.0))
    return log_delta


def _given(points: ArrayLike, rho: ArrayLike) -> tuple[FloatArray, FloatArray]:
    m, distance = np.broadcast_arrays(
        validate_array("public_points", points), np.asarray(rho, dtype=float)
    )
    if not np.all(distance > 0):
        raise ParameterError("rho", "a positive number", rho)
    return m, distance
