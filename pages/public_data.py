"""Public data: private learning with an optimiser and unlabelled public points."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise, Sketch, Upload, View
from dpviz.topics.public_data import (
    cost_words,
    figures,
    minimiser_words,
    noise_words,
    projected_words,
    real_words,
    settings_words,
    words,
)
from dpviz.topics.public_data.algorithms import NOISES
from dpviz.topics.public_data.learners import LEARNERS
from dpviz.topics.public_data.real.data_sets import ALONE, DATA, labelled_data
from dpviz.topics.public_data.shift import FAMILIES
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views.cost import ALONG, cost_of_a_run
from dpviz.topics.public_data.views.errors import (
    error_against_points,
    error_against_samples,
    error_against_shift,
)
from dpviz.topics.public_data.views.lesson import lesson
from dpviz.topics.public_data.views.noise import noise_against_points
from dpviz.topics.public_data.views.one_minimiser import moves_of_one_minimiser
from dpviz.topics.public_data.views.projected import noise_after_projection
from dpviz.topics.public_data.views.rates import ALPHA, SETTINGS, samples_needed
from dpviz.topics.public_data.views.real_data import accuracy_on_real_data
from dpviz.topics.public_data.views.settings import settings_of_a_theorem
from dpviz.topics.public_data.views.transfer import error_on_private_data
from dpviz.topics.public_data.views.weights import weights_against_dimension
from dpviz.ui.frame import render

_CORRECT = Limit("guess", "of 100", "cases labelled correctly", 0, 100, 50, log=False, step=1)


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what the chosen learner, or the open view, does not depend on."""
    if values["view"] == "settings":
        return {"delta"} if values["theorem"] in ("theorem_7_pure", "theorem_10") else set()
    if values["view"] in ("noise", "projected", "weights", "rates", "real", "minimiser"):
        return set()
    idle = set()
    learner = None if values["view"] == "samples" else values["learner"]
    if learner in ("rrspm", "rspm"):
        idle |= {"eta", "averages"}
        if learner == "rspm" or values["noise"] == "laplace":
            idle.add("delta")
    if learner == "regularization":
        idle.add("averages")
        if values["noise"] == "laplace":
            idle.add("delta")
    if learner == "rspm":
        idle.add("noise")
    if values["view"] != "shift" and values["smoothness"] == 1:
        idle.add("family")
    if values["view"] == "points" and learner != "rrspm":
        idle.add("constant")
    return idle


