"""The error curves: the numbers quoted in Dagan & Kur, Section 5, and their corrected values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import PowerNoise, max_error
from dpviz.maths.gaussian import max_error as gaussian_max_error
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.noise_converse import chain_radius
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.bounded_noise import tuned_and_converse
from dpviz.topics.bounded_noise.error_chart import AXES, QUANTILES, UNITS
from dpviz.topics.bounded_noise.error_points import DRAFT, OWN_DRAFT
from dpviz.topics.bounded_noise.views import error_curves_shown
from dpviz.topics.bounded_noise.views.error_curves import error_curves
from tests.support.declarations import last as last_of
from tests.support.declarations import page
from tests.support.examples import chosen, examples, only_in_nightly

FIGURE_1 = {
    "against": "queries",
    "epsilon": 0.1,
    "delta": 1e-10,
    "queries": 1e6,
    "shape": "power",
    "power": 2.0,
    "failure_probability": 0.05,
    "units": "ratio",
    "quantile": "corrected",
    "show_published": False,
    "show_shapes": False,
    "constant": 1.0,
}


def last(**changes):
    *_, result = error_curves(**(FIGURE_1 | changes))
    return result


@pytest.fixture(scope="module")
def corrected():
    return last(show_published=True, show_shapes=True)


@pytest.fixture(scope="module")
def as_published():
    return last(show_published=True, quantile="published")


def at(chart, key, x):
    curve = chart.curve(key)
    return float(np.interp(math.log(x), np.log(curve.x), curve.y))


def lower_by(low, high):
    return 1 - low / high


def test_section_5_as_printed(as_published):
    """Equal at k = 1e3, 29% lower at 1e6, absolute bound 28% below the Gaussian 0.999-bound."""
    chart = as_published
    quantile, gaussian = "bounded_published_quantile", "gaussian_0.05"
    assert at(chart, quantile, 1e3) == pytest.approx(at(chart, gaussian, 1e3), rel=0.03)
    assert lower_by(at(chart, quantile, 1e6), at(chart, gaussian, 1e6)) == pytest.approx(
        0.29, abs=0.01
    )
    certain = lower_by(at(chart, "bounded_published", 1e6), at(chart, "gaussian_0.001", 1e6))
    assert certain == pytest.approx(0.28, abs=0.01)


def test_section_5_corrected(corrected):
    """With honest quantiles 34% and 31% with their radius, 39% and 36% with the exact one."""
    chart = corrected
    gaussian_95, gaussian_999 = at(chart, "gaussian_0.05", 1e6), at(chart, "gaussian_0.001", 1e6)
    published = at(chart, "bounded_published", 1e6)
    likely = published * float(
        max_error(PowerNoise(2.0), 1.0, queries=1e6, failure_probability=0.05)
    )
    assert lower_by(likely, gaussian_95) == pytest.approx(0.34, abs=0.006)
    assert lower_by(published, gaussian_999) == pytest.approx(0.31, abs=0.006)
    assert lower_by(at(chart, "bounded_0.05", 1e6), gaussian_95) == pytest.approx(0.39, abs=0.006)
    certain = at(chart, "bounded_certain", 1e6)
    assert lower_by(certain, gaussian_999) == pytest.approx(0.36, abs=0.006)


def test_published_radius_lies_above_the_exact_one(corrected):
    chart = corrected
    published, exact = chart.curve("bounded_published").y, chart.curve("bounded_certain").upper
    assert (published > exact).all()
    assert (published < 1.6 * exact).all()


def test_crossings_are_where_the_winner_changes(corrected):
    """The first k at which the radius is below the Gaussian 0.95-bound, from both sides."""
    mark = next(m for m in corrected.landmarks if "certain" in m.text)
    noise = PowerNoise(2.0)

    def gap(k):
        at_k = {"epsilon": 0.1, "delta": 1e-10, "queries": k}
        gaussian = gaussian_max_error(minimal_sigma(**at_k), queries=k, failure_probability=0.05)
        return minimal_radius(noise, **at_k).midpoint - float(gaussian)

    assert gap(round(mark.x * 0.995)) > 0 > gap(round(mark.x * 1.005))
    assert 900 < mark.x < 1100


def test_the_k_between_which_limits_cross_are_proven_and_round(corrected):
    """Both radii are found anew, on the sides that the detail and the note at the crossing say."""
    above, below = corrected.wins
    noise = PowerNoise(2.0)
    for k, wins in ((above, False), (below, True), (10.0, False), (1e10, True)):
        at_k = {"epsilon": 0.1, "delta": 1e-10, "queries": k}
        sigma = minimal_sigma(**at_k)
        gaussian = float(gaussian_max_error(sigma, queries=k, failure_probability=0.05))
        radius = minimal_radius(noise, **at_k)
        assert radius.upper < gaussian if wins else radius.lower > gaussian
    assert above < below < 1.05 * above
    assert all(float(f"{k:.1e}") == k for k in (above, below))
    said = error_curves_shown.detail(corrected)
    assert f"from k = {readable(below)} on" in said
    assert f"up to k = {readable(above)} it is above" in said
    notes = error_curves_shown.figure(last(units="gaussian"), LIGHT).layout["annotations"]
    words = [note["text"].replace("<br>", " ") for note in notes]
    assert f"from k = {readable(below)} bounded wins with certainty" in words


@pytest.mark.parametrize(
    ("changes", "side"),
    [
        ({"shape": "iterated", "epsilon": 1.0, "delta": 1e-6}, "above"),
        ({"epsilon": 10.0, "delta": 0.01, "failure_probability": 1e-12}, "below"),
    ],
)
def test_limits_that_do_not_cross_are_said_not_to(changes, side):
    result = last(**changes)
    assert not [mark for mark in result.landmarks if "certain" in mark.text]
    said = error_curves_shown.detail(result)
    assert f"At every k drawn, at this ε and δ, bounded noise’s limit is {side}" in said
    assert last(against="delta", **changes).wins is None


AT_THE_END = {"queries": 1072, "epsilon": 1.0182824994397293, "delta": 9.202231732393362e-08}


@pytest.mark.parametrize(
    ("against", "changes", "count"),
    [("queries", {}, 2), ("delta", {"queries": 1e4}, 2), ("epsilon", AT_THE_END, 0)],
)
def test_a_crossing_is_foreseen_where_it_is_found(against, changes, count):
    """Along ε one seemed to lie just beyond the end of the range, and the page failed."""
    setting = FIGURE_1 | {"show_published": False, "against": against} | changes
    first, *_, last = error_curves(**setting)
    x = last.curve("bounded_certain").x
    across = math.log(x[-1] / x[0])
    assert len(last.landmarks) == count
    for seen, found in zip(first.landmarks, last.landmarks, strict=True):
        assert seen.text == found.text
        assert x[0] <= seen.x <= x[-1]
        assert abs(math.log(seen.x / found.x)) < 0.02 * across
        assert seen.y == pytest.approx(found.y, rel=0.1)


def test_units_differ_by_the_rate():
    ratio = next(error_curves(**FIGURE_1))
    absolute = next(error_curves(**FIGURE_1 | {"units": "absolute"}))
    for curve in ratio.curves:
        other = absolute.curve(curve.key)
        shared, places = np.isin(curve.x, other.x), np.isin(other.x, curve.x)
        rate = np.sqrt(curve.x[shared] * math.log(1e10)) / 0.1
        np.testing.assert_allclose(curve.y[shared] * rate, other.y[places], rtol=1e-4)


def test_rates_grow_as_their_formulas_and_scale_with_the_constant(corrected):
    chart = corrected
    doubled = next(error_curves(**FIGURE_1 | {"show_shapes": True, "constant": 2.0}))
    for key in ("rate_su16", "rate_gz20", "rate_lower", "rate_unimodal"):
        assert chart.curve(key).evidence is Evidence.ASYMPTOTIC
        shared = np.isin(chart.curve(key).x, doubled.curve(key).x)
        np.testing.assert_allclose(2 * chart.curve(key).y[shared], doubled.curve(key).y, rtol=1e-12)
    assert at(chart, "rate_lower", 1e6) == pytest.approx(1)
    assert at(chart, "rate_su16", 1e10) == pytest.approx(math.sqrt(math.log(math.log(1e10))), 1e-3)


def test_a_theorem_stated_at_epsilon_1_is_marked_elsewhere(corrected):
    assert not corrected.curve("rate_unimodal").holds.any()

    def first(**changes):
        return next(error_curves(**FIGURE_1 | {"show_shapes": True} | changes))

    assert first(epsilon=1.0).curve("rate_unimodal").holds.all()
    small = first(delta=1e-100).curve("rate_lower")
    assert (small.holds == (small.x >= 100 * math.log(10))).all()


@only_in_nightly
def test_partial_results_are_parts_of_the_last_one():
    draft, *partial, final = error_curves(
        **(FIGURE_1 | {"queries": 30.0, "against": "epsilon", "epsilon": 1.0})
    )
    whole = dict(zip(final.curves[0].x, final.curves[0].y, strict=True))
    for result in partial:
        if result is draft:  # again, where a point takes long
            continue
        curve = result.curves[0]
        assert 2 < curve.x.size <= len(whole)
        for x, y in zip(curve.x, curve.y, strict=True):
            assert whole[x] == y
    assert all(x in whole for x in draft.curves[0].x)


@pytest.mark.parametrize("against", sorted(AXES))
def test_what_follows_a_slider_is_certified_and_nearly_as_narrow(against):
    """The exact radius, found on its own, lies inside the first figure's band."""
    first = next(error_curves(**FIGURE_1 | {"against": against, "units": "absolute"}))
    curve = first.curve("bounded_certain")
    assert curve.x.size == 3
    assert math.isnan(first.published_radius)
    for x, low, high in zip(curve.x, curve.lower, curve.upper, strict=True):
        at_x = {name: FIGURE_1[name] for name in AXES} | {against: float(x)}
        exact = minimal_radius(PowerNoise(2.0), **at_x)
        assert low <= exact.upper
        assert exact.lower <= high
        assert high / low - 1 < 1.5 * DRAFT
    own = minimal_radius(PowerNoise(2.0), **{name: FIGURE_1[name] for name in AXES})
    assert first.radius.upper == pytest.approx(own.upper, rel=1.5 * OWN_DRAFT)


