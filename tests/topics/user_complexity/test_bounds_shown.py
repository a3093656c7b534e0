"""The sentences about bounds on users: what they compare, and numbers they never show."""

import re

import pytest

from dpviz.topics.user_complexity.views import bounds_on_users_shown
from dpviz.topics.user_complexity.views.bounds_on_users import bounds_on_users
from tests.support.declarations import finest, page
from tests.support.examples import by_ring

PAGE = page("user_complexity")


@pytest.mark.parametrize(("problem", "axis"), [("discrete", "m"), ("selection", "m"), ("pac", "d")])
def test_one_example_each_is_not_compared_with_itself(problem, axis):
    one, two = (bounds_on_users(problem=problem, axis=axis, examples_per_user=m) for m in (1, 2))
    for sentence in (bounds_on_users_shown.VIEW.takeaway, bounds_on_users_shown.VIEW.detail):
        assert re.search("one (example )?each", sentence(two))
        assert not re.search("one (example )?each", sentence(one))


def test_a_bound_below_one_user_is_said_in_words():
    """k/ε + k/(εα√m) + k/(α²m) = 2 (0.1 + 0.2/10⁵ + 4/10¹⁰) users, times 0.01."""
    setting = {"domain_size": 2, "epsilon": 10, "alpha": 0.5, "examples_per_user": 1e10}
    chart = bounds_on_users(problem="discrete", constant=0.01, **setting)
    assert chart.users == pytest.approx(0.002, rel=0.1)
    assert "asks for less than one user (" in bounds_on_users_shown.VIEW.takeaway(chart)
    assert "asks for less than one user with these" in bounds_on_users_shown.VIEW.detail(chart)


def test_no_sentence_shows_a_number_it_should_not():
    for view in by_ring(PAGE.views[:1], PAGE.views[::2], PAGE.views):
        values = {p.key: p.default for p in PAGE.url_parameters}
        result = finest(PAGE, view, values)
        sentence = view.takeaway(result) + view.detail(result)
        assert not re.search(r"\bnan\b|undefined|∞|e[+-]\d", sentence)
