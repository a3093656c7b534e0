r"""Noise between one by one and together: draw a cube, then independent errors of one shape in it.

In units of Δ. Cut [−R, R], n = 2R whole, into n cells of width 1. The depth of a cell is how many
cells lie between it and the wall: 0, 1, …, from either side. Let g be a density on the cells that
does not fall with the depth, and e^(Φ_0) ≤ e^(Φ_1) ≤ … a level for each depth, Φ_0 = 0. *Nested
noise* has on the cube [−R, R]^k the density that is proportional to

    e^(Φ_m)·g(x_1)·…·g(x_k),   m the least depth of x_1, …, x_k.

It is a mixture: draw j with a probability proportional to (e^(Φ_j) − e^(Φ_(j−1)))·G_j^k, G_j being
the mass of g at the depth j or more; then draw k independent errors from g, cut to that depth. With
a constant g it is joint noise (`dpviz.maths.joint_noise`), with Φ = 0 independent noise of the
density g. Let ρ_j = Φ_j − Φ_(j−1), and s(x) = ln g(x) − ln g(x + 1).

**The worst shift, adaptive or not** (*proved*). Let p be any density on R^k that is symmetric in
each coordinate and does not grow with its size, while the others are fixed. Then for every ε, and
for every choice of shifts |v_i| ≤ 1, v_i depending on x_1, …, x_(i−1) as it may, δ is at most that
of the shift (1, …, 1). For two such functions a and b of one variable, ∫ min(a(x), b(x + v)) dx is
the integral over h > 0 of the length of {a > h} ∩ ({b > h} − v), of two intervals about 0 of which
one is moved: it falls as |v| grows, and depends on |v| alone. So ∫ (p(x) − e^ε·p(x + v))₊ dx_k,
where x_k is integrated first, is at most the same with v_k = 1, which depends on nothing. Now
integrate x_(k−1) first, where v_(k−1) depends on neither of the two variables that are left, and so
on. ∎ Nested noise is such a law. The outputs of an adaptive analyst are a triangular function of
the errors, with Jacobian 1.

**A bound on δ** (*proved*). Let v = (1, …, 1) and m the least depth in x. If some x_i is within 1
of R, x + v leaves the cube. Let A_j and B_j be the cells of depth j above and below 0; a cell in
the middle belongs to A_j. If x stays, the loss is at most s(x_1) + … + s(x_k), plus ρ_m where an
x_i is in A_m: if none is, no error gets nearer to the wall than m. So with
h_t(x) = (1 − e^(t − s(x_1) − … − s(x_k)))₊ and C_j the cells of a depth of at least j,

    Z·δ ≤ G_0^k − (G_0 − g(A_0))^k + k·Σ_j e^(Φ_j)·∫ h_(ε − ρ_j)·[x_1 in A_j] + h_ε·[x_1 in B_j],

over all x in C_j^k that stay inside, because each of k errors may be the one at the depth m.
Z = Σ_j (e^(Φ_j) − e^(Φ_(j−1)))·G_j^k. With constant g and ρ_j ≤ ε the sum is 0, and the bound is
joint noise's δ; with Φ = 0 it is that of independent noise, as far as no two errors are equally
deep.

**In numbers.** The sum of s is put on a lattice, so that the bound grows: (y − e^t)₊ is convex in
each factor of y = e^(s(x_1) + …), and so the mean of it, with weights e^(−s), grows if a factor is
replaced by the two next points of the lattice with the same mean (Doroshenko et al. 2022, "connect
the dots"). The k-fold convolution is a Fourier transform of the law tilted to about the threshold,
which keeps its digits; what wraps from above is bounded by Chernoff, what wraps from below adds.

Source: our own.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray
from scipy.fft import irfft, rfft

from dpviz.maths.joint_noise import joint_radius
from dpviz.maths.logspace import log_sum_exp
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate

MOST_CELLS = 20_000
"""2R/Δ, at most."""
MOST_ANSWERS = 10_000

_POINTS = 4096  # of a lattice
_TILTS = np.geomspace(1e-2, 1e3, 61)  # over ε: where the least Chernoff bound is looked for
_ABOVE = 40.0  # over the tilt: from the threshold to the end of the lattice
_FOURIER = 1e-14  # a bound on the error of a transform, for each answer
_ROUNDING = 1e-9  # added to log δ, far above rounding
_BELOW = 10.0  # deviations of the tilted sum
_ENOUGH = 12.0  # below the logarithm of what leaves: nobody looks closer
_LOWEST = -300.0  # of the logarithm of a density, next to its largest
_Places = NDArray[np.intp]
_BLOCKS = 100  # in which levels are chosen
# ln b, logit of θ, ln a, ln p and ln of a share: about the best for many, some and few answers
_STARTS = (
    (1.5, 3.0, -7.0, -2.5, 0.0),
    (0.0, 5.0, -7.0, -1.5, 1.5),
    (-5.0, 0.0, -9.0, 0.0, 0.0),
)
_STEPS = (0.5, 1.0, 1.0, 0.5, 0.7)
_FIRST, _LATER, _ROUNDS = 400, 250, 4
_FARTHEST, _BAD = 28.0, 50.0


@dataclass(frozen=True, eq=False)
class NestedNoise:
    """Errors of k answers, drawn in nested cubes; in units of Δ.

    queries: k, whole, from 1 to `MOST_ANSWERS`; cells: n = 2R, whole, from 2 to `MOST_CELLS`;
    log_shape: ln g, up to a constant, by depth from 0 on, ⌈n/2⌉ finite numbers that do not fall, of
    which those more than 300 below the last are taken as 300 below it; rates: ρ_j ≥ 0 by depth, of
    which ρ_0 is 0. Raises `ParameterError`. Neighbours: one person is substituted, and each answer
    moves by up to Δ. Source: the module docstring.
    """

    queries: int
    cells: int
    log_shape: FloatArray
    rates: FloatArray

    def __post_init__(self) -> None:
        if not 1 <= self.queries <= MOST_ANSWERS or self.queries % 1:
            raise ParameterError("queries", f"whole, from 1 to {MOST_ANSWERS:,}", self.queries)
        if not 2 <= self.cells <= MOST_CELLS or self.cells % 1:
            raise ParameterError("cells", f"whole, from 2 to {MOST_CELLS:,}", self.cells)
        for name in ("log_shape", "rates"):
            values = getattr(self, name)
            if values.shape != ((self.cells + 1) // 2,) or not np.all(np.isfinite(values)):
                raise ParameterError(name, "finite numbers, one for each depth", values)
        if np.any(np.diff(self.log_shape) < 0):
            raise ParameterError("log_shape", "numbers that do not fall", self.log_shape)
        if np.any(self.rates < 0) or self.rates[0] != 0:
            raise ParameterError("rates", "numbers from 0 on, the first of them 0", self.rates)

    @property
    def radius(self) -> float:
        """R, which no error exceeds."""
        return self.cells / 2

    # ---- the law -----------------------------------------------------------------------

    @cached_property
    def _masses(self) -> FloatArray:
        """G by cell."""
        depth = np.minimum(np.arange(self.cells), np.arange(self.cells)[::-1])
        shape = np.exp(np.maximum(self.log_shape - self.log_shape[-1], _LOWEST))[depth]
        return np.asarray(shape / shape.sum())

    @cached_property
    def _losses(self) -> FloatArray:
        """By cell, of all but the last: s."""
        logs = np.log(self._masses)
        return np.asarray(logs[:-1] - logs[1:])

    @cached_property
    def _inside(self) -> FloatArray:
        """G_j by depth, with all of g as 1."""
        pairs = self._masses[: self.rates.size] * 2
        if self.cells % 2:
            pairs[-1] /= 2
        return np.asarray(pairs[::-1].cumsum()[::-1])

    @cached_property
    def _levels(self) -> FloatArray:
        """Φ by depth."""
        return np.asarray(self.rates.cumsum())

    @cached_property
    def _log_cubes(self) -> FloatArray:
        """The logarithms of (e^(Φ_j) − e^(Φ_(j−1)))·G_j^k by depth."""
        with np.errstate(divide="ignore"):
            gain = np.log(-np.expm1(-self.rates))
        gain[0] = 0.0
        return np.asarray(self._levels + gain + self.queries * np.log(self._inside))

    @cached_property
    def cubes(self) -> FloatArray:
        """The probability of each cube, by depth."""
        return np.asarray(np.exp(self._log_cubes - log_sum_exp(self._log_cubes)))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw the k errors `size` times, a row each.

        Floating-point numbers keep no promise of privacy by themselves.
        """
        ends = self.cubes.cumsum()
        cube = np.searchsorted(ends, ends[-1] * rng.random(size), side="right")
        cube = np.minimum(cube, ends.size - 1)[:, None]
        upto = np.append(0.0, self._masses.cumsum())
        low, high = upto[cube], upto[self.cells - cube]
        u = low + (high - low) * rng.random((size, self.queries))
        cell = np.searchsorted(upto, u, side="right") - 1
        cell = np.clip(cell, cube, self.cells - 1 - cube)
        return np.asarray(cell + rng.random(cell.shape) - self.radius)

    # ---- privacy -----------------------------------------------------------------------

    def log_delta(self, epsilon: float) -> float:
        """Return an upper bound on the logarithm of the least δ with which it is (ε, δ)-DP.

        epsilon: ε in [1e-7, 10]. Holds for adaptive questions. Source: the module docstring.
        """
        loss = validate("epsilon", epsilon)
        leaves = math.log(-math.expm1(self.queries * math.log1p(-self._masses[-1])))
        tilts = _TILTS / loss
        moments = self._log_moments(tilts)
        terms = [leaves]
        for j, (rate, level) in enumerate(zip(self.rates.tolist(), self._levels, strict=True)):
            above = self.cells - 1 - j
            places = {j: loss, above: loss - rate}
            if j == 0:
                del places[above]  # it leaves
            for cell, threshold in places.items():
                enough = leaves - _ENOUGH - level
                found = self._beyond(j, cell, threshold, enough, tilts, moments[j])
                terms.append(level + found)
        total = log_sum_exp(np.array(terms)) - log_sum_exp(self._log_cubes)
        return min(float(total) + _ROUNDING, 0.0)

    def _log_moments(self, tilts: FloatArray) -> FloatArray:
        """Return log ∫ e^(tilt·s) over the cells of a depth of at least j that stay inside."""
        depths = self.rates.size
        logs = np.log(self._masses[:-1])[:, None] + tilts * self._losses[:, None]
        every = np.append(logs, np.full((1, tilts.size), -math.inf), axis=0)
        below, above = every[:depths], every[::-1][:depths]
        if self.cells % 2:
            above = above.copy()
            above[-1] = -math.inf
        moments: FloatArray = np.logaddexp.accumulate(np.logaddexp(below, above)[::-1])[::-1]
        return moments

    def _beyond(
        self,
        j: int,
        cell: int,
        threshold: float,
        enough: float,
        tilts: FloatArray,
        moments: FloatArray,
    ) -> float:
        """Return a bound on the logarithm of k·∫ h_t over the cube j, x_1 in this cell.

        Chernoff's bound where that is enough, which needs no convolution.
        """
        last = min(self.cells - j, self.cells - 1)
        losses, masses = self._losses[j:last], self._masses[j:last]
        own, others = float(self._losses[cell]), self.queries - 1
        weight, rest = math.log(self.queries * self._masses[cell]), threshold - own
        if others * self._most[j] <= rest:
            return -math.inf
        if others == 0:
            return weight + math.log(-math.expm1(rest))
        logs = others * moments - tilts * rest
        place = int(np.argmin(logs - np.log(tilts * (1 + tilts))))
        tilt = float(tilts[place])
        largest = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
        chernoff = float(logs[place]) + largest + _ROUNDING
        if weight + chernoff <= enough:
            return weight + chernoff
        return weight + min(chernoff, _convolved(losses, masses, others, rest, tilt))

    @cached_property
    def _most(self) -> list[float]:
        """The largest s of the cells of a depth of at least j that stay inside."""
        depths = self.rates.size
        every = np.append(self._losses, -math.inf)
        largest = np.maximum(every[:depths], every[::-1][:depths])
        most: list[float] = np.maximum.accumulate(largest[::-1])[::-1].tolist()
        return most


