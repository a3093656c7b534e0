"""The figure of people: what it looks up is what was computed, and Vega-Lite understands it."""

import numpy as np
import orjson
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.user_data import UserData
from dpviz.topics.clipping.people_figures import people_linked
from dpviz.topics.clipping.people_words import people_detail, people_notes, people_takeaway
from dpviz.topics.clipping.views.people import people
from tests.support.declarations import last, page
from tests.support.examples import chosen, only_in_long_run
from tests.support.linked import THEMES, understood

PAGE = page("clipping")


def panel(**changes):
    return last(PAGE, "people", **({"data": "union", "threshold": 4.0} | changes))


def of_many(users):
    rng = np.random.default_rng(1)
    value = rng.integers(0, 3, 2 * users)
    value[:3] = 0, 1, 2
    data = UserData("colour", ("red", "<b>", "blue"), np.repeat(np.arange(users), 2), value)
    return people(
        data="own",
        own=data,
        bins=4,
        candidates=10,
        rival=2,
        examples_per_user=5,
        unequal="cap",
        epsilon=1.0,
        threshold=1.0,
        rng=np.random.default_rng(0),
    )


@only_in_long_run
@pytest.mark.parametrize("theme", chosen(THEMES, THEMES[2:3]))
def test_vega_lite_knows_all_of_the_specification(theme):
    understood(people_linked(panel(), theme))


def test_a_moved_control_changes_no_specification():
    """So a browser keeps the figure and the brush on it."""
    first, other = (
        people_linked(panel(threshold=t, epsilon=e), LIGHT) for t, e in ((4, 0.2), (1, 2))
    )
    assert orjson.dumps(first.specification) == orjson.dumps(other.specification)
    assert first.values["place"] != other.values["place"]


def test_a_window_has_its_heights_and_no_specification_of_its_own():
    """Else every height a link names would be drawn anew, and kept."""
    first, other = (people_linked(panel(), LIGHT.projected(room)) for room in (480, 900))
    assert first.specification is other.specification
    assert first.sizes["people_height"] != other.sizes["people_height"]


def test_chances_are_looked_up_where_they_were_computed():
    result = panel(candidates=64)
    values = orjson.loads(people_linked(result, LIGHT).json())["values"]
    shown = [
        next(i for i, name in enumerate(result.task.names) if row["words"].startswith(f"{name}:"))
        for row in people_linked(result, LIGHT).tables["candidates"][:-1]
    ]
    assert result.best in shown
    assert result.rival in shown
    for number, (first, end) in enumerate(result.intervals.tolist(), 1):
        assert values["number"][first][end] == number
        law = np.array(values["law"][number])
        assert law[:, :-1] == pytest.approx(result.without[number - 1][:, shown], abs=1e-4)
        assert law.sum(axis=1) == pytest.approx(1, abs=1e-3)
    assert np.array(values["law"][0])[:, :-1] == pytest.approx(result.laws[:, shown], abs=1e-4)


def test_every_person_is_a_dot_in_its_group():
    result = panel()
    dots = people_linked(result, LIGHT).tables["dots"]
    assert len(dots) == 545
    assert len({(dot["x"], dot["y"]) for dot in dots}) == 545
    for dot, score in zip(dots, result.scores, strict=True):
        low, high = result.edges[dot["group"]], result.edges[dot["group"] + 1]
        assert low <= score < high
        assert low <= dot["x"] <= high
    union = result.data.value[result.data.user == 0].sum()
    assert dots[0]["who"] == f"person 1: {8 - union} × 0, {union} × 1"


def test_a_dot_stands_for_several_of_many_people():
    result = of_many(3000)
    dots = people_linked(result, LIGHT).tables["dots"]
    assert 550 <= len(dots) <= 600 + result.groups
    assert "one of about 5 people" in people_notes(result)[0]
    written = orjson.dumps(people_linked(result, LIGHT).tables["columns"])
    assert sum(row["people"] for row in orjson.loads(written)) == 3000


def test_the_sentence_counts_those_cut_off():
    result = panel()
    beyond = np.abs(result.scores) > 4
    theirs = result.counts[beyond].sum(axis=0) / result.counts[beyond].sum()
    often = theirs[1] / result.data.law[1]
    assert people_takeaway(result) == (
        f"Your τ cuts off {beyond.sum()} people; union is “1” {often:.1f} times as often in their "
        "rows as in all."
    )
    assert people_takeaway(panel(threshold=8.0)).startswith("Your τ cuts nobody off")
    assert people_takeaway(panel(threshold=0.1)).startswith("Your τ cuts everybody off")
    assert "number 2 of 16 candidates" in people_detail(result)
