r"""Lemma 19 and Algorithm 1 of Ghazi, Kumar & Manurangsi 2021, end to end on one finite class.

The class: thresholds over 8 points, of Littlestone dimension d = 3, with uniform examples. What the
paper has from elsewhere is Theorem 18, a learner whose short lists hold one good hypothesis with
probability Ω(1/d). In its place stands one of ours, for this class: a run of the standard optimal
algorithm on so few examples that it outputs one good function with probability 1/d, just. A list
joins the functions of L independent runs. One run outputs a given function f with probability p(f),
of which the law is known exactly; so the list holds it with probability 1 − (1 − p(f))^L. Joining
makes 0.49 of any stability η in ln(1 − 0.49)/ln(1 − η) runs, so of Ω(1/d) in O(d).

The rest is the paper's. Lemma 19: draw n′ more examples S and keep what has err_S <= 1.5a. From
n′ = 2 ln(L/ζ)/a² on Hoeffding's inequality says that nothing kept errs more than 2a, with
probability 1 − ζ; the proof has fifty times that. Here n′ is half of it, with ζ = β, which promises
only 1 − √(Lζ). As S is drawn apart from the runs, f is in what is kept with
probability Q(f) = (1 − (1 − p(f))^L)·P(Bin(n′, err f) <= 1.5a n′), exactly. Algorithm 1, Theorem
20, with a = α/2: keep what is in a share τ = η/2 of the first lists, count it in the others, pick
∝ e^(γ·Q) on shared darts; γ = ln(2L/(βτ))/τ, and as many lists as a user's examples are enough for
(at most 200 of either kind), where the proof has factors of a million. η, L, n and n′ are those of
the worst target, as users do not know theirs.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.results.refining import pause
from dpviz.topics.few_users.learners import NOTHING, pick_candidate
from dpviz.topics.few_users.littlestone import FiniteClass
from dpviz.topics.few_users.problems import Problem, problem

BITS = 3
"""The class: thresholds over 2^3 points."""

GOAL = 0.49
"""How likely a joined list holds one good hypothesis, at least."""

_MOST_LISTS = 200  # of a user, to keep from, and as many to count in
_LISTS_AT_ONCE = 20_000
_MOST_EXAMPLES = 100  # of a run: all points are seen


@lru_cache(maxsize=1)
def _answers() -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return the functions that the optimal algorithm may output, and which one it does.

    The second by the largest point seen with label 0, from −1 for none, and the least seen with
    label 1, 8 for none: thresholds between these fit.
    """
    thresholds = problem("thresholds", bits=BITS)
    concept = FiniteClass.of(thresholds.labels)
    size = concept.labels.shape[1]
    rows, place = list[tuple[int, ...]](), np.full((size + 1, size + 1), -1)
    for low in range(-1, size - 1):
        for high in range(low + 1, size + 1):
            hypotheses = sum(1 << t for t in range(low + 1, min(high, size - 1) + 1))
            labels = tuple(concept.predict(hypotheses, point) for point in range(size))
            rows += [] if labels in rows else [labels]
            place[low + 1, high] = rows.index(labels)
    return np.array(rows, dtype=bool), place


@dataclass(frozen=True, eq=False)
class SingleRun:
    """What one run of the optimal algorithm outputs after n examples of a target, exactly."""

    target: int
    examples: int

    @cached_property
    def problem(self) -> Problem:
        """The class with its target; examples are uniform over the points."""
        return problem("thresholds", bits=BITS, target=self.target)

    @cached_property
    def errors(self) -> FloatArray:
        """The error of each function that may be output."""
        return np.asarray(np.mean(_answers()[0] != self.problem.labels[self.target], axis=1))

    @cached_property
    def law(self) -> FloatArray:
        """How likely each function is output."""
        functions, place = _answers()
        size, n = functions.shape[1], self.examples
        law = np.zeros(len(functions))

        def unseen(points: int) -> float:
            return float((1 - points / size) ** n)

        # labels 0 are those of points below the target; inclusion and exclusion for the two ends
        for low in range(-1, self.target):
            for high in range(self.target, size + 1):
                ends = (low >= 0) + (high < size)
                between = high - low - 1
                chance = unseen(between) - ends * unseen(between + 1)
                chance += unseen(between + 2) if ends == 2 else 0.0
                law[place[low + 1, high]] += chance
        return law


