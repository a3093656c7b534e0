"""The radii of tuned noise: a table that is part of the program, and monotone between its rows.

Two searches for a shape may end a percent apart. So the least radius of what a search ends at
may rise a little where a setting becomes easier. What is given as R is therefore a number that
depends on the setting alone, and that a search certifies: some noise of this radius is private.

The number. With u = ln(ε + 2δ) and l = u − ln 2δ,

    ln R = H(ln k, ln(1 + e^u), ln(1 + l/2)) − u,

where H is linear in each of its three arguments between the nodes of a table. For small ε and δ the
excess E[(1 − e^(ε − Λ))₊] is about E[(Λ − ε)₊], so that R·(ε + 2δ) depends on k and δ/ε alone: H
hardly changes with the second argument. End staircase noise for one answer has l/(1 − e^(−l)) for
e^H there. So few nodes are enough.

Why it is monotone. ln R is a function of k, u and w = ln 2δ, of which u rises with ε and δ, and w
with δ. In a cell of the table it has the slopes

    along ln k: ∂H/∂(ln k),  along w: −∂H/∂(ln(1 + l/2))/(2 + l),
    along u: (1 − e^(−v))·∂H/∂v + ∂H/∂(ln(1 + l/2))/(2 + l) − 1, with v = ln(1 + e^u).

A slope of H is linear in the other arguments, so that the table is monotone if at the corners of
each cell the first is positive and the others are negative (tested, with margins). Rounding does
not spoil it: u, w and ln k are rounded to steps so wide that H changes by more than its rounding
errors where one of them changes at all.

Uniform noise has R = 1/(2(1 − (1 − δ)^(1/k))) whatever ε, which is monotone as well. Tuned noise
comes as near to it as one likes, and R is the lesser of both: for one answer and δ near 1/2 none is
better.

Made by `python -m benchmarks.tuned_radii`: the lowest such table that is above what searches found
at some eight thousand settings, by a little.
"""

import math
from bisect import bisect_right
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray

TABLE = Path(__file__).with_name("tuned_radii.npy")
"""H at the nodes, in single precision."""

COUNTS = (
    *(1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 45, 70, 110, 170, 270, 450, 750, 1300, 2200, 4000),
    *(7500, 15_000, 3e4, 7e4, 2e5, 1e6, 1e7, 1e8, 1e10),
)
SUMS = (0.0, 0.2, 0.5, 0.85, 1.25, 1.65, 2.05, math.log(11.0))
DEPTHS = (
    *(0.0, 0.2, 0.4, 0.65, 1.0, 1.4, 1.9, 2.6, 3.6, 5.0, 7.0, 10.0, 14.0, 20.0, 29.0, 42.0, 62.0),
    *(92.0, 112.0, 137.0, 150.0, 168.0, 205.0, 310.0, 460.0, 683.0),
)
AXES: tuple[tuple[float, ...], ...] = (
    tuple(np.log(COUNTS).tolist()),
    SUMS,
    tuple(np.log1p(np.array(DEPTHS) / 2).tolist()),
)
"""The nodes: of k, given as ln k; of v = ln(1 + ε + 2δ); of l, given as ln(1 + l/2)."""

_NEARLY = 6e-3  # from uniform noise to what a search finds next to it
_STEPS = 2.0**24  # within 1 of u, w and ln k


def tuned_radius(*, epsilon: float, delta: float, queries: float) -> float:
    """Return the R of tuned noise in units of Δ: not certified, but monotone, without exception.

    It never falls as k rises or ε or δ falls. epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5];
    queries: k in [1, 1e10]; already validated. Source: the module docstring.
    """
    at, u = place(epsilon, delta, queries)
    nodes, weights = corners(at)
    uniform = (1 + _NEARLY) / (-2 * math.expm1(math.log1p(-delta) / queries))
    return min(math.exp(float(_table()[nodes] @ weights) - u), uniform)


def place(epsilon: float, delta: float, queries: float) -> tuple[tuple[float, float, float], float]:
    """Return the arguments of H, and u."""
    u, w = _rounded(math.log(epsilon + 2 * delta)), _rounded(math.log(2 * delta))
    count = _rounded(math.log(queries))
    return (count, math.log1p(math.exp(u)), math.log1p((u - w) / 2)), u


def corners(at: tuple[float, float, float]) -> tuple[NDArray[np.intp], FloatArray]:
    """Return the nodes of the cell that a place is in, and their weights; the last cells go on."""
    nodes, weights = np.zeros(1, dtype=np.intp), np.ones(1)
    for axis, x in zip(AXES, at, strict=True):
        i = min(bisect_right(axis, x), len(axis) - 1) - 1
        part = (x - axis[i]) / (axis[i + 1] - axis[i])
        nodes = (len(axis) * nodes[:, None] + (i, i + 1)).ravel()
        weights = (weights[:, None] * (1 - part, part)).ravel()
    return nodes, weights


def _rounded(x: float) -> float:
    return round(x * _STEPS) / _STEPS


@cache
def _table() -> FloatArray:
    table: FloatArray = np.load(TABLE).astype(float).ravel()
    return table
