"""Users that no private algorithm does with fewer than: explicit packings of the tasks run here.

Ghazi, Kamath et al. 2023, Theorems 24, 38 and 42 and Lemma 39, with constants instead of Ω. Users
are substituted; δ = 0. The bounds are on learning every member of a family with probability 2/3.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, ndtri
from scipy.stats import binom

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.covers import (
    BOUNDED_REACH,
    FREQUENT,
    KNOWN_REACH,
    known_distance,
)
from dpviz.topics.user_complexity.fewest_users import SUCCESS

_BEYOND = 1 + 1e-9  # of 2α: members so far apart have no answer in common
_LATTICES = {
    1: [[1.0]],
    2: [[1.0, 0.0], [0.5, math.sqrt(0.75)]],
    3: (np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1]]) / math.sqrt(2)).tolist(),
}
"""Bases of the densest lattices, whose points are at distance 1 or more."""


@dataclass(frozen=True, eq=False)
class Packing:
    """Members of a family of which an answer is right for few at once.

    words: the members, the first of which is the one that all are compared with, included.
    shared: of how many an answer can be right. counts: the other members by kind. apart(m): how far
    m examples of each kind are from as many of the first, in total variation, exactly. divergence:
    KL of one example of each kind from one of the first; infinity where it has none.
    """

    words: int
    shared: int
    counts: FloatArray
    apart: Callable[[int], FloatArray]
    divergence: FloatArray

    def least_users(self, examples: int, epsilon: float) -> float:
        """Return the least number of users that the two bounds below leave possible."""
        return max(self.by_privacy(examples, epsilon), self.by_information(examples))

    def by_privacy(self, examples: int, epsilon: float) -> float:
        """Return the users below which privacy is in the way.

        Exchange the users of member i for users of the first one by one: each multiplies the
        probability of an event by 1 + γ(e^ε − 1) at most, γ = TV of a user's examples
        (`dpviz.maths.coin_tests.proven_least` has the proof). So an answer right for i comes with
        probability (2/3)(1 + γᵢ(e^ε − 1))⁻ⁿ when all users are the first's, and these sum to
        `shared` at most. γ = 1 gives ln W/ε, γ ~ √(mβ) the second term of Lemma 39.
        """
        grows = np.log1p(self.apart(examples) * math.expm1(epsilon))

        def room(users: float) -> float:
            return self.shared - SUCCESS * (1 + float(self.counts @ np.exp(-users * grows)))

        if room(1.0) >= 0:
            return 1.0
        high = 2.0
        while room(high) < 0:
            high *= 2
        return float(brentq(room, high / 2, high))

    def by_information(self, examples: int) -> float:
        """Return the users below which even without privacy the examples say too little (Fano).

        n·m examples say at most n·m·β about which member is theirs, β the mean divergence from the
        first; a right answer leaves `shared` of W, so 2/3 ln(W/shared) − ln 2 ≤ n m β. Members are
        taken from the nearest on, as many as is best.
        """
        order = np.argsort(self.divergence)
        counts, divergence = self.counts[order], self.divergence[order]
        words = 1 + np.cumsum(counts)
        mean = np.cumsum(counts * divergence) / words
        needed = SUCCESS * np.log(words / self.shared) - math.log(2)
        return float(max(1.0, (needed / (examples * mean)).max(initial=1.0)))


def proven_users(key: str, *, dimension: int, alpha: float, epsilon: float, examples: int) -> int:
    """Return a number of users that no ε-private algorithm learns the family with fewer than.

    key: of `learning_tasks.LEARNED`. The best of the packings below; 1 where none fits, as for a
    large α. Raises `ParameterError`.
    """
    alpha, epsilon = validate("target_error", alpha), validate("task_epsilon", epsilon)
    bounds = [packing.least_users(examples, epsilon) for packing in packings(key, dimension, alpha)]
    return math.ceil(max(bounds, default=1.0) - 1e-9)


def packings(key: str, dimension: int, alpha: float) -> Iterator[Packing]:
    """Yield packings of the family: any of them bounds the users."""
    if key == "product":
        for distance in range(1, dimension + 1):
            yield from _bits(code(dimension, distance), distance, alpha)
    elif key in ("known", "bounded"):
        reach = KNOWN_REACH if key == "known" else BOUNDED_REACH
        yield from _means(dimension, reach, alpha)
    else:
        yield from _labellings(dimension, alpha, noisy=key == "noisy_labels")


@lru_cache(maxsize=32)
def code(length: int, distance: int) -> FloatArray:
    """Return words of 0 and 1, any two of which differ in `distance` places or more.

    The greedy code of Theorem 24: words in the order of numbers, each taken if it is far enough
    from all that are.
    """
    chosen: list[tuple[int, ...]] = []
    for word in itertools.product((0, 1), repeat=length):
        if all(
            sum(a != b for a, b in zip(word, other, strict=True)) >= distance for other in chosen
        ):
            chosen.append(word)
    return np.array(chosen, dtype=float)


def bits_apart(tosses: ArrayLike, lean: float) -> FloatArray:
    """Return the total variation distance of tosses of two coins, ½ + lean and ½ − lean, exactly.

    Most tosses decide: of an odd number 2 P(more heads) − 1; one toss more, which could make a tie,
    changes nothing.
    """
    half = np.ceil(np.asarray(tosses, dtype=float) / 2)
    return np.asarray(2 * betainc(half, half, 0.5 + lean) - 1)


def _bits(words: FloatArray, distance: int, alpha: float) -> Iterator[Packing]:
    """Yield the code with chances ½ ± s, the least s at which two words are beyond 2α apart."""
    most, needed = FREQUENT - 0.5, 2 * alpha * _BEYOND
    if len(words) < 2 or float(bits_apart(distance, most)) <= needed:
        return
    lean = float(brentq(lambda s: float(bits_apart(distance, s)) - needed, 0, most, xtol=1e-14))
    lean = min(lean * _BEYOND, most)
    differ, counts = np.unique((words[1:] != words[0]).sum(axis=1), return_counts=True)
    divergence = 2 * lean * math.log((0.5 + lean) / (0.5 - lean))
    yield Packing(
        words=len(words),
        shared=1,
        counts=counts.astype(float),
        apart=lambda m: bits_apart(differ * m, lean),
        divergence=differ * divergence,
    )


def _means(dimension: int, reach: float, alpha: float) -> Iterator[Packing]:
    """Yield Gaussians of covariance I with means beyond 2α apart: a lattice, and a simplex.

    For bounded covariance they are some of the family, which bounds it too.
    """
    needed = 2 * alpha * _BEYOND
    spacing = 2 * float(ndtri((1 + needed) / 2)) if needed < 1 else math.inf
    if spacing <= reach:
        steps = np.arange(-math.ceil(2 * reach / spacing) - 1, math.ceil(2 * reach / spacing) + 2)
        axes = np.meshgrid(*[steps] * dimension, indexing="ij")
        points = np.stack(axes, axis=-1).reshape(-1, dimension) @ np.array(_LATTICES[dimension])
        lengths = np.linalg.norm(points, axis=1) * spacing
        far, counts = np.unique(
            np.round(lengths[(lengths <= reach) & (lengths > spacing / 2)], 9), return_counts=True
        )
        yield _of_means(far, counts.astype(float))
    for corners in range(2, dimension + 2):
        if spacing * math.sqrt((corners - 1) / (2 * corners)) <= reach:
            yield _of_means(np.array([spacing]), np.array([corners - 1.0]))


def _of_means(far: FloatArray, counts: FloatArray) -> Packing:
    return Packing(
        words=1 + int(counts.sum()),
        shared=1,
        counts=counts,
        apart=lambda m: known_distance(far * math.sqrt(m)),
        divergence=far**2 / 2,
    )


def _labellings(dimension: int, alpha: float, *, noisy: bool) -> Iterator[Packing]:
    """Yield all labellings of d points: an answer is right for those that differ in few.

    An error of α is at most αd/lean wrong points, lean as in `learning_tasks`.
    """
    lean = min(3 * alpha, 0.9)
    wrong = math.floor(alpha * dimension / lean * (1 + 1e-9))
    differ = np.arange(1, dimension + 1)
    counts = np.array([math.comb(dimension, h) for h in differ], dtype=float)

    def apart(m: int) -> FloatArray:
        if not noisy:
            return np.asarray(1 - (1 - lean * differ / dimension) ** m)
        seen = np.arange(1, m + 1)
        return np.asarray(
            binom.pmf(seen, m, differ[:, None] / dimension) @ bits_apart(seen, lean / 2)
        )

    kept = math.log((1 + lean) / (1 - lean)) * lean / dimension if noisy else math.inf
    yield Packing(
        words=2**dimension,
        shared=sum(math.comb(dimension, h) for h in range(wrong + 1)),
        counts=counts,
        apart=apart,
        divergence=np.asarray(differ * kept, dtype=float),
    )
