"""How many users it takes: how many users a choice needs by Theorem 10, and by other ways."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.plot.marks import Dots, Mark, Text, Words
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import between, counted, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.users_to_name_coins import NamingChart
from dpviz.topics.propose_test_release.views.items_to_users import items_to_users

_SIDE, _ROOM = 30, 1.14  # dots in a row, and times as many: the number beside them
_LABEL, _GAP = 2.2, 0.6  # rows, of words above the dots and below them
_ROWS = 15.0  # of all
_THINGS = {
    "coin": "tell two coins apart",
    "threshold": "find the threshold",
    "category": "name the most frequent category",
}
_TESTED_COIN = (
    ("clipped", "clipped votes with noise", Subject.LAPLACE),
    ("majority", "majority vote, tested by propose-test-release", Subject.USER_LEVEL),
)
_TESTED_CHOICE = (
    ("exponential", "clipped scores with noise", Subject.EARLIER),
    ("best", "best choice, tested by propose-test-release", Subject.USER_LEVEL),
)
_SIGN = "×"
_LEAVING_OUT = {"majority", "best"}
_MOSTLY = 1.5  # times the fewest users, up to which most are left out
_NOTES_ON_MANY = [
    "One choice is a threshold among 16 points, where each label is right with probability 1/2 "
    "+ b. The exponential mechanism chooses it by the errors (Theorem 9), and two points off "
    "still counts as right. The other is the most frequent of 16 categories, which leads by b, "
    "by a histogram with Laplace noise. Both are private for one example.",
    "The best choice on the data has no noise at all. Algorithm 1 is run around it 60 times. A "
    "set is stable if no further deletion changes the choice, which a sort decides for each "
    "rival. One set has to serve against all rivals. Where the search finds none, although one "
    "may exist, the run counts as refused.",
    "Clipped scores use more knowledge: that every user's score difference of two candidates is "
    "near its mean. The exponential mechanism on them (Theorem 37), at the best of a few τ, "
    "needs no test.",
    "With our constants, ε′ is so small that all sets of users are stable on 95% of data sets. "
    "That is Hoeffding's inequality for all thresholds, or all sets of categories, and all "
    "pairs of sets at once. By Lemma 19 DelStab is right as often as the learner on n − 4κ "
    "users, less 5%, which is subtracted. How often the learner is right is simulated in 200 "
    "runs.",
    "With the constants of the proofs, ε′ comes from Theorem 17 at r = 4κ. The learner sees a "
    "random share η of the examples, for which its ε may be about 1/η times larger (Theorem 7). "
    "The proof needs this step to get rid of a logarithm; it saves no users.",
    "Group privacy runs the learner with ε/m, so its privacy loss for a single user is at most "
    "ε. Neighbouring data sets: one user is substituted, with all examples; ⊥ counts as an "
    "error.",
]


def takeaway(chart: NamingChart) -> str:
    """State what clipping needs, and what DelStab does."""
    needed = chart.needed
    if chart.learner != "coin":
        return _takeaway_of_many(chart)
    if math.isnan(needed["majority"]):
        return (
            f"Clipped votes tell two coins apart with {_some(needed['clipped'])}; what the "
            "test needs is not known yet."
        )
    return _beside(chart, "a majority vote", needed["majority"], "clipped votes", needed["clipped"])


def _takeaway_of_many(chart: NamingChart) -> str:
    """State the users of a learner that chooses among many, to the digits that a simulation has."""
    needed, thing = chart.needed, _THINGS[chart.learner]
    if math.isnan(needed["best"] + needed["exponential"]):
        return (
            f"To {thing} takes {_some(needed['single'])} with one example each; what "
            "other ways need is not known yet."
        )
    tested = needed["best"], needed["exponential"]
    return _beside(chart, "the best choice", tested[0], "clipped scores", tested[1])


def _beside(chart: NamingChart, choice: str, tested: float, clipped: str, noisy: float) -> str:
    """State what a choice needs that the test makes private, beside clipping."""
    needs, need, thing = _about(tested), _about(noisy), _THINGS[chart.learner]
    if need == needs:
        return (
            f"To {thing}, {clipped} with noise and {choice} tested by propose-test-release need "
            f"{need} users each."
        )
    if _mostly_dropped(chart, tested) and math.isfinite(noisy):
        return (
            f"To {thing}, {choice} with propose-test-release needs {needs} users, as its test "
            f"always drops {chart.fewest - 1:,}. {clipped.capitalize()} with noise need {need}."
        )
    ways = f"{clipped.capitalize()} with noise {thing} with {need} users"
    if not math.isfinite(noisy):
        ways = f"{clipped.capitalize()} with noise need {need} users to {thing}"
    return f"{ways}. {choice.capitalize()} tested by propose-test-release needs {needs}."


def _mostly_dropped(chart: NamingChart, count: float) -> bool:
    """Whether the test drops most of so many users."""
    return chart.fewest <= count < _MOSTLY * chart.fewest


def detail(chart: NamingChart) -> str:
    """State what every way needs at the reader's m, and from where on DelStab pays."""
    needed = chart.needed
    others = "one toss each" if chart.learner == "coin" else "one example each and group privacy"
    pays = f"From m = {readable(chart.pays_from, 5)} on DelStab needs no more than {others}."
    if math.isnan(chart.pays_from):
        pays = f"At no m drawn does DelStab need as few as {others}." if chart.done == 1 else ""
    counted = (_proven if chart.learner == "coin" else _users)(needed["proof"])
    proof = f"with the constants of the proofs{_share(chart)} {counted}"
    if chart.learner != "coin":
        return (
            f"Users needed for success with probability {readable(chart.target)} at m = "
            f"{readable(chart.here, 5)}: DelStab around the best choice {_some(needed['best'])} "
            f"(never fewer than 4κ + 1 = {chart.fewest:,}), around the private learner with our "
            f"constants {_users(needed['learner'])}{_passed(chart)}, {proof}. Without a test: one "
            f"example each {_users(needed['single'])}, group privacy {_users(needed['plain'])}, "
            f"the clipped exponential mechanism {_users(needed['exponential'])}. {pays}"
        )
    return (
        f"Users needed to name the coin with probability {readable(chart.target)} at m = "
        f"{readable(chart.here, 5)}: DelStab around the majority {_some(needed['majority'])} "
        f"(simulated; never fewer than 4κ + 1 = {chart.fewest:,}). Around the private learner "
        f"of Theorem 10: {_proven(needed['learner'])}, {proof}. Without a test: noise on the whole "
        f"sum {_users(needed['plain'])}, the clipped exponential mechanism "
        f"{_users(needed['exponential'])}. {pays}"
    )


