"""Bounded noise against Gaussian noise of the same privacy."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.maths.bounded_noise import SHAPES
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Flag, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.bounded_noise.controls_shown import PRIVACY
from dpviz.topics.bounded_noise.exercises import EXERCISES
from dpviz.topics.bounded_noise.views import (
    error_curves_shown,
    how_good_bounded_noise_can_be_shown,
    mechanisms_compared_shown,
    noise_draws_shown,
    solve_for_epsilon_or_queries_shown,
)
from dpviz.topics.bounded_noise.views.how_good_bounded_noise_can_be import SHOWN

_FIGURE_1: dict[str, Value] = {
    **{"view": "errors", "quantile": "published", "units": "ratio"},
    **{"queries": 10**6, "epsilon": 0.1, "delta": 1e-10},
}
# A chance of 10⁻⁶ that the answers to all queries give somebody away.
_OURS = {
    "queries": LIMITS["queries"].narrowed(default=10**5),
    "epsilon": LIMITS["epsilon"].narrowed(default=1),
    "delta": LIMITS["delta"].narrowed(
        default=1e-6, meaning="slack added to every probability, all k answers together"
    ),
}

PAGE = Page(
    slug="bounded_noise",
    parameters=(
        Choice("against", "Along", {"queries": "k", "epsilon": "ε", "delta": "δ"}, "queries"),
        Choice(
            "objective",
            "Minimise",
            {"hard": "Hard bound", "quantile": "1 − β bound", "deviation": "Deviation"},
            "hard",
        ),
        Choice("show", "Show", SHOWN, "queries"),
        Choice(
            "solve_for",
            "Find",
            {"epsilon": "the smallest ε", "queries": "the largest k"},
            "epsilon",
        ),
        Number(LIMITS["target"]),
        *(Number(_OURS[name]) for name in PRIVACY),
        Number(LIMITS["failure_probability"]),
        Choice("shape", "Noise, f(u) =", SHAPES, "power"),
        Number(LIMITS["power"]),
        Choice(
            "units",
            "Error in units of",
            {"ratio": "Δ√(k ln 1/δ)/ε", "absolute": "Δ", "gaussian": "the largest Gaussian error"},
            "ratio",
        ),
        Choice(
            "quantile",
            "Quantiles",
            {"corrected": "Exact", "published": "As published"},
            "corrected",
        ),
        Flag("show_published", "As published", True),
        Flag("show_shapes", "Asymptotic shapes", False),
        Flag("show_tuned", "Tuned, drawn together", False),
        Flag("show_converse", "No independent noise below", True),
        Number(LIMITS["constant"]),
        Seed(),
    ),
    for_everyone=(
        noise_draws_shown.VIEW,
        error_curves_shown.VIEW,
        mechanisms_compared_shown.VIEW,
    ),
    in_depth=(
        solve_for_epsilon_or_queries_shown.VIEW,
        how_good_bounded_noise_can_be_shown.VIEW,
    ),
    unnamed="errors",
    formerly={
        "choice": {"view": "best", "show": "power"},
        "winners": {"view": "compare"},
        "together": {"view": "compare"},
        "losses": {"view": "errors", "show_published": True},
    },
    gone=("along", "answers"),
    presets=(
        Preset("One answer: a bound costs much", {"view": "noise", "queries": 1}),
        Preset("A million answers", {"view": "noise", "queries": 10**6}),
        Preset("Ten answers: best drawn together", {"view": "compare", "queries": 10}),
        Preset("A thousand: one by one is better", {"view": "compare", "queries": 1000}),
        Preset(
            "Four answers: the best noise is proven",
            {"view": "best", "queries": 4, "epsilon": 3, "delta": 1e-6},
        ),
        Preset("Two errors in their square", {"view": "best", "show": "pair"}),
        Preset("Few queries: Gaussian wins", {"view": "errors", "queries": 100}),
        Preset("Many: bounded wins with certainty", {"view": "errors", "queries": 10**8}),
        Preset("How many answers?", {"view": "turned", "solve_for": "queries"}),
        Preset("Figure 1a of the paper", _FIGURE_1),
        Preset("Figure 1b", _FIGURE_1 | {"against": "epsilon"}),
        Preset("Figure 1c", _FIGURE_1 | {"against": "delta"}),
        Preset(
            "The published bound at k = 100",
            {"view": "errors", "queries": 100, "against": "epsilon"},
        ),
    ),
    promise=lambda _: Promise(),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
