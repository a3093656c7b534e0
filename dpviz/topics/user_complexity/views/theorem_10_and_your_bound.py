"""View: what Theorem 10 asks for, beside plainer ways."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz.results.evidence import (
    Axis,
    Chart,
    Curve,
    Evidence,
    FloatArray,
    Landmark,
    Source,
    Subject,
)
from dpviz.results.papers import UL
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.shared_axes import axis_of, first_m, m_values
from dpviz.topics.user_complexity.transformation import (
    SMALL_BUDGET,
    ItemLevelBudget,
    corollary_3,
    group_privacy_budget,
    item_level_budget,
    item_level_samples,
    theorem_10,
    theorem_11,
)

_ALIKE = 1 + 1e-9  # rounding
_WAYS = ("sandwich", "group", "theorem_10")


class Stretch(NamedTuple):
    """Numbers of examples each, from start to stop, at which one way asks for the fewest users."""

    way: str
    start: float
    stop: float


@dataclass(frozen=True, eq=False, kw_only=True)
class OwnBoundChart(Chart):
    """A reader's item-level bound, turned into user-level ones: users, as multiples of item_level.

    item_level: n_1(ε, δ), the users needed if each gives one example.
    theorem_10, theorem_11, corollary_3, group: users at the setting by each route.
    beats_discarding: the smallest m at which Theorem 10 needs fewer users than throwing away all
    but one example; beats_both: than that and group privacy; infinity for never. item_epsilon,
    item_log_delta: ε′ and ln δ′ at which Theorem 10 runs the item-level algorithm; group_epsilon:
    ε′ of group privacy. applies: whether Theorem 10's budget is small, as it assumes. cheapest:
    which of these two and one example each asks for the fewest users, along m.
    """

    item_level: float
    theorem_10: float
    theorem_11: float
    corollary_3: float
    group: float
    beats_discarding: float
    beats_both: float
    item_epsilon: float
    item_log_delta: float
    group_epsilon: float
    applies: bool
    cheapest: tuple[Stretch, ...]


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
        budget, group = _budgets(self, m)
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


def theorem_10_and_your_bound(
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

    The users that three ways need are over the users with one example each: Theorems 10 and 11 with
    that bound put in; Corollary 3, which simplifies Theorem 10; and group privacy (Lemma 6), which
    drops no constant, and runs the item-level algorithm on all n·m examples at a smaller budget.
    constant: the reader's hidden constant of Theorems 10 and 11 and Corollary 3.
    """
    here = validate("examples_per_user", examples_per_user)
    own = _Own(
        n_priv=n_priv,
        n_stat=n_stat,
        c=c,
        epsilon=epsilon,
        delta=delta,
        constant=validate("constant", constant),
    )
    return _users(own, here)


def _users(own: _Own, here: float) -> OwnBoundChart:
    """Return the users of each route along m, over those of one example each."""
    item_level = float(own.samples(own.epsilon, np.log(validate("delta", own.delta))))

    def beats(m: FloatArray, *others: str) -> NDArray[np.bool_]:
        users = own.users(m)
        others_need = [np.asarray(item_level), *(users[key] for key in others)]
        ahead: NDArray[np.bool_] = users["theorem_10"] < reduce(np.minimum, others_need)
        return ahead

    beats_both = first_m(lambda m: beats(m, "group"))
    x = m_values(here=here, shown=[beats_both])
    budget = item_level_budget(epsilon=own.epsilon, delta=own.delta, examples_per_user=x)
    ratios = {key: users / item_level for key, users in own.users(x).items()}
    at_here = {key: float(users) for key, users in own.users(np.asarray(here)).items()}
    asked, group = _budgets(own, np.asarray(here))
    turn = float(own.users(np.asarray(min(beats_both, x[-1])))["theorem_10"]) / item_level
    words = "cheaper than both plain ways from here"
    cheaper = Landmark(beats_both, turn, words, Subject.USER_LEVEL)
    return OwnBoundChart(
        x=axis_of("m"),
        y=Axis("ratio", "Users, relative to one example each"),
        curves=(_discarding(x), *_routes(x, ratios, budget.is_small(own.epsilon))),
        landmarks=(cheaper,) if beats_both <= x[-1] else (),
        here=here,
        in_headline=("theorem_10", "group"),
        item_level=item_level,
        theorem_10=at_here["theorem_10"],
        theorem_11=at_here["theorem_11"],
        corollary_3=at_here["corollary_3"],
        group=at_here["group"],
        beats_discarding=first_m(beats),
        beats_both=beats_both,
        item_epsilon=float(asked.epsilon),
        item_log_delta=float(asked.log_delta),
        group_epsilon=float(group.epsilon),
        applies=bool(asked.is_small(own.epsilon)),
        cheapest=_cheapest(x, ratios),
    )


def _budgets(own: _Own, m: FloatArray) -> tuple[ItemLevelBudget, ItemLevelBudget]:
    """Return the item-level budget that Theorem 10 asks for, and that of group privacy."""
    return (
        item_level_budget(epsilon=own.epsilon, delta=own.delta, examples_per_user=m),
        group_privacy_budget(epsilon=own.epsilon, delta=own.delta, examples_per_user=m),
    )


def _cheapest(x: FloatArray, ratios: Mapping[str, FloatArray]) -> tuple[Stretch, ...]:
    """Return the stretches of m with one cheapest way each; of equal ones the plainest counts."""
    users = np.stack([np.ones(x.shape), *(ratios[key] for key in _WAYS[1:])])
    best = np.argmin(np.where(users < users.min(axis=0) * _ALIKE, 0, 1), axis=0)
    turns = [0, *(np.flatnonzero(np.diff(best)) + 1).tolist(), x.size - 1]
    return tuple(
        Stretch(_WAYS[best[first]], float(x[first]), float(x[last]))
        for first, last in itertools.pairwise(turns)
    )


def _discarding(x: FloatArray) -> Curve:
    """Return the rule at 1: users who throw away all but one example."""
    return Curve(
        key="sandwich",
        label="one example each",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.EXACT,
        source=Source(UL, "Observation 28"),
        x=x,
        y=np.ones(x.shape),
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
