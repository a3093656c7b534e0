"""View: pure against approximate differential privacy, for one problem in the central model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray, Mark, Subject
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.comparing import (
    USERS,
    RowsChart,
    curve,
    fewest,
    is_user_upper,
    new_bound,
    one_example_each,
    thresholds,
)
from dpviz.topics.user_complexity.dominance import crossovers
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.shared_axes import (
    Setting,
    Values,
    axis_of,
    by_symbol,
    first_m,
    m_values,
)

# Shapes closer than this are the same up to a constant.
CLEARLY = 2.0


@dataclass(frozen=True, eq=False, kw_only=True)
class PureApproximateChart(RowsChart):
    """User-level upper bounds of both kinds of privacy.

    pure, approximate: the fewest users that any tabulated bound gives at the setting, item-level
    bounds included; an algorithm with pure DP counts for approximate DP as well.
    helps_from: the smallest m at which approximate DP needs at most half the users, infinity for
    never.
    """

    pure: float
    approximate: float
    helps_from: float


def pure_against_approximate(*, problem: str, **setting: Unpack[Setting]) -> PureApproximateChart:
    """Return the user-level upper bounds for pure and for approximate DP along m."""
    pure = select(problem=problem, privacy="pure", model="central")
    approximate = select(problem=problem, privacy="approximate", model="central")
    values = by_symbol(setting)
    new_bounds = [new_bound(pure), new_bound(approximate)]
    pure_drawn = [*filter(is_user_upper, pure)]
    drawn = [*pure_drawn, *filter(is_user_upper, approximate)]
    pure_rows = [*pure_drawn, one_example_each(pure)]
    # What is private with δ = 0 is so with any δ.
    approximate_rows = [
        *pure_rows,
        *filter(is_user_upper, approximate),
        one_example_each(approximate),
    ]

    def best(m: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = {**values, "m": m}
        return fewest(pure_rows, at), fewest(approximate_rows, at)

    def helps(m: FloatArray) -> NDArray[np.bool_]:
        users, fewer = best(m)
        half: NDArray[np.bool_] = users >= CLEARLY * fewer
        return half

    helps_from = first_m(helps, events=thresholds(drawn, values).values())
    fixed = {symbol: value for symbol, value in values.items() if symbol != "m"}
    events = [c.x for row in new_bounds for c in crossovers(row, axis="m", **fixed)]
    x = m_values(here=float(values["m"]), shown=[helps_from], if_near=events)
    along = {**values, "m": x}
    users, fewer = (float(number) for number in best(values["m"]))
    return PureApproximateChart(
        x=axis_of("m"),
        y=USERS,
        # Where both kinds agree the new bound lies on top, and the earlier one shows at its sides.
        curves=tuple(
            replace(
                curve(row, x, along, ours=new_bounds),
                label=f"{row.privacy} DP, {row.label}",
                weight=1.0 if row in new_bounds else 2.0,
                second=row in new_bounds and row.privacy != "pure",
            )
            for row in sorted(drawn, key=new_bounds.__contains__)
        ),
        marks=(
            (
                Mark(
                    helps_from,
                    float(best(np.array(helps_from))[1]),
                    "approximate DP halves the users from here",
                    Subject.USER_LEVEL,
                ),
            )
            if helps_from <= x[-1]
            else ()
        ),
        here=float(values["m"]),
        in_headline=tuple(
            dict.fromkeys(_best_drawn(rows, values).key for rows in (pure_drawn, drawn))
        ),
        rows=tuple(drawn),
        values=values,
        pure=users,
        approximate=fewer,
        helps_from=helps_from,
    )


def _best_drawn(rows: Sequence[Row], values: Values) -> Row:
    """Return the row that asks for the fewest users here, of those that hold, if any does."""
    holding = [row for row in rows if row.holds(**values)] or rows
    return min(holding, key=lambda row: float(row.value(**values)))
