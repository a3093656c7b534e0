"""The tuned noise that is best for given k, ε and δ: estimated, chosen, and then certified.

The search compares estimates (`dpviz.maths.accounting.estimate`). It certifies only the noise that
it ends at (several for few answers, where estimates are rougher) and the best power of Dagan &
Kur's family, and returns the best of these. So the noise returned is private, its bracket is
certified, and it is never worse than that power. Another noise of the family may be better. Nothing
is drawn at random, and nothing is taken from a neighbour: the same question has the same answer.

Shapes are searched for at a fixed lattice of settings, 4 % apart, and certified at the setting
asked for, from the shape of the nearest. Two searches may end a percent apart. So that R is
monotone in k, ε and δ all the same, the radius is not the least that was certified, but the number
that `dpviz.maths.accounting.tuned_radii` has for the setting, a little above it. Searches do not
find noise of that radius everywhere: where none does, at about one in a thousand settings drawn
from the whole ranges, the least radius certified is given, which may be some percent above what is
next to it (`python -m benchmarks.tuned borders` counts such rises). Other measures than the radius
are monotone to within the widths of their brackets between the borders of the lattice, and as far
as searches agree across them.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.calibration import radii, radius_search
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.accounting.descent import Point, Values, descend
from dpviz.maths.accounting.estimate import DEEP, LARGE, Estimates, Family, least_radii
from dpviz.maths.accounting.found_shapes import found_near
from dpviz.maths.accounting.tuned_radii import tuned_radius
from dpviz.maths.bounded_noise import max_error
from dpviz.maths.tuned_noise import SHAPE, TunedNoise
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Steps, in_steps, pause

OBJECTIVES = ("hard", "quantile", "deviation")
"""What is made small: R itself, what the largest of k errors keeps to, one answer's deviation."""

CELL, CELL_OF_DELTA, EACH = 0.04, 0.02, 50
"""Between settings searched at, in ln ε and ln k, in ln ln 1/δ, and up to which k each is one."""

_NEAR_A_POWER = 0.05  # in log R, between the best found and a power that may be better
_COMPARED = 0.05, 1e-3  # of log δ, where the measures of two noises are compared; coarse first
_NEAR = 0.1  # in log R, between a power and the best up to which it is known exactly
_UNCUT = -9.0  # log(1/θ − 1), from which down θ = 1 is taken
_HARDLY_CUT = -4.0  # from where θ is felt
# The ranges of log a, log b, log p and log(1/θ − 1) that are searched; b = 0 is in the family of
# powers.
_LOW = np.append(np.log([SHAPE["barrier"].minimum, 1e-3, SHAPE["power"].minimum]), _UNCUT)
_HIGH = np.append(
    np.log([SHAPE[name].maximum for name in ("barrier", "bulk", "power")]),
    math.log(1 / SHAPE["cut"].minimum - 1),
)
_DEEPEST = 50.0  # −ln(1 − u²), up to which a barrier is to reach 740
_POWERS = np.geomspace(LIMITS["power"].minimum, LIMITS["power"].maximum, 33)
_STRIDES = np.array([1.0, 0.25, 0.25, 0.6])
_CUTS, _LOW_WALL, _SLOW = 1.2 + np.arange(-2.0, 3.0), math.log(1e-3), math.log(0.5)
_LEVELS, _LEVELS_NEARBY = 14, 8
_AGAIN, _GAINED = (1.0, 0.3) * 6, 3e-5  # strides that follow, and what to gain in log R
_PROMISING, _BASINS, _APART = 6, 4, 2.0  # starts, those kept, and strides between them
_FEW, _DOUBT = 20, 0.003  # answers, below which estimates may be so far off, in log R
_NEXT = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))  # in steps
_LEAST_SUM, _LARGER_SUM = math.exp(-6.0), 1e-2  # ε + 2δ: R·(ε + 2δ) hardly depends on less
_TRIES, _TRIES_LONG = 8, 2  # settings next to one; where a search takes half a second
_LONG = 0.01  # δ, below which that is so for few answers
_ROUGH = 0.3  # in log R, above the best, up to which a start is known roughly


