"""Views of the page on public data that run learners, on data small enough to run them often."""

import inspect

import numpy as np

from dpviz.topics.public_data.experiment import Setting

SETTING = {
    "task": "thresholds", "learner": "rrspm", "noise": "laplace", "samples": 300,
    "public_points": 8, "epsilon": 1.0, "delta": 1e-6, "family": "window", "smoothness": 1.0,
    "label_noise": 0.1, "eta": 0.1, "averages": 20, "runs": 4, "constant": 1.0,
}  # fmt: skip
QUICK = {"averages": 20, "samples": 300, "runs": 3}
"""What of it is quicker than the page as it opens."""


def names_of(view):
    """All that a view can be given."""
    named = inspect.signature(view).parameters
    return {*named, *Setting.__annotations__}


def called(view, **changes):
    """All results of a view, coarse to fine, but for the changes at the same small setting."""
    values = {key: value for key, value in (SETTING | changes).items() if key in names_of(view)}
    result = view(rng=np.random.default_rng(1), **values)
    return list(result) if inspect.isgenerator(result) else [result]
