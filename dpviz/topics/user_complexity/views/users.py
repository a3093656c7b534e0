"""View: every bound for one problem, as one parameter moves."""

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.comparing import (
    USERS,
    curve,
    discarding,
    is_user_upper,
    new_bound,
    notes,
    one_example_each,
    thresholds,
)
from dpviz.topics.user_complexity.dominance import AXES, Crossover, Regime, crossovers, regimes
from dpviz.topics.user_complexity.monomials import monomial, short
from dpviz.topics.user_complexity.problems import PROBLEMS
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.shared_axes import (
    Setting,
    Values,
    axis_of,
    axis_values,
    by_symbol,
    m_values,
)
from dpviz.topics.user_complexity.transformation import sandwich

# How far two equal numbers may differ by rounding.
_ROUNDING = 1 + 1e-9
# From the bottom to the top.
_DEPTH = (Subject.ITEM_LEVEL, Subject.LOWER_BOUND, Subject.EARLIER, Subject.USER_LEVEL)

SAMPLES = Axis("samples", "examples in all, n · m")


@dataclass(frozen=True, eq=False, kw_only=True)
class UsersChart(Chart):
    """Bounds on the number of users, and the numbers at the reader's setting.

    primary: key of the row that the numbers speak of, the problem's new bound.
    model: "central" or "local".
    users, item_level: that bound, and the users needed if each gives one example.
    saving: item_level / users. leading: the dominating term at the setting.
    beyond_pooling: whether, in the local model, that bound holds and its saving exceeds m, which
    in the central model would contradict Observation 28.
    unmet: which assumptions of the primary row fail at the setting, in words.
    crossings, stretches: where its dominating term changes, and the stretches in between.
    """

    primary: str
    model: str
    users: float
    item_level: float
    saving: float
    beyond_pooling: bool
    leading: str
    unmet: tuple[str, ...]
    crossings: tuple[Crossover, ...]
    stretches: tuple[Regime, ...]


def users_against(
    *,
    problem: str,
    privacy: str = "pure",
    model: str = "central",
    axis: str = "m",
    quantity: str = "users",
    constant: float = 1.0,
    item: bool = True,
    earlier: bool = True,
    lower: bool = True,
    **setting: Unpack[Setting],
) -> UsersChart:
    """Return every bound for one problem along one parameter, with what Observation 28 says.

    In the central model that is a band, n_1/m ≤ n_m ≤ n_1, in the local model its upper end alone.
    axis: the tables' symbol of the parameter that moves, one of `AXES` that the problem has.
    quantity: "users", or "samples" for n·m (item-level bounds then count one example a user).
    constant: the reader's hidden constant of the new bound; all others keep 1.
    item, earlier, lower: whether to draw item-level, earlier and lower bounds.
    Raises `ParameterError` where the papers have no bound, or none that depends on the axis.
    """
    rows = select(problem=problem, privacy=privacy, model=model)
    values = by_symbol(setting)
    constant = validate("constant", constant)
    if quantity not in ("users", "samples"):
        raise ParameterError("quantity", "users or samples", quantity)
    usable = [symbol for symbol in AXES if any(symbol in row.parameters for row in rows)]
    if axis not in usable:
        raise ParameterError("axis", f"one of {', '.join(usable)} for {PROBLEMS[problem]}", axis)
    here, symbol = float(values[axis]), monomial(axis).text
    primary = new_bound(rows)
    wanted = {"item": item, "earlier": earlier, "lower": lower, "new": True}
    shown = [row for row in rows if wanted[_group(row, primary)]]
    fixed = {symbol: value for symbol, value in values.items() if symbol != axis}
    crossings = crossovers(primary, axis=axis, **fixed)
    starts = thresholds(shown, values) if axis == "m" else {}
    if axis == "m":
        x = m_values(here=here, tempting=[*(c.x for c in crossings), *starts.values()])
    else:
        x = axis_values(axis, here=here)
    along = {**fixed, axis: x}

    def examples(at: Values) -> FloatArray:
        return at["m"] if quantity == "samples" else np.asarray(1.0)

    curves = [
        curve(
            row,
            x,
            along,
            ours=[primary],
            factor=(constant if row is primary else 1.0)
            * (examples(along) if row.level == "user" else 1.0),
        )
        for row in shown
    ]
    if item and one_example_each(rows) is primary:
        curves.append(_one_each(rows, x, along))
    # Bounds often coincide: the new one goes on top, earlier ones show at its sides.
    curves = [replace(c, weight=2.0) if c.subject is Subject.EARLIER else c for c in curves]
    curves.sort(key=lambda c: _DEPTH.index(c.subject))
    pooling = model == "central"
    band = (_band if pooling else _upper_end)(rows, x, along, examples(along))
    marks = [
        Mark(c.x, c.value * constant * float(examples({**fixed, axis: np.asarray(c.x)})), c.text)
        for c in crossings
        if x[0] <= c.x <= x[-1]
    ]
    beyond = [
        f"{c.after} takes over in {primary.label} at {symbol} = {short(c.x)}, beyond this chart."
        for c in crossings
        if c.x > x[-1]
    ]
    for row in shown:
        if row.key not in starts or row.threshold is None:
            continue
        start = starts[row.key]
        if start > x[-1]:
            beyond.append(f"{row.label} starts to hold at m = {short(start)}, beyond this chart.")
        elif start >= 1:
            at = {**values, "m": np.asarray(start)}
            text = f"{row.label.removeprefix('user level, ')} holds from m = {row.threshold.text}"
            subject = Subject.USER_LEVEL if row is primary else Subject.EARLIER
            scale = constant if row is primary else 1.0
            users_there = float(row.value(**at) * scale * examples(at))
            marks.append(Mark(start, users_there, text, subject))
    stretches = regimes(primary, axis=axis, **fixed)
    users = constant * float(primary.value(**values))
    item_level = float(discarding(rows, values))
    return UsersChart(
        x=axis_of(axis),
        y=SAMPLES if quantity == "samples" else USERS,
        curves=(*([band] if band else []), *curves),
        marks=tuple(marks),
        here=here,
        notes=(*notes(shown, values), *beyond, *_leaving(curves, band, symbol)),
        primary=primary.key,
        model=model,
        users=users,
        item_level=item_level,
        saving=item_level / users,
        beyond_pooling=not pooling
        and bool(primary.holds(**values))
        and item_level / users > float(values["m"]) * _ROUNDING,
        leading=next(s.term for s in stretches if s.start <= here <= s.stop),
        unmet=primary.unmet(**values),
        crossings=crossings,
        stretches=stretches,
    )


