"""The users with whom a coin is named: short steps, and never fewer than are deleted."""

import itertools

import numpy as np
import pytest

from dpviz.results.refining import Pace, pausing
from dpviz.topics.propose_test_release import users_to_name_coins as coins
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.users_to_name_coins import users_to_name_coins
from tests.support.declarations import opened, page
from tests.support.pace import always


def test_the_view_is_made_of_short_steps(monkeypatch):
    """Between two chances of a partial result are few looks at laws, wherever a link leads."""
    looks, since = [], 0

    class Due:
        def due(self):
            looks.append(since)
            return True

    def look():
        nonlocal since
        since += 1

    monkeypatch.setattr(coins, "Pace", Due)
    extreme = {"lean": 0.01, "task_epsilon": 0.1, "promised_delta": 1e-6, "success": 0.9}
    with pausing(look):
        drawn = users_to_name_coins(repeats=10_000, **extreme, rng=np.random.default_rng(0))
        charts = list(itertools.islice(drawn, 18))
    assert charts[-1].done == pytest.approx(18 / (6 * 9))  # nine m, six steps each
    assert max(np.diff([0, *looks])) < 200


def test_where_delstab_pays_is_said_once_nothing_below_is_missing(monkeypatch):
    """Found coarse to fine, it pays at m = 1,000 before it is known that it does at 300."""
    monkeypatch.setattr(Pace, "due", always)
    scene = opened(page("propose_test_release"), "naming")
    *partial, whole = scene.view.compute(**scene.page.call(scene.arguments))
    assert whole.pays_from < 1000
    found = {chart.pays_from for chart in partial if np.isfinite(chart.pays_from)}
    assert found == {whole.pays_from}


def test_the_view_finds_where_delstab_pays_and_never_below_what_it_deletes():
    usual = {"lean": 0.05, "task_epsilon": 1.0, "promised_delta": 1e-2, "success": 0.75}
    *_, chart = users_to_name_coins(repeats=100, **usual, rng=np.random.default_rng(0))
    majority = chart.curve("majority")
    known = np.isfinite(majority.y)
    assert chart.fewest == Budget(1.0, 1e-2).fewest_users
    assert np.all(majority.y[known] >= chart.fewest)
    sure = known & np.isfinite(majority.lower) & np.isfinite(majority.upper)
    assert np.all((majority.lower <= majority.y)[sure] & (majority.y <= majority.upper)[sure])
    learner, proof = chart.curve("learner").y, chart.curve("proof").y
    both = np.isfinite(learner) & np.isfinite(proof)
    assert np.all(learner[both] <= proof[both])
    pays = majority.x >= chart.pays_from
    assert np.all(majority.y[pays] <= chart.needed["single"])