@pytest.mark.parametrize("against", chosen(sorted(AXES), ["queries"]))
def test_between_two_points_the_drawn_line_errs_by_less_than_two_in_a_hundred(against):
    """Straight between points on the axes as drawn: x logarithmic, ratios as they are."""
    *_, result = error_curves(**FIGURE_1 | {"against": against})
    curve = result.curve("bounded_certain")
    for i in {*range(0, curve.x.size - 1, 3), 1, curve.x.size - 3, curve.x.size - 2}:
        x = math.exp(np.log(curve.x[i : i + 2]).mean())
        x = round(x) if against == "queries" else x
        at_x = {name: FIGURE_1[name] for name in AXES} | {against: x}
        exact = minimal_radius(PowerNoise(2.0), **at_x)
        rate = math.sqrt(at_x["queries"] * -math.log(at_x["delta"])) / at_x["epsilon"]
        drawn = np.interp(math.log(at_x[against]), np.log(curve.x), curve.y)
        assert drawn == pytest.approx(exact.midpoint / rate, rel=0.02)


@pytest.mark.parametrize("against", chosen(sorted(AXES), ["queries"]))
def test_a_search_that_begins_between_two_points_ends_where_a_fresh_one_does(against):
    """Both brackets are certified, so they overlap; and they are as narrow as promised."""
    *_, result = error_curves(**FIGURE_1 | {"against": against})
    curve = result.curve("bounded_certain")
    for i in range(1, curve.x.size, 7):
        at_x = {name: FIGURE_1[name] for name in AXES} | {against: curve.x[i]}
        rate = math.sqrt(at_x["queries"] * -math.log(at_x["delta"])) / at_x["epsilon"]
        fresh = minimal_radius(PowerNoise(2.0), **at_x)
        assert curve.lower[i] * rate <= fresh.upper * (1 + 1e-12)
        assert fresh.lower <= curve.upper[i] * rate * (1 + 1e-12)
        assert curve.upper[i] / curve.lower[i] < 1 + (1e-4 if at_x["queries"] >= 30 else 1e-3)


