"""Propose, test, release: when DelStab answers on users' data, and what it costs."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.perfect_generalization.named_mechanisms import NOISES
from dpviz.topics.propose_test_release.data import DATA
from dpviz.topics.propose_test_release.exercises import EXERCISES
from dpviz.topics.propose_test_release.learners import LEARNERS
from dpviz.topics.propose_test_release.views import (
    against_plain_noise_shown,
    items_to_users_shown,
    moving_outliers_shown,
    promised_and_kept_shown,
)
from dpviz.topics.propose_test_release.views.promised_and_kept import INSIDE

PAGE = Page(
    slug="propose_test_release",
    parameters=(
        Choice("data", "Data", DATA, "outliers"),
        # More than the test mostly may drop.
        Number(LIMITS["outliers"].narrowed(default=24)),
        Number(LIMITS["outlier_distance"]),
        Number(LIMITS["users"]),
        Number(EXAMPLES),
        # At a smaller ε the noise is as large as the sum of so few users.
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=3)),
        Number(LIMITS["delta"].narrowed(minimum=1e-30, default=1e-6)),
        Number(LIMITS["noise_factor"]),
        Choice("noise", "Noise on the sum", NOISES, "geometric"),
        Number(LIMITS["rate"].narrowed(default=0.3)),
        Seed(),
        Choice("inside", "What the test protects", INSIDE, "sum"),
        Number(LIMITS["noise_epsilon"]),
        Number(LIMITS["bit_users"]),
        Number(LIMITS["promised_epsilon"]),
        Number(LIMITS["promised_delta"]),
        Choice("learner", "What is learned", LEARNERS, "coin"),
        Number(LIMITS["repeats"]),
        Number(LIMITS["lean"]),
        Number(LIMITS["task_epsilon"]),
        Number(LIMITS["success"]),
        Number(LIMITS["subsample"]),
    ),
    for_everyone=(
        moving_outliers_shown.VIEW,
        against_plain_noise_shown.VIEW,
    ),
    in_depth=(
        promised_and_kept_shown.VIEW,
        items_to_users_shown.VIEW,
    ),
    formerly={key: {"view": "outliers"} for key in ("run", "search", "threshold", "people")}
    | {"pays": {"view": "noise"}},
    gone=("step",),
    presets=(
        Preset("One outlier alone", {"view": "outliers", "outliers": 1}),
        Preset("A group of 60 stands apart", {"view": "outliers", "outliers": 60}),
        Preset("At the brink", {"view": "outliers", "outliers": 16, "noise_factor": 0.8}),
        Preset("Two clusters: it must refuse", {"view": "outliers", "data": "clusters"}),
        Preset("Real wages", {"view": "outliers", "data": "wages"}),
        Preset("Too few users to test", {"view": "outliers", "users": 60}),
        Preset(
            "Where the test adds less noise",
            {"view": "noise", "epsilon": 10.0, "delta": 1e-3, "examples_per_user": 10**6},
        ),
        Preset("A choice, promised and kept", {"view": "promise", "inside": "selection"}),
        Preset(
            "A choice among many made private",
            {"view": "naming", "learner": "threshold", "lean": 0.05, "repeats": 10**4},
        ),
    ),
    promise=lambda _: Promise(),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
