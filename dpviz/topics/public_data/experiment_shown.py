"""The controls of tasks, learners and budgets, which several views have."""

from collections.abc import Mapping, Sequence

from dpviz.scene.codec import Value
from dpviz.topics.public_data.learners import LEARNERS, claim, suits
from dpviz.topics.public_data.shift import shifted
from dpviz.topics.public_data.tasks import (
    FEW_HALFPLANE_POINTS,
    FEW_HALFPLANE_SAMPLES,
    MOST_HALFPLANE_POINTS,
    MOST_HALFPLANE_SAMPLES,
    Task,
)

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


def learners_that_suit(values: Mapping[str, Value]) -> Mapping[str, Sequence[str]]:
    """Offer the learners that can be run on the task: for regression Algorithm 3 first."""
    if values.get("more") == "private":
        return {}  # all are drawn
    task = Task(str(values["task"]), shifted("window", 1.0), 0.0)
    suited = [name for name in LEARNERS if suits(name, task)]
    return {"learner": sorted(suited, key=lambda name: name != "regularization")}


def most_of_task(values: Mapping[str, Value]) -> Mapping[str, float]:
    """Say how much data half-planes can be learned from in a few seconds."""
    if values["task"] != "halfplanes":
        return {}
    if values["learner"] == "perturbation" and values.get("more") != "private":
        return {"samples": FEW_HALFPLANE_SAMPLES, "public_points": FEW_HALFPLANE_POINTS}
    return {"samples": MOST_HALFPLANE_SAMPLES, "public_points": MOST_HALFPLANE_POINTS}