def _convolved(
    losses: FloatArray, masses: FloatArray, count: int, threshold: float, tilt: float
) -> float:
    """Return a bound on the logarithm of the mean of (1 − e^(t − S))₊, S the sum of `count` losses.

    masses: of one loss, which need not add up to 1; tilt: the λ at which digits are kept.
    """
    tilted = masses * np.exp(tilt * (losses - losses.max()))
    tilted /= tilted.sum()
    mean = float(tilted @ losses)
    deviation = math.sqrt(count * float(tilted @ (losses - mean) ** 2))
    top = threshold + _ABOVE / tilt
    bottom = min(count * mean - _BELOW * deviation, threshold)  # all above the threshold is seen
    step = (top - bottom) / (_POINTS - 4)
    low = np.floor(losses / step)
    to_high = masses * np.expm1(low * step - losses) / np.expm1(-step)
    to_low = masses * np.expm1((low + 1) * step - losses) / math.expm1(step)
    shift = float(losses.max())
    lattice = np.zeros(_POINTS)
    for points, mass in ((low, to_low), (low + 1, to_high)):
        weights = np.maximum(mass, 0.0) * np.exp(tilt * (points * step - shift))
        lattice += np.bincount(points.astype(int) % _POINTS, weights, _POINTS)
    total = float(lattice.sum())
    sums = irfft(rfft(lattice / total) ** count, _POINTS)
    highest = math.floor(top / step)
    values = (highest - np.arange(_POINTS)) * step
    above = values > threshold
    found = sums[(highest - np.arange(_POINTS)) % _POINTS][above] + _FOURIER * (count + 1)
    over = values[above] - threshold
    mean_over = float((np.maximum(found, 0.0) * np.exp(-tilt * over) * -np.expm1(-over)).sum())
    lost = math.exp(-tilt * (highest * step - threshold))
    scale = count * (math.log(total) + tilt * shift) - tilt * threshold
    return scale + math.log(mean_over + lost) + _ROUNDING


