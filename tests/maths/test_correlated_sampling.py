"""Correlated sampling: marginals and joint laws by chi-square, disagreement by exact formulas."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from dpviz.maths import correlated_sampling
from dpviz.maths.correlated_sampling import Darts, sample, sample_inverse, sample_repeatedly
from dpviz.results.parameters import LIMITS, ParameterError
from tests.support.examples import some
from tests.support.strategies import inside, outside

P = np.array([0.5, 0.3, 0.2, 0.0])
Q = np.array([0.3, 0.3, 0.0, 0.4])
WIDE = correlated_sampling.two_bells(outcomes=20, gap=2.0, width=3.0, width_ratio=1.5)
PAIRS = pytest.mark.parametrize("pair", [(P, Q), WIDE, (P, P)], ids=["small", "bells", "equal"])
GAMES = 40_000


@st.composite
def laws(draw, count=2):
    size = draw(st.integers(1, 12))
    weights = draw(arrays(float, (count, size), elements=st.floats(0, 1)))
    weights[:, 0] += 1e-3
    return weights / weights.sum(axis=1, keepdims=True)


def p_value(counts, law):
    """Chi-square against a law; outcomes of tiny probability are pooled."""
    expected = law * counts.sum()
    assert not counts[law == 0].any()
    small = expected < 5
    grouped = np.append(counts[~small], counts[small].sum())
    wanted = np.append(expected[~small], expected[small].sum())
    return stats.chisquare(grouped[wanted > 0], wanted[wanted > 0]).pvalue


# Marginals and joint laws.


@PAIRS
def test_every_user_samples_from_their_own_distribution(pair):
    games = sample_repeatedly(pair, repetitions=GAMES, rng=np.random.default_rng(1)).outcome
    for column, law in enumerate(pair):
        assert p_value(np.bincount(games[:, column], minlength=law.size), law) > 1e-3


def test_streams_with_different_seeds_sample_from_the_distribution():
    drawn = [sample([P, Q], Darts(4, seed)).outcome for seed in range(3000)]
    for column, law in enumerate((P, Q)):
        counts = np.bincount(np.array(drawn)[:, column], minlength=4)
        assert p_value(counts, law) > 1e-3


@PAIRS
def test_the_joint_law_of_two_users_is_the_formula(pair):
    games = sample_repeatedly(pair, repetitions=GAMES, rng=np.random.default_rng(2)).outcome
    size = pair[0].size
    counts = np.bincount(games[:, 0] * size + games[:, 1], minlength=size * size)
    assert p_value(counts, correlated_sampling.dart_joint_law(*pair).ravel()) > 1e-3


@PAIRS
def test_darts_and_outcomes_differ_as_often_as_the_formulas_say(pair):
    games = sample_repeatedly(pair, repetitions=GAMES, rng=np.random.default_rng(3))
    tv = correlated_sampling.total_variation(*pair)
    for values, truth in (
        (games.dart, correlated_sampling.dart_disagreement(tv)),
        (games.outcome, correlated_sampling.output_disagreement(*pair)),
    ):
        differ = np.count_nonzero(values[:, 0] != values[:, 1])
        assert stats.binomtest(differ, GAMES, float(truth)).pvalue > 1e-3


def test_the_inverse_distribution_function_samples_as_its_joint_law_says():
    uniforms = np.random.default_rng(4).random(GAMES)
    drawn = sample_inverse(WIDE, uniforms)
    size = WIDE[0].size
    counts = np.bincount(drawn[:, 0] * size + drawn[:, 1], minlength=size * size)
    assert p_value(counts, correlated_sampling.inverse_joint_law(*WIDE).ravel()) > 1e-3
    assert drawn.max() < size


# The stream.


def test_the_stream_is_public():
    """Users alone get what they get together, and equal distributions always agree."""
    rows = np.random.default_rng(5).dirichlet(np.ones(50), size=30)
    darts = Darts(50, 7)
    together = sample(rows, darts)
    for i in (0, 13, 29):
        alone = sample(rows[i : i + 1], darts)
        assert alone.dart[0] == together.dart[i]
        assert alone.outcome[0] == together.outcome[i]
    same = sample(np.tile(rows[:1], (5, 1)), darts)
    assert len(set(same.dart)) == 1


def test_the_first_dart_below_the_curve_is_chosen():
    darts = Darts(4, 11)
    places, heights = darts.block(0)
    for law in (P, Q):
        first = next(i for i in range(places.size) if heights[i] < law[places[i]])
        thrown = sample(law[None], darts)
        assert (thrown.dart[0], thrown.outcome[0]) == (first, places[first])


def test_who_waits_for_a_later_block_is_hit_there():
    """With many outcomes some stream misses a distribution for a whole block, of 8 |Ω| darts."""
    law = np.zeros(400)
    law[3] = 1.0
    seeds = some(8000, 2000)
    later = [sample(law[None], Darts(400, seed)).dart[0] for seed in range(seeds)]
    assert max(later) >= 8 * 400
    # geometric: mean and spread are |Ω| − 1
    assert np.mean(later) == pytest.approx(399, rel=4.5 / math.sqrt(seeds))


# The exact formulas.


@given(laws())
def test_bounds_and_identities(pair):
    p, q = pair
    tv = correlated_sampling.total_variation(p, q)
    joint = correlated_sampling.dart_joint_law(p, q)
    differ = correlated_sampling.output_disagreement(p, q)
    assert joint.sum(axis=1) == pytest.approx(p)
    assert joint.sum(axis=0) == pytest.approx(q)
    assert differ == pytest.approx(1 - np.trace(joint), abs=1e-12)
    assert correlated_sampling.output_agreement(p, q) == pytest.approx(np.trace(joint))
    assert tv - 1e-12 <= differ <= correlated_sampling.dart_disagreement(tv) + 1e-12
    assert differ <= 2 * tv + 1e-12
    for law, formula in (
        (correlated_sampling.inverse_joint_law, correlated_sampling.inverse_disagreement),
        (correlated_sampling.independent_joint_law, correlated_sampling.independent_disagreement),
    ):
        other = law(p, q)
        assert other.sum(axis=1) == pytest.approx(p)
        assert other.sum(axis=0) == pytest.approx(q)
        assert formula(p, q) == pytest.approx(1 - np.trace(other), abs=1e-12)
        assert formula(p, q) >= tv - 1e-12


@given(laws(count=3))
def test_formulas_take_many_at_a_time(rows):
    together = correlated_sampling.output_disagreement(rows, rows[0])
    alone = [correlated_sampling.output_disagreement(row, rows[0]) for row in rows]
    np.testing.assert_allclose(together, alone)
    assert together[0] == 0


def test_no_multiple_of_tv_bounds_the_inverse_distribution_function():
    p, q = np.full(50, 0.02), np.full(50, 0.02)
    q[0], q[-1] = 0.01, 0.03
    tv = correlated_sampling.total_variation(p, q)
    assert correlated_sampling.inverse_disagreement(p, q) == pytest.approx(49 * tv)
    assert correlated_sampling.output_disagreement(p, q) < 2 * tv


@pytest.mark.parametrize("power", [10, 40, 57])
def test_the_inverse_distribution_function_feels_the_smallest_shift(power):
    """A shift from the first of 64 outcomes to the last moves the ends of all but the last."""
    p = np.full(64, 1 / 64)
    q, shift = p.copy(), 2.0**-power
    q[0], q[-1] = q[0] - shift, q[-1] + shift
    assert correlated_sampling.inverse_disagreement(p, q) == 63 * shift
    assert correlated_sampling.inverse_disagreement(q, p) == 63 * shift


@given(laws())
def test_who_draw_from_one_law_never_differ(pair):
    assert correlated_sampling.inverse_disagreement(pair, pair).tolist() == [0.0, 0.0]


# Bells and parameters.


@given(
    outcomes=inside("outcomes"),
    gap=inside("gap"),
    width=inside("width"),
    width_ratio=inside("width_ratio"),
)
def test_bells_are_distributions(outcomes, gap, width, width_ratio):
    p, q = correlated_sampling.two_bells(
        outcomes=outcomes, gap=gap, width=width, width_ratio=width_ratio
    )
    assert p.shape == q.shape == (outcomes,)
    assert p.sum() == pytest.approx(1)
    assert 0 <= correlated_sampling.total_variation(p, q) <= 1
    assert p @ np.arange(outcomes) <= q @ np.arange(outcomes) + 1e-9 or width_ratio != 1


@pytest.mark.parametrize("name", ["outcomes", "gap", "width", "width_ratio"])
@given(data=st.data())
def test_what_is_out_of_range_is_refused(name, data):
    usual = {key: LIMITS[key].default for key in ("outcomes", "gap", "width", "width_ratio")}
    with pytest.raises(ParameterError, match=name):
        correlated_sampling.two_bells(**usual | {name: data.draw(outside(name))})


def disagreement_dart_by_dart(p, q, darts):
    """The chain over who has picked what, one dart after another, then own coins."""
    size = len(p)
    state = {(None, None): 1.0}
    for _ in range(darts):
        after = dict.fromkeys(state, 0.0)
        for (mine, yours), chance in state.items():
            for w in range(size):
                cuts = sorted({0.0, p[w], q[w], 1.0})
                for low, high in itertools.pairwise(cuts):
                    height, part = (low + high) / 2, (high - low) / size
                    new = (
                        w if mine is None and height < p[w] else mine,
                        w if yours is None and height < q[w] else yours,
                    )
                    after[new] = after.get(new, 0.0) + chance * part
        state = after
    differ = 0.0
    for (mine, yours), chance in state.items():
        first = p if mine is None else np.eye(size)[mine]
        second = q if yours is None else np.eye(size)[yours]
        differ += chance * (1 - np.dot(first, second))
    return differ


@pytest.mark.parametrize("darts", [0, 1, 2, 7])
def test_few_shared_darts_disagree_as_the_chain_says(darts):
    for p, q in (
        (np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.3])),
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        (np.array([0.25, 0.75]), np.array([0.25, 0.75])),
    ):
        found = correlated_sampling.limited_disagreement(p, q, darts=darts)
        assert found == pytest.approx(disagreement_dart_by_dart(p, q, darts), abs=1e-12)


def test_enough_darts_are_the_least():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.6, 0.3])
    none = 1 - np.maximum(p, q).sum() / 3
    count = correlated_sampling.enough_darts(p, q, missed=0.01)
    assert none**count <= 0.01 < none ** (count - 1)
    assert correlated_sampling.enough_darts([1.0, 0.0], [0.0, 1.0], missed=0.01) == 1


@pytest.mark.parametrize("size", [3, 4, 5])
def test_no_strategy_differs_less_often_on_all_pairs(size):
    """All deterministic strategies on the laws uniform on all outcomes but one."""
    laws = (np.ones((size, size)) - np.eye(size)) / (size - 1)
    distance = correlated_sampling.total_variation(laws[0], laws[1])
    choices = [np.flatnonzero(law) for law in laws]
    least = min(
        np.mean([a != b for a, b in itertools.combinations(picks, 2)])
        for picks in itertools.product(*choices)
    )
    assert least == pytest.approx(float(correlated_sampling.dart_disagreement(distance)))


@pytest.mark.parametrize(
    "broken",
    [
        lambda: correlated_sampling.total_variation([0.5, 0.6], [0.5, 0.5]),
        lambda: correlated_sampling.total_variation([0.5, 0.5], [1.0]),
        lambda: correlated_sampling.output_disagreement([-0.1, 1.1], [0.5, 0.5]),
        lambda: correlated_sampling.output_disagreement([np.nan, 1], [0.5, 0.5]),
        lambda: correlated_sampling.dart_disagreement(1.5),
        lambda: sample([[0.5, 0.5]], Darts(3, 0)),
        lambda: sample([0.5, 0.5], Darts(2, 0)),
        lambda: correlated_sampling.limited_disagreement([1.0], [1.0], darts=-1),
        lambda: correlated_sampling.enough_darts([1.0], [1.0], missed=0.0),
        lambda: Darts(0, 0),
        lambda: Darts(2, -1),
    ],
)
def test_what_is_no_distribution_is_refused(broken):
    with pytest.raises(ParameterError):
        broken()
