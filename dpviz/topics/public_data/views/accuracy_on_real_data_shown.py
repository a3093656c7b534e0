"""Real data: whether public points without labels help a private learner."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot import axes
from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.partial_chart import FADED, stand_in
from dpviz.plot.said_bars import Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, fixed, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.view import Upload, View
from dpviz.topics.public_data.real.data_sets import ALONE, RealData, labelled_data, real_data_set
from dpviz.topics.public_data.real.learners import LEARNERS
from dpviz.topics.public_data.views.accuracy_on_real_data import (
    CONSTANT,
    NON_PRIVATE,
    Gain,
    RealDataChart,
    accuracy_on_real_data,
)

_ROWS = (
    "without privacy",
    "private, without public points",
    "private, with public points",
    "always the same label",
)
_ADDED = (
    "<b>What public points add</b>: of a hundred, so many more or fewer are right",
    "<b>What public points add</b>, of a hundred",
)
_PAYS = ("public points pay", 0.9), ("they do not", -0.9)
_ROOM = 1.15  # times the most, where that axis ends
_SAID = "ε = %{x:.3g}: %{y:+.1f} of a hundred"
_MOST, _TENS = 20.0, 10.0  # of a hundred, that the axis of what is added reaches at least, and in
_INKS = ("grid", Subject.ITEM_LEVEL, Subject.LAPLACE, "grid")
_CORRECT = Limit("guess", "of 100", "cases labelled correctly", 0, 100, 50, log=False, step=1)
_SET = {
    "hindsight": "at its best with hindsight",
    "fixed": "at one value for all data",
    "private": "chosen in private",
}
_CHOSEN = {
    "hindsight": "All runs are made at every value, and the value that is best on average is "
    "shown: with hindsight, for all learners alike.",
    "fixed": "It is set to one value for all data and every ε, near the middle of those that "
    "are tried: η = 0.1, Λ = 0.01, 10 points, 4 cells.",
    "private": "The private data choose it at no further cost of ε (Chaudhuri, Monteleoni and "
    "Sarwate 2011, Algorithm 3): each value learns from a part of the private units, and on one "
    "more part the exponential mechanism draws a winner. So each learns from a fifth or a sixth "
    "of them. What is not private takes its best value.",
}


def _how_read(data: RealData) -> list[str]:
    """Say which rows and columns are not used."""
    rows = data.left_out + data.label.size
    lacks = agreeing(data.left_out, "lacks a cell and is", "lack a cell and are")
    lines = [f"{data.left_out:,} of {rows:,} rows {lacks} left out."] * bool(data.left_out)
    if data.ignored:
        named = ", ".join(data.ignored[:3]) + (" and others" if len(data.ignored) > 3 else "")
        lines.append(f"Not used, as they hold neither numbers nor few categories: {named}.")
    return lines


_UPLOAD = Upload(
    "own",
    lambda values: values["data_set"] == "own",
    "from dpviz.results.csv_file import read_csv\n"
    "from dpviz.topics.public_data.real.data_sets import labelled_data",
    """    own=labelled_data(
        read_csv(Path("file.csv").read_bytes()),  # your own file
        unit={user},
        label={value},
    ),""",
    make=lambda table, unit, label, _: labelled_data(table, unit=unit, label=label),
    remarks=_how_read,
    label="CSV file with a header: a column with two values to predict, and features",
    questions=("Whom a row belongs to", "What is to be predicted"),
    alone=ALONE,
)


def takeaway(chart: RealDataChart) -> str:
    """State at which ε the public points are worth having, and what is best at the reader's."""
    if chart.gain is None:
        return (
            f"{chart.data.name}: do public points without labels help a private learner? The "
            "first random split is not computed yet."
        )
    gain = chart.gain
    apart, ahead, behind = chart.claims
    here = f"at ε = {readable(chart.here)}"
    both = (
        f"the best private learner tried labels {_percent(ahead.value)} correctly with them, "
        f"{_percent(behind.value)} without"
    )
    if apart.lower > 0:
        return f"Public points pay {here}: {both}."
    if np.any(gain.lower > 0):
        return f"Public points pay {_where(gain, chart)}; here {both}."
    if np.all(gain.upper < 0):
        return f"Public points pay at no ε tried: {here} {both}."
    if apart.upper < 0:
        return f"Public points do not pay {here}: {both}."
    return f"These splits do not tell whether public points pay {here}: {both}."