# ---- a search for the least radius -----------------------------------------------------------


@dataclass(frozen=True)
class _Family:
    """ln g = b·ln(1 − θu²) − a((1 − u²)^(−p) − 1) at u = x/R, and levels as steep as δ allows."""

    epsilon: float
    queries: int

    def nearly(self, point: FloatArray, cells: int) -> float:
        """Return nearly the logarithm of δ, or a large number where nothing is found."""
        if np.any(np.abs(point) > _FARTHEST):
            return _BAD
        with np.errstate(all="ignore"):
            found = self.noise(point, cells)[1]
        return found if math.isfinite(found) else _BAD

    def searched(self, goal: float, near: int) -> NestedNoise | None:
        """Return certified noise of the least radius found, or None."""
        points = [self.best(np.array(start), near, _FIRST) for start in _STARTS]
        point, cells = min(points, key=lambda found: self.nearly(found, near)), near
        for _ in range(_ROUNDS):
            found = self._nearly_enough(point, goal, cells)
            if found is None:
                return None
            cells = found
            point = self.best(point, cells, _LATER)
        return _least(lambda n: self.noise(point, n)[0], self.epsilon, goal, cells)

    def _nearly_enough(self, point: FloatArray, goal: float, near: int) -> int | None:
        return _bisected(lambda n: self.nearly(point, n) <= goal, near)

    def best(self, start: FloatArray, cells: int, tries: int) -> FloatArray:
        """Return parameters with a small δ at this radius, by a simplex from a start."""
        simplex = start + np.vstack([np.zeros(start.size), np.diag(_STEPS)])
        options = {"maxfev": tries, "xatol": 1e-2, "fatol": 1e-3, "initial_simplex": simplex}
        search: Any = scipy.optimize.minimize
        found = search(self.nearly, start, (cells,), method="Nelder-Mead", options=options)
        return np.asarray(found.x)

    def noise(self, point: FloatArray, cells: int) -> tuple[NestedNoise, float]:
        """Return the noise of these parameters, and nearly the logarithm of its δ.

        point: ln b, the logit of θ, ln a, ln p, and the logarithm of what inner losses may add to
        δ, as a multiple of what leaves the cube.
        """
        b, a, p, share = (math.exp(x) for x in point[[0, 2, 3, 4]])
        theta = 1 / (1 + math.exp(-point[1]))
        depths = (cells + 1) // 2
        u = 1 - (2 * np.arange(depths) + 1.0) / cells
        shape = b * np.log1p(-theta * u**2) - a * np.expm1(-p * np.log1p(-(u**2)))
        shape = np.maximum(shape - shape[-1], _LOWEST)
        flat = NestedNoise(self.queries, cells, shape, np.zeros(depths))
        # blocks grow with the depth: shapes are steep next to the wall
        grown = depths * (np.arange(_BLOCKS) / _BLOCKS) ** 2
        starts = np.unique(np.append(min(1, depths - 1), grown).astype(int))
        ends = np.append(starts[1:], depths).tolist()
        curves = _curves(flat, starts, self.epsilon)
        leaves = math.log(-math.expm1(self.queries * math.log1p(-flat._masses[-1])))
        budget = math.log(share / depths) + leaves
        rates, level, terms = np.zeros(depths), 0.0, [leaves]
        for start, upto, thresholds, logs in zip(starts.tolist(), ends, *curves, strict=True):
            if start == 0:
                continue
            rising = np.clip(self.epsilon - thresholds, 0.0, None)
            costs = level + (upto - start) * rising + logs - budget
            rate = float(np.interp(0.0, -costs, rising, left=rising[0], right=rising[-1]))
            rates[start:upto] = min(rate, self.epsilon)
            level += (upto - start) * rates[start]
            inner = float(np.interp(self.epsilon - rates[start], thresholds, logs))
            terms.append(level + inner + math.log(upto - start))
        found = NestedNoise(self.queries, cells, shape, rates)
        about = log_sum_exp(np.array(terms)) - log_sum_exp(found._log_cubes)
        return found, float(about)


