"""Fresh data drawn in three ways, and the search for n."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.topics.clipping.simulation import SUCCESS, Scorer, measured_users, search
from dpviz.topics.clipping.tasks import make_task
from tests.support.examples import examples, only_in_nightly, some

# Fresh data.


@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        ("discrete", 2.5),  # by type of user
        ("discrete", 9.0),  # all examples at once
        ("noisy_thresholds", 2.5),  # one by one
        ("noisy_thresholds", 9.0),
        ("thresholds", 1.0),
        ("intervals", 2.0),
        ("gaussian", 3.0),
        ("selection", 3.0),
    ],
)
def test_scores_have_the_law_of_scores_of_drawn_users(name, threshold):
    task = make_task(name, candidates=6)
    rng = np.random.default_rng(0)
    fresh = Scorer(task, examples_per_user=9, thresholds=np.array([threshold]))
    found = fresh.scores(rng, users=12, runs=1500)[:, 0]
    expected = np.array(
        [
            task.scores(task.draw(rng, users=12, examples_per_user=9), threshold=threshold)
            for _ in range(1500)
        ]
    )
    assert found.shape == expected.shape
    for candidate in range(found.shape[1]):
        # The same sums in another order: only rounding errors tell them apart.
        pair = found[:, candidate].round(9), expected[:, candidate].round(9)
        assert stats.ks_2samp(*pair, method="asymp").pvalue > 1e-4


@pytest.mark.parametrize("name", ["noisy_thresholds", "intervals", "gaussian", "selection"])
def test_given_users_are_scored_pair_by_pair(name):
    """More pairs than fit in the cache; users of few examples are clipped by small τ alone."""
    task, rng = make_task(name, candidates=28), np.random.default_rng(5)
    few = task.draw(rng, users=500, examples_per_user=3)
    users = np.concatenate([few, task.draw(rng, users=90, examples_per_user=40)])
    taus = np.array([0.7, 3.0, 11.0, 40.0])
    found = Scorer(task, examples_per_user=40, thresholds=taus).scores_of(users)
    for place, tau in enumerate(taus.tolist()):
        expected = task.scores(users, threshold=tau)
        np.testing.assert_allclose(found[place], expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("name", ["discrete", "selection"])
def test_several_thresholds_are_scored_on_the_same_data(name):
    task = make_task(name, candidates=6)
    taus = np.array([0.5, 3.0, 8.0])
    together = Scorer(task, examples_per_user=9, thresholds=taus)
    laws = together.probabilities(np.random.default_rng(3), users=10, runs=4, epsilon=0.7)
    for place, tau in enumerate(taus):
        alone = Scorer(task, examples_per_user=9, thresholds=np.array([tau]))
        law = alone.probabilities(np.random.default_rng(3), users=10, runs=4, epsilon=0.7)
        np.testing.assert_allclose(laws[:, place], law[:, 0])


def test_probabilities_are_those_of_the_exponential_mechanism():
    task = make_task("thresholds", candidates=6)
    fresh = Scorer(task, examples_per_user=5, thresholds=np.array([1.0]))
    scores = fresh.scores(np.random.default_rng(4), users=20, runs=3)
    law = fresh.probabilities(np.random.default_rng(4), users=20, runs=3, epsilon=0.5)
    for run in range(3):
        expected = selection_probabilities(scores[run, 0], epsilon=0.5, sensitivity=1.0)
        np.testing.assert_allclose(law[run, 0], expected)


# The search.


def bernoulli(rng, crossing, steepness=1.5):
    """Success at n with probability 2/3 at n = crossing, and growing with n."""
    start = math.log(2)

    def succeed(users, runs):
        yield
        chance = 1 / (1 + math.exp(-start - steepness * math.log(users / crossing)))
        return (rng.random(runs) < chance).astype(float)

    return succeed


@examples(20)
@given(st.integers(0, 10**6), st.floats(2, 1e5), st.floats(1, 1e5))
def test_the_search_brackets_the_crossing(seed, crossing, guess):
    """It may miss it with probability 0.05: over twenty draws of Hypothesis, hardly ever by far."""
    rng = np.random.default_rng(seed)
    *_, found = search(bernoulli(rng, crossing), guess=guess, most_users=1e9)
    assert found.finished
    assert found.interval.lower <= 1.15 * crossing
    assert found.interval.upper >= crossing / 1.15
    assert found.interval.upper <= 2 * found.interval.lower + 2
    assert found.interval.lower <= found.estimate <= found.interval.upper


@only_in_nightly
def test_the_search_seldom_misses():
    missed, searches = 0, some(120, usual=30)
    for seed in range(searches):
        *_, found = search(bernoulli(np.random.default_rng(seed), 137.0), guess=50, most_users=1e9)
        missed += not found.interval.lower <= 137.5 or not found.interval.upper >= 137
    assert stats.binomtest(missed, searches, 0.05, alternative="greater").pvalue > 1e-3


def test_partial_results_hold_as_well():
    rng = np.random.default_rng(0)
    for found in search(bernoulli(rng, 500.0), guess=40, most_users=1e9):
        assert found is None or found.interval.lower <= 500 <= found.interval.upper


def always(share):
    """The same share of success at every n."""

    def succeed(_, runs):
        yield
        return np.full(runs, share)

    return succeed


def test_a_search_without_success_ends_and_says_so():
    *_, found = search(always(0.0), guess=10, most_users=1e4)
    assert found.finished
    assert math.isnan(found.estimate)
    assert math.isinf(found.interval.upper)
    assert 5e3 < found.interval.lower <= 1e4


def test_a_single_user_can_suffice():
    *_, found = search(always(1.0), guess=10, most_users=1e4)
    assert found.interval.lower == 0
    assert found.interval.upper == 1


def exact_success(task, users, epsilon, alpha, sensitivity):
    """Two categories, m = 1: a sum over how many users hold the first."""
    held = np.arange(users + 1)
    counts = np.stack([held, users - held], axis=1)
    totals = np.array(
        [
            [max(row @ task.psi[h, g] for g in range(len(task.names)) if g != h) for row in counts]
            for h in range(len(task.names))
        ]
    ).T
    chosen = selection_probabilities(totals, epsilon=epsilon, sensitivity=sensitivity)
    weight = stats.binom(users, task.law[0]).pmf(held)
    return float(weight @ chosen[:, task.good(alpha)].sum(axis=1))


@pytest.mark.parametrize(
    ("epsilon", "published", "sensitivity"), [(0.5, False, 1), (3.0, False, 1), (0.5, True, 2)]
)
def test_measured_users_agree_with_an_exact_sum(epsilon, published, sensitivity):
    """One example moves a Scheffé score by 1; the paper divides by 2τ = 2."""
    task = make_task("discrete", candidates=6)
    *_, found = measured_users(
        task,
        examples_per_user=1,
        threshold=1.0,
        epsilon=epsilon,
        alpha=0.1,
        rng=np.random.default_rng(1),
        published=published,
    )
    ends = int(found.interval.lower), int(found.interval.upper)
    low, high = (exact_success(task, end, epsilon, 0.1, sensitivity) for end in ends)
    assert low < SUCCESS < high
    assert found.interval.upper < 1.5 * found.interval.lower


def test_item_level_users_of_a_pooled_score_need_no_more_with_larger_m():
    """Without clipping the score of n users depends on n·m examples and on sensitivity m: n is
    bounded below by the privacy part whatever m is, as Observation 28 allows at the worst."""
    task = make_task("discrete", candidates=16)
    found = []
    for m in (1, 100):
        *_, one = measured_users(
            task,
            examples_per_user=m,
            threshold=float(m),
            epsilon=0.1,
            alpha=0.05,
            rng=np.random.default_rng(m),
        )
        found.append(one.interval)
    assert found[1].lower <= found[0].upper
    assert found[1].upper >= 0.8 * found[0].lower
