"""Rich classes: a million millions of hypotheses are learned."""

import numpy as np

from dpviz.topics.few_users.views.rich_classes import rich_classes
from tests.support.few_users import final, rng

CALL = {
    "question_examples": 1e9,
    "users": 300,
    "epsilon": 1.0,
    "delta": 1e-6,
    "alpha": 0.1,
}


def test_a_class_of_a_million_millions_is_learned():
    chart = final(rich_classes(class_bits=40, runs=4, rng=rng(5), **CALL | {"users": 3000}))
    for model in ("approximate", "pure", "local"):
        assert chart.measured[model].value >= 0.75
    assert chart.measured["own"].value < chart.measured["shared"].value
    assert chart.examples == 40 * 10**9


def test_moving_the_readers_place_leaves_the_other_points():
    call = CALL | {"users": 20, "runs": 2}
    one, other = (final(rich_classes(class_bits=d, rng=rng(6), **call)) for d in (7, 23))
    for curve in one.curves:
        again = other.curve(curve.key)
        _, left, right = np.intersect1d(curve.x, again.x, return_indices=True)
        np.testing.assert_array_equal(curve.y[left], again.y[right])
