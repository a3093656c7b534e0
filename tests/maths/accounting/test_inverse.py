import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.accounting.inverse import (
    gaussian_most_queries,
    gaussian_smallest_epsilon,
    most_queries,
    smallest_epsilon,
)
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.results.parameters import LIMITS, ParameterError
from tests.support.examples import examples
from tests.support.strategies import inside, outside

# Where the radius answers fast, so that it can be compared with at many points.
noises = st.one_of(
    inside("power", minimum=1.0).map(PowerNoise), st.just(IteratedExponentialNoise())
)
epsilons = inside("epsilon", minimum=1e-3)
deltas = inside("delta", minimum=1e-20)
counts = inside("queries")
betas = st.one_of(st.none(), inside("failure_probability"))


def largest_error(noise, radius, queries, beta):
    """What the largest of k errors exceeds with probability β, by the quantile of one error."""
    if beta is None:
        return radius
    each = -math.expm1(math.log1p(-beta) / queries)
    return radius * -float(noise.quantile(each / 2))


def in_range(target):
    return LIMITS["target"].minimum <= target <= LIMITS["target"].maximum


@examples(40, 3)
@given(noises, epsilons, deltas, counts, betas)
@example(PowerNoise(2), 0.1, 1e-10, 10**6, None)
@example(PowerNoise(2), 10.0, 1e-10, 1, 0.05)
@example(IteratedExponentialNoise(), 1.0, 0.5, 10**10, 1e-12)
@example(IteratedExponentialNoise(), 1e-3, math.exp(-1), 3, None)  # δ hardly depends on ε
def test_smallest_epsilon_undoes_the_least_radius(noise, epsilon, delta, queries, beta):
    radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries)
    given_ = {"delta": delta, "queries": queries, "failure_probability": beta}
    target = largest_error(noise, radius.upper * (1 + 1e-9), queries, beta)
    if in_range(target):  # enough at ε: the smallest ε is not above
        assert smallest_epsilon(noise, target=target, **given_).lower <= epsilon
    target = largest_error(noise, radius.lower * (1 - 1e-9), queries, beta)
    if in_range(target):  # not enough at ε: the smallest ε is above, or there is none
        found = smallest_epsilon(noise, target=target, **given_)
        assert found is None or found.upper >= epsilon
        assert found is not None or epsilon > 9.99


@examples(25)
@given(noises, st.floats(2, 7), deltas, counts, betas)
@example(PowerNoise(2), 5.0, 1e-10, 10**6, None)
def test_smallest_epsilon_is_enough_and_no_less_is(noise, decades, delta, queries, beta):
    target = 10**decades
    found = smallest_epsilon(
        noise, target=target, delta=delta, queries=queries, failure_probability=beta
    )

    def errors(epsilon):
        radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries)
        return [largest_error(noise, r, queries, beta) for r in (radius.lower, radius.upper)]

    if found is None:
        assert errors(LIMITS["epsilon"].maximum)[1] > target
        return
    assert errors(found.upper)[0] <= target * (1 + 1e-9)
    if found.upper > LIMITS["epsilon"].minimum:
        assert errors(found.lower)[1] > target * (1 - 1e-9)
        assert found.relative_width <= (1e-4 if queries >= 30 else 1e-3)
    else:
        assert found.lower == found.upper


@examples(25)
@given(noises, st.floats(0, 7), epsilons, deltas, betas)
@example(PowerNoise(2), 5.0, 0.1, 1e-10, None)
@example(PowerNoise(2), 2.0, 1.0, 1e-6, None)
@example(PowerNoise(1), 0.0, 10.0, 0.5, None)
def test_most_queries_are_private_and_no_more_are(noise, decades, epsilon, delta, beta):
    target = 10**decades
    found = most_queries(
        noise, target=target, epsilon=epsilon, delta=delta, failure_probability=beta
    )

    def errors(queries):
        radius = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries)
        return [largest_error(noise, r, queries, beta) for r in (radius.lower, radius.upper)]

    if found is None:
        assert errors(1)[1] > target
        return
    assert found.lower == round(found.lower) >= 1
    assert found.upper == round(found.upper)
    assert errors(found.lower)[0] <= target * (1 + 1e-9)
    if found.lower < LIMITS["queries"].maximum:
        assert errors(found.upper + 1)[1] > target * (1 - 1e-9)
        assert found.relative_width <= 1e-4
    if found.upper < 1e4:
        assert found.upper - found.lower <= 1


def test_the_largest_k_is_found_to_the_last_one():
    found = most_queries(PowerNoise(2), target=1000.0, epsilon=1.0, delta=1e-6)
    assert found.lower == found.upper
    one, more = (
        privacy_delta(PowerNoise(2), 1000.0, epsilon=1.0, queries=found.lower + i) for i in (0, 1)
    )
    assert one.upper <= 1e-6 < more.lower


