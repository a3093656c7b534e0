"""One user, clipped: who is cut off, and what that does to the mean and to the noise."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.plot.axes import standing
from dpviz.plot.marks import Bars, Dots, Line, Mark, Part, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, View
from dpviz.topics.clipping.tasks import make_task
from dpviz.topics.clipping.tasks_shown import TASK, USERS, idle_controls
from dpviz.topics.clipping.views.one_user import UserScores, one_user

_FOOT = 0.1  # of the highest bar, below 0: a grip on the axis hides no bar
_ROOM = 0.7  # of the axis, up to which an interval leaves room for words beside it
_HALF = 0.5  # of the way from one row to the next
_ROW = 50  # pixels of a row that compares bias and noise
_SMALLER = Limit("guess", "times", "smaller the noise gets", 1, 1000, 2)
_COMPARED = "Mean score of a user ± the <b>noise that hides one user</b>", "Mean ± noise"
_CLIPPED = "clipped"
_PILE = 0.5  # of a bar's width, of the pile of users who are cut to τ
_PILED = "%{y} users, cut to %{x:.3~g}"
_TOO_NEAR = 0.06  # of the axis: lines so near to each other share one name


def takeaway(result: UserScores) -> str:
    """State what noise clipping saves, and how far it moves the mean."""
    noise, times = "leaves the noise as it is", _times(result)
    if _saves(result):
        lowered = f"makes the noise {times} times smaller"
        noise = "hardly lowers the noise" if times == "1" else lowered
    mean = f"the mean {_off(result)}"
    if not result.cut:
        mean = "cuts no user’s score"
    elif not _saves(result):
        mean = f"makes {mean}"
    return f"Clipping at τ = {readable(result.threshold)} {noise} and {mean}."


def _times(result: UserScores) -> str:
    return readable(result.unclipped_sensitivity / result.sensitivity)


def _off(result: UserScores) -> str:
    """Say how far from the users' mean that of the clipped scores is."""
    size = readable(abs(result.shift), 2)
    return f"{size} too {'low' if result.shift < 0 else 'high'}" if result.cut else ""


def detail(result: UserScores) -> str:
    """State how far the mean moves, and how far one user can still move it."""
    moved = (
        f"moves a user's mean score from {readable(float(result.scores.mean()))} to "
        f"{readable(float(result.clipped.mean()))}"
    )
    if result.cut == 0:
        moved = "moves no score"
    return f"Clipping at τ = {readable(result.threshold)} {moved}{_range(result)}."


def _range(result: UserScores) -> str:
    """Say how far one user can move a score, and from where to where, which says why."""
    by, unclipped = readable(result.sensitivity), readable(result.unclipped_sensitivity)
    if not _saves(result):
        return f"; one user can still move a score by at most {by}"
    least, most = result.least, result.most
    low, high = max(least, result.low), min(most, result.threshold)
    pairs = (high - low, result.sensitivity), (most - least, result.unclipped_sensitivity)
    if not all(math.isclose(*pair) for pair in pairs):  # other candidates reach farther
        return f"; one user can move a score by at most {by}, and by {unclipped} without clipping"
    return (
        f". One user’s score then lies from {readable(low)} to {readable(high)}, so that a user "
        f"can move it by at most {by}; without clipping from {readable(least)} to "
        f"{readable(most)}, by {unclipped}"
    )


def _saves(result: UserScores) -> bool:
    return result.unclipped_sensitivity > 1.0005 * result.sensitivity


def notes(result: UserScores) -> list[str]:
    """Say which pair is shown, and what the noise is."""
    m = result.examples_per_user
    not_twice = f", not by {2 * m:,}" if result.most - result.least < 1.99 * m else ""
    against = f"“{result.rival}” against the best candidate, “{result.best}”"
    return [
        f"Scores of {against}: sums of {result.comparison} over a user's examples; positive ones "
        f"speak against it. A user's expected score is {readable(result.expected)} before "
        "clipping.",
        "The noise drawn is the scale 2Δ/ε of the exponential mechanism's Gumbel noise, divided "
        f"by the number of users. The sensitivity Δ is {readable(result.sensitivity)} with "
        f"clipping and {readable(result.unclipped_sensitivity)} without. Both are exact: the "
        f"most by which a user with {result.examples_per_user:,} examples can move a score. "
        f"One example adds between {readable(result.least / m)} and {readable(result.most / m)} "
        f"here, so {m:,} of them move it by {readable(result.most - result.least)}{not_twice}.",
        "The histogram and the means are not private: whoever holds the data sees them.",
    ]


