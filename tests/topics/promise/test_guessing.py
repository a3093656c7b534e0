"""The game: laws against their own integrals, draws against laws, scores by counting."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.results.parameters import ParameterError
from dpviz.topics.promise.calibrating import MECHANISMS, least_noise
from dpviz.topics.promise.guessing import ROUNDS, answers_of, drawn_rounds, score
from dpviz.topics.promise.views.play_the_attacker import play_the_attacker

every = pytest.mark.parametrize("mechanism", MECHANISMS)
STATE = {"epsilon": 1.0, "delta": 1e-3, "power": 2.0}


def answers(mechanism, **changes):
    return answers_of(least_noise(mechanism, queries=1, **STATE | changes))


def play(mechanism="laplace", seed=0, **changes):
    rng = np.random.default_rng(seed)
    return play_the_attacker(mechanism=mechanism, rng=rng, **STATE | changes)


def outcomes(law, inside):
    """A grid of answers and the probability of each, by a sum of its own."""
    if law.whole:
        x = np.arange(-400.0, 500.0)
        return x, law.law(x, inside)
    x = np.linspace(61 - 60, 60 + 60, 400_001)
    return x, law.law(x, inside) * (x[1] - x[0])


@every
@pytest.mark.parametrize("inside", [False, True])
def test_answers_are_drawn_from_their_laws(mechanism, inside):
    law = answers(mechanism)
    x, mass = outcomes(law, inside)
    assert mass.sum() == pytest.approx(1.0, abs=1e-4)
    chance = (np.arange(20_000) + 0.5) / 20_000
    drawn = np.sort(law.drawn(chance, np.full(chance.size, inside)))
    wanted = np.cumsum(mass)[np.searchsorted(x, drawn + 1e-9, side="right") - 1]
    below = np.searchsorted(drawn, drawn + 1e-9, side="right") / chance.size
    assert np.abs(wanted - below).max() < 2e-3


@every
def test_the_two_worlds_keep_the_promise_and_the_best_attacker_is_as_often_right_as_told(mechanism):
    law, correct = answers(mechanism), play(mechanism).correct
    (_, out), (_, within) = (outcomes(law, inside) for inside in (False, True))
    for first, second in ((out, within), (within, out)):
        assert np.maximum(first - math.e * second, 0).sum() <= STATE["delta"] + 1e-5
    assert np.maximum(out, within).sum() / 2 == pytest.approx(correct, abs=2e-3)
    # accusing above the middle is the best there is
    x, _ = outcomes(law, True)
    above = x > sum(law.counts) / 2
    best = (within[above].sum() + out[~above].sum()) / 2
    assert best == pytest.approx(np.maximum(out, within).sum() / 2, abs=1e-4)


@every
def test_the_seed_gives_the_same_game_and_another_epsilon_another_one(mechanism):
    games = [
        drawn_rounds(answers(mechanism), np.random.default_rng(7), epsilon=epsilon)
        for epsilon in (0.5, 0.5, 3.0)
    ]
    np.testing.assert_array_equal(games[0].answers, games[1].answers)
    np.testing.assert_array_equal(games[0].inside, games[1].inside)
    assert (games[0].inside != games[2].inside).any()


def test_many_games_of_the_best_attacker_are_as_good_as_told():
    law, right = answers("laplace"), 0
    games = 2000
    for seed in range(games):
        rounds = drawn_rounds(law, np.random.default_rng(seed), epsilon=1.0)
        right += int((rounds.best(law) == rounds.inside).sum())
    correct, played = play().correct, games * ROUNDS
    assert stats.binomtest(right, played, correct).pvalue > 1e-4


def test_a_score_counts_hits_and_false_alarms():
    inside = [True, True, True, False, False]
    found = score(inside, [True, True, False, True, False])
    assert (found.hits, found.present, found.alarms, found.absent) == (2, 3, 1, 2)
    assert found.right == 3
    exact = stats.binomtest(2, 3).proportion_ci(0.95, method="exact")
    assert (found.hit_share.lower, found.hit_share.upper) == pytest.approx(tuple(exact))
    assert score([], []).hit_share.upper == 1
    with pytest.raises(ParameterError, match="guessed"):
        score(inside, [True])
