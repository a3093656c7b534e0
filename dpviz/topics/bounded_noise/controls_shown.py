"""What one sets in several views: the privacy, and the shape of the bounded noise."""

from collections.abc import Mapping

from dpviz.scene.codec import Value

PRIVACY = ("queries", "epsilon", "delta")
SHAPE = ("shape", "power")


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: p of a shape without one, the constant of rates not shown."""
    idle = {"power": values["shape"] == "iterated", "constant": not values["show_shapes"]}
    return {name for name, unused in idle.items() if unused}
