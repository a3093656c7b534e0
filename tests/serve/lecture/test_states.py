"""Which states a scene in a file can be moved to."""

import pytest

from dpviz.scene.codec import Choice, Number, Seed
from dpviz.serve.lecture.states import controls, described, halved, moved, others, reachable
from tests.support import sample
from tests.support.declarations import SLUGS, opened, page


@pytest.mark.parametrize("count", [1, 2, 3, 10, 400])
def test_places_come_coarse_to_fine_and_once(count):
    places = halved(count)
    assert len(places) == len(set(places)) == min(count, 33)
    assert set(places[:2]) == {0, count - 1}
    assert (
        max(b - a for a, b in zip(sorted(places), sorted(places)[1:], strict=False))
        <= max(1, count / 32 + 1)
        if count > 1
        else True
    )


@pytest.mark.parametrize("slug", SLUGS)
def test_every_state_is_one_that_the_page_can_show(slug):
    declared = page(slug)
    for view in declared.views:
        scene = opened(declared, view.key)
        assert not set(scene.idle) & {control.key for control in controls(scene)}
        for control in controls(scene):
            for value in list(others(scene, control))[:3]:
                there = moved(scene, control.key, value)
                assert there.view is scene.view
                assert there.values[control.key] == value != scene.values[control.key]
                assert not there.fallen_back


def test_all_controls_get_their_turn_before_one_gets_finer():
    scene = opened(sample.PAGE, "curve")
    steps = [control.key for control, _ in reachable(scene)]
    assert steps[:3] == ["x", "epsilon", "queries"]
    assert steps[3:5] == ["epsilon", "queries"]


def test_a_control_is_described_with_the_values_it_can_take():
    epsilon, choice, seed = (
        next(p for p in sample.PAGE.parameters if type(p) is kind)
        for kind in (Number, Choice, Seed)
    )
    slider = described(epsilon, ["1", "0.5", "1e+01"])
    assert (slider["kind"], slider["grid"]) == ("range", ["0.5", "1", "1e+01"])
    assert len(slider["ticks"]) > 1
    assert all(0.5 <= value <= 10 for value, _ in slider["ticks"])
    assert described(choice, ["epsilon"])["options"] == {"epsilon": "ε"}
    assert described(seed, ["3", "4"])["values"] == ["3", "4"]
