"""People and tosses: a row for each person; with more tosses each, fewer people are needed."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Text, joined
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

_GUESS = Limit("guess", "people", "with whom it can be told", 1, 60, 10, integer=True, log=False)
_OWN = Subject.USER_LEVEL
_DOT = 0.72  # of the room of a toss
_BELOW = 2.6  # rows of room below the people, for what privacy hides


def takeaway(result: PeopleAndTosses) -> str:
    """State how many people are enough, and how many with one toss each."""
    people, single = result.enough, int(result.single.upper)
    enough = (
        f"A private algorithm can tell two coins apart from {_people(people)} with "
        f"{counted(result.tosses, 'toss', 'tosses')} each"
    )
    if result.tosses == 1:
        return f"{enough}."
    return f"{enough}, as with one." if people == single else f"{enough}, or {single} with one."


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
    """Draw people as rows of tosses; beside each, the share of heads, and what privacy hides."""
    rows = Side.bare(len(result.heads) - 1 + _BELOW, -1.6)
    return stacked(theme, [_rows(result, rows), _shares(result, rows)], tall=1.1)


def _rows(result: PeopleAndTosses, rows: Side) -> Panel:
    """Return the people with their tosses, and in outline those who may go."""
    people, single, m = result.enough, int(result.single.upper), result.tosses
    heads = result.heads[:people, :m]
    marks: list[Mark | None] = [
        Line(*joined([([1, m], [row, row]) for row in range(people)]), wide=1, about="muted")
    ]
    for fill, side in (("background", False), (_OWN, True)):
        row, toss = np.nonzero(heads == side)

        marks.append(
            Dots(toss + 1, row, share=_DOT, about=fill, edge=1.5, edged=Subject.USER_LEVEL)
        )
    gone = np.arange(people, single)
    marks.append(Dots(np.ones(gone.size), gone, share=0.5, symbol="circle-open", about="muted"))
    if gone.size and math.isnan(result.guess):
        text = f"{gone.size} fewer, but {result.always} must stay"
        marks.append(Text(text, 1.7, float(gone.mean()), to="E", about="muted"))
    if result.guess <= len(result.heads):
        said = f"your prediction: {readable(result.guess)}"
        marks.append(Rule(y=result.guess - 0.5, wide=1.5, dash="dash"))
        marks.append(Text(said, Part(1), result.guess - 0.5, to="SW"))
    return Panel(
        Side(0.3, MOST_TOSSES + 0.7, "Tosses of each person, m", grid=False),
        rows,
        marks,
        above=f"<b>{_people(people)}</b>, {counted(m, 'toss', 'tosses')} each",
        handle=Handle("tosses", m, -1.1),
    )


def _shares(result: PeopleAndTosses, rows: Side) -> Panel:
    """Return each person's share of heads, both coins, and what a person can change."""
    foot, wide = len(result.heads) + 0.4, MOST_TOSSES  # as wide as a row, for dots of one size
    said = [
        f"person {row + 1}: {readable(100 * share)} % heads"
        for row, share in enumerate(result.shares)
    ]
    hides = "privacy hides all of a person"
    coins = [
        Rule(x=wide * coin, y=(-0.8, len(result.heads) - 0.5), dash="dot", wide=1.5)
        for coin in (COIN, 1 - COIN)
    ]
    ticks = [(wide * part, readable(100 * part)) for part in (0, COIN, 1 - COIN, 1)]
    return Panel(
        Side(-0.2, wide + 0.2, "Heads, %", ticks=ticks, grid=False),
        rows,
        [
            *coins,
            Dots(
                wide * result.shares,
                np.arange(result.enough),
                share=_DOT,
                about=_OWN,
                said=said,
            ),
            Line([0, wide], [foot, foot], wide=6),
            Text((f"{hides}, however many tosses", hides), wide / 2, foot, to="S", shift=(0, -5)),
        ],
        above=("Each one’s <b>share of heads</b>", "<b>Share of heads</b>"),
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
    pulled={"tosses": " with # toss"},
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
