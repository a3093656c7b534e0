"""Which noise wins where: a map of k against δ or ε, with the k at which one noise hands over.

At every δ (or ε) of a grid the k are searched at which the noise of least error changes, from
Laplace noise over Gaussian noise to tuned noise. Every winner is certified to be private where it
wins: tuned noise is asked once whether it is private at the error of its best rival;
between two k compared the noise is taken to change once. For answers that are whole numbers the
rivals are noises on whole numbers.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from dpviz.maths.laplace_rivals import MOST_QUERIES
from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Source,
    Subject,
)
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import coarse_to_fine
from dpviz.topics.bounded_noise.error_chart import AXES
from dpviz.topics.bounded_noise.objectives import OBJECTIVES
from dpviz.topics.bounded_noise.rival_measures import ANSWERS, NOISES, RANKS, leader, measures

ALONG = {"delta": (1e-30, 1e-2), "epsilon": (0.01, 5.0)}
"""What k can be drawn against, and from where to where."""

SUBJECTS: Mapping[str, Subject] = MappingProxyType(
    {
        "laplace": Subject.LAPLACE,
        "truncated": Subject.LAPLACE,
        "gaussian": Subject.GAUSSIAN,
        "tuned": Subject.BOUNDED,
    }
)
"""The subject of each noise, whose colour its part of the map has."""

_GUESS = {"quantile": 0.35, "deviation": 0.65}  # of ln 1/δ, for the first border
_GUESS_HARD = 5.0
_INTERVALS = 6
_SOURCES = {
    "real": Source(
        "dpviz.maths.laplace_rivals", "least private noises; tuned noise by Dagan & Kur, Lemma 10.2"
    ),
    "whole": Source(
        "dpviz.maths.discrete_noise", "least private noises; tuned noise by Dagan & Kur, Lemma 10.2"
    ),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Winners(Chart):
    """The borders between the noises of least error, as far as they are known.

    ranks: the noises by name, in the order in which they take over. turns: the first k from which
    on each noise after the first has the least error at the reader's δ and ε, by its name; NaN
    where it does not up to k = most. spans: the least and the largest k of each border along the
    axis. own: the measure of each noise at the reader's own k, in Δ, by its name; without those
    that are composed up to k = most only; empty while they are not known.
    """

    objective: str
    answers: str
    along: str
    failure_probability: float
    queries: float
    ranks: tuple[str, ...]
    turns: dict[str, float]
    spans: dict[str, tuple[float, float]]
    own: dict[str, float]
    most: float = MOST_QUERIES

    @property
    def ordered(self) -> list[str]:
        """The noises by name, from the least measure at the reader's own k on."""
        return sorted(self.own, key=lambda name: self.own[name])

    @property
    def lead(self) -> float:
        """By which fraction the first of them lies below the second; 0 where there is none."""
        values = sorted(self.own.values())
        return 1 - values[0] / values[1] if len(values) > 1 else 0.0

    def named(self, name: str) -> str:
        """Return a noise in words, as it is for these answers."""
        return NOISES[self.answers][name]


def which_noise_wins_where(
    *,
    epsilon: float,
    delta: float,
    queries: float,
    objective: str,
    failure_probability: float,
    along: str,
    answers: str = "real",
) -> Iterator[Winners]:
    """Yield the noise of least error, at the reader's own δ and ε first, then along one of them.

    objective: "hard", "quantile" or "deviation", as for `how_good_bounded_noise_can_be`; along:
    "delta" or "epsilon", the axis; the other keeps its value; queries: k, the reader's own.
    Compared are, of equal privacy: truncated Laplace and tuned noise (hard), Laplace, Gaussian
    and tuned noise (quantile), Laplace and Gaussian noise (deviation: none has less than the
    Gaussian's as k grows, by Cramér and Rao). Tuned noise contains every power of the paper's
    family. answers: "real", or "whole" for counts, whole numbers that one person moves by at
    most 1: then the same noises on whole numbers are compared (`rival_measures`).
    Raises `ParameterError`.
    """
    for name, value, offered in (
        ("objective", objective, OBJECTIVES),
        ("along", along, ALONG),
        ("answers", answers, ANSWERS),
    ):
        if value not in offered:
            raise ParameterError(name, f"one of {', '.join(offered)}", value)
    privacy = {"epsilon": validate("epsilon", epsilon), "delta": validate("delta", delta)}
    asked = _Asked(
        objective,
        answers,
        validate("failure_probability", failure_probability),
        along,
        privacy,
        validate("queries", queries),
    )
    places = sorted({privacy[along], *np.geomspace(*ALONG[along], _INTERVALS + 1).tolist()})
    rows: dict[float, _Row] = {}
    for i in coarse_to_fine(len(places), 2, here=places.index(privacy[along])):
        x = places[i]
        rows[x] = _Row(asked, privacy | {along: x})
        known = sorted(rows, key=lambda other: abs(math.log(other / x)))
        guess = rows[x].guess(rows[known[1]]) if len(known) > 1 else None
        # The reader's own place is shown as it is found, others when they are.
        known_rows = {place: row for place, row in rows.items() if place != x} or rows
        for _ in rows[x].search(guess):
            yield asked.result(known_rows, len(places))
        if len(rows) == 1:
            asked = replace(asked, own=asked.measured())
        yield asked.result(rows, len(places))


