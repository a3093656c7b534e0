"""One user's m examples: how far one user's change moves the output."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Dots, Ink, Line, Mark, Rule, Text, Words
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.partial_chart import FADED, stand_in
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, FloatArray
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.item_privacy_shown import holds_here, notes
from dpviz.topics.perfect_generalization.named_mechanisms_shown import CLOSE, ITEM, idle_with
from dpviz.topics.perfect_generalization.times_shown import alike, allowed, at_most, log_ticks
from dpviz.topics.perfect_generalization.views.one_users_examples import (
    LARGEST,
    UserChart,
    one_users_examples,
)

_TIMES = (
    "Times as likely before as after one user is exchanged, at most",
    "Times as likely, at most",
)
_START, _LAST = 0.25, 0.7  # of the axis, where words beside a dot change their side
_DECADES = math.log10(LARGEST)  # of the axis, from one example on
_LOWER = 36  # pixels
_SAYS = 9  # pixels beside a dot, where its name stands


def takeaway(chart: UserChart) -> str:
    """State how far one user's change moves the output, beside group privacy."""
    examples = counted(chart.here, "example", digits=7)
    close = alike(chart.needed, chart.delta, "as before")
    moves = f"Exchange a typical user's {examples}: {close}"
    if not holds_here(chart, "group"):
        return f"{moves}. For any user, group privacy promises nothing."
    if _as_much(chart):
        return f"{moves}. For any user, group privacy allows as much."
    return f"{moves}. For any user, group privacy allows {allowed(chart.group, chart.delta)}."


def _as_much(chart: UserChart) -> bool:
    """Return whether group privacy allows what a typical user needs, as it is written."""
    return at_most(chart.needed, chart.delta) == at_most(chart.group, chart.delta)


def detail(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy, and the slope."""
    group = readable(chart.group)
    allows = f"allows {group}" if holds_here(chart, "group") else "promises nothing at this δ′"
    examples = counted(chart.here, "example", digits=7)
    sentence = (
        f"Leaving out one user instead of another, with {examples} each, moves the output by "
        f"ε′ = {readable(chart.needed)} with probability 1 − β. Group privacy "
        f"{allows}."
    )
    if math.isfinite(chart.slope) and chart.needed > 0:
        sentence += f" Around there ε′ grows like m to the power {readable(chart.slope, 2)}."
    return sentence


def figure(chart: UserChart, theme: Theme) -> Figure:
    """Draw how far a typical user and any user move the output, along the examples of each."""
    before = stand_in(chart, theme.before)
    known = before if isinstance(before, UserChart) else chart
    exact, group = (known.curve(key) for key in ("exact", "group"))
    # Few points are no curve yet: that of the figure before stands in, or the points themselves.
    seen, few = (FADED if known is before else 1.0), chart.done != 1 and known is chart
    kept = {one.key: _where_it_holds(one) for one in (exact, group)}
    promised = holds_here(chart, "group")
    same = promised and _as_much(chart)
    who = "typical or any user" if same else "typical user"
    ends = [chart.needed, chart.group if promised else math.nan]
    marks: list[Mark | None] = [
        _drawn(group, kept["group"], few, about=group, dash="dot", wide=3.0, seen=seen),
        _drawn(exact, kept["exact"], few, about=exact, wide=3.5, seen=seen),
        Rule(x=chart.here, wide=1.5),
        Dots([chart.here] * 2, [one or math.nan for one in ends], about=[exact, group], size=12),
        _value(who, chart.needed, chart, exact, "S") if chart.needed > 0 else None,
        _value("any user", chart.group, chart, group, "N") if promised and not same else None,
        _name(chart, group, kept["group"], ("group privacy, for any user", "group privacy")),
        _name(chart, exact, kept["exact"], ("a typical user, exactly", "typical user")),
    ]
    values = np.concatenate([kept[key][np.isfinite(kept[key])] for key in ("exact", "group")])
    across = Side(0.0, _DECADES, chart.x.label, log=True)
    up = Side.around(values, _TIMES, log=True, room=0.08)
    up = replace(up, ticks=[one for one in log_ticks() if up.holds(one[0])])
    handle = Handle(chart.x.name, chart.here, chart.needed or None, {"line": True})
    return stacked(theme, Panel(across, up, marks, handle=handle))


def _drawn(
    curve: Curve, y: FloatArray, few: bool, *, about: Ink, wide: float, seen: float, dash: str = ""
) -> Mark:
    """Return a line through the points of a curve, or the points as long as they are few."""
    if few:
        return Dots(curve.x, y, size=5, about=about)
    return Line(curve.x, y, about=about, wide=wide, dash=dash or "solid", seen=seen)


def _where_it_holds(curve: Curve) -> FloatArray:
    """Return a curve without the places where its assumptions fail."""
    return curve.y if curve.holds is None else np.where(curve.holds, curve.y, np.nan)


def _value(who: str, loss: float, chart: UserChart, curve: Curve, to: str) -> Text:
    """Return how far someone moves the output: above their dot on the left, or below, inwards."""
    said = f"<b>{(allowed if curve.key == 'group' else at_most)(loss, chart.delta)}</b>"
    full = f"{who}: {said}"
    here, down = _part(chart.here), 0
    left = here > _START if to == "N" else here > _LAST
    if left and to == "S":  # the curve rises to its dot: words on its left are farther below
        down = _LOWER
    by = -_SAYS if left else _SAYS
    side = "W" if left else "E"
    return Text((full, said), chart.here, loss, to=f"{to}{side}", shift=(by, -down), about=curve)


def _part(m: float) -> float:
    """Return at which part of the axis so many examples are."""
    return math.log10(m) / _DECADES


def _name(chart: UserChart, curve: Curve, y: FloatArray, words: Words) -> Text | None:
    """Return the name of a curve: above the upper one, below the other, away from the reader."""
    known = np.flatnonzero(np.isfinite(y))
    if not known.size:
        return None
    here, upper = _part(chart.here), curve.key == "group"
    part = (1.0 if here < _LAST else 0.6) if upper else (0.65 if here < _LAST / 2 else 0.1)
    x = curve.x[known]
    at = known[min(int(np.searchsorted([_part(one) for one in x], part)), known.size - 1)]
    late = not upper and _part(curve.x[at]) > _LAST
    to, down = ("SW", _LOWER) if late else ("NW" if upper else "SE", 0)
    return Text(words, float(curve.x[at]), float(y[at]), to=to, shift=(0, -down), about=curve)


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what belongs to the other noise."""
    return idle_with(values["noise"])


VIEW = View(
    key="users",
    title="One user's m examples",
    compute=one_users_examples,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "noise",
        "examples_per_user",
        "users",
        *ITEM,
        *CLOSE,
        "delta",
        "constant",
    ),
    in_sight=("examples_per_user", "users", "epsilon", "sigma"),
    defaults={"examples_per_user": 1000},  # so many that a typical user is far below any
    pulled={"examples_per_user": "user's # examples"},
    why="A user's examples come from the same source as everybody's, so the sums of two users "
    "differ only by chance, and this difference grows like the square root of the number of "
    "examples. Group privacy knows nothing of the source: it has to allow for a user whose "
    "examples all change at once.",
    idle=idle_controls,
)
