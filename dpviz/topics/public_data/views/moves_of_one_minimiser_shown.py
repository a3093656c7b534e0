"""One minimiser: how far one example moves it, beside what bounds that."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import estimated, readable, upwards
from dpviz.scene.view import View
from dpviz.topics.public_data.views.moves_of_one_minimiser import (
    OneMinimiserChart,
    moves_of_one_minimiser,
)


def takeaway(chart: OneMinimiserChart) -> str:
    """State the chance at the reader's ρ, and the bound."""
    bound, [chance] = chart.value("theorem_5"), chart.claims
    how = f"with probability about {estimated(chance, 2)}"
    if not chance.value:
        how = f"in none of {chart.draws:,} draws"
    proved = "says nothing" if bound >= 1 else f"is {upwards(bound, 2)}"
    return (
        f"One example moves this perturbed minimiser by more than {readable(chart.here)} {how}; "
        f"the bound for all data {proved}."
    )


def detail(chart: OneMinimiserChart) -> str:
    """State the sizes, the interval of the estimate, the worst neighbour, and both bounds."""
    curve = chart.curve("simulated")
    at = abs(curve.x - chart.here).argmin()
    low, high = (float(curve.part(end)[at]) for end in ("_lower", "_upper"))
    unsound = ", not sound beyond ρ = √2," if chart.here > math.sqrt(2) else ""
    return (
        f"Thresholds, n = {chart.samples:,}, m = {chart.public_points:,}: {chart.draws:,} "
        f"draws, 95% interval {readable(low)} to {readable(high)}. Whichever example changes, "
        f"the probability is at most {upwards(chart.value('any'))}. Theorem 5 gives "
        f"{readable(chart.value('theorem_5'))}, Proposition 1{unsound} "
        f"{readable(chart.value('bound'))}."
    )


def notes(_: OneMinimiserChart) -> list[str]:
    """Say what is compared, and what the bounds are for."""
    return [
        "Both data sets are perturbed by the same Gaussian process, so minimisers differ only "
        "because of the one example. Distances are measured on the public points and are at "
        "most 2; for functions ±1 the distance is twice the root of the share of points on "
        "which they disagree.",
        "One example changes the average loss by at most 1/n, so what any neighbour minimises "
        "is within 2/n of the least here. “these data, any neighbour, at most” counts how often "
        "a threshold within that margin lies so far away. Theorem 5 bounds this probability for "
        "every class ±1 and all data, with E sup ω exact for thresholds.",
        "Proposition 1 is Corollary 1 of Theorem 5. Its proof puts ρ²/2 where Theorem 5 has ρ: "
        "up to ρ = √2 that only makes the bound larger, and beyond (grey) it is not sound. "
        "Theorem 5 "
        "itself gives the other curve.",
        "The privacy of Algorithm 2 needs the mean of J minimisers, not one: see “How much noise”.",
    ]


VIEW = View(
    key="minimiser",
    title="One minimiser",
    compute=moves_of_one_minimiser,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("samples", "public_points", "eta", "moved", "seed"),
    pulled={"moved": "more than # with"},
    why="One example hardly shifts what is minimised, so the minimiser moves far only if another "
    "function, far away, was nearly as good. Random noise on the objective makes such a near tie "
    "unlikely; the bounds say how unlikely, for any data.",
    in_sight=("moved", "eta", "samples"),
)
