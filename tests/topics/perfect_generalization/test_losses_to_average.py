"""Perfect generalization: against laws written out, and beside the theorem and its proof."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom

from dpviz.maths.generalization_bounds import theorem_13_derived, theorem_31_derived
from dpviz.maths.lattice_law import binomial_law
from dpviz.topics.perfect_generalization.losses_to_average import (
    average_quantile,
    losses_to_average,
)
from tests.support.examples import examples


def laws(samples, rate, epsilon):
    """The output law of every sum as a row, on so many whole numbers that nothing is missing."""
    reach = math.ceil(45 / epsilon)
    outputs, sums = np.arange(-reach, samples + reach + 1), np.arange(samples + 1)
    rows = np.exp(-epsilon * abs(outputs - sums[:, None])) * math.tanh(epsilon / 2)
    return rows, binom.pmf(sums, samples, rate)


def apart(first, second, loss):
    both = [
        np.maximum(p - math.exp(loss) * q, 0).sum() for p, q in ((first, second), (second, first))
    ]
    return max(both)


def least(first, second, delta):
    """The least ε′ by bisection on both divergences, summed over all outputs."""
    if apart(first, second, 0.0) <= delta:
        return 0.0
    return brentq(lambda e: apart(first, second, e) - delta, 0.0, 600.0, xtol=1e-13)


@examples(12)
@given(
    samples=st.integers(1, 25),
    rate=st.floats(0.05, 0.95),
    epsilon=st.floats(0.2, 3.0),
    delta=st.sampled_from([0.3, 0.02, 1e-4]),
)
def test_every_sum_against_its_law_written_out(samples, rate, epsilon, delta):
    rows, masses = laws(samples, rate, epsilon)
    law = binomial_law(samples, rate)
    found = losses_to_average(law, law.values, epsilon=epsilon, delta=delta)
    by_hand = [least(row, masses @ rows, delta) for row in rows]
    assert found == pytest.approx(by_hand, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("beta", [0.4, 0.05, 1e-3])
def test_the_quantile_leaves_out_at_most_beta_and_no_less_would_do(beta):
    rows, masses = laws(30, 0.3, 0.5)
    by_hand = np.array([least(row, masses @ rows, 1e-3) for row in rows])
    found = average_quantile(
        samples=30, rate=0.3, epsilon=0.5, delta=1e-3, failure_probability=beta
    )
    assert masses[by_hand > found + 1e-8].sum() <= beta
    assert masses[by_hand > found - 1e-8].sum() > beta


def test_without_delta_the_loss_is_the_largest_ratio():
    rows, masses = laws(12, 0.4, 1.5)
    ratios = np.log(masses @ rows) - np.log(rows)
    law = binomial_law(12, 0.4)
    found = losses_to_average(law, law.values, epsilon=1.5, delta=1e-300)
    assert found == pytest.approx(abs(ratios).max(axis=1), rel=1e-10)


def test_loud_outputs_are_followed_to_the_end():
    """At ε = 10 an output more is worth 10: one step of the iteration alone would not get far."""
    rows, masses = laws(45, 0.5, 10.0)
    found = losses_to_average(
        binomial_law(45, 0.5), np.array([3.0, 40.0]), epsilon=10.0, delta=1e-6
    )
    by_hand = [least(rows[s], masses @ rows, 1e-6) for s in (3, 40)]
    assert found == pytest.approx(by_hand, rel=1e-9)
    assert min(found) > 100


def test_one_coin_in_closed_form():
    """A(0) and A(1) differ by e^±ε at every output, so A(0) and Ā by what the mixture leaves."""
    rate, epsilon = 0.3, 0.8
    law = binomial_law(1, rate)
    found = losses_to_average(law, law.values, epsilon=epsilon, delta=1e-300)
    mixed = [math.log(1 - q + q * math.exp(epsilon)) for q in (rate, 1 - rate)]
    others = [-math.log(1 - q + q * math.exp(-epsilon)) for q in (rate, 1 - rate)]
    assert found == pytest.approx(np.maximum(mixed, others), rel=1e-12)


@pytest.mark.parametrize("samples", [1, 1000, 10**5])
@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 2.0])
@pytest.mark.parametrize(("delta", "beta"), [(1e-30, 1e-12), (1e-6, 0.05), (0.4, 0.4)])
def test_it_is_between_nothing_and_what_is_proven(samples, epsilon, delta, beta):
    exact = average_quantile(
        samples=samples, rate=0.3, epsilon=epsilon, delta=delta, failure_probability=beta
    )
    assert 0 <= exact <= samples * epsilon * (1 + 1e-9)
    proven = theorem_31_derived(
        samples, epsilon=epsilon, log_delta=-math.inf, log_failure=math.log(beta), delta=delta
    )
    assert exact <= proven


def test_the_proof_is_lemma_30_and_no_weaker_than_as_printed():
    """(β₀, ε′, δ₀) for two samples gives (√β₀, ε′, δ₀ + √β₀): here √β₀ = δ′/2 ≤ β."""
    setting = {"epsilon": 0.002, "log_delta": -math.inf}
    beta, delta = 0.05, 1e-6
    printed = theorem_13_derived(
        10**4, log_failure=2 * math.log(delta / 2), delta=delta / 2, **setting
    )
    found = theorem_31_derived(10**4, log_failure=math.log(beta), delta=delta, **setting)
    assert found <= printed
    two = theorem_13_derived(10**4, log_failure=math.log(beta), delta=delta, **setting)
    assert two < found < 3 * two
