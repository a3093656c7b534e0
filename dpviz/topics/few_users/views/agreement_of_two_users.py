"""View: how often two users agree, against the number of their examples."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.streams import Streams
from dpviz.results.evidence import (
    Axis,
    Chart,
    Claim,
    Evidence,
    FloatArray,
    Origin,
    SoFar,
    Source,
    Subject,
)
from dpviz.results.papers import CS
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import NOTHING, Learner
from dpviz.topics.few_users.learners_by_name import (
    EXAMPLES_PER_USER,
    Learners,
    LearnerSetting,
    learners_by_name,
    spread_values,
)
from dpviz.topics.few_users.simulated import THE_SAME, Measured, simulated_curve
from dpviz.topics.few_users.stability import StableShare, pseudo_global_stability

_POINTS = 9
_JURY = 100  # users on each board, for the stability
_CURVES = (
    ("shared", "agree, shared darts", Subject.USER_LEVEL),
    ("own", "agree, own coins", Subject.ITEM_LEVEL),
    ("accurate", "error at most α", Subject.EARLIER),
)


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementChart(Chart):
    """How often two users pick the same, with shared darts and with own coins.

    shared, own, accurate: at the reader's m; accurate: that a pick has error <= α, on shared
    darts. stability: bounds on ν at η, of Definition 15, over darts and targets. gamma: in use;
    proof_gamma, proof_examples: what the proof asks for; wanted: the ν that Theorem 25 asks for.
    """

    other_origins = (Origin(Evidence.SIMULATED, Source(CS, "Definition 15")),)

    shared: Measured
    own: Measured
    accurate: Measured
    stability: StableShare
    eta: float
    wanted: float
    gamma: float
    proof_gamma: float
    proof_examples: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How often two users pick the same, on shared darts and with own coins."""
        return self.shared.claim("shared darts"), self.own.claim("own coins")


def agreement_of_two_users(
    *,
    examples_per_user: float,
    share: float,
    runs: float,
    rng: np.random.Generator,
    **setting: Unpack[LearnerSetting],
) -> Iterator[AgreementChart]:
    """Yield the agreement of two users against m, from ever more boards, each with a new target.

    share: η of the pseudo-global stability measured at the reader's m; runs: the boards. Raises
    `ParameterError`.
    """
    here = int(EXAMPLES_PER_USER.validate(examples_per_user))
    eta = validate("share", share)
    learners = learners_by_name(setting, examples=here)
    sizes = np.unique(
        np.append(
            spread_values(EXAMPLES_PER_USER.minimum, EXAMPLES_PER_USER.maximum, _POINTS), here
        )
    ).astype(int)
    at = int(np.flatnonzero(sizes == here)[0])
    boards = int(validate("runs", runs))
    counts, tries = np.zeros((3, sizes.size)), np.zeros(sizes.size)  # shared, own, accurate
    juries: list[NDArray[np.int64]] = []
    pace, streams = Pace(), Streams(rng)
    for board in range(1, boards + 1):
        draws = streams.at(board)
        learner, seed = learners.draw(draws), int(draws.integers(2**31))
        juries.append(learner.picks(_JURY, examples=here, seed=seed, rng=draws))
        for i, m in enumerate(sizes):
            counts[:, i] += _board(learners, learner, int(m), seed, streams.at(board, m))
            tries[i] = board
            if pace.due() or (i == sizes.size - 1 and board in (1, boards)):
                yield _chart(learners, sizes.astype(float), counts, tries, at, juries, eta, boards)


def _board(
    learners: Learners, learner: Learner, examples: int, seed: int, rng: np.random.Generator
) -> FloatArray:
    """Return whether two users agree on shared darts, with own coins, and whether one is right."""
    drawn = int(rng.integers(2**31))  # both ways from the same examples
    shared, own = (
        learner.picks(2, examples=examples, seed=s, rng=np.random.default_rng(drawn))
        for s in (seed, None)
    )
    right = shared[0] != NOTHING and learners.good(learner)[shared[0]]
    alike = (first == second != NOTHING for first, second in (shared, own))
    return np.array([*alike, right], dtype=float)


def _chart(
    learners: Learners,
    sizes: FloatArray,
    counts: FloatArray,
    tries: FloatArray,
    at: int,
    juries: list[NDArray[np.int64]],
    eta: float,
    boards: int,
) -> AgreementChart:
    curves = tuple(
        simulated_curve(*look, sizes, hits=hits, tries=tries)
        for look, hits in zip(_CURVES, counts, strict=True)
    )
    shared, own, accurate = (Measured.of(int(count), int(tries[at])) for count in counts[:, at])
    return AgreementChart(
        x=Axis("examples_per_user", "Examples each user holds, m", base=sizes[0], reach=sizes[-1]),
        y=THE_SAME,
        curves=curves,
        here=float(sizes[at]),
        in_headline=("shared", "own"),
        shared=shared,
        own=own,
        accurate=accurate,
        stability=pseudo_global_stability(np.array(juries), eta=eta),
        eta=eta,
        wanted=1 - learners.beta / 3,
        gamma=learners.gamma,
        proof_gamma=learners.proof.gamma,
        proof_examples=learners.proof.examples,
        done=float(tries.mean()) / boards,
        so_far=SoFar(int(tries[at]), "pair", boards),
    )
