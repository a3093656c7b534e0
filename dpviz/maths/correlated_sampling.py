"""Correlated sampling: those who share darts almost always pick the same outcome.

Public randomness is a sequence of darts (ω₁, u₁), (ω₂, u₂), … uniform on Ω × [0, 1]. Whoever holds
a distribution P outputs the first ω_j with u_j < P(ω_j): its law is P, and two holders of P and Q
rarely differ if P and Q are close. Source: Ghazi, Kumar & Manurangsi 2021, Definition 7 and
Theorem 8 (after Broder, Kleinberg & Tardos, and Holenstein). Beside it the two strategies that
come to mind first: independent coins, and one shared uniform number put into both inverse
distribution functions.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import pause

_ROUNDING = 1e-9  # how far from 1 a distribution may sum
_AT_ONCE = 64  # darts compared with all distributions at a time
_CELLS = 2_000_000


@dataclass(frozen=True)
class Darts:
    """An endless stream of darts, the same for everybody who knows the seed.

    outcomes: the size of Ω; seed: a whole number from 0.
    """

    outcomes: int
    seed: int

    def __post_init__(self) -> None:
        if not self.outcomes >= 1:
            raise ParameterError("outcomes", "a whole number from 1", self.outcomes)
        if not self.seed >= 0:
            raise ParameterError("seed", "a whole number from 0", self.seed)

    def block(self, number: int) -> tuple[NDArray[np.int64], FloatArray]:
        """Return the places ω and heights u of one block of the stream.

        A block holds 8 |Ω| darts, so that one of them hits a given distribution with
        probability 1 − e^−8.
        """
        rng = np.random.default_rng([self.seed, number])
        size = 8 * self.outcomes
        return rng.integers(self.outcomes, size=size), rng.random(size)


@dataclass(frozen=True, eq=False)
class Throws:
    """Which dart hit each distribution: its number, from 0, and its outcome ω."""

    dart: NDArray[np.int64]
    outcome: NDArray[np.int64]


def sample(distributions: ArrayLike, darts: Darts) -> Throws:
    """Return the first dart that hits each distribution, of one stream for all of them.

    distributions: one in each row. Raises `ParameterError`.
    """
    rows = _distributions(distributions, darts.outcomes)
    highest = rows.max(axis=0)
    dart, outcome = (np.zeros(len(rows), dtype=np.int64) for _ in range(2))
    waiting = np.arange(len(rows))
    block = 0
    while waiting.size:
        places, heights = darts.block(block)
        # Most darts miss everybody: leave them out before comparing one by one.
        numbers = np.flatnonzero(heights < highest[places])
        for start in range(0, numbers.size, _AT_ONCE):
            pause()
            some = numbers[start : start + _AT_ONCE]
            hits = heights[some] < rows[waiting[:, None], places[some]]
            found = hits.any(axis=1)
            first = some[hits[found].argmax(axis=1)]
            dart[waiting[found]] = block * places.size + first
            outcome[waiting[found]] = places[first]
            waiting = waiting[~found]
            if not waiting.size:
                break
        block += 1
    return Throws(dart, outcome)


def sample_repeatedly(
    distributions: ArrayLike, *, repetitions: int, rng: np.random.Generator
) -> Throws:
    """Return `sample` many times over: each row has darts of its own, which its columns share."""
    rows = _distributions(distributions)
    outcomes = rows.shape[1]
    dart, outcome = (np.zeros((repetitions, len(rows)), dtype=np.int64) for _ in range(2))
    waiting = np.ones((repetitions, len(rows)), dtype=bool)
    thrown, width = 0, outcomes
    while waiting.any():
        active = np.flatnonzero(waiting.any(axis=1))
        few = max(1, _CELLS // (width * len(rows)))
        for start in range(0, active.size, few):
            pause()
            games = active[start : start + few]
            places = rng.integers(outcomes, size=(games.size, width))
            hits = rng.random((games.size, width))[..., None] < rows.T[places]
            first = hits.argmax(axis=1)
            new = waiting[games] & hits.any(axis=1)
            game, column = np.nonzero(new)
            dart[games[game], column] = thrown + first[game, column]
            outcome[games[game], column] = places[game, first[game, column]]
            waiting[games] &= ~new
        thrown += width
    return Throws(dart, outcome)


def sample_inverse(distributions: ArrayLike, uniforms: ArrayLike) -> NDArray[np.int64]:
    """Return the outcomes at which the distribution functions first exceed shared numbers.

    uniforms: in [0, 1). Entry i, j belongs to number i and distribution j.
    """
    rows = _distributions(distributions)
    numbers = np.asarray(uniforms, dtype=float)
    steps = np.cumsum(rows, axis=1)[:, :-1]
    return np.stack([np.searchsorted(row, numbers, side="right") for row in steps], axis=-1)


def total_variation(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return TV(P, Q), half the sum of |P − Q|, along the last axis."""
    p, q = _pair(first, second)
    # Rounding must not lift it above 1.
    return np.asarray(np.minimum(0.5 * np.abs(p - q).sum(axis=-1), 1.0))


