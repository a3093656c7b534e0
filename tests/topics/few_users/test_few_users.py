"""The composed learners: success against exact probabilities, bounds from both sides."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpviz.maths import correlated_sampling
from dpviz.maths.selection.exponential import CountExponential
from dpviz.maths.selection.shuffle import ShuffleSelection
from dpviz.maths.selection.stable import StableHistogram
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.few_users.learners import ListLearner
from dpviz.topics.few_users.learners_by_name import LEARNERS, settle
from dpviz.topics.few_users.models import (
    MODELS,
    empty_representation,
    least_users,
    release,
    substitution_budget,
    success_ceiling,
    theorem_users,
)
from dpviz.topics.few_users.problems import packing, problem
from dpviz.topics.few_users.views.agreement import agreement
from dpviz.topics.few_users.views.messages import messages
from dpviz.topics.few_users.views.parity import parity
from dpviz.topics.few_users.views.success import least_enough, success
from dpviz.topics.few_users.views.votes import votes

SETTING = {
    "learner": "gibbs",
    "concept": "parities",
    "bits": 4,
    "alpha": 0.1,
    "failure_probability": 0.05,
}
VOTE = {"users": 40, "epsilon": 1.0, "delta": 1e-3}
PRIVACY = {"hypotheses": 16, "epsilon": 1.0, "delta": 0.05}
every_model = pytest.mark.parametrize("model", MODELS)
few = settings(max_examples=25, deadline=None)


def rng(seed=0):
    return np.random.default_rng(seed)


# The release.


@pytest.mark.parametrize("model", ["approximate", "pure", "shuffle"])
def test_a_release_follows_the_law_of_its_mechanism(model):
    picks = np.repeat([3, 7, 9], [14, 11, 4])
    counts = np.bincount(picks, minlength=16)
    law = {
        "approximate": lambda: StableHistogram(1.0, 0.05).law(counts),
        "pure": lambda: np.append(CountExponential(1.0, 16).law(counts), 0.0),
        "shuffle": lambda: np.append(ShuffleSelection(1.0, 0.05, 16).law(counts), 0.0),
    }[model]()
    draws = rng(1)
    drawn = [release(model, picks, rng=draws, **PRIVACY) for _ in range(3000)]
    seen = np.bincount(np.array(drawn) % 17, minlength=17)
    common = law * 3000 > 5
    assert stats.chisquare(
        np.append(seen[common], seen[~common].sum() + 1e-9),
        np.append(law[common], law[~common].sum() + 1e-9 / 3000) * 3000,
    ).pvalue > 1e-3  # fmt: skip


@every_model
def test_many_votes_for_one_hypothesis_are_released(model):
    picks = np.full(2000, 5)
    assert release(model, picks, rng=rng(2), **PRIVACY) == 5


def test_who_picked_nothing_votes_for_the_first():
    picks = np.full(2000, -1)
    for model in MODELS:
        assert release(model, picks, rng=rng(3), **PRIVACY) == 0


def test_an_empty_histogram_releases_nothing():
    assert release("approximate", [4], rng=rng(4), **PRIVACY | {"delta": 1e-6}) == -1


# Theorems and lower bounds.


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_theorems_scale_as_printed(epsilon):
    setting = {"dimension": 5.0, "epsilon": epsilon, "delta": 1e-6, "beta": 0.05}
    users = {model: theorem_users(model, **setting) for model in MODELS}
    assert users["local"] == pytest.approx(users["pure"] / epsilon)
    assert users["approximate"] == users["shuffle"]
    assert users["approximate"] == pytest.approx(math.log(1 / (1e-6 * 0.05)) / epsilon)
    richer = theorem_users("approximate", **setting | {"dimension": 50.0})
    assert richer == users["approximate"]  # however rich the class
    assert theorem_users("pure", **setting | {"dimension": 50.0}) > 5 * users["pure"]


@few
@given(
    n=st.integers(0, 12),
    size=st.integers(2, 30),
    epsilon=st.sampled_from([0.1, 0.5, 1.0]),
)
def test_no_exponential_vote_beats_the_ceiling_and_it_is_nearly_reached(n, size, epsilon):
    """Where all users agree the pure vote's success is e^(nε)/(e^(nε) + N − 1), exactly."""
    counts = np.zeros(size, dtype=int)
    counts[0] = n
    exact = CountExponential(epsilon, size).law(counts)[0]
    ceiling = float(success_ceiling(n, targets=size, epsilon=epsilon, delta=0))
    assert exact <= ceiling + 1e-12
    assert exact >= ceiling / 2


@few
@given(
    n=st.integers(0, 25), epsilon=st.sampled_from([0.5, 1.0]), delta=st.sampled_from([0.01, 0.1])
)
def test_no_stable_vote_beats_the_ceiling(n, epsilon, delta):
    counts = np.zeros(8, dtype=int)
    counts[0] = n
    exact = StableHistogram(epsilon, delta).law(counts)[0]
    assert exact <= float(success_ceiling(n, targets=8, epsilon=epsilon, delta=delta)) + 1e-12


def test_the_fewest_users_are_where_the_ceiling_gets_high_enough():
    for delta in (0.0, 1e-6, 1e-2):
        given_ = {"targets": 64, "epsilon": 0.5, "delta": delta}
        n = least_users(beta=0.05, **given_)
        assert success_ceiling(n, **given_) >= 0.95 > success_ceiling(n - 1, **given_)
    # Lemma 4's shape: min{ln(1/δ), ln N}/ε
    rich = {"targets": 2**200, "epsilon": 0.5, "beta": 0.05}
    assert least_users(delta=1e-6, **rich) == pytest.approx(math.log(1e6) / 0.5, rel=0.1)
    assert least_users(delta=0, **rich) == pytest.approx(200 * math.log(2) / 0.5, rel=0.02)


