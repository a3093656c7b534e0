"""While a figure fills, what stands on its axes stays where it is: the ends are known before."""

import itertools

import pytest

from dpviz.plot.steady import ranges
from dpviz.plot.theme import LIGHT
from dpviz.results.caching import Cache
from dpviz.results.refining import Pace
from tests.support import pace
from tests.support.declarations import SLUGS, opened, page

FAR = 12  # results on a machine slow without end: the ends of most axes come first
MOVING = {
    "public_data/real": "the second learner's points stand beside the first's",
    "bounded_noise/compare": "its walls are searched",
}
RISING = {
    "bounded_noise/best": "its curves are searched, and their ends with them",
    "public_data/real": "the intervals of the first splits are wider than any later one",
}
REFINING = [
    (slug, view.key)
    for slug in SLUGS
    for view in page(slug).views
    if view.in_parts and f"{slug}/{view.key}" not in MOVING
]


def filled(slug, key):
    """Return the axes of the first figures, each time anything is known.

    As the first reader has them: with what others have had computed they come further.
    """
    Cache.clear_all()
    scene = opened(page(slug), key)
    outcome = scene.view.compute(**scene.page.call(scene.arguments))
    theme = LIGHT.holding(None, 0, 0, in_parts=True, partial=True, before=(), places={})
    return [
        ranges(scene.view.figure(result, theme))
        for result in dict.fromkeys(itertools.islice(outcome, FAR))
    ]


@pytest.mark.parametrize(("slug", "key"), REFINING)
def test_axes_have_their_ends_from_the_first_point_on(slug, key, monkeypatch):
    monkeypatch.setattr(Pace, "due", pace.always)
    known = [axes for axes in filled(slug, key) if axes is not None]
    across, up = ({axes[letter] for axes in known} for letter in (0, 1))
    assert len(across) <= 1
    assert len(up) <= 1 or f"{slug}/{key}" in RISING
