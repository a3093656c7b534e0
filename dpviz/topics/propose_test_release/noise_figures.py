"""Propose, test, release: bars that show DelStab's noise beside plain noise."""

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.propose_test_release.plain import Comparison

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
        textposition=["inside" if one > max(deviations) / 2 else "outside" for one in deviations],
        constraintext="none",  # else plotly makes words smaller that are as high as their bar
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
