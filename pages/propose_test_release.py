"""Propose, test, release: DelStab on users' data, step by step."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.maths.local_deletion import EXAMPLES
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise, Sketch, View
from dpviz.topics.perfect_generalization.mechanisms import NOISES
from dpviz.topics.propose_test_release import (
    figures,
    naming_words,
    pays_words,
    people_figures,
    people_words,
    promise_words,
    words,
)
from dpviz.topics.propose_test_release.data import DATA
from dpviz.topics.propose_test_release.learners import LEARNERS
from dpviz.topics.propose_test_release.views.items_to_users import items_to_users
from dpviz.topics.propose_test_release.views.outliers import moving_outliers
from dpviz.topics.propose_test_release.views.pays import where_delstab_pays
from dpviz.topics.propose_test_release.views.people import people
from dpviz.topics.propose_test_release.views.plain_noise import against_plain_noise
from dpviz.topics.propose_test_release.views.promise import INSIDE, promised_and_kept
from dpviz.topics.propose_test_release.views.run import one_run
from dpviz.topics.propose_test_release.views.search import search, threshold
from dpviz.ui.frame import render

_REFUSED = Limit("guess", "%", "runs that are refused", 0, 100, 50, log=False, step=1)


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what the data do not depend on: the wage panel brings its own users."""
    idle = {"users", "examples_per_user", "rate"} if values["data"] == "wages" else set()
    if values["data"] == "wages" and values["view"] in ("search", "threshold", "outliers"):
        idle.add("seed")
    if values["data"] != "outliers" and values["view"] != "outliers":
        idle |= {"outliers", "outlier_distance"}
    return idle


_SETTING = (
    "data",
    "outliers",
    "outlier_distance",
    "users",
    "examples_per_user",
    "epsilon",
    "delta",
    "noise_factor",
    "noise",
    "rate",
    "seed",
)
_MODEL = ("users", "examples_per_user", "epsilon", "delta", "noise_factor", "noise", "rate")
_MAP = ("users", "examples_per_user", "epsilon", "delta", "rate")
_FEW = ("data", "outliers", "users", "epsilon")
_RARE = ("examples_per_user", "noise", "rate")
_NAMING = ("repeats", "lean", "task_epsilon", "promised_delta", "success", "subsample")
_BITS = ("inside", "noise_epsilon", "bit_users", "promised_epsilon", "promised_delta")
# Only a run shows more of the draws than the data.
_CHARTS = (*_RARE, "seed")


