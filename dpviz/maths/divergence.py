r"""Hockey-stick divergences in closed form, as logarithms.

d_ε(P‖Q) = Σ [P(o) − e^ε·Q(o)]₊ is the least δ for which P(S) ≤ e^ε·Q(S) + δ for all S. Two laws
are (ε, δ)-close, P ≈_{ε,δ} Q, if neither d_ε(P‖Q) nor d_ε(Q‖P) exceeds δ (Ghazi, Kamath et al.
2023, Section 2). Reflection swaps symmetric noise and its shift; flipping the answers that differ
does the same for randomised response. So both directions are equal there, and one number is
returned. `log_finite` takes its direction from the order of its arguments, and `log_closeness` is
the larger of both.

No sum of non-negative terms is computed as a difference. So each result has nearly full relative
precision, also where the divergence itself underflows. −inf says that it is 0.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded
from scipy.special import expit

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem, one_query
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.logspace import log1mexp, log_binomial_pmf, log_sum_exp
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import ParameterError, validate, validate_array

# What lies e^−65 below the largest term cannot be seen in a double, not even after a factor 1e-7.
_NEGLIGIBLE = 65.0


def log_geometric(shift: ArrayLike, *, decay: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return ln d_ε between two-sided geometric noise and the same noise shifted.

    The noise has masses proportional to e^(−decay·|k|) on the whole numbers (discrete Laplace).
    shift: a whole number ≥ 0; decay: the ε of the
    mechanism at sensitivity 1; epsilon: ε ≥ 0 of the divergence. The arguments broadcast.

    With a = e^−decay the loss at k is decay·(shift − 2k) for 0 ≤ k ≤ shift. It exceeds ε up to
    k = ⌊(shift − ε/decay)/2⌋, and the two tails there differ by
    (1 − e^(ε − decay·(shift − k)) + a·(1 − e^(−decay·k)))/(1 + a). Raises `ParameterError`.
    """
    d, rate, eps = _broadcast(shift, validate_array("epsilon", decay), epsilon)
    if np.any(d != np.floor(d)):
        raise ParameterError("shift", "a whole number from 0", float(d[d != np.floor(d)].flat[0]))
    k = np.maximum(np.floor((d - eps / rate) / 2), 0.0)
    gap = -np.expm1(np.minimum(eps - rate * (d - k), 0.0)) - np.exp(-rate) * np.expm1(-rate * k)
    with np.errstate(divide="ignore"):
        log_delta: FloatArray = np.where(
            eps < rate * d, np.log(gap) - np.log1p(np.exp(-rate)), -math.inf
        )[()]
    return log_delta