def figure(result: UserScores, theme: Theme) -> Figure:
    """Draw the users' scores, those beyond τ piled up at it, and below what mean and noise are."""
    lanes, m = _lanes(result), float(result.examples_per_user)
    # It does not depend on τ as long as the noise has room: lines beyond its ends are not drawn.
    ends = [lane.mean + sign * lane.noise for lane in lanes for sign in (-1, 1)]
    title = f"Score of one user, summed over m = {m:,.0f} examples", "Score of one user"
    scores = Side.around([0.0, *result.edges, *np.clip(ends, -1.05 * m, 1.05 * m)], title)
    piles = {end: count for end, count in result.piles.items() if scores.holds(end)}
    most = standing(int(max(result.inside.max(initial=1), *piles.values(), 1)))
    wide = _PILE * float(np.diff(result.edges)[0])
    histogram = Panel(
        scores,
        Side(-_FOOT * most, 1.05 * most, "Users", grid=False),
        [
            _bars(result, result.inside, about=Subject.USER_LEVEL),
            _outline(result),
            Bars(list(piles), list(piles.values()), wide=wide, about=Subject.DANGER, said=_PILED),
            *_thresholds(result, scores, 1.05 * most),
            *_named(piles, scores),
        ],
        handle=Handle("threshold", result.threshold) if scores.holds(result.threshold) else None,
    )
    rows = Side.bare(-0.7, 0.9 + max(1, len(lanes) - 1))
    below = [mark for level, lane in enumerate(lanes) for mark in _row(lane, level, scores)]
    below += _shifted(result, scores) if len(lanes) > 1 and lanes[1].name == _CLIPPED else []
    compared = Panel(
        replace(scores, title=""), rows, below, above=_COMPARED, pixels=_ROW * len(lanes)
    )
    return stacked(theme, histogram, compared, tall=0.9)


@dataclass(frozen=True)
class _Lane:
    """A row below the histogram: the mean score of a user, and the noise on it."""

    name: str
    mean: float
    noise: float
    subject: Subject
    smaller: str = ""


def _lanes(result: UserScores) -> tuple[_Lane, ...]:
    """Return the rows; that of clipping is missing where it is still to be predicted."""
    unclipped = result.noise(result.unclipped_sensitivity)
    clipped = result.noise(result.sensitivity)
    mean, whole = float(result.clipped.mean()), float(result.scores.mean())
    yours = unclipped / result.guess
    lanes = (
        _Lane("unclipped", whole, unclipped, Subject.EARLIER),
        _Lane(_CLIPPED, mean, clipped, Subject.USER_LEVEL, _smaller(result)),
        _Lane("your prediction", mean, yours, Subject.ITEM_LEVEL),
    )
    return tuple(lane for lane in lanes if not math.isnan(lane.noise))


def _smaller(result: UserScores) -> str:
    """Say how many times smaller clipping makes the noise, if it does."""
    times = _times(result)
    return f", {times} times smaller" if _saves(result) and times != "1" else ""


def _outline(result: UserScores) -> Line:
    """Return where the scores were that are cut."""
    x, y = np.repeat(result.edges, 2)[1:-1], np.repeat(result.outside, 2)
    there = (y > 0) | (np.append(y[1:], 0) > 0) | (np.append(0, y[:-1]) > 0)
    return Line(x, np.where(there, y, np.nan), wide=1.5, dash="dot", about=Subject.DANGER)


def _named(piles: Mapping[float, int], scores: Side) -> list[Mark]:
    """Say of each pile at an end how many users are cut to it."""
    marks = list[Mark]()
    for end, count in piles.items():
        if not count:
            continue
        who = "1 user" if count == 1 else f"{count:,} users"
        words = f"{who} cut to {readable(end)}", f"{count:,} cut"
        right = end > (scores.low + scores.high) / 2
        to, by = ("NW", -12) if right else ("NE", 12)
        marks.append(Text(words, end, count, to=to, shift=(by, -16), about=Subject.DANGER))
    return marks


def _bars(result: UserScores, counts: ArrayLike, **looks: Any) -> Bars:
    """Return how many users have a score, of some of them."""
    middles, width = (result.edges[1:] + result.edges[:-1]) / 2, np.diff(result.edges)
    return Bars(middles, counts, wide=0.92 * width, said="score %{x:.3~g}: %{y} users", **looks)


