"""What each user says about two candidates, and what clipping makes of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.groups import edges_around
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, Source
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.clipping.tasks import make_task

_MOST_BARS = 60


@dataclass(frozen=True, eq=False)
class UserScores(Result):
    """The scores that users give a candidate, `rival`, against the best one.

    scores: one for each user, unclipped. threshold: τ; low: the lower end of what one user may
    count, −τ or 0; least, most: the lowest and the highest score that m examples can give it,
    unclipped. expected: the mean score of a user under the true law, unclipped. sensitivity,
    unclipped_sensitivity: of the mechanism's score with clipping and without. edges, inside,
    outside: a histogram, of users left as they are and of users cut off; piled: how many are cut to
    the lower end, and to τ. guess: how many times smaller a reader predicted the noise to be; NaN
    for no prediction.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "from": "lower end of a bin of scores",
            "to": "upper end",
            "users": "users in the bin",
            "users_cut": "those whose score is cut off",
        }
    )

    other_origins = (Origin(Evidence.SIMULATED, Source(UL, "Theorem 37, clipped scores")),)

    scores: FloatArray
    rival: str
    best: str
    comparison: str
    examples_per_user: int
    epsilon: float
    threshold: float
    low: float
    least: float
    most: float
    expected: float
    sensitivity: float
    unclipped_sensitivity: float
    edges: FloatArray
    inside: FloatArray
    outside: FloatArray
    piled: tuple[int, int]
    guess: float = math.nan

    @property
    def clipped(self) -> FloatArray:
        """The scores after clipping."""
        return np.clip(self.scores, self.low, self.threshold)

    @property
    def cut(self) -> int:
        """How many users lose a part of their score."""
        return int(self.outside.sum())

    @property
    def shift(self) -> float:
        """How far clipping raises the mean score of a user."""
        return float(self.clipped.mean() - self.scores.mean())

    @property
    def piles(self) -> dict[float, int]:
        """How many users count for an end, to which their score is cut, by that end."""
        return dict(zip((self.low, self.threshold), self.piled, strict=True))

    def noise(self, sensitivity: float) -> float:
        """Return the scale 2Δ/ε of the mechanism's noise, shared out among the users."""
        return 2 * sensitivity / (self.epsilon * self.scores.size)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the histogram."""
        return {
            "from": self.edges[:-1],
            "to": self.edges[1:],
            "users": self.inside + self.outside,
            "users_cut": self.outside,
        }


def one_user(
    *,
    task: str,
    candidates: float,
    domain_size: float,
    rival: float,
    users: float,
    examples_per_user: float,
    epsilon: float,
    threshold: float,
    rng: np.random.Generator,
) -> UserScores:
    """Return the users' scores of the `rival`-th best candidate against the best one.

    If labels are correct, a score counts the user's examples that the candidate misclassifies.
    Raises `ParameterError`.
    """
    chosen = make_task(task, candidates=int(candidates), domain_size=int(domain_size))
    m, n = int(validate("examples_per_user", examples_per_user)), int(validate("users", users))
    tau = validate("threshold", threshold)
    order = np.argsort(chosen.errors, kind="stable")
    place = int(order[min(int(validate("rival", rival)), order.size) - 1])
    row = chosen.psi[place, chosen.best] if chosen.loss is None else chosen.loss[place]
    scores = chosen.draw(rng, users=n, examples_per_user=m) @ row
    low = chosen.low(tau)
    below, above = scores < low - 1e-9, scores > tau + 1e-9
    cut = below | above
    edges = edges_around(scores, _MOST_BARS)
    return UserScores(
        scores=scores,
        rival=chosen.names[place],
        best=chosen.names[chosen.best],
        comparison=chosen.comparison if chosen.loss is None else "1[h(x) ≠ y]",
        examples_per_user=m,
        epsilon=validate("epsilon", epsilon),
        threshold=tau,
        low=low,
        least=float(m * row.min()),
        most=float(m * row.max()),
        expected=float(m * (row @ chosen.law)),
        sensitivity=chosen.sensitivity(tau, examples_per_user=m),
        unclipped_sensitivity=chosen.sensitivity(float(m), examples_per_user=m),
        edges=edges,
        inside=np.histogram(scores[~cut], edges)[0].astype(float),
        outside=np.histogram(scores[cut], edges)[0].astype(float),
        piled=(int(below.sum()), int(above.sum())),
    )
