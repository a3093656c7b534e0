"""The exponential mechanism: a random choice in which a lower score is more likely.

Candidate H is selected with probability proportional to exp(−ε·score(H) / 2Δ). If no neighbouring
data set (substitution of one person) moves a score by more than the sensitivity Δ, the choice is
ε-DP: McSherry & Talwar 2007, as in Ghazi, Kamath et al. 2023, Section 2.

Scores are arrays whose last axis runs over the candidates; the other axes hold data sets.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate, validate_array


def log_probabilities(scores: ArrayLike, *, epsilon: float, sensitivity: ArrayLike) -> FloatArray:
    """Return the logarithm of the probability of each candidate, exact however small.

    scores: finite, at least one candidate; sensitivity: Δ of every score, one for all data sets or
    one for each (it broadcasts with them). Raises `ParameterError`.
    """
    weights = _log_weights(scores, epsilon, sensitivity)
    # The best one's weight is 1: the sum of the others is kept apart, lest it be lost beside it.
    others = np.exp(weights)
    np.put_along_axis(others, weights.argmax(axis=-1, keepdims=True), 0.0, axis=-1)
    return np.asarray(weights - np.log1p(others.sum(axis=-1, keepdims=True)))


def selection_probabilities(
    scores: ArrayLike, *, epsilon: float, sensitivity: ArrayLike
) -> FloatArray:
    """Return the probability with which each candidate is selected; see `log_probabilities`."""
    weights = np.exp(_log_weights(scores, epsilon, sensitivity))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def sample(
    rng: np.random.Generator, scores: ArrayLike, *, epsilon: float, sensitivity: ArrayLike
) -> NDArray[np.intp]:
    """Return the index of one selected candidate for each data set.

    The largest of the log weights, each with its own standard Gumbel variable added, is
    distributed as the mechanism demands. Raises `ParameterError`.
    """
    weights = _log_weights(scores, epsilon, sensitivity)
    return np.asarray(np.argmax(weights + rng.gumbel(size=weights.shape), axis=-1))


def accurate_excess(candidates: float, *, epsilon: float, sensitivity: float, beta: float) -> float:
    """Return a such that the selected score exceeds the best by more than a with probability ≤ β.

    a = (2Δ/ε)·ln(|H|/β), Theorem 9 of Ghazi, Kamath et al. 2023 with its constant: candidates
    worse than best + a have weight below e^(−εa/2Δ) = β/|H| times that of the best. Raises
    `ParameterError`.
    """
    count, failure = validate("hypotheses", candidates), validate("beta", beta)
    scale = 2 * validate("sensitivity", sensitivity) / validate("epsilon", epsilon)
    return scale * math.log(count / failure)


def tail_probability(
    scores: ArrayLike, *, excess: float, epsilon: float, sensitivity: ArrayLike
) -> FloatArray:
    """Return Pr[selected score > best score + excess] for each data set, exactly.

    excess: a ≥ 0, in the units of the scores. Raises `ParameterError`.
    """
    log_law = log_probabilities(scores, epsilon=epsilon, sensitivity=sensitivity)
    values = np.asarray(scores, dtype=float)
    far = values > values.min(axis=-1, keepdims=True) + validate("excess", excess)
    return np.asarray(np.sum(np.exp(log_law), axis=-1, where=far))


def _log_weights(scores: ArrayLike, epsilon: float, sensitivity: ArrayLike) -> FloatArray:
    rate = validate("epsilon", epsilon) / (2 * validate_array("sensitivity", sensitivity))
    values = np.asarray(scores, dtype=float)
    if values.ndim == 0 or values.shape[-1] == 0 or not np.all(np.isfinite(values)):
        raise ParameterError("scores", "finite numbers, at least one candidate", scores)
    return np.asarray(-rate[..., None] * (values - values.min(axis=-1, keepdims=True)))
