"""Public data: private learning with an optimiser and unlabelled public points."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.public_data.algorithms import NOISES
from dpviz.topics.public_data.learners import LEARNERS, claim
from dpviz.topics.public_data.rates import ALPHA, SETTINGS
from dpviz.topics.public_data.real.data_sets import DATA
from dpviz.topics.public_data.shift import FAMILIES
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views import (
    accuracy_on_real_data_shown,
    cost_of_a_run_shown,
    error_against_points_shown,
    error_against_samples_shown,
    error_against_shift_shown,
    error_on_private_data_shown,
    moves_of_one_minimiser_shown,
    noise_after_projection_shown,
    noise_against_points_shown,
    one_lesson_shown,
    samples_needed_shown,
    settings_of_a_theorem_shown,
    weights_against_dimension_shown,
)
from dpviz.topics.public_data.views.cost_of_a_run import ALONG
from dpviz.ui.frame import render

_NO_PROMISE = ("weights", "rates", "settings", "minimiser", "cost", "transfer")


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what a learner promises; Gaussian weights (RRSPM) are stated without a proof."""
    view, noise = values["view"], str(values["noise"])
    if view in _NO_PROMISE:
        return None
    if view == "real":
        return Promise("one of those whose data are private")
    privacy = "approximate"
    if view in ("learn", "points", "shift"):
        privacy = claim(str(values["learner"]), noise)
    elif view == "samples" and claim("rrspm", noise) == "broken":
        privacy = "broken"  # of one of the learners drawn
    if privacy == "broken":
        return None
    return Promise("one of the private samples", pure=privacy == "pure")


PAGE = Page(
    slug="public_data",
    parameters=(
        Choice("task", "To learn", TASKS, "thresholds"),
        Choice("learner", "Learner", LEARNERS, "rrspm"),
        Choice("noise", "Noise", NOISES, "laplace"),
        Number(LIMITS["samples"].narrowed(minimum=10, maximum=10**5, default=2000)),
        Number(LIMITS["public_points"].narrowed(maximum=1000)),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1)),
        Number(LIMITS["delta"].narrowed(minimum=1e-30, default=1e-6)),
        Number(LIMITS["smoothness"]),
        Choice("family", "Shift", FAMILIES, "window"),
        Number(LIMITS["label_noise"]),
        Number(LIMITS["eta"].narrowed(minimum=0.001, maximum=10)),
        Number(LIMITS["averages"].narrowed(maximum=3000, default=300)),
        Number(LIMITS["constant"]),
        Number(LIMITS["runs"].narrowed(maximum=200)),
        Choice("setting", "Setting", SETTINGS, "classification"),
        Number(ALPHA),
        Number(LIMITS["beta"]),
        Number(LIMITS["vc_dimension"].narrowed(default=3)),
        Choice("data_set", "Data", DATA, "cancer"),
        Number(LIMITS["public_share"]),
        Number(LIMITS["components"]),
        Number(LIMITS["moved"]),
        Choice("along", "Against", ALONG, "samples"),
        Choice("theorem", "Theorem", THEOREMS, "theorem_6"),
        Seed(),
    ),
    for_everyone=(
        one_lesson_shown.VIEW,
        error_against_points_shown.VIEW,
        accuracy_on_real_data_shown.VIEW,
    ),
    in_depth=(
        error_against_samples_shown.VIEW,
        cost_of_a_run_shown.VIEW,
        error_against_shift_shown.VIEW,
        error_on_private_data_shown.VIEW,
        noise_after_projection_shown.VIEW,
        noise_against_points_shown.VIEW,
        moves_of_one_minimiser_shown.VIEW,
        weights_against_dimension_shown.VIEW,
        samples_needed_shown.VIEW,
        settings_of_a_theorem_shown.VIEW,
    ),
    presets=(
        Preset("RRSPM: thresholds", {}),
        Preset("RSPM: no public data", {"learner": "rspm"}),
        Preset(
            "Algorithm 2: half-planes",
            {
                "task": "halfplanes",
                "learner": "perturbation",
                "noise": "gaussian",
                "samples": 500,
                "epsilon": 10,
            },
        ),
        Preset(
            "Algorithm 3: regression",
            {
                "task": "regression",
                "learner": "regularization",
                "noise": "gaussian",
                "samples": 20000,
            },
        ),
        Preset("Too much public data", {"view": "points", "public_points": 1000, "samples": 10000}),
        Preset("Breast cancer: who needs public data?", {"view": "real", "epsilon": 1, "runs": 6}),
        Preset(
            "Union members, 60 splits",
            {"view": "real", "data_set": "union", "epsilon": 1, "runs": 60},
        ),
        Preset(
            "Calls for 100,000 examples",
            {"view": "cost", "task": "halfplanes", "samples": 10**5},
        ),
        Preset(
            "Shifted data: still private, no longer accurate",
            {"view": "shift", "smoothness": 0.02, "samples": 20000},
        ),
        Preset("Where 5% of errors become 50%", {"view": "transfer", "smoothness": 0.1}),
        Preset(
            "Projection hides what noise drowns",
            {"view": "projected", "public_points": 2, "samples": 100, "eta": 0.01},
        ),
        Preset(
            "Gaussian weights give a label away",
            {"view": "weights", "vc_dimension": 10**6, "alpha": 0.1},
        ),
    ),
    promise=promise,
)

if __name__ == "__main__":
    render(PAGE)
