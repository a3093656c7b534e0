"""Errors, δ and radii for arrays of k, ε and δ: everything that a sweep over noise asks for.

Everything here broadcasts like numpy. `minimal_sigma` and `minimal_radii` come from
`dpviz.maths.gaussian` and `dpviz.maths.accounting.calibration`; `gaussian.max_error` and
`bounded_noise.max_error` broadcast, too.
"""

from __future__ import annotations  # so that help() shows ArrayLike, not all it may be

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.maths import bounded_noise
from dpviz.maths.accounting import calibration, tuning
from dpviz.maths.accounting.calibration import minimal_radii
from dpviz.maths.bounded_noise import BoundedNoise
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.noise_converse import least_radius
from dpviz.results.evidence import Brackets, FloatArray
from dpviz.results.parameters import validate_array

__all__ = [
    "TunedSweep",
    "largest_errors",
    "least_radii",
    "minimal_radii",
    "minimal_sigma",
    "privacy_deltas",
    "tuned_noises",
]


def largest_errors(
    noise: BoundedNoise | str,
    *,
    epsilon: ArrayLike,
    delta: ArrayLike,
    queries: ArrayLike,
    failure_probability: ArrayLike | None = None,
    sensitivity: ArrayLike = 1.0,
) -> Brackets:
    """Return certified bounds on the largest of k errors, at the smallest radius that is private.

    noise, epsilon, delta, queries, sensitivity: as in
    `dpviz.maths.accounting.calibration.minimal_radius`; failure_probability: the probability β
    with which the error is exceeded, or None for never (then it is the radius). The error has the
    unit of the sensitivity. Raises `ParameterError`. Source: the exact version of Dagan & Kur,
    Lemma 10.2.
    """
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries, "sensitivity": sensitivity}
    noise = bounded_noise.named_noise(noise)
    radii = minimal_radii(noise, **privacy)
    if failure_probability is None:
        return Brackets(radii.lower, radii.upper)
    share = bounded_noise.max_error(
        noise, 1.0, queries=queries, failure_probability=failure_probability
    )
    return Brackets(radii.lower * share, radii.upper * share)


def privacy_deltas(
    noise: BoundedNoise | str,
    radius: ArrayLike,
    *,
    epsilon: ArrayLike,
    queries: ArrayLike,
    sensitivity: ArrayLike = 1.0,
) -> Brackets:
    """Return certified bounds on the smallest δ, as `calibration.privacy_delta` does for one point.

    δ falls as ε or R grows, and grows with k or Δ. So a bound at one point of the sweep is one at
    other points, too, and the bounds returned fall and grow like δ itself.

    radius: R, in the unit of the sensitivity Δ. Raises `ParameterError`. Source: the exact version
    of Dagan & Kur, Lemma 10.2.
    """
    noise = bounded_noise.named_noise(noise)
    at = np.broadcast_arrays(
        validate_array("radius", radius),
        validate_array("epsilon", epsilon),
        validate_array("queries", queries),
        validate_array("sensitivity", sensitivity),
    )
    deltas = [
        calibration.privacy_delta(noise, r, epsilon=e, queries=k, sensitivity=unit)
        for r, e, k, unit in zip(*(values.flat for values in at), strict=True)
    ]
    radii, epsilons, counts, units = (values.ravel() for values in at)
    order = np.stack([units / radii, counts, -epsilons])  # δ grows with each
    lower, upper = (np.array([getattr(each, end) for each in deltas]) for end in ("lower", "upper"))
    for i in range(upper.size):
        point = order[:, i : i + 1]
        upper[i] = upper[(order >= point).all(axis=0)].min()
        lower[i] = lower[(order <= point).all(axis=0)].max()
    return Brackets(lower.reshape(at[0].shape), upper.reshape(at[0].shape))


def least_radii(
    *, epsilon: ArrayLike, delta: ArrayLike, queries: ArrayLike, sensitivity: ArrayLike = 1.0
) -> FloatArray:
    """Return radii below which no independent additive noise is (ε, δ)-DP, a proven lower bound.

    Parameters, errors and source are those of `dpviz.maths.noise_converse.least_radius`.
    """
    at = _privacy(epsilon, delta, queries, sensitivity)
    radii = [
        least_radius(epsilon=e, delta=d, queries=k, sensitivity=unit)
        for e, d, k, unit in zip(*(values.flat for values in at), strict=True)
    ]
    return np.reshape(radii, at[0].shape)


@dataclass(frozen=True, eq=False)
class TunedSweep:
    """The noises of least radius found: f(u) = −b ln(1−θu²) + a(1−u²)^−p, and what they gain.

    radius: certified bounds on R; barrier, bulk, power, cut: a, b, p and θ; gain: the share by
    which R is less than that of the best power p. Arrays of one shape.
    """

    radius: Brackets
    barrier: FloatArray
    bulk: FloatArray
    power: FloatArray
    cut: FloatArray
    gain: FloatArray


def tuned_noises(*, epsilon: ArrayLike, delta: ArrayLike, queries: ArrayLike) -> TunedSweep:
    """Return `dpviz.maths.accounting.tuning.tuned_noise` at each point, for the hard bound.

    Radii are in units of the sensitivity. A point takes about 0.14 s of a processor.
    Raises `ParameterError`.
    """
    at = _privacy(epsilon, delta, queries, 1.0)[:3]
    choices = [
        tuning.tuned_noise(epsilon=e, delta=d, queries=k)
        for e, d, k in zip(*(values.flat for values in at), strict=True)
    ]
    parts = [
        (
            each.best.radius.lower,
            each.best.radius.upper,
            each.best.noise.barrier,
            each.best.noise.bulk,
            each.best.noise.power,
            each.best.noise.cut,
            each.gain,
        )
        for each in choices
    ]
    lower, upper, *rest = np.reshape(parts, (*at[0].shape, 7)).transpose(-1, *range(at[0].ndim))
    return TunedSweep(Brackets(lower, upper), *rest)


def _privacy(
    epsilon: ArrayLike, delta: ArrayLike, queries: ArrayLike, sensitivity: ArrayLike
) -> tuple[FloatArray, ...]:
    return np.broadcast_arrays(
        validate_array("epsilon", epsilon),
        validate_array("delta", delta),
        validate_array("queries", queries),
        validate_array("sensitivity", sensitivity),
    )