def _passed(chart: NamingChart) -> str:
    """Say how often the test lets everything pass at the users of the private learner."""
    if math.isnan(chart.passed):
        return ""
    return f" (all sets were stable on {percent(chart.passed)} of data sets)"


def _share(chart: NamingChart) -> str:
    """Say which share of the examples the learner is given, if not all."""
    return "" if chart.share == 1 else f" and a share {readable(chart.share)} of the examples"


def notes(chart: NamingChart) -> list[str]:
    """Say what is run, what is proven, and what is compared."""
    if chart.learner != "coin":
        return _NOTES_ON_MANY
    return [
        "Theorem 10 makes the learner so private for single tosses that nearly all data are "
        "stable. But DelStab protects any algorithm: around the plain majority, which has no "
        "noise at all, it needs far fewer users, as data with a clear majority are stable.",
        "A set of users counts as stable only where a sort proves it. Either the learner's "
        "privacy loss times the spread is at most ε̄, or no further deletion can turn the "
        "majority. The promise of Lemma 18 holds all the same.",
        "Clipped votes use more knowledge: that every user's heads less tails are near 0. Where "
        "that much is known about the data, clipping is better than DelStab at every m here.",
        "Neighbouring data sets: one user is substituted, with all tosses. Noise on sums is pure, "
        "δ = 0; ⊥ counts as an error.",
    ]


def figure(chart: NamingChart, theme: Theme) -> Figure:
    """Draw the users of the headline as dots, with how many beside them."""
    coin = chart.learner == "coin"
    example, plural = ("toss", "es") if coin else ("example", "s")
    ways: tuple[tuple[str, str, Subject], ...] = _TESTED_COIN if coin else _TESTED_CHOICE
    if not any(math.isfinite(chart.needed[key]) for key, _, _ in ways):
        ways = (*ways, ("single", f"only one {example} of each user", Subject.ITEM_LEVEL))
    counts = [chart.needed[key] for key, _, _ in ways]
    per = _per_dot([count for count in counts if math.isfinite(count)], len(ways))
    marks, foot = list[Mark](), 0.0
    for key, name, about in ways:
        drawn, rows = _users_as_dots(chart, key, about, per, foot - _LABEL)
        marks += [Text(_called(chart, key, name), -0.5, foot - _LABEL + 0.9, to="NE"), *drawn]
        foot -= _LABEL + rows + _GAP
    each = f"Users needed, with {counted(chart.here, example, f'{example}{plural}', digits=5)} each"
    right = f"right with probability {readable(chart.target)}"
    privacy = f"at ε = {readable(chart.epsilon)} and δ = {readable(chart.delta)}"
    task = each.replace("needed", f"needed to {_THINGS[chart.learner]}", 1)
    dot = "" if per == 1 else f"; a dot is {per:,} users"
    panel = Panel(
        Side.bare(-1.0, _ROOM * _SIDE),
        Side.bare(-_ROWS, 0.0),
        marks,
        above=(f"{task}, {right}, {privacy}{dot}", f"{each}{dot}"),
    )
    return stacked(theme, panel, tall=0.75)


