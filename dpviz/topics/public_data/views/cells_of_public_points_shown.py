"""Public points leave few thresholds to choose from, and each of them gets noise."""

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Rule, Text, joined, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import error_rate
from dpviz.topics.public_data.views.cells_of_public_points import (
    REDRAWS,
    Cells,
    cells_of_public_points,
)

_LABELS = 54  # pixels
_HIGHEST = 62.0  # percent: more than any threshold gets wrong, and what noise is cut off at
_AT = 0.985  # where the cost stands
_GOLDEN = 0.618034  # its multiples spread evenly
_NOISY = Subject.LAPLACE


def takeaway(result: Cells) -> str:
    """State what the choice among the cells costs, and if noise costs most, how large that is."""
    m, cost = result.points, f"gets {_more(result)} more of all new examples wrong than the best."
    points = counted(m, "public point")
    dearer = result.mean - result.quiet > result.quiet - result.best
    if dearer or result.scale > result.samples:
        each = f"Each of {points}" if m > 1 else "The public point"
        noise = counted(result.scale, "example")
        return f"{each} gets noise as large as {noise}: on average the private choice {cost}"
    leave = agreeing(m, "leaves", "leave")
    return f"{points} {leave} {m + 1:,} thresholds to choose from: the private choice {cost}"


def _more(result: Cells) -> str:
    """Write the mean excess error."""
    return f"about {error_rate(result.mean - result.best)}"


def detail(result: Cells) -> str:
    """State what is chosen, and what the cells and the noise cost."""
    examples = counted(result.samples, "private example")
    kept = counted(int((result.chosen > 0).sum()), "cell")
    return (
        f"Of {examples}, each is protected with ε = {readable(result.epsilon)}. Between two public "
        "points all thresholds label the public points alike, so they count as one. "
        f"{REDRAWS:,} redraws of the noise choose among {kept} of {result.points + 1:,}. "
        f"Without noise the choice would cost {error_rate(result.quiet - result.best)} of all new "
        f"examples; with noise it costs {_more(result)} on average."
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
        "circle is how often its cell is chosen. The bars are the weights of one draw, as a share "
        "of the private examples; those higher than the figure are cut.",
        "One label in ten is wrong, so the best threshold gets 10% wrong. The errors are computed "
        "under the private distribution, not estimated. Neighbouring data sets differ in one "
        "example, substituted. Only the released threshold is protected.",
        *([f"{shown:,} of {result.samples:,} private examples are drawn."] if fewer else []),
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw the line cut into cells, and what each of them costs, and which are chosen."""
    return stacked(theme, _line(result), _choice(result), tall=1.1)


def _line(result: Cells) -> Panel:
    """Return private examples by their labels, on the line that public points cut into cells."""
    private, points = result.private, result.edges[1:-1]
    spread = np.arange(private.y.size) * _GOLDEN % 1 - 0.5
    ticks = joined([([point, point], [-1.9, 1.9]) for point in points])
    cut = agreeing(points.size, "cuts", "cut")
    cells = f"<b>{counted(points.size, 'public point')}</b> {cut} the line into {points.size + 1:,}"
    examples = tinted("private examples, + or −", "muted")
    return Panel(
        Side(0.0, 1.0, grid=False, numbers=False),
        Side(-1.9, 1.9, ticks=[(-1, "−"), (1, "+")], grid=False),
        [
            Dots(private.x, private.y + spread, size=4, about="muted", pale=0.6),
            Line(*ticks, wide=1.5),
        ],
        above=(f"{cells} cells; dots: {examples}", f"{cells} cells"),
        pixels=_LABELS,
    )


def _choice(result: Cells) -> Panel:
    """Return what the threshold of each cell gets wrong, how often it is chosen, and the noise."""
    best, mean = 100 * result.best, 100 * result.mean
    bars = [
        ([point, point], [0.0, min(100 * weight / result.samples, _HIGHEST)])
        for point, weight in zip(result.edges[1:-1], result.weights, strict=True)
    ]
    kept, errors = result.chosen > 0, 100 * result.errors
    said = [
        f"threshold {readable(at)}: {readable(error)} % wrong, chosen in {readable(100 * share)} "
        "of 100 redraws"
        for at, error, share in zip(
            result.middles[kept], errors[kept], result.chosen[kept], strict=True
        )
    ]
    marks: list[Mark | None] = [
        Line(*joined(bars), wide=3, about=_NOISY, seen=0.3),
        Line(result.middles, errors, wide=1, about="aside"),
        Dots(
            result.middles[kept],
            errors[kept],
            size=(4 + 26 * np.sqrt(result.chosen[kept])).tolist(),
            about=_NOISY,
            said=said,
        ),
        Dots(result.middles, errors, size=float(np.clip(300 / result.points, 2, 5))),
        Rule(y=best, wide=1.5, dash="dot", below=True),
        Rule(y=mean, wide=1.5, about=_NOISY, below=True),
        Rule(x=_AT, y=(best, mean), wide=9, about=_NOISY),
        Text("best possible", _AT, best, to="SW", shift=(0, -3), backed=True),
        Text(
            (f"private choice, on average: {_more(result)} more", f"private: {_more(result)} more"),
            _AT,
            mean,
            to="NW",
            shift=(0, 3),
            about=_NOISY,
            backed=True,
        ),
    ]
    circles = tinted("circles: how often chosen", _NOISY)
    size = counted(result.scale, "example")
    noise = tinted(f"bars: noise on a point, about {size}", _NOISY)
    short = tinted(f"bars: noise, about {size} each", _NOISY)
    title = f"<b>% wrong</b> of each cell's threshold; {circles}"
    return Panel(
        Side(0.0, 1.0, "Where the threshold is", grid=False),
        Side(0.0, _HIGHEST),
        marks,
        above=(f"{title}; {noise}", f"{title}<br>{short}"),
    )


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
