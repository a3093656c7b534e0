"""How close, how likely: two outputs, the average of a pair, and the average output."""

import math
from collections.abc import Mapping

from dpviz.plot import dots as people
from dpviz.plot.chart import draw
from dpviz.plot.marks import Mark, Part, Rule, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization import (
    average_output_shown,
    expected_divergence_shown,
    item_privacy_shown,
)
from dpviz.topics.perfect_generalization.average_output import AverageChart
from dpviz.topics.perfect_generalization.expected_divergence import ExpectedChart
from dpviz.topics.perfect_generalization.item_privacy_shown import holds_here
from dpviz.topics.perfect_generalization.named_mechanisms_shown import (
    CLOSE,
    ITEM,
    idle_controls,
)
from dpviz.topics.perfect_generalization.times_shown import (
    FAR,
    alike,
    at_most,
    heaped,
    odds,
    thinned,
    ticks,
    times,
)
from dpviz.topics.perfect_generalization.views.how_close_how_likely import (
    ClosenessChart,
    how_close_how_likely,
)

_PLACES = 32  # along the axis, where dots may stand
_ROWS, _DOT = 10.0, 15.0  # of dots, for which there is room at least; pixels of one
_LINE = 1.04  # of the highest heap, up to which the line goes
_TOGETHER = 0.15  # of the axis, within which two lines share a name
_FARTHEST = 5.0  # times as far as all pairs, up to which a promise has a place on their axis
_IDLE = {
    "pairs": {"closeness_epsilon"},
    "mean": {"failure_probability", "constant"},
    "average": {"mechanism", "sigma", "closeness_epsilon", "delta", "constant"},
}

Compared = ClosenessChart | ExpectedChart | AverageChart


def takeaway(chart: Compared) -> str:
    """State how close the outputs are, in the way that is asked for."""
    match chart:
        case ExpectedChart():
            return expected_divergence_shown.takeaway(chart)
        case AverageChart():
            return average_output_shown.takeaway(chart)
    return _most_pairs(chart)


def detail(chart: Compared) -> str:
    """State the numbers behind it."""
    match chart:
        case ExpectedChart():
            return expected_divergence_shown.detail(chart)
        case AverageChart():
            return average_output_shown.detail(chart)
    return _enough(chart)


def notes(chart: Compared) -> list[str]:
    """Say what a reader should know about the curves."""
    match chart:
        case ExpectedChart():
            return expected_divergence_shown.notes(chart)
        case AverageChart():
            return average_output_shown.notes(chart)
    return item_privacy_shown.notes(chart)


def _most_pairs(chart: ClosenessChart) -> str:
    """State how far apart the outputs are at most, beside group privacy."""
    close = alike(chart.needed, chart.delta)
    if not _in_odds(chart):
        close = f"outputs stay within {_within(chart, chart.needed)} (but for δ′)"
    promised = "group privacy promises nothing"
    if holds_here(chart, "group"):
        allowed, needed = (_said(chart, loss) for loss in (chart.group, chart.needed))
        promised = f"group privacy allows {'as much' if allowed == needed else allowed}"
    return f"In {_sure(chart)} of pairs of fresh samples, {close}; {promised}."


def _sure(chart: ClosenessChart) -> str:
    return f"{readable(100 * (1 - chart.beta), 13)}%"


def _in_odds(chart: ClosenessChart) -> bool:
    """Whether both numbers can be imagined as odds."""
    promised = chart.group if holds_here(chart, "group") else 0.0
    return max(chart.needed, promised) < FAR


def _within(chart: ClosenessChart, loss: float) -> str:
    """Say within what pairs stay, rounded up."""
    return at_most(loss, chart.delta) if _in_odds(chart) else f"ε′ = {upwards(loss)}"


def _said(chart: ClosenessChart, loss: float) -> str:
    return odds(loss) if _in_odds(chart) else f"ε′ = {upwards(loss)}"


def _enough(chart: ClosenessChart) -> str:
    """State the ε′ that is enough for most pairs, beside what the theorems promise."""
    sure = readable(1 - chart.beta, 13)
    sentence = (
        f"With probability {sure} the outputs on two fresh samples are (ε′, δ′)-close at "
        f"ε′ = {readable(chart.needed)}. Group privacy "
    )
    if not holds_here(chart, "group"):
        sentence += "promises nothing at this δ′"
    else:
        sentence += f"promises {readable(chart.group)}"
        if chart.needed > 0:
            times = readable(chart.group / chart.needed)
            sentence += ", as much" if times == "1" else f", {times} times as much"
    return f"{sentence}. Theorem 13{_promised(chart)}."


