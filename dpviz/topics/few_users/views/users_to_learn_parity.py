"""View: parity, where user-level local privacy needs d/ε² users and item-level about 2^d."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.streams import Streams
from dpviz.results.evidence import (
    Axis,
    Bracket,
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
from dpviz.results.parameters import validate
from dpviz.results.refining import Pace, pause
from dpviz.topics.few_users.enough_users import parity_users
from dpviz.topics.few_users.learners_by_name import (
    ALPHA,
    BETA,
    BITS,
    EPSILON,
    EXAMPLES_PER_USER,
    Learners,
    learners_by_name,
)
from dpviz.topics.few_users.models import least_users_exchanged, release, theorem_users
from dpviz.topics.few_users.one_example import (
    users_enough,
    users_too_few_at_once,
    users_too_few_in_turn,
)
from dpviz.topics.few_users.problems import parities_served
from dpviz.topics.few_users.simulated import SIMULATION, claimed_enough

_LONGEST = 32  # bits of the largest parity drawn; simulations end at BITS.maximum
_EVERY = 3  # beyond the simulations, only every third d is computed
_STEPS = 4  # group sizes for every doubling
_MOST = 4000  # users of the largest group simulated
_ONE = "dpviz.topics.few_users.one_example"


@dataclass(frozen=True, eq=False, kw_only=True)
class ParityChart(Chart):
    """Users needed to learn parity with local privacy, against d.

    needed: at the reader's d, the least simulated n with success 1 − β, NaN if there is none;
    users: what the runs, and both proofs, tell of it; runs: how many are in at that d. shape: the
    theorem's number times C. item: users with one example each at the reader's d: too few where
    they speak in turn, too few where all speak at once, and enough, at once.
    largest, proved: the largest d drawn, and the users who certainly suffice there.
    """

    needed: float
    users: Claim
    runs: int
    shape: float
    item: tuple[float, float, float]
    largest: int
    proved: float
    beta: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The users with many examples each who are enough."""
        return (self.users,)


def users_to_learn_parity(
    *,
    bits: float,
    examples_per_user: float,
    alpha: float,
    failure_probability: float,
    epsilon: float,
    constant: float,
    runs: float,
    rng: np.random.Generator,
) -> Iterator[ParityChart]:
    """Yield the users that suffice in the local model for parities on d = 2, …, 8 bits.

    Algorithm 3 runs on every user's examples, then Algorithm 4's vote, for groups of growing size.
    The number shown is the least from which on a share 1 − β of the runs succeeds. Its interval
    goes from where success 1 − β can't be ruled out to where it is certain (95% each). For users
    with one example each: numbers proven too few, in turn or at once, and proven enough. Raises
    `ParameterError`.
    """
    question = _Question(
        here=int(BITS.validate(bits)),
        epsilon=EPSILON.validate(epsilon),
        alpha=ALPHA.validate(alpha),
        beta=BETA.validate(failure_probability),
        constant=validate("constant", constant),
    )
    m, count = int(EXAMPLES_PER_USER.validate(examples_per_user)), int(validate("runs", runs))
    sizes, all_learners = question.sizes, question.learners(m)
    theory = _theory(question, m)
    successes = [_Successes(size, np.zeros(size.size), 0) for size in sizes]
    pace, streams = Pace(), Streams(rng)
    for run in range(1, count + 1):
        for i, learners in enumerate(all_learners):
            draws = streams.at(run, learners.bits)
            learner, seed = learners.draw(draws), int(draws.integers(2**31))
            good = learners.good(learner)
            picks = learner.picks(int(sizes[i][-1]), examples=m, seed=seed, rng=draws)
            coins = streams.at(run, learners.bits, 1)
            chosen = [
                release(
                    "local",
                    picks[:n],
                    hypotheses=learners.hypotheses,
                    epsilon=question.epsilon,
                    delta=0.1,  # the local model has none
                    rng=coins,
                )
                for n in sizes[i].astype(int)
            ]
            successes[i] = successes[i].and_one_more(good[chosen])
            end = (run, i) in ((1, 0), (count, len(all_learners) - 1))
            if end or pace.due():
                done = (run - 1 + (i + 1) / len(all_learners)) / count
                yield _chart(question, theory, successes, done, count)


