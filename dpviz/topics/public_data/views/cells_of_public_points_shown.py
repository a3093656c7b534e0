"""The learner cuts in the gaps between public points, and too few or too many hurt."""

from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Bars, Dots, Mark, Part, Rule, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.views.cells_of_public_points import (
    DRAWN,
    REDRAWS,
    Cells,
    Cut,
    cells_of_public_points,
)

_SINGLE = 40  # public points that can be seen one by one
_CROWDED = 0.4  # opacity of those that cannot
_FOOT = 0.28  # of a row: how far its line is below its middle
_LOW, _HIGH = 0.06, 0.6  # of a row: between which heights dots stand on that line
_BAR = 0.5  # of a row, that a bar takes
_HANG = 0.06  # of a row: how far ticks hang below the line
_LITTLE = 0.05  # what may be lost without a word on why
_WORDS = 2.2  # times the longest bar, where there is room for words beside it
_CHOSEN = Subject.LAPLACE
_TOP = -0.42  # of rows: their top
_BEST = ("labels − ← <b>best cut</b> → +", "best cut")


def takeaway(result: Cells) -> str:
    """State what the choice gets wrong, and what fewer or more points would do to it."""
    own, m = result.own, result.points
    gets = f"gets {percent(own.mean)} of new examples wrong"
    points = counted(m, "public point")
    if _noisy(result, own):
        return f"The noise on {points} scatters this learner’s cuts: it {gets}."
    if _wide(result, own):
        leaves = agreeing(m, "leaves", "leave")
        return f"{points} {leaves} too few places to cut: this learner {gets}."
    few = any(_wide(result, cut) for cut in result.cuts if cut.points < m)
    many = any(_noisy(result, cut) for cut in result.cuts if cut.points > m)
    others = ["too few points leave too few places to cut"] * few + [
        "too many scatter its cuts with noise"
    ] * many
    why = ": " * bool(others) + ", ".join(others)
    return f"With {points} this learner {gets}{why}."


def _noisy(result: Cells, cut: Cut) -> bool:
    """Return whether noise costs most: more than gaps, and more than a little."""
    noise = cut.mean - cut.quiet
    return noise > max(cut.quiet - result.best, _LITTLE) or cut.scale > result.samples


def _wide(result: Cells, cut: Cut) -> bool:
    """Return whether the width of gaps costs most, and more than a little."""
    return cut.quiet - result.best > max(cut.mean - cut.quiet, _LITTLE)


def detail(result: Cells) -> str:
    """State what is chosen, and what the gaps and the noise cost."""
    own = result.own
    examples = counted(result.samples, "private example")
    kept = counted(int((own.chosen > 0).sum()), "gap")
    return (
        f"Of {examples}, each is protected with ε = {readable(result.epsilon)}. Between two public "
        "points all thresholds label the public points alike, so they count as one: a gap is "
        "judged by its best threshold, and its middle is released. Without noise that gets "
        f"{percent(own.quiet)} wrong; {REDRAWS:,} redraws of the noise choose among {kept} of "
        f"{result.points + 1:,} and get {percent(own.mean)} wrong on average, ± "
        f"{readable(100 * own.sure_to, 2)} percentage points. The noise at each point is as large "
        f"as {counted(own.scale, 'example')}."
    )


