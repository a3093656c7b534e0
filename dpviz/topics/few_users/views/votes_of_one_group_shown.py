"""The vote: whom one group of users votes for, and what four models release."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.axes import standing
from dpviz.plot.marks import Bars, Dots, Line, Part, Rule, Text, Words, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.few_users.controls_shown import ACCURACY, LEARNER, VOTE, idle_controls
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.models_shown import whom_each_model_protects
from dpviz.topics.few_users.views.votes_of_one_group import (
    TwoUsers,
    Votes,
    votes_of_one_group,
)

_USERS = (7, 8)  # places in the palette of two users, as one board has them
_NARROWEST = 40  # hypotheses on the axis of the votes
_ALIKE = Limit("guess", "%", "of the users vote alike", 0, 100, 50, log=False, step=1)


def takeaway(result: Votes) -> str:
    """State how many users agree, on shared darts and with own coins."""
    shared, own = int(result.shared.max()), int(result.own.max())
    alone = "as many" if own == shared else f"{own:,}"
    return (
        f"On shared darts {shared:,} of {result.users:,} users vote for the same hypothesis; "
        f"with coins of their own, {alone}."
    )


def detail(result: Votes) -> str:
    """State how many users agree, and in which models a good hypothesis comes out."""
    right = sum(result.is_good(chosen) for chosen in result.released.values())
    alone = sum(result.is_good(chosen) for chosen in result.released_own.values())
    return (
        f"On shared darts {result.shared.max():,} of {result.users:,} users vote for one "
        f"hypothesis, and {right} of 4 private votes release one of error at most "
        f"α = {readable(result.alpha)}. With own coins the largest group has "
        f"{result.own.max():,}, and {alone} of 4 votes release one."
    )


def notes(result: Votes) -> list[str]:
    """Say what is private, and what the colours mean."""
    return [
        "Green hypotheses have error at most α. A model in red released another hypothesis, or "
        "none.",
        "The votes are not protected: you see what only the server or the analyser sees. Only "
        "one hypothesis is released.",
        whom_each_model_protects(result.epsilon, result.delta),
    ]


def figure(result: Votes, theme: Theme) -> Figure:
    """Draw the votes on shared darts above those with own coins; good hypotheses are green."""
    shared = _panel(result, "Shared darts", result.shared, result.released)
    if result.example is not None and not result.released:
        shared = _darts(result, result.example)
    own = _panel(result, "Own coins", result.own, result.released_own)
    title = replace(own.x, title="Hypothesis")
    return stacked(theme, shared, replace(own, x=title))


def _panel(
    result: Votes, name: str, counts: NDArray[np.int_], released: Mapping[str, int]
) -> Panel:
    """Return the votes for each hypothesis, and what they come to."""
    low, high = _voted(result)
    inks = [Subject.USER_LEVEL if good else "muted" for good in result.errors <= result.alpha]
    said = "hypothesis %{x}: %{y} votes, error %{customdata:.3g}"
    guess = []
    if not math.isnan(result.guess) and counts is result.shared:
        # What was predicted is written on the side where the highest bar is not.
        part, to = (0.0, "NE") if counts.argmax() > (low + high) / 2 else (1.0, "NW")
        at, text = result.guess * result.users / 100, f"your prediction: {readable(result.guess)}%"
        guess = [Rule(y=at, wide=1.5, dash="dash"), Text(text, Part(part), at, to=to)]
    above: Words = f"<b>{name}</b>: how many of {result.users:,} vote alike?"
    if released:
        votes = f"{counts.max():,} of {result.users:,} votes for hypothesis {counts.argmax()}"
        told = *(f"<br>{line}" for line in _released(result, released)), ""
        above = tuple(f"<b>{name}</b>: {votes}{more}" for more in told)
    return Panel(
        Side(low, high),
        # The same in both, or a few votes look like many; also while not all have voted. It does
        # not follow n, or no bar would grow.
        Side(0.0, 1.08 * standing(result.expected)),
        [Bars(np.arange(counts.size), counts, about=inks, said=said, told=result.errors), *guess],
        above=above,
    )


def _darts(result: Votes, example: TwoUsers) -> Panel:
    """Return the curves of two users, the darts, and a ring around the one each takes.

    Darts far above both curves are left out.
    """
    top, (low, high) = 1.4 * float(example.laws.max()), _voted(result)
    seen, places = example.heights < top, np.arange(example.laws.shape[1])
    users = " and ".join(map(tinted, ("one user", "another"), _USERS))
    first = "○ the first dart below each curve"
    return Panel(
        Side(low, high),
        Side(0.0, top),
        [
            *(
                Line(places, law, wide=2, shape="hvh", about=user)
                for law, user in zip(example.laws, _USERS, strict=True)
            ),
            Dots(example.places[seen], example.heights[seen], size=8, symbol="x-thin-open"),
            *(  # one dart that both take has a ring in a ring
                Dots(
                    example.places[[dart]],
                    example.heights[[dart]],
                    symbol="circle-open",
                    size=15 + 8 * number,
                    edge=2.5,
                    about=user,
                )
                for number, (dart, user) in enumerate(zip(example.taken, _USERS, strict=True))
            ),
        ],
        above=tuple(f"<b>Shared darts</b>: {users}{end}{first}" for end in ("; ", "<br>")),
    )


def _voted(result: Votes) -> tuple[float, float]:
    """Return the ends of the axis: around what was voted for, and not too narrow."""
    voted = np.flatnonzero(result.shared + result.own)
    low, high, last = int(voted[0]), int(voted[-1]), result.errors.size - 1
    room = max(2, (_NARROWEST - (high - low)) // 2)
    return max(low - room, 0) - 0.7, min(high + room, last) + 0.7


def _released(result: Votes, released: Mapping[str, int]) -> tuple[str, str]:
    """Tell what each model releases, in red where it is no good hypothesis; then in two lines."""
    first, *others = released.values()
    if result.is_good(first) and all(one == first for one in others):
        return (f"released in all {len(released)} models: {first}",) * 2
    parts = []
    for model, chosen in released.items():
        what = f"{MODELS[model]}: {'nothing' if chosen < 0 else chosen}"
        parts.append(tinted(what, "text" if result.is_good(chosen) else Subject.DANGER))
    half = len(parts) // 2
    rows = "; ".join(parts[:half]), "; ".join(parts[half:])
    return f"released: {'; '.join(rows)}", "<br>".join(rows)


def hidden(result: Votes) -> Votes:
    """Return the result before the answer: the votes with coins of one's own."""
    return replace(result, shared=np.zeros_like(result.shared), released={})


def marked(result: Votes, percent: float) -> Votes:
    """Return the result with how many of a hundred users the reader thinks vote alike."""
    return replace(result, guess=percent)


def together(result: Votes) -> float:
    """Return how many of a hundred users vote alike on shared darts."""
    return 100 * int(result.shared.max()) / result.users


VIEW = View(
    key="votes",
    title="The vote",
    compute=votes_of_one_group,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*LEARNER, *VOTE, *ACCURACY, "seed"),
    in_sight=("examples_per_user", "users", "seed"),
    defaults={"users": 30},
    pulled={"users": "of # users"},
    why="On shared darts, users who saw similar samples vote for the same hypothesis, and a "
    "winner that stands out can be announced with little noise. With coins of their own the "
    "votes scatter over hypotheses that are equally good, and none stands out.",
    idle=idle_controls,
    prediction=Prediction(
        question="With coins of their own, users scatter their votes. Now all throw the same "
        "darts, and each takes the first below a curve of their own. How many vote alike, in "
        "percent?",
        guess=Number(_ALIKE),
        hide=hidden,
        answer=lambda result: f"{readable(together(result))}%",
        value=together,
        mark=marked,
    ),
)
