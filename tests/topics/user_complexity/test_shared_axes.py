"""The tables' parameters are validated, and the first m is the smallest."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.shared_axes import first_m
from dpviz.topics.user_complexity.views.bounds_on_users import bounds_on_users
from tests.support.examples import examples
from tests.support.strategies import outside


@pytest.mark.parametrize("name", PARAMETERS.values())
@examples(20)
@given(data=st.data())
def test_views_refuse_what_lies_outside(name, data):
    bad = {name: data.draw(outside(name))}
    with pytest.raises(ParameterError, match=name):
        bounds_on_users(problem="pac", **bad)


def test_views_refuse_unknown_names_and_texts():
    with pytest.raises(TypeError, match="colour"):
        bounds_on_users(problem="pac", colour=1)
    with pytest.raises(ParameterError, match="alpha"):
        bounds_on_users(problem="pac", alpha="small")


@pytest.mark.parametrize("limit", [1, 1.5, 99, 100, 101.5, 12345, 987654321, 3.3e17, 9.99e23])
def test_first_m_finds_the_smallest_whole_number(limit):
    expected = math.ceil(limit)
    assert first_m(lambda m: m >= limit) == pytest.approx(expected, rel=1e-15)
    assert first_m(lambda m: m > 2e24) == math.inf
    # A short stretch is found if it starts at an event.
    spike = first_m(lambda m: (m >= limit) & (m < limit * 1.001 + 1), events=[limit])
    assert spike == pytest.approx(expected, rel=1e-15)
    assert first_m(lambda m: m >= 1, start=float(expected)) == expected
