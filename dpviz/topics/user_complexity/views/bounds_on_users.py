"""View: every bound for one problem, as one parameter moves."""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import Axis, Curve, Evidence, FloatArray, Landmark, Source, Subject
from dpviz.results.papers import UL
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.user_complexity.bounds import Row
from dpviz.topics.user_complexity.comparing import (
    RowsChart,
    curve,
    discarding,
    fewest,
    is_user_upper,
    new_bound,
    one_example_each,
    thresholds,
)
from dpviz.topics.user_complexity.dominance import AXES, Crossover, Regime, crossovers, regimes
from dpviz.topics.user_complexity.monomials import monomial
from dpviz.topics.user_complexity.problems import PROBLEMS
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.shared_axes import (
    Setting,
    Values,
    axis_of,
    axis_values,
    by_symbol,
    first_m,
    m_values,
)
from dpviz.topics.user_complexity.transformation import sandwich

# How far two equal numbers may differ by rounding.
_ROUNDING = 1 + 1e-9
# Which curves lie on which, from the bottom to the top.
_DEPTH = (Subject.ITEM_LEVEL, Subject.LOWER_BOUND, Subject.EARLIER, Subject.USER_LEVEL)

CLEARLY = 2.0
"""Shapes closer than this are the same up to a constant."""
_ALLOWED = "sandwich"
_SINGLE = "one-each"


class Outside(NamedTuple):
    """A shape, by its label, that leaves what Observation 28 allows: on which side, and where."""

    label: str
    side: str
    first: float
    last: float


@dataclass(frozen=True, eq=False, kw_only=True)
class UsersChart(RowsChart):
    """Bounds on the number of users, and the numbers at the reader's setting.

    Drawn is which share of item_level they are, as constants are not known.
    primary: key of the row that the numbers speak of, the problem's new bound.
    model: "central" or "local". examples: m at the setting.
    users, item_level: that bound, and the users needed if each gives one example.
    saving: item_level / users. leading: the dominating term at the setting; stretches: where which
    term dominates.
    beyond_pooling: whether, in the local model, that bound holds and its saving exceeds m, which
    in the central model would contradict Observation 28.
    unmet: which assumptions of the primary row fail at the setting, in words.
    crossings: where its dominating term changes. symbol: of the parameter along x, as it is
    printed. later: the rows that hold only beyond the chart, by their labels, and from which m on.
    outside: which shapes leave `allowed`.
    saves_from: the smallest m at which that bound asks for fewer users than one example each,
    infinity for never. changed: whether its hidden constant or logarithm was put back.
    pure, approximate: the fewest users that any tabulated bound of the central model gives at the
    setting, under pure DP, and if a δ is allowed as well; NaN where the papers have only one kind.
    """

    primary: str
    model: str
    examples: float
    users: float
    item_level: float
    saving: float
    beyond_pooling: bool
    leading: str
    stretches: tuple[Regime, ...]
    unmet: tuple[str, ...]
    crossings: tuple[Crossover, ...]
    symbol: str
    later: tuple[tuple[str, float], ...]
    outside: tuple[Outside, ...]
    saves_from: float
    changed: bool
    pure: float
    approximate: float

    @property
    def allowed(self) -> Curve | None:
        """What Observation 28 allows, None where the papers do not say."""
        return next((curve for curve in self.curves if curve.key == _ALLOWED), None)


