import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import privacy_delta
from dpviz.maths.accounting.inverse import most_queries
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.adaptive_analysis.baselines import (
    corollary_queries,
    log_nonadaptive_queries,
    split_sample_queries,
)
from dpviz.topics.adaptive_analysis.budget import max_queries
from dpviz.topics.adaptive_analysis.noisy_answers import BoundedAnswers, GaussianAnswers
from dpviz.topics.adaptive_analysis.transfer import ALPHA, BETA, SAMPLES, transfer
from dpviz.topics.adaptive_analysis.views.questions_against_samples import questions_against_samples
from tests.support.examples import chosen, examples, only_in_nightly
from tests.support.strategies import inside

FIGURE_2 = {"alpha": 0.1, "beta": 0.05}
mechanisms = st.one_of(
    st.just(GaussianAnswers()),
    st.builds(
        BoundedAnswers,
        st.one_of(inside("power").map(PowerNoise), st.just(IteratedExponentialNoise())),
        certain=st.booleans(),
    ),
)
samples_ = st.floats(math.log(1e3), math.log(1e8)).map(lambda x: round(math.exp(x)))
alphas = inside("alpha", minimum=ALPHA.minimum)
betas = inside("beta")


def test_the_transfer_theorem_by_hand():
    alpha, beta = transfer(
        epsilon=math.log(1.03), delta=1e-5, sample_error=0.05, sample_failure=1e-4, c=0.01, d=5e-3
    )
    assert alpha == pytest.approx(0.05 + 0.03 + 0.01 + 0.01, rel=1e-14)
    assert beta == pytest.approx(1e-4 / 0.01 + 1e-5 / 5e-3, rel=1e-14)


def test_the_proof_of_the_corollary_in_numbers():
    # its choice ε = α/8, δ = αβ/4, d = α/4, c → 0 leaves at least α/4 for the sample's error
    for alpha, beta in ((0.1, 0.05), (0.5, 1e-9)):
        reached, failure = transfer(
            epsilon=alpha / 8,
            delta=alpha * beta / 4,
            sample_error=alpha / 4,
            sample_failure=0.0,
            c=0.0,
            d=alpha / 4,
        )
        assert reached <= alpha
        assert failure == pytest.approx(beta)


@pytest.mark.parametrize(
    "change",
    [
        {"c": 0.0},
        {"c": -1.0},
        {"d": 0.0},
        {"d": math.nan},
        {"sample_error": -0.1},
        {"sample_failure": 1.5},
        {"epsilon": 0.0},
        {"delta": 0.9},
    ],
)
def test_the_transfer_theorem_refuses(change):
    good = {
        "epsilon": 0.1,
        "delta": 1e-5,
        "sample_error": 0.1,
        "sample_failure": 0.1,
        "c": 0.1,
        "d": 0.1,
    }
    with pytest.raises(ParameterError) as caught:
        transfer(**good | change)
    assert caught.value.name in change


def share(mechanism, queries, failure):
    """The largest of k errors, per σ or R: by the survival function of one error."""
    if failure == 0:
        return 1.0
    each = -math.expm1(math.log1p(-failure) / queries)
    if isinstance(mechanism, GaussianAnswers):
        return float(norm.isf(each / 2))
    return -float(mechanism.noise.quantile(each / 2))


def check_certificate(mechanism, budget):
    reached, failure = transfer(
        epsilon=budget.epsilon,
        delta=budget.delta,
        sample_error=budget.sample_error,
        sample_failure=budget.sample_failure,
        c=budget.c,
        d=budget.d,
    )
    assert reached == pytest.approx(budget.alpha, rel=1e-12)
    assert failure == pytest.approx(budget.beta, rel=1e-12)
    assert sum(budget.alpha_parts.values()) == pytest.approx(reached, rel=1e-12)
    assert sum(budget.beta_parts.values()) == pytest.approx(failure, rel=1e-12)
    k = budget.queries
    if k == 0 or budget.evidence is Evidence.LIMIT:
        return
    target = budget.sample_error * budget.samples
    scale = target / share(mechanism, k, budget.sample_failure) * (1 + 1e-9)
    if isinstance(mechanism, GaussianAnswers):
        mu = np.array(math.sqrt(k) / scale)
        log_delta = gaussian.log_delta_of_mu(np.array(budget.epsilon), mu)[0]
        assert log_delta <= math.log(budget.delta)
    elif mechanism.published:
        at = {"epsilon": budget.epsilon, "delta": budget.delta}
        assert dagan_kur_radius(mechanism.noise, **at, queries=k) <= scale
    else:
        at = {"epsilon": budget.epsilon, "compared": budget.delta}
        assert privacy_delta(mechanism.noise, scale, queries=k, **at).upper <= budget.delta
        # and no more queries than a little above k are private at these parameters
        more = math.ceil(k * (1 + 1e-4)) + 1
        if more < 1e10:  # (the share of more queries is larger, hence the radius smaller)
            scale = target / share(mechanism, more, budget.sample_failure) * (1 - 1e-9)
            assert privacy_delta(mechanism.noise, scale, queries=more, **at).lower > budget.delta


