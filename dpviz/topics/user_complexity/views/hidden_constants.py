"""View: what is left of the new bound once hidden constants and logarithms are put back."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Curve, Evidence, FloatArray, Mark, Subject
from dpviz.results.parameters import validate
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.comparing import (
    USERS,
    RowsChart,
    curve,
    discarding,
    fewest,
    is_user_upper,
    new_bound,
    one_example_each,
    thresholds,
)
from dpviz.topics.user_complexity.monomials import short
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.shared_axes import (
    Setting,
    Values,
    axis_of,
    by_symbol,
    first_m,
    m_values,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class ConstantsChart(RowsChart):
    """The new bound with the reader's constant and logarithm against what it competes with.

    primary: key of the new bound. users: its number of users with constant and logarithm, at the
    setting. item_level: the users needed if each gives one example. saving: item_level / users.
    beats_discarding, beats_earlier: the smallest m at which the new bound needs fewer users than
    throwing away all but one example, and than every earlier bound as well; infinity for never.
    loses_again: the first m after beats_earlier at which that ends; infinity for never.
    unmet: which assumptions of the new bound fail at the setting, in words.
    """

    primary: str
    users: float
    item_level: float
    saving: float
    beats_discarding: float
    beats_earlier: float
    loses_again: float
    unmet: tuple[str, ...]


@dataclass(frozen=True)
class _NewBound:
    """The new bound f at a setting, and what the reader puts back: C · f · log^p f."""

    row: Row
    values: Values
    constant: float
    log_power: float

    def users(self, m: FloatArray) -> FloatArray:
        """Return the users with constant and logarithm, along m."""
        shape = self.row.value(**{**self.values, "m": m})
        extra = -float(np.log(self.values["delta"])) if self.row.privacy == "approximate" else 0.0
        logarithm = np.maximum(np.log(shape) + extra, 1.0)
        users: FloatArray = self.constant * logarithm**self.log_power * shape
        return users

    def curves(self, x: FloatArray) -> tuple[Curve, Curve]:
        """Return the bound as printed, and with constant and logarithm."""
        shape = curve(self.row, x, {**self.values, "m": x}, ours=[self.row])
        power = f"^{short(self.log_power)}" if self.log_power != 1 else ""
        factor = f"{short(self.constant)}{f' ln{power}' if self.log_power else ''}"
        label = f"{self.row.label}, times {factor}"
        return (
            replace(shape, key="shape", weight=0.5),
            replace(shape, key="new", label=label, y=self.users(x)),
        )


def hidden_constants(
    *,
    problem: str,
    privacy: str = "pure",
    model: str = "central",
    constant: float = 1.0,
    log_power: float = 0.0,
    **setting: Unpack[Setting],
) -> ConstantsChart:
    """Return the new bound f as C · f · log^p f against everything it competes with.

    Õ(f) is O(f log^p f) for some p; for approximate DP the papers hide powers of log(1/δ) as
    well, so the logarithm is ln f + ln(1/δ) there, ln f for pure DP, and at least 1.
    constant, log_power: C and p of the new bound; its competitors keep 1 and 0.
    """
    rows = select(problem=problem, privacy=privacy, model=model)
    values = by_symbol(setting)
    new = _NewBound(
        new_bound(rows), values, validate("constant", constant), validate("log_power", log_power)
    )
    competitors = [row for row in rows if is_user_upper(row) and row is not new.row]
    item_level = float(discarding(rows, values))

    starts = [*thresholds([new.row, *competitors], values).values()]
    beats_discarding, beats_earlier, loses_again = _turns(new, competitors, item_level, starts)
    turns = {
        beats_earlier: "beats every earlier bound from here",
        beats_discarding: "beats throwing examples away from here",
        loses_again: "an earlier bound is as good again",
    }
    x = m_values(here=float(values["m"]), shown=turns, if_near=starts)
    users = float(new.users(values["m"]))
    return ConstantsChart(
        x=axis_of("m"),
        y=USERS,
        curves=(
            _discarding(rows, x, item_level),
            *(curve(row, x, {**values, "m": x}, ours=[]) for row in competitors),
            *new.curves(x),
        ),
        marks=tuple(
            Mark(m, float(new.users(np.array(m))), text, Subject.USER_LEVEL)
            for m, text in turns.items()
            if m <= x[-1]
        ),
        here=float(values["m"]),
        in_headline=("new", "discarding"),
        rows=(new.row, *competitors),
        values=values,
        primary=new.row.key,
        users=users,
        item_level=item_level,
        saving=item_level / users,
        beats_discarding=beats_discarding,
        beats_earlier=beats_earlier,
        loses_again=loses_again,
        unmet=new.row.unmet(**values),
    )


def _turns(
    new: _NewBound, competitors: list[Row], item_level: float, starts: list[float]
) -> tuple[float, float, float]:
    """Return the fields beats_discarding, beats_earlier and loses_again of `ConstantsChart`."""

    def beats(m: FloatArray, others: list[Row]) -> NDArray[np.bool_]:
        at = {**new.values, "m": m}
        best = np.minimum(item_level, fewest(others, at))
        ahead: NDArray[np.bool_] = new.row.holds(**at) & (new.users(m) < best)
        return ahead

    beats_discarding = first_m(lambda m: beats(m, []), events=starts)
    beats_earlier = first_m(lambda m: beats(m, competitors), events=starts)
    loses_again = np.inf
    if np.isfinite(beats_earlier):
        loses_again = first_m(lambda m: ~beats(m, competitors), start=beats_earlier, events=starts)
    return beats_discarding, beats_earlier, loses_again


def _discarding(rows: tuple[Row, ...], x: FloatArray, item_level: float) -> Curve:
    return Curve(
        key="discarding",
        label="one example each",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=one_example_each(rows).source,
        x=x,
        y=np.full(x.shape, item_level),
    )