def dart_disagreement(distance: ArrayLike) -> FloatArray:
    """Return the probability 2TV/(1 + TV) that two holders use different darts, exactly.

    No strategy does essentially better on all pairs of laws at this distance (Bavarian et al.
    2016). At TV = 1/(n − 1) that is seen at once: take the n laws that are uniform on all of n
    outcomes but one. Whatever the shared randomness, each law gets one outcome, and an outcome
    cannot be that of all n. So at most C(n − 1, 2) of the C(n, 2) pairs agree, and on average
    pairs differ with probability 2/n = 2TV/(1 + TV) at least.
    """
    tv = np.asarray(distance, dtype=float)
    if not np.all((tv >= 0) & (tv <= 1)):
        raise ParameterError("distance", "a number from 0 to 1", distance)
    return np.asarray(2 * tv / (1 + tv))


def output_disagreement(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the probability that shared darts lead to different outcomes, exactly.

    (2TV − Σ|P − Q| min(P, Q)) / (1 + TV): different darts may still show the same outcome.
    Along the last axis; at most 2TV, the bound of Theorem 8.
    """
    p, q = _pair(first, second)
    gap = np.abs(p - q)
    tv = np.minimum(0.5 * gap.sum(axis=-1), 1.0)
    return np.asarray((2 * tv - (gap * np.minimum(p, q)).sum(axis=-1)) / (1 + tv))


def output_agreement(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the probability that shared darts lead to the same outcome, exactly.

    Σ min(P, Q)(1 + |P − Q|) / (1 + TV), also where it is so small that the probability of
    `output_disagreement` is rounded to 1. Along the last axis.
    """
    p, q = _pair(first, second)
    gap, shared = np.abs(p - q), np.minimum(p, q)
    tv = np.minimum(0.5 * gap.sum(axis=-1), 1.0)
    return np.asarray((shared * (1 + gap)).sum(axis=-1) / (1 + tv))


def limited_disagreement(first: ArrayLike, second: ArrayLike, *, darts: ArrayLike) -> FloatArray:
    """Return the probability of different outcomes where only so many darts are shared, exactly.

    A holder whom none of them hits draws from their own law with coins of their own. darts: numbers
    from 0. A dart is below at least one curve with probability (1 + TV)/|Ω|. If none is, both
    holders draw alone. Once one of them is hit, it makes no difference whether the other waits for
    a dart or tosses coins: either way the other draws from their own law. first, second: one law
    each. Raises `ParameterError`.
    """
    p, q = _pair(first, second)
    count = np.asarray(darts, dtype=float)
    if not np.all(count >= 0):
        raise ParameterError("darts", "numbers from 0", darts)
    missed = _missing(p, q) ** count
    alone, shared = independent_disagreement(p, q), output_disagreement(p, q)
    return np.asarray(missed * alone + (1 - missed) * shared)


def enough_darts(first: ArrayLike, second: ArrayLike, *, missed: float) -> int:
    """Return how many darts to share so that with at most this chance none is below either curve.

    missed: between 0 and 1. It grows like the number of outcomes. Raises `ParameterError`.
    """
    if not 0 < missed < 1:
        raise ParameterError("missed", "a number between 0 and 1", missed)
    none = _missing(*_pair(first, second))
    return 1 if none == 0 else max(1, math.ceil(math.log(missed) / math.log(none)))


def _missing(p: FloatArray, q: FloatArray) -> float:
    """Return how likely one dart is below neither curve."""
    return max(1 - (1 + float(total_variation(p, q))) / p.size, 0.0)


def independent_disagreement(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the probability 1 − Σ P·Q that independent coins lead to different outcomes."""
    p, q = _pair(first, second)
    return np.asarray(1 - (p * q).sum(axis=-1))


def inverse_disagreement(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the probability that one shared uniform number leads to different outcomes.

    The outcomes agree where the two intervals of the same outcome overlap. No multiple of TV
    bounds it: moving a little mass from the first to the last of many outcomes moves every
    interval.
    """
    p, q = _pair(first, second)
    # By how far P's intervals end after Q's: from differences, so that small ones are not lost.
    after = np.cumsum(p - q, axis=-1)
    after[..., -1] = 0.0
    before = np.zeros_like(after)
    before[..., 1:] = -after[..., :-1]
    alone = np.minimum(p, np.maximum(after, 0.0) + np.maximum(before, 0.0))
    return np.asarray(np.minimum(alone.sum(axis=-1), 1.0))


def dart_joint_law(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the joint law of the outcomes of P (rows) and Q (columns) with shared darts, exactly.

    The first dart below either curve decides both outcomes, or one of them; the other holder then
    waits for a dart below their own curve.
    """
    p, q = _pair(first, second)
    excess = np.maximum(p - q, 0.0), np.maximum(q - p, 0.0)
    both, first_alone, second_alone = (
        np.minimum(p, q),
        np.outer(excess[0], q),
        np.outer(p, excess[1]),
    )
    joint: FloatArray = np.diag(both) + first_alone + second_alone
    return np.asarray(joint / (1 + excess[0].sum()))


def independent_joint_law(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the joint law of independent outcomes."""
    return np.outer(*_pair(first, second))


def inverse_joint_law(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return the joint law of the outcomes of one shared uniform number."""
    p, q = _pair(first, second)
    ends = np.cumsum(p)[:, None], np.cumsum(q)[None, :]
    low = np.maximum(ends[0] - p[:, None], ends[1] - q[None, :])
    return np.asarray(np.maximum(np.minimum(*ends) - low, 0.0))


def two_bells(
    *, outcomes: float, gap: float, width: float, width_ratio: float
) -> tuple[FloatArray, FloatArray]:
    """Return P and Q on outcomes 0, 1, …: bells around places `gap` apart, cut off at the ends.

    width: standard deviation of P, in outcomes; that of Q is `width_ratio` times as large.
    Raises `ParameterError`.
    """
    values = {"gap": gap, "width": width, "width_ratio": width_ratio, "outcomes": outcomes}
    checked = {name: LIMITS[name].validate(value) for name, value in values.items()}
    middle = (checked["outcomes"] - 1) / 2
    places = np.arange(int(checked["outcomes"]), dtype=float)
    half = checked["gap"] / 2
    p = _bell(places - (middle - half), checked["width"])
    return p, _bell(places - (middle + half), checked["width"] * checked["width_ratio"])


def _bell(distance: FloatArray, width: float) -> FloatArray:
    logs = -0.5 * (distance / width) ** 2
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _distributions(distributions: ArrayLike, outcomes: int | None = None) -> FloatArray:
    rows = np.asarray(distributions, dtype=float)
    size = "" if outcomes is None else f" of length {outcomes}"
    well = rows.ndim == 2 and rows.size and (outcomes is None or rows.shape[1] == outcomes)
    if not well or not _are_laws(rows):
        raise ParameterError("distributions", f"probability vectors{size}, one a row", rows.shape)
    return rows


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    p, q = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    for name, law in (("first", p), ("second", q)):
        if not law.size or not _are_laws(law):
            raise ParameterError(name, "probabilities that sum to 1", law)
    if p.shape[-1] != q.shape[-1]:
        raise ParameterError("second", f"{p.shape[-1]} probabilities, like first", q)
    return p, q


def _are_laws(rows: FloatArray) -> bool:
    # also false for NaN
    return bool(np.all(rows >= 0) and np.all(np.abs(rows.sum(axis=-1) - 1) <= _ROUNDING))
