"""Parity: the users who learn it where nobody is trusted, against its bits."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import between, downwards, readable, upwards
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart, users_to_learn_parity


def takeaway(chart: ParityChart) -> str:
    """State the users that suffice at the reader's d, and how few do not with one example each."""
    d = int(chart.here)
    if not chart.runs:
        return "The first runs are under way."
    if not math.isfinite(chart.users.upper):
        least = downwards(chart.users.lower)
        return f"With nobody trusted, a parity of {d} bits takes at least {least} users."
    begin = (
        f"{upwards(chart.users.upper)} users with many examples each learn a parity of {d} bits, "
        "though nobody is trusted"
    )
    few = chart.item[1]
    if few <= chart.users.upper:
        return f"{begin}."
    return f"{begin}; with one each, {downwards(few)} are too few if all speak at once."


def detail(chart: ParityChart) -> str:
    """State the interval of the users needed, and what users with one example each need."""
    d = int(chart.here)
    users = "it is not known yet how many users suffice"
    if chart.runs:
        users = f"{between(chart.users.lower, chart.users.upper, 4)} users suffice"
    in_turn, at_once, many = chart.item
    return (
        f"For the {2**d:,} parities on d = {d} bits {users} in the local model when each "
        "holds many examples; the number grows like d. With one example each it doubles with "
        f"every bit: {downwards(at_once)} users are too few if all speak at once, "
        f"{downwards(in_turn)} if one may be asked after another; {readable(many, 7)} are enough, "
        "even if all speak at once."
    )


def notes(chart: ParityChart) -> list[str]:
    """Say what is simulated, what is proven and what is a shape."""
    return [
        "Points: the smallest group from which on a share 1 − β = "
        f"{readable(1 - chart.beta, 4)} of the runs releases the right parity. Each interval "
        "ends at the smallest group for which that is certain, and begins behind the largest "
        "below it for which that is excluded (Clopper-Pearson at 95% for each group), or where "
        "either is proved.",
        f"The green line is proved: {readable(chart.proved, 5)} users certainly learn a parity "
        f"of {chart.largest} bits. Each solves linear equations, and votes if exactly one "
        "parity fits. The tail of every rival is exact, and a union bound adds the tails up, so "
        "nothing of size 2^d is listed.",
        "One example each, enough: the users are dealt into equal groups, one for each of the "
        "2^d parities. They are asked whether their label agrees with that parity, and answer "
        "with randomised response; the number is exact. One example each, too few: proven with "
        "all constants for every learner that hears each user once, where the paper says "
        "2^Ω(d). If all speak at once, as they do in those groups, both numbers grow alike. If "
        "users may be asked one after another, a factor d remains between them.",
        "The black line holds for every learner, however many examples users hold: no function "
        "is good for two parities (from α = 1/4 on, none is good for more than 1/(1 − 2α)² of "
        "them).",
        "Dashed: a shape, times C.",
        "Parities other than the target misclassify half of all examples, so a few dozen "
        "examples make all users sure. Here the theorem needs shared darts, the data do not.",
    ]


VIEW = View(
    key="parity",
    title="Parity",
    compute=users_to_learn_parity,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("bits", "epsilon", "examples_per_user", *ACCURACY, "constant", "runs", "seed"),
    in_sight=("bits", "epsilon", "examples_per_user"),
    pulled={"bits": "parity of # bits"},
    why="A private message about one example says hardly anything about any one of so many "
    "parities, so exponentially many users are needed. A user with many examples knows the "
    "parity, and only their vote for it has to be private.",
    first_seconds=2.5,
)
