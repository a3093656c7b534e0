"""Public points cut the line into cells, noise chooses one, and too few or too many hurt."""

from typing import Any

import numpy as np

from dpviz.plot.marks import Bars, Dots, Mark, Rule, Text, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, from_to, percent, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.views.cells_of_public_points import (
    REDRAWS,
    Cells,
    Cut,
    cells_of_public_points,
)

_SINGLE = 40  # public points that can be seen one by one
_CROWDED = 0.4  # opacity of those that cannot
_BINS = 50  # along the line, where there are more cells than can be seen
_FOOT, _HIGH = 0.28, 0.72  # of a row: how far its line is below its middle, and what stands on that
_HANG = 0.06  # of a row: how far ticks hang below the line
_LITTLE = 0.05  # what may be lost without a word on why
_WORDS = 2.2  # times the longest bar, where there is room for words beside it
_CHOSEN = Subject.LAPLACE
_OWN: dict[str, Any] = {"about": _CHOSEN}
_OTHER: dict[str, Any] = {"about": _CHOSEN, "pale": 0.45}


def takeaway(result: Cells) -> str:
    """State what the choice gets wrong, and what fewer or more points would do to it."""
    own, m = result.own, result.points
    gets = f"gets {percent(own.mean)} of new examples wrong"
    points = counted(m, "public point")
    if _noisy(result, own):
        return f"{points} {agreeing(m, 'brings', 'bring')} too much noise: this learner {gets}."
    if _wide(result, own):
        return f"{points} {agreeing(m, 'leaves', 'leave')} cells too wide: this learner {gets}."
    few = any(_wide(result, cut) for cut in result.cuts if cut.points < m)
    many = any(_noisy(result, cut) for cut in result.cuts if cut.points > m)
    others = ["too few leave wide cells"] * few + ["too many bring noise"] * many
    why = "; " * bool(others) + ", ".join(others)
    return f"With {points} this learner {gets}{why}."


def _noisy(result: Cells, cut: Cut) -> bool:
    """Return whether noise costs most: more than cells, and more than a little."""
    noise = cut.mean - cut.quiet
    return noise > max(cut.quiet - result.best, _LITTLE) or cut.scale > result.samples


def _wide(result: Cells, cut: Cut) -> bool:
    """Return whether the width of cells costs most, and more than a little."""
    return cut.quiet - result.best > max(cut.mean - cut.quiet, _LITTLE)