def nested_noise(*, epsilon: float, delta: float, queries: float) -> NestedNoise:
    """Return the nested noise of least radius found, certified to be (ε, δ)-DP for k answers.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k adaptive answers, from 1 to
    `MOST_ANSWERS`, each moved by up to Δ = 1 when one person is substituted, all at once. R is a
    multiple of 1/2. It is not claimed to be the least. Takes from some seconds to a minute.
    Raises `ParameterError`, also where R is above `MOST_CELLS`/2. Source: the module docstring.
    """
    loss, goal = validate("epsilon", epsilon), math.log(validate("delta", delta))
    k = validate("queries", queries)
    if k > MOST_ANSWERS:
        raise ParameterError("queries", f"at most {MOST_ANSWERS:,} here", queries)
    joint = math.ceil(2 * joint_radius(epsilon=loss, delta=delta, queries=k).upper)
    near = min(joint, math.ceil(8 * math.sqrt(k * -2 * goal) / loss) + 4)
    if near > MOST_CELLS:
        raise ParameterError("queries", f"few enough for R ≤ {MOST_CELLS // 2:,} Δ", queries)
    family = _Family(loss, int(k))
    found = family.searched(goal, near)
    if found is None or found.cells > joint:
        found = _least(lambda n: _joint(int(k), n, loss), loss, goal, joint)
    if found is None:
        raise ParameterError("queries", f"few enough for R ≤ {MOST_CELLS // 2:,} Δ", queries)
    return found


