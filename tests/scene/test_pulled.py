"""Numbers of a headline that can be pulled say the value of their parameter, and follow it."""

import re
from dataclasses import replace

import pytest

from dpviz.plot.text import readable
from dpviz.scene.codec import Number
from dpviz.scene.pulled import marked, pulled_in, read
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, opened, page, results

PULLED = [
    (slug, view.key, key) for slug in SLUGS for view in page(slug).views for key in view.pulled
]


def found(scene: Scene, key: str) -> float | None:
    """What the number says in the first headline of a scene that has it."""
    pulled = pulled_in(scene)
    for result in results(scene.page, scene.view, scene.values):
        sentence = scene.view.headline(result)
        html = marked(sentence, pulled)
        assert re.sub("<[^>]*>", "", html) == sentence
        if match := re.search(rf'<span class="pull" data-pull="{key}">([^<]*)</span>', html):
            return read(match[1])
    return None


@pytest.mark.parametrize(("slug", "view", "key"), PULLED)
def test_the_number_is_there_and_follows_its_parameter(slug, view, key):
    scene = opened(page(slug), view)
    assert found(scene, key) is not None
    parameter = scene.parameter(key)
    assert isinstance(parameter, Number)
    grid = parameter.limit.grid
    at = min(range(len(grid)), key=lambda index: abs(grid[index] - float(scene.values[key])))
    step = grid[at + 1 if at + 1 < len(grid) else at - 1]
    value = int(step) if parameter.limit.integer else float(step)
    moved = replace(scene, values={**scene.values, key: value})
    said = found(moved, key)
    assert said is None or said != pytest.approx(float(scene.values[key]), rel=1e-9)


def test_what_does_not_say_the_value_is_no_setting():
    pulled = {"users": ("of # users", 200.0)}
    assert marked("38 of 209 users", pulled) == "38 of 209 users"
    comma = {"epsilon": ("ε = #", 1.0)}
    assert marked("at ε = 1, yours", comma).endswith(">1</span>, yours")  # not a part of it
    assert marked("38 of 200 users", pulled) == (
        '38 of <span class="pull" data-pull="users">200</span> users'
    )


def test_a_share_is_said_in_hundredths():
    assert ">5</span>%" in marked("accuses 5% of", {"a": ("accuses #% of", 0.05)})


@pytest.mark.parametrize("value", [1, 23, 0.05, 1000, 34567, 10**6, 1.23e9, 1e-10, 8.63e7])
def test_a_number_is_read_as_it_is_written(value):
    assert read(readable(value)) == pytest.approx(value, rel=0.006)
