"""Where clipping lowers the error: how many examples a user needs, and how alike they may be."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.maths.intervals import student_half_width
from dpviz.results.evidence import (
    Axis,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Origin,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, Steps, paused, whole
from dpviz.topics.clipping.baseline import laplace_error
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.simulation import Scorer
from dpviz.topics.clipping.tasks import Task, make_task

SMALLEST, LARGEST = 1e-3, 0.95
"""The correlations between which the boundary is looked for."""

_EXAMPLES = np.unique(np.rint(np.geomspace(2, 10**4, 9)))
_CORRELATIONS = np.geomspace(SMALLEST, LARGEST, 9)
_THRESHOLDS = 10
_TIGHTEST = 0.1  # the least τ that is tried, in units of √m
_PASSES = (6, 12)
_WORK = 1e10  # clipped numbers, all passes together
_FEWEST = 5  # passes from which an interval is shown
_WIDTH = 2.0  # standard errors
_WAYS = ("unclipped", "laplace", "paper", "best")
_OWN = Source("dpviz.topics.clipping", "fresh data, jackknife, 2 standard errors")


@dataclass(frozen=True, eq=False, kw_only=True)
class WhereClippingHelps(Chart):
    """Up to which correlation within users clipping helps, against the examples per user m.

    errors: mean errors at the reader's m and correlation, by name: unclipped, laplace (Laplace
    noise on the mean of the users' shares), paper (Theorem 37's τ), best (the best τ, which is
    `threshold`). known: what the data sets tell of these, and, as `worth`, of what the best τ saves
    beyond a tenth. beyond: the least m that was tried from which on clipping helps at the reader's
    correlation, NaN if none. passes: fresh data sets for each point.
    """

    other_origins = (Origin(Evidence.SIMULATED, Source(UL, "Theorem 37, clipped scores")),)

    errors: dict[str, float]
    known: dict[str, Claim]
    threshold: float
    examples_per_user: int
    correlation: float
    beyond: float
    domain_size: int
    optimum: float
    passes: int

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The expected errors at the reader's place, and whether the best τ saves a tenth."""
        return tuple(self.known.values())


def where_clipping_helps(
    *,
    candidates: float,
    domain_size: float,
    users: float,
    examples_per_user: float,
    correlation: float,
    epsilon: float,
    alpha: float,
    constant: float,
    rng: np.random.Generator,
) -> Iterator[WhereClippingHelps]:
    """Yield the largest correlation at which clipping still helps, for ever more fresh data.

    Each user's examples are drawn from a law of their own, a Dirichlet variable around the truth of
    the task "discrete", so that two examples of a user agree more often than those of strangers:
    `correlation` is ρ of the indicator of each category (0: independent; 1: all alike). The error
    is the total variation distance from the truth. alpha, constant: of Theorem 37's τ. Clipping
    helps where the error is at most `WORTH` times that without. Neighbours differ in one user
    (substitution). Raises `ParameterError`.
    """
    task = make_task("discrete", candidates=int(candidates), domain_size=int(domain_size))
    m, n = int(validate("examples_per_user", examples_per_user)), int(validate("users", users))
    rho = validate("correlation", correlation)
    points = [
        _Point(scorer, r, n, epsilon)
        for each, tried in ((m, [rho]), *((int(e), _CORRELATIONS.tolist()) for e in _EXAMPLES))
        for scorer in (_scorer(task, each, alpha, constant),)
        for r in tried
    ]
    passes = int(np.clip(_WORK / (n * points[0].scorer.work * len(points)), *_PASSES))
    errors = np.full((passes, len(points), 3 + _THRESHOLDS), np.nan)
    pace, shown = Pace(), None
    for run in range(passes):
        # Streams of their own: a change at one point leaves the data of all others as they are.
        for place, (point, stream) in enumerate(zip(points, rng.spawn(len(points)), strict=True)):
            steps = point.errors_steps(stream)
            found = whole(steps) if shown is None else (yield from paused(steps, pace, shown))
            errors[run, place] = found
            if pace.due() or (run == 0 and point is points[-1]):
                done = (run + place / len(points)) / passes
                shown = _chart(points[0], errors[: max(run, 1)], done, passes)
                yield shown
    yield _chart(points[0], errors, 1.0, passes)


