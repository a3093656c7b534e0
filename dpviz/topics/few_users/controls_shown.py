"""The controls that several views have."""

from collections.abc import Mapping

from dpviz.scene.codec import Value

LEARNER = ("learner", "concept", "bits", "examples_per_user")
ACCURACY = ("alpha", "failure_probability")
VOTE = ("users", "epsilon", "delta")


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what the learner does not depend on: three of them have a class of their own."""
    if values["learner"] == "joined":
        return {"concept", "bits"}
    return {"concept"} if values["learner"] in ("queries", "rare") else set()
