r"""The best bounded noise for one answer: a noise in closed form, and a proof of what none can do.

The noise. *End staircase* noise has the density h·e^(ε⌊R − |x|⌋) on [−R, R], R ≥ 1: all steps but
the one in the middle are Δ = 1 wide, counted from the ends, and each is e^ε times as high as the
next one outwards. Let it be shifted by s in (0, 1]. As |x| and |x − s| differ by at most 1, so do
⌊R − |x|⌋ and ⌊R − |x − s|⌋, and f(x) ≤ e^ε·f(x − s) wherever x − s is in [−R, R]. Elsewhere lies
[−R, −R + s), of mass h·s, on the outermost step. So the noise is (ε, δ)-DP exactly for h ≤ δ, in
both directions by symmetry. With J = ⌊R⌋ the masses add up to 1 if

    (e^(Jε) − 1)/(e^ε − 1) + (R − J)·e^(Jε) = 1/(2h),

which has one solution R for h = δ: `end_staircase`. No step of Δ is wasted: the bound of a chain of
shifts by Δ (`dpviz.maths.one_pair_converse` for k = 1) is at least J − 1/2.

What no noise can do. Let P be any law on [−R, R], private for all shifts up to 1. The points of
[−R, R] that are whole multiples of 1/q apart are at most n = ⌊2qR⌋ + 1. Shifted to a common place
and averaged, P becomes a law p on n points. It is private for the shifts s = 1, …, q of points,
because the excess max_S P(S) − e^ε·P(S − s) adds up over such classes of points, and is convex. A
proof that no p is: tests φ_s with 0 ≤ φ_s(i) ≤ λ_s, where Σ λ_s = 1. Privacy says Σ_i φ_s(i)·(p_i −
e^ε·p_(i−s)) ≤ λ_s·δ; the sum over s is Σ_i p_i·c_i ≤ δ with c_i = Σ_s φ_s(i) − e^ε·φ_s(i + s); the
other direction is the mirror image of the same, and so, with the mean of both, min_i (c_i +
c_(n−1−i))/2 > δ is impossible for a private p. If it holds, then ⌊2qR⌋ + 1 > n, and R ≥ n/(2q). The
tests are the prices of a linear program small enough for some 40 ms of a library's solver, which
cannot pause. The proof uses them alone, with a margin for rounding; the tests of this module repeat
it in rational arithmetic.

What it is worth. At the settings tried n is ⌊2q·R⌋ for R of the staircase, so that both ends are
less than 1/(2q) apart: end staircase noise is within 1/(2q) of the best. It is not the best
everywhere: at ε = 5 and R = 1.25 a program for points 1/32 apart finds δ = .01308 where it has
.01312. Where R is a multiple of 1/2 none was found to be better. Where the lattice does not fit (R
above some 30Δ) the chain's bound stands, which is less than Δ below.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dpviz.maths.logspace import log_failure_of_each
from dpviz.maths.noise_converse import least_radius
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import Steps, in_steps, pause

FINENESS = (16, 8, 4)
"""Points per Δ that a lattice may have; the first that fits is taken."""

_MOST_TESTS = 1200  # of a program
_OPTIONS: Any = {"dual_feasibility_tolerance": 1e-10, "maxiter": 20_000}
_TRIED = 3  # lattices, each a point shorter
_ROUNDING = 1e-12  # relative to what is added up, some hundred numbers
_SAFETY = 1e-9


@dataclass(frozen=True)
class EndStaircase:
    """Noise with density h·e^(ε⌊R − |x|⌋) on [−R, R], in units of Δ.

    epsilon: ε; radius: R ≥ 1.
    """

    epsilon: float
    radius: float

    @cached_property
    def log_height(self) -> float:
        """The logarithm of h, which is log δ(ε) of one answer, exactly."""
        whole = math.floor(self.radius)
        # log of (e^(Jε) − 1)/(e^ε − 1) + (R − J)·e^(Jε)
        steps = -math.expm1(-self.epsilon * whole) / math.expm1(self.epsilon)
        return -math.log(2) - self.epsilon * whole - math.log(steps + (self.radius - whole))

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of an error."""
        whole, grown = math.floor(self.radius), math.exp(self.epsilon)
        rest = self.radius - whole
        # ∫x² over the i-th step from the one in the middle is i² + (2r + 1)i + r² + r + 1/3
        zeroth, first, second = _decaying_moments(self.epsilon, whole)
        steps = second + (2 * rest + 1) * first + (rest * (rest + 1) + 1 / 3) * zeroth
        scale = math.log(2) + self.log_height + (whole - 1) * self.epsilon
        return math.sqrt(math.exp(scale) * (steps + grown * rest**3 / 3))

    def max_error(self, *, queries: float, failure_probability: float) -> float:
        """Return what the largest of k errors exceeds with probability β, exactly."""
        log_tail = float(log_failure_of_each(failure_probability, queries))
        return max(self.radius - _depth(self.epsilon, log_tail - math.log(2) - self.log_height), 0)

    def log_density(self, x: ArrayLike) -> FloatArray:
        """Return the logarithm of the density; −inf outside [−R, R]."""
        room = self.radius - np.abs(np.asarray(x, dtype=float))
        steps = self.epsilon * np.floor(np.maximum(room, 0.0))
        return np.where(room >= 0, self.log_height + steps, -math.inf)


