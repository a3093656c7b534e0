"""Samples in k categories: how close noisy histograms of two of them are."""

from dpviz.plot.chart import draw
from dpviz.plot.text import between, readable, upwards
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.views.close_histograms import (
    CategoriesChart,
    close_histograms,
)


def takeaway(chart: CategoriesChart) -> str:
    """State how close histograms of two fresh samples are."""
    [close], any_two = chart.claims, readable(chart.any_two)
    needed = upwards(close.upper)
    differ = f"In 95% of pairs noisy histograms of fresh samples differ by at most ε′ = {needed}"
    if any_two == needed:
        return f"{differ}, as those of any two data sets do."
    return f"{differ}, those of any two data sets by up to {any_two}."


def detail(chart: CategoriesChart) -> str:
    """State the numbers at the reader's k."""
    [close] = chart.claims
    known = between(close.lower, close.upper)
    return (
        f"With {readable(chart.here, 4)} equally likely categories the outputs on 95% of pairs of "
        f"samples are (ε′, δ′)-close at ε′ {known} (simulated). Proven for "
        f"every law on the categories is {readable(chart.value('proven'))}, and for any two data "
        f"sets {readable(chart.any_two)}."
    )


def notes(_: CategoriesChart) -> list[str]:
    """Say what the number of categories does."""
    return [
        "Every count gets Gaussian noise, so the divergence depends only on the Euclidean "
        "distance of the two histograms, whose square has the mean 2n(1 − 1/k). So the number "
        "of categories hardly matters; with more of them the distance varies less.",
        "Neighbouring data sets: one item is substituted, which moves the counts by √2.",
    ]


VIEW = View(
    key="categories",
    title="Samples in k categories",
    compute=close_histograms,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("categories", "samples", "sigma", "closeness_delta", "seed"),
)
