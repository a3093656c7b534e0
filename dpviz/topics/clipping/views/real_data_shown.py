"""Real data: the expected error at every threshold, as the rows are and shuffled."""

import math

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Dots, Span, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.views.real_data import RealChart, real_data

_MOST_DOTS = 8  # above each other
_SIGN, _OTHER, _NAME = "●", "○", 16  # of dots, filled and not; letters of what they say
_TWO = 2  # categories, of which ○ is the other
_SAYS = {
    ("union", "0"): ("not in a union that year", "in a union")
}  # where categories have no words
_ALIKE = Subject.GAUSSIAN  # of those whose rows are all the same
_UNCLIPPED, _CLIPPED = Subject.EARLIER, Subject.USER_LEVEL
_DOTS = 150  # pixels of the people
_ERROR = "<b>Expected error</b> of the published shares", "<b>Expected error</b>"
_ROOM = 1.1  # times the largest error, where the axis of the bars ends


def takeaway(chart: RealChart) -> str:
    """State whether any τ helps on these data, and whether it would with the rows shuffled."""
    least = percent(chart.least_error)
    if chart.least_error <= WORTH * chart.unclipped:
        return (
            "Clipping helps on these data: the best threshold τ lowers the expected error from "
            f"{percent(chart.unclipped)} to {least}."
        )
    hardly = "does not help" if least == percent(chart.unclipped) else "hardly helps"
    shuffled = _shuffled(chart)
    if chart.permuted_error > WORTH * shuffled:
        return (
            f"Clipping {hardly} here: its least error is {least}. Nor would it if the rows were "
            "shuffled among all people."
        )
    often, seldom = (np.count_nonzero(_same(chart, one)) for one in (chart.alike, chart.mixed))
    reason = ": a person’s rows are too alike" if often > seldom else ""
    return (
        f"Clipping {hardly} here{reason}. With rows shuffled among people, clipping would cut the "
        f"error from {percent(shuffled)} to {percent(chart.permuted_error)}."
    )


def detail(chart: RealChart) -> str:
    """State what the reader's τ does, and which τ is the best, on these rows and shuffled."""
    at = f"At τ = {readable(chart.threshold)} the error is {percent(chart.error)}"
    if chart.threshold >= chart.examples:
        at = "Your τ clips nothing"
    return (
        f"{at}. The best τ, {readable(chart.least)}, gives {percent(chart.least_error)}, no "
        f"clipping {percent(chart.unclipped)}. With the rows shuffled, τ = "
        f"{readable(chart.permuted_least)} gives {percent(chart.permuted_error)}."
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
        f"every row were a user, the error would be {percent(chart.item_level)}; to one with {m} "
        f"rows that promises only {loss}. Without clipping it is the same algorithm with ε divided "
        "by the number of a person's rows (group privacy).",
        "Laplace noise on the mean of everybody's shares among their own rows, with ε for a "
        f"person, has the error {percent(chart.laplace)}; a choice without clipping has "
        f"{percent(chart.unclipped)}.",
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
    """Draw the rows of some people as they are and shuffled, and what clipping makes of each."""
    people = [_rows(chart, chart.alike, "As they are"), _rows(chart, chart.mixed, "Shuffled")]
    errors = (chart.unclipped, chart.least_error), (_shuffled(chart), chart.permuted_error)
    bars = [_errors(pair, most=max(map(max, errors))) for pair in errors]
    return stacked(theme, _key(chart), people, bars, tall=0.5)


def _shuffled(chart: RealChart) -> float:
    """Return the error without clipping for those shuffled rows that take part."""
    return float(chart.curve("permuted").y[-1])


def _key(chart: RealChart) -> Panel:
    """Return what the dots say, above them."""
    commonest = chart.data.categories[int(chart.share.argmax())]
    usual = f"“{commonest[:_NAME]}”", "another answer"
    full, empty = _SAYS.get((chart.data.name, commonest), usual)
    said = f"{_SIGN} {full}, {_OTHER} {empty}"
    words = f"A column is one person’s rows: {said}", said, ""
    return Panel(Side.bare(0, 1), Side.bare(0, 1), [], above=words, pixels=1)


def _same(chart: RealChart, shares: FloatArray) -> NDArray[np.bool_]:
    return np.asarray((shares == 1) | ((shares == 0) & (chart.share.size == _TWO)))


def _rows(chart: RealChart, shares: FloatArray, name: str) -> Panel:
    """Return some people as columns of dots, filled as often as they say the commonest.

    Those whose rows are all alike come first, in a box.
    """
    same = _same(chart, shares)
    shares, always = shares[np.argsort(~same, kind="stable")], int(np.count_nonzero(same))
    m = min(chart.examples, _MOST_DOTS)
    x, y = (part.ravel() for part in np.meshgrid(np.arange(shares.size), np.arange(m)))
    filled = y < np.rint(shares * m)[x]
    box = (-0.5, always - 0.5), (-0.6, m - 0.4)
    marks = [
        Span(x=box[0], y=box[1], about=_ALIKE, seen=0.15, edge=2.0) if always else None,
        Dots(x[filled], y[filled], share=0.75, about="muted"),
        Dots(x[~filled], y[~filled], share=0.75, about="muted", symbol="circle-open", edge=1.5),
    ]
    alike = "alike" if chart.share.size == _TWO else _SIGN
    told = (
        tinted(f"{always} of {shares.size} people: all rows {alike}", _ALIKE),
        tinted(f"{always} of {shares.size}: all {alike}", _ALIKE),
    )
    above = f"<b>{name}</b>: {told[0]}", f"<b>{name}</b><br>{told[1]}"
    across, up = Side.bare(-0.7, shares.size - 0.3), Side.bare(-0.7, m - 0.3)
    return Panel(across, up, marks, above=above, pixels=_DOTS)


def _errors(pair: tuple[float, float], *, most: float) -> Panel:
    """Return the errors without clipping and with it, on one scale whoever has which row."""
    without, clipped = pair
    gain = (
        f"{readable(without / clipped, 2)} times smaller"
        if clipped < WORTH * without
        else "no gain"
    )
    names = ("no clipping", "no clipping"), (f"clipped at the best τ, {gain}", "clipped")
    bars = [
        Bar((_told(full, error), _told(short, error)), error, about)
        for (full, short), error, about in zip(names, pair, (_UNCLIPPED, _CLIPPED), strict=True)
    ]
    return said_bars(bars, _ROOM * most, above=_ERROR)


def _told(name: str, error: float) -> str:
    return f"{name}: {percent(error)}"


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
    in_sight=("epsilon", "data", "examples_per_user"),
    why="Where the rows of a person are alike, most people are far from the average, and a τ "
    "that saves noise cuts most of them. Shuffled over all people, the rows are independent; "
    "the difference between the two clipped bars is the price of being alike.",
    idle=idle_controls,
    most=largest_useful,
    defaults={"threshold": 4.0, "examples_per_user": 8, "candidates": 64},
    upload=UPLOAD,
)
