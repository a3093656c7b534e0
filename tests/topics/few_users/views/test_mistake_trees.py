"""Mistake trees: the way in red, what stands beside it, sentences."""

import itertools
import re

import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.few_users.littlestone import MISTAKE_CLASSES
from dpviz.topics.few_users.views.mistake_trees import mistake_trees
from dpviz.topics.few_users.views.mistake_trees_shown import VIEW
from tests.support.few_users import rng
from tests.support.headlines import faults
from tests.support.specs import Checked

draw = Checked(VIEW.figure)


def test_points_cost_the_best_learner_a_single_mistake():
    result = mistake_trees(family="points", depth=6, rng=rng())
    assert VIEW.takeaway(result) == (
        "Whatever it is asked, the best learner of 64 hypotheses makes at most 1 mistake."
    )
    notes = " ".join(VIEW.notes(result))
    assert (
        "learned privately, with a δ, if and only if its Littlestone dimension is finite" in notes
    )
    assert [len(column) for column in result.columns().values()] == 5 * [1]


@pytest.mark.parametrize("depth", range(1, 9))
@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_each_mistake_is_said_to_halve_what_is_left_only_where_it_does(name, depth):
    result = mistake_trees(family=name, depth=depth, rng=rng(4))
    left = [result.hypotheses, *(one.left for one in result.rounds)]
    halved = all(before == 2 * after for before, after in itertools.pairwise(left))
    said = VIEW.takeaway(result)
    assert ("each mistake halves" in said) == (halved and result.dimension > 1)
    assert not faults(said)


def test_one_point_is_told_in_the_singular():
    result = mistake_trees(family="thresholds", depth=1, rng=rng())
    assert "2 hypotheses on 1 point, one" in VIEW.detail(result)


@pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
@pytest.mark.parametrize("name", MISTAKE_CLASSES)
def test_the_red_way_goes_down_to_a_leaf(name, theme):
    result = mistake_trees(family=name, depth=5, rng=rng(4))
    figure = draw(result, theme)
    _, way, nodes = figure.data
    places = set(zip(nodes.x, nodes.y, strict=True))
    assert set(zip(way.x, way.y, strict=True)) <= places
    assert len(places) == len(nodes.x) == 2 ** (result.dimension + 1) - 1
    assert min(way.y) == -result.dimension
    words = [note.text for note in figure.layout.annotations]
    numbers = [text for text in words if re.fullmatch(r"<b>(mistake )?\d</b>(: \d+ left)?", text)]
    assert len(numbers) == result.dimension
    assert result.rounds[-1].left == 1  # one hypothesis, as is said at the end
    assert sum(text.startswith(f"<b>after {result.dimension} mistake") for text in words) == 1
