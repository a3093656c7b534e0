"""How far apart outputs without two sets of r users are, for learners that are no sum.

The privacy loss at which a mechanism is (r, ε, 0)-local-deletion DP at given data (Definition 16 of
Ghazi, Kamath et al. 2023): the largest of ln Pr[o without S] − ln Pr[o without S′] over all outputs
o and all sets S, S′ of r users. Both mechanisms are ε′-private for one item (substitution):

- "histogram": Laplace noise of scale 2/ε′ on the counts of `CATEGORIES` equally likely categories.
  The loss is ε′/2 times the largest distance Σ|c − c′| of two histograms, and that
  is the largest spread of the counts' sum with any signs: exact, a sort for each choice of signs.
- "threshold": the exponential mechanism on the errors of `POINTS` + 1 thresholds. The probability
  of a threshold falls with each of its leads in errors over others. How far every single lead can
  be moved is a sort, which bounds the loss from above; two sets that are found bound it from below.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.logspace import log_sum_exp
from dpviz.results.evidence import FloatArray
from dpviz.results.refining import pause

CATEGORIES = 6
POINTS = 8
SUMS = {"histogram": 2**CATEGORIES, "threshold": POINTS + 1}
"""How many sums of bits must have a small spread for the proven bound, by the mechanism."""

_SIGNS = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=CATEGORIES - 1)])


def histogram_losses(counts: NDArray[np.int64], sizes: NDArray[np.intp]) -> FloatArray:
    """Return the loss over ε′ for every r in `sizes`. counts: of each user, a row each."""
    widest = np.zeros(sizes.size)
    for signs in _SIGNS:
        low, high = extremes(counts @ signs, sizes)
        widest = np.maximum(widest, high - low)
    return widest / 2


def threshold_losses(
    errors: NDArray[np.int64], sizes: NDArray[np.intp], *, item_epsilon: float
) -> tuple[FloatArray, FloatArray]:
    """Return a lower and an upper bound on the loss over ε′ for every r in `sizes`.

    errors: of every threshold on each user's items, a row for each user; item_epsilon: ε′.
    """
    half, candidates = item_epsilon / 2, errors.shape[1]
    least, most = (np.zeros((sizes.size, candidates, candidates)) for _ in range(2))
    for j, k in itertools.combinations(range(candidates), 2):
        lead = errors[:, j] - errors[:, k]
        low, high = extremes(lead, sizes)  # of those who are deleted
        most[:, j, k], least[:, j, k] = half * (lead.sum() - low), half * (lead.sum() - high)
        most[:, k, j], least[:, k, j] = -least[:, j, k], -most[:, j, k]
    upper = (log_sum_exp(most, axis=2) - log_sum_exp(least, axis=2)).max(axis=1)
    return _largest_between_sets(errors, sizes, half) / item_epsilon, upper / item_epsilon


def _largest_between_sets(
    errors: NDArray[np.int64], sizes: NDArray[np.intp], half: float
) -> FloatArray:
    """Return the largest loss between sets of users that are found: those who count most.

    How much a user counts for a threshold is their part in its leads over all others, each weighed
    by the other's probability on all data.
    """
    total = errors.sum(axis=0)
    weights = np.exp(-half * (total - total.min()))
    counted = errors - (errors @ (weights / weights.sum()))[:, None]
    best = np.zeros(sizes.size)
    for candidate, column in enumerate(counted.T):
        pause()
        order = np.argsort(column, kind="stable")
        below, above = (
            np.cumsum(errors[first[: sizes.max()]], axis=0)[sizes - 1]
            for first in (order, order[::-1])
        )
        # Without those who speak against it a threshold is likelier than without its friends.
        ends = [_log_probability(total - gone, half, candidate) for gone in (above, below)]
        best = np.maximum(best, ends[0] - ends[1])
    return best


def _log_probability(errors: FloatArray, half: float, candidate: int) -> FloatArray:
    """Return ln of the probability that the exponential mechanism names the candidate, by rows."""
    return np.asarray(-log_sum_exp(half * (errors[:, [candidate]] - errors), axis=1))


def extremes(
    column: NDArray[np.int64], sizes: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sums of the r smallest and of the r largest users' numbers, for each r."""
    pause()
    most, n = int(sizes.max()), column.size
    ends = np.partition(column, (most - 1, n - most))
    low = np.cumsum(np.sort(ends[:most]))
    high = np.cumsum(np.sort(ends[n - most :])[::-1])
    return low[sizes - 1], high[sizes - 1]


def user_counts(rng: np.random.Generator, *, users: int, examples: int) -> NDArray[np.int64]:
    """Draw every user's histogram."""
    return rng.multinomial(examples, np.full(CATEGORIES, 1 / CATEGORIES), users)


def user_errors(
    rng: np.random.Generator, *, users: int, examples: int, rate: float
) -> NDArray[np.int64]:
    """Draw every user's errors of all thresholds, less those of the lowest.

    Points are equally likely, labels right with probability `rate`; the right threshold is in the
    middle.
    """
    cells = np.repeat([rate / POINTS, (1 - rate) / POINTS], POINTS)
    counts = rng.multinomial(examples, cells, users)
    lead = counts[:, :POINTS] - counts[:, POINTS:]
    # Above a point lies a threshold that gives it label 0; that is right below the middle.
    change = np.where(np.arange(POINTS) < POINTS // 2, -lead, lead)
    return np.pad(np.cumsum(change, axis=1), ((0, 0), (1, 0)))
