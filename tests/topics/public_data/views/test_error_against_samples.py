"""Errors against n: more examples help, and every learner is told."""

import numpy as np

from dpviz.topics.public_data.views import (
    error_against_samples_shown,
)
from dpviz.topics.public_data.views.error_against_samples import error_against_samples
from tests.support.declarations import last, page
from tests.support.examples import only_in_long_run, some
from tests.support.headlines import faults
from tests.support.small_lessons import QUICK, called

PAGE = page("public_data")


@only_in_long_run
def test_algorithm_2_is_left_out_where_half_planes_are_many():
    chart = called(error_against_samples, task="halfplanes", samples=600, runs=1)[-1]
    known = np.isfinite(chart.curve("perturbation").y)
    np.testing.assert_array_equal(known, chart.curve("perturbation").x <= 500)
    assert np.isfinite(chart.curve("rrspm").y).all()
    assert "nan" not in error_against_samples_shown.VIEW.detail(chart)
    assert "Algorithm 2" not in error_against_samples_shown.VIEW.detail(chart)


def test_more_private_examples_help_and_privacy_costs():
    [*_, chart] = called(error_against_samples, runs=some(20, 8), averages=some(50, 20))
    private, plain = chart.curve("rrspm"), chart.curve("non_private")
    assert private.y[-1] < private.y[0] / 3
    assert np.all(plain.y[3:] < private.y[3:])
    assert 300 in private.x


def test_errors_and_calls_are_told():
    chart = last(PAGE, "samples", **QUICK)
    detail = error_against_samples_shown.VIEW.detail(chart)
    assert "n = 300" in detail
    assert not faults(error_against_samples_shown.VIEW.takeaway(chart))
    for calls in ("(2 calls)", "(21 calls)", "(1 call)"):
        assert calls in detail
