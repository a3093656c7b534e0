"""Where errors hide: what an error on public data can become on private data."""

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import percent
from dpviz.topics.public_data.views.error_on_private_data import (
    TransferChart,
    error_on_private_data,
)


def takeaway(chart: TransferChart) -> str:
    """State what an error can become, and what σ allows."""
    if chart.smoothness == 1:
        return (
            "Public and private data are alike here, and so are the errors on both. Lower the "
            "smoothness σ to move them apart."
        )
    exact, allowed = chart.value("exact"), chart.value("density")
    public, private, most = map(percent, (chart.here, exact, allowed))
    private = "hardly larger" if private == public else private
    words = f"An error of {public} on public data can be {private} on private data"
    if allowed - exact < 0.005 * exact:
        return f"{words}, as much as the smoothness σ allows."
    if allowed >= 1:
        return f"{words}; the smoothness σ rules out nothing."
    if most in (public, percent(exact)):
        return f"{words}, about as much as the smoothness σ allows."
    return f"{words}; the smoothness σ allows {most}."


def detail(chart: TransferChart) -> str:
    """State σ, KL and χ², and what each allows."""
    return (
        f"This pair has σ = {readable(chart.smoothness)}, KL divergence "
        f"{readable(chart.relative_entropy)} and χ² divergence {readable(chart.chi_square)}. At an "
        f"error of {readable(chart.here)} on public data σ allows "
        f"{readable(chart.value('density'))}, KL {readable(chart.value('entropy'))} and χ² "
        f"{readable(chart.value('variance'))} on the private data; the worst set has "
        f"{readable(chart.value('exact'))}."
    )


def notes(_: TransferChart) -> list[str]:
    """Say what is compared, and what the weaker measures are good for."""
    return [
        "Two functions differ on a set; its public mass is the error that public points can show, "
        "its private mass the one that counts. Exact: the worst set of that public mass takes the "
        "places where the private density is largest, relative to the public one.",
        "σ looks at the one worst place: a private mass is at most 1/σ times the public one "
        "(Definition 3; Lemma 22 uses it for RRSPM). The paper says that f-divergences may take "
        "its place, at worse rates: KL and χ² look at all places on average. What each allows "
        "is the largest error for any pair of distributions with this KL or χ².",
        "σ = 0 allows any error, however rare the place; KL and χ² need not. Privacy depends on "
        "none of the three.",
    ]


VIEW = View(
    key="transfer",
    title="Where errors hide",
    compute=error_on_private_data,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    pulled={"alpha": "error of #% on public"},
    why="A set that public points hardly ever hit may hold much of the private data: an error "
    "there goes unseen. σ bounds the private mass of every set by the one worst place; KL and χ² "
    "average over all places, and so may know better where that place is rare.",
    parameters=("family", "smoothness", "alpha"),
    in_sight=("alpha", "smoothness", "family"),
    defaults={"family": "mixture", "smoothness": 0.02},
)