def test_the_first_curve_spans_the_axis():
    first, *_, final = error_curves(**FIGURE_1)
    assert first.curves[0].x.size == 3
    assert first.curves[0].x[[0, -1]] == pytest.approx(final.curves[0].x[[0, -1]])


@examples(8)
@given(
    st.sampled_from(sorted(AXES)),
    st.sampled_from([1e-7, 0.1, 10.0]),
    st.sampled_from([1e-300, 1e-10, 0.5]),
    st.sampled_from([1.0, 30.0, 1e6, 1e10]),
    st.sampled_from([1e-12, 0.05, 0.5]),
)
def test_the_first_result_is_finite_at_the_ends_of_every_range(against, epsilon, delta, k, beta):
    changes = {"epsilon": epsilon, "delta": delta, "queries": k, "failure_probability": beta}
    result = next(error_curves(**(FIGURE_1 | changes | {"against": against})))
    assert 0.5 < result.radius.lower <= result.radius.upper
    assert 0 <= result.exceeded <= 1
    for curve in result.curves:
        assert np.isfinite(curve.y).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("against", "k"),
        ("units", "metres"),
        ("quantile", "guessed"),
        ("shape", "round"),
        ("epsilon", math.nan),
        ("delta", 0.0),
        ("queries", 1.5),
        ("constant", -1.0),
        ("failure_probability", 1.0),
    ],
)
def test_errors_name_the_parameter(name, value):
    with pytest.raises(ParameterError) as caught:
        last(**{name: value})
    assert caught.value.name == name


def test_the_choices_are_the_ones_declared():
    assert set(QUANTILES) == {"corrected", "published"}
    assert set(UNITS) == {"ratio", "absolute", "gaussian"}