def bounds_on_users(
    *,
    problem: str,
    privacy: str = "pure",
    model: str = "central",
    axis: str = "m",
    quantity: str = "users",
    constant: float = 1.0,
    log_power: float = 0.0,
    item: bool = True,
    earlier: bool = True,
    lower: bool = True,
    **setting: Unpack[Setting],
) -> UsersChart:
    """Return every bound for one problem along one parameter, with what Observation 28 says.

    In the central model Observation 28 is a band, n_1/m ≤ n_m ≤ n_1; in the local model it is only
    the upper end.
    axis: the tables' symbol of the parameter that moves, one of `AXES` that the problem has.
    quantity: "users", or "samples" for n·m (item-level bounds then count one example a user).
    constant, log_power: C and p of the new bound f, drawn as C · f · log^p f; all others keep 1 and
    0. Õ(f) is O(f log^p f) for some p; for approximate DP the papers hide powers of log(1/δ) as
    well, so the logarithm is ln f + ln(1/δ) there, ln f for pure DP, and at least 1.
    item, earlier, lower: whether to draw item-level, earlier and lower bounds.
    Raises `ParameterError` where the papers have no bound, or none that depends on the axis.
    """
    rows = select(problem=problem, privacy=privacy, model=model)
    values = by_symbol(setting)
    hidden = validate("constant", constant), validate("log_power", log_power)
    _check(rows, axis, quantity)
    moving = _MovingRows(rows, values, *hidden, axis, quantity)
    primary = moving.primary
    wanted = {"item": item, "earlier": earlier, "lower": lower, "new": True}
    shown = [row for row in rows if wanted[_group(row, primary)]]
    crossings = crossovers(primary, axis=axis, **moving.fixed)
    x = moving.along(crossings, shown)
    curves = moving.curves(shown, x, one_each=item)
    allowed = moving.band(x) if model == "central" else moving.upper_end(x)
    starts = moving.starts(shown)
    users = float(moving.users(primary, values))
    item_level = float(discarding(rows, values))
    pure, approximate = _both_kinds(problem, values) if model == "central" else (np.nan, np.nan)
    relative = partial(_over, item_level)
    return UsersChart(
        x=axis_of(axis),
        y=_relative(quantity, item_level, axis),
        curves=tuple(relative(c) for c in (*([allowed] if allowed else []), *curves)),
        landmarks=tuple(replace(one, y=one.y / item_level) for one in moving.marks(shown, x)),
        here=moving.here,
        in_headline=(primary.key, *([moving.single] if item else [])),
        rows=tuple(shown),
        values=values,
        primary=primary.key,
        model=model,
        examples=float(values["m"]),
        users=users,
        item_level=item_level,
        saving=item_level / users,
        beyond_pooling=model == "local" and moving.saves_more_than_m(item_level / users),
        leading=next(s.term for s in moving.stretches if s.start <= moving.here <= s.stop),
        stretches=moving.stretches,
        unmet=primary.unmet(**values),
        crossings=crossings,
        symbol=moving.symbol,
        later=tuple((r.label, starts[r.key]) for r in shown if starts.get(r.key, 0.0) > x[-1]),
        outside=_outside(curves, allowed) if allowed else (),
        saves_from=moving.saves_from(item_level),
        changed=hidden != (1.0, 0.0),
        pure=pure,
        approximate=approximate,
    )


def _relative(quantity: str, item_level: float, axis: str) -> Axis:
    """Return the y axis: beside what the reader's setting needs with one example each."""
    here = "" if axis == "m" else " here"
    if quantity == "users":
        label = f"Users, as a share of those at m = 1{here or ' (constants dropped)'}"
        return Axis("share", label, least=1 / item_level, parts=True)
    label = f"Examples in all, n · m, relative to one example each{here}, up to constants"
    return Axis("ratio", label, least=1 / item_level)


def _over(item_level: float, curve: Curve) -> Curve:
    """Return a curve of users, or examples in all, as multiples of users with one example each."""
    ends = (None if end is None else end / item_level for end in (curve.lower, curve.upper))
    lower, upper = ends
    return replace(curve, y=curve.y / item_level, lower=lower, upper=upper)


def _both_kinds(problem: str, values: Values) -> tuple[float, float]:
    """Return the fewest users of any bound for pure DP, and of those and any for approximate DP."""
    try:
        kinds = [
            select(problem=problem, privacy=kind, model="central")
            for kind in ("pure", "approximate")
        ]
    except ParameterError:
        return np.nan, np.nan
    # What is private with δ = 0 is so with any δ.
    pure, more = ([*filter(is_user_upper, rows), one_example_each(rows)] for rows in kinds)
    return float(fewest(pure, values)), float(fewest([*pure, *more], values))


