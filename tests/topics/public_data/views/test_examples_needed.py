"""Sample complexities as shapes, and the settings of the theorems."""

import math
import re

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels as levels
from dpviz.topics.public_data.rates import RATES, SETTINGS
from dpviz.topics.public_data.theorem_settings import THEOREMS, Demand
from dpviz.topics.public_data.views import examples_needed_shown
from dpviz.topics.public_data.views.examples_needed import examples_needed
from dpviz.ui.frame import prose
from tests.support.declarations import last, page
from tests.support.headlines import faults

PAGE = page("public_data")
GIVEN = {"epsilon": 0.5, "delta": 1e-6, "beta": 0.02, "smoothness": 0.8, "vc_dimension": 3.0}


def samples_needed(**given):
    return examples_needed(rates_of="theorems", theorem="theorem_6", **given)


def chart_of(theorem, **changes):
    given = {"alpha": 0.05, "setting": "classification", "constant": 1.0} | GIVEN | changes
    return examples_needed(rates_of="theorem", theorem=theorem, **given)


@pytest.mark.parametrize("setting", ["classification", "realizable", "convex"])
def test_shapes_are_told(setting):
    chart = last(PAGE, "rates", setting=setting)
    detail = examples_needed_shown.VIEW.detail(chart)
    assert "α = 0.05" in detail
    assert "all of them hide constants" in detail
    takeaway = examples_needed_shown.VIEW.takeaway(chart)
    assert "(constants dropped)" in takeaway
    assert len(chart.in_headline) == 2
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


POWERS = {
    "theorem_6": {"printed": 14, "asked": 13, "proved": 3, "averages": 8, "points": 2},
    "theorem_7": {"printed": 5, "asked": 9, "proved": 5, "points": 2},
    "theorem_7_pure": {"printed": 6, "asked": 11, "proved": 9, "points": 2},
    "theorem_10": {"printed": 5, "asked": 5, "points": 2},
}


@pytest.mark.parametrize(("theorem", "powers"), list(POWERS.items()))
def test_the_powers_of_alpha(theorem, powers):
    found = chart_of(theorem)
    assert {curve.key for curve in found.curves} == set(powers)
    for key, power in powers.items():
        y, x = found.curve(key).y[-5:], found.curve(key).x[-5:]
        slope = math.log(y[-1] / y[0]) / math.log(x[-1] / x[0])
        assert slope == pytest.approx(power, abs=0.15)  # Lemma 23 has a logarithm


@pytest.mark.parametrize("theorem", list(THEOREMS))
@pytest.mark.parametrize("changes", [{}, {"alpha": 0.001}, {"alpha": 0.5, "vc_dimension": 1e6}])
def test_what_is_said_is_short(theorem, changes):
    found = chart_of(theorem, **changes)
    assert not faults(examples_needed_shown.VIEW.takeaway(found))
    assert examples_needed_shown.VIEW.detail(found).startswith(THEOREMS[theorem])
    assert len(examples_needed_shown.VIEW.notes(found)) == 2
    assert ("gamma" in found.columns()) == (theorem != "theorem_10")


@pytest.mark.parametrize("theorem", list(THEOREMS))
def test_proved_numbers_are_of_privacy_alone_and_not_mixed_with_dropped_constants(theorem):
    """Learning without privacy takes examples, too, up to a constant: not counted as proved."""
    mild = {"epsilon": 10.0, "delta": 0.5, "beta": 0.5, "smoothness": 1.0, "vc_dimension": 8.0}
    found = chart_of(theorem, alpha=0.5, **mild)
    headline = examples_needed_shown.VIEW.takeaway(found)
    assert headline.index("constants dropped") < max(
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


def test_shapes_of_what_is_unknown_are_refused():
    given = {"alpha": 0.05, "setting": "convex", "theorem": "theorem_7", "constant": 1.0} | GIVEN
    with pytest.raises(ParameterError, match="rates_of"):
        examples_needed(rates_of="none", **given)


_CELL = re.compile(r"\\?(d|varepsilon|sigma|alpha)\^\{(-?[\d.]+)\}")


def test_the_table_of_exponents_has_the_powers_of_the_curves():
    table = dict(prose("public_data"))["Exponents"]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")][2:]
    known = {name.partition(" (")[0].strip(): cells for name, *cells in rows}
    usual = {"d": 1e15, "varepsilon": 1e-3, "sigma": 1e-3, "alpha": 1e-12}

    def size(rate, **given):
        at = usual | given
        demand = Demand(at["d"], at["varepsilon"], at["sigma"], 2.0, 2.0)
        return float(rate.size(np.array([at["alpha"]]), demand)[0])

    for rate in RATES:
        cells = known.pop(rate.label.removesuffix(" (refuted)"))
        powers = {symbol: float(power) for symbol, power in _CELL.findall(cells[0])}
        assert powers.keys() == usual.keys()
        for symbol, power in powers.items():
            slope = math.log2(size(rate, **{symbol: 2 * usual[symbol]}) / size(rate))
            assert slope == pytest.approx(power, abs=0.01), (rate.key, symbol)
        if rate.key in POWERS:
            asked, proved = (_CELL.findall(cell) for cell in cells[1:])
            assert -float(asked[0][1]) == POWERS[rate.key]["asked"]
            assert [-float(power) for _, power in proved] == [
                power for key, power in POWERS[rate.key].items() if key == "proved"
            ]
    assert not known


def test_what_is_proved_with_all_constants_is_said_beside_the_shape():
    """For the theorems of Algorithms 2 and 3, at the reader's α; RRSPM has another proof."""
    said = {
        theorem: examples_needed_shown.VIEW.detail(
            last(PAGE, "rates", rates_of="theorem", theorem=theorem, alpha=alpha)
        )
        for theorem, alpha in (("theorem_7", 0.05), ("theorem_7_pure", 0.01), ("theorem_10", 0.05))
    }
    assert "private and as accurate from 80,000 examples on" in said["theorem_7"]
    assert "no number of examples up to a million is proved" in said["theorem_7_pure"]
    assert "With all constants" not in said["theorem_10"]
    assert "100,000 minimisers" in examples_needed_shown.VIEW.detail(
        last(PAGE, "rates", rates_of="theorem", theorem="theorem_6", alpha=0.1, epsilon=10)
    )


@pytest.mark.parametrize("theorem", THEOREMS)
def test_the_notes_promise_a_proved_number_only_where_the_detail_gives_one(theorem):
    chart, view = chart_of(theorem), examples_needed_shown.VIEW
    promised = any("proved private and accurate" in note for note in view.notes(chart))
    assert promised == ("With all constants" in view.detail(chart))
