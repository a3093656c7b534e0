"""Public points cut the line into cells, noise chooses one, and too few or too many hurt."""

from typing import Any

import numpy as np

from dpviz.plot.marks import Bars, Dots, Line, Mark, Rule, Text, joined
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, percent, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.views.cells_of_public_points import (
    REDRAWS,
    Cells,
    Cut,
    cells_of_public_points,
)

_STRIP = 130  # pixels
_SINGLE = 40  # public points that can be seen one by one
_LITTLE = 0.05  # what may be lost without a word on why
_AIR = 1.3  # times the highest bar, where the panel ends
_WORDS = 1.9  # times the longest bar, where there is room for words beside it
_CHOSEN = Subject.LAPLACE
_OWN: dict[str, Any] = {"about": _CHOSEN}
_OTHER: dict[str, Any] = {"about": "aside", "pale": 0.45}


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
    others = ["too few leave wide cells"] * few + ["too many add noise"] * many
    if not others:
        return f"With {points}, this learner {gets}."
    why = ", ".join(others).capitalize()
    return f"{points} {agreeing(m, 'suits', 'suit')} this learner: it {gets}. {why}."


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
        f"The noise is drawn {REDRAWS:,} times for the same examples and points; the height of a "
        "cell is how often it is chosen.",
        "One label in ten is wrong, so the best threshold gets 10% wrong. The errors are computed "
        "under the private distribution, not estimated. Neighbouring data sets differ in one "
        "example, substituted. Only the released threshold is protected.",
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw what fewer and more public points get wrong, and below it the cells of the reader's."""
    return stacked(theme, _wrong(result), _net(result), tall=0.62)


def _wrong(result: Cells) -> Panel:
    """Return what the choice gets wrong with fewer and with more public points, in bars."""
    means = [100 * cut.mean for cut in result.cuts]
    names = [counted(cut.points, "point") for cut in result.cuts]
    mine = [cut is result.own for cut in result.cuts]
    said = [
        f"{name}: {percent(cut.mean)} wrong" for name, cut in zip(names, result.cuts, strict=True)
    ]
    marks: list[Mark | None] = [
        Bars([row], [mean], lying=True, wide=0.7, said=[one], **(_OWN if own else _OTHER))
        for row, (mean, one, own) in enumerate(zip(means, said, mine, strict=True))
    ]
    marks += [
        Rule(
            x=100 * result.best,
            dash="dot",
            called=f"best possible: {percent(result.best)}",
        ),
    ]
    for row, cut in enumerate(result.cuts):
        number, why = f"<b>{percent(cut.mean)}</b>", _verdict(result, cut)
        words = (f"{number}{why and ': '}{why}", f"{number} {why}")
        marks.append(Text(words, means[row], row, to="E", shift=(6, 0)))
    return Panel(
        Side.bare(0.0, _WORDS * max(means)),
        Side.rows(names),
        marks,
        above=(
            "New examples wrong, by a learner that adds noise at each public point:",
            "New examples wrong, with noise at each point:",
        ),
    )


def _net(result: Cells) -> Panel:
    """Return the line cut at the public points, and how often each cell is chosen."""
    cut, shares = result.own, 100 * result.own.chosen
    top = _AIR * float(shares.max())
    read_off = (cut.middles, 100 * cut.errors, shares)
    said = [
        f"threshold {at}: {error} % wrong, chosen in {share} of 100 redraws"
        for at, error, share in zip(*map(readables, read_off), strict=True)
    ]
    marks: list[Mark | None] = [
        Bars(cut.middles, shares, wide=np.diff(cut.edges), about=_CHOSEN, pale=0.8, said=said),
        Rule(x=result.target, dash="dot", called="best threshold"),
    ]
    if singly := cut.points <= _SINGLE:
        inner = cut.edges[1:-1]
        lines = joined([([point, point], [0.0, top]) for point in inner])
        marks += [
            Line(*lines, about="muted", wide=1),
            Dots(inner, np.zeros_like(inner), size=8, symbol="diamond"),
        ]
    cells = f"<b>{cut.points + 1:,} cells</b>"
    ends = " (◆)" if singly else ""
    return Panel(
        Side(0.0, 1.0, "Threshold: what lies above it counts as +", grid=False),
        Side(0.0, top, grid=False),
        marks,
        above=(
            f"How often, in %, it chooses each of the {cells} between public points{ends}:",
            f"How often (%) it chooses each of {cells}:",
        ),
        pixels=_STRIP,
    )


def _verdict(result: Cells, cut: Cut) -> str:
    """Say what is too large, if anything is."""
    if _noisy(result, cut):
        return "too much noise"
    return "cells too wide" if _wide(result, cut) else ""


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
