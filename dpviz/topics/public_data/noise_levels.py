r"""How much noise: the paper's conditions solved for γ, and what is proved to suffice beside them.

Perturb (Algorithm 1) is a Gaussian or Laplace mechanism on the m numbers f̄(Z), followed by
post-processing. If neighbouring data sets move f̄ by at most ρ in ‖·‖_m, their l₂ sensitivity is
√m·ρ and their l₁ sensitivity at most m·ρ. For the noisy numbers the least γ is known: that of the
analytic Gaussian mechanism (Balle & Wang 2018), and m·ρ/ε. The release is their projection onto
the class and shows less, so these γ are upper bounds on what it needs. How far below a class may
go, `constants_log_delta` bounds.

Neighbouring data sets substitute one example. ‖f‖_m² is the mean of f(Z_i)², so ρ ≤ 2.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray, Source
from dpviz.results.parameters import ParameterError, validate, validate_array

_FARTHEST = 13.0  # of |ξ|/√m in `certified_gap`
MOST_STABLE = 2.0
"""ρ never exceeds the distance of two functions with values in [−1, 1]."""
BALLE_WANG = Source("Balle & Wang 2018", "Algorithm 1")
"""Where the least Gaussian γ for the noisy numbers stands."""


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


def certified_gap(tolerance: float, *, eta: float, perturbed: bool) -> float:
    """Return how far from its minimum an optimiser over ⟨w, φ⟩, |w| ≤ 1, may stop.

    tolerance: of `LinearFunctions`, relative to |costs| + the greatest curvature. With |φ| ≤ 1 and
    labels in [−1, 1] the average loss has less than 1 of these, Algorithm 3's penalty adds η.
    perturbed: whether Algorithm 2's process ⟨ξ, f(Z)⟩·η/√m is in it instead, of which the costs
    are at most η·|ξ|/√m by Cauchy-Schwarz; |ξ| is above 13·√m with a chance below 1e-30.
    """
    return tolerance * (1 + eta * (_FARTHEST if perturbed else 1.0))


def averaged_stability(
    samples: ArrayLike, *, eta: ArrayLike, averages: ArrayLike, delta: float, gap: float = 0.0
) -> FloatArray:
    r"""Return ρ of Algorithm 2, at most 2: one example moves f̄ by no more, but with chance δ.

    ρ = √(2/π)/(ηn) + (2 + √(8 ln(1/δ)))/√J + 2·√(2·√(2/π)·gap/η), for every class and every loss
    in [0, 1] on average. averages: J; gap: the optimiser's. Raises `ParameterError`.

    Proof. One minimiser f of L + η⟨ξ, f(Z)⟩/√m, ξ standard normal in ℝ^m, attains the concave
    G(ξ) = min_f of that, so that f(Z) = ∇G(ξ)·√m/η for almost all ξ. By Stein's identity
    E f(Z) = √m/η·E[G(ξ)ξ]. Neighbouring data change L, and so G, by at most 1/n: for a unit vector
    v, ⟨v, E f(Z) − E f′(Z)⟩ ≤ √m/(ηn)·E|⟨v, ξ⟩| = √m/(ηn)·√(2/π), and ‖·‖_m is 1/√m of the
    Euclidean norm. Two constants ±1 move by exactly 2(2Φ(1/(2ηn)) − 1): the first term is their
    limit for large ηn, 17% above them at ηn = 0.5 and 0.2% at 5.

    The J differences f_j − f_j′ (with the same ξ on both data sets) are independent, with norms of
    at most 2. The norm of their mean less its expectation is 2/√J at most on average, and one of
    them moves it by 4/J at most: it exceeds 2/√J + √(8 ln(1/δ)/J) with chance δ at most
    (McDiarmid). Outside that chance f̄ moves by at most ρ, so Perturb with noise for (ε, δ′) and ρ
    makes the release (ε, δ + δ′)-private.

    A minimiser up to gap has f(Z)·η/√m = p with G(ξ + z) ≤ G(ξ) + ⟨p, z⟩ + gap. With z = ±tv and
    the smoothed G, whose second derivatives are at most η·√(2/π), ⟨v, E p − E ∇G⟩ is at most
    gap/t + t·η/√(2π), least √(2·gap·η·√(2/π)).

    Source: this app, by the argument of Abernethy, Lee, Sinha and Tewari 2014 for follow the
    perturbed leader. Lemma 1 of Block et al. 2024 has (ηn)^(−1/3) and J^(−1/2), its proof the
    square root of both.
    """
    n, strength = validate_array("samples", samples), validate_array("eta", eta)
    j = validate_array("averages", averages)
    mean = math.sqrt(2 / math.pi) / (strength * n)
    chance = (2 + math.sqrt(-8 * math.log(validate("delta", delta)))) / np.sqrt(j)
    rho = mean + chance + 2 * np.sqrt(2 * math.sqrt(2 / math.pi) * gap / strength)
    least: FloatArray = np.minimum(rho, MOST_STABLE)
    return least


# ---- proved to suffice -----------------------------------------------------------------------


def sufficient_gaussian(
    points: ArrayLike, *, rho: ArrayLike, epsilon: float, delta: float
) -> FloatArray:
    """Return a γ for which Perturb with normal noise is (ε, δ)-DP, given ρ alone.

    The least for the noisy numbers f̄(Z) + γζ, an upper bound for the release.
    points: m; rho: ρ, positive. Raises `ParameterError`.
    """
    m, distance = _given(points, rho)
    return gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=m, sensitivity=distance)


def sufficient_laplace(points: ArrayLike, *, rho: ArrayLike, epsilon: float) -> FloatArray:
    """Return γ = m·ρ/ε, for which Perturb with Laplace noise is ε-DP, given ρ alone.

    The least for the noisy numbers f̄(Z) + γζ, an upper bound for the release.
    """
    m, distance = _given(points, rho)
    enough: FloatArray = m * distance / validate("epsilon", epsilon)
    return enough


def vector_log_delta(
    gamma: ArrayLike, *, points: ArrayLike, rho: ArrayLike, epsilon: float
) -> FloatArray:
    """Return ln δ(ε) of the noisy numbers f̄(Z) + γζ, exactly, given ρ; ζ normal.

    No release of Perturb has a larger δ(ε).
    """
    m, distance = _given(points, rho)
    mu = distance * np.sqrt(m) / np.asarray(gamma, dtype=float)
    return gaussian.log_delta_of_mu(*np.broadcast_arrays(validate("epsilon", epsilon), mu))[0]


def constants_log_delta(
    gamma: ArrayLike, *, points: ArrayLike, rho: ArrayLike, epsilon: float
) -> FloatArray:
    """Return ln δ(ε) of what Perturb releases of the constants −1 and ρ − 1; −inf if it is 0.

    Over the class of constants in [−1, 1], which is convex, f̂ is the mean of the noisy numbers,
    cut off at ±1. The best test of ρ − 1 against −1 is that f̂ is at least t: where the loss is ε,
    or 1 if that lies beyond. So a γ for which this exceeds ln δ is too little for Lemma 3, which
    speaks of every class and every f̄ that moves by ρ. No published source.
    """
    m, distance = _given(points, rho)
    sigma = np.asarray(gamma, dtype=float) / np.sqrt(m)
    low, high = -1.0, distance - 1.0
    edge = (low + high) / 2 + sigma**2 * validate("epsilon", epsilon) / distance
    t = np.minimum(edge, 1.0)
    hit, false = log_ndtr((high - t) / sigma), epsilon + log_ndtr((low - t) / sigma)
    with np.errstate(divide="ignore"):
        log_delta: FloatArray = hit + np.log(-np.expm1(np.minimum(false - hit, 0.0)))
    return log_delta


# ---- as published --------------------------------------------------------------------------


def published_gaussian(
    points: ArrayLike, *, rho: ArrayLike, epsilon: float, delta: float, share: float = 1.0
) -> FloatArray:
    """Return the least γ with m/(2γ²)·(1 + γ·√log(share/δ))·ρ ≤ ε: conditions (14), (102), (104).

    share: 1 in (14), 2 in (102) and (104). A quadratic equation. Lemma 9 bounds
    ‖u − f̄′‖² − ‖u − f̄‖² too low by a factor of 2, and ‖ζ‖_m by √log(1/δ): the condition suffices
    for m ≥ 8 and ρ ≤ 1. For small m it need not, see `constants_log_delta`. Raises
    `ParameterError`.
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
    scale: FloatArray = 2 * at_least_one("public_points", points) / validate("epsilon", epsilon)
    return scale


def gaussian_weights(
    points: ArrayLike, *, epsilon: float, delta: float, constant: float = 1.0
) -> FloatArray:
    """Return C·√(m·log(1/δ))/ε, the scale of Theorem 4's Gaussian weights; C is not given.

    As published: not private for every class, see `dpviz.topics.public_data.rich_class`.
    """
    m, c = at_least_one("public_points", points), validate("constant", constant)
    log_delta = -math.log(validate("delta", delta))
    scale: FloatArray = c * np.sqrt(m * log_delta) / validate("epsilon", epsilon)
    return scale


def at_least_one(name: str, values: ArrayLike) -> FloatArray:
    """Return values as an array, or raise `ParameterError`: for sizes that follow from others."""
    sizes = np.asarray(values, dtype=float)
    if not np.all(sizes >= 1):
        raise ParameterError(name, "at least 1", values)
    return sizes


def _given(points: ArrayLike, rho: ArrayLike) -> tuple[FloatArray, FloatArray]:
    m, distance = np.broadcast_arrays(
        validate_array("public_points", points), np.asarray(rho, dtype=float)
    )
    if not np.all(distance > 0):
        raise ParameterError("rho", "a positive number", rho)
    return m, distance
