"""A proven bound on the error of Gauss-Legendre quadrature, panel by panel.

For g analytic inside the Bernstein ellipse E_ρ of [−1, 1] and |g| ≤ m there, the Chebyshev
coefficients of g are at most 2mρ^(−j). The rule with n nodes is exact up to degree 2n − 1, and
wrong by at most 4 on any other Chebyshev polynomial (by nothing on the odd ones). So its error is
at most 8mρ^(−2n)/(1 − ρ^(−2)).

What bounds g off the real line. All families have f(u) = Σ a_j u^(2j) with all a_j ≥ 0. Hence
all derivatives of f are positive at x ≥ 0, and |f(x + ζ) − f(x)| ≤ f(|x| + |ζ|) − f(|x|); the
same holds for the loss as a function of w = u + v/2, an odd power series with coefficients ≥ 0.
Both differences grow with |x|. A point of E_ρ is at most (ρ − 1/ρ)/2 away from [−1, 1]; how far
u moves with it is known in closed form. So values at the ends of a few cells of a panel bound g
on all of the ellipse, without a derivative and without a sample of complex points.
"""

import math
from collections.abc import Callable

import numpy as np

from dpviz.maths.accounting.answer import FINE, Problem
from dpviz.results.evidence import FloatArray

Goals = Callable[[FloatArray], FloatArray]

_RHO = np.array([1.08, 1.2, 1.4, 1.8, 2.6])[:, None, None]
_CELLS = 4
_ORDER = 2 * FINE[0].size
_MOST_ROUNDS = 12


def refined(
    problem: Problem, edges: FloatArray, *, tilt: float, height: float, goals: Goals, most: int
) -> tuple[FloatArray, FloatArray]:
    """Halve panels until each of their errors in ∫(e^(sl) − 1) is at most e^goals(left ends).

    For all s = tilt + it with |t| ≤ height. Stops as well before there are more than `most` edges.
    Returns the edges, and the logarithms of the bounds: a row for ∫(e^(sl) − 1), one for the mass.
    """
    left, right = edges[:-1], edges[1:]
    done: list[tuple[FloatArray, FloatArray]] = []
    count = edges.size
    for last in range(_MOST_ROUNDS, -1, -1):
        errors = log_errors(problem, left, right, tilt, height)
        bad = errors[0] > goals(left)
        count += int(np.count_nonzero(bad))
        if not last or count > most or not bad.any():
            bad[:] = False
        done.append((left[~bad], errors[:, ~bad]))
        if not bad.any():
            break
        left, right = left[bad], right[bad]
        middle = (left + right) / 2
        left, right = np.append(left, middle), np.append(middle, right)
    starts, bounds = np.concatenate([x for x, _ in done]), np.hstack([x for _, x in done])
    order = np.argsort(starts)
    return np.append(starts[order], edges[-1]), bounds[:, order]


def log_errors(
    problem: Problem, left: FloatArray, right: FloatArray, tilt: float, height: float
) -> FloatArray:
    """Return the logarithms of the bounds of `refined` for these panels, of 64 nodes each."""
    half = (right - left) / 2
    far = half[:, None] * (_RHO - 1 / _RHO) / 2  # of the ellipse from its panel
    possible = far < 0.7
    far = np.minimum(far, 0.7)
    ends = left[:, None] + 2 * half[:, None] * np.arange(_CELLS + 1) / _CELLS
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        moved, log_jacobian = _displacement(problem, ends, far)
        log_density, growth = _off_the_line(problem, ends, moved)
        low, high = (problem.losses(y)[0] for y in (ends[:, :-1], ends[:, 1:]))
        log_density = log_density + log_jacobian - problem.noise.log_normaliser
        rise = tilt * (high + growth) + height * growth
        size = np.maximum(np.abs(low), np.abs(high)) + growth
        log_size = np.log(np.hypot(tilt, height) * size) + np.maximum(rise, 0.0)
        log_size = np.minimum(log_size, np.logaddexp(0.0, rise))
        decay = np.log(8 * half) - _ORDER * np.log(_RHO[..., 0]) - np.log1p(-(_RHO[..., 0] ** -2))
        found = np.stack([log_density + log_size, log_density])
    found = np.where(possible & np.isfinite(found), found, math.inf).max(axis=-1) + decay
    result: FloatArray = found.min(axis=1)
    return result


def _displacement(
    problem: Problem, ends: FloatArray, far: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on |u(y + η) − u(y)| and on log|u′(y + η)|, for y in a cell and |η| ≤ far.

    With E = e^(2y) and q = e^(2η), u + 1 = span·Eq/(1 + Eq), and |1 + Eq| ≥ 1 + E·Re q. Both
    bounds rise with y and then fall: a cell's largest value is where they turn, or at an end.
    """
    span = 2 - problem.shift
    least = np.exp(-2 * far) * np.cos(2 * far)  # of Re q
    y = np.clip(-np.log(least) / 4, ends[:, :-1], ends[:, 1:])
    e = np.exp(2 * y)
    moved = span * e * np.expm1(2 * far) / ((1 + e) * (1 + e * least))
    y = np.clip(-np.log(least) / 2, ends[:, :-1], ends[:, 1:])
    log_jacobian = np.log(2 * span) + 2 * (y + far) - 2 * np.log1p(np.exp(2 * y) * least)
    return moved, log_jacobian


def _off_the_line(
    problem: Problem, ends: FloatArray, moved: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return bounds on −Re f and on the change of the loss, where u moves by at most `moved`."""
    noise, v, span = problem.noise, problem.shift, 2 - problem.shift
    above, gap = problem.distances(ends)
    sides = np.stack([above, gap + v])
    least = sides.min(axis=0)
    near = np.minimum(least[:, :-1], least[:, 1:])  # 1 − |u|, at least and at most
    most = np.maximum(sides[..., :-1], sides[..., 1:]).min(axis=0)

    def f(distance: FloatArray) -> FloatArray:
        return noise.exponent(distance, 2 - distance)

    def loss(distance: FloatArray) -> FloatArray:
        return noise.loss_from_gap(distance, span - distance, v)

    inside = np.where(moved < near, near - moved, np.nan)
    log_density = f(inside) - f(near) - f(np.minimum(most, 1.0))
    least = np.minimum(above, gap)
    edge = np.minimum(least[:, :-1], least[:, 1:])
    inside = np.where(moved < edge, edge - moved, np.nan)
    return log_density, loss(inside) - loss(edge)
