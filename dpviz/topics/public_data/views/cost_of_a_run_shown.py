"""What it costs: calls of the optimiser, and the seconds they take."""

import math

from dpviz.plot.panels import stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.public_data.learners import calls_of_a_run
from dpviz.topics.public_data.learners_shown import CALLED
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.cost_of_a_run import CostChart, cost_of_a_run, headliners


def takeaway(chart: CostChart) -> str:
    """State the seconds of two learners, or their calls as long as nothing has been timed."""
    pair = headliners(chart.task)
    seconds = [chart.seconds.value(f"{name}_seconds") for name in pair]
    if any(map(math.isnan, seconds)):
        few, many = (calls_of_a_run(name, chart.averages) for name in pair)
        often = "as often" if few == many else f"{many:,} times"
        return (
            f"However much data there is, a run of {CALLED[pair[0]]} calls the optimiser {few} "
            f"times, one of {CALLED[pair[1]]} {often}."
        )
    digits = 1 if chart.going_on else 2
    return (
        f"More data take longer calls, not more: with {chart.samples:,} private examples "
        f"a run of {CALLED[pair[0]]} takes {_time(seconds[0], digits)} on this machine, one of "
        f"{CALLED[pair[1]]} {_time(seconds[1], digits)}."
    )


def detail(chart: CostChart) -> str:
    """State calls and seconds of every learner, and what there is without an optimiser."""
    costs = []
    for name in chart.learners:
        calls = calls_of_a_run(name, chart.averages)
        seconds = chart.seconds.value(f"{name}_seconds")
        took = "" if math.isnan(seconds) else f", {_time(seconds)}"
        costs.append(f"{CALLED[name]} {counted(calls, 'call', digits=7)}{took}")
    without = [
        f" Without an optimiser {chart.value(curve.key):,.0f} functions would have to be scored."
        for curve in chart.curves
        if curve.key == "scores"
    ]
    return (
        f"{TASKS[chart.task]}, n = {chart.samples:,} and m = {chart.public_points:,}: "
        f"{'; '.join(costs)}.{''.join(without)}"
    )


def notes(chart: CostChart) -> list[str]:
    """Say what is exact and what was measured, and how."""
    timed = (
        f"medians of {chart.rounds or 'up to 3'} fresh data sets, with bars from the least to "
        "the most"
    )
    if chart.rounds == 1:
        timed = "on 1 fresh data set"
    return [
        "Calls are exact: they follow from the algorithm alone, and every run counts them. "
        "RRSPM (Algorithm 4) and regularisation (Algorithm 3) minimise once and project once, RSPM "
        "(Algorithm 5) needs no projection, perturbation (Algorithm 2) averages J minimisers. How "
        "large J must be for an error α is said by the theorem: see “Sample complexity”, one "
        "theorem.",
        "Grey: how many ways there are to label the m public points. The exponential mechanism, "
        "private and without an optimiser, scores each of them; the number grows like m to the VC "
        "dimension of the class.",
        "Seconds are processor time of one thread, measured where this page runs, with a tenth "
        f"of the labels wrong: {timed}. They differ from one visit to the next. For Algorithm 2 "
        "the first call is timed once and counted J times; many calls on the same data could be "
        "made faster.",
    ]


def _time(seconds: float, digits: int = 2) -> str:
    """Write a time in milliseconds, seconds or minutes."""
    if seconds < 0.1:
        return f"{readable(1000 * seconds, digits)} ms"
    minutes = seconds / 60
    return f"{readable(seconds, digits)} s" if minutes < 2 else f"{readable(minutes, digits)} min"


def figure(chart: CostChart, theme: Theme) -> Figure:
    """Draw the calls of a run, and below them its seconds."""
    return stacked(theme, chart, chart.seconds)


VIEW = View(
    key="cost",
    title="What it costs",
    compute=cost_of_a_run,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "task",
        "along",
        "samples",
        "public_points",
        "averages",
        "epsilon",
        "eta",
        "seed",
    ),
    in_sight=("samples", "public_points", "along"),
    why="The algorithm fixes how often it asks the optimiser, whatever the data are; each question "
    "then takes as long as the optimiser needs for so many examples. Without an optimiser, every "
    "way to label the public points would need a score of its own.",
    first_seconds=0.4,
    timed=True,
)
