"""How to read a curve: one number, known in seven ways.

The number is the least δ at which the Gaussian mechanism with noise σ, one query of sensitivity
1, is (ε, δ)-DP. Its privacy loss is N(μ²/2, μ²), μ = 1/σ, and δ(ε) = E[(1 − e^(ε − loss))₊].
"""

import math

import numpy as np
from scipy.special import ndtr

from dpviz.maths import gaussian
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.parameters import ParameterError, validate

KINDS = {
    "upper": "A proven bound",
    "certified": "Two certified bounds",
    "simulated": "A simulation",
    "published": "A formula as published",
    "limit": "A limit",
    "shape": "A shape",
    "all": "All of them",
    "exact": "Nothing",
}
"""What to show beside the exact curve, in the order of a lesson."""

_EPSILON = np.linspace(0.05, 4.0, 80)
_DRAWS = 20_000
_FEWEST_EVENTS = 50
_SMALLEST = 1e-9


def how_to_read_a_curve(*, sigma: float, rng: np.random.Generator, kind: str = "all") -> Chart:
    """Return δ(ε) for noise N(0, σ²) as each kind of evidence knows it.

    sigma: σ, in units of the sensitivity. kind: one of `KINDS`, for all of them or for the exact
    curve and one other. Values below 1e-9 are left out. Raises `ParameterError`.
    """
    if kind not in KINDS:
        raise ParameterError("kind", f"one of {', '.join(KINDS)}", kind)
    mu = 1 / validate("sigma", sigma)
    curves = (*_proven(_EPSILON, mu), *_described(_EPSILON, mu), _drawn(mu, rng))
    return Chart(
        Axis("epsilon", "Privacy loss, ε", log=False),
        Axis("delta", "δ: how far a probability can exceed what ε allows"),
        tuple(curve for curve in curves if kind == "all" or curve.key in ("exact", kind)),
        in_headline=("exact", "published" if kind == "all" else kind),
    )


def _proven(epsilon: FloatArray, mu: float) -> tuple[Curve, ...]:
    """Return the number itself, and what is proven to hold it from both sides and from above."""
    lower, upper = _buckets(epsilon, mu)
    return (
        Curve(
            "exact",
            "The truth, exact",
            Subject.GAUSSIAN,
            Evidence.EXACT,
            Source("Balle & Wang 2018", "Theorem 8"),
            epsilon,
            _shown(gaussian.privacy_delta(1 / mu, epsilon=epsilon, queries=1)),
        ),
        Curve(
            "certified",
            "Certified: between two bounds",
            Subject.GAUSSIAN,
            Evidence.CERTIFIED,
            Source("Meiser & Mohammadi 2018", "privacy buckets"),
            epsilon,
            _shown(upper),
            lower=np.where(upper >= _SMALLEST, np.maximum(lower, _SMALLEST), np.nan),
            upper=_shown(upper),
            weight=0.6,
        ),
        Curve(
            "upper",
            "Proven upper bound",
            Subject.GAUSSIAN,
            Evidence.UPPER,
            Source("Bun & Steinke 2016", "Proposition 1.3"),
            epsilon,
            _shown(_concentrated(epsilon, mu)),
            weight=0.6,
            second=True,
        ),
    )


def _described(epsilon: FloatArray, mu: float) -> tuple[Curve, ...]:
    """Return a theorem as published, what δ tends to, and a shape without its constants.

    With φ the normal density, M Mills' ratio and t = ε/μ − μ/2, δ = φ(t)·(M(t) − M(t + μ)). As
    −M′(s) = 1 − s·M(s) lies between 1/s² − 3/s⁴ and 1/s², δ is φ(t)·μ/(t·(t + μ)) times a number
    between 1 − 3/t² and 1, which tends to 1 as ε → ∞.
    """
    shape = np.exp(-((epsilon / mu) ** 2) / 2)
    t = np.maximum(epsilon / mu - mu / 2, 1e-9)  # at or below it the limit exceeds 1: not drawn
    limit = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi) * mu / (t * (t + mu))
    return (
        Curve(
            "published",
            "As published, up to ε = 1",
            Subject.EARLIER,
            Evidence.PUBLISHED,
            Source("Dwork & Roth 2014", "Theorem A.1"),
            epsilon,
            _shown(1.25 * shape),
            holds=epsilon <= 1,
            assumption="ε ≤ 1",
        ),
        Curve(
            "limit",
            "Limit as ε → ∞",
            Subject.GAUSSIAN,
            Evidence.LIMIT,
            Source("Balle & Wang 2018", "Theorem 8, by Mills' ratio"),
            epsilon,
            _shown(limit),
            second=True,
        ),
        Curve(
            "shape",
            "Asymptotic shape",
            Subject.GAUSSIAN,
            Evidence.ASYMPTOTIC,
            Source("Dwork & Roth 2014", "Theorem A.1"),
            epsilon,
            _shown(0.005 * shape),
        ),
    )


def _drawn(mu: float, rng: np.random.Generator) -> Curve:
    """Return what draws of the privacy loss say."""
    points, delta, error = _simulated(mu, rng)
    return Curve(
        "simulated",
        "Simulated",
        Subject.GAUSSIAN,
        Evidence.SIMULATED,
        Source("dpviz", f"{_DRAWS:,} draws, 95% intervals"),
        points,
        delta,
        lower=delta - error,
        upper=delta + error,
    )


def _shown(delta: FloatArray) -> FloatArray:
    return np.where((delta >= _SMALLEST) & (delta <= 1), delta, np.nan)


def _buckets(epsilon: FloatArray, mu: float) -> tuple[FloatArray, FloatArray]:
    """Bound δ from both sides: round the privacy loss down and up, to half a standard deviation.

    Ten standard deviations above the mean the rest, of mass below 1e-23, counts as infinite
    loss for the upper bound and not at all for the lower one.
    """
    edges = mu * (mu / 2 + np.arange(-20, 21) / 2)
    above = ndtr(-(edges - mu**2 / 2) / mu)
    masses = -np.diff(above)
    gains = -np.expm1(np.minimum(epsilon[:, None] - edges, 0.0))
    return gains[:, :-1] @ masses, gains[:, 1:] @ masses + above[-1]


def _concentrated(epsilon: FloatArray, mu: float) -> FloatArray:
    """Bound δ from above by the moments of the loss: e^(−(ε − μ²/2)²/(2μ²)), for ε ≥ μ²/2."""
    over = np.maximum(epsilon - mu**2 / 2, 0.0)
    return np.exp(-((over / mu) ** 2) / 2)


def _simulated(mu: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return ε, the mean gain over draws of the loss, and 1.96 standard errors of it."""
    loss = mu * (mu / 2 + rng.standard_normal(_DRAWS))
    epsilon = _EPSILON[4::5]
    gains = -np.expm1(np.minimum(epsilon[:, None] - loss, 0.0))
    seen = np.count_nonzero(gains, axis=1) >= _FEWEST_EVENTS
    error = 1.96 * gains.std(axis=1) / np.sqrt(_DRAWS)
    return epsilon[seen], gains.mean(axis=1)[seen], error[seen]
