"""View: how often two users agree, against the number of their examples."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.streams import Streams
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Origin, Source, Subject
from dpviz.results.papers import CS
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import NOTHING, Learner
from dpviz.topics.few_users.learners_by_name import LearnerSetting, M, Set, settle, spread_values
from dpviz.topics.few_users.stability import Measured, StableShare, pseudo_global_stability

_POINTS = 9
_JURY = 100  # users on each board, for the stability
_SOURCE = Source("dpviz.topics.few_users", "simulation, 95% intervals")


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


def agreement(
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
    here = int(M.validate(examples_per_user))
    eta = validate("share", share)
    settled = settle(setting, examples=here)
    sizes = np.unique(np.append(spread_values(M.minimum, M.maximum, _POINTS), here)).astype(int)
    at = int(np.flatnonzero(sizes == here)[0])
    boards = int(validate("runs", runs))
    counts, tries = np.zeros((3, sizes.size)), np.zeros(sizes.size)  # shared, own, accurate
    juries: list[NDArray[np.int64]] = []
    pace, streams = Pace(), Streams(rng)
    for board in range(1, boards + 1):
        chance = streams.at(board)
        learner, seed = settled.draw(chance), int(chance.integers(2**31))
        juries.append(learner.picks(_JURY, examples=here, seed=seed, rng=chance))
        for i, m in enumerate(sizes):
            counts[:, i] += _board(settled, learner, int(m), seed, streams.at(board, m))
            tries[i] = board
            if pace.due() or (i == sizes.size - 1 and board in (1, boards)):
                yield _chart(settled, sizes.astype(float), counts, tries, at, juries, eta, boards)


def _board(
    settled: Set, learner: Learner, examples: int, seed: int, rng: np.random.Generator
) -> FloatArray:
    """Return whether two users agree on shared darts, with own coins, and whether one is right."""
    drawn = int(rng.integers(2**31))  # both ways from the same examples
    shared, own = (
        learner.picks(2, examples=examples, seed=s, rng=np.random.default_rng(drawn))
        for s in (seed, None)
    )
    right = shared[0] != NOTHING and settled.good(learner)[shared[0]]
    alike = (first == second != NOTHING for first, second in (shared, own))
    return np.array([*alike, right], dtype=float)


def _chart(
    settled: Set,
    sizes: FloatArray,
    counts: FloatArray,
    tries: FloatArray,
    at: int,
    juries: list[NDArray[np.int64]],
    eta: float,
    boards: int,
) -> AgreementChart:
    low, high = clopper_pearson(counts, tries)
    shares = np.divide(counts, tries, out=np.full(counts.shape, np.nan), where=tries > 0)
    labels = ("agree, shared darts", "agree, own coins", "error at most α")
    subjects = (Subject.USER_LEVEL, Subject.ITEM_LEVEL, Subject.EARLIER)
    curves = tuple(
        Curve(
            key=key,
            label=label,
            subject=subject,
            evidence=Evidence.SIMULATED,
            source=_SOURCE,
            x=sizes,
            y=shares[i],
            lower=low[i],
            upper=high[i],
        )
        for i, (key, label, subject) in enumerate(
            zip(("shared", "own", "accurate"), labels, subjects, strict=True)
        )
    )
    shared, own, accurate = (Measured.of(int(count), int(tries[at])) for count in counts[:, at])
    return AgreementChart(
        x=Axis("examples_per_user", "examples per user m"),
        y=Axis("probability", "probability", log=False, base=0.0, reach=1.0),
        curves=curves,
        here=float(sizes[at]),
        shared=shared,
        own=own,
        accurate=accurate,
        stability=pseudo_global_stability(np.array(juries), eta=eta),
        eta=eta,
        wanted=1 - settled.beta / 3,
        gamma=settled.gamma,
        proof_gamma=settled.proof.gamma,
        proof_examples=settled.proof.examples,
        done=float(tries.mean()) / boards,
    )
