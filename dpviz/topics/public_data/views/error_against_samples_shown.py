"""Error against n: how the error of a private learner falls as examples are added."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import Sketch, View
from dpviz.topics.public_data.excess_errors import ErrorChart
from dpviz.topics.public_data.excess_errors_shown import error_notes
from dpviz.topics.public_data.experiment_shown import REST, SIZES, idle_of_shift
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.error_against_samples import error_against_samples

_SHORT = {
    "rrspm": "RRSPM",
    "perturbation": "Algorithm 2",
    "regularization": "Algorithm 3",
    "rspm": "RSPM",
    "non_private": "the plain optimiser",
}


def takeaway(chart: ErrorChart) -> str:
    """State the least error of the private learners at the reader's n, beside the optimiser's."""
    plain = chart.value("non_private")
    known = {name: chart.value(name) for name in chart.private}
    known = {name: error for name, error in known.items() if not math.isnan(error)}
    if math.isnan(plain) or not known:
        return f"{TASKS[chart.task]}: the first runs are under way."
    best = min(known, key=lambda name: known[name])
    return (
        f"With {chart.here:,.0f} private examples the best private learner, "
        f"{LEARNERS[best].partition(' (')[0]}, errs by {readable(known[best])} more than the best "
        f"rule there is; without privacy it is {readable(plain)}."
    )


def detail(chart: ErrorChart) -> str:
    """State every learner's error at the reader's n, and how often each calls the optimiser."""
    if math.isnan(chart.value("non_private")):
        return ""
    errors = [
        f"{_SHORT[name]} {readable(chart.value(name))} ({calls:,} call{'s' if calls != 1 else ''})"
        for name, calls in chart.calls.items()
        if not math.isnan(chart.value(name))
    ]
    return (
        f"{TASKS[chart.task]} from n = {chart.here:,.0f} private examples, mean excess error and "
        f"calls to the optimiser: {', '.join(errors)}."
    )


VIEW = View(
    key="samples",
    title="Error against n",
    compute=error_against_samples,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=error_notes,
    parameters=("task", "noise", *SIZES, "smoothness", *REST, "runs", "seed"),
    idle=idle_of_shift,
    first_seconds=1.0,
    sketch=Sketch(
        question="Draw how the excess error of a private learner falls as private examples are "
        "added.",
        curve="rrspm",
    ),
)
