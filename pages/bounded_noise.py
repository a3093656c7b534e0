"""Bounded noise against Gaussian noise of the same privacy."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.maths.bounded_noise import SHAPES
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Choice, Flag, Number, Seed, Value
from dpviz.scene.page import Page, Prediction, Preset, Promise, Sketch, View
from dpviz.topics.bounded_noise import figures, words
from dpviz.topics.bounded_noise.views.error_curves import error_curves
from dpviz.topics.bounded_noise.views.noise_choice import SHOWN, noise_choice
from dpviz.topics.bounded_noise.views.noise_draws import noise_draws
from dpviz.topics.bounded_noise.views.published_losses import published_losses
from dpviz.topics.bounded_noise.views.rival_measures import ANSWERS
from dpviz.topics.bounded_noise.views.turned_round import turned_round
from dpviz.topics.bounded_noise.views.winners import winners
from dpviz.ui.frame import render


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name the parameters that have no effect in this state."""
    idle = {
        "power": values["shape"] == "iterated",
        "constant": not values["show_shapes"],
        "failure_probability": values["view"] in ("choice", "winners")
        and values["objective"] != "quantile",
        str(values["solve_for"]): values["view"] == "turned",
    }
    return {name for name, unused in idle.items() if unused}


_PRIVACY = ("queries", "epsilon", "delta")
_NOISE = ("shape", "power")
_FIGURE_1 = {"quantile": "published"}

_CROSSING = Limit("guess", "k", "queries from which bounded noise wins", 1, 10**10, 100, True)


PAGE = Page(
    slug="bounded_noise",
    parameters=(
        Choice("against", "Along", {"queries": "k", "epsilon": "ε", "delta": "δ"}, "queries"),
        Choice(
            "objective",
            "Minimize",
            {"hard": "Hard bound", "quantile": "1 − β bound", "deviation": "Deviation"},
            "hard",
        ),
        Choice("show", "Show", SHOWN, "power"),
        Choice(
            "solve_for",
            "Find",
            {"epsilon": "the smallest ε", "queries": "the largest k"},
            "epsilon",
        ),
        *(Number(LIMITS[name]) for name in ("target", *_PRIVACY, "failure_probability")),
        Choice("shape", "Noise, f(u) =", SHAPES, "power"),
        Number(LIMITS["power"]),
        Choice("units", "Error in units of", {"ratio": "Δ√(k ln 1/δ)/ε", "absolute": "Δ"}, "ratio"),
        Choice(
            "quantile",
            "Quantiles",
            {"corrected": "Exact", "published": "As published"},
            "corrected",
        ),
        Flag("show_published", "The published radius", True),
        Flag("show_shapes", "Asymptotic rates", False),
        Flag("show_tuned", "Tuned noise", False),
        Flag("show_converse", "What no bounded noise can do", True),
        Number(LIMITS["constant"]),
        Seed(),
        Choice("along", "Along", {"delta": "δ", "epsilon": "ε"}, "delta"),
        Choice("answers", "Answers are", ANSWERS, "real"),
    ),
    views=(
        View(
            key="errors",
            title="Error curves",
            compute=error_curves,
            figure=figures.errors_figure,
            takeaway=words.errors_takeaway,
            detail=words.errors_detail,
            parameters=(
                "against",
                *_PRIVACY,
                "failure_probability",
                "power",
                "shape",
                "units",
                "quantile",
                "show_published",
                "show_shapes",
                "constant",
                "show_tuned",
                "show_converse",
            ),
            folded=(
                "shape",
                "units",
                "quantile",
                "show_published",
                "show_shapes",
                "constant",
                "show_converse",
            ),
            essential=("against", *_PRIVACY),
            idle=without_effect,
            prediction=Prediction(
                question="From how many queries on does bounded noise err less than Gaussian "
                "noise, and with certainty?",
                applies=lambda values: values["against"] == "queries",
                guess=Number(_CROSSING),
                hide=words.without_bounded,
                answer=words.crossing,
                value=words.crossing_at,
                mark=words.with_guess,
            ),
            sketch=Sketch(
                question="Draw how the error that bounded noise never exceeds grows "
                "with the number of queries.",
                curve="bounded_certain",
                applies=lambda values: values["against"] == "queries",
            ),
        ),
        View(
            key="noise",
            title="The noise itself",
            compute=noise_draws,
            figure=figures.noise_figure,
            takeaway=words.noise_takeaway,
            detail=words.noise_detail,
            parameters=(*_PRIVACY, *_NOISE, "seed"),
            essential=(*_PRIVACY, "seed"),
            idle=without_effect,
        ),
        View(
            key="choice",
            title="Choose the noise",
            compute=noise_choice,
            figure=figures.choice_figure,
            takeaway=words.choice_takeaway,
            detail=words.choice_detail,
            parameters=("objective", *_PRIVACY, "failure_probability", "show"),
            idle=without_effect,
        ),
        View(
            key="turned",
            title="Solve for ε or k",
            compute=turned_round,
            figure=figures.turned_figure,
            takeaway=words.turned_takeaway,
            detail=words.turned_detail,
            parameters=("solve_for", "target", *_PRIVACY, "failure_probability", *_NOISE),
            essential=("solve_for", "target", *_PRIVACY),
            idle=without_effect,
        ),
        View(
            key="winners",
            title="Who errs least where",
            compute=winners,
            figure=figures.winners_figure,
            takeaway=words.winners_takeaway,
            detail=words.winners_detail,
            parameters=("objective", "answers", "along", *_PRIVACY, "failure_probability"),
            idle=without_effect,
        ),
        View(
            key="losses",
            title="Where the published bound loses",
            compute=published_losses,
            figure=figures.losses_figure,
            takeaway=words.losses_takeaway,
            detail=words.losses_detail,
            parameters=(*_PRIVACY, *_NOISE),
            essential=_PRIVACY,
            idle=without_effect,
        ),
    ),
    presets=(
        Preset("Figure 1a of the paper", _FIGURE_1),
        Preset("Figure 1b", _FIGURE_1 | {"against": "epsilon"}),
        Preset("Figure 1c", _FIGURE_1 | {"against": "delta"}),
        Preset("Gaussian wins: few queries", {"queries": 100}),
        Preset(
            "A thousand answers",
            {"view": "noise", "queries": 1000, "epsilon": 1.0, "delta": 1e-6},
        ),
        Preset("Bounded wins with certainty", {"queries": 10**8}),
        Preset(
            "The published bound at k = 100",
            {"queries": 100, "against": "epsilon"},
        ),
        Preset("Where a proof loses", {"view": "losses", "queries": 10**6}),
    ),
    promise=lambda _: Promise(),
)

if __name__ == "__main__":
    render(PAGE)
