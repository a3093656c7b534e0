"""The stable set: from where the test passes, as it is said and drawn."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.topics.propose_test_release.delstab import (
    DelStab,
    quietest_mechanism,
)
from dpviz.topics.propose_test_release.example_sums import example_sums
from dpviz.topics.propose_test_release.views import stable_set_shown
from dpviz.topics.propose_test_release.views.moving_outliers import refusal_against_outlier
from dpviz.topics.propose_test_release.views.noisy_threshold import threshold_law
from dpviz.topics.propose_test_release.views.stable_set import least_spreads
from tests.support.declarations import last, page, shown
from tests.support.specs import Checked

drawn = Checked(stable_set_shown).figure
PAGE = page("propose_test_release")


def test_where_the_test_passes_is_told_and_marked():
    for changes, expected in (
        (
            {"data": "clusters"},
            "no set of up to 2κ = 96 users is stable, so the answer is always a refusal (⊥)",
        ),
        (
            {"data": "well-behaved"},
            "every set of up to 2κ = 96 users is stable, so the answer is never",
        ),
    ):
        assert expected in stable_set_shown.VIEW.detail(last(PAGE, "search", **changes))
    chart = last(PAGE, "search")
    assert f"from R₁ = {chart.least_size} left out on" in stable_set_shown.VIEW.detail(chart)
    texts = [note.text for note in drawn(chart, LIGHT).layout.annotations]
    assert f"passes from {chart.least_size} on" in texts


def test_a_spread_that_falls_far_gets_a_log_axis():
    heavy = last(PAGE, "search", data="heavy", noise_factor=0.2)
    assert drawn(heavy, LIGHT).layout.yaxis.type == "log"
    assert drawn(last(PAGE, "search"), LIGHT).layout.yaxis.type is None


def test_two_clusters():
    _, chart, _ = shown(PAGE, "Two clusters")
    assert chart.refusal == 1
    rng = np.random.default_rng(0)
    sums = example_sums("clusters", users=1000, examples_per_user=100, rate=0.3, rng=rng)
    near = [np.count_nonzero(np.abs(sums - centre) <= 10) for centre in (30, 50, 70)]
    assert near[1] < 0.1 * min(near[0], near[2])


def test_charts():
    rng = np.random.default_rng(0)
    arguments = {"epsilon": 1.0, "delta": 1e-5}
    sums = example_sums("outliers", users=400, examples_per_user=20, rate=0.3, rng=rng, outliers=40)
    mechanism = quietest_mechanism(sums[:-40], noise="geometric", **arguments)
    release = DelStab(sums, mechanism=mechanism, **arguments)
    chart, law = least_spreads(release), threshold_law(release)
    passing = chart.curve("spread").y <= chart.limit
    assert np.array_equal(passing, chart.curve("spread").x >= chart.least_size)
    assert 0 < chart.least_size <= 40
    assert law.refusal == chart.refusal == release.refusal_probability
    refused = law.curve("pmf").y[~law.curve("pmf").holds].sum()
    assert refused == pytest.approx(chart.refusal)
    *_, sweep = refusal_against_outlier(
        sums, mechanism=mechanism, **arguments, reach=500.0, here=200.0, outliers=40
    )
    values = dict(zip(sweep.curve("refusal").x, sweep.curve("refusal").y, strict=True))
    assert np.all(np.diff(sweep.curve("refusal").y) >= 0)
    # the same without leaving the middle of the data out
    centre = np.median(sums[:-40])
    for distance in (0.0, 200.0, 500.0):
        moved = np.append(sums[:-40], np.full(40, round(centre) + distance))
        whole = DelStab(moved, mechanism=mechanism, **arguments)
        assert values[distance] == whole.refusal_probability
