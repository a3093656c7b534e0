"""One user, clipped: who is cut off, and what that does to the mean and to the noise."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, from_zero, settings, standing, y_title
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.clipping.tasks import make_task
from dpviz.topics.clipping.tasks_shown import TASK, USERS, idle_controls
from dpviz.topics.clipping.views.one_user import UserScores, one_user

# Parts of the height: the lanes that compare bias and noise, and the gap above them.
_LANES, _GAP = 0.24, 0.12
_SMALLER = Limit("guess", "times", "smaller the noise gets", 1, 1000, 2)
_TOO_NEAR = 0.06  # of the axis: lines so near to each other share one name


def takeaway(result: UserScores) -> str:
    """State who is cut, and what noise that saves."""
    users, saved = result.scores.size, result.unclipped_sensitivity / result.sensitivity
    whose = "no user's score"
    if result.cut:
        whose = f"the scores of {result.cut:,} of {users:,} users"
    noise = "leaves the noise as it is"
    if _saves(result):
        times = readable(saved)
        lowered = f"makes the noise {times} times smaller"
        noise = "hardly lowers the noise" if times == "1" else lowered
    return f"Clipping cuts {whose} and {noise}."


def detail(result: UserScores) -> str:
    """State how far the mean moves, and how far one user can still move it."""
    moved = (
        f"moves a user's mean score from {readable(float(result.scores.mean()))} to "
        f"{readable(float(result.clipped.mean()))}"
    )
    if result.cut == 0:
        moved = "moves no score"
    still = "" if _saves(result) else "still "
    return (
        f"Clipping at τ = {readable(result.threshold)} {moved}; one user can {still}move a score "
        f"by at most {readable(result.sensitivity)}."
    )


def _saves(result: UserScores) -> bool:
    return result.unclipped_sensitivity > 1.0005 * result.sensitivity


def notes(result: UserScores) -> list[str]:
    """Say which pair is shown, and what the noise is."""
    against = f"“{result.rival}” against the best candidate, “{result.best}”"
    return [
        f"Scores of {against}: sums of {result.comparison} over a user's examples; positive ones "
        f"speak against it. A user's expected score is {readable(result.expected)} before "
        "clipping.",
        "The noise drawn is the scale 2Δ/ε of the exponential mechanism's Gumbel noise, divided "
        f"by the number of users. The sensitivity Δ is {readable(result.sensitivity)} with "
        f"clipping and {readable(result.unclipped_sensitivity)} without. Both are exact: the "
        f"most by which a user with {result.examples_per_user:,} examples can move a score.",
        "The histogram and the means are not private: whoever holds the data sees them.",
    ]


def figure(result: UserScores, theme: Theme) -> Figure:
    """Draw the histogram of the users' scores, τ as two lines, and below it bias and noise."""
    drawn = Figure()
    _add_histogram(drawn, result, theme)
    lanes = _lanes(result)
    for level, lane in enumerate(lanes):
        _add_lane(drawn, lane, level, theme)
    scale = _score_scale(result, lanes, theme)
    base = 0 if theme.compact else 10
    users = int((result.inside + result.outside).max(initial=1))
    margin = {"l": theme.px(60), "r": 16, "t": theme.px(28), "b": theme.px(60 + base)}
    if theme.labels and scale.holds(result.threshold):  # on a page, where a hand moves τ itself
        handle = {"key": "threshold", "x": result.threshold, "line": True}
        drawn.update_layout(meta={"drag": handle}, dragmode=False)
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height + (70 if not theme.room else 0),
        margin=margin,
        barmode="stack",
        bargap=0,
        hovermode="closest",
        showlegend=not theme.compact,
        legend={
            "x": 1,
            "xanchor": "right",
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "orientation": "v",
        },
        xaxis=settings(scale) | {"title": {"text": scale.axis.label}, "anchor": "y2"},
        yaxis=from_zero(1.05 * standing(users), most=5) | {"domain": [_below(theme) + _GAP, 1]},
        yaxis2={
            "domain": [0, _below(theme)],
            "range": [-0.7, 0.9 + max(1, len(lanes) - 1)],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=_lines(result, scale, theme),
        annotations=[
            y_title("Users", theme, margin["l"]),
            *_names(result, scale, lanes, theme),
        ],
    )


def _below(theme: Theme) -> float:
    """Return the part of the height that belongs to the rows, so that words fit between them."""
    return _LANES * theme.scale * (1.25 if theme.compact or theme.scale > 1 else 1)


@dataclass(frozen=True)
class _Lane:
    """A row below the histogram: the mean score of a user, and the noise on it."""

    name: str
    short_name: str
    mean: float
    noise: float
    subject: Subject


def _lanes(result: UserScores) -> tuple[_Lane, ...]:
    """Return the rows; that of clipping is missing where it is still to be predicted."""
    unclipped = result.noise(result.unclipped_sensitivity)
    clipped = result.noise(result.sensitivity)
    without, mean = "without clipping", float(result.clipped.mean())
    lanes = (
        _Lane(without, without, result.scores.mean(), unclipped, Subject.EARLIER),
        _Lane("clipped at τ", "clipped", mean, clipped, Subject.USER_LEVEL),
        _Lane("your prediction", "yours", mean, unclipped / result.guess, Subject.ITEM_LEVEL),
    )
    return tuple(lane for lane in lanes if not math.isnan(lane.noise))


