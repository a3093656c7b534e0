"""DelStab around a choice among three: its exact law against a search through all sets of users."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import quad

from dpviz.maths.divergence import log_closeness
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import pausing
from dpviz.topics.propose_test_release import exact_choice
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.exact_choice import (
    CHOICES,
    CategoryUsers,
    counts_of,
    log_largest_noisy,
)
from dpviz.topics.propose_test_release.views.promised_and_kept import promised_and_kept


class Small(Budget):
    """A budget with so small a κ that all sets of users can be gone through."""

    kappa = 1


def law_by_sets(chooser, users):
    """Return Pr[⊥] and those of the names: Algorithm 1 as printed, user by user."""
    budget, n = chooser.budget, len(users)
    everybody = frozenset(range(n))

    @cache
    def law_of(counts):
        return chooser.learner_laws(np.array([counts]))[0]

    def named(deleted):
        left = [users[i] for i in everybody - deleted]
        return law_of(tuple(left.count(category) for category in range(3)))

    def deletions(first):
        more = 4 * budget.kappa - len(first)
        return [first | set(rest) for rest in itertools.combinations(everybody - first, more)]

    def stable(first):
        laws = np.unique([named(deleted) for deleted in deletions(first)], axis=0)
        apart = log_closeness(laws[:, None], laws[None], epsilon=budget.epsilon_bar)
        return apart.max() <= math.log(budget.delta_bar)

    law = np.zeros(4)
    for size, chance in enumerate(budget.threshold.pmf(np.arange(2 * budget.kappa + 1))):
        firsts = [frozenset(s) for s in itertools.combinations(everybody, size)]
        kept = [first for first in firsts if stable(first)]
        law[0] += chance * (not kept)
        for first in kept:
            every = deletions(first)
            law[1:] += chance / len(kept) * sum(np.exp(named(t)) for t in every) / len(every)
    return law


@pytest.mark.parametrize(("learner", "loss"), [("selection", 2.6), ("histogram", 2.0)])
def test_the_law_is_that_of_a_search_through_all_sets(learner, loss, monkeypatch):
    small = type("Law", (), {"pmf": lambda _, x: np.array([0.3, 0.5, 0.2])[np.asarray(x)]})()
    monkeypatch.setattr(Small, "threshold", small)
    chooser = CategoryUsers(6, learner, loss, Small(5.0, 0.2))
    laws = np.exp(chooser.log_laws())
    refused = set()
    for users in [
        (0,) * 6,
        (0,) * 5 + (1,),
        (0, 0, 0, 0, 1, 2),
        (0, 0, 0, 1, 1, 2),
        (2, 2, 2, 2, 0, 1),
    ]:
        a, b, _ = np.bincount(users, minlength=3)
        assert laws[a, b] == pytest.approx(law_by_sets(chooser, users), abs=1e-12)
        refused.add(round(laws[a, b, 0], 6))
    assert len(refused) > 1  # some data sets are refused, others not, or only for small R₁


def test_categories_are_alike_so_that_a_third_of_all_pairs_of_laws_is_compared(monkeypatch):
    """There are 4,950 pairs of the 100 laws, times as many as it takes to fill the blocks."""
    monkeypatch.setattr(exact_choice, "_ROWS", 100)
    chooser, pauses = CategoryUsers(28, "selection", 2.0, Budget(8.0, 0.1)), []
    laws = len(counts_of(28 - 4 * chooser.budget.kappa))
    with pausing(lambda: pauses.append(1)):
        stable = chooser.stable_counts()
    assert len(pauses) < laws * (laws - 1) / 2 / 100 / 2
    for size, found in stable.items():
        for a, b, c in counts_of(size):
            assert found[a, b] == found[b, a] == found[a, c]


@pytest.mark.parametrize("counts", [(3, 1, 7), (0, 0, 0), (5, 5, 2), (0, 9, 40), (0, 12, 13)])
def test_the_largest_noisy_count_against_quadrature(counts):
    decay = 0.7

    def below(z):
        return math.exp(decay * z) / 2 if z < 0 else 1 - math.exp(-decay * z) / 2

    for j, own in enumerate(counts):
        leads = [own - other for k, other in enumerate(counts) if k != j]

        def density(z, leads=leads):
            own_noise = decay / 2 * math.exp(-decay * abs(z))
            return own_noise * math.prod(below(z + lead) for lead in leads)

        turns = sorted({0, *(-lead for lead in leads)})
        expected, _ = quad(density, -60, 60, points=turns, limit=200)
        found = np.exp(log_largest_noisy([counts], decay=decay))[0, j]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("learner", CHOICES)
def test_the_promise_holds_on_all_neighbours_and_items_are_as_private_as_said(learner):
    budget = Budget(8.0, 0.1)
    for loss in (0.3, 1.5):
        chooser = CategoryUsers(20, learner, loss, budget)
        laws = chooser.log_laws()
        counts = counts_of(20)
        rows = np.exp(laws[counts[:, 0], counts[:, 1]])
        assert rows.sum(axis=1) == pytest.approx(1.0)
        assert np.all(rows[:, 0].max() > 0.5) == (loss > 1)
        # neighbours that are not in one order of categories as well
        spent = chooser.exact_epsilon(laws, delta=budget.delta)
        first, second = laws[1:-1, 2:-1], laws[:-2, 3:]
        possible = np.add.outer(np.arange(1, 20), np.arange(2, 20)) <= 20
        apart = log_closeness(first[possible], second[possible], epsilon=spent)
        assert np.max(apart) <= math.log(budget.delta) + 1e-6
        assert spent <= budget.epsilon
        assert chooser.exact_epsilon(chooser.untested(), delta=1e-9) <= loss


def test_the_view_shows_the_same_numbers():
    setting = {"bit_users": 24, "promised_epsilon": 8, "promised_delta": 0.1}
    shown = promised_and_kept(**setting, noise_epsilon=1.0, inside="selection")
    chooser = CategoryUsers(24, "selection", 1.0, Budget(8.0, 0.1))
    assert shown.exact == chooser.exact_epsilon(chooser.log_laws(), delta=0.1)
    assert 0 < shown.exact < shown.promised
    with pytest.raises(ParameterError, match="inside"):
        promised_and_kept(**setting, noise_epsilon=1.0, inside="forest")


def test_too_few_users_and_unknown_learners_are_errors():
    with pytest.raises(ParameterError, match="users"):
        CategoryUsers(16, "selection", 1.0, Budget(8.0, 0.1))
    with pytest.raises(ParameterError, match="learner"):
        CategoryUsers(30, "forest", 1.0, Budget(8.0, 0.1))
