"""The fewest users: what an interval promises, on mechanisms whose success is known."""

import math

import numpy as np
import pytest

from dpviz.topics.user_complexity.fewest_users import SUCCESS, fewest_users


def growing(rng, half):
    """A mechanism with success 1 − 2^(−n/half), which is 2/3 at n = half·log₂3."""

    def succeed(_, sizes):
        return (rng.random() < 1 - 0.5 ** (sizes / half)).astype(float)

    return succeed


def last(steps):
    *_, final = steps
    return final


def test_intervals_hold_the_fewest_as_often_as_they_claim():
    half, missed, ends = 7.0, 0, []
    truth = math.ceil(half * math.log2(3))
    for seed in range(30):
        found = last(fewest_users(growing(np.random.default_rng(seed), half), guess=5, failure=0.2))
        missed += not found.interval.lower <= truth <= found.interval.upper
        ends.append(found.interval.upper)
    assert np.median(ends) < 1.8 * truth
    assert missed <= 12  # more has probability 0.003 at one in five


def test_a_mechanism_without_chance_is_found_out_exactly():
    found = last(fewest_users(lambda _, sizes: (sizes >= 37) * 1.0, guess=3, failure=0.05))
    assert found.interval.lower <= 37 <= found.interval.upper <= 1.25 * found.interval.lower
    assert found.interval.lower - 2 <= found.estimate <= found.interval.upper


def test_one_user_can_be_enough():
    found = last(fewest_users(lambda _, sizes: np.ones(sizes.size), guess=50, failure=0.05))
    assert (found.interval.lower, found.interval.upper, found.estimate) == (1, 1, 1)


def test_a_hopeless_mechanism_is_given_up():
    found = last(
        fewest_users(lambda _, sizes: np.full(sizes.size, 0.9 * SUCCESS), guess=9, failure=0.05)
    )
    assert found.finished
    assert math.isnan(found.estimate)
    assert found.interval.upper == math.inf


@pytest.mark.parametrize("guess", [0.01, 20, 1e9])
def test_it_does_not_matter_where_the_search_begins(guess):
    found = last(fewest_users(lambda _, sizes: (sizes >= 20) * 1.0, guess=guess, failure=0.05))
    assert found.interval.lower <= 20 <= found.interval.upper


def test_the_pilot_sees_other_data_than_the_measurement():
    seen = []

    def succeed(run, sizes):
        seen.append(run)
        return (sizes >= 5) * 1.0

    final = last(fewest_users(succeed, guess=4, failure=0.05))
    measured = [run for run in seen if run >= 0]
    assert measured == list(range(final.runs))
    assert any(run < 0 for run in seen)
