import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from dpviz.maths import exponential_mechanism
from dpviz.results.parameters import LIMITS, ParameterError
from tests.support.strategies import inside, outside

SENSITIVITY = inside("sensitivity", 1e-3, 1e3)
scores_of = arrays(float, st.integers(1, 12), elements=st.floats(-1e3, 1e3))


def log(number):
    """The logarithm, with the digits of `brute_force`.

    With fewer mpmath's (1.4.1) is wrong next to a power of two: it forgets the power.
    """
    with mpmath.workdps(60):
        return float(mpmath.log(number))


def brute_force(scores, epsilon, sensitivity):
    """The definition, in 60 digits."""
    with mpmath.workdps(60):
        weights = [
            mpmath.exp(-mpmath.mpf(epsilon) * mpmath.mpf(s) / (2 * mpmath.mpf(sensitivity)))
            for s in scores.tolist()
        ]
        return [weight / mpmath.fsum(weights) for weight in weights]


@given(scores_of, inside("epsilon", 1e-3), SENSITIVITY)
def test_probabilities_are_those_of_the_definition(scores, epsilon, sensitivity):
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    expected = brute_force(scores, epsilon, sensitivity)
    logs = [log(p) for p in expected]
    np.testing.assert_allclose(
        exponential_mechanism.log_probabilities(scores, **at), logs, rtol=1e-10, atol=1e-10
    )
    found = exponential_mechanism.selection_probabilities(scores, **at)
    assert found.sum() == pytest.approx(1)
    np.testing.assert_allclose(found, [float(p) for p in expected], rtol=1e-8, atol=1e-300)


@given(scores_of, inside("epsilon"), SENSITIVITY, st.floats(0, 500))
def test_the_tail_is_the_sum_over_what_is_worse(scores, epsilon, sensitivity, excess):
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    expected = mpmath.fsum(
        p
        for p, s in zip(brute_force(scores, epsilon, sensitivity), scores, strict=True)
        if s > scores.min() + excess
    )
    found = float(exponential_mechanism.tail_probability(scores, excess=excess, **at))
    assert found == pytest.approx(float(expected), rel=1e-8, abs=1e-300)


@given(scores_of, inside("epsilon"), SENSITIVITY, inside("beta"))
def test_the_accuracy_statement_holds(scores, epsilon, sensitivity, beta):
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    excess = exponential_mechanism.accurate_excess(max(scores.size, 2), beta=beta, **at)
    found = exponential_mechanism.tail_probability(scores, excess=min(excess, 1e12), **at)
    assert found <= beta * (1 + 1e-12)


@pytest.mark.parametrize("candidates", [2, 10, 1000])
def test_the_constant_of_the_accuracy_statement_cannot_be_much_smaller(candidates):
    """All but one candidate just beyond a: then beta is missed if a is a tenth smaller."""
    at = {"epsilon": 1.0, "sensitivity": 1.0}
    excess = exponential_mechanism.accurate_excess(candidates, beta=1e-3, **at)
    scores = np.full(candidates, 0.9 * excess)
    scores[0] = 0
    found = exponential_mechanism.tail_probability(scores, excess=0.899 * excess, **at)
    assert found > 1e-3


@given(
    arrays(float, st.integers(2, 8), elements=st.floats(-50, 50)),
    st.data(),
    inside("epsilon", 1e-3),
    inside("sensitivity", 1e-2, 1e2),
)
def test_privacy(scores, data, epsilon, sensitivity):
    """Scores that move by at most Δ move no probability by more than the factor e^ε."""
    moves = data.draw(arrays(float, scores.size, elements=st.floats(-1, 1)))
    at = {"epsilon": epsilon, "sensitivity": sensitivity}
    before = exponential_mechanism.log_probabilities(scores, **at)
    after = exponential_mechanism.log_probabilities(scores + sensitivity * moves, **at)
    assert np.abs(before - after).max() <= epsilon * (1 + 1e-9) + 1e-9


