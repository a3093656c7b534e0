"""How many users it takes: how many users a choice needs by Theorem 10, and by other ways."""

import math
from collections.abc import Iterator, Sequence
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

_SIDE, _ROOM = 30, 1.2  # dots in a row, and times as many: the number beside them
_LABEL, _GAP = 2.2, 0.6  # rows, of words above the dots and below them
_APART = 0.4  # rows, between who is dropped and who is left
_ROWS = 16.0  # of all
_SPOKEN = 12  # so many dots in a row have room for words beside them
_THINGS = {
    "coin": "tell two coins apart",
    "threshold": "find the threshold",
    "category": "name the most frequent category",
}
_TESTED_COIN = (
    ("clipped", "clipped votes with noise", Subject.LAPLACE),
    ("majority", "majority vote by propose-test-release", Subject.USER_LEVEL),
)
_TESTED_CHOICE = (
    ("exponential", "clipped scores with noise", Subject.EARLIER),
    ("best", "best choice by propose-test-release", Subject.USER_LEVEL),
)
_DROPPING = {"majority": "vote", "best": "choice"}  # the ways with a test, and what must not change
_HIDING = {"clipped", "exponential"}
_EXACT = 1.5  # times the fewest users, up to which all digits of a number are said
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
            f"Clipped votes tell two coins apart with {_rounded(chart, needed['clipped'])}; what "
            "the test needs is not known yet."
        )
    return _beside(chart, "a majority vote", needed["majority"], "clipped votes", needed["clipped"])


def _takeaway_of_many(chart: NamingChart) -> str:
    """State the users of a learner that chooses among many, to the digits that a simulation has."""
    needed, thing = chart.needed, _THINGS[chart.learner]
    if math.isnan(needed["best"] + needed["exponential"]):
        return (
            f"To {thing} takes {_rounded(chart, needed['single'])} with one example each; what "
            "other ways need is not known yet."
        )
    tested = needed["best"], needed["exponential"]
    return _beside(chart, "a choice", tested[0], "clipped scores", tested[1])


def _beside(chart: NamingChart, choice: str, tested: float, clipped: str, noisy: float) -> str:
    """State what clipping takes, and a choice that the test makes private."""
    needs, need = _about(chart, tested), _about(chart, noisy)
    choice += " made private by propose-test-release"
    takes = f"So does {choice}" if need == needs else f"{choice.capitalize()} takes {needs}"
    thing = _THINGS[chart.learner]
    return f"To {thing}, {clipped} with noise take {_rounded(chart, noisy)}. {takes}."


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
    ways: tuple[tuple[str, str, Subject], ...] = _TESTED_CHOICE
    ways = _TESTED_COIN if chart.learner == "coin" else ways
    counts = [chart.needed[key] for key, _, _ in ways]
    unknown = chart.learner != "coin" and math.isnan(sum(counts))
    if unknown or not any(map(math.isfinite, counts)):
        name = f"only one {_example(chart)} of each user"
        ways = (*ways, ("single", name, Subject.ITEM_LEVEL))
    per = _per_dot(chart, [key for key, _, _ in ways])
    marks, foot = list[Mark](), 0.0
    for key, name, about in ways:
        foot -= _LABEL
        marks += [
            Text(_called(chart, key, name), -0.5, foot + 0.9, to="NE"),
            *_users_as_dots(chart, key, about, per, foot),
        ]
        foot -= _rows(*_parts(chart, key, per)) + _GAP
    panel = Panel(
        Side.bare(-1.0, _ROOM * _SIDE),
        Side.bare(-_ROWS, 0.0),
        marks,
        above=_task(chart, per),
    )
    return stacked(theme, panel, tall=0.8)


def _task(chart: NamingChart, per: int) -> tuple[str, str]:
    """Say what is to be found out from what, and for how many users a dot stands."""
    example, wrong, right = _example(chart), percent(0.5 - chart.lean), percent(0.5 + chart.lean)
    plural = f"{example}es" if example == "toss" else f"{example}s"
    each = f"{counted(chart.here, example, plural, digits=5)} each"
    task, short = {
        "coin": (
            f"A coin shows heads in {wrong} of tosses, or in {right}: which?",
            f"{wrong} or {right} heads?",
        ),
        "threshold": (
            f"Find the threshold from examples of which {right} have the right label.",
            f"Labels {right} right:",
        ),
        "category": (
            f"Which of 16 categories leads the others by {percent(chart.lean)} of all examples?",
            f"Which leads by {percent(chart.lean)}?",
        ),
    }[chart.learner]
    privacy = f"at ε = {readable(chart.epsilon)} and δ = {readable(chart.delta)}"
    dot = "" if per == 1 else f"; a dot is {per:,} users"
    return (
        f"{task}<br>Users needed to be right with probability {readable(chart.target)}, with "
        f"{each}, {privacy}{dot}",
        f"{short} {each[:1].upper()}{each[1:]}{dot}",
    )


