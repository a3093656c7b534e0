"""Sample perfect generalization: how far apart the outputs on two fresh samples are."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.maths.local_deletion import EXAMPLES
from dpviz.plot.chart import draw
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Prediction, Preset, Promise, Sketch, View
from dpviz.topics.perfect_generalization import (
    average_words,
    deletion_words,
    expected_words,
    figures,
    words,
)
from dpviz.topics.perfect_generalization.mechanisms import MECHANISMS, NOISES
from dpviz.topics.perfect_generalization.views.average import average_output
from dpviz.topics.perfect_generalization.views.categories import close_histograms
from dpviz.topics.perfect_generalization.views.closeness import closeness
from dpviz.topics.perfect_generalization.views.deletions import RELEASED, deleted_users
from dpviz.topics.perfect_generalization.views.expected import expected_divergence
from dpviz.topics.perfect_generalization.views.growth import needed_epsilon
from dpviz.topics.perfect_generalization.views.two_samples import sample_pairs
from dpviz.topics.perfect_generalization.views.user_growth import user_level
from dpviz.ui.frame import render


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what belongs to another mechanism: ε, σ and δ of Gaussian noise, the rate of coins."""
    chosen = values["noise" if values["view"] == "users" else "mechanism"]
    if chosen == "mean":
        return {"epsilon", "rate"}
    return {"epsilon"} if chosen == "gaussian" else {"sigma", "delta"}


def of_no_effect_on_deletions(values: Mapping[str, Value]) -> set[str]:
    """Name what only some of what is released depends on: ε of a choice, the rate of bits."""
    idle = set() if values["released"] == "threshold" else {"epsilon"}
    return idle | ({"rate"} if values["released"] == "histogram" else set())


_ITEM = ("epsilon", "sigma")
_CLOSE = ("rate", "closeness_delta", "failure_probability")
_FEW = ("mechanism", "samples", *_ITEM)
_RARE = ("rate", "delta", "closeness_delta")


