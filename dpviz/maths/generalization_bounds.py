r"""What the theorems promise about two fresh samples: group privacy and Theorem 13.

All of Ghazi, Kamath et al. 2023 ("User-Level Differential Privacy With Few Examples Per User").
A is (ε, δ)-DP for data sets of n items that differ in one (substitute), and any law of the items
is allowed. Privacy of the item level enters as `epsilon` and `log_delta` = ln δ, which is −inf for
a pure mechanism.

**Theorem 13 with its constants.** The proof hides nothing but constants; here they are.

1. Lemma 33, as the proof of Lemma 32 uses it: for every output o the masses f(x) = Pr[A(x) = o]
   are replaced by g(x), a martingale in the prefixes of x with mean μ = E f whose steps change it
   by a factor within e^(±2ε), at a price E|g − f| ≤ 2(1 + e^−ε)·Σ_i E[f(x) − e^ε f(x̃⁽ⁱ⁾)]₊.
2. Lemmas 27 and 34 (with α = 2ε ≤ 1 the size of a step of ln g, and a = α√n):
   ln(g/μ) ≥ y has probability at most exp(−y²/(2a²)), and ln(g/μ) ≤ −8a² − y at most the same:
   the drift of n steps is between −8nα² and 0. (Lemma 27 adds up the two sides.)
3. Lemma 35, as integrals. For λ > 0, with Φ the normal distribution function,
   E[g/μ − e^λ]₊ ≤ ∫_λ^∞ e^y·exp(−y²/(2a²)) dy = a√(2π)·e^(a²/2)·Φ(a − λ/a) and
   E[1 − e^λ·g/μ]₊ ≤ Pr[g ≤ e^−λ·μ] ≤ exp(−(λ − 8a²)²/(2a²)) for λ ≥ 8a².
4. Lemma 32 and 14 with ε'' = 2λ. The last display of the proof of Lemma 32 drops the factor e^ε''
   in front of E[g − f]₊; with it, and E[f − g]₊ = E[g − f]₊ = E|g − f|/2, the sum over all o is
   E[d_ε''(A(x)‖A(x'))] ≤ δ'' := (1 + e^ε'')(1 + e^−ε)·n·δ + a√(2π)·e^(a²/2)·Φ(a − λ/a)
   + e^λ·exp(−(λ − 8a²)²/(2a²)).
5. Markov: the outputs are (ε'', 4δ'')-close for half of all pairs (x, x'). Theorem 15, on their
   2n items: all but β of the pairs can be turned into one of these by changing at most
   t = √(8n·ln(1/(2β))) items of x and x' together.
6. Lemmas 5 and 6 for these changes, s of them in x and t − s in x', in either direction:
   ε' = ε'' + ⌊t⌋·ε and δ' = 4e^(tε)·δ'' + e^ε''·δ·(e^(tε) − 1)/(e^ε − 1).
   (The paper writes 2t for the t changes; one is enough, as Theorem 15 counts both samples.)

λ is free: `theorem_13_derived` takes the least that keeps δ' below what is asked for. Nothing is
assumed but 2ε ≤ 1 (Lemma 34); where ε√n is not small the result is simply large.

Theorem 15 as printed is false for 0 < t < 1 (let n = 1, a fair coin, E = {0}, t = 1/2). Step 5
follows from McDiarmid's inequality for one side, that is, Lemma 26 without the factor 2 for both,
for β ≤ 0.3179; a larger β is treated as that. (With the factor 2 it would only for β ≤ 0.2022.)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, elementwise
from scipy.special import log_ndtr

from dpviz.maths.logspace import log1mexp
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate_array

LARGEST_BETA = 0.3179
"""The largest β for which one-sided McDiarmid gives step 5, rounded down."""
_LEAST_EPSILON = 1e-100  # instead of 0, which the quotients do not like
_ROUNDING = 1e-15
SMALL = 1.0
"""Where the page draws the line for "sufficiently small": the paper names no number."""


@dataclass(frozen=True, eq=False)
class Promise:
    """A statement A(x) ≈_{ε′,δ′} A(x') with probability 1 − β.

    epsilon: ε′; log_delta: ln δ′. +inf where nothing is promised.
    """

    epsilon: FloatArray
    log_delta: FloatArray


def group_privacy(items: ArrayLike, *, epsilon: ArrayLike, log_delta: ArrayLike) -> Promise:
    """Return Lemma 6: what (ε, δ)-DP promises with certainty when `items` items change.

    ε′ = items·ε and δ′ = δ·(e^(items·ε) − 1)/(e^ε − 1).
    """
    k, eps, log_d = np.broadcast_arrays(
        *(np.asarray(value, dtype=float) for value in (items, epsilon, log_delta))
    )
    return Promise(k * eps, log_d + _log_group_factor(k, eps))


def theorem_13_shape(
    samples: ArrayLike,
    *,
    epsilon: ArrayLike,
    log_delta: ArrayLike,
    log_failure: ArrayLike,
    constant: ArrayLike = 1.0,
) -> Promise:
    """Return Theorem 13 with a constant of the reader's: C·ε·√(n·ln(1/(βδ))), and n·δ.

    log_delta: ln δ, finite: a pure mechanism is (ε, δ)-DP for every δ > 0; log_failure: ln β.
    """
    n, eps = np.asarray(samples, dtype=float), np.asarray(epsilon, dtype=float)
    log_d = np.asarray(log_delta, dtype=float)
    small = assumption_13(n, epsilon=eps, log_delta=log_d, log_failure=log_failure)
    return Promise(validate_array("constant", constant) * small, np.log(n) + log_d + 0 * small)


def assumption_13(
    samples: ArrayLike, *, epsilon: ArrayLike, log_delta: ArrayLike, log_failure: ArrayLike
) -> FloatArray:
    """Return ε·√(n·ln(1/(βδ))), which Theorem 13 assumes to be "sufficiently small"."""
    log_inverse = -np.asarray(log_delta, dtype=float) - np.asarray(log_failure, dtype=float)
    size: FloatArray = np.asarray(epsilon) * np.sqrt(np.asarray(samples) * log_inverse)
    return size


def theorem_13_derived(
    samples: ArrayLike,
    *,
    epsilon: ArrayLike,
    log_delta: ArrayLike,
    log_failure: ArrayLike,
    delta: ArrayLike,
) -> FloatArray:
    """Return the least ε′ that the proof of Theorem 13 gives, with its constants, for δ′ = delta.

    samples: n; epsilon, log_delta: the item-level (ε, ln δ); log_failure: ln β, at most ln 0.5.
    The arguments broadcast. +inf where the proof gives nothing: δ′ is too small for n·δ, or
    2ε > 1. For β < 2^−n the proof takes group privacy, and so does this. See the module docstring.
    """
    n, eps, log_d, log_beta, allowed = np.broadcast_arrays(
        *(np.asarray(v, dtype=float) for v in (samples, epsilon, log_delta, log_failure, delta))
    )
    n, eps, log_d, log_beta, log_allowed = map(
        np.atleast_1d, (n, eps, log_d, log_beta, np.log(allowed))
    )
    eps = np.maximum(eps, _LEAST_EPSILON)
    group = group_privacy(n, epsilon=eps, log_delta=log_d)
    by_group = np.where(group.log_delta <= log_allowed, group.epsilon, np.inf)
    chain = _chain(n, eps, log_d, np.minimum(log_beta, math.log(LARGEST_BETA)), log_allowed)
    least = np.where(log_beta < -n * math.log(2), by_group, chain)
    return np.where(2 * eps <= 1, least, np.inf).reshape(np.shape(allowed))[()]


def _log_group_factor(items: FloatArray, epsilon: FloatArray) -> FloatArray:
    """Return ln((e^(items·ε) − 1)/(e^ε − 1)), −inf for no items."""
    epsilon = np.maximum(epsilon, _LEAST_EPSILON)
    total = items * epsilon
    return total + log1mexp(-total) - epsilon - log1mexp(-epsilon)


def _chain(
    n: FloatArray, eps: FloatArray, log_d: FloatArray, log_beta: FloatArray, log_allowed: FloatArray
) -> FloatArray:
    """Return ε'' + ⌊t⌋·ε for the least λ = ε''/2 at which δ' is at most what is allowed."""
    changed = np.floor(np.sqrt(8 * n * (-log_beta - math.log(2))))
    a = 2 * eps * np.sqrt(n)
    log_group = _log_group_factor(changed, eps) + log_d
    moved = changed * eps
    lam = _least_lambda(a, log_allowed - math.log(4) - moved)
    # The terms with δ grow with λ: raise λ until the others leave room for them.
    for _ in range(200):
        # 4e^(tε)(1 + e^2λ)(1 + e^−ε)nδ + e^2λ·(group term)
        counted = math.log(4) + moved + np.logaddexp(0, 2 * lam) + np.log1p(np.exp(-eps))
        used = np.logaddexp(counted + np.log(n) + log_d, 2 * lam + log_group)
        room = log_allowed + log1mexp(np.minimum(used - log_allowed, 0.0))
        raised = _least_lambda(a, room - math.log(4) - moved)
        settled = raised <= lam * (1 + 1e-12)
        if np.all(settled | np.isinf(raised)):
            break
        lam = np.where(np.isinf(raised), lam, np.maximum(lam, raised))
    return np.where(settled, 2 * lam + moved, np.inf)


def _log_integrals(lam: FloatArray, a: FloatArray) -> FloatArray:
    """Return ln of the two integrals of step 3, as step 4 adds them up."""
    above = np.log(a) + math.log(2 * math.pi) / 2 + a**2 / 2 + log_ndtr(a - lam / a)
    below = lam - ((lam - 8 * a**2) / a) ** 2 / 2
    return np.logaddexp(above, below)


def _least_lambda(a: FloatArray, log_target: FloatArray) -> FloatArray:
    """Return the least λ, or slightly more, with the two integrals of step 3 below the target."""

    def excess(lam: FloatArray, a: FloatArray, log_target: FloatArray) -> FloatArray:
        return _log_integrals(lam, a) - log_target

    possible = log_target > -np.inf
    target = np.where(possible, log_target, 0.0)
    low = 9 * a**2  # below it the second integral's bound is at least 1
    # both exponents are below −(λ − 8a²)²/(2a²) + λ, which suffices from here on
    room = np.maximum(-target, 0) + 2 + np.maximum(np.log(a), 0)
    high = low + a**2 + a * np.sqrt(2 * (9 * a**2 + room) + 1) + a
    if a.size == 1:
        least = _crossing(lambda lam: excess(lam, a, target), low.item(), high.item())
    else:
        found = elementwise.find_root(excess, (low, high), args=(a, target))
        least = np.where(found.f_x <= 0, found.x, found.bracket[1])
    least = np.where(excess(low, a, target) <= 0, low, least)
    return np.where(possible & (excess(least, a, target) <= 0), least, np.inf)


def _crossing(excess: Callable[[FloatArray], FloatArray], low: float, high: float) -> FloatArray:
    """Return where a falling function is 0, or a little beyond, or an end that it is not between.

    For a single value ten times as fast as what serves many.
    """

    def at(place: float) -> float:
        return float(excess(np.array([place]))[0])

    if at(low) <= 0 or not at(high) < 0:
        return np.array([low if at(low) <= 0 else high])
    root = float(brentq(at, low, high, xtol=1e-300, rtol=_ROUNDING, maxiter=2000))
    step = _ROUNDING * root
    while at(root) > 0 and root < high:
        root, step = min(root + step, high), 2 * step
    return np.array([root])
