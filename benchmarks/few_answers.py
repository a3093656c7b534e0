r"""Does anything beat truncated Laplace noise for two or three answers? Bounds on a lattice.

`python -m benchmarks.few_answers`. Noise with a density that is constant on n cells of width Δ is
as private for all shifts by at most Δ as for those by Δ or none: shifted by a part s of a cell in
one answer it is a mixture of the two, with shares 1 − s and s, on pieces that are disjoint. And
for k independent answers a shift of all of them says most, as leaving answers out is a
post-processing.
So a symmetric law p of n cells is noise of the radius nΔ/2, with

    δ = Σ (p_i₁⋯p_iₖ − e^ε·p_(i₁−1)⋯p_(iₖ−1))₊,

over all cells, which is to be least over p. It is a polynomial of degree k, not convex.

* Above: successive linear programs in a region of trust, from several starts. The p that is found
  is rounded to whole numbers over 2⁴⁰, its δ computed in fractions, e^ε rounded down: certified.
* Below, for k = 2: branch and bound over boxes of p. In each, a linear program over p and
  w_ij = p_i·p_j, held between McCormick's four planes, with Σ_j w_ij = p_i and all symmetries of
  w. A floating-point solver's bounds: computed, not certified.
"""

import argparse
import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, eye_array, hstack

from benchmarks.options import parsed
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS

_PARTS = 2**40
_ROUNDS, _TRUST, _LEAST_TRUST = 40, 0.3, 1e-4
_SETTINGS = ((2.0, 2), (4.0, 2), (1.0, 2), (2.0, 3))
_CELLS = (3, 4, 5, 6, 8, 12)
_MOST_SLACKS = 600
_MOST_CELLS = 8  # of which boxes are looked at
_MOST_BOXES = 400
_CLOSE = 0.01


def certified(law: Sequence[Fraction], epsilon: float, answers: int) -> Fraction:
    """Return the δ of a law on cells, or more: in fractions, e^ε rounded down."""
    growth = Fraction(math.exp(epsilon)) * (1 - Fraction(1, 2**50))
    total = Fraction(0)
    for places in itertools.product(range(len(law)), repeat=answers):
        here = math.prod((law[i] for i in places), start=Fraction(1))
        if all(places):
            here -= growth * math.prod((law[i - 1] for i in places), start=Fraction(1))
        total += max(here, Fraction(0))
    return total


