"""How several tests of few users call its views."""

import numpy as np

from dpviz.topics.few_users.views.success_against_users import success_against_users
from tests.support.examples import some

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


def success(**changes):
    """Success against n, with what a test does not change."""
    usual = {
        "examples_per_user": 1000,
        "constant": 1.0,
        "runs": some(200, 120),
        "dispersion": "theorem",
    }
    return success_against_users(**SETTING | VOTE | usual | changes, rng=rng(8))
