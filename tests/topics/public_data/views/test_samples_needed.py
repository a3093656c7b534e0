"""Sample complexities as shapes."""

import math

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.rates import RATES, SETTINGS
from dpviz.topics.public_data.views import samples_needed_shown
from dpviz.topics.public_data.views.samples_needed import samples_needed
from tests.support.declarations import last, page

PAGE = page("public_data")


@pytest.mark.parametrize("setting", ["classification", "realizable", "convex"])
def test_shapes_are_told(setting):
    chart = last(PAGE, "rates", setting=setting)
    detail = samples_needed_shown.VIEW.detail(chart)
    assert "α = 0.05" in detail
    assert "constants are hidden" in detail
    assert "not private" not in detail


@pytest.mark.parametrize("setting", SETTINGS)
def test_shapes_have_the_slopes_of_the_theorems(setting):
    chart = samples_needed(
        setting=setting, alpha=0.05, beta=0.05, epsilon=1e-3, delta=0.4, smoothness=0.5,
        vc_dimension=4, constant=1.0,
    )  # fmt: skip
    powers = {rate.key: rate.power for rate in RATES}
    for curve in chart.curves:
        slope = math.log(curve.y[-1] / curve.y[-2]) / math.log(curve.x[-1] / curve.x[-2])
        if curve.key == "inefficient":
            assert 1 <= slope <= 2
        else:
            assert slope == pytest.approx(powers[curve.key])


def test_shapes_multiply_with_the_constant_and_sigma():
    setting = {
        "setting": "classification", "alpha": 0.05, "beta": 0.05, "epsilon": 1.0, "delta": 1e-6,
        "vc_dimension": 4,
    }  # fmt: skip
    one = samples_needed(**setting, smoothness=1.0, constant=1.0)
    half = samples_needed(**setting, smoothness=0.5, constant=3.0)
    # σ^−4 in Theorem 10, σ^−12 where the first term of (129) leads, none without privacy
    for key, power in (("theorem_10", 4), ("non_private", 0)):
        ratio = half.curve(key).y / one.curve(key).y
        assert ratio == pytest.approx(np.full(ratio.shape, 3 * 2.0**power))
    leads = half.curve("theorem_6").y[-1] / one.curve("theorem_6").y[-1]
    assert leads == pytest.approx(3 * 2.0**12)
    with pytest.raises(ParameterError, match="setting"):
        samples_needed(**(setting | {"setting": "else"}), smoothness=1.0, constant=1.0)
