"""Too few public points leave wide cells, too many bring much noise: three small pictures."""

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
_CUT_HERE = 27  # % wrong, at which there is room beside the V
_WORDS = 54.0  # percent, where there is room between the arms of what thresholds get wrong
_NAME = 41.0  # percent, at which the cell with the best threshold is named
_WIDE = 0.35  # of the line, which a cell takes at least that is named
_POINTS, _ONE_CELL = ("public points", ""), ("thresholds here<br>count as one", "")
_VERDICT = 48.5  # percent, below these words
_TICKS = [(at, f"{at}%") for at in (10, 20, 40, 60)]
_TOP = 46.0  # percent, up to which the net is drawn, below the words
_SINGLE = 40  # public points that can be seen one by one
_BLOCK = 0.35  # the opacity of a net as a block
_NET = 0.7  # the opacity of its lines
_LINES = 30.0  # for which a word needs to have room, or the net is a block
_LITTLE = 0.05  # what may be lost without a word on why
_GOLDEN = 0.618034  # its multiples spread evenly
_CHOSEN = Subject.LAPLACE


def takeaway(result: Cells) -> str:
    """State what the choice among the cells gets wrong, and what that is due to."""
    own, m = result.own, result.points
    gets = f"the private choice gets {percent(own.mean)} of new examples wrong"
    points = counted(m, "public point")
    if _noisy(result, own):
        bring = agreeing(m, "brings", "bring")
        noise = counted(own.scale, "example")
        return f"{points} {bring} too much noise, as large as {noise} at each: {gets}."
    if _wide(result, own):
        leave = agreeing(m, "leaves", "leave")
        return f"{points} {leave} only {m + 1:,} wide cells to choose from: {gets}."
    cut = agreeing(m, "cuts", "cut")
    return (
        f"{points} {cut} the line into cells narrow enough: {gets}; the best threshold, "
        f"{percent(result.best)}."
    )


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
    net_of_lines = Line(*net, wide=1, about="muted", seen=_NET)
    block = float(cut.edges[1]), float(cut.edges[-2])
    marks: list[Mark | None] = [
        Span(x=tip, y=(0.0, _TOP), about=_CHOSEN, seen=0.2),
        Fitting(
            net_of_lines,
            Span(x=block, y=(0.0, _TOP), about="muted", seen=_BLOCK),
            _LINES / cut.points,
        ),
        Dots(cut.edges[1:-1], np.zeros(cut.points), size=7, symbol="diamond")
        if cut.points <= _SINGLE
        else None,
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
        Text((f"{wrong} wrong", wrong), result.target, _WORDS, about=_CHOSEN, large=True),
        Text(_verdict(result, cut), result.target, _VERDICT),
    ]
    if first:
        marks += [
            Text(("best possible", "best"), 0.0, best, to="SE", small=True),
            Text(("wrong, if<br>cut here", ""), 1.0, _CUT_HERE, to="W", small=True),
            Text(_POINTS, float(cut.edges[1]), 0.0, to="NW", shift=(-7, 0), small=True),
        ]
        if tip[1] - tip[0] > _WIDE:
            marks.append(Text(_ONE_CELL, sum(tip) / 2, _NAME, small=True))
    axis = ("Where the threshold is", "") if cut is result.cuts[1] else ""
    title: Words = "New examples wrong" if first else " "
    points = counted(cut.points, "public point")
    yours = tinted(" (yours)", "muted") if cut is result.own else ""
    noise = f"noise at each: {counted(cut.scale, 'example')}"
    return Panel(
        Side(0.0, 1.0, axis, grid=False),
        Side(0.0, _HIGHEST, title, ticks=_TICKS, numbers=first, grid=False),
        marks,
        above=(f"<b>{points}</b>{yours}<br>{noise}", f"<b>{counted(cut.points, 'point')}</b>"),
    )


def _verdict(result: Cells, cut: Cut) -> Words:
    """Say what is too large, if anything is."""
    if _noisy(result, cut):
        return "too much noise", "noisy"
    return ("cells too wide", "wide") if _wide(result, cut) else ("about right", "fine")


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
