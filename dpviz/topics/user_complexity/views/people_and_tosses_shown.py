"""People and tosses: a row for each person; with more tosses each, fewer people are needed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Ink, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, in_hundred, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Bracket, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.user_complexity.views.people_and_tosses import (
    COIN,
    MOST_TOSSES,
    SUCCESS,
    PeopleAndTosses,
    people_and_tosses,
)

_COINS = tuple(readable(100 * coin) for coin in (COIN, 1 - COIN))
_OWN = Subject.USER_LEVEL
_INKS = (Subject.LAPLACE, Subject.GAUSSIAN)  # of the coins: no ink of tosses or people
_TWO = " from ".join(tinted(f"{c}%", ink) for c, ink in zip(_COINS, _INKS, strict=True))
_MOST_TICKS = 4  # steps between numbers of heads along an axis
_BAR = 0.12  # how wide one is at most
_GUESS = Limit("guess", "people", "with whom it can be told", 1, 60, 10, integer=True, log=False)
_MOST = 12  # people for whom there is room at least, so that a hand reaches every number of tosses
_STEP = 4  # tosses by which the room for them grows
_OFTEN = in_hundred(SUCCESS)
_DOT = 0.72  # of the room of a toss
_WIDE = 2.8  # times the width of what a person's tosses tell, of the people
_LOWER = 0.6  # of the height of the people with more tosses, of those with one
_LIKELY = 1.2  # how likely a number of heads there is room for beside those with more tosses


def takeaway(result: PeopleAndTosses) -> str:
    """State the trade: so many people with more tosses each do what others do with one."""
    single, tossed = result.single, counted(result.tosses, "toss", "tosses")
    takes = f"To tell two coins apart privately takes {_needed(single)}{_people(single.upper)}"
    if result.tosses == 1:
        return f"{takes} with {tossed} each."
    fewer = _needed(result.users)
    if result.enough == single.upper and not fewer:
        return f"{takes} with {tossed} each, as many as with one."
    return f"{takes} with one toss each, and {fewer or 'only '}{result.enough} with {tossed} each."


def _needed(users: Bracket) -> str:
    """Say that fewer may do, where it is not known."""
    return "at most " if users.lower < users.upper else ""


def _people(count: float) -> str:
    return counted(count, "person", "people")


def detail(result: PeopleAndTosses) -> str:
    """State the task, what is needed, and that no number of tosses saves everybody."""
    least, most = result.users.lower, result.users.upper
    needs = _people(most) if least == most else f"{readable(least)} to {_people(most)}"
    return (
        f"The coin shows heads {readable(100 * COIN)} or {readable(100 * (1 - COIN))} times in a "
        f"hundred and is to be named right three times in four, whichever it is, at ε = "
        f"{readable(result.epsilon)}. With {counted(result.tosses, 'toss', 'tosses')} each, the "
        f"best private algorithm needs {needs}. However many tosses, it needs "
        f"{_people(result.always)} at least: whoever is hidden must be one among others. Where a "
        "task takes more users, as under Users against m, this rule saves more of them."
    )


def notes(_: PeopleAndTosses) -> tuple[str, ...]:
    """Say what is drawn, and what is known of the numbers."""
    return (
        "A filled dot is heads. The tosses are drawn from the coin that shows heads more often; "
        "how many people are needed does not depend on them.",
        "The best private algorithm is found by a linear program over all mechanisms, and its dual "
        "proves that none does better. Where the program would be too large, as many people are "
        "drawn as are known to be enough, by noise on clipped votes.",
        "Neighbouring data sets: one person is substituted, with all tosses. So a share may change "
        "from none to all heads, however long the row is: this is what the noise has to hide.",
    )


def figure(result: PeopleAndTosses, theme: Theme) -> Figure:
    """Draw those with one toss each, below them those with more, and beside each what it tells."""
    single = int(result.single.upper)
    across = Side.bare(0.4, max(len(result.heads), _MOST) + 0.6)
    few = replace(_crowd(result.heads[:single, :1], across, 1), share=_LOWER)
    more = _crowd(result.heads[: result.enough, : result.tosses], across, _STEP)
    grip = Handle("tosses", result.tosses, result.tosses + 0.75)
    more = replace(more, marks=[*more.marks, *_gone(result)], handle=grip)
    return stacked(
        theme,
        [few, _shares(result, 1, last=False)],
        [more, _shares(result, result.tosses, last=True)],
    )


def _crowd(heads: NDArray[np.bool_], across: Side, step: int) -> Panel:
    """Return people beside each other, each above their tosses; step: by which their room grows."""
    people, m = heads.shape
    who = np.arange(1, people + 1)
    marks: list[Mark | None] = [*_persons(who, _OWN)]
    for fill, side in (("background", False), ("text", True)):
        person, toss = np.nonzero(heads == side)
        marks.append(Dots(person + 1, toss + 1, share=_DOT, about=fill, edge=1.5, edged="text"))
    above = f"<b>{_people(people)}</b>, {counted(m, 'toss', 'tosses')} each (● heads, ○ tails)"
    above = f"{above}<br>tell {_TWO} heads, right <b>at least {_OFTEN}</b>"
    room = step * math.ceil(m / step)
    return Panel(across, Side.bare(room + 1.2, -0.8), marks, above=above, wide=_WIDE)


def _persons(who: NDArray[np.intp], about: Ink) -> list[Mark]:
    """Return a figure of each person, head and body, above the tosses."""
    return [
        Dots(who, np.full(who.size, -0.3), share=0.36, about=about),
        Dots(who, np.full(who.size, 0.08), share=0.44, symbol="square", about=about),
    ]


def _gone(result: PeopleAndTosses) -> list[Mark | None]:
    """Return those whom more tosses make unnecessary, or where a reader predicted the last one."""
    gone = np.arange(result.enough, int(result.single.upper)) + 1
    if not math.isnan(result.guess):
        inside, place = result.guess <= len(result.heads), result.guess + 0.5
        said = f"your prediction: {readable(result.guess)}"
        return [
            Rule(x=place, wide=1.5, dash="dash") if inside else None,
            Text(said, place, Part(0), to="NW" if place > _MOST / 2 else "NE") if inside else None,
        ]
    fewer = Text(f"{gone.size} fewer", float(gone.mean()), 1.5) if gone.size else None
    return [*_persons(gone, "grid"), fewer]


def _shares(result: PeopleAndTosses, tosses: int, *, last: bool) -> Panel:
    """Return how likely each share of heads is for both coins, and how often it tells the coin."""
    laws, wide = result.laws(tosses), min(_BAR, 0.4 / tosses)
    at = np.arange(tosses + 1) / tosses
    marks: list[Mark] = [Rule(y=0.0, wide=1, about="muted")]
    for law, coin, about, beside in zip(laws, _COINS, _INKS, (-wide, 0.0), strict=True):
        said = f"coin with {coin}% heads: a share of %{{x:.0%}} in %{{y:.1%}} of cases"
        looks: dict[str, Any] = {"wide": wide, "beside": beside, "about": about, "said": said}
        marks.append(Bars(at, law, **looks))
    named = f"Chance, if {_TWO.replace('from', 'or')} are heads"
    right = in_hundred(result.told_alone(tosses))
    if last:
        marks.append(
            Text("Heads among one person’s tosses", Part(0.5), 0.0, to="S", shift=(0, -22))
        )
    marks += (
        Text(f"{heads}", heads / tosses, 0.0, to="S", shift=(0, -4), about="muted")
        for heads in range(0, tosses + 1, math.ceil(tosses / _MOST_TICKS))
    )
    # Both have one scale: where there is more room, it is left below.
    top = _LOWER * _LIKELY
    return Panel(
        Side(-0.2, 1.2, ticks=[], grid=False),
        Side(top - _LIKELY if last else 0.0, top, named, ticks=[(0.0, "0"), (0.5, "50%")]),
        marks,
        above=f"One person alone: <b>right {right}</b>",
        broad=True,
    )


def hidden(result: PeopleAndTosses) -> PeopleAndTosses:
    """Return the result before the answer: the people with one toss each."""
    return replace(result, tosses=1, users=result.single)


VIEW = View(
    key="people",
    title="People and tosses",
    compute=people_and_tosses,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("tosses", "task_epsilon", "seed"),
    in_sight=("tosses", "task_epsilon", "seed"),
    pulled={"tosses": "with # toss"},
    most=lambda _: {"tosses": MOST_TOSSES},
    why="A person's share of heads gets surer with every toss, so fewer people tell the coins "
    "apart. What privacy has to hide does not shrink: a whole person, who might have tossed "
    "nothing but heads or nothing but tails. So some people must always stay.",
    prediction=Prediction(
        question="With one toss each it takes the people drawn here to tell two coins apart. Now "
        "all toss more often. How many people does the best private algorithm need?",
        guess=Number(_GUESS),
        hide=hidden,
        answer=lambda result: _people(result.enough),
        value=lambda result: result.enough,
        mark=lambda result, people: replace(result, guess=people),
    ),
)
