"""The data chosen by name, and the noise meant for them."""

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release import data as users_data
from tests.support.declarations import last, page

PAGE = page("propose_test_release")

DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}


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
        assert last(PAGE, "run", step="search", data="well-behaved", seed=seed).refusal == 0
    assert last(PAGE, "run", step="search", data="well-behaved", noise_factor=0.5).refusal > 0.99


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_all_views_look_at_the_same_data(noise):
    for count, distance in ((60, 2.0), (45, 0.7)):
        changes = {"noise": noise, "outliers": count, "outlier_distance": distance, "users": 1000}
        moved = last(PAGE, "outliers", **changes)
        curve = moved.curve("refusal")
        here = curve.y[np.abs(curve.x - moved.here).argmin()]
        for step in ("search", "threshold"):
            assert last(PAGE, "run", step=step, **changes).refusal == here


def test_outliers_are_bounded_by_half_of_the_users():
    with pytest.raises(ParameterError, match="at most half of the 400 users"):
        last(PAGE, "run", users=400, outliers=201)


def test_where_no_geometric_noise_is_loud_enough_the_reader_is_told_what_to_change():
    """As each change that the refusal names lets the test run."""
    refused = {"data": "heavy", "users": 10**4, "examples_per_user": 10**6, "epsilon": 0.3}
    values = DEFAULTS | refused | {"step": "search"}
    view = PAGE.open_view(values | {"view": "run"})

    def first(**changes):
        return view.compute(**PAGE.call(PAGE.arguments(view, values | changes)))

    refusal = "noise must be .*: choose Gaussian noise, a larger ε or a smaller m; got 'geometric'"
    with pytest.raises(ParameterError, match=refusal):
        first()
    for changes in ({"noise": "gaussian"}, {"epsilon": 1.0}, {"examples_per_user": 10**5}):
        assert first(**changes).kappa
