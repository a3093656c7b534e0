"""The distance of two perturbed minimisers against going through all thresholds, and its bound."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.views import moves_of_one_minimiser as view
from dpviz.topics.public_data.views import moves_of_one_minimiser_shown
from dpviz.topics.public_data.views.moves_of_one_minimiser import (
    farthest_near_minimiser,
    moves_of_one_minimiser,
    proposition_1,
    theorem_5,
)
from tests.support.headlines import faults


def chart(n=1000, m=10, eta=0.1, moved=0.5, seed=0):
    return moves_of_one_minimiser(
        samples=n, public_points=m, eta=eta, moved=moved, rng=np.random.default_rng(seed)
    )


@pytest.mark.parametrize(("n", "m", "eta"), [(10, 3, 0.05), (200, 20, 0.1), (2000, 8, 1.0)])
def test_the_bound_holds_and_chances_fall(n, m, eta):
    found = chart(n, m, eta)
    simulated, any_pair = found.curve("simulated"), found.curve("any")
    assert np.all(simulated.y <= any_pair.y)
    assert np.all(any_pair.part("_lower") <= found.curve("theorem_5").y)
    published = found.curve("bound")
    assert np.all(simulated.part("_lower") <= published.y)
    assert np.all(published.part("_holds") == (published.x <= np.sqrt(2)))
    assert np.all(np.diff(simulated.y) <= 0)
    assert simulated.y[-1] == 0  # no two functions lie farther apart than 2


def test_the_chance_is_that_of_all_thresholds_tried_one_by_one(monkeypatch):
    monkeypatch.setattr(view, "_DRAWS", 400)
    monkeypatch.setattr(view, "_TOGETHER", 400)
    known = {}
    draw = view.Task.private_data
    public = view.Task.public_data

    def private_data(self, n, rng):
        known["private"] = draw(self, n, rng)
        return known["private"]

    def public_data(self, m, rng):
        known["public"] = public(self, m, rng)
        known["after"] = np.random.default_rng()
        known["after"].bit_generator.state = rng.bit_generator.state
        return known["public"]

    monkeypatch.setattr(view.Task, "private_data", private_data)
    monkeypatch.setattr(view.Task, "public_data", public_data)
    found = chart(8, 3, 0.3)
    x, y, z = known["private"].x, known["private"].y, known["public"]
    process = 0.3 / np.sqrt(3) * known["after"].standard_normal((400, 3))
    other = y.copy()
    other[np.argmin(np.abs(x - view.CENTRE))] *= -1
    cuts = [0.0, *sorted([*x, *z]), 1.0]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
    apart = []
    for row in process:
        best = []
        for labels in (y, other):
            costs = [
                np.mean((np.where(x >= t, 1, -1) - labels) ** 2 / 4) + row @ np.where(z >= t, 1, -1)
                for t in middles
            ]
            best.append(np.where(z >= middles[int(np.argmin(costs))], 1, -1))
        apart.append(np.sqrt(np.mean((best[0] - best[1]) ** 2)))
    curve = found.curve("simulated")
    for rho, chance in zip(curve.x[::7], curve.y[::7], strict=True):
        assert chance == np.mean(np.array(apart) > rho + 1e-12)


def test_no_neighbour_moves_the_minimiser_farther_than_near_minimisers_lie():
    rng = np.random.default_rng(3)
    x, z = rng.random(6), rng.random(5)
    y = rng.choice([-1.0, 1.0], 6)
    process = 0.2 * rng.standard_normal((200, 5))
    oracle = Thresholds(0.0, 1.0)

    def learned(place, label):
        data = Labelled(place, label)
        return oracle.predict(oracle.minimize_each(data.loss(1 / 6), z, process), z)

    here, moved = learned(x, y), np.zeros(200)
    for changed, place, label in itertools.product(range(6), [0.1, 0.4, 0.7, 0.95], [-1.0, 1.0]):
        others, labels = x.copy(), y.copy()
        others[changed], labels[changed] = place, label
        apart = np.sqrt(np.mean((learned(others, labels) - here) ** 2, axis=1))
        moved = np.maximum(moved, apart)
    limit = farthest_near_minimiser(Labelled(x, y), z, process)
    assert np.all(moved <= limit + 1e-12)
    assert np.mean(moved == limit) > 0.5


def test_theorem_5_is_met_by_two_constants():
    """L is the same for both, so the other is within 2/n where |2ηg| ≤ 2/n."""
    n, eta = 10**5, 1.0
    width = np.sqrt(2 / np.pi)
    chance = 2 * norm.cdf(1 / (n * eta)) - 1
    bound = theorem_5(np.array([2.0]), samples=n, eta=eta, width=width)[0]
    assert chance <= bound
    assert bound == pytest.approx(chance, rel=1e-6)


def test_the_bound_in_numbers():
    bound = proposition_1(np.array([0.1, 1.0, 2.0]), samples=80, eta=0.5, width=1.5)
    assert bound == pytest.approx([1, 0.3, 0.3 / 16])


@pytest.mark.parametrize("setting", [{}, {"n": 100_000}, {"n": 10, "eta": 0.001}, {"moved": 2.0}])
def test_what_is_said_is_short(setting):
    found = chart(**setting)
    assert not faults(moves_of_one_minimiser_shown.VIEW.takeaway(found))
    assert moves_of_one_minimiser_shown.VIEW.detail(found).startswith("Thresholds")
    assert ("not sound" in moves_of_one_minimiser_shown.VIEW.detail(found)) == (found.here > 2**0.5)
    assert len(moves_of_one_minimiser_shown.VIEW.notes(found)) == 4
