"""The page on propose-test-release: its pictures, its sentences, its presets."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.scene.scene import Scene
from dpviz.serve.computing import Computation
from dpviz.topics.propose_test_release import data as users_data
from dpviz.topics.propose_test_release import figures, words
from dpviz.topics.propose_test_release.delstab import Budget, DelStab
from dpviz.topics.propose_test_release.example_sums import example_sums
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.run import Role
from tests.support.declarations import last, page, results, shown, states
from tests.support.examples import examples
from tests.support.specs import Checked

figures = Checked(figures)

PAGE = page("propose_test_release")
DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_data = pytest.mark.parametrize("data", users_data.DATA)
few = examples(15)


# The data and the noise.


def test_the_panel_is_read_as_it_is():
    """Person 13's log wages, and how many people there are, straight from the file."""
    lines = users_data._PANEL.read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    wages = [float(row[5]) for row in rows if row[0] == "13"]
    assert len(wages) == 8
    sums = users_data.wage_panel_sums()
    assert len(sums) == len({row[0] for row in rows}) == 545
    assert sums[0] == round(100 * sum(wages))
    assert sum(sums) == pytest.approx(100 * sum(float(row[5]) for row in rows), abs=545 / 2)


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_the_noise_does_not_look_at_the_data(noise):
    mechanisms = {
        last(PAGE, "run", data=data, noise=noise, seed=seed).release.mechanism
        for data in ("well-behaved", "outliers", "clusters", "heavy")
        for seed in (0, 1)
    }
    assert len(mechanisms) == 1


def test_well_behaved_users_pass_with_the_noise_meant_for_them():
    for seed in range(20):
        assert last(PAGE, "search", data="well-behaved", seed=seed).refusal == 0
    assert last(PAGE, "search", data="well-behaved", noise_factor=0.5).refusal > 0.99


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_all_views_look_at_the_same_data(noise):
    for count, distance in ((60, 2.0), (45, 0.7)):
        changes = {"noise": noise, "outliers": count, "outlier_distance": distance}
        moved = last(PAGE, "outliers", **changes)
        curve = moved.curve("refusal")
        here = curve.y[np.abs(curve.x - moved.here).argmin()]
        for view in ("search", "threshold"):
            assert last(PAGE, view, **changes).refusal == here


def test_outliers_are_bounded_by_half_of_the_users():
    with pytest.raises(ParameterError, match="at most half of the 400 users"):
        last(PAGE, "run", users=400, outliers=201)


# One run.


@THEMES
@every_data
def test_every_user_has_a_dot_in_the_lane_of_their_part(theme, data):
    result = last(PAGE, "run", data=data, noise_factor=2.0)
    figure = figures.run_figure(result, theme)
    dots = [trace for trace in figure.data if trace.type == "scatter"]
    assert sum(len(trace.x) for trace in dots) == result.release.users
    for trace in dots:
        lane = math.floor(trace.y[0])
        assert np.all(np.floor(trace.y) == lane)
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    assert bars["spread"].x[0] == result.outcome.search.spread
    noise = result.comparison
    if theme.compact:  # a phone has no room for it
        assert "noise" not in bars
    else:
        assert bars["noise"].x == (noise.gaussian, noise.laplace, noise.delstab)
    [line] = figure.layout.shapes
    assert line.x0 == result.outcome.search.limit


@pytest.mark.parametrize("room", [350, 410, 600])
@every_data
def test_on_a_projector_words_stand_clear_of_the_dots(room, data):
    theme = LIGHT.projected(room)
    figure = figures.run_figure(last(PAGE, "run", data=data), theme)
    assert figure.layout.height <= room  # it fills the screen, and is not squeezed into it
    assert all(trace.name != "noise" for trace in figure.data)
    low, high = figure.layout.yaxis.domain
    lanes = figure.layout.yaxis.range[1] - figure.layout.yaxis.range[0]
    margin = figure.layout.margin
    lane = (high - low) * (figure.layout.height - margin.t - margin.b) / lanes
    tops = sorted(float(max(t.y)) for t in figure.data if t.type == "scatter")
    words = sorted(note.y for note in figure.layout.annotations if note.yref in (None, "y"))
    assert len(words) == len(tops) >= 3
    for level, (dots, bottom) in enumerate(zip(tops, words, strict=True)):
        assert dots <= bottom
        assert (level + 1 - bottom) * lane > 14  # of words of 16 pixels, above the line


