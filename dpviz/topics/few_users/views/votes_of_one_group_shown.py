"""The vote: whom one group of users votes for, and what four models release."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings, standing
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.few_users.controls_shown import ACCURACY, LEARNER, VOTE, idle_controls
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.models_shown import whom_each_model_protects
from dpviz.topics.few_users.two_panels_shown import HEADING, two_panels
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
    theme = theme.crowded()
    size = result.errors.size
    places = np.arange(size)
    x = Scale.of(Axis("hypothesis", "Hypothesis", log=False), _voted(result), 0.0)
    drawn = Figure()
    headings: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    good = result.errors <= result.alpha
    colors = np.where(good, theme.subjects[Subject.USER_LEVEL], theme.muted)
    more = 60 if theme.compact else 24  # for what is released
    if theme.labels == "only":
        more = 20 if theme.compact else 0
    frame, panel = two_panels(theme, theme.px(40 + more))
    panels = (
        ("", "Shared darts", result.shared, result.released, [1 - panel.share, 1.0]),
        ("2", "Own coins", result.own, result.released_own, [0.0, panel.share]),
    )
    for suffix, name, counts, released, domain in panels:
        drawn.add_bar(
            x=places,
            y=counts,
            xaxis=f"x{suffix}",
            yaxis=f"y{suffix}",
            marker={"color": colors.tolist(), "line": {"width": 0}},
            width=0.8,
            customdata=result.errors,
            showlegend=False,
            hovertemplate="hypothesis %{x}: %{y} votes, error %{customdata:.3g}<extra></extra>",
        )
        # The same axis in both, or a few votes look like many; also while not all have voted. It
        # does not follow n, or no bar would grow.
        most = standing(result.expected)
        y = Scale.of(Axis("votes", "Votes", log=False), np.array([0.0, 1.08 * most]), 0.0)
        layout[f"xaxis{suffix}"] = settings(x) | {
            "anchor": f"y{suffix}",
            "title": {"text": "Hypothesis", "standoff": 2} if suffix else None,
        }
        layout[f"yaxis{suffix}"] = settings(y, panel.height) | {
            "domain": domain,
            "anchor": f"x{suffix}",
        }
        if result.example is not None and not released:
            top = _add_darts(drawn, result.example, theme)
            y = Scale.of(Axis("probability", "Probability", log=False), np.array([0.0, top]), 0.0)
            layout[f"yaxis{suffix}"] |= settings(y, panel.height)
        best = int(counts.argmax())
        head = (
            f"<b>{name}</b>: {counts.max():,} of {result.users:,} votes for hypothesis {best}"
            f"{_released(result, released, theme)}"
            if released
            else _asked(result, name, theme)
        )
        look = {"y": domain[1], "yref": "paper", "yanchor": "bottom", "yshift": 6, "xshift": -40}
        headings.append(HEADING | look | {"text": head})
    return drawn.update_layout(
        **frame,
        hovermode="closest",
        showlegend=False,
        annotations=[*headings, *_guess_note(result, _voted(result))],
        shapes=_guess_line(result, theme),
        **layout,
    )


def _asked(result: Votes, name: str, theme: Theme) -> str:
    """Say what stands where the votes will be: how two users pick, or a question."""
    if result.example is None:
        return f"<b>{name}</b>: how many of {result.users:,} vote alike?"
    colors = [theme.palette[place] for place in _USERS]
    first, second = (
        f"<span style='color:{color}'>{user}</span>"
        for user, color in zip(("one user", "another"), colors, strict=True)
    )
    below = "<br>" if theme.compact else "; "
    return f"<b>{name}</b>: {first} and {second}{below}○ the first dart below each curve"


def _add_darts(drawn: Figure, example: TwoUsers, theme: Theme) -> float:
    """Draw the curves of two users, the darts, and a ring around the one each takes.

    Return how high the axis is: darts far above both curves are left out.
    """
    top = 1.4 * float(example.laws.max())
    places = np.arange(example.laws.shape[1])
    for law, user in zip(example.laws, _USERS, strict=True):
        line = {"color": theme.palette[user], "width": 2 * theme.scale, "shape": "hvh"}
        drawn.add_scatter(
            x=places, y=law, mode="lines", line=line, hoverinfo="skip", showlegend=False
        )
    seen = example.heights < top
    look = {"color": theme.text, "symbol": "x-thin-open", "size": 8 * theme.scale}
    drawn.add_scatter(
        x=example.places[seen],
        y=example.heights[seen],
        mode="markers",
        marker=look,
        hoverinfo="skip",
        showlegend=False,
    )
    # One dart that both take has a ring in a ring.
    for number, (dart, user) in enumerate(zip(example.taken, _USERS, strict=True)):
        line = {"color": theme.palette[user], "width": 2.5 * theme.scale}
        drawn.add_scatter(
            x=example.places[[dart]],
            y=example.heights[[dart]],
            mode="markers",
            marker={"symbol": "circle-open", "size": (15 + 8 * number) * theme.scale, "line": line}
            | {"color": theme.palette[user]},
            hoverinfo="skip",
            showlegend=False,
        )
    return top


def _guessed(result: Votes) -> float:
    """Return how many votes the reader predicted, 0 for no prediction."""
    return 0.0 if math.isnan(result.guess) else result.guess * result.users / 100


def _guess_line(result: Votes, theme: Theme) -> list[dict[str, Any]]:
    if math.isnan(result.guess):
        return []
    line = {"color": theme.text, "width": 1.5 * theme.scale, "dash": "dash"}
    ends = {"xref": "x domain", "x0": 0, "x1": 1, "y0": _guessed(result), "y1": _guessed(result)}
    return [{"type": "line", "line": line} | ends]


def _guess_note(result: Votes, ends: FloatArray) -> list[dict[str, Any]]:
    """Write what the reader predicted on the side where the highest bar is not."""
    if math.isnan(result.guess):
        return []
    text = f"your prediction: {readable(result.guess)}%"
    left = result.shared.argmax() > ends.mean()
    side = {"x": 0, "xanchor": "left"} if left else {"x": 1, "xanchor": "right"}
    place = {"xref": "x domain", "y": _guessed(result)} | side
    return [place | {"yanchor": "bottom", "text": text, "showarrow": False}]


def _voted(result: Votes) -> FloatArray:
    """Return the ends of the axis: around what was voted for, and not too narrow."""
    voted = np.flatnonzero(result.shared + result.own)
    low, high, last = int(voted[0]), int(voted[-1]), result.errors.size - 1
    room = max(2, (_NARROWEST - (high - low)) // 2)
    return np.array([max(low - room, 0) - 0.7, min(high + room, last) + 0.7])


def _released(result: Votes, released: Mapping[str, int], theme: Theme) -> str:
    """Tell below the votes what each model releases, in red where it is no good hypothesis."""
    if theme.labels == "only":
        return ""
    first, *others = released.values()
    if result.is_good(first) and all(one == first for one in others):
        return f"<br>released in all {len(released)} models: {first}"
    parts = []
    for model, chosen in released.items():
        what = "nothing" if chosen < 0 else f"{chosen}"
        color = theme.text if result.is_good(chosen) else theme.subjects[Subject.DANGER]
        parts.append(f"<span style='color:{color}'>{MODELS[model]}: {what}</span>")
    half = len(parts) // 2
    if theme.compact:
        return f"<br>{'; '.join(parts[:half])}<br>{'; '.join(parts[half:])}"
    return f"<br>released: {'; '.join(parts)}"


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
