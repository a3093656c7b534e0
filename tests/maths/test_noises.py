"""Every noise by every question: against other calibrations, dp_accounting, draws, and back."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

import dpviz
from dpviz.maths import comparison, gaussian
from dpviz.maths.discrete_noise import discrete_gaussian_noise, geometric_noise
from dpviz.maths.laplace_rivals import laplace_noise
from dpviz.maths.noises import FAMILIES, least_parameter
from dpviz.results.noise_names import CUT, TAKEN
from dpviz.results.parameters import ParameterError

PRIVACY = {"epsilon": 0.5, "delta": 1e-6, "queries": 10}
ONE = {**PRIVACY, "queries": 1}


def privacy(noise):
    return ONE if noise == "end_staircase" else PRIVACY


def test_names_are_those_of_the_table():
    assert set(TAKEN["sigma"]) == {*comparison.NAMES, "power", "iterated"} - {"bounded"}
    assert set(TAKEN["radius"]) < set(TAKEN["sigma"])
    assert dpviz.radius(**PRIVACY, noise="bounded").value == dpviz.radius(**PRIVACY).value


def test_the_least_parameter_is_that_of_other_calibrations():
    others = {
        "laplace": 1 / laplace_noise(**PRIVACY).rate,
        "discrete_laplace": 1 / geometric_noise(**PRIVACY).decay,
        "discrete_gaussian": discrete_gaussian_noise(**PRIVACY).sigma,
    }
    assert set(others) == set(FAMILIES)
    for name, other in others.items():
        found = least_parameter(name, **PRIVACY)
        assert found.lower < found.upper <= other
        assert other <= found.upper * (1 + 2e-4)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("epsilon", "unit"), [(0.7, 3.0), (30.0, 1.0)])
def test_dp_accounting_finds_the_same_delta(name, epsilon, unit):
    least = least_parameter(name, epsilon=epsilon, delta=1e-5, queries=4, sensitivity=unit).upper
    step = 1e-4
    how = {"value_discretization_interval": step}
    theirs = {
        "laplace": lambda: pld.from_laplace_mechanism(least, unit, **how),
        "discrete_laplace": lambda: pld.from_discrete_laplace_mechanism(
            1 / least, int(unit), **how
        ),
        "discrete_gaussian": lambda: pld.from_discrete_gaussian_mechanism(least, int(unit), **how),
    }[name]().self_compose(4)
    assert theirs.get_delta_for_epsilon(epsilon + 4 * step) <= 1e-5 * (1 + 1e-6)
    assert theirs.get_delta_for_epsilon(epsilon - 4 * step) >= 1e-5 * (1 - 1e-3)


@pytest.mark.parametrize("noise", TAKEN["sigma"])
def test_every_noise_leads_back(noise):
    at = privacy(noise)
    found = dpviz.sigma(**at, noise=noise)
    row = (
        comparison.compare(**at).row("bounded" if noise == "power" else noise)
        if (noise in comparison.NAMES or noise == "power")
        else None
    )
    if row is not None:
        assert found.value == pytest.approx(row.deviation, rel=2e-4)
    rest = {"delta": at["delta"], "queries": at["queries"]}
    if noise in TAKEN["epsilon"] and noise not in TAKEN["radius"]:
        back = dpviz.epsilon(sigma=found.value, noise=noise, **rest)
    elif noise in TAKEN["epsilon"]:
        radius = dpviz.radius(**at, noise=noise)
        scale = {"scale": radius.how["scale"]} if "scale" in (radius.how or {}) else {}
        back = dpviz.epsilon(radius=radius.value, noise=noise, **scale, **rest)
        kept = dpviz.delta(
            radius=radius.value, noise=noise, **scale, epsilon=0.5, queries=at["queries"]
        )
        assert kept.lower <= 1e-6 * (1 + 1e-6)
        assert kept.upper >= 1e-6 * (0.9 if noise in CUT else 0.99)
    else:
        return
    assert back.lower <= 0.5 * (1 + 1e-9)
    assert back.upper == pytest.approx(0.5, rel=2e-3)


@pytest.mark.parametrize("noise", TAKEN["error"])
def test_an_error_leads_to_a_noise_and_back(noise):
    name = "radius" if noise in TAKEN["radius"] else "sigma"
    found = dpviz.error(most=50, queries=100, noise=noise)
    assert found.name == name
    back = dpviz.error(**{name: found.value}, queries=100, noise=noise)
    assert back.value <= 50 * (1 + 1e-9)
    assert back.value >= 50 * (1 - 1e-6)
    rng = np.random.default_rng(4)
    draws = {
        "gaussian": lambda: rng.normal(scale=found.value, size=(4000, 100)),
        "laplace": lambda: rng.laplace(scale=found.value / math.sqrt(2), size=(4000, 100)),
    }
    if noise in draws:
        exceeded = (np.abs(draws[noise]()).max(axis=1) > 50).mean()
        assert exceeded == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("epsilon", [10.5, 40.0, 100.0])
def test_gaussian_noise_is_calibrated_beyond_the_pages(epsilon):
    sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=1e-8, queries=3))
    with mpmath.workdps(60):
        m = mpmath.sqrt(3) / sigma
        under = mpmath.exp(epsilon) * mpmath.ncdf(-m / 2 - epsilon / m)
        exact = mpmath.ncdf(m / 2 - epsilon / m) - under
    assert 1e-8 * (1 - 1e-9) <= exact <= 1e-8
    found = dpviz.epsilon(sigma=sigma, delta=1e-8, queries=3)
    assert found.lower <= epsilon <= found.upper * (1 + 1e-9)
    assert found.upper <= epsilon * (1 + 1e-9)


def test_no_delta_is_above_1():
    assert dpviz.delta(sigma=1e-12, queries=1, epsilon=1).value == 1


def test_the_table_has_the_unit_of_the_answers():
    one, three = comparison.compare(**PRIVACY), comparison.compare(**PRIVACY, sensitivity=3)
    for row in three.rows:
        usual = one.row(row.key)
        if row.known and row.key not in comparison.COUNTS:
            assert row.deviation == pytest.approx(3 * usual.deviation)
            assert row.likely == pytest.approx(3 * usual.likely)
    assert three.row("discrete_laplace").deviation == pytest.approx(
        dpviz.sigma(**PRIVACY, noise="discrete_laplace", sensitivity=3).value
    )
    assert not three.row("truncated_discrete_laplace").known
    assert not comparison.compare(**PRIVACY, sensitivity=1.5).row("discrete_gaussian").known
    assert "In the unit of the answers" in repr(three)


def test_the_table_ends_where_formulas_end():
    table = comparison.compare(**{**PRIVACY, "epsilon": 30})
    assert [row.key for row in table.rows] == list(comparison.NAMES)
    known = {row.key for row in table.rows if row.known}
    assert known == {"gaussian", *FAMILIES}
    assert all(row.known or "ε" in row.remark for row in table.rows)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("radius", {**PRIVACY, "noise": "gaussian"}, "noise must be power"),
        ("radius", {**PRIVACY, "noise": "end_staircase"}, "queries must be 1"),
        ("radius", {**PRIVACY, "epsilon": 11}, "epsilon must be"),
        ("sigma", {**PRIVACY, "noise": "textbook_gaussian", "epsilon": 1}, "below 1"),
        ("sigma", {**PRIVACY, "epsilon": 101}, "epsilon must be"),
        ("sigma", {**PRIVACY, "noise": "discrete_laplace", "sensitivity": 1.5}, "whole number"),
        ("sigma", {**PRIVACY, "noise": "laplace", "epsilon": math.nan}, "epsilon must be"),
        ("epsilon", {"delta": 1e-6, "queries": 1, "sigma": 1, "scale": 2}, "scale must be left"),
        (
            "epsilon",
            {"delta": 1e-6, "queries": 1, "radius": 9, "noise": "truncated_laplace"},
            "scale must be given",
        ),
        ("epsilon", {"delta": 1e-6, "queries": 2, "radius": 9, "noise": "end_staircase"}, "1 for"),
        ("epsilon", {"delta": 1e-6, "queries": 1, "sigma": 0.01, "noise": "laplace"}, "ε = 100"),
        ("error", {"queries": 10}, "most must be given"),
        ("error", {"queries": 10, "most": 5, "sigma": 5}, "one of them"),
        ("error", {"queries": 10, "radius": 5, "noise": "laplace"}, "left out for laplace"),
        ("compare", {**PRIVACY, "epsilon": 101}, "epsilon must be"),
    ],
)
def test_what_does_not_go_together_is_refused(name, given, words):
    with pytest.raises(ParameterError, match=words):
        getattr(dpviz, name)(**given)
