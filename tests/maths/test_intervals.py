"""Intervals against SciPy's own, and by how often they hold what they claim to hold."""

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.intervals import clopper_pearson, student_half_width
from dpviz.results.parameters import ParameterError


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
