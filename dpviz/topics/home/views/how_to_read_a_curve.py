"""How to read a curve: one number, known in seven ways.

The number is how often the best attacker guesses right whether somebody is in the data, from one
answer of sensitivity 1 with noise N(0, σ²), where a coin put them in: Φ(1/(2σ)).
"""

import math

import numpy as np
from scipy.special import ndtr

from dpviz.maths import gaussian
from dpviz.maths.intervals import clopper_pearson
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

DELTA = 1e-6
"""The δ at which the noise has the ε from which two of the ways bound the attacker."""

_SIGMA = np.geomspace(1.0, 8.0, 81)
_GAMES = 1000


def how_to_read_a_curve(*, sigma: float, rng: np.random.Generator, kind: str = "all") -> Chart:
    """Return how often the best attacker is right, in %, along σ, known in each of these ways.

    sigma: σ of the reader, in units of the sensitivity. kind: one of `KINDS`, for all of them or
    for the exact curve and one other. Raises `ParameterError`.
    """
    if kind not in KINDS:
        raise ParameterError("kind", f"one of {', '.join(KINDS)}", kind)
    here = validate("sigma", sigma)
    x = np.union1d(_SIGMA, here)
    curves = (*_proven(x), *_described(x), _played(rng))
    return Chart(
        Axis("sigma", "Standard deviation of Gaussian noise, σ"),
        Axis("right", "The best attacker is right", log=False, unit="%", base=50.0),
        tuple(curve for curve in curves if kind == "all" or curve.key in ("exact", kind)),
        here=here,
        in_headline=("exact", "upper" if kind == "all" else kind),
    )


def _proven(sigma: FloatArray) -> tuple[Curve, ...]:
    """Return the number itself, and what is proven to hold it from both sides and from above."""
    lower, upper = _boxed(1 / (2 * sigma))
    epsilon = gaussian.least_epsilon(1 / sigma, np.full(sigma.shape, DELTA))
    return (
        Curve(
            "exact",
            "The truth, exact",
            Subject.GAUSSIAN,
            Evidence.EXACT,
            Source("Dong, Roth & Su 2022", "trade-off functions of Gaussian noise"),
            sigma,
            100 * ndtr(1 / (2 * sigma)),
        ),
        Curve(
            "certified",
            "Certified: between two bounds",
            Subject.GAUSSIAN,
            Evidence.CERTIFIED,
            Source("dpviz", "the normal density lies between its ends"),
            sigma,
            upper,
            lower=lower,
            upper=upper,
            weight=0.6,
        ),
        Curve(
            "upper",
            "Bound from one ε, at δ = 10⁻⁶",
            Subject.EARLIER,
            Evidence.UPPER,
            Source("Wasserman & Zhou 2010", "for δ > 0 as in Dong, Roth & Su 2022"),
            sigma,
            _allowed(epsilon),
        ),
    )


def _described(sigma: FloatArray) -> tuple[Curve, ...]:
    """Return a theorem as published, what the number tends to, and a shape without its constants.

    With t = 1/(2σ), Φ(t) − 1/2 lies between φ(0)·(t − t³/6) and φ(0)·t, and so tends to the latter.
    """
    epsilon = math.sqrt(2 * math.log(1.25 / DELTA)) / sigma
    return (
        Curve(
            "published",
            "As published, where ε ≤ 1",
            Subject.EARLIER,
            Evidence.PUBLISHED,
            Source("Dwork & Roth 2014", "Theorem A.1"),
            sigma,
            _allowed(epsilon),
            holds=epsilon <= 1,
            assumption="ε ≤ 1",
        ),
        Curve(
            "limit",
            "Limit as σ → ∞",
            Subject.GAUSSIAN,
            Evidence.LIMIT,
            Source("dpviz", "Φ(t) near t = 0"),
            sigma,
            100 * (0.5 + 1 / (2 * sigma * math.sqrt(2 * math.pi))),
            second=True,
        ),
        Curve(
            "shape",
            "Asymptotic shape",
            Subject.GAUSSIAN,
            Evidence.ASYMPTOTIC,
            Source("dpviz", "Φ(t) near t = 0"),
            sigma,
            100 * (0.5 + 0.1 / sigma),
        ),
    )


def _played(rng: np.random.Generator) -> Curve:
    """Return how often the best attacker is right in games: the answer is above half, or below."""
    sigma = _SIGMA[4::8]
    inside = rng.integers(0, 2, (_GAMES, sigma.size))
    answers = inside + sigma * rng.standard_normal(inside.shape)
    wins = np.count_nonzero((answers > 0.5) == (inside == 1), axis=0)
    lower, upper = clopper_pearson(wins, _GAMES)
    return Curve(
        "simulated",
        "Simulated",
        Subject.GAUSSIAN,
        Evidence.SIMULATED,
        Source("dpviz", f"{_GAMES:,} games each, 95% intervals"),
        sigma,
        100 * wins / _GAMES,
        lower=100 * lower,
        upper=100 * upper,
    )


def _allowed(epsilon: FloatArray) -> FloatArray:
    """Return how often, in %, an attacker of something (ε, δ)-DP can be right."""
    allowed: FloatArray = 100 * (1 + DELTA * np.exp(-epsilon)) / (1 + np.exp(-epsilon))
    return allowed


def _boxed(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bound 100·Φ(t) from both sides, for t > 0, as the normal density falls from 0 to t."""
    most = 100 * t / math.sqrt(2 * math.pi)
    return 50 + most * np.exp(-(t**2) / 2), 50 + most
