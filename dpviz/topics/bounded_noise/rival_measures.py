"""The errors of noises of equal privacy at one k: those that are best for some numbers of answers.

Two kinds of answers. Any numbers: Laplace, truncated Laplace, Gaussian and tuned noise. Whole
numbers that one person moves by at most 1, Δ = 1: there noise on whole numbers is admissible,
discrete Gaussian and discrete Laplace noise, truncated or not. Of the latter there are two, whose
better one is taken: the geometric law, and Laplace noise rounded, which has fewer answers of the
largest loss. Tuned noise is rounded. Rounding is post-processing: no privacy is lost.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import keeps_to, tuned_nearby
from dpviz.maths.discrete_noise import (
    discrete_gaussian_noise,
    geometric_noise,
    truncated_geometric_noise,
)
from dpviz.maths.laplace_rivals import MOST_QUERIES, laplace_noise, truncated_laplace_noise
from dpviz.topics.bounded_noise.errors_along_queries import NAMES

ANSWERS = {"real": "Any numbers", "whole": "Counts: whole numbers, Δ = 1"}
"""What the answers are, by name."""

RANKS = MappingProxyType(
    {
        "hard": ("truncated", "tuned"),
        "quantile": ("laplace", "gaussian", "tuned"),
        "deviation": ("laplace", "gaussian"),
    }
)
"""The noises compared, in the order in which they take over as k grows."""

NOISES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "real": NAMES,
        "whole": {
            "laplace": "discrete Laplace noise",
            "truncated": "truncated discrete Laplace noise",
            "gaussian": "discrete Gaussian noise",
            "tuned": "tuned noise, rounded",
        },
    }
)
"""The noises in words, for each kind of answers."""


@lru_cache(maxsize=4096)
def measures(
    objective: str, answers: str, beta: float, *, epsilon: float, delta: float, queries: float
) -> tuple[float, ...]:
    """Return the measure of each noise of `RANKS`, in units of Δ; inf where it is not composed.

    All are of noises certified to be (ε, δ)-DP for k answers. Parameters, validated, as
    `which_noise_wins_where`.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    rivals = _rivals(objective, answers == "whole", beta, privacy)
    if "tuned" in RANKS[objective]:
        tuned = tuned_nearby(None, **privacy, objective=objective, failure_probability=beta)
        error = tuned.measure.upper
        rivals.append(_rounded(error) if answers == "whole" else error)
    return tuple(rivals)


@lru_cache(maxsize=4096)
def leader(
    objective: str, answers: str, beta: float, *, epsilon: float, delta: float, queries: float
) -> int:
    """Return the place in `RANKS` of the noise of least measure, which is certified to be private.

    Tuned noise takes longest to solve for. Whether its error is below the others' is one
    question: is it private at an error as large? Parameters as `measures`.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    whole = answers == "whole"
    rivals = _rivals(objective, whole, beta, privacy)
    least = min(rivals)
    if "tuned" in RANKS[objective]:
        # what is to be rounded to a smaller whole number; none is smaller than 0
        room = least - 0.5 if whole else least
        if math.isinf(least) or (
            room > 0 and keeps_to(room, **privacy, objective=objective, failure_probability=beta)
        ):
            return len(rivals)
    return rivals.index(least)


def _rivals(objective: str, whole: bool, beta: float, privacy: Mapping[str, float]) -> list[float]:
    """Return the measures of all noises but tuned noise."""
    if objective == "hard":
        return [_truncated(whole, privacy)]
    tail = {"queries": privacy["queries"], "failure_probability": beta}
    likely = tail if objective == "quantile" else None
    return [_laplace(whole, privacy, likely), _gaussian(whole, privacy, likely)]


def _truncated(whole: bool, privacy: Mapping[str, float]) -> float:
    """Return the radius of (discrete) truncated Laplace noise."""
    if privacy["queries"] > MOST_QUERIES:
        return math.inf
    radius = truncated_laplace_noise(**privacy).radius
    return min(_rounded(radius), truncated_geometric_noise(**privacy).radius) if whole else radius


def _laplace(
    whole: bool, privacy: Mapping[str, float], likely: Mapping[str, float] | None
) -> float:
    """Return the error of (discrete) Laplace noise: the largest of k, or the deviation of one."""
    if privacy["queries"] > MOST_QUERIES:
        return math.inf
    noise = laplace_noise(**privacy)
    error = noise.max_error(**likely) if likely else noise.standard_deviation
    if not whole:
        return error
    other = geometric_noise(**privacy)
    if likely:
        return min(_rounded(error), other.max_error(**likely))
    return min(error, other.standard_deviation)


def _gaussian(
    whole: bool, privacy: Mapping[str, float], likely: Mapping[str, float] | None
) -> float:
    """Return the same of (discrete) Gaussian noise; rounded where it is too wide to compose."""
    sigma = float(gaussian.minimal_sigma(**privacy))
    noise = None
    if whole and privacy["queries"] <= MOST_QUERIES:
        noise = discrete_gaussian_noise(**privacy)
    if noise is not None:
        return noise.max_error(**likely) if likely else noise.standard_deviation
    error = float(gaussian.max_error(sigma, **likely)) if likely else sigma
    return _rounded(error) if whole and likely else error


def _rounded(error: float) -> float:
    """Return the least whole number that an error stays within as often, rounded to whole ones."""
    return float(math.ceil(error - 0.5))
