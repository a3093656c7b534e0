"""Noise that is cut off, beside the bounded noises of Dagan & Kur: the least of each kind.

Truncated Laplace noise, end staircase noise for one answer, and truncated discrete Laplace noise
for counts, by the names that `dpviz.compare` has for them.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.discrete_noise import GeometricNoise, truncated_geometric_noise
from dpviz.maths.joint_noise import JointNoise
from dpviz.maths.laplace_rivals import TruncatedLaplace, truncated_laplace_noise
from dpviz.maths.mechanisms import Mechanism, TruncatedDiscreteLaplace, TruncatedLaplaceAnswers
from dpviz.maths.optimal_noise import end_staircase
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.answer import Answer
from dpviz.results.evidence import Bracket, Evidence, Source
from dpviz.results.parameters import ParameterError, validate

_ROUNDED = 1e-8  # relative: end staircase noise is rounded to the private side by less


class Least(NamedTuple):
    """The least noise of a kind: its radius, and its other parameters."""

    radius: Bracket
    how: Mapping[str, float]
    evidence: Evidence
    source: Source


def least(
    noise: str, *, epsilon: float, delta: float, queries: float, sensitivity: float = 1.0
) -> Least:
    """Return the least noise of a kind that is (ε, δ)-DP for k answers; all in units of answers.

    noise: "truncated_laplace", "end_staircase" or "truncated_discrete_laplace". For more answers
    than one, truncated noise of another scale may be smaller. Raises `ParameterError`.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    unit, one = validate("sensitivity", sensitivity), validate("queries", queries) == 1
    if noise == "end_staircase":
        if not one:
            raise ParameterError("queries", "1 for end staircase noise", queries)
        radius = unit * end_staircase(epsilon=epsilon, delta=delta).radius
        source = Source("dpviz.maths.optimal_noise", "in closed form")
        return Least(Bracket(radius * (1 - _ROUNDED), radius), {}, Evidence.CERTIFIED, source)
    if noise == "truncated_laplace":
        found = truncated_laplace_noise(**privacy)
        source = Source("dpviz.maths.laplace_rivals", "loss composed on a lattice, from above")
        radius, scale = unit * found.radius, unit / found.rate
        bracket = Bracket(radius * (1 - _ROUNDED) if one else 0.0, radius)
    else:
        _check_counts(sensitivity)
        counts = truncated_geometric_noise(**privacy)
        source = Source("dpviz.maths.discrete_noise", "loss composed on a lattice, from above")
        radius, scale = counts.radius, 1 / counts.decay
        bracket = Bracket(radius if one else 0.0, radius)
    evidence = Evidence.CERTIFIED if one else Evidence.UPPER
    return Least(bracket, {"scale": scale}, evidence, source)


def mechanism(
    noise: str, radius: float, scale: float, queries: int, sensitivity: float
) -> Mechanism:
    """Return k answers with truncated noise. Raises `ParameterError`."""
    if noise == "truncated_laplace":
        return TruncatedLaplaceAnswers(
            scale=scale, radius=radius, sensitivity=sensitivity, count=queries
        )
    _check_counts(sensitivity)
    return TruncatedDiscreteLaplace(scale=scale, radius=radius, count=queries)


def deviation(noise: str, power: float, largest: Answer) -> float:
    """Return the standard deviation of one error, in units of its radius, as `radius` found it."""
    unit, how = float(largest.parameters["sensitivity"]), largest.how or {}
    radius, queries = largest.value, float(largest.parameters["queries"])
    if noise == "power":
        return PowerNoise(power).standard_deviation
    if noise == "iterated":
        return IteratedExponentialNoise().standard_deviation
    if noise == "tuned":
        return TunedNoise(**how).standard_deviation
    epsilon = float(largest.parameters["epsilon"])
    if noise in ("joint", "end_staircase"):
        return JointNoise(epsilon, queries, radius / unit).deviation * unit / radius
    if noise == "truncated_laplace":
        cut = TruncatedLaplace(unit / how["scale"], radius / unit)
        return cut.standard_deviation * unit / radius
    return GeometricNoise(1 / how["scale"], radius).standard_deviation / radius


def _check_counts(sensitivity: float) -> None:
    if not math.isclose(sensitivity, 1.0):
        raise ParameterError("sensitivity", "1 for truncated noise on counts", sensitivity)
