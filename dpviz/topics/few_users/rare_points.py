"""Learning where some points are rare: global stability, and lists that bring it back, exactly.

The class: all labellings with at most d ones, of Littlestone dimension d. The distribution: d
points with label 1 are rare, each of the same mass, and all others have label 0. The standard
optimal algorithm predicts 0 until it has seen a point's 1, so a learner's hypothesis is the set of
rare points it knows, and by symmetry the law of how many it knows is all there is to know.

`TournamentLaws` is the learner of Bun, Livni & Moran 2020, Theorem 17 of Ghazi, Kumar & Manurangsi
2021. `RareLearner` is Algorithm 1 on lists that leave out at most so many of the points seen: such
a list has the stability that Theorem 18 promises (here; the learner of that theorem is another one,
for every class).
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import comb, softmax

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.few_users.learners import NOTHING, pick_candidate


@dataclass(frozen=True)
class RarePoints:
    """What one run of the standard optimal algorithm knows after n examples.

    rare: d, from 1 to 8; mass: of all rare points together, positive and at most 1; examples: n, a
    whole number from 1. Raises `ParameterError`.
    """

    rare: int
    mass: float
    examples: int

    def __post_init__(self) -> None:
        LIMITS["rare"].validate(self.rare)
        if not 0 < self.mass <= 1:
            raise ParameterError("mass", "a positive number up to 1", self.mass)
        if not self.examples >= 1:
            raise ParameterError("examples", "a whole number from 1", self.examples)

    @classmethod
    def sighted(cls, rare: int, mass: float, sighting: float) -> "RarePoints":
        """Return the one with the number of examples that show a rare point with about q."""
        d, q = int(LIMITS["rare"].validate(rare)), validate("sighting", sighting)
        if not 0 < mass <= 1:
            raise ParameterError("mass", "a positive number up to 1", mass)
        if mass == d:  # one point of mass 1
            return cls(d, mass, 1)
        return cls(d, mass, max(1, round(math.log1p(-q) / math.log1p(-mass / d))))

    @cached_property
    def seen(self) -> FloatArray:
        """How likely n examples show 0, …, d of the rare points: a chain that counts upwards."""
        new = self.mass / self.rare * np.arange(self.rare, -1.0, -1.0)
        chain = np.diag(1 - new) + np.diag(new[:-1], 1)
        return np.asarray(np.linalg.matrix_power(chain, self.examples)[0])

    def stability(self, sizes: FloatArray) -> float:
        """Return max_h Pr[h] for sets of known points that are equally likely at equal size.

        sizes: how likely 0, …, d points are known. It is η of Definition 14, if mass <= α.
        """
        return float(np.max(sizes / _sets(self.rare)))

    @property
    def meeting(self) -> float:
        """How likely two runs with examples of their own output the same hypothesis."""
        return float(self.seen @ (self.seen / _sets(self.rare)))

    def list_size(self, left_out: int) -> int:
        """Return L, the most hypotheses in a list that leaves out at most so many points seen."""
        return int(_sets(self.rare)[: left_out + 1].sum())

    def listed(self, left_out: int) -> FloatArray:
        """Return how likely a given set of 0, …, d points is in such a list.

        Of the j points all must be seen, and at most `left_out` others.
        """
        count = np.arange(self.rare + 1)
        others = count - count[:, None]  # seen besides the j points
        ways = comb(self.rare - count[:, None], others) * (others <= left_out)
        return np.asarray(ways @ (self.seen / _sets(self.rare)))

    def list_stability(self, left_out: int) -> float:
        """Return η of Definition 16 for such lists, if mass <= α."""
        return float(self.listed(left_out).max())

    def least_left_out(self, goal: float) -> int:
        """Return how many points a list must leave out for its stability to reach the goal.

        d of them suffice for any goal up to 1, as every list then holds the empty set.
        """
        enough = (r for r in range(self.rare) if self.list_stability(r) >= goal)
        return next(enough, self.rare)


def _sets(rare: int) -> FloatArray:
    """Return how many sets of 0, …, d points there are."""
    return np.asarray(comb(rare, np.arange(rare + 1)))


# ---- Theorem 17 ------------------------------------------------------------------------------


@dataclass(frozen=True)
class TournamentLaws:
    """The globally stable learner of Bun, Livni & Moran 2020 on rare points, exactly.

    Stage 0 knows nothing. Stage k draws two runs, each of stage k − 1 with n fresh examples after
    it, again and again until their hypotheses differ; takes a point where they do and a fair coin
    for its label; and keeps the run that the coin contradicts, with the point and the coin's label
    at its end. So the standard optimal algorithm has erred k times. The learner draws k from 0 to d
    and outputs the hypothesis of stage k with n fresh examples after it. (The point is drawn among
    those where the two differ. The cap on the examples, for which the paper pays with a little
    probability, is left out. A label that contradicts an earlier one counts for its own point.)

    right: how likely the coin says the true label: 1/2; or 1, for those runs of `BranchedLists`
    whose labels are all true.
    """

    points: RarePoints
    right: float = 0.5

    @cached_property
    def _stages(self) -> tuple[list[FloatArray], list[float], list[float]]:
        """The law of what each stage knows with fresh examples, and the mean of those it draws.

        Then how likely two runs of each stage but the last differ.
        """
        sizes, drawn, differing = [self.points.seen], [0.0], list[float]()
        for _ in range(self.points.rare):
            kept, differ = self._match(sizes[-1])
            sizes.append(self._union(kept))
            drawn.append(2 * (drawn[-1] + self.points.examples) / differ)
            differing.append(differ)
        return sizes, drawn, differing

    @property
    def stages(self) -> FloatArray:
        """How likely stage k (row) with n fresh examples knows 0, …, d points (columns)."""
        return np.array(self._stages[0])

    @property
    def differing(self) -> FloatArray:
        """How likely two runs of stage 0, …, d − 1 with n fresh examples differ."""
        return np.array(self._stages[2])

    @property
    def sizes(self) -> FloatArray:
        """How likely the learner's hypothesis knows 0, …, d points."""
        return np.asarray(self.stages.mean(axis=0))

    @property
    def stability(self) -> float:
        """η: the probability of the most likely hypothesis, exactly."""
        return self.points.stability(self.sizes)

    @property
    def examples(self) -> float:
        """How many examples the learner draws on average."""
        return float(np.mean(self._stages[1])) + self.points.examples

    def _match(self, sizes: FloatArray) -> tuple[FloatArray, float]:
        """Return the law of how many points the run kept knows, and how likely two runs differ."""
        d = self.points.rare
        a, b, both, overlap = _overlaps(d)
        apart = np.maximum(a + b - 2 * both, 1)
        # The point is one that only the first run knows; which of the two is first is even.
        part = 2 * sizes[a] * sizes[b] * overlap * (a - both) / apart
        # The coin says 0: the run that knows the point unlearns it; 1: the other one learns it.
        unlearned = np.bincount(np.maximum(a - 1, 0), part, d + 1)
        learned = np.bincount(np.minimum(b + 1, d), part, d + 1)
        kept = (1 - self.right) * unlearned + self.right * learned
        differ = float(kept.sum())
        return kept / differ, differ

    def _union(self, sizes: FloatArray) -> FloatArray:
        """Return the law of how many points are known with n fresh examples."""
        a, b, both, overlap = _overlaps(self.points.rare)
        chance = sizes[a] * self.points.seen[b] * overlap
        return np.asarray(np.bincount(a + b - both, chance, self.points.rare + 1), dtype=float)


