"""Telling coins apart: exact laws of simple private mechanisms, and a proven bound on users.

n users toss one unknown coin m times each. Neighbouring data sets: one user is substituted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import expit

from dpviz.results.caching import cached
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError

MOST_USERS = 20_000
"""Up to which users are counted; where more are needed, the answer is infinity."""

_CLIPS = 7  # thresholds that are tried
_DEEP = 1e-280  # tails below this are about to leave the range of numbers
_SURE = math.log(2e16)
_MANY = 10_000  # tosses whose probabilities are no longer added one by one
_SF_ERROR = 1e-13  # of two binomial tails: they and the sum of masses agree within 5e-14
_LOST = 1e-16  # probabilities of single sums that transforms cannot tell from 0


@dataclass(frozen=True)
class Coins:
    """The coins to be told apart, by their probabilities of heads in ascending order.

    rates: 2 or 3 numbers in (0, 1), symmetric around 1/2. Raises `ParameterError`.
    """

    rates: tuple[float, ...]

    def __post_init__(self) -> None:
        rates = np.asarray(self.rates, dtype=float)
        symmetric = rates.size in (2, 3) and np.allclose(rates + rates[::-1], 1, rtol=0, atol=1e-15)
        if not (symmetric and np.all(np.diff(rates) > 0) and rates[0] > 0):
            raise ParameterError("rates", "2 or 3 probabilities symmetric around 1/2", self.rates)


def clipped_laplace_success(
    coins: Coins, *, users: int, examples: int, clip: int, epsilon: float
) -> float:
    """Return the worst coin's probability of being named by a noisy sum of clipped votes.

    A user's vote is heads less tails, cut off to [−clip, clip]; one user moves the sum by at most
    2·clip, so Laplace noise of scale 2·clip/ε makes it ε-private. Of two coins the sign of the
    noisy sum decides; of three the two outer ones are named where it is beyond a threshold, at
    which all three are named equally often. Exact, but for rounding (1e-12).
    """
    scale = 2 * clip / epsilon
    heads = np.arange(examples + 1)
    votes = np.asarray(np.clip(2 * heads - examples, -clip, clip) + clip, dtype=np.intp)
    places, law = _sum_law(votes, examples, coins.rates[-1], users)

    def above(threshold: float) -> float:
        return float(law @ _laplace_above((threshold + users * clip - places) / scale))

    if len(coins.rates) == 2:
        return above(0.0)
    middle, fair = _sum_law(votes, examples, 0.5, users)

    def lead(threshold: float) -> float:
        beyond = _laplace_above((threshold + users * clip - middle) / scale)
        return above(threshold) - (1 - 2 * float(fair @ beyond))

    return above(
        float(scipy.optimize.brentq(lead, 0.0, users * clip + 40 * scale, xtol=1e-9 * scale))
    )


def plain_laplace_success(rate: float, *, users: int, examples: int, epsilon: float) -> float:
    """Return how often noise on the sum of all votes names the right one of two coins.

    `clipped_laplace_success` with nothing cut off, in closed form: with S heads less tails and b
    the scale, E[e^(−S/b); S > 0] is a binomial tail of the tilted coin. rate: above 1/2.
    """
    tosses, tilt = users * examples, epsilon / examples  # 2/b

    def lost(rate: float) -> float:
        """Return E[e^(−S/b); S > 0]/2 of a coin."""
        grown = 1 - rate + rate * math.exp(-tilt)
        tilted, first = rate * math.exp(-tilt) / grown, tosses // 2 + 1
        tail = float(scipy.stats.binom.sf(first - 1, tosses, tilted))
        if tail > _DEEP:
            return math.exp(tosses * (tilt / 2 + math.log(grown)) + math.log(tail)) / 2
        # so deep in the tail its terms fall off fast, and are added in logarithms
        fall = math.log((1 - tilted) / tilted)
        heads = first + np.arange(min(tosses - first, math.ceil(40 / fall)) + 1)
        terms = scipy.stats.binom.logpmf(heads, tosses, rate) - tilt * (heads - tosses / 2)
        return float(np.exp(terms).sum()) / 2

    ahead = float(scipy.stats.binom.sf(tosses // 2, tosses, rate))
    even = float(scipy.stats.binom.pmf(tosses // 2, tosses, rate)) if tosses % 2 == 0 else 0.0
    return ahead + even / 2 - lost(rate) + lost(1 - rate)


def centred_exponential_success(
    coins: Coins, *, users: int, examples: int, clip: int, epsilon: float
) -> float:
    """Return how often the exponential mechanism on clipped votes names the right one of two coins.

    A coin's score is the sum of the users' votes against it, each cut off to [−clip, clip], of
    sensitivity 2·clip: the pairwise score of Ghazi, Kamath et al. 2023, (14), centred between the
    coins. Exact, but for rounding.
    """
    heads = np.arange(examples + 1)
    votes = np.asarray(np.clip(2 * heads - examples, -clip, clip) + clip, dtype=np.intp)
    places, law = _sum_law(votes, examples, coins.rates[-1], users)
    named = expit(epsilon * (places - users * clip) / (2 * clip))
    return float(law @ named)


def clipped_exponential_success(
    coins: Coins, *, users: int, examples: int, clip: float, epsilon: float
) -> float:
    """Return how often the clipped pairwise exponential mechanism names the right one of two coins.

    Ghazi, Kamath et al. 2023, Theorem 37's algorithm with the Scheffé score of Theorem 41 and the
    sensitivity 2τ of the paper. The difference of both scores decides; it is a sum over users of
    multiples of 1/20, to which the coins and τ = `clip` are rounded.
    """
    unit = 20
    high = round(coins.rates[-1] * unit) * examples
    heads = np.arange(examples + 1) * unit
    tau = max(round(clip * unit), 1)
    low = unit * examples - high
    lead = np.clip(heads - low, -tau, tau) - np.clip(high - heads, -tau, tau)
    step = int(np.gcd.reduce(lead - lead[0])) or 1
    votes = np.asarray((lead - lead[0]) // step, dtype=np.intp)
    places, law = _sum_law(votes, examples, coins.rates[-1], users)
    difference = (places * step + users * lead[0]) / unit
    chosen = expit(epsilon * difference / (4 * tau / unit))
    return float(law @ chosen)


def least_users_clipped(
    success: Callable[[int, int], float], target: float, examples: int, too_few: int = 0
) -> float:
    """Return the least users at which some clip reaches the target, of a few from 1 to m.

    success: of n users at a clip, as for `least_users`; infinity above `MOST_USERS`; too_few: users
    who are known not to be enough at any clip, which saves the attempts up to them. Only the clip
    that first succeeds is bisected; any other is tried with one user fewer, and mostly fails there.
    The clips have the parity of m, as the difference of heads and tails has: others would waste
    noise.
    """
    tried = np.unique(np.rint(np.geomspace(1, examples, _CLIPS)))
    clips = sorted({min(int(t) + (int(t) - examples) % 2, examples) for t in tried})
    users, failed = min(1 << too_few.bit_length(), MOST_USERS), too_few
    while True:
        chances = {}
        for clip in clips:
            chances[clip] = success(users, clip)
            if chances[clip] >= target:
                break
        clips.sort(key=lambda clip: -chances.get(clip, -1.0))  # the likeliest first from here on
        if chances[clips[0]] >= target:
            break
        if users >= MOST_USERS:
            return math.inf
        users, failed = min(2 * users, MOST_USERS), users

    def bisected(clip: int, enough: int) -> int:
        return _bisected(lambda n: success(n, clip), target, failed, enough)

    users = bisected(clips[0], users)
    for clip in clips[1:]:
        if users - 1 > failed and success(users - 1, clip) >= target:
            users = bisected(clip, users - 1)
    return float(users)


def least_users(
    success: Callable[[int], float], target: float, *, start: int = 1, most: int = MOST_USERS
) -> float:
    """Return a number of users at which `success` reaches the target, by doubling and bisection.

    The least from `start` on, if success grows with the users; infinity if that is above `most`.
    """
    low, high = start - 1, start
    while success(high) < target:
        if high >= most:
            return math.inf
        low, high = high, min(2 * high, most)
    return float(_bisected(success, target, low, high))


@lru_cache(maxsize=4096)  # what an ε needs, another does
def total_variation(first: float, second: float, examples: int) -> float:
    """Return the total variation distance of m tosses of two coins; of many, if anything above."""
    if examples > _MANY:
        # the second coin is the likelier from some number of heads on
        odds, tails = math.log(second / first), math.log((1 - first) / (1 - second))
        below = math.floor(examples * tails / (odds + tails))
        apart = abs(
            scipy.stats.binom.sf(below, examples, second)
            - scipy.stats.binom.sf(below, examples, first)
        )
        return min(float(apart) + _SF_ERROR, 1.0)
    heads = np.arange(examples + 1)
    masses = scipy.stats.binom.pmf(heads, examples, first) - scipy.stats.binom.pmf(
        heads, examples, second
    )
    return float(np.abs(masses).sum() / 2)


def proven_least(
    coins: Coins, *, examples: int, target: float, epsilon: float, delta: float = 0.0
) -> int:
    """Return a number of users below which no private mechanism reaches the target: proven.

    It is one above `MOST_USERS` where not even they are enough.

    Let TV be the distance of one user's examples from coins i and j. Exchange the users one by one.
    With q(z) the probability of an event given this user's z, E_i q − E_j q ≤ TV (max q − min q),
    max q ≤ e^ε min q + δ and min q ≤ E_j q. So each step multiplies by at most f = 1 + TV
    (e^ε − 1), and adds at most TV δ. Hence Pr_i[S] ≤ fⁿ Pr_j[S] + δ (fⁿ − 1)/(e^ε − 1). The coins'
    own events are disjoint: target + Σ_{i≠j} Pr_j[i named] ≤ 1 for every j. Without privacy, the
    best test of two coins on all n·m tosses bounds the users as well.
    """
    grows = math.expm1(epsilon)
    rates = coins.rates
    apart = {
        (i, j): total_variation(rates[i], rates[j], examples)
        for i in range(len(rates))
        for j in range(len(rates))
        if i != j
    }

    def possible(users: int) -> float:
        room = []
        for j in range(len(rates)):
            used = target
            for i in range(len(rates)):
                if i != j:
                    log_factor = users * math.log1p(apart[i, j] * grows)
                    factor = math.exp(min(log_factor, 700.0))
                    used += max(target / factor - delta * (1 - 1 / factor) / grows, 0.0)
            room.append(1 - used)
        without = (1 + total_variation(rates[0], rates[-1], users * examples)) / 2
        return min(*room, without - target if len(rates) == 2 else 1.0)

    return int(min(least_users(possible, 0.0), MOST_USERS + 1))


def fano_shape(coins: Coins, examples: FloatArray, epsilon: float) -> FloatArray:
    """Return ln W/ε + ln W/(ε√(mβ)) + ln W/(mβ): Lemma 39 with the coins as the packing.

    Ghazi, Kamath et al. 2023; β is the largest divergence of two coins. Constants dropped.
    """
    first, last = coins.rates[0], coins.rates[-1]
    beta = (last - first) * math.log(last / first)  # KL of p and 1 − p
    size = math.log(len(coins.rates))
    shape: FloatArray = size / epsilon * (1 + 1 / np.sqrt(examples * beta))
    return shape + size / (examples * beta)


def row_shape(coins: Coins, examples: FloatArray, epsilon: float, target: float) -> FloatArray:
    """Return ln(W/β)·(1/ε + 1/(εα√m) + 1/(α²m)), Theorem 41 for these coins: constants dropped.

    β = 1 − target; α: the distance of neighbouring coins.
    """
    alpha = coins.rates[1] - coins.rates[0]
    size = math.log(len(coins.rates) / (1 - target))
    terms: FloatArray = 1 / epsilon + 1 / (epsilon * alpha * np.sqrt(examples))
    return size * (terms + 1 / (alpha**2 * examples))


def _bisected(success: Callable[[int], float], target: float, low: int, high: int) -> int:
    """Return users at which success reaches the target: `low` fails, `high` does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if success(middle) >= target else (middle, high)
    return high


