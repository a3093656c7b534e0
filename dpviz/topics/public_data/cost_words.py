"""What the view "What it costs" says."""

import math

from dpviz.plot.text import counted, readable
from dpviz.topics.public_data.learners import calls_of_a_run
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.cost import CostChart

_SHORT = {
    "rrspm": "RRSPM",
    "perturbation": "the perturbed learner",
    "regularization": "the regularised learner",
    "rspm": "RSPM",
}


def cost_takeaway(chart: CostChart) -> str:
    """State the seconds of two learners, or their calls as long as nothing has been timed."""
    pair = ("regularization" if chart.task == "regression" else "rrspm", "perturbation")
    seconds = [chart.seconds.value(f"{name}_seconds") for name in pair]
    if any(map(math.isnan, seconds)):
        few, many = (calls_of_a_run(name, chart.averages) for name in pair)
        return (
            f"However much data there is, a run of {_SHORT[pair[0]]} makes {few} calls of the "
            f"optimiser, and one of {_SHORT[pair[1]]} {many:,}."
        )
    return (
        "Calls do not grow with the data, only their time: with "
        f"{chart.samples:,} private examples a run of {_SHORT[pair[0]]} takes "
        f"{_time(seconds[0])} on this machine, of {_SHORT[pair[1]]} {_time(seconds[1])}."
    )


def cost_detail(chart: CostChart) -> str:
    """State calls and seconds of every learner, and what there is without an optimiser."""
    told = []
    for name in chart.learners:
        calls = calls_of_a_run(name, chart.averages)
        seconds = chart.seconds.value(f"{name}_seconds")
        took = "" if math.isnan(seconds) else f", {_time(seconds)}"
        told.append(f"{_SHORT[name]} {counted(calls, 'call', digits=7)}{took}")
    without = [
        f" Without an optimiser {chart.value(curve.key):,.0f} functions would have to be scored."
        for curve in chart.curves
        if curve.key == "scores"
    ]
    return (
        f"{TASKS[chart.task]}, n = {chart.samples:,} and m = {chart.public_points:,}: "
        f"{'; '.join(told)}.{''.join(without)}"
    )


def cost_notes(chart: CostChart) -> list[str]:
    """Say what is exact and what was measured, and how."""
    timed = f"medians of {chart.rounds or 'up to 3'} fresh data sets, from the least to the most"
    if chart.rounds == 1:
        timed = "on 1 fresh data set so far"
    return [
        "Calls are exact: they follow from the algorithm alone, and every run counts them. RRSPM "
        "and Algorithm 3 minimise once and project once, RSPM needs no projection, Algorithm 2 "
        "averages J minimisers. How large J must be for an error α, the theorem does say: see "
        "“The theorems' settings”.",
        "Grey: how many ways there are to label the m public points. The exponential mechanism, "
        "private and without an optimiser, scores each of them; the number grows like m to the VC "
        "dimension of the class.",
        "Seconds are those of the processor, one thread, measured where this page runs: "
        f"{timed}, a tenth of the labels wrong. They differ from one visit to the next. "
        "Algorithm 2: its first call is timed once and counted J times; many calls on the "
        "same data can be had for less.",
    ]


def _time(seconds: float) -> str:
    """Write a time in milliseconds, seconds or minutes."""
    if seconds < 0.1:
        return f"{readable(1000 * seconds, 2)} ms"
    return f"{readable(seconds, 2)} s" if seconds < 120 else f"{readable(seconds / 60, 2)} min"
