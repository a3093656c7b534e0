"""Item-level learners that choose among many, for Theorem 10: a threshold, a frequent category.

- "threshold": items are points on a grid of `SIZE`, equally likely, with a label that is right with
  probability 1/2 + b; the right threshold is in the middle. The finite exponential mechanism with
  the number of errors as the score (sensitivity 1), as in Theorem 9; right is what lies within an
  eighth of the grid.
- "category": items lie in one of `SIZE` categories; the first is more likely by b than the others,
  which are equally likely. A noisy histogram: every count with Laplace noise of scale 2/ε′, as one
  item moves two counts; named is the largest.

Both are ε′-private for items (substitution). By how much their outputs without two sets of users
can differ is a matter of sums: with the errors of every threshold, the loss is at most ε′ times the
largest spread of any; with the counts, it is ε′/2 times the sum of all changes, that is ε′ times
the largest spread of the number of items in any set of categories. So the bound on one spread
(`dpviz.maths.local_deletion.spread_bound`) is taken for `sums` sums at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError

SIZE = 16
"""The points of the grid, and the categories."""
_NEAR = SIZE // 8

LEARNERS = {
    "coin": "One of two coins",
    "threshold": "A threshold",
    "category": "The most frequent category",
}
"""What is learned by name; the first is `dpviz.topics.propose_test_release.naming`."""


@dataclass(frozen=True)
class Learner:
    """An item-level learner by name, one of `LEARNERS` but the first. Raises `ParameterError`."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in ("threshold", "category"):
            raise ParameterError("learner", "threshold or category", self.name)

    @property
    def sums(self) -> int:
        """How many sums of bits must have a small spread: thresholds, or sets of categories."""
        return SIZE + 1 if self.name == "threshold" else 2**SIZE

    def scores(
        self, rng: np.random.Generator, *, users: int, examples: int, lean: float
    ) -> NDArray[np.int64]:
        """Return every user's score of every candidate, low is good: errors, or counts below 0."""
        if self.name == "threshold":
            return threshold_errors(rng, samples=examples, lean=lean, runs=users)
        return -rng.multinomial(examples, category_law(lean), users)

    def is_right(self, named: NDArray[np.intp] | int) -> NDArray[np.bool_]:
        """Return whether what is named counts as right."""
        if self.name == "threshold":
            return np.asarray(np.abs(np.asarray(named) - SIZE // 2) <= _NEAR)
        return np.asarray(np.asarray(named) == 0)

    def right(
        self, rng: np.random.Generator, *, item_epsilon: float, samples: int, lean: float, runs: int
    ) -> int:
        """Return in how many of so many runs, on fresh samples, the right one is named.

        item_epsilon: ε′; lean: b, up to 0.5 for thresholds.
        """
        if self.name == "threshold":
            scores = threshold_errors(rng, samples=samples, lean=lean, runs=runs)
            weights = -item_epsilon / 2 * scores
            named = np.argmax(weights + rng.gumbel(size=weights.shape), axis=1)
            return int(np.sum(self.is_right(named)))
        counts = rng.multinomial(samples, category_law(lean), runs)
        noisy = counts + rng.laplace(scale=2 / item_epsilon, size=counts.shape)
        return int(np.sum(self.is_right(np.argmax(noisy, axis=1))))


def category_law(lean: float) -> FloatArray:
    """Return the probabilities of the categories; the first leads by `lean`."""
    law = np.full(SIZE, (1 - lean) / SIZE)
    law[0] += lean
    return law


def threshold_errors(
    rng: np.random.Generator, *, samples: int, lean: float, runs: int
) -> NDArray[np.int64]:
    """Return the errors of all `SIZE` + 1 thresholds, less those of the right one: a row a run."""
    cells = np.repeat([(0.5 + lean) / SIZE, (0.5 - lean) / SIZE], SIZE)
    counts = rng.multinomial(samples, cells, runs)
    lead = counts[:, :SIZE] - counts[:, SIZE:]  # right less wrong labels at every point
    middle = SIZE // 2
    errors = np.zeros((runs, SIZE + 1), dtype=np.int64)
    errors[:, middle + 1 :] = np.cumsum(lead[:, middle:], axis=1)
    errors[:, :middle] = np.cumsum(lead[:, :middle][:, ::-1], axis=1)[:, ::-1]
    return errors
