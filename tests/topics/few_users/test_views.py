"""What the views compute: success against exact probabilities, bounds from both sides."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpviz.maths import correlated_sampling
from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.stable import StableHistogram
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import ListLearner
from dpviz.topics.few_users.learners_by_name import LEARNERS, settle
from dpviz.topics.few_users.models import (
    MODELS,
    release,
    success_ceiling,
    theorem_users,
)
from dpviz.topics.few_users.views import parity as parity_module
from dpviz.topics.few_users.views.agreement import agreement
from dpviz.topics.few_users.views.messages import messages
from dpviz.topics.few_users.views.parity import parity
from dpviz.topics.few_users.views.success import least_enough, success
from dpviz.topics.few_users.views.votes import votes
from tests.support.examples import chosen, some
from tests.support.pace import always, never

SETTING = {
    "learner": "gibbs",
    "concept": "parities",
    "bits": 4,
    "alpha": 0.1,
    "failure_probability": 0.05,
}
VOTE = {"users": 40, "epsilon": 1.0, "delta": 1e-3}
PRIVACY = {"hypotheses": 16, "epsilon": 1.0, "delta": 0.05}


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("concept", "alpha", "bounds"),
    [
        ("parities", 0.1, "all"),
        ("parities", 0.24, "all"),
        ("parities", 0.25, "proper"),
        ("points", 0.1, "proper"),
        ("thresholds", 0.1, "proper"),
    ],
)
def test_the_line_of_success_says_whom_it_binds(concept, alpha, bounds):
    chart = next(_success(concept=concept, alpha=alpha))
    assert chart.bounds == bounds
    assert ("proper" in chart.curve("ceiling").label) == (bounds == "proper")
    assert (chart.served == 1) == (bounds == "all")
    if bounds == "proper" and chart.least_any > 1:
        assert np.all(chart.curve("ceiling_any").y >= chart.curve("ceiling").y)
        assert chart.least_any <= chart.least


def test_no_line_where_there_is_one_target():
    chart = next(_success(learner="queries"))
    assert chart.bounds == "none"
    assert "ceiling" not in {curve.key for curve in chart.curves}


@pytest.mark.parametrize("alpha", [0.24, 0.25, 0.4])
def test_the_lines_of_parity_allow_for_functions_that_serve_many(alpha):
    call = {"bits": 4, "examples_per_user": 1000, "failure_probability": 0.1, "runs": 5}
    chart = next(parity(**call, alpha=alpha, epsilon=1.0, constant=1.0, rng=rng(15)))
    served = 1 if alpha < 0.25 else round((1 - 2 * alpha) ** -2)
    for d, least in zip(chart.curve("least").x, chart.curve("least").y, strict=True):
        # With a user less, from where the outputs for one parity serve another on average:
        allowed = (served - 0.9) / (2**d - 1)
        for _ in range(int(least) - 1):
            allowed = min(np.e * allowed, 1 - (1 - allowed) / np.e)
        assert least == 1 or allowed < 0.9
    few, many = (chart.curve(key) for key in ("item_few", "item"))
    assert np.all(few.y < many.y)


def last(results):
    *_, result = results
    return result


def reached(results, share):
    """The first result when so much of the whole is done: how many there are before is chance."""
    return next(result for result in results if result.done >= share)


def test_success_is_that_of_the_exact_vote_where_all_users_agree():
    """Parities at m = 1000: every pick is right, so the votes are known."""
    chart = reached(_success(), 0.4)
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


def _success(**changes):
    call = (
        SETTING
        | VOTE
        | {
            "examples_per_user": 1000,
            "constant": 1.0,
            "runs": some(200, 120),
            "dispersion": "theorem",
        }
        | changes
    )
    return success(**call, rng=rng(8))


def test_the_least_noise_needs_fewer_users():
    charts = [last(_success(dispersion=name, runs=some(60, 20))) for name in ("theorem", "least")]
    assert charts[1].dispersion < charts[0].dispersion / 2
    assert charts[1].enough["shuffle"] < charts[0].enough["shuffle"]


def test_partial_results_of_success_are_valid():
    charts = list(itertools.islice(_success(users=3000), 6))
    assert charts[0].done < charts[-1].done <= 1
    for chart in charts:
        for model in MODELS:
            curve = chart.curve(model)
            known = np.isfinite(curve.y)
            assert np.all(curve.lower[known] <= curve.y[known])
            assert np.all(curve.y[known] <= curve.upper[known])


@pytest.mark.parametrize("learner", chosen(LEARNERS, LEARNERS.keys() - {"lists"}))
def test_agreement_grows_with_the_examples(learner):
    bits = 3 if learner == "rare" else 6
    call = SETTING | {"learner": learner, "concept": "thresholds", "bits": bits}
    charts = agreement(**call, examples_per_user=5000, share=0.9, runs=some(400, 200), rng=rng(9))
    chart = reached(charts, 0.15)
    shared = chart.curve("shared")
    assert shared.y[-1] >= shared.y[0]
    if learner == "queries":  # more examples than a slider offers would settle bits in doubt
        assert shared.y[-1] > chart.curve("own").y[-1] + 0.1
    else:
        assert shared.y[-1] > 0.85
    assert chart.shared.trials == chart.own.trials
    assert 0 <= chart.stability.lower < chart.stability.upper <= 1
    assert chart.stability.boards >= chart.shared.trials
    assert chart.proof_examples > 1e12  # practical is not as proved
    if learner == "gibbs":
        assert chart.gamma < chart.proof_gamma
        assert chart.shared.lower > chart.own.upper


def test_measured_agreement_is_the_mean_of_the_exact_one():
    """Given the samples the probability is known; its mean over samples is what is counted."""
    settled = settle(SETTING | {"concept": "thresholds", "bits": 5})
    draws, exact = rng(10), []
    for _ in range(600):
        learner = settled.draw(draws)
        errors = learner.problem.empirical_errors(2, examples=500, rng=draws)
        exact.append(1 - float(correlated_sampling.output_disagreement(*learner.laws(errors))))
    call = SETTING | {"concept": "thresholds", "bits": 5}
    chart = last(
        agreement(**call, examples_per_user=500, share=0.9, runs=some(200, 100), rng=rng(11))
    )
    assert chart.shared.trials == some(200, 100)
    assert chart.done == 1
    assert chart.shared.lower - 0.01 <= np.mean(exact) <= chart.shared.upper + 0.01


def test_two_users_who_pick_nothing_do_not_agree():
    """They counted as agreeing: with too few examples nobody has a candidate."""
    call = SETTING | {"learner": "rare", "bits": 8}
    chart = last(agreement(**call, examples_per_user=100, share=0.9, runs=2, rng=rng(11)))
    assert chart.value("shared") == chart.value("own") == chart.value("accurate") == 0
    assert chart.curve("shared").y[-1] > 0


def test_votes_are_counted_and_released():
    call = SETTING | {"concept": "thresholds", "bits": 8} | VOTE | {"users": 300}
    result = last(votes(**call, examples_per_user=10**5, rng=rng(12)))
    assert result.shared.sum() == result.own.sum() == 300
    assert result.shared.max() > 200 > 3 * result.own.max()
    assert all(result.is_good(chosen) for chosen in result.released.values())
    assert not result.is_good(-1)
    columns = result.columns()
    best = columns["votes_shared"].argmax()
    assert columns["error"][best] <= 0.1
    assert "pure" in columns["released_by"][best]


@pytest.mark.parametrize("learner", ["gibbs", "lists"])
def test_votes_come_in_blocks_and_end_the_same(learner, monkeypatch):
    blocks = []
    pick = ListLearner.picks

    def watched(self, users, **call):
        blocks.append(users)
        return pick(self, users, **call)

    monkeypatch.setattr(ListLearner, "picks", watched)
    call = SETTING | VOTE | {"users": 1000, "learner": learner, "examples_per_user": 500}
    ends = []
    for due in (always, never):
        monkeypatch.setattr(Pace, "due", due)
        results = list(votes(**call, rng=rng(14)))
        assert [r.users for r in results] == sorted({r.users for r in results})
        assert all(r.shared.sum() == r.own.sum() == r.users for r in results)
        assert results[-1].done == 1
        ends.append(results[-1])
    assert (len(results), results[-1].users) == (1, 1000)
    assert ends[0].released == ends[1].released
    assert ends[0].released_own == ends[1].released_own
    for name, column in ends[0].columns().items():
        np.testing.assert_array_equal(column, ends[1].columns()[name])
    assert learner == "gibbs" or max(blocks) <= 30


def test_parity_needs_users_like_d():
    call = {"bits": 4, "examples_per_user": 1000, "alpha": 0.1, "failure_probability": 0.1}
    charts = parity(**call, epsilon=1.0, constant=1.0, runs=some(100, 50), rng=rng(13))
    chart = reached(charts, 0.2)
    curve = chart.curve("simulated")
    known = np.isfinite(curve.y)
    assert known.sum() >= 5
    assert np.all(curve.lower[known] <= curve.y[known])
    assert np.all(curve.y[known] <= curve.upper[known])
    least = chart.curve("least")
    floor = np.interp(curve.x[known], least.x, least.y)
    assert np.all(curve.y[known] >= floor)
    assert np.nanmax(curve.y) < 4 * np.nanmin(curve.y)
    few, many = (chart.curve(key) for key in ("item_few", "item"))
    assert np.all(curve.y[known].max() < few.y[few.x > 8])
    assert np.all(few.y < many.y)


def _agreement(**changes):
    return agreement(
        **SETTING | {"examples_per_user": 1000, "share": 0.5, "runs": 4} | changes, rng=rng(3)
    )


@pytest.mark.parametrize("learner", LEARNERS)
def test_moving_the_readers_place_leaves_the_points_of_all_others(learner):
    usual = {"runs": 2, "learner": learner, "examples_per_user": 200}
    for view, moved in ((_agreement, {"examples_per_user": 3000}), (_success, {"users": 55})):
        before, after = (last(view(**usual | changes)) for changes in ({}, moved))
        compared = 0
        for one, other in zip(before.curves, after.curves, strict=True):
            if one.evidence is Evidence.SIMULATED:
                _, left, right = np.intersect1d(one.x, other.x, return_indices=True)
                np.testing.assert_array_equal(one.y[left], other.y[right])
                compared += left.size
        assert compared > 20


def test_another_delta_leaves_the_votes_of_the_models_without_one():
    before, after = (last(_success(delta=delta, runs=2)) for delta in (1e-3, 1e-4))
    for model in ("pure", "local"):
        np.testing.assert_array_equal(before.curve(model).y, after.curve(model).y)


def test_users_of_parity_do_not_depend_on_the_votes(monkeypatch):
    """The first users of a run pick the same, however many come after them."""
    seen = []

    def listened(_, picks, **__):
        seen.append(picks)
        return 0

    monkeypatch.setattr(parity_module, "release", listened)
    call = {"bits": 4, "examples_per_user": 300, "alpha": 0.1, "failure_probability": 0.1}
    runs = []
    for epsilon in (1.0, 2.0):
        seen.clear()
        last(parity(**call, epsilon=epsilon, constant=1.0, runs=2, rng=rng(13)))
        largest = [one for one, more in itertools.pairwise([*seen, []]) if len(more) < len(one)]
        runs.append(largest)
    assert len(runs[0]) == len(runs[1]) == 14
    for one, other in zip(*runs, strict=True):
        both = min(one.size, other.size)
        assert both < max(one.size, other.size)
        np.testing.assert_array_equal(one[:both], other[:both])


def test_the_least_size_from_which_all_succeed():
    sizes = np.array([2.0, 4.0, 8.0, 16.0])
    assert least_enough(sizes, np.array([0.1, 0.96, 0.9, 0.99]), 0.95) == 16
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, 1.0]), 0.95) == 2
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, 0.9]), 0.95) == math.inf
    assert least_enough(sizes, np.array([1.0, 1.0, 1.0, math.nan]), 0.95) == math.inf


@pytest.mark.parametrize("dispersion", ["theorem", "least", "proof"])
def test_messages_bound_the_truth(dispersion):
    call = {"users": 100, "rate": 0.4, "epsilon": 1.0, "delta": 1e-4, "failure_probability": 0.1}
    for seed in range(20):
        result = messages(**call, dispersion=dispersion, rng=rng(seed))
        low, high = result.estimates
        assert low <= result.truth <= high
        assert np.all(result.above >= result.bits)
        assert math.exp(max(result.log_privacy, -700)) <= 1e-4
    noise = stats.nbinom(result.protocol.dispersion, result.protocol.success)
    np.testing.assert_allclose(result.mass, noise.pmf(result.noise), rtol=1e-9)
    assert noise.sf(result.quantile) <= 0.1
    if dispersion == "least":
        assert result.log_privacy == pytest.approx(math.log(1e-4), abs=1e-3)


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
        next(votes(**call, rng=rng()))
    with pytest.raises(ParameterError):
        list(
            itertools.islice(
                success(**call, dispersion="least", constant=1.0, runs=5, rng=rng()), 1
            )
        )


@pytest.mark.parametrize(
    "broken",
    [
        lambda: release("global", [1], rng=rng(), **PRIVACY),
        lambda: theorem_users("global", dimension=1, epsilon=1, delta=0.1, beta=0.1),
        lambda: theorem_users("pure", dimension=-1, epsilon=1, delta=0.1, beta=0.1),
        lambda: success_ceiling(3, targets=4, epsilon=math.nan, delta=0.1),
        lambda: messages(
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
