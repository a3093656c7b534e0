"""Few users: a mistake tree, the way the adversary takes, and the mistakes of three learners."""

from collections.abc import Iterator

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.few_users.littlestone import Node
from dpviz.topics.few_users.views.mistakes import GAMES, Mistakes

_NAMED = {False: 4, True: 3}  # levels of a tree whose points have room for their numbers
_BARS = 0.24  # of the height

Place = tuple[float, int]


def mistakes_figure(result: Mistakes, theme: Theme) -> Figure:
    """Draw the tree, the adversary's way down in red, and below it the mistakes as bars."""
    theme = theme.crowded()
    counts = [len(result.games[name]) for name in GAMES]
    x = Scale.of(Axis("mistakes", "mistakes", log=False), np.array([0.0, 1.12 * max(counts)]), 0.0)
    figure = Figure([*_tree(result, theme)])
    colors = [theme.subjects[s] for s in (Subject.USER_LEVEL, Subject.GAUSSIAN, Subject.ITEM_LEVEL)]
    names = ("optimal", "majority", "first fit") if theme.compact else tuple(GAMES.values())
    figure.add_bar(
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
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (120 if theme.compact else 80),
        margin={"l": _left(theme), "r": 32, "t": theme.px(40), "b": theme.px(56)},
        hovermode="closest",
        showlegend=False,
        xaxis={"visible": False, "range": [-0.03, 1.03], "anchor": "y"},
        yaxis={
            "visible": False,
            "range": [-max(result.dimension, 1) - 0.3, 0.3],
            "domain": [_BARS + 0.1, 1],
        },
        xaxis2=settings(x) | {"title": {"text": "mistakes", "standoff": 4}, "anchor": "y2"},
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


def _left(theme: Theme) -> int:
    return round((92 if theme.compact else 210) * theme.scale)


def _caption(theme: Theme) -> dict[str, object]:
    text = "circle: the point asked; left: label 0, right: 1; <b>red</b>: never as predicted"
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
