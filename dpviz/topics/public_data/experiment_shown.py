"""The controls of tasks, learners and budgets, which several views have."""

from collections.abc import Mapping

from dpviz.scene.codec import Value
from dpviz.topics.public_data.learners import claim

LEARNING = ("task", "learner", "noise")
SIZES = ("samples", "public_points", "epsilon", "delta")
REST = ("family", "label_noise", "eta", "averages")
SETTING = (*LEARNING, *SIZES, "smoothness", *REST)
"""All that `dpviz.topics.public_data.experiment.Setting` takes, and the learner."""


def idle_of_learner(values: Mapping[str, Value]) -> set[str]:
    """Name what the chosen learner does not depend on."""
    learner, noise = str(values["learner"]), str(values["noise"])
    idle = {"delta"} if claim(learner, noise) == "pure" else set()
    if learner != "perturbation":
        idle.add("averages")
    if learner in ("rrspm", "rspm"):
        idle.add("eta")
    if learner == "rspm":
        idle.add("noise")
    return idle


def idle_of_shift(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect without a shift: all families are alike at σ = 1."""
    return {"family"} if values["smoothness"] == 1 else set()