def _per_dot(counts: Sequence[float], ways: int) -> int:
    """Return for how many users a dot stands: the first round number with room for all rows."""
    room = _ROWS - ways * (_LABEL + _GAP)
    rounds = (step * int(10**power) for power in range(9) for step in range(1, 10))
    for per in rounds:
        dots = (max(round(count / per), 1) for count in counts)
        if sum(math.ceil(each / _SIDE) for each in dots) <= room:
            return per
    raise AssertionError(counts)  # no search looks for so many


def _called(chart: NamingChart, key: str, name: str) -> Words:
    """Name a way, with its interval if its users are measured, and how many users it drops."""
    low, high = _interval(chart, key)
    full, short = name, name.partition(", tested")[0]
    if low < high:
        full += f", {between(low, high)}"
    if _drops(chart, key):
        dropped = f"{chart.fewest - 1:,} dropped ({_SIGN})"
        full += f": {dropped}, the price of its test"
        short += f": {dropped}"
    return full, short


def _drops(chart: NamingChart, key: str) -> bool:
    """Whether a way is known to drop users."""
    return key in _LEAVING_OUT and math.isfinite(chart.needed[key])


def _users_as_dots(
    chart: NamingChart, key: str, about: Subject, per: int, top: float
) -> tuple[list[Mark], int]:
    """Return a way's users in rows from above, those dropped as crosses, and how many rows."""
    count = chart.needed[key]
    known = math.isfinite(count)
    dots = max(round(count / per), 1) if known else 0
    x, y = np.arange(dots) % _SIDE, top - np.arange(dots) // _SIDE
    gone = min(round((chart.fewest - 1) / per), dots - 1) if _drops(chart, key) else 0
    rows = max(math.ceil(dots / _SIDE), 1)
    beside, middle = min(dots, _SIDE) - 0.5, top - (rows - 1) / 2
    look: dict[str, Any] = {"share": 0.7, "about": about}
    many: dict[str, Any] = {"to": "E", "shift": (8, 0), "large": True, "about": about}
    return [
        Dots(x[:gone], y[:gone], symbol="x-thin-open", edge=2.0, said="dropped", pale=0.7, **look),
        Dots(x[gone:], y[gone:], said="counted", **look),
        Text(f"<b>{_about(count)}</b>", beside, middle, **many),
    ], rows


def _interval(chart: NamingChart, key: str) -> tuple[float, float]:
    """Return between which users a measured number lies; NaN if it is no measured one."""
    for curve in chart.curves:
        if curve.key == key and curve.lower is not None and curve.upper is not None:
            at = curve.x == chart.here
            return float(curve.lower[at][0]), float(curve.upper[at][0])
    return math.nan, math.nan


def _users(count: float) -> str:
    """Write a number of users; infinity is more than were looked for, NaN not known yet."""
    if math.isnan(count):
        return "not yet known"
    return f"{count:,.0f}" if math.isfinite(count) else "too many"


def _some(count: float) -> str:
    """Write so many users; "not yet known" stands alone."""
    if math.isfinite(count):
        return counted(count, "user", digits=7)
    return _users(count) if math.isnan(count) else "too many users"


def _about(count: float) -> str:
    """Write a number of users that is measured."""
    return readable(count) if math.isfinite(count) else _users(count)


def _proven(count: float) -> str:
    return f"{readable(count)} (proven)" if math.isfinite(count) else "too many to count"


VIEW = View(
    key="naming",
    title="How many users it takes",
    compute=items_to_users,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "learner",
        "repeats",
        "lean",
        "task_epsilon",
        "promised_delta",
        "success",
        "subsample",
        "seed",
    ),
    in_sight=("repeats", "learner", "lean"),
    why="A choice is safe from one user as soon as the rest agree on it by a wide margin, so the "
    "test can protect even a learner without noise. But it must leave many users out, and needs "
    "more than that to begin with. Where each user's vote can be clipped, clipping needs fewer.",
)
