"""Measured user complexity against m, beside the shape of the theorem."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import (
    Axis,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, coarse_to_fine
from dpviz.topics.clipping.simulation import SUCCESS, Measured, measured_users
from dpviz.topics.clipping.tasks import Task, make_task

LARGEST_M = 10**5
"""The most examples per user that are tried."""

_PER_DECADE = 3
_DECADE = 9.9  # least factor in m over which the steepest slope is taken; m are rounded
_BEYOND = 10  # how far past the last bend of the theorem m goes
_MEASURED = Source("dpviz.topics.clipping.simulation", "stochastic bisection, 95% intervals")


@dataclass(frozen=True)
class Slope:
    """How fast the measured number of users falls between two m: d log n / d log m.

    expected: the theorem's, where one of its terms leads. lower, upper: what the intervals of the
    two ends allow.
    """

    first: float
    last: float
    expected: float
    slope: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, kw_only=True)
class UsersNeeded(Chart):
    """Users needed against m.

    slopes: by stretch of m; steepest: where the points fall fastest over a factor of ten or more;
    runs: data sets drawn;
    item_level: n₁, with one example each, NaN if not yet known; constant: of the fitted shape, NaN
        until all points that it is fitted to are known.
    """

    slopes: tuple[Slope, ...]
    steepest: Slope | None
    runs: int
    item_level: float
    constant: float
    hopeless: bool

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The users who are clipped, at the most and the fewest examples each with a measure.

        Only one where one number of examples is measured, none before.
        """
        known = np.flatnonzero(np.isfinite(self.curve("clipped").y))
        ends = dict.fromkeys((int(known[-1]), int(known[0]))) if known.size else ()
        return tuple(self.claim("clipped", f"users at place {at}", at=at) for at in ends)

    def table(self) -> dict[str, NDArray[Any]]:
        """Return the slopes as columns."""
        return {
            name: np.array([getattr(slope, name) for slope in self.slopes])
            for name in ("first", "last", "expected", "slope", "lower", "upper")
        }