_DIMENSIONS = [int(d) for d in BITS.grid]


@dataclass(frozen=True)
class _Question:
    """What the reader asks. here: d; alpha, beta: of the learner; constant: C of the shapes."""

    here: int
    epsilon: float
    alpha: float
    beta: float
    constant: float

    @property
    def sizes(self) -> list[FloatArray]:
        """Group sizes for each d."""
        return [_sizes(d, self.epsilon, self.beta) for d in _DIMENSIONS]

    def learners(self, examples: int) -> list[Learners]:
        """Return the parities for each d, with Algorithm 3 for users of so many examples."""
        return [
            learners_by_name(
                {
                    "learner": "gibbs",
                    "concept": "parities",
                    "bits": d,
                    "alpha": self.alpha,
                    "failure_probability": self.beta,
                },
                examples=examples,
            )
            for d in _DIMENSIONS
        ]

    def shape(self, bits: float) -> float:
        """Return C·(d·ln 2 + ln(1/β))/ε²; the delta of `theorem_users` plays no part here."""
        dimension = bits * math.log(2)
        return self.constant * theorem_users(
            "local", dimension=dimension, epsilon=self.epsilon, delta=0.1, beta=self.beta
        )

    def item(self, bits: float) -> tuple[float, float, float]:
        """Return the users with one example each who are too few, in turn, at once, or enough."""
        d = int(bits)
        in_turn, at_once = (
            max(too_few(d, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta), 1.0)
            for too_few in (users_too_few_in_turn, users_too_few_at_once)
        )
        return in_turn, at_once, users_enough(d, epsilon=self.epsilon, beta=self.beta)


@dataclass(frozen=True, eq=False)
class _Successes:
    """How many of the runs succeeded with a group of each size."""

    sizes: FloatArray
    hits: FloatArray
    runs: int

    def and_one_more(self, good: NDArray[np.bool_]) -> "_Successes":
        """Return what is known after one more run. good: whether each group succeeded."""
        return replace(self, hits=self.hits + good, runs=self.runs + 1)

    def claim(self, goal: float, proven: Bracket) -> Claim:
        """Return what is known of the least size that reaches the goal."""
        tries = np.full(self.sizes.shape, float(self.runs))
        return claimed_enough("users", self.sizes, self.hits, tries, goal, proven)


def _sizes(bits: int, epsilon: float, beta: float) -> FloatArray:
    """Return group sizes that reach beyond what Hoeffding's inequality asks for."""
    noise = 1 / math.tanh(epsilon / 2)
    most = min(4 * noise**2 * math.log(2 ** (bits + 1) / beta), _MOST)
    steps = math.ceil(_STEPS * math.log2(most / 2)) + 1
    return np.unique(np.rint(np.geomspace(2, most, steps)))


