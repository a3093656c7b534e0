"""How good bounded noise can be: bounds, the best power, rivals, what is said and drawn of them."""

import dataclasses
import itertools
import json
import math
from functools import cache
from types import SimpleNamespace

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.optimize import minimize_scalar

from dpviz.maths.accounting import search
from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.composition import composed
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.maths.gaussian import minimal_sigma
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Bracket, Evidence
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace, whole
from dpviz.topics.bounded_noise.errors_along_queries import (
    NAMES,
    AlongQueries,
)
from dpviz.topics.bounded_noise.objectives import OBJECTIVES
from dpviz.topics.bounded_noise.views import how_good_bounded_noise_can_be as module
from dpviz.topics.bounded_noise.views import how_good_bounded_noise_can_be_shown
from dpviz.topics.bounded_noise.views.how_good_bounded_noise_can_be import (
    how_good_bounded_noise_can_be as noise_choice,
)
from tests.support.examples import chosen, examples, only_in_ci, only_in_nightly
from tests.support.pace import always
from tests.support.specs import Checked
from tests.support.strategies import inside, outside

drawn = Checked(how_good_bounded_noise_can_be_shown)
VIEW = how_good_bounded_noise_can_be_shown.VIEW
THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)
PRIVACY = {"epsilon": 1.0, "delta": 1e-6}
HERE = {
    "epsilon": 0.1,
    "delta": 1e-10,
    "queries": 10**6,
    "objective": "hard",
    "failure_probability": 0.05,
    "show": "power",
}
every_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def final(**changes):
    return _final(**HERE | changes)


@cache
def _final(**state):
    *_, result = noise_choice(**state)
    return result


def measure(noise, radius, state):
    """The objective from its definition, by other means than the module's."""
    if state["objective"] == "hard":
        return radius
    if state["objective"] == "deviation":
        square = integrate.quad(lambda u: u**2 * float(noise.density(u)), -1, 1, epsabs=1e-12)[0]
        return radius * math.sqrt(square)
    each = -math.expm1(math.log1p(-state["failure_probability"]) / state["queries"])
    return radius * -float(noise.quantile(each / 2))


SCANNED = [
    {},
    {"queries": 1, "epsilon": 1.0, "delta": 1e-5},
    {"queries": 200, "epsilon": 2.0, "delta": 1e-6, "failure_probability": 1e-3},
]


@pytest.mark.parametrize("state", chosen(SCANNED, SCANNED[1:2]), ids=lambda s: s.get("queries"))
def test_no_p_of_a_dense_scan_is_better(state):
    state = HERE | state
    privacy = {name: state[name] for name in ("epsilon", "delta", "queries")}
    scan = np.linspace(0.5, 8, 26)
    noises = [PowerNoise(power) for power in scan]
    radii = [minimal_radius(noise, **privacy).upper for noise in noises]
    width = 1e-4 if state["queries"] >= 30 else 1e-3
    for objective in OBJECTIVES:
        at = state | {"objective": objective}
        result = final(**at)
        values = [measure(noise, radius, at) for noise, radius in zip(noises, radii, strict=True)]
        assert result.best.upper <= min(values) * (1 + width)
        nearest = scan[int(np.argmin(values))]
        slack = np.interp(result.best_power, scan, values)
        assert slack <= min(values) * (1 + 2e-3) or abs(result.best_power - nearest) <= 0.3
        # the drawn curve is the scanned one
        curve = result.curve("power")
        drawn = np.exp(np.interp(np.log(scan[2:]), np.log(curve.x), np.log(curve.y)))
        np.testing.assert_allclose(drawn, values[2:], rtol=5e-3)


@pytest.mark.parametrize("objective", chosen(OBJECTIVES, ["quantile"]))
def test_the_rivals_are_measured_alike(objective):
    state = HERE | {"objective": objective}
    result = final(objective=objective)
    privacy = {name: state[name] for name in ("epsilon", "delta", "queries")}
    for noise, bracket in (
        (PowerNoise(2), result.at_two),
        (PowerNoise(result.best_power), result.best),
        (IteratedExponentialNoise(), result.iterated),
    ):
        radius = minimal_radius(noise, **privacy)
        assert bracket.upper == pytest.approx(measure(noise, radius.upper, state), rel=1e-4)
        assert bracket.lower <= measure(noise, radius.upper, state) * (1 + 1e-9)
        assert bracket.upper >= measure(noise, radius.lower, state) * (1 - 1e-9)
    assert result.gain == 1 - result.best.upper / result.at_two.upper > 0


