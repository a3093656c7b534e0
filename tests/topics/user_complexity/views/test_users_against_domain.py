"""Users for points and thresholds: what hashing saves, and what the proof asks for."""

import numpy as np

from dpviz.plot.text import readable
from dpviz.plot.theme import LIGHT
from dpviz.topics.user_complexity.representation_proof import enough_users_boosted
from dpviz.topics.user_complexity.representations import (
    hashed_points,
    least_users,
)
from dpviz.topics.user_complexity.views.users_against_domain import users_against_domain
from dpviz.topics.user_complexity.views.users_against_domain_shown import VIEW

SETTING = {"alpha": 0.05, "epsilon": 0.5, "examples_per_user": 4}


def test_hashing_pays_in_large_domains_and_nothing_helps_thresholds():
    last = users_against_domain(domain_size=10**9, alpha=0.05, epsilon=1, examples_per_user=1)
    assert last.value("hashed") < last.value("points") / 2
    assert np.ptp(last.curve("hashed").y) == 0
    assert np.all(np.diff(last.curve("points").y) >= 0)
    assert last.value("thresholds") > 10 * last.curve("thresholds").y[0]


def test_what_is_proven_to_be_enough_is_more_than_what_is_needed():
    needed = least_users(hashed_points(0.05), **SETTING)
    assert enough_users_boosted(**SETTING) > needed.upper
    chart = users_against_domain(domain_size=1000, **SETTING)
    assert chart.value("proof") > needed.upper
    assert f"{chart.boosted.rounds} votes" in VIEW.notes(chart)[1]
    assert "Lemma 22" in VIEW.detail(chart)


def test_hashing_pays_beyond_the_crossing_that_is_shaded():
    chart = users_against_domain(domain_size=10**6, **SETTING)
    figure = VIEW.figure(chart, LIGHT)
    turn = next(s for s in figure.layout["shapes"] if s["type"] == "rect")["x0"]
    listed, hashed = chart.curve("points"), chart.curve("hashed")
    assert np.all((listed.y > hashed.y) == (listed.x > turn))
    assert f"<b>{readable(chart.value('hashed'))}</b>" in [
        note["text"] for note in figure.layout["annotations"]
    ]