def test_the_privacy_loss_is_attained():
    """One of very many candidates becomes better by Δ while all others become worse by Δ."""
    at = {"epsilon": 0.5, "sensitivity": 1.0}
    scores = np.zeros(10**6)
    moved = np.ones(10**6)
    moved[0] = -1
    gain = (
        exponential_mechanism.log_probabilities(moved, **at)[0]
        - exponential_mechanism.log_probabilities(scores, **at)[0]
    )
    assert 0.5 - 1e-5 < gain <= 0.5


def test_samples_have_the_law():
    scores = np.array([0.0, 1.0, 3.0, 3.5, 10.0])
    at = {"epsilon": 1.0, "sensitivity": 1.0}
    rng = np.random.default_rng(1)
    drawn = exponential_mechanism.sample(rng, np.tile(scores, (200_000, 1)), **at)
    counts = np.bincount(drawn, minlength=5)
    expected = exponential_mechanism.selection_probabilities(scores, **at)
    assert stats.chisquare(counts, expected * counts.sum()).pvalue > 1e-4


def test_data_sets_are_rows():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(3, 4, 5))
    at = {"epsilon": 1.0, "sensitivity": 0.3}
    found = exponential_mechanism.selection_probabilities(scores, **at)
    tails = exponential_mechanism.tail_probability(scores, excess=0.5, **at)
    assert exponential_mechanism.sample(rng, scores, **at).shape == tails.shape == (3, 4)
    for place in np.ndindex(3, 4):
        one = exponential_mechanism.selection_probabilities(scores[place], **at)
        np.testing.assert_allclose(found[place], one, rtol=1e-12)
        one = exponential_mechanism.tail_probability(scores[place], excess=0.5, **at)
        assert tails[place] == pytest.approx(float(one), rel=1e-12)


def test_a_tail_far_below_the_smallest_share_of_one_is_exact():
    scores = np.array([0.0, 1000.0])
    at = {"epsilon": 1.0, "sensitivity": 1.0}
    found = exponential_mechanism.tail_probability(scores, excess=10, **at)
    assert found == pytest.approx(math.exp(-500), rel=1e-12)


@given(st.sampled_from(["epsilon", "sensitivity", "excess"]), st.data())
def test_parameters_outside_their_range_are_refused(name, data):
    at = {"epsilon": 1.0, "sensitivity": 1.0, "excess": 1.0}
    at[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=f"^{name} must be "):
        exponential_mechanism.tail_probability([0.0, 1.0], **at)


@given(outside("beta"))
def test_a_failure_probability_outside_its_range_is_refused(beta):
    with pytest.raises(ParameterError, match=r"^beta must be "):
        exponential_mechanism.accurate_excess(10, epsilon=1, sensitivity=1, beta=beta)


@pytest.mark.parametrize("scores", [[], 1.0, [1.0, math.nan], [math.inf, 0.0]])
def test_scores_that_are_none_are_refused(scores):
    with pytest.raises(ParameterError, match=r"^scores must be finite"):
        exponential_mechanism.selection_probabilities(scores, epsilon=1, sensitivity=1)


@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_both_ends_of_epsilon(end):
    epsilon = getattr(LIMITS["epsilon"], end)
    found = exponential_mechanism.selection_probabilities(
        [0.0, 5.0], epsilon=epsilon, sensitivity=1
    )
    assert found[0] == pytest.approx(1 / (1 + math.exp(-2.5 * epsilon)), rel=1e-12)


def test_data_sets_may_have_sensitivities_of_their_own():
    rng = np.random.default_rng(6)
    scores, moved = rng.normal(size=(2, 3, 5)) * 40, np.array([0.5, 3.0, 90.0])
    at = {"epsilon": 0.8, "sensitivity": moved}
    found = exponential_mechanism.selection_probabilities(scores, **at)
    logs = exponential_mechanism.log_probabilities(scores, **at)
    for run in range(2):
        for place in range(3):
            expected = brute_force(scores[run, place], 0.8, float(moved[place]))
            np.testing.assert_allclose(found[run, place], [float(p) for p in expected], rtol=1e-10)
            expected_logs = [log(p) for p in expected]
            np.testing.assert_allclose(logs[run, place], expected_logs, rtol=1e-10)
