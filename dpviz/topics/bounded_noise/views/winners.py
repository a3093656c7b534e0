"""Who errs least where: the numbers of answers at which one noise hands over to the next.

Two dimensions: k against δ or ε. At every δ (or ε) of a grid the k are searched at which the noise
of least error changes, from Laplace noise over Gaussian noise to tuned noise. Every comparison is
of certified private noise; between two k compared the noise is taken to change once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import tuned_nearby
from dpviz.maths.laplace_rivals import MOST_QUERIES, laplace_noise, truncated_laplace_noise
from dpviz.results.evidence import (
    Axis,
    Chart,
    ChartResult,
    Curve,
    Evidence,
    FloatArray,
    Mark,
    Source,
    Subject,
)
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import coarse_to_fine
from dpviz.topics.bounded_noise.views.error_chart import AXES
from dpviz.topics.bounded_noise.views.noise_choice import OBJECTIVES
from dpviz.topics.bounded_noise.views.noise_rivals import NAMES

ALONG = {"delta": (1e-30, 1e-2), "epsilon": (0.01, 5.0)}
"""What k can be drawn against, and from where to where."""

_RANKS = {
    "hard": ("truncated", "tuned"),
    "quantile": ("laplace", "gaussian", "tuned"),
    "deviation": ("laplace", "gaussian"),
}
_GUESS = {"quantile": 0.35, "deviation": 0.65}  # of ln 1/δ, for the first border
_GUESS_HARD = 5.0
_SUBJECTS = {"gaussian": Subject.GAUSSIAN, "tuned": Subject.BOUNDED}
_INTERVALS = 4
_SOURCE = Source(
    "dpviz.maths.laplace_rivals", "least private noises; tuned noise by Dagan & Kur, Lemma 10.2"
)


@dataclass(frozen=True, eq=False)
class Winners(ChartResult):
    """The borders between the noises of least error, as far as they are known.

    here: the first k from which on each noise after the first errs least at the reader's δ and ε,
    by its name; NaN where it does not up to k = most. spans: the least and the largest k of each
    border along the axis. first: the noise that errs least for the fewest answers.
    """

    objective: str
    along: str
    failure_probability: float
    first: str
    here: dict[str, float]
    spans: dict[str, tuple[float, float]]
    most: float = MOST_QUERIES


def winners(
    *,
    epsilon: float,
    delta: float,
    objective: str,
    failure_probability: float,
    along: str,
) -> Iterator[Winners]:
    """Yield who errs least, at the reader's own δ and ε first, then along one of the two.

    objective: "hard", "quantile" or "deviation", as for `noise_choice`; along: "delta" or
    "epsilon", the axis; the other keeps its value. Compared are, of equal privacy: truncated
    Laplace and tuned noise (hard), Laplace, Gaussian and tuned noise (quantile), Laplace and
    Gaussian noise (deviation: none has less than the Gaussian's as k grows, by Cramér and Rao).
    Tuned noise contains every power of the paper's family. Raises `ParameterError`.
    """
    if objective not in OBJECTIVES:
        raise ParameterError("objective", f"one of {', '.join(OBJECTIVES)}", objective)
    if along not in ALONG:
        raise ParameterError("along", f"one of {', '.join(ALONG)}", along)
    privacy = {"epsilon": validate("epsilon", epsilon), "delta": validate("delta", delta)}
    beta = validate("failure_probability", failure_probability)
    places = sorted({privacy[along], *np.geomspace(*ALONG[along], _INTERVALS + 1).tolist()})
    rows: dict[float, _Row] = {}
    for i in coarse_to_fine(len(places), 2, here=places.index(privacy[along])):
        x = places[i]
        rows[x] = _Row(objective, beta, privacy | {along: x})
        known = sorted(rows, key=lambda other: abs(math.log(other / x)))
        guess = rows[known[1]].borders() if len(known) > 1 else None
        for _ in rows[x].search(guess):
            if len(rows) == 1:  # the reader's own place is shown as it is found
                yield _result(objective, beta, along, privacy, rows, len(places))
        yield _result(objective, beta, along, privacy, rows, len(places))


@lru_cache(maxsize=4096)
def _winner(objective: str, beta: float, epsilon: float, delta: float, queries: float) -> int:
    """Return the rank of the noise of least error."""
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    if objective == "hard":
        measures = [truncated_laplace_noise(**privacy).radius]
    else:
        noise, sigma = laplace_noise(**privacy), float(gaussian.minimal_sigma(**privacy))
        if objective == "deviation":
            return int(sigma < noise.standard_deviation)
        tail = {"queries": queries, "failure_probability": beta}
        measures = [noise.max_error(**tail), float(gaussian.max_error(sigma, **tail))]
    tuned = tuned_nearby(None, **privacy, objective=objective, failure_probability=beta)
    return int(np.argmin([*measures, tuned.measure.upper]))


@dataclass
class _Row:
    """One δ and ε: the rank of the noise of least error, at the k compared so far."""

    objective: str
    beta: float
    privacy: dict[str, float]
    ranks: dict[float, int] = field(default_factory=dict)

    def rank(self, queries: float) -> int:
        """Return the rank at one k."""
        if queries not in self.ranks:
            asked = self.privacy | {"queries": queries}
            self.ranks[queries] = _winner(self.objective, self.beta, **asked)
        return self.ranks[queries]

    def bracket(self, rank: int) -> tuple[float, float]:
        """Return the largest k known to be below a border, and the least known to be beyond."""
        below = [k for k, known in self.ranks.items() if known < rank]
        beyond = [k for k, known in self.ranks.items() if known >= rank]
        return max(below, default=0.0), min(beyond, default=math.inf)

    def borders(self) -> list[float]:
        """Return the k from which on each noise after the first errs least; inf if none."""
        return [self.bracket(rank)[1] for rank in range(1, len(_RANKS[self.objective]))]

    def search(self, guess: list[float] | None) -> Iterator[None]:
        """Find all borders, one comparison a step."""
        first = _GUESS_HARD
        if self.objective in _GUESS:
            first = _GUESS[self.objective] * -math.log(self.privacy["delta"])
        starts = guess or [first] * (len(_RANKS[self.objective]) - 1)
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


def _result(
    objective: str,
    beta: float,
    along: str,
    privacy: dict[str, float],
    rows: dict[float, _Row],
    count: int,
) -> Winners:
    places = sorted(rows)
    names = _RANKS[objective]
    x = np.array(places)
    curves, spans, here = [], {}, {}
    for rank, name in enumerate(names[1:], 1):
        ends = np.array([rows[place].bracket(rank) for place in places])
        known = np.isfinite(ends[:, 1])
        border: FloatArray = np.where(known, ends[:, 1], math.nan)
        low = np.where(known, np.maximum(ends[:, 0], 1.0), math.nan)
        label = f"From here on {NAMES[name]}"
        kind = _SUBJECTS[name], Evidence.CERTIFIED, _SOURCE
        curves.append(Curve(name, label, *kind, x, border, np.minimum(low, border), border))
        here[name] = float(border[places.index(privacy[along])])
        if known.any():
            spans[name] = float(np.nanmin(border)), float(np.nanmax(border))
    first = NAMES[names[0]]
    chart = Chart(
        AXES[along],
        Axis("queries", "Number of queries k"),
        tuple(curves),
        (Mark(privacy[along], 1.0, f"below: {first}", Subject.LAPLACE),),
        here=privacy[along],
    )
    done = len(rows) / count
    return Winners(chart, objective, along, beta, first, here, spans, done=done)
