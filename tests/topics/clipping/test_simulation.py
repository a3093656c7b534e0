"""Fresh data drawn in three ways, and the search for n."""

import numpy as np
import pytest
from scipy import stats

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.topics.clipping.simulation import Scorer
from dpviz.topics.clipping.tasks import make_task

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
