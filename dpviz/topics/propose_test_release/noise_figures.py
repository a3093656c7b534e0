"""Propose, test, release: DelStab's noise beside plain noise, in a picture and in words."""

import math

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.propose_test_release.plain import Comparison, NoiseChart
from dpviz.topics.propose_test_release.views.by_name import UsersNeeded

NOISE_BARS = 0.16
"""The height of `with_noise` in a figure."""


def with_noise(figure: Figure, comparison: Comparison, theme: Theme) -> Figure:
    """Add three bars at the bottom: the noise of DelStab, of plain Laplace and Gaussian noise."""
    rows = (
        ("plain Gaussian", comparison.gaussian, Subject.GAUSSIAN),
        ("plain Laplace", comparison.laplace, Subject.LAPLACE),
        ("DelStab", comparison.delstab, Subject.USER_LEVEL),
    )
    deviations = [deviation for _, deviation, _ in rows]
    figure.add_bar(
        x=deviations,
        y=[0, 1, 2],
        orientation="h",
        width=0.8,
        name="noise",
        marker={"color": [theme.subjects[subject] for *_, subject in rows], "opacity": 0.7},
        text=[f"{name}: {readable(deviation)}" for name, deviation, _ in rows],
        textposition="auto",
        textangle=0,
        textfont={"color": theme.text},
        cliponaxis=False,
        showlegend=False,
        xaxis="x3",
        yaxis="y3",
        hovertemplate="standard deviation %{x:.3g}<extra></extra>",
    )
    scale = Scale.of(Axis("deviation", "noise", log=False), np.array([0.0, *deviations]), 0.02)
    hidden = {"showticklabels": False, "showgrid": False, "fixedrange": True}
    return figure.update_layout(
        xaxis3=settings(scale) | {"anchor": "y3"},
        yaxis3={"domain": [0, NOISE_BARS], "range": [-0.6, 2.6], "anchor": "x3"} | hidden,
    )


def noise_heading(theme: Theme) -> dict[str, object]:
    """Return the words above the three bars."""
    whole = "standard deviation of the noise on the sum of all users, equally private"
    return {
        "text": "noise on the sum, equally private" if theme.compact else whole,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": NOISE_BARS,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 4,
        "showarrow": False,
    }


def beside(comparison: Comparison) -> str:
    """Say how much larger or smaller the better plain noise would be."""
    name, ratio = comparison.plain[0], comparison.ratio
    size = f"{_times(ratio)} smaller" if ratio >= 1 else f"{_times(1 / ratio)} larger"
    return f"plain {name} noise, equally private, would be {size}"


def noise_takeaway(chart: NoiseChart) -> str:
    """State how the noise of DelStab compares at the reader's m, and from which m it is smaller."""
    at, (name, plain) = chart.at, chart.at.plain
    more, less = f"{_times(at.ratio)} the noise of", f"{_times(1 / at.ratio)} less noise than"
    return (
        f"With m = {readable(chart.here, 7)} examples each DelStab adds "
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


def noise_notes(chart: NoiseChart | UsersNeeded) -> list[str]:
    """Say what is compared, and what is not counted."""
    if isinstance(chart, UsersNeeded):
        return []
    left = chart.users - 4 * chart.kappa
    return [
        "All three are (ε, δ)-private when all examples of one user are substituted. A user's sum "
        f"lies between 0 and m = {readable(chart.here, 7)}, so the sum of all moves by at most m; "
        "plain noise is exactly calibrated to that, on all data, and never refuses.",
        f"DelStab answers for {left:,} of {chart.users:,} users: its noise is scaled to all of "
        "them. That the others are missing is an error as well, which is not counted here.",
        "DelStab's noise is that for well-behaved users, and grows like √m; plain noise grows like "
        "m. Plain noise on sums cut off to a range of order √m, for which one has to know roughly "
        "where they lie, grows like √m too (page Clipping).",
    ]


def run_notes(comparison: Comparison) -> list[str]:
    """Say what plain noise is calibrated to."""
    bound = readable(comparison.bound, 6)
    cut = comparison.cut
    lost = (
        f" On these data that takes {readable(cut, 4)} off the sum, which is no part of the noise."
        if cut
        else ""
    )
    return [
        f"Plain noise: every user's sum is cut off to a range of width {bound}, the sensitivity "
        f"of the sum.{lost} DelStab's noise is scaled from the users left to all of them."
    ]


def _times(ratio: float) -> str:
    return f"{readable(ratio)} times"