def _check(rows: tuple[Row, ...], axis: str, quantity: str) -> None:
    if quantity not in ("users", "samples"):
        raise ParameterError("quantity", "users or samples", quantity)
    usable = [symbol for symbol in AXES if any(symbol in row.parameters for row in rows)]
    if axis not in usable:
        allowed = f"one of {', '.join(usable)} for {PROBLEMS[rows[0].problem]}"
        raise ParameterError("axis", allowed, axis)


@dataclass(frozen=True)
class _MovingRows:
    """The rows of a problem as one parameter moves; the new bound times the reader's constant."""

    rows: tuple[Row, ...]
    values: Values
    constant: float
    log_power: float
    axis: str
    quantity: str

    @property
    def primary(self) -> Row:
        """The problem's new bound."""
        return new_bound(self.rows)

    @property
    def single(self) -> str:
        """The key of the curve of users with one example each."""
        row = one_example_each(self.rows)
        return _SINGLE if row is self.primary else row.key

    @property
    def here(self) -> float:
        """Where the reader's setting lies on the axis."""
        return float(self.values[self.axis])

    @property
    def symbol(self) -> str:
        """The parameter that moves, as it is printed."""
        return monomial(self.axis).text

    @property
    def fixed(self) -> Values:
        """The parameters that do not move."""
        return {symbol: value for symbol, value in self.values.items() if symbol != self.axis}

    @property
    def stretches(self) -> tuple[Regime, ...]:
        """On which stretches of the axis which term of the new bound dominates."""
        return regimes(self.primary, axis=self.axis, **self.fixed)

    def saves_more_than_m(self, saving: float) -> bool:
        """Whether the new bound holds and saves more than a factor m."""
        return (
            bool(self.primary.holds(**self.values)) and saving > float(self.values["m"]) * _ROUNDING
        )

    def users(self, row: Row, at: Values) -> FloatArray:
        """Return what a row asks for, the new bound with constant and logarithm."""
        shape = np.asarray(row.value(**at))
        if row is not self.primary:
            return shape
        extra = -np.log(at["delta"]) if row.privacy == "approximate" else 0.0
        logarithm = np.maximum(np.log(shape) + extra, 1.0)
        return np.asarray(self.constant * logarithm**self.log_power * shape)

    def saves_from(self, item_level: float) -> float:
        """Return the first m at which the new bound holds and asks for fewer than one each."""

        def saves(m: FloatArray) -> NDArray[np.bool_]:
            at = {**self.values, "m": m}
            return np.asarray(
                self.primary.holds(**at) & (self.users(self.primary, at) < item_level)
            )

        return first_m(saves, events=thresholds([self.primary], self.values).values())

    def examples(self, at: Values) -> FloatArray:
        """Return what a user counts for: m if examples are counted, otherwise 1."""
        return at["m"] if self.quantity == "samples" else np.asarray(1.0)

    def starts(self, shown: list[Row]) -> dict[str, float]:
        """Return the m from which the rows shown hold, by key, where m is the axis."""
        return thresholds(shown, self.values) if self.axis == "m" else {}

    def along(self, crossings: tuple[Crossover, ...], shown: list[Row]) -> FloatArray:
        """Return the values of the parameter that moves."""
        if self.axis != "m":
            return axis_values(self.axis, here=self.here)
        events = [*(c.x for c in crossings), *self.starts(shown).values()]
        return m_values(here=self.here, if_near=events)

    def curves(self, shown: list[Row], x: FloatArray, *, one_each: bool) -> list[Curve]:
        """Return the rows as curves, from the bottom to the top.

        Bounds often coincide: the new one goes on top, earlier ones show at its sides.
        one_each: whether users with one example each are shown where no row tabulates them.
        """
        at = {**self.fixed, self.axis: x}
        curves = [
            replace(
                curve(row, x, at, ours=[self.primary]),
                y=np.broadcast_to(
                    self.users(row, at) * (self.examples(at) if row.level == "user" else 1.0),
                    x.shape,
                ),
            )
            for row in shown
        ]
        if one_each and one_example_each(self.rows) is self.primary:
            curves.append(_one_each(self.rows, x, at))
        curves = [replace(c, weight=2.0) if c.subject is Subject.EARLIER else c for c in curves]
        return sorted(curves, key=lambda c: _DEPTH.index(c.subject))

    def band(self, x: FloatArray) -> Curve | None:
        """Return Observation 28's band around the true number of users, drawn at its lower end.

        The lower end needs a lower bound on the item-level complexity, the upper end an upper
        bound; where the papers give no lower bound there is no band, and the item-level curve is
        all.
        """
        at, tabulated = {**self.fixed, self.axis: x}, ("lower", "tight")
        below = next((r for r in self.rows if r.level == "item" and r.bound in tabulated), None)
        if below is None:
            return None
        lower = sandwich(below.value(**at), at["m"]).lower * self.examples(at)
        upper = sandwich(discarding(self.rows, at), at["m"]).upper * self.examples(at)
        return replace(
            _observation_28("at least n₁/m, at most n₁", x, lower),
            lower=np.broadcast_to(lower, x.shape),
            upper=np.broadcast_to(upper, x.shape),
        )

    def upper_end(self, x: FloatArray) -> Curve:
        """Return n_1, which is all that is left of Observation 28 in the local model.

        There a user's message is made of this user's m examples alone, so m people of one example
        each cannot pose as one user, and n_m can lie below n_1/m.
        """
        at = {**self.fixed, self.axis: x}
        upper = sandwich(discarding(self.rows, at), at["m"]).upper * self.examples(at)
        return _observation_28("at most n₁ users", x, upper)

    def marks(self, shown: list[Row], x: FloatArray) -> tuple[Landmark, ...]:
        """Return where on the chart a row starts to hold."""
        starts = self.starts(shown)
        begun = [(row, starts.get(row.key, 0.0)) for row in shown]
        return tuple(self._start(row, m) for row, m in begun if 1 <= m <= x[-1])

    def _start(self, row: Row, start: float) -> Landmark:
        """Return the mark where a row starts to hold."""
        assert row.threshold is not None
        ours = row is self.primary
        at = {**self.values, "m": np.asarray(start)}
        users = self.users(row, at) * self.examples(at)
        text = f"{row.label.removeprefix('user level, ')} holds from m = {row.threshold.text}"
        return Landmark(start, float(users), text, Subject.USER_LEVEL if ours else Subject.EARLIER)


