"""Clipping: the exponential mechanism when users hold m examples each."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import LIMITS
from dpviz.results.user_data import UNEQUAL
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.clipping.data import DATA
from dpviz.topics.clipping.exercises import EXERCISES
from dpviz.topics.clipping.tasks import TASKS
from dpviz.topics.clipping.views import (
    error_against_threshold_shown,
    one_user_shown,
    real_data_shown,
    what_gets_selected_shown,
)

PAGE = Page(
    slug="clipping",
    parameters=(
        Choice("task", "Task", TASKS, "discrete"),
        Number(LIMITS["domain_size"].narrowed(maximum=16, default=2)),
        Number(LIMITS["candidates"]),
        Number(LIMITS["rival"]),
        Number(LIMITS["threshold"].narrowed(minimum=0.1, maximum=1e4, default=20)),
        Number(LIMITS["examples_per_user"].narrowed(maximum=1e4, default=100)),
        Number(LIMITS["users"].narrowed(minimum=2, maximum=1e4, default=200)),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=0.2)),
        Number(LIMITS["alpha"].narrowed(minimum=0.01, default=0.05)),
        Number(LIMITS["constant"].narrowed(minimum=0.1, maximum=10)),
        Choice("data", "Data", DATA, "union"),
        Number(LIMITS["bins"]),
        Choice("unequal", "Users with fewer than m rows", UNEQUAL, "cap"),
        Seed(),
    ),
    for_everyone=(
        one_user_shown.VIEW,
        error_against_threshold_shown.VIEW,
        what_gets_selected_shown.VIEW,
    ),
    in_depth=(real_data_shown.VIEW,),
    formerly={
        "people": {"view": "real"},
        "helps": {"view": "real"},
        "needed": {"view": "selected"},
    },
    gone=("correlation",),
    presets=(
        Preset("Everyone is cut", {"view": "user", "threshold": 2.0}),
        Preset("Nobody is cut", {"view": "user", "threshold": 50.0}),
        Preset("The paper's τ", {"view": "threshold", "threshold": 105.0}),
        Preset("Stronger privacy", {"view": "threshold", "epsilon": 0.05}),
        Preset("No clipping", {"view": "selected", "threshold": 100.0}),
        Preset(
            "Too tight",
            {
                "view": "selected",
                "domain_size": 4,
                "threshold": 5.0,
                "users": 2000,
                "examples_per_user": 1000,
            },
        ),
        Preset("Occupations", {"view": "real", "data": "occupation"}),
    ),
    promise=lambda _: Promise(pure=True),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
