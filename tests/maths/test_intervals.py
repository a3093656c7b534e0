"""Intervals against SciPy's own, and by how often they hold what they claim to hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths.intervals import clopper_pearson, mean_interval, student_half_width
from dpviz.results.parameters import ParameterError
from tests.support.strategies import outside


@pytest.mark.parametrize("truth", [0.0, 0.03, 0.5, 1.0])
def test_intervals_hold_the_truth_as_often_as_they_claim(truth):
    trials = 40
    counts = np.arange(trials + 1)
    low, high = clopper_pearson(counts, trials)
    covered = stats.binom(trials, truth).pmf(counts)[(low <= truth) & (truth <= high)].sum()
    assert covered >= 0.95


def test_intervals_are_those_of_scipy():
    for hits, trials in ((0, 10), (3, 10), (10, 10), (123, 4567)):
        theirs = stats.binomtest(hits, trials).proportion_ci(0.95, method="exact")
        assert clopper_pearson(hits, trials) == pytest.approx((theirs.low, theirs.high))
    assert clopper_pearson(0, 0) == (0, 1)


def test_means_have_the_interval_of_the_t_test():
    values = np.random.default_rng(1).normal(3, 2, size=(12, 4))
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    half = student_half_width(values.std(axis=0, ddof=1), 12, level=0.9)
    assert values.mean(axis=0) - half == pytest.approx(theirs.low)
    assert values.mean(axis=0) + half == pytest.approx(theirs.high)


@pytest.mark.parametrize(
    "impossible",
    [
        lambda: clopper_pearson(5, 4),
        lambda: clopper_pearson(1, 4, level=1),
        lambda: student_half_width(1.0, 1),
        lambda: student_half_width(1.0, 5, level=0),
    ],
)
def test_what_is_impossible_is_refused(impossible):
    with pytest.raises(ParameterError):
        impossible()


@pytest.mark.parametrize("mean", [0.02, 0.5, 2 / 3, 0.97])
@pytest.mark.parametrize("failure", [0.05, 0.3])
def test_intervals_hold_at_all_times_at_once(mean, failure):
    """The ends after all runs are the tightest of all times, so one look at them sees any miss."""
    sequences = 2000
    drawn = np.random.default_rng(0).random((400, sequences)) < mean
    lower, upper = mean_interval(drawn, failure_probability=failure)
    missed = np.count_nonzero((lower > mean) | (upper < mean))
    assert stats.binomtest(missed, sequences, failure, alternative="greater").pvalue > 1e-4


def test_intervals_hold_for_values_between_0_and_1():
    drawn = np.random.default_rng(1).beta(0.4, 3.6, size=(300, 1000))
    lower, upper = mean_interval(drawn)
    assert np.mean((lower > 0.1) | (upper < 0.1)) < 0.06


@pytest.mark.parametrize("successes", [1500, 1000, 60])
def test_intervals_are_not_much_wider_than_those_of_a_fixed_number_of_runs(successes):
    drawn = np.random.default_rng(2).permutation(np.arange(3000) < successes)
    lower, upper = mean_interval(drawn)
    fixed = stats.binomtest(successes, 3000).proportion_ci(0.95, method="exact")
    assert upper - lower < 2.2 * (fixed.high - fixed.low)
    assert lower < successes / 3000 < upper


@given(st.integers(1, 60), st.integers(0, 10**6))
def test_intervals_only_shrink(runs, seed):
    values = np.random.default_rng(seed).random((runs + 1, 3))
    before, after = mean_interval(values[:-1]), mean_interval(values)
    assert np.all(before[0] <= after[0])
    assert np.all(after[1] <= before[1])
    assert np.all((before[0] >= 0) & (before[1] <= 1))


@given(outside("failure_probability"))
def test_a_failure_probability_outside_its_range_is_refused(value):
    with pytest.raises(ParameterError, match=r"^failure_probability must be"):
        mean_interval(np.zeros(3), failure_probability=value)
