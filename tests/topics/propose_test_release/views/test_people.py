"""The users of the test one by one: chances with and without some, against a search by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.hand import Hand
from dpviz.plot.people_figure import range_of
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.user_groups import edges_of
from dpviz.topics.propose_test_release.user_groups_shown import PARTS
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.people_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import examples, only_in_nightly
from tests.support.linked import now, titles, understood

PAGE = page("propose_test_release")
FEW = {"users": 30, "examples_per_user": 12, "epsilon": 9.0, "delta": 0.05, "outliers": 4}


def result_of(**changes):
    return last(PAGE, "people", **changes)


def spread_by_hand(sums, size, deleted):
    """The least spread, over which of the ends are deleted first, of all others."""
    ordered = sorted(sums)
    rest = deleted - size
    found = []
    for largest in range(size + 1):
        left = ordered[size - largest : len(ordered) - largest]
        found.append(sum(left[len(left) - rest :]) - sum(left[:rest]))
    return min(found)


def chance_by_hand(sums, budget, limit):
    law, deleted = budget.threshold, 4 * budget.kappa
    passing = [r for r in range(2 * law.kappa + 1) if spread_by_hand(sums, r, deleted) <= limit]
    return float(sum(law.pmf(r) for r in passing))


@examples(10)
@given(st.integers(0, 10**6), st.sampled_from(["outliers", "clusters", "heavy"]))
def test_chances_with_and_without_some_users_by_hand(seed, data):
    result = result_of(**FEW, data=data, seed=seed)
    budget, sums = result.release.budget, result.release.sums
    low, high = np.triu_indices(result.groups)
    rng = np.random.default_rng(seed)
    for number in [0, *rng.integers(1, low.size + 1, 4).tolist()]:
        gone = np.zeros(sums.size, dtype=bool)
        if number:
            gone = (result.group >= low[number - 1]) & (result.group <= high[number - 1])
        others = sums[~gone].tolist()
        place = int(rng.integers(result.factors.size))
        if len(others) < budget.fewest_users:
            assert np.isnan(result.answers[number, place])
            assert np.isnan(result.spreads[number]).all()
            continue
        by_hand = chance_by_hand(others, budget, result.limits[place])
        assert result.answers[number, place] == pytest.approx(by_hand, abs=1e-9)
        for at, size in enumerate(result.sizes.tolist()):
            least = spread_by_hand(others, size, 4 * budget.kappa)
            assert result.spreads[number, at] == pytest.approx(least)


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_the_chance_is_that_of_the_run_at_each_noise(noise):
    result = result_of(noise=noise)
    for place in (result.here, 40, 60):
        other = result_of(noise=noise, noise_factor=float(result.factors[place]))
        assert result.answers[0, place] == pytest.approx(1 - other.release.refusal_probability)
        assert result.limits[place] == pytest.approx(other.release.limit)


def test_users_are_counted_by_what_the_test_does_with_them():
    result = result_of(**FEW)
    low, high = np.triu_indices(result.groups)
    for number in range(low.size):
        inside = (result.group >= low[number]) & (result.group <= high[number])
        assert result.people[number] == inside.sum()
        for spot in (0, result.usual, result.sizes.size - 1):
            counted = [(result.roles[inside, spot] == role).sum() for role in Role]
            assert list(result.parts[number, spot]) == counted


def test_few_users_far_away_share_a_group():
    sums = np.array([*range(20, 40), 4000.0, -700.0])
    edges = edges_of(sums, 10)
    assert edges[0] < 20 - 1 < edges[1] <= 20
    assert edges[-1] < 60
    assert edges.size - 1 <= 12


def test_the_sentence_names_the_group_without_which_the_chance_is_another():
    result = result_of(outliers=60)
    said = VIEW.takeaway(result)
    assert "without the 60 users above 50.5, with practical certainty" in said
    assert f"{result.chance:.3f}" in said
    assert "whichever group" in VIEW.takeaway(result_of(data="wages"))


@only_in_nightly
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_vega_lite_knows_all_of_the_specification(theme):
    understood(VIEW.linked(result_of(), theme))


def test_who_is_brushed_is_looked_up():
    result = result_of()
    drawn = VIEW.linked(result, LIGHT)
    number = range_of(result.groups, Hand((result.groups - 1, result.groups - 1)))
    assert titles(drawn, 0)[number][0] == f"{result.people[-1]:,} of 1,000 users"
    answers = np.array(now(drawn, 2, "line", "y"), dtype=float)
    curves = np.array([row["y"] for row in drawn["concat"][2]["layer"][1]["data"]["values"]])
    assert answers == pytest.approx(result.answers[0], abs=1e-5)
    assert curves[:, number].astype(float) == pytest.approx(
        result.answers[number], abs=1e-5, nan_ok=True
    )
    for row in drawn["concat"][0]["layer"][0]["data"]["values"][::50]:
        user = int(row["said"].split(",")[0].split()[1]) - 1
        assert row["said"].endswith(PARTS[Role(result.roles[user, result.usual])][0])


def test_too_few_users_leave_nothing_to_brush():
    result = result_of(users=150)
    assert isinstance(result, UsersNeeded)
    assert VIEW.linked(result, LIGHT) is None
    assert VIEW.figure(result, LIGHT).data


def test_a_chance_that_is_none_is_not_told_as_certainty_while_users_are_brushed():
    """A chance of 0.99991 was "answered with probability 1", and one of 0.00003 with 0."""
    result = result_of()
    place = int(np.argmax((result.answers[0] > 0.99995) & (result.answers[0] < 1)))
    assert 0.99995 < result.answers[0, place] < 1
    nearly = result_of(noise_factor=float(result.factors[place]))
    assert 0.99995 < nearly.chance < 1
    for answer, said in zip(
        nearly.answers[:, nearly.here], titles(VIEW.linked(nearly, LIGHT), 2), strict=True
    ):
        assert not said[0].endswith((": 1", ": 0")) or answer in (0, 1)
    figure = VIEW.figure(nearly, LIGHT)
    points = next(trace for trace in figure.data if trace["x"].size == result.factors.size)
    said = zip(points["customdata"], points["y"], strict=True)
    assert "1" not in [text for text, chance in said if chance < 1]
