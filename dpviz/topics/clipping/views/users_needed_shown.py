"""Users needed against m: with clipping, without, and as the theorem says."""

import math

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.panels import Charted, stacked
from dpviz.plot.said_bars import BARS, Bar, said_bars
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, fixed, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.clipping.tasks_shown import TASK, idle_controls
from dpviz.topics.clipping.views.users_needed import UsersNeeded, users_needed


def takeaway(chart: UsersNeeded) -> str:
    """State the users needed with one example and with many."""
    claims = chart.claims
    if not claims:
        return "No number of users is measured yet."
    ours, many, few = chart.curve("clipped"), claims[0], claims[-1]
    known = np.flatnonzero(np.isfinite(ours.y))
    enough = _users(math.ceil(many.upper))
    is_one = enough == "1 user"
    said = f"{enough} with {_examples(ours.x[known[-1]])} {'is' if is_one else 'each are'} enough"
    if not many.is_below(few):
        return f"{said} for a good answer."
    less = "one" if ours.x[known[0]] == 1 else readable(ours.x[known[0]])
    return (
        f"{said} for a good answer; with {less} it takes at least {_users(math.ceil(few.lower))}."
    )


def detail(chart: UsersNeeded) -> str:
    """State what a good answer is, what clipping saves, and where the users fall fastest."""
    known = _known(chart)
    if not known.size:
        return ""
    ours, theirs = chart.curve("clipped"), chart.curve("unclipped")
    last = known[-1]
    sentence = (
        f"For an answer within α with probability 2/3 at m = {readable(ours.x[last])} about "
        f"{_users(ours.y[last])} are enough if they are clipped, and about "
        f"{_users(theirs.y[last])} if not."
    )
    steepest = chart.steepest
    if steepest is not None and chart.done == 1 and _signed(steepest.slope) != "0":
        sentence += (
            f" The number falls fastest from m = {readable(steepest.first)} to "
            f"{readable(steepest.last)}, with slope {_signed(steepest.slope)}."
        )
    return sentence


def _known(chart: UsersNeeded) -> NDArray[np.intp]:
    """Return the places where both numbers of users are measured."""
    both = np.isfinite(chart.curve("clipped").y) & np.isfinite(chart.curve("unclipped").y)
    return np.flatnonzero(both)


def _examples(m: float) -> str:
    return counted(m, "example")


def notes(chart: UsersNeeded) -> list[str]:
    """State every slope with its interval, the fitted constant, and what was given up."""
    lines = [
        f"Over a factor of ten or more in m the steepest slope measured is {_signed(s.slope)}, "
        f"with the intervals of its ends {_signed(s.lower)} to {_signed(s.upper)}; "
        "where that part begins, the theorem's "
        f"leading term has slope {_signed(s.expected)} (constants dropped)."
        for s in (chart.steepest,)
        if s is not None
    ]
    lines += [
        f"From m = {readable(s.first)} to {readable(s.last)} the theorem's leading term has "
        f"slope {_signed(s.expected)} (constants dropped); measured is {_signed(s.slope)}, with "
        f"the intervals of the ends {_signed(s.lower)} to {_signed(s.upper)}."
        for s in chart.slopes
    ]
    if np.isfinite(chart.constant):
        lines.append(
            "The dashed shape is the theorem's sum of terms times "
            f"{readable(chart.constant)}, fitted to the points. Each term hides its own constant, "
            "so the real bends lie elsewhere."
        )
    if np.isfinite(chart.curve("published").y).any():
        lines.append(
            "While τ is more than about m/2, clipping saves no noise: one user moves a Scheffé "
            "score by at most m. There the paper's own algorithm, which divides by 2τ, needs more "
            "users; elsewhere the two are the same."
        )
    lines.append(
        f"{chart.runs:,} data sets were drawn. At each n they are drawn until a confidence "
        "sequence of the success probability excludes 2/3; the interval holds the n still "
        "undecided."
    )
    lines.append(
        "The item-level line is n₁/m: the n₁ examples that item-level privacy needs, dealt out "
        "m to a user. It protects one example only. By Observation 28 no user-level algorithm "
        "needs fewer users if n₁ is optimal."
    )
    if chart.hopeless:
        lines.append(
            "Where a clipped point is missing, the search gave up. Either a τ that tight biases "
            "the scores, which more users do not mend, or too many users are needed."
        )
    return lines


def figure(chart: UsersNeeded, theme: Theme) -> Figure:
    """Draw the users of the headline as bars, and below them those at every m."""
    ours, theirs = chart.curve("clipped"), chart.curve("unclipped")
    known = np.flatnonzero(np.isfinite(ours.y))
    bars: list[Bar] = []
    if known.size:
        (first, last), claims = known[[0, -1]], chart.claims
        without = float((theirs.y if theirs.lower is None else theirs.lower)[last])
        unclipped = f"{readable(ours.x[last])} each, not clipped"
        told = f"at least {_users(math.ceil(without))}" if without > 0 else "not yet measured"
        few, many = (math.ceil(end) for end in (claims[-1].lower, claims[0].upper))
        bars = [
            Bar(f"{_examples(ours.x[first])} each: at least {_users(few)}", few, "muted"),
            Bar(f"{unclipped}: {told}", without, theirs),
            Bar(f"{_examples(ours.x[last])} each, clipped: {_users(many)}, enough", many, ours),
        ]
    above = "Users for a good answer: as measured"
    return stacked(theme, said_bars(bars, above=above, pixels=BARS), Charted(chart))


def _users(count: float) -> str:
    return counted(round(count), "user")


def _signed(value: float) -> str:
    return "0" if abs(value) < 0.005 else fixed(value, 2)


VIEW = View(
    key="needed",
    title="Users needed against m",
    compute=users_needed,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("epsilon", "alpha", "constant", *TASK, "seed"),
    in_sight=("epsilon", "alpha", "task"),
    why="With more examples the score of each user says more, while the sum of independent "
    "examples strays from its mean only by about the root of m: clipped there, it needs little "
    "noise. But one user has to be hidden however many examples there are, and that takes some "
    "users in any case.",
    idle=idle_controls,
    first_seconds=1.5,
)