@dataclass(frozen=True)
class Tuned:
    """A tuned noise, and what it reaches.

    noise: a, b, p and θ. radius: certified bounds on its least private radius; noise of radius
    `radius.upper` is (ε, δ)-DP. For "hard" the upper one is that of
    `dpviz.maths.accounting.tuned_radii`, a little larger so as to be monotone. share: the measure
    of this noise at radius 1, 1 for "hard"; objective: which measure. All in units of Δ, the
    sensitivity.
    """

    noise: TunedNoise
    radius: Bracket
    share: float
    objective: str

    @property
    def measure(self) -> Bracket:
        """Certified bounds on what was made small: the radius times the share."""
        return Bracket(self.radius.lower * self.share, self.radius.upper * self.share)

    def of(self, radius: float) -> "Tuned":
        """Return it with this upper bound, which is known to be private."""
        return replace(self, radius=Bracket(min(self.radius.lower, radius), radius))


@dataclass(frozen=True)
class TunedChoice:
    """The noise chosen, and the best power of the paper's family it was compared with.

    best: never worse than power, whose upper bound is as wide where it would be below.
    """

    best: Tuned
    power: Tuned

    @property
    def gain(self) -> float:
        """By which fraction the tuned noise lies below the best power; 0 where that is chosen."""
        return 1 - self.best.measure.upper / self.power.measure.upper


@in_steps
def tuned_noise(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
    sensitivity: float = 1.0,
) -> Steps[TunedChoice]:
    """Return a tuned noise of small error for k adaptive (ε, δ)-DP answers, certified.

    epsilon: ε in [1e-7, 10]; delta: δ in [1e-300, 0.5]; queries: k in [1, 1e10].
    objective: what is made small. "hard": the radius, which no error exceeds; "quantile": what
    the largest of the k errors exceeds with probability failure_probability; "deviation": the
    standard deviation of one error. sensitivity: Δ, the most by which substituting one person
    moves an answer.

    `best.noise` has a, b, p and θ of f(u) = −b·ln(1 − θu²) + a·(1 − u²)^−p, `best.radius` certified
    bounds on its least private radius in the unit of Δ, `power` the same for the best
    (1 − u²)^−p, which is the case a = 1, b = 0. The best R of the family falls as ε or δ rises or k
    falls, and so does `best.radius.upper` for "hard" (see the module). Raises `ParameterError`.
    Source: Dagan & Kur, Lemma 10.2 made exact, for a family of our own (`TunedNoise`).
    """
    search = _Search.of(epsilon, delta, queries, objective, failure_probability)
    unit = validate("sensitivity", sensitivity)
    power, candidates = search.shapes()
    yield
    usual = yield from search.certified(power)
    yield
    found = yield from search.best_certified(candidates)
    best = found if found.measure.upper < usual.measure.upper else usual
    yield
    best = yield from search.monotone(best)
    if objective == "hard":
        usual = usual.of(max(usual.radius.upper, best.radius.upper))
    return TunedChoice(_scaled(best, unit), _scaled(usual, unit))


@in_steps
def tuned_alone(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str = "hard",
    failure_probability: float = 0.05,
) -> Steps[Tuned]:
    """Return `tuned_noise(...).best` in units of Δ, in less time, to within the bracket.

    Whether a power is better is asked only where its estimate leaves that open.
    """
    search = _Search.of(epsilon, delta, queries, objective, failure_probability)
    best = yield from search.alone()
    return (yield from search.monotone(best))


def _clipped(at: FloatArray) -> FloatArray:
    """Return the nearest shapes that are searched: of a low and slow barrier bounds are wide."""
    at = np.clip(at, _LOW, _HIGH)
    least = np.maximum(math.log(740.0) - at[:, 0], 1e-3) / _DEEPEST
    at[:, 2] = np.maximum(at[:, 2], np.log(least))
    return at


def _cut(at: FloatArray) -> FloatArray:
    """Return θ."""
    theta: FloatArray = np.where(at <= _UNCUT, 1.0, 1 / (1 + np.exp(at)))
    return np.maximum(theta, SHAPE["cut"].minimum)


def _rounded(x: float, step: float, away: int) -> float:
    return step * (round(x / step) + away)


def _within(name: str, x: float) -> float:
    return min(max(x, LIMITS[name].minimum), LIMITS[name].maximum)


