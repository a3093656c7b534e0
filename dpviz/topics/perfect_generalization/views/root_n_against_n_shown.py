"""√n against n: how the ε′ that suffices grows with the data sets."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Mark, Rule, Text
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Evidence, Source, Subject
from dpviz.scene.codec import Choice
from dpviz.scene.view import Prediction, Sketch, View
from dpviz.topics.perfect_generalization.item_privacy_shown import notes
from dpviz.topics.perfect_generalization.named_mechanisms_shown import (
    CLOSE,
    ITEM,
    idle_controls,
)
from dpviz.topics.perfect_generalization.times_shown import FAR, odds, share
from dpviz.topics.perfect_generalization.views.root_n_against_n import GrowthChart, root_n_against_n

GROWTHS = {"constant": "not at all", "root": "like √n", "linear": "like n"}
"""What a reader may predict about ε′."""
_TENFOLD = "<i>n</i> × 10", ""
_APART = 3  # times ε′, from where on there is room for them below the step of group privacy
_LATE = 0.85  # of the axis, from where on no words stand on the right
_LONG = 8  # letters of a share, beside which a phone has no room for all words
_POWERS = {"constant": 0.0, "root": 0.5, "linear": 1.0}


def takeaway(chart: GrowthChart) -> str:
    """State how the distance of the outputs grows around the reader's n."""
    if chart.needed <= 0:
        return "The outputs on two fresh data sets differ by so little that δ′ covers it."
    if not math.isfinite(chart.slope):
        farthest = upwards(chart.needed)
        return f"The outputs on two fresh data sets differ by no more than ε′ = {farthest}."
    apart = (
        "With ten times as many examples, the outputs on two fresh data sets are about "
        f"{chart.tenfold} times as far apart"
    )
    if readable(chart.slope, 2) == "1":
        return f"{apart}, as group privacy allows for any two."
    return f"{apart}, not the ten times that group privacy allows."


def detail(chart: GrowthChart) -> str:
    """State ε′ at the reader's n, what strictness costs, and where it bends."""
    sentence = (
        f"At n = {readable(chart.here, 7)}, ε′ = {readable(chart.needed)}{_odds(chart)} suffices "
        f"for all but a share {readable(chart.failure_probability)} of the pairs of data sets."
    )
    if math.isfinite(chart.slope) and 0 < chart.needed < chart.strict:
        times = readable(chart.strict / chart.needed)
        takes = "hardly more than that ε′" if times == "1" else f"{times} times that ε′"
        sentence += f" To cover all but a share 10⁻¹² takes {takes}."
    if math.isfinite(chart.bends_at):
        first = f"from n = {readable(chart.bends_at)} on" if chart.bends_at > 1 else "at every n"
        sentence += (
            " The mean of the privacy loss grows like n, its spread like √n; the mean outweighs "
            f"the spread {first}."
        )
    return sentence


def _odds(chart: GrowthChart) -> str:
    """Say how many times as likely ε′ is, after it, where that can be imagined."""
    return f" ({odds(chart.needed)} times as likely)" if 0 < chart.needed < FAR else ""


def figure(chart: GrowthChart, theme: Theme) -> Figure:
    """Draw the chart, and on its two curves a step: what ten times as many examples do."""
    names = {"group": "group privacy, like n"}
    curves = tuple(replace(one, label=names.get(one.key, one.label)) for one in chart.curves)
    steps = [*_step(chart, "exact"), *_step(chart, "group")]
    sure = share(chart.failure_probability)
    what = "How far apart the outputs are" if len(sure) < _LONG else "How far apart"
    y = replace(chart.y, label=f"{what} (ε′ in {sure} of pairs)")
    named = replace(chart, curves=curves, y=y)
    if not steps:
        return stacked(theme, Charted(named, earlier=lambda old: replace(old, y=y)))
    # The sentence is about the steps: without a place of its own a chart writes no numbers there.
    place = Rule(
        x=chart.here, wide=1.2, about="muted", called=f"<i>n</i> = {readable(chart.here, 7)}"
    )
    handle = Handle(chart.x.name, chart.here)
    seen = replace(named, here=math.nan)
    return stacked(
        theme,
        Charted(seen, [place, *steps], handle=handle, earlier=lambda old: replace(old, y=y)),
    )


