"""The controls of a task and of its users, which several views have."""

from collections.abc import Mapping
from typing import Any

from dpviz.scene.codec import Value

TASK = ("task", "domain_size", "candidates")
USERS = ("threshold", "examples_per_user", "users", "epsilon")
"""The users of one data set, how they are clipped, and how private they are."""


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on some tasks: only one has a number of categories."""
    return set() if values["task"] == "discrete" else {"domain_size"}


def largest_threshold(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say that no user's examples can count more than all m of them."""
    return {"threshold": float(values["examples_per_user"])}
