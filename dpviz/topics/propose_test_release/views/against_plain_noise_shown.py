"""Against plain noise: whether the test adds less noise than what needs no test."""

import math
from dataclasses import replace

from dpviz.plot.marks import Mark, Rule, Text
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.against_plain_noise import (
    NoiseChart,
    against_plain_noise,
)

_SEEN = 3.0  # times as much, from which there is room for how many times
_SIDE = 20  # examples, from which on that stands left of the line, off the plain noises


def takeaway(chart: NoiseChart) -> str:
    """State how the noise compares at the reader's m."""
    name, ratio = chart.at.plain[0], chart.at.ratio
    each = f"With {counted(chart.here, 'example', digits=7)} each"
    if ratio < 1:
        return f"{each}, plain {name} adds {_times(1 / ratio)} the noise of testing first."
    later = ""
    if math.isfinite(chart.break_even) and chart.break_even > chart.here:
        later = f"; with {_about_even(chart)} or more, testing adds less"
    return f"{each}, testing first adds {_times(ratio)} the noise of plain {name}{later}."


def _about_even(chart: NoiseChart) -> str:
    return f"about {readable(chart.break_even, 2)}"


def detail(chart: NoiseChart) -> str:
    """State how the noise of DelStab compares at the reader's m, and from which m it is smaller."""
    at, (name, plain) = chart.at, chart.at.plain
    more, less = f"{_times(at.ratio)} the noise of", f"{_times(1 / at.ratio)} less noise than"
    return (
        f"With m = {counted(chart.here, 'example', digits=7)} each DelStab adds "
        f"{more if at.ratio >= 1 else less} plain {name} noise, which is equally private: standard "
        f"deviation {readable(at.delstab)} against {readable(plain)} on the sum of "
        f"{chart.users:,} users. {_from_where(chart)}"
    )


def _from_where(chart: NoiseChart) -> str:
    if chart.break_even == 0:
        return "It adds less whatever m is."
    if math.isinf(chart.break_even):
        return "Even with a billion examples each it would not add less."
    here = "" if chart.here >= chart.break_even else "only "
    return f"It adds less {here}from about m = {readable(chart.break_even, 2)} on."


def notes(chart: NoiseChart) -> list[str]:
    """Say what is compared, and what is not counted."""
    left = chart.users - 4 * chart.kappa
    return [
        "All three are (ε, δ)-private when all examples of one user are substituted. A user's "
        f"sum lies between 0 and m = {readable(chart.here, 7)}, so the sum of all moves by at "
        "most m. Plain noise is calibrated to that exactly. It is private on all data, and never "
        "refuses.",
        f"DelStab answers for {left:,} of {chart.users:,} users, and its noise is scaled to all "
        "of them. Leaving out the others is an error as well, which is not counted here.",
        "For 95% of data sets DelStab's least noise (c = 1) is proven to be the smaller one from "
        f"m = {readable(chart.proven)} on; with the constants of the proof of Theorem 17, from m = "
        f"{readable(chart.proof)} on. More users do not help: the more users, the farther apart "
        "the 4κ extreme ones.",
        "DelStab's noise is c times the least for well-behaved users, and grows like √m; plain "
        "noise grows like m. If one knows roughly where the sums lie, they can be cut off to a "
        "range of order √m; then plain noise grows like √m, too (page “Clipping”).",
    ]


def _times(ratio: float) -> str:
    return f"{readable(ratio)} times"


def figure(chart: NoiseChart, theme: Theme) -> Figure:
    """Draw the noises along m, and how many times one is the other at the reader's."""
    (_, plain), test = chart.at.plain, chart.at.delstab
    crossing = tuple(
        replace(mark, text=f"less from {_about_even(chart)} on") for mark in chart.landmarks
    )
    chart = replace(chart, landmarks=crossing)
    low, high = sorted((plain, test))
    marks = list[Mark]()
    if high / low > _SEEN:
        side = "W" if chart.here > _SIDE else "E"
        marks = [
            Rule(x=(chart.here, chart.here), y=(low, high), wide=4),
            Text(
                (f"<b>× {readable(high / low)}</b>", ""),  # on a phone it would cover a line
                chart.here,
                math.sqrt(low * high),
                to=side,
                shift=(10 if side == "E" else -10, 0),
                large=True,
                backed=True,
            ),
        ]
    return stacked(theme, Charted(chart, marks, handle=Handle(chart.x.name, chart.here)))


VIEW = or_users_needed(
    View(
        key="noise",
        title="Against plain noise",
        compute=against_plain_noise,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=notes,
        in_sight=("examples_per_user", "epsilon", "users"),
        pulled={"examples_per_user": "With # examples"},
        why="A sum of bounded numbers needs no test: noise as large as one user's whole sum hides "
        "them on any data. For a sum the test pays only if each user has very many examples. Its "
        "use is elsewhere: for answers that one user can change at will.",
        parameters=(
            "users",
            "examples_per_user",
            "epsilon",
            "delta",
            "noise_factor",
            "noise",
            "rate",
        ),
    )
)
