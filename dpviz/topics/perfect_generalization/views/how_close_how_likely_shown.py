"""How close, how likely: two outputs, the average of a pair, and the average output."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve
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
from dpviz.topics.perfect_generalization.mechanisms_shown import (
    CLOSE,
    ITEM,
    idle_controls,
)
from dpviz.topics.perfect_generalization.views.how_close_how_likely import (
    ClosenessChart,
    how_close_how_likely,
)

_PLACES = 12  # along a line, where its name may stand
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
    sure = readable(100 * (1 - chart.beta), 13)
    promised = "group privacy promises nothing"
    if holds_here(chart, "group"):
        alike = readable(chart.group) == readable(chart.needed)
        promised = f"group privacy promises {'the same' if alike else readable(chart.group)}"
    return (
        f"One private algorithm runs on two fresh samples: in {sure}% of such pairs the outputs "
        f"differ by no more than ε′ = {upwards(chart.needed)}; {promised}."
    )


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
    """Draw the chart; of pairs, each promise as a line up to the probability it states."""
    if not isinstance(chart, ClosenessChart):
        return draw(chart, theme)
    stems = tuple(_stem(curve) if curve.key != "exact" else curve for curve in chart.curves)
    return draw(replace(chart, curves=stems), theme)


def _stem(curve: Curve) -> Curve:
    """Return a vertical line from 0 to the single point of the curve, with places for its name."""
    holds = curve.holds
    return replace(
        curve,
        x=np.repeat(curve.x, _PLACES),
        y=np.linspace(0.0, float(curve.y[0]), _PLACES),
        holds=None if holds is None else np.repeat(holds, _PLACES),
    )


def idle_with_compared(values: Mapping[str, Value]) -> set[str]:
    """Name what the chosen comparison or the chosen mechanism does without."""
    compared = str(values["compared"])
    own = set() if compared == "average" else idle_controls(values)
    return own | _IDLE[compared]


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
    in_sight=("compared", "samples", "closeness_epsilon", "failure_probability"),
    idle=idle_with_compared,
)
