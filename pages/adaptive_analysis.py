"""Adaptive analysis: how many questions one data set may answer, and what happens without noise."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.maths.bounded_noise import SHAPES
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Flag, Number, Seed
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.adaptive_analysis.exercises import EXERCISES
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES
from dpviz.topics.adaptive_analysis.views import (
    attack_shown,
    questions_against_samples_shown,
)
from dpviz.topics.adaptive_analysis.views.attack import TUNED

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
    for_everyone=(
        attack_shown.VIEW,
        questions_against_samples_shown.VIEW,
    ),
    formerly={"budget": {"view": "queries"}},
    presets=(
        Preset("Noise-free answers fail", {"view": "attack", "questions": 10**4}),
        Preset("Few coins do no harm", {"view": "attack", "questions": 10}),
        Preset("Figure 2 of the paper", {"view": "queries", "show_published": True}),
        Preset("Small sample: splitting is better", {"view": "queries", "samples": 6000}),
        Preset("What tuning the noise buys", {"view": "queries", "show_tuned": True}),
        Preset("What certainty costs", {"view": "queries", "certain": True}),
    ),
    promise=lambda _: Promise("one of the samples"),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
