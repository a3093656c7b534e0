"""Adaptive analysis: how many questions one data set may answer, and what happens without noise."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.maths.bounded_noise import SHAPES
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Choice, Flag, Number, Seed, Value
from dpviz.scene.page import Page, Prediction, Preset, Promise, Sketch, View
from dpviz.topics.adaptive_analysis import figures, words
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES
from dpviz.topics.adaptive_analysis.views.attack import TUNED, attack
from dpviz.topics.adaptive_analysis.views.budget import budget_parts
from dpviz.topics.adaptive_analysis.views.queries import queries_against_samples
from dpviz.ui.frame import render


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what the state leaves without effect: p of another shape, the constant of no curve."""
    idle = set() if values["shape"] == "power" else {"power"}
    return idle if values["show_shape"] else idle | {"constant"}


_ASKED = ("samples", "alpha", "beta")
_CURVES = ("show_published", "show_best", "show_tuned", "certain", "show_shape", "constant")
_RARE = ("shape", "power", "runs")

_TIMES = Limit("guess", "×", "times as many questions", 0.1, 100, 1)


PAGE = Page(
    slug="adaptive_analysis",
    parameters=(
        Number(LIMITS["sample_size"]),
        Number(LIMITS["questions"]),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1)),
        Number(LIMITS["delta"].narrowed(default=1e-6)),
        Choice("shape", "Noise, f(u) =", SHAPES | {TUNED: "tuned for k, ε and δ"}, "power"),
        Number(LIMITS["power"]),
        Number(LIMITS["runs"]),
        Seed(),
        Number(SAMPLES),
        Number(ALPHA),
        Number(BETA),
        Flag("show_published", "As published, β′ = 0", False),
        Flag("show_best", "The best p", False),
        Flag("show_tuned", "Tuned noise", False),
        Flag("certain", "Bounded noise with certainty, β′ = 0", False),
        Flag("show_shape", "Corollary 1.3, a shape", False),
        Number(LIMITS["constant"]),
    ),
    views=(
        View(
            key="attack",
            title="The attack",
            compute=attack,
            figure=figures.attack_figure,
            takeaway=words.attack_takeaway,
            detail=words.attack_detail,
            parameters=("sample_size", "questions", "epsilon", "delta", *_RARE, "seed"),
            essential=("sample_size", "questions", "epsilon", "seed"),
            folded=_RARE,
            idle=without_effect,
            notes=words.attack_notes,
            first_seconds=2.0,
        ),
        View(
            key="queries",
            title="Questions against samples",
            compute=queries_against_samples,
            figure=figures.queries_figure,
            takeaway=words.queries_takeaway,
            detail=words.queries_detail,
            prediction=Prediction(
                question="How many times as many adaptive questions as Gaussian noise does bounded "
                "noise answer from your samples?",
                guess=Number(_TIMES),
                hide=words.queries_unknown,
                answer=words.queries_answer,
                value=words.queries_times,
                mark=words.queries_guessed,
            ),
            essential=_ASKED,
            parameters=(*_ASKED, *_CURVES),
            idle=without_effect,
            notes=words.queries_notes,
            first_seconds=2.8,
            sketch=Sketch(
                question="Draw how many adaptive questions Gaussian noise answers as "
                "the samples grow.",
                curve="gaussian",
            ),
        ),
        View(
            key="budget",
            title="Where the budget goes",
            compute=budget_parts,
            figure=figures.budget_figure,
            takeaway=words.budget_takeaway,
            detail=words.budget_detail,
            parameters=_ASKED,
        ),
    ),
    presets=(
        Preset("Noise-free answers fail", {"questions": 10**4}),
        Preset("Figure 2 of the paper", {"view": "queries", "show_published": True}),
        Preset("Small sample: splitting is better", {"view": "queries", "samples": 6000}),
        Preset("What tuning the noise buys", {"view": "queries", "show_tuned": True}),
        Preset("What certainty costs", {"view": "queries", "certain": True}),
    ),
    promise=lambda _: Promise("one of the samples"),
)

if __name__ == "__main__":
    render(PAGE)