def rounded(law: FloatArray) -> tuple[Fraction, ...]:
    """Return a symmetric law near this one, in fractions of sum 1."""
    half = [max(round(_PARTS * float(p)), 0) for p in law[: (law.size + 1) // 2]]
    parts = half + half[: law.size // 2][::-1]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def excess(law: FloatArray, epsilon: float, answers: int) -> float:
    """Return the δ of a law on cells."""
    joint = _power(law, answers)
    joint[(slice(1, None),) * answers] -= math.exp(epsilon) * _power(law[:-1], answers)
    return float(np.maximum(joint, 0.0).sum())


def _power(law: FloatArray, answers: int) -> FloatArray:
    joint = law.copy()
    for _ in range(answers - 1):
        joint = np.multiply.outer(joint, law)
    return joint


def descended(law: FloatArray, epsilon: float, answers: int) -> FloatArray:
    """Return a law of less δ than this symmetric one, as low as linear programs lead."""
    size, trust = law.size, _TRUST
    fold = np.minimum(np.arange(size), size - 1 - np.arange(size))
    value = excess(law, epsilon, answers)
    for _ in range(_ROUNDS):
        found = _step(law, fold, epsilon, answers, trust)
        after = math.inf if found is None else excess(found, epsilon, answers)
        if found is not None and after < value * (1 - 1e-6):
            law, value, trust = found, after, min(1.5 * trust, 0.5)
            continue
        trust /= 3
        if trust < _LEAST_TRUST:
            break
    return law


def _step(
    law: FloatArray, fold: Any, epsilon: float, answers: int, trust: float
) -> FloatArray | None:
    """Return the best law near by if δ were piecewise linear: a linear program."""
    size, half = law.size, (law.size + 1) // 2
    places = np.indices((size,) * answers).reshape(answers, -1)
    count = places.shape[1]
    rows = np.tile(np.arange(count), answers)
    slopes = [np.prod(np.delete(law[places], m, axis=0), axis=0) for m in range(answers)]
    slope = coo_array(
        (np.concatenate(slopes), (rows, fold[places].ravel())), shape=(count, half)
    ).tocsr()
    constant = (1 - answers) * np.prod(law[places], axis=0)
    inside = np.flatnonzero((places > 0).all(axis=0))
    before = np.ravel_multi_index(tuple(places[:, inside] - 1), (size,) * answers)
    moved = coo_array((np.ones(inside.size), (inside, before)), shape=(count, count)).tocsr()
    gain = slope - math.exp(epsilon) * (moved @ slope)
    rest = constant - math.exp(epsilon) * (moved @ constant)
    own, least = law[:half], np.maximum(law[:half], 1e-4)
    ends = [(max(p - trust * q, 0.0), p + trust * q) for p, q in zip(own, least, strict=True)]
    cost = np.concatenate([np.zeros(half), np.ones(count)])
    mass = np.concatenate([np.bincount(fold, minlength=half), np.zeros(count)])[None]
    left = hstack([gain, -eye_array(count)])
    solve: Any = linprog
    found = solve(
        cost, left, -rest, csr_array(mass), [1.0], [*ends, *[(0, None)] * count], method="highs"
    )
    if found.status != 0:
        return None
    new = np.maximum(found.x[:half], 0.0)[fold]
    near: FloatArray = new / new.sum()
    return near


def best_law(cells: int, epsilon: float, answers: int) -> FloatArray:
    """Return the law of least δ found, from geometric ones, steep and flat, and the even one."""
    away = np.abs(np.arange(cells) - (cells - 1) / 2)
    starts = [np.exp(-rate * epsilon / answers * away) for rate in (0.0, 0.7, 1.0, 1.6)]
    found = [descended(start / start.sum(), epsilon, answers) for start in starts]
    return min(found, key=lambda law: excess(law, epsilon, answers))


@dataclass(frozen=True)
class _Program:
    """The linear program of a box for two answers: p, w and what is to be small."""

    size: int
    growth: float

    @property
    def half(self) -> int:
        """How many masses are free, but for their sum."""
        return (self.size + 1) // 2

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The w there are, by symmetry."""
        return list(itertools.combinations_with_replacement(range(self.half), 2))

    @property
    def copies(self) -> FloatArray:
        """How many cells have each mass."""
        return np.array([1.0 if 2 * i == self.size - 1 else 2.0 for i in range(self.half)])

    def solved(self, low: FloatArray, high: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return a lower bound on δ in a box, p there, and by how much each p·p is missed."""
        half, pairs = self.half, self.pairs
        place = {pair: half + n for n, pair in enumerate(pairs)}
        fold = np.minimum(np.arange(self.size), self.size - 1 - np.arange(self.size))
        begin = half + len(pairs)
        losses: list[list[tuple[int, float]]] = []
        for i, j in itertools.product(range(self.size), repeat=2):
            row = [(place[_pair(fold[i], fold[j])], 1.0)]
            if i and j:
                row.append((place[_pair(fold[i - 1], fold[j - 1])], -self.growth))
            losses.append([*row, (begin + len(losses), -1.0)])
        width = begin + len(losses)
        planes, limits = [], []
        for (a, b), w in place.items():
            for one, other, sign in (
                *((low, low, -1), (high, high, -1)),
                *((low, high, 1), (high, low, 1)),
            ):
                # w ≥ one_a·p_b + other_b·p_a − one_a·other_b, or ≤
                planes.append([(w, sign), (b, -sign * one[a]), (a, -sign * other[b])])
                limits.append(-sign * one[a] * other[b])
        left = _matrix([*losses, *planes], width)
        sums = [[(i, c) for i, c in enumerate(self.copies)]]
        sums += [
            [*((place[_pair(a, b)], c) for b, c in enumerate(self.copies)), (a, -1.0)]
            for a in range(half)
        ]
        cost = np.concatenate([np.zeros(begin), np.ones(len(losses))])
        ends = [*zip(low, high, strict=True), *[(0, None)] * (width - half)]
        solve: Any = linprog
        found = solve(
            cost,
            left,
            [*[0.0] * len(losses), *limits],
            _matrix(sums, width),
            [1.0, *[0.0] * half],
            ends,
            method="highs",
        )
        if found.status != 0:  # no law is in this box
            return math.inf, low, low
        p = found.x[:half]
        missed = np.zeros(half)
        for (a, b), w in place.items():
            gap = abs(found.x[w] - p[a] * p[b])
            missed[[a, b]] = np.maximum(missed[[a, b]], gap)
        return float(found.fun), p, missed


def least_excess(cells: int, epsilon: float, above: float) -> float:
    """Return a lower bound on the δ of all symmetric laws on cells, for two answers.

    above: a δ that is reached; the search ends when both are `_CLOSE`, or after `_MOST_BOXES`.
    """
    program = _Program(cells, math.exp(epsilon))
    low, high = np.zeros(program.half), 1 / program.copies
    order = itertools.count()
    value, at, missed = program.solved(low, high)
    boxes = [(value, next(order), low, high, at, missed)]
    for _ in range(_MOST_BOXES):
        value, _, low, high, at, missed = boxes[0]
        if value >= above * (1 - _CLOSE):
            break
        heapq.heappop(boxes)
        axis = int(np.argmax(missed * (high - low) + 1e-12 * (high - low)))
        cut = float(np.clip(at[axis], *(low[axis] + t * (high - low)[axis] for t in (0.2, 0.8))))
        for part in _halves(low, high, axis, cut):
            found = program.solved(*part)
            heapq.heappush(boxes, (found[0], next(order), *part, *found[1:]))
    return boxes[0][0]


def _pair(one: int, other: int) -> tuple[int, int]:
    return (int(one), int(other)) if one <= other else (int(other), int(one))


def _matrix(rows: Sequence[Sequence[tuple[int, float]]], width: int) -> Any:
    """Return rows of columns with values, which add up, as a sparse matrix."""
    cells = [(i, j, value) for i, row in enumerate(rows) for j, value in row]
    places = ([i for i, _, _ in cells], [j for _, j, _ in cells])
    return coo_array(([value for *_, value in cells], places), shape=(len(rows), width)).tocsr()


def _halves(
    low: FloatArray, high: FloatArray, axis: int, cut: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    below, above = high.copy(), low.copy()
    below[axis] = above[axis] = cut
    return (low, below), (above, high)


def report(numbers: Sequence[int]) -> None:
    """Print a line for each setting and number of cells."""
    print(
        "epsilon   k   R/Δ   δ, certified   δ of any, at least   truncated Laplace at this δ: R/Δ"
    )
    for epsilon, answers in _SETTINGS:
        for cells in numbers:
            if cells**answers > _MOST_SLACKS:
                continue
            law = rounded(best_law(cells, epsilon, answers))
            found = float(certified(law, epsilon, answers)) * (1 + 1e-15)
            low = rival = tuned = math.nan
            if answers == 2 and cells <= _MOST_CELLS:
                low = least_excess(cells, epsilon, found)
            if found <= LIMITS["delta"].maximum:
                asked: dict[str, Any] = {"epsilon": epsilon, "delta": found, "queries": answers}
                rival = truncated_laplace_noise(**asked).radius
                tuned = tuned_noise(**asked).best.radius.upper
            print(
                f"{epsilon:g}, {answers}, {cells / 2:g}: {found:.6g}, {low:.6g}; {rival:.4f}, "
                f"{tuned:.4f}; p = {', '.join(f'{float(p):.4g}' for p in law[: (cells + 1) // 2])}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.few_answers", description=__doc__)
    parser.add_argument("--cells", type=int, nargs="*", default=_CELLS)
    report(parsed(parser, cells=[3]).cells)
