"""The fewest there can be: how many users even the best private algorithm needs to name a coin."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Mark, Rule, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Evidence
from dpviz.results.parameters import Limit
from dpviz.scene.asking import value_at_here
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.user_complexity.views.fewest_users_there_can_be import (
    FewestUsersChart,
    fewest_users_there_can_be,
)

_OFTEN = {
    0.6: "three times in five",
    0.7: "seven times in ten",
    0.75: "three times in four",
    0.8: "four times in five",
    0.9: "nine times in ten",
}

_WIDE = 0.1  # of a band, as a logarithm, that can be seen
_UNKNOWN = "the best: somewhere in here", "best: in here"
_ROOMY, _TIGHT = 0.24, 0.12  # of the axis, that these words take
_ENOUGH = "m tosses each, at most"  # where not all is known
_ASIDE = -18, 0  # pixels from the lower end of what is known, where its number is off a handle

# No state of the controls needs more.
_GUESS = Limit("guess", "users", "to tell which coin it is", 1, 2000, 20, integer=True, fine=True)


def takeaway(chart: FewestUsersChart) -> str:
    """State the fewest users of any private algorithm, and those of one toss each."""
    if _by_guessing(chart):
        return (
            f"No user is needed: a guess names one of two coins with probability "
            f"{readable(chart.target)}."
        )
    best = f"{_task(chart)}, the best private algorithm needs"
    each = f"with {counted(chart.here, 'toss', 'tosses')} each"
    if math.isnan(chart.optimum):
        users = f"between {readable(chart.needed)} and {counted(chart.reached, 'user')}"
        return f"{best} {users} {each}."
    than = ""
    if chart.here > 1 and chart.single == chart.optimum:
        than = ", no fewer than with one toss each"
    elif chart.here > 1 and math.isfinite(chart.single):
        than = f", and {readable(chart.single)} with one toss each"
    return f"{best} {counted(chart.optimum, 'user')} {each}{than}."


def _task(chart: FewestUsersChart) -> str:
    """Say what users are needed for: how often the coin is to be named, where that has words."""
    often = _OFTEN.get(round(chart.target, 9), "")
    return f"To tell {chart.task} coins apart{often and f' {often}'}"


def detail(chart: FewestUsersChart) -> str:
    """State what every other way needs."""
    coins = f"p = {readable(chart.coin)}" + (", 1/2" if chart.task == "three" else "")
    asked = (
        f"The coin has {coins} or 1 − p, and is to be named with probability "
        f"{readable(chart.target)}, whichever it is"
    )
    if _by_guessing(chart):
        return f"{asked}, which takes no data. All curves begin at one user."
    sentence = (
        f"{asked}. With {counted(chart.here, 'toss', 'tosses')} each, clipped votes with Laplace "
        f"noise need {counted(chart.laplace, 'user')}"
    )
    if math.isfinite(chart.exponential):
        sentence += f", the clipped exponential mechanism {readable(chart.exponential)}"
    return (
        f"{sentence}. The bound for all private algorithms says {readable(chart.proven)}, the "
        f"shape of Lemma 39 {readable(chart.value('fano'))}, that of Theorem 41 "
        f"{readable(chart.value('row'))}."
    )


def figure(chart: FewestUsersChart, theme: Theme) -> Figure:
    """Draw all but the shapes, whose constants are dropped, and say what the widest band is."""
    asked = f"Users needed to tell {_coins(chart)} apart, ε = {readable(chart.epsilon)}"
    chart = replace(
        chart,
        y=replace(chart.y, label=asked),
        curves=tuple(c for c in chart.curves if c.evidence is not Evidence.ASYMPTOTIC),
    )
    best = next((curve for curve in chart.curves if curve.key == "optimum"), None)
    if best is None or best.lower is None or np.all(np.isnan(best.y)):
        return draw(chart, theme)  # hidden from who predicts, or not known yet
    gap = np.nan_to_num(np.log(best.y) - np.log(best.lower))
    if gap.max() < _WIDE:
        return draw(chart, theme)
    said = tuple(replace(c, label=_ENOUGH) if c is best else c for c in chart.curves)
    marks = [_inside(best, int(gap.argmax()), chart.here), *_between(chart, best)]
    return stacked(theme, Charted(replace(chart, curves=said), marks))


def _coins(chart: FewestUsersChart) -> str:
    """Say how often each of the coins falls heads."""
    rates = chart.coin, *([0.5] if chart.task == "three" else []), 1 - chart.coin
    *first, last = (f"{readable(100 * rate)}%" for rate in rates)
    return f"{', '.join(first)} and {last} heads"


def _between(chart: FewestUsersChart, best: Curve) -> list[Mark]:
    """Return the end that the chart does not mark, where the sentence says between which two."""
    if not math.isnan(chart.optimum) or math.isnan(chart.needed):
        return []
    ends, words = (chart.needed, chart.reached), readable(chart.needed)
    return [
        Rule(x=chart.here, y=ends, wide=5, about=best),
        Text(words, chart.here, chart.needed, to="W", shift=_ASIDE, about=best, large=True),
    ]


def _inside(best: Curve, widest: int, here: float) -> Text | None:
    """Return words in the band of the best around where it is widest, if there is room.

    They stand on the stretch where the lower half of the band there is shaded, beside `here`.
    """
    assert best.lower is not None
    low, middle = float(best.lower[widest]), math.sqrt(best.lower[widest] * best.y[widest])
    outside = np.flatnonzero((best.lower > low) | ~(best.y >= middle))
    first = best.x[outside[outside < widest].max(initial=-1) + 1]
    last = best.x[outside[outside > widest].min(initial=best.x.size) - 1]
    cut = min(max(here, first), last)
    first, last = max((first, cut), (cut, last), key=lambda ends: ends[1] / ends[0])
    part = math.log(last / first) / math.log(best.x[-1] / best.x[0])
    if part < _TIGHT:
        return None
    words = _UNKNOWN if part >= _ROOMY else (_UNKNOWN[-1], "")
    return Text(words, math.sqrt(first * last), math.sqrt(low * middle))


def _by_guessing(chart: FewestUsersChart) -> bool:
    """Tell whether a fair coin of one's own does without any data."""
    return chart.task == "two" and chart.target <= 0.5


