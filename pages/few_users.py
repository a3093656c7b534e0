"""Few users: learning alone, agreeing with shared darts, and a private vote."""

from collections.abc import Mapping

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.few_users.exercises import EXERCISES
from dpviz.topics.few_users.learners_by_name import (
    ALPHA,
    BETA,
    BITS,
    DELTA,
    EPSILON,
    EXAMPLES_PER_USER,
    LEARNERS,
    USERS,
)
from dpviz.topics.few_users.littlestone import MISTAKE_CLASSES
from dpviz.topics.few_users.models import DISPERSIONS
from dpviz.topics.few_users.problems import CLASSES
from dpviz.topics.few_users.views import (
    agreement_of_two_users_shown,
    four_models_shown,
    messages_in_the_shuffle_shown,
    mistake_trees_shown,
    notions_of_stability_shown,
    rich_classes_shown,
    users_to_learn_parity_shown,
    votes_of_one_group_shown,
)
from dpviz.topics.few_users.views.four_models import RELEASED


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what the vote promises; the shortest noise of a proof need not keep it."""
    if values["dispersion"] == "proof" and values["view"] == "messages":
        return None
    central = values["view"] not in ("messages", "models")
    return Promise(
        "you (in the central models: whether you take part)" if central else "you",
        pure=values["view"] == "parity",
    )


PAGE = Page(
    slug="few_users",
    parameters=(
        Choice("learner", "Learner", LEARNERS, "gibbs"),
        Choice("concept", "Class", CLASSES, "thresholds"),
        Choice("dispersion", "Noise messages", DISPERSIONS, "least"),
        Choice("family", "Class", MISTAKE_CLASSES, "thresholds"),
        Choice("released", "Released", RELEASED, "winner"),
        Number(BITS),
        Number(LIMITS["depth"]),
        Number(LIMITS["rare"]),
        Number(LIMITS["class_bits"]),
        Number(LIMITS["sighting"]),
        Number(EXAMPLES_PER_USER),
        Number(LIMITS["question_examples"]),
        Number(USERS),
        Number(LIMITS["rate"]),
        Number(EPSILON),
        Number(DELTA),
        Number(ALPHA),
        Number(BETA),
        Number(LIMITS["share"]),
        Number(LIMITS["runs"].narrowed(default=100)),
        Seed(),
    ),
    for_everyone=(
        votes_of_one_group_shown.VIEW,
        four_models_shown.VIEW,
        mistake_trees_shown.VIEW,
    ),
    in_depth=(
        agreement_of_two_users_shown.VIEW,
        notions_of_stability_shown.VIEW,
        rich_classes_shown.VIEW,
        users_to_learn_parity_shown.VIEW,
        messages_in_the_shuffle_shown.VIEW,
    ),
    unnamed="agreement",
    formerly={"success": {"view": "models"}},
    gone=("constant",),
    presets=(
        Preset("Fewer examples: agreement breaks", {"view": "votes", "examples_per_user": 300}),
        Preset(
            "A million examples each: own coins stay apart",
            {"view": "votes", "examples_per_user": 10**6},
        ),
        Preset("Every count, not only the winner", {"view": "models", "released": "counts"}),
        Preset("One mistake", {"view": "mistakes", "family": "points", "depth": 6}),
        Preset("A list learner", {"view": "agreement", "learner": "lists"}),
        Preset("A rich class", {"view": "rich", "class_bits": 40, "users": 2000}),
        Preset("Parity", {"view": "parity", "examples_per_user": 1000}),
    ),
    promise=promise,
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
