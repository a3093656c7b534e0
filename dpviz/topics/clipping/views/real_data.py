"""A column of real user-level data, estimated privately: per person, per row, and in between."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Origin,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.results.user_data import UserData
from dpviz.topics.clipping.baseline import laplace_error
from dpviz.topics.clipping.covers import cover
from dpviz.topics.clipping.data import column_of
from dpviz.topics.clipping.errors_by_threshold import (
    errors_on,
    exact_curve,
    published_curve,
    threshold_grid,
)
from dpviz.topics.clipping.tasks import Task, distribution_task

_POINTS = 41
_SOME = 24  # people who are drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class RealChart(Chart):
    """Expected error against τ on real data, exactly.

    data: the column; share: its true law, over all rows. users, examples: how many people take
    part, and the most rows one of them has. threshold: the reader's τ; answer: the likeliest
    candidate there, and its probability; otherwise: that of all others. error: the expected error
    there; unclipped: without clipping; least, least_error: the best τ, and the error there;
    permuted_least, permuted_error: the same on permuted rows; item_level: the error with privacy
    for single rows only; laplace: that of Laplace noise on the mean of the people's own shares,
    with privacy for a person. sensitivity: exact, at the reader's τ; correlation: of two rows of a
    person. optimum: error of the best candidate; radius: the candidates' covering radius.
    alike, mixed: how much of their rows some people have in the commonest category, descending, as
    the rows are and permuted.
    """

    other_origins = (Origin(Evidence.EXACT, Source(UL, "Theorem 37, clipped scores")),)

    data: UserData
    share: FloatArray
    users: int
    examples: int
    epsilon: float
    threshold: float
    answer: FloatArray
    probability: float
    otherwise: float
    error: float
    unclipped: float
    least: float
    least_error: float
    permuted_least: float
    permuted_error: float
    item_level: float
    laplace: float
    sensitivity: float
    correlation: float
    optimum: float
    radius: float
    radius_exact: bool
    alike: FloatArray
    mixed: FloatArray


def real_data(
    *,
    data: str,
    bins: float,
    candidates: float,
    examples_per_user: float,
    unequal: str,
    epsilon: float,
    threshold: float,
    rng: np.random.Generator,
    own: UserData | None = None,
) -> RealChart:
    """Return the expected error of the estimated distribution of a column, against τ.

    data: one of `dpviz.topics.clipping.data.DATA`; own: the data if it is "own"; bins: for the log
    wages; unequal: one of `dpviz.results.user_data.UNEQUAL`. Candidates are a cover of all
    distributions on the categories, which are taken as public. The error is the total variation
    distance from the shares of all rows. Item-level: neighbouring data sets differ in one row; that
    is the same as treating every row as a user. Raises `ParameterError`.
    """
    column = column_of(data, bins, own)
    most = int(validate("candidates", candidates))
    seeds = rng.spawn(2)
    counts = column.counts(seeds[0], examples_per_user=examples_per_user, unequal=unequal)
    mixed = column.permuted(seeds[1])
    permuted = mixed.counts(seeds[0], examples_per_user=examples_per_user, unequal=unequal)
    people = _People(
        data=column,
        task=distribution_task(column.law, candidates=most),
        points=cover(column.law.size, most).points,
        counts=counts,
        permuted=permuted,
        epsilon=epsilon,
        threshold=min(validate("threshold", threshold), float(counts.sum(axis=1).max())),
    )
    return _chart(people, _errors(people))


@dataclass(frozen=True, eq=False)
class _People:
    """Who takes part, and what they are asked.

    points: the candidates. counts: rows of each person in each category; permuted: the same once
    the rows were permuted over all people. threshold: the reader's τ, at most m.
    """

    data: UserData
    task: Task
    points: FloatArray
    counts: NDArray[np.int64]
    permuted: NDArray[np.int64]
    epsilon: float
    threshold: float

    @property
    def examples(self) -> int:
        """The most rows of one person."""
        return int(self.counts.sum(axis=1).max())

    @property
    def sensitivity(self) -> float:
        """How far one person can move a score clipped at the reader's τ."""
        return self.task.sensitivity(self.threshold, examples_per_user=self.examples)

    def law(self) -> FloatArray:
        """Return the law of the answer at the reader's τ."""
        scores = self.task.scores(self.counts, threshold=self.threshold)
        moved = self.sensitivity
        return selection_probabilities(scores, epsilon=self.epsilon, sensitivity=moved)