def detail(result: Cells) -> str:
    """State what is chosen, and what the cells and the noise cost."""
    own = result.own
    examples = counted(result.samples, "private example")
    kept = counted(int((own.chosen > 0).sum()), "cell")
    return (
        f"Of {examples}, each is protected with ε = {readable(result.epsilon)}. Between two public "
        "points all thresholds label the public points alike, so they count as one: a cell is "
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
        "answer only how it labels the public points. Among the cells it takes the one with the "
        "fewest private examples wrong, noise included. Private learners with other noise may "
        "bear more public points.",
        f"The noise is drawn {REDRAWS:,} times for the same examples and points. The area above a "
        "cell is how often it is chosen: it is as large in every row.",
        "One label in ten is wrong, so the best threshold gets 10% wrong. The errors are computed "
        "under the private distribution, not estimated. Neighbouring data sets differ in one "
        "example, substituted. Only the released threshold is protected.",
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw which cells the reader's, fewer and more public points leave, and what that costs."""
    return stacked(theme, [_places(result), _wrong(result)], tall=0.95)


def _places(result: Cells) -> Panel:
    """Return a line for each number of points, with these and how often each cell is chosen."""
    marks: list[Mark | None] = [Rule(x=result.target, dash="dot", called="best threshold")]
    edges = [_parts(cut) for cut in result.cuts]
    shares = [_shares(cut, ends) for cut, ends in zip(result.cuts, edges, strict=True)]
    tallest = max(
        float((part / np.diff(ends)).max()) for part, ends in zip(shares, edges, strict=True)
    )
    for row, cut in enumerate(result.cuts):
        inner, foot = cut.edges[1:-1], row + _FOOT
        marks += [
            Rule(y=foot, wide=1, about="grid", below=True),
            _chosen(edges[row], shares[row], foot, tallest, _OWN if cut is result.own else _OTHER),
            Dots(
                inner,
                np.full(inner.shape, foot + _HANG),
                size=10,
                symbol="line-ns-open",
                seen=1.0 if cut.points <= _SINGLE else _CROWDED,
            ),
        ]
    names = [counted(cut.points, "point") for cut in result.cuts]
    own = result.cuts.index(result.own)
    names[own] = f"<b>{names[own]}</b>"
    taller = tinted("<b>taller: the learner cuts here more often</b>", _CHOSEN)
    short = tinted("<b>Taller: cuts here more</b>", _CHOSEN)
    return Panel(
        Side(0.0, 1.0, "Threshold: what lies above it counts as +", grid=False),
        Side.rows(names),
        marks,
        above=(f"Ticks: public points; {taller}", f"Ticks: public<br>{short}"),
        wide=1.2,
    )


def _parts(cut: Cut) -> FloatArray:
    """Return the ends of what is drawn: of cells, or of bins where these are too many to see."""
    return cut.edges if cut.points <= _SINGLE else np.linspace(0.0, 1.0, _BINS + 1)


def _shares(cut: Cut, ends: FloatArray) -> FloatArray:
    """Return how often the threshold is between two ends, as a share of the redraws."""
    reached = np.interp(ends, cut.edges, np.append(0.0, np.cumsum(cut.chosen)))
    return np.diff(reached)


def _chosen(
    edges: FloatArray, shares: FloatArray, foot: float, tallest: float, looks: dict[str, Any]
) -> Bars:
    """Return how often each part is chosen, as an area on a scale that all rows share."""
    wide = np.diff(edges)
    high = _HIGH * (shares / wide) / tallest
    ends = zip(readables(edges[:-1]), readables(edges[1:]), readables(100 * shares), strict=True)
    said = [f"{from_to(low, high)}: chosen in {share} of 100 redraws" for low, high, share in ends]
    return Bars(
        (edges[:-1] + edges[1:]) / 2,
        -high,
        base=np.full(high.shape, foot),
        wide=wide,
        said=said,
        **looks,
    )


def _wrong(result: Cells) -> Panel:
    """Return what the choice gets wrong with fewer and with more public points, in bars."""
    means = [100 * cut.mean for cut in result.cuts]
    marks: list[Mark | None] = [
        Rule(
            x=100 * result.best,
            dash="dot",
            called=(f"best possible: {percent(result.best)}", f"best: {percent(result.best)}"),
        )
    ]
    for row, (mean, cut) in enumerate(zip(means, result.cuts, strict=True)):
        mine, number = cut is result.own, f"<b>{percent(cut.mean)}</b>"
        said = f"{counted(cut.points, 'point')}: {percent(cut.mean)} wrong"
        full, short = _verdict(result, cut)
        marks += [
            Bars([row], [mean], lying=True, wide=0.5, said=[said], **(_OWN if mine else _OTHER)),
            Text((number + full, number + short), mean, row, to="E", shift=(6, 0)),
        ]
    return Panel(
        Side.bare(0.0, _WORDS * max(means)),
        Side.rows([""] * len(means)),
        marks,
        above=("<b>New examples wrong</b>", "<b>New examples<br>wrong</b>"),
    )


def _verdict(result: Cells, cut: Cut) -> tuple[str, str]:
    """Say what is too large, if anything is, in full and in short, on a line of its own."""
    if _noisy(result, cut):
        return "<br>too much noise:<br>each point gets some", "<br>noise"
    return ("<br>cells too wide", "<br>too wide") if _wide(result, cut) else ("", "")


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
    why="Public points cut the line into cells: thresholds in one cell label them all alike, so "
    "few are left to choose from. The choice is private because each public point gets noise. "
    "Too few points leave cells that are too wide, and too many add up to more noise than data.",
)
