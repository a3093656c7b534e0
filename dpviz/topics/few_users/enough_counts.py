"""How many users it takes until all counts are right, not only the winner: private histograms.

The histogram problem of Ghazi, Kumar & Manurangsi 2021, Section 2.3 and Appendix D: estimate how
many users hold each of 2^d items; the error is that of the worst count. Here success is that no
count errs by more than a tenth of the users, as the proof of Theorem 25 needs of the winner. The
votes and what a neighbour may change are those of `enough_users`: four fifths of the users hold one
item, the other fifth another one, nobody any of the rest; one user's item is exchanged. n is a
multiple of 10. What is estimated below 0 is released as 0.

central, (ε, δ): the stable histogram (Lemma 11), which never lists what nobody holds. central,
pure: noise on whole numbers for each of the 2^d counts, ∝ e^(−ε|x|/2) (Dwork et al. 2006, Ghosh et
al. 2009; the paper has selection only). local: one bit of a Hadamard row from each user (Lemma
13). shuffle: every count from below (Lemma 37).
"""

import math
from functools import lru_cache

import numpy as np
from scipy import stats

from dpviz.maths.selection.local import HadamardHistogram
from dpviz.results.evidence import Bracket
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.topics.few_users.enough_users import LikeForLike, least_groups

SHARE = 10
"""An error of one in so many users is allowed; n is a multiple of it."""

_FIRST, _SECOND = 8, 2  # of every ten users: who hold the one item, and the other
_NEGLIGIBLE, _WINDOW = 1e-14, 4.1  # mass of a binomial law that is left out, and how far away
_SLACK = 1e-9  # an error of just n/10 is none, however it is rounded


def all_right(model: str, vote: LikeForLike, *, tens: int, bits: int) -> Bracket:
    """Return between what bounds the probability lies that no count errs by more than n/10.

    tens: n/10, from 1; bits: d. Both ends are the same but in the local model. Raises
    `ParameterError`.
    """
    others = 2**bits - 2
    match model:
        case "approximate":  # held counts fall short by their noise, others are not listed
            exact = vote.stable_noise.below(tens + 1) ** 2
        case "shuffle":  # other counts are estimated at most 0, and released as 0
            noise = vote.shuffle_noise
            exact = float(stats.nbinom.cdf(tens, noise.dispersion, noise.success)) ** 2
        case "pure":
            exact = _pure(vote.epsilon, tens, others)
        case "local":
            return _local(vote.epsilon, tens, others)
        case _:
            raise ParameterError("model", "approximate, pure, shuffle or local", model)
    return Bracket(exact, exact)


def _pure(epsilon: float, tens: int, others: int) -> float:
    """Return the probability for two-sided geometric noise on every count."""
    beyond = math.exp(-epsilon / 2 * (tens + 1)) / (1 + math.exp(-epsilon / 2))  # on one side
    return (1 - 2 * beyond) ** 2 * math.exp(others * math.log1p(-beyond))


def _local(epsilon: float, tens: int, others: int) -> Bracket:
    """Return bounds for one randomised bit of each user.

    Any one count fails at most as often as all together in a union bound. From below: a held
    item's count; and the counts of two items that nobody holds are independent, as two signs of
    a random row are, so at least one of M that fail with probability p each does with probability
    at least Mp/(1 + (M − 1)p) (second moments).
    """
    held, nobody = local_errors(epsilon, tens)
    together = others * nobody
    some = together / (1 + max(others - 1, 0) * nobody)
    return Bracket(max(1 - sum(held) - together, 0.0), 1 - max(*held, some))


@lru_cache(maxsize=4096)
def local_errors(epsilon: float, tens: int) -> tuple[tuple[float, float], float]:
    """Return how likely a count errs by more than n/10: of the two items held, and of another.

    A user who holds the item adds to its estimate with probability e^ε/(1 + e^ε), every other one
    with 1/2, whatever they hold. A count of 0 errs only upwards. A mass of 1e-14 counts as error.
    """
    mechanism = HadamardHistogram(epsilon, 2)
    n, half = SHARE * tens, tens / mechanism.scale / 2
    failures = []
    for count in (_FIRST * tens, _SECOND * tens):
        mean, truth = count * mechanism.truth_probability, mechanism.truth_probability
        k = np.arange(  # by Hoeffding's inequality a mass of 1e-14 at most lies beyond
            max(math.floor(mean - _WINDOW * math.sqrt(count)), 0),
            min(math.ceil(mean + _WINDOW * math.sqrt(count)), count) + 1,
        )
        middle = n / 2 + count / mechanism.scale / 2 - k  # the mean of all who add, less k
        above = stats.binom.sf(np.floor(middle + half + _SLACK), n - count, 0.5)
        below = stats.binom.cdf(np.ceil(middle - half - _SLACK) - 1, n - count, 0.5)
        failure = float(stats.binom.pmf(k, count, truth) @ (above + below))
        failures.append(min(failure + _NEGLIGIBLE, 1.0))
    other = stats.binom.sf(math.floor(n / 2 + half + _SLACK), n, 0.5)
    return (failures[0], failures[1]), float(other)


def enough_for_counts(model: str, vote: LikeForLike, *, bits: float, beta: float) -> Bracket:
    """Return between what bounds the least n lies for which `all_right` is at least 1 − β.

    Found by bisection: in the local model estimates are multiples of a number, and for a few n next
    to the ends success jumps over 1 − β and back. Infinite where it takes more than 327,680 users.
    Raises `ParameterError`.
    """
    d = int(LIMITS["class_bits"].validate(bits))
    goal = 1 - validate("failure_probability", beta)

    def upper(tens: int) -> bool:
        return all_right(model, vote, tens=tens, bits=d).upper >= goal

    def lower(tens: int) -> bool:
        return all_right(model, vote, tens=tens, bits=d).lower >= goal

    few = SHARE * least_groups(upper)
    return Bracket(few, SHARE * least_groups(lower) if model == "local" else few)
