"""Settings of the theorems as they are drawn and said."""

import math

import pytest

from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.theorem_settings import THEOREMS
from dpviz.topics.public_data.views import settings_of_a_theorem_shown
from dpviz.topics.public_data.views.settings_of_a_theorem import settings_of_a_theorem
from tests.support.headlines import faults

GIVEN = {"epsilon": 0.5, "delta": 1e-6, "beta": 0.02, "smoothness": 0.8, "vc_dimension": 3.0}


def chart(theorem, **changes):
    return settings_of_a_theorem(theorem=theorem, **{"alpha": 0.05} | GIVEN | changes)


@pytest.mark.parametrize(
    ("theorem", "powers"),
    [
        ("theorem_6", {"printed": 14, "asked": 13, "proved": 3, "averages": 8, "points": 2}),
        ("theorem_7", {"printed": 5, "asked": 9, "proved": 5, "points": 2}),
        ("theorem_7_pure", {"printed": 6, "asked": 11, "proved": 9, "points": 2}),
        ("theorem_10", {"printed": 5, "asked": 5, "points": 2}),
    ],
)
def test_the_powers_of_alpha(theorem, powers):
    found = chart(theorem)
    assert {curve.key for curve in found.curves} == set(powers)
    for key, power in powers.items():
        y, x = found.curve(key).y[-5:], found.curve(key).x[-5:]
        slope = math.log(y[-1] / y[0]) / math.log(x[-1] / x[0])
        assert slope == pytest.approx(power, abs=0.15)  # Lemma 23 has a logarithm


@pytest.mark.parametrize("theorem", list(THEOREMS))
@pytest.mark.parametrize("changes", [{}, {"alpha": 0.001}, {"alpha": 0.5, "vc_dimension": 1e6}])
def test_what_is_said_is_short(theorem, changes):
    found = chart(theorem, **changes)
    assert not faults(settings_of_a_theorem_shown.VIEW.takeaway(found))
    assert settings_of_a_theorem_shown.VIEW.detail(found).startswith(THEOREMS[theorem])
    assert len(settings_of_a_theorem_shown.VIEW.notes(found)) == 2
    assert ("gamma" in found.columns()) == (theorem != "theorem_10")


@pytest.mark.parametrize("theorem", list(THEOREMS))
def test_proved_numbers_are_of_privacy_alone_and_not_mixed_with_dropped_constants(theorem):
    """Learning without privacy takes examples, too, up to a constant: not counted as proved."""
    mild = {"epsilon": 10.0, "delta": 0.5, "beta": 0.5, "smoothness": 1.0, "vc_dimension": 8.0}
    found = chart(theorem, alpha=0.5, **mild)
    headline = settings_of_a_theorem_shown.VIEW.takeaway(found)
    assert headline.index("hidden constants dropped") < max(
        headline.find("proved"), headline.find("proof")
    )
    assert "proved to keep" not in headline
    if theorem == "theorem_7":
        rho = 1 / math.sqrt(found.value("proved") * 0.5)
        privacy = {"epsilon": 10.0, "delta": 0.5}
        gamma = levels.sufficient_gaussian(found.value("points"), rho=rho, **privacy)
        here = found.curve("proved").x == found.here
        assert found.columns()["gamma"][here] == pytest.approx(float(gamma))
        assert found.value("proved") < (8 + math.log(2)) / 0.5**2