def _where(gain: Gain, chart: RealDataChart) -> str:
    """Say at which ε the interval of the gain lies above 0; a range is named if all of it does."""
    tried, pays = chart.curves[0].x, gain.lower > 0
    paid = tried[pays]
    low, high = float(paid.min()), float(paid.max())
    if np.all(pays[tried <= high]):
        return f"at ε up to {readable(high)}"
    if np.all(pays[tried >= low]):
        return f"at ε from {readable(low)} on"
    if high < chart.here:
        return "at some smaller ε"
    return "at some larger ε" if low > chart.here else "at some other ε"


def detail(chart: RealDataChart) -> str:
    """State all accuracies at the reader's ε, the sizes, and the gain with its interval."""
    if chart.gain is None:
        return ""
    at, gain = _index_of_here(chart), chart.gain
    accuracies = ", ".join(
        f"{LEARNERS[curve.key].title} {_percent(chart.value(curve.key))}" for curve in chart.curves
    )
    ahead = (
        " The best learner with public points differs from the best without by "
        f"{_points(gain.mean[at])} of a hundred rows (95% interval {_points(gain.lower[at])} to "
        f"{_points(gain.upper[at])})."
        if chart.runs >= 3
        else ""
    )
    return (
        f"{chart.data.name}, {chart.samples:,} private {chart.data.units} and "
        f"{chart.public_points:,} public ones, {chart.runs} random splits, "
        f"ε = {readable(chart.here)}, each learner's knob {_SET[chart.knob]}: {accuracies}.{ahead}"
    )


def notes(chart: RealDataChart) -> list[str]:
    """Say what is protected, what is chosen with hindsight, and what the optimisers guarantee."""
    data = chart.data
    lines = [
        f"What is protected is one of the {data.units}: neighbouring data sets substitute one, "
        "with all its rows. A quarter of them are kept for the test; the accuracies plotted are "
        "not protected.",
        "For all learners the public rows, without labels, decide how features are scaled and "
        "which principal components are kept, so this costs no privacy. A learner with “public "
        "points” in its name uses them for more than that.",
        f"Each learner has one knob (η, Λ, or how many public points or cells take part). "
        f"{_CHOSEN[chart.knob]} The 95% intervals are over random splits of this one data set, "
        "after that choice: they say how much the split matters, not what other data would show.",
        "The columns used and their categories are read from all rows, private ones too, and no "
        "ε is charged for that; a real release would have to fix them beforehand.",
        "RRSPM, RSPM and objective perturbation are ε-private, Algorithms 2 and 3 are (ε, "
        "δ)-private, and output perturbation takes the cheaper of the two. Algorithms 2 and 3 "
        "learn linear functions with squared loss, RRSPM and RSPM thresholds on one component, "
        "the others logistic regression. RSPM is what RRSPM is without public points: its "
        "thresholds are those of a fixed grid.",
        "Every optimiser certifies how near the minimum it is: thresholds by an exact sweep, "
        "linear functions by convexity on the ball, logistic regression by its gradient. The noise "
        "covers what is left.",
    ]
    return [*lines, *_how_read(data)]


def _index_of_here(chart: RealDataChart) -> int:
    return int(np.argmin(np.abs(chart.curves[0].x - chart.here)))


def _percent(share: float) -> str:
    return percent(share, 2)


def _points(share: float) -> str:
    return fixed(100 * share, 1)


def figure(chart: RealDataChart, theme: Theme) -> Figure:
    """Draw the best learners with public points and without as bars, and what these add along ε.

    Which learners these are is not known before the first split: until then they are those of
    before.
    """
    before = stand_in(chart, theme.before) if chart.gain is None else None
    known = before if isinstance(before, RealDataChart) else chart
    pale = FADED if known is before else 1.0
    return stacked(theme, _bars(known, pale), _added(known, chart, pale), tall=1.25)