def test_the_gaussian_rival():
    sigma = float(minimal_sigma(epsilon=0.1, delta=1e-10, queries=10**6))
    hard, quantile, deviation = (
        next(noise_choice(**HERE | {"objective": objective})).gaussian for objective in OBJECTIVES
    )
    assert math.isnan(hard)
    assert deviation == sigma
    with mp.workdps(30):
        kept = mp.erf(mp.mpf(quantile) / mp.mpf(sigma) / mp.sqrt(2)) ** 10**6
    assert float(kept) == pytest.approx(0.95, rel=1e-9)


def test_the_limit_of_many_queries():
    # For k → ∞ R/σ is the root of the Fisher information, least where that is.
    result = final(queries=10**10)
    best = minimize_scalar(
        lambda p: PowerNoise(p).fisher_information, bounds=(0.5, 8), method="bounded"
    )
    assert result.best_power == pytest.approx(best.x, rel=0.01)
    sigma = float(minimal_sigma(epsilon=0.1, delta=1e-10, queries=10**10))
    assert result.best.upper / sigma == pytest.approx(math.sqrt(best.fun), rel=1e-3)
    assert result.floor == pytest.approx(math.pi * sigma, rel=1e-12)
    assert result.floor < result.best.lower
    # Cramér-Rao: in the limit no variance is below the Gaussian one
    assert final(queries=10**10, objective="deviation").best.upper >= sigma * (1 - 1e-3)


def test_the_floor_is_a_limit_and_not_a_bound():
    few = final(queries=1, epsilon=0.1, delta=0.1)
    assert few.best.upper < few.floor
    curve = few.curve("floor")
    assert curve.evidence is Evidence.LIMIT
    assert "k → ∞" in curve.label
    for objective in ("quantile", "deviation"):
        assert math.isnan(next(noise_choice(**HERE | {"objective": objective})).floor)


def test_the_lower_of_two_valleys_is_found():
    """A measure with a broad valley at p = 5 and a lower one, just as wide, at p = 0.9."""

    def value(power):
        x = math.log(power)
        return (
            3
            - math.exp(-(((x - math.log(5)) / 0.3) ** 2))
            - 1.002 * math.exp(-(((x - math.log(0.9)) / 0.2) ** 2))
        )

    known = {2.0: Bracket(value(2.0), value(2.0))}
    for power in module._points(known):
        known[power] = Bracket(value(power) * (1 - 1e-9), value(power))
    best = min(known, key=lambda p: known[p].upper)
    true = minimize_scalar(value, bounds=(0.6, 1.4), method="bounded", options={"xatol": 1e-9})
    assert best == pytest.approx(true.x, rel=2e-3)
    assert known[best].upper == pytest.approx(true.fun, rel=1e-4)


@only_in_nightly
def test_results_grow_finer_and_only_better(monkeypatch):
    monkeypatch.setattr(Pace, "due", always)
    results = list(noise_choice(**HERE))
    points = [set(r.curve("power").x) for r in results]
    assert points[0] == {2.0}
    assert all(before <= after for before, after in itertools.pairwise(points))
    assert max(len(b) - len(a) for a, b in itertools.pairwise(points)) == 1
    best = [r.best.upper for r in results[1:]]  # the first bounds are wide
    assert best == sorted(best, reverse=True)
    assert {0.5, 8.0} < points[-1]


def test_a_step_is_one_evaluation_or_two(monkeypatch):
    """A search pauses between evaluations, and a measured point comes with the next search's first.

    Before the first result there is nothing to pause with.
    """
    evaluated = []

    def counted(*args):
        evaluated.append(args)
        return composed.steps(*args)

    monkeypatch.setattr(search, "composed", SimpleNamespace(steps=counted))
    monkeypatch.setattr(Pace, "due", always)
    steps = [len(evaluated) for _ in noise_choice(**HERE)]
    assert steps[-1] > 60
    assert max(np.diff(steps)[1:]) <= 2  # after the tuned noise, which is one search


@pytest.mark.parametrize("queries", [10, 10**6])
def test_what_follows_a_slider_is_certified_and_wide(queries):
    """The narrow bounds, found on their own, meet those of the first figure."""
    first = next(noise_choice(**HERE | {"queries": queries}))
    for bounds, noise, width in (
        (first.at_two, PowerNoise(2.0), module.OWN_DRAFT),
        (first.iterated, IteratedExponentialNoise(), module.DRAFT),
    ):
        exact = minimal_radius(noise, epsilon=0.1, delta=1e-10, queries=queries)
        assert bounds.lower <= exact.upper
        assert exact.lower <= bounds.upper
        assert bounds.upper - bounds.lower <= 1.5 * width * bounds.upper
    assert first.iterated.upper - first.iterated.lower > 2 * (exact.upper - exact.lower)