@dataclass
class _Row:
    """One δ and ε: the rank of the noise of least error, at the k compared so far."""

    asked: "_Asked"
    privacy: dict[str, float]
    ranks: dict[float, int] = field(default_factory=dict)

    def rank(self, queries: float) -> int:
        """Return the rank at one k."""
        if queries not in self.ranks:
            self.ranks[queries] = self.asked.leader(self.privacy, queries)
        return self.ranks[queries]

    def bracket(self, rank: int) -> tuple[float, float]:
        """Return the largest k known to be below a border, and the least known to be beyond."""
        below = [k for k, known in self.ranks.items() if known < rank]
        beyond = [k for k, known in self.ranks.items() if known >= rank]
        return max(below, default=0.0), min(beyond, default=math.inf)

    def borders(self) -> list[float]:
        """Return the k from which on each noise after the first has least error; inf if none."""
        return [self.bracket(rank)[1] for rank in range(1, len(RANKS[self.asked.objective]))]

    def guess(self, near: "_Row") -> list[float]:
        """Return where the borders may be, from a row nearby: most grow as ln 1/δ."""
        grown = 1.0
        if self.asked.objective in _GUESS:
            grown = math.log(self.privacy["delta"]) / math.log(near.privacy["delta"])
        return [grown * border for border in near.borders()]

    def search(self, guess: list[float] | None) -> Iterator[None]:
        """Find all borders, one comparison a step."""
        first = _GUESS_HARD
        if self.asked.objective in _GUESS:
            first = _GUESS[self.asked.objective] * -math.log(self.privacy["delta"])
        starts = guess or [first] * (len(RANKS[self.asked.objective]) - 1)
        for rank, start in enumerate(starts, 1):
            k = float(min(max(round(min(start, MOST_QUERIES)), 1), MOST_QUERIES))
            while True:
                low, high = self.bracket(rank)
                if low == MOST_QUERIES or high - low <= max(1.0, 0.1 * low):
                    break
                if not low < k < high:
                    k = self._next(low, high)
                self.rank(k)
                # a good guess is settled by its neighbour
                k = k - 1 if self.ranks[k] >= rank else k + 1
                yield

    @staticmethod
    def _next(low: float, high: float) -> float:
        """Return a k between the two: twice as many where nothing is known above."""
        if high == math.inf:
            return float(min(2 * low, MOST_QUERIES))
        return float(min(max(round(math.sqrt(max(low, 1.0) * high)), low + 1), high - 1))


@dataclass(frozen=True)
class _Asked:
    """What is asked for; parameters validated. privacy: the reader's own ε and δ.

    own: the measures at the reader's own k, where they are known.
    """

    objective: str
    answers: str
    beta: float
    along: str
    privacy: dict[str, float]
    queries: float
    own: Mapping[str, float] = field(default_factory=dict)

    def leader(self, privacy: Mapping[str, float], queries: float) -> int:
        """Return the rank of the noise of least measure."""
        return leader(self.objective, self.answers, self.beta, queries=queries, **privacy)

    def measured(self) -> dict[str, float]:
        """Return the measures at the reader's own k, of the noises that are known there."""
        found = measures(
            self.objective, self.answers, self.beta, queries=self.queries, **self.privacy
        )
        values = zip(RANKS[self.objective], found, strict=True)
        return {name: value for name, value in values if math.isfinite(value)}

    def result(self, rows: Mapping[float, "_Row"], count: int) -> Winners:
        """Return what is known so far; count: the places there will be."""
        places = sorted(rows)
        names = RANKS[self.objective]
        x = np.array(places)
        here_x = self.privacy[self.along]
        curves, spans, turns = [], {}, {}
        for rank, name in enumerate(names[1:], 1):
            ends = np.array([rows[place].bracket(rank) for place in places])
            known = np.isfinite(ends[:, 1])
            border: FloatArray = np.where(known, ends[:, 1], math.nan)
            low = np.where(known, np.maximum(ends[:, 0], 1.0), math.nan)
            label = f"From here on {NOISES[self.answers][name]}"
            kind = SUBJECTS[name], Evidence.CERTIFIED, _SOURCES[self.answers]
            curves.append(Curve(name, label, *kind, x, border, np.minimum(low, border), border))
            turns[name] = float(border[places.index(here_x)])
            if known.any():
                spans[name] = float(np.nanmin(border)), float(np.nanmax(border))
        axis = Axis("queries", "Number of queries k", base=1.0, reach=MOST_QUERIES)
        across = replace(AXES[self.along], base=ALONG[self.along][0], reach=ALONG[self.along][1])
        chart = Chart(across, axis, tuple(curves), here=here_x)
        return Winners.of(
            chart,
            objective=self.objective,
            answers=self.answers,
            along=self.along,
            failure_probability=self.beta,
            queries=self.queries,
            ranks=names,
            turns=turns,
            spans=spans,
            own=dict(self.own),
            done=len(rows) / count,
        )
