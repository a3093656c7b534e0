"""One user's m examples: how far one user's change moves the output."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot.marks import Dots, Ink, Line, Mark, Rule, Text
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
from dpviz.topics.perfect_generalization.times_shown import (
    FAR,
    allowed,
    at_most,
    kept,
    share,
    ticks,
)
from dpviz.topics.perfect_generalization.views.one_users_examples import (
    LARGEST,
    UserChart,
    one_users_examples,
)

_LAST = 0.6  # of the axis, from where on words stand left of a dot
_ABOVE, _BELOW = 1.5, 0.13  # times the lower dot, where the axis ends; of it, below for words
_SMOOTH = 300  # points of a line, along powers between those computed
_DECADES = math.log10(LARGEST)  # of the axis, from one example on
_TICK = 0.97  # of the axis, up to where its numbers go
_LONG = 8  # letters of a share, beside which there is no room for what it is of
_SAYS = 9  # pixels beside a dot, where its name stands


def takeaway(chart: UserChart) -> str:
    """State how far any user's change moves the output, beside group privacy."""
    sure = share(chart.failure_probability)
    return kept(
        f"Replace one user's examples by another user's: in {sure} of data sets",
        "becomes",
        needed=chart.needed,
        surely=chart.surely,
        worst=chart.group if holds_here(chart, "group") else math.nan,
        delta=chart.delta,
    )


def _as_much(chart: UserChart) -> bool:
    """Return whether group privacy allows what a typical user needs, as it is written."""
    return at_most(chart.needed, chart.delta) == at_most(chart.group, chart.delta)


def detail(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy, and the slope."""
    group = readable(chart.group)
    allows = f"allows {group}" if holds_here(chart, "group") else "promises nothing at this δ′"
    users, examples = (
        counted(number, name, digits=7)
        for number, name in ((chart.users, "user"), (chart.here, "example"))
    )
    sentence = (
        f"Of {users} with {examples} each, leave out one instead of another, so that all "
        "examples of one take the place of the other's: the output moves by at most "
        f"ε′ = {readable(chart.needed)}, for all pairs of users at once, with probability 1 − β. "
        f"Group privacy {allows}."
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
    sure = share(chart.failure_probability)
    who = "both" if same else f"{sure} of data sets" if len(sure) < _LONG else sure
    high = max(FAR, _ABOVE * chart.needed)  # group privacy may be far above it
    ends = [chart.needed, chart.group if promised and chart.group <= high else math.nan]
    marks: list[Mark | None] = [
        _drawn(group, kept["group"], few, about=group, dash="dot", wide=3.0, seen=seen),
        _drawn(exact, kept["exact"], few, about=exact, wide=3.5, seen=seen),
        Rule(x=chart.here, wide=1.5, called=counted(chart.here, "example", digits=7)),
        Dots([chart.here] * 2, [one or math.nan for one in ends], about=[exact, group], size=12),
        _value(who, chart.needed, chart, exact, high) if chart.needed > 0 else None,
        _value("group privacy", chart.group, chart, group, high) if promised and not same else None,
    ]
    across = Side(0.0, _DECADES, chart.x.label, log=True)
    title = (
        "Times as likely an output becomes, at most, when one user's examples are replaced",
        "Times as likely an output becomes, at most",
    )
    up = Side(-_BELOW * high, high, title, ticks=ticks(_TICK * high), held=True)
    handle = Handle(chart.x.name, chart.here)
    return stacked(theme, Panel(across, up, marks, handle=handle))


def _drawn(
    curve: Curve, y: FloatArray, few: bool, *, about: Ink, wide: float, seen: float, dash: str = ""
) -> Mark:
    """Return a line through the points of a curve, or the points as long as they are few."""
    known = np.isfinite(y) & (y > 0)
    if few or np.count_nonzero(known) < 2:
        return Dots(curve.x, y, size=5, about=about)
    ends = np.log(curve.x[known])  # along powers: chords of a line that bends would lie above it
    x = np.union1d(np.linspace(ends[0], ends[-1], _SMOOTH), ends)
    smooth = np.exp(np.interp(x, ends, np.log(y[known])))
    return Line(np.exp(x), smooth, about=about, wide=wide, dash=dash or "solid", seen=seen)


def _where_it_holds(curve: Curve) -> FloatArray:
    """Return a curve without the places where its assumptions fail."""
    return curve.y if curve.holds is None else np.where(curve.holds, curve.y, np.nan)


def _value(who: str, loss: float, chart: UserChart, curve: Curve, high: float) -> Text:
    """Return how far an exchange moves the output: beside its dot, or at the end of the axis."""
    group = curve.key == "group"
    said = f"<b>{(allowed if group else at_most)(loss, chart.delta)}</b>"
    beyond = group and loss > high
    late = math.log10(chart.here) / _DECADES > _LAST
    left = late or (group and not beyond)
    by = -_SAYS if left else _SAYS
    at, to = (high, "S") if beyond else (loss, "N" if group or late else "S")
    looks: dict[str, Any] = {"shift": (by, 0), "about": curve, "large": True}
    more = " ↑" if beyond else ""
    words = (f"{who}: {said}{more}", f"{said}{more}")
    return Text(words, chart.here, at, to=f"{to}{'W' if left else 'E'}", **looks)


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
    why="A user's examples come from the same source as everybody's, so the sums of two users "
    "differ only by chance, and this difference grows like the square root of the number of "
    "examples. Group privacy knows nothing of the source: it has to allow for a user whose "
    "examples all change at once.",
    idle=idle_controls,
)