_NO_PROMISE = ("weights", "rates", "settings", "minimiser", "cost", "transfer")
_WHAT = ("task", "learner", "noise")
_SIZES = ("samples", "public_points", "epsilon", "delta")
_FEW = ("task", "learner", "noise", "samples", "public_points", "epsilon")
_MORE = ("family", "label_noise", "eta", "averages")
_DRAWN = (*_WHAT, *_SIZES, "smoothness", *_MORE)
_UPLOAD = Upload(
    "own",
    lambda values: values["data_set"] == "own",
    "from dpviz.results.csv_file import read_csv\n"
    "from dpviz.topics.public_data.real.data_sets import labelled_data",
    """    own=labelled_data(
        read_csv(Path("file.csv").read_bytes()),  # your own file
        unit={user},
        label={value},
    ),""",
    make=lambda table, unit, label, _: labelled_data(table, unit=unit, label=label),
    label="CSV file with a header: a column with two values to predict, and features",
    questions=("Whom a row belongs to", "What is to be predicted"),
    alone=ALONE,
)


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what a learner promises; Gaussian weights (RRSPM) are stated without a proof."""
    view = values["view"]
    if view == "real":
        return Promise("one of those whose data are private")
    weights = view == "samples" or (
        view not in ("noise", "projected") and values["learner"] == "rrspm"
    )
    if view in _NO_PROMISE or (weights and values["noise"] == "gaussian"):
        return None
    return Promise("one of the private samples", pure="delta" in without_effect(values))


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
    views=(
        View(
            key="learn",
            title="See it learn",
            compute=lesson,
            figure=figures.lesson_figure,
            takeaway=words.lesson_takeaway,
            detail=words.lesson_detail,
            parameters=(*_DRAWN, "seed"),
            folded=_MORE,
            essential=_FEW,
            idle=without_effect,
            notes=words.lesson_notes,
        ),
        View(
            key="samples",
            title="Error against n",
            compute=error_against_samples,
            figure=draw,
            takeaway=words.samples_takeaway,
            detail=words.samples_detail,
            parameters=("task", "noise", *_SIZES, "smoothness", *_MORE, "runs", "seed"),
            folded=(*_MORE, "runs", "seed"),
            essential=("task", "noise", "samples", "public_points", "epsilon"),
            idle=without_effect,
            notes=words.error_notes,
            first_seconds=1.0,
            sketch=Sketch(
                question="Draw how the excess error of a private learner falls as private "
                "examples are added.",
                curve="rrspm",
            ),
        ),
        View(
            key="real",
            title="Real data",
            compute=accuracy_on_real_data,
            figure=draw,
            takeaway=real_words.real_data_takeaway,
            detail=real_words.real_data_detail,
            parameters=(
                "data_set",
                "epsilon",
                "delta",
                "public_share",
                "components",
                "runs",
                "seed",
            ),
            folded=("delta", "runs", "seed"),
            essential=("data_set", "epsilon", "public_share"),
            notes=real_words.real_data_notes,
            upload=_UPLOAD,
            prediction=value_at_here(
                "A private learner, RRSPM, also has public points without labels. How many of a "
                "hundred new cases will it label correctly?",
                _CORRECT,
                "rrspm",
                hidden=("objective", "output", "regularization", "perturbation", "rspm"),
                scale=PERCENT,
                answer=lambda correct: f"{readable(correct)} of a hundred",
            ),
        ),
        View(
            key="points",
            title="More public points",
            compute=error_against_points,
            figure=figures.points_figure,
            takeaway=words.points_takeaway,
            detail=words.points_detail,
            parameters=(*_WHAT, *_SIZES, "constant", "smoothness", *_MORE, "runs", "seed"),
            folded=(*_MORE, "runs", "seed"),
            essential=_FEW,
            idle=without_effect,
            notes=words.points_notes,
            first_seconds=1.0,
        ),
        View(
            key="cost",
            title="What it costs",
            compute=cost_of_a_run,
            figure=figures.cost_figure,
            takeaway=cost_words.cost_takeaway,
            detail=cost_words.cost_detail,
            parameters=(
                "task",
                "along",
                "samples",
                "public_points",
                "averages",
                "epsilon",
                "eta",
                "seed",
            ),
            folded=("epsilon", "eta", "seed"),
            notes=cost_words.cost_notes,
            first_seconds=0.4,
            timed=True,
        ),
        View(
            key="shift",
            title="Shift",
            compute=error_against_shift,
            figure=figures.shift_figure,
            takeaway=words.shift_takeaway,
            detail=words.shift_detail,
            parameters=(*_WHAT, *_SIZES, "smoothness", *_MORE, "runs", "seed"),
            folded=("label_noise", "eta", "averages", "runs", "seed"),
            essential=("task", "learner", "samples", "epsilon", "smoothness", "family"),
            idle=without_effect,
            notes=words.shift_notes,
            first_seconds=1.0,
        ),
        View(
            key="transfer",
            title="Where errors hide",
            deep=True,
            compute=error_on_private_data,
            figure=draw,
            takeaway=settings_words.transfer_takeaway,
            detail=settings_words.transfer_detail,
            parameters=("family", "smoothness", "alpha"),
            notes=settings_words.transfer_notes,
        ),
        View(
            key="projected",
            title="After the projection",
            deep=True,
            compute=noise_after_projection,
            figure=draw,
            takeaway=projected_words.projected_takeaway,
            detail=projected_words.projected_detail,
            parameters=(*_SIZES, "eta"),
            notes=projected_words.projected_notes,
        ),
        View(
            key="noise",
            title="The paper's noise",
            deep=True,
            compute=noise_against_points,
            figure=draw,
            takeaway=noise_words.noise_takeaway,
            detail=noise_words.noise_detail,
            parameters=(*_SIZES, "eta", "averages", "constant"),
            folded=("constant",),
            notes=noise_words.noise_notes,
        ),
        View(
            key="minimiser",
            title="One minimiser",
            deep=True,
            compute=moves_of_one_minimiser,
            figure=draw,
            takeaway=minimiser_words.minimiser_takeaway,
            detail=minimiser_words.minimiser_detail,
            parameters=("samples", "public_points", "eta", "moved", "seed"),
            folded=("seed",),
            notes=minimiser_words.minimiser_notes,
        ),
        View(
            key="weights",
            title="Gaussian weights",
            deep=True,
            compute=weights_against_dimension,
            figure=draw,
            takeaway=noise_words.weights_takeaway,
            detail=noise_words.weights_detail,
            parameters=(
                "vc_dimension",
                "alpha",
                "epsilon",
                "delta",
                "constant",
                "beta",
                "smoothness",
            ),
            folded=("beta", "smoothness"),
            notes=noise_words.weights_notes,
        ),
        View(
            key="rates",
            title="Sample complexity",
            deep=True,
            compute=samples_needed,
            figure=draw,
            takeaway=words.rates_takeaway,
            detail=words.rates_detail,
            parameters=(
                "setting",
                "alpha",
                "beta",
                "epsilon",
                "delta",
                "smoothness",
                "vc_dimension",
                "constant",
            ),
            essential=("setting", "alpha", "epsilon", "smoothness", "constant"),
            notes=words.rates_notes,
        ),
        View(
            key="settings",
            title="The theorems' settings",
            deep=True,
            compute=settings_of_a_theorem,
            figure=draw,
            takeaway=settings_words.settings_takeaway,
            detail=settings_words.settings_detail,
            parameters=(
                "theorem",
                "alpha",
                "epsilon",
                "delta",
                "smoothness",
                "vc_dimension",
                "beta",
            ),
            folded=("beta",),
            essential=("theorem", "alpha", "epsilon", "smoothness"),
            idle=without_effect,
            notes=settings_words.settings_notes,
        ),
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
