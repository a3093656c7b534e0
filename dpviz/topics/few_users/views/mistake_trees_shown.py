"""Mistake trees: the way down on which the best learner makes all its mistakes."""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from dpviz.plot.marks import Dots, Fitting, Line, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.few_users.littlestone import MISTAKE_CLASSES, Node
from dpviz.topics.few_users.views.mistake_trees import Mistakes, mistake_trees

_NEEDED = "A class without such a limit cannot be learned privately", "Private learning needs it"
_BROAD = 2  # mistakes, from which on it is told that each of them halves what is left
_EDGE = 0.04  # of the tree, beside which steps have no room for more than their numbers

Point = tuple[float, int]


def takeaway(result: Mistakes) -> str:
    """Say how many mistakes the best learner makes at most."""
    most = f"makes at most {counted(result.dimension, 'mistake')}"
    left = [result.hypotheses, *(one.left for one in result.rounds)]
    halved = all(before == 2 * after for before, after in itertools.pairwise(left))
    if result.dimension < _BROAD or not halved:
        return f"Whatever it is asked, the best learner of {_members(result)} {most}."
    return (
        f"In the worst case each mistake halves the {_members(result)} that may be right, so the "
        f"best learner {most}."
    )


def _members(result: Mistakes) -> str:
    """Say how many hypotheses the class has, by their own name if people know it."""
    if result.family == MISTAKE_CLASSES["thresholds"]:
        return counted(result.hypotheses, "threshold")
    return counted(result.hypotheses, "hypothesis", "hypotheses")


def detail(result: Mistakes) -> str:
    """State the dimension, what it is, and how the size of the class bounds it."""
    return (
        f"{result.family}: {counted(result.hypotheses, 'hypothesis', 'hypotheses')} on "
        f"{counted(result.points, 'point')}, one of which gives the labels. Littlestone dimension "
        f"{result.dimension}, exactly (at most log₂ of {result.hypotheses}). Whatever a learner "
        "predicts at a node of the tree, an adversary gives the other label and takes that branch; "
        "some hypothesis fits each path. So the adversary can force as many mistakes on every "
        "deterministic learner."
    )


def notes(result: Mistakes) -> list[str]:
    """Say how the best learner predicts, and what its number is for."""
    return [
        "The best learner is the standard optimal algorithm: it predicts the label whose "
        "hypotheses have the larger Littlestone dimension. Each mistake lowers it, so there are "
        f"never more than {result.dimension}.",
        "A class, infinite ones included, can be learned privately, with a δ, if and only if its "
        "Littlestone dimension is finite.",
        "In theorems on private learning this dimension replaces the logarithm of the size of "
        "the class. A class of points may be as large as you like; its dimension is 1.",
    ]


def figure(result: Mistakes, theme: Theme) -> Figure:
    """Draw the tree, with the way in red on which every answer is wrong."""
    return stacked(theme, _tree(result), tall=1.0)


def _tree(result: Mistakes) -> Panel:
    """Return the branches, the way down, and the nodes with their points."""
    nodes = list(_placed(result.tree, 0.0, 1.0, 0))
    x, y = zip(*(at for at, *_ in nodes), strict=True)
    branches = [(parent, at, (math.nan, math.nan)) for at, _, parent in nodes if parent is not None]
    plain = [place for branch in branches for place in branch]
    inner = [node for _, node, _ in nodes]
    said = [
        f"point {node.point}: {node.left:,} hypotheses fit" if node else "one path of labels"
        for node in inner
    ]
    look: dict[str, Any] = {
        "about": ["background" if node else "muted" for node in inner],
        "edge": [1.5 if node else 0 for node in inner],
        "edged": "text",
        "said": said,
    }
    small = Dots(x, y, size=[9 if node else 7 for node in inner], **look)
    named = Dots(
        x,
        y,
        size=[28 if node else 7 for node in inner],
        words=[f"{node.point}" if node else "" for node in inner],
        inked="text",
        **look,
    )
    return Panel(
        Side(-0.03, 1.03, _NEEDED, ticks=(), grid=False),
        Side.bare(-max(result.dimension, 1) - 0.45, 0.3),
        [
            Line(*zip(*plain, strict=True), wide=1, about="muted"),
            Line(*zip(*_way(result), strict=True), wide=3.5, about=Subject.DANGER),
            Fitting(named, small, apart=2.0 / 2**result.dimension),
            *_numbered(result),
            _known(result),
            *_labelled(_way(result)),
            _asked(result),
        ],
        above=(
            "Each circle asks for the label of one point. <b>Red</b>: here every answer of the "
            "learner is wrong",
            "Each ○ asks for the label of a point;<br><b>red</b>: every answer is wrong",
        ),
    )


def _placed(
    node: Node | None, low: float, high: float, level: int, parent: Point | None = None
) -> Iterator[tuple[Point, Node | None, Point | None]]:
    """Yield where each node of the tree stands, the node (None: a leaf), and its parent's place."""
    here = ((low + high) / 2, -level)
    yield here, node, parent
    if node is not None:
        for child, ends in zip(node.children, ((low, here[0]), (here[0], high)), strict=True):
            yield from _placed(child, *ends, level + 1, here)


def _numbered(result: Mistakes) -> Iterator[Text]:
    """Yield the mistakes, each beside its step of the way, and how many hypotheses it leaves."""
    steps = itertools.pairwise(_way(result))
    for number, (one, ((x, y), (to_x, to_y))) in enumerate(
        zip(result.rounds, steps, strict=True), 1
    ):
        side, shift = ("E", (8, 12)) if to_x > x else ("W", (-8, 12))
        at = (x + to_x) / 2, (y + to_y) / 2
        short = f"<b>mistake {number}</b>" if number == 1 else f"<b>{number}</b>"
        full = f"{short}: {one.left:,} left" if _EDGE < at[0] < 1 - _EDGE else short
        yield Text((full, short), *at, to=side, shift=shift, about=Subject.DANGER)


def _labelled(way: list[Point]) -> Iterator[Text]:
    """Yield the labels 0 and 1 inside the first two branches, if there are any."""
    for label, to, shift in ((0, "E", 6), (1, "W", -6)) if len(way) > 1 else ():
        words = (f"label {label}", f"{label}")
        yield Text(words, 0.375 + 0.25 * label, -0.5, to=to, shift=(shift, -14), about="muted")


def _asked(result: Mistakes) -> Text | None:
    """Return what the first circle asks, beside it, if there is one."""
    if result.tree is None:
        return None
    words = (
        f"{_members(result)} may be right; is point {result.tree.point} labelled 0 or 1?",
        f"point {result.tree.point}: 0 or 1?",
    )
    return Text(words, 0.5, 0, to="W", shift=(-22, 5))


def _known(result: Mistakes) -> Text:
    """Return why no mistake follows, below the end of the way."""
    x, y = _way(result)[-1]
    rounds = counted(result.dimension, "mistake")
    words = (
        f"<b>after {rounds} all labels are known</b>",
        f"<b>after {rounds} all is known</b>",
    )
    return Text(words, x, y, to="S", shift=(0, -6), large=True, about=Subject.DANGER)


def _way(result: Mistakes) -> list[Point]:
    """Return the places along which the adversary goes down."""
    low, high, way = 0.0, 1.0, [(0.5, 0)]
    for level, one in enumerate(result.rounds, 1):
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