def correlated_users(
    rng: np.random.Generator,
    law: ArrayLike,
    *,
    users: int,
    examples_per_user: int,
    correlation: float,
) -> NDArray[np.int64]:
    """Return users as counts of categories, their examples correlated within each user.

    A user's own law is Dirichlet(law·(1 − ρ)/ρ): the indicators of a category for two examples of
    a user have correlation ρ, and the examples of different users are independent. Raises
    `ParameterError`.
    """
    p, rho = np.asarray(law, dtype=float), validate("correlation", correlation)
    if rho == 0:
        return rng.multinomial(examples_per_user, p, size=users)
    if rho == 1:
        return examples_per_user * rng.multinomial(1, p, size=users)
    own = rng.dirichlet(p * (1 - rho) / rho, size=users)
    return rng.multinomial(examples_per_user, own)


def boundary(errors: FloatArray, rival: FloatArray) -> FloatArray:
    """Return the largest correlation at which errors ≤ `WORTH` · rival, along the last axis.

    Read off between the correlations that were tried; NaN where even the smallest is too large,
    or nothing is known.
    """
    gain = np.log(WORTH * rival / errors)
    axis = np.log(_CORRELATIONS)
    flat = gain.reshape(-1, axis.size)
    logs = np.full(len(flat), np.nan)
    for row, gains in enumerate(flat):
        helped = np.flatnonzero(gains >= 0)
        if not helped.size or not np.isfinite(gains).all():
            continue
        last = int(helped[-1])
        logs[row] = axis[last]
        if last + 1 < axis.size:
            share = gains[last] / (gains[last] - gains[last + 1])
            logs[row] += share * (axis[last + 1] - axis[last])
    return np.asarray(np.exp(logs)).reshape(gain.shape[:-1])


@dataclass(frozen=True, eq=False)
class _Point:
    """One m, with the thresholds tried there, and one correlation."""

    scorer: Scorer
    correlation: float
    users: int
    epsilon: float

    @property
    def task(self) -> Task:
        """What is asked."""
        return self.scorer.task

    @property
    def examples(self) -> int:
        """The m."""
        return self.scorer.m

    @property
    def thresholds(self) -> FloatArray:
        """The thresholds tried, the paper's first; without the last, m itself."""
        return self.scorer.thresholds[:-1]

    def errors_steps(self, rng: np.random.Generator) -> Steps[FloatArray]:
        """Compute on fresh data the expected error: unclipped, Laplace, then at each threshold."""
        data = correlated_users(
            rng,
            self.task.law,
            users=self.users,
            examples_per_user=self.examples,
            correlation=self.correlation,
        )
        laws = yield from self.scorer.laws_steps(data, epsilon=self.epsilon)
        chosen = laws @ self.task.errors
        means = data.mean(axis=0) / self.examples
        plain = laplace_error(means, self.task.law, users=self.users, epsilon=self.epsilon)
        return np.concatenate([[chosen[-1], float(plain)], chosen[:-1]])


def _scorer(task: Task, m: int, alpha: float, constant: float) -> Scorer:
    """Return what scores at the paper's τ, on a grid of others, and without clipping."""
    proposed = task.proposed_threshold(alpha=alpha, examples_per_user=m, constant=constant)
    tightest = max(_TIGHTEST * m**0.5, 0.1)
    taus = np.concatenate([[proposed], np.geomspace(tightest, m, _THRESHOLDS), [m]])
    return Scorer(task, examples_per_user=m, thresholds=taus)


def _ways(errors: FloatArray) -> dict[str, FloatArray]:
    """Return the error of each way: the best τ is the best in the mean of the runs."""
    parts = errors[..., 0], errors[..., 1], errors[..., 2], errors[..., 2:].min(axis=-1)
    return dict(zip(_WAYS, parts, strict=True))