def _added(known: RealDataChart, chart: RealDataChart, pale: float) -> Panel | None:
    """Return how many more of a hundred are right with public points than without, along ε.

    known: of what the gain is drawn; chart: that of the reader. None where it would be the answer.
    """
    gain, keys = known.gain, {curve.key for curve in known.curves}
    if gain is not None and not {*gain.with_public, *gain.without} <= keys:
        return None
    marks: list[Mark] = [Rule(y=0.0, wide=1.5), Rule(x=chart.here, wide=1.5, about="muted")]
    most = _MOST
    if gain is not None:
        x = known.curves[0].x
        mean, low, high = (100 * part for part in (gain.mean, gain.lower, gain.upper))
        off = np.nan_to_num(mean - low), np.nan_to_num(high - mean)
        look: dict[str, Any] = {"about": _INKS[2], "seen": pale}
        marks += [
            Line(x, mean, wide=1.5, **look),
            Dots(x, mean, off=off, size=9, thick=1.5, caps=4, said=_SAID, **look),
        ]
        farthest = float(np.abs([mean - off[0], mean + off[1]]).max())
        most = max(most, _TENS * math.ceil(farthest / _TENS))
    first, last = (math.log10(end) for end in chart.curves[0].x[[0, -1]])
    right = math.log10(chart.here) < (first + last) / 2  # away from the line at the reader's ε
    side = Part(0.99 if right else 0.01)
    marks += [Text(words, side, at * most, to="W" if right else "E") for words, at in _PAYS]
    return Panel(
        Side(first - 0.05, last + 0.05, axes.title(chart.x), log=True),
        Side(-_ROOM * most, _ROOM * most, held=True),
        marks,
        above=_ADDED,
        handle=Handle(chart.x.name, chart.here),
    )


def _bars(chart: RealDataChart, pale: float) -> Panel:
    """Return how often learners are right at the reader's ε, with 95% intervals."""
    at, gain = _index_of_here(chart) if chart.curves else 0, chart.gain
    keys = ("", "") if gain is None else (gain.without[at], gain.with_public[at])
    known = {curve.key: curve for curve in chart.curves}
    bars, intervals = list[Bar](), list[Mark]()
    for row, (name, key) in enumerate(zip(_ROWS, (NON_PRIVATE, *keys, CONSTANT), strict=True)):
        curve = known.get(key)
        if curve is None:
            bars.append(Bar(f"{name}: ?", math.nan, "muted"))
            continue
        mean, low, high = (100 * float(part[at]) for part in (curve.y, *curve.interval))
        bars.append(Bar(f"{name}: {_percent(mean / 100)}", mean, _INKS[row], pale))
        off = [mean - low], [high - mean]
        look: dict[str, Any] = {"size": 1, "across": True, "thick": 1.5, "caps": 4, "seen": pale}
        intervals.append(Dots([mean], [row], off=off, **look))
    for mark in chart.landmarks:
        x, row = 100 * mark.y, _ROWS.index("private, with public points")
        intervals += [
            Rule(x=x, y=(row - 0.4, row + 0.4), dash="dot"),
            Text(mark.text, x, row - 0.4, to="N"),
        ]
    above = f"Of a hundred new {chart.data.units}, labelled correctly at ε = {readable(chart.here)}"
    return said_bars(bars, 100.0, intervals, above=(above, "Labelled correctly"), share=1.3)


def most_components(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say how many features the data have: there are no more principal components."""
    if values["data_set"] == "own" and "own" not in values:
        return {}
    data = real_data_set(values["data_set"], values.get("own"))
    return {"components": float(data.features.shape[1])}


VIEW = View(
    key="real",
    title="Real data",
    compute=accuracy_on_real_data,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "data_set",
        "epsilon",
        "delta",
        "public_share",
        "components",
        "knob",
        "runs",
        "seed",
    ),
    why="Unlabelled public points say where the data lie, not what to predict there. They narrow "
    "down what a learner chooses from, which saves noise; where ε or the number of private rows "
    "leaves little noise to save, learners without public points do as well or better.",
    in_sight=("epsilon", "data_set", "public_share"),
    most=most_components,
    upload=_UPLOAD,
    prediction=value_at_here(
        "A private learner, RRSPM, also has public points without labels. How many of a hundred "
        "new cases will it label correctly?",
        _CORRECT,
        "rrspm",
        hidden=("objective", "output", "regularization", "perturbation", "rspm"),
        scale=PERCENT,
        answer=lambda correct: f"{readable(correct)} of a hundred",
    ),
)
