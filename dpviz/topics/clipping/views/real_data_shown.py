"""Real data: the expected error at every threshold, as the rows are and shuffled."""

import math
from dataclasses import replace

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Mark, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.errors_by_threshold import WORTH
from dpviz.topics.clipping.views.real_data import RealChart, real_data


def takeaway(chart: RealChart) -> str:
    """State whether any τ helps on these data, and whether it would with the rows shuffled."""
    without = readable(chart.unclipped)
    if chart.least_error <= WORTH * chart.unclipped:
        return (
            f"On these data the best threshold τ lowers the expected error from {without} to "
            f"{readable(chart.least_error)}."
        )
    sentence = f"On these data no threshold τ lowers the expected error, {without}, by a tenth"
    if chart.permuted_error > WORTH * chart.unclipped:
        return f"{sentence}, even with the rows shuffled over all people."
    return (
        f"{sentence}; with the rows shuffled over all people one would lower it to "
        f"{readable(chart.permuted_error)}."
    )


def detail(chart: RealChart) -> str:
    """State what the reader's τ does, and which τ is the best, on these rows and shuffled."""
    at = f"At τ = {readable(chart.threshold)} the error is {readable(chart.error)}"
    if chart.threshold >= chart.examples:
        at = "Your τ clips nothing"
    return (
        f"{at}. The best τ, {readable(chart.least)}, gives {readable(chart.least_error)}, no "
        f"clipping {readable(chart.unclipped)}. With the rows shuffled, τ = "
        f"{readable(chart.permuted_least)} gives {readable(chart.permuted_error)}."
    )


def notes(chart: RealChart) -> list[str]:
    """Say what the estimate is, what the comparison means, and what correlation does."""
    shares = _shares(chart.data.categories, chart.share)
    answer = _shares(chart.data.categories, chart.answer)
    covered = "" if chart.radius_exact else " for 95% of them"
    loss = readable(chart.examples * chart.epsilon)
    return [
        f"“{chart.data.name}” over all rows: {shares}. Likeliest answer at this τ, with "
        f"probability {chance(chart.probability, chart.otherwise)}: {answer}.",
        f"The candidates come within {readable(chart.radius)} of every distribution{covered}; "
        f"the nearest to the truth is {readable(chart.optimum)} away.",
        f"{chart.users:,} people, at most {chart.examples:,} rows each. The curve “per row” "
        "protects one row with ε, as if every row were a user; to a person with "
        f"{chart.examples:,} rows it promises only {loss}. Without clipping it is the same "
        "algorithm with ε divided by the number of a person's rows (group privacy).",
        "“Laplace noise, per person” takes everybody's shares among their own rows, and adds "
        "Laplace noise to the mean, with ε for a person. Its error is "
        f"{readable(chart.laplace)}; that of a choice without clipping is "
        f"{readable(chart.unclipped)}.",
        "The curve “per person” divides by the exact sensitivity, "
        f"{readable(chart.sensitivity)} at your τ; “as published, Δ = 2τ” divides by the "
        f"paper's 2τ. Whatever τ is, one person moves a score by at most m = {chart.examples:,}.",
        *chart.data.remarks,
        *_correlation(chart),
        "Where a person's rows are alike, that person is far from the mean, so a τ that would be "
        "harmless for independent rows cuts the minority off. Shuffling the rows over all people "
        "destroys the correlation, and shows what the theory with its i.i.d. examples would "
        "promise.",
        "The answer is private; the curves, the best τ and the true shares are not. Category names "
        "and bins count as public, though they are read from all rows.",
    ]


def _correlation(chart: RealChart) -> list[str]:
    if math.isnan(chart.correlation):
        return []
    return [
        f"Two rows of a person have the correlation ρ = {readable(chart.correlation, 2)}; the view "
        "“Where clipping helps” says how much is too much."
    ]


def _shares(names: tuple[str, ...], law: FloatArray) -> str:
    return ", ".join(
        f"{name[:24]}: {readable(float(share), 2)}"
        for name, share in zip(names, law, strict=True)
        if not math.isnan(share)
    )


def figure(chart: RealChart, theme: Theme) -> Figure:
    """Draw the errors along τ, with the numbers of the headline where they are."""
    last = Mark(
        float(chart.curve("error").x[-1]),
        chart.unclipped,
        readable(chart.unclipped),
        Subject.USER_LEVEL,
    )
    best = Mark(
        chart.permuted_least,
        chart.permuted_error,
        readable(chart.permuted_error),
        chart.curve("permuted").subject,
    )
    if chart.least_error <= WORTH * chart.unclipped:
        return draw(chart, theme)
    shuffled = (best,) if chart.permuted_error <= WORTH * chart.unclipped else ()
    return draw(replace(chart, marks=(*chart.marks, last, *shuffled)), theme)


VIEW = View(
    key="real",
    title="Real data",
    compute=real_data,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "data",
        "threshold",
        "epsilon",
        "examples_per_user",
        "bins",
        "candidates",
        "unequal",
        "seed",
    ),
    in_sight=("threshold", "data", "epsilon"),
    why="Where the rows of a person are alike, most people are far from the average, and a τ "
    "that saves noise cuts most of them. Shuffled over all people, the rows are independent; "
    "the gap between the two curves is the price of being alike.",
    idle=idle_controls,
    most=largest_useful,
    defaults={"threshold": 4.0, "examples_per_user": 8, "candidates": 64},
    upload=UPLOAD,
)