def users_needed(
    *,
    task: str,
    candidates: float,
    domain_size: float,
    epsilon: float,
    alpha: float,
    constant: float,
    rng: np.random.Generator,
) -> Iterator[UsersNeeded]:
    """Yield the least n with which an answer is within α with probability 2/3, for ever more m.

    Each is measured in three ways: with Theorem 37's τ (constant: its C), or Section 4's if labels
    are correct; with that τ and the paper's sensitivity 2τ; and without clipping. See
    `dpviz.topics.clipping.simulation.measured_users` for the search and its stopping rule. Raises
    `ParameterError`.
    """
    chosen = make_task(task, candidates=int(candidates), domain_size=int(domain_size))
    eps, a = validate("epsilon", epsilon), validate("alpha", alpha)
    stretches = theorem_stretches(epsilon=eps, alpha=a, realizable=chosen.loss is not None)
    examples = examples_grid(stretches[-1][0])
    shape = theorem_shape(
        examples,
        epsilon=eps,
        alpha=a,
        candidates=len(chosen.names),
        realizable=chosen.loss is not None,
    )
    results = _Measurements({}, {}, {})
    streams = rng.spawn(3 * examples.size)
    pace = Pace()
    order = list(coarse_to_fine(examples.size, (examples.size - 1) // 2))
    every = (results.clipped, results.unclipped, results.published)
    # The clipped points come first: the theorem's shape, fitted to them, waits for all.
    for step, (way, place) in enumerate(product(range(3), order)):
        m, known = int(examples[place]), every[way]
        tau = chosen.proposed_threshold(alpha=a, examples_per_user=m, constant=constant)
        published = way == 2
        if published and not _differs(chosen, tau, m):
            continue
        for measured in measured_users(
            chosen,
            examples_per_user=m,
            threshold=float(m) if way == 1 else tau,
            epsilon=eps,
            alpha=a,
            rng=streams[3 * place + way],
            guess=_guess(known, shape, place),
            published=published,
        ):
            finished = measured is not None and measured.finished
            if measured is not None and (finished or not known):
                known[place] = measured
            done = (step + finished) / (3 * examples.size)
            if (pace.due() and results.clipped) or (
                step == 0 and finished
            ):  # never without a point
                yield _chart(chosen, examples, shape, stretches, results, done)
    yield _chart(chosen, examples, shape, stretches, results, 1.0)


@dataclass(frozen=True)
class _Measurements:
    """What is measured so far, by the place of m; published: only where it differs."""

    clipped: dict[int, Measured]
    unclipped: dict[int, Measured]
    published: dict[int, Measured]

    @property
    def measured(self) -> list[Measured]:
        every = (self.clipped, self.unclipped, self.published)
        return [one for known in every for one in known.values()]

    @property
    def runs(self) -> int:
        return sum(one.runs for one in self.measured)

    @property
    def so_far(self) -> SoFar | None:
        """On how many data sets a number rests that is still being narrowed down."""
        going_on = any(
            not one.finished and math.isfinite(one.interval.upper) for one in self.measured
        )
        return SoFar(self.runs, "data set") if going_on else None


def _differs(task: Task, tau: float, examples_per_user: int) -> bool:
    """Return whether the paper divides by more than the exact sensitivity."""
    exact = task.sensitivity(tau, examples_per_user=examples_per_user)
    return not math.isclose(exact, task.published_sensitivity(tau), rel_tol=1e-9)


def theorem_shape(
    examples: FloatArray, *, epsilon: float, alpha: float, candidates: int, realizable: bool
) -> FloatArray:
    """Return the users of Theorem 37, or of Theorem 4 for correct labels, constants dropped.

    With log(|H|/β) at β = 1/3, the probability of failure that is measured.
    """
    logarithm = math.log(candidates / (1 - SUCCESS))
    m = np.asarray(examples, dtype=float)
    if realizable:
        return np.asarray(logarithm * (1 / epsilon + 1 / (epsilon * alpha * m)))
    parts = 1 / epsilon + 1 / (alpha * epsilon * np.sqrt(m)) + 1 / (alpha**2 * m)
    return np.asarray(logarithm * parts)


def theorem_stretches(
    *, epsilon: float, alpha: float, realizable: bool
) -> list[tuple[float, float]]:
    """Return where each stretch of m begins in which one term leads, and the slope there.

    Ascending, constants dropped.
    """
    if realizable:
        return [(1.0, -1.0), (1 / alpha, 0.0)]
    if epsilon >= 1:  # then the middle term never leads
        return [(1.0, -1.0), (epsilon / alpha**2, 0.0)]
    later = [(max((epsilon / alpha) ** 2, 1.0), -0.5), (1 / alpha**2, 0.0)]
    return [(1.0, -1.0), *later] if epsilon > alpha else later


def examples_grid(last_bend: float) -> FloatArray:
    """Return the m that are tried: three a decade, to ten times the last bend of the theorem."""
    most = min(max(_BEYOND * last_bend, 100.0), float(LARGEST_M))
    count = round(_PER_DECADE * math.log10(most)) + 1
    return np.unique(np.rint(np.geomspace(1, most, count)))


def _guess(measured: dict[int, Measured], shape: FloatArray, place: int) -> float:
    """Return where to begin: half of what the nearest known point and the shape predict."""
    known = [i for i, one in measured.items() if one.finished and math.isfinite(one.estimate)]
    if not known:
        return float(shape[place])
    nearest = min(known, key=lambda i: abs(i - place))
    return max(1.0, 0.5 * measured[nearest].estimate * float(shape[place] / shape[nearest]))


def _chart(
    task: Task,
    examples: FloatArray,
    shape: FloatArray,
    stretches: list[tuple[float, float]],
    results: _Measurements,
    done: float,
) -> UsersNeeded:
    clipped = results.clipped
    ours, theirs = _measured(examples, clipped), _measured(examples, results.unclipped)
    finished = np.array([i in clipped and clipped[i].finished for i in range(examples.size)])
    known = np.isfinite(ours[0]) & finished
    fits = known.any() and finished.all()
    fitted = float(np.exp(np.mean(np.log(ours[0][known] / shape[known])))) if fits else math.nan
    theorem = "Theorem 4" if task.loss is not None else "Theorem 37"
    clipped_words = "τ = 1" if task.loss is not None else "Theorem 37's τ"
    curves = [
        _points("clipped", f"clipped, {clipped_words}", Subject.USER_LEVEL, examples, ours),
        _points("unclipped", "no clipping", Subject.EARLIER, examples, theirs, weight=0.8),
        _points(
            "published",
            "as published, Δ = 2τ",
            Subject.LOWER_BOUND,
            examples,
            _measured(examples, results.published),
            weight=0.7,
        ),
        Curve(
            "shape",
            f"{theorem}'s shape, fitted",
            Subject.USER_LEVEL,
            Evidence.ASYMPTOTIC,
            Source(UL, theorem),
            examples,
            fitted * shape,
        ),
        _points(
            "item_level",
            "item-level, n₁/m",
            Subject.ITEM_LEVEL,
            examples,
            _dealt_out(ours, examples),
            weight=0.7,
        ),
    ]
    return UsersNeeded(
        x=Axis(
            "examples_per_user", "Examples each user holds, m", base=examples[0], reach=examples[-1]
        ),
        y=Axis("users", "Users needed", least=1.0),
        curves=tuple(curves),
        in_headline=("clipped", "unclipped"),
        slopes=_slopes(examples, ours, known, stretches),
        steepest=_steepest(examples, ours, known, stretches),
        runs=results.runs,
        item_level=float(ours[0][0]),
        constant=fitted,
        so_far=results.so_far,
        hopeless=any(one.finished and math.isinf(one.interval.upper) for one in clipped.values()),
        done=done,
    )


def _measured(
    examples: FloatArray, measured: dict[int, Measured]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return estimates and ends of intervals, NaN where nothing is known."""
    rows = np.full((3, examples.size), np.nan)
    for place, one in measured.items():
        if math.isfinite(one.estimate) and math.isfinite(one.interval.upper):
            rows[:, place] = one.estimate, max(one.interval.lower, 0.5), one.interval.upper
    return rows[0], rows[1], rows[2]


def _dealt_out(
    measured: tuple[FloatArray, FloatArray, FloatArray], examples: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n₁/m, what is measured at m = 1 over m, while it is at least one user."""
    one, low, high = (
        np.where(measured[0][0] >= examples, part[0] / examples, np.nan) for part in measured
    )
    return one, low, high


def _points(
    key: str,
    label: str,
    subject: Subject,
    examples: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
    weight: float = 1.0,
) -> Curve:
    return Curve(
        key,
        label,
        subject,
        Evidence.SIMULATED,
        _MEASURED,
        examples,
        measured[0],
        lower=np.minimum(measured[1], measured[0]),
        upper=np.maximum(measured[2], measured[0]),
        weight=weight,
    )


def _slopes(
    examples: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
    known: NDArray[np.bool_],
    stretches: list[tuple[float, float]],
) -> tuple[Slope, ...]:
    """Return the slope between the outermost known points of each stretch."""
    slopes = []
    for (low, expected), (high, _) in pairwise([*stretches, (math.inf, 0.0)]):
        inside = np.flatnonzero(known & (examples >= low) & (examples <= high))
        if inside.size < 2:
            continue
        slopes.append(_slope(examples, measured, int(inside[0]), int(inside[-1]), expected))
    return tuple(slopes)


def _steepest(
    examples: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
    known: NDArray[np.bool_],
    stretches: list[tuple[float, float]],
) -> Slope | None:
    """Return the least slope between known points at least a factor of ten apart.

    Its `expected` is the theorem's slope where it begins.
    """
    places = np.flatnonzero(known)
    slopes = []
    for first in places:
        far = places[examples[places] >= _DECADE * examples[first]]
        if far.size:
            expected = [slope for start, slope in stretches if start <= examples[first]][-1]
            slopes.append(_slope(examples, measured, int(first), int(far[0]), expected))
    return min(slopes, key=lambda slope: slope.slope, default=None)


def _slope(
    examples: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
    first: int,
    last: int,
    expected: float,
) -> Slope:
    estimate, lower, upper = (np.log(part[[first, last]]) for part in measured)
    width = math.log(examples[last] / examples[first])
    return Slope(
        first=float(examples[first]),
        last=float(examples[last]),
        expected=expected,
        slope=float(estimate[1] - estimate[0]) / width,
        lower=float(lower[1] - upper[0]) / width,
        upper=float(upper[1] - lower[0]) / width,
    )