def test_an_improper_learner_does_with_fewer():
    """Blocks of 52 points: 1[x in block] is good for every point in it, so five outputs do."""
    size, alpha, epsilon, beta = 256, 0.1, 0.2, 0.05
    targets = packing("points", bits=8, alpha=alpha)
    assert len(targets) == size
    block = np.arange(size) // 52
    for target in (0, 51, 255):
        made = problem("points", bits=8, target=target)
        output = block == block[target]
        assert made.weights[output != made.labels[target]].sum() <= alpha
    proper = least_users(targets=size, epsilon=epsilon, delta=0, beta=beta)
    counts = np.zeros(block[-1] + 1, dtype=int)
    counts[0] = 22
    assert CountExponential(epsilon, counts.size).law(counts)[0] >= 1 - beta
    assert 22 < proper == 28


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


def test_no_line_where_there_is_one_target():
    chart = next(_success(learner="queries"))
    assert chart.bounds == "none"
    assert "ceiling" not in {curve.key for curve in chart.curves}


@pytest.mark.parametrize("alpha", [0.1, 0.24, 0.25, 0.4])
def test_no_line_of_parity_where_the_argument_lapses(alpha):
    call = {"bits": 4, "examples_per_user": 1000, "failure_probability": 0.1, "runs": 5}
    chart = next(parity(**call, alpha=alpha, epsilon=1.0, constant=1.0, rng=rng(15)))
    assert ("least" in {curve.key for curve in chart.curves}) == (alpha < 0.25)


@few
@given(
    counts=st.lists(st.integers(0, 9), min_size=2, max_size=4),
    epsilon=st.sampled_from([0.2, 1.0]),
    delta=st.sampled_from([0.01, 0.1]),
)
def test_substituting_a_user_costs_up_to_twice(counts, epsilon, delta):
    """Exact laws of both central models, one vote moved from each hypothesis to each other."""
    twice, lost = substitution_budget(epsilon=epsilon, delta=delta)
    for mechanism, allowed in (
        (CountExponential(epsilon, len(counts)), 0.0),
        (StableHistogram(epsilon, delta), lost),
    ):
        law = mechanism.law(counts)
        for i, j in itertools.permutations(range(len(counts)), 2):
            if counts[i]:
                moved = [c - (k == i) + (k == j) for k, c in enumerate(counts)]
                gaps = np.maximum(law - math.exp(twice) * mechanism.law(moved), 0)
                assert gaps.sum() <= allowed + 1e-12


def test_and_twice_is_nearly_needed():
    """Two hypotheses far ahead of none: one vote moved changes the odds by e^2ε."""
    mechanism = CountExponential(1.0, 2)
    before, after = mechanism.law([0, 10]), mechanism.law([1, 9])
    assert math.log(after[0] / before[0]) == pytest.approx(2.0, abs=1e-3)
    assert substitution_budget(epsilon=1.0, delta=0) == (2.0, 0.0)


def test_algorithm_6_finds_a_representation_if_users_suffice():
    made = [problem("points", bits=6, target=t) for t in range(64)]
    good = np.array([p.errors <= 0.1 for p in made])
    enough = least_users(targets=64, epsilon=1.0, delta=0, beta=0.5)
    found = empty_representation(good, users=enough, epsilon=1.0, rng=rng(5))
    assert found.runs == 100 * math.ceil(math.exp(enough))
    assert found.covered == 1
    assert found.size == pytest.approx(enough, abs=5)  # ln T = O(εn)
    # Expected coverage by T uniform draws, where T is too small.
    wide = np.eye(4096, dtype=bool)
    few_runs = empty_representation(wide, users=1, epsilon=1.0, rng=rng(6))
    assert few_runs.runs == 300
    assert few_runs.covered == pytest.approx(1 - (1 - 1 / 4096) ** 300, rel=0.1)
    with pytest.raises(ParameterError, match="5,000,000"):
        empty_representation(good, users=30, epsilon=1.0, rng=rng(7))


# The views.


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
        | {"examples_per_user": 1000, "constant": 1.0, "runs": 200, "dispersion": "theorem"}
        | changes
    )
    return success(**call, rng=rng(8))


def test_the_least_noise_needs_fewer_users():
    charts = [last(_success(dispersion=name, runs=60)) for name in ("theorem", "least")]
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


@pytest.mark.parametrize("learner", LEARNERS)
def test_agreement_grows_with_the_examples(learner):
    call = SETTING | {"learner": learner, "concept": "thresholds", "bits": 6}
    charts = agreement(**call, examples_per_user=5000, share=0.9, runs=400, rng=rng(9))
    chart = reached(charts, 0.3)
    shared = chart.curve("shared")
    assert shared.y[-1] >= shared.y[0]
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
    for _ in range(2000):
        learner = settled.draw(draws)
        errors = learner.problem.empirical_errors(2, examples=500, rng=draws)
        exact.append(1 - float(correlated_sampling.output_disagreement(*learner.laws(errors))))
    call = SETTING | {"concept": "thresholds", "bits": 5}
    chart = last(agreement(**call, examples_per_user=500, share=0.9, runs=400, rng=rng(11)))
    assert chart.shared.trials == 400
    assert chart.done == 1
    assert chart.shared.lower - 0.01 <= np.mean(exact) <= chart.shared.upper + 0.01


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
    for due in (True, False):
        monkeypatch.setattr(Pace, "due", lambda _, due=due: due)
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
    charts = parity(**call, epsilon=1.0, constant=1.0, runs=100, rng=rng(13))
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
    assert np.all(np.diff(chart.curve("item").y) > 0)


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


# Parameters.


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
