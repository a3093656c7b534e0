"""From where the test passes: the search for a stable set, and the law of the number drawn."""

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.propose_test_release import passing_sizes_shown
from dpviz.topics.propose_test_release.delstab import (
    DelStab,
    quietest_mechanism,
)
from dpviz.topics.propose_test_release.example_sums import example_sums
from dpviz.topics.propose_test_release.passing_sizes import least_spreads, threshold_law
from dpviz.topics.propose_test_release.views import one_run_shown
from dpviz.topics.propose_test_release.views.moving_outliers import refusal_against_outliers
from tests.support.declarations import last, page, shown
from tests.support.specs import Checked

drawn = Checked(passing_sizes_shown).figure
PAGE = page("propose_test_release")

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


def test_where_the_test_passes_is_told_and_marked():
    for changes, expected in (
        (
            {"data": "clusters"},
            "no set of up to 2κ = 36 users is stable, so the answer is always a refusal (⊥)",
        ),
        (
            {"data": "well-behaved"},
            "every set of up to 2κ = 36 users is stable, so the answer is never",
        ),
    ):
        assert expected in one_run_shown.VIEW.detail(last(PAGE, "run", step="search", **changes))
    chart = last(PAGE, "run", step="search")
    assert f"from R₁ = {chart.least_size} on" in one_run_shown.VIEW.detail(chart)
    texts = [note.text for note in drawn(chart, LIGHT).layout.annotations]
    assert f"passes from {chart.least_size} on" in texts


def test_a_spread_that_falls_far_gets_a_log_axis():
    heavy = last(PAGE, "run", step="search", data="heavy", noise_factor=0.2)
    assert drawn(heavy, LIGHT).layout.yaxis.type == "log"
    assert drawn(last(PAGE, "run", step="search"), LIGHT).layout.yaxis.type is None


def test_two_clusters():
    _, run, values = shown(PAGE, "Two clusters: it must refuse")
    assert run.outcome.refused
    assert last(PAGE, "run", step="search", data=values["data"]).refusal == 1
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
    *_, sweep = refusal_against_outliers(
        sums, mechanism=mechanism, **arguments, reach=500.0, here=200.0, outliers=(40,)
    )
    values = dict(zip(sweep.curve("refusal").x, sweep.curve("refusal").y, strict=True))
    assert np.all(np.diff(sweep.curve("refusal").y) >= 0)
    # the same without leaving the middle of the data out
    centre = np.median(sums[:-40])
    for distance in (0.0, 200.0, 500.0):
        moved = np.append(sums[:-40], np.full(40, round(centre) + distance))
        whole = DelStab(moved, mechanism=mechanism, **arguments)
        assert values[round(centre) + distance] == whole.refusal_probability


@THEMES
def test_the_grey_part_of_the_threshold_is_refusal(theme):
    chart = last(PAGE, "run", step="threshold")
    curve = chart.curve("pmf")
    assert curve.y[~curve.holds].sum() == pytest.approx(chart.refusal)
    texts = [note.text for note in drawn(chart, theme).layout.annotations]
    assert any("⊥" in text for text in texts)
    quiet = drawn(last(PAGE, "run", step="threshold", data="well-behaved"), theme)
    assert not any("⊥" in note.text for note in quiet.layout.annotations)
