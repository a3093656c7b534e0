"""People and tosses: a row for each person; with more tosses each, fewer people are needed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Ink, Line, Mark, Part, Rule, Text, joined, tinted
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.user_complexity.views.people_and_tosses import (
    COIN,
    MOST_TOSSES,
    PeopleAndTosses,
    people_and_tosses,
)

_COINS = tuple(readable(100 * coin) for coin in (COIN, 1 - COIN))
_INKS: tuple[str | Subject, ...] = ("muted", Subject.USER_LEVEL)
_NAMED = [tinted(f"{coin}%", about) for coin, about in zip(_COINS, _INKS, strict=True)]
_TICKS = [(part, readable(100 * part)) for part in (0.0, COIN, 1 - COIN, 1.0)]
_FOOT = -0.35  # of the highest bar, below it, where what is hidden stands
_BAR = 0.12  # how wide one is at most
_GUESS = Limit("guess", "people", "with whom it can be told", 1, 60, 10, integer=True, log=False)
_OWN = Subject.USER_LEVEL
_ROWS = 12  # for which there is room at least, so that a person does not come apart
_DOT = 0.72  # of the room of a toss
_LEFT, _ONE = -0.8, 3.2  # where the room of people with one toss each begins and ends
_TOLD = 2.2  # times their room, of what their tosses tell
_WIDE = (MOST_TOSSES + 0.9 - _LEFT) / (_ONE - _LEFT)


def takeaway(result: PeopleAndTosses) -> str:
    """State how many people are enough, and how many with one toss each."""
    people, single = result.enough, int(result.single.upper)
    tossed = counted(result.tosses, "toss", "tosses")
    enough = (
        f"With {_people(people)} making {tossed} each, a private algorithm names the right one of "
        "two coins three times in four"
    )
    if result.tosses == 1:
        return f"{enough}."
    if people == single:
        return f"{enough}, and one toss each would do."
    takes = "it takes" if result.single.lower == single else "enough are"
    return f"{enough}; with one toss each {takes} {single}."


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
        f"{_people(result.always)} at least: whoever is hidden must be one among others."
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
    """Draw those with one toss each and those with more, and beside each what it tells."""
    rows = Side.bare(max(len(result.heads), _ROWS) - 0.4, -1.5)
    single = int(result.single.upper)
    crowds = [
        _crowd(result.heads[:single, :1], rows, wide=1.0),
        _crowd(result.heads[: result.enough, : result.tosses], rows, wide=_WIDE),
    ]
    crowds[1] = replace(
        crowds[1],
        marks=[Rule(x=_LEFT, wide=1, about="grid"), *crowds[1].marks, *_gone(result)],
        handle=Handle("tosses", result.tosses, -1.05),
    )
    told = [
        _shares(result, 1, "all or nothing"),
        _shares(result, result.tosses, "they come apart" if result.tosses > 1 else ""),
    ]
    return stacked(theme, [panel for pair in zip(crowds, told, strict=True) for panel in pair])


def _crowd(heads: NDArray[np.bool_], rows: Side, *, wide: float) -> Panel:
    """Return people as rows of their tosses; wide: of how many times the width for one toss."""
    people, m = heads.shape
    who = np.arange(people)
    marks: list[Mark | None] = [
        *_persons(who, _OWN),
        Line(*joined([([0.5, m], [row, row]) for row in who]), wide=1, about="muted"),
    ]
    for fill, side in (("background", False), (_OWN, True)):
        row, toss = np.nonzero(heads == side)
        marks.append(Dots(toss + 1, row, share=_DOT, about=fill, edge=1.5, edged=_OWN))
    across = Side.bare(_LEFT, _LEFT + wide * (_ONE - _LEFT))  # a toss is as wide in both
    above = f"<b>{_people(people)}</b>,<br>{counted(m, 'toss', 'tosses')} each"
    if wide > 1:
        above = f"{above} (● heads, ○ tails)"
    return Panel(across, rows, marks, above=above, wide=wide)


def _persons(who: NDArray[np.intp], about: Ink) -> list[Mark]:
    """Return a figure of each person, head and body, left of the tosses."""
    return [
        Dots(np.zeros(who.size), who - 0.17, share=0.36, about=about),
        Dots(np.zeros(who.size), who + 0.15, share=0.44, symbol="square", about=about),
    ]


def _gone(result: PeopleAndTosses) -> list[Mark | None]:
    """Return those whom more tosses make unnecessary, or where a reader predicted the last one."""
    gone = np.arange(result.enough, int(result.single.upper))
    if not math.isnan(result.guess):
        inside, row = result.guess <= len(result.heads), result.guess - 0.5
        said = f"your prediction: {readable(result.guess)}"
        return [
            Rule(y=row, wide=1.5, dash="dash") if inside else None,
            Text(said, Part(1), row, to="SW") if inside else None,
        ]
    fewer = Text(f"{gone.size} fewer", 0.8, float(gone.mean()), to="E") if gone.size else None
    return [*_persons(gone, "grid"), fewer]


def _shares(result: PeopleAndTosses, tosses: int, told: str) -> Panel:
    """Return how likely each share of heads is for both coins, and what privacy has to hide."""
    laws, wide = result.laws(tosses), min(_BAR, 0.4 / tosses)
    at = np.arange(tosses + 1) / tosses
    marks: list[Mark] = [Rule(y=0.0, wide=1, about="muted")]
    for law, coin, about, beside in zip(laws, _COINS, _INKS, (-wide, 0.0), strict=True):
        said = f"coin with {coin}% heads: a share of %{{x:.0%}} in %{{customdata:.1%}} of cases"
        looks: dict[str, Any] = {"wide": wide, "beside": beside, "about": about, "said": said}
        marks.append(Bars(at, law / law.max(), customdata=law, **looks))
    each = counted(tosses, "toss", "tosses")
    return Panel(
        Side(-0.2, 1.2, "A person’s heads, %", ticks=_TICKS, grid=False),
        Side.bare(2 * _FOOT, 1.3),
        [
            *marks,
            Line([0, 1], [_FOOT, _FOOT], wide=5),
            Text("noise must hide<br>a whole person", 0.5, _FOOT, to="S", shift=(0, -4)),
        ],
        above=f"Which coin, {_NAMED[0]} or {_NAMED[1]} heads?<br>{each}{told and f': {told}'}",
        wide=_TOLD,
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
    pulled={"tosses": "making # toss"},
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
