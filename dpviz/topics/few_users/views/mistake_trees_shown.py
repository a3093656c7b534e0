"""Mistake trees: the way an adversary takes, and the mistakes of three learners."""

from collections.abc import Iterator, Mapping

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.text import counted
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.few_users.littlestone import Node
from dpviz.topics.few_users.views.mistake_trees import GAMES, Mistakes, mistake_trees

_NAMED = {False: 4, True: 3}  # levels up to which points have room for their numbers; compact
_COUNTED = 4  # mistakes up to which each has a tick
_BARS = 0.24  # share of the height below the tree, for the bars

Place = tuple[float, int]


def takeaway(result: Mistakes) -> str:
    """Say how many mistakes the best learner makes, and one that keeps what fits."""
    first = len(result.games["first"])
    these = counted(result.hypotheses, "hypothesis", "hypotheses")
    best = f"The best learner of these {these} makes at most {counted(result.dimension, 'mistake')}"
    if first <= result.dimension:
        return f"{best}, and no learner can promise fewer."
    return f"{best}; one that predicts by the first hypothesis that fits can make {first}."


def detail(result: Mistakes) -> str:
    """State the dimension, what it is, and how the size of the class bounds it."""
    return (
        f"{result.family}: {counted(result.hypotheses, 'hypothesis', 'hypotheses')} on "
        f"{counted(result.points, 'point')}, Littlestone dimension {result.dimension}, exactly "
        f"(at most log₂ of {result.hypotheses}). Whatever a learner predicts at a node of the "
        "tree, the adversary gives the other label and takes that branch; some hypothesis fits "
        "each path."
    )


def notes(result: Mistakes) -> list[str]:
    """Say how each learner predicts, and what its number is."""
    optimal, halving, first = (len(result.games[name]) for name in GAMES)
    return [
        "The standard optimal algorithm predicts the label whose hypotheses have the larger "
        f"Littlestone dimension. Each mistake lowers it, so there are never more than {optimal}.",
        "Against an adversary who keeps as many hypotheses as possible, predicting by the "
        f"majority of the hypotheses that fit makes {counted(halving, 'mistake')}, and never "
        "more than log₂ of the size of the class. Predicting by the first one that fits makes "
        f"{counted(first, 'mistake')}. Other adversaries may force more.",
        "In theorems on private learning this dimension replaces the logarithm of the size of "
        "the class. A class of points may be as large as you like; its dimension is 1.",
    ]


def figure(result: Mistakes, theme: Theme) -> Figure:
    """Draw the tree, the adversary's way down in red, and below it the mistakes as bars."""
    theme = theme.crowded()
    counts = [len(result.games[name]) for name in GAMES]
    x = Scale.of(Axis("mistakes", "Mistakes", log=False), np.array([0.0, 1.12 * max(counts)]), 0.0)
    drawn = Figure([*_tree(result, theme)])
    colors = [theme.subjects[s] for s in (Subject.USER_LEVEL, Subject.GAUSSIAN, Subject.ITEM_LEVEL)]
    names = ("optimal", "majority", "first fit") if theme.compact else tuple(GAMES.values())
    drawn.add_bar(
        x=np.array(counts),
        y=np.arange(len(names)),
        orientation="h",
        xaxis="x2",
        yaxis="y2",
        marker={"color": colors, "line": {"width": 0}},
        text=[f"{'' if number == 0 else '≥ '}{count}" for number, count in enumerate(counts)],
        textposition="outside",
        cliponaxis=False,
        showlegend=False,
        customdata=list(names),
        hovertemplate="%{customdata}: %{x} mistakes<extra></extra>",
    )
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height + (120 if theme.compact else 80),
        margin={"l": _left(theme), "r": 20, "t": theme.px(40), "b": theme.px(56)},
        hovermode="closest",
        showlegend=False,
        xaxis={"visible": False, "range": [-0.03, 1.03], "anchor": "y"},
        yaxis={
            "visible": False,
            "range": [-max(result.dimension, 1) - 0.3, 0.3],
            "domain": [_BARS + 0.1, 1],
        },
        xaxis2=settings(x)
        | _whole_ticks(max(counts))
        | {"title": {"text": "Mistakes", "standoff": 4}, "anchor": "y2"},
        yaxis2={
            "domain": [0, _BARS],
            "range": [len(names) - 0.5, -0.5],
            "tickvals": np.arange(len(names)),
            "ticktext": list(names),
            "anchor": "x2",
            "showgrid": False,
        },
        annotations=[_caption(theme)],
    )


