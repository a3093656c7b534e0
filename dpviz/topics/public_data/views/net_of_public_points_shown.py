"""The net: public points leave few thresholds to choose from, and each of them gets noise."""

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Rule, Span, joined, tinted
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import percent
from dpviz.topics.public_data.views.net_of_public_points import (
    MOST_POINTS,
    Net,
    net_of_public_points,
)

_STRIP = 22  # pixels
_LABELS = 44
_GOLDEN = 0.618034  # its multiples spread evenly
_NOISY = Subject.LAPLACE


def takeaway(result: Net) -> str:
    """State what the choice among the meshes costs, and if noise costs most, how large that is."""
    m, more = result.points, percent(result.excess)
    points = counted(m, "public point")
    if result.excess - result.quiet > result.quiet:
        each = f"Each of {points}" if m > 1 else "Its point"
        return (
            f"{each} gets noise as large as {readable(result.scale)} examples: the private "
            f"choice gets {more} more of all new examples wrong than the best."
        )
    return (
        f"A net of {points} leaves {m + 1:,} thresholds to choose from; the private choice gets "
        f"{more} more of all new examples wrong than the best."
    )


def detail(result: Net) -> str:
    """State what is chosen, and what the net and the noise cost."""
    examples = counted(result.samples, "private example")
    return (
        f"Of {examples}, each is protected with ε = {readable(result.epsilon)}. Between two public "
        "points all thresholds label the public points alike, so they count as one. Of "
        f"{result.points + 1:,} the private choice releases {readable(result.released)}, where "
        f"{readable(result.target)} is best. The net alone would cost {percent(result.quiet)} of "
        f"all new examples; with noise it is {percent(result.excess)}."
    )


def notes(result: Net) -> list[str]:
    """Say what is drawn, and what the noise is."""
    shown = result.private.y.size
    fewer = shown < result.samples
    return [
        "The learner is RRSPM (Algorithm 4) with Laplace noise, which is ε-differentially private: "
        "a random weight of scale 2m/ε on each public point, one call of the optimiser, and of its "
        "answer only how it labels the public points.",
        "The line with noise is moved so that its lowest place is what the choice gets wrong: a "
        "constant added to all changes no choice. Where it is higher than the figure it is cut.",
        "The excess error is computed under the private distribution, not estimated. Neighbouring "
        "data sets differ in one example, substituted. Only the released threshold is protected.",
        *([f"{shown:,} of {result.samples:,} private examples are drawn."] if fewer else []),
    ]


def figure(result: Net, theme: Theme) -> Figure:
    """Draw the net, what each mesh gets wrong with noise and without, and the private examples."""
    return stacked(theme, _points(result), _meshes(result), _examples(result), tall=1.05)


def _points(result: Net) -> Panel:
    """Return a strip along which a hand drags how many public points there are."""
    return Panel(
        Side.around((1, MOST_POINTS), log=True, room=0.01),
        Side.bare(-1, 1),
        [Rule(y=0, about="grid"), Dots([result.points], [0], size=9)],
        above="Public points, m",
        handle=Handle("public_points", result.points, 0.0),
        pixels=_STRIP,
        aside=True,
        roomy=True,
    )


def _meshes(result: Net) -> Panel:
    """Return what each mesh gets wrong, with noise and without, and the one that is chosen."""
    low, high = (float(edge) for edge in result.edges[result.chosen : result.chosen + 2])
    least = 100 * result.wrong[result.chosen] / result.samples
    said = f"released: {readable(result.released)}, {readable(least)} % of the examples wrong"
    net = joined([([point, point], [0, 100]) for point in result.edges[1:-1]])
    wrong, noisy = "without noise", tinted("with noise", _NOISY)
    meshes = f"<b>{counted(result.points + 1, 'mesh', 'meshes')}</b>"
    short = f"Wrong, %: {wrong}, {noisy}"
    title = f"{short}, whose lowest place is chosen", short
    marks: list[Mark | None] = [
        Span(x=(low, high), about=_NOISY, seen=0.2),
        Line(*net, wide=1, about="muted", seen=0.5),
        Line(*_stairs(result, result.noisy), about=_NOISY),
        Line(*_stairs(result, result.wrong)),
        Dots([result.released], [least], size=13, about=_NOISY, said=said),
        Rule(x=result.target, dash="dot", called="best"),
    ]
    return Panel(
        Side(0.0, 1.0, grid=False, numbers=False),
        Side(0.0, 100.0, title),
        marks,
        above=(f"{meshes}: thresholds within one label all public points alike", meshes),
    )


def _stairs(result: Net, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a value of each mesh, in percent of the private examples, as the points of stairs."""
    percents = np.repeat(100 * values / result.samples, 2)
    return np.repeat(result.edges, 2)[1:-1], percents


def _examples(result: Net) -> Panel:
    """Return private examples by their labels, on the line that the net is cast over."""
    private = result.private
    spread = np.arange(private.y.size) * _GOLDEN % 1 - 0.5
    return Panel(
        Side(0.0, 1.0, "Where the threshold is", grid=False),
        Side(-1.7, 1.7, ticks=[(-1, "−"), (1, "+")], grid=False),
        [Dots(private.x, private.y + spread, size=4, about="muted", pale=0.7)],
        above=("Private examples by label", ""),
        pixels=_LABELS,
    )


VIEW = View(
    key="net",
    title="The net",
    compute=net_of_public_points,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("public_points", "samples", "epsilon", "seed"),
    in_sight=("public_points", "epsilon", "samples"),
    pulled={"public_points": "of # public point"},
    why="Public points are a net: thresholds between the same two points label them all alike, so "
    "few are left to choose from. The choice is private because each public point gets noise. "
    "Too few points are too coarse a net, and too many add up to more noise than data.",
)
