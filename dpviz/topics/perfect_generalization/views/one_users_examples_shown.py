"""One user's m examples: how far one user's change moves the output."""

import math
from collections.abc import Mapping

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, readable
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.item_privacy_shown import holds_here, notes
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_with
from dpviz.topics.perfect_generalization.views.one_users_examples import (
    UserChart,
    one_users_examples,
)


def takeaway(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy."""
    if holds_here(chart, "group"):
        allows = f"must allow for ε = {readable(chart.group)}"
    else:
        allows = "promises nothing"
    examples = counted(chart.here, "example", digits=7)
    typical = f"Exchanging a typical user with {examples}"
    moves = f"{typical} changes the output's law by ε = {readable(chart.needed)} at most"
    if allows.endswith(f" {readable(chart.needed)}"):
        return f"{moves}, as much as group privacy must allow for any user."
    return f"{moves}. For any user, group privacy {allows}."


def detail(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy, and the slope."""
    group = readable(chart.group)
    allows = f"allows {group}" if holds_here(chart, "group") else "promises nothing at this δ′"
    examples = counted(chart.here, "example", digits=7)
    sentence = (
        f"Leaving out one user instead of another, with {examples} each, moves the output by "
        f"ε = {readable(chart.needed)} with probability 1 − β. Group privacy "
        f"{allows}."
    )
    if math.isfinite(chart.slope) and chart.needed > 0:
        sentence += f" Around there ε grows like m to the power {readable(chart.slope, 2)}."
    return sentence


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what belongs to the other noise."""
    return idle_with(values["noise"])


VIEW = View(
    key="users",
    title="One user's m examples",
    compute=one_users_examples,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "noise",
        "examples_per_user",
        "users",
        *ITEM,
        *CLOSE,
        "delta",
        "constant",
    ),
    in_sight=("examples_per_user", "users", "epsilon", "sigma"),
    pulled={"examples_per_user": "with # examples"},
    why="A user's examples come from the same source as everybody's, so the sums of two users "
    "differ only by chance, and this difference grows like the square root of the number of "
    "examples. Group privacy knows nothing of the source: it has to allow for a user whose "
    "examples all change at once.",
    idle=idle_controls,
)