@dataclass(frozen=True, eq=False)
class Impossible:
    """A proof that no law on so many points, `fineness` per Δ, is (ε, δ)-DP for all shifts up to Δ.

    tests: φ_s(i) ≥ 0, a row for each shift by s = 1, …, q points. The largest number of a row is at
    most its λ_s, and the λ_s add up to at most 1.
    """

    epsilon: float
    fineness: int
    tests: FloatArray

    @property
    def points(self) -> int:
        """The n of the lattice."""
        return int(self.tests.shape[1])

    @property
    def delta(self) -> float:
        """A number that δ of such laws is not below, with a margin for rounding."""
        grown = math.exp(self.epsilon)
        total = self.tests.sum(axis=0) - grown * sum(_ahead(self.tests))
        mean = (total + total[::-1]) / 2
        return float(mean.min()) - _ROUNDING * (1 + grown)

    @property
    def radius(self) -> float:
        """R of a private law is not below this, in units of Δ, where δ is below `delta`."""
        return self.points / (2 * self.fineness)


@dataclass(frozen=True, eq=False)
class OneAnswer:
    """What the best bounded noise reaches for one answer, in units of Δ.

    radius: certified bounds on the least radius of any (ε, δ)-DP noise; the upper end is that of
    `noise`. proof: of the lower end; None where it is the bound of a chain of shifts.
    """

    radius: Bracket
    noise: EndStaircase
    proof: Impossible | None = None


def end_staircase(*, epsilon: float, delta: float) -> EndStaircase:
    """Return the end staircase noise of least radius that is (ε, δ)-DP for one answer.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; shifts up to Δ = 1. In closed form, rounded
    to the private side. Raises `ParameterError`. Source: the module docstring.
    """
    loss, slack = validate("epsilon", epsilon), validate("delta", delta)
    return EndStaircase(loss, _depth(loss, -math.log(2 * slack)) * (1 + _SAFETY))


def _depth(loss: float, log_most: float) -> float:
    """Return how far from its end a noise has a mass, given as its logarithm in units of h."""
    # the largest J with (e^(Jε) − 1)/(e^ε − 1) at most that mass
    whole = math.floor(np.logaddexp(0.0, math.log(math.expm1(loss)) + log_most) / loss + 1e-12)
    shrunk = math.exp(log_most - loss * whole)
    rest = shrunk + math.expm1(-loss * whole) / math.expm1(loss)
    return float(whole + min(max(rest, 0.0), 1.0))