def _joint(queries: int, cells: int, epsilon: float) -> NestedNoise:
    """Return joint noise."""
    depths = (cells + 1) // 2
    rates = np.append(0.0, np.full(depths - 1, epsilon))
    return NestedNoise(queries, cells, np.zeros(depths), rates)


def _least(
    made: Callable[[int], NestedNoise], epsilon: float, goal: float, near: int
) -> NestedNoise | None:
    """Return the certified noise of nearly the least number of cells, or None."""

    def enough(cells: int) -> bool:
        return made(cells).log_delta(epsilon) <= goal

    cells = _bisected(enough, near)
    return None if cells is None else made(cells)


def _bisected(enough: Callable[[int], bool], near: int) -> int | None:
    """Return a number of cells that is enough, and nearly the least, from one nearby on."""
    first = max(near // 256, 1)
    high, step = min(near, MOST_CELLS), first
    while not enough(high):
        if high >= MOST_CELLS:
            return None
        high, step = min(high + step, MOST_CELLS), 2 * step
    low, step = high - 1, first
    while low >= 2 and enough(low):
        high, low, step = low, low - step, 2 * step
    low = max(low, 1)
    while high - low > 1 + near // 4000:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _curves(flat: NestedNoise, starts: _Places, epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Return thresholds t and nearly log k·∫ h_t where blocks of depths start, by tilts.

    Each block is taken for as many cells like the one in its middle.
    """
    losses, masses, k = flat._losses, flat._masses, flat.queries
    sizes = np.diff(np.append(starts, flat.rates.size))
    middle = starts + sizes // 2
    above = np.minimum(flat.cells - 1 - middle, losses.size - 1)
    shares = masses[middle] * sizes
    nearest = losses[np.minimum(flat.cells - 1 - starts, losses.size - 1)][:, None]
    tilts = _TILTS / epsilon
    up, down = losses[above][:, None], losses[middle][:, None]
    ups, downs = (np.exp(np.minimum(tilts * x, 600.0)) * shares[:, None] for x in (up, down))
    ups[0] = 0.0  # it leaves

    def within(power: int) -> FloatArray:
        values = ups * up**power + downs * down**power
        return np.asarray(values[::-1].cumsum(axis=0)[::-1])

    total = within(0)
    mean = within(1) / total
    others = k - 1
    variance = np.maximum(others * (within(2) / total - mean**2), 1e-300)
    spread = np.log(tilts * (1 + tilts)) + np.log(2 * math.pi * variance) / 2
    logs = others * (np.log(total) - tilts * mean) - np.maximum(spread, 0.0)
    return nearest + others * mean, np.log(k * masses[starts])[:, None] + logs
