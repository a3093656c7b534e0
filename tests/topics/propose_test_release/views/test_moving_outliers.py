"""Outliers that move: one cannot make the test refuse, a group can."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dpviz.maths.sum_mechanisms import GaussianCount
from dpviz.plot.theme import LIGHT
from dpviz.topics.propose_test_release.data import louder
from dpviz.topics.propose_test_release.delstab import (
    Budget,
    DelStab,
    quietest_mechanism,
)
from dpviz.topics.propose_test_release.example_sums import example_sums, ideal_sums
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.moving_outliers import refusal_against_outliers
from dpviz.topics.propose_test_release.views.moving_outliers_shown import VIEW
from tests.support.declarations import last, page, results, shown

PAGE = page("propose_test_release")

DEFAULTS = {p.key: p.default for p in PAGE.url_parameters}


def test_one_outlier_does_not_make_it_refuse():
    chart = last(PAGE, "outliers", outliers=1)
    assert chart.curve("refusal").y.max() < 1e-3


@pytest.mark.parametrize("factor", [0.68, 0.73, 0.77])
def test_not_even_at_the_brink(factor):
    """The outlier moves by e^ε̄·p + δ̄ at most, even where ⊥ has a fair chance."""
    budget = Budget(1.0, DEFAULTS["delta"])
    chart = last(PAGE, "outliers", outliers=1, noise_factor=factor, epsilon=budget.epsilon)
    refusal = chart.curve("refusal").y
    assert 1e-6 < refusal.min() < refusal.max() < 1
    assert refusal.max() <= math.exp(budget.epsilon_bar) * refusal.min() + budget.delta_bar


def test_a_group_of_outliers_makes_it_refuse():
    view, chart, values = shown(PAGE, "A group of 60 stands apart")
    together, alone = chart.curve("refusal"), chart.curve("alone")
    assert together.y[0] < 1e-3
    assert together.y[np.abs(together.x - chart.here).argmin()] > 0.9
    assert alone.y.max() < 1e-3
    assert values["outliers"] > chart.budget.kappa
    assert f"above {math.exp(chart.budget.epsilon_bar):.3g}·p" in view.detail(chart)


def test_one_outlier_moves_the_refusal_by_little():
    rng = np.random.default_rng(1)
    arguments = {"epsilon": 1.0, "delta": 1e-5}
    sums = example_sums("well-behaved", users=1000, examples_per_user=20, rate=0.3, rng=rng)
    mechanism = quietest_mechanism(sums, noise="gaussian", **arguments)
    assert DelStab(sums, mechanism=mechanism, **arguments).refusal_probability == 0
    quieter = GaussianCount(mechanism.sigma * (1 - 1e-6))
    assert not DelStab(sums, mechanism=quieter, **arguments).all_stable
    *_, sweep = refusal_against_outliers(
        sums, mechanism=GaussianCount(0.8 * mechanism.sigma), **arguments, reach=1e5, here=0.0
    )
    low, high = sweep.curve("refusal").y[[0, -1]]
    budget = Budget(**arguments)
    assert low <= high <= budget.delta_bar + math.exp(budget.epsilon_bar) * low


def run_on(sums):
    """The test on these sums, as the view opens."""
    usual = PAGE.usual("outliers")
    model = ideal_sums(
        users=int(usual["users"]),
        examples_per_user=int(usual["examples_per_user"]),
        rate=usual["rate"],
    )
    privacy = {"epsilon": usual["epsilon"], "delta": usual["delta"]}
    mechanism = quietest_mechanism(model, noise="geometric", **privacy)
    mechanism = louder(mechanism, usual["noise_factor"])
    return DelStab(sums, mechanism=mechanism, **privacy)


def test_it_is_said_what_the_noise_hides():
    """A difference of so much, and of no more: by the divergence of the noise."""
    chart, release = last(PAGE, "outliers"), run_on(last(PAGE, "outliers").others)
    budget, noise = chart.budget, release.mechanism
    hidden, more = (
        float(noise.log_divergence(chart.hidden + step, epsilon=budget.epsilon_bar))
        for step in (0, 1)
    )
    assert hidden <= math.log(budget.delta_bar) < more
    assert f"by at most {chart.hidden:,.0f}. So much the noise hides" in VIEW.detail(chart)


def test_the_steps_are_told_in_their_order():
    detail = VIEW.detail(last(PAGE, "outliers"))
    assert 0 == detail.index("Propose: ") < detail.index("Test: ") < detail.index("Release: ")


def test_too_few_users():
    view, result, values = shown(PAGE, "Too few users to test")
    assert values["users"] < Budget(values["epsilon"], values["delta"]).fewest_users
    assert isinstance(result, UsersNeeded)
    at = np.abs(result.curve("fewest").x - values["epsilon"]).argmin()
    assert result.curve("fewest").y[at] == 4 * result.kappa + 1 == 73
    assert "nothing to test" in view.detail(result)
    assert "there are only 60:" in view.detail(result)


def test_steps_are_drawn_where_they_are():
    """At any distance the curve says what the test on these users says, but for small steps."""
    chart = last(PAGE, "outliers")
    curve = chart.curve("refusal")
    assert curve.steps
    assert (chart.here, curve.x[-1]) == (130, 140)  # hardly anything changes beyond
    assert np.all(np.diff(curve.y) >= 0)
    jumps = np.diff(curve.y) >= 0.01
    assert np.count_nonzero(jumps) > 5
    assert np.diff(curve.x)[jumps].max() == 1  # of whole sums
    for distance in (0.37, 0.79, 1.05):
        sums = np.append(chart.others, 24 * [30 + 100 * distance])
        place = np.searchsorted(curve.x, sums[-1], side="right") - 1
        assert run_on(sums).refusal_probability == pytest.approx(curve.y[place], abs=0.01)


def test_the_sentence_keeps_its_form_while_the_curves_are_found():
    """Both probabilities are known from the first part on."""
    view = PAGE.open_view(PAGE.usual("outliers"))
    for outliers in (1, 48):
        values = PAGE.usual("outliers") | {"outliers": outliers}
        said = {view.takeaway(part) for part in results(PAGE, view, values)}
        [sentence] = said
        assert sentence.startswith("One outlier practically never makes the algorithm refuse; ")


def test_outliers_stand_where_a_hand_drags_them_above_their_probability():
    """Strip and curve have one axis, and each user a dot."""
    chart = last(PAGE, "outliers")
    figure = VIEW.figure(chart, replace(LIGHT, labels="few"))
    drag = figure.layout["meta"]["drag"]
    assert (drag["x"] - drag["from"]) / drag["each"] == 1
    assert drag["x"] == chart.here
    assert figure.layout["xaxis"]["range"] == list(figure.layout["xaxis2"]["range"])
    users, outliers = (
        next(trace for trace in figure.data if trace.get("marker", {}).get("symbol") == symbol)
        for symbol in ("circle", "circle-open")
    )
    assert sorted(users["x"]) == pytest.approx(chart.others)
    assert len(outliers["x"]) == 24
    assert np.mean(outliers["x"]) == drag["x"]


@pytest.mark.parametrize("changes", [{}, {"outliers": 1}, {"outliers": 100}, {"data": "wages"}])
def test_the_numbers_of_the_sentence_stand_at_the_points(changes):
    chart = last(PAGE, "outliers", **changes)
    said = " ".join(note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"])
    assert set(re.findall(r"[0-9.]+% of runs", VIEW.takeaway(chart))) == set(
        re.findall(r"[0-9.]+% of runs", said)
    )
