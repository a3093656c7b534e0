"""Rows side by side: which one is the new bound, what it competes with, and how they are drawn."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from dpviz.results.evidence import Chart, Curve, Evidence, FloatArray, Subject
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.shared_axes import Values
from dpviz.topics.user_complexity.transformation import group_privacy_budget


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsChart(Chart):
    """A chart of tabulated bounds. rows: those drawn; values: the setting, by the tables' symbols.

    The rows are in the order in which notes speak of them.
    """

    rows: tuple[Row, ...]
    values: Values


def is_user_upper(row: Row) -> bool:
    """Whether the row says how many users are enough."""
    return row.level == "user" and row.bound != "lower"


def new_bound(rows: Iterable[Row]) -> Row:
    """Return a problem's new bound: the first in `ROWS`, so the later paper's if both have one."""
    return next(row for row in rows if is_user_upper(row) and row.status == "new")


def one_example_each(rows: tuple[Row, ...]) -> Row:
    """Return the row which, at m = 1, says how many users are enough if each gives one example.

    Where the papers tabulate no item-level bound, that is the new bound itself.
    """
    item = (row for row in rows if row.level == "item" and row.bound != "lower")
    return next(item, new_bound(rows))


def discarding(rows: tuple[Row, ...], values: Values) -> FloatArray:
    """Return the users needed if each throws away all but one example."""
    return one_example_each(rows).value(**{**values, "m": np.asarray(1.0)})


def fewest(rows: Iterable[Row], values: Values) -> FloatArray:
    """Return the fewest users that any of the rows which hold asks for, infinity if none holds."""
    best: FloatArray = np.asarray(np.inf)
    for row in rows:
        best = np.minimum(best, np.where(row.holds(**values), row.value(**values), np.inf))
    return best


def thresholds(rows: Iterable[Row], values: Values) -> dict[str, float]:
    """Return the m from which a row holds, by key, for the rows that do not hold for every m."""
    return {row.key: float(row.threshold.evaluate(values)) for row in rows if row.threshold}


def curve(
    row: Row,
    x: FloatArray,
    values: Values,
    *,
    ours: Collection[Row],
) -> Curve:
    """Return a row along x, which is one of the parameters in `values`.

    User-level upper bounds that are not among `ours` count as earlier work.
    """
    if row.bound == "lower":
        subject = Subject.LOWER_BOUND
    elif row.level == "item":
        subject = Subject.ITEM_LEVEL
    else:
        subject = Subject.USER_LEVEL if row in ours else Subject.EARLIER
    return Curve(
        key=row.key,
        label=row.label,
        subject=subject,
        evidence=Evidence.ASYMPTOTIC,
        source=row.source,
        x=x,
        y=np.broadcast_to(row.value(**values), x.shape),
        holds=np.broadcast_to(row.holds(**values), x.shape),
        assumption=row.assumption,
    )


def substitution_growth(rows: Iterable[Row], values: Values) -> list[tuple[Row, float]]:
    """Return which bounds for adding or removing a user are larger for substituting one: how often.

    A substitution is a removal and an addition, a group of two changes: an upper bound for these
    at ε/2 and δ/(1 + e^(ε/2)) is one for substitution at (ε, δ). The other way round nothing is
    lost: pad the data with fixed users, or leave out random ones, until there are n.
    """
    each = group_privacy_budget(
        epsilon=values["epsilon"], delta=values["delta"], examples_per_user=2
    )
    stricter = {**values, "epsilon": each.epsilon, "delta": each.delta}
    growths = []
    for row in rows:
        if row.neighbouring == "add/remove" and row.bound != "lower":
            now, then = (sum(t.evaluate(at) for t in row.summands) for at in (values, stricter))
            growths.append((row, float(then / now)))
    return [(row, growth) for row, growth in growths if growth > 1]
