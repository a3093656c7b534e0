"""How many users are needed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.clipping.views.users_needed import (
    LARGEST_M,
    examples_grid,
    theorem_shape,
    theorem_stretches,
    users_needed,
)
from dpviz.topics.clipping.views.users_needed_shown import VIEW
from tests.support.declarations import last, page, preset_values
from tests.support.examples import in_nightly, only_in_nightly
from tests.support.headlines import faults
from tests.support.specs import Checked
from tests.support.strategies import inside

draw = Checked(draw)
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


@given(inside("epsilon", 0.01), inside("alpha", 0.01))
def test_stretches_are_where_a_term_of_the_theorem_leads(epsilon, alpha):
    stretches = theorem_stretches(epsilon=epsilon, alpha=alpha, realizable=False)
    starts = [start for start, _ in stretches]
    assert starts == sorted(starts)
    assert starts[0] == 1
    for (start, slope), end in zip(stretches, [*starts[1:], 1e9], strict=True):
        if end / start < 1.01:
            continue
        m = math.sqrt(start * end)
        terms = {0.0: 1 / epsilon, -0.5: 1 / (alpha * epsilon * m**0.5), -1.0: 1 / (alpha**2 * m)}
        assert max(terms, key=terms.get) == slope


@pytest.mark.parametrize(("realizable", "slopes"), [(False, [-1, -0.5, 0]), (True, [-1, 0])])
def test_the_shape_has_the_slopes_of_its_stretches(realizable, slopes):
    at = {"epsilon": 1e-3, "alpha": 1e-6, "realizable": realizable}
    stretches = theorem_stretches(**at)
    assert [slope for _, slope in stretches] == slopes
    for (start, slope), end in zip(stretches, [s for s, _ in stretches[1:]] + [1e20], strict=True):
        m = math.sqrt(start * end)
        low, high = theorem_shape(np.array([m, 1.1 * m]), candidates=16, **at)
        assert math.log(high / low) / math.log(1.1) == pytest.approx(slope, abs=0.02)


@given(st.floats(1, 1e12))
def test_the_grid_goes_past_the_last_bend(bend):
    grid = examples_grid(bend)
    assert grid[0] == 1
    assert grid[-1] <= LARGEST_M
    assert grid[-1] >= min(5 * bend, LARGEST_M)
    assert np.all(np.diff(grid) > 0)


@only_in_nightly
def test_measured_users_of_a_coin():
    """With and without clipping: the measured numbers behave as Theorem 37 and group privacy."""
    *parts, chart = users_needed(
        task="discrete",
        candidates=16,
        domain_size=2,
        epsilon=0.2,
        alpha=0.05,
        constant=1,
        rng=np.random.default_rng(0),
    )
    assert chart.done == 1
    ours, theirs = chart.curve("clipped"), chart.curve("unclipped")
    assert np.all((ours.lower <= ours.y) & (ours.y <= ours.upper))
    assert ours.upper[0] >= theirs.lower[0]
    assert theirs.lower[0] <= ours.upper[0]
    assert ours.upper[-1] < 0.65 * theirs.lower[-1]
    # The paper's own, by 2τ where one user moves a score by m: twice the users at m = 1.
    published = chart.curve("published")
    assert published.y[0] == pytest.approx(2 * ours.y[0], rel=0.15)
    assert np.isnan(published.y[-1])
    # Observation 28, up to the intervals: n₁/m ≤ n_m ≤ n₁ for what is a bound on both sides.
    assert np.all(ours.lower <= ours.upper[0] * 1.01)
    assert np.ptp(np.log(theirs.y)) < 0.15
    for part in parts:
        assert part.done <= 1
        measured = part.curve("clipped")
        known = np.isfinite(measured.y)
        assert np.all(measured.lower[known] <= measured.upper[known])
    headline = VIEW.takeaway(chart)
    assert headline.endswith(" with one.")
    assert not faults(headline)
    assert "The number falls fastest from m = " in VIEW.detail(chart)


@only_in_nightly
def test_the_preset_shows_a_slope_of_one_half():
    """Measured over a factor of ten or more in m, where clipping noise leads; then it is flat."""
    values = preset_values(PAGE, "The slope −1/2")
    chart = last(PAGE, **{"key": values.pop("view")} | values)
    curve, fall = chart.curve("clipped"), chart.steepest
    assert fall.slope == pytest.approx(-0.5, abs=0.05)
    assert fall.expected == -0.5
    assert fall.last / fall.first > 9
    inside = (curve.x >= fall.first) & (curve.x <= fall.last)
    fit = np.polyfit(np.log(curve.x[inside]), np.log(curve.y[inside]), 1)
    assert fit[0] == pytest.approx(-0.5, abs=0.06)
    flat = (curve.x >= 1500) & (curve.x <= 15_000)
    assert abs(np.polyfit(np.log(curve.x[flat]), np.log(curve.y[flat]), 1)[0]) < 0.15
    few_examples = curve.x <= 10
    assert np.ptp(np.log(curve.y[few_examples])) < 0.1
    assert "with slope −0." in VIEW.detail(chart)


@only_in_nightly
def test_correct_labels_fall_like_one_over_m_and_then_stay():
    *_, chart = users_needed(
        task="thresholds",
        candidates=32,
        domain_size=2,
        epsilon=0.2,
        alpha=0.05,
        constant=1,
        rng=np.random.default_rng(1),
    )
    curve = chart.curve("clipped")
    first, flat = curve.x <= 5, curve.x >= 20
    assert np.polyfit(np.log(curve.x[first]), np.log(curve.y[first]), 1)[0] < -0.75
    assert np.ptp(np.log(curve.y[flat])) < 0.15


@pytest.fixture(scope="module")
def parts():
    at = {"task": "noisy_thresholds", "candidates": 8, "domain_size": 2}
    at |= {"epsilon": 1, "alpha": 0.2, "constant": 1}
    return list(users_needed(**at, rng=np.random.default_rng(0)))


@only_in_nightly
def test_partial_results_are_told(parts):
    for chart in parts:
        assert VIEW.takeaway(chart)
        assert VIEW.notes(chart)


@only_in_nightly
@THEMES
def test_partial_results_are_drawn(parts, theme):
    usual = [parts[0], *parts[1 :: max(len(parts) // 4, 1)], parts[-1]]
    for chart in parts if in_nightly() else usual:
        assert len(draw(chart, theme).data) == 5


def test_the_theorems_shape_is_drawn_once_all_points_it_is_fitted_to_are_known():
    """Through the first of them alone it would lie elsewhere, and move with each that comes."""
    at = {"task": "thresholds", "candidates": 16, "domain_size": 2}
    at |= {"epsilon": 0.5, "alpha": 0.1, "constant": 1}
    *parts, whole = users_needed(**at, rng=np.random.default_rng(0))
    last = whole.curve("shape").y
    for part in parts:
        shape, measured = part.curve("shape").y, part.curve("clipped").y
        assert np.isfinite(shape).all() or np.isnan(shape).all()
        if np.isfinite(shape).any():
            np.testing.assert_array_equal(shape, last)
            np.testing.assert_array_equal(measured, whole.curve("clipped").y)
    assert np.isfinite(last).all()
    assert np.isnan(parts[0].curve("shape").y).all()
    assert not any("nan" in note for part in parts for note in VIEW.notes(part))
