"""One run: a dot for every user, the spread, the noise, and what is said of them."""

import math

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release import data as users_data
from dpviz.topics.propose_test_release.delstab import Budget, DelStab
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views import one_run_shown
from tests.support.declarations import last, page, results, shown, states
from tests.support.examples import examples
from tests.support.specs import Checked

drawn = Checked(one_run_shown).figure
PAGE = page("propose_test_release")

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])

every_data = pytest.mark.parametrize("data", users_data.DATA)

few = examples(15)

DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}


@THEMES
@every_data
def test_every_user_has_a_dot_in_the_lane_of_their_part(theme, data):
    result = last(PAGE, "run", data=data, noise_factor=2.0)
    figure = drawn(result, theme)
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
    figure = drawn(last(PAGE, "run", data=data), theme)
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
    assert any("of 100,000 users are drawn" in note for note in one_run_shown.VIEW.notes(result))
    assert not any("are drawn" in note for note in one_run_shown.VIEW.notes(last(PAGE, "run")))


@few
@given(values=states(PAGE))
def test_a_sentence_tells_the_outcome(values):
    values = values | {"view": "run", "examples_per_user": 100}
    try:
        [result] = results(PAGE, PAGE.open_view(values), values)
    except ParameterError:
        return
    detail, notes = one_run_shown.VIEW.detail(result), " ".join(one_run_shown.VIEW.notes(result))
    kappa = Budget(values["epsilon"], values["delta"]).kappa
    needed = isinstance(result, UsersNeeded)
    assert f"n > 4κ = {4 * kappa:,} users" in (detail if needed else notes)
    if needed:
        assert result.users <= 4 * kappa
        assert "only" in detail
    else:
        assert ("The answer is ⊥" in detail) == result.outcome.refused
        assert ("smaller" in detail) == (result.comparison.ratio >= 1)
    assert "nan" not in detail


def test_the_first_screen_says_in_plain_words_what_its_signs_are_and_answers():
    result = last(PAGE, "run")
    assert not result.outcome.refused
    assert one_run_shown.VIEW.takeaway(result).startswith(
        f"The test drew {result.outcome.threshold}: "
    )
    # the sum is that of those left at the end, not of "the others": it is told below
    assert one_run_shown.VIEW.takeaway(result).endswith("so it answers.")
    detail = one_run_shown.VIEW.detail(result)
    for plain, sign in (
        ("drawn by chance", "(R₁"),
        ("near", "κ ="),
        ("alike without them", "X_stable"),
        ("does not answer", "(⊥)"),
    ):
        assert 0 < detail.index(plain) < detail.index(sign)


def test_one_user_left_is_told_in_the_singular():
    budget = Budget(1.0, 1e-6)
    detail = one_run_shown.VIEW.detail(
        last(PAGE, "run", data="well-behaved", users=budget.fewest_users, noise_factor=100.0)
    )
    assert "for the 1 user left" in detail
    assert "there is only 1:" in one_run_shown.VIEW.detail(last(PAGE, "run", users=1))


@pytest.mark.parametrize("data", ["well-behaved", "outliers", "clusters", "heavy"])
def test_plain_noise_is_that_of_a_sum_cut_off_to_m(data):
    result = last(PAGE, "run", data=data)
    noise = result.comparison
    assert noise.bound == DEFAULTS["examples_per_user"]
    assert noise.laplace == pytest.approx(math.sqrt(2) * noise.bound, rel=1e-5)  # ε = 1
    sums = result.release.sums
    assert noise.cut == sum(max(s - noise.bound, 0) for s in sums)
    assert noise.ratio > 100
    assert f"{noise.ratio:.3g} times smaller" in one_run_shown.VIEW.detail(result)


def test_the_wage_panel_is_cut_off_to_its_own_range():
    noise = last(PAGE, "run", data="wages").comparison
    sums = users_data.wage_panel_sums()
    assert (noise.bound, noise.cut) == (max(sums) - min(sums), 0)


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


def test_on_the_wage_panel_it_is_said_that_the_noise_has_seen_the_data():
    said = "taken from these data, which an analysis that has to be private could not do"
    assert said in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run", data="wages")))
    assert said not in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run")))
