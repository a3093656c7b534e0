"""Parity: the users who learn it where nobody is trusted, against its bits."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.simulated_shown import users_between
from dpviz.topics.few_users.views.users_to_learn_parity import ParityChart, users_to_learn_parity


def takeaway(chart: ParityChart) -> str:
    """State the users that suffice at the reader's d, and how few do not with one example each."""
    d = int(chart.here)
    if math.isnan(chart.fewest):
        return "The first runs are under way."
    if not math.isfinite(chart.needed):
        return f"No group simulated is large enough to learn a parity of {d} bits in private."
    begin = (
        f"{readable(chart.needed, 4)} users with many examples each learn a parity of {d} bits, "
        "though nobody is trusted"
    )
    if chart.going_on:
        enough = users_between(chart.fewest, chart.most)
        begin = f"With nobody trusted, a parity of {d} bits takes {enough} with many examples each"
    few = _down(chart.item[1])
    if few <= chart.needed:
        return f"{begin}."
    one = "one each" if chart.going_on else "one example each"
    return f"{begin}; with {one}, {few:,} are too few if all speak at once."


def _down(value: float) -> int:
    """Round down to three digits: of a number of users who are too few, fewer are as well."""
    unit = int(10 ** max(math.floor(math.log10(max(value, 1.0))) - 2, 0))
    return math.floor(value / unit) * unit


def detail(chart: ParityChart) -> str:
    """State the interval of the users needed, and what users with one example each need."""
    d = int(chart.here)
    simulated = "no group simulated suffices"
    if math.isnan(chart.fewest):
        simulated = "it is not known yet how many users suffice"
    if math.isfinite(chart.needed):
        upper = readable(chart.most, 4) if math.isfinite(chart.most) else "more"
        simulated = (
            f"{readable(chart.needed, 4)} users ({readable(chart.fewest, 4)} to {upper}) suffice"
        )
    in_turn, at_once, many = chart.item
    return (
        f"For the {2**d:,} parities on d = {d} bits {simulated} in the local model when each "
        "holds many examples; the number grows like d. With one example each it doubles with "
        f"every bit: {_down(at_once):,} users are too few if all speak at once, "
        f"{_down(in_turn):,} if one may be asked after another; {readable(many, 7)} are enough, "
        "even if all speak at once."
    )


def notes(chart: ParityChart) -> list[str]:
    """Say what is simulated, what is proven and what is a shape."""
    return [
        "Points: the smallest group from which on a share 1 − β = "
        f"{readable(1 - chart.beta, 4)} of the runs releases the right parity. Each interval "
        "goes from the smallest group for which that cannot be excluded to the smallest for "
        "which it is certain (Clopper-Pearson at 95% for each group).",
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