def test_for_many_queries_the_fisher_information_decides():
    noise = PowerNoise(2)
    one = float(gaussian.minimal_sigma(epsilon=0.1, delta=1e-10, queries=1))
    found = most_queries(noise, target=1e7, epsilon=0.1, delta=1e-10)
    assert found.lower == pytest.approx((1e7 / one) ** 2 / noise.fisher_information, rel=1e-3)


def test_a_wrong_guess_costs_only_time():
    privacy = {"target": 1e5, "delta": 1e-10}
    unguided = smallest_epsilon(PowerNoise(2), queries=1e6, **privacy)
    for start in (1e-7, 0.2, 10.0):
        found = smallest_epsilon(PowerNoise(2), queries=1e6, start=start, **privacy)
        assert max(found.lower, unguided.lower) <= min(found.upper, unguided.upper)
        assert found.relative_width < 1e-4
    unguided = most_queries(PowerNoise(2), epsilon=0.1, **privacy)
    for start in (1e4, 1e6):
        found = most_queries(PowerNoise(2), epsilon=0.1, start=start, **privacy)
        assert max(found.lower, unguided.lower) <= min(found.upper, unguided.upper)
        assert found.relative_width < 1e-4


def test_what_the_range_does_not_hold():
    noise = PowerNoise(2)
    assert smallest_epsilon(noise, target=10, delta=1e-10, queries=1e6) is None
    assert most_queries(noise, target=1, epsilon=0.1, delta=1e-10) is None
    least = smallest_epsilon(noise, target=1e12, delta=1e-10, queries=100)
    assert least.lower == least.upper == LIMITS["epsilon"].minimum
    most = most_queries(noise, target=1e10, epsilon=0.1, delta=1e-10)
    assert most.lower == most.upper == LIMITS["queries"].maximum
    common = {"delta": 1e-10, "failure_probability": 0.05}
    assert np.isnan(gaussian_smallest_epsilon(target=10, queries=1e6, **common))
    assert gaussian_smallest_epsilon(target=1e12, queries=100, **common) == 1e-7
    assert np.isnan(gaussian_most_queries(target=1, epsilon=0.1, **common))
    assert gaussian_most_queries(target=1e10, epsilon=0.1, **common) == 1e10


@given(inside("epsilon"), inside("delta"), inside("queries"), inside("failure_probability"))
def test_gaussian_epsilon_undoes_the_least_sigma(epsilon, delta, queries, beta):
    sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=queries)
    target = float(gaussian.max_error(sigma, queries=queries, failure_probability=beta))
    if not in_range(target):
        return
    found = float(
        gaussian_smallest_epsilon(
            target=target, delta=delta, queries=queries, failure_probability=beta
        )
    )
    if math.isnan(found):
        assert epsilon > 10 * (1 - 1e-9)
        return
    # private at the ε found ...
    allowed = target / gaussian.max_error(1.0, queries=queries, failure_probability=beta)
    assert gaussian.log_privacy_delta(allowed, epsilon=found, queries=queries) <= math.log(delta)
    # ... and hardly more: a slightly smaller ε needs more noise than allowed
    less = found * (1 - 1e-6)
    if less > LIMITS["epsilon"].minimum:
        needed = gaussian.log_privacy_delta(allowed, epsilon=less, queries=queries)
        assert needed > math.log(delta) - 2e-11


@given(inside("target"), inside("epsilon"), inside("delta"), inside("failure_probability"))
def test_gaussian_k_is_the_largest(target, epsilon, delta, beta):
    found = gaussian_most_queries(
        target=target, epsilon=epsilon, delta=delta, failure_probability=beta
    )

    def error(k):
        sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=k)
        return float(gaussian.max_error(sigma, queries=k, failure_probability=beta))

    if math.isnan(found):
        assert error(1) > target * (1 - 1e-11)
        return
    assert error(found) <= target * (1 + 1e-11)
    if found < LIMITS["queries"].maximum:
        assert error(found + 1) > target * (1 - 1e-11)


def test_gaussian_inverses_broadcast():
    targets = np.array([1e4, 1e5, 1e6])
    common = {"target": targets, "delta": 1e-10, "failure_probability": [[0.05], [0.5]]}
    epsilon = gaussian_smallest_epsilon(queries=10**6, **common)
    queries = gaussian_most_queries(epsilon=0.1, **common)
    assert epsilon.shape == queries.shape == (2, 3)
    assert (np.diff(epsilon, axis=1) < 0).all()
    assert (np.diff(queries, axis=1) > 0).all()


@pytest.mark.parametrize("function", [smallest_epsilon, most_queries])
@given(data=st.data())
def test_the_inverses_refuse(function, data):
    other = "queries" if function is smallest_epsilon else "epsilon"
    given_ = {"target": 1e5, "delta": 1e-10, other: 1, "failure_probability": 0.05}
    name = data.draw(st.sampled_from(list(given_)))
    with pytest.raises(ParameterError, match=name):
        function(PowerNoise(2), **given_ | {name: data.draw(outside(name))})
