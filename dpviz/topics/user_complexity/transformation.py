"""From item-level to user-level privacy: Theorems 10 and 11, Corollary 3, Observation 28.

All of Ghazi, Kamath et al. 2023 ("User-Level Differential Privacy With Few Examples Per User"),
where two inputs are neighbours if one user's examples are substituted. Theorems 10 and 11 and
Corollary 3 drop constants and logarithms and ask for sufficiently small ε and δ; Observation 28
and group privacy (Lemma 6) hide nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate_array

# Where the budget is not even smaller than what it pays for, ε and δ are not "small".
SMALL_BUDGET = "ε′ ≤ ε and δ′ < 1; ε and δ sufficiently small (no constant is stated)"
"""What Theorems 10 and 11 and Corollary 3 assume."""


@dataclass(frozen=True, eq=False)
class ItemLevelBudget:
    """The item-level privacy that a transformation asks of the algorithm it starts from.

    epsilon: ε′. log_delta: ln δ′; δ′ itself can be smaller than the smallest float.
    """

    epsilon: FloatArray
    log_delta: FloatArray

    @property
    def delta(self) -> FloatArray:
        """δ′, or 0 where it underflows."""
        return np.exp(self.log_delta)

    def is_small(self, epsilon: float) -> NDArray[np.bool_]:
        """Return where `SMALL_BUDGET` holds, as far as it can be checked."""
        small: NDArray[np.bool_] = (self.epsilon <= epsilon) & (self.log_delta < 0)
        return small


@dataclass(frozen=True, eq=False)
class Sandwich:
    """The two ends between which a user complexity must lie."""

    lower: FloatArray
    upper: FloatArray


def _privacy(
    epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return validated ε, ln(1/δ) and m."""
    return (
        validate_array("epsilon", epsilon),
        -np.log(validate_array("delta", delta)),
        validate_array("examples_per_user", examples_per_user),
    )


def _positive(name: str, value: ArrayLike) -> FloatArray:
    array = np.asarray(value, dtype=np.float64)
    bad = ~((array > 0) & np.isfinite(array))
    if bad.any():
        raise ParameterError(name, "a positive number", float(array[bad].flat[0]))
    return array


def item_level_budget(
    *, epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> ItemLevelBudget:
    """Return ε′ and δ′ of Theorem 10: what user-level (ε, δ) asks of the item-level algorithm.

    ε′ = ε² / (ln(1/δ) √(m ln(m/δ))) and, up to a constant that is dropped here,
    δ′ = δ ε / (m ln(1/δ)). Arrays broadcast.
    """
    epsilon, log_inverse, m = _privacy(epsilon, delta, examples_per_user)
    return ItemLevelBudget(
        epsilon=epsilon**2 / (log_inverse * np.sqrt(m * (np.log(m) + log_inverse))),
        log_delta=np.log(epsilon / (m * log_inverse)) - log_inverse,
    )


def group_privacy_budget(
    *, epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> ItemLevelBudget:
    """Return the item-level budget from which group privacy alone gives user-level (ε, δ).

    Lemma 6 with groups of m: ε/m and δ (e^(ε/m) − 1)/(e^ε − 1), with no constant dropped.
    """
    epsilon, log_inverse, m = _privacy(epsilon, delta, examples_per_user)
    per_item = epsilon / m
    return ItemLevelBudget(
        epsilon=per_item,
        log_delta=np.log(np.expm1(per_item)) - np.log(np.expm1(epsilon)) - log_inverse,
    )


def item_level_samples(
    *, n_priv: ArrayLike, n_stat: ArrayLike, c: ArrayLike, epsilon: ArrayLike, log_delta: ArrayLike
) -> FloatArray:
    """Return the item-level bound that Corollary 3 starts from, ln(1/δ)^c/ε · n_priv + n_stat.

    epsilon (positive) and log_delta = ln δ may lie outside the table of ranges, as the budgets of
    Theorem 10 do; a δ of 1 and more asks for no privacy.
    """
    n_priv = validate_array("n_priv", n_priv)
    n_stat = validate_array("n_stat", n_stat)
    c = validate_array("c", c)
    log_inverse = np.maximum(-np.asarray(log_delta, dtype=np.float64), 0.0)
    samples: FloatArray = log_inverse**c / _positive("epsilon", epsilon) * n_priv + n_stat
    return samples


def theorem_10(
    n_1: ArrayLike, *, epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> dict[str, FloatArray]:
    """Return the two terms of Theorem 10, a bound on the users for user-level (ε, δ).

    n_1 is the item-level sample complexity at (ε′, δ′), the budget of `item_level_budget`.
    """
    epsilon, log_inverse, m = _privacy(epsilon, delta, examples_per_user)
    return {
        "ln(1/δ)/ε": log_inverse / epsilon + 0 * m,
        "n₁(ε′, δ′)/m": _positive("n_1", n_1) / m,
    }


def theorem_11(
    n_1: ArrayLike, *, epsilon: ArrayLike, delta: ArrayLike, examples_per_user: ArrayLike
) -> dict[str, FloatArray]:
    """Return the two terms of Theorem 11, the version with the same ε on both sides.

    n_1 is the item-level sample complexity at (ε, δ′), with δ′ from `item_level_budget`.
    """
    epsilon, log_inverse, m = _privacy(epsilon, delta, examples_per_user)
    factor = log_inverse**1.5 / (epsilon * np.sqrt(m))
    return {
        "ln(1/δ)/ε": log_inverse / epsilon + 0 * m,
        "ln(1/δ)^1.5 n₁(ε, δ′)/(ε√m)": factor * _positive("n_1", n_1),
    }


def corollary_3(
    *,
    n_priv: ArrayLike,
    n_stat: ArrayLike,
    c: ArrayLike,
    epsilon: ArrayLike,
    delta: ArrayLike,
    examples_per_user: ArrayLike,
) -> dict[str, FloatArray]:
    """Return the three terms of Corollary 3 for an item-level bound of the reader's own.

    The item-level bound is ln(1/δ)^c/ε · n_priv + n_stat. Its privacy part falls as 1/√m (and
    pays ln(1/δ)^1.5/ε), its statistical part as 1/m.
    """
    n_priv = validate_array("n_priv", n_priv)
    n_stat = validate_array("n_stat", n_stat)
    c = validate_array("c", c)
    epsilon, log_inverse, m = _privacy(epsilon, delta, examples_per_user)
    return {
        "ln(1/δ)^(c+1.5) n_priv/(ε²√m)": (
            log_inverse ** (c + 1.5) * n_priv / (epsilon**2 * np.sqrt(m))
        ),
        "n_stat/m": n_stat / m,
        "ln(1/δ)/ε": log_inverse / epsilon + 0 * m,
    }


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
