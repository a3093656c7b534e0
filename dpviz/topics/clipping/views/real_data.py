"""A column of real user-level data, estimated privately: per person, per row, and in between."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Origin,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.user_data import PANEL_COLUMNS, UserData, wage_panel
from dpviz.topics.clipping.baseline import laplace_error
from dpviz.topics.clipping.covers import cover
from dpviz.topics.clipping.tasks import Task, distribution_task
from dpviz.topics.clipping.views.choosing import errors_on, published_curve, threshold_grid

DATA = PANEL_COLUMNS | {"own": "Your own CSV"}
"""The data by name, and in words."""

_POINTS = 41
_OWN = Source("dpviz.topics.clipping")


@dataclass(frozen=True, eq=False, kw_only=True)
class RealChart(Chart):
    """Expected error against τ on real data, exactly.

    data: the column; share: its true law, over all rows. users, examples: who was left, and the
    most examples one of them has. threshold: the reader's τ; answer: the likeliest candidate
    there, probability: its. error: the expected error there; unclipped: without clipping;
    least, least_error: the best τ; permuted_least, permuted_error: the same on permuted rows;
    item_level: with privacy for single rows only; laplace: of Laplace noise on the mean of the
    people's own shares, with privacy for a person. sensitivity: exact, at the reader's τ;
    correlation: of two rows of a person. optimum: error of the best candidate; radius:
    the candidates' covering radius.
    """

    origins: ClassVar = (Origin(Evidence.EXACT, Source(UL, "Theorem 37, clipped scores")),)

    data: UserData
    share: FloatArray
    users: int
    examples: int
    epsilon: float
    threshold: float
    answer: FloatArray
    probability: float
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

    data: one of `DATA`; own: the data if it is "own"; bins: for the log wages; unequal: one of
    `dpviz.results.user_data.UNEQUAL`. Candidates are a cover of all distributions on the
    categories, which are taken as public. The error is the total variation distance from the shares
    of all rows. Item-level: neighbouring data sets differ in one row; that is the same as treating
    every row as a user. Raises `ParameterError`.
    """
    if data not in DATA:
        raise ParameterError("data", f"one of {', '.join(DATA)}", data)
    if data != "own":
        column = wage_panel(data, int(validate("bins", bins)))
    elif own is None:
        raise ParameterError("data", "a column of the wage panel until a file is uploaded", data)
    else:
        column = own
    task = distribution_task(column.law, candidates=int(validate("candidates", candidates)))
    seeds = rng.spawn(2)
    counts = column.counts(seeds[0], examples_per_user=examples_per_user, unequal=unequal)
    mixed = column.permuted(seeds[1])
    dealt = mixed.counts(seeds[0], examples_per_user=examples_per_user, unequal=unequal)
    most = int(counts.sum(axis=1).max())
    here = min(validate("threshold", threshold), float(most))
    taus = threshold_grid(most, _POINTS, np.array([here]))
    error, published = errors_on(counts, task, most, taus, epsilon)
    permuted, _ = errors_on(dealt, task, most, taus, epsilon)
    item_level = _item_level(task, counts, epsilon)
    shares = counts / counts.sum(axis=1, keepdims=True)
    plain = laplace_error(shares.mean(axis=0), column.law, users=len(counts), epsilon=epsilon)
    place = int(np.searchsorted(taus, here))
    moved = task.sensitivity(here, examples_per_user=most)
    scores = task.scores(counts, threshold=here)
    law = selection_probabilities(scores, epsilon=epsilon, sensitivity=moved)
    answer = int(law.argmax())
    return RealChart(
        x=Axis("threshold", "clipping threshold τ"),
        y=Axis("error", "expected total variation distance", log=False),
        curves=(
            *_curves(taus, error, permuted),
            published_curve(taus, published),
            *_levels(taus, item_level, float(plain), task.optimum),
        ),
        marks=(
            Mark(float(taus[error.argmin()]), float(error.min()), "least", Subject.USER_LEVEL),
            Mark(float(taus[-1]), float(error[-1]), "no clipping", Subject.DANGER),
        ),
        here=here,
        data=column,
        share=column.law,
        users=len(counts),
        examples=most,
        epsilon=epsilon,
        threshold=here,
        answer=cover(column.law.size, int(candidates)).points[answer],
        probability=float(law[answer]),
        error=float(error[place]),
        unclipped=float(error[-1]),
        least=float(taus[error.argmin()]),
        least_error=float(error.min()),
        permuted_least=float(taus[permuted.argmin()]),
        permuted_error=float(permuted.min()),
        item_level=item_level,
        laplace=float(plain),
        sensitivity=moved,
        correlation=_correlation(counts, column.law),
        optimum=task.optimum,
        radius=task.radius,
        radius_exact=task.radius_exact,
    )


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


def _curves(taus: FloatArray, error: FloatArray, permuted: FloatArray) -> tuple[Curve, ...]:
    return (
        _curve("error", "per person", Subject.USER_LEVEL, taus, error),
        _curve("permuted", "per person, rows permuted", Subject.GAUSSIAN, taus, permuted, 0.8),
    )


def _levels(
    taus: FloatArray, item_level: float, laplace: float, optimum: float
) -> tuple[Curve, ...]:
    level = np.ones(taus.size)
    return (
        _curve("item_level", "per row", Subject.ITEM_LEVEL, taus, item_level * level),
        _curve("laplace", "Laplace noise, per person", Subject.LAPLACE, taus, laplace * level),
        _curve("optimum", "the best candidate", Subject.LOWER_BOUND, taus, optimum * level, 0.6),
    )


def _curve(
    key: str, label: str, subject: Subject, x: FloatArray, y: FloatArray, weight: float = 1.0
) -> Curve:
    return Curve(key, label, subject, Evidence.EXACT, _OWN, x, y, weight=weight)
