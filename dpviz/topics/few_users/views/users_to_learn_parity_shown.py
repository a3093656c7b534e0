"""Parity: the users who learn it where nobody is trusted, with many examples each or one."""

from typing import Any

from dpviz.plot.marks import Bars, Mark, Part, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart, users_to_learn_parity

_INKS = (Subject.USER_LEVEL, Subject.ITEM_LEVEL)
_TALL = 0.9  # heights of a usual figure
_WIDE = 0.4  # of the room of one d, for each of two bars
_PALE = 0.35  # how opaque the bars of other d are
_LINE = 0.13  # of the height, from one line of large words to the next


def takeaway(chart: ParityChart) -> str:
    """State the users that are enough at the reader's d, and how few are not with one example."""
    parity = f"a parity of {int(chart.here)} bits"
    enough = f"{upwards(chart.many)} users with many examples each learn {parity}"
    if chart.at_once <= chart.many:
        return f"{enough}, though nobody is trusted."
    few = downwards(chart.at_once)
    return f"{enough}; with one example each, even {few} are too few if all speak at once."


def detail(chart: ParityChart) -> str:
    """State the users who are enough, and what users with one example each need."""
    d = int(chart.here)
    return (
        f"For the {2**d:,} parities on d = {d} bits {upwards(chart.many)} users are certainly "
        "enough in the local model when each holds many examples; the number grows like d. With "
        "one example each it doubles with every "
        f"bit: {downwards(chart.at_once)} users are too few if all speak at once, "
        f"{downwards(chart.in_turn)} if one may be asked after another; {readable(chart.one, 7)} "
        "are enough, even if all speak at once."
    )


def notes(chart: ParityChart) -> list[str]:
    """Say how users learn, and what is proven."""
    least = chart.value("least")
    return [
        "Many examples each, enough: each solves linear equations, and votes by randomised "
        "response if exactly one parity fits. The tail of every rival is exact, and a union "
        "bound adds the tails up to β = "
        f"{readable(chart.beta)}, so nothing of size 2^d is listed. Theorem 2 has (d + "
        "ln(1/β))/ε², without its constant.",
        "One example each, enough: the users are dealt into equal groups, one for each of the "
        "2^d parities. They are asked whether their label agrees with that parity, and answer "
        "with randomised response; the number is exact. One example each, too few: proven with "
        "all constants for every learner that hears each user once, where the paper says "
        "2^Ω(d). If all speak at once, as they do in those groups, both numbers grow alike. If "
        "users may be asked one after another, a factor d remains between them.",
        f"No ε-private learner does with fewer than {readable(least)} users, however many "
        "examples they hold: no function is good for two parities (from α = 1/4 on, none is good "
        "for more than 1/(1 − 2α)² of them).",
        "Parities other than the target misclassify half of all examples, so a few dozen "
        "examples make all users sure. Here the theorem needs shared darts, the data do not.",
    ]


def figure(chart: ParityChart, theme: Theme) -> Figure:
    """Draw both numbers for every d as bars, those at the reader's d strong and in words."""
    curves = [chart.curve(key) for key in ("proved", "item_once")]
    d = curves[0].x
    marks = list[Mark]()
    for curve, about, side in zip(curves, _INKS, (-_WIDE, 0.0), strict=True):
        said = f"{curve.label}: %{{y:,.0f}}"
        for here, pale in ((curve.x == chart.here, 1.0), (curve.x != chart.here, _PALE)):
            looks: dict[str, Any] = {"wide": _WIDE, "beside": side, "about": about, "said": said}
            marks.append(Bars(curve.x[here], curve.y[here], pale=pale, **looks))
    told = (
        (upwards(chart.many), chart.many, ("enough with many examples each", "enough, many each")),
        (
            downwards(chart.at_once),
            chart.at_once,
            ("too few with one example each", "too few, one each"),
        ),
    )
    for row, ((count, high, words), about) in enumerate(zip(told, _INKS, strict=True)):
        beside, shift = chart.here + (row - 0.5) * _WIDE, (8 * row - 4, 0)  # off each other
        number = Text(f"<b>{count}</b>", beside, float(high), to="N", shift=shift, about=about)
        marks.append(number)
        at = Part(0.03), Part(0.97 - _LINE * row)
        marks.append(Text(words, *at, to="SE", large=True, about=about))
    panel = Panel(
        Side.whole(float(d[0]) - 0.6, float(d[-1]) + 0.6, "Bits of the parity, d"),
        Side.rising(max(float(curve.y.max()) for curve in curves), held=True, grid=False),
        marks,
        above=(
            "Users who trust nobody and speak at once, to learn a parity",
            "Users who trust nobody, speak at once",
        ),
    )
    return stacked(theme, panel, tall=_TALL)


VIEW = View(
    key="parity",
    title="Parity",
    compute=users_to_learn_parity,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("bits", "epsilon", "examples_per_user", *ACCURACY),
    in_sight=("bits", "epsilon", "examples_per_user"),
    pulled={"bits": "parity of # bits"},
    why="A private message about one example says hardly anything about any one of so many "
    "parities, so exponentially many users are needed. A user with many examples knows the "
    "parity, and only their vote for it has to be private.",
)
