"""Mistake trees: the two learners' mistakes, the way in red, sentences."""

import re

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.few_users.littlestone import (
    MISTAKE_CLASSES,
)
from dpviz.topics.few_users.views.mistake_trees import mistake_trees
from dpviz.topics.few_users.views.mistake_trees_shown import VIEW
from tests.support.few_users import rng
from tests.support.specs import Checked

draw = Checked(VIEW.figure)


def test_points_cost_a_consistent_learner_all_but_one_and_the_optimal_one_a_single_mistake():
    result = mistake_trees(family="points", depth=6, rng=rng())
    assert [len(result.games[name]) for name in ("optimal", "first")] == [1, 63]
    said = VIEW.takeaway(result)
    assert said == (
        "An adversary can force 1 mistake on the best deterministic learner of this class, never "
        "more; just the classes with such a limit can be learned privately, with a δ."
    )
    assert (
        "can be learned privately, with a δ, if and only if its dimension is finite"
        in VIEW.detail(result)
    )
    notes = " ".join(VIEW.notes(result))
    assert "the first one that fits, as the stubborn learner does, makes 63 mistakes." in notes
    for learner in ("optimal", "first"):
        rows = result.columns()["learner"] == learner
        assert np.count_nonzero(rows) == len(result.games[learner])


def test_one_point_and_one_mistake_are_told_in_the_singular():
    result = mistake_trees(family="thresholds", depth=1, rng=rng())
    assert "2 hypotheses on 1 point, Litt" in VIEW.detail(result)
    assert " ".join(VIEW.notes(result)).count("makes 1 mistake") == 1
    assert "An adversary can force 1 mistake on" in VIEW.takeaway(result)


@pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_the_red_way_goes_down_to_a_leaf(name, theme):
    result = mistake_trees(family=name, depth=5, rng=rng(4))
    _, way, nodes, bars = draw(result, theme).data
    places = set(zip(nodes.x, nodes.y, strict=True))
    assert set(zip(way.x, way.y, strict=True)) <= places
    assert len(places) == len(nodes.x) == 2 ** (result.dimension + 1) - 1
    assert min(way.y) == -result.dimension
    assert list(bars.x) == [len(rounds) for rounds in result.games.values()]


@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_a_forced_number_is_exact_only_where_no_adversary_can_force_more(name):
    """Any consistent learner's mistake takes one hypothesis away."""
    result = mistake_trees(family=name, depth=4, rng=rng(4))
    forced = {key: len(rounds) for key, rounds in result.games.items()}
    assert all(forced[key] <= most for key, most in result.most.items())
    bars = draw(result, LIGHT).data[-1]
    exact = [forced[key] == most for key, most in result.most.items()]
    assert [not text.startswith("≥") for text in bars.text] == exact
    words = [note.text for note in draw(result, LIGHT).layout.annotations]
    numbers = [text for text in words if re.fullmatch(r"<b>(mistake )?\d</b>", text)]
    assert len(numbers) == result.dimension
