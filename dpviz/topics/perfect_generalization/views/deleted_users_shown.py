"""Deleting r users: what each of them costs when several are left out together."""

from collections.abc import Mapping

from dpviz.plot.chart import draw
from dpviz.plot.text import estimated, hundredths, readable, upwards
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.views.deleted_users import DeletionsChart, deleted_users

_A_SHIFT = "Dropping a different user can shift the sum by"
_OTHERS = {
    "histogram": "a histogram of six categories with Laplace noise of scale 2/ε′",
    "threshold": "a choice among nine thresholds by the exponential mechanism",
}
_RELEASED_NOTES = {
    "sum": (
        "With noise on a sum, the loss is ε′ times the spread: the sum of the r largest users "
        "less that of the r smallest. That is how much two sums without r users each can differ."
    ),
    "histogram": (
        "The loss is ε′/2 times the largest distance of two histograms without r users each. "
        "That distance is the largest spread of the counts' sum with any signs, found exactly "
        "on every data set."
    ),
    "threshold": (
        "Examples are equally likely on a grid of eight; a sample is 1 if its label is right. "
        "The upper points move every lead of one threshold over another as far as deletions "
        "can, so no two sets are farther apart. The lower points are attained by two sets that "
        "were found."
    ),
}


def takeaway(chart: DeletionsChart) -> str:
    """State how the loss per deleted user falls."""
    if chart.released != "sum":
        return f"{_one_costs(chart)}; {_several_cost(chart)}."
    if chart.here == 1:
        several = (
            "Each of a few counts for as much"
            if _a_few_count_alike(chart)
            else "Each of several counts for less"
        )
        return f"{_A_SHIFT} {readable(chart.single)}. {several}."
    return (
        f"{_A_SHIFT} {readable(chart.single)}. Dropping a different set of {readable(chart.here)} "
        f"shifts it by {estimated(chart.claims[-1])} per user."
    )


def _one_costs(chart: DeletionsChart) -> str:
    single = estimated(chart.claims[0])
    if single == "1":
        return "Dropping a different user costs no more than the privacy loss of one example"
    return f"Dropping a different user costs up to {single} times the privacy loss of one example"


def _a_few_count_alike(chart: DeletionsChart) -> bool:
    """Whether two users together count for as much each as one alone."""
    return readable(float(chart.curve("spread").y[:2][-1])) == readable(chart.single)


def _several_cost(chart: DeletionsChart) -> str:
    """Compare the cost of each of several users with that of one alone."""
    if chart.here == 1 and _a_few_count_alike(chart):
        return "of a few, each costs as much"
    if chart.here == 1:
        return "of several, each costs less"
    alone, together = chart.claims
    several = f"{estimated(together)} times" if together.is_apart(alone) else "about as much"
    return f"dropping a different set of {readable(chart.here)} costs {several} per user"


def detail(chart: DeletionsChart) -> str:
    """State how much of the theorem's factor is real."""
    many = chart.here > 1
    if chart.released != "sum":
        and_at = f" and {readable(chart.several)} ε′ r at r = {readable(chart.here)}"
        return (
            f"On 95% of the data sets drawn, of {chart.users:,} users each, "
            f"{_OTHERS[chart.released]} is (r, ε, 0)-local-deletion DP at "
            f"ε = {readable(chart.single)} ε′ for r = 1{and_at if many else ''} (simulated)"
            f"{_real_part(chart) if many else '.'}"
        )
    exact = f"the spread per deleted user is at most {upwards(chart.single)} at r = 1 (exact)"
    if not many:
        return f"On 95% of data sets of {chart.users:,} users {exact}."
    return (
        f"On 95% of data sets of {chart.users:,} users {exact}. On 95% of those drawn it is at "
        f"most {upwards(chart.several)} at r = {upwards(chart.here)} (simulated)"
        f"{_real_part(chart)}"
    )


def _real_part(chart: DeletionsChart) -> str:
    """Say how much of the factor r of several users there is."""
    share = chart.several / chart.single if chart.single else 1.0
    part = f"{hundredths(share)}%" if share < 1 else "all"
    return f": {part} of the factor r in Theorem 17 is real here."


def notes(chart: DeletionsChart) -> list[str]:
    """Say what the loss is, and why it falls."""
    return [
        _RELEASED_NOTES[chart.released],
        "Only one user can be the very largest: the r-th largest lies nearer to the middle. The "
        "proof of Theorem 17 counts pairs of sets, of which there are about (n/r)^(2r), and "
        "then replaces ln(n/r) by ln n; the proven curve keeps ln(n/r).",
    ]


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what only some of what is released depends on: ε of a choice, the rate of bits."""
    idle = set() if values["released"] == "threshold" else {"epsilon"}
    return idle | ({"rate"} if values["released"] == "histogram" else set())


def most_deleted(values: Mapping[str, Value]) -> Mapping[str, float]:
    """Say that at most half of the users are deleted."""
    return {"deleted": int(values["users"]) // 2}


VIEW = View(
    key="deletions",
    title="Deleting r users",
    compute=deleted_users,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "released",
        "deleted",
        "users",
        "examples_per_user",
        "epsilon",
        "rate",
        "seed",
    ),
    idle=idle_controls,
    most=most_deleted,
    pulled={"deleted": "set of # shifts"},
)