def _add_histogram(figure: Figure, result: UserScores, theme: Theme) -> None:
    """Draw how many users have a score: those who count in full, and on top those cut off."""
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    width = result.edges[1] - result.edges[0]
    for name, counts, subject in (
        ("counts in full", result.inside, Subject.USER_LEVEL),
        ("cut off at ±τ" if result.low < 0 else "cut off at τ", result.outside, Subject.DANGER),
    ):
        figure.add_bar(
            x=middles,
            y=counts,
            width=np.full(middles.size, 0.92 * width),
            name=name,
            marker={"color": theme.subjects[subject]},
            hovertemplate="score %{x:.3~g}: %{y} users<extra></extra>",
        )


def _add_lane(figure: Figure, lane: _Lane, level: int, theme: Theme) -> None:
    color = theme.subjects[lane.subject]
    bar = {"array": [lane.noise], "thickness": 3 * theme.scale, "width": 6, "color": color}
    figure.add_scatter(
        x=[lane.mean],
        y=[level],
        error_x=bar,
        mode="markers",
        marker={"color": color, "size": 10 * theme.scale},
        name=lane.name,
        showlegend=False,
        xaxis="x",
        yaxis="y2",
        hovertemplate=f"{lane.name}: mean %{{x:.3~g}} ± {readable(lane.noise)}<extra></extra>",
    )


def _score_scale(result: UserScores, lanes: tuple[_Lane, ...], theme: Theme) -> Scale:
    """Return the axis of scores: 0, all bars, and the noise, which is cut at the ends ±m.

    It does not depend on τ as long as the noise has room: lines beyond its ends are not drawn.
    """
    m = float(result.examples_per_user)
    ends = [lane.mean + sign * lane.noise for lane in lanes for sign in (-1, 1)]
    values = np.concatenate([[0.0], result.edges, np.clip(ends, -1.05 * m, 1.05 * m)])
    label = (
        "Score of one user"
        if theme.compact
        else f"Score of one user, summed over m = {result.examples_per_user:,} examples"
    )
    return Scale.of(Axis("score", label, log=False), values, 0.02)


def _lines(result: UserScores, scale: Scale, theme: Theme) -> list[dict[str, Any]]:
    ends = [end for end in {result.low, result.threshold} if scale.holds(end)]
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": end,
            "x1": end,
            "y0": _below(theme) + _GAP,
            "y1": 1,
            "line": {"color": theme.text, "width": 2.5 * theme.scale, "dash": "dash"},
        }
        for end in sorted(ends)
    ]


def _names(
    result: UserScores, scale: Scale, lanes: tuple[_Lane, ...], theme: Theme
) -> list[dict[str, Any]]:
    """Name the lines and the two lanes."""
    ends = [(result.threshold, "τ")] + ([(result.low, "−τ")] if result.low < 0 else [])
    near = result.threshold - result.low < _TOO_NEAR * (scale.high - scale.low)
    if result.low < 0 and near:
        ends = [((result.low + result.threshold) / 2, "±τ")]
    names: list[dict[str, Any]] = [
        {"x": end, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom", "text": text}
        for end, text in ends
        if scale.holds(end)
    ]
    for level, lane in enumerate(lanes):
        numbers = f"mean {readable(lane.mean)}, noise ±{readable(lane.noise)}"
        if not theme.compact:
            numbers += " a user"
        names.append(
            {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": level + 0.2,
                "yref": "y2",
                "yanchor": "bottom",
                "text": f"{lane.short_name}: {numbers}",
                "font": {"color": theme.subjects[lane.subject], "size": theme.font_size - 1},
            }
        )
    return [name | {"showarrow": False} for name in names]


def most_rivals(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say how many candidates the task has: no rank is lower."""
    of = {key: int(values[key]) for key in ("candidates", "domain_size")}
    return {"rival": float(make_task(values["task"], **of).errors.size)}


def hidden(result: UserScores) -> UserScores:
    """Return the result before the answer: all scores in full, and the noise that they need."""
    everybody = result.inside + result.outside
    return replace(result, inside=everybody, outside=np.zeros_like(everybody), sensitivity=math.nan)


def marked(result: UserScores, times: float) -> UserScores:
    """Return the result with how many times smaller the reader thinks that the noise gets."""
    return replace(result, guess=times)


def answer(result: UserScores) -> str:
    """Return how many times smaller it gets."""
    return f"{readable(result.unclipped_sensitivity / result.sensitivity)} times smaller"


VIEW = View(
    key="user",
    title="One user, clipped",
    compute=one_user,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*USERS, *TASK, "rival", "seed"),
    in_sight=("threshold", "examples_per_user", "seed"),
    pulled={"users": "of # users"},
    why="The noise has to hide the most that any one user could change a score. If each user "
    "counts for at most τ, that is less, and so is the noise. But a tight τ cuts ordinary "
    "users, too, and then the mean no longer says what the users say.",
    idle=idle_controls,
    most=most_rivals,
    still=lambda result: result.cut == 0,
    prediction=Prediction(
        question="Each user may move a score by no more than τ, up or down. How many times "
        "smaller does the noise get that hides one user?",
        guess=Number(_SMALLER),
        hide=hidden,
        answer=answer,
        value=lambda result: result.unclipped_sensitivity / result.sensitivity,
        mark=marked,
    ),
)