def _chart(
    question: _Question,
    theory: tuple[Curve, ...],
    successes: list[_Successes],
    done: float,
    planned: int,
) -> ParityChart:
    goal = 1 - question.beta
    proved, least = (
        {float(d): n for d, n in zip(curve.x, curve.y, strict=True)}
        for curve in (theory[0], theory[-1])
    )
    claims = [
        one.claim(goal, Bracket(least[d], proved[d] if proved[d] >= least[d] else math.inf))
        for d, one in zip(_DIMENSIONS, successes, strict=True)
    ]
    needed, fewest, most = np.array([(one.value, one.lower, one.upper) for one in claims]).T
    known = np.isfinite(needed) & np.array([one.runs > 0 for one in successes])
    at = _DIMENSIONS.index(question.here)
    # An upper end that is not known yet is drawn at the largest group.
    largest = np.array([one.sizes[-1] for one in successes])
    simulated = Curve(
        "simulated",
        "user level, local: simulated",
        Subject.GAUSSIAN,
        Evidence.SIMULATED,
        SIMULATION,
        np.array(_DIMENSIONS, dtype=float),
        np.where(known, needed, np.nan),
        np.where(known, fewest, np.nan),
        np.where(known, np.minimum(most, largest), np.nan),
        told="_upper" if math.isfinite(claims[at].upper) else "_lower",
    )
    return ParityChart(
        x=Axis("bits", "Size: 2^d parities, d", log=False),
        y=Axis("users", "Users needed", least=1.0),
        curves=(simulated, *theory),
        here=float(question.here),
        in_headline=("simulated", "item_once"),
        needed=float(needed[at]) if known[at] else math.nan,
        users=claims[at],
        runs=successes[at].runs,
        shape=question.shape(question.here),
        item=question.item(question.here),
        largest=_LONGEST,
        proved=float(theory[0].y[-1]),
        beta=question.beta,
        done=done,
        so_far=SoFar(successes[at].runs, "run", planned),
    )


def _theory(question: _Question, examples: int) -> tuple[Curve, ...]:
    """Return what is known without simulation: of many examples each, and of one each."""
    dimensions = np.arange(2, _LONGEST + 1, dtype=float)
    sparse = np.union1d(_DIMENSIONS, dimensions[::_EVERY])
    proved, item = [], []
    for d in sparse:
        pause()
        users = parity_users(
            int(d), epsilon=question.epsilon, examples=examples, beta=question.beta
        )
        proved.append(users if math.isfinite(users) else math.nan)
        item.append(question.item(d))
    in_turn, at_once, many = np.array(item).T
    curves = (
        Curve(
            "proved",
            "user level, local: enough, proved",
            Subject.USER_LEVEL,
            Evidence.UPPER,
            Source("dpviz.topics.few_users.enough_users", "exact tails, union bound"),
            sparse,
            np.array(proved),
        ),
        Curve(
            "shape",
            "user level: (d + ln(1/β))/ε²",
            Subject.GAUSSIAN,
            Evidence.ASYMPTOTIC,
            Source(CS, "Theorem 2"),
            dimensions,
            np.array([question.shape(d) for d in dimensions]),
        ),
        Curve(
            "item",
            "one example each: enough",
            Subject.ITEM_LEVEL,
            Evidence.EXACT,
            Source(_ONE, "a question about each parity"),
            sparse,
            many,
            weight=0.8,
        ),
        Curve(
            "item_few",
            "one example each, in turn: too few",
            Subject.ITEM_LEVEL,
            Evidence.LOWER,
            Source(_ONE, "after Kasiviswanathan et al. 2011, with constants"),
            sparse,
            in_turn,
            weight=0.6,
        ),
        Curve(
            "item_once",
            "one example each, all at once: too few",
            Subject.ITEM_LEVEL,
            Evidence.LOWER,
            Source(_ONE, "what independent messages tell of the parity"),
            sparse,
            at_once,
        ),
    )
    return (*curves, _fewest(dimensions, question))


def _fewest(dimensions: FloatArray, question: _Question) -> Curve:
    """Return the fewest users of any ε-private learner, however many examples they hold."""
    served = parities_served(question.alpha)
    fewest = [
        least_users_exchanged(
            targets=2**d, served=served, epsilon=question.epsilon, delta=0, beta=question.beta
        )
        for d in dimensions
    ]
    return Curve(
        "least",
        "fewest of any ε-private learner",
        Subject.LOWER_BOUND,
        Evidence.LOWER,
        Source(CS, "Lemma 34, group privacy over all parities"),
        dimensions,
        np.maximum(np.array(fewest, dtype=float), 1.0),
    )
