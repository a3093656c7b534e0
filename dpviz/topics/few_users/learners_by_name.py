"""What the views share: the learner by name, its practical parameters, those of the proof."""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.few_users import joined_lists
from dpviz.topics.few_users.joined_lists import JoinedLearner, JoinedLists
from dpviz.topics.few_users.learners import (
    Constants,
    GibbsLearner,
    Learner,
    ListLearner,
    QueryLearner,
    gibbs_constants,
    list_constants,
    practical_gamma,
    query_constants,
)
from dpviz.topics.few_users.problems import packing, problem
from dpviz.topics.few_users.rare_points import RareLearner, RarePoints

LEARNERS = {
    "gibbs": "Gibbs (Alg. 3)",
    "lists": "Lists (Alg. 1)",
    "rare": "Rare points (Alg. 1)",
    "joined": "Joined lists (Lemma 19)",
    "queries": "Queries (Alg. 5)",
}
"""The learners by name."""

ALPHA = LIMITS["alpha"].narrowed(minimum=0.02, maximum=0.4, default=0.1)
BETA = LIMITS["failure_probability"].narrowed(minimum=1e-3, maximum=0.3)
EPSILON = LIMITS["epsilon"].narrowed(minimum=0.2, maximum=2.0, default=1.0)
DELTA = LIMITS["delta"].narrowed(minimum=1e-12, maximum=0.1, default=1e-6)
USERS = LIMITS["users"].narrowed(minimum=2, maximum=3000, default=200)
BITS = LIMITS["bits"].narrowed(default=8)
EXAMPLES_PER_USER = EXAMPLES.narrowed(minimum=100, default=10**5)

LIST_SIZE, LIST_RUNS, LIST_ETA = 4, 25, 0.5
LITERALS = 2
SIGHTING, RARE_MASS = 0.7, 1.5  # how likely a run sees a rare point; their mass, in units of α


class LearnerSetting(TypedDict):
    """learner: one of `LEARNERS`; concept: one of `CLASSES`, but for three with their own.

    Those are "queries", "rare" and "joined"; the last has its own size, too. bits: d, for 2^d
    points, or d rare points; alpha, failure_probability: the accuracy (α, β).
    """

    learner: str
    concept: str
    bits: float
    alpha: float
    failure_probability: float


@dataclass(frozen=True, eq=False)
class Learners:
    """A learner for every target, with what its proof asks for.

    targets: no hypothesis is good for two of them. gamma: the γ in use, NaN for queries; proof:
    the constants of the proof, for a comparison only.
    """

    learner: str
    concept: str
    bits: int
    alpha: float
    beta: float
    targets: tuple[int, ...]
    hypotheses: int
    gamma: float
    proof: Constants

    @property
    def effort(self) -> int:
        """How much longer this learner takes than the others, roughly."""
        return 10 if self.learner in ("lists", "joined") else 1

    def make(self, target: int) -> Learner:
        """Return the learner on examples of this target."""
        if self.learner == "queries":
            return QueryLearner(self.bits, min(LITERALS, self.bits), self.alpha)
        if self.learner == "rare":
            return _rare_learner(self.bits, self.alpha, self.beta)
        if self.learner == "joined":
            return JoinedLearner(JoinedLists(self.alpha, self.beta), target)
        made = problem(self.concept, bits=self.bits, target=target)
        if self.learner == "gibbs":
            return GibbsLearner(made, self.gamma)
        return ListLearner(made, LIST_SIZE, LIST_RUNS, LIST_RUNS, LIST_ETA / 2, self.gamma)

    def good(self, made: Learner) -> NDArray[np.bool_]:
        """Return which hypotheses have an error of at most α."""
        return np.asarray(made.errors <= self.alpha)

    def draw(self, rng: np.random.Generator) -> Learner:
        """Return the learner for a target drawn at random."""
        return self.make(self.targets[int(rng.integers(len(self.targets)))])


def learners_by_name(setting: LearnerSetting, *, examples: float = 100) -> Learners:
    """Return the learner by name, with a γ that can be run. Raises `ParameterError`.

    Gibbs: γ = ln(2|H|/β)/α. Lists: γ = ln(2L/(βτ))/τ, k₁ = k₂ = 25, τ = η/2 = 1/4, so the proof's
    factors of a million are left out. Rare points: `rare_points.RareLearner`. Joined lists:
    `joined_lists.JoinedLearner`, on thresholds over 8 points whatever bits are.
    """
    name, concept = setting["learner"], setting["concept"]
    if name not in LEARNERS:
        raise ParameterError("learner", f"one of {', '.join(LEARNERS)}", name)
    bits = int(BITS.validate(setting["bits"]))
    alpha, beta = ALPHA.validate(setting["alpha"]), BETA.validate(setting["failure_probability"])
    m = int(EXAMPLES_PER_USER.validate(examples))
    targets: tuple[int, ...] = (0,)
    gamma = float("nan")
    if name == "queries":
        hypotheses = 2**bits
        proof = query_constants(queries=bits, tolerance=alpha / (4 * bits), beta=beta)
    elif name == "rare":
        hypotheses = 2**bits
        rare = _rare_learner(bits, alpha, beta)
        gamma, size = rare.gamma, rare.points.list_size(rare.left_out)
        each = rare.points.examples
        proof = list_constants(list_size=size, eta=rare.eta, beta=beta, examples=each)
    elif name == "joined":
        lists = JoinedLists(alpha, beta)
        targets = packing("thresholds", bits=joined_lists.BITS, alpha=alpha)
        hypotheses, gamma = 2**joined_lists.BITS, lists.gamma
        proof = list_constants(list_size=lists.runs, eta=lists.eta, beta=beta, examples=lists.each)
    else:
        targets = packing(concept, bits=bits, alpha=alpha)
        hypotheses = problem(concept, bits=bits).hypotheses
        if name == "gibbs":
            gamma = practical_gamma(hypotheses, alpha=alpha, beta=beta)
            proof = gibbs_constants(hypotheses, alpha=alpha, beta=beta)
        else:
            tau = LIST_ETA / 2
            gamma = float(np.log(2 * LIST_SIZE / (beta * tau)) / tau)
            each = max(1, m // (2 * LIST_RUNS))
            proof = list_constants(list_size=LIST_SIZE, eta=LIST_ETA, beta=beta, examples=each)
    return Learners(name, concept, bits, alpha, beta, targets, hypotheses, gamma, proof)


def _rare_learner(rare: int, alpha: float, beta: float) -> RareLearner:
    """Return Algorithm 1 on rare points of mass 1.5α together: a third of them must be known.

    One run sees each with probability 0.7, and lists what Theorem 18's stability of 1/d asks for.
    Then many hypotheses are listed equally often, and nobody can prefer one alone.
    """
    points = RarePoints.sighted(rare, RARE_MASS * alpha, SIGHTING)
    return RareLearner(points, points.least_left_out(1 / rare), beta)


def spread_values(low: float, high: float, count: int) -> FloatArray:
    """Return whole numbers from low to high, evenly on a log scale, without repetition."""
    return np.unique(np.rint(np.geomspace(low, high, count)))
