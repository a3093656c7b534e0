"""The data chosen by name, and the noise meant for them."""

import numpy as np
import pytest

from dpviz.results.parameters import ParameterError
from dpviz.topics.propose_test_release import data as users_data
from dpviz.topics.propose_test_release.delstab import DelStab
from dpviz.topics.propose_test_release.example_sums import example_sums
from dpviz.topics.propose_test_release.views.moving_outliers import moving_outliers
from tests.support.declarations import last, page, shown

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


def given(**changes):
    """The settings of the first view, with its defaults."""
    view = PAGE.open_view(DEFAULTS | {"view": "outliers"})
    return PAGE.call(PAGE.arguments(view, PAGE.usual("outliers") | changes))


@pytest.mark.parametrize("noise", ["geometric", "gaussian"])
def test_the_noise_does_not_look_at_the_data(noise):
    mechanisms = set()
    for data in ("well-behaved", "outliers", "clusters", "heavy"):
        for seed in (0, 1):
            setting = given(data=data, noise=noise, seed=seed)
            mechanisms.add(users_data.mechanism_for(users_data.user_sums(setting), setting))
    assert len(mechanisms) == 1


def refusal(**changes):
    """Pr[⊥] on the data, outliers not moved."""
    setting = given(**changes)
    sums = users_data.user_sums(setting)
    mechanism = users_data.mechanism_for(sums, setting)
    budget = {key: setting[key] for key in ("epsilon", "delta")}
    return DelStab(sums, mechanism=mechanism, **budget).refusal_probability


def test_well_behaved_users_pass_with_the_noise_meant_for_them():
    assert {refusal(data="well-behaved", seed=seed) for seed in range(20)} == {0}
    assert refusal(data="well-behaved", noise_factor=0.5) > 0.99


def test_two_clusters_are_always_refused():
    _, chart, values = shown(PAGE, "Two clusters: it must refuse")
    assert chart.value("alone") == 1 == refusal(data=values["data"])
    sums = example_sums(
        "clusters", users=1000, examples_per_user=100, rate=0.3, rng=np.random.default_rng(0)
    )
    near = [np.count_nonzero(np.abs(sums - centre) <= 10) for centre in (30, 50, 70)]
    assert near[1] < 0.1 * min(near[0], near[2])


def test_real_wages():
    _, chart, _ = shown(PAGE, "Real wages")
    assert chart.others.size + chart.outliers == 545
    assert chart.value("alone") < 1e-6 < chart.value("refusal")


def test_outliers_are_bounded_by_half_of_the_users():
    with pytest.raises(ParameterError, match="at most half of the 400 users"):
        last(PAGE, "outliers", users=400, outliers=201)


def test_where_no_geometric_noise_is_loud_enough_the_reader_is_told_what_to_change():
    """As each change that the refusal names lets the test run."""
    refused = {"data": "heavy", "users": 10**4, "examples_per_user": 10**6, "epsilon": 0.3}

    def first(**changes):
        return next(moving_outliers(**given(**refused | changes)))

    refusal = "noise must be .*: choose Gaussian noise, a larger ε or a smaller m; got 'geometric'"
    with pytest.raises(ParameterError, match=refusal):
        first()
    for changes in ({"noise": "gaussian"}, {"epsilon": 1.0}, {"examples_per_user": 10**5}):
        assert first(**changes).budget.kappa