def notes(_: Cells) -> list[str]:
    """Say what is drawn, and what the noise is."""
    return [
        "The learner is RRSPM (Algorithm 4) with Laplace noise, which is ε-differentially private: "
        "a random weight of scale 2m/ε on each public point, one call of the optimiser, and of its "
        "answer only how it labels the public points. Among the gaps it takes the one with the "
        "fewest private examples wrong, noise included. Private learners with other noise may "
        "bear more public points.",
        f"The noise is drawn {REDRAWS:,} times for the same examples and points: the errors are "
        f"means over these. Dots are the first {DRAWN}, from below. A threshold labels − "
        "what lies left of it, and + the rest.",
        "One label in ten is wrong, so the best threshold gets 10% wrong. The errors are computed "
        "under the private distribution, not estimated. Neighbouring data sets differ in one "
        "example, substituted. Only the released threshold is protected.",
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw where the learner cuts with the reader's, fewer and more points, and what that costs."""
    return stacked(theme, [_places(result), _wrong(result)], tall=0.95)


def _places(result: Cells) -> Panel:
    """Return a line for each number of points, with these and where the learner cuts it."""
    marks: list[Mark | None] = [Text(_BEST, result.target, Part(1), to="N")]
    for row, cut in enumerate(result.cuts):
        inner, foot, mine = cut.edges[1:-1], row + _FOOT, cut is result.own
        marks += [
            Rule(y=foot, wide=1, about="grid", below=True),
            Rule(x=result.target, y=(foot, foot - _HIGH - _LOW), dash="dot"),
            Dots(
                cut.first,
                foot - _LOW - (_HIGH - _LOW) * np.arange(DRAWN) / (DRAWN - 1),
                size=8,
                said="cut at %{x:.3g}",
                about=_CHOSEN if mine else "muted",
            ),
            Dots(
                inner,
                np.full(inner.shape, foot + _HANG),
                size=12,
                symbol="line-ns-open",
                about="text" if mine else "muted",
                seen=1.0 if cut.points <= _SINGLE else _CROWDED,
            ),
        ]
    names = [counted(cut.points, "point") for cut in result.cuts]
    return Panel(
        Side(0.0, 1.0, "Where an example lies", grid=False, numbers=False),
        replace(Side.rows(names), high=_TOP),
        [*marks, *_gap(result.cuts[0])],
        above=(
            "Ticks: public points. <b>Dots: where the learner cuts</b>, with fresh noise each",
            "Ticks: public points.<br><b>Dots: learner’s cuts</b>",
        ),
        wide=1.5,
    )


def _gap(cut: Cut) -> list[Mark]:
    """Return what a gap between public points is for the learner, below the one it cuts most."""
    most = int(np.argmax(cut.chosen))
    low, high = cut.edges[most : most + 2]
    foot = _FOOT + 2 * _HANG
    words = ("a gap: one place to cut", "a gap")
    return [
        Rule(x=(low, high), y=foot, about="text"),
        Text(words, (low + high) / 2, foot, to="S"),
    ]


def _wrong(result: Cells) -> Panel:
    """Return what the choice gets wrong with fewer and with more public points, in bars."""
    means, best = [100 * cut.mean for cut in result.cuts], 100 * result.best
    marks: list[Mark | None] = []
    for row, (mean, cut) in enumerate(zip(means, result.cuts, strict=True)):
        mine, number = cut is result.own, f"<b>{percent(cut.mean)}</b>"
        said = f"{counted(cut.points, 'public point')}: {percent(cut.mean)} wrong"
        looks: dict[str, Any] = {"about": _CHOSEN if mine else "aside", "said": [said]}
        full, short = _verdict(result, cut)
        marks += [
            Bars([row], [mean], lying=True, wide=_BAR, **looks),
            Text(
                (number + full, number + short),
                mean,
                row,
                to="E",
                shift=(6, 0),
                large=mine and not full,
            ),
        ]
    never = f"<b>{percent(result.best)}</b>: no cut avoids these"
    marks.append(Rule(x=best, dash="dot"))
    marks.append(Text((never, f"{percent(result.best)}: always"), best, Part(1), to="N"))
    return Panel(
        Side.bare(0.0, _WORDS * max(means)),
        replace(Side.rows([""] * len(means)), high=_TOP),
        marks,
        above=("<b>New examples wrong</b>", "<b>New examples<br>wrong</b>"),
    )


def _verdict(result: Cells, cut: Cut) -> tuple[str, str]:
    """Say what is too large, if anything is, in full and in short, on a line of its own."""
    if _noisy(result, cut):
        return "<br>noise scatters<br>its cuts", "<br>noise"
    if _wide(result, cut):
        return "<br>too few places<br>to cut", "<br>few places"
    return ("", "")


VIEW = View(
    key="cells",
    title="Public points",
    compute=cells_of_public_points,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("public_points", "samples", "epsilon", "seed"),
    in_sight=("public_points", "epsilon", "samples"),
    pulled={"public_points": "# public point"},
    why="Public points leave few cuts to choose from: one in each gap, as all others there label "
    "them alike. The choice is private because each public point gets noise. Too few points "
    "leave gaps too wide, and the noise of too many adds up to more than the data.",
)
