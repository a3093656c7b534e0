"""How many users a private vote needs, in four models like for like.

Like for like: in all four a neighbour exchanges one user's item for another, and every mechanism
has the least noise of its kind with which it is exactly (ε, δ)-private, or ε-private, for that (in
the shuffle model p stays that of ε/2, as in Lemma 36). The vote is the one at which the proofs of
Theorems 25 and 29 arrive: four fifths of the users hold one item; here the other fifth holds
another one, and nobody any of the rest. Success is that the first item is released. So n is a
multiple of 5. The numbers are exact, but for the local model, where they are certified from both
sides. Source of the mechanisms: Ghazi, Kumar & Manurangsi 2021, Lemmas 11, 12, 13 and 36.

A parity of many bits is the easiest vote: see `parity_users`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dpviz.maths.logspace import log_sum_exp
from dpviz.maths.selection.local import HadamardHistogram
from dpviz.maths.selection.shuffle import NegativeBinomialSum, least_exchange_dispersion
from dpviz.maths.truncated_laplace import TruncatedDiscreteLaplace
from dpviz.results.evidence import Bracket, FloatArray
from dpviz.results.parameters import LIMITS, ParameterError, validate
from dpviz.results.refining import pause
from dpviz.topics.few_users.best_vote import BestVote

GROUP, MAJORITY = 5, 4
"""Of every five users four hold the item that should win."""

_FARTHEST = 2**15  # groups tried; where these are too few, no number is given
_NEGLIGIBLE = 1e-15  # mass of a bucket's noise that is left out
_NEVER = 79.0  # a mass of e^−79 is too small to change a sum of doubles


@dataclass(frozen=True)
class LikeForLike:
    """Four private votes, each (ε, δ)-private when one user's item is exchanged for another.

    delta: used by the approximate and the shuffle model. Items are 2^d, d = bits, from 1 to 40.
    Raises `ParameterError`.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        validate("epsilon", self.epsilon)
        validate("delta", self.delta)

    @cached_property
    def stable_noise(self) -> TruncatedDiscreteLaplace:
        """The noise of each count of the stable histogram.

        To exchange an item moves two counts by one each. Away from the ends both together change
        the probability by e^(ε/2)·e^(ε/2) at most, and either end has mass δ₀: the exact δ is
        1 − (1 − δ₀)².
        """
        end = -math.expm1(math.log1p(-self.delta) / 2)
        return TruncatedDiscreteLaplace.shortest(self.epsilon / 2, end)

    @cached_property
    def shuffle_noise(self) -> NegativeBinomialSum:
        """The noise of each bucket of the shuffle model; two change, looked at together."""
        r = least_exchange_dispersion(self.epsilon, self.delta)
        return NegativeBinomialSum(self.epsilon / 2, r)

    @cached_property
    def _shuffle_masses(self) -> FloatArray:
        """The masses of the noise of a bucket, but for a negligible part."""
        bucket = self.shuffle_noise
        last = int(stats.nbinom.isf(_NEGLIGIBLE, bucket.dispersion, bucket.success))
        return bucket.noise_pmf(last + 2)

    def approximate(self, groups: int) -> float:
        """Return how likely the stable histogram releases the right item, central model.

        It does not depend on how many items there are.
        """
        noise = self.stable_noise
        values = np.arange(1, MAJORITY * groups + 1)
        masses = noise.pmf(np.arange(2 * noise.kappa + 1))
        below = np.append(np.cumsum(masses[::-1])[::-1], 0.0)  # P(noise >= place)
        rival = np.where(values > groups, 1.0, below[np.clip(groups - values + 1, 0, masses.size)])
        return float((noise.pmf(MAJORITY * groups - values) * rival).sum())

    def pure(self, groups: int, bits: int) -> float:
        """Return how likely the exponential mechanism does, ∝ e^(ε·c/2), central model."""
        scores = [MAJORITY * groups * self.epsilon / 2, groups * self.epsilon / 2]
        rest = [math.log(2**bits - 2)] if bits > 1 else []
        return float(np.exp(scores[0] - log_sum_exp([*scores, *rest])))

    def shuffle(self, groups: int, bits: int) -> float:
        """Return how likely counting from below does, shuffle model; ties are lost."""
        masses = self._shuffle_masses
        noise = np.arange(masses.size)
        at_most = np.concatenate([[0.0], np.minimum(np.cumsum(masses), 1.0)])
        estimates = MAJORITY * groups - noise

        def behind(count: int) -> FloatArray:
            """Return how likely a count's estimate is less than each estimate, less 1."""
            places = np.clip(count - estimates + 1, 0, masses.size)
            return np.asarray(-at_most[places])  # less 1, for the precision of log1p

        with np.errstate(divide="ignore"):
            nobody = (2**bits - 2) * np.log1p(behind(0)) if bits > 1 else np.zeros(noise.size)
        return float((masses * (1 + behind(groups)) * np.exp(nobody)).sum())

    def local(self, groups: int, bits: int) -> Bracket:
        """Return between what bounds the local model's probability lies; ties are lost.

        It fails at least as often as the other item held beats the right one, and at most as often
        as all items together do.
        """
        held, other = local_failures(self.epsilon, groups)
        return Bracket(max(1 - held - (2**bits - 2) * other, 0.0), 1 - held)


def full_rank(bits: int, examples: int) -> float:
    """Return how likely so many uniform vectors of d bits have rank d: then one parity fits.

    ∏ (1 − 2^(i − m)) over i = 0, …, d − 1: the chance that no mask but 0 is orthogonal to all m.
    """
    if examples < bits:
        return 0.0
    return math.exp(sum(math.log1p(-(2.0 ** (i - examples))) for i in range(bits)))