@examples(12)
@given(mechanisms, samples_, alphas, betas)
def test_the_parameters_returned_are_a_certificate(mechanism, samples, alpha, beta):
    budget = max_queries(mechanism, samples=samples, alpha=alpha, beta=beta)
    check_certificate(mechanism, budget)
    assert budget.queries == math.floor(budget.queries) >= 0


@pytest.mark.parametrize(
    ("samples", "certain"),
    chosen(itertools.product((3e4, 1e7), (False, True)), [(1e7, False)]),
)
def test_so_they_are_with_the_published_radius(samples, certain):
    mechanism = BoundedAnswers(PowerNoise(2), published=True, certain=certain)
    budget = max_queries(mechanism, samples=samples, **FIGURE_2)
    assert budget.evidence is Evidence.PUBLISHED
    assert budget.queries > 0
    check_certificate(mechanism, budget)


SPLITS = [(1e5, 0.1, 0.05), (1e7, 0.03, 1e-6), (3e3, 0.4, 0.3)]


@pytest.mark.parametrize(("samples", "alpha", "beta"), chosen(SPLITS, SPLITS[1:2]))
def test_no_split_on_a_grid_bears_more_gaussian_queries(samples, alpha, beta):
    found = max_queries(GaussianAnswers(), samples=samples, alpha=alpha, beta=beta)
    of_alpha = np.geomspace(0.003, 0.6, 13)
    privacy, c, d, spent = (
        x.ravel() for x in np.meshgrid(of_alpha, of_alpha, of_alpha, np.linspace(0.05, 0.95, 10))
    )
    error = alpha * (1 - privacy - c - d)
    inside_ = error > 0
    privacy, c, d, spent, error = (x[inside_] for x in (privacy, c, d, spent, error))
    epsilon, delta = np.log1p(alpha * privacy), spent * beta * alpha * d / 2
    failure = (1 - spent) * beta * alpha * c
    sigma = gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=1)
    low, high = np.zeros_like(error), np.full_like(error, math.log(1e14))
    for _ in range(36):  # log k by bisection; failure/(2k) is below and next to the exact tail
        middle = (low + high) / 2
        tail = -np.expm1(np.log1p(-failure) / np.exp(middle)) / 2
        fits = np.exp(middle / 2) * sigma * norm.isf(tail) <= error * samples
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    best = math.exp(low.max())
    assert best <= (found.queries + 1) * (1 + 1e-6)
    assert best > 0.93 * found.queries  # the grid is coarse


NEARBY = [(2e4, 2.0), (1e5, 0.5), (1e6, 1.0)]


@pytest.mark.parametrize(("samples", "power"), chosen(NEARBY, NEARBY[1:2]))
def test_no_split_nearby_bears_more_bounded_queries(samples, power):
    noise = PowerNoise(power)
    found = max_queries(BoundedAnswers(noise, certain=True), samples=samples, **FIGURE_2)
    for factors in ((1.2, 1.0), (1 / 1.2, 1.0), (1.0, 1.3), (1.0, 1 / 1.3), (1.1, 1.1)):
        epsilon, d = found.epsilon * factors[0], found.d * factors[1]
        target = (0.1 - math.expm1(epsilon) - 2 * d) * samples
        other = most_queries(
            noise, target=target, epsilon=epsilon, delta=0.05 * d, start=found.queries
        )
        assert other.lower <= found.queries * 1.0005 + 1


@pytest.mark.parametrize(
    ("samples", "power"),
    chosen(itertools.product((8e5, 1e8), (1.0, 2.0)), [(8e5, 1.0)]),
)
def test_the_paper_s_claim_for_figure_2(samples, power):
    base = max_queries(GaussianAnswers(), samples=samples, **FIGURE_2).queries
    noise = PowerNoise(power)
    exact = max_queries(BoundedAnswers(noise), samples=samples, **FIGURE_2).queries
    published = max_queries(
        BoundedAnswers(noise, published=True), samples=samples, **FIGURE_2
    ).queries
    assert published >= 2 * base
    assert exact >= 3.4 * base


