"""Theorem 10 and your bound: whether the transformation pays."""

import math

import numpy as np

from dpviz.plot.marks import Dots, Ink, Line, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, from_logarithm, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.user_complexity.bounds_shown import (
    examples_in_words,
    m_in_full,
    number_of_users,
    times_fewer,
    users_in_words,
)
from dpviz.topics.user_complexity.views.theorem_10_and_your_bound import (
    OwnBoundChart,
    theorem_10_and_your_bound,
)

_BOUND = ("n_priv", "n_stat", "c")
_FREE = (0.2, 0.32, 0.5)  # of the axis, where lines may have their names
_ASIDE = 0.15  # of the axis, in which a name is too near to the reader's number
_SAID = "m = %{{x:,}}: {}, %{{y:,.3s}}"
_OURS = ("use all (Ghazi, Kamath et al., Theorem 10)", "use all")

_EXACT = (
    "One example each is exact: it is the item-level bound that was typed in, with all other "
    "examples thrown away. No algorithm needs fewer users than that bound divided by m, unless "
    "some item-level algorithm beats the bound (Observation 28)."
)
_NEIGHBOURS = "Neighbouring data sets: one user is substituted."


def takeaway(chart: OwnBoundChart) -> str:
    """Compare the users of Theorem 10 with those of the plainer way that needs fewer."""
    every = agreeing(chart.here, "it", "all")
    return (
        f"With {examples_in_words(chart.here)} each, using {every} needs {_times(chart)} users "
        f"{'than' if _ratio(chart) < 1 else 'as'} {_plainer(chart)} (constants dropped)."
    )


def _plainer(chart: OwnBoundChart) -> str:
    return "group privacy" if chart.group < chart.item_level else "keeping one each"


def _times(chart: OwnBoundChart) -> str:
    ratio = _ratio(chart)
    many = f"{readable(ratio, 2)} times as many"
    return f"{readable(1 / ratio, 2)} times fewer" if ratio < 1 else many


def _ratio(chart: OwnBoundChart) -> float:
    return chart.theorem_10 / min(chart.group, chart.item_level)


def detail(chart: OwnBoundChart) -> str:
    """State what becomes of the reader's item-level bound."""
    sentence = (
        f"{users_in_words(chart.item_level)} of one example each become "
        f"{users_in_words(chart.theorem_10)} of {examples_in_words(chart.here)} by Theorem 10 of "
        "Ghazi, Kamath et al., up "
        f"to constants ({times_fewer(chart.item_level / chart.theorem_10, 'before')}), and "
        f"{number_of_users(chart.group)} by group privacy."
    )
    return f"{sentence}{_from(chart)} {_budgets(chart)}"


def _from(chart: OwnBoundChart) -> str:
    """Say from which m on Theorem 10 is the better way."""
    if math.isinf(chart.beats_discarding):
        return " No m makes Theorem 10 better than throwing examples away."
    begins = m_in_full(chart.beats_discarding)
    sentence = f" Theorem 10 beats throwing examples away from m = {begins} on"
    if math.isinf(chart.beats_both):
        return f"{sentence}, and group privacy never."
    if chart.beats_both > chart.beats_discarding:
        return f"{sentence}, and group privacy as well from m = {m_in_full(chart.beats_both)} on."
    return f"{sentence}."


def _budgets(chart: OwnBoundChart) -> str:
    """State the item-level budget that Theorem 10 asks for, beside that of group privacy."""
    return (
        f"It runs the item-level algorithm at ε′ = {readable(chart.item_epsilon)} and δ′ = "
        f"{from_logarithm(chart.item_log_delta)}, up to constants; group privacy needs ε/m = "
        f"{readable(chart.group_epsilon)}."
    )


def figure(chart: OwnBoundChart, theme: Theme) -> Figure:
    """Draw the users of the transformation over those of the plainer way, which are 1."""
    single, group, ours = (chart.curve(key) for key in ("sandwich", "group", "theorem_10"))
    x, here, about = single.x, chart.here, ours if chart.applies else "muted"
    users = ours.y / np.fmin(single.y, group.y)
    first, last = float(x[0]), float(x[-1])
    mine = chart.theorem_10 / min(chart.item_level, chart.group)
    along = np.log(x / first) / math.log(last / first)
    places = [int(np.abs(along - free).argmin()) for free in _FREE]
    at_here = math.log(here / first) / math.log(last / first)
    clear = [place for place in places if abs(along[place] - at_here) > _ASIDE]
    at = max(clear, key=lambda place: abs(math.log(users[place])))  # where the two are far apart
    named, rising = float(x[at]), users[at + 1] > users[at]
    plainer = "group privacy" if chart.group < chart.item_level else "keep one each"
    marks: list[Mark | None] = [
        *(_crossing(chart, last, about) if chart.beats_both < last else ()),
        Rule(y=1.0, about=single, wide=3.0),
        Line(x, users, about=about, wide=3.0, dash="dash", said=_SAID.format("Theorem 10")),
        Rule(x=here, wide=1.5),
        Rule(x=here, y=(min(mine, 1.0), max(mine, 1.0)), about=about, wide=5),
        Dots([here], [mine], about=about, size=11),
        Text(
            f"<b>{_times(chart)}</b>",
            here,
            mine,
            to="NE" if mine > 1 else "SW",  # of a line that falls
            shift=(8 if mine > 1 else -8, 0),
            about=about,
        ),
        Text(
            _OURS[1] if rising else _OURS,
            named,
            float(users[at]),
            to="NW" if rising else "NE",
            shift=(-6 if rising else 6, 2),
            about=about,
        ),
        Text(
            (f"the plainer way, here {plainer}", plainer),
            named,
            1.0,
            to="S" if users[at] > 1 else "N",
            about=single,
        ),
    ]
    return stacked(
        theme,
        Panel(
            Side(math.log10(first), math.log10(last), "Examples each user holds, m", log=True),
            Side.around(
                [float(np.nanmin(users)), 1.0, float(np.nanmax(users))],
                "Users relative to the plainer way, up to a constant",
                log=True,
            ),
            marks,
            handle=Handle("examples_per_user", here),
        ),
    )


def _crossing(chart: OwnBoundChart, last: float, about: Ink) -> tuple[Mark, ...]:
    """Return where the transformation begins to need fewer users, up to a constant."""
    turn = chart.beats_both
    start = readable(turn, 2)
    words = (f"fewer users from about {start} on", f"fewer from {start} on")
    return (
        Span(x=(turn, last), about=Subject.USER_LEVEL, seen=0.03),
        Text(words, math.sqrt(turn * last), Part(1), to="N", about=about),
        Dots([turn], [1.0], size=12, symbol="circle-open", edge=2.5),
    )


VIEW = View(
    key="own",
    title="Theorem 10 and your bound",
    compute=theorem_10_and_your_bound,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=lambda _: (_EXACT, _NEIGHBOURS),
    parameters=(*_BOUND, "examples_per_user", "epsilon", "delta", "constant"),
    in_sight=("examples_per_user", "epsilon", "n_stat"),
    defaults={"examples_per_user": 500_000},
    pulled={"examples_per_user": "With # examples"},
    why="This theorem turns any algorithm for single examples into one for users, which runs at a "
    "much smaller ε. That costs users from the start, however few examples each holds, and many "
    "examples win it back only slowly: like the square root of their number.",
)
