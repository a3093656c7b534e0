"""What all views that run learners refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.public_data.views.error_against_shift import error_against_shift
from dpviz.topics.public_data.views.error_as_data_grow import (
    error_against_points,
    error_against_samples,
)
from tests.support.examples import examples
from tests.support.small_lessons import SETTING, called, names_of
from tests.support.strategies import outside

VIEWS = [error_against_samples, error_against_points, error_against_shift]


@pytest.mark.parametrize("view", VIEWS)
@given(st.data())
@examples(15)
def test_views_refuse_parameters_out_of_range(view, data):
    names = [n for n in sorted(names_of(view)) if n in LIMITS and n in SETTING]
    name = data.draw(st.sampled_from(names))
    with pytest.raises(ParameterError):
        called(view, **{name: data.draw(outside(name))})


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("key", ["task", "family", "noise"])
def test_views_refuse_names_they_do_not_know(view, key):
    with pytest.raises(ParameterError, match=key):
        called(view, **{key: "else"})


def test_half_planes_have_few_samples():
    with pytest.raises(ParameterError, match="at most 10,000 for half-planes"):
        called(error_against_points, task="halfplanes", samples=10_001)
    with pytest.raises(ParameterError, match="at most 200 for half-planes"):
        called(error_against_points, task="halfplanes", public_points=201)
    for view in (error_against_points, error_against_shift):
        for size in ({"samples": 501}, {"public_points": 61}):
            with pytest.raises(ParameterError, match="Algorithm 2 calls J times"):
                called(view, task="halfplanes", learner="perturbation", **size)
