"""Beside bounds that are drawn together it is said who is a neighbour of whom."""

from dpviz.topics.user_complexity.comparing_shown import notes
from tests.support.declarations import first, page


def test_each_bound_is_said_to_hold_for_its_own_neighbours():
    chart = first(page("user_complexity"), "users")
    assert {row.neighbouring for row in chart.rows} == {"substitute"}
    assert "Neighbouring data sets: one user is substituted." in notes(chart)
    assert not any("is added or removed" in note for note in notes(chart))
