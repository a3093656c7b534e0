"""One user's m examples: how far one user's change moves the output."""

import math
from collections.abc import Mapping
from dataclasses import replace

from dpviz.plot.marks import Words
from dpviz.plot.panels import Charted, Handle, Side, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.item_privacy_shown import holds_here, notes
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_with
from dpviz.topics.perfect_generalization.times_shown import FAR, exceptions, thinned, ticks, times
from dpviz.topics.perfect_generalization.views.one_users_examples import (
    UserChart,
    one_users_examples,
)

_BARS = 90  # pixels of two of them
_SEEN = 1.005  # times as likely, from which it is not written as 1
_NOTHING = "any user: group privacy promises nothing at this δ′"


def takeaway(chart: UserChart) -> str:
    """State how far one user's change moves the output, beside group privacy."""
    examples = counted(chart.here, "example", digits=7)
    typical = f"Exchange a typical user with {examples}, and"
    if chart.needed < math.log(_SEEN):
        moves = f"{typical} every output stays as likely"
    elif chart.needed < FAR:
        output, but = exceptions(chart.delta)
        moves = f"{typical} {output} becomes more than about {times(chart.needed)} as likely{but}"
    else:
        moves = f"{typical} the output moves by {times(chart.needed)} at most"
    if not holds_here(chart, "group"):
        return f"{moves}. For any user, group privacy promises nothing."
    nearly_equal = max(math.exp(min(loss, FAR)) for loss in (chart.group, chart.needed)) < _SEEN
    if nearly_equal or readable(chart.group) == readable(chart.needed):
        return f"{moves}. For any user, group privacy allows as much."
    return f"{moves}. For any user, group privacy allows {times(chart.group)}."


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
    """Draw how far a typical user and any user move the output as bars, and below it along m."""
    promised = holds_here(chart, "group")
    any_user: Words = _NOTHING
    if promised:
        any_user = _named("any user, as group privacy allows", chart.group)
    bars = (
        Bar(
            _named("a typical user, like the others", chart.needed),
            chart.needed,
            chart.curve("exact"),
        ),
        Bar(any_user, chart.group if promised else math.nan, chart.curve("group")),
    )
    each = counted(chart.here, "example", digits=7)
    exchanged = f"one user's {each} exchanged"
    panel = said_bars(bars, pixels=_BARS)
    places = ticks(panel.x.high) if promised else None
    above: Words = f"ε′ with {exchanged}"
    if places:
        above = f"How many times as likely an output becomes with {exchanged}", ""
        across = Side(0, panel.x.high, ticks=thinned(places, panel.x.high))
        panel = replace(panel, x=across)
    panel = replace(panel, above=above)
    return stacked(theme, panel, Charted(chart, handle=Handle(chart.x.name, chart.here)))


def _named(who: str, loss: float) -> Words:
    """Say how far someone moves the output, in full and in short."""
    if loss >= FAR:
        return f"{who}: {times(loss)}"
    said = f"{times(loss)} as likely" if math.exp(loss) >= _SEEN else "as likely"
    return f"{who}: {said} (ε′ = {readable(loss)})", f"{who}: {times(loss)}"


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
    pulled={"examples_per_user": "with # examples"},
    why="A user's examples come from the same source as everybody's, so the sums of two users "
    "differ only by chance, and this difference grows like the square root of the number of "
    "examples. Group privacy knows nothing of the source: it has to allow for a user whose "
    "examples all change at once.",
    idle=idle_controls,
)
