"""What the view "One minimiser" says."""

from dpviz.plot.text import readable
from dpviz.topics.public_data.views.one_minimiser import OneMinimiserChart


def minimiser_takeaway(chart: OneMinimiserChart) -> str:
    """State the chance at the reader's ρ, and the bound."""
    bound, chance = chart.value("bound"), chart.value("simulated")
    seen = readable(chance) if chance else "a chance too small to be seen"
    published = "says nothing" if bound >= 1 else f"is {readable(bound)}"
    return (
        f"Here one example moves a perturbed minimiser by more than {readable(chart.here)} with "
        f"{'chance ' if chance else ''}{seen}; the published bound {published}."
    )


def minimiser_detail(chart: OneMinimiserChart) -> str:
    """State the sizes, and the interval of the estimate."""
    curve = chart.curve("simulated")
    at = abs(curve.x - chart.here).argmin()
    low, high = (float(curve.part(end)[at]) for end in ("_lower", "_upper"))
    return (
        f"Thresholds, n = {chart.samples:,}, m = {chart.public_points:,}: "
        f"{chart.draws:,} draws, 95% interval {readable(low)} to {readable(high)}."
    )


def minimiser_notes(_: OneMinimiserChart) -> list[str]:
    """Say what is compared, and what the bound is for."""
    return [
        "Both data sets are perturbed by the same Gaussian process, so that minimisers differ for "
        "the sake of the one example only. The distance is that on the public points, 2 at most; "
        "with functions ±1 it is twice the root of the share of points they disagree on.",
        "Proposition 1 holds for every class and every pair of data sets, and is Corollary 1 of "
        "Theorem 5, an anti-concentration of the minimum of a Gaussian process. Here κ = 1, one "
        "example moves the average loss by 1/n at most, and E sup ω is exact.",
        "The privacy of Algorithm 2 needs the mean of J minimisers, not one: see “The paper's "
        "noise”.",
    ]
