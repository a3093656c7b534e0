"""The learners, their constants, and how often users agree."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths import correlated_sampling
from dpviz.maths.correlated_sampling import Darts, sample
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.learners import (
    NOTHING,
    GibbsLearner,
    ListLearner,
    QueryLearner,
    gibbs_constants,
    list_constants,
    pick,
    practical_gamma,
    query_constants,
)
from dpviz.topics.few_users.problems import CLASSES, problem
from dpviz.topics.few_users.stability import (
    pseudo_global_stability,
)
from tests.support.examples import examples

every_class = pytest.mark.parametrize("name", CLASSES)
few = examples(20)


def test_the_gibbs_law_is_the_formula():
    learner = GibbsLearner(problem("stumps", bits=3), 4.0)
    errors = np.array([[0.0, 0.5, 0.25, 1.0, 0.3, 0.1]])
    weights = [math.exp(-4 * e) for e in errors[0]]
    np.testing.assert_allclose(learner.laws(errors)[0], np.array(weights) / sum(weights))


@every_class
@few
@given(alpha=st.floats(0.02, 0.4), beta=st.floats(0.001, 0.4))
def test_practical_and_printed_gamma_are_accurate(name, alpha, beta):
    """P_H(error > α) <= β/2 for the law of a user with endless examples."""
    made = problem(name, bits=5, target=3)
    for gamma in (
        practical_gamma(made.hypotheses, alpha=alpha, beta=beta),
        gibbs_constants(made.hypotheses, alpha=alpha, beta=beta).gamma,
    ):
        law = GibbsLearner(made, gamma).laws(made.errors)
        assert law[made.errors > alpha].sum() <= beta / 2


def test_constants_are_those_of_the_proof():
    made = gibbs_constants(2**7, alpha=0.05, beta=0.1)
    assert made.gamma == pytest.approx(2 * (7 + math.log(10) + 10) / 0.05)
    assert made.examples == pytest.approx(1e6 * made.gamma**2 * 7 * math.log(10) / 1e-4)
    # Lemma 28: with so many examples the distance is at most β²/10.
    assert 40 * made.gamma * math.sqrt(7 * math.log(10) / made.examples) <= 0.01
    lists = list_constants(list_size=8, eta=0.4, beta=0.1, examples=50)
    named = dict(lists.others)
    term = math.log(8 / (0.1 * 0.2))
    assert named["τ"] == 0.2
    assert named["k₁"] == pytest.approx(1e6 * term / 0.04)
    assert math.exp(-0.02 * 0.04 * named["k₁"]) < 0.001 * 0.01 * 0.2 / 8  # Lemma 22
    assert lists.gamma == pytest.approx(1e6 * term / 0.2)
    assert 200 * lists.gamma * math.sqrt(term / named["k₂"]) <= 0.21  # of β²/60, see (1)
    queries = query_constants(queries=5, tolerance=0.01, beta=0.1)
    each, steps = queries.examples / 5, 300
    deviation = 0.01 / (3 * 5 * steps)
    assert 2 * math.exp(-each * deviation**2 / 2) <= 0.01 / 15  # Hoeffding, as (6) needs it


def test_agreement_is_the_exact_law_of_two_users_distributions():
    """Given the samples, two users agree as often as correlated sampling says."""
    made = problem("thresholds", bits=5, target=9)
    learner = GibbsLearner(made, 30.0)
    errors = made.empirical_errors(2, examples=100, rng=np.random.default_rng(1))
    laws = learner.laws(errors)
    picks = np.array([sample(laws, Darts(32, seed)).outcome for seed in range(3000)])
    agree = np.count_nonzero(picks[:, 0] == picks[:, 1])
    truth = 1 - float(correlated_sampling.output_disagreement(*laws))
    assert stats.binomtest(agree, 3000, truth).pvalue > 1e-3


def test_shared_darts_make_users_agree_where_own_coins_do_not():
    made = problem("thresholds", bits=8, target=100)
    learner = GibbsLearner(made, practical_gamma(256, alpha=0.1, beta=0.05))
    rng = np.random.default_rng(2)
    shared = [learner.picks(100, examples=10**6, seed=s, rng=rng) for s in range(30)]
    top = [np.bincount(votes).max() / 100 for votes in shared]
    own = np.bincount(learner.picks(3000, examples=10**6, seed=None, rng=rng)).max() / 3000
    assert np.mean(top) > 0.95
    assert own < 0.2
    errors = made.errors[[np.bincount(votes).argmax() for votes in shared]]
    assert np.mean(errors <= 0.1) > 0.8


def test_own_coins_draw_from_the_law():
    laws = np.tile([[0.2, 0.5, 0.3]], (6000, 1))
    drawn = np.bincount(pick(laws, seed=None, rng=np.random.default_rng(3)), minlength=3)
    assert stats.chisquare(drawn, 6000 * laws[0]).pvalue > 1e-3


@pytest.mark.parametrize("learner", ["gibbs", "lists", "queries"])
def test_the_examples_do_not_depend_on_whose_coins_are_thrown(learner):
    made = problem("thresholds", bits=4, target=5)
    chosen = {
        "gibbs": GibbsLearner(made, 5.0),
        "lists": ListLearner(made, 4, 5, 5, 0.25, 3.0),
        "queries": QueryLearner(4, 2, 0.1),
    }[learner]
    after = []
    for seed in (3, None):
        rng = np.random.default_rng(11)
        chosen.picks(20, examples=100, seed=seed, rng=rng)
        after.append(rng.random())
    assert after[0] == after[1]


def test_lists_hold_consistent_hypotheses_and_no_more_than_allowed():
    made = problem("thresholds", bits=4, target=5)
    learner = ListLearner(made, 3, 10, 10, 0.3, 20.0)
    lists = learner.lists(500, examples=4, rng=np.random.default_rng(4))
    assert lists.sum(axis=1).max() == 3
    assert lists.sum(axis=1).min() >= 1  # the target is always consistent
    assert np.all(learner.lists(50, examples=10**4, rng=np.random.default_rng(5))[:, 5])


def test_lists_become_picks_that_agree():
    made = problem("thresholds", bits=4, target=5)
    learner = ListLearner(made, 4, 20, 140, 0.25, 3.0)
    rng = np.random.default_rng(6)
    matches = []
    for seed in range(30):
        picks = learner.picks(40, examples=160 * 8, seed=seed, rng=rng)
        matches.append(picks == np.bincount(picks + 1).argmax() - 1)
    own = learner.picks(1200, examples=160 * 8, seed=None, rng=rng)
    assert np.mean(matches) > np.bincount(own + 1).max() / 1200 + 0.1


def test_lists_are_drawn_block_by_block(monkeypatch):
    """3,000 users at once took 500 MB: the arrays of one call are bounded."""
    sizes = []
    drawn = ListLearner.lists

    def watched(self, runs, **call):
        sizes.append(runs)
        return drawn(self, runs, **call)

    monkeypatch.setattr(ListLearner, "lists", watched)
    learner = ListLearner(problem("thresholds", bits=2), 4, 25, 25, 0.25, 3.0)
    picks = learner.picks(1000, examples=100, seed=0, rng=np.random.default_rng(0))
    assert picks.size == 1000
    assert sum(sizes) == 1000 * 50
    assert max(sizes) <= 2500


def test_a_list_learner_without_candidates_says_so():
    made = problem("thresholds", bits=8, target=100)
    learner = ListLearner(made, 1, 5, 5, 0.9, 5.0)
    picks = learner.picks(50, examples=10, seed=0, rng=np.random.default_rng(7))
    assert np.all(picks == NOTHING)
    with pytest.raises(ParameterError, match="at least 10"):
        learner.picks(5, examples=9, seed=0, rng=np.random.default_rng(7))


def test_errors_and_answers_of_conjunctions_are_counted():
    learner = QueryLearner(4, 2, 0.1)
    points = np.array(list(itertools.product([0, 1], repeat=4)))
    mass = np.where(points == 1, 1 - learner.zeros, learner.zeros).prod(axis=1)
    truth = points[:, :2].all(axis=1)
    for bit in range(4):
        asked = mass[truth & (points[:, bit] == 0)].sum()
        assert learner.answers[bit] == pytest.approx(asked, abs=1e-15)
    for chosen in range(16):
        kept = [j for j in range(4) if chosen >> j & 1]
        guess = points[:, kept].all(axis=1)
        assert learner.errors[chosen] == pytest.approx(mass[guess != truth].sum())


def test_the_query_learner_learns_and_agrees():
    learner = QueryLearner(5, 2, 0.1)
    rng = np.random.default_rng(8)
    for seed in range(10):
        picks = learner.picks(100, examples=10**10, seed=seed, rng=rng)
        assert len(set(picks)) == 1
        assert learner.errors[picks[0]] <= 0.1
    few_examples = learner.picks(500, examples=50, seed=0, rng=rng)
    assert len(set(few_examples)) > 1


@pytest.mark.parametrize(
    "broken",
    [
        lambda: problem("trees", bits=3),
        lambda: problem("points", bits=9),
        lambda: problem("points", bits=3, target=8),
        lambda: QueryLearner(5, 6, 0.1),
        lambda: QueryLearner(5, 2, 0.9),
        lambda: gibbs_constants(8, alpha=0.0, beta=0.1),
        lambda: practical_gamma(8, alpha=0.1, beta=0.0),
        lambda: query_constants(queries=3, tolerance=0.1, beta=float("nan")),
        lambda: pseudo_global_stability(np.ones((1, 1), dtype=np.int64), eta=2.0),
        lambda: pseudo_global_stability(np.ones((1, 1), dtype=np.int64), eta=0.0),
        lambda: pseudo_global_stability(np.ones(4, dtype=np.int64), eta=0.9),
    ],
)
def test_what_is_out_of_range_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()
