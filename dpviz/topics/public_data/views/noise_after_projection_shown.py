"""After the projection: how much less noise the release needs than the noisy numbers."""

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.text import chance, readable
from dpviz.scene.view import View
from dpviz.topics.public_data.views.noise_after_projection import (
    ProjectedChart,
    noise_after_projection,
)


def takeaway(chart: ProjectedChart) -> str:
    """State how much less noise the release needs than the noisy numbers."""
    needed, raw = chart.value("constants"), chart.value("raw")
    if needed > 0.999 * raw:
        return (
            f"For constants the projection saves no noise here: released or not, they need "
            f"{readable(raw)}."
        )
    return (
        "Only the projected function is released, so for constants a noise of "
        f"{readable(needed)} is enough where the raw numbers need {readable(raw)}."
    )


def detail(chart: ProjectedChart) -> str:
    """Say what other classes need at the reader's n and m, and what the paper asks for."""
    words = (
        f"At n = {chart.here:,.0f} and m = {chart.public_points:,}: with the noise of the raw "
        f"numbers a value of 0 is cut off with probability {chance(chart.cut_off)}; the paper's "
        f"condition (14) asks for {readable(chart.value('published'))}"
    )
    if len(chart.curves) < 4:
        return f"{words}; all functions at once are bounded for up to 3 public points only."
    functions = chart.curve("functions")
    at = int(np.abs(functions.x - chart.here).argmin())
    low, high = (readable(float(functions.part(end)[at])) for end in ("_lower", "_upper"))
    least = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f"{words}; over all functions the least noise {least}."


def notes(_: ProjectedChart) -> list[str]:
    """Say what is exact, for which class, and when it matters."""
    return [
        "Algorithm 1 adds noise to the values on the m public points and releases the function of "
        "the class that is nearest. Values beyond −1 and 1 are cut off, and what is cut off cannot "
        "be told apart. Constants: the release is the mean of the noisy values, cut off; the worst "
        "neighbours start at an end of the class, and the noise is exact for a learner whose "
        "values one example can move by ρ = 1/√(ηn). The same holds for f(x) = wx, |w| ≤ 1, on "
        "points |x| = 1. Where it saves none there, the worst neighbours are told apart short of "
        "the other end; neighbours elsewhere, or of a richer class, may be harder to tell apart "
        "after the cut, which no number here is about.",
        "All functions: each value is cut off by itself. Neighbours may move the values in any "
        "direction; cells of directions, each replaced by its outermost corner, bound the least "
        "noise from above, two kinds of neighbours from below. For any other class no less than "
        "the upper curve is proved: the nearest function of a smaller class is not a function of "
        "the values cut off.",
        "Where the projection saves noise, the noise is as large as the class itself, and little "
        "of the answer is left: it makes the promise cheaper, not the answer good. Laplace noise "
        "saves nothing, since its privacy loss is as large inside the class as beyond it.",
    ]


VIEW = View(
    key="projected",
    title="After the projection",
    compute=noise_after_projection,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("samples", "public_points", "epsilon", "delta", "eta"),
    defaults={"samples": 100, "public_points": 2, "eta": 0.01},
)
