"""The inverse question: the privacy, or the number of queries, that an error target allows.

The answers are those of `dpviz.maths.accounting.inverse`, along the targets around the reader's.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpviz.maths.accounting import calibration
from dpviz.maths.accounting.inverse import (
    gaussian_most_queries,
    gaussian_smallest_epsilon,
    most_queries,
    smallest_epsilon,
)
from dpviz.maths.bounded_noise import BoundedNoise, shaped_noise
from dpviz.results.evidence import (
    Axis,
    Bracket,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
    span,
)
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import Pace, Steps, coarse_to_fine, paused, whole
from dpviz.topics.bounded_noise.error_chart import percent

SOLVE_FOR = {"epsilon": "Smallest ε (less is more private)", "queries": "Largest k"}
"""What can be solved for, by name, and how it is written on the axis."""

_DECADES = 0.31  # on each side of the target: from half of it to twice
_FIRST = 5  # targets of the first result: enough to tell lines between them
_STRIDE = 16  # of the targets then
DRAFT = 3e-2
"""About the relative width of the certified bounds at both ends while a figure follows a slider."""
OWN_DRAFT = 1e-3
"""The same at the reader's target, where the answer is given to three digits."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetSolutions(Chart):
    """What meets the target, bounded and Gaussian, along the targets around it.

    certain, likely: certified bounds on the smallest ε (or the largest k) with certainty, and
    with probability 1 − β, for bounded noise; None where nothing in the range meets the target.
    gaussian: the same with probability 1 − β for Gaussian noise, exact; NaN for nothing.
    """

    solve_for: str
    target: float
    epsilon: float
    delta: float
    queries: float
    failure_probability: float
    certain: Bracket | None
    likely: Bracket | None
    gaussian: float

    @property
    def best(self) -> float:
        """The best answer in the range; where it is given, the truth may be better still."""
        return _best(self.solve_for)


def solve_for_epsilon_or_queries(
    *,
    solve_for: str,
    target: float,
    epsilon: float,
    delta: float,
    queries: float,
    shape: str,
    power: float,
    failure_probability: float,
) -> Iterator[TargetSolutions]:
    """Yield the smallest ε, or the largest k, along targets around the reader's, coarse to fine.

    solve_for: "epsilon" or "queries"; the other of the two keeps its value. target: the largest
    error accepted, in units of Δ, the most by which substituting one person's record moves an
    answer. shape, power: the bounded noise (see `dpviz.maths.bounded_noise.shaped_noise`).
    failure_probability: β. The first result has five targets, between certified bounds that are
    `OWN_DRAFT` and `DRAFT` apart. Raises `ParameterError`.
    """
    if solve_for not in SOLVE_FOR:
        raise ParameterError("solve_for", f"one of {', '.join(SOLVE_FOR)}", solve_for)
    inversion = _Inversion(
        solve_for,
        validate("target", target),
        validate("epsilon", epsilon),
        validate("delta", delta),
        validate("queries", queries),
        shaped_noise(shape, power=power),
        validate("failure_probability", failure_probability),
    )
    targets, here = inversion.targets()
    draft = inversion.draft(targets, here)
    ends = inversion.ends(draft)
    shown = inversion.result(draft, ends)
    yield shown
    pace = Pace()
    known: dict[float, _Pair] = {}
    for x in (targets[i] for i in coarse_to_fine(len(targets), _STRIDE, here=here)):
        known[x] = yield from paused(inversion.pair_steps(x, known), pace, shown)
        # What takes longer than the eye is shown as it grows; the last result is the same.
        if len(known) > _FIRST and pace.due():
            shown = inversion.result(known, ends)
            yield shown
    yield inversion.result(known, ends)


@dataclass(frozen=True)
class _Pair:
    """The answers of bounded noise at one target."""

    certain: Bracket | None
    likely: Bracket | None


