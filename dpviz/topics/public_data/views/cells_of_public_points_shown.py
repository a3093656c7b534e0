"""Too few public points leave wide cells, too many bring much noise: three small pictures."""

from typing import Any

import numpy as np

from dpviz.plot.marks import Dots, Fitting, Line, Mark, Rule, Span, Text, Words, joined, tinted
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

_LABELS = 40  # pixels
_HIGHEST = 62.0  # percent: more than any threshold gets wrong
_NAME = 41.0  # percent, at which the cell with the best threshold is named
_CUT_HERE = 27  # % wrong, at which there is room beside the V
_WORDS = 52.0  # percent, where there is room between the arms of what thresholds get wrong
_TICKS = [(at, f"{at}%") for at in (10, 20, 40, 60)]
_TOP = 46.0  # percent, up to which the net is drawn, below the words
_NET = 0.35  # the opacity of its lines
_LINES = 30.0  # for which a word needs to have room, or the net is a block
_WIDE = 0.25  # of the line, which a cell takes at least that is named
_LITTLE = 0.05  # what may be lost without a word on why
_GOLDEN = 0.618034  # its multiples spread evenly
_CHOSEN = Subject.LAPLACE


def takeaway(result: Cells) -> str:
    """State what the choice among the cells gets wrong, and what that is due to."""
    own, m = result.own, result.points
    gets = f"gets {percent(own.mean)} of new examples wrong"
    points = counted(m, "public point")
    if _noisy(result, own):
        each = f"Each of {points}" if m > 1 else "The public point"
        noise = counted(own.scale, "example")
        return f"{each} gets noise as large as {noise}: the private choice {gets}."
    if _wide(result, own):
        leave = agreeing(m, "leaves", "leave")
        return f"{points} {leave} {m + 1:,} wide cells: the private choice {gets}."
    fewer = "Fewer would leave wider cells; for more it adds more noise."
    others = fewer if m > 1 else "More would leave narrower cells, and add more noise."
    return f"With {points} this learner {gets}; the best possible, {percent(result.best)}. {others}"


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
        f"{readable(100 * own.sure_to, 2)} percentage points."
    )


def notes(result: Cells) -> list[str]:
    """Say what is drawn, and what the noise is."""
    shown = result.private.y.size
    fewer = shown < result.samples
    return [
        "The learner is RRSPM (Algorithm 4) with Laplace noise, which is ε-differentially private: "
        "a random weight of scale 2m/ε on each public point, one call of the optimiser, and of its "
        "answer only how it labels the public points. Among the cells it takes the one with the "
        "fewest private examples wrong, noise included.",
        f"The noise is drawn {REDRAWS:,} times for the same examples and points; the area of a "
        "circle is how often its cell is chosen.",
        "One label in ten is wrong, so the best threshold gets 10% wrong. The errors are computed "
        "under the private distribution, not estimated. Neighbouring data sets differ in one "
        "example, substituted. Only the released threshold is protected.",
        *([f"{shown:,} of {result.samples:,} private examples are drawn."] if fewer else []),
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw the examples, and below them the net of few public points, of some and of many."""
    cuts = [_choice(result, cut) for cut in result.cuts]
    return stacked(theme, _line(result), cuts, tall=1.1)


def _line(result: Cells) -> Panel:
    """Return private examples by their labels."""
    private = result.private
    spread = np.arange(private.y.size) * _GOLDEN % 1 - 0.5
    heights = Side(-1.9, 1.9, ticks=[(-1, "−"), (1, "+")], grid=False)
    examples = counted(result.samples, "private example")
    return Panel(
        Side(0.0, 1.0, grid=False, numbers=False),
        heights,
        [Dots(private.x, private.y + spread, size=4, about="muted", pale=0.6)],
        above=(f"{examples}, − or +: from where on are they +?", f"{examples}, − or +"),
        pixels=_LABELS,
    )


def _choice(result: Cells, cut: Cut) -> Panel:
    """Return what each threshold gets wrong, and which cells' middles are chosen how often."""
    best, mean, first = 100 * result.best, 100 * cut.mean, cut is result.cuts[0]
    kept, errors = cut.chosen > 0, 100 * cut.errors
    read_off = (cut.middles[kept], errors[kept], 100 * cut.chosen[kept])
    said = [
        f"threshold {at}: {error} % wrong, chosen in {share} of 100 redraws"
        for at, error, share in zip(*map(readables, read_off), strict=True)
    ]
    low, high = (100 * end for end in result.ends)
    net = joined([([point, point], [0.0, _TOP]) for point in cut.edges[1:-1]])
    place = int(np.searchsorted(cut.edges, result.target))
    tip = float(cut.edges[place - 1]), float(cut.edges[place])
    wrong = percent(cut.mean)
    look: dict[str, Any] = {"about": "muted", "seen": _NET}
    block = float(cut.edges[1]), float(cut.edges[-2])
    marks: list[Mark | None] = [
        Span(x=tip, y=(0.0, _TOP), about=_CHOSEN, seen=0.2),
        Fitting(
            Line(*net, wide=1, **look), Span(x=block, y=(0.0, _TOP), **look), _LINES / cut.points
        ),
        Line([0.0, result.target, 1.0], [low, best, high], wide=2),
        Dots(
            cut.middles[kept],
            errors[kept],
            size=(4 + 22 * np.sqrt(cut.chosen[kept])).tolist(),
            about=_CHOSEN,
            pale=0.7,
            said=said,
        ),
        Rule(y=best, wide=1.5, dash="dot", below=True),
        Rule(y=mean, wide=1.5, about=_CHOSEN, below=True),
        Text(
            (f"{wrong} wrong", wrong),
            result.target,
            _WORDS,
            about=_CHOSEN,
            large=True,
        ),
    ]
    if first:
        marks += [
            Text(("best possible", "best"), 0.0, best, to="SE", small=True),
            Text(("wrong, if<br>cut here", ""), 1.0, _CUT_HERE, to="W", small=True),
        ]
        if tip[1] - tip[0] > _WIDE:
            marks.append(Text(("one cell", ""), sum(tip) / 2, _NAME, about=_CHOSEN, small=True))
    axis = ("Where the threshold is", "") if cut is result.cuts[1] else ""
    lines = tinted("Lines: public points.", "muted")
    circles = tinted("A circle: how often its cell is chosen.", _CHOSEN)
    title: Words = (
        (f"New examples wrong. {lines} {circles}", "New examples wrong") if first else " "
    )
    noise = f"noise at each point: {counted(cut.scale, 'example')}"
    heading = f"<b>{counted(cut.points, 'public point')}</b>{_verdict(result, cut)}"
    return Panel(
        Side(0.0, 1.0, axis, grid=False),
        Side(0.0, _HIGHEST, title, ticks=_TICKS, numbers=first, grid=False),
        marks,
        above=(f"{heading}<br>{noise}", f"<b>{counted(cut.points, 'point')}</b>"),
    )


def _verdict(result: Cells, cut: Cut) -> str:
    """Say what is too large, or which of the pictures is the reader's."""
    if _noisy(result, cut):
        return tinted(": too much noise", _CHOSEN)
    if _wide(result, cut):
        return ": cells too wide"
    return " (yours)" if cut is result.own else ""


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