def test_parts_add_up_to_the_spread():
    for data in users_data.DATA:
        result = last(PAGE, "run", data=data)
        top = result.dots(Role.DELETED_AS_LARGEST).sum()
        bottom = result.dots(Role.DELETED_AS_SMALLEST).sum()
        assert top - bottom == pytest.approx(result.outcome.search.spread)


def test_many_users_are_thinned_out_and_that_is_told():
    result = last(PAGE, "run", users=10**5)
    assert len(result.columns()["sum"]) < 10_000
    assert any("of 100,000 users are drawn" in note for note in words.run_notes(result))
    assert not any("are drawn" in note for note in words.run_notes(last(PAGE, "run")))


@few
@given(values=states(PAGE))
def test_a_sentence_tells_the_outcome(values):
    values = values | {"view": "run", "examples_per_user": 100}
    try:
        [result] = results(PAGE, PAGE.open_view(values), values)
    except ParameterError:
        return
    told, notes = words.run_detail(result), " ".join(words.run_notes(result))
    kappa = Budget(values["epsilon"], values["delta"]).kappa
    needed = isinstance(result, UsersNeeded)
    assert f"n > 4κ = {4 * kappa:,} users" in (told if needed else notes)
    if needed:
        assert result.users <= 4 * kappa
        assert "only" in told
    else:
        assert ("The answer is ⊥" in told) == result.outcome.refused
        assert ("smaller" in told) == (result.comparison.ratio >= 1)
    assert "nan" not in told


def test_the_first_screen_says_in_plain_words_what_its_signs_are_and_answers():
    result = last(PAGE, "run")
    assert not result.outcome.refused
    assert "Chance lets the test leave out" in words.run_takeaway(result)
    # the sum is that of those left at the end, not of "the others": it is told below
    assert words.run_takeaway(result).endswith("so the algorithm answers.")
    told = words.run_detail(result)
    for plain, sign in (
        ("drawn by chance", "(R₁"),
        ("near", "κ ="),
        ("alike without them", "X_stable"),
        ("does not answer", "(⊥)"),
    ):
        assert 0 < told.index(plain) < told.index(sign)


def test_one_user_left_is_told_in_the_singular():
    budget = Budget(1.0, 1e-6)
    told = words.run_detail(
        last(PAGE, "run", data="well-behaved", users=budget.fewest_users, noise_factor=100.0)
    )
    assert "for the 1 user left" in told
    assert "there is only 1:" in words.run_detail(last(PAGE, "run", users=1))


# The charts.


def test_where_the_test_passes_is_told_and_marked():
    for changes, expected in (
        (
            {"data": "clusters"},
            "no set of up to 2κ = 96 users is stable, so the answer is always a refusal (⊥)",
        ),
        (
            {"data": "well-behaved"},
            "every set of up to 2κ = 96 users is stable, so the answer is never",
        ),
    ):
        assert expected in words.search_detail(last(PAGE, "search", **changes))
    chart = last(PAGE, "search")
    assert f"from R₁ = {chart.least_size} left out on" in words.search_detail(chart)
    texts = [note.text for note in figures.search_figure(chart, LIGHT).layout.annotations]
    assert f"passes from {chart.least_size} on" in texts


@THEMES
def test_the_grey_part_of_the_threshold_is_refusal(theme):
    chart = last(PAGE, "threshold")
    curve = chart.curve("pmf")
    assert curve.y[~curve.holds].sum() == pytest.approx(chart.refusal)
    texts = [note.text for note in figures.threshold_figure(chart, theme).layout.annotations]
    assert any("⊥" in text for text in texts)
    quiet = figures.threshold_figure(last(PAGE, "threshold", data="well-behaved"), theme)
    assert not any("⊥" in note.text for note in quiet.layout.annotations)


