"""Gaussian weights that give a label away, and the odds of that."""

import math

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.views import weights_against_dimension_shown
from dpviz.topics.public_data.views.weights_against_dimension import weights_against_dimension
from tests.support.declarations import last, page

PAGE = page("public_data")


def test_gaussian_weights_are_told():
    broken = last(PAGE, "weights", vc_dimension=10**6, alpha=0.1)
    takeaway = weights_against_dimension_shown.VIEW.takeaway(broken)
    drawn = weights_against_dimension_shown.VIEW.figure(broken, LIGHT).layout["annotations"]
    words = {note["text"] for note in drawn}
    assert {"94.2%", "73.1%", "promise<br>broken"} <= words
    assert takeaway == (
        "At VC dimension 1,000,000, Gaussian weights on public points do not hide a private "
        "label: an attacker guesses it right 94.2% of the time, though ε allows 73.1%."
    )
    detail = weights_against_dimension_shown.VIEW.detail(broken)
    assert "0.9416" in detail
    assert "The promise is broken: δ is 0.783" in detail
    assert any("10⁸" in note for note in weights_against_dimension_shown.VIEW.notes(broken))
    kept = weights_against_dimension_shown.VIEW.takeaway(
        last(PAGE, "weights", vc_dimension=1000, alpha=0.1)
    )
    assert kept.startswith(
        "At VC dimension 1,000, Gaussian weights on public points hide a private"
    )
    assert "from about 83,000 on they do not." in kept


def test_the_true_delta_of_gaussian_weights_is_told():
    settings = {"alpha": 0.1, "beta": 0.05, "smoothness": 1.0, "constant": 1.0}
    chart = weights_against_dimension(vc_dimension=10**6, epsilon=1.0, delta=1e-6, **settings)
    assert chart.public_points == 10**8
    assert chart.true_delta == pytest.approx(0.783, abs=5e-4)
    assert 10**4 < chart.broken_from < 10**5
    allowed = chart.curve("allowed").y
    assert np.all(chart.curve("laplace").y <= allowed)
    e = math.e
    guess = chart.curve("gaussian").y[np.searchsorted(chart.curve("gaussian").x, 10**6)]
    # guessing right with chance g against the other label: δ(ε) = g − e^ε·(1 − g)
    assert chart.true_delta == pytest.approx(guess - e * (1 - guess))
    assert allowed[0] - e * (1 - allowed[0]) == pytest.approx(1e-6)
    over = chart.curve("gaussian").y > allowed
    assert np.array_equal(over, chart.curve("gaussian").x >= chart.broken_from)
    with pytest.raises(ParameterError, match="alpha"):
        weights_against_dimension(
            vc_dimension=3, epsilon=1.0, delta=1e-6, **(settings | {"alpha": 0.0})
        )
