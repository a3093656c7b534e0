"""People in groups of neighbouring values, and what ranges of such groups add up to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray

Whole = NDArray[np.int64]


def edges_around(values: FloatArray, most: int) -> FloatArray:
    """Return the ends of at most `most` + 1 groups around values, one wide, or wider ones."""
    low, high = float(values.min()), float(values.max())
    width = max(1.0, float(np.ceil((high - low) / most)))
    count = int(np.floor((high - low) / width + 0.5)) + 1
    return np.asarray(low - 0.5 + width * np.arange(count + 1), dtype=float)


def group_of(values: FloatArray, edges: FloatArray) -> Whole:
    """Return the group of each value; the outer ones hold what is beyond, too."""
    places = np.searchsorted(edges, values, side="right") - 1
    return np.asarray(np.clip(places, 0, edges.size - 2), dtype=np.int64)


def intervals(groups: int) -> Whole:
    """Return the first and the last group of every range of neighbouring groups, in order."""
    return np.stack(np.triu_indices(groups), axis=1).astype(np.int64)


def within(numbers: NDArray[Any], group: Whole, groups: int) -> Whole:
    """Return the sums of people's whole numbers over each of `intervals`.

    numbers: a row for each person; group: the group of each, below `groups`.
    """
    summed = np.zeros((groups + 1, *numbers.shape[1:]), dtype=np.int64)
    np.add.at(summed, group + 1, numbers.astype(np.int64))
    upto = summed.cumsum(axis=0)
    first, last = intervals(groups).T
    return np.asarray(upto[last + 1] - upto[first])