def test_a_spread_that_falls_far_gets_a_log_axis():
    heavy = last(PAGE, "search", data="heavy", noise_factor=0.2)
    assert figures.search_figure(heavy, LIGHT).layout.yaxis.type == "log"
    assert figures.search_figure(last(PAGE, "search"), LIGHT).layout.yaxis.type is None


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (0.0, "never a refusal (⊥)"),
        (1.0, "always a refusal (⊥)"),
        (0.25, "a refusal (⊥) with probability 0.25"),
        (1 - 1e-6, "a refusal (⊥) with probability 1 − 10⁻⁶"),
    ],
)
def test_probabilities_in_words(refusal, expected):
    assert words._chance(refusal) == expected


# Beside plain noise.


@pytest.mark.parametrize("data", ["well-behaved", "outliers", "clusters", "heavy"])
def test_plain_noise_is_that_of_a_sum_cut_off_to_m(data):
    result = last(PAGE, "run", data=data)
    noise = result.comparison
    assert noise.bound == DEFAULTS["examples_per_user"]
    assert noise.laplace == pytest.approx(math.sqrt(2) * noise.bound, rel=1e-5)  # ε = 1
    sums = result.release.sums
    assert noise.cut == sum(max(s - noise.bound, 0) for s in sums)
    assert noise.ratio > 100
    assert f"{noise.ratio:.3g} times smaller" in words.run_detail(result)


def test_the_wage_panel_is_cut_off_to_its_own_range():
    noise = last(PAGE, "run", data="wages").comparison
    sums = users_data.wage_panel_sums()
    assert (noise.bound, noise.cut) == (max(sums) - min(sums), 0)


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_the_chart_shows_the_noise_of_the_run(noise):
    changes = {"data": "well-behaved", "noise": noise}
    chart, run = last(PAGE, "noise", **changes), last(PAGE, "run", **changes)
    at = chart.curve("delstab").y[chart.curve("delstab").x == chart.here]
    assert at == pytest.approx(run.comparison.delstab)
    assert (chart.at.laplace, chart.at.gaussian) == (
        run.comparison.laplace,
        run.comparison.gaussian,
    )


def test_plain_noise_is_smaller_until_the_break_even():
    view, chart, _ = shown(PAGE, "Plain noise is smaller")
    told = view.detail(chart)
    assert chart.at.ratio == pytest.approx(111, abs=1)
    assert "DelStab adds 111 times the noise of plain Laplace noise" in told
    assert "only from about m = 1.2 × 10⁶ on" in told
    [mark] = chart.marks
    assert mark.x == chart.break_even
    better = np.minimum(chart.curve("laplace").y, chart.curve("gaussian").y)
    less = chart.curve("delstab").y < better * (1 - 1e-3)
    assert np.array_equal(less, chart.curve("delstab").x > 1.01 * chart.break_even)


def test_where_delstab_adds_less():
    view, chart, values = shown(PAGE, "Where DelStab adds less")
    assert chart.at.ratio < 1
    assert values["examples_per_user"] > chart.break_even
    assert "less noise than plain Laplace" in view.detail(chart)


def test_a_break_even_out_of_sight_is_told():
    far = last(PAGE, "noise", users=10**5, epsilon=0.02)
    assert math.isinf(far.break_even)
    assert not far.marks
    assert "Even with a billion examples" in words.noise_detail(far)
    assert "With m = 100 examples each" in words.noise_detail(far)
    single = dataclasses.replace(far, here=1.0)
    assert "With m = 1 example each" in words.noise_detail(single)
    assert "With 1 example each" in words.noise_takeaway(single)


