"""While a simulation goes on, every sentence says on how many of its runs it rests.

Until they decide it, none names a winner.
"""

import itertools
import re
from collections.abc import Iterator

import numpy as np
import pytest

from dpviz.results.evidence import Chart, Curve, Evidence, Result, parts_of
from dpviz.results.refining import Pace
from dpviz.scene.scene import Scene
from dpviz.scene.view import View
from tests.support import pace
from tests.support.declarations import SLUGS, opened, page
from tests.support.examples import by_ring

WINNER = re.compile(r"\b(wins?|beats?|better|best|worse|ahead|fewer|less|more)\b")
FAR = 40  # results on a machine slow without end: all refining views have simulated by then
SETTLED = {
    "adaptive_analysis/attack": "the sentences state exact expectations",
    "clipping/threshold": "the sentences state what is exact for one data set",
    "propose_test_release/naming": "the reader's m comes first, with all of its runs",
    "shared_darts/disagreement": "the sentences state exact probabilities",
}
REFINING = [
    (slug, view.key) for slug in SLUGS for view in page(slug).views if view.in_parts
]  # fmt: skip


def partial(scene: Scene) -> Iterator[Result]:
    """The first results of a state, but for the last there is."""
    outcome = scene.view.compute(**scene.page.call(scene.arguments))
    for result, _ in itertools.islice(itertools.pairwise(outcome), FAR):
        yield result


def simulates(result: Result) -> bool:
    """Whether it shows what was simulated."""
    curves = (c for c in parts_of(result, Curve) if c.evidence is Evidence.SIMULATED)
    return any(np.isfinite(curve.y).any() for curve in curves)


def says_so(view: View, result: Result) -> bool:
    part = result.so_far
    told = f"So far, from {part.made:,}" if part and part.made and not part.ended else ""
    texts = [view.headline(result), view.exactly(result)]
    return all(text.startswith(told) for text in texts if text)


def undecided(result: Result) -> bool:
    """Whether the intervals of two simulated curves that the headline is about still overlap."""
    for chart in parts_of(result, Chart):
        at = []
        for curve in (c for c in chart.curves if c.key in chart.in_headline):
            if curve.evidence is Evidence.SIMULATED and curve.x.size:
                place = int(np.argmin(np.abs(curve.x - chart.here)))
                at.append([ends[place] for ends in curve.interval])
        for (low, high), (least, most) in itertools.combinations(at, 2):
            if max(low, least) <= min(high, most):
                return True
    return False


@pytest.mark.parametrize(("slug", "key"), by_ring(REFINING[::3], REFINING, REFINING))
def test_what_is_said_of_some_runs_says_of_how_many(slug, key, monkeypatch):
    monkeypatch.setattr(Pace, "due", pace.always)
    scene, found = opened(page(slug), key), []
    for result in partial(scene):
        found.append(result)
        assert says_so(scene.view, result)
        if undecided(result):
            assert not WINNER.search(scene.view.takeaway(result))
        if result.so_far and result.so_far.made:
            break
    if not any(map(simulates, found)) or f"{slug}/{key}" in SETTLED:
        return
    *before, last = found
    assert last.so_far is not None, "a simulation that does not say how far it is"
    assert last.so_far.made > 0
    assert not last.so_far.ended
    # Before, nothing that was simulated is said.
    assert len({scene.view.takeaway(result) for result in before}) <= 1


def test_there_are_views_that_could_name_a_winner_too_early(monkeypatch):
    monkeypatch.setattr(Pace, "due", pace.always)
    for key in ("agreement", "rich"):
        assert any(map(undecided, partial(opened(page("few_users"), key))))


def test_whoever_needs_not_say_so_is_a_view_that_simulates():
    assert SETTLED.keys() <= {f"{slug}/{key}" for slug, key in REFINING}
