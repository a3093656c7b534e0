"""The controls of a mechanism, which several views have."""

from collections.abc import Mapping

from dpviz.scene.codec import Value

ITEM = ("epsilon", "sigma")
CLOSE = ("rate", "closeness_delta", "failure_probability")
FEW = ("mechanism", "samples", *ITEM)
RARE = ("rate", "delta", "closeness_delta")


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what belongs to another mechanism than the chosen one."""
    return idle_with(values["mechanism"])


def idle_with(chosen: Value) -> set[str]:
    """Name what belongs to another mechanism: ε, σ and δ of Gaussian noise, the rate of coins."""
    if chosen == "mean":
        return {"epsilon", "rate"}
    return {"epsilon"} if chosen == "gaussian" else {"sigma", "delta"}
