"""How good bounded noise can be: along k next to what is proven impossible, and along its power.

Each noise compared is the smallest of its shape for the same privacy. Along k the least radius of
all bounded noise, drawn together or one by one, lies between what is reached and what none can
reach. Along the exponent p of the paper's family: the larger p, the flatter the density in the
middle and the steeper its fall at the ends; too small a p keeps mass next to the ends, where the
privacy loss is unbounded.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from dpviz.maths import gaussian
from dpviz.maths.accounting import calibration
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import Tuned, TunedChoice, tuned_alone, tuned_noise
from dpviz.maths.bounded_noise import (
    MINIMAL_FISHER_INFORMATION,
    BoundedNoise,
    IteratedExponentialNoise,
    PowerNoise,
    max_error,
)
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace, Steps, coarse_to_fine, paused, whole
from dpviz.topics.bounded_noise.errors_along_queries import (
    COUNTS,
    AlongQueries,
    Compared,
    first_wins,
)
from dpviz.topics.bounded_noise.limits_along_queries import NoiseLimits, limits_along_queries
from dpviz.topics.bounded_noise.objectives import OBJECTIVES
from dpviz.topics.bounded_noise.tuned_and_converse import TUNED
from dpviz.topics.bounded_noise.two_errors import TwoErrors, two_errors

SHOWN = {
    "queries": "Errors along k",
    "pair": "Two errors",
    "power": "Errors along p",
    "shapes": "The shapes",
}
"""What can be drawn, by name."""

_SHAPE_POINTS = 161
_PAPER = Source("Dagan & Kur", "Section 2")
_HUBER = Source("Huber 1974", "least Fisher information on an interval: cosine-squared")
_LIMIT = Source("Huber 1974", "for one shape; for all independent noise dpviz.maths.score_converse")
_INTERVALS = 32  # the middle of the grid, on a logarithmic scale from 0.5 to 8, is p = 2
_CLOSE = 2e-3  # relative distance in p from which a further point says nothing new
_MOST_ROUNDS = 4
OWN_DRAFT = 1e-3
"""About the relative width of the bounds at p = 2, which is given to three digits."""
DRAFT = 2e-2
"""The same on a noise that is soon left for a better one."""
UNKNOWN = Bracket(0.0, math.inf)
"""All that is known of a measure before it is looked at."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NoiseChoice(Chart):
    """The chosen measure of the errors, in units of Δ, for each noise of equal privacy.

    best_power: the p of least measure so far found; best: the measure there; at_two: at p = 2;
    iterated: for f(u) = exp(exp(1/(1 − u²))). All three are certified bounds, whose upper ends
    belong to private noise; `UNKNOWN` while no p was looked at. scanning: whether more p are to
    be. gaussian: for Gaussian noise; NaN for "hard", as its errors have no
    bound. floor: for "hard", πσ, the limit for k → ∞ below which no independent bounded noise
    comes; NaN otherwise. tuned: the tuned noise found, with certified
    bounds on its measure; None while it is not known. wins: from which k on which noise has
    the least error, where that is drawn. compared: the noises at the reader's k, where it is.
    """

    objective: str
    queries: float
    failure_probability: float
    best_power: float
    best: Bracket
    at_two: Bracket
    iterated: Bracket
    gaussian: float
    floor: float
    tuned: Tuned | None = None
    wins: tuple[tuple[float, str], ...] = ()
    compared: Compared | None = None
    scanning: bool = False

    @property
    def lead(self) -> float:
        """By which fraction tuned noise lies below every noise of the paper; 0 for none found."""
        if self.tuned is None:
            return 0.0
        paper = min(self.best.upper, self.iterated.upper)
        return max(1 - self.tuned.measure.upper / paper, 0.0)

    @property
    def gain(self) -> float:
        """By which fraction the best p lies below p = 2."""
        return 1 - self.best.upper / self.at_two.upper