def _group(row: Row, primary: Row) -> str:
    if row is primary:
        return "new"
    if row.bound == "lower":
        return "lower"
    return "earlier" if is_user_upper(row) else "item"


def _band(
    rows: tuple[Row, ...], x: FloatArray, along: Values, examples: FloatArray
) -> Curve | None:
    """Return Observation 28's band around the true number of users, drawn along its lower end.

    The lower end needs a lower bound on the item-level complexity, the upper end an upper bound;
    where the papers give no lower bound there is no band, and the item-level curve is all.
    """
    below = next((r for r in rows if r.level == "item" and r.bound in ("lower", "tight")), None)
    if below is None:
        return None
    lower = sandwich(below.value(**along), along["m"]).lower * examples
    upper = sandwich(discarding(rows, along), along["m"]).upper * examples
    return Curve(
        key="sandwich",
        label="at least n₁/m, at most n₁",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=Source(UL, "Observation 28"),
        x=x,
        y=np.broadcast_to(lower, x.shape),
        lower=np.broadcast_to(lower, x.shape),
        upper=np.broadcast_to(upper, x.shape),
        weight=0.5,
    )


def _upper_end(rows: tuple[Row, ...], x: FloatArray, along: Values, examples: FloatArray) -> Curve:
    """Return n_1, which is all that is left of Observation 28 in the local model.

    There a user's message is made of this user's m examples alone, so m people of one example each
    cannot pose as one user, and n_m can lie below n_1/m.
    """
    upper = sandwich(discarding(rows, along), along["m"]).upper * examples
    return Curve(
        key="sandwich",
        label="at most n₁ users",
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=Source(UL, "Observation 28"),
        x=x,
        y=np.broadcast_to(upper, x.shape),
        weight=0.5,
    )


def _one_each(rows: tuple[Row, ...], x: FloatArray, along: Values) -> Curve:
    """Return the users who give one example each, where no item-level row is tabulated."""
    row = one_example_each(rows)
    return replace(
        curve(row, x, {**along, "m": np.asarray(1.0)}, ours=[]),
        key="one-each",
        label="all but one example thrown away",
        subject=Subject.ITEM_LEVEL,
    )


def _leaving(curves: list[Curve], ends: Curve | None, symbol: str) -> list[str]:
    """Say which user-level shapes leave what Observation 28 allows, and why they can.

    ends: its band, its upper end alone, or None where the papers allow neither.
    """
    if ends is None:
        return ["The papers give no item-level lower bound here, hence no band of Observation 28."]
    texts, allowed = [], "the band of Observation 28"
    if ends.lower is None:
        allowed = "what Observation 28 allows"
        texts.append(
            "Of Observation 28 the local model keeps n_m ≤ n₁ alone: each message is made of one "
            "user's m examples, so m people with one example each cannot pose as one user."
        )
    lower = np.zeros_like(ends.x) if ends.lower is None else ends.lower
    upper = ends.y if ends.upper is None else ends.upper
    for shape in curves:
        if shape.subject is Subject.ITEM_LEVEL or shape.holds is None:
            continue
        sides = {"above": shape.y > upper * _ROUNDING, "below": shape.y < lower / _ROUNDING}
        for side, outside in sides.items():
            where = shape.x[outside & shape.holds]
            if where.size and not (shape.subject is Subject.LOWER_BOUND and side == "below"):
                to = f" to {short(where[-1])}" if where.size > 1 else ""
                texts.append(
                    f"{shape.label} leaves {allowed} {side}, {symbol} = {short(where[0])}{to}: "
                    "both are shapes, and the constants and logarithms dropped from them are why."
                )
    return texts
