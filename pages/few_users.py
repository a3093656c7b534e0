"""Few users: learning alone, agreeing on shared darts, and a private vote."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise, Sketch, View
from dpviz.topics.few_users import (
    figures,
    mistakes_figures,
    rich_words,
    stability_figures,
    stability_words,
    words,
)
from dpviz.topics.few_users.learners_by_name import (
    ALPHA,
    BETA,
    BITS,
    DELTA,
    EPSILON,
    LEARNERS,
    USERS,
    M,
)
from dpviz.topics.few_users.littlestone import MISTAKE_CLASSES
from dpviz.topics.few_users.models import DISPERSIONS
from dpviz.topics.few_users.problems import CLASSES
from dpviz.topics.few_users.views.agreement import agreement
from dpviz.topics.few_users.views.four_models import RELEASED, four_models
from dpviz.topics.few_users.views.messages import messages
from dpviz.topics.few_users.views.mistakes import mistakes
from dpviz.topics.few_users.views.parity import parity
from dpviz.topics.few_users.views.rich_class import rich_class
from dpviz.topics.few_users.views.stability import stability
from dpviz.topics.few_users.views.success import success
from dpviz.topics.few_users.views.votes import votes
from dpviz.ui.frame import render

_ALIKE = Limit("guess", "%", "pairs who pick alike", 0, 100, 50, log=False, step=1)


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what the learner does not depend on: two of them have a class of their own."""
    return {"concept"} if values["learner"] in ("queries", "rare") else set()


def without_coins(values: Mapping[str, Value]) -> set[str]:
    """Name what a class without random labels does not depend on."""
    return set() if values["family"] == "random" else {"seed"}


_LEARNER = ("learner", "concept", "bits", "examples_per_user")
_ACCURACY = ("alpha", "failure_probability")
_VOTE = ("users", "epsilon", "delta")


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what the vote promises; the shortest noise of a proof need not keep it."""
    if values["dispersion"] == "proof" and values["view"] in ("success", "messages"):
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
        Number(M),
        Number(LIMITS["question_examples"]),
        Number(USERS),
        Number(LIMITS["rate"]),
        Number(EPSILON),
        Number(DELTA),
        Number(ALPHA),
        Number(BETA),
        Number(LIMITS["share"]),
        Number(LIMITS["constant"]),
        Number(LIMITS["runs"].narrowed(default=100)),
        Seed(),
    ),
    views=(
        View(
            key="agreement",
            title="Agreement",
            compute=agreement,
            figure=draw,
            takeaway=words.agreement_takeaway,
            detail=words.agreement_detail,
            parameters=(*_LEARNER, *_ACCURACY, "share", "runs", "seed"),
            folded=("failure_probability", "share", "runs"),
            essential=_LEARNER,
            idle=without_effect,
            notes=words.agreement_notes,
            sketch=Sketch(
                question="Users hold more and more examples. Draw how likely they are "
                "to agree, with shared randomness.",
                curve="shared",
            ),
            prediction=value_at_here(
                "Two users hold different samples of this size, and share their darts. How often "
                "will they pick the same hypothesis, in percent?",
                _ALIKE,
                "shared",
                hidden=("accurate",),
                scale=PERCENT,
                answer=lambda alike: f"in {readable(alike)} percent of all pairs",
            ),
        ),
        View(
            key="votes",
            title="The vote",
            compute=votes,
            figure=figures.votes_figure,
            takeaway=words.votes_takeaway,
            detail=words.votes_detail,
            parameters=(*_LEARNER, *_VOTE, *_ACCURACY, "seed"),
            folded=_ACCURACY,
            essential=(*_LEARNER, "users", "epsilon", "seed"),
            idle=without_effect,
            notes=words.votes_notes,
        ),
        View(
            key="success",
            title="Success against n",
            compute=success,
            figure=draw,
            takeaway=words.success_takeaway,
            detail=words.success_detail,
            parameters=(*_LEARNER, *_VOTE, *_ACCURACY, "dispersion", "constant", "runs", "seed"),
            folded=(*_ACCURACY, "dispersion", "constant", "runs"),
            essential=(*_LEARNER, "users", "epsilon"),
            idle=without_effect,
            notes=words.success_notes,
            first_seconds=2.5,
        ),
        View(
            key="models",
            title="Four models",
            compute=four_models,
            figure=draw,
            takeaway=stability_words.four_models_takeaway,
            detail=stability_words.four_models_detail,
            parameters=("released", "class_bits", "epsilon", "delta", *_ACCURACY),
            folded=_ACCURACY,
            notes=stability_words.four_models_notes,
        ),
        View(
            key="mistakes",
            title="Mistake trees",
            compute=mistakes,
            figure=mistakes_figures.mistakes_figure,
            takeaway=stability_words.mistakes_takeaway,
            detail=stability_words.mistakes_detail,
            parameters=("family", "depth", "seed"),
            idle=without_coins,
            notes=stability_words.mistakes_notes,
        ),
        View(
            key="stability",
            title="Stability",
            compute=stability,
            figure=stability_figures.stability_figure,
            takeaway=stability_words.stability_takeaway,
            detail=stability_words.stability_detail,
            parameters=(
                "rare",
                "sighting",
                "examples_per_user",
                *_ACCURACY,
                "share",
                "runs",
                "seed",
            ),
            folded=(*_ACCURACY, "share", "runs"),
            notes=stability_words.stability_notes,
            first_seconds=2.5,
        ),
        View(
            key="rich",
            title="Rich classes",
            compute=rich_class,
            figure=draw,
            takeaway=rich_words.rich_takeaway,
            detail=rich_words.rich_detail,
            parameters=(
                "class_bits",
                "question_examples",
                *_VOTE,
                "alpha",
                "runs",
                "seed",
            ),
            folded=("delta", "alpha", "runs"),
            essential=("class_bits", "users", "epsilon"),
            notes=rich_words.rich_notes,
            first_seconds=2.5,
        ),
        View(
            key="parity",
            title="Parity",
            compute=parity,
            figure=draw,
            takeaway=words.parity_takeaway,
            detail=words.parity_detail,
            parameters=(
                "bits",
                "epsilon",
                "examples_per_user",
                *_ACCURACY,
                "constant",
                "runs",
                "seed",
            ),
            folded=(*_ACCURACY, "runs"),
            notes=words.parity_notes,
            first_seconds=2.5,
        ),
        View(
            key="messages",
            title="Messages in the shuffle",
            compute=messages,
            figure=figures.messages_figure,
            takeaway=words.messages_takeaway,
            detail=words.messages_detail,
            parameters=("dispersion", *_VOTE, "rate", "failure_probability", "seed"),
            folded=("rate", "failure_probability"),
            notes=words.messages_notes,
        ),
    ),
    presets=(
        Preset("Same samples, different coins", {"view": "votes"}),
        Preset("Agreement breaks", {"view": "votes", "examples_per_user": 300}),
        Preset("A rich class", {"view": "rich", "class_bits": 40, "users": 2000}),
        Preset("Whom do you trust?", {"view": "models"}),
        Preset("Parity", {"view": "parity", "examples_per_user": 1000, "constant": 10.0}),
        Preset("Shuffle", {"view": "messages", "dispersion": "least"}),
        Preset("Stability from lists and darts", {"view": "stability"}),
        Preset("Every count, not only the winner", {"view": "models", "released": "counts"}),
        Preset("One mistake", {"view": "mistakes", "family": "points", "depth": 6}),
    ),
    promise=promise,
)

if __name__ == "__main__":
    render(PAGE)
