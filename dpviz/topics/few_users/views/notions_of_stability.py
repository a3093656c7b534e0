"""View: from a learner that is hardly stable to users who agree, against the dimension."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.streams import Streams
from dpviz.results.evidence import (
    Axis,
    Chart,
    Claim,
    Curve,
    Evidence,
    FloatArray,
    Origin,
    SoFar,
    Source,
    Subject,
)
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
from dpviz.topics.few_users.simulated import SIMULATION, Measured
from dpviz.topics.few_users.stability import StableShare, pseudo_global_stability

_JURY = 100  # users on each board, for pseudo-global stability
_DIMENSIONS = [int(d) for d in LIMITS["rare"].grid]
_BLM = "Bun, Livni & Moran 2020"
_RARE = "dpviz.topics.few_users.rare_points"


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
class StabilityChart(Chart):
    """Three notions of stability against d, and how often two users agree.

    At the reader's d: alone, tournament: η of Definition 14 for the standard optimal algorithm and
    for the learner of Theorem 17; lists: η of Definition 16, with at most list_size hypotheses that
    leave out at most left_out points; branched: lists of all coins; shared, own: two users'
    agreement on shared darts and with own coins; pseudo: bounds on ν of Definition 15 at η = share.
    examples: n of one run; tournament_examples: what Theorem 17's learner draws on average. gamma,
    tau, runs: of Algorithm 1, k₁ = k₂ = runs. steps: of the proof of Theorem 20, at the reader's d.
    """

    other_origins = (Origin(Evidence.SIMULATED, Source(CS, "Definition 15")),)

    alone: float
    tournament: float
    lists: float
    branched: BranchedLists
    shared: Measured
    own: Measured
    pseudo: StableShare
    share: float
    list_size: int
    left_out: int
    examples: int
    tournament_examples: float
    gamma: float
    tau: float
    runs: int
    sighting: float
    beta: float
    steps: ProofSteps

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How often two users with lists agree on shared darts."""
        return (self.shared.claim("shared darts"),)


@dataclass(frozen=True)
class _Question:
    """What the reader asks. here: d; examples: m of a user."""

    here: int
    sighting: float
    alpha: float
    beta: float
    examples: int
    share: float
    boards: int

    def points(self, rare: int) -> RarePoints:
        """Return the distribution for so many rare points: together they have mass α."""
        return RarePoints.sighted(rare, self.alpha, self.sighting)

    def learner(self, rare: int) -> RareLearner:
        """Return Algorithm 1 on the shortest lists of stability 1/d."""
        points = self.points(rare)
        return RareLearner(points, points.least_left_out(1 / rare), self.beta)


@dataclass(frozen=True, eq=False)
class _Simulated:
    """What is drawn so far: agreements by d on shared darts and with own coins, out of tries."""

    hits: FloatArray
    tries: FloatArray
    juries: list[NDArray[np.int64]]
    steps: ProofSteps


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
) -> Iterator[StabilityChart]:
    """Yield exact stabilities against d = 1, …, 8, and agreement from ever more boards.

    rare: the reader's d; sighting: q, how likely one run sees a given rare point; runs: the boards,
    each with its own darts. Raises `ParameterError`.
    """
    question = _Question(
        here=int(LIMITS["rare"].validate(rare)),
        sighting=validate("sighting", sighting),
        alpha=ALPHA.validate(alpha),
        beta=BETA.validate(failure_probability),
        examples=int(EXAMPLES_PER_USER.validate(examples_per_user)),
        share=validate("share", share),
        boards=int(validate("runs", runs)),
    )
    learners = [question.learner(d) for d in _DIMENSIONS]
    tournaments = [TournamentLaws(learner.points) for learner in learners]
    exact = _exact(learners, tournaments)
    at = _DIMENSIONS.index(question.here)
    hits, tries = np.zeros((2, len(learners))), np.zeros(len(learners))  # shared, own
    juries: list[NDArray[np.int64]] = []
    pace, streams = Pace(), Streams(rng)
    steps = ProofSteps.of(learners[at], question.examples, streams.at(0))
    for board in range(1, question.boards + 1):
        seed = int(streams.at(board).integers(2**31))
        juries.append(
            learners[at].picks(
                _JURY, examples=question.examples, seed=seed, rng=streams.at(board, -1)
            )
        )
        for i, learner in enumerate(learners):
            drawn = int(streams.at(board, _DIMENSIONS[i]).integers(2**31))
            hits[:, i] += _pair(learner, question.examples, seed, drawn)
            tries[i] = board
            if pace.due() or (i == len(learners) - 1 and board in (1, question.boards)):
                simulated = _Simulated(hits, tries, juries, steps)
                yield _chart(question, learners[at], tournaments[at], exact, simulated)