def joined_runs(dimension: int) -> int:
    """Return how many lists, joined, hold one hypothesis with probability 0.49 if each does at 1/d.

    dimension: d ≥ 1. Independent lists all miss it with probability (1 − 1/d)^runs.
    """
    return 1 if dimension == 1 else math.ceil(math.log(1 - _BRANCHED) / math.log1p(-1 / dimension))


_BRANCHED = 0.49  # the stability of `BranchedLists`


@dataclass(frozen=True)
class BranchedLists:
    """The learner of Theorem 17 with a list in place of its coins: ours, for every finite class.

    A list of stage k holds runs: of `tries` pairs of independent lists of stage k − 1, with n fresh
    examples after each, every two runs, one from either list, whose hypotheses differ are
    continued at a point where they do, with both labels. So no coin has to be right. The learner
    lists the hypotheses of all stages 0 to d.

    Claim: for a class of Littlestone dimension d, 8 tries and n > ln(1/0.49)/α this is α-accurate
    (L, 0.49)-list globally stable, with L = Σ_k 16^(2^k − 1). Proof: follow the runs whose labels
    are all true. Stage k has one with probability s_k >= 1 − (1 − s²D)^8, where s = s_(k − 1) and
    D is how likely two of the stage before differ. While D >= 1/2, s > 0.995 gives s_k > 0.995.
    If D < 1/2 first happens for runs of stage k, two of them agree with probability above 1/2, so
    one hypothesis has probability above 1/2 there, and above 0.995/2 with s_k. If it never
    happens, the optimal algorithm has erred d times on the true run of stage d: its hypothesis is
    the concept. A hypothesis of error above α survives n fresh examples with probability less than
    (1 − α)^n < 0.49, so the one found errs less.

    What it is worth: a short proof that needs no more than the optimal algorithm. Theorem 18 has
    smaller lists: its stability 1/d becomes 0.49 in `joined_runs` independent runs, their lists
    joined, with log L and the examples polynomial in d; here both grow like 2^O(d).

    points: the rare points on which its numbers are exact.
    """

    points: RarePoints
    tries: int = 8

    @cached_property
    def _true(self) -> TournamentLaws:
        return TournamentLaws(self.points, right=1.0)

    @cached_property
    def complete(self) -> FloatArray:
        """How likely a list of stage 0, …, d surely holds the run whose labels are all true."""
        chances = [1.0]
        for differ in self._true.differing.tolist():
            once = min(chances[-1] ** 2 * differ, 1.0)
            chances.append(1 - (1 - once) ** self.tries)
        return np.array(chances)

    @property
    def stability(self) -> float:
        """η of Definition 16, at least: of the true runs alone."""
        stages = self.complete[:, None] * self._true.stages
        return max(self.points.stability(sizes) for sizes in stages)

    @property
    def log2_size(self) -> float:
        """log₂ of a bound on L, the sum of (2·tries)^(2^k − 1) over the stages k."""
        powers = 2.0 ** np.arange(self.points.rare + 1) - 1
        return float(np.logaddexp2.reduce(powers * math.log2(2 * self.tries)))

    @property
    def examples(self) -> float:
        """How many examples the lists of all stages need."""
        needed = [float(self.points.examples)]
        for _ in range(self.points.rare):
            needed.append(2 * self.tries * needed[-1] + self.points.examples)
        return sum(needed)


