"""How far apart many tosses of two coins are."""

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.maths.coin_tests import total_variation


@pytest.mark.parametrize("tosses", [10_001, 40_000])
@pytest.mark.parametrize("rates", [(0.499, 0.501), (0.5, 0.50001), (0.4, 0.6), (0.51, 0.5)])
def test_many_tosses_are_as_far_apart_as_their_masses_say(rates, tosses):
    heads = np.arange(tosses + 1)
    first, second = (binom.pmf(heads, tosses, rate) for rate in rates)
    summed = np.abs(first - second).sum() / 2
    found = total_variation(*rates, tosses)
    assert found == pytest.approx(summed, abs=3e-13)
    assert found >= summed * (1 - 1e-15) or found == 1
