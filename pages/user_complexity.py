"""Every bound of the papers' tables on the number of users, live over m."""

import math
from collections.abc import Mapping

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Flag, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.user_complexity.coin_users import TASKS
from dpviz.topics.user_complexity.exercises import EXERCISES
from dpviz.topics.user_complexity.rows_shown import TABLES
from dpviz.topics.user_complexity.views import (
    bounds_on_users_shown,
    fewest_users_there_can_be_shown,
    people_and_tosses_shown,
    users_against_domain_shown,
)

_PROBLEMS = {
    "discrete": "Discrete distribution",
    "product": "Product distribution",
    "gaussian_known": "Gaussian, known Σ",
    "gaussian_bounded": "Gaussian, bounded Σ",
    "pac": "PAC",
    "agnostic": "Agnostic PAC",
    "selection": "Hypothesis selection",
}
_AXES = {"m": "m", "epsilon": "ε", "alpha": "α", "d": "d", "k": "k", "d_L": "d_L", "d_VC": "d_VC"}
_REACH = {"examples_per_user": 1e10}  # figures end soon after the reader's m
_USUAL = {"epsilon": LIMITS["epsilon"].narrowed(default=LIMITS["task_epsilon"].default)}
_COINS = ("tosses", "task_epsilon", "coin", "success")


def promise(values: Mapping[str, Value]) -> Promise:
    """Say in odds what is asked of the algorithms, for a user with all examples."""
    by_choice = values["view"] == "users" and values["privacy"] == "pure"
    return Promise(pure=by_choice or values["view"] == "representation")


PAGE = Page(
    slug="user_complexity",
    parameters=(
        Choice("problem", "Problem", _PROBLEMS, "discrete"),
        Choice("privacy", "Privacy", {"pure": "Pure", "approximate": "Approximate"}, "pure"),
        Choice("model", "Model", {"central": "Central", "local": "Local"}, "central"),
        Choice("axis", "Along", _AXES, "m"),
        Choice("quantity", "Count", {"users": "Users, n", "samples": "Examples, n·m"}, "users"),
        *(
            Number(_USUAL.get(name, LIMITS[name]), _REACH.get(name, math.inf))
            for name in (*TABLES, "constant")
        ),
        Number(LIMITS["log_power"].narrowed(default=0)),
        Flag("item", "Item-level bounds", True),
        Flag("earlier", "Earlier work", True),
        Flag("lower", "Lower bounds", True),
        Choice("task", "To tell apart", TASKS, "two"),
        *(Number(LIMITS[name]) for name in _COINS),
        Seed(),
    ),
    for_everyone=(
        people_and_tosses_shown.VIEW,
        fewest_users_there_can_be_shown.VIEW,
        bounds_on_users_shown.VIEW,
    ),
    in_depth=(users_against_domain_shown.VIEW,),
    unnamed="users",
    formerly={
        "budget": {"view": "users", "privacy": "approximate"},
        "constants": {"view": "users", "log_power": 1.0},
        "kinds": {"view": "users", "privacy": "approximate"},
        "learning": {"view": "users", "problem": "product"},
        "own": {"view": "users", "privacy": "approximate"},
    },
    gone=(
        "asked",
        "learned",
        "dimensions",
        "examples_held",
        "target_error",
        "clip_scale",
        "cover",
        "n_priv",
        "n_stat",
        "c",
    ),
    presets=(
        Preset("Twelve tosses each", {"view": "people", "tosses": 12}),
        Preset("Much more privacy", {"view": "people", "task_epsilon": 0.1, "tosses": 12}),
        Preset("Three coins", {"view": "truth", "task": "three", "task_epsilon": 1.0}),
        Preset(
            "The √m saving",
            {
                "view": "users",
                "epsilon": 0.001,
                "alpha": 0.01,
                "domain_size": 10,
                "examples_per_user": 100,
            },
        ),
        Preset(
            "Earlier work starts to hold",
            {
                "view": "users",
                "problem": "pac",
                "dimension": 20.0,
                "epsilon": 0.5,
                "examples_per_user": 10**6,
            },
        ),
        Preset(
            "Local model",
            {
                "view": "users",
                "problem": "pac",
                "model": "local",
                "dimension": 20.0,
                "epsilon": 0.5,
                "examples_per_user": 10**7,
            },
        ),
        Preset(
            "Parity in the local model",
            {
                "view": "users",
                "problem": "pac",
                "model": "local",
                "dimension": 100.0,
                "sq_dimension": 1e20,
                "epsilon": 0.5,
                "examples_per_user": 10**9,
            },
        ),
        Preset(
            "Constants eat up the saving",
            {"view": "users", "problem": "pac", "constant": 4.0, "log_power": 1.0},
        ),
        Preset(
            "A δ saves users",
            {"view": "users", "privacy": "approximate", "examples_per_user": 1000},
        ),
    ),
    promise=promise,
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
