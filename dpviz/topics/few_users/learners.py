"""Learners that agree: every user picks a hypothesis from their own examples and shared darts."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from dpviz.maths.correlated_sampling import Darts, sample
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.few_users.problems import Problem

NOTHING = -1
"""The pick of a user whose list of candidates is empty."""

_LISTS_AT_ONCE = 2500  # a few megabytes for each array of errors


class Learner(Protocol):
    """What all learners can do."""

    @property
    def errors(self) -> FloatArray:
        """The error of each hypothesis on the distribution."""

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the hypothesis each user picks from `examples` fresh examples of their own.

        seed: of the darts all of them share; None: everybody uses coins of their own.
        """


@dataclass(frozen=True)
class Constants:
    """What a proof asks for. gamma: γ; examples: m, for each user; others: further parameters."""

    gamma: float
    examples: float
    others: tuple[tuple[str, float], ...] = ()


def pick(laws: FloatArray, *, seed: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an outcome from the law in each row: on the darts of `seed`, or on own coins.

    Own coins come from a child of rng, which leaves what rng draws next as it is: with the same
    rng the examples are the same with shared darts and with own coins.
    """
    if seed is not None:
        return sample(laws, Darts(laws.shape[1], seed)).outcome
    steps = np.cumsum(laws, axis=1)
    coins = rng.spawn(1)[0].random((len(laws), 1))
    return np.asarray((coins * steps[:, -1:] >= steps).sum(axis=1))


# ---- Algorithm 3 ---------------------------------------------------------------------------


def practical_gamma(hypotheses: int, *, alpha: float, beta: float) -> float:
    """Return γ = ln(2|H|/β)/α, which the accuracy asks for where the target is in H.

    Then P_H(error > α) <= |H|·e^(−γα) = β/2, as in the proof of Theorem 26 but for the slack
    that proof leaves.
    """
    a, b = validate("alpha", alpha), validate("beta", beta)
    return math.log(2 * hypotheses / b) / a


def gibbs_constants(hypotheses: int, *, alpha: float, beta: float) -> Constants:
    """Return γ and m of Algorithm 3 as printed, with d = log₂|H|."""
    a, b = validate("alpha", alpha), validate("beta", beta)
    d = math.log2(hypotheses)
    gamma = 2 * (d - math.log(b) + 10) / a
    return Constants(gamma, -1e6 * gamma**2 * d * math.log(b) / b**4)


@dataclass(frozen=True, eq=False)
class GibbsLearner:
    """Algorithm 3: P(h) ∝ e^(−γ·err_S(h)) over the class, then correlated sampling.

    Source: Ghazi, Kumar & Manurangsi 2021, Theorem 26.
    """

    problem: Problem
    gamma: float

    @property
    def errors(self) -> FloatArray:
        """The error of each hypothesis on the distribution."""
        return self.problem.errors

    def laws(self, errors: ArrayLike) -> FloatArray:
        """Return the distribution over hypotheses for each row of errors."""
        return np.asarray(softmax(-self.gamma * np.asarray(errors), axis=-1))

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the hypothesis each user picks."""
        errors = self.problem.empirical_errors(users, examples=examples, rng=rng)
        return pick(self.laws(errors), seed=seed, rng=rng)


# ---- Algorithm 1 ---------------------------------------------------------------------------


def list_constants(*, list_size: int, eta: float, beta: float, examples: int) -> Constants:
    """Return γ, and τ, k₁, k₂ of the proof of Theorem 20, and m' = (k₁ + k₂)·m.

    list_size, eta, examples: L, η and m of the list-globally stable learner.
    """
    b = validate("beta", beta)
    tau = 0.5 * eta
    log_term = math.log(list_size / (b * tau))
    gamma = 1e6 * log_term / tau
    k1 = 1e6 * log_term / tau**2
    k2 = math.ceil(1e6 * gamma**2 * log_term / b**4)
    return Constants(gamma, (k1 + k2) * examples, (("τ", tau), ("k₁", k1), ("k₂", float(k2))))


def pick_candidate(
    candidates: NDArray[np.bool_],
    scores: FloatArray,
    *,
    seed: int | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return which candidate each user picks, ∝ e^score; `NOTHING` for users without any.

    candidates, scores: one row for each user, one column for each hypothesis. seed: of the shared
    darts, None for coins of one's own.
    """
    chosen = np.full(len(candidates), NOTHING)
    have = candidates.any(axis=1)
    if have.any():
        laws = softmax(np.where(candidates[have], scores[have], -np.inf), axis=1)
        chosen[have] = pick(laws, seed=seed, rng=rng)
    return chosen


@dataclass(frozen=True, eq=False)
class ListLearner:
    """Algorithm 1: from lists that often hold one good hypothesis to picks that agree.

    The list-globally stable learner it starts from lists at most `list_size` hypotheses that are
    consistent with its examples, drawn with its own coins. A user runs it `first` times and keeps
    what appears in a share τ of the lists, `second` times to count how often each does, and picks
    with P(h) ∝ e^(γ·Q(h)). Each run has an equal part of the user's examples.
    Source: Ghazi, Kumar & Manurangsi 2021, Theorem 20.
    """

    problem: Problem
    list_size: int
    first: int
    second: int
    tau: float
    gamma: float

    @property
    def errors(self) -> FloatArray:
        """The error of each hypothesis on the distribution."""
        return self.problem.errors

    def lists(self, runs: int, *, examples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return which hypotheses (columns) each run lists."""
        errors = self.problem.empirical_errors(runs, examples=examples, rng=rng)
        keys = np.where(errors == 0, rng.random(errors.shape), np.inf)
        if self.list_size >= self.problem.hypotheses:
            return np.isfinite(keys)
        last = np.partition(keys, self.list_size - 1, axis=1)[:, self.list_size - 1, None]
        return np.isfinite(keys) & (keys <= last)

    def _shares(
        self, users: int, runs: int, *, examples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Return in what share of so many runs each user lists each hypothesis, block by block."""
        shares = np.empty((users, self.problem.hypotheses))
        block = max(1, _LISTS_AT_ONCE // runs)
        for start in range(0, users, block):
            pause()
            some = min(block, users - start)
            lists = self.lists(some * runs, examples=examples, rng=rng)
            shares[start : start + some] = lists.reshape(some, runs, -1).mean(axis=1)
        return shares

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the hypothesis each user picks; `NOTHING` where no candidate is left."""
        each = examples // (self.first + self.second)
        if each < 1:
            raise ParameterError(
                "examples_per_user", f"at least {self.first + self.second}, one a run", examples
            )
        kept, counted = (
            self._shares(users, runs, examples=each, rng=rng) for runs in (self.first, self.second)
        )
        return pick_candidate(kept >= self.tau, self.gamma * counted, seed=seed, rng=rng)


# ---- Algorithm 5 ---------------------------------------------------------------------------


def query_constants(*, queries: int, tolerance: float, beta: float) -> Constants:
    """Return m = q·m' of Lemma 32, with β⁴ in m' as the text needs it (printed is β²)."""
    b = validate("beta", beta)
    term = queries**2 / (b**4 * tolerance**2)
    return Constants(math.nan, queries * 1e6 * term * math.log(term))


@dataclass(frozen=True)
class QueryLearner:
    """Algorithm 5, driving a learner of monotone conjunctions by statistical queries.

    The label is the AND of the first `literals` bits, coins. For each of d bits the learner asks
    for the probability that it is 0 and the label is 1, and keeps the bit if the answer is at most
    2τ, with τ = α/(4d): d queries of tolerance τ. Every user answers them from examples of their
    own, rounded by correlated sampling to multiples of 1/I, I = ⌈3/τ⌉. The other bits are so seldom
    0 that the true answers lie close to 2τ: on whether to keep such a bit the rounding decides.
    (Algorithm 5 prints the value where I times the value is meant, and a grid for [0, 1] only.)
    A hypothesis is a set of bits, written as a number; each is good, as the bits kept add at most
    2τ + 1/I each. Independent bits. Raises `ParameterError`.
    Source: Ghazi, Kumar & Manurangsi 2021, Lemma 32.
    """

    bits: int
    literals: int
    alpha: float

    def __post_init__(self) -> None:
        LIMITS["class_bits"].validate(self.bits)
        validate("alpha", self.alpha)
        if not 0 <= self.literals <= self.bits:
            raise ParameterError("literals", f"a whole number from 0 to {self.bits}", self.literals)

    @property
    def tolerance(self) -> float:
        """τ."""
        return self.alpha / (4 * self.bits)

    @property
    def resolution(self) -> int:
        """I = ⌈3/τ⌉, steps of the grid in [0, 1]."""
        return math.ceil(3 / self.tolerance)

    @cached_property
    def answers(self) -> FloatArray:
        """The true answers: 0 for the bits of the label, for the others from 5τ/3 to 7τ/3."""
        others = self.bits - self.literals
        spread = 2 + (2 * (np.arange(others) + 0.5) / max(others, 1) - 1) / 3
        return np.append(np.zeros(self.literals), self.tolerance * spread)

    @cached_property
    def zeros(self) -> FloatArray:
        """How likely each bit is 0."""
        rest = self.answers[self.literals :] * 2**self.literals
        return np.append(np.full(self.literals, 0.5), rest)

    @property
    def errors(self) -> FloatArray:
        """The error of each set of bits."""
        return self.errors_of(np.arange(2**self.bits))

    def errors_of(self, sets: ArrayLike) -> FloatArray:
        """Return the error of sets of bits: how likely one AND is 1 and the other 0."""
        chosen, target = np.asarray(sets, dtype=np.int64), 2**self.literals - 1
        mine, true, both = (self._all_ones(held) for held in (chosen, target, chosen | target))
        return np.asarray(mine + true - 2 * both)

    def _all_ones(self, sets: ArrayLike) -> FloatArray:
        ones = np.asarray(sets)[..., None] >> np.arange(self.bits) & 1
        return np.asarray(np.where(ones, 1 - self.zeros, 1.0).prod(axis=-1))

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the set of bits each user keeps. Each query gets fresh examples, m/d of them.

        An answer matters as it is up to 2τ or above. So of all darts only those at the last step
        of the grid up to 2τ and at the next can matter, to users whose value lies between these.
        """
        each = examples // self.bits
        if each < 1:
            raise ParameterError("examples_per_user", f"at least {self.bits}", examples)
        chosen = np.zeros(users, dtype=np.int64)
        last = math.floor(2 * self.tolerance * self.resolution)
        for bit, truth in enumerate(self.answers.tolist()):
            means = rng.binomial(each, min(truth, 1.0), size=users) / each
            up = np.clip(means * self.resolution - last, 0.0, 1.0)
            kept = up == 0
            if ((up > 0) & (up < 1)).any():
                darts = None if seed is None else seed * self.bits + bit
                kept = pick(np.stack([1 - up, up], axis=1), seed=darts, rng=rng) == 0
            chosen |= kept.astype(np.int64) << bit
        return chosen
