"""Sample perfect generalization: how far apart the outputs on two fresh samples are."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.maths.local_deletion import EXAMPLES
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.perfect_generalization.exercises import EXERCISES
from dpviz.topics.perfect_generalization.named_mechanisms import MECHANISMS, NOISES
from dpviz.topics.perfect_generalization.views import (
    one_users_examples_shown,
    root_n_against_n_shown,
    sample_pairs_shown,
)

PAGE = Page(
    slug="perfect_generalization",
    parameters=(
        Choice("mechanism", "Mechanism", MECHANISMS, "geometric"),
        Choice("noise", "Noise on the sum", NOISES, "geometric"),
        # At the usual default of 0.1 the theorem's assumption would fail from the start.
        Number(LIMITS["samples"].narrowed(default=1000, meaning="examples in one data set")),
        Number(LIMITS["users"]),
        Number(EXAMPLES),
        Number(LIMITS["epsilon"].narrowed(minimum=1e-4, default=0.005)),
        Number(LIMITS["sigma"].narrowed(minimum=0.1, maximum=1e6, default=1000)),
        Number(LIMITS["failure_probability"]),
        Number(LIMITS["rate"]),
        Number(LIMITS["closeness_delta"].narrowed(minimum=1e-30)),
        Number(LIMITS["delta"].narrowed(default=1e-16)),
        Number(LIMITS["constant"]),
        Seed(),
    ),
    for_everyone=(
        sample_pairs_shown.VIEW,
        root_n_against_n_shown.VIEW,
        one_users_examples_shown.VIEW,
    ),
    unnamed="growth",
    formerly={
        "closeness": {"view": "growth"},
        "expected": {"view": "growth"},
        "average": {"view": "growth"},
        "categories": {"view": "growth"},
        "deletions": {"view": "users"},
    },
    gone=("released", "deleted", "categories", "compared", "closeness_epsilon"),
    presets=(
        Preset("√n against n", {"view": "growth", "samples": 10**4, "epsilon": 0.001}),
        Preset("A hundred times the examples", {"view": "pairs", "samples": 10**5}),
        Preset("Ten thousand examples a user", {"view": "users", "examples_per_user": 10**4}),
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
    promise=lambda _: Promise("one of the examples", pure=True),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