def notes(chart: FewestUsersChart) -> tuple[str, ...]:
    """Say what the curves are, and where they end."""
    always = (
        "A linear program over all data sets finds the best private algorithm; its dual "
        "solution, checked apart from the solver, proves that no algorithm does better. Where "
        "the program would be too large, the line is at a number that is known to be enough, "
        "and a band hangs down to what is proven to be needed. The proof exchanges users one by "
        "one, or divides by m what one toss each needs (Observation 28).",
        "Users may leave out tosses, so more tosses never need more users.",
        "The table also has two shapes with their constants set to 1, which promise nothing.",
        "Pure DP: δ = 0. Neighbouring data sets: one user is substituted, with all tosses.",
    )
    if chart.task == "two":
        return always
    return (*always, "The clipped exponential mechanism is computed for two coins only.")


def answer(chart: FewestUsersChart) -> str:
    """Say how many users it takes, or between which numbers once all is known that will be."""
    if math.isfinite(chart.optimum):
        return counted(chart.optimum, "user")
    if chart.done != 1:
        return ""
    return f"between {readable(chart.needed)} and {counted(chart.reached, 'user')}"


def users_are_needed(values: Mapping[str, Value]) -> bool:
    """Tell whether guessing does not do: it names one of two coins half the time."""
    return values["task"] != "two" or float(values["success"]) > 0.5


VIEW = View(
    key="truth",
    title="The fewest there can be",
    compute=fewest_users_there_can_be,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("task", "tosses", "task_epsilon", "coin", "success"),
    in_sight=("tosses", "task_epsilon", "task"),
    pulled={"tosses": "with # toss"},
    why="One person's coin tosses average out, so their vote grows clearer with every toss, yet "
    "privacy still has to hide the whole vote. More tosses therefore save users at first. With a "
    "small ε they cannot save all: one person must disappear among others.",
    prediction=replace(
        value_at_here(
            "Every user tosses the same coin. How many users does even the best private "
            "algorithm need to tell which coin it is?",
            _GUESS,
            "optimum",
            hidden=("laplace", "exponential", "proven"),
            answer=lambda users: counted(users, "user"),
            applies=users_are_needed,
        ),
        answer=answer,
        value=lambda chart: chart.optimum if math.isfinite(chart.optimum) else None,
    ),
)
