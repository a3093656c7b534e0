"""One user's m examples: the slope, where the theorem is silent, the sentence."""

import numpy as np
import pytest

from dpviz.maths.sum_mechanisms import GeometricCount
from dpviz.topics.perfect_generalization.views import one_users_examples_shown
from dpviz.topics.perfect_generalization.views.one_users_examples import user_growth
from tests.support.declarations import last, page

VIEW = one_users_examples_shown.VIEW
PAGE = page("perfect_generalization")


def test_slope_in_the_examples_of_a_user():
    *_, last = user_growth(
        GeometricCount(1e-3),
        users=1000,
        examples_per_user=10**4,
        rate=0.5,
        delta=1e-6,
        failure_probability=0.01,
    )
    assert last.slope == pytest.approx(0.5, abs=0.01)
    assert np.all(last.curve("exact").y <= last.curve("group").y * (1 + 1e-12))
    derived = last.curve("derived")
    known = np.isfinite(derived.y)
    assert np.all(last.curve("exact").y[known] <= derived.y[known])


def test_theorem_17_promises_nothing_at_a_smaller_delta_than_it_spends():
    """It spends m·δ."""
    users = last(PAGE, "users", noise="gaussian", delta=1e-4).curve("theorem_17")
    assert not users.holds.any()


def test_what_rounds_to_nothing_is_not_told_as_a_number():
    free = {"noise": "gaussian", "examples_per_user": 1, "closeness_delta": 0.5, "delta": 0.5}
    chart = last(PAGE, "users", **free)
    assert VIEW.takeaway(chart).endswith(
        "ε = 0 at most, as much as group privacy must allow for any user."
    )
    assert "Group privacy allows 0." in VIEW.detail(chart)


def test_users_in_a_sentence():
    sentence = VIEW.detail(last(PAGE, "users"))
    assert "with 100 examples each" in sentence
    assert "Group privacy allows 0.5. Around" in sentence
    assert "with 1 example each" in VIEW.detail(last(PAGE, "users", examples_per_user=1))