PAGE = Page(
    slug="perfect_generalization",
    parameters=(
        Choice("mechanism", "Mechanism", MECHANISMS, "geometric"),
        Choice("noise", "Noise on the sum", NOISES, "geometric"),
        # At the usual default of 0.1 the theorem's assumption would fail from the start.
        Number(LIMITS["samples"].narrowed(default=1000)),
        Number(LIMITS["users"]),
        Number(EXAMPLES),
        Number(LIMITS["epsilon"].narrowed(minimum=1e-4, default=0.005)),
        Number(LIMITS["sigma"].narrowed(minimum=0.1, maximum=1e6, default=1000)),
        Number(LIMITS["failure_probability"]),
        Number(LIMITS["rate"]),
        Number(LIMITS["closeness_delta"].narrowed(minimum=1e-30)),
        Number(LIMITS["delta"].narrowed(default=1e-16)),
        Number(LIMITS["closeness_epsilon"].narrowed(minimum=1e-3, maximum=100, default=0.3)),
        Number(LIMITS["constant"]),
        Choice("released", "What is released", RELEASED, "sum"),
        Number(LIMITS["deleted"]),
        Number(LIMITS["categories"]),
        Seed(),
    ),
    views=(
        View(
            key="closeness",
            title="How close, how likely",
            compute=closeness,
            figure=figures.closeness_figure,
            takeaway=words.closeness_takeaway,
            detail=words.closeness_detail,
            parameters=("mechanism", "samples", *_ITEM, *_CLOSE, "delta", "constant"),
            essential=_FEW,
            folded=(*_RARE, "constant"),
            idle=without_effect,
            notes=words.notes,
        ),
        View(
            key="growth",
            title="√n against n",
            compute=needed_epsilon,
            figure=draw,
            takeaway=words.growth_takeaway,
            detail=words.growth_detail,
            prediction=Prediction(
                question="The samples grow. How does the ε′ grow within which the outputs on two "
                "fresh samples are close?",
                guess=Choice("guess", "ε′ grows", words.GROWTHS, "linear"),
                hide=words.growth_unknown,
                answer=words.growth_answer,
                value=words.growth_nearest,
                mark=words.growth_guessed,
            ),
            parameters=("mechanism", "samples", *_ITEM, *_CLOSE, "delta", "constant"),
            essential=_FEW,
            folded=(*_RARE, "constant"),
            idle=without_effect,
            notes=words.notes,
            sketch=Sketch(
                question="The samples grow. Draw the ε′ within which the outputs on "
                "two fresh samples are close.",
                curve="exact",
            ),
        ),
        View(
            key="pairs",
            title="Two samples",
            compute=sample_pairs,
            figure=figures.pairs_figure,
            takeaway=words.pairs_takeaway,
            detail=words.pairs_detail,
            parameters=("mechanism", "samples", *_ITEM, *_CLOSE, "seed"),
            essential=(*_FEW, "seed"),
            folded=("closeness_delta",),
            idle=without_effect,
        ),
        View(
            key="users",
            title="One user's m examples",
            compute=user_level,
            figure=draw,
            takeaway=words.users_takeaway,
            detail=words.users_detail,
            parameters=(
                "noise",
                "examples_per_user",
                "users",
                *_ITEM,
                *_CLOSE,
                "delta",
                "constant",
            ),
            essential=("noise", "examples_per_user", "users", *_ITEM),
            folded=(*_RARE, "constant"),
            idle=without_effect,
            notes=words.notes,
        ),
        View(
            key="expected",
            title="On average",
            compute=expected_divergence,
            figure=draw,
            takeaway=expected_words.expected_takeaway,
            detail=expected_words.expected_detail,
            parameters=(
                "mechanism",
                "closeness_epsilon",
                "samples",
                *_ITEM,
                "rate",
                "closeness_delta",
                "delta",
            ),
            essential=("mechanism", "closeness_epsilon", "samples", *_ITEM),
            folded=_RARE,
            idle=without_effect,
            notes=expected_words.expected_notes,
        ),
        View(
            key="average",
            title="The average output",
            compute=average_output,
            figure=draw,
            takeaway=average_words.average_takeaway,
            detail=average_words.average_detail,
            parameters=("samples", "epsilon", "rate", "closeness_delta", "failure_probability"),
            essential=("samples", "epsilon"),
            folded=("rate", "closeness_delta"),
            notes=average_words.average_notes,
        ),
        View(
            key="deletions",
            title="Deleting r users",
            compute=deleted_users,
            figure=draw,
            takeaway=deletion_words.deletions_takeaway,
            detail=deletion_words.deletions_detail,
            parameters=(
                "released",
                "deleted",
                "users",
                "examples_per_user",
                "epsilon",
                "rate",
                "seed",
            ),
            essential=("released", "deleted", "users", "examples_per_user"),
            idle=of_no_effect_on_deletions,
            notes=deletion_words.deletions_notes,
        ),
        View(
            key="categories",
            title="Samples in k categories",
            compute=close_histograms,
            figure=draw,
            takeaway=deletion_words.categories_takeaway,
            detail=deletion_words.categories_detail,
            parameters=("categories", "samples", "sigma", "closeness_delta", "seed"),
            essential=("categories", "samples", "sigma"),
            notes=deletion_words.categories_notes,
        ),
    ),
    presets=(
        Preset("√n against n", {"view": "growth", "samples": 10**4, "epsilon": 0.001}),
        Preset("Two fresh samples", {"view": "pairs"}),
        Preset("The average pair", {"view": "expected"}),
        Preset("Nobody's sample", {"view": "average", "samples": 10**4, "epsilon": 0.001}),
        Preset("A histogram of many categories", {"view": "categories", "categories": 200}),
        Preset("How much of r is real", {"view": "deletions", "rate": 0.3}),
        Preset("The factor r of a choice", {"view": "deletions", "released": "threshold"}),
        Preset("A billion times more certain", {"view": "growth", "failure_probability": 1e-3}),
        Preset(
            "Gaussian noise bends",
            {
                "view": "growth",
                "mechanism": "gaussian",
                "sigma": 10.0,
                "samples": 10**5,
                "failure_probability": 1e-3,
            },
        ),
        Preset("Samples from a Gaussian", {"view": "growth", "mechanism": "mean"}),
        Preset(
            "Randomised response breaks the assumption",
            {"view": "growth", "mechanism": "response", "epsilon": 0.5, "samples": 10**5},
        ),
    ),
    promise=lambda _: Promise("one of the samples", pure=True),
)

if __name__ == "__main__":
    render(PAGE)