# ---- tuned noise, and what no bounded noise can do -------------------------------------------


@only_in_nightly
def test_tuned_noise_lies_between_the_converse_and_every_other_radius():
    chart = last(show_tuned=True, show_converse=True)
    tuned, converse = chart.curve("tuned"), chart.curve("converse")
    certain = chart.curve("bounded_certain")
    assert np.array_equal(tuned.x, certain.x)
    assert (converse.y < tuned.lower).all()
    assert (tuned.upper < certain.lower).all()
    assert converse.evidence is Evidence.LOWER
    # the same numbers as those of the public functions
    k = round(float(tuned.x[20]))
    privacy = {"epsilon": 0.1, "delta": 1e-10, "queries": k}
    unit = math.sqrt(k * math.log(1e10)) / 0.1
    assert converse.y[20] * unit == pytest.approx(chain_radius(**privacy))
    assert tuned.y[20] * unit == pytest.approx(tuned_noise(**privacy).best.radius.upper, rel=5e-3)


def test_what_is_not_shown_is_not_computed(monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed though not shown")

    monkeypatch.setattr(tuned_and_converse, "_tuned", never)
    monkeypatch.setattr(tuned_and_converse, "converse_radius", never)
    keys = {curve.key for curve in last().curves}
    assert not keys & {"tuned", "converse"}
    with pytest.raises(AssertionError, match="computed though not shown"):
        last(show_converse=True)


@pytest.mark.parametrize("queries", [100.0, 1e4, 1e6, 1e9])
def test_the_step_says_how_much_noise_a_hundred_times_the_answers_take(queries):
    result = last_of(page("bounded_noise"), "errors", queries=queries, units="absolute")
    (first, end), _ = error_curves_shown._step(result)
    radii = [last_of(page("bounded_noise"), "noise", queries=k).noise.radius for k in (first, end)]
    notes = error_curves_shown.figure(result, LIGHT).layout["annotations"]
    words = [note["text"].replace("<br>", " ") for note in notes]
    [said] = [text for text in words if "times the noise" in text]
    assert said.startswith(f"from {readable(first)} to {readable(end)} answers: ")
    assert f"{readable(radii[1] / radii[0], 2)} times the noise" in said
    assert said.endswith("like √k") == (abs(radii[1] / radii[0] - 10) < 0.2)


@pytest.mark.parametrize(
    "other",
    [{"against": "epsilon", "units": "absolute"}, {"units": "ratio"}, {"units": "gaussian"}],
)
def test_there_is_no_step_where_the_noise_does_not_stand_against_k(other):
    assert error_curves_shown._step(last_of(page("bounded_noise"), "errors", **other)) is None


def test_a_projector_names_no_crossing_of_a_curve_that_the_headline_is_not_about():
    result = last(units="absolute")
    assert any("at 95%" in mark.text for mark in result.landmarks)
    for theme, named in ((LIGHT, 2), (LIGHT.projected(410), 1)):
        notes = error_curves_shown.figure(result, theme).layout["annotations"]
        assert sum("bounded wins" in note["text"].replace("<br>", " ") for note in notes) == named


@pytest.mark.parametrize("queries", [100.0, 1e6])
def test_what_is_drawn_against_gaussian_noise_is_shaded_where_either_is_better(queries):
    result = last(units="gaussian", queries=queries)
    gaussian_curve, certain = result.curve("gaussian_0.05"), result.curve("bounded_certain")
    np.testing.assert_allclose(gaussian_curve.y, 1.0, rtol=1e-12)
    figure = error_curves_shown.figure(result, LIGHT)
    shades = [trace for trace in figure.data if trace.get("fill") == "toself"]
    shades = shades[:2]  # below the widths of the certified curves
    heights = [np.ptp(np.reshape(shade["y"], (2, -1)), axis=0).max() for shade in shades]
    assert max(np.max(shade["y"]) for shade in shades) == pytest.approx(certain.y.max())
    assert all(height > 0 for height in heights)
    times = result.radius.upper / result.gaussian_error
    [bracket] = [
        shape
        for shape in figure.layout["shapes"]
        if shape["type"] == "line" and shape["line"]["width"] == 5
    ]
    assert sorted((bracket["y0"], bracket["y1"])) == pytest.approx(sorted((times, 1.0)))
    sentence = error_curves_shown.VIEW.takeaway(result)
    words = [note["text"] for note in figure.layout["annotations"]]
    apart = f"{100 * (1 - times):.3g}% below" if times < 1 else f"{upwards(times)} times"
    assert f" {apart} " in sentence
    assert sentence.endswith(" Gaussian noise’s, which fails one time in twenty.")
    assert {"fails one time in twenty", "always holds", apart} <= set(words)
