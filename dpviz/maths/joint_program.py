r"""What no bounded noise for two or three answers reaches: a linear program, and its dual checked.

In units of Δ, let k errors have any law P on [−n/2, n/2]^k, n whole, (ε, δ)-DP for k answers that
one person moves by up to 1 each, up or down. Cut the cube into n^k cells c of width 1, and average
P over signs and permutations of the coordinates: the hockey-stick divergence is convex, so that the
average P̄ is as private for the shift s = (1, …, 1) as P is for its images. So, for every test φ on
cells with values in [0, 1], and with q ≥ e^ε,

    δ ≥ Σ_c φ(c)·(P̄(c) − q·P̄(c + s)) = Σ_c P̄(c)·(φ(c) − q·φ(c − s)),

which is at least the least mean of φ(c) − q·φ(c − s) over cells that signs and permutations turn
into each other, because P̄ is the same on these. φ comes from the dual of the program that makes δ
small over all P̄, solved in floating point; this least mean is then computed in whole numbers. So
the bound does not rest on the solver. The part of P that has no density counts as in
`dpviz.maths.joint_optimality`.

The program sees one shift, and R in halves. It is at its best where the theorem of that module says
little: few steps, or an ε below the threshold. Its unknowns are taken relative to joint noise;
where δ is below 1e-7 they would lose their digits, and groups of people are about as good.

Source: our own, after the lattice programs for one answer of `dpviz.maths.optimal_noise`.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array

from dpviz.maths.joint_noise import joint_radius
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

MOST_CELLS = {2: 120, 3: 32}
"""n, by k: the program then takes about half a second."""
LEAST_DELTA = 1e-7
"""δ, below which the program is not asked."""

_FAR = 1e4  # times δ, a mass of one cell that never pays to be given up
_UNIT = 2**90  # of which tests are whole multiples
_Places = NDArray[np.intp]


@dataclass(frozen=True)
class _Grid:
    """Cells up to permutations, and their orbits under signs and permutations.

    orbit: of each cell; there: of the cell a step further, −1 outside; count: how many cells each
    stands for; size: how many an orbit has; depth: of an orbit, in steps from the wall.
    """

    orbit: _Places
    there: _Places
    count: _Places
    size: _Places
    depth: _Places

    @classmethod
    def of(cls, cells: int, queries: int) -> "_Grid":
        half = (cells + 1) // 2
        orbits = np.array(list(itertools.combinations_with_replacement(range(half), queries)))
        number = np.zeros((half,) * queries, dtype=np.intp)
        number[tuple(orbits.T)] = np.arange(len(orbits))

        def orbit(places: _Places) -> _Places:
            folded = np.sort(np.minimum(places, cells - 1 - places), axis=1)
            found: _Places = number[tuple(folded.T)]
            return found

        places = np.array(list(itertools.combinations_with_replacement(range(cells), queries)))
        inside = places[:, -1] + 1 < cells
        there = np.full(len(places), -1)
        there[inside] = orbit(places[inside] + 1)
        # k! over the permutations that change nothing; of three, two or three may be equal
        equal = (np.diff(places, axis=1) == 0).sum(axis=1)
        count = math.factorial(queries) // np.array([1, 2, 6])[equal]
        own = orbit(places)
        size = np.bincount(own, count).astype(np.intp)
        return cls(own, there, count, size, orbits.min(axis=1))


def program_delta(*, cells: int, queries: int, ratio: Fraction) -> Fraction:
    """Return a lower bound on the δ of every bounded noise of radius cells/2, in units of Δ.

    cells: n from 1 to `MOST_CELLS`; queries: 2 or 3; ratio: q ≥ e^ε, above 1. The bound holds
    whatever the solver did; it may be 0. Raises `ParameterError`. Source: the module docstring.
    """
    if queries not in MOST_CELLS:
        raise ParameterError("queries", "2 or 3 here", queries)
    if not 1 <= cells <= MOST_CELLS[queries]:
        raise ParameterError("cells", f"a whole number from 1 to {MOST_CELLS[queries]}", cells)
    if ratio <= 1:
        raise ParameterError("ratio", "at least e^ε, above 1", ratio)
    grid = _Grid.of(cells, queries)
    tests = [round(float(x) * _UNIT) for x in _tests(grid, float(ratio))]
    sums = [0] * len(grid.size)
    places = grid.orbit.tolist(), grid.there.tolist(), grid.count.tolist()
    for test, first, second, count in zip(tests, *places, strict=True):
        sums[first] += ratio.denominator * count * test
        if second >= 0:
            sums[second] -= ratio.numerator * count * test
    scale = ratio.denominator * _UNIT
    least = min(Fraction(s, scale * n) for s, n in zip(sums, grid.size.tolist(), strict=True))
    return max(least, Fraction(0))


def _tests(grid: _Grid, ratio: float) -> FloatArray:
    """Return tests in [0, 1]: the dual of the program, whose unknowns are relative to joint noise.

    They are the mass of each orbit, and by how much each cell is more than ratio times the next.
    """
    loss = math.log(ratio)
    logs = loss * grid.depth - np.logaddexp.reduce(loss * grid.depth + np.log(grid.size))
    inside, every = grid.there >= 0, np.arange(len(grid.orbit))
    own = logs[grid.orbit] + np.log(grid.count)
    unit = np.logaddexp.reduce(own[~inside])
    near = np.flatnonzero(~inside | (logs[grid.orbit] - unit < math.log(_FAR)))
    steps = np.exp(logs[grid.there[inside]] - logs[grid.orbit[inside]] + loss)
    orbits = len(grid.size)
    columns = [grid.orbit, grid.there[inside], orbits + np.arange(near.size)]
    values = [np.ones(every.size), -steps, -np.ones(near.size)]
    rows = np.concatenate([every, every[inside], near])
    shape = (every.size, orbits + near.size)
    excess = csr_array((np.concatenate(values), (rows, np.concatenate(columns))), shape=shape)
    cost = np.append(np.zeros(orbits), np.exp(own[near] - unit))
    mass = np.append(grid.size * np.exp(logs), np.zeros(near.size))[None]
    solve: Any = linprog
    found = solve(cost, excess, np.zeros(every.size), mass, [1.0], method="highs-ipm")
    if found.status != 0:
        return np.zeros(every.size)
    tests: FloatArray = np.clip(-found.ineqlin.marginals * np.exp(unit - own), 0.0, 1.0)
    return tests


def programmed_radius(*, epsilon: float, delta: float, queries: float) -> float:
    """Return the largest R/Δ, in halves, at which the program excludes every bounded noise, or 0.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k in [1, 1e10], of which up to
    three answers are used. 0 where it is not asked: for δ below `LEAST_DELTA`, or where joint noise
    has more than `MOST_CELLS`. Raises `ParameterError`. Source: the module docstring.
    """
    loss, goal = validate("epsilon", epsilon), validate("delta", delta)
    ratio = Fraction(math.nextafter(math.exp(loss), math.inf))
    least = 0
    for k in range(2, min(int(validate("queries", queries)), 3) + 1):
        cells = math.ceil(2 * joint_radius(epsilon=loss, delta=goal, queries=k).upper) - 1
        if goal < LEAST_DELTA or cells > MOST_CELLS[k]:
            break
        while cells > least and program_delta(cells=cells, queries=k, ratio=ratio) <= goal:
            cells -= 1
        least = max(least, cells)
    return least / 2
