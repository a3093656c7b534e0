"""Rows side by side: which one is the new bound, what it competes with, and how they are drawn."""

from collections.abc import Collection, Iterable

import numpy as np

from dpviz.results.evidence import Axis, Curve, Evidence, FloatArray, Subject
from dpviz.results.parameters import LIMITS
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.monomials import PARAMETERS, short
from dpviz.topics.user_complexity.shared_axes import Values
from dpviz.topics.user_complexity.transformation import group_privacy_budget

USERS = Axis("users", "users needed, n", least=1.0)


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
    factor: FloatArray | float = 1.0,
) -> Curve:
    """Return `factor` times a row, along x, which is one of the parameters in `values`.

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
        y=np.broadcast_to(row.value(**values) * factor, x.shape),
        holds=np.broadcast_to(row.holds(**values), x.shape),
        assumption=row.assumption,
    )


def notes(rows: Iterable[Row], values: Values) -> tuple[str, ...]:
    """Return what a reader should know: conditions that fail here, open powers, remarks."""
    rows = tuple(rows)
    failing = [f"{row.label}: {text}." for row in rows for text in row.unmet(**values)]
    powers = dict.fromkeys(p for row in rows for p in row.parameters if p.startswith("c_"))
    opened = [
        f"The papers leave the {LIMITS[PARAMETERS[power]].meaning} open; drawn with "
        f"{power} = {short(values[power])}."
        for power in powers
    ]
    remarks = [f"{row.label}: {row.remark}" for row in rows if row.remark]
    changes = {"substitute": "is substituted", "add/remove": "is added or removed"}
    neighbours = []
    for neighbouring, verb in changes.items():
        labels = [row.label for row in rows if row.neighbouring == neighbouring]
        if labels:
            where = "" if len(labels) == len(rows) else f" in: {'; '.join(labels)}"
            neighbours.append(f"Neighbouring data sets: one user {verb}{where}.")
    if len(neighbours) > 1:
        neighbours.append(_between_neighbours(rows, values))
    return (*failing, *opened, *remarks, *neighbours)


def _between_neighbours(rows: Iterable[Row], values: Values) -> str:
    """Say how bounds for adding or removing a user compare with those for substituting one.

    A substitution is a removal and an addition, a group of two changes: an upper bound for these
    at ε/2 and δ/(1 + e^(ε/2)) is one for substitution at (ε, δ). The other way round nothing is
    lost: pad the data with fixed users, or leave out random ones, until there are n.
    """
    each = group_privacy_budget(
        epsilon=values["epsilon"], delta=values["delta"], examples_per_user=2
    )
    stricter = {**values, "epsilon": each.epsilon, "delta": each.delta}
    added = [row for row in rows if row.neighbouring == "add/remove" and row.bound != "lower"]

    def growth(row: Row) -> float:
        now, then = (sum(t.evaluate(at) for t in row.summands) for at in (values, stricter))
        return float(then / now)

    more = [f"{row.label} {short(growth(row))} times" for row in added if growth(row) > 1]
    before, after = "ε", "2ε"
    if any(row.privacy == "approximate" for row in rows):
        before, after = "(ε, δ)", "(2ε, (1 + e^ε)δ)"
    sentence = f"{before} for adding or removing a user is {after} for substituting one"
    if more:
        sentence += f": at the same {before} substitution makes {', '.join(more)} as large"
    return (
        f"{sentence}. Lower bounds for adding or removing, and upper bounds for substitution, hold "
        "for both."
    )
