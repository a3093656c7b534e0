"""Where DelStab pays on a sum: the break-even against the noise itself, at the m it names."""

import math

import numpy as np
import pytest

from dpviz.maths.local_deletion import spread_bound
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.naming import UNSTABLE, proof_epsilon
from dpviz.topics.propose_test_release.plain import laplace_deviation
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.against_plain_noise import against_plain_noise
from dpviz.topics.propose_test_release.views.where_delstab_pays import (
    proof_examples,
    proven_examples,
    where_delstab_pays,
)
from dpviz.topics.propose_test_release.views.where_delstab_pays_shown import VIEW

EASY = Budget(10.0, 0.1)


@pytest.mark.parametrize("users", [60, 5000])
def test_at_the_break_even_both_noises_are_equal(users):
    gone, scaled = 4 * EASY.kappa, users / (users - 4 * EASY.kappa)
    whole = {"epsilon": EASY.epsilon, "delta": EASY.delta}
    part = {"epsilon": EASY.epsilon_bar, "delta": EASY.delta_bar}
    m = proven_examples(users, EASY)
    for factor, less in ((0.9, False), (1.1, True)):
        examples = round(factor * m)
        wide = spread_bound(gone, users=users, examples=examples, failure_probability=UNSTABLE)
        delstab = scaled * laplace_deviation(float(wide), **part)
        assert (delstab < laplace_deviation(examples, **whole)) == less
    m = proof_examples(users, EASY)
    loss = proof_epsilon(users=users, examples=round(m), budget=EASY)
    assert scaled * math.sqrt(2) / loss == pytest.approx(laplace_deviation(m, **whole), rel=0.02)


def test_the_map_agrees_with_the_view_of_one_n_and_is_ordered():
    setting = {"users": 500, "examples_per_user": 1000, "rate": 0.3}
    privacy = {"epsilon": 10.0, "delta": 0.1}
    *_, chart = where_delstab_pays(**setting, **privacy)
    one = against_plain_noise(**setting, **privacy, noise="geometric", noise_factor=1.0)
    assert chart.usual == one.break_even
    assert chart.done == 1.0
    [own] = chart.marks
    assert ("DelStab adds less" in own.text) == (chart.examples >= chart.usual)
    usual, proven, proof = (chart.curve(key).y for key in ("usual", "proven", "proof"))
    known = np.isfinite(usual)
    assert np.count_nonzero(known) > 4
    assert np.all(usual[known] <= proven[known])
    assert np.all(proven <= proof)
    assert "is above" in VIEW.detail(chart) or "is below" in VIEW.detail(chart)


def test_too_few_users_are_told():
    (found,) = where_delstab_pays(users=10, examples_per_user=5, rate=0.5, epsilon=1.0, delta=1e-3)
    assert isinstance(found, UsersNeeded)
    assert VIEW.notes(found) == []