def parity_users(bits: int, *, epsilon: float, examples: int, beta: float) -> float:
    """Return a number of users who certainly learn a parity of d bits with ε-local privacy.

    Every user solves for the parities that fit m uniform examples, in time O(m·d²), and votes for
    it if there is one only. Success 1 − β is certain by a union bound: over users of less than
    full rank, and over the 2^d − 1 other parities, the tail of each of which is exact. Infinite
    where m is too small. bits: d, from 1 to 40. Raises `ParameterError`.
    """
    d = int(LIMITS["class_bits"].validate(bits))
    allowed = validate("failure_probability", beta)
    truth = HadamardHistogram(epsilon, 2).truth_probability
    unsure = 1 - full_rank(d, examples)

    def succeeds(users: int) -> bool:
        failure = _reached((users, 0), (truth, 0.5))
        return bool(users * unsure + (2**d - 1) * failure <= allowed)

    return least_groups(succeeds)


def best_vote_users(*, epsilon: float, bits: float, beta: float) -> float:
    """Return with how many users the vote succeeds that is best where all agree, with δ = 0.

    Exact, as its chance is known where a fifth of the users hold another item, too (`BestVote`).
    Infinite where all the users that it takes are too few. Raises `ParameterError`.
    """
    items = 2 ** int(LIMITS["class_bits"].validate(bits))
    goal = 1 - validate("failure_probability", beta)

    def succeeds(groups: int) -> bool:
        return BestVote(GROUP * groups, items, epsilon).success_among_two(groups) >= goal

    return GROUP * least_groups(succeeds, int(LIMITS["users"].maximum) // GROUP)


def local_failures(epsilon: float, groups: int) -> tuple[float, float]:
    """Return how likely one item's estimate reaches the right one's: the other held, one not held.

    A user whose public row tells the two items apart, as half of the rows do, moves the difference
    of the estimates by a step: in the right direction with probability e^ε/(1 + e^ε) if they hold
    the right item, in the wrong one if they hold the other, either way if they hold neither.
    """
    truth = HadamardHistogram(epsilon, 2).truth_probability
    held = _reached((MAJORITY * groups, groups), (truth, 1 - truth))
    return held, _reached((MAJORITY * groups, groups), (truth, 0.5))


@lru_cache(maxsize=4096)
def _reached(users: tuple[int, int], chances: tuple[float, float]) -> float:
    """Return P(D <= 0) for a sum D of steps: 0 with probability 1/2, else up with the chance.

    users, chances: of each of two kinds. The law of D is tilted so that its mean is about 0, and
    computed by a Fourier transform: so the tail keeps its relative precision.
    """
    counts, up = np.array(users), np.array(chances) / 2
    tilt = min(0.5 * math.log(float(counts @ (0.5 - up)) / float(counts @ up)), 0.0)
    low, high = (0.5 - up) * math.exp(-tilt), up * math.exp(tilt)
    total = low + 0.5 + high
    size = 2 << min(_reach(counts, low / total, high / total), int(counts.sum())).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)[:, None]
    steps = (low / turn + 0.5 + high * turn) / total  # their moduli fall along the rows
    with np.errstate(divide="ignore"):
        weight = np.log(np.abs(steps[:, counts > 0])) @ counts[counts > 0]
    law = np.fft.irfft(np.prod(steps[weight > -_NEVER] ** counts, axis=1), size)
    down = np.arange(min(size // 2, int(counts.sum()) + 1))
    tail = float(np.maximum(law[-down], 0.0) @ np.exp(tilt * down))
    return min(tail * math.exp(float(counts @ np.log(total))), 1.0)


def _reach(counts: NDArray[np.int64], low: FloatArray, high: FloatArray) -> int:
    """Return how far from 0 a sum of steps −1, 0, 1 never gets, but for a mass of 1e-34.

    By Bernstein's inequality; low, high: how likely a step of each kind goes down and up.
    """
    drift, spread = float(counts @ (high - low)), float(counts @ (high + low))
    away = _NEVER / 3 + math.sqrt(_NEVER**2 / 9 + 2 * _NEVER * spread)
    return math.ceil(abs(drift) + away)


def least_groups(succeeds: Callable[[int], bool], farthest: int = _FARTHEST) -> float:
    """Return the least number of groups that succeeds, where more do as well.

    Infinite if none does up to the farthest.
    """
    low, high = 0, 1
    while not succeeds(high):
        pause()
        if high == farthest:
            return math.inf
        low, high = high, min(2 * high, farthest)
    while high - low > 1:
        pause()
        middle = (low + high) // 2
        low, high = (low, middle) if succeeds(middle) else (middle, high)
    return float(high)


def enough_users(model: str, vote: LikeForLike, *, bits: float, beta: float) -> Bracket:
    """Return between what bounds the least n with success 1 − β lies; both are the same if exact.

    model: "approximate", "pure", "shuffle" or "local". Raises `ParameterError`.
    """
    d = int(LIMITS["class_bits"].validate(bits))
    goal = 1 - validate("failure_probability", beta)
    exact: dict[str, Callable[[int], float]] = {
        "approximate": vote.approximate,
        "pure": lambda groups: vote.pure(groups, d),
        "shuffle": lambda groups: vote.shuffle(groups, d),
    }
    if model in exact:
        n = GROUP * least_groups(lambda groups: exact[model](groups) >= goal)
        return Bracket(n, n)
    if model != "local":
        raise ParameterError("model", "approximate, pure, shuffle or local", model)
    low = GROUP * least_groups(lambda groups: vote.local(groups, d).upper >= goal)
    return Bracket(low, GROUP * least_groups(lambda groups: vote.local(groups, d).lower >= goal))