def _decaying_moments(loss: float, count: int) -> tuple[float, float, float]:
    """Return Σ e^(−iε)·i^p over i < count for p = 0, 1, 2: by doubling, so that nothing cancels."""
    zeroth = first = second = 0.0
    done = 0
    for bit in bin(count)[2:]:
        fade = math.exp(-loss * done)
        second += fade * (second + 2 * done * first + done**2 * zeroth)
        first += fade * (first + done * zeroth)
        zeroth += fade * zeroth
        done *= 2
        if bit == "1":
            fade = math.exp(-loss * done)
            zeroth, first, second = zeroth + fade, first + fade * done, second + fade * done**2
            done += 1
    return zeroth, first, second


@in_steps
def optimal_noise(*, epsilon: float, delta: float) -> Steps[OneAnswer]:
    """Return certified bounds on the least radius of bounded noise for one answer, and a noise.

    Parameters and errors as `end_staircase`. The lower bound holds for any noise, also without
    symmetry or density.
    """
    noise = end_staircase(epsilon=epsilon, delta=delta)
    chain = least_radius(epsilon=epsilon, delta=delta, queries=1)
    found = OneAnswer(Bracket(chain, noise.radius), noise)
    fits = [q for q in FINENESS if 2 * q * q * noise.radius <= _MOST_TESTS]
    if not fits:
        return found
    longest = math.floor(2 * fits[0] * noise.radius)
    for points in range(longest, longest - _TRIED, -1):
        if points / (2 * fits[0]) <= chain:
            break
        yield
        proof = _impossible(points, fits[0], noise.epsilon, delta)
        if proof is not None:
            return OneAnswer(Bracket(proof.radius, noise.radius), noise, proof)
    return found


def _impossible(points: int, fineness: int, epsilon: float, delta: float) -> Impossible | None:
    """Return a proof that no law on so many points is private; None where none is found."""
    pause()
    tests = _tests(points, fineness, epsilon, delta)
    total = float(tests.max(axis=1).sum()) * (1 + _ROUNDING)
    if total <= 0:
        return None
    proof = Impossible(epsilon, fineness, tests / total)
    return proof if proof.delta > delta else None


def _ahead(tests: FloatArray) -> Iterator[FloatArray]:
    """Yield φ_s(i + s), for each s."""
    for s, row in enumerate(tests, start=1):
        moved = np.zeros(row.size)
        moved[: max(row.size - s, 0)] = row[s:]
        yield moved


def _tests(points: int, fineness: int, epsilon: float, delta: float) -> FloatArray:
    """Return the tests of largest excess, nearly: prices of a linear program for the law.

    The law is symmetric: its first half, what it exceeds the shifted ones by, and δ, which is made
    small. In units of `delta`, as the solver's tolerances are absolute.
    """
    half, count = (points + 1) // 2, points * fineness
    shift, place = np.divmod(np.arange(count), points)
    rows = np.arange(count)
    before = place - shift - 1
    inside = before >= 0
    image = np.minimum(before, points - 1 - before)[inside]
    ones = np.ones(count)
    left = scipy.sparse.coo_array(
        (
            np.concatenate(
                [ones, np.full(image.size, -math.exp(epsilon)), -ones, ones, -np.ones(fineness)]
            ),
            (
                np.concatenate(
                    [rows, rows[inside], rows, count + shift, count + np.arange(fineness)]
                ),
                np.concatenate(
                    [
                        np.minimum(place, points - 1 - place),
                        image,
                        half + rows,
                        half + rows,
                        np.full(fineness, half + count),
                    ]
                ),
            ),
        ),
        shape=(count + fineness, half + count + 1),
    ).tocsr()
    cost = np.zeros(left.shape[1])
    cost[-1] = 1 / delta
    mass = np.zeros((1, left.shape[1]))
    mass[0, :half] = np.where(2 * np.arange(half) == points - 1, 1.0, 2.0)
    solve: Any = scipy.optimize.linprog
    found = solve(
        cost, left, np.zeros(left.shape[0]), mass, [1.0], method="highs-ds", options=_OPTIONS
    )
    if found.status != 0:
        return np.zeros((fineness, points))
    prices = -delta * np.asarray(found.ineqlin.marginals)
    tests: FloatArray = np.maximum(prices[:count], 0.0).reshape(fineness, points)
    return tests