def _example(chart: NamingChart) -> str:
    """Return what users hold."""
    return "toss" if chart.learner == "coin" else "example"


def _per_dot(chart: NamingChart, keys: Sequence[str]) -> int:
    """Return for how many users a dot stands: the first round number with room for all rows."""
    room = _ROWS - len(keys) * (_LABEL + _GAP)
    for per in (step * int(10**power) for power in range(9) for step in range(1, 10)):
        if sum(_rows(*_parts(chart, key, per)) for key in keys) <= room:
            return per
    raise AssertionError(chart.needed)  # no search looks for so many


def _parts(chart: NamingChart, key: str, per: int) -> tuple[int, int]:
    """Return how many dots are users who are dropped, and how many others."""
    count = chart.needed[key]
    dots = max(round(count / per), 1) if math.isfinite(count) else 0
    gone = min(round((chart.fewest - 1) / per), dots - 1) if _drops(chart, key) else 0
    return gone, dots - gone


def _rows(gone: int, left: int) -> float:
    """Return how many rows so many dots fill; words on those left have one if none is free."""
    rows = math.ceil(gone / _SIDE) + math.ceil(left / _SIDE) + _APART * (gone > 0)
    return max(rows + (gone > 0 and not _words_beside(left)), 1)


def _words_beside(left: int) -> bool:
    """Whether there is room for words beside the last row of those who are left."""
    return 0 < left % _SIDE <= _SPOKEN


def _called(chart: NamingChart, key: str, name: str) -> Words:
    """Name a way, with its interval if its users are measured, and what hides one user."""
    low, high = _interval(chart, key)
    full, short = f"<b>{name}</b>", f"<b>{name.partition(' by ')[0]}</b>"
    if low < high:
        full += f", {between(low, high)}"
    if _drops(chart, key):
        many = f"{chart.fewest - 1:,}"
        full += f": it must stay the same whichever {many} its test drops (×)"
        short += f": {many} dropped (×)"
    elif key in _HIDING:
        full += ": noise hides each user, nobody is dropped"
    return full, short


def _drops(chart: NamingChart, key: str) -> bool:
    """Whether a way is known to drop users."""
    return key in _DROPPING and math.isfinite(chart.needed[key])


def _users_as_dots(
    chart: NamingChart, key: str, about: Subject, per: int, top: float
) -> Iterator[Mark]:
    """Yield a way's users in rows from above: crosses who are dropped, below them who are left."""
    count, (gone, left) = chart.needed[key], _parts(chart, key, per)
    above, below = math.ceil(gone / _SIDE), math.ceil(left / _SIDE)
    foot = top - above - _APART * (gone > 0)
    if gone:
        look: dict[str, Any] = {"symbol": "x-thin-open", "edge": 1.5, "pale": 0.6}
        at = np.arange(gone) % _SIDE, top - np.arange(gone) // _SIDE
        yield Dots(*at, share=0.7, about="muted", said="dropped", **look)
    at = np.arange(left) % _SIDE, foot - np.arange(left) // _SIDE
    yield Dots(*at, share=0.7, about=about, said="counted")
    number = _about(chart, count)
    users = _rounded(chart, count) if math.isfinite(count) else number
    right, middle = min(max(gone, left), _SIDE) - 0.5, top - max(above + below - 1, 0) / 2
    said = f"<b>{users}</b>", f"<b>{number}</b>"
    yield Text(said, right, middle, to="E", shift=(8, 0), large=True, about=about)
    if gone:
        row = foot - below + 1
        place = ((left - 1) % _SIDE + 0.5, row) if _words_beside(left) else (-0.5, row - 1)
        yield Text(_who_is_left(chart, key), *place, to="E", shift=(6, 0), about=about)


def _who_is_left(chart: NamingChart, key: str) -> Words:
    """Say how many the test leaves, and that it is no matter who they are."""
    left, whose = chart.needed[key] - chart.fewest + 1, f"the {_DROPPING[key]} is the same"
    if left == 1:
        return f"1 user left: whoever it is, {whose}", "1 left"
    if chart.needed[key] >= _EXACT * chart.fewest:  # a number that is rounded
        return f"users left: whoever they are, {whose}", "left"
    return f"{left:,.0f} users left: whoever they are, {whose}", f"{left:,.0f} left"


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


def _about(chart: NamingChart, count: float) -> str:
    """Write a number of users: measured, but for the fewest that a test can have."""
    if not math.isfinite(count):
        return _users(count)
    return readable(count, 7 if count < _EXACT * chart.fewest else 3)


def _rounded(chart: NamingChart, count: float) -> str:
    """Write so many users as `_about` has their number; "not yet known" stands alone."""
    if math.isnan(count):
        return _users(count)
    return f"{_about(chart, count)} user{'s' * (count != 1)}"


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
