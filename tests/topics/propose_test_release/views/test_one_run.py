"""One run: a dot for every user, the three steps, and what is said of them."""

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release import data as users_data
from dpviz.topics.propose_test_release.delstab import Budget, DelStab
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.user_groups_shown import NAMES
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


def heaps(figure):
    """Return the traces of the users of each kind."""
    said = {trace.hovertemplate.partition(", sum")[0]: trace for trace in figure.data}
    return {name: trace for name, trace in said.items() if name in NAMES.values()}


@THEMES
@every_data
def test_every_user_has_a_dot_in_the_colour_of_their_part_and_the_steps_are_in_the_figure(
    theme, data
):
    result = last(PAGE, "run", data=data, noise_factor=2.0)
    figure = drawn(result, theme)
    dots = {name: len(trace.x) for name, trace in heaps(figure).items()}
    per = math.ceil(result.release.users / 600)
    assert sum(dots.values()) * per >= result.release.users
    if per == 1:
        assert dots["dropped first"] == result.outcome.threshold
        assert dots["in between"] == np.count_nonzero(result.roles == Role.KEPT)
    [spread] = [trace for trace in figure.data if trace.type == "bar" and trace.xaxis == "x2"]
    assert spread.x[0] == result.outcome.search.spread
    [line] = [shape for shape in figure.layout.shapes if shape.xref == "x2"]
    assert line.x0 == result.outcome.search.limit
    words = [note.text for note in figure.layout.annotations]
    assert [text[:13] for text in words] == ["<b>1 Propose<", "<b>2 Test</b>", "<b>3 Release<"]
    assert ("refuses" in words[2]) == result.outcome.refused
    points = {trace.text[0]: trace.x for trace in figure.data if trace.text}
    assert points == (
        {}
        if result.outcome.refused
        else {"true sum": (result.outcome.exact_sum,), "released": (result.outcome.answer,)}
    )


@pytest.mark.parametrize("room", [350, 410, 600])
@every_data
def test_on_a_projector_the_steps_fill_the_screen_and_stand_clear_of_each_other(room, data):
    figure = drawn(last(PAGE, "run", data=data), LIGHT.projected(room))
    layout = figure.layout
    assert layout.height <= room
    whole = layout.height - layout.margin.t - layout.margin.b
    bands = [axis.domain for axis in (layout.yaxis3, layout.yaxis2, layout.yaxis)]
    assert bands[0][0] == 0
    assert layout.margin.t > 14
    for (_, end), (start, _) in itertools.pairwise(bands):
        assert (start - end) * whole > 14 + 16  # words of 16 pixels, and ticks above them
    assert (bands[2][1] - bands[2][0]) * whole > 60


def test_outliers_stand_behind_a_break_of_the_axis():
    far, near = (
        drawn(last(PAGE, "run", data=data), LIGHT) for data in ("outliers", "well-behaved")
    )
    breaks = [[line for line in one.layout.shapes if line.xref == "x"] for one in (far, near)]
    assert [len(lines) for lines in breaks] == [1, 0]
    assert far.layout.xaxis.ticktext[-1] == "more"
    [line], result = breaks[0], last(PAGE, "run")
    beyond = [trace.x for trace in heaps(far).values()]
    assert sum(np.count_nonzero(np.array(x) > line.x0) for x in beyond) == 48 / 2  # two a dot
    assert np.count_nonzero(result.release.sums > line.x0) == 48


def test_parts_add_up_to_the_spread():
    for data in users_data.DATA:
        result = last(PAGE, "run", data=data)
        sums = result.release.sums
        top = sums[result.roles == Role.DELETED_AS_LARGEST].sum()
        bottom = sums[result.roles == Role.DELETED_AS_SMALLEST].sum()
        assert top - bottom == pytest.approx(result.outcome.search.spread)


def test_many_users_share_dots_and_that_is_told():
    result = last(PAGE, "run", users=10**5)
    assert sum(len(trace.x) for trace in drawn(result, LIGHT).data) < 700
    assert "a dot is 167 users" in drawn(result, LIGHT).layout.annotations[0].text
    assert any("one of about 167 users" in note for note in one_run_shown.VIEW.notes(result))


def test_the_steps_show_the_data_of_the_run():
    """What were views of their own: for all numbers that chance may draw."""
    run, search, law = (last(PAGE, "run", step=step) for step in ("run", "search", "threshold"))
    drawn_first = run.outcome.threshold
    at = search.curve("spread").x == drawn_first
    assert search.curve("spread").y[at] == run.outcome.search.spread
    assert search.limit == run.outcome.search.limit
    assert run.outcome.refused == (drawn_first < search.least_size)
    assert law.refusal == search.refusal == run.release.refusal_probability
    with pytest.raises(ParameterError, match="step"):
        last(PAGE, "run", step="release")


@few
@given(values=states(PAGE))
def test_a_sentence_tells_the_outcome(values):
    values = values | {"view": "run", "examples_per_user": 100}
    try:
        [result] = results(PAGE, PAGE.open_view(values), values)
    except ParameterError:
        return
    view = one_run_shown.VIEW
    detail, notes = view.detail(result), " ".join(view.notes(result))
    kappa = Budget(values["epsilon"], values["delta"]).kappa
    needed = isinstance(result, UsersNeeded)
    along = isinstance(result, PassingSizes)
    assert f"n > 4κ = {4 * kappa:,} users" in (detail if needed or along else notes)
    if needed:
        assert result.users <= 4 * kappa
        assert "only" in detail
    elif not along:
        assert ("does not answer" in detail) == result.outcome.refused
        assert ("smaller" in detail) == (result.comparison.ratio >= 1)
    assert "nan" not in detail


def test_the_first_screen_says_in_plain_words_what_its_signs_are_and_answers():
    result = last(PAGE, "run")
    assert not result.outcome.refused
    assert one_run_shown.VIEW.takeaway(result) == (
        f"Without {result.outcome.threshold} users the rest agree: noise hides who else is "
        "missing, so the algorithm answers."
    )
    refusing = one_run_shown.VIEW.takeaway(last(PAGE, "run", outliers=100.0))
    assert refusing.endswith("so the algorithm refuses to answer.")
    detail, notes = one_run_shown.VIEW.detail(result), one_run_shown.VIEW.notes(result)[0]
    assert not {"R₁", "κ", "⊥", "X_stable"} & set(re.findall(r"\w+|⊥", detail))
    for plain, sign in (
        ("is drawn at random", "R₁"),
        ("usually near", "(κ)"),
        ("without whom the others are alike", "X_stable"),
        ("refuses to answer", "(⊥)"),
    ):
        assert 0 <= notes.index(plain) < notes.index(sign)


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
    said = " ".join(one_run_shown.VIEW.notes(result))
    for deviation in (noise.delstab, noise.laplace, noise.gaussian):
        assert readable(deviation) in said


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
    view, result, values = shown(PAGE, "Too few users to test")
    assert values["users"] < Budget(values["epsilon"], values["delta"]).fewest_users
    assert isinstance(result, UsersNeeded)
    at = np.abs(result.curve("fewest").x - values["epsilon"]).argmin()
    assert result.curve("fewest").y[at] == 4 * result.kappa + 1 == 193
    assert "nothing to test" in view.detail(result)


def test_on_the_wage_panel_it_is_said_that_the_noise_has_seen_the_data():
    said = "taken from these data, which a private analysis could not do"
    assert said in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run", data="wages")))
    assert said not in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run")))