@lru_cache(maxsize=16)
def _overlaps(
    size: int,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Return the sizes a, b of two sets, what they can share, and how likely random ones do."""
    first, second, both = np.indices((size + 1, size + 1, size + 1)).reshape(3, -1)
    can = (both <= np.minimum(first, second)) & (both >= first + second - size)
    a, b, shared = first[can], second[can], both[can]
    chance = comb(a, shared) * comb(size - a, b - shared) / comb(size, b)
    overlaps = (a, b, shared, np.asarray(chance))
    for part in overlaps:
        part.flags.writeable = False  # the cache hands them to all
    return overlaps


# ---- Theorem 20 on these lists ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RareLearner:
    """Algorithm 1: from lists of known sets to picks that agree; hypotheses are sets as numbers.

    A user runs the standard optimal algorithm on n examples at a time, k₁ = k₂ runs out of all m;
    each run lists what it knows less at most `left_out` points. The user keeps the sets in a share
    τ of the first lists, counts how often each is in the others, and picks with P(h) ∝ e^(γ·Q(h)).
    τ = η/2 as in the proof, γ = ln(2L/(βτ))/τ without its factor of a million. Lemma 19's filter
    has nothing to do: no set misses more than the rare points' mass. The counts are drawn from
    their exact law, so a user may hold any number of examples.
    Source: Ghazi, Kumar & Manurangsi 2021, Theorem 20.
    """

    points: RarePoints
    left_out: int
    beta: float

    @property
    def errors(self) -> FloatArray:
        """The error of each set: the mass of the rare points it misses."""
        d = self.points.rare
        return np.asarray(self.points.mass * (1 - self._sizes / d))

    @cached_property
    def eta(self) -> float:
        """η of the lists, Definition 16."""
        return self.points.list_stability(self.left_out)

    @property
    def tau(self) -> float:
        """τ = η/2."""
        return self.eta / 2

    @cached_property
    def gamma(self) -> float:
        """γ = ln(2L/(βτ))/τ."""
        size = self.points.list_size(self.left_out)
        return (
            math.log(2 * size / (validate("failure_probability", self.beta) * self.tau)) / self.tau
        )

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        """How many points each set holds."""
        return np.bitwise_count(np.arange(2**self.points.rare)).astype(np.int64)

    @cached_property
    def lists(self) -> csr_array:
        """1 where a run that has seen a set (row) lists a set (column), else 0."""
        sets = np.arange(2**self.points.rare)
        inside = (sets & ~sets[:, None]) == 0
        few = self._sizes[:, None] - self._sizes <= self.left_out
        return csr_array(inside & few, dtype=float)

    @cached_property
    def law(self) -> FloatArray:
        """How likely a run sees each set of rare points, and no other."""
        law = (self.points.seen / _sets(self.points.rare))[self._sizes]
        return np.asarray(law / law.sum())

    def proof_steps(
        self, users: int, *, examples: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.bool_], FloatArray, FloatArray]:
        """Return, for users drawn, what Lemmas 22 to 24 bound in the proof of Theorem 20.

        Whether H holds all sets listed with probability 1.1τ or more and none below 0.9τ; the total
        variation distance of 𝒫 and 𝒫_H, where that is so (else NaN); that of 𝒫_H and its empirical
        version. 𝒫 has weights e^(γ·Q(h)) on the sets with Q(h) >= 0.9τ, 𝒫_H on H, with the true Q.
        All are NaN or false where H is empty.
        """
        runs = max(examples // (2 * self.points.examples), 1)
        true = self.law @ self.lists
        kept, counted = self._shares(users, runs, rng)
        listed = kept >= self.tau
        inside = np.all(listed >= (true >= 1.1 * self.tau), axis=1)
        inside &= np.all(listed <= (true >= 0.9 * self.tau), axis=1)
        with np.errstate(invalid="ignore"):
            every, mine, drawn = (
                softmax(np.where(some, self.gamma * share, -np.inf), axis=1)
                for some, share in (
                    (true[None, :] >= 0.9 * self.tau, true[None, :]),
                    (listed, true[None, :]),
                    (listed, counted),
                )
            )
        kept_far, counted_far = (
            abs(a - b).sum(axis=1) / 2 for a, b in ((every, mine), (mine, drawn))
        )
        return inside, np.where(inside, kept_far, np.nan), counted_far

    def _shares(
        self, users: int, runs: int, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return in what share of the first runs, and of the second, users list each set."""
        first, second = (
            np.asarray(rng.multinomial(runs, self.law, size=users) @ self.lists) / runs
            for _ in range(2)
        )
        return first, second

    def picks(
        self, users: int, *, examples: int, seed: int | None, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the set each user picks; `NOTHING` where no run, or no candidate, is left."""
        runs = examples // (2 * self.points.examples)
        if runs < 1:
            return np.full(users, NOTHING)
        kept, counted = self._shares(users, runs, rng)
        return pick_candidate(kept >= self.tau, self.gamma * counted, seed=seed, rng=rng)
