"""View: the votes of one group of users, and what the four models release."""

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.correlated_sampling import Darts, sample
from dpviz.results.evidence import Evidence, FloatArray, Origin, Result, SoFar, Source
from dpviz.results.papers import CS
from dpviz.results.refining import Pace
from dpviz.topics.few_users.enough_users import (
    GROUP,
    MAJORITY,
    LikeForLike,
    best_vote_users,
    enough_users,
)
from dpviz.topics.few_users.learners import GibbsLearner
from dpviz.topics.few_users.learners_by_name import (
    DELTA,
    EPSILON,
    EXAMPLES_PER_USER,
    USERS,
    LearnerSetting,
    learners_by_name,
)
from dpviz.topics.few_users.models import MODELS, release

SEEN = 60
"""So many users are drawn each by themselves, at most."""
_AT_ONCE = 300  # users simulated at once; fewer of a slow learner


@dataclass(frozen=True, eq=False)
class TwoUsers:
    """How two users, each with a sample of their own, pick by the same darts.

    laws: over the hypotheses, a row each. places, heights: of all darts up to the last that one of
    them takes. taken: the number of the dart each takes, the first below their law.
    """

    laws: FloatArray
    places: NDArray[np.int64]
    heights: FloatArray
    taken: tuple[int, int]


def two_users(learner: GibbsLearner, *, examples: int, darts: Darts, seed: int) -> TwoUsers:
    """Return how two users of Algorithm 3 pick; seed: of their samples."""
    rng = np.random.default_rng(seed)
    laws = learner.laws(learner.problem.empirical_errors(2, examples=examples, rng=rng))
    first, second = (int(dart) for dart in sample(laws, darts).dart)
    last = max(first, second) + 1
    blocks: list[tuple[NDArray[np.int64], FloatArray]] = []
    while sum(places.size for places, _ in blocks) < last:
        blocks.append(darts.block(len(blocks)))
    places, heights = (np.concatenate(parts)[:last] for parts in zip(*blocks, strict=True))
    return TwoUsers(laws, places, heights, (first, second))


@dataclass(frozen=True, eq=False)
class Votes(Result):
    """One group of users and their examples, twice: with shared darts, and with own coins.

    errors: of each hypothesis; shared, own: votes for each; alpha: α; users: who have voted so
    far, expected: n; released, released_own: by model, the hypothesis released by those who have
    voted, −1 for none. picked, picked_own: what each of the first `SEEN` users votes for. epsilon,
    delta: of every model. examples_per_user: m. guess: of a hundred users, how many a reader
    predicted to agree on shared darts; NaN for no prediction. enough: so many users suffice for a
    private vote with a trusted server, if four of five vote alike. example: how two users pick on
    shared darts; None for a learner other than that of Algorithm 3.
    """

    words: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "hypothesis": "number of the hypothesis, from 0",
            "error": "its error",
            "votes_shared": "votes for it, with shared darts",
            "votes_own": "votes for it, with coins of one's own",
            "released_by": "the models that released it",
        }
    )

    other_origins = (Origin(Evidence.SIMULATED, Source(CS, "Algorithms 1 to 5, 7 and 8")),)

    errors: FloatArray
    shared: NDArray[np.int64]
    own: NDArray[np.int64]
    alpha: float
    users: int
    expected: int
    released: Mapping[str, int]
    released_own: Mapping[str, int]
    picked: NDArray[np.int64]
    picked_own: NDArray[np.int64]
    epsilon: float
    delta: float
    examples_per_user: int
    enough: float
    guess: float = math.nan
    example: TwoUsers | None = None

    @property
    def alike(self) -> bool:
        """Whether as many vote alike with shared darts as `enough` asks for."""
        return GROUP * int(self.shared.max()) >= MAJORITY * self.users

    def is_good(self, hypothesis: int) -> bool:
        """Return whether a released hypothesis exists and has error at most α."""
        return hypothesis >= 0 and bool(self.errors[hypothesis] <= self.alpha)

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return hypothesis, error and votes, and by which models it was released."""
        by = [
            ", ".join(model for model, chosen in self.released.items() if chosen == h)
            for h in range(self.errors.size)
        ]
        return {
            "hypothesis": np.arange(self.errors.size),
            "error": self.errors,
            "votes_shared": self.shared,
            "votes_own": self.own,
            "released_by": np.array(by),
        }


def votes_of_one_group(
    *,
    examples_per_user: float,
    users: float,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    **setting: Unpack[LearnerSetting],
) -> Iterator[Votes]:
    """Yield one group's votes and what each model releases, for one target, from ever more users.

    The last result has all n users, and does not depend on how many results come before it. Raises
    `ParameterError`.
    """
    m, n = int(EXAMPLES_PER_USER.validate(examples_per_user)), int(USERS.validate(users))
    eps, allowed = EPSILON.validate(epsilon), DELTA.validate(delta)
    learners = learners_by_name(setting, examples=m)
    learner = learners.make(learners.targets[len(learners.targets) // 2])
    darts, examples = (int(seed) for seed in rng.integers(2**31, size=2))
    # Two streams in step, so that both ways the examples are the same.
    streams = [(seed, np.random.default_rng(examples)) for seed in (darts, None)]
    picks = np.empty((2, 0), dtype=np.int64)
    bits = max(math.ceil(math.log2(learners.hypotheses)), 1)
    stable = enough_users("approximate", LikeForLike(eps, allowed), bits=bits, beta=learners.beta)
    enough = min(stable.upper, best_vote_users(epsilon=eps, bits=bits, beta=learners.beta))
    example = None
    if isinstance(learner, GibbsLearner):
        shared_darts = Darts(learners.hypotheses, darts)
        example = two_users(learner, examples=m, darts=shared_darts, seed=examples)

    def counted() -> Votes:
        coins = copy.deepcopy(rng)  # the same for every result, however many there are
        privacy = {"epsilon": eps, "delta": allowed}
        together, alone = (
            {
                model: release(model, chosen, hypotheses=learners.hypotheses, rng=coins, **privacy)
                for model in MODELS
            }
            for chosen in picks
        )
        shared, own = (np.bincount(np.maximum(p, 0), minlength=learners.hypotheses) for p in picks)
        voted, seen = picks.shape[1], np.maximum(picks[:, :SEEN], 0)
        return Votes(
            learner.errors,
            shared,
            own,
            learners.alpha,
            voted,
            n,
            together,
            alone,
            seen[0],
            seen[1],
            eps,
            allowed,
            m,
            enough,
            done=voted / n,
            so_far=SoFar(voted, "user", n),
            example=example,
        )

    pace = Pace()
    while picks.shape[1] < n:
        some = min(n - picks.shape[1], _AT_ONCE // learners.effort)
        more = [learner.picks(some, examples=m, seed=s, rng=stream) for s, stream in streams]
        picks = np.hstack([picks, np.stack(more)])
        if picks.shape[1] == n or pace.due():
            yield counted()