def _sum_law(
    votes: NDArray[np.intp], examples: int, rate: float, users: int
) -> tuple[FloatArray, FloatArray]:
    """Return the sums of all users' votes, whole numbers, and their probabilities.

    votes: of a user with so many heads. The law is computed modulo a number that is wide enough for
    all sums but 1e-16 of them. One vote moves the sum by its range at most, one toss by the largest
    step of the votes, whence Hoeffding's and McDiarmid's inequalities. Those that are lost in
    rounding are left out: less than 1e-11 together.
    """
    low, unit = int(votes.min()), int(np.gcd.reduce(votes - votes.min())) or 1
    steps = (votes - low) // unit
    alone = _tosses_law(examples, rate)
    moved = min(int(steps.max()) ** 2, int(np.abs(np.diff(steps)).max()) ** 2 * examples)
    reach = min(math.ceil(math.sqrt(users * moved * _SURE / 2)), users * int(steps.max())) + 1
    size = next_fast_len(2 * reach + 1, real=True)
    one = np.bincount(steps % size, alone, size)
    waves = rfft(one)
    heard = np.abs(waves) > math.exp(-_SURE / users) / 1e3 ** (1 / users)
    waves[heard] **= users
    waves[~heard] = 0  # powers too small to be told from it
    law = irfft(waves, size)
    places = round(users * float(steps @ alone)) - reach + np.arange(2 * reach + 1)
    chance = law[places % size]
    kept = chance > _LOST
    return (places[kept] * unit + users * low).astype(float), chance[kept]


@cached(8 * 2**20)  # 8 MB of a million tosses, 0.1 MB of the most that pages ask for
def _tosses_law(examples: int, rate: float) -> FloatArray:
    """Return the probabilities of 0 to m heads."""
    law = np.asarray(scipy.stats.binom.pmf(np.arange(examples + 1), examples, rate))
    law.setflags(write=False)
    return law


def _laplace_above(place: FloatArray) -> FloatArray:
    """Return the probability that standard Laplace noise exceeds each place."""
    half = np.exp(-np.abs(place)) / 2
    return np.where(place > 0, half, 1 - half)
