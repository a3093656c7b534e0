"""Real data: the expected error at every threshold, as the rows are and shuffled."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Dots, Words
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.views.real_data import RealChart, real_data

_DRAWN = ("error", "permuted")
_MOST_DOTS = 8  # above each other
_SIGN, _NAME = "●", 16  # of a dot that is filled; letters of what it says
_INKS = ((Subject.EARLIER, 1.0), (Subject.USER_LEVEL, 0.5), (Subject.USER_LEVEL, 1.0))


def takeaway(chart: RealChart) -> str:
    """State whether any τ helps on these data, and whether it would with the rows shuffled."""
    without = readable(chart.unclipped)
    if chart.least_error <= WORTH * chart.unclipped:
        return (
            f"On these data the best threshold τ lowers the expected error from {without} to "
            f"{readable(chart.least_error)}."
        )
    sentence = f"On these data no threshold τ lowers the expected error, {without}, by a tenth"
    if chart.permuted_error > WORTH * chart.unclipped:
        return f"{sentence}, even with the rows shuffled over all people."
    return (
        f"{sentence}; with the rows shuffled over all people one would lower it to "
        f"{readable(chart.permuted_error)}."
    )


def detail(chart: RealChart) -> str:
    """State what the reader's τ does, and which τ is the best, on these rows and shuffled."""
    at = f"At τ = {readable(chart.threshold)} the error is {readable(chart.error)}"
    if chart.threshold >= chart.examples:
        at = "Your τ clips nothing"
    return (
        f"{at}. The best τ, {readable(chart.least)}, gives {readable(chart.least_error)}, no "
        f"clipping {readable(chart.unclipped)}. With the rows shuffled, τ = "
        f"{readable(chart.permuted_least)} gives {readable(chart.permuted_error)}."
    )


def notes(chart: RealChart) -> list[str]:
    """Say what the estimate is, what the comparison means, and what correlation does."""
    shares = _shares(chart.data.categories, chart.share)
    answer = _shares(chart.data.categories, chart.answer)
    covered = "" if chart.radius_exact else " for 95% of them"
    m, loss = f"{chart.examples:,}", readable(chart.examples * chart.epsilon)
    return [
        f"Drawn are {chart.alike.size} of {chart.users:,} people, evenly from all of them, by how "
        "many of their rows are in the commonest category.",
        f"“{chart.data.name}” over all rows: {shares}. Likeliest answer at this τ, with "
        f"probability {chance(chart.probability, chart.otherwise)}: {answer}.",
        f"The candidates come within {readable(chart.radius)} of every distribution{covered}; "
        f"the nearest to the truth is {readable(chart.optimum)} away.",
        f"{chart.users:,} people, at most {m} rows each. Were one row protected with ε, as if "
        f"every row were a user, the error would be {readable(chart.item_level)}; to one with {m} "
        f"rows that promises only {loss}. Without clipping it is the same algorithm with ε divided "
        "by the number of a person's rows (group privacy).",
        "Laplace noise on the mean of everybody's shares among their own rows, with ε for a "
        f"person, has the error {readable(chart.laplace)}; a choice without clipping has "
        f"{readable(chart.unclipped)}.",
        f"Scores are divided by the exact sensitivity, {readable(chart.sensitivity)} at your τ, "
        f"not by the paper's 2τ: whatever τ is, one person moves a score by at most m = {m}.",
        *chart.data.remarks,
        *_correlation(chart),
        "Where a person's rows are alike, that person is far from the mean, so a τ that would be "
        "harmless for independent rows cuts the minority off. Shuffling the rows over all people "
        "destroys the correlation, and shows what the theory with its i.i.d. examples would "
        "promise.",
        "The answer is private; the errors, the best τ and the true shares are not. Category names "
        "and bins count as public, though they are read from all rows.",
    ]


def _correlation(chart: RealChart) -> list[str]:
    if math.isnan(chart.correlation):
        return []
    return [
        f"Two rows of a person have the correlation ρ = {readable(chart.correlation, 2)}: 0 for "
        "rows that are independent, 1 for rows that are all the same."
    ]


def _shares(names: tuple[str, ...], law: FloatArray) -> str:
    return ", ".join(
        f"{name[:24]}: {readable(float(share), 2)}"
        for name, share in zip(names, law, strict=True)
        if not math.isnan(share)
    )


def figure(chart: RealChart, theme: Theme) -> Figure:
    """Draw the rows of some people as they are and shuffled, and what clipping does to each."""
    taus, errors, shuffled = chart.curve("error").x, *(chart.curve(key).y for key in _DRAWN)
    here = int(np.searchsorted(taus, chart.threshold))
    most = max(float(y[place]) for y in (errors, shuffled) for place in (here, -1))
    says = f"{_SIGN} says “{chart.data.categories[int(chart.share.argmax())][:_NAME]}”"
    as_they_are = f"<b>Rows as they are</b>: a column is a person, {says}", "<b>As they are</b>"
    mixed = "<b>The same rows shuffled</b> over all people", "<b>Shuffled</b>"
    return stacked(
        theme,
        [_rows(chart, chart.alike, as_they_are), _rows(chart, chart.mixed, mixed)],
        [_errors(taus, y, here, most) for y in (errors, shuffled)],
        tall=0.95,
    )


def _rows(chart: RealChart, shares: FloatArray, above: Words) -> Panel:
    """Return some people as columns of dots, filled as often as they say the commonest."""
    m = min(chart.examples, _MOST_DOTS)
    x, y = (part.ravel() for part in np.meshgrid(np.arange(shares.size), np.arange(m)))
    full = y < np.rint(shares * m)[x]
    looks: tuple[tuple[NDArray[np.bool_], dict[str, Any]], ...] = (
        (full, {"symbol": "circle"}),
        (~full, {"symbol": "circle-open", "edge": 1.5}),
    )
    marks = [Dots(x[own], y[own], share=0.8, about="muted", **look) for own, look in looks]
    across, up = Side.bare(-0.6, shares.size - 0.4), Side.bare(-0.6, m - 0.4)
    return Panel(across, up, marks, above=above)


def _errors(taus: FloatArray, y: FloatArray, here: int, most: float) -> Panel:
    """Return the errors without clipping, at the reader's τ and at the best one as bars."""
    places = ("no clipping", y.size - 1), ("your τ", here), ("best τ", int(y.argmin()))
    bars: list[Bar] = []
    for (name, place), (about, pale) in zip(places, _INKS, strict=True):
        at = f" = {readable(taus[place])}" if bars else ""
        words = f"{name}{at}: error {readable(y[place])}"
        bars.append(Bar(words, float(y[place]), about, pale))
    return said_bars(bars, most)


VIEW = View(
    key="real",
    title="Real data",
    compute=real_data,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "data",
        "threshold",
        "epsilon",
        "examples_per_user",
        "bins",
        "candidates",
        "unequal",
        "seed",
    ),
    in_sight=("threshold", "data", "epsilon"),
    why="Where the rows of a person are alike, most people are far from the average, and a τ "
    "that saves noise cuts most of them. Shuffled over all people, the rows are independent; "
    "the difference between the two sides is the price of being alike.",
    idle=idle_controls,
    most=largest_useful,
    defaults={"threshold": 4.0, "examples_per_user": 8, "candidates": 64},
    upload=UPLOAD,
)
