"""The proof of Theorem 4 in numbers: Lemma 21's representation, and the users Lemma 22 asks for.

Ghazi, Kamath et al. 2023, for the class of points (`representations`). δ = 0; two inputs are
neighbours if one user's examples are substituted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.representations import (
    SUCCESS,
    THEOREM_ACCURACY,
    THEOREM_FAILURE,
    Candidates,
    chance,
)

_WEAK = 0.25  # both numbers of a (1/4, 1/4)-probabilistic representation
_ALL_HOLD = 0.9  # how surely Lemma 22 holds for all hypotheses at once
_GOOD_SCORE, _BAD_SCORE = 0.05, 0.1  # Lemma 22's scores, in units of α n m
_CLOSE = 1e-4  # relative, between the ends of a number of users


@dataclass(frozen=True)
class Boosted:
    """A representation of the points made as Lemma 21 makes one.

    rounds: votes in a majority. copies: weak representations united for each vote. weak: hypotheses
    in one weak representation. log_size: ln |H|.
    """

    rounds: int
    copies: int
    weak: int
    log_size: float


def boosted_points(alpha: float) -> Boosted:
    """Return a (0.01 α, 1/4)-probabilistic representation of the points, from (1/4, 1/4) ones.

    A hash to 12 buckets is a (1/4, 1/4)-representation of 13 hypotheses (`hashed_points`). Unite s
    fresh copies for each of T votes and take all majorities of T hypotheses, one of each union, so
    that ln |H| = T ln(12 s + 1). Proof: let an adversary weigh the examples anew before each vote,
    examples that the last choice got right by 1/√3, wrong by √3. A union holds, with probability
    1 − 4⁻ˢ, one that errs by at most 1/4 under these weights: they depend on earlier unions only.
    If all T do, the majority errs by at most (√3/2)^T (Freund & Schapire 1997, with equal votes),
    which is 0.01 α or less; some union fails with probability T 4⁻ˢ ≤ 1/4. The construction is that
    of Lemma 21, whose Õ hides the constants; these are ours. Raises `ParameterError`.
    """
    accuracy = THEOREM_ACCURACY * validate("alpha", alpha)
    rounds = math.ceil(math.log(accuracy) / math.log(math.sqrt(3) / 2))
    rounds += 1 - rounds % 2  # no ties
    copies = math.ceil(math.log(rounds / THEOREM_FAILURE) / math.log(4))
    buckets = round((1 - _WEAK) / _WEAK**2)
    size = rounds * math.log(copies * buckets + 1)
    return Boosted(rounds=rounds, copies=copies, weak=buckets + 1, log_size=size)


def enough_users_boosted(*, alpha: float, epsilon: float, examples_per_user: float) -> float:
    """Return a number of users that is enough with `boosted_points`, on the input of `least_users`.

    A good majority is there with probability 3/4 and contradicts nobody. Each of the others errs on
    the labelled point, or else on the other one, which more users have seen as α ≤ 1/2: so what
    both kinds take from the good one is at most twice what |H| of the first kind would. Proven, not
    tight. Raises `ParameterError`.
    """
    alpha, epsilon = validate("alpha", alpha), validate("epsilon", epsilon)
    size = math.exp(boosted_points(alpha).log_size)
    seen = -math.expm1(validate("examples_per_user", examples_per_user) * math.log1p(-alpha))
    wanted = 1 - (1 - SUCCESS / (1 - THEOREM_FAILURE)) / 2
    candidates = Candidates(count=2, has_good=1.0, as_wrong=size)

    def enough(users: int) -> bool:
        return chance(candidates, users, seen, epsilon).lower >= wanted

    return _first(enough)


def users_of_the_proof(
    log_size: float, *, alpha: float, epsilon: float, examples_per_user: float
) -> float:
    """Return the users with whom the proof of Theorem 4 goes through, with its own constants.

    log_size: ln |H|. For every class with a (0.01 α, 1/4)-representation of that size, and every
    distribution. Of m examples ⌊1/α⌋ are used at most. Lemma 22's two events hold for all of H with
    probability 0.9, by a union over exact binomial tails; then the exponential mechanism is within
    0.05 α n m of the best score but with the probability that is left of 1/3. Raises
    `ParameterError`.
    """
    alpha, epsilon = validate("alpha", alpha), validate("epsilon", epsilon)
    m = min(validate("examples_per_user", examples_per_user), math.floor(1 / alpha))
    left = 1 - SUCCESS / (_ALL_HOLD * (1 - THEOREM_FAILURE))
    drawn = (log_size - math.log(left)) * 2 / (_GOOD_SCORE * alpha * m * epsilon)
    allowed = (1 - _ALL_HOLD) * math.exp(-log_size)

    def enough(users: int) -> bool:
        return unlucky_hypothesis(users, alpha=alpha, examples=m) <= allowed

    return max(_first(enough), math.ceil(drawn))


def unlucky_hypothesis(users: int, *, alpha: float, examples: float) -> float:
    """Return how likely one hypothesis breaks Lemma 22, (i) or (ii), at the worst error allowed.

    Its score counts the users who contradict it, each with probability 1 − (1 − err)^m: (i) more
    than 0.05 α n m at err = 0.01 α, (ii) at most 0.1 α n m at err = α. Exact.
    """
    errors = np.array([THEOREM_ACCURACY * alpha, alpha])
    contradicted = -np.expm1(examples * np.log1p(-errors))
    mean = alpha * users * examples
    good = _at_most(math.floor(_GOOD_SCORE * mean), users, contradicted[:1], above=True)
    bad = _at_most(math.floor(_BAD_SCORE * mean), users, contradicted[1:], above=False)
    return float(max(good[0], bad[0]))


def _first(enough: Callable[[int], bool]) -> float:
    """Return a number of users that is enough, where hardly fewer are."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > max(1, _CLOSE * low):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)


def _at_most(count: int, users: int, chance: FloatArray, *, above: bool) -> FloatArray:
    """Return P(Bin(users, chance) ≤ count), or P(… > count)."""
    if count >= users:
        return np.zeros_like(chance) if above else np.ones_like(chance)
    if above:
        return np.asarray(betainc(count + 1, users - count, chance))
    return np.asarray(betainc(users - count, count + 1, 1 - chance))