def _pair(learner: RareLearner, examples: int, seed: int, drawn: int) -> FloatArray:
    """Return whether two users agree on shared darts, and with own coins, on the same examples."""
    picks = (
        learner.picks(2, examples=examples, seed=s, rng=np.random.default_rng(drawn))
        for s in (seed, None)
    )
    return np.array([first == second != NOTHING for first, second in picks], dtype=float)


def _exact(learners: list[RareLearner], tournaments: list[TournamentLaws]) -> tuple[Curve, ...]:
    """Return what is known without simulation: three stabilities, and two theorems' shapes."""
    d = np.array(_DIMENSIONS, dtype=float)
    laws = [law.stability for law in tournaments]
    alone = [learner.points.stability(learner.points.seen) for learner in learners]
    rows = (
        ("alone", "optimal algorithm alone", Subject.ITEM_LEVEL, Evidence.EXACT, _RARE, alone),
        ("tournament", "learner of Theorem 17", Subject.EARLIER, Evidence.EXACT, _BLM, laws),
        (
            "lists",
            "in a list",
            Subject.BOUNDED,
            Evidence.EXACT,
            _RARE,
            [learner.eta for learner in learners],
        ),
        (
            "branched",
            "in a list of all coins, at least",
            Subject.BOUNDED,
            Evidence.LOWER,
            _RARE,
            [BranchedLists(learner.points).stability for learner in learners],
        ),
        ("shape", "2^−O(d), as 2^−d", Subject.EARLIER, Evidence.ASYMPTOTIC, CS, 2.0**-d),
        ("list_shape", "Ω(1/d), as 1/d", Subject.BOUNDED, Evidence.ASYMPTOTIC, CS, 1 / d),
    )
    items = {"shape": "Theorem 17", "list_shape": "Theorem 18"}
    return tuple(
        Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=evidence,
            source=Source(paper, items.get(key, "exact law")),
            x=d,
            y=np.array(y),
            weight=0.6 if key in items else 1.0,
            second=key == "branched",
        )
        for key, label, subject, evidence, paper, y in rows
    )


def _chart(
    question: _Question,
    learner: RareLearner,
    tournament: TournamentLaws,
    exact: tuple[Curve, ...],
    simulated: _Simulated,
) -> StabilityChart:
    at = _DIMENSIONS.index(question.here)
    hits, tries, juries = simulated.hits, simulated.tries, simulated.juries
    low, high = clopper_pearson(hits[0], tries)
    agreeing = Curve(
        key="shared",
        label="two users agree, shared darts",
        subject=Subject.USER_LEVEL,
        evidence=Evidence.SIMULATED,
        source=SIMULATION,
        x=np.array(_DIMENSIONS, dtype=float),
        y=np.divide(hits[0], tries, out=np.full(tries.shape, np.nan), where=tries > 0),
        lower=np.where(tries > 0, low, np.nan),
        upper=np.where(tries > 0, high, np.nan),
    )
    known = {curve.key: float(curve.y[at]) for curve in exact}
    shared, own = (Measured.of(int(hit), int(tries[at])) for hit in hits[:, at])
    return StabilityChart(
        x=Axis("rare", "Rare points, d: the Littlestone dimension", log=False),
        y=Axis("probability", "Probability of the same hypothesis", least=1e-4, chance=True),
        curves=(agreeing, *exact),
        here=float(question.here),
        in_headline=("shared", "alone"),
        alone=known["alone"],
        tournament=known["tournament"],
        lists=known["lists"],
        branched=BranchedLists(learner.points),
        shared=shared,
        own=own,
        pseudo=pseudo_global_stability(np.array(juries), eta=question.share),
        share=question.share,
        list_size=learner.points.list_size(learner.left_out),
        left_out=learner.left_out,
        examples=learner.points.examples,
        tournament_examples=tournament.examples,
        gamma=learner.gamma,
        tau=learner.tau,
        runs=question.examples // (2 * learner.points.examples),
        sighting=question.sighting,
        beta=question.beta,
        steps=simulated.steps,
        done=float(tries.mean()) / question.boards,
        so_far=SoFar(int(tries[at]), "board", question.boards),
    )
