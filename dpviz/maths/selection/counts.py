"""Counts of votes, and the law of the largest of several noisy ones."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError


def validate_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Return counts as whole numbers from 0, one for each item, or raise `ParameterError`."""
    array = np.asarray(counts, dtype=float)
    if array.ndim != 1 or not np.all((array >= 0) & (array == np.floor(array))):
        raise ParameterError("counts", "whole numbers from 0, one for each item", counts)
    return array.astype(np.int64)


def largest_law(pmf: FloatArray) -> FloatArray:
    """Return how likely each of several independent numbers is the largest.

    pmf: one row for each number, its masses on the same ascending values. Of equal numbers the
    first counts as the largest, as in numpy's argmax.
    """
    at_most = np.cumsum(pmf, axis=1)
    below = at_most - pmf
    ones = np.ones((1, pmf.shape[1]))
    before = np.cumprod(np.vstack([ones, below[:-1]]), axis=0)
    after = np.cumprod(np.vstack([ones, at_most[:0:-1]]), axis=0)[::-1]
    return np.asarray((pmf * before * after).sum(axis=1))
