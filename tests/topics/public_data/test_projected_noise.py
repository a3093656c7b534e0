"""The noise that the release needs: how it is bounded and said."""

import itertools

import numpy as np
import pytest

from dpviz.plot.text import readable
from dpviz.topics.public_data.projected_noise import noise_after_projection
from dpviz.topics.public_data.views import noise_it_takes_shown
from tests.support.examples import only_in_ci


@pytest.mark.parametrize(
    ("m", "samples", "once"), [(1, 10, True), (1, 100, True), (2, 10, True), (2, 100, False)]
)
def test_bounds_that_read_the_same_are_told_once(m, samples, once):
    privacy = {"epsilon": 1, "delta": 1e-6, "eta": 1}
    chart = next(noise_after_projection(samples=samples, public_points=m, **privacy))
    [low], [high] = (chart.curve("functions").part(end) for end in ("_lower", "_upper"))
    ending = f"the least noise is {low:.3g}." if once else f"lies between {low:.3g} and {high:.3g}."
    assert noise_it_takes_shown.VIEW.detail(chart).endswith(ending)


@pytest.mark.parametrize(("m", "curves"), [(2, 4), (20, 4)])
def test_the_view_grows_and_ends_whole(m, curves):
    parts = list(
        itertools.islice(
            noise_after_projection(samples=100, public_points=m, epsilon=1, delta=1e-6, eta=0.01),
            50,
        )
    )
    assert parts[-1].done == 1.0
    assert len(parts[0].curves) == len(parts[-1].curves) == curves
    assert parts[-1].value("constants") < parts[-1].value("raw")
    if m == 2:
        functions = parts[-1].curve("functions")
        assert functions.x.size > parts[0].curve("functions").x.size
        raw = np.interp(functions.x, parts[-1].curves[0].x, parts[-1].curve("raw").y)
        assert np.all(functions.part("_upper") <= raw * (1 + 1e-6))


@only_in_ci
def test_where_the_projection_saves_constants_nothing_no_more_than_that_is_said():
    """A value of 0 often leaves [−1, 1] there: cutting off does something, though not for them."""
    *_, chart = noise_after_projection(
        samples=2000, public_points=20, epsilon=1, delta=1e-6, eta=0.1
    )
    raw = chart.value("raw")
    assert chart.value("constants") == pytest.approx(raw)
    headline = noise_it_takes_shown.VIEW.takeaway(chart)
    assert headline.startswith("Over constant functions the projection saves no noise")
    assert "hides nothing" not in headline + " ".join(noise_it_takes_shown.VIEW.notes(chart))
    drawn = np.abs(raw * np.random.default_rng(3).standard_normal(10**6)) > 1
    assert chart.cut_off == pytest.approx(drawn.mean(), abs=3e-3)
    assert (
        f"cuts off a value of 0 with probability {readable(chart.cut_off)}"
        in noise_it_takes_shown.VIEW.detail(chart)
    )