def _boundaries(errors: FloatArray) -> FloatArray:
    """Return for each m the boundaries of the best τ, of the paper's, and against Laplace noise."""
    shape = (*errors.shape[:-2], _EXAMPLES.size, _CORRELATIONS.size)
    by_way = {way: part.reshape(shape) for way, part in _ways(errors).items()}
    ours = np.minimum(by_way["best"], by_way["unclipped"])
    return np.stack(
        [
            boundary(by_way["best"], by_way["unclipped"]),
            boundary(by_way["paper"], by_way["unclipped"]),
            boundary(ours, by_way["laplace"]),
        ]
    )


def _chart(reader: _Point, errors: FloatArray, done: float, planned: int) -> WhereClippingHelps:
    runs = int(np.isfinite(errors).all(axis=(1, 2)).sum())
    known = errors[:runs] if runs else errors
    mean = known.mean(axis=0)
    at = {way: float(part) for way, part in _ways(mean[0]).items()}
    estimate = _boundaries(mean[1:])
    spread = np.full(estimate.shape, np.nan)
    if runs >= _FEWEST:
        left_out = (mean[1:] * runs - known[:, 1:]) / (runs - 1)
        logs = np.log(_boundaries(left_out))
        spread = _WIDTH * np.sqrt((runs - 1) * logs.var(axis=1))
    helped = _EXAMPLES[estimate[0] >= reader.correlation]
    return WhereClippingHelps(
        x=Axis(
            "examples_per_user",
            "Examples each user holds, m",
            base=_EXAMPLES[0],
            reach=_EXAMPLES[-1],
        ),
        y=Axis("correlation", "Correlation of a user's examples, ρ", base=SMALLEST, reach=1.0),
        curves=tuple(
            _curve(key, label, subject, row, width)
            for (key, label, subject), row, width in zip(_LINES, estimate, spread, strict=True)
        ),
        marks=(Mark(float(reader.examples), reader.correlation, "you"),)
        if reader.correlation >= SMALLEST
        else (),
        here=float(reader.examples),
        in_headline=("best",),
        errors=at,
        known=_known(known[:, 0]),
        threshold=float(reader.thresholds[int(mean[0, 2:].argmin())]),
        examples_per_user=reader.examples,
        correlation=reader.correlation,
        beyond=float(helped[0]) if helped.size else float("nan"),
        domain_size=reader.task.law.size,
        optimum=reader.task.optimum,
        passes=runs,
        done=done,
        so_far=SoFar(len(known), "data set", planned),
    )


def _known(errors: FloatArray) -> dict[str, Claim]:
    """Return what errors of several data sets, in rows, tell of their means."""
    best = errors[:, 2 + int(errors[:, 2:].mean(axis=0).argmin())]
    unclipped, laplace = errors[:, 0], errors[:, 1]
    samples = {
        "unclipped": unclipped,
        "laplace": laplace,
        "best": best,
        "worth": WORTH * unclipped - best,
    }
    claims = {}
    for key, values in samples.items():
        mean, half = float(values.mean()), math.inf
        if values.size > 2:
            half = float(student_half_width(values.std(ddof=1), values.size))
        claims[key] = Claim(key, mean, mean - half, mean + half)
    return claims


_LINES = (
    ("best", "the best τ helps below", Subject.USER_LEVEL),
    ("paper", "Theorem 37's τ helps below", Subject.EARLIER),
    ("laplace", "beats Laplace noise below", Subject.LAPLACE),
)


def _curve(key: str, label: str, subject: Subject, y: FloatArray, width: FloatArray) -> Curve:
    return Curve(
        key,
        label,
        subject,
        Evidence.SIMULATED,
        _OWN,
        _EXAMPLES,
        y,
        lower=np.maximum(y * np.exp(-width), SMALLEST),
        upper=np.minimum(y * np.exp(width), 1.0),
    )
