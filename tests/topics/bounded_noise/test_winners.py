import numpy as np
import pytest

from dpviz.maths import gaussian
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.laplace_rivals import laplace_noise, truncated_laplace_noise
from dpviz.results.parameters import ParameterError
from dpviz.topics.bounded_noise import words
from dpviz.topics.bounded_noise.views.winners import winners

HERE = {
    "epsilon": 0.1,
    "delta": 1e-10,
    "failure_probability": 0.05,
    "objective": "hard",
    "along": "delta",
}


def own(**changes):
    """The last result that has the reader's own place alone."""
    alone = []
    for result in winners(**HERE | changes):
        if result.chart.curves[0].x.size > 1:
            break
        alone.append(result)
    return alone[-1]


def test_the_border_is_where_the_hard_bounds_cross():
    result = own()
    k = result.here["tuned"]
    assert result.first == "truncated Laplace noise"
    for queries, overtaken in ((k - 1, False), (k, True)):
        privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": queries}
        tuned = tuned_noise(**privacy).best.radius.upper
        assert (tuned < truncated_laplace_noise(**privacy).radius) == overtaken
    assert f"from {k:.0f} on tuned noise" in words.winners_takeaway(result)


def test_the_deviations_cross_where_closed_forms_do():
    *_, result = winners(**HERE | {"objective": "deviation"})
    curve = result.chart.curve("gaussian")
    assert np.all(np.diff(curve.y) <= 0)  # the smaller δ, the longer Laplace noise leads
    for delta, k, low in zip(curve.x, curve.y, curve.lower, strict=True):
        for queries, overtaken in ((low, k == low), (k, True)):
            privacy = {"epsilon": 0.1, "delta": float(delta), "queries": float(queries)}
            sigma = float(gaussian.minimal_sigma(**privacy))
            assert (sigma < laplace_noise(**privacy).standard_deviation) == overtaken
        assert k - low <= max(1.0, 0.1 * low)
    low, high = result.spans["gaussian"]
    assert (low, high) == (curve.y.min(), curve.y.max())
    assert f"between k = {low:.0f} and {high:.0f}" in words.winners_detail(result)


def test_likely_bounds_pass_from_laplace_over_gaussian_to_tuned_noise():
    result = own(objective="quantile", delta=1e-3)
    assert 1 < result.here["gaussian"] <= result.here["tuned"] < 40
    sentence = words.winners_takeaway(result)
    assert sentence.index("Laplace noise") < sentence.index("tuned noise")


@pytest.mark.parametrize("name", ["objective", "along"])
def test_what_is_not_offered_is_named(name):
    with pytest.raises(ParameterError) as caught:
        next(winners(**HERE | {name: "queries"}))
    assert caught.value.name == name