def _scaled(tuned: Tuned, unit: float) -> Tuned:
    return replace(tuned, radius=Bracket(tuned.radius.lower * unit, tuned.radius.upper * unit))


@dataclass(frozen=True)
class _Candidate:
    """A noise, as log a, log b (−inf for a power), log p and log(1/θ − 1), and its estimates."""

    at: FloatArray
    log_radius: float
    slope: float
    tilt: FloatArray

    @classmethod
    def all(
        cls, at: FloatArray, estimates: Estimates, log_shares: FloatArray
    ) -> "list[Point[_Candidate]]":
        """Return them as points to start from."""
        rows = zip(
            at, estimates.log_radii, log_shares, estimates.slopes, estimates.tilts, strict=True
        )
        return [
            Point(power, float(radius + share), cls(power, float(radius), float(slope), tilt))
            for power, radius, share, slope, tilt in rows
        ]


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

    def shapes(self) -> tuple["_Candidate", list["_Candidate"]]:
        """Return the best power, and what a search ends at, of the nearest setting of the lattice.

        Their estimates are made good for this setting in proportion to σ.
        """
        nearest = self._near(0, 0, 0)._wide
        change = self._usual - nearest._usual
        power, *found = (
            replace(candidate, log_radius=candidate.log_radius + change)
            for candidate in _found_at(nearest)
        )
        return power, found

    def alone(self) -> Steps[Tuned]:
        """Return the best noise found, certified, a power only where its estimate is near."""
        power, candidates = self.shapes()
        yield
        best = yield from self.best_certified(candidates)
        estimated = math.exp(power.log_radius - _NEAR_A_POWER) * self.share(self.noise(power))
        if estimated < best.measure.upper:
            yield
            best = yield from self.better(best, power)
        return best

    def monotone(self, best: Tuned) -> Steps[Tuned]:
        """Return what has the radius of the table; another measure is left as it is."""
        if self.objective != "hard":
            return best
        return (yield from self.raised(best, tuned_radius(**self._privacy)))

    def raised(self, best: Tuned, radius: float) -> Steps[Tuned]:
        """Return what has this radius: the best known, or what is found here and next to here.

        If none is private with it, the best known stays as it is.
        """
        if best.radius.upper <= radius or self.keeps_to(best.noise, radius):
            return best.of(radius)
        alike = (self._wide, self._wider(_LARGER_SUM), *(self._near(*away)._wide for away in _NEXT))
        tries = _TRIES_LONG if self.queries < _FEW and self.delta < _LONG else _TRIES
        for near in list(dict.fromkeys(alike))[:tries]:
            yield
            candidate = replace(_found_at(near)[1], log_radius=math.log(radius))
            if self.keeps_to(self.noise(candidate), radius):
                return (yield from self.certified(candidate)).of(radius)
        return best

    @property
    def _wide(self) -> "_Search":
        """Where R is made small, the setting that is searched at in place of this one."""
        return self._wider(_LEAST_SUM) if self.objective == "hard" else self

    def _wider(self, least: float) -> "_Search":
        """Return the setting of the same δ/ε whose ε + 2δ is at least this: about as good shapes.

        Where ε is tiny, or far below δ, searches take longer and end a little higher.
        """
        factor = max(least / (self.epsilon + 2 * self.delta), 1.0)
        delta = self.delta * factor
        return replace(self, epsilon=max(self.epsilon * factor, least * delta), delta=delta)

    def _near(self, losses: int, depths: int, counts: int) -> "_Search":
        """Return the setting of the lattice so many steps from the nearest to this one.

        That is where shapes for this one are searched for.
        """
        log_depth = _rounded(math.log(-math.log(self.delta)), CELL_OF_DELTA, depths)
        count = self.queries + counts
        if count > EACH:
            count = round(math.exp(_rounded(math.log(self.queries), CELL, counts)))
        return replace(
            self,
            epsilon=_within("epsilon", math.exp(_rounded(math.log(self.epsilon), CELL, losses))),
            delta=_within("delta", math.exp(-math.exp(log_depth))),
            queries=_within("queries", count),
        )

    @property
    def _privacy(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "delta": self.delta, "queries": self.queries}

    def best_power(self) -> _Candidate:
        """Return the best of a grid of powers, a = 1 and b = 0, and of a parabola through it."""
        rest = np.zeros(_POWERS.shape)
        powers = np.stack([rest, rest - math.inf, np.log(_POWERS), rest + _UNCUT], axis=1)
        noises, log_shares = self._noises(powers)
        options = {"start": self._usual, "log_shares": log_shares, "margin": _NEAR}
        found = self._estimates(noises, **options)
        points = _Candidate.all(powers, found, log_shares)
        best = min(points, key=lambda point: point.value).hint
        values = found.log_radii + log_shares
        i = int(np.clip(np.argmin(values), 1, _POWERS.size - 2))
        left, middle, right = (float(value) for value in values[i - 1 : i + 2])
        bend = left + right - 2 * middle
        if not (math.isfinite(bend) and bend > 0):
            return best
        at = powers[i].copy()
        step = powers[1, 2] - powers[0, 2]
        at[2] += step * min(max((left - right) / (2 * bend), -1.0), 1.0)
        return replace(best, at=at)

    def global_best(self, power: float) -> list[_Candidate]:
        """Return what a search from rules of thumb and shapes found ends at; power: the best p."""
        found = found_near(self.objective, self.queries, self.epsilon, self.delta)
        found = np.append(np.log(found[:, :3]), np.log(1 / found[:, 3:] - 1 + 1e-300), axis=1)
        return self.refined(np.vstack([self.rules(power), found]), _LEVELS)

    def rules(self, power: float) -> FloatArray:
        """Return starts by rules of thumb; power: the best p."""
        root = math.sqrt(self.queries)
        depth = -math.log(self.delta)
        # A barrier that is felt where a few losses of one answer would make up all of ε, and
        # what it takes of a power where there are few answers.
        barrier, bulk = math.log(0.5 * depth**1.5 / root), 2.2 + 1.2 * depth / root
        rules = [
            (barrier + lower, math.log(b), 0.0, _HARDLY_CUT)
            for b in (2.2, bulk, 1.8 * bulk, 3 * bulk, 40.0)
            for lower in (-4.0, 0.0, 1.0)
        ]
        rules += [(0.0, math.log(b), math.log(power), _HARDLY_CUT) for b in (0.05, 0.5, 1.5)]
        # For few answers the noise falls to what δ allows, and is cut off there.
        sigma = float(gaussian.minimal_sigma(**self._privacy))
        fall = max(depth + math.log(self.queries / (5 * sigma)) + 1, 3.0)
        for z in _CUTS - math.log(self.queries):
            climb = float(np.logaddexp(0.0, -z))  # −ln(1 − θ)
            rules += [(_LOW_WALL, math.log((fall + d) / climb), _SLOW, z) for d in (-1, 1, 3)]
        return np.array(rules)

    def refined(self, starts: FloatArray, levels: int) -> list[_Candidate]:
        """Return the best noise found around the best of the starts.

        For few answers, of which estimates are rougher, what may be better as well after it.
        """
        pause()
        at = _clipped(starts)
        noises, log_shares = self._noises(at)
        options = {"start": self._usual, "log_shares": log_shares, "is_rough": self.delta <= LARGE}
        options["margin"] = _ROUGH
        points = _Candidate.all(at, self._estimates(noises, **options), log_shares)
        chosen: list[Point[_Candidate]] = []
        for point in sorted(points, key=lambda point: point.value):
            gaps = [np.abs(point.at - other.at) / _STRIDES for other in chosen]
            if len(chosen) < _PROMISING and all(gap.max() > _APART for gap in gaps):
                chosen.append(point)
        chosen = sorted(self._exact(chosen), key=lambda point: point.value)[:_BASINS]
        ends: dict[str, Any] = {"strides": _STRIDES, "low": _LOW, "high": _HIGH}
        found = descend(self._around, chosen, **ends, levels=levels)
        if self.objective == "hard" and self.delta < DEEP and self.queries > 1:
            # what is best lies in a long and curved valley: again, from long and short strides
            for scale in _AGAIN:
                before = found[0].value
                ends["strides"] = scale * _STRIDES
                found[:1] = descend(self._around, found[:1], **ends, levels=_LEVELS_NEARBY)
                if scale < 1 and found[0].value > before - _GAINED:
                    break
        doubt = _DOUBT if self.queries < _FEW else 0.0
        return [point.hint for point in found if point.value <= found[0].value + doubt]

    def _exact(self, points: list[Point[_Candidate]]) -> list[Point[_Candidate]]:
        """Return points with estimates that are not rough: those may be lower than any nearby."""
        at = np.stack([point.at for point in points])
        noises, log_shares = self._noises(at)
        radii = np.array([point.hint.log_radius for point in points])
        estimates = self._estimates(
            noises,
            start=np.where(np.isfinite(radii), radii, self._usual),
            slope=np.array([point.hint.slope for point in points]),
            tilt=np.array([point.hint.tilt for point in points]),
            log_shares=log_shares,
        )
        return _Candidate.all(at, estimates, log_shares)

    def _around(self, at: FloatArray, best: list[Point[_Candidate]]) -> Values[_Candidate]:
        """Return the measures of noises; best: of each basin, better than which one has to be."""
        pause()
        at = _clipped(at)
        noises, log_shares = self._noises(at)
        values = np.array([point.value for point in best])
        usual = ~np.isfinite(values)
        estimates = self._estimates(
            noises,
            # at the radius of the same measure: one step tells which noises are better
            start=np.where(usual, self._usual, values - log_shares),
            slope=np.array([point.hint.slope for point in best]),
            tilt=np.array([point.hint.tilt for point in best]),
            log_shares=log_shares,
            least=values,
            margin=0.0,
        )
        points = _Candidate.all(at, estimates, log_shares)
        measured = np.array([point.value for point in points])
        return Values(estimates.guesses + log_shares, measured, [point.hint for point in points])

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

    def _estimates(self, noises: Family, **options: Any) -> Estimates:
        # what is made for a small radius has most of its mass far out: its losses have heavy tails
        return least_radii(noises, **self._privacy, is_deep=self.objective == "hard", **options)

    @staticmethod
    def noise(candidate: _Candidate) -> TunedNoise:
        """Return the noise itself."""
        names = ("barrier", "bulk", "power", "cut")
        values = [*np.exp(candidate.at[:3]), _cut(candidate.at[3])]
        named = zip(names, values, strict=True)
        return TunedNoise(*(min(float(x), SHAPE[name].maximum) for name, x in named))

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

    def best_certified(self, candidates: list[_Candidate]) -> Steps[Tuned]:
        """Compute bounds for the best; one evaluation tells whether another is better."""
        best = yield from self.certified(candidates[0])
        for candidate in candidates[1:]:
            yield
            best = yield from self.better(best, candidate)
        return best

    def better(self, best: Tuned, candidate: _Candidate) -> Steps[Tuned]:
        """Return the candidate, certified, if it is better than the best known, or that."""
        if not self.keeps_to(self.noise(candidate), best.measure.lower):
            return best
        return (yield from self.certified(candidate))

    def keeps_to(self, noise: TunedNoise, measure: float) -> bool:
        """Return whether a noise is private where its measure is this, certified."""
        problem = Problem(noise, self.share(noise) / measure, self.epsilon, self.queries)
        goal = math.log(self.delta)
        for tolerance in _COMPARED:
            bounds = log_delta(problem, tolerance, goal)
            if bounds.lower > goal:
                break
            if bounds.upper <= goal:
                return True
        return False

    def share(self, noise: TunedNoise) -> float:
        """Return the measure of the noise at radius 1."""
        if self.objective == "hard":
            return 1.0
        if self.objective == "deviation":
            return noise.standard_deviation
        beta = self.failure_probability
        return float(max_error(noise, 1.0, queries=self.queries, failure_probability=beta))


@lru_cache(maxsize=2048)  # 1 kB each
def _found_at(search: _Search) -> tuple[_Candidate, ...]:
    """Return the best power for a setting, and what a search for shapes ends at."""
    power = search.best_power()
    found = search.global_best(math.exp(power.at[2]))
    return tuple(replace(one, at=one.at.copy(), tilt=one.tilt.copy()) for one in (power, *found))