def how_good_bounded_noise_can_be(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str,
    failure_probability: float,
    show: str = "queries",
) -> Iterator[NoiseChoice | NoiseLimits | TwoErrors]:
    """Yield the measure of the errors along p, coarse to fine, and at last at the best p.

    objective: "hard", the least radius R; "quantile", what the largest of k errors exceeds with
    probability β = failure_probability; "deviation", the standard deviation of one error. Errors
    are in units of Δ, the most by which substituting one person's record moves an answer. show:
    what is drawn, "power" (the measure along p), "shapes" (the densities), "pair" (two errors in
    their square, see `two_errors`) or "queries" (along k,
    for "hard" what is reached and what is proven impossible, see `limits_along_queries`; else the
    measure in units of the Gaussian σ of the same privacy).

    The best p is the minimum of a cubic spline through all points, evaluated and added to them
    until it promises less than their certified bounds resolve. Every value is certified; another p
    may still be better. The first result has p = 2 alone, between bounds `OWN_DRAFT` apart,
    beside a rival whose bounds are `DRAFT` apart; where no p is drawn, what is known within
    moments (`AlongQueries.soon`), or the shapes of the paper.
    Several local minima are told apart as long as the grid, of ratio 1.09, shows them.
    Raises `ParameterError`. Sources: Dagan & Kur, Section 5 and 10, who compare p = 1 and 2;
    the floor: `dpviz.maths.score_converse`, and for one shape Huber 1974.
    """
    if objective not in OBJECTIVES:
        raise ParameterError("objective", f"one of {', '.join(OBJECTIVES)}", objective)
    if show not in SHOWN:
        raise ParameterError("show", f"one of {', '.join(SHOWN)}", show)
    choice = _Choice(
        validate("epsilon", epsilon),
        validate("delta", delta),
        validate("queries", queries),
        objective,
        validate("failure_probability", failure_probability),
    )
    two, iterated = PowerNoise(2.0), IteratedExponentialNoise()
    if show == "pair":
        yield from two_errors(epsilon=epsilon, delta=delta)
        return
    if show == "queries" and objective == "hard":
        yield from limits_along_queries(epsilon=epsilon, delta=delta, queries=queries)
        return
    if show != "power":
        yield from _tuned_alone(choice, show)
        return
    drafts = [
        whole(choice.measure(noise, width=width))
        for noise, width in ((two, OWN_DRAFT), (iterated, DRAFT))
    ]
    shown = replace(choice.result({2.0: drafts[0]}, drafts[1]), scanning=True)
    yield shown  # what follows a slider
    pace = Pace()
    tuned = yield from paused(choice.tuned(), pace, shown)
    known = {2.0: (yield from paused(choice.measure(two, drafts[0].midpoint), pace, shown))}
    rival = yield from paused(choice.measure(iterated, drafts[1].midpoint), pace, shown)
    for power in _points(known):
        steps = choice.measure(PowerNoise(power), _guess(known, power))
        known[power] = yield from paused(steps, pace, shown)
        # What takes longer than the eye is shown as it grows; the last result is the same.
        if pace.due():
            shown = replace(choice.result(known, rival, tuned), scanning=True)
            yield shown
    yield choice.result(known, rival, tuned)


def _tuned_alone(choice: "_Choice", show: str) -> Iterator[NoiseChoice]:
    """Yield the shapes, or the measure along k: where no scan of p is drawn, none is made."""
    along = AlongQueries(
        choice.epsilon,
        choice.delta,
        choice.objective,
        choice.failure_probability,
        OBJECTIVES[choice.objective],
    )
    own = None if show == "shapes" else along.soon(choice.queries)
    known: dict[float, Bracket] = {2.0: UNKNOWN}
    chart = (
        _shapes_chart(None) if own is None else along.chart({choice.queries: own}, choice.queries)
    )
    so_far = replace(choice.result(known, UNKNOWN, None, chart), compared=own, scanning=True)
    yield so_far  # what follows a slider
    pace = Pace()
    if own is None:
        tuned = yield from paused(choice.tuned_and_power(), pace, so_far)
    else:
        own = yield from paused(along.at(choice.queries), pace, so_far)
        assert own.choice is not None
        tuned = own.choice
    known[2.0] = yield from paused(choice.measure(PowerNoise(2.0)), pace, so_far)
    iterated = yield from paused(choice.measure(IteratedExponentialNoise()), pace, so_far)
    known[tuned.power.noise.power] = tuned.power.measure
    if own is None:
        yield choice.result(known, iterated, tuned.best, _shapes_chart(tuned.best.noise))
        return

    def shown(compared: dict[float, Compared]) -> NoiseChoice:
        chart = along.chart(compared, choice.queries)
        result = choice.result(known, iterated, tuned.best, chart)
        return replace(result, compared=compared[choice.queries])

    compared = {choice.queries: own}
    for queries in COUNTS:
        if queries not in compared:
            compared[queries] = yield from paused(along.at(queries), pace, so_far)
        if len(compared) > 2 and pace.due():  # curves from end to end
            so_far = shown(compared)
            yield so_far
    so_far = shown(compared)
    yield so_far
    for _ in along.borders(compared):
        if pace.due():
            yield shown(compared)
    yield replace(shown(compared), wins=tuple(first_wins(compared)))