@examples(6, 1)
@given(
    st.fixed_dictionaries(
        {
            "epsilon": inside("epsilon"),
            "delta": inside("delta", minimum=1e-12),
            "queries": inside("queries"),
            "objective": st.sampled_from(list(OBJECTIVES)),
            "failure_probability": inside("failure_probability"),
        }
    )
)
def test_any_state_has_a_best_noise(state):
    result = final(**state)
    curve = result.curve("power")
    assert np.isfinite(curve.y).all()
    assert (curve.lower <= curve.y).all()
    assert result.best.upper == curve.y.min()
    assert curve.x[curve.y.argmin()] == result.best_power
    assert 0 <= result.gain < 1
    assert len({column.size for column in result.columns().values()}) == 1
    if state["objective"] == "hard":
        assert math.isnan(result.gaussian)
    else:
        assert result.gaussian > 0


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "failure_probability"])
@given(data=st.data())
def test_refuses(name, data):
    with pytest.raises(ParameterError, match=name):
        next(noise_choice(**HERE | {name: data.draw(outside(name))}))


def test_refuses_an_unknown_objective():
    with pytest.raises(ParameterError, match="objective must be one of hard, quantile, deviation"):
        next(noise_choice(**HERE | {"objective": "beauty"}))


# ---- tuned noise -----------------------------------------------------------------------------


@every_objective
def test_tuned_noise_beats_every_noise_of_the_paper(objective):
    result = final(objective=objective)
    tuned = result.tuned
    state = HERE | {"objective": objective}
    radius = minimal_radius(
        tuned.noise, **{name: state[name] for name in ("epsilon", "delta", "queries")}
    )
    least = measure(tuned.noise, radius.upper, state)  # R lies a little above, so as to be monotone
    assert tuned.measure.upper == pytest.approx(least, rel=1e-2 if objective == "hard" else 1e-4)
    paper = min(result.best.upper, result.iterated.upper)
    assert result.lead == pytest.approx(1 - tuned.measure.upper / paper)
    assert result.lead > {"hard": 0.1, "quantile": 0.03, "deviation": 0.005}[objective]
    assert (result.curve("tuned").y == tuned.measure.upper).all()
    # nobody takes the best power for the best noise
    assert "; tuned noise has smaller ones than any power" in VIEW.takeaway(result)


@pytest.mark.parametrize(
    ("objective", "said"),
    [
        ("quantile", "The largest power here, p = 8, has 7.3% smaller errors than p = 2."),
        (
            "deviation",
            "The largest power here, p = 8, has 9.5% smaller errors than p = 2; "
            "tuned noise has smaller ones than any power here.",
        ),
    ],
)
def test_a_power_at_an_end_of_the_range_is_not_called_the_best(objective, said):
    result = final(objective=objective, epsilon=0.5, delta=0.02, queries=2)
    assert VIEW.takeaway(result) == said


def test_the_shapes_are_densities():
    chart = final(show="shapes")
    for curve in chart.curves:
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=1e-4)
    # the least Fisher information is approached: tuned noise is nearer to cos² than the paper's
    floor = chart.curve("cosine").y
    distance = {c.key: np.abs(c.y - floor).max() for c in chart.curves}
    assert distance["tuned"] < min(distance["power_1"], distance["power_2"])


@pytest.fixture
def along_few_counts(monkeypatch):
    """The result along k = 1, 10 and 1e10, from the reader's 10."""
    monkeypatch.setattr(module, "COUNTS", (1.0, 1e10, 10.0))

    def result(**changes):
        *_, last = noise_choice(**HERE | {"show": "queries", "queries": 10} | changes)
        return last

    return result


@only_in_ci
def test_the_winner_changes_at_the_border(along_few_counts):
    result = along_few_counts(objective="quantile")
    along = AlongQueries(0.1, 1e-10, "quantile", 0.05, "")
    assert len(result.wins) > 1
    assert {mark.x for mark in result.landmarks} <= {k for k, _ in result.wins}
    exact = [mark for mark in result.landmarks if mark.x <= 10]
    for mark in exact:
        winner, before = (NAMES[whole(along.at(k)).winner] for k in (mark.x, mark.x - 1))
        assert mark.text.endswith(winner)
        assert winner != before


def test_other_objectives_have_other_rivals(along_few_counts, monkeypatch):
    monkeypatch.setattr(module, "COUNTS", (10.0,))
    for objective in ("quantile", "deviation"):
        chart = along_few_counts(objective=objective)
        assert {curve.key for curve in chart.curves} == {"tuned", "power", "laplace", "gaussian"}


