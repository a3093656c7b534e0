"""Bounded noise against Gaussian noise of the same privacy."""

from collections.abc import Mapping

from dpviz.calibrated import Calibrated, noise_densities
from dpviz.error_curves import error_curves
from dpviz.figures import error_curves as errors
from dpviz.figures.chart import draw
from dpviz.figures.text import readable
from dpviz.limits import LIMITS
from dpviz.noise import SHAPES
from dpviz.ui.codec import Choice, Flag, Number, Value
from dpviz.ui.frame import render
from dpviz.ui.page import Page, Preset, View


def takeaway(result: Calibrated) -> str:
    """State the bound, and how often Gaussian noise breaks it."""
    return (
        f"For {readable(result.queries)} queries bounded noise never errs by more than "
        f"{readable(result.radius)} Δ; Gaussian noise of the same privacy exceeds that with "
        f"probability {readable(result.exceeded)}."
    )


def idle(values: Mapping[str, Value]) -> set[str]:
    """Name the parameters that have no effect in this state."""
    unused = {"power"} if values["shape"] == "iterated" else set()
    return unused if values["show_shapes"] else unused | {"constant"}


_FIGURE_1 = {"units": "ratio", "quantile": "published", "show_published": True}

PAGE = Page(
    slug="bounded_noise",
    parameters=(
        Choice("against", "Along", {"queries": "k", "epsilon": "ε", "delta": "δ"}, "queries"),
        *(Number(LIMITS[name]) for name in ("queries", "epsilon", "delta")),
        Choice("shape", "Noise, f(u) =", SHAPES, "power"),
        *(Number(LIMITS[name]) for name in ("power", "failure_probability")),
        Choice("units", "Error in units of", {"ratio": "Δ√(k ln 1/δ)/ε", "absolute": "Δ"}, "ratio"),
        Choice(
            "quantile",
            "Quantiles",
            {"corrected": "Exact", "published": "As published"},
            "corrected",
        ),
        Flag("show_published", "The published radius", True),
        Flag("show_shapes", "Asymptotic rates", False),
        Number(LIMITS["constant"]),
    ),
    views=(
        View(
            key="errors",
            title="Error curves",
            compute=error_curves,
            figure=lambda result, theme: draw(result.chart, theme),
            takeaway=errors.takeaway,
            parameters=(
                "against",
                "queries",
                "epsilon",
                "delta",
                "failure_probability",
                "shape",
                "power",
                "units",
                "quantile",
                "show_published",
                "show_shapes",
                "constant",
            ),
            folded=("shape", "units", "quantile", "show_published", "show_shapes", "constant"),
            idle=idle,
        ),
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
        Preset("Figure 1a", _FIGURE_1),
        Preset("Figure 1b", _FIGURE_1 | {"against": "epsilon"}),
        Preset("Figure 1c", _FIGURE_1 | {"against": "delta"}),
        Preset("Gaussian wins: few queries", {"queries": 100}),
        Preset("Bounded wins with certainty", {"queries": 10**8}),
        Preset("The published bound at k = 100", {"queries": 100, "show_published": True}),
    ),
)

if __name__ == "__main__":
    render(PAGE)