@dataclass(frozen=True)
class _Choice:
    """The parameters every noise is measured at."""

    epsilon: float
    delta: float
    queries: float
    objective: str
    failure_probability: float

    def measure(
        self, noise: BoundedNoise, guess: float | None = None, width: float = 0.0
    ) -> Steps[Bracket]:
        """Compute the measure of this noise at its least radius; `guess` saves time.

        width: of the bounds, where they may be wider than usual.
        """
        share = self._share(noise)
        radius = yield from minimal_radius.steps(
            noise,
            epsilon=self.epsilon,
            delta=self.delta,
            queries=self.queries,
            start=None if guess is None else guess / share,
            width=width,
        )
        return Bracket(radius.lower * share, radius.upper * share)

    def tuned(self) -> Steps[Tuned]:
        """Compute the tuned noise of small measure."""
        return tuned_alone.steps(**self._asked)

    def tuned_and_power(self) -> Steps[TunedChoice]:
        """Compute the same, and the best power beside it."""
        return tuned_noise.steps(**self._asked)

    @property
    def _asked(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "queries": self.queries,
            "objective": self.objective,
            "failure_probability": self.failure_probability,
        }

    def _share(self, noise: BoundedNoise) -> float:
        """Return the measure of noise of radius 1."""
        if self.objective == "hard":
            return 1.0
        if self.objective == "deviation":
            return noise.standard_deviation
        return float(max_error(noise, 1.0, **self._largest))

    @property
    def _largest(self) -> dict[str, float]:
        return {"queries": self.queries, "failure_probability": self.failure_probability}

    def result(
        self,
        known: dict[float, Bracket],
        iterated: Bracket,
        tuned: Tuned | None = None,
        chart: Chart | None = None,
    ) -> NoiseChoice:
        """Return what is known so far; chart: what is drawn, None for the measure along p."""
        sigma = float(
            gaussian.minimal_sigma(epsilon=self.epsilon, delta=self.delta, queries=self.queries)
        )
        normal = {
            "hard": math.nan,
            "quantile": float(gaussian.max_error(sigma, **self._largest)),
            "deviation": sigma,
        }[self.objective]
        hard = self.objective == "hard"
        floor = sigma * math.sqrt(MINIMAL_FISHER_INFORMATION) if hard else math.nan
        best = min(known, key=lambda power: known[power].upper)
        return NoiseChoice.of(
            chart or _chart(self.objective, known, iterated, tuned, normal, floor),
            objective=self.objective,
            queries=self.queries,
            failure_probability=self.failure_probability,
            best_power=best,
            best=known[best],
            at_two=known[2.0],
            iterated=iterated,
            gaussian=normal,
            floor=floor,
            tuned=tuned,
        )


def _shapes_chart(noise: TunedNoise | None) -> Chart:
    """Return the densities of tuned noise, of p = 1 and 2, and of cos²(πu/2), on (−1, 1)."""
    u = np.linspace(-1, 1, _SHAPE_POINTS)

    def curve(key: str, label: str, source: Source, density: FloatArray, weight: float) -> Curve:
        return Curve(key, label, Subject.BOUNDED, Evidence.EXACT, source, u, density, weight=weight)

    floor = Curve(
        "cosine",
        "cos²(πu/2), least Fisher information",
        Subject.LOWER_BOUND,
        Evidence.EXACT,
        _HUBER,
        u,
        np.cos(math.pi * u / 2) ** 2,
    )
    tuned = () if noise is None else (curve("tuned", "Tuned", TUNED, noise.density(u), 1.4),)
    return Chart(
        Axis("u", "Error, in units of the largest possible", log=False),
        Axis("density", "Probability density", log=False),
        (
            *tuned,
            curve("power_1", "p = 1", _PAPER, PowerNoise(1.0).density(u), 0.7),
            curve("power_2", "p = 2", _PAPER, PowerNoise(2.0).density(u), 0.7),
            floor,
        ),
        tuple(
            # all curves end at the same two points: a word at the peak tells them apart
            Landmark(0.0, float(PowerNoise(power).density(0.0)), f"p = {power:g}", Subject.BOUNDED)
            for power in (1.0, 2.0)
        ),
        in_headline=("power_2", "tuned" if tuned else "cosine"),
    )