def _step(chart: GrowthChart, key: str) -> list[Mark | None]:
    """Return a step of a curve over the decade around the reader's n, if it is known there."""
    first, last = chart.here * 10**-0.5, chart.here * 10**0.5
    curve = next((one for one in chart.curves if one.key == key), None)
    if curve is None or first < curve.x[0] or last > curve.x[-1] or not math.isfinite(chart.slope):
        return []
    low, high = np.exp(np.interp(np.log([first, last]), np.log(curve.x), np.log(curve.y))).tolist()
    if not low < high:
        return []
    exact, three = key == "exact", (f"<b>about × {chart.tenfold}</b>", f"<b>× {chart.tenfold}</b>")
    apart = (chart.value("group") if exact else low) > _APART * chart.needed
    looks: dict[str, Any] = {"about": curve, "large": True}
    if exact:  # off its curve, which is flatter
        grown = Text(three, last, math.sqrt(low * high), to="SE", shift=(8, 0), **looks)
    elif apart and math.log(last) < _LATE * math.log(curve.x[-1]):
        grown = Text("<b>× 10</b>", last, math.sqrt(low * high), to="E", shift=(8, 0), **looks)
    else:
        grown = Text("<b>× 10</b>", last, high, to="NW", shift=(-4, 0), backed=True, **looks)
    return [
        Rule(x=(first, last), y=(low, low), wide=1.5, about=curve),
        Rule(x=(last, last), y=(low, high), wide=1.5, about=curve),
        grown,
        Text(_TENFOLD, chart.here, low, to="SE", shift=(6, -3), about=curve) if apart else None,
    ]


def group_privacy_alone(chart: GrowthChart) -> GrowthChart:
    """Return the chart before the answer: group privacy alone."""
    return replace(chart, curves=(chart.curve("group"),), landmarks=())


def growth_in_words(chart: GrowthChart) -> str:
    """Return in words how ε′ grows around the reader's n."""
    return f"like n to the power {readable(chart.slope, 2)}" if math.isfinite(chart.slope) else ""


def nearest_growth(chart: GrowthChart) -> str | None:
    """Return which of `GROWTHS` comes nearest, None where ε′ is not known around the reader's n."""
    if not math.isfinite(chart.slope):
        return None
    return min(_POWERS, key=lambda growth: abs(_POWERS[growth] - chart.slope))


def with_guess(chart: GrowthChart, growth: str) -> GrowthChart:
    """Return the chart with a line of the slope a reader predicted, through the exact value."""
    x = chart.curve("exact").x
    y = chart.needed * (x / chart.here) ** _POWERS[growth]
    source = Source("your prediction")
    line = Curve("guess", "your prediction", Subject.EARLIER, Evidence.ASYMPTOTIC, source, x, y)
    return replace(chart, curves=(*chart.curves, line))


VIEW = View(
    key="growth",
    title="√n against n",
    compute=root_n_against_n,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("mechanism", "samples", *ITEM, *CLOSE, "delta", "constant"),
    in_sight=("samples", "mechanism", "epsilon", "sigma"),
    why="Two fresh data sets differ in about as many places as they have entries, but most of the "
    "differences cancel, and what is left grows like the square root of their number. Group "
    "privacy has to reckon with the worst pair of data sets, in which nothing cancels.",
    idle=idle_controls,
    sketch=Sketch(
        question="The data sets grow. Draw how far apart the outputs on two fresh ones "
        "are: the ε′ within which they are close.",
        curve="exact",
    ),
    prediction=Prediction(
        question="The data sets grow. How does the ε′ grow within which the outputs on two "
        "fresh ones are close?",
        guess=Choice("guess", "ε′ grows", GROWTHS, "linear"),
        hide=group_privacy_alone,
        answer=growth_in_words,
        value=nearest_growth,
        mark=with_guess,
    ),
)
