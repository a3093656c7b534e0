"""Views: Theorem 10 as a machine, from a reader's item-level bound to a user-level one."""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.comparing import USERS
from dpviz.topics.user_complexity.shared_axes import axis_of, first_m, m_values
from dpviz.topics.user_complexity.transformation import (
    ItemLevelBudget,
    corollary_3,
    group_privacy_budget,
    item_level_budget,
    item_level_samples,
    sandwich,
    theorem_10,
    theorem_11,
)

# Where the budget is not even smaller than what it pays for, ε and δ are not "small".
_ASSUMPTION = "ε′ ≤ ε and δ′ < 1; ε and δ sufficiently small (no constant is stated)"


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


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnBoundChart(Chart):
    """A reader's item-level bound, turned into user-level ones.

    item_level: n_1(ε, δ), the users needed if each gives one example.
    theorem_10, theorem_11, corollary_3, group: users at the setting by each route.
    beats_discarding, beats_group: the smallest m at which Theorem 10 needs fewer users than
    throwing away all but one example, and than group privacy; infinity for never.
    """

    item_level: float
    theorem_10: float
    theorem_11: float
    corollary_3: float
    group: float
    beats_discarding: float
    beats_group: float


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
    asked = theorem(x)
    curves = (
        Curve(
            key="theorem",
            label="Theorem 10",
            subject=Subject.USER_LEVEL,
            evidence=Evidence.ASYMPTOTIC,
            source=Source(UL, "Theorem 10"),
            x=x,
            y=asked.epsilon,
            holds=(asked.epsilon <= epsilon) & (asked.log_delta < 0),
            assumption=_ASSUMPTION,
        ),
        Curve(
            key="group",
            label="group privacy, ε/m",
            subject=Subject.EARLIER,
            evidence=Evidence.EXACT,
            source=Source(UL, "Lemma 6"),
            x=x,
            y=group(x).epsilon,
        ),
        Curve(
            key="open",
            label="plausible but open, ε/√(m ln(1/δ))",
            subject=Subject.USER_LEVEL,
            evidence=Evidence.ASYMPTOTIC,
            source=Source(UL, "Section 5"),
            x=x,
            y=epsilon / np.sqrt(-np.log(delta) * x),
            weight=0.5,
        ),
    )
    marks = (
        Mark(
            better_from,
            float(theorem(np.asarray(better_from)).epsilon),
            "milder than group privacy from here",
            Subject.USER_LEVEL,
        ),
    )
    return BudgetChart(
        x=axis_of("m"),
        y=Axis("item_level_epsilon", "item-level privacy loss, ε′"),
        curves=curves,
        marks=marks if better_from <= x[-1] else (),
        here=float(here),
        theorem=float(theorem(here).epsilon),
        theorem_log_delta=float(theorem(here).log_delta),
        group=float(group(here).epsilon),
        better_from=better_from,
    )


def own_bound(
    *,
    n_priv: float,
    n_stat: float,
    c: float,
    epsilon: float,
    delta: float,
    examples_per_user: float,
    constant: float = 1.0,
) -> OwnBoundChart:
    """Return what becomes of the item-level bound ln(1/δ)^c/ε · n_priv + n_stat along m.

    Theorem 10 and 11 with that bound put in, Corollary 3, which simplifies Theorem 10, and group
    privacy (Lemma 6), which drops no constant: users run the item-level algorithm on all n·m
    examples at the smaller budget.
    constant: the reader's hidden constant of Theorems 10 and 11 and Corollary 3.
    """
    here = np.asarray(validate("examples_per_user", examples_per_user))
    constant = validate("constant", constant)

    def samples(epsilon: ArrayLike, log_delta: ArrayLike) -> FloatArray:
        return item_level_samples(
            n_priv=n_priv, n_stat=n_stat, c=c, epsilon=epsilon, log_delta=log_delta
        )

    def routes(m: FloatArray) -> dict[str, FloatArray]:
        budget = item_level_budget(epsilon=epsilon, delta=delta, examples_per_user=m)
        group = group_privacy_budget(epsilon=epsilon, delta=delta, examples_per_user=m)
        ten = theorem_10(
            samples(budget.epsilon, budget.log_delta),
            epsilon=epsilon,
            delta=delta,
            examples_per_user=m,
        )
        eleven = theorem_11(
            samples(epsilon, budget.log_delta), epsilon=epsilon, delta=delta, examples_per_user=m
        )
        three = corollary_3(
            n_priv=n_priv, n_stat=n_stat, c=c, epsilon=epsilon, delta=delta, examples_per_user=m
        )
        return {
            "theorem_10": constant * _total(ten),
            "theorem_11": constant * _total(eleven),
            "corollary_3": constant * _total(three),
            "group": samples(group.epsilon, group.log_delta) / m,
        }

    item_level = float(samples(epsilon, np.log(validate("delta", delta))))
    beats_discarding = first_m(lambda m: routes(m)["theorem_10"] < item_level)
    beats_group = first_m(lambda m: routes(m)["theorem_10"] < routes(m)["group"])
    turns = {
        beats_group: "beats group privacy from here",
        beats_discarding: "beats throwing examples away from here",
    }
    x = m_values(here=float(here), shown=turns)
    drawn = routes(x)
    budget = item_level_budget(epsilon=epsilon, delta=delta, examples_per_user=x)
    small = (budget.epsilon <= epsilon) & (budget.log_delta < 0)
    ends = sandwich(item_level, x)
    shapes = {
        "theorem_10": ("Theorem 10", 1.0),
        "theorem_11": ("Theorem 11", 0.5),
        "corollary_3": ("Corollary 3", 0.5),
    }
    curves = (
        Curve(
            key="sandwich",
            label="all but one example thrown away",
            subject=Subject.ITEM_LEVEL,
            evidence=Evidence.EXACT,
            source=Source(UL, "Observation 28"),
            x=x,
            y=ends.upper,
            lower=ends.lower,
            upper=ends.upper,
        ),
        Curve(
            key="group",
            label="group privacy",
            subject=Subject.EARLIER,
            evidence=Evidence.EXACT,
            source=Source(UL, "Lemma 6"),
            x=x,
            y=drawn["group"],
        ),
        *(
            Curve(
                key=key,
                label=label,
                subject=Subject.USER_LEVEL,
                evidence=Evidence.ASYMPTOTIC,
                source=Source(UL, label),
                x=x,
                y=drawn[key],
                holds=small,
                assumption=_ASSUMPTION,
                weight=weight,
            )
            for key, (label, weight) in shapes.items()
        ),
    )
    at = {key: float(users) for key, users in routes(here).items()}
    return OwnBoundChart(
        x=axis_of("m"),
        y=USERS,
        curves=curves,
        marks=tuple(
            Mark(m, float(routes(np.asarray(m))["theorem_10"]), text, Subject.USER_LEVEL)
            for m, text in turns.items()
            if m <= x[-1]
        ),
        here=float(here),
        notes=(
            "Exact here means: exactly what the item-level bound that was typed in implies. The "
            "lower end n₁/m binds only if no item-level algorithm does better than that bound.",
            "Neighbouring data sets: one user is substituted.",
        ),
        item_level=item_level,
        beats_discarding=beats_discarding,
        beats_group=beats_group,
        **at,
    )


def _total(terms: dict[str, FloatArray]) -> FloatArray:
    total: FloatArray = reduce(np.add, terms.values())
    return total