def _shifted(result: UserScores, scores: Side) -> list[Mark]:
    """Return how far the mean moves, between the rows of both means."""
    mean, whole = float(result.clipped.mean()), float(result.scores.mean())
    if not result.cut:
        return []
    first, last = sorted((mean, whole))
    before, after = ((end - scores.low) / (scores.high - scores.low) for end in (first, last))
    x, to, by = last, "E", 8.0
    if after > _ROOM:
        x, to, by = first, "W", -8.0
    if after > _ROOM and before < 1 - _ROOM:
        x, to, by = (first + last) / 2, "", 0.0
    looks: dict[str, Any] = {"about": Subject.DANGER}
    return [
        Rule(x=whole, y=(0.0, _HALF), wide=1.5, dash="dot", **looks),
        Rule(x=(mean, whole), y=_HALF, wide=4, **looks),
        Rule(x=mean, y=(_HALF, 1.0), wide=1.5, dash="dot", **looks),
        Text(
            f"mean {_off(result)}", x, _HALF, to=to, shift=(by, 0), small=True, backed=True, **looks
        ),
    ]


def _thresholds(result: UserScores, scores: Side, top: float) -> list[Mark]:
    """Return τ, and −τ where scores are cut at both ends; near to each other they share a name.

    Each begins above the users who are cut to it; top: the end of the axis.
    """
    ends = (result.low, result.threshold)
    if result.low < 0 and ends[1] - ends[0] < _TOO_NEAR * (scores.high - scores.low):
        names = ["", "", "±τ"]
    else:
        names = ["−τ" if result.low < 0 else "", "τ", ""]
    rules = [
        Rule(x=end, y=(float(result.piles.get(end, 0)), top), wide=2.5, dash="dash", called=name)
        for end, name in dict(zip(ends, names, strict=False)).items()
        if scores.holds(end)
    ]
    return [*rules, Text(names[2], sum(ends) / 2, Part(1), to="N")]


def _row(lane: _Lane, level: int, scores: Side) -> list[Mark]:
    """Return a mean with the noise on it, and its numbers beside it, or above if it is wide."""
    noise = f"±{readable(lane.noise)}"
    said = f"{lane.name}: mean %{{x:.3~g}} ± {readable(lane.noise)}"
    words = f"{lane.name}: {noise}{lane.smaller}", f"{lane.name}: {noise}"
    ends = lane.mean - lane.noise, lane.mean + lane.noise
    before, after = ((end - scores.low) / (scores.high - scores.low) for end in ends)
    x: float = Part(0)
    y, to, by = level + 0.2, "NE", 0.0
    if after < _ROOM:
        x, y, to, by = ends[1], level, "E", 8.0
    elif before > 1 - _ROOM:
        x, y, to, by = ends[0], level, "W", -8.0
    return [
        Dots([lane.mean], [level], off=[lane.noise], across=True, about=lane.subject, said=said),
        Text(words, x, y, to=to, shift=(by, 0), small=True, about=lane.subject),
    ]


def most_rivals(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say how many candidates the task has: no rank is lower."""
    of = {key: int(values[key]) for key in ("candidates", "domain_size")}
    return {"rival": float(make_task(values["task"], **of).errors.size)}


def hidden(result: UserScores) -> UserScores:
    """Return the result before the answer: all scores in full, and the noise that they need."""
    everybody = result.inside + result.outside
    none = np.zeros_like(everybody)
    return replace(result, inside=everybody, outside=none, piled=(0, 0), sensitivity=math.nan)


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
    pulled={"threshold": "at τ = #"},
    why="The noise has to hide the most that any one user could change a score: from minus τ to "
    "τ, where users can speak for and against. A small τ makes that less, and so the noise. But "
    "it cuts ordinary users, too, and then the mean no longer says what the users say.",
    idle=idle_controls,
    most=most_rivals,
    still=lambda result: result.cut == 0,
    people=lambda result: {
        "score": result.scores,
        "score, clipped": np.clip(result.scores, result.low, result.threshold),
    },
    prediction=Prediction(
        question="Each user may move a score by no more than τ, up or down. How many times "
        "smaller does the noise get that hides one user?",
        guess=Number(_SMALLER),
        hide=hidden,
        answer=answer,
        value=lambda result: result.unclipped_sensitivity / result.sensitivity,
        mark=guessed,
    ),
)
