"""Where clipping helps: up to which correlation within users, for every m."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import View
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.views.where_clipping_helps import (
    WhereClippingHelps,
    where_clipping_helps,
)


def takeaway(chart: WhereClippingHelps) -> str:
    """State what clipping does at the reader's m and correlation, and whether noise does better."""
    errors = chart.errors
    without, best, laplace = (readable(errors[key]) for key in ("unclipped", "best", "laplace"))
    if errors["best"] > WORTH * errors["unclipped"]:
        return (
            f"For users like these no threshold τ lowers the expected error of {without} by a "
            "tenth."
        )
    better = "but plain Laplace noise does better" if errors["laplace"] < errors["best"] else ""
    better = better or "better than plain Laplace noise"
    return (
        f"For users like these clipping lowers the expected error from {without} to {best}, "
        f"{better}: {laplace}."
    )


def detail(chart: WhereClippingHelps) -> str:
    """State the reader's m and correlation, the best τ there, and the errors."""
    errors = chart.errors
    return (
        f"With m = {chart.examples_per_user:,} examples each and correlation "
        f"ρ = {readable(chart.correlation)} the best τ, {readable(chart.threshold)}, gives the "
        f"error {readable(errors['best'])}, no clipping {readable(errors['unclipped'])}, and plain "
        f"Laplace noise {readable(errors['laplace'])}."
    )


def notes(chart: WhereClippingHelps) -> list[str]:
    """Say what the boundaries mean, and what they rest on."""
    lines = [
        f"Below a line clipping brings the expected error to {readable(100 * WORTH)}% or less of "
        "its rival's: of the same choice without clipping, or of Laplace noise. Where a line is "
        "missing it does so at no correlation that was tried.",
        "The correlation ρ says how alike two examples of a user are: 0 for independent ones, 1 if "
        "all are the same. Each user draws from shares of their own, a Dirichlet variable around "
        "the truth.",
        f"The best τ at your point, {readable(chart.threshold)}, is the best in the mean over "
        "fresh data, which nobody knows beforehand; Theorem 37's τ, fixed beforehand, gives "
        f"{readable(chart.errors['paper'])}.",
        "Plain Laplace noise is added to the mean of the users' own shares: one user moves that by "
        "the same amount, however many examples they hold. It needs no candidates; the best of "
        f"those here errs by {readable(chart.optimum)}.",
    ]
    if not math.isnan(chart.beyond):
        lines.append(
            f"At your correlation the best τ helps from m = {readable(chart.beyond)} on, of the m "
            "that were tried."
        )
    if chart.passes:
        lines.append(
            f"Means over {chart.passes} fresh data sets at each point; intervals are two standard "
            "errors by the jackknife."
        )
    return lines


VIEW = View(
    key="helps",
    title="Where clipping helps",
    compute=where_clipping_helps,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "examples_per_user",
        "correlation",
        "users",
        "epsilon",
        "alpha",
        "constant",
        "domain_size",
        "candidates",
        "seed",
    ),
    in_sight=("correlation", "examples_per_user", "users"),
    why="The sum of a user's independent examples strays from its mean by about the root of m, "
    "and a τ little above that cuts hardly anyone. The sum of examples that are alike strays "
    "by nearly m: a τ that saves noise then cuts nearly everyone.",
    first_seconds=1.0,
)
