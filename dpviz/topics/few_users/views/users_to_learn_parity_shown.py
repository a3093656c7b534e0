"""Parity: the users who learn it where nobody is trusted, with many examples each or one."""

from dpviz.plot.marks import Bars, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart, users_to_learn_parity

_INKS = (Subject.USER_LEVEL, Subject.ITEM_LEVEL)
_ROWS = 90  # pixels, of the bars
_TALL = 0.7  # heights of a usual figure, of what grows with the bits
_ROOM = 1.65  # of the longest bar, for what stands at its end
_WIDE = 0.4  # of the room of one d, for each of two bars


def takeaway(chart: ParityChart) -> str:
    """State the users that are enough at the reader's d, and how few are not with one example."""
    d = int(chart.here)
    begin = (
        f"{upwards(chart.many)} users with many examples each learn a parity of {d} bits, though "
        "nobody is trusted"
    )
    if chart.at_once <= chart.many:
        return f"{begin}."
    few = downwards(chart.at_once)
    return f"{begin}; with one each, {few} are too few if all speak at once."


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
    """Draw the users at the reader's d as two bars, and below how they grow with every bit."""
    return stacked(theme, _bars(chart), _growth(chart), tall=_TALL)


def _bars(chart: ParityChart) -> Panel:
    """Return the users who are enough with many examples, and those too few with one."""
    users = [chart.many, chart.at_once]
    said = [f"<b>{upwards(users[0])}</b> enough", f"<b>{downwards(users[1])}</b> too few"]
    return Panel(
        Side(0, _ROOM * max(users), held=True),
        Side.rows(["Many examples each", "One example each"]),
        [
            Bars([0, 1], users, lying=True, about=_INKS, said="%{x:,.0f} users"),
            *(Text(words, users[row], row, to="E", shift=(4, 0)) for row, words in enumerate(said)),
        ],
        above=f"Users, to learn a parity of {int(chart.here)} bits",
        pixels=_ROWS,
    )


def _growth(chart: ParityChart) -> Panel:
    """Return both numbers for every d, beside each other."""
    curves = [chart.curve(key) for key in ("proved", "item_once")]
    d = curves[0].x
    return Panel(
        Side.whole(float(d[0]) - 0.6, float(d[-1]) + 0.6, "Bits of the parity, d"),
        Side(0, 1.15 * max(float(curve.y.max()) for curve in curves), held=True),
        [
            Rule(x=chart.here, about="muted", wide=1.0),
            *(
                Bars(
                    curve.x,
                    curve.y,
                    wide=_WIDE,
                    beside=side,
                    about=about,
                    said=f"{curve.label}: %{{y:,.0f}}",
                )
                for curve, about, side in zip(curves, _INKS, (-_WIDE, 0.0), strict=True)
            ),
        ],
        above=(
            "With one example each, the proven number more than doubles with every bit",
            "Bit by bit",
        ),
        handle=Handle("bits", chart.here),
    )


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
