"""View: a reader's item-level bound, turned into user-level ones by Theorem 10 and others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.comparing import USERS
from dpviz.topics.user_complexity.shared_axes import axis_of, first_m, m_values
from dpviz.topics.user_complexity.transformation import (
    SMALL_BUDGET,
    corollary_3,
    group_privacy_budget,
    item_level_budget,
    item_level_samples,
    sandwich,
    theorem_10,
    theorem_11,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnBoundChart(Chart):
    """A reader's item-level bound, turned into user-level ones.

    item_level: n_1(ε, δ), the users needed if each gives one example.
    theorem_10, theorem_11, corollary_3, group: users at the setting by each route.
    beats_discarding: the smallest m at which Theorem 10 needs fewer users than throwing away all
    but one example; infinity for never.
    """

    item_level: float
    theorem_10: float
    theorem_11: float
    corollary_3: float
    group: float
    beats_discarding: float


@dataclass(frozen=True, kw_only=True)
class _Own:
    """The reader's bound, ln(1/δ)^c/ε · n_priv + n_stat, and the privacy asked for."""

    n_priv: float
    n_stat: float
    c: float
    epsilon: float
    delta: float
    constant: float

    def samples(self, epsilon: ArrayLike, log_delta: ArrayLike) -> FloatArray:
        """Return the bound at another item-level budget."""
        return item_level_samples(
            n_priv=self.n_priv, n_stat=self.n_stat, c=self.c, epsilon=epsilon, log_delta=log_delta
        )

    def users(self, m: FloatArray) -> dict[str, FloatArray]:
        """Return the users needed by each route, with m examples each."""
        epsilon, delta = self.epsilon, self.delta
        budget = item_level_budget(epsilon=epsilon, delta=delta, examples_per_user=m)
        group = group_privacy_budget(epsilon=epsilon, delta=delta, examples_per_user=m)
        ten = theorem_10(
            self.samples(budget.epsilon, budget.log_delta),
            epsilon=epsilon,
            delta=delta,
            examples_per_user=m,
        )
        eleven = theorem_11(
            self.samples(epsilon, budget.log_delta),
            epsilon=epsilon,
            delta=delta,
            examples_per_user=m,
        )
        three = corollary_3(
            n_priv=self.n_priv,
            n_stat=self.n_stat,
            c=self.c,
            epsilon=epsilon,
            delta=delta,
            examples_per_user=m,
        )
        return {
            "theorem_10": self.constant * _total(ten),
            "theorem_11": self.constant * _total(eleven),
            "corollary_3": self.constant * _total(three),
            "group": self.samples(group.epsilon, group.log_delta) / m,
        }


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
    own = _Own(
        n_priv=n_priv,
        n_stat=n_stat,
        c=c,
        epsilon=epsilon,
        delta=delta,
        constant=validate("constant", constant),
    )
    item_level = float(own.samples(epsilon, np.log(validate("delta", delta))))
    beats_discarding = first_m(lambda m: own.users(m)["theorem_10"] < item_level)
    beats_group = first_m(lambda m: own.users(m)["theorem_10"] < own.users(m)["group"])
    turns = {
        beats_group: "beats group privacy from here",
        beats_discarding: "beats throwing examples away from here",
    }
    x = m_values(here=float(here), shown=turns)
    budget = item_level_budget(epsilon=epsilon, delta=delta, examples_per_user=x)
    at_here = {key: float(users) for key, users in own.users(here).items()}
    return OwnBoundChart(
        x=axis_of("m"),
        y=USERS,
        curves=(
            _discarding(item_level, x),
            *_routes(x, own.users(x), budget.is_small(epsilon)),
        ),
        marks=tuple(
            Mark(m, float(own.users(np.asarray(m))["theorem_10"]), text, Subject.USER_LEVEL)
            for m, text in turns.items()
            if m <= x[-1]
        ),
        here=float(here),
        in_headline=("theorem_10",),
        item_level=item_level,
        theorem_10=at_here["theorem_10"],
        theorem_11=at_here["theorem_11"],
        corollary_3=at_here["corollary_3"],
        group=at_here["group"],
        beats_discarding=beats_discarding,
    )


def _discarding(item_level: float, x: FloatArray) -> Curve:
    """Return the users of one example each, with the band of Observation 28 below."""
    ends = sandwich(item_level, x)
    return Curve(
        key="sandwich",
        label="all but one example thrown away",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Observation 28"),
        x=x,
        y=ends.upper,
        lower=ends.lower,
        upper=ends.upper,
    )


def _routes(
    x: FloatArray, users: Mapping[str, FloatArray], small: NDArray[np.bool_]
) -> Iterator[Curve]:
    """Yield the users by each route along m; `small` is where the budget is."""
    yield Curve(
        key="group",
        label="group privacy",
        subject=Subject.EARLIER,
        evidence=Evidence.PUBLISHED,
        source=Source(UL, "Lemma 6"),
        x=x,
        y=users["group"],
    )
    shapes = {
        "theorem_10": ("Theorem 10", 1.0),
        "theorem_11": ("Theorem 11", 0.5),
        "corollary_3": ("Corollary 3", 0.5),
    }
    for key, (label, weight) in shapes.items():
        yield Curve(
            key=key,
            label=label,
            subject=Subject.USER_LEVEL,
            evidence=Evidence.ASYMPTOTIC,
            source=Source(UL, label),
            x=x,
            y=users[key],
            holds=small,
            assumption=SMALL_BUDGET,
            weight=weight,
            second=key == "corollary_3",
        )


def _total(terms: dict[str, FloatArray]) -> FloatArray:
    total: FloatArray = reduce(np.add, terms.values())
    return total