def _whole_ticks(most: int) -> dict[str, object]:
    """Return a tick for each count of mistakes where the usual ones would stand between them."""
    if most > _COUNTED:
        return {}
    return {
        "tickvals": list(range(most + 1)),
        "ticktext": [str(count) for count in range(most + 1)],
    }


def _left(theme: Theme) -> int:
    return round((92 if theme.compact else 184) * theme.scale)


def _caption(theme: Theme) -> dict[str, object]:
    text = "Circle: the point asked; left: label 0, right: 1; <b>red</b>: never as predicted"
    if theme.compact:
        text = "○ point; left 0, right 1; <b>red</b>: never as predicted"
    return {
        "text": text,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 16 - _left(theme),  # where the figure begins: there is room for it then
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 6,
        "showarrow": False,
    }


def _tree(result: Mistakes, theme: Theme) -> Iterator[Trace]:
    """Yield the branches, the way down, and the nodes with their points."""
    nodes = list(_placed(result.tree, 0.0, 1.0, 0))
    x, y = (np.array(axis, dtype=float) for axis in zip(*(at for at, *_ in nodes), strict=True))
    plain: list[Place | tuple[None, None]] = []
    for at, _, parent in nodes:
        if parent is not None:
            plain += [parent, at, (None, None)]
    way = _way(result)
    red = theme.subjects[Subject.DANGER]
    for places, color, width in ((plain, theme.muted, 1), (way, red, 3.5)):
        yield scatter(
            x=[place[0] for place in places],
            y=[place[1] for place in places],
            mode="lines",
            line={"color": color, "width": width},
            hoverinfo="skip",
            showlegend=False,
        )
    inner = [node for _, node, _ in nodes]
    room = result.dimension <= _NAMED[theme.compact]
    yield scatter(
        x=x,
        y=y,
        mode="markers+text" if room else "markers",
        marker={
            "opacity": 1,
            "size": [(28 if room else 9) if node else 7 for node in inner],
            "color": [theme.background if node else theme.muted for node in inner],
            "line": {"width": [1.5 if node else 0 for node in inner], "color": theme.text},
        },
        text=[f"{node.point}" if node and room else "" for node in inner],
        customdata=[
            f"point {node.point}: {node.left:,} hypotheses fit" if node else "one path of labels"
            for node in inner
        ],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )


def _placed(
    node: Node | None, low: float, high: float, level: int, parent: Place | None = None
) -> Iterator[tuple[Place, Node | None, Place | None]]:
    """Yield where each node of the tree stands, the node (None: a leaf), and its parent's place."""
    here = ((low + high) / 2, -level)
    yield here, node, parent
    if node is not None:
        for child, ends in zip(node.children, ((low, here[0]), (here[0], high)), strict=True):
            yield from _placed(child, *ends, level + 1, here)


def _way(result: Mistakes) -> list[Place]:
    """Return the places along which the adversary goes down."""
    low, high, way = 0.0, 1.0, [(0.5, 0)]
    for level, one in enumerate(result.games["optimal"], 1):
        middle = (low + high) / 2
        low, high = (middle, high) if one.label else (low, middle)
        way.append(((low + high) / 2, -level))
    return way


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what a class without random labels does not depend on."""
    return set() if values["family"] == "random" else {"seed"}


VIEW = View(
    key="mistakes",
    title="Mistake trees",
    compute=mistake_trees,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("family", "depth", "seed"),
    in_sight=("depth", "family", "seed"),
    why="The adversary asks about a point on which the hypotheses that are left differ, and calls "
    "every prediction wrong. This goes on as long as there is such a point on either branch: "
    "for the depth of the tree. Private learning is possible exactly if that depth is finite.",
    idle=idle_controls,
)
