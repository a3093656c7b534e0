"""Bounded noise against Gaussian noise of the same privacy."""

from dpviz.calibrated import Calibrated, noise_densities
from dpviz.figures.chart import draw
from dpviz.figures.text import readable
from dpviz.limits import LIMITS
from dpviz.ui.codec import Number
from dpviz.ui.frame import render
from dpviz.ui.page import Page, Preset, View


def takeaway(result: Calibrated) -> str:
    """State the bound, and how often Gaussian noise breaks it."""
    return (
        f"For {readable(result.queries)} queries bounded noise never errs by more than "
        f"{readable(result.radius)} Δ; Gaussian noise of the same privacy exceeds that with "
        f"probability {readable(result.exceeded)}."
    )


PAGE = Page(
    slug="bounded_noise",
    parameters=tuple(Number(LIMITS[name]) for name in ("epsilon", "delta", "queries", "power")),
    views=(
        View(
            key="noise",
            title="The noise itself",
            compute=noise_densities,
            figure=lambda result, theme: draw(result.chart, theme),
            takeaway=takeaway,
            parameters=("epsilon", "delta", "queries", "power"),
        ),
    ),
    presets=(
        Preset("Gaussian wins: few queries", {"queries": 100}),
        Preset("Bounded wins with certainty", {"queries": 10**8}),
    ),
)

if __name__ == "__main__":
    render(PAGE)
