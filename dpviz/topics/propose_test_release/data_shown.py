"""The controls of the data and of the noise, which several views have."""

from collections.abc import Mapping
from typing import Any

from dpviz.scene.codec import Value
from dpviz.topics.propose_test_release.data import wage_panel_sums

SETTING = (
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
"""All that `dpviz.topics.propose_test_release.data.Setting` takes."""


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on some data: the wage panel brings its own users."""
    idle = {"users", "examples_per_user", "rate"} if values["data"] == "wages" else set()
    return idle if values["data"] == "outliers" else idle | {"outliers", "outlier_distance"}


def idle_controls_and_seed(values: Mapping[str, Value]) -> set[str]:
    """Name the same for views that show nothing drawn but the data: real data need no seed."""
    return idle_controls(values) | ({"seed"} if values["data"] == "wages" else set())


def half_of_the_users(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say that outliers are at most half of the users, of which the wage panel brings its own."""
    users = len(wage_panel_sums()) if values["data"] == "wages" else int(values["users"])
    return {"outliers": users // 2}


def most_outliers(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say the same where outliers are moved; elsewhere their control is hidden."""
    return half_of_the_users(values) if values["data"] == "outliers" else {}