def _promised(chart: ClosenessChart) -> str:
    shape = f"{readable(chart.theorem_13)} up to its hidden constant"
    if not holds_here(chart, "theorem_13"):
        shape = f", whose assumptions fail here, would say {shape}"
    else:
        shape = f" promises {shape}"
    if math.isfinite(chart.derived):
        return f"{shape} ({readable(chart.derived)} with the constants of its proof)"
    return f"{shape} (its proof gives nothing here)"


def figure(chart: Compared, theme: Theme) -> Figure:
    """Draw the chart; of pairs, a hundred as dots, and what group privacy must allow for."""
    return (
        stacked(theme, _pairs(chart)) if isinstance(chart, ClosenessChart) else draw(chart, theme)
    )


def _pairs(chart: ClosenessChart) -> Panel:
    """Return a hundred pairs at the hundredths of their exact law, beside what is promised."""
    losses, promised = chart.hundredths, holds_here(chart, "group")
    close = losses <= chart.needed * (1 + 1e-12)
    far = not promised or chart.group > _FARTHEST * losses[-1]
    most = max(chart.needed, *losses, 0.0 if far else chart.group) or 1.0
    heaps = heaped(losses, chart.needed, most=most, places=_PLACES)
    top = max(float(heaps.tops.max()) + 0.5, _ROWS)
    said = [times(loss) for loss in losses]
    exact, bound = chart.curve("exact"), chart.curve("group")
    unit = " times" if _in_odds(chart) else ""
    sure = f"<b>{_sure(chart)}</b> of pairs within <b>{_within(chart, chart.needed)}</b>"
    together = promised and chart.group - chart.needed < _TOGETHER * most
    group = f"; by group privacy <b>{_within(chart, chart.group)}</b>" if together else ""
    allowed = f"<b>{_said(chart, chart.group)}</b>{unit}{' →' if far else ''}"
    theorem = chart.theorem_13 if holds_here(chart, "theorem_13") else math.inf
    marks = [
        people.Heaps(heaps, close, biggest=_DOT, about=exact, said=said),
        people.Heaps(heaps, ~close, biggest=_DOT, about=exact, said=said, symbol="circle-open"),
        Rule(x=chart.needed, y=(0.0, _LINE * top), wide=1.5),
        Text(
            (f"{sure}{group}", sure),
            chart.needed,
            _LINE * top,
            to="NW" if chart.needed > most / 2 else "NE",
        ),
        Rule(x=chart.group, y=(0.0, 0.8 * top), about=bound) if promised and not far else None,
        Text(
            (f"group privacy<br>allows {allowed}", f"group<br>privacy:<br>{allowed}"),
            Part(1) if far else chart.group,
            0.8 * top,
            to="SW",
            shift=(-5, 0),
            about=bound,
        )
        if promised and not together
        else None,
        *(_theorem(theorem, top) if theorem < most else ()),
    ]
    places = ticks(most) if _in_odds(chart) else None
    title = ("ε′ at which the two outputs are close", "ε′")
    if places is not None:
        title = (
            "How many times as likely, at most, an output is on one sample as on the other",
            "At most so many times as likely",
        )
    return Panel(
        Side.around([heaps.edges[0], most], title, ticks=places and thinned(places, most)),
        Side.bare(0, 1.18 * top),
        marks,
        above=(
            "A dot for each of 100 pairs of fresh samples, as far right as its outputs are apart",
            "A dot for each of 100 pairs of samples",
        ),
    )


def _theorem(at: float, top: float) -> list[Mark]:
    """Return where Theorem 13 stands, whose constants are not known."""
    said = "Theorem 13, constants dropped"
    high = 1.02 * top  # above the dots
    return [
        Rule(x=at, y=(0.0, high), about="muted", dash="dash", wide=1.0, roomy=True),
        Text(said, at, high, to="SE", about="muted", small=True, shift=(4, 0), roomy=True),
    ]


def idle_with_compared(values: Mapping[str, Value]) -> set[str]:
    """Name what the chosen comparison or the chosen mechanism does without."""
    compared = str(values["compared"])
    own = set() if compared == "average" else idle_controls(values)
    return own | _IDLE.get(compared, set())  # what there is not, the view refuses


VIEW = View(
    key="closeness",
    title="How close, how likely",
    compute=how_close_how_likely,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "compared",
        "mechanism",
        "samples",
        "closeness_epsilon",
        *ITEM,
        *CLOSE,
        "delta",
        "constant",
    ),
    defaults={"compared": "mean"},  # the pairs have a view of their own
    in_sight=("compared", "samples", "closeness_epsilon", "failure_probability"),
    idle=idle_with_compared,
)
