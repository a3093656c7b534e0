"""The controls of a release: those that all views have, and which of them have no effect."""

from collections.abc import Mapping

from dpviz.scene.codec import Value

RELEASE = ("mechanism", "epsilon", "delta", "queries", "power")


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Return what has no effect on a release: the power of a noise that has none."""
    return set() if values["mechanism"] == "bounded" else {"power"}


def idle_together(values: Mapping[str, Value]) -> set[str]:
    """Return what has no effect on a release whose k answers have one budget.

    k Gaussian answers that are (ε, δ)-DP together give away what one does.
    """
    together = {"queries"} if values["mechanism"] == "gaussian" else set()
    return idle_controls(values) | together
