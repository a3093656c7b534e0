r"""The attack: an analyst who keeps what correlates, and believes their sum.

Each of n samples has k fair coins x_j = ±1 and a label y = ±1, all independent: nothing
predicts the label. The analyst asks for every coin how often it agrees with the label, the mean
of the query (1 + x_j·y)/2, keeps the sign s_j of answer − 1/2, and at last asks for the accuracy
of the majority of the s_j·x_j (a draw counts half), one more statistical query. The true accuracy
of any predictor is 1/2.

The agreements z_ij = x_ij·y_i are again independent fair coins, so only they are drawn.

What is exact. The columns of z are independent and so is the noise on their answers. Hence for
one sample i the s_j·z_ij are independent, each +1 with the probability

    p = Σ_b P(b)·[(b/n)·F(b/n − 1/2) + (1 − b/n)·F(1/2 − b/n)],   b ~ Binomial(n, 1/2),

F the distribution function of the noise (answers are b/n + noise, and without noise F is the
step with F(0) = 1/2). Without noise at odd n this is p = 1/2 + C(n − 1, (n − 1)/2)/2^n. The
sample's majority is right if Binomial(k, p) > k/2: how often it is right in the sample, its
*expected* claim, is a binomial tail, for all three mechanisms (the last answer's noise has mean 0).
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.logspace import log_binomial_pmf
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import validate

MECHANISMS = {"empirical": "no noise", "gaussian": "Gaussian noise", "bounded": "bounded noise"}
"""What answers the analyst, by name."""

_CELLS = 1 << 20  # coins in one chunk


def agreement_probability(sample_size: float, law: "NoiseLaw") -> float:
    """Return p, with which a sample agrees with the sign kept for one coin (see the module).

    sample_size: n from 1 to 1e4; law: the noise on an answer. Exact up to rounding.
    """
    n = validate("sample_size", sample_size)
    heads = np.arange(n + 1)
    log_mass = log_binomial_pmf(heads, np.full_like(heads, n), log_odds=np.zeros_like(heads))
    # (b/n − 1/2)·(2F − 1) summed: p − 1/2 without cancellation
    lean = heads / n - 0.5
    return 0.5 + 2 * float(np.exp(log_mass) @ (lean * law.centred_cdf(lean)))


def expected_claim(questions: FloatArray, agreement: float) -> FloatArray:
    """Return P(Binomial(k, p) > k/2) + P(Binomial(k, p) = k/2)/2, for each k."""
    half = questions / 2
    draws = np.where(half == np.floor(half), binom.pmf(np.floor(half), questions, agreement), 0.0)
    claim: FloatArray = binom.sf(np.floor(half), questions, agreement) + draws / 2
    return claim


@dataclass(frozen=True)
class NoiseLaw:
    """The noise on an answer: none, Gaussian, or bounded of a shape; scale: σ or R."""

    scale: float = 0.0
    shape: BoundedNoise | None = None

    def centred_cdf(self, x: FloatArray) -> FloatArray:
        """Return P(noise ≤ x) − 1/2, the mean of both limits at a jump."""
        if not self.scale:
            return np.sign(x) / 2
        if self.shape is None:
            return ndtr(x / self.scale) - 0.5
        u = np.clip(np.abs(x) / self.scale, 0.0, 1.0)
        return np.sign(x) * (0.5 - np.exp(self.shape.log_tail(u)))

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw independent noise."""
        if not self.scale:
            return np.zeros(size)
        if self.shape is None:
            return rng.normal(scale=self.scale, size=size)
        return self.scale * self.shape.sample(rng, size)


def claims_of_one_run(
    n: int, stops: np.ndarray, laws: list[NoiseLaw], rng: np.random.Generator
) -> Iterator[FloatArray | None]:
    """Run the attack once; yield None after each chunk, and at last the claims (law, stop).

    A claim is how often the majority is right in this sample, without the noise of the last answer.
    n: samples; stops: the numbers of coins after which the claim is taken, ascending; laws: the
    noise on the answers before, by mechanism, for all of them on the same coins.
    """
    # Streams of their own: another law leaves the coins, and the noise of the others, as they are.
    streams = rng.spawn(len(laws))
    most = int(stops[-1])
    noise = np.array([law.sample(one, most) for law, one in zip(laws, streams, strict=True)])
    right = np.zeros((len(laws), stops.size, n), dtype=np.int32)  # votes between two stops
    chunk = max(1, _CELLS // n)
    for begin in range(0, most, chunk):
        end = min(begin + chunk, most)
        agrees = _fair_coins(rng, n, end - begin)
        against = _ones(agrees) / n - 0.5 + noise[:, begin:end] < 0
        # Eight coins a byte, a row for each: a vote is right where its bit and the sign's differ.
        packed, signs = np.packbits(agrees, axis=1).T.copy(), np.packbits(against, axis=1)
        places = np.searchsorted(stops, (begin + 1, end))
        edges = [0, *(stops[places[0] : places[1]] - begin).tolist(), end - begin]
        for place, (left, after) in enumerate(itertools.pairwise(edges), places[0]):
            rows = slice(left // 8, -(-after // 8))
            votes = packed[rows] ^ signs[:, rows, None]
            votes[:, 0] &= 0xFF >> left % 8
            votes[:, -1] &= 0xFF << -after % 8 & 0xFF
            right[:, place] += np.bitwise_count(votes, out=votes).sum(axis=1, dtype=np.int32)
        yield None
    twice = 2 * np.cumsum(right, axis=1, out=right)
    won, lost = (
        np.count_nonzero(beats, axis=2)
        for beats in (twice > stops[:, None], twice < stops[:, None])
    )
    yield ((won - lost) / n + 1) / 2


@dataclass(frozen=True, eq=False)
class FewCoins:
    """A few coins asked about one by one, without noise.

    alone: how often each agrees with the label in this sample; signed: with the sign that fits;
    together: how often the majority of these is right in it, where a draw counts half.
    """

    alone: FloatArray
    signed: FloatArray
    together: float


def few_coins(n: int, count: int, rng: np.random.Generator) -> FewCoins:
    """Return what an analyst sees of `count` coins on n samples."""
    agrees = _fair_coins(rng, n, count).astype(int)
    alone = agrees.mean(axis=0, dtype=np.float64)
    signs = np.where(alone < 0.5, -1, 1)
    votes = ((2 * agrees - 1) * signs).sum(axis=1)
    together = (np.sign(votes).mean(dtype=np.float64) + 1) / 2
    return FewCoins(alone, np.maximum(alone, 1 - alone), float(together))


def _ones(bits: np.ndarray) -> np.ndarray:
    """Return how many ones are in each column: blocks of so few that a byte counts them, added."""
    total = np.zeros(bits.shape[1], dtype=np.int64)
    for begin in range(0, len(bits), 0xFF):
        total += bits[begin : begin + 0xFF].sum(axis=0, dtype=np.uint8)
    return total


def _fair_coins(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """Draw n × count independent fair 0 or 1, eight from each random byte: what agrees is 1."""
    packed = np.frombuffer(rng.bytes((n * count + 7) // 8), dtype=np.uint8)
    return np.unpackbits(packed, count=n * count).reshape(n, count)
