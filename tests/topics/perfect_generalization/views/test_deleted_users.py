"""The spread of r deleted users: brute force over sets, the exact law at r = 1, a proven bound."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.maths.local_deletion import range_law, spread, spread_bound
from dpviz.results.parameters import ParameterError
from dpviz.topics.perfect_generalization.simulated_quantile import BETA
from dpviz.topics.perfect_generalization.views import deleted_users_shown
from dpviz.topics.perfect_generalization.views.deleted_users import deleted_users, spread_for

VIEW = deleted_users_shown.VIEW
USUAL = {"users": 1000, "examples_per_user": 100, "rate": 0.3, "deleted": 192}


def last(seed=0, **changed):
    *_, chart = deleted_users(**USUAL | changed, rng=np.random.default_rng(seed))
    return chart


def test_the_spread_is_that_of_the_worst_pair_of_sets():
    sums = np.sort(np.random.default_rng(3).integers(0, 20, 8))
    for r in (1, 2, 4):
        chosen = [sum(s) for s in itertools.combinations(sums.tolist(), r)]
        worst = max(chosen) - min(chosen)
        assert spread_for(sums, np.array([r]))[0] == worst == spread(sums, r)


def test_known_values_and_the_exact_law_at_one():
    chart = last()
    assert chart.single == range_law(1000, examples_per_user=100, rate=0.3).quantile(BETA)
    assert 33 <= chart.single <= 34
    assert chart.several == pytest.approx(13.5, abs=0.1)
    simulated = chart.curve("spread")
    assert simulated.lower[0] <= chart.single <= simulated.upper[0]


@pytest.mark.parametrize("released", ["sum", "histogram", "threshold"])
def test_a_line_through_a_simulated_point_waits_for_all_runs(released):
    call = USUAL | {"released": released, "epsilon": 0.1}
    *partial, whole = deleted_users(**call, rng=np.random.default_rng(0))
    assert partial
    assert np.all(whole.curve("linear").y == whole.single)
    for chart in partial:
        line = chart.curve("linear").y
        assert np.all(line == chart.single) if released == "sum" else np.isnan(line).all()


def test_the_proven_bound_lies_above_and_keeps_the_decline():
    chart = last()
    bound, simulated = chart.curve("bound").y, chart.curve("spread").y
    assert np.all(bound >= simulated)
    assert np.all(np.diff(bound) < 0)


def test_the_bound_holds_for_all_data_of_a_few_users():
    # four users with two bits: every data set, with its probability
    fails = {1: 0.0, 2: 0.0}
    setting = {"users": 4, "examples": 2, "failure_probability": BETA}
    bounds = {r: float(spread_bound(r, **setting)) for r in fails}
    one = binom.pmf(np.arange(3), 2, 0.5)
    for sums in itertools.product(range(3), repeat=4):
        for r in fails:
            if spread(sums, r) > bounds[r]:
                fails[r] += float(np.prod(one[list(sums)]))
    assert max(fails.values()) <= BETA


def test_more_than_half_of_the_users_cannot_be_exchanged():
    with pytest.raises(ParameterError, match="users"):
        last(users=100, deleted=51)


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        (1, "Each of a few counts for as much."),
        (100, "Each of several counts for less."),
    ],
)
def test_users_with_one_bit_each_count_alike(examples, said):
    """Each of some users with a 1 who are left out, and not of those with a 0, moves it by one."""
    assert VIEW.takeaway(last(examples_per_user=examples, deleted=1)).endswith(said)


@pytest.mark.parametrize("released", ["histogram", "threshold"])
def test_the_view_keeps_within_what_is_proven_and_shows_the_decline(released):
    setting = {"users": 300, "examples_per_user": 50, "rate": 0.5, "deleted": 60}
    rng = np.random.default_rng(0)
    charts = deleted_users(**setting, rng=rng, released=released, epsilon=0.01)
    chart = next(chart for chart in charts if chart.done >= 0.3)
    simulated, bound = chart.curve("spread"), chart.curve("bound")
    assert np.all(simulated.y <= bound.y)
    assert chart.several < 0.7 * chart.single
    assert chart.single == simulated.y[0]
    if released == "threshold":
        assert np.all(chart.curve("found").y <= simulated.y)
    assert "one example" in VIEW.takeaway(chart)
    assert "Theorem 17" in VIEW.detail(chart)
    declines = VIEW.takeaway(replace(chart, here=1.0))
    assert declines.endswith("of several, each costs less.")
    with pytest.raises(ParameterError, match="released"):
        next(deleted_users(**setting, rng=rng, released="forest"))


@pytest.mark.parametrize(
    ("deleted", "said"),
    [(1, "of a few, each costs as much."),
     (20, "dropping a different set of 20 costs about as much per user.")],
)  # fmt: skip
def test_users_with_one_example_each_cost_what_one_example_does(deleted, said):
    """Whoever is left out, the histogram moves from one category to another: so much each."""
    setting = {"users": 100, "examples_per_user": 1, "rate": 0.5, "deleted": deleted}
    rng = np.random.default_rng(0)
    chart = next(deleted_users(**setting, rng=rng, released="histogram"))
    sentence = VIEW.takeaway(chart)
    assert (
        sentence
        == f"Dropping a different user costs no more than the privacy loss of one example; {said}"
    )


@pytest.mark.parametrize("released", ["histogram", "threshold"])
def test_what_one_data_set_shows_is_said_of_one(released):
    setting = {"users": 100, "examples_per_user": 20, "rate": 0.5, "deleted": 20}
    chart = next(deleted_users(**setting, rng=np.random.default_rng(0), released=released))
    for said in (VIEW.headline(chart), VIEW.exactly(chart)):
        assert said.startswith("So far, from 1 of 100 data sets: ")
    *_, whole = deleted_users(**setting, rng=np.random.default_rng(0), released=released)
    assert VIEW.headline(whole).startswith("Dropping a different user costs up to")


@pytest.mark.parametrize("deleted", [1, 2])
def test_several_users_never_count_for_more_each_than_one_alone(deleted):
    """However the data drawn so far fell: at r = 1 the law of the spread is exact."""
    firsts = [
        next(deleted_users(**USUAL | {"deleted": deleted}, rng=np.random.default_rng(seed)))
        for seed in range(12)
    ]
    assert any(chart.curve("spread").y[0] > chart.single for chart in firsts)
    assert all(chart.several <= chart.single for chart in firsts)
    for chart in firsts:
        assert ("of the factor r" in VIEW.detail(chart)) == (deleted > 1)


def test_a_whole_factor_is_called_whole():
    chart = replace(last(released="histogram"), single=2.0, several=2.1)
    assert "all of the factor r" in VIEW.detail(chart)
