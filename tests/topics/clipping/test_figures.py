"""The page on clipping: what its views compute, its pictures, its sentences, its presets."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.results.user_data import UserData, read_csv, user_data, wage_panel
from dpviz.topics.clipping import figures, words
from dpviz.topics.clipping.scores import theorem_threshold
from dpviz.topics.clipping.tasks import TASKS, make_task
from dpviz.topics.clipping.views.choosing import error_against_threshold
from dpviz.topics.clipping.views.real_data import real_data
from dpviz.topics.clipping.views.users_needed import (
    LARGEST_M,
    examples_grid,
    theorem_shape,
    theorem_stretches,
    users_needed,
)
from tests.support.declarations import last, page, shown, states
from tests.support.specs import Checked
from tests.support.strategies import inside

draw, figures = Checked(draw), Checked(figures)

PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_task = pytest.mark.parametrize("task", TASKS)
few = settings(max_examples=15, deadline=None)


def whole(key, **changes):
    """The finest result of a view, computed to its end however long that takes."""
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": key} | changes
    view = PAGE.open_view(values)
    *_, result = view.compute(**PAGE.call(PAGE.arguments(view, values)))
    return result


def preset(label):
    [found] = [preset for preset in PAGE.presets if preset.label == label]
    return dict(found.values)


# One user, clipped.


@every_task
def test_every_user_is_in_the_histogram(task):
    result = last(PAGE, "user", task=task, threshold=5.0)
    m, tau = result.examples_per_user, result.threshold
    assert (result.inside + result.outside).sum() == result.scores.size == 200
    beyond = (result.scores > tau) | (result.scores < result.low)
    assert result.cut == np.count_nonzero(beyond)
    places = np.searchsorted(result.edges, result.scores, side="right") - 1
    np.testing.assert_array_equal(
        np.bincount(places, minlength=result.edges.size - 1), result.inside + result.outside
    )
    assert np.abs(result.scores).max() <= m
    assert result.bias == pytest.approx(float(np.mean(result.clipped - result.scores)))
    chosen = make_task(task, candidates=16)
    row = chosen.names.index(result.rival)
    against = chosen.errors[row]
    assert np.sum(chosen.errors < against - 1e-12) <= 4
    ratio = result.noise(result.unclipped_sensitivity) / result.noise(result.sensitivity)
    pairwise = 2 * tau if chosen.loss is None else tau
    assert ratio == pytest.approx((2 * m if task.startswith("noisy") else m) / pairwise)


def test_the_expected_score_is_that_of_many_users():
    result = last(PAGE, "user", users=10_000)
    error = result.scores.std() / 100
    assert abs(result.scores.mean() - result.expected) < 5 * error


@THEMES
@every_task
def test_the_histogram_draws_users_lines_and_noise(theme, task):
    result = last(PAGE, "user", task=task, threshold=8.0)
    figure = figures.user_figure(result, theme)
    inside_, outside_ = (trace for trace in figure.data if trace.type == "bar")
    assert sum(inside_.y) + sum(outside_.y) == 200
    lines = [shape.x0 for shape in figure.layout.shapes]
    assert lines == ([-8.0, 8.0] if result.low < 0 else [0.0, 8.0])
    unclipped, clipped = (trace for trace in figure.data if trace.type == "scatter")
    saved = unclipped.error_x.array[0] / clipped.error_x.array[0]
    scheffe = task in ("discrete", "gaussian", "selection")
    assert saved == pytest.approx(50 / 8 if scheffe else 100 / 8)
    low, high = figure.layout.xaxis.range
    assert low <= result.edges[0] <= result.edges[-1] <= high


@few
@given(values=states(PAGE))
def test_a_sentence_tells_how_many_are_cut(values):
    result = last(PAGE, "user", **{**values, "view": "user"})
    assert f"cuts {result.cut:,} of " in words.user_takeaway(result)


# What gets selected.


@every_task
def test_the_law_of_the_answer_is_that_of_the_scores(task):
    values = {"task": task, "threshold": 4.0, "examples_per_user": 30, "users": 60}
    result = last(PAGE, "selected", seed=5, **values)
    chosen = make_task(task, candidates=16)
    data = chosen.draw(np.random.default_rng(5), users=60, examples_per_user=30)
    scores = chosen.scores(data, threshold=4.0)
    sensitivity = chosen.sensitivity(4.0, examples_per_user=30)
    law = selection_probabilities(scores, epsilon=0.2, sensitivity=sensitivity)
    np.testing.assert_allclose(np.sort(result.clipped), np.sort(law), rtol=1e-9)
    for name, probability in zip(result.names, result.clipped, strict=True):
        assert probability == pytest.approx(law[chosen.names.index(name)])
    assert np.all(np.diff(result.errors) >= 0)
    good = result.errors <= chosen.optimum + 0.05 + 1e-9
    np.testing.assert_array_equal(result.good, good)
    assert result.success(result.clipped) == pytest.approx(result.clipped[good].sum())


def test_clipping_at_m_is_no_clipping():
    result = last(PAGE, "selected", threshold=100.0)
    np.testing.assert_allclose(result.clipped, result.unclipped)
    assert "clips nothing" in words.selected_takeaway(result)


@THEMES
def test_bars_are_the_probabilities(theme):
    result = last(PAGE, "selected", candidates=64)
    assert result.published is None
    clipped, unclipped = figures.selected_figure(result, theme).data
    assert list(clipped.y) == result.clipped.tolist()
    assert list(unclipped.y) == result.unclipped.tolist()
    assert sum(clipped.y) == pytest.approx(1)


def test_the_papers_sensitivity_stands_beside_the_exact_one():
    result = last(PAGE, "selected", threshold=100.0)
    figure = figures.selected_figure(result, LIGHT)
    assert [bar.name for bar in figure.data][-1] == "clipped, as published: Δ = 2τ"
    assert list(figure.data[-1].y) == result.columns()["probability_published"].tolist()
    assert result.success(result.published) < result.success(result.clipped)
    assert any("The paper takes 2τ = 200;" in note for note in words.selected_notes(result))
    chart = whole("threshold")
    exact, published = chart.curve("exact"), chart.curve("published")
    same = exact.x <= 40
    np.testing.assert_allclose(exact.y[same], published.y[same])
    assert published.y[-1] > 1.2 * exact.y[-1]
    assert published.evidence is Evidence.PUBLISHED
    assert "Theorem 37" in str(published.source)


def test_a_probability_below_1_is_never_told_as_1():
    assert words.chance(1 - 1e-9).startswith("1 − ")
    assert words.chance(1.0) == "1"


@pytest.mark.parametrize(
    ("task", "candidates", "applies"),
    [("noisy_thresholds", 16, True), ("discrete", 16, False), ("discrete", 64, True)],
)
def test_the_notes_say_where_theorem_37_has_nothing_to_say(task, candidates, applies):
    """A class that holds the truth has a candidate of score 0; a coarse cover has none."""
    result = last(PAGE, "selected", task=task, candidates=candidates, alpha=0.1)
    psi, law = result.task.psi, result.task.law
    least = min(max(psi[h, g] @ law for g in range(len(psi)) if g != h) for h in range(len(psi)))
    assert (least <= 0.01) == applies
    told = any("does not apply" in note for note in words.selected_notes(result))
    assert told != applies


# Choosing τ.


@every_task
def test_the_curve_is_the_expected_error(task):
    chart = whole("threshold", task=task, examples_per_user=20, users=50, seed=2)
    chosen = make_task(task, candidates=16)
    data = chosen.draw(np.random.default_rng(2), users=50, examples_per_user=20)
    curve = chart.curve("exact")
    for tau, error in list(zip(curve.x, curve.y, strict=True))[::6]:
        law = selection_probabilities(
            chosen.scores(data, threshold=float(tau)),
            epsilon=0.2,
            sensitivity=chosen.sensitivity(float(tau), examples_per_user=20),
        )
        assert error == pytest.approx(float(law @ chosen.errors))
    assert chart.errors["least"] == curve.y.min()
    assert chart.unclipped == 20
    if chosen.loss is None:
        paper = theorem_threshold(alpha=0.05, examples_per_user=20)
        assert chart.proposed == pytest.approx(min(paper, 20))
    else:
        assert chart.proposed == 1
    simulated = chart.curve("simulated")
    assert np.all((simulated.lower <= simulated.y) & (simulated.y <= simulated.upper))
    assert chart.done == 1


@few
@given(st.floats(0.1, 30), st.floats(0.1, 0.3))
def test_a_tight_threshold_is_computed_as_it_is_typed(threshold, constant):
    """Below m/300 as well: the reader's τ, and the paper's at a small C."""
    at = {"examples_per_user": 10_000, "users": 30, "task": "discrete", "candidates": 4}
    at |= {"domain_size": 2, "epsilon": 0.2, "alpha": 0.01}
    chosen = make_task("discrete", candidates=4)
    rng = np.random.default_rng(2)
    chart = next(error_against_threshold(threshold=threshold, constant=constant, rng=rng, **at))
    data = chosen.draw(np.random.default_rng(2), users=30, examples_per_user=10_000)
    paper = theorem_threshold(alpha=0.01, examples_per_user=10_000, constant=constant)
    assert chart.proposed == pytest.approx(paper)
    for tau, error in ((threshold, chart.errors["here"]), (paper, chart.errors["proposed"])):
        law = selection_probabilities(
            chosen.scores(data, threshold=tau), epsilon=0.2, sensitivity=2 * tau
        )
        assert error == pytest.approx(float(law @ chosen.errors))


def test_the_simulation_agrees_with_the_curves_of_many_seeds():
    """Means of the exact curve over 16 data sets lie in the intervals, which are wider."""
    charts = [whole("threshold", seed=seed) for seed in range(16)]
    taus = charts[0].curve("simulated").x
    means = np.mean(
        [np.interp(taus, c.curve("exact").x, c.curve("exact").y) for c in charts], axis=0
    )
    simulated = charts[0].curve("simulated")
    spread = np.std(
        [np.interp(taus, c.curve("exact").x, c.curve("exact").y) for c in charts], axis=0
    )
    room = 4 * spread / math.sqrt(16) + 2e-3
    assert np.all(means > simulated.lower - room)
    assert np.all(means < simulated.upper + room)


@THEMES
def test_the_chart_of_errors_is_drawn(theme):
    assert len(draw(whole("threshold"), theme).data) >= 3


# Users needed.


@given(inside("epsilon", 0.01), inside("alpha", 0.01))
def test_stretches_are_where_a_term_of_the_theorem_leads(epsilon, alpha):
    stretches = theorem_stretches(epsilon=epsilon, alpha=alpha, realizable=False)
    starts = [start for start, _ in stretches]
    assert starts == sorted(starts)
    assert starts[0] == 1
    for (start, slope), end in zip(stretches, [*starts[1:], 1e9], strict=True):
        if end / start < 1.01:
            continue
        m = math.sqrt(start * end)
        terms = {0.0: 1 / epsilon, -0.5: 1 / (alpha * epsilon * m**0.5), -1.0: 1 / (alpha**2 * m)}
        assert max(terms, key=terms.get) == slope


@pytest.mark.parametrize(("realizable", "slopes"), [(False, [-1, -0.5, 0]), (True, [-1, 0])])
def test_the_shape_has_the_slopes_of_its_stretches(realizable, slopes):
    at = {"epsilon": 1e-3, "alpha": 1e-6, "realizable": realizable}
    stretches = theorem_stretches(**at)
    assert [slope for _, slope in stretches] == slopes
    for (start, slope), end in zip(stretches, [s for s, _ in stretches[1:]] + [1e20], strict=True):
        m = math.sqrt(start * end)
        low, high = theorem_shape(np.array([m, 1.1 * m]), candidates=16, **at)
        assert math.log(high / low) / math.log(1.1) == pytest.approx(slope, abs=0.02)


@given(st.floats(1, 1e12))
def test_the_grid_goes_past_the_last_bend(bend):
    grid = examples_grid(bend)
    assert grid[0] == 1
    assert grid[-1] <= LARGEST_M
    assert grid[-1] >= min(5 * bend, LARGEST_M)
    assert np.all(np.diff(grid) > 0)


def test_measured_users_of_a_coin():
    """With and without clipping: the measured numbers behave as Theorem 37 and group privacy."""
    *parts, chart = users_needed(
        task="discrete",
        candidates=16,
        domain_size=2,
        epsilon=0.2,
        alpha=0.05,
        constant=1,
        rng=np.random.default_rng(0),
    )
    assert chart.done == 1
    assert chart.known == chart.points
    ours, theirs = chart.curve("clipped"), chart.curve("unclipped")
    assert np.all((ours.lower <= ours.y) & (ours.y <= ours.upper))
    assert ours.upper[0] >= theirs.lower[0]
    assert theirs.lower[0] <= ours.upper[0]
    assert ours.upper[-1] < 0.65 * theirs.lower[-1]
    # The paper's own, by 2τ where one user moves a score by m: twice the users at m = 1.
    published = chart.curve("published")
    assert published.y[0] == pytest.approx(2 * ours.y[0], rel=0.15)
    assert np.isnan(published.y[-1])
    # Observation 28, up to the intervals: n₁/m ≤ n_m ≤ n₁ for what is a bound on both sides.
    assert np.all(ours.lower <= ours.upper[0] * 1.01)
    assert np.ptp(np.log(theirs.y)) < 0.15
    for part in parts:
        assert part.done <= 1
        measured = part.curve("clipped")
        known = np.isfinite(measured.y)
        assert np.all(measured.lower[known] <= measured.upper[known])
    told = words.needed_takeaway(chart)
    assert "with m = 1 and" in told
    assert "They fall fastest from m = " in told


def test_the_preset_shows_a_slope_of_one_half():
    """Measured over a factor of ten or more in m, where clipping noise leads; then it is flat."""
    values = preset("The slope −1/2")
    chart = whole(**{"key": values.pop("view")} | values)
    curve, fall = chart.curve("clipped"), chart.steepest
    assert fall.slope == pytest.approx(-0.5, abs=0.05)
    assert fall.expected == -0.5
    assert fall.last / fall.first > 9
    inside = (curve.x >= fall.first) & (curve.x <= fall.last)
    fit = np.polyfit(np.log(curve.x[inside]), np.log(curve.y[inside]), 1)
    assert fit[0] == pytest.approx(-0.5, abs=0.06)
    flat = (curve.x >= 1500) & (curve.x <= 15_000)
    assert abs(np.polyfit(np.log(curve.x[flat]), np.log(curve.y[flat]), 1)[0]) < 0.15
    few_examples = curve.x <= 10
    assert np.ptp(np.log(curve.y[few_examples])) < 0.1
    assert "with slope −0." in words.needed_takeaway(chart)


def test_correct_labels_fall_like_one_over_m_and_then_stay():
    *_, chart = users_needed(
        task="thresholds",
        candidates=32,
        domain_size=2,
        epsilon=0.2,
        alpha=0.05,
        constant=1,
        rng=np.random.default_rng(1),
    )
    curve = chart.curve("clipped")
    first, flat = curve.x <= 5, curve.x >= 20
    assert np.polyfit(np.log(curve.x[first]), np.log(curve.y[first]), 1)[0] < -0.75
    assert np.ptp(np.log(curve.y[flat])) < 0.15


@THEMES
def test_partial_results_are_drawn(theme):
    for chart in users_needed(
        task="noisy_thresholds",
        candidates=8,
        domain_size=2,
        epsilon=1,
        alpha=0.2,
        constant=1,
        rng=np.random.default_rng(0),
    ):
        figure = draw(chart, theme)
        assert len(figure.data) == 5
        assert words.needed_takeaway(chart)
        assert words.needed_notes(chart)


# Real data.

OWN = {"bins": 4, "candidates": 64, "unequal": "cap", "epsilon": 1.0}


def expected_error(data, users, threshold, sensitivity, epsilon, candidates=64):
    """By hand: scores of all pairs, user by user, on a lattice of two categories."""
    shares = np.arange(candidates) / (candidates - 1)
    points = np.stack([shares, 1 - shares], axis=1)
    errors = np.abs(shares - data.law[0])
    scores = []
    for h, own in enumerate(points):
        totals = []
        for g, other in enumerate(points):
            if g != h:
                wins = own > other
                given_ = [row.sum() * own[wins].sum() - row[wins].sum() for row in users]
                totals.append(sum(min(max(s, -threshold), threshold) for s in given_))
        scores.append(max(totals))
    law = np.exp(-epsilon * (np.array(scores) - min(scores)) / (2 * sensitivity))
    return float(law @ errors / law.sum())


def test_the_error_on_the_panel_by_hand():
    data = wage_panel("union")
    chart = last(PAGE, "real", data="union", candidates=12, threshold=2.5, epsilon=1.0)
    users = np.zeros((data.users, 2))
    np.add.at(users, (data.user, data.value), 1)
    assert chart.error == pytest.approx(expected_error(data, users, 2.5, 5.0, 1.0, 12))
    assert chart.unclipped == pytest.approx(expected_error(data, users, 8.0, 8.0, 1.0, 12))
    place = int(np.searchsorted(chart.curve("published").x, 2.5))
    assert chart.curve("published").y[place] == pytest.approx(chart.error)
    stated = expected_error(data, users, 8.0, 16.0, 1.0, 12)
    assert chart.curve("published").y[-1] == pytest.approx(stated)
    rows = np.eye(2)[data.value]
    as_users = expected_error(data, rows, 1.0, 1.0, 1.0, 12)
    assert chart.item_level == pytest.approx(as_users)


def test_correlation_makes_a_tight_threshold_lie():
    result = last(PAGE, "real", data="union", candidates=64, threshold=1.0, epsilon=1.0)
    here = np.abs(result.curve("permuted").x - 1.0).argmin()
    assert result.error > 0.1
    assert result.curve("permuted").y[here] < 0.03
    assert result.least > 3
    assert result.permuted_least < 1.5


def test_one_row_a_person_is_item_level():
    result = last(PAGE, "real", data="union", examples_per_user=1, candidates=32)
    assert result.examples == 1
    assert result.item_level == pytest.approx(result.unclipped)


def own_data():
    lines = [f"p{i % 30},{'yes' if i % 3 else 'no'}" for i in range(150)]
    table = read_csv(("person,answer\n" + "\n".join(lines)).encode())
    return user_data(table, user="person", value="answer")


def test_a_readers_own_data():
    own = own_data()
    result = real_data(
        data="own", own=own, examples_per_user=10, threshold=2, rng=np.random.default_rng(0), **OWN
    )
    assert result.users == 30
    assert result.examples == 5
    assert any("“answer” over all rows: no: 0.33, yes: 0.67" in n for n in words.real_notes(result))
    with pytest.raises(ParameterError, match="until a file is uploaded"):
        last(PAGE, "real", data="own")


def test_names_of_a_readers_categories_are_no_markup():
    own = UserData("<b>", ("<img src=x>", "b"), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    result = real_data(
        data="own", own=own, examples_per_user=2, threshold=1, rng=np.random.default_rng(0), **OWN
    )
    told = " ".join(words.real_notes(result))
    assert told.count("<") == told.count("\\<") > 0


@THEMES
@pytest.mark.parametrize("data", ["union", "occupation", "log_wage"])
def test_the_panel_is_drawn_and_told(theme, data):
    result = last(PAGE, "real", data=data)
    assert len(draw(result, theme).data) == 6
    assert "on these data" in words.real_takeaway(result)
    assert result.optimum <= result.radius + 1e-9


# Presets.


def test_no_clipping_shows_an_answer_worse_than_the_default():
    _, result, _ = shown(PAGE, "No clipping")
    assert result.threshold == result.examples_per_user
    usual = last(PAGE, "selected")
    assert usual.success(usual.clipped) > 0.95
    assert result.success(result.clipped) < 0.75


def test_too_tight_shows_clipping_that_lies():
    _, result, _ = shown(PAGE, "Too tight")
    assert result.success(result.unclipped) > 0.9
    assert result.success(result.clipped) < 0.3


def test_m_equal_to_1_has_nothing_to_clip():
    view, result, _ = shown(PAGE, "m = 1")
    assert "clips nothing" in view.takeaway(result)


def test_union_membership_shows_what_correlation_does():
    view, result, values = shown(PAGE, "Union membership in the wage panel")
    assert values["candidates"] == 64
    assert result.error > 4 * result.unclipped
    told = view.takeaway(result)
    assert told.startswith("No τ lowers the expected error of 0.0193 by a tenth on these data")
    assert "With the rows permuted" in told


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 1.0, 3.0])
def test_no_threshold_helps_on_union_membership(epsilon):
    result = last(PAGE, "real", data="union", candidates=64, epsilon=epsilon)
    assert result.least_error > 0.9 * result.unclipped
    assert result.permuted_error < result.least_error or epsilon == 3.0


@few
@given(st.floats(0.1, 3))
def test_a_tight_threshold_on_real_data_is_computed_as_it_is_typed(threshold):
    """300 rows a person or more, so that the grid begins above what is typed."""
    rng = np.random.default_rng(0)
    value = rng.integers(0, 2, size=20 * 1500)
    own = UserData("answer", ("a", "b"), np.repeat(np.arange(20), 1500), value)
    at = {"data": "own", "own": own, "examples_per_user": 1500} | OWN | {"candidates": 12}
    chart = real_data(**at, threshold=threshold, rng=np.random.default_rng(0))
    users = np.zeros((20, 2))
    np.add.at(users, (own.user, own.value), 1)
    by_hand = expected_error(own, users, threshold, 2 * threshold, 1.0, 12)
    assert chart.error == pytest.approx(by_hand)


def test_the_correlation_of_rows_is_the_share_of_pairs_that_agree():
    panel = last(PAGE, "real", data="union")
    data = wage_panel("union")
    pairs = [
        (a, b)
        for person in range(data.users)
        for a, b in itertools.combinations(data.value[data.user == person], 2)
    ]
    alike = np.mean([a == b for a, b in pairs])
    strangers = np.sum(data.law**2)
    assert panel.correlation == pytest.approx((alike - strangers) / (1 - strangers))


def test_clipping_helps_where_a_preset_says_so():
    values = preset("Where clipping helps")
    errors = whole(**{"key": values.pop("view")} | values).errors
    assert errors["best"] < 0.4 * errors["unclipped"]
    assert errors["best"] < 0.7 * errors["laplace"]


def test_users_too_much_alike_are_those_of_the_panel():
    values = preset("Users too much alike")
    panel = last(PAGE, "real", data="union")
    assert values["correlation"] == pytest.approx(panel.correlation, abs=0.005)
    assert (values["users"], values["examples_per_user"]) == (panel.users, panel.examples)
    chart = whole(**{"key": values.pop("view")} | values)
    assert "no τ lowers the expected error" in words.helps_takeaway(chart)
