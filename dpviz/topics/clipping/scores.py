"""Scores of candidates on users' data, each user's part clipped.

Ghazi, Kamath et al. 2023, Section 4 and Appendix E.1. Examples lie in a finite domain of K cells.
Users are an array of counts: ``users[i, z]`` examples of user i lie in cell z. Neighbouring data
sets differ in all examples of one user (substitution). A lower score is better.

``psi[h, g, z]`` in [−1, 1] compares candidates h and g on one example in cell z: positive values
speak against h.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.results.refining import pause

# Numbers of one block of users, in all pairs: small enough to stay in the processor's cache.
_BLOCK = 2**17


def clipped_pairwise_scores(users: ArrayLike, psi: ArrayLike, *, threshold: float) -> FloatArray:
    """Return score(h) = max over g ≠ h of Σᵢ clip(Σ psi[h, g] over user i's examples) to ±τ.

    The score of ClippedPairwiseEM. The paper takes 2τ as its sensitivity; what it is exactly,
    `dpviz.maths.clipped_scores.largest_move` says. Raises `ParameterError`.
    """
    counts, compared = _users(users), _comparisons(psi)
    _check_cells(counts, compared.shape[-1])
    limit = validate("threshold", threshold)
    return worst(clipped_sums(counts, pairs(compared), low=-limit, high=limit))


def realizable_scores(users: ArrayLike, loss: ArrayLike, *, threshold: float = 1.0) -> FloatArray:
    """Return how many users are not realisable by each candidate: the score of Section 4.

    loss[h, z]: 1 where h errs on an example in cell z, else 0. That is Σᵢ min(errors of h on user
    i, τ) with threshold τ = 1; other thresholds are allowed, and the sensitivity is min(τ, m).
    Raises `ParameterError`.
    """
    counts = _users(users)
    errs = np.asarray(loss, dtype=float)
    if errs.ndim != 2 or errs.shape[0] < 2 or not np.all((errs == 0) | (errs == 1)):
        raise ParameterError("loss", "0 or 1 for each of 2 or more candidates and each cell", loss)
    _check_cells(counts, errs.shape[1])
    return clipped_sums(counts, errs, low=0.0, high=validate("threshold", threshold))


def pairs(psi: FloatArray) -> FloatArray:
    """Return psi[h, g] for all h ≠ g in turn, one a row."""
    return psi[~np.eye(psi.shape[0], dtype=bool)]


def worst(totals: FloatArray) -> FloatArray:
    """Return for each h the largest total of a pair (h, g); pairs in the order of `pairs`."""
    count = totals.shape[-1]
    candidates = round((1 + math.sqrt(1 + 4 * count)) / 2)
    return np.asarray(totals.reshape(*totals.shape[:-1], candidates, candidates - 1).max(axis=-1))


def clipped_sums(counts: FloatArray, rows: FloatArray, *, low: float, high: float) -> FloatArray:
    """Return, for each row, the sum over users of clip(counts · row) to low and high."""
    columns = np.ascontiguousarray(rows.T)
    total = np.zeros(columns.shape[1])
    block_size = max(1, _BLOCK // columns.shape[1])
    for start in range(0, counts.shape[0], block_size):
        pause()
        block = counts[start : start + block_size] @ columns
        np.clip(block, low, high, out=block)
        total += block.sum(axis=0)
    return total


def _users(users: ArrayLike) -> FloatArray:
    counts = np.asarray(users, dtype=float)
    if counts.ndim != 2 or not np.all(np.isfinite(counts) & (counts >= 0)):
        raise ParameterError("users", "a count for each user and each cell", users)
    return counts


def _comparisons(psi: ArrayLike) -> FloatArray:
    compared = np.asarray(psi, dtype=float)
    if compared.ndim != 3 or compared.shape[0] != compared.shape[1] or compared.shape[0] < 2:
        raise ParameterError("psi", "of shape (candidates, candidates, cells)", compared.shape)
    if not np.all(np.abs(compared) <= 1):
        raise ParameterError("psi", "numbers from -1 to 1", psi)
    return compared


def _check_cells(counts: FloatArray, cells: int) -> None:
    if counts.shape[1] != cells:
        raise ParameterError("users", f"counts of {cells} cells", counts.shape)
