"""From item-level to user-level privacy: Observation 28 and group privacy (Lemma 6).

Both of Ghazi, Kamath et al. 2023 ("User-Level Differential Privacy With Few Examples Per User"),
where two inputs are neighbours if one user's examples are substituted. They hide no constant.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate_array


@dataclass(frozen=True, eq=False)
class ItemLevelBudget:
    """The item-level privacy that group privacy asks of the algorithm it starts from.

    epsilon: ε′. log_delta: ln δ′; δ′ itself can be smaller than the smallest float.
    """

    epsilon: FloatArray
    log_delta: FloatArray

    @property
    def delta(self) -> FloatArray:
        """δ′, or 0 where it underflows."""
        return np.exp(self.log_delta)


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The two ends between which a user complexity must lie."""

    lower: FloatArray
    upper: FloatArray


def group_privacy_budget(
    *, epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> ItemLevelBudget:
    """Return the item-level budget from which group privacy alone gives user-level (ε, δ).

    Lemma 6 with groups of m: ε/m and δ (e^(ε/m) − 1)/(e^ε − 1), with no constant dropped.
    """
    epsilon, delta = validate_array("epsilon", epsilon), validate_array("delta", delta)
    m = validate_array("examples_per_user", examples_per_user)
    per_item = epsilon / m
    return ItemLevelBudget(
        epsilon=per_item,
        log_delta=np.log(np.expm1(per_item)) - np.log(np.expm1(epsilon)) + np.log(delta),
    )


def sandwich(n_1: ArrayLike, m: ArrayLike) -> Sandwich:
    """Return the ends of Observation 28, n_1/m ≤ n_m ≤ n_1, for the true complexity n_1.

    Above: every user throws away all but one example. Below: m users of one example each can
    pose as one user, in the central model; in the local model only the upper end holds. The paper
    prints the lower end as ⌈n_1/m⌉; a shape with dropped constants is no whole number.
    """
    n_1 = np.asarray(n_1, dtype=np.float64)
    if not (np.isfinite(n_1) & (n_1 >= 0)).all():
        raise ParameterError("n_1", "a number from 0", n_1)
    m = validate_array("examples_per_user", m)
    return Sandwich(lower=n_1 / m, upper=n_1 + 0 * m)
