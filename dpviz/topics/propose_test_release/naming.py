"""Theorem 10 run on a learner that is no sum: DelStab around the choice between two coins.

Each of n users tosses a coin m times that shows heads with probability 1/2 − b or 1/2 + b, which is
to be named. The item-level learner is the exponential mechanism: with s heads among N tosses it
names the second coin with probability 1/(1 + e^(−ε′(s − N/2))), which is ε′-private for one toss.
DelStab runs it on the users who are left, N = (n − 4κ)m tosses.

Which sets S of R₁ users are stable is a question about all sets; here a set counts as stable only
if a condition holds that a sort decides, and that implies stability. A set that satisfies it
still does when a user is added to it and that user's data change, which is all that the proofs of
Observation 36 and Lemma 18 use: the promise (ε, δ) holds, for any learner. Two conditions:

- width: ε′ times the spread of the sums left is at most ε̄ (`dpviz.maths.local_deletion`);
- clear: whichever 4κ − R₁ users are deleted as well, the same coin has the majority, beyond all
  doubt of the learner. For ε′ = ∞, the plain majority, this is all there is to ask.

Neighbouring data sets: one user is substituted, with all tosses.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom

from dpviz.maths.local_deletion import spread_bound, theorem_17_derived
from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release.delstab import Budget

UNSTABLE = 0.05
"""The share of data sets on which a learner of the right ε′ may fail the test: β of Theorem 17."""


def least_sizes(heads: ArrayLike, *, examples: int, budget: Budget) -> NDArray[np.intp]:
    """Return the least R₁ at which each data set is clear for the second coin, 2κ + 1 for none.

    heads: how many heads each user has, n > 4κ users in a row; a row for each data set. The
    majority is clear if it survives the deletion of the R₁ users with the fewest heads, as S, and
    then of the 4κ − R₁ with the most. For the first coin exchange heads and tails. Raises
    `ParameterError`.
    """
    sums = np.sort(np.atleast_2d(np.asarray(heads, dtype=np.int64)), axis=1)
    users, deleted = sums.shape[1], 4 * budget.kappa
    if users <= deleted:
        raise ParameterError("users", f"more than 4κ = {deleted}", users)
    total = np.pad(np.cumsum(sums, axis=1), ((0, 0), (1, 0)))
    sizes = np.arange(2 * budget.kappa + 1)
    left = total[:, users - deleted + sizes] - total[:, sizes]
    clear = 2 * left > (users - deleted) * examples  # grows with R₁: larger users are left
    return np.asarray((~clear).sum(axis=1))


def majority_law(heads: ArrayLike, *, examples: int, budget: Budget) -> FloatArray:
    """Return Pr[⊥], Pr[first coin] and Pr[second coin] of DelStab around the majority, exactly.

    A row for each data set, as in `least_sizes`.
    """
    rows = np.atleast_2d(np.asarray(heads, dtype=np.int64))
    first, second = (
        np.array(
            [
                1 - budget.threshold.below(int(size))
                for size in least_sizes(sides, examples=examples, budget=budget)
            ]
        )
        for sides in (examples - rows, rows)
    )
    return np.stack([np.maximum(1 - first - second, 0.0), first, second], axis=1)


def majority_hits(
    rng: np.random.Generator, *, users: int, examples: int, rate: float, budget: Budget, runs: int
) -> int:
    """Return in how many of so many runs, on fresh data, the right one of two coins is named."""
    if examples < users:  # how many users have how many heads is fewer numbers
        values = np.arange(examples + 1)
        counts = rng.multinomial(users, binom.pmf(values, examples, rate), runs)
        heads = np.stack([np.repeat(values, count) for count in counts])
    else:
        heads = rng.binomial(examples, rate, (runs, users))
    drawn = budget.threshold.sample(rng, runs)
    return int(np.sum(drawn >= least_sizes(heads, examples=examples, budget=budget)))


def learner_success(item_epsilon: float, *, samples: float, rate: float) -> float:
    """Return how often the item-level learner names the right coin, from so many tosses.

    The sum over the binomial law, at steps of a quarter of what the law or the learner can tell
    apart: for such smooth terms the error is below 1e-12.
    """
    deviation = math.sqrt(samples * rate * (1 - rate))
    step = max(1.0, math.floor(min(deviation, 1 / item_epsilon) / 4))
    middle = round(samples * rate)
    reach = math.ceil(9 * deviation / step) + 1
    places = middle + step * np.arange(-reach, reach + 1)
    law = binom.pmf(places, samples, rate)
    return float(law @ expit(item_epsilon * (places - samples / 2)) / law.sum())


def stable_epsilon(*, users: int, examples: int, budget: Budget, sums: int = 1) -> float:
    """Return an ε′ at which all sets are stable on 95% of data sets: practical constants, proven.

    ε̄ over the `spread_bound` of 4κ users, for so many sums of bits at once.
    """
    spread = spread_bound(
        4 * budget.kappa, users=users, examples=examples, failure_probability=UNSTABLE / sums
    )
    return budget.epsilon_bar / float(spread)


def proof_epsilon(*, users: int, examples: int, budget: Budget) -> float:
    """Return the ε′ that the proof of Theorem 17 asks for, with all its constants, at r = 4κ.

    With fewer users there are fewer sets, so that it is enough for them as well.
    """
    promised = {"log_delta": -math.inf, "failure_probability": UNSTABLE, "delta": budget.delta_bar}

    def spare(log_epsilon: float) -> float:
        needed = theorem_17_derived(
            users,
            r=4 * budget.kappa,
            examples_per_user=examples,
            epsilon=math.exp(log_epsilon),
            **promised,
        )
        return float(np.minimum(needed, 1e9)) - budget.epsilon_bar

    return math.exp(float(brentq(spare, math.log(1e-12), 0.0, xtol=1e-6)))


def subsampled(item_epsilon: float, share: float) -> float:
    """Return ε″ at which a learner that sees a random share η of its items is ε′-private.

    Theorem 7: ε′ = ln(1 + η(e^ε″ − 1)), which is exact for the largest ε′ of any such learner.
    item_epsilon: ε′; share: η in (0, 1].
    """
    return math.log1p(math.expm1(item_epsilon) / share)


def useful_success(
    item_epsilon: float,
    *,
    users: int,
    examples: int,
    rate: float,
    budget: Budget,
    share: float = 1.0,
) -> float:
    """Return a success that DelStab around the learner has at least: Lemma 19 with its numbers.

    That of the learner on n − 4κ users, less the share of data sets on which not all sets are
    stable. share: η of the items that the learner sees, as in the proof of Theorem 10.
    """
    samples = math.floor(share * (users - 4 * budget.kappa) * examples)
    if not samples:
        return 0.5 - UNSTABLE
    return learner_success(subsampled(item_epsilon, share), samples=samples, rate=rate) - UNSTABLE
