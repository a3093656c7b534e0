"""Clipping: the exponential mechanism when users hold m examples each."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.results.user_data import UNEQUAL
from dpviz.scene.asking import value_at_here
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise, Sketch, Upload, View
from dpviz.topics.clipping import figures, needed_words, people_figures, people_words, words
from dpviz.topics.clipping.tasks import TASKS
from dpviz.topics.clipping.views.choosing import error_against_threshold
from dpviz.topics.clipping.views.one_user import one_user
from dpviz.topics.clipping.views.people import people
from dpviz.topics.clipping.views.real_data import DATA, real_data
from dpviz.topics.clipping.views.selected import selected
from dpviz.topics.clipping.views.users_needed import users_needed
from dpviz.topics.clipping.views.where_it_helps import where_clipping_helps
from dpviz.ui.frame import render

_IMPORTS = "from dpviz.results.user_data import read_csv, user_data"
_LOAD = """    own=user_data(
        read_csv(Path("file.csv").read_bytes()),  # your own file
        user={user},
        value={value},
        bins={bins},
    ),"""
_ERROR = Limit("guess", "", "expected error, 0 to 1", 0, 1, 0.1, log=False, step=0.01)


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name what the open view does not depend on."""
    if values["view"] not in ("real", "people"):
        return set() if values["task"] == "discrete" else {"domain_size"}
    return set() if values["data"] in ("log_wage", "own") else {"bins"}


_TASK = ("task", "domain_size", "candidates")
_DATA = ("threshold", "examples_per_user", "users", "epsilon")
_UPLOAD = Upload("own", lambda values: values["data"] == "own", _IMPORTS, _LOAD, bins="bins")


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
        Number(LIMITS["correlation"]),
        Choice("data", "Data", DATA, "union"),
        Number(LIMITS["bins"]),
        Choice("unequal", "Users with fewer than m rows", UNEQUAL, "cap"),
        Seed(),
    ),
    views=(
        View(
            key="user",
            title="One user, clipped",
            compute=one_user,
            figure=figures.user_figure,
            takeaway=words.user_takeaway,
            detail=words.user_detail,
            parameters=(*_DATA, *_TASK, "rival", "seed"),
            folded=("domain_size", "rival"),
            essential=_DATA,
            idle=without_effect,
            notes=words.user_notes,
        ),
        View(
            key="selected",
            title="What gets selected",
            compute=selected,
            figure=figures.selected_figure,
            takeaway=words.selected_takeaway,
            detail=words.selected_detail,
            parameters=(*_DATA, "alpha", *_TASK, "seed"),
            folded=("domain_size",),
            essential=(*_DATA, "task"),
            idle=without_effect,
            notes=words.selected_notes,
        ),
        View(
            key="threshold",
            title="Choosing τ",
            compute=error_against_threshold,
            figure=draw,
            takeaway=words.threshold_takeaway,
            detail=words.threshold_detail,
            parameters=(*_DATA, "alpha", "constant", *_TASK, "seed"),
            folded=("domain_size",),
            essential=(*_DATA, "constant"),
            idle=without_effect,
            notes=words.threshold_notes,
            first_seconds=0.5,
            sketch=Sketch(
                question="Draw the error of the answer as users are clipped less and "
                "less, from left to right.",
                curve="exact",
            ),
            prediction=value_at_here(
                "Each user's examples count τ at most, and the choice is private. By how much will "
                "its answer err on average?",
                _ERROR,
                "exact",
                hidden=("published", "simulated"),
                answer=lambda error: f"by {readable(error)}",
            ),
        ),
        View(
            key="needed",
            title="Users needed against m",
            compute=users_needed,
            figure=draw,
            takeaway=needed_words.needed_takeaway,
            detail=needed_words.needed_detail,
            parameters=("epsilon", "alpha", "constant", *_TASK, "seed"),
            folded=("domain_size",),
            idle=without_effect,
            notes=needed_words.needed_notes,
            first_seconds=1.0,
        ),
        View(
            key="helps",
            title="Where clipping helps",
            compute=where_clipping_helps,
            figure=draw,
            takeaway=words.helps_takeaway,
            detail=words.helps_detail,
            parameters=(
                "examples_per_user",
                "correlation",
                "users",
                "epsilon",
                "alpha",
                "constant",
                "domain_size",
                "candidates",
                "seed",
            ),
            folded=("alpha", "constant"),
            essential=("examples_per_user", "correlation", "users", "epsilon"),
            notes=words.helps_notes,
            first_seconds=1.0,
        ),
        View(
            key="real",
            title="Real data",
            compute=real_data,
            figure=draw,
            takeaway=words.real_takeaway,
            detail=words.real_detail,
            parameters=(
                "data",
                "threshold",
                "epsilon",
                "examples_per_user",
                "bins",
                "candidates",
                "unequal",
                "seed",
            ),
            folded=("unequal",),
            essential=("data", "threshold", "epsilon", "candidates"),
            idle=without_effect,
            notes=words.real_notes,
            upload=_UPLOAD,
        ),
        View(
            key="people",
            title="People",
            compute=people,
            figure=people_figures.people_figure,
            linked=people_figures.people_linked,
            takeaway=people_words.people_takeaway,
            detail=people_words.people_detail,
            parameters=(
                "data",
                "threshold",
                "epsilon",
                "rival",
                "examples_per_user",
                "bins",
                "candidates",
                "unequal",
                "seed",
            ),
            folded=("unequal", "rival", "examples_per_user"),
            essential=("data", "threshold", "epsilon"),
            idle=without_effect,
            notes=people_words.people_notes,
            upload=_UPLOAD,
        ),
    ),
    presets=(
        Preset("No clipping", {"view": "selected", "threshold": 100.0}),
        Preset("Theorem 37", {"view": "threshold"}),
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
        Preset(
            "The slope −1/2",
            {"view": "needed", "alpha": 0.01, "epsilon": 0.01, "candidates": 64},
        ),
        Preset("Where clipping helps", {"view": "helps", "candidates": 64}),
        Preset(
            "Users too much alike",
            {
                "view": "helps",
                "candidates": 64,
                "examples_per_user": 8,
                "correlation": 0.53,
                "users": 545,
            },
        ),
        Preset("m = 1", {"view": "selected", "examples_per_user": 1, "threshold": 1.0}),
        Preset(
            "Union membership in the wage panel",
            {"view": "real", "threshold": 2.0, "candidates": 64, "examples_per_user": 8},
        ),
        Preset(
            "Whom a tight τ silences",
            {"view": "people", "threshold": 4.0, "examples_per_user": 8},
        ),
    ),
    promise=lambda _: Promise(pure=True),
)

if __name__ == "__main__":
    render(PAGE)