def log_laplace(shift: ArrayLike, *, decay: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return ln d_ε between Laplace noise, density ∝ e^(−decay·|u|), and the same shifted.

    shift ≥ 0; epsilon: ε ≥ 0; they broadcast. d_ε = (1 − e^((ε − decay·shift)/2))₊.
    Raises `ParameterError`.
    """
    d, rate, eps = _broadcast(shift, validate_array("epsilon", decay), epsilon)
    return log1mexp(np.minimum((eps - rate * d) / 2, 0.0))


def log_gaussian(shift: ArrayLike, *, sigma: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return ln d_ε between N(0, σ²) and N(shift, σ²).

    shift ≥ 0, in the unit of sigma; epsilon: ε ≥ 0; they broadcast. Raises `ParameterError`.
    Source: Balle & Wang 2018, Theorem 8; see `dpviz.maths.gaussian`.
    """
    d, scale, eps = _broadcast(shift, validate_array("sigma", sigma), epsilon)
    apart = d > 0
    with np.errstate(divide="ignore", over="ignore"):
        log_delta, _ = gaussian.log_delta_of_mu(eps, np.where(apart, d / scale, 1.0))
    result: FloatArray = np.where(apart, log_delta, -math.inf)[()]
    return result


def log_bounded(noise: BoundedNoise, shift: float, *, radius: float, epsilon: float) -> Bracket:
    """Return bounds on ln d_ε between bounded noise radius·U and the same shifted.

    shift ≥ 0 and radius: in the same unit; epsilon: ε ≥ 0. The privacy loss of log-concave noise
    is monotone, so one quadrature above its level ε gives d_ε; the bounds enclose its error.
    Raises `ParameterError`.
    """
    d, scale, eps = _broadcast(shift, validate("radius", radius), epsilon)
    if d == 0:
        return Bracket(-math.inf, -math.inf)
    if d >= 2 * scale:
        return Bracket(0.0, 0.0)
    bounds = one_query(Problem(noise, float(d / scale), float(eps), 1))
    return Bracket(bounds.lower, min(bounds.upper, 0.0))


def log_randomized_response(
    distance: ArrayLike, *, bit_epsilon: float, epsilon: ArrayLike
) -> FloatArray:
    """Return ln d_ε between the answers of randomised response to bits `distance` places apart.

    Every bit is kept with probability p = 1/(1 + e^−bit_epsilon), independently; where the
    inputs agree the answers do not tell them apart. distance: their Hamming distance h, a whole
    number ≥ 0; epsilon: ε ≥ 0; the two broadcast. With j of the h answers kept the loss is
    bit_epsilon·(2j − h), so d_ε = Σ_j Binomial(h, p)(j)·(1 − e^(ε − bit_epsilon·(2j − h)))₊.
    Raises `ParameterError`.
    """
    step = validate("epsilon", bit_epsilon)
    h, eps = _broadcast(distance, epsilon)
    if np.any(h != np.floor(h)):
        raise ParameterError("distance", "a whole number from 0", distance)
    values = [_log_kept(int(hi), step, float(ei)) for hi, ei in zip(h.flat, eps.flat, strict=True)]
    return np.reshape(values, h.shape)[()]


def randomized_response_epsilon(
    distance: ArrayLike, *, bit_epsilon: float, delta: float
) -> FloatArray:
    """Return the least ε ≥ 0 at which `log_randomized_response` is at most ln delta.

    delta: δ from 1e-300 to 0.5. One pass gives the whole profile of a distance
    (`_least_epsilon`). Raises `ParameterError`.
    """
    step, target = validate("epsilon", bit_epsilon), validate("closeness_delta", delta)
    (h,) = _broadcast(distance)
    if np.any(h != np.floor(h)):
        raise ParameterError("distance", "a whole number from 0", distance)
    values = [_least_epsilon(int(hi), step, math.log(target)) for hi in h.flat]
    return np.reshape(values, h.shape)[()]


def log_finite(log_first: ArrayLike, log_second: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
    """Return ln d_ε(P‖Q) for finite laws P and Q, given their log masses along the last axis.

    The leading axes broadcast, with epsilon, ε ≥ 0, as well. −inf stands for a mass of 0.
    Raises `ParameterError` unless the masses of each law sum to 1 within 1e-9.
    """
    p, q = (
        _log_masses(name, value) for name, value in (("first", log_first), ("second", log_second))
    )
    (eps,) = _broadcast(epsilon)
    p, q, eps = np.broadcast_arrays(p, q, eps[..., None])
    seen = p > -math.inf
    # the loss ln P/Q, or +inf where Q has no mass
    loss = np.where(seen, p, 0.0) - np.where(seen, q, 0.0)
    gain = log1mexp(np.where(seen, np.minimum(eps - loss, 0.0), 0.0))
    return log_sum_exp(np.where(seen, p + gain, -math.inf), axis=-1)


def log_closeness(log_first: ArrayLike, log_second: ArrayLike, *, epsilon: ArrayLike) -> FloatArray:
    """Return the larger of ln d_ε(P‖Q) and ln d_ε(Q‖P); P ≈_{ε,δ} Q where it is at most ln δ."""
    return np.maximum(
        log_finite(log_first, log_second, epsilon=epsilon),
        log_finite(log_second, log_first, epsilon=epsilon),
    )


def _broadcast(*values: ArrayLike) -> tuple[FloatArray, ...]:
    """Return the arguments as float arrays of one shape, all finite and at least 0."""
    arrays = tuple(np.asarray(value, dtype=float) for value in values)
    for array in arrays:
        bad = ~((array >= 0) & (array < math.inf))
        if bad.any():
            raise ParameterError(
                "a shift, a distance or an ε", "a number from 0", float(array[bad].flat[0])
            )
    return np.broadcast_arrays(*arrays)


def _log_masses(name: str, value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=float)
    if array.ndim == 0 or not np.all(np.abs(np.exp(array).sum(axis=-1) - 1) <= 1e-9):
        raise ParameterError(f"log_{name}", "the log masses of a law", value)
    return array


def _reach(variance: float, log_mass: float) -> float:
    """Return how far from its mean a binomial leaves more than e^−log_mass (Bernstein)."""
    third = log_mass / 3
    return third + math.sqrt(third**2 + 2 * variance * log_mass) + 1


def _log_kept(h: int, step: float, epsilon: float) -> float:
    """Return ln Σ_j Binomial(h, p)(j)·(1 − e^(ε − step·(2j − h)))₊."""
    p = expit(step)
    reach = _reach(h * p * (1 - p), _NEGLIGIBLE)
    first = max(math.floor((h + epsilon / step) / 2), 0)
    last = min(h, math.ceil(max(first, h * p) + reach))
    j = np.arange(max(first, math.floor(h * p - reach)), last + 1, dtype=float)
    gain = log1mexp(np.minimum(epsilon - step * (2 * j - h), 0.0))
    terms = log_binomial_pmf(j, h, log_odds=step) + gain
    return float(log_sum_exp(terms)) if j.size and terms.max() > -math.inf else -math.inf


def _least_epsilon(h: int, step: float, log_delta: float) -> float:
    """Return the least ε ≥ 0 with d_ε ≤ δ at Hamming distance h.

    At the nodes ε_j = step·(2j − h) the divergence is T_j = Σ_{i ≥ j} b_i·(1 − r^(i − j)), with
    r = e^(−2·step) and b the binomial masses. With U_j = Σ_{i ≥ j} b_i·r^(i − j) = b_j + r·U_{j+1}
    it is T_j = T_{j+1} + (1 − r)·U_{j+1}: two sums of positive terms for all j. Between the
    nodes, d_ε = T_j + (1 − e^(ε − ε_j))·U_j for ε_{j−1} ≤ ε ≤ ε_j. All is in units of δ.
    """
    p = expit(step)
    variance = h * p * (1 - p)
    first = max((h + 1) // 2, math.floor(h * p - _reach(variance, _NEGLIGIBLE)))
    last = min(h, math.ceil(h * p + _reach(variance, _NEGLIGIBLE - log_delta)))
    j = np.arange(first, last + 1, dtype=float)
    masses = np.exp(log_binomial_pmf(j, h, log_odds=step) - log_delta)
    bands = np.stack([np.full(j.size, -math.exp(-2 * step)), np.ones(j.size)])
    discounted = solve_banded((0, 1), bands, masses, check_finite=False)
    at_nodes = np.append(np.cumsum(-math.expm1(-2 * step) * discounted[:0:-1])[::-1], 0.0)
    k = int(np.argmax(at_nodes <= 1))
    kept = 1 - (1 - at_nodes[k]) / discounted[k]  # e^(ε − ε_j)
    return max(step * (2 * j[k] - h) + math.log(kept), 0.0) if kept > 0 else 0.0
