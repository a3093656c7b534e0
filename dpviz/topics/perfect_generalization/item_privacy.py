"""What the views share: the item-level privacy that theorems start from, its curves, a slope."""

import math
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from dpviz.maths.finite_exponential import Mechanism
from dpviz.maths.generalization_bounds import (
    SMALL,
    assumption_13,
    group_privacy,
    theorem_13_derived,
    theorem_13_shape,
)
from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.results.evidence import Curve, Evidence, FloatArray, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate

ASSUMPTION = (
    "ε√(n ln(1/(βδ))) is sufficiently small (drawn grey above 1; no number is stated), and δ′ "
    "covers n·δ"
)
PROOF_ASSUMPTION = "2ε ≤ 1, and δ′ large enough for n·δ"


class _Stated(TypedDict):
    """The arguments that a bound and its assumption share."""

    epsilon: FloatArray
    log_delta: FloatArray
    log_failure: float


@dataclass(frozen=True, eq=False)
class ItemPrivacy:
    """The (ε, δ) of a mechanism, for each number of samples.

    log_shape_delta: ln δ where a theorem needs δ > 0: a pure mechanism takes δ′/n.
    log_delta: ln δ, −inf for a pure mechanism.
    """

    epsilon: FloatArray
    log_delta: FloatArray
    log_shape_delta: FloatArray


def item_privacy(
    mechanism: Mechanism, samples: FloatArray, *, delta: float, item_delta: float | None = None
) -> ItemPrivacy:
    """Return the (ε, δ) from which the theorems start.

    delta: δ′. item_delta: δ, for Gaussian noise, whose ε then lies on the exact curve; None for
    δ′/(100n), which leaves the proof of Theorem 13 room.
    """
    n = np.asarray(samples, dtype=float)
    if isinstance(mechanism, GaussianCount):
        deltas = delta / (100 * n) if item_delta is None else validate("delta", item_delta) + 0 * n
        deltas = np.maximum(deltas, 1e-304)
        return ItemPrivacy(mechanism.item_epsilon(deltas), np.log(deltas), np.log(deltas))
    return ItemPrivacy(
        mechanism.item_epsilon() + 0 * n, np.full(n.shape, -np.inf), np.log(delta / n)
    )


def covered(log_shape_delta: FloatArray, delta: float) -> NDArray[np.bool_]:
    """Return where a δ that a theorem promises, constants dropped, is at most the one asked for."""
    rounding = 1e-9  # a pure mechanism takes all of it
    return log_shape_delta <= math.log(delta) + rounding


def bound_curves(
    samples: FloatArray, privacy: ItemPrivacy, *, delta: float, log_failure: float, constant: float
) -> tuple[Curve, ...]:
    """Return ε′ by group privacy and both versions of Theorem 13, along n."""
    group = group_privacy(samples, epsilon=privacy.epsilon, log_delta=privacy.log_delta)
    stated: _Stated = {
        "epsilon": privacy.epsilon,
        "log_delta": privacy.log_shape_delta,
        "log_failure": log_failure,
    }
    shape = theorem_13_shape(samples, **stated, constant=constant)
    derived = theorem_13_derived(
        samples,
        epsilon=privacy.epsilon,
        log_delta=privacy.log_delta,
        log_failure=log_failure,
        delta=delta,
    )
    return (
        Curve(
            key="group",
            label="group privacy, nε",
            subject=Subject.EARLIER,
            evidence=Evidence.PUBLISHED,
            source=Source(UL, "Lemma 6"),
            x=samples,
            y=group.epsilon,
            holds=group.log_delta <= np.log(delta),
            assumption="δ′ covers the δ of a group of n",
        ),
        Curve(
            key="theorem_13",
            label="Theorem 13, up to constants",
            subject=Subject.USER_LEVEL,
            evidence=Evidence.ASYMPTOTIC,
            source=Source(UL, "Theorem 13"),
            x=samples,
            y=shape.epsilon,
            holds=(assumption_13(samples, **stated) <= SMALL) & covered(shape.log_delta, delta),
            assumption=ASSUMPTION,
        ),
        Curve(
            key="derived",
            label="Theorem 13, its proof's constants",
            subject=Subject.USER_LEVEL,
            evidence=Evidence.UPPER,
            source=Source(UL, "proof of Theorem 13, constants reconstructed"),
            x=samples,
            y=np.where(np.isfinite(derived), derived, np.nan),
            holds=np.isfinite(derived),
            assumption=PROOF_ASSUMPTION,
        ),
    )


def slope_around(here: float, x: FloatArray, y: FloatArray) -> float:
    """Return d ln y/d ln x over the decade around `here`; NaN for fewer than two positive y."""
    near = (x >= here / 3.5) & (x <= here * 3.5) & (y > 0)
    if np.count_nonzero(near) < 2:
        return math.nan
    return float(np.polyfit(np.log(x[near]), np.log(y[near]), 1)[0])


def where_positive(y: FloatArray) -> FloatArray:
    """Return y where a logarithmic axis can show it, NaN elsewhere."""
    return np.where((y > 0) & np.isfinite(y), y, np.nan)
