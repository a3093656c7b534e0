"""The vote: whom one group of users votes for, and what four models release."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Line, Mark, Part, Rule, Text, Words, joined, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.few_users.controls_shown import ACCURACY, LEARNER, VOTE, idle_controls
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.models_shown import whom_each_model_protects
from dpviz.topics.few_users.views.votes_of_one_group import (
    SEEN,
    TwoUsers,
    Votes,
    votes_of_one_group,
)

_USERS = (7, 8)  # places in the palette of two users, as one board has them
_DEEP = 0.75  # how far below the hypotheses users stand, in heights of the bars
_STEPS = 1, 2, 4, 7, 10  # ends of the axis of votes, times powers of ten
_NARROWEST = 40  # hypotheses on the axis of the votes
_ALIKE = Limit("guess", "%", "of the users vote the same", 0, 100, 50, log=False, step=1)


def takeaway(result: Votes) -> str:
    """State how many users vote the same way, with shared darts and with coins of their own."""
    shared, own = int(result.shared.max()), int(result.own.max())
    who = counted(result.users, "user")
    who = f"all {who}" if shared == result.users > 1 else f"{shared:,} of {who}"
    alone = f"only {own:,} do" if own < shared else "as many do" if own == shared else f"{own:,} do"
    vote = agreeing(shared, "votes", "vote")
    return (
        f"With {readable(result.examples_per_user, 7)} examples each, {who} {vote} for the same "
        f"hypothesis with shared darts; with coins of their own, {alone}."
    )


def detail(result: Votes) -> str:
    """State how many users agree, and which private votes then release a good hypothesis."""
    right = sum(result.is_good(chosen) for chosen in result.released.values())
    alone = sum(result.is_good(chosen) for chosen in result.released_own.values())
    return (
        f"With shared darts {result.shared.max():,} of {result.users:,} users vote for one "
        f"hypothesis, and {right} of 4 ways to count votes privately release one with an error of "
        f"at most α = {readable(result.alpha)}, which is good enough. With own coins the largest "
        f"group has {result.own.max():,}, and {alone} of 4 do."
    )


def notes(result: Votes) -> list[str]:
    """Say what is private, and what the colours mean."""
    return [
        f"Green hypotheses have error at most α. "
        f"{_released('with shared darts', result.released)} "
        f"{_released('with own coins', result.released_own)}",
        *(
            [f"Of {result.users:,} users the first {SEEN} are drawn."]
            if result.users > SEEN
            else []
        ),
        "The votes are not protected: you see what only the server or the analyser sees. Only "
        "one hypothesis is released.",
        "Enough for a private vote: so many users, and every larger multiple of five, with which "
        "a trusted server names what four of five users vote for with probability 1 − β, "
        "ε-private or (ε, δ)-private when one user's examples are all exchanged (see “Whom users "
        "trust”).",
        whom_each_model_protects(result.epsilon, result.delta),
    ]


def figure(result: Votes, theme: Theme) -> Figure:
    """Draw users in a row and what each votes for, with shared darts and with own coins."""
    shared = _panel(result, "Shared darts", result.shared, result.picked)
    if result.example is not None and not result.released:
        shared = _darts(result, result.example)
    own = _panel(result, "Own coins", result.own, result.picked_own)
    return stacked(theme, [shared, own], tall=1.0)


def _panel(result: Votes, name: str, counts: NDArray[np.int64], picked: NDArray[np.int64]) -> Panel:
    """Return the users, the way from each to a hypothesis, and above each its votes."""
    low, high = _axis(result)
    # The same in both, or a few votes look like many; also while not all have voted. It does not
    # follow n, or no bar would grow.
    top = 1.08 * _reach(result.expected)
    inks = [Subject.USER_LEVEL if good else "muted" for good in result.errors <= result.alpha]
    many, asked, first = int(counts.max()), not counts.any(), math.ceil(low)
    marks: list[Mark | None] = [
        Bars(
            np.arange(counts.size),
            counts,
            wide=1.0,
            about=inks,
            said="hypothesis %{x}: %{y} votes, error %{customdata:.3g}",
            customdata=result.errors,
        )
    ]
    if not asked:
        among = len(picked)
        start = low + (high - low) * (np.arange(among) + 0.5) / among
        ways = joined([([a, b], [-_DEEP * top, 0]) for a, b in zip(start, picked, strict=True)])
        marks += [
            Line(*ways, wide=1, seen=0.6, about=Subject.USER_LEVEL),
            Dots(
                start,
                np.full(among, -_DEEP * top),
                size=9,
                apart=True,
            ),
            Text(f"<b>{many:,}</b>", int(counts.argmax()), many, to="N", large=True),
        ]
    marks += [
        Rule(y=0, wide=1, about="muted"),
        Text("votes", Part(0), 0, to="NE", about="muted"),
        Text((f"hypothesis {first}", f"{first}"), Part(0), 0, to="SE", about="muted"),
        Text(f"{math.floor(high)}", Part(1), 0, to="SW", about="muted"),
    ]
    if not math.isnan(result.guess) and name == "Shared darts":
        # What was predicted is written on the side where the highest bar is not.
        part, to = (0.0, "NE") if counts.argmax() > (low + high) / 2 else (1.0, "NW")
        at, text = result.guess * result.users / 100, f"your prediction: {readable(result.guess)}%"
        marks += [Rule(y=at, wide=1.5, dash="dash"), Text(text, Part(part), at, to=to)]
    above: Words = f"<b>{name}</b>: how many vote for the same?"
    if not asked:
        above = f"<b>{name}</b>: {many:,} of {result.users:,} vote for the same", f"<b>{name}</b>"
    return Panel(
        Side(low, high, _voters(result, shared=counts is result.shared), grid=False, ticks=()),
        Side.bare(-1.15 * _DEEP * top, 1.1 * top),
        marks,
        above=above,
    )


def _reach(users: float) -> float:
    """Return the least number on a scale that is `users` or more: it stands while few more come."""
    power = 10.0 ** math.floor(math.log10(users))
    return next(step * power for step in _STEPS if step * power >= users * (1 - 1e-9))


def _voters(result: Votes, *, shared: bool) -> Words:
    """Say who stands below the bars, and how many of those who agree would do."""
    seen = len(result.picked)
    who = f"● {seen} users" if seen == result.users else f"● {seen} of {result.users:,} users"
    if not (shared and result.alike and result.enough <= result.users):
        return f"{who}, each votes for one", who
    privacy = f"ε = {readable(result.epsilon)}, δ = {readable(result.delta)}"
    enough = f"{result.enough:,.0f} are enough for a private vote"
    return f"{who}; {enough} ({privacy})", f"{result.enough:,.0f} can vote privately"


def _darts(result: Votes, example: TwoUsers) -> Panel:
    """Return the curves of two users, the darts, and a ring around the one each takes.

    Darts far above both curves are left out.
    """
    top, (low, high) = 1.4 * float(example.laws.max()), _axis(result)
    seen, places = example.heights < top, np.arange(example.laws.shape[1])
    users = " and ".join(map(tinted, ("one user", "another"), _USERS))
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
        above=(
            f"<b>Shared darts</b>: {users}; ○ the first dart below each curve",
            f"<b>Shared darts</b>:<br>{users}",
        ),
    )


def _axis(result: Votes) -> tuple[float, float]:
    """Return the ends of the axis: what is good, and what was voted for.

    So it stands while users, examples or darts change; it is not too narrow.
    """
    seen = np.flatnonzero((result.errors <= result.alpha) | (result.shared + result.own > 0))
    low, high, last = int(seen[0]), int(seen[-1]), result.errors.size - 1
    room = max(3, (_NARROWEST - (high - low)) // 2)
    return max(low - room, 0) - 0.7, min(high + room, last) + 0.7


def _released(name: str, released: Mapping[str, int]) -> str:
    """Tell what each model releases."""
    parts = [
        f"{MODELS[model]}: {'nothing' if chosen < 0 else f'hypothesis {chosen}'}"
        for model, chosen in released.items()
    ]
    return f"A private vote {name} releases, {'; '.join(parts)}."


def hidden(result: Votes) -> Votes:
    """Return the result before the answer: the votes with coins of one's own."""
    return replace(result, shared=np.zeros_like(result.shared), released={})


def together(result: Votes) -> float:
    """Return how many of a hundred users vote the same with shared darts."""
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
    pulled={"users": "# user"},
    why="With shared darts, users who saw similar samples vote for the same hypothesis, and a "
    "winner that stands out can be announced with little noise. With coins of their own the "
    "votes scatter over hypotheses that are equally good, and none stands out.",
    idle=idle_controls,
    prediction=Prediction(
        question="With coins of their own, users scatter their votes. Now all throw the same "
        "darts, and each takes the first below a curve of their own. How many vote for the "
        "same, in percent?",
        guess=Number(_ALIKE),
        hide=hidden,
        answer=lambda result: f"{readable(together(result))}%",
        value=together,
        mark=guessed,
    ),
)
