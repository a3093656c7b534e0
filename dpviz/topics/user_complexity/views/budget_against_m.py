"""View: the item-level budget of Theorem 10, along m."""

from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.shared_axes import axis_of, first_m, m_values
from dpviz.topics.user_complexity.transformation import (
    SMALL_BUDGET,
    ItemLevelBudget,
    group_privacy_budget,
    item_level_budget,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class BudgetChart(Chart):
    """The item-level budget that user-level (ε, δ) asks for, as m grows.

    theorem, group: ε′ at the setting by Theorem 10 and by group privacy; theorem_log_delta: ln δ′.
    better_from: the smallest m at which Theorem 10 asks for less than group privacy does.
    """

    theorem: float
    theorem_log_delta: float
    group: float
    better_from: float


def budget_against_m(*, epsilon: float, delta: float, examples_per_user: float) -> BudgetChart:
    """Return the item-level ε′ of Theorem 10 along m, beside group privacy (Lemma 6).

    Also ε/√(m ln(1/δ)), which Section 5 of the paper calls plausible and leaves open.
    """
    here = np.asarray(validate("examples_per_user", examples_per_user))

    def theorem(m: FloatArray) -> ItemLevelBudget:
        return item_level_budget(epsilon=epsilon, delta=delta, examples_per_user=m)

    def group(m: FloatArray) -> ItemLevelBudget:
        return group_privacy_budget(epsilon=epsilon, delta=delta, examples_per_user=m)

    better_from = first_m(lambda m: theorem(m).epsilon > group(m).epsilon)
    x = m_values(here=float(here), shown=[better_from])
    mark = Mark(
        better_from,
        float(theorem(np.asarray(better_from)).epsilon),
        "milder than group privacy from here",
        Subject.USER_LEVEL,
    )
    return BudgetChart(
        x=axis_of("m"),
        y=Axis("item_level_epsilon", "item-level ε′"),
        curves=(
            _theorem_curve(x, theorem(x), epsilon),
            Curve(
                key="group",
                label="group privacy, ε/m",
                subject=Subject.EARLIER,
                evidence=Evidence.PUBLISHED,
                source=Source(UL, "Lemma 6"),
                x=x,
                y=group(x).epsilon,
            ),
            _open_curve(x, epsilon, delta),
        ),
        marks=(mark,) if better_from <= x[-1] else (),
        here=float(here),
        in_headline=("theorem", "group"),
        theorem=float(theorem(here).epsilon),
        theorem_log_delta=float(theorem(here).log_delta),
        group=float(group(here).epsilon),
        better_from=better_from,
    )


def _theorem_curve(x: FloatArray, asked: ItemLevelBudget, epsilon: float) -> Curve:
    return Curve(
        key="theorem",
        label="Theorem 10",
        subject=Subject.USER_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=Source(UL, "Theorem 10"),
        x=x,
        y=asked.epsilon,
        holds=asked.is_small(epsilon),
        assumption=SMALL_BUDGET,
    )


def _open_curve(x: FloatArray, epsilon: float, delta: float) -> Curve:
    return Curve(
        key="open",
        label="plausible but open, ε/√(m ln(1/δ))",
        subject=Subject.USER_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=Source(UL, "Section 5"),
        x=x,
        y=epsilon / np.sqrt(-np.log(delta) * x),
        weight=0.5,
    )
