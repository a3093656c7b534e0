import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.gaussian_mechanism import get_epsilon_gaussian, get_sigma_gaussian
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.maths.gaussian import log_privacy_delta, max_error, minimal_sigma, privacy_delta
from dpviz.results.parameters import LIMITS, WIDE_EPSILON, ParameterError
from tests.support import oracles
from tests.support.examples import examples
from tests.support.strategies import inside, outside

epsilons, deltas, counts = inside("epsilon"), inside("delta"), inside("queries")
WIDE = {"epsilon": WIDE_EPSILON}
ENDS = [(LIMITS[name].minimum, LIMITS[name].maximum) for name in ("epsilon", "delta", "queries")]


def examples_at_the_ends(test):
    for eps in ENDS[0]:
        for delta in ENDS[1]:
            for k in ENDS[2]:
                test = example(epsilon=eps, delta=delta, queries=int(k))(test)
    return test


@examples_at_the_ends
@examples(150)
@given(epsilon=epsilons, delta=deltas, queries=counts)
def test_minimal_sigma_is_private_and_hardly_more(epsilon, delta, queries):
    sigma = float(minimal_sigma(epsilon=epsilon, delta=delta, queries=queries))
    log_delta = mp.log(mp.mpf(delta))
    assert oracles.log_gaussian_delta(sigma, epsilon, queries) <= log_delta
    assert oracles.log_gaussian_delta(sigma * (1 - 1e-11), epsilon, queries) > log_delta


@examples(150)
@given(epsilons, inside("queries"), st.floats(-3, 2))
@example(1e-7, 1, 8.5)  # delta near 1e-300: two terms that agree in nine digits
@example(1.0, 4, 25.0)
@example(1.0, 4, -11.0)
def test_log_privacy_delta_against_mpmath(epsilon, queries, scale):
    sigma = math.sqrt(queries) * 10**scale
    expected = oracles.log_gaussian_delta(sigma, epsilon, queries)
    actual = float(log_privacy_delta(sigma, epsilon=epsilon, queries=queries))
    assert abs(actual - expected) <= 2e-12 + 1e-14 * abs(expected)


@examples(60)
@given(epsilons, deltas, counts, inside("sensitivity"))
def test_delta_of_the_minimal_sigma_is_delta(epsilon, delta, queries, sensitivity):
    sigma = minimal_sigma(epsilon=epsilon, delta=delta, queries=queries, sensitivity=sensitivity)
    back = privacy_delta(sigma, epsilon=epsilon, queries=queries, sensitivity=sensitivity)
    # d ln delta / d ln sigma is below 2000 in the table's ranges
    assert float(back) == pytest.approx(delta, rel=1e-8)
    unit = minimal_sigma(epsilon=epsilon, delta=delta, queries=queries)
    assert float(sigma) == pytest.approx(sensitivity * float(unit), rel=1e-14)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.1])
def test_against_dp_accounting(epsilon, delta):
    theirs = get_sigma_gaussian(epsilon, delta)
    ours = float(minimal_sigma(epsilon=epsilon, delta=delta, queries=1))
    assert ours == pytest.approx(theirs, rel=1e-6)
    nine = float(minimal_sigma(epsilon=epsilon, delta=delta, queries=9, sensitivity=2.0))
    assert nine == pytest.approx(6 * theirs, rel=1e-6)
    assert get_epsilon_gaussian(ours, delta) == pytest.approx(epsilon, rel=1e-6)


def test_delta_against_simulated_outputs():
    # The hockey-stick divergence as a mean over draws: E[(1 - e^(eps - loss))_+].
    sigma, epsilon, k = 4.0, 0.3, 3
    rng = np.random.default_rng(11)
    noise = rng.normal(scale=sigma, size=(400_000, k))
    loss = ((noise + 1) ** 2 - noise**2).sum(axis=1) / (2 * sigma**2)
    excess = np.maximum(-np.expm1(epsilon - loss), 0.0)
    error = excess.std() / math.sqrt(excess.size)
    assert float(privacy_delta(sigma, epsilon=epsilon, queries=k)) == pytest.approx(
        excess.mean(), abs=5 * error
    )


@given(epsilons, deltas, counts, st.floats(1.01, 3.0))
def test_sigma_is_monotone(epsilon, delta, queries, factor):
    def sigma(epsilon, delta, queries):
        return float(minimal_sigma(epsilon=epsilon, delta=delta, queries=queries))

    here = sigma(epsilon, delta, queries)
    limits = {name: LIMITS[name].maximum for name in ("epsilon", "delta", "queries")}
    more = 1 - 1e-11
    assert sigma(min(epsilon * factor, limits["epsilon"]), delta, queries) * more <= here
    assert sigma(epsilon, min(delta * factor, limits["delta"]), queries) * more <= here
    assert sigma(epsilon, delta, min(queries + 1, limits["queries"])) >= here * more


@given(counts, inside("failure_probability"))
def test_max_error_against_mpmath(queries, beta):
    bound = max_error(2.0, queries=queries, failure_probability=beta)
    with mp.workdps(60):
        tail = mp.erfc(mp.mpf(float(bound)) / (2 * mp.sqrt(2)))  # of both signs
        fails = 1 - (1 - tail) ** queries
    # one ulp of the bound z moves the tail by z²
    assert float(fails) == pytest.approx(beta, rel=1e-12)


def test_max_error_fails_with_probability_beta():
    k, beta, trials = 50, 0.2, 20_000
    bound = float(max_error(3.0, queries=k, failure_probability=beta))
    largest = np.abs(np.random.default_rng(6).normal(scale=3.0, size=(trials, k))).max(axis=1)
    failures = int((largest > bound).sum())
    assert abs(failures - beta * trials) < 5 * math.sqrt(trials * beta * (1 - beta))


def test_arguments_broadcast():
    k = np.array([1, 100, 10**10])
    sigma = minimal_sigma(epsilon=np.array([[0.1], [1.0]]), delta=1e-10, queries=k)
    assert sigma.shape == (2, 3)
    assert sigma[1, 2] == minimal_sigma(epsilon=1.0, delta=1e-10, queries=10**10)
    assert log_privacy_delta(sigma, epsilon=0.5, queries=k).shape == (2, 3)
    assert max_error(sigma, queries=k, failure_probability=0.05).shape == (2, 3)
    assert isinstance(minimal_sigma(epsilon=0.1, delta=0.1, queries=1), float)


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@given(data=st.data())
def test_minimal_sigma_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 1e-6, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name, limit=WIDE.get(name)))
    with pytest.raises(ParameterError, match=name):
        minimal_sigma(**arguments)


@pytest.mark.parametrize("name", ["sigma", "epsilon", "queries", "sensitivity"])
@given(data=st.data())
def test_privacy_delta_refuses(name, data):
    arguments = {"sigma": 1.0, "epsilon": 0.1, "queries": 10, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name, limit=WIDE.get(name)))
    with pytest.raises(ParameterError, match=name):
        privacy_delta(arguments.pop("sigma"), **arguments)


@pytest.mark.parametrize("name", ["sigma", "queries", "failure_probability"])
@given(data=st.data())
def test_max_error_refuses(name, data):
    arguments = {"sigma": 1.0, "queries": 10, "failure_probability": 0.1}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        max_error(arguments.pop("sigma"), **arguments)