def test_where_no_geometric_noise_is_loud_enough_the_reader_is_told_what_to_change():
    """As each change that the refusal names lets the test run."""
    refused = {"data": "heavy", "users": 10**4, "examples_per_user": 10**6, "epsilon": 0.3}
    values = DEFAULTS | refused
    view = PAGE.open_view(values | {"view": "search"})

    def first(**changes):
        return view.compute(**PAGE.call(PAGE.arguments(view, values | changes)))

    told = "noise must be .*: choose Gaussian noise, a larger ε or a smaller m; got 'geometric'"
    with pytest.raises(ParameterError, match=told):
        first()
    for changes in ({"noise": "gaussian"}, {"epsilon": 1.0}, {"examples_per_user": 10**5}):
        assert first(**changes).kappa


# Controls without effect are hidden.


@pytest.mark.parametrize("view", PAGE.views, ids=lambda view: view.key)
@every_data
def test_a_hidden_control_has_no_effect(view, data):
    values = DEFAULTS | {"view": view.key, "data": data}
    other = {
        "users": 2000,
        "examples_per_user": 50,
        "rate": 0.2,
        "outliers": 7,
        "outlier_distance": 1.0,
        "seed": 3,
    }
    idle = set(view.idle(values)) & set(view.parameters)

    def some(values):
        """Compute a few results."""
        computation = Computation(Scene(PAGE, view, values))
        for _ in range(2):
            computation.advance()
        return computation.result

    before, after = some(values), some(values | {key: other[key] for key in idle})
    assert view.detail(before) == view.detail(after)
    assert view.takeaway(before) == view.takeaway(after)
    for name, column in before.columns().items():
        np.testing.assert_array_equal(column, after.columns()[name])


# The presets show what their names say.


def test_one_outlier_does_not_make_it_refuse():
    _, chart, values = shown(PAGE, "One outlier does not make it refuse")
    assert values["outliers"] == 1
    assert chart.curve("refusal").y.max() < 1e-3


@pytest.mark.parametrize("factor", [0.68, 0.73, 0.77])
def test_not_even_at_the_brink(factor):
    """The outlier moves by e^ε̄·p + δ̄ at most, even where ⊥ has a fair chance."""
    budget = Budget(DEFAULTS["epsilon"], DEFAULTS["delta"])
    chart = last(PAGE, "outliers", outliers=1, noise_factor=factor)
    refusal = chart.curve("refusal").y
    assert 1e-6 < refusal.min() < refusal.max() < 1
    assert refusal.max() <= math.exp(budget.epsilon_bar) * refusal.min() + budget.delta_bar


def test_a_group_of_outliers_makes_it_refuse():
    view, chart, values = shown(PAGE, "A group of outliers makes it refuse")
    together, alone = chart.curve("refusal"), chart.curve("alone")
    assert together.y[0] < 1e-3
    assert together.y[np.abs(together.x - chart.here).argmin()] > 0.9
    assert alone.y.max() < 1e-3
    assert values["outliers"] > chart.budget.kappa
    assert f"above {math.exp(chart.budget.epsilon_bar):.3g}·p" in view.detail(chart)


def test_two_clusters():
    _, chart, _ = shown(PAGE, "Two clusters")
    assert chart.refusal == 1
    rng = np.random.default_rng(0)
    sums = example_sums("clusters", users=1000, examples_per_user=100, rate=0.3, rng=rng)
    near = [np.count_nonzero(np.abs(sums - centre) <= 10) for centre in (30, 50, 70)]
    assert near[1] < 0.1 * min(near[0], near[2])


def test_real_wages():
    _, result, _ = shown(PAGE, "Real wages")
    assert result.release.users == 545
    assert isinstance(result.release, DelStab)
    assert not result.outcome.refused


def test_too_few_users():
    view, result, values = shown(PAGE, "Too few users")
    assert values["users"] < Budget(values["epsilon"], values["delta"]).fewest_users
    assert isinstance(result, UsersNeeded)
    at = np.abs(result.curve("fewest").x - values["epsilon"]).argmin()
    assert result.curve("fewest").y[at] == 4 * result.kappa + 1 == 193
    assert "nothing to test" in view.detail(result)
