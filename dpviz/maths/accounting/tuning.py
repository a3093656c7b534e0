"""The tuned noise that is best for given k, ε and δ: estimated, chosen, and then certified.

The search compares estimates (`dpviz.maths.accounting.estimate`); only the noise it ends at and the
best power of Dagan & Kur's family are certified, and the better of the two is returned. So what is
returned is private, its bracket is certified, and it is never worse than that power. That no other
noise of the family is better is not claimed. Nothing is drawn at random: the same question has the
same answer.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.calibration import radii, radius_search
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.accounting.estimate import Estimates, Family, least_radii
from dpviz.maths.accounting.search import Steps, whole
from dpviz.maths.bounded_noise import max_error
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import pause

OBJECTIVES = ("hard", "quantile", "deviation")
"""What is made small: R itself, what the largest of k errors keeps to, one answer's deviation."""

_COMPARED = 0.05, 1e-3  # of log δ, where the measures of two noises are compared; coarse first
_NEAR = 0.1  # in log R, between a power and the best up to which it is told exactly
_UNCUT = -9.0  # log(1/θ − 1), from which down θ = 1 is taken
# The ranges of log a, log b, log p and log(1/θ − 1) that are searched; b = 0 is in the family of
# powers.
_LOW = np.append(np.log([LIMITS["barrier"].minimum, 0.05, LIMITS["power"].minimum]), _UNCUT)
_HIGH = np.append(
    np.log([LIMITS[name].maximum for name in ("barrier", "bulk", "power")]),
    math.log(1 / LIMITS["cut"].minimum - 1),
)
_POWERS = np.geomspace(LIMITS["power"].minimum, LIMITS["power"].maximum, 33)
_AROUND = np.array(
    [(i, j, 0.0, 0.0) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
    + [(0, 0, i, 0) for i in (-1, 1)]
    + [(0, i, 0, j) for i in (-1, 0, 1) for j in (-1, 1)]
)
_STRIDE, _SHRINK = np.array([1.2, 0.25, 0.35, 0.8]), 0.7
_CUTS, _LOW_WALL = 1.2 + np.arange(-2.0, 3.0), math.log(1e-3)
_LEVELS, _LEVELS_NEARBY = 24, 12


@dataclass(frozen=True)
class Tuned:
    """A tuned noise, and what it reaches at its least radius.

    noise: a, b, p and θ. radius: certified bounds on its least private radius; noise of radius
    `radius.upper` is (ε, δ)-DP. share: the measure of this noise at radius 1, 1 for "hard";
    objective: which measure. All in units of Δ, the sensitivity.
    """

    noise: TunedNoise
    radius: Bracket
    share: float
    objective: str

    @property
    def measure(self) -> Bracket:
        """Certified bounds on what was made small: the radius times the share."""
        return Bracket(self.radius.lower * self.share, self.radius.upper * self.share)


@dataclass(frozen=True)
class TunedChoice:
    """The noise chosen, and the best power of the paper's family it was compared with.

    best: never worse than power.
    """

    best: Tuned
    power: Tuned

    @property
    def gain(self) -> float:
        """By which fraction the tuned noise lies below the best power; 0 where that is chosen."""
        return 1 - self.best.measure.upper / self.power.measure.upper


def tuned_noise(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
    sensitivity: float = 1.0,
) -> TunedChoice:
    """Return a tuned noise of small error for k adaptive (ε, δ)-DP answers, certified.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k in [1, 1e10].
    objective: "hard", the radius, which no error exceeds; "quantile", what the largest of the k
    errors keeps to with probability 1 − failure_probability; "deviation", the standard deviation
    of one answer. sensitivity: Δ, the most by which substituting one person moves an answer.

    `best.noise` has a, b, p and θ of f(u) = −b·ln(1 − θu²) + a·(1 − u²)^−p, `best.radius` certified
    bounds on its least private radius in the unit of Δ, `power` the same for the best
    (1 − u²)^−p, which is the case a = 1, b = 0. Raises `ParameterError`.
    Source: Dagan & Kur, Lemma 10.2 made exact, for a family of our own (`TunedNoise`).
    """
    return whole(
        tuned_noise_steps(
            epsilon=epsilon,
            delta=delta,
            queries=queries,
            objective=objective,
            failure_probability=failure_probability,
            sensitivity=sensitivity,
        )
    )


def tuned_noise_steps(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
    sensitivity: float = 1.0,
) -> Steps[TunedChoice]:
    """Compute `tuned_noise` with a pause between two evaluations of δ."""
    search = _Search.of(epsilon, delta, queries, objective, failure_probability)
    unit = validate("sensitivity", sensitivity)
    power = yield from search.certified(search.best_power())
    yield
    candidate = search.global_best(power.noise.power)
    yield
    found = yield from search.certified(candidate)
    best = found if found.measure.upper < power.measure.upper else power
    return TunedChoice(_scaled(best, unit), _scaled(power, unit))


def tuned_nearby(
    near: TunedNoise | None,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
) -> Tuned:
    """Return a tuned noise as `tuned_noise` does, for a point of a sweep: in units of Δ.

    near: the noise found at a neighbouring point, from which the search starts; None for none.
    Powers are compared by their estimates alone.
    """
    return whole(
        tuned_nearby_steps(
            near,
            epsilon=epsilon,
            delta=delta,
            queries=queries,
            objective=objective,
            failure_probability=failure_probability,
        )
    )


def tuned_nearby_steps(
    near: TunedNoise | None,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
) -> Steps[Tuned]:
    """Compute `tuned_nearby` with a pause between two evaluations of δ."""
    search = _Search.of(epsilon, delta, queries, objective, failure_probability)
    if near is None or not near.bulk:
        candidate = search.global_best(math.exp(search.best_power().at[2]))
    else:
        start = np.log([[near.barrier, near.bulk, near.power, max(1 / near.cut - 1, 1e-300)]])
        candidate = search.refined(start, _LEVELS_NEARBY)
    yield
    return (yield from search.certified(candidate))


def keeps_to(
    measure: float,
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
) -> bool:
    """Return whether the tuned noise found is private where its measure is this, certified.

    measure: above 0, in units of Δ; the rest as `tuned_noise`. A quick comparison with the measure
    of another noise: δ is bounded once, where `tuned_noise` looks for the least radius.
    """
    search = _Search.of(epsilon, delta, queries, objective, failure_probability)
    noise = search.noise(search.global_best(math.exp(search.best_power().at[2])))
    problem = Problem(noise, search.share(noise) / measure, search.epsilon, search.queries)
    goal = math.log(search.delta)
    for tolerance in _COMPARED:
        bounds = log_delta(problem, tolerance, goal)
        if bounds.lower > goal:
            break
        if bounds.upper <= goal:
            return True
    return False


def _cut(at: FloatArray) -> FloatArray:
    """Return θ."""
    theta: FloatArray = np.where(at <= _UNCUT, 1.0, 1 / (1 + np.exp(at)))
    return np.maximum(theta, LIMITS["cut"].minimum)


def _scaled(tuned: Tuned, unit: float) -> Tuned:
    return replace(tuned, radius=Bracket(tuned.radius.lower * unit, tuned.radius.upper * unit))


@dataclass(frozen=True)
class _Candidate:
    """A noise, as log a, log b (−inf for a power), log p and log(1/θ − 1), and its estimates."""

    at: FloatArray
    log_radius: float
    value: float
    slope: float
    tilt: FloatArray

    @classmethod
    def best(cls, at: FloatArray, found: Estimates, log_shares: FloatArray) -> "_Candidate":
        """Return the one of least measure."""
        values = found.log_radii + log_shares
        i = int(np.argmin(values))
        return cls(
            at[i],
            float(found.log_radii[i]),
            float(values[i]),
            float(found.slopes[i]),
            found.tilts[i],
        )


@dataclass(frozen=True)
class _Search:
    """What is searched for; parameters validated."""

    epsilon: float
    delta: float
    queries: float
    objective: str
    failure_probability: float

    @classmethod
    def of(
        cls, epsilon: float, delta: float, queries: float, objective: str, beta: float
    ) -> "_Search":
        """Validate the parameters."""
        if objective not in OBJECTIVES:
            raise ParameterError("objective", f"one of {', '.join(OBJECTIVES)}", objective)
        return cls(
            validate("epsilon", epsilon),
            validate("delta", delta),
            validate("queries", queries),
            objective,
            validate("failure_probability", beta),
        )

    @property
    def _privacy(self) -> dict[str, float]:
        return {"epsilon": self.epsilon, "delta": self.delta, "queries": self.queries}

    def best_power(self) -> _Candidate:
        """Return the best of a grid of powers, a = 1 and b = 0, and of a parabola through it."""
        rest = np.zeros(_POWERS.shape)
        powers = np.stack([rest, rest - math.inf, np.log(_POWERS), rest + _UNCUT], axis=1)
        noises, log_shares = self._noises(powers)
        found = self._estimates(noises, self._usual, log_shares=log_shares, margin=_NEAR)
        best = _Candidate.best(powers, found, log_shares)
        values = found.log_radii + log_shares
        i = int(np.clip(np.argmin(values), 1, _POWERS.size - 2))
        left, here, right = (float(value) for value in values[i - 1 : i + 2])
        bend = left + right - 2 * here
        if not (math.isfinite(bend) and bend > 0):
            return best
        at = powers[i].copy()
        step = powers[1, 2] - powers[0, 2]
        at[2] += step * min(max((left - right) / (2 * bend), -1.0), 1.0)
        return replace(best, at=at)

    def global_best(self, power: float) -> _Candidate:
        """Return the best noise of a search that starts from a coarse grid; power: the best p."""
        root = math.sqrt(self.queries)
        depth = -math.log(self.delta)
        # A barrier that is felt where a few losses of one answer would make up all of ε, and
        # what it takes of a power where there are few answers: rules of thumb.
        barrier, bulk = math.log(0.5 * depth**1.5 / root), 2.2 + 1.2 * depth / root
        grid = [
            (barrier + lower, math.log(b), 0.0, _UNCUT)
            for b in (2.2, bulk, 1.8 * bulk, 3 * bulk, 40.0)
            for lower in (-4.0, 0.0, 1.0)
        ]
        grid += [(0.0, math.log(b), math.log(power), _UNCUT) for b in (0.05, 0.5, 1.5)]
        # For few answers the noise falls to what δ allows, and is cut off there.
        sigma = float(gaussian.minimal_sigma(**self._privacy))
        fall = max(depth + math.log(self.queries / (5 * sigma)) + 1, 3.0)
        for z in _CUTS - math.log(self.queries):
            climb = float(np.logaddexp(0.0, -z))  # −ln(1 − θ)
            grid += [(_LOW_WALL, math.log((fall + d) / climb), _LOW[2], z) for d in (-1, 1, 3)]
        return self.refined(np.array(grid), _LEVELS)

    def refined(self, starts: FloatArray, levels: int) -> _Candidate:
        """Return the best noise that a shrinking pattern finds around the best of the starts."""
        best = self._best(starts, None)
        stride = _STRIDE.copy()
        for _ in range(levels):
            found = self._best(best.at + _AROUND * stride, best)
            if found.value < best.value:
                best = found
            else:
                stride *= _SHRINK
        return best

    def _best(self, at: FloatArray, known: _Candidate | None) -> _Candidate:
        """Return the best of some noises; known: one nearby, better than which it has to be."""
        pause()
        at = np.clip(at, _LOW, _HIGH)
        noises, log_shares = self._noises(at)
        near: dict[str, Any] = {"margin": 0.0, "log_shares": log_shares}
        start: ArrayLike = self._usual
        if known is not None and math.isfinite(known.value):
            # at the radius of the same measure: one step tells which noises are better
            start = known.value - log_shares
            near |= {"least": known.value, "slope": known.slope, "tilt": known.tilt}
        return _Candidate.best(at, self._estimates(noises, start, **near), log_shares)

    @cached_property
    def _usual(self) -> float:
        """About log R of any good noise."""
        return math.log(4 * float(gaussian.minimal_sigma(**self._privacy)))

    def _noises(self, at: FloatArray) -> tuple[Family, FloatArray]:
        """Return noises, and the logarithms of their measures at radius 1."""
        barrier, bulk, power = np.exp(at[:, :3].T)
        noises = Family.of(barrier, bulk, power, _cut(at[:, 3]))
        shares = noises.shares(
            self.objective,
            queries=self.queries,
            failure_probability=self.failure_probability,
        )
        return noises, np.log(shares)

    def _estimates(self, noises: Family, start: ArrayLike, **near: Any) -> Estimates:
        return least_radii(noises, **self._privacy, start=start, **near)

    @staticmethod
    def noise(candidate: _Candidate) -> TunedNoise:
        """Return the noise itself."""
        names = ("barrier", "bulk", "power", "cut")
        values = [*np.exp(candidate.at[:3]), _cut(candidate.at[3])]
        named = zip(names, values, strict=True)
        return TunedNoise(*(min(float(x), LIMITS[name].maximum) for name, x in named))

    def certified(self, candidate: _Candidate) -> Steps[Tuned]:
        """Compute certified bounds on the least radius, with a pause between two evaluations."""
        noise = self.noise(candidate)
        search = radius_search(noise, self.epsilon, self.delta, self.queries)
        if math.isfinite(candidate.log_radius):
            start = math.exp(candidate.log_radius)
        else:  # no estimate was found
            start = search.approach(math.exp(self._usual))
        low, high = radii((yield from search.steps(start)))
        return Tuned(noise, Bracket(low, high), self.share(noise), self.objective)

    def share(self, noise: TunedNoise) -> float:
        """Return the measure of the noise at radius 1."""
        if self.objective == "hard":
            return 1.0
        if self.objective == "deviation":
            return noise.standard_deviation
        beta = self.failure_probability
        return float(max_error(noise, 1.0, queries=self.queries, failure_probability=beta))