PAGE = Page(
    slug="propose_test_release",
    parameters=(
        Choice("data", "Data", DATA, "outliers"),
        # So many that the test has someone to leave out, and most often answers, not always.
        Number(LIMITS["outliers"].narrowed(default=48)),
        Number(LIMITS["outlier_distance"]),
        Number(LIMITS["users"]),
        Number(EXAMPLES),
        # At the usual defaults 4κ exceeds the usual number of users.
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1)),
        Number(LIMITS["delta"].narrowed(minimum=1e-30, default=1e-6)),
        Number(LIMITS["noise_factor"]),
        Choice("noise", "Noise on the sum", NOISES, "geometric"),
        Number(LIMITS["rate"].narrowed(default=0.3)),
        Seed(),
        Choice("inside", "What the test protects", INSIDE, "sum"),
        *(Number(LIMITS[name]) for name in _BITS[1:]),
        Choice("learner", "What is learned", LEARNERS, "coin"),
        *(Number(LIMITS[name]) for name in _NAMING if name not in _BITS),
    ),
    views=(
        View(
            key="run",
            title="One run",
            compute=one_run,
            figure=figures.run_figure,
            takeaway=words.run_takeaway,
            detail=words.run_detail,
            parameters=_SETTING,
            folded=_RARE,
            essential=(*_FEW, "seed"),
            idle=without_effect,
            notes=words.run_notes,
        ),
        View(
            key="search",
            title="The stable set",
            compute=search,
            figure=figures.search_figure,
            takeaway=words.search_takeaway,
            detail=words.search_detail,
            parameters=_SETTING,
            folded=_CHARTS,
            essential=_FEW,
            idle=without_effect,
            notes=words.chart_notes,
        ),
        View(
            key="threshold",
            title="The noisy threshold",
            compute=threshold,
            figure=figures.threshold_figure,
            takeaway=words.threshold_takeaway,
            detail=words.threshold_detail,
            parameters=_SETTING,
            folded=_CHARTS,
            essential=_FEW,
            idle=without_effect,
            notes=words.chart_notes,
        ),
        View(
            key="outliers",
            title="Outliers move away",
            compute=moving_outliers,
            figure=draw,
            takeaway=words.outliers_takeaway,
            detail=words.outliers_detail,
            parameters=_SETTING,
            folded=_CHARTS,
            essential=_FEW,
            idle=without_effect,
            notes=words.chart_notes,
            sketch=Sketch(
                question="Outliers move away from the others. Draw how likely the "
                "algorithm is to refuse an answer.",
                curve="refusal",
            ),
            prediction=value_at_here(
                "The outliers stand as far away as the control says. How often will the test "
                "refuse to answer, in percent?",
                _REFUSED,
                "refusal",
                scale=PERCENT,
                answer=lambda refused: f"in {readable(refused)} percent of all runs",
            ),
        ),
        View(
            key="noise",
            title="Against plain noise",
            compute=against_plain_noise,
            figure=draw,
            takeaway=words.noise_takeaway,
            detail=words.noise_detail,
            parameters=_MODEL,
            folded=("noise_factor", "noise", "rate"),
            essential=("users", "examples_per_user", "epsilon"),
            notes=words.noise_notes,
        ),
        View(
            key="pays",
            title="Where it pays",
            compute=where_delstab_pays,
            figure=draw,
            takeaway=pays_words.pays_takeaway,
            detail=pays_words.pays_detail,
            parameters=_MAP,
            folded=("rate",),
            notes=pays_words.pays_notes,
        ),
        View(
            key="promise",
            title="Promised and kept",
            compute=promised_and_kept,
            figure=draw,
            takeaway=promise_words.promise_takeaway,
            detail=promise_words.promise_detail,
            parameters=_BITS,
            notes=promise_words.promise_notes,
        ),
        View(
            key="naming",
            title="From items to users",
            compute=items_to_users,
            figure=draw,
            takeaway=naming_words.naming_takeaway,
            detail=naming_words.naming_detail,
            parameters=("learner", *_NAMING, "seed"),
            essential=("learner", "repeats", "lean", "task_epsilon"),
            folded=("subsample",),
            notes=naming_words.naming_notes,
        ),
        View(
            key="people",
            title="People",
            compute=people,
            figure=people_figures.people_figure,
            linked=people_figures.people_linked,
            takeaway=people_words.people_takeaway,
            detail=people_words.people_detail,
            parameters=_SETTING,
            folded=_RARE,
            essential=(*_FEW, "noise_factor"),
            idle=without_effect,
            notes=people_words.people_notes,
        ),
    ),
    presets=(
        Preset("One outlier does not make it refuse", {"view": "outliers", "outliers": 1}),
        Preset("A group of outliers makes it refuse", {"view": "outliers", "outliers": 60}),
        Preset("Two clusters", {"view": "search", "data": "clusters"}),
        Preset("Real wages", {"data": "wages"}),
        Preset("Too few users", {"users": 150}),
        Preset("A choice made private", {"view": "naming"}),
        Preset(
            "A choice among many made private",
            {"view": "naming", "learner": "threshold", "lean": 0.05, "repeats": 10**4},
        ),
        Preset("How much is promised too much", {"view": "promise"}),
        Preset("A choice, promised and kept", {"view": "promise", "inside": "selection"}),
        Preset("Plain noise is smaller", {"view": "noise"}),
        Preset("From how many examples on", {"view": "pays"}),
        Preset(
            "Where DelStab adds less",
            {"view": "noise", "epsilon": 10.0, "delta": 1e-3, "examples_per_user": 10**6},
        ),
        Preset("Without the outliers", {"view": "people", "outliers": 60}),
    ),
    promise=lambda _: Promise(),
)

if __name__ == "__main__":
    render(PAGE)