@dataclass(frozen=True)
class _Inversion:
    """What is solved for, and all that is given."""

    solve_for: str
    target: float
    epsilon: float
    delta: float
    queries: float
    noise: BoundedNoise
    failure_probability: float

    def targets(self) -> tuple[list[float], int]:
        """Return the targets around the reader's, and the place of the reader's own."""
        limit = LIMITS["target"]
        around = self.target * 10 ** np.linspace(-_DECADES, _DECADES, 2 * _STRIDE + 1)
        targets = [float(x) for x in around if limit.minimum <= x <= limit.maximum]
        return targets, targets.index(self.target)

    def draft(self, targets: list[float], here: int) -> dict[float, _Pair]:
        """Return what follows a slider: the reader's answers and others around, in wide bounds."""
        known = {self.target: self.pair(self.target, {}, OWN_DRAFT)}
        last = len(targets) - 1
        for place in (0, last, here // 2, (here + last) // 2):
            if (x := targets[place]) not in known:
                known[x] = self.pair(x, known, DRAFT)
        return known

    def pair(self, target: float, known: dict[float, _Pair], width: float = 0.0) -> _Pair:
        """Return the answers at a target; those `known` at others save time.

        width: of the bounds, where they may be wider than usual.
        """
        return whole(self.pair_steps(target, known, width))

    def pair_steps(
        self, target: float, known: dict[float, _Pair], width: float = 0.0
    ) -> Steps[_Pair]:
        """Compute the same with pauses."""
        certain = {x: pair.certain for x, pair in known.items()}
        likely = {x: pair.likely for x, pair in known.items()}
        sure = yield from self._answer(target, None, certain, width)
        probable = yield from self._answer(target, self.failure_probability, likely, width)
        return _Pair(sure, probable)

    def _answer(
        self, target: float, beta: float | None, known: dict[float, Bracket | None], width: float
    ) -> Steps[Bracket | None]:
        best = _best(self.solve_for)
        end = Bracket(best, best)
        if any(answer is None and x >= target for x, answer in known.items()):
            return None
        if any(answer == end and x <= target for x, answer in known.items()):
            return end
        start = self._guess(target, known)
        if self.solve_for == "epsilon":
            steps = smallest_epsilon.steps(
                self.noise,
                target=target,
                delta=self.delta,
                queries=self.queries,
                failure_probability=beta,
                start=start,
                width=width,
            )
        else:
            steps = most_queries.steps(
                self.noise,
                target=target,
                epsilon=self.epsilon,
                delta=self.delta,
                failure_probability=beta,
                start=start,
                width=width,
            )
        return (yield from steps)

    def _guess(self, target: float, known: dict[float, Bracket | None]) -> float | None:
        """Interpolate on logarithmic scales; continue with the slope that holds for large k."""
        answers = {x: known[x] for x in sorted(known)}
        end = _best(self.solve_for)  # says only that the answer lies beyond
        places = {x: math.log(a.midpoint) for x, a in answers.items() if a and a.lower != end}
        if not places:
            return None
        x = np.log(list(places))
        inside = np.clip(math.log(target), x[0], x[-1])
        slope = -1 if self.solve_for == "epsilon" else 2
        log_guess = np.interp(inside, x, list(places.values()))
        return math.exp(log_guess + slope * (math.log(target) - inside))

    def ends(self, draft: Mapping[float, _Pair]) -> tuple[float, float]:
        """Return the least and the largest answer there will be: bounds only become narrower."""
        pairs = (answer for pair in draft.values() for answer in (pair.certain, pair.likely))
        found = [end for answer in pairs if answer for end in (answer.lower, answer.upper)]
        return span(self._gaussian(np.array(list(draft))), found)

    def result(self, known: dict[float, _Pair], ends: tuple[float, float]) -> TargetSolutions:
        """Return what is known so far; ends: of the axis."""
        gaussian_at = self._gaussian(np.array(sorted(known)))
        here = known[self.target]
        return TargetSolutions.of(
            self._chart(known, gaussian_at, ends),
            solve_for=self.solve_for,
            target=self.target,
            epsilon=self.epsilon,
            delta=self.delta,
            queries=self.queries,
            failure_probability=self.failure_probability,
            certain=here.certain,
            likely=here.likely,
            gaussian=float(gaussian_at[sorted(known).index(self.target)]),
        )

    def _gaussian(self, targets: FloatArray) -> FloatArray:
        if self.solve_for == "epsilon":
            return gaussian_smallest_epsilon(
                target=targets,
                delta=self.delta,
                queries=self.queries,
                failure_probability=self.failure_probability,
            )
        return gaussian_most_queries(
            target=targets,
            epsilon=self.epsilon,
            delta=self.delta,
            failure_probability=self.failure_probability,
        )

    def _chart(
        self, known: dict[float, _Pair], gaussian_at: FloatArray, ends: tuple[float, float]
    ) -> Chart:
        targets = sorted(known)
        sure = percent(self.failure_probability)
        limit = LIMITS[self.solve_for]
        least = "even a single answer has"
        if self.solve_for == "epsilon":
            least = f"even {limit.symbol} = {limit.maximum:g} leaves"

        def curve(
            key: str,
            label: str,
            y: FloatArray,
            lower: FloatArray | None = None,
            upper: FloatArray | None = None,
        ) -> Curve:
            certified = lower is not None
            return Curve(
                key,
                label,
                Subject.BOUNDED if certified else Subject.GAUSSIAN,
                Evidence.CERTIFIED if certified else Evidence.EXACT,
                calibration.SOURCE if certified else Source("Balle & Wang 2018", "Theorem 8"),
                np.array(targets),
                y,
                lower,
                upper,
                holds=y != _best(self.solve_for),
                assumption=f"{limit.symbol} stays inside its range",
                weight=1.4 if key == "certain" else 1.0,
                ended=(_best(self.solve_for), 0.0 if self.solve_for == "epsilon" else math.inf),
            )

        def bounded(key: str, label: str) -> Curve:
            answers = [getattr(known[x], key) for x in targets]
            lower = np.array([math.nan if a is None else a.lower for a in answers])
            upper = np.array([math.nan if a is None else a.upper for a in answers])
            return curve(key, label, upper if self.solve_for == "epsilon" else lower, lower, upper)

        return Chart(
            Axis("target", "Largest error accepted, T", unit="Δ"),
            Axis(self.solve_for, SOLVE_FOR[self.solve_for], base=ends[0], reach=ends[1]),
            (
                bounded("certain", "Bounded, certain"),
                bounded("likely", f"Bounded, {sure}"),
                curve("gaussian", f"Gaussian, {sure}", gaussian_at),
            ),
            here=self.target,
            in_headline=("certain", "gaussian"),
            nowhere=f"no value lies here:<br>{least} larger errors",
        )


def _best(solve_for: str) -> float:
    """Return the end of the range at which the privacy is worth most."""
    limit = LIMITS[solve_for]
    return float(limit.minimum if solve_for == "epsilon" else limit.maximum)