def test_refuses_an_unknown_picture():
    with pytest.raises(ParameterError, match="show must be one of queries, pair, power, shapes"):
        next(noise_choice(**HERE | {"show": "beauty"}))


def test_the_table_keeps_p_apart_from_the_measure():
    columns = final(objective="deviation").columns()
    assert (columns["p"].min(), columns["p"].max()) == pytest.approx((0.5, 8))
    assert columns["power"].min() > 100


def first_choice(objective, queries=10**6):
    asked = HERE | PRIVACY | {"queries": queries, "objective": objective}
    return next(noise_choice(**asked))


def words(figure):
    return " | ".join(note.text for note in figure.layout.annotations)


@THEMES
@pytest.mark.parametrize("objective", ["hard", "quantile", "deviation"])
def test_the_best_is_marked(theme, objective):
    result = dataclasses.replace(first_choice(objective), best_power=1.05)
    text = words(drawn.figure(result, theme))
    assert "1.05" in text
    assert "p = 2" in text
    assert json.loads(VIEW.figure(result, theme).json())["data"]


def test_the_choice_is_told():
    hard = first_choice("hard")
    detail = VIEW.detail(hard)
    assert "πσ" in detail
    assert "a limit, not a bound" in detail
    at_end = dataclasses.replace(hard, best_power=8.0)
    assert "p = 8, the largest here" in VIEW.detail(at_end)
    better = dataclasses.replace(hard, best=Bracket(2.0, 2.0), iterated=Bracket(1.0, 1.0))
    assert "does better still, 1 Δ" in VIEW.detail(better)
    assert "does better still" not in detail
    quantile = dataclasses.replace(first_choice("quantile"), best_power=1.05)
    assert "with probability 0.95 none of 1,000,000 errors exceeds" in VIEW.detail(quantile)
    assert "Cramér and Rao" in VIEW.detail(first_choice("deviation"))
    # no power is compared with itself, nor with one that is written alike
    for power in (2.0, 2.001):
        alike = VIEW.detail(dataclasses.replace(quantile, best_power=power))
        assert alike.startswith("With p = 2, the best p found, with probability")
        assert "less than with p = 2" not in alike
    assert "less than with p = 2" in VIEW.detail(quantile)
    assert "with probability 0.95 the error does not exceed" in VIEW.detail(
        first_choice("quantile", 1)
    )


def test_the_tuned_noise_is_told():
    hard = final(show="shapes", **PRIVACY)
    assert f"beats every noise of the paper by {100 * hard.lead:.2g}%" in VIEW.detail(hard)
    worse = dataclasses.replace(hard, best=Bracket(1.0, 1.0))
    assert "The search found no tuned noise that is better" in VIEW.detail(worse)
    assert "uned noise" not in VIEW.detail(dataclasses.replace(hard, tuned=None))


@only_in_ci
@pytest.mark.parametrize("show", ["shapes", "queries"])
def test_other_pictures_have_no_marks_of_p(show, along_few_counts):
    text = words(drawn.figure(along_few_counts(show=show, objective="quantile"), LIGHT))
    assert "best p found" not in text
    assert "Tuned" in text


@pytest.mark.parametrize("show", ["queries", "power", "shapes"])
@every_objective
def test_what_comes_first_asks_for_no_tuned_noise_and_says_nothing_false(
    show, objective, monkeypatch
):
    """At the ends of ε and δ, and with few answers, the search takes seconds."""

    def searched(**_):
        raise AssertionError

    monkeypatch.setattr("dpviz.maths.accounting.tuning._Search.certified", searched)
    state = HERE | {"queries": 10, "epsilon": 1e-7, "objective": objective, "show": show}
    first = next(noise_choice(**state))
    said = VIEW.takeaway(first)
    if (objective, show) == ("hard", "queries"):
        assert first.at.name == ""
        said += " looked for" if first.at.together < first.at.floor else ""  # all is said
    else:
        assert first.scanning
        assert first.tuned is None
    assert any(word in said for word in ("looked for", "search goes on", "being tried"))
    assert VIEW.detail(first)


def test_while_a_figure_fills_no_noise_is_said_to_win_from_where_nothing_was_computed():
    """It said "from here tuned noise" at k = 10, where that has the least error from k = 3 on."""
    along = AlongQueries(1.0, 1e-5, "deviation", 0.05, "")
    known = {k: whole(along.at(k)) for k in (1.0, 10.0)}
    assert known[1.0].winner != known[10.0].winner
    assert not along.chart(known, 1.0).landmarks
    whole(along.borders(known))
    [mark, *_] = along.chart(known, 1.0).landmarks
    assert mark.x < 10
