"""View: three notions of stability, and how often users agree with own coins and shared darts."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.streams import Streams
from dpviz.results.evidence import Claim, Evidence, Origin, Result, SoFar, Source
from dpviz.results.papers import CS
from dpviz.results.parameters import LIMITS, validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import NOTHING
from dpviz.topics.few_users.learners_by_name import ALPHA, BETA, EXAMPLES_PER_USER
from dpviz.topics.few_users.rare_points import (
    BranchedLists,
    RareLearner,
    RarePoints,
    TournamentLaws,
)
from dpviz.topics.few_users.simulated import Measured
from dpviz.topics.few_users.stability import StableShare, pseudo_global_stability

_JURY = 100  # users on each board, for pseudo-global stability


@dataclass(frozen=True)
class ProofSteps:
    """What Lemmas 22 to 24 bound in the proof of Theorem 20, over users drawn.

    inside: how often H lies between the sets listed with probability 1.1τ and with 0.9τ. kept: the
    mean distance of 𝒫 and 𝒫_H where it does, NaN if it never does. counted: that of 𝒫_H and its
    empirical version, NaN without examples for a run.
    """

    inside: Measured
    kept: float
    counted: float

    @classmethod
    def of(cls, learner: RareLearner, examples: int, rng: np.random.Generator) -> "ProofSteps":
        """Return them for a hundred users."""
        inside, kept, counted = learner.proof_steps(_JURY, examples=examples, rng=rng)
        known = np.isfinite(counted)
        return cls(
            Measured.of(int(inside.sum()), _JURY),
            float(kept[inside].mean()) if inside.any() else math.nan,
            float(counted[known].mean()) if known.any() else math.nan,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Stability(Result):
    """Three notions of stability, and how often two users agree.

    learner: Algorithm 1 on the shortest lists of stability 1/d. tournament: the learner of Theorem
    17; branched: lists of all coins. shared, own: two users' agreement on shared darts and with own
    coins; pseudo: bounds on ν of Definition 15 at η = share. runs: k₁ = k₂ of Algorithm 1. steps:
    of the proof of Theorem 20. held: the sets, as numbers, of all pairs of users drawn
    (columns): with own coins, and on shared darts.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "what": "what comes out, or what agrees",
            "probability": "how likely it is",
            "low": "lower end of what is known of that",
            "high": "upper end of what is known of that",
        }
    )

    other_origins = (
        Origin(Evidence.EXACT, Source("dpviz.topics.few_users.rare_points", "exact law")),
        Origin(Evidence.SIMULATED, Source(CS, "Definition 15")),
    )

    learner: RareLearner
    tournament: TournamentLaws
    branched: BranchedLists
    shared: Measured
    own: Measured
    pseudo: StableShare
    share: float
    runs: int
    sighting: float
    beta: float
    steps: ProofSteps
    held: NDArray[np.int64]

    @property
    def points(self) -> RarePoints:
        """The rare points, and the examples of a run."""
        return self.learner.points

    @property
    def alone(self) -> float:
        """η of Definition 14 of the standard optimal algorithm, exactly."""
        return self.points.stability(self.points.seen)

    @property
    def met(self) -> float:
        """How likely two users who learn alone hold the same hypothesis, exactly."""
        return self.points.meeting

    @property
    def lists(self) -> float:
        """η of Definition 16 of the lists, exactly."""
        return self.learner.eta

    @property
    def list_size(self) -> int:
        """How many hypotheses a list holds at most."""
        return self.points.list_size(self.learner.left_out)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How often two users with lists agree with own coins, and on shared darts."""
        return (self.own.claim("own coins"), self.shared.claim("shared darts"))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what comes out how often, alone, in lists, and of users who agree."""
        exact = {
            "one hypothesis, of the optimal algorithm": self.alone,
            "one hypothesis, of the learner of Theorem 17": self.tournament.stability,
            "one hypothesis, in a list": self.lists,
        }
        rows = [(what, value, value, value) for what, value in exact.items()]
        least = self.branched.stability
        rows.append(("one hypothesis, in a list of all coins", least, least, 1.0))
        rows.append(("two users agree, one run each", self.met, self.met, self.met))
        rows += [
            (f"two users agree, {how}", one.value, one.lower, one.upper)
            for how, one in (("shared darts", self.shared), ("own coins", self.own))
        ]
        return {
            name: np.array(column)
            for name, column in zip(self.words, zip(*rows, strict=True), strict=True)
        }


def notions_of_stability(
    *,
    rare: float,
    sighting: float,
    examples_per_user: float,
    alpha: float,
    failure_probability: float,
    share: float,
    runs: float,
    rng: np.random.Generator,
) -> Iterator[Stability]:
    """Yield exact stabilities, and agreement from ever more boards.

    rare: d; sighting: q, how likely one run sees a given rare point; runs: the boards, each with
    its own darts. Together the rare points have mass α. Raises `ParameterError`.
    """
    points = RarePoints.sighted(
        int(LIMITS["rare"].validate(rare)), ALPHA.validate(alpha), validate("sighting", sighting)
    )
    beta, eta = BETA.validate(failure_probability), validate("share", share)
    examples = int(EXAMPLES_PER_USER.validate(examples_per_user))
    boards = int(validate("runs", runs))
    learner = RareLearner(points, points.least_left_out(1 / points.rare), beta)
    tournament, branched = TournamentLaws(points), BranchedLists(points)
    hits, juries = np.zeros(2, dtype=int), list[NDArray[np.int64]]()  # own, shared
    held = list[NDArray[np.int64]]()  # of one pair each
    pace, streams = Pace(), Streams(rng)
    steps = ProofSteps.of(learner, examples, streams.at(0))
    for board in range(1, boards + 1):
        seed, drawn = (int(n) for n in streams.at(board).integers(2**31, size=2))
        coins = streams.at(board, 1)
        juries.append(learner.picks(_JURY, examples=examples, seed=seed, rng=coins))
        held.append(_pair(learner, examples, seed, drawn))
        hits += agree(held[-1])
        if board in (1, boards) or pace.due():
            own, shared = (Measured.of(int(hit), board) for hit in hits)
            yield Stability(
                learner=learner,
                tournament=tournament,
                branched=branched,
                shared=shared,
                own=own,
                pseudo=pseudo_global_stability(np.array(juries), eta=eta),
                share=eta,
                runs=examples // (2 * points.examples),
                sighting=float(sighting),
                beta=beta,
                steps=steps,
                held=np.swapaxes(held, 0, 1),
                done=board / boards,
                so_far=SoFar(board, "pair", boards),
            )


def agree(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pairs of users hold the same set; they are along the last axis."""
    return np.asarray((pairs[..., 0] == pairs[..., 1]) & (pairs[..., 0] != NOTHING))


def _pair(learner: RareLearner, examples: int, seed: int, drawn: int) -> NDArray[np.int64]:
    """Return the sets of two users: with own coins, and on shared darts."""
    picks = (
        learner.picks(2, examples=examples, seed=s, rng=np.random.default_rng(drawn))
        for s in (None, seed)
    )
    return np.array([*picks], dtype=np.int64)
