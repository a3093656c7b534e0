r"""What no independent bounded noise can do to many answers: a test that knows no noise.

The claim. Each of k answers is the true value plus independent noise on [−R, R], of one law or of
another for each answer, with a density or without; the laws may depend on k. If one pair of
neighbouring data sets moves all answers by Δ = 1, and their answers are (ε, δ)-indistinguishable in
both directions, then R is at least what `score_radius` returns. For fixed ε and δ it is πσ·(1 −
O(k^(−1/4))), σ being the Gaussian noise of the same privacy. So πσ is the limit for all independent
bounded noise, shapes that change with k included. `dpviz.maths.accounting.tuning` has noise near
it.

The proof. Take a width W > R + 1/2, c = π/(2W), τ = tan c, and add up the scores s(x) = tan(cx) of
the answers, as the two data sets have them: with Y_i = s(X_i − 1/2) and Z_i = s(X_i + 1/2) the sums
ΣY_i and ΣZ_i. All of these are at most B = s(R + 1/2) in absolute value. The score is that of the
law of density cos²(cx), but nothing is assumed of the law of X_i.

1. *The mean moves.* d = Z − Y is τ(1 + YZ), and YZ = G − d²/2 with G = (Y² + Z²)/2. So d ≤ τ(1 + G)
   and d ≥ τ(1 + G) − τ·τ²(1 + G)²/2 ≥ τ′(1 + G), τ′ = τ(1 − τ²(1 + B²)/2). Let A be the mean over
   i of E G. The two sums have means that are M ≥ kτ′(1 + A) apart.
2. *The deviations are small and alike.* The variances of the two sums add up to 2kA at most, so the
   smaller deviation is S = √(ka) with a ≤ A. The other exceeds it by no more than that of Σd_i,
   whose variance is at most ΣE d_i² ≤ τ(1 + B²)·M ≤ β²M², β² = (τ/τ′)(1 + B²)/k.
3. *So they are far apart.* With r = M/S, r ≥ √k·τ′(√a + 1/√a) ≥ 2√k·τ′, whatever the laws.
4. *A test.* Let the data set of the smaller deviation be the first. Reject where the sum lies
   beyond its mean there by xS or more, towards the other mean. By Berry and Esseen (constant 0.56
   for summands of different laws: Shevtsova 2010), and as |Y − E Y| ≤ 2B, it rejects the first with
   probability at most Φ(−x) + b and the second at least Φ(z) − b, where b = 1.12·B/√(ka) and
   z = (r − x)/(1 + βr) for r ≥ x, r − x else. Privacy says that δ is at least the second less e^ε
   times the first. By Cantelli's inequality, with x = ur, they are also at most 1/(1 + x²) and at
   least 1 − 1/(1 + y²), y = (1 − u)r/(1 + βr).
5. *For every a.* Both bounds on δ rise with r. b falls with a, the bound on r falls up to a = 1.
   So for a ≥ 1 put a = 1; below, on each interval of a grid, take r of its upper and b of its lower
   end; below the last one Cantelli's with r there. If the least of all exceeds δ, no noise on
   [−R, R] is private.

The limit. Let ε and δ be fixed, R ≤ πσ, which is of the order √k, and W = R/(1 − κ), κ = k^(−1/4).
Then B = O(k^(1/4)), b and β are O(k^(−1/4)) for a above any constant; below a small one Cantelli's
δ is near 1. And 2√k·τ′ ≥ (1 − κ − O(k^(−1/2)))·π√k/R. So δ is at least
δ_Gauss((1 − κ)·π√k/R) − O(k^(−1/4)), where δ_Gauss(μ) of Gaussian noise of deviation √k/μ rises
with a positive slope, and is δ at √k/σ: R ≥ πσ(1 − O(k^(−1/4))). (Noise on a smaller interval is on
a larger one as well.)

Several people at once. Data sets that differ by g people, each of whom moves all answers by Δ in
the same direction, are (gε, δ·(e^(gε) − 1)/(e^ε − 1))-indistinguishable, and gΔ takes the place
of Δ. That costs a little of the limit, and b has a larger δ beside it.

What it is worth. b has to be small beside δ: one pair of neighbours says more than the other bounds
only from some (5/δ)² answers on. At ε = δ = 0.1 it proves 2.5σ for a million answers, where they
prove 2.0σ. At δ = 0.01 data sets 8 people apart prove 2.5σ in place of 2.4σ, and 2.9σ for 1e8
answers. At δ = 1e-10 the others stay ahead up to 1e10.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpviz.maths import gaussian
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, validate

_BERRY_ESSEEN = 0.56
_ROOMS = np.geomspace(3e-3, 0.6, 20)  # 1 − R/W
_SHARES = np.geomspace(1.0, 1e-6, 100)  # of a, the mean square of a score
_PLACES = np.array([0.7, 0.8, 0.87, 0.94, 1.0, 1.06, 1.15, 1.3])  # of the best x for β = 0
_CANTELLI = np.array([0.3, 0.5, 0.7, 0.85])
_HALVINGS = 24
_PEOPLE = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377)  # by whom two data sets differ
_NARROW = 5.0  # Δ: below it the test may refute a radius, and say nothing of smaller ones
_FEW = 1000  # answers, below which b is so large that other bounds say more
_SAFETY = 1e-9


def score_radius(
    *, epsilon: float, delta: float, queries: float, steps: int = 1, sensitivity: float = 1.0
) -> float:
    """Return a radius such that no independent additive noise of a smaller one is (ε, δ)-DP.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k answers, each moved by up to
    sensitivity (Δ) when one person is substituted, and in all of them at once. steps: g ≥ 1, by how
    many people the two data sets that are compared differ. A proven lower bound, in the unit of Δ,
    for noises that may differ from answer to answer; 0 where it says nothing, or gε exceeds 10 or
    the δ of g steps 1/2. Raises `ParameterError`. Source: the module docstring.
    """
    unit = validate("sensitivity", sensitivity)
    loss, slack = validate("epsilon", epsilon), validate("delta", delta)
    count = math.floor(validate("queries", queries))
    together = _together(loss, slack, steps)
    return 0.0 if together is None else unit * steps * _radius(*together, count)


def radius_above(
    least: float, *, epsilon: float, delta: float, queries: float
) -> tuple[float, int] | None:
    """Return the largest `score_radius` over its steps, and these, if it exceeds another bound.

    least: that bound, for Δ = 1. None where nothing more is proven: that is known soon. Parameters
    and errors as there.
    """
    loss, slack = validate("epsilon", epsilon), validate("delta", delta)
    count = math.floor(validate("queries", queries))
    best = None
    for steps in _PEOPLE if count >= _FEW else ():
        together = _together(loss, slack, steps)
        if together is None:
            break
        near = least / steps
        if near < _NARROW or _refutes(np.full(_ROOMS.size, near), *together, count).any():
            radius = steps * _radius(*together, count)
            if radius > least:
                least, best = radius, (radius, steps)
    return best


def _together(epsilon: float, delta: float, steps: int) -> tuple[float, float] | None:
    """Return ε and δ of data sets that differ by so many people; None where they say nothing."""
    if steps * epsilon > LIMITS["epsilon"].maximum:
        return None
    slack = delta * math.expm1(steps * epsilon) / math.expm1(epsilon)
    if slack > LIMITS["delta"].maximum:
        return None
    return steps * epsilon, slack * (1 + _SAFETY)


@lru_cache(maxsize=4096)
def _radius(epsilon: float, delta: float, queries: int) -> float:
    """Return the largest radius found at which the test proves more than δ."""
    sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=min(delta, 0.5), queries=queries)
    limit = math.pi * float(sigma)
    low, high = np.zeros(_ROOMS.size), np.full(_ROOMS.size, limit)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        refuted = _refutes(middle, epsilon, delta, queries)
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    return float(low.max())


def _refutes(radius: FloatArray, epsilon: float, delta: float, queries: int) -> NDArray[np.bool_]:
    """Return whether the test proves more than δ of each radius, with each of `_ROOMS` beside."""
    return proven_delta(radius, radius / (1 - _ROOMS), epsilon, queries) > delta + _SAFETY


def proven_delta(radius: FloatArray, width: FloatArray, epsilon: float, queries: int) -> FloatArray:
    """Return what δ of k answers with any independent noise on [−R, R] is at least; Δ = 1.

    radius: R; width: W, of the same shape; −1 where the test says nothing, W ≤ R + 1/2 for one.
    """
    radius, width = (np.asarray(value, dtype=float)[..., None] for value in (radius, width))
    room = width > radius + 0.5
    angle = np.where(room, math.pi / 2 / np.maximum(width, 1.5), 1.0)
    most = np.tan(np.where(room, angle * (radius + 0.5), 0.0))  # B
    move = np.tan(angle)  # τ
    sure = move * (1 - move**2 * (1 + most**2) / 2)  # τ′
    room &= sure > 0
    sure = np.where(room, sure, move)
    widening = np.sqrt(move / sure * (1 + most**2) / queries)  # β
    apart = math.sqrt(queries) * sure * (np.sqrt(_SHARES) + 1 / np.sqrt(_SHARES))
    least = np.concatenate([apart[..., :1], apart], axis=-1)  # r, in each cell of a and below all
    error = 2 * _BERRY_ESSEEN * most / np.sqrt(queries * _SHARES)  # b
    normal = _normal(least[..., :-1], widening, error, epsilon).max(axis=0)
    coarse = _cantelli(least, widening, epsilon).max(axis=0)
    proven = np.minimum(np.maximum(normal, coarse[..., :-1]).min(axis=-1), coarse[..., -1])
    return np.where(room[..., 0], proven, -1.0)


def _normal(
    apart: FloatArray, widening: FloatArray, error: FloatArray, epsilon: float
) -> FloatArray:
    """Return bounds on δ by Berry and Esseen, for several thresholds."""
    x = np.multiply.outer(_PLACES, apart / 2 + epsilon / apart)
    z = apart - x
    z = np.where(z > 0, z / (1 + widening * apart), z)
    bounds: FloatArray = ndtr(z) - error - math.exp(epsilon) * (ndtr(-x) + error)
    return bounds


def _cantelli(apart: FloatArray, widening: FloatArray, epsilon: float) -> FloatArray:
    """Return bounds on δ by Cantelli's inequality, for several thresholds."""
    x = np.multiply.outer(_CANTELLI, apart)
    y = np.multiply.outer(1 - _CANTELLI, apart / (1 + widening * apart))
    bounds: FloatArray = 1 - 1 / (1 + y**2) - math.exp(epsilon) / (1 + x**2)
    return bounds
