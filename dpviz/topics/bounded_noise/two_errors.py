"""The errors of two answers in their square: drawn together, and drawn one by one."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpviz.maths import joint_noise
from dpviz.maths.joint_noise import joint_radius
from dpviz.maths.laplace_rivals import TruncatedLaplace
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.parameters import validate
from dpviz.topics.bounded_noise.limits_along_queries import drawn_one_by_one

_POINTS = 241
_LINES = 6
_CORNERS = np.array([1.0, 1.0, -1.0, -1.0, 1.0]), np.array([1.0, -1.0, -1.0, 1.0, 1.0])
_LEAST = Source("dpviz.maths.least_noise", "the least certified here")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two errors in their square, [−R, R]²: lines along which they are equally likely.

    lines: (x, y) of each, from the innermost one; from each to the next the density falls by the
    same factor.
    """

    radius: float
    lines: tuple[tuple[FloatArray, FloatArray], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoErrors(Chart):
    """How likely an error is beside one of none, relative to two of none, by its size.

    together, apart: the errors of noise drawn together and one by one, each of the least radius
    that is certified here for the same privacy; the second None while it is looked for. fall: of
    the logarithm of the density from line to line.
    """

    together: Pair
    apart: Pair | None
    fall: float


def two_errors(*, epsilon: float, delta: float) -> Iterator[TwoErrors]:
    """Yield two errors drawn together, and at last beside two drawn one by one.

    In units of Δ, the most by which substituting one person's record moves each of the two answers.
    Raises `ParameterError`. Sources: `dpviz.maths.joint_noise`, `dpviz.maths.least_noise`.
    """
    loss = validate("epsilon", epsilon)
    radius = joint_radius(epsilon=epsilon, delta=delta, queries=2).upper
    steps = np.arange(1, _LINES + 1) / _LINES
    squares = tuple((radius * x * _CORNERS[0], radius * x * _CORNERS[1]) for x in steps)
    fall = loss * radius / _LINES
    x = np.linspace(0, 1, _POINTS)
    depth = np.floor(radius * (1 - x))
    kind = Subject.USER_LEVEL, Evidence.EXACT, joint_noise.SOURCE
    likely = np.exp(loss * (depth - depth[0]))
    together = Curve("together", "Drawn together", *kind, radius * x, likely)

    def result(*more: Curve, apart: Pair | None) -> TwoErrors:
        axis = Axis("error", "One error, the other 0", log=False, unit="Δ")
        chart = Chart(axis, Axis("likely", "How likely, next to two of 0"), (together, *more))
        done = 0.0 if apart is None else 1.0
        pair = Pair(radius, squares)
        return TwoErrors.of(chart, together=pair, apart=apart, fall=fall, done=done)

    yield result(apart=None)
    least = drawn_one_by_one(epsilon, delta, 2.0)
    if isinstance(least.noise, TruncatedLaplace):
        falls = least.noise.rate * least.radius * x
    else:
        assert isinstance(least.noise, TunedNoise)
        with np.errstate(all="ignore"):
            falls = least.noise.log_density(0.0) - least.noise.log_density(x)
    falls = np.where(np.isfinite(falls), falls, math.inf)
    lines = tuple(_line(least.radius * x, falls, fall * n) for n in range(1, _LINES + 1))
    kind = Subject.BOUNDED, Evidence.EXACT, _LEAST
    likely = np.where(np.isinf(falls), math.nan, np.exp(-falls))
    curve = Curve("apart", "Drawn one by one", *kind, least.radius * x, likely)
    yield result(curve, apart=Pair(least.radius, lines))


def _line(x: FloatArray, falls: FloatArray, fall: float) -> tuple[FloatArray, FloatArray]:
    """Return where two independent errors are less likely than none, by a fall of the logarithm.

    falls: that of each error at x ≥ 0. Where they would be beyond the wall, it is the wall.
    """
    finite = np.isfinite(falls)
    across = x[falls <= fall]
    up = np.interp(fall - falls[: across.size], falls[finite], x[finite])
    a, b = np.append(across, across[-1]), np.append(up, 0.0)
    half = np.concatenate([a, a[::-1]]), np.concatenate([b, -b[::-1]])
    return np.concatenate([half[0], -half[0]]), np.concatenate([half[1], -half[1]])