def test_with_certainty_the_claim_needs_more_samples_or_the_exact_radius():
    base = max_queries(GaussianAnswers(), samples=8e5, **FIGURE_2).queries
    for power in chosen((1.0, 2.0), [2.0]):
        noise = PowerNoise(power)
        published = BoundedAnswers(noise, published=True, certain=True)
        assert max_queries(published, samples=8e5, **FIGURE_2).queries < 2 * base
        exact = BoundedAnswers(noise, certain=True)
        assert max_queries(exact, samples=8e5, **FIGURE_2).queries > 2.5 * base


@only_in_nightly
def test_figure_2_as_published_has_no_sample_failure():
    """The paper takes β′ = 0: at n = 8e5 a little less than twice for p = 1, 1.65 times for 2."""
    shown = questions_against_samples(samples=8e5, **FIGURE_2, show_published=True)
    found = next(r for r in shown if len(r.budgets) == 5)
    base = found.budgets["gaussian"].queries
    ratios = {}
    for power in (1, 2):
        budget = found.budgets[f"published_{power}"]
        assert budget.sample_failure == 0
        ratios[power] = budget.queries / base
    assert ratios == {1: pytest.approx(1.976, abs=5e-4), 2: pytest.approx(1.647, abs=5e-4)}


@pytest.mark.parametrize("mechanism", [GaussianAnswers(), BoundedAnswers(PowerNoise(2))])
def test_more_samples_less_accuracy_and_less_confidence_bear_more(mechanism):
    at = {"samples": 1e5, "alpha": 0.1, "beta": 0.05}
    queries = max_queries(mechanism, **at).queries
    changes = {"samples": 1.2e5}, {"alpha": 0.12}, {"beta": 0.07}
    for change in chosen(changes, changes[1:2] if mechanism != GaussianAnswers() else changes):
        assert max_queries(mechanism, **at | change).queries > queries


def test_a_sample_that_is_too_small_bears_nothing():
    for mechanism in (GaussianAnswers(), BoundedAnswers(PowerNoise(2))):
        budget = max_queries(mechanism, samples=1e3, alpha=0.005, beta=1e-9)
        assert budget.queries == 0
        check_certificate(mechanism, budget)


def test_beyond_the_accountant_the_limit_serves_and_says_so():
    noise = PowerNoise(2)
    budget = max_queries(BoundedAnswers(noise, certain=True), samples=1e8, alpha=0.5, beta=0.05)
    assert budget.evidence is Evidence.LIMIT
    assert budget.queries > 1e10
    sigma = float(gaussian.minimal_sigma(epsilon=budget.epsilon, delta=budget.delta, queries=1))
    radius = math.sqrt(noise.fisher_information * budget.queries) * sigma
    assert radius == pytest.approx(budget.sample_error * 1e8, rel=1e-6)


def test_sample_splitting():
    at = {"samples": 1e5, "alpha": 0.1, "beta": 0.05}
    k = int(split_sample_queries(**at))

    def right(k):
        return (1 - 2 * math.exp(-2 * (10**5 // k) * 0.1**2)) ** k

    assert right(k) >= 0.95 > right(k + 1)
    assert split_sample_queries(samples=1000, alpha=0.005, beta=1e-9) == 0
    # for small samples it is better than any noise
    assert split_sample_queries(samples=1e4, **FIGURE_2) > 6


def test_queries_fixed_in_advance():
    # 2k·e^−20 ≤ 0.05
    k = math.exp(log_nonadaptive_queries(samples=1000, **FIGURE_2))
    assert 2 * k * math.exp(-20) == pytest.approx(0.05)
    assert log_nonadaptive_queries(samples=1000, alpha=0.01, beta=0.05) < 0
    assert log_nonadaptive_queries(samples=1e8, **FIGURE_2) == pytest.approx(2e6 - 3.6889, abs=1e-4)


def test_the_shape_of_the_corollary():
    k, holds = corollary_queries(samples=[1e3, 1e6], **FIGURE_2, constant=3.0)
    n = 3.0 * np.sqrt(k * math.log(1 / 0.005)) / 0.1**2
    assert n == pytest.approx([1e3, 1e6])
    assert holds.tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("samples", SAMPLES.minimum - 1),
        ("samples", 1e9),
        ("samples", 1000.5),
        ("alpha", 0.001),
        ("alpha", 0.6),
        ("alpha", math.nan),
        ("beta", BETA.minimum / 2),
        ("beta", 0.7),
    ],
)
def test_parameters_outside_are_refused(name, value):
    at = {"samples": 1e5, "alpha": 0.1, "beta": 0.05} | {name: value}
    for function in (
        lambda **at: max_queries(GaussianAnswers(), **at),
        split_sample_queries,
        log_nonadaptive_queries,
        lambda **at: next(questions_against_samples(**at)),
    ):
        with pytest.raises(ParameterError) as caught:
            function(**at)
        assert caught.value.name == name