@dataclass(frozen=True)
class JoinedLists:
    """The lists: how many runs are joined, on how many examples, and what Lemma 19 draws besides.

    alpha: α of the whole, so a = α/2 here; beta: β. Raises `ParameterError`.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        validate("alpha", self.alpha)
        validate("failure_probability", self.beta)

    @property
    def accuracy(self) -> float:
        """The a of Lemma 19, α/2."""
        return self.alpha / 2

    @cached_property
    def examples(self) -> int:
        """How many examples a run has, n: the fewest with stability 1/d."""
        return next(n for n in range(1, _MOST_EXAMPLES) if self._stability(n) >= 1 / BITS)

    def single(self, target: int) -> SingleRun:
        """Return one run on this target."""
        return SingleRun(target, self.examples)

    @cached_property
    def alone(self) -> float:
        """The stability η of one run, Definition 14: of the worst target."""
        return self._stability(self.examples)

    def _stability(self, examples: int) -> float:
        every = (SingleRun(target, examples) for target in range(2**BITS))
        return min(self._largest(one.law, one.errors) for one in every)

    @cached_property
    def runs(self) -> int:
        """How many runs are joined, L."""
        if self.alone >= GOAL:
            return 1
        return math.ceil(math.log1p(-GOAL) / math.log1p(-self.alone))

    @property
    def filtering(self) -> int:
        """How many examples Lemma 19 draws, n′."""
        return math.ceil(math.log(self.runs / self.beta) / self.accuracy**2)

    def listed(self, one: SingleRun) -> FloatArray:
        """Return Q: how likely each function is in the list that Lemma 19 keeps, exactly."""
        joined = -np.expm1(self.runs * np.log1p(-np.minimum(one.law, 1 - 1e-16)))
        most = math.floor(1.5 * self.accuracy * self.filtering + 1e-9)
        passing = np.where(one.errors > 0, bdtr(most, self.filtering, one.errors), 1.0)
        return np.asarray(joined * passing)

    @cached_property
    def eta(self) -> float:
        """η of the lists, Definition 16: of the worst target."""
        return min(self._largest(self.listed(one), one.errors) for one in self._all)

    @cached_property
    def bad(self) -> float:
        """How likely a list keeps a function that errs more than 2a, at most; the worst target."""
        return max(
            float(self.listed(one)[one.errors > 2 * self.accuracy].sum()) for one in self._all
        )

    @property
    def tau(self) -> float:
        """τ = η/2."""
        return self.eta / 2

    @property
    def gamma(self) -> float:
        """γ = ln(2L/(βτ))/τ."""
        return math.log(2 * self.runs / (self.beta * self.tau)) / self.tau

    @property
    def each(self) -> int:
        """How many examples a list takes."""
        return self.runs * self.examples + self.filtering

    @cached_property
    def _all(self) -> list[SingleRun]:
        return [self.single(target) for target in range(2**BITS)]

    def _largest(self, chances: FloatArray, errors: FloatArray) -> float:
        return float(chances[errors <= self.accuracy + 1e-12].max())


@dataclass(frozen=True, eq=False)
class JoinedLearner:
    """Algorithm 1 on these lists, for one target; a hypothesis is a function that may be output."""

    lists: JoinedLists
    target: int

    @cached_property
    def _run(self) -> SingleRun:
        return self.lists.single(self.target)

    @property
    def errors(self) -> FloatArray:
        """The error of each function."""
        return self._run.errors

    def kept(self, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return which functions (columns) so many lists hold, after Lemma 19's filter."""
        run, lists = self._run, self.lists
        law = run.law / run.law.sum()
        joined = rng.multinomial(lists.runs, law, size=count) > 0
        wrong = _answers()[0] != run.problem.labels[self.target]
        seen = rng.multinomial(lists.filtering, run.problem.weights, size=count) @ wrong.T
        return np.asarray(joined & (seen <= 1.5 * lists.accuracy * lists.filtering + 1e-9))

    def _shares(self, users: int, count: int, rng: np.random.Generator) -> FloatArray:
        """Return in what share of so many lists each user finds each function."""
        shares = np.empty((users, self.errors.size))
        block = max(1, _LISTS_AT_ONCE // count)
        for start in range(0, users, block):
            pause()
            some = min(block, users - start)
            lists = self.kept(some * count, rng).reshape(some, count, -1)
            shares[start : start + some] = lists.mean(axis=1)
        return shares

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return each user's pick; `NOTHING` where no list, or no candidate, is left."""
        count = min(examples // (2 * self.lists.each), _MOST_LISTS)
        if count < 1:
            return np.full(users, NOTHING)
        first, second = (self._shares(users, count, rng) for _ in range(2))
        return pick_candidate(
            first >= self.lists.tau, self.lists.gamma * second, seed=seed, rng=rng
        )
