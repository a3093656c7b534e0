"""View: in a class too rich to list, how often users agree and votes release what is good."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.selection.heavy_hitters import HeavyHitter
from dpviz.maths.streams import Streams
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
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import QueryLearner
from dpviz.topics.few_users.learners_by_name import ALPHA, DELTA, EPSILON, LITERALS, USERS
from dpviz.topics.few_users.models import release
from dpviz.topics.few_users.simulated import THE_SAME, Measured

SHOWN = {
    "shared": ("two users agree, shared darts", Subject.USER_LEVEL, "Lemma 32"),
    "own": ("two users agree, own coins", Subject.ITEM_LEVEL, "Algorithm 5, own coins"),
    "approximate": ("released is good, (ε, δ) server", Subject.EARLIER, "Lemma 11"),
    "pure": ("released is good, server, δ = 0", Subject.BOUNDED, "Lemma 12"),
    "local": ("released is good, no server", Subject.GAUSSIAN, "Lemma 13"),
}
"""What is measured: its label, its colour, and where it comes from."""

PLACES = (1, 4, 10, 20, 30, 40)
"""Where d is, beside the reader's."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RichClassChart(Chart):
    """How often two users agree, and how often what a vote releases is good, against d.

    measured: by key of `SHOWN`, at the reader's d. examples: m of a user there; users: n; epsilon,
    delta: of the votes.
    """

    measured: Mapping[str, Measured]
    examples: int
    users: int
    epsilon: float
    delta: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How often two users pick the same, on shared darts and with own coins."""
        return tuple(self.measured[key].claim(key) for key in ("shared", "own"))


def rich_classes(
    *,
    class_bits: float,
    question_examples: float,
    users: float,
    epsilon: float,
    delta: float,
    alpha: float,
    runs: float,
    rng: np.random.Generator,
) -> Iterator[RichClassChart]:
    """Yield what happens with 2^d conjunctions against d, from ever more runs.

    A run draws darts and all users' examples anew. class_bits: the reader's d; question_examples:
    m₁, of each user for each of d questions. Raises `ParameterError`.
    """
    here, count = int(LIMITS["class_bits"].validate(class_bits)), int(validate("runs", runs))
    n, accuracy = int(USERS.validate(users)), ALPHA.validate(alpha)
    votes = _Votes(EPSILON.validate(epsilon), DELTA.validate(delta), n)
    each = int(validate("question_examples", question_examples))
    places = sorted({here, *PLACES})
    learners = [QueryLearner(d, min(LITERALS, d), accuracy) for d in places]
    at = places.index(here)
    hits, tries = np.zeros((len(SHOWN), len(places))), np.zeros(len(places))
    pace, streams = Pace(), Streams(rng)
    for run in range(1, count + 1):
        for i, learner in enumerate(learners):
            hits[:, i] += votes.run(learner, each, streams.at(run, places[i]))
            tries[i] = run
            if pace.due() or (i == len(places) - 1 and run in (1, count)):
                yield RichClassChart(
                    x=Axis(
                        "class_bits",
                        "Class of 2^d hypotheses, d",
                        log=False,
                        base=0.0,
                        reach=float(places[-1]),
                    ),
                    y=THE_SAME,
                    curves=_curves(np.array(places, dtype=float), hits, tries),
                    here=float(here),
                    in_headline=("shared", "own"),
                    measured={
                        key: Measured.of(int(hits[row, at]), int(tries[at]))
                        for row, key in enumerate(SHOWN)
                    },
                    examples=here * each,
                    users=n,
                    epsilon=votes.epsilon,
                    delta=votes.delta,
                    done=float(tries.mean()) / count,
                    so_far=SoFar(int(tries[at]), "pair", count),
                )


@dataclass(frozen=True)
class _Votes:
    """The votes of n users, in three models."""

    epsilon: float
    delta: float
    users: int

    def run(self, learner: QueryLearner, each: int, rng: np.random.Generator) -> FloatArray:
        """Return 1 or 0 for each of `SHOWN` in one run."""
        seed, bits = int(rng.integers(2**31)), learner.bits
        picks = learner.picks(self.users, examples=bits * each, seed=seed, rng=rng)
        own = learner.picks(2, examples=bits * each, seed=None, rng=rng)
        privacy = {"epsilon": self.epsilon, "delta": self.delta}
        chosen = [
            release(model, picks, hypotheses=2**bits, rng=rng, **privacy)
            for model in ("approximate", "pure")
        ]
        chosen.append(HeavyHitter(self.epsilon, bits).select(picks, rng))
        good = [one >= 0 and bool(learner.errors_of(one) <= learner.alpha) for one in chosen]
        return np.array([picks[0] == picks[1], own[0] == own[1], *good], dtype=float)


def _curves(x: FloatArray, hits: FloatArray, tries: FloatArray) -> tuple[Curve, ...]:
    low, high = clopper_pearson(hits, tries)
    shares = np.divide(hits, tries, out=np.full(hits.shape, np.nan), where=tries > 0)
    return tuple(
        Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.SIMULATED,
            source=Source(CS, f"{item}; simulation, 95% intervals"),
            x=x,
            y=shares[row],
            lower=np.where(tries > 0, low[row], np.nan),
            upper=np.where(tries > 0, high[row], np.nan),
        )
        for row, (key, (label, subject, item)) in enumerate(SHOWN.items())
    )
