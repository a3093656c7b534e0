"""Symmetric noise under two thresholds: against counts by enumeration, and against known noise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multinomial

from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.maths.noise_converse import chain_radius
from dpviz.maths.one_pair_converse import one_pair_radius
from dpviz.maths.two_cuts_converse import proven_delta, two_cuts_radius
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples
from tests.support.strategies import inside, outside

RATES = st.tuples(st.floats(0.01, 0.5), st.floats(0.01, 0.5)).filter(lambda r: r[0] < 0.99 * r[1])


@examples(40)
@given(RATES, st.floats(0.01, 3.0), st.integers(1, 9))
def test_delta_is_that_of_all_counts(rates, epsilon, queries):
    """By the definition, over all triples of counts, of the likelihoods themselves."""
    p, q = rates
    counts = np.array([(a, c) for a in range(queries + 1) for c in range(queries + 1 - a)])
    triples = np.column_stack([counts, queries - counts.sum(axis=1)])
    one = multinomial(queries, [p, q, 1 - p - q]).pmf(triples)
    other = multinomial(queries, [q, p, 1 - p - q]).pmf(triples)
    expected = np.maximum(other - math.exp(epsilon) * one, 0.0).sum()
    found = proven_delta(p, q, epsilon, queries)
    assert found <= expected * (1 + 1e-6) + 1e-15
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-8)


@examples(40)
@given(RATES, st.floats(0.01, 3.0), st.integers(1, 300), st.floats(0.01, 0.99))
def test_delta_falls_with_the_smaller_rate_and_rises_with_the_larger(rates, epsilon, queries, part):
    p, q = rates
    middle = p + part * (q - p)
    slack = 1e-7
    found = proven_delta(p, q, epsilon, queries)
    assert proven_delta(p, middle, epsilon, queries) <= found + slack
    assert proven_delta(middle, q, epsilon, queries) <= found + slack


@examples(4)  # tuned noise takes seconds
@given(inside("epsilon", 0.3, 5.0), inside("delta", 1e-9, 0.2), st.integers(1, 100))
def test_no_symmetric_noise_is_below(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    bound = two_cuts_radius(**privacy)
    assert bound <= truncated_laplace_noise(**privacy).radius * (1 + 1e-9)
    assert bound <= tuned_noise(**privacy).best.radius.upper


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "gain"),
    [
        (3.8, 5.7e-5, 962, 1.16),
        (0.78, 1.7e-20, 255, 1.06),
        (0.1, 1e-3, 8, 1.06),
        (1.0, 1e-6, 5, 1.0),
        (7.424, 0.001916, 5, 1.0),  # p + q is rounded above 1
        (4.3, 0.46, 1, 1.0),
    ],
)
def test_two_thresholds_say_more_than_one(epsilon, delta, queries, gain):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    others = max(one_pair_radius(**privacy), chain_radius(**privacy))
    assert two_cuts_radius(**privacy) >= gain * others * (1 - 1e-9)


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries"])
@examples(16)
@given(data=st.data())
def test_it_refuses(name, data):
    arguments = {"epsilon": 1.0, "delta": 0.01, "queries": 10}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        two_cuts_radius(**arguments)
