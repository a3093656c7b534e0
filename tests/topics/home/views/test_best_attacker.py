"""What anyone can learn: the best attacker of the home page."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dpviz.plot.text import upwards
from dpviz.topics.home.views.best_attacker import best_attacker
from dpviz.topics.home.views.best_attacker_shown import detail, takeaway
from tests.support.oracles import gaussian_delta_by_quadrature


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 10.0])
def test_the_first_figure_shows_the_best_attacker_on_noise_that_keeps_the_promise(epsilon):
    chart = best_attacker(epsilon=epsilon)
    [mark] = chart.landmarks
    # The noise whose best attacker is so often right is (ε, 10⁻⁶)-DP, and less noise is not.
    sigma = 1 / (2 * norm.ppf(mark.y / 100))
    assert gaussian_delta_by_quadrature(sigma, epsilon) == pytest.approx(1e-6, rel=1e-4)
    right = quad(lambda x: max(norm(0, sigma).pdf(x), norm(1, sigma).pdf(x)) / 2, -9, 10, limit=200)
    assert mark.y == pytest.approx(100 * right[0] if sigma < 1 else mark.y, rel=1e-3)
    best = chart.curve("best")
    assert np.interp(mark.x, best.x, best.y) == pytest.approx(mark.y, abs=0.01)
    assert (best.y >= best.x - 1e-9).all()
    assert f"right more than {upwards(mark.y)}%" in takeaway(chart)
    assert "Gaussian noise" in takeaway(chart)
    assert f"The best attacker is right {mark.y:.3g}%" in detail(chart)
