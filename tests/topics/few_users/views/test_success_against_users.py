"""Success against n: against exact probabilities of the vote, and whom its bounds bind."""

import itertools
import math

import numpy as np
import pytest

from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.stable import StableHistogram
from dpviz.topics.few_users.models import (
    MODELS,
)
from dpviz.topics.few_users.views.success_against_users_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import some
from tests.support.few_users import final, reached, success

PAGE = page("few_users")


def test_success_tells_every_model_and_the_bound():
    chart = last(PAGE, "success", bits=4, runs=10, concept="points")
    detail = VIEW.detail(chart)
    for name in MODELS.values():
        assert name in detail
    assert (
        f"No private learner whose output is of the class succeeds with fewer than {chart.least:,}"
        in detail
    )
    everybody = VIEW.detail(last(PAGE, "success", bits=4, runs=10, concept="parities"))
    assert "No private learner succeeds with fewer than" in everybody
    nobody = VIEW.detail(last(PAGE, "success", bits=4, runs=10, learner="queries"))
    assert "private learner" not in nobody
    lines = {curve.key for curve in chart.curves if curve.key.startswith("theorem")}
    assert lines


def test_while_runs_come_in_no_number_is_called_enough():
    first = next(chart for chart in success() if chart.so_far.made)
    assert first.going_on
    known = first.known["approximate"]
    assert known.lower <= first.enough["approximate"] <= known.upper
    assert "at least" in VIEW.takeaway(first)
    assert "users are enough is not known" in VIEW.takeaway(first)
    assert "this vote needs" in VIEW.takeaway(first)  # another one may need fewer


def test_what_no_group_reaches_is_told():
    changes = {"examples_per_user": 100, "epsilon": 0.2, "dispersion": "theorem"}
    chart = last(PAGE, "success", bits=4, runs=10, **changes)
    assert math.isinf(chart.enough["shuffle"])
    assert "shuffle, (ε, δ): at least" in VIEW.detail(chart)


@pytest.mark.parametrize(
    ("concept", "alpha", "bounds"),
    [
        ("parities", 0.1, "all"),
        ("parities", 0.24, "all"),
        ("parities", 0.25, "proper"),
        ("points", 0.1, "proper"),
        ("thresholds", 0.1, "all"),
        ("stumps", 0.1, "proper"),
    ],
)
def test_the_line_of_success_says_whom_it_binds(concept, alpha, bounds):
    chart = next(success(concept=concept, alpha=alpha))
    assert chart.bounds == bounds
    assert ("proper" in chart.curve("ceiling").label) == (bounds == "proper")
    assert (chart.served == 1) == (bounds == "all")
    if bounds == "proper" and chart.least_any > 1:
        assert np.all(chart.curve("ceiling_any").y >= chart.curve("ceiling").y)
        assert chart.least_any <= chart.least


def test_no_line_where_there_is_one_target():
    chart = next(success(learner="queries"))
    assert chart.bounds == "none"
    assert "ceiling" not in {curve.key for curve in chart.curves}


def test_success_is_that_of_the_exact_vote_where_all_users_agree():
    """Parities at m = 1000: every pick is right, so the votes are known."""
    chart = reached(success(), 0.4)
    for n, share, low, high in zip(
        *(getattr(chart.curve("pure"), part) for part in ("x", "y", "lower", "upper")), strict=True
    ):
        counts = np.zeros(16, dtype=int)
        counts[0] = int(n)
        exact = CountExponential(1.0, 16).law(counts)[0]
        assert low - 0.05 <= exact <= high + 0.05, (n, share)
    stable = chart.curve("approximate")
    for n, low, high in zip(stable.x, stable.lower, stable.upper, strict=True):
        exact = StableHistogram(1.0, 1e-3).law([int(n)])[0]
        assert low - 0.05 <= exact <= high + 0.05
    assert chart.enough["pure"] <= chart.enough["local"]
    assert chart.measured["pure"].lower > 0.9


def test_the_least_noise_needs_fewer_users():
    charts = [final(success(dispersion=name, runs=some(60, 20))) for name in ("theorem", "least")]
    assert charts[1].dispersion < charts[0].dispersion / 2
    assert charts[1].enough["shuffle"] < charts[0].enough["shuffle"]


def test_partial_results_of_success_are_valid():
    charts = list(itertools.islice(success(users=3000), 6))
    assert charts[0].done < charts[-1].done <= 1
    for chart in charts:
        for model in MODELS:
            curve = chart.curve(model)
            known = np.isfinite(curve.y)
            assert np.all(curve.lower[known] <= curve.y[known])
            assert np.all(curve.y[known] <= curve.upper[known])


def test_another_delta_leaves_the_votes_of_the_models_without_one():
    before, after = (final(success(delta=delta, runs=2)) for delta in (1e-3, 1e-4))
    for model in ("pure", "local"):
        np.testing.assert_array_equal(before.curve(model).y, after.curve(model).y)