def _group(row: Row, primary: Row) -> str:
    if row is primary:
        return "new"
    if row.bound == "lower":
        return "lower"
    return "earlier" if is_user_upper(row) else "item"


def _observation_28(label: str, x: FloatArray, y: FloatArray) -> Curve:
    return Curve(
        key=_ALLOWED,
        label=label,
        subject=Subject.ITEM_LEVEL,
        evidence=Evidence.ASYMPTOTIC,
        source=Source(UL, "Observation 28"),
        x=x,
        y=np.broadcast_to(y, x.shape),
        weight=0.5,
    )


def _one_each(rows: tuple[Row, ...], x: FloatArray, along: Values) -> Curve:
    """Return the users who give one example each, where no item-level row is tabulated."""
    row = one_example_each(rows)
    return replace(
        curve(row, x, {**along, "m": np.asarray(1.0)}, ours=[]),
        key=_SINGLE,
        label="one example each",
        subject=Subject.ITEM_LEVEL,
    )


def _outside(curves: list[Curve], allowed: Curve) -> tuple[Outside, ...]:
    """Return where user-level shapes leave what Observation 28 allows: its band, or its upper end.

    A lower bound may lie below it.
    """
    lower = np.zeros_like(allowed.x) if allowed.lower is None else allowed.lower
    upper = allowed.y if allowed.upper is None else allowed.upper
    parts = []
    for shape in curves:
        if shape.subject is Subject.ITEM_LEVEL or shape.holds is None:
            continue
        sides = {"above": shape.y > upper * _ROUNDING, "below": shape.y < lower / _ROUNDING}
        for side, outside in sides.items():
            where = shape.x[outside & shape.holds]
            if where.size and not (shape.subject is Subject.LOWER_BOUND and side == "below"):
                parts.append(Outside(shape.label, side, float(where[0]), float(where[-1])))
    return tuple(parts)
