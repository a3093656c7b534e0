"""A control shows what is used: where data or m allow less, its range ends there."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.csv_file import read_csv
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import user_data
from dpviz.scene.codec import decode_link
from dpviz.scene.scene import Scene
from tests.support.declarations import SLUGS, begun, page, states
from tests.support.examples import examples

CLIPPING = page("clipping")
LIMITED = [
    (slug, view.key)
    for slug in SLUGS
    for view in page(slug).views
    if view.most is not type(view).most and view.most(page(slug).usual(view.key))
]
TOO_MUCH = {"examples_per_user": 100, "threshold": 20.0}


def rows(*held):
    """A reader's own file, with so many rows of each person."""
    lines = [
        f"p{person},{(person + row) % 2}"
        for person, count in enumerate(held)
        for row in range(count)
    ]
    table = read_csv("\n".join(["person,answer", *lines]).encode())
    return user_data(table, user="person", value="answer")


def test_the_views_whose_controls_follow_the_data_or_m_are_found():
    assert {("clipping", key) for key in ("user", "selected", "threshold", "real")} < {*LIMITED}


def test_on_the_wage_panel_a_link_with_more_is_told_what_is_used():
    values, _ = decode_link({"view": ["real"], "threshold": ["20"]}, CLIPPING.url_parameters)
    scene = Scene.opened(CLIPPING, values | TOO_MUCH)
    assert scene.fallen_back == {"examples_per_user": 8, "threshold": 8.0}
    assert scene.reset == (
        "**examples_per_user**: 100 is more than can be used here; using 8, the most.",
        "**threshold**: 20 is more than can be used here; using 8, the most.",
    )
    assert scene.parameter("threshold").limit.maximum == 8
    assert Scene.settled(CLIPPING, scene.values).parameter("examples_per_user").limit.grid[-1] == 8
    resampled = Scene.opened(CLIPPING, scene.values | {"unequal": "resample"})
    assert not resampled.fallen_back


def test_of_a_file_the_rows_of_its_own_people_count():
    usual = CLIPPING.usual("real") | {"data": "own", "examples_per_user": 9, "threshold": 9.0}
    for held, kind, most in (((3, 5, 7), "cap", 7), ((3, 5, 7), "drop", 5), ((1, 1), "cap", 1)):
        scene = Scene.opened(CLIPPING, usual | {"unequal": kind})
        assert not scene.fallen_back  # nothing is known of a file that is not here
        scene = replace(scene, own={"own": rows(*held)})
        assert scene.fallen_back == {"examples_per_user": most, "threshold": float(most)}
        assert ("examples_per_user" in scene.idle) == (most == 1)


@pytest.mark.parametrize(("slug", "key"), LIMITED)
@examples(40)
@given(data=st.data())
def test_more_than_can_be_used_gives_what_it_gave(slug, key, data):
    """Old links: what a state falls back to is what was drawn of it, silently."""
    declared = page(slug)
    values = declared.usual(key) | data.draw(states(declared)) | {"view": key}
    values |= {"data": "union", "data_set": "cancer"} if "own" in values.values() else {}
    fallen_back = Scene.opened(declared, values).fallen_back
    values |= {name: option for name, option in fallen_back.items() if isinstance(option, str)}
    scene = Scene.opened(declared, values)
    settled = Scene.settled(declared, values)
    assert not settled.fallen_back
    assert settled.reset == ()
    try:
        was = begun(declared, scene.view, scene.values).columns()
    except ParameterError:
        return  # nobody had so many rows, or more than half were outliers: now a figure stands
    now = begun(declared, settled.view, settled.values).columns()
    assert was.keys() == now.keys()
    for column, numbers in was.items():
        np.testing.assert_array_equal(now[column], numbers)


def test_a_view_opens_as_it_says_and_leaves_what_the_reader_chose():
    usual = CLIPPING.usual()
    real = usual | CLIPPING.turned(usual, "real")
    assert (real["threshold"], real["examples_per_user"]) == (4.0, 8)
    assert usual | CLIPPING.turned(real, "user") == usual
    chosen = usual | {"threshold": 5.0}
    assert (chosen | CLIPPING.turned(chosen, "real"))["threshold"] == 5.0
    linked, _ = decode_link({"view": ["real"], "threshold": ["3"]}, CLIPPING.url_parameters)
    assert (linked["threshold"], linked["examples_per_user"]) == (3.0, 8)


# What a headline says where there is nothing to be seen.
NOTHING = (
    "clips no one",
    "are alike here",
    "hides nothing",
    "does not break",
    "saves next to no",
    "clips no one",
)


@pytest.mark.parametrize(
    ("slug", "key"), [(slug, view.key) for slug in SLUGS for view in page(slug).views]
)
def test_a_view_opens_in_a_state_in_which_something_happens(slug, key):
    declared = page(slug)
    scene = Scene.opened(declared, declared.usual(key))
    assert not scene.fallen_back
    said = scene.view.takeaway(begun(declared, scene.view, scene.values))
    assert not any(words in said for words in NOTHING), said


def test_beside_a_single_outlier_stands_a_group_for_which_something_happens():
    declared = page("propose_test_release")
    values = declared.usual("outliers") | {"outliers": 1}
    *_, chart = declared.open_view(values).compute(
        **declared.call(declared.arguments(declared.open_view(values), values))
    )
    assert chart.curve("refusal").y.max() < 1e-3
    assert chart.curve("crowd").y.max() > 0.9
    said = declared.open_view(values).takeaway(chart)
    assert said == (
        "One outlier practically never makes the algorithm refuse; 23 far away make it refuse in "
        "96.4% of runs."
    )
