"""The largest worst value under linear constraints, by interior points, one step at a time.

    maximise over y  min_o (P_o y + e_o)  subject to  A y ≤ b

Mehrotra's predictor-corrector method (1992), from a point inside. A solver from a library is called
once and returns when it is done. Here every step is one factorisation of a band, whose cost does
not depend on its numbers, and whoever computes for others can look up between any two of them.
Nothing is proven of what comes out: whoever uses it turns points and multipliers into bounds.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.sparse import csr_array, hstack, vstack
from scipy.sparse.csgraph import reverse_cuthill_mckee

from dpviz.results.evidence import FloatArray

Indices = NDArray[np.intp]

_CENTRAL = 0.05  # share of the present gap, at least, at which a step aims
_SHORT = 0.9  # share of the way to the boundary that a step goes
_SOFT = 1e-10  # by how much, relative, the diagonal is raised so that it can be factorised
_MENDED, _MENDS = 1e-9, 12  # how far, and in how many steps, what that spoils is mended


@dataclass(frozen=True, eq=False)
class Program:
    """Constraints A y ≤ b and values P y + e, of which the least is to be made large.

    left, right: A, sparse, and b; values, constants: P, a row for each value, and e.
    """

    left: Any
    right: FloatArray
    values: FloatArray
    constants: FloatArray


@dataclass(frozen=True, eq=False)
class Point:
    """A point inside the constraints, and multipliers that are positive.

    y; multipliers: of the constraints; weights: of the values.
    """

    y: FloatArray
    multipliers: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class _Place:
    """Where the search is.

    x: y and a number that no value is below; room: what each constraint leaves, and each value
    above that number; multipliers: of both.
    """

    x: FloatArray
    room: FloatArray
    multipliers: FloatArray


def interior_points(program: Program, start: FloatArray) -> Iterator[Point]:
    """Yield ever better points, without end but for that of what numbers can tell apart.

    start: a point with A y < b. Better means nearer to the optimum for y, and nearer to a proof of
    it for the multipliers; a bound made of them may still grow for a few steps.
    """
    newton, count = _Newton(program), len(program.values)
    values = program.values @ start + program.constants
    gap = float(np.abs(program.values).max())
    x = np.append(start, values.min() - count * gap)
    room = np.append(program.right, program.constants) - newton.rows @ x
    place = newton.moved(_Place(x, room, gap / room))
    while place is not None:
        yield Point(place.x[:-1], place.multipliers[:-count], place.multipliers[-count:])
        place = newton.moved(place)


class _Newton:
    """Steps towards the optimum, each of which solves (Aᵀ D A) x = r for another diagonal D.

    Here A has the rows of the values, too, which are dense. They are kept out of the matrix that is
    factorised, which has its entries near the diagonal if the unknowns are well ordered, and
    bordered. Without them it can be singular: so its diagonal is raised, and conjugate gradients
    mend what that spoils.

    rows: all of A, for x.
    """

    def __init__(self, program: Program) -> None:
        count = len(program.values)
        constraints = hstack([program.left, csr_array((program.right.size, 1))])
        values = hstack([csr_array(-program.values), csr_array(np.ones((count, 1)))])
        self.rows: Any = vstack([constraints, values]).tocsr()
        self._columns = self.rows.T.tocsr()
        row, products, first, second = _products(program.left)
        unknowns = program.left.shape[1]
        pattern = csr_array((np.ones(first.size), (first, second)), shape=(unknowns, unknowns))
        self._order = reverse_cuthill_mckee(pattern)
        place = np.argsort(self._order)
        first, second = place[first], place[second]
        below = np.abs(first - second)
        self._row, self._products = row, products
        self._bands = int(below.max()) + 1, unknowns
        self._cell = below * unknowns + np.minimum(first, second)
        self._values = program.values[:, self._order]

    @np.errstate(all="ignore")  # where numbers end, so do the points
    def moved(self, place: _Place) -> _Place | None:
        """Return the place after a step, a factorisation; None where numbers end."""
        x, room, multipliers = place.x, place.room, place.multipliers
        gap = float(room @ multipliers) / room.size
        stiff = multipliers / room
        try:
            solve = self._solver(stiff)
        except (LinAlgError, ValueError):  # singular, or not of finite numbers
            return None
        unmet = -(self._columns @ multipliers)
        unmet[-1] += 1

        def step(product: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
            """Return the moves after which room·multiplier has changed by `product`."""
            move = solve(unmet - self._columns @ (product / room))
            less = self.rows @ move
            return move, -less, product / room + stiff * less

        _, closer, heavier = step(-room * multipliers)
        left = room + _reach(room, closer) * closer
        left *= multipliers + _reach(multipliers, heavier) * heavier
        central = max((left.mean() / gap) ** 3, _CENTRAL)
        move, closer, heavier = step(central * gap - room * multipliers - closer * heavier)
        far, grown = _SHORT * _reach(room, closer), _SHORT * _reach(multipliers, heavier)
        found = _Place(x + far * move, room + far * closer, multipliers + grown * heavier)
        sound = np.isfinite(found.x).all() and np.isfinite(found.multipliers).all()
        return found if sound and found.room.min() > 0 else None

    def _solver(self, stiff: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Return the function from r to x, D being the diagonal `stiff`."""
        count, values, order = len(self._values), self._values, self._order
        factor = (self._factor(stiff[:-count]), True)
        spread = cho_solve_banded(factor, values.T, check_finite=False)
        border = np.zeros((count + 1, count + 1))
        border[:count, :count] = values @ spread + np.diag(1 / stiff[-count:])
        border[:count, count], border[count, :count] = -1, 1
        inverse = np.linalg.inv(border)

        def nearly(right: FloatArray) -> FloatArray:
            inside = cho_solve_banded(factor, right[:-1][order], check_finite=False)
            *forces, worst = inverse @ np.append(-(values @ inside), right[-1])
            found = np.empty(right.size)
            found[order], found[-1] = inside + spread @ np.array(forces), worst
            return found

        def product(x: FloatArray) -> FloatArray:
            found: FloatArray = self._columns @ (stiff * (self.rows @ x))
            return found

        def solve(right: FloatArray) -> FloatArray:
            """Return x, by conjugate gradients that begin with what is nearly x."""
            found, left = np.zeros(right.size), right
            toward = np.zeros(right.size)
            before: Any = math.inf
            enough = _MENDED * np.linalg.norm(right)
            for _ in range(_MENDS):
                if np.linalg.norm(left) <= enough:
                    break
                near = nearly(left)
                slope = left @ near
                toward = near + slope / before * toward
                pushed = product(toward)
                step = slope / (toward @ pushed)
                found, left, before = found + step * toward, left - step * pushed, slope
            return found

        return solve

    def _factor(self, stiff: FloatArray) -> FloatArray:
        """Return the factor of Cholesky of the constraints' matrix, in the form of LAPACK."""
        entries = self._products * stiff[self._row]
        size = math.prod(self._bands)
        bands = np.bincount(self._cell, entries, minlength=size).reshape(self._bands)
        bands[0] *= 1 + _SOFT
        found: FloatArray = cholesky_banded(bands, lower=True, overwrite_ab=True)
        return found


def _products(left: Any) -> tuple[Indices, FloatArray, Indices, Indices]:
    """Return the products of two entries of a row of A, or of one: row, product, both columns."""
    counts, rows, found = np.diff(left.indptr), np.arange(left.shape[0]), []
    for one, other in itertools.combinations_with_replacement(range(counts.max()), 2):
        row = rows[counts > max(one, other)]
        first, second = left.indptr[row] + one, left.indptr[row] + other
        product = left.data[first] * left.data[second]
        found.append((row, product, left.indices[first], left.indices[second]))
    row, products, first, second = (np.concatenate(part) for part in zip(*found, strict=True))
    return row, products, first, second


def _reach(place: FloatArray, move: FloatArray) -> float:
    """Return how far, up to 1, one can move before a number falls below 0."""
    falls = move < 0
    return float(np.min(-place[falls] / move[falls], initial=1.0))
