"""The bound by one pair of neighbours: against its definition in exact sums, and against noises."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.maths.noise_converse import chain_radius, least_radius, people_needed
from dpviz.maths.one_pair_converse import MOST_ANSWERS, one_pair_radius
from dpviz.results.parameters import ParameterError
from tests.support.examples import chosen, examples
from tests.support.strategies import inside, outside


def tail(rate, count, at_least):
    """P(Bin(count, rate) ≥ at_least), term by term."""
    kept = range(at_least, count + 1)
    return math.fsum(math.comb(count, i) * rate**i * (1 - rate) ** (count - i) for i in kept)


def allows(before, after, count, epsilon, delta):
    """Whether no test of counts tells a rate from the next, in both directions."""
    for at_least in range(1, count + 1):
        first, second = tail(before, count, at_least), tail(after, count, at_least)
        if second > math.exp(epsilon) * first + delta:
            return False
        if 1 - first > math.exp(epsilon) * (1 - second) + delta:
            return False
    return True


def all_the_way(count, epsilon, delta):
    """The least N with φ^N(0) ≥ 1, by bisection, from 0 to 1 without any use of symmetry."""
    rate, steps = 0.0, 0
    while True:
        steps += 1
        if 1 - rate**count <= delta:
            return steps
        low, high = rate, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            fits = allows(rate, middle, count, epsilon, delta)
            low, high = (middle, high) if fits else (low, middle)
        rate = high


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"),
    [(1, 1e-3, 1), (1, 1e-3, 2), (0.5, 0.03, 5), (3, 1e-6, 3), (5, 0.02, 5), (0.3, 0.01, 4)],
)
def test_it_is_the_number_of_steps_of_the_definition(epsilon, delta, count):
    found = one_pair_radius(epsilon=epsilon, delta=delta, queries=count)
    assert found == (all_the_way(count, epsilon, delta) - 1) / 2


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "least", "before"),
    [
        (0.1, 1e-10, 2, 297.5, 200.5),
        (0.1, 1e-10, 10, 597, 200.5),
        (0.1, 1e-10, 100, 1327, 790),
        (1, 1e-6, 5, 30.5, 13.5),
    ],
)
def test_few_answers_gain_most(epsilon, delta, queries, least, before):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    assert least_radius(**privacy) >= least
    assert chain_radius(**privacy) == pytest.approx(before)
    assert least_radius(**privacy) <= truncated_laplace_noise(**privacy).radius


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-10), (1.0, 1e-3), (1e-3, 1e-50)])
def test_for_one_answer_it_is_that_of_chains_which_need_many_people(epsilon, delta):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": 1}
    assert people_needed(**privacy) > 1
    found, chains = one_pair_radius(**privacy), chain_radius(**privacy)
    assert found == pytest.approx(chains, rel=1e-3)


def test_for_many_answers_it_comes_near_half_of_the_limit():
    privacy = {"epsilon": 0.01, "delta": 0.01, "queries": MOST_ANSWERS}
    sigma = float(minimal_sigma(**privacy))
    assert one_pair_radius(**privacy) / sigma == pytest.approx(math.pi / 2, rel=0.02)
    beyond = privacy | {"queries": 10**9}
    assert one_pair_radius(**beyond) == one_pair_radius(**privacy)
    assert least_radius(**beyond) > 100 * one_pair_radius(**beyond)


@pytest.mark.parametrize("queries", chosen([1, 2, 30, 500, 10_000], [2, 500]))
@pytest.mark.parametrize("epsilon", [1e-7, 0.3, 10.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-20, 0.5])
def test_steps_taken_at_once_cost_little_at_the_ends_of_all_ranges(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    found, fewer = one_pair_radius(**privacy), one_pair_radius(**privacy | {"queries": 1})
    assert fewer <= found * 1.01  # what 1 answer needs, k answers need
    # between the tests of one answer and the noise of the Gaussian mechanism, πσ and more
    assert 0 < found <= 60 * float(minimal_sigma(**privacy)) + 1


@examples(400)
@given(
    inside("epsilon", 1e-3, 5.0),
    inside("delta", 1e-40, 0.1),
    st.integers(1, 300),
    st.floats(0.2, 3.0),
)
def test_a_private_law_on_a_lattice_is_never_below(epsilon, delta, queries, scale):
    """Its counts have rates G_j that the chain must not overtake: checked at each of its steps."""
    found = one_pair_radius(epsilon=epsilon, delta=delta, queries=queries)
    if found > 3000:
        return
    half = max(int(found) - 1, 0)  # radius below what is proven
    if not half:
        return
    place = np.arange(-half, half + 1.0)
    law = np.exp(-((np.abs(place) * scale / half) ** 1.5) * 3)
    rates = np.append(0.0, np.cumsum(law[::-1]) / law.sum())
    at_least = np.arange(1.0, queries + 1)[:, None]
    powers = betainc(at_least, queries - at_least + 1, np.minimum(rates, 1.0))
    excess = powers[:, 1:] - math.exp(epsilon) * powers[:, :-1]
    other = (1 - powers[:, :-1]) - math.exp(epsilon) * (1 - powers[:, 1:])
    assert max(excess.max(), other.max()) > delta


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@examples(32)
@given(data=st.data())
def test_it_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 1e-6, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        one_pair_radius(**arguments)
