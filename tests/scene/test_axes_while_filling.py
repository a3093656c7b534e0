"""While a figure fills, what stands on its axes stays where it is: the ends are known before."""

import itertools

import numpy as np
import pytest

from dpviz.plot.steady import ranges
from dpviz.plot.theme import LIGHT
from dpviz.results.refining import Pace
from tests.support import pace
from tests.support.declarations import SLUGS, opened, page

FAR = 12  # results on a machine slow without end: the ends of most axes come first
MOVING = {
    "public_data/real": "the second learner's points stand beside the first's",
    "bounded_noise/losses": "it ends where a search for the crossing does",
    "clipping/needed": "the points of the second way stand beside those of the first",
}
REFINING = [
    (slug, view.key)
    for slug in SLUGS
    for view in page(slug).views
    if view.in_parts and f"{slug}/{view.key}" not in MOVING
]

RISING = {
    "bounded_noise/best": "its curves are searched, and their ends with them",
    "clipping/threshold": "it is simulated, and the largest error with it",
    "few_users/parity": "learners come one after the other",
    "propose_test_release/pays": "its ends are searched",
    "propose_test_release/promise": "its ends are searched",
    "propose_test_release/naming": "its ends are searched",
    "public_data/points": "intervals of few runs are wide",
    "public_data/shift": "intervals of few runs are wide",
    "public_data/cost": "it is simulated, and the largest cost with it",
}
UPRIGHT = [(slug, key) for slug, key in REFINING if f"{slug}/{key}" not in RISING]


@pytest.mark.parametrize(("slug", "key"), REFINING)
def test_the_x_axis_has_its_ends_from_the_first_point_on(slug, key, monkeypatch):
    monkeypatch.setattr(Pace, "due", pace.always)
    scene = opened(page(slug), key)
    outcome = scene.view.compute(**scene.page.call(scene.arguments))
    theme = LIGHT.holding(None, 0, 0, in_parts=True, partial=True, before=(), places={})
    drawn = [
        ranges(scene.view.figure(result, theme))
        for result in dict.fromkeys(itertools.islice(outcome, FAR))
    ]
    across = {axes[0] for axes in drawn if axes is not None}
    assert len(across) <= 1


@pytest.mark.parametrize(("slug", "key"), UPRIGHT)
def test_the_y_axis_has_its_ends_from_the_first_point_on(slug, key, monkeypatch):
    monkeypatch.setattr(Pace, "due", pace.always)
    scene = opened(page(slug), key)
    outcome = scene.view.compute(**scene.page.call(scene.arguments))
    theme = LIGHT.holding(None, 0, 0, in_parts=True, partial=True, before=(), places={})
    results = dict.fromkeys(itertools.islice(outcome, FAR))
    drawn = [scene.view.figure(result, theme) for result in results]
    for axis in ("yaxis", "yaxis2"):
        ends = {
            tuple(figure.layout.get(axis, {}).get("range", ()))
            for figure in drawn
            if any(known(trace, axis) for trace in figure.data)
        }
        assert len(ends) <= 1, axis


def known(trace, axis):
    """Whether anything of a trace is drawn upon this axis: none stands beside an empty one."""
    upon = trace.get("yaxis", "y").replace("y", "yaxis") == axis
    return upon and np.isfinite(np.asarray(trace.get("y", ()), dtype=float)).any()
