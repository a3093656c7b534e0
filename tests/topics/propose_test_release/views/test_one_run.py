"""One run: all users in a row, the three steps one by one, and what is said of them."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release import data as users_data
from dpviz.topics.propose_test_release.delstab import Budget, DelStab, Search
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
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


LEFT, FIRST, DROPPED = "circle", "circle-open", "x-thin-open"
WITHOUT = {"x": Role.DELETED_AS_SMALLEST, "x2": Role.DELETED_AS_LARGEST}  # by the panel


def dots(figure, symbol, axis):
    """Return where the dots of a symbol are in a panel."""
    found = [t.x for t in figure.data if (t.xaxis or "x") == axis and t.marker.symbol == symbol]
    return np.concatenate(found)


def dotted(result):
    """Return for how many users a dot stands."""
    title = drawn(result, LIGHT).layout.xaxis2.title.text
    return int(re.search("a dot is (?:about )?([0-9,]+) user", title)[1].replace(",", ""))


@THEMES
@every_data
@pytest.mark.parametrize("axis", WITHOUT)
def test_users_stand_at_their_sums_and_those_dropped_are_crossed_out(theme, data, axis):
    result = last(PAGE, "run", data=data, noise_factor=2.0)
    figure, per = drawn(result, theme), dotted(result)
    first = result.roles == Role.DELETED_FIRST
    gone = np.isin(result.roles, [Role.DELETED_AS_BOTH, WITHOUT[axis]])
    assert np.count_nonzero(first | gone) == 4 * result.release.budget.kappa
    _, end, wide = one_run_shown._columns(result)
    sums = np.sort(result.release.sums)
    for symbol, users in ((LEFT, ~gone & ~first), (FIRST, first), (DROPPED, gone)):
        x, count = dots(figure, symbol, axis), np.count_nonzero(users)
        assert abs(len(x) - count / per) <= 5  # each of its runs in a row is rounded
        beyond = x + wide > end
        assert np.all(np.abs(x[:, None] - sums).min(axis=1, initial=9e9)[~beyond] <= wide / 2)
    places = np.concatenate([dots(figure, symbol, axis) for symbol in (LEFT, FIRST, DROPPED)])
    assert np.unique(places, return_counts=True)[1].max() <= 14


@THEMES
@every_data
def test_the_difference_stands_beside_what_the_noise_hides(theme, data):
    result = last(PAGE, "run", data=data, noise_factor=2.0)
    figure, search = drawn(result, theme), result.outcome.search
    [gap] = [trace for trace in figure.data if trace.type == "bar"]
    assert gap.x[0] == search.spread
    wall = max(s.x1 for s in figure.layout.shapes if s.xref == "x3")
    assert wall == pytest.approx(search.limit)
    words = [note.text for note in figure.layout.annotations]
    said = one_run_shown.takeaway(result)
    [limit] = [found[1] for text in words if (found := re.search("hides up to <b>(.*)</b>", text))]
    verdict = "refuses" if result.outcome.refused else "answers"
    assert said.endswith(f"up to {limit}, so the algorithm {verdict}.")
    assert any(f"<b>it {verdict}</b>" in text for text in words)
    [spread] = re.findall(" gives sums (.*?) apart\\. ", said)
    assert any(f"<b>{spread}</b>" in text for text in words)
    for text in words:  # what is subtracted is not rounded
        if found := re.match("([0-9,.]+) − ([0-9,.]+) = <b>([0-9,.]+)</b>", text):
            large, small, rest = (float(one.replace(",", "")) for one in found.groups())
            assert large - small == rest


def test_as_many_outliers_are_drawn_as_are_counted():
    """Of 22 outliers 6 dots of 4 users were drawn, and those that stay like the others."""
    result = last(PAGE, "run")
    figure, per = drawn(result, LIGHT), dotted(result)
    for axis in WITHOUT:
        x = np.concatenate([dots(figure, symbol, axis) for symbol in (LEFT, FIRST, DROPPED)])
        assert abs(np.count_nonzero(x > 55) - 24 / per) <= 1


def test_the_first_state_fits_and_is_near_the_truth_and_forty_outliers_do_not():
    result = last(PAGE, "run")
    search, outcome = result.outcome.search, result.outcome
    assert search.spread < 0.95 * search.limit
    assert abs(outcome.answer - outcome.exact_sum) < 0.2 * outcome.exact_sum
    _, refused, _ = shown(PAGE, "Forty stand apart: it refuses")
    assert refused.outcome.search.spread > 1.15 * search.limit


def test_outliers_are_dragged_where_they_stand():
    theme = replace(LIGHT, labels="few")
    result = last(PAGE, "run", outlier_distance=0.5)
    drag = one_run_shown.figure(result, theme).layout["meta"]["drag"]
    assert drag["x"] == result.release.sums[-1]
    assert (drag["x"] - drag["from"]) / drag["each"] == pytest.approx(0.5)
    far = last(PAGE, "run", outlier_distance=10.0)  # beyond the end of the axis
    assert "drag" not in one_run_shown.figure(far, theme).layout.get("meta", {})
    said = [note["text"] for note in one_run_shown.figure(far, theme).layout["annotations"]]
    assert f"up to {readable(far.release.sums.max())} →" in said


def test_the_steps_come_one_by_one_and_where_their_numbers_come_from_is_said():
    result = last(PAGE, "run")
    figure = one_run_shown.figure(result, LIGHT)
    first, second, third = figure.frames
    place = next(i for i, trace in enumerate(figure.data) if trace["type"] == "bar")
    assert first["data"][place]["x"][0] == 0
    assert second["data"][place]["x"][0] == third["data"][place]["x"][0] > 0
    at_first = " ".join(note["text"] for note in first["layout"]["annotations"])
    assert "drop 18 users (○)" in at_first
    assert "drawn at random" in at_first
    assert "770" not in at_first
    assert "smallest" not in at_first
    at_last = " ".join(note["text"] for note in third["layout"]["annotations"])
    numbers = re.findall(r"[0-9]+(?:,[0-9]+)*", re.sub("<span.*?>", "", at_last))
    assert "4,393 − 3,623 = <b>770</b>" in at_last
    assert {"18", "24", "822"} <= set(numbers)
    gone = np.sort(result.release.sums)[: -result.outcome.threshold]  # without the outliers drawn
    more = 4 * result.release.budget.kappa - result.outcome.threshold
    left = gone[more:].sum(), gone[:-more].sum()
    assert left[0] - left[1] == 770
    said = one_run_shown.detail(result)
    assert (
        "Without the smallest the sum of the rest is {:,.0f}, without the largest {:,.0f}".format(
            *left
        )
        in said
    )
    assert f"4 × 18 are left out in all, so {more} after those" in said


def test_the_allowed_number_follows_from_the_noise():
    """At that distance, and no farther, no answer is likelier by more than e^(ε/3), but for δ̄."""
    result = last(PAGE, "run", noise="gaussian")
    limit, sigma, budget = (
        result.release.limit,
        result.release.mechanism.sigma,
        result.release.budget,
    )
    assert f"its standard deviation is {readable(sigma)}, c times" in one_run_shown.detail(result)
    x = np.linspace(-20 * sigma, 20 * sigma, 400_001)
    for apart in (limit, 1.01 * limit):
        ours, theirs = (np.exp(-((x - at) ** 2) / 2 / sigma**2) for at in (apart, 0.0))
        beyond = np.maximum(ours - math.exp(budget.epsilon_bar) * theirs, 0).sum() / theirs.sum()
        assert (beyond > 1.001 * budget.delta_bar) == (apart > limit)


def test_numbers_that_would_look_alike_get_more_digits():
    for spread, limit in ((29_911.2, 29_911.4), (29_911.4, 29_911.2), (12.0, 12.0)):
        search = Search(1, 1, 0, spread, limit)
        left, right = one_run_shown._numbers(search)
        assert (left != right) == (spread != limit)


@pytest.mark.parametrize("room", [350, 410, 600])
@every_data
def test_on_a_projector_the_steps_fill_the_screen_and_stand_clear_of_each_other(room, data):
    figure = drawn(last(PAGE, "run", data=data), replace(LIGHT.projected(room), labels="only"))
    layout = figure.layout
    assert layout.height <= room + 1  # three panels are rounded
    whole = layout.height - layout.margin.t - layout.margin.b
    bands = [axis.domain for axis in (layout.yaxis3, layout.yaxis2, layout.yaxis)]
    assert bands[0][0] == 0
    assert layout.margin.t > 14
    for (_, end), (start, _) in itertools.pairwise(bands):
        assert (start - end) * whole > 14 + 16  # words of 16 pixels, and ticks above them
    assert all((end - start) * whole > 30 for start, end in bands)


def test_parts_add_up_to_the_spread():
    for data in users_data.DATA:
        result = last(PAGE, "run", data=data)
        sums = result.release.sums
        top = sums[result.roles == Role.DELETED_AS_LARGEST].sum()
        bottom = sums[result.roles == Role.DELETED_AS_SMALLEST].sum()
        assert top - bottom == pytest.approx(result.outcome.search.spread)


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_where_it_begins_to_refuse_is_where_the_test_says_so(noise):
    result = last(PAGE, "run", noise=noise)
    moved, step = result.moved, 1.0 if noise == "geometric" else 1e-3 * result.moved.unit
    assert moved.at < moved.brink < math.inf
    for at, refused in ((moved.brink - step, False), (moved.brink, True), (1e3, True)):
        distance = min((at - moved.others) / moved.unit, 10.0)
        again = last(PAGE, "run", noise=noise, outlier_distance=distance)
        assert again.outcome.refused == refused
        assert again.moved.brink == moved.brink


def test_a_single_outlier_has_a_dot_where_it_is_dragged():
    """A dot was five users, and the one at the grip had none."""
    result = last(PAGE, "run", outliers=1.0)
    figure = drawn(result, LIGHT)
    assert abs(dots(figure, FIRST, "x").max() - result.moved.at) < 1


def test_where_all_outliers_may_be_dropped_it_refuses_at_no_distance():
    assert last(PAGE, "run", outliers=10.0).moved.brink == math.inf
    assert math.isnan(last(PAGE, "run", users=80.0).moved.brink)  # too few users to tell


def test_many_users_share_dots():
    figure = drawn(last(PAGE, "run", users=10**5), LIGHT)
    for axis in WITHOUT:
        assert sum(len(dots(figure, symbol, axis)) for symbol in (LEFT, FIRST, DROPPED)) <= 405


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
        "Once 18 users are dropped, dropping the smallest or the largest of the rest gives sums "
        "770 apart. The noise hides up to 822, so the algorithm answers."
    )
    refusing = one_run_shown.VIEW.takeaway(last(PAGE, "run", outliers=100.0))
    assert re.search(
        r" sums [0-9,]+ apart\. The noise hides only up to [0-9,]+, so the algorithm refuses\.$",
        refusing,
    )
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
    budget = Budget(DEFAULTS["epsilon"], 1e-6)
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
    assert noise.laplace == pytest.approx(math.sqrt(2) * noise.bound / 3, rel=0.01)  # ε = 3
    sums = result.release.sums
    assert noise.cut == sum(max(s - noise.bound, 0) for s in sums)
    assert noise.ratio > 30
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
    assert result.curve("fewest").y[at] == 4 * result.kappa + 1 == 73
    assert "nothing to test" in view.detail(result)


def test_on_the_wage_panel_it_is_said_that_the_noise_has_seen_the_data():
    said = "taken from these data, which a private analysis could not do"
    assert said in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run", data="wages")))
    assert said not in " ".join(one_run_shown.VIEW.notes(last(PAGE, "run")))
