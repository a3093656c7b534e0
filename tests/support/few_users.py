"""How several tests of few users call its views."""

import numpy as np

SETTING = {
    "learner": "gibbs",
    "concept": "parities",
    "bits": 4,
    "alpha": 0.1,
    "failure_probability": 0.05,
}
VOTE = {"users": 40, "epsilon": 1.0, "delta": 1e-3}


def rng(seed=0):
    return np.random.default_rng(seed)


def final(results):
    *_, result = results
    return result


def reached(results, share):
    """The first result when so much of the whole is done: how many there are before is chance."""
    return next(result for result in results if result.done >= share)