@dataclass(frozen=True, eq=False)
class _Errors:
    """Expected errors: per person at each τ, and of the two rivals that do not clip."""

    taus: FloatArray
    clipped: FloatArray
    published: FloatArray
    permuted: FloatArray
    item_level: float
    laplace: float


def _errors(people: _People) -> _Errors:
    task, counts, m, epsilon = people.task, people.counts, people.examples, people.epsilon
    taus = threshold_grid(m, _POINTS, np.array([people.threshold]))
    clipped, published = errors_on(counts, task, m, taus, epsilon)
    permuted, _ = errors_on(people.permuted, task, m, taus, epsilon)
    shares = counts / counts.sum(axis=1, keepdims=True)
    noisy = laplace_error(shares.mean(axis=0), people.data.law, users=len(counts), epsilon=epsilon)
    item_level = _item_level(task, counts, epsilon)
    return _Errors(taus, clipped, published, permuted, item_level, float(noisy))


def _chart(people: _People, errors: _Errors) -> RealChart:
    taus, error, permuted = errors.taus, errors.clipped, errors.permuted
    task, here, law = people.task, people.threshold, people.law()
    answer, least = int(law.argmax()), int(error.argmin())
    return RealChart(
        x=Axis("threshold", "Clipping threshold, τ"),
        y=Axis("error", "Expected error (total variation distance)", log=False, base=0.0),
        curves=_curves(errors, task.optimum),
        here=here,
        in_headline=("error", "permuted"),
        data=people.data,
        share=people.data.law,
        users=len(people.counts),
        examples=people.examples,
        epsilon=people.epsilon,
        threshold=here,
        answer=people.points[answer],
        probability=float(law[answer]),
        otherwise=float(np.delete(law, answer).sum()),
        error=float(error[int(np.searchsorted(taus, here))]),
        unclipped=float(error[-1]),
        least=float(taus[least]),
        least_error=float(error[least]),
        permuted_least=float(taus[permuted.argmin()]),
        permuted_error=float(permuted.min()),
        item_level=errors.item_level,
        laplace=errors.laplace,
        sensitivity=people.sensitivity,
        correlation=_correlation(people.counts, people.data.law),
        optimum=task.optimum,
        radius=task.radius,
        radius_exact=task.radius_exact,
        alike=_some(people.counts, people.data.law),
        mixed=_some(people.permuted, people.data.law),
    )


def _some(counts: NDArray[np.int64], law: FloatArray) -> FloatArray:
    """Return the share of the commonest category of some people, evenly from all, descending."""
    shares = np.sort(counts[:, int(law.argmax())] / counts.sum(axis=1))[::-1]
    places = (np.arange(min(_SOME, shares.size)) + 0.5) / min(_SOME, shares.size) * shares.size
    return np.asarray(shares[places.astype(int)])


def _correlation(counts: NDArray[np.int64], law: FloatArray) -> float:
    """Return how alike two rows of a person are, beyond rows of strangers: 0 to 1.

    Over all pairs of rows of a person, the share that agree, less what strangers agree, in units of
    what is left: for each category the intraclass correlation of its indicator, weighted. NaN if
    nobody has two rows.
    """
    held = counts.sum(axis=1)
    all_pairs = float((held * (held - 1)).sum())
    if not all_pairs:
        return math.nan
    alike = float((counts * (counts - 1)).sum()) / all_pairs
    strangers = float((law**2).sum())
    return (alike - strangers) / (1 - strangers)


def _item_level(task: Task, counts: NDArray[np.int64], epsilon: float) -> float:
    """Return the expected error where one row, not one person, is protected: m = 1."""
    scores = task.collapse(task.rows @ counts.sum(axis=0))
    moved = task.sensitivity(1.0, examples_per_user=1)
    law = selection_probabilities(scores, epsilon=epsilon, sensitivity=moved)
    return float(law @ task.errors)


def _curves(errors: _Errors, optimum: float) -> tuple[Curve, ...]:
    taus, level = errors.taus, np.ones(errors.taus.size)
    person, permuted = Subject.USER_LEVEL, Subject.GAUSSIAN
    row, laplace, best = Subject.ITEM_LEVEL, Subject.LAPLACE, Subject.LOWER_BOUND
    return (
        exact_curve("error", "per person", person, taus, errors.clipped),
        exact_curve("permuted", "per person, rows shuffled", permuted, taus, errors.permuted, 0.8),
        published_curve(taus, errors.published),
        exact_curve("item_level", "per row", row, taus, errors.item_level * level),
        exact_curve("laplace", "Laplace noise, per person", laplace, taus, errors.laplace * level),
        exact_curve("optimum", "the best candidate", best, taus, optimum * level, 0.6),
    )
