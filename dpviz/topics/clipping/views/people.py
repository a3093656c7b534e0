"""The people of real data one by one: what clipping does to each, and the answer without some."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.groups import Whole, edges_around, group_of, intervals, within
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import pause
from dpviz.results.user_data import UserData
from dpviz.topics.clipping.data import column_of
from dpviz.topics.clipping.simulation import Scorer, selection_laws
from dpviz.topics.clipping.tasks import Task, distribution_task

_MOST_GROUPS = 12
_SMALLEST_PART = 300  # of m, down to which τ goes
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class People(Result):
    """Who takes part, what clipping does to each, and every candidate's chance at every τ.

    data: the column. numbers: each person's place among those of the file, from 1; counts: their
    rows in each category. task: the candidates; best, rival: the two that `scores` compares, each
    person's sum of the comparison, positive for the best. edges: the ends of the groups of scores.
    taus: ascending up to m, the most rows of a person; here: the place of the reader's τ among
    them. sensitivities: Δ at each τ. laws: the law of the answer at each τ, (τ, candidates).
    """

    other_origins = (Origin(Evidence.EXACT, Source(UL, "Theorem 37, clipped scores")),)

    data: UserData
    numbers: Whole
    counts: Whole
    task: Task
    best: int
    rival: int
    epsilon: float
    scores: FloatArray
    edges: FloatArray
    taus: FloatArray
    here: int
    sensitivities: FloatArray
    laws: FloatArray
    without: FloatArray
    """The same without the people of each of `intervals`: (intervals, τ, candidates)."""

    @property
    def threshold(self) -> float:
        """The reader's τ, at most m."""
        return float(self.taus[self.here])

    @property
    def users(self) -> int:
        """How many people take part."""
        return int(self.scores.size)

    @property
    def groups(self) -> int:
        """How many groups of scores there are."""
        return self.edges.size - 1

    @cached_property
    def intervals(self) -> Whole:
        """The first and the last group of every range of neighbouring groups."""
        return intervals(self.groups)

    @cached_property
    def group(self) -> Whole:
        """The group of each person."""
        return group_of(self.scores, self.edges)

    @property
    def clipped(self) -> FloatArray:
        """The scores at the reader's τ."""
        return np.clip(self.scores, -self.threshold, self.threshold)

    @cached_property
    def cut(self) -> Whole:
        """How many people of each interval τ cuts off: (intervals, τ)."""
        return self._within(self.beyond(self.taus))

    def beyond(self, taus: FloatArray) -> NDArray[np.bool_]:
        """Return whom each τ cuts off: (people, τ)."""
        return np.abs(self.scores)[:, None] > taus + _ROUNDING

    @cached_property
    def people(self) -> Whole:
        """How many people each interval holds."""
        return self._within(np.ones(self.users))

    @cached_property
    def rows(self) -> Whole:
        """How many of their rows lie in each category: (intervals, categories)."""
        return self._within(self.counts)

    def _within(self, numbers: NDArray[Any]) -> Whole:
        """Return the sums of the people's whole numbers over each interval."""
        return within(numbers, self.group, self.groups)

    @cached_property
    def bias(self) -> FloatArray:
        """By how much clipping moves the mean score, at each τ: 0 or more."""
        clipped = np.clip(self.scores[:, None], -self.taus, self.taus)
        return np.asarray(np.abs((clipped - self.scores[:, None]).mean(axis=0)))

    @property
    def noise(self) -> FloatArray:
        """The scale 2Δ/ε of the mechanism's noise at each τ, shared out among the people."""
        return 2 * self.sensitivities / (self.epsilon * self.users)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return a row for each person: rows in each category, and the score with and without τ."""
        rows = {
            f"rows: {name}": self.counts[:, place]
            for place, name in enumerate(self.data.categories)
        }
        return {"person": self.numbers, **rows, "score": self.scores, "clipped": self.clipped}

    @property
    def meanings(self) -> dict[str, str]:
        """What each column holds; there is one for each category."""
        rows = {f"rows: {name}": "rows of the person there" for name in self.data.categories}
        return {
            "person": "number of the person",
            **rows,
            "score": "the person's score, unclipped",
            "clipped": "the score, clipped at τ",
        }


def people(
    *,
    data: str,
    bins: float,
    candidates: float,
    rival: float,
    examples_per_user: float,
    unequal: str,
    epsilon: float,
    threshold: float,
    rng: np.random.Generator,
    own: UserData | None = None,
) -> People:
    """Return the people of `dpviz.topics.clipping.views.real_data.real_data`, one by one.

    data, bins, candidates, unequal, own: as there, and the same people at the same seed. rival:
    the rank by true error of the candidate that is compared with the best one. The laws without
    some people are those of the same mechanism, at the same ε and Δ, on the others' data; without
    anybody all candidates are equally likely. Raises `ParameterError`.
    """
    column = column_of(data, bins, own)
    most = int(validate("candidates", candidates))
    m = int(validate("examples_per_user", examples_per_user))
    counts = column.counts(rng.spawn(2)[0], examples_per_user=m, unequal=unequal)
    stays = column.rows_of >= m if unequal == "drop" else np.ones(column.users, dtype=bool)
    task = distribution_task(column.law, candidates=most)
    order = np.argsort(task.errors, kind="stable")
    other = int(order[min(int(validate("rival", rival)), order.size) - 1])
    scores = counts @ task.psi[other, task.best]
    held = int(counts.sum(axis=1).max())
    here = min(validate("threshold", threshold), float(held))
    taus = taus_up_to(held, here)
    edges = edges_around(scores, _MOST_GROUPS - 1)
    scorer = Scorer(task, examples_per_user=held, thresholds=taus)
    laws, without = laws_without(
        scorer, counts, group_of(scores, edges), groups=edges.size - 1, epsilon=epsilon
    )
    return People(
        data=column,
        numbers=np.flatnonzero(stays) + 1,
        counts=counts,
        task=task,
        best=task.best,
        rival=other,
        epsilon=validate("epsilon", epsilon),
        scores=scores,
        edges=edges,
        taus=taus,
        here=int(np.searchsorted(taus, here)),
        sensitivities=scorer.sensitivities,
        laws=laws,
        without=without,
    )


def taus_up_to(examples: int, here: float) -> FloatArray:
    """Return the thresholds that a slider stops at, from m/300 to m = examples, and `here`."""
    stops = np.array(LIMITS["threshold"].grid)
    low = max(examples / _SMALLEST_PART, 0.1)
    return np.unique([*stops[(stops >= low) & (stops < examples)], here, float(examples)])


def laws_without(
    scorer: Scorer, counts: Whole, group: Whole, *, groups: int, epsilon: float
) -> tuple[FloatArray, FloatArray]:
    """Return the laws of the answer at each τ: on all users, and without each of `intervals`."""
    parts = np.stack([scorer.totals_of(counts[group == one]) for one in range(groups)])
    upto = np.concatenate([np.zeros((1, *parts.shape[1:])), parts.cumsum(axis=0)])
    moved = scorer.sensitivities

    def law(totals: FloatArray) -> FloatArray:
        pause()
        scores = scorer.scores_from(totals)
        return selection_laws(scores, sensitivities=moved, epsilon=epsilon)

    ranges = intervals(groups).tolist()
    without = [law(upto[first] + (upto[-1] - upto[last + 1])) for first, last in ranges]
    return law(upto[-1]), np.stack(without)
