"""Public data: private learning with an optimiser and unlabelled public points."""

from collections.abc import Mapping

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.public_data.algorithms import NOISES
from dpviz.topics.public_data.exercises import EXERCISES
from dpviz.topics.public_data.learners import LEARNERS, claim
from dpviz.topics.public_data.real.data_sets import DATA
from dpviz.topics.public_data.real.learners import KNOBS
from dpviz.topics.public_data.shift import FAMILIES
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views import (
    accuracy_on_real_data_shown,
    cells_of_public_points_shown,
    error_against_shift_shown,
    error_as_data_grow_shown,
    noise_it_takes_shown,
    weights_against_dimension_shown,
)
from dpviz.topics.public_data.views.error_as_data_grow import MORE
from dpviz.topics.public_data.views.noise_it_takes import NOISE_AT


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what a learner promises; Gaussian weights (RRSPM) are stated without a proof."""
    view, noise = values["view"], str(values["noise"])
    if view == "weights":
        return None
    if view == "real":
        return Promise("one of those whose data are private")
    privacy = "pure" if view == "cells" else "approximate"
    if view == "points" and values["more"] == "private":
        if claim("rrspm", noise) == "broken":
            privacy = "broken"  # of one of the learners drawn
    elif view in ("points", "shift"):
        privacy = claim(str(values["learner"]), noise)
    if privacy == "broken":
        return None
    return Promise("one of the private samples", pure=privacy == "pure")


PAGE = Page(
    slug="public_data",
    parameters=(
        Choice("task", "To learn", TASKS, "thresholds"),
        Choice("learner", "Learner", LEARNERS, "rrspm"),
        Choice("noise", "Noise", NOISES, "laplace"),
        Number(
            LIMITS["samples"].narrowed(
                minimum=10, maximum=10**5, default=2000, meaning="private examples"
            )
        ),
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
        Number(LIMITS["alpha"].narrowed(minimum=0.001, meaning="error of the learner")),
        Number(LIMITS["beta"]),
        Number(LIMITS["vc_dimension"].narrowed(default=3)),
        Choice("data_set", "Data", DATA, "cancer"),
        Number(LIMITS["public_share"]),
        Number(LIMITS["components"]),
        Choice("knob", "Each learner's knob", KNOBS, "hindsight"),
        Choice("more", "More", MORE, "public"),
        Choice("noise_at", "Noise", NOISE_AT, "here"),
        Seed(),
    ),
    for_everyone=(
        cells_of_public_points_shown.VIEW,
        error_as_data_grow_shown.VIEW,
        accuracy_on_real_data_shown.VIEW,
    ),
    in_depth=(
        error_against_shift_shown.VIEW,
        noise_it_takes_shown.VIEW,
        weights_against_dimension_shown.VIEW,
    ),
    unnamed="points",
    formerly={
        "net": {"view": "cells"},
        "samples": {"view": "points", "more": "private"},
        "projected": {
            "view": "noise",
            "noise_at": "projected",
            "samples": 100,
            "public_points": 2,
            "eta": 0.01,
        },
        "transfer": {"view": "shift"},
        "cost": {"view": "points"},
        "learn": {"view": "points"},
        "minimiser": {"view": "noise"},
        "rates": {"view": "points", "more": "private"},
        "settings": {"view": "points", "more": "private"},
    },
    gone=("along", "moved", "rates_of", "setting", "theorem"),
    presets=(
        Preset("Three points: wide gaps", {"view": "cells", "public_points": 3}),
        Preset("A thousand points: too many", {"view": "cells", "public_points": 1000}),
        Preset(
            "Algorithm 2: thresholds",
            {"view": "points", "learner": "perturbation", "noise": "gaussian", "epsilon": 10},
        ),
        Preset(
            "Algorithm 3: regression",
            {
                "view": "points",
                "task": "regression",
                "learner": "regularization",
                "noise": "gaussian",
                "samples": 20000,
            },
        ),
        Preset("Too much public data", {"view": "points", "public_points": 1000, "samples": 10000}),
        Preset("More private examples", {"view": "points", "more": "private"}),
        Preset("Breast cancer at ε = 10", {"view": "real", "epsilon": 10}),
        Preset("Union members, 60 splits", {"view": "real", "data_set": "union", "runs": 60}),
        Preset(
            "Shifted data: still private, no longer accurate",
            {"view": "shift", "smoothness": 0.02, "samples": 20000},
        ),
        Preset(
            "Projection hides what noise drowns",
            {
                "view": "noise",
                "noise_at": "projected",
                "public_points": 2,
                "samples": 100,
                "eta": 0.01,
            },
        ),
        Preset(
            "A class that keeps the promise",
            {"view": "weights", "vc_dimension": 1000, "alpha": 0.1},
        ),
    ),
    promise=promise,
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
