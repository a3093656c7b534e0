"""What several views keep: what is out of range is refused, a moved place moves no other point."""

import math

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.few_users.learners_by_name import LEARNERS
from dpviz.topics.few_users.models import (
    release,
)
from dpviz.topics.few_users.views.agreement_of_two_users import agreement_of_two_users
from dpviz.topics.few_users.views.messages_in_the_shuffle import messages_in_the_shuffle
from dpviz.topics.few_users.views.votes_of_one_group import votes_of_one_group
from tests.support.declarations import begun, page
from tests.support.few_users import SETTING, VOTE, final, rng
from tests.support.specs import Checked

draw = Checked(draw)
PAGE = page("few_users")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])


def _agreement(**changes):
    return agreement_of_two_users(
        **SETTING | {"examples_per_user": 1000, "share": 0.5, "runs": 4} | changes, rng=rng(3)
    )


PRIVACY = {"hypotheses": 16, "epsilon": 1.0, "delta": 0.05}


@THEMES
@pytest.mark.parametrize("view", ["agreement", "rich"])
def test_a_first_result_is_a_figure_and_a_sentence(theme, view):
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": view, "bits": 4}
    opened = PAGE.open_view(values)
    first = begun(PAGE, opened, values)
    assert draw(first, theme).data
    assert "nan" not in opened.takeaway(first) + opened.detail(first)
    assert all("nan" not in note for note in opened.notes(first))
    assert 0 < first.done < 1


@pytest.mark.parametrize("learner", LEARNERS)
def test_moving_the_readers_place_leaves_the_points_of_all_others(learner):
    usual = {"runs": 2, "learner": learner, "examples_per_user": 200}
    moved = {"examples_per_user": 3000}
    before, after = (final(_agreement(**usual | changes)) for changes in ({}, moved))
    compared = 0
    for one, other in zip(before.curves, after.curves, strict=True):
        if one.evidence is Evidence.SIMULATED:
            _, left, right = np.intersect1d(one.x, other.x, return_indices=True)
            np.testing.assert_array_equal(one.y[left], other.y[right])
            compared += left.size
    assert compared > 20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("learner", "trees"),
        ("concept", "trees"),
        ("bits", 9),
        ("alpha", 0.0),
        ("failure_probability", math.nan),
        ("epsilon", 5.0),
        ("delta", 0.5),
        ("users", 1),
        ("examples_per_user", 10),
    ],
)
def test_what_is_out_of_range_is_refused(name, value):
    call = SETTING | VOTE | {"examples_per_user": 1000} | {name: value}
    with pytest.raises(ParameterError):
        next(votes_of_one_group(**call, rng=rng()))


@pytest.mark.parametrize(
    "broken",
    [
        lambda: release("global", [1], rng=rng(), **PRIVACY),
        lambda: messages_in_the_shuffle(
            users=10,
            rate=0.5,
            epsilon=1.0,
            delta=0.1,
            failure_probability=0.1,
            dispersion="guess",
            rng=rng(),
        ),
    ],
)
def test_what_makes_no_sense_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()
