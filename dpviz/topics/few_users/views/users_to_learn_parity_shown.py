"""Parity: the users who learn it where nobody is trusted, with many examples each or one."""

from dpviz.plot.marks import Bars, Mark, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart, users_to_learn_parity

_INKS = (Subject.USER_LEVEL, Subject.ITEM_LEVEL)
_TALL = 0.7  # heights of a usual figure
_NONE = "with one example each, no number is proved too few"
_ROOM = 1.15  # times the longest bar, beside which an arrow stands
_PALE = 1.0, 0.35  # too few are no result, but what is ruled out
_HIGH = 0.4  # of a row, of which words have the rest


def takeaway(chart: ParityChart) -> str:
    """State the users that are enough with many examples, and how few are not with one."""
    each = f"{readable(chart.examples, 7)} examples each"
    enough = f"Where nobody is trusted, {upwards(chart.many)} users with {each} learn a parity"
    if chart.in_turn <= chart.many:
        return f"{enough}."
    return f"{enough}; with one example each, even {downwards(chart.in_turn)} are too few."


def detail(chart: ParityChart) -> str:
    """State the users who are enough, and what users with one example each need."""
    d = int(chart.here)
    return (
        f"For the {2**d:,} parities on d = {d} bits {upwards(chart.many)} users are certainly "
        "enough in the local model when each holds many examples; the number grows like d. With "
        "one example each it doubles with every "
        f"bit: {downwards(chart.in_turn)} users are too few even if one is asked after another, "
        f"{downwards(chart.at_once)} if all speak at once, when {readable(chart.one, 7)} are "
        "enough."
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
    """Draw both numbers as bars; that of users who are too few is open at its end."""
    end = float(chart.curve("item_few").y.max())
    each = readable(chart.examples, 7)
    told = (
        (chart.many, f"<b>{upwards(chart.many)}</b> users are enough with {each} examples each"),
        (
            chart.in_turn,
            f"<b>{downwards(chart.in_turn)}</b> users are too few with one example each",
        ),
    )
    marks = list[Mark]()
    for row, ((long, words), about) in enumerate(zip(told, _INKS, strict=True)):
        said = words if long else _NONE
        marks += [
            Bars([row], [long], lying=True, wide=_HIGH, about=about, said=[said], pale=_PALE[row]),
            Text(said, 0.0, row - _HIGH / 2, to="NE", about=about),
        ]
    if chart.in_turn:
        more = "<b>more<br>needed →</b>", "<b>more →</b>"
        marks.append(Text(more, chart.in_turn, 1, to="E", shift=(4, 0), about=_INKS[1]))
    bits, accuracy = (
        f"a parity of {int(chart.here)} bits",
        f"ε = {readable(chart.epsilon)}, error ≤ {readable(chart.alpha)}",
    )
    panel = Panel(
        Side.rising(_ROOM * end, "Users", held=True),
        Side.bare(1.4, -0.7),
        marks,
        above=(
            f"To learn {bits} where nobody is trusted: one private message from each ({accuracy})",
            f"To learn {bits}, one private message<br>from each ({accuracy})",
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
    pulled={"examples_per_user": "with # examples each"},
    why="A private message about one example says hardly anything about any one of so many "
    "parities, so exponentially many users are needed. A user with many examples knows the "
    "parity, and only their vote for it has to be private.",
)