def _points(known: dict[float, Bracket]) -> Iterator[float]:
    """Yield p after p: a grid, coarse to fine, then where the minimum seems to be.

    To be advanced after the last p has been added to `known`.
    """
    low, high = LIMITS["power"].minimum, LIMITS["power"].maximum
    for i in coarse_to_fine(_INTERVALS + 1, _INTERVALS // 2):
        power = low * (high / low) ** (i / _INTERVALS)
        if power not in known:
            yield power
    for _ in range(_MOST_ROUNDS):
        power, value = _lowest(known)
        best = min(known.values(), key=lambda bracket: bracket.upper)
        resolved = best.lower <= value and len(known) > _INTERVALS + 1
        if resolved or min(abs(power / p - 1) for p in known) < _CLOSE:
            break
        yield power


def _lowest(known: dict[float, Bracket]) -> tuple[float, float]:
    """Return the p at which the spline through all points is lowest, and its value there."""
    log_power, log_value = _logs(known)
    spline = CubicSpline(log_power, log_value)
    turns = spline.derivative().roots(extrapolate=False)
    candidates = np.concatenate([turns[np.isfinite(turns)], log_power[[0, -1]]])
    values = spline(candidates)
    power = math.exp(candidates[np.argmin(values)])
    power = min(max(power, LIMITS["power"].minimum), LIMITS["power"].maximum)
    return power, math.exp(values.min())


def _guess(known: dict[float, Bracket], power: float) -> float:
    """Return roughly the measure at p, from its neighbours."""
    log_power, log_value = _logs(known)
    return math.exp(np.interp(math.log(power), log_power, log_value))


def _logs(known: dict[float, Bracket]) -> tuple[FloatArray, FloatArray]:
    powers = sorted(known)
    return np.log(powers), np.log([known[p].midpoint for p in powers])


def _chart(
    objective: str,
    known: dict[float, Bracket],
    iterated: Bracket,
    tuned: Tuned | None,
    normal: float,
    floor: float,
) -> Chart:
    powers = np.array(sorted(known))

    def certified(
        key: str,
        label: str,
        brackets: list[Bracket],
        weight: float,
        source: Source = calibration.SOURCE,
    ) -> Curve:
        low, high = (np.array([getattr(b, end) for b in brackets]) for end in ("lower", "upper"))
        kind = (Subject.BOUNDED, Evidence.CERTIFIED, source)
        return Curve(key, label, *kind, powers, high, low, high, weight=weight)

    def level(
        key: str, label: str, kind: tuple[Subject, Evidence], source: Source, height: float
    ) -> Curve:
        return Curve(key, label, *kind, source, powers, np.full(powers.size, height))

    curves = [
        certified("power", "(1 − u²)^−p", [known[p] for p in powers], 1.4),
        certified("iterated", "exp(exp(1/(1 − u²)))", [iterated] * powers.size, 0.7),
    ]
    if tuned is not None:
        curves.append(certified("tuned", "Tuned", [tuned.measure] * powers.size, 1.0, TUNED))
    if math.isfinite(normal):
        source = Source("Balle & Wang 2018", "Algorithm 1")
        kind = Subject.GAUSSIAN, Evidence.EXACT
        curves.append(level("gaussian", "Gaussian", kind, source, normal))
    if math.isfinite(floor):
        label = "Limit for all independent noise as k → ∞: πσ"
        kind = Subject.LOWER_BOUND, Evidence.LIMIT
        curves.append(level("floor", label, kind, _LIMIT, floor))
    error = Axis("error", OBJECTIVES[objective], unit="Δ")
    said = ("power", "tuned") if tuned is not None else ("power", "iterated")
    return Chart(Axis("p", "Shape of the noise, p"), error, tuple(curves), in_headline=said)
