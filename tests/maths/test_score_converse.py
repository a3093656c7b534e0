"""The test by scores: each step of its proof on random laws, and the bound against noises."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.gaussian import minimal_sigma
from dpviz.maths.noise_converse import chain_radius, least_radius
from dpviz.maths.score_converse import proven_delta, radius_above, score_radius
from dpviz.results.parameters import ParameterError
from tests.support.examples import chosen, examples
from tests.support.strategies import inside, outside


def random_law(rng, radius):
    """Points of [−R, R] and their masses: few or many, in the middle or at the ends."""
    count = int(rng.integers(1, 30))
    points = radius * (2 * rng.beta(*rng.choice([0.1, 1.0, 5.0], 2), count) - 1)
    return points, rng.dirichlet(np.full(count, rng.choice([0.05, 1.0, 20.0])))


def scores(points, width):
    """s(X − 1/2) and s(X + 1/2)."""
    angle = math.pi / (2 * width)
    return np.tan(angle * (points - 0.5)), np.tan(angle * (points + 0.5))


@examples(60)
@given(st.integers(0, 10**6), inside("queries", 5, 2000))
def test_the_mean_moves_and_the_deviations_are_small_and_alike(seed, queries):
    """Steps 1 to 3, for noises that differ from answer to answer."""
    rng = np.random.default_rng(seed)
    radius = float(rng.uniform(1, 100))
    width = (radius + 0.5) * float(rng.uniform(1.01, 3))
    move, most = math.tan(math.pi / (2 * width)), scores(radius, width)[1]
    sure = move * (1 - move**2 * (1 + most**2) / 2)
    count = round(queries)
    share, gaps, squares, variances, joint = 0, 0, 0, np.zeros(2), 0
    for part in rng.dirichlet(np.ones(3)):  # of the answers have each of three laws
        points, masses = random_law(rng, radius)
        first, second = scores(points, width)
        gap = second - first
        assert gap == pytest.approx(move * (1 + first * second), rel=1e-9, abs=1e-12)
        share += part
        gaps += count * part * (masses @ gap)
        squares += part * (masses @ (first**2 + second**2)) / 2
        for i, values in enumerate((first, second)):
            variances[i] += count * part * (masses @ (values - masses @ values) ** 2)
        joint += count * part * (masses @ gap**2)
    assert share == pytest.approx(1)
    small, large = np.sqrt(np.sort(variances))
    assert gaps >= count * sure * (1 + squares) * (1 - 1e-9)
    assert small**2 <= count * squares * (1 + 1e-9)
    assert joint <= move * (1 + most**2) * gaps * (1 + 1e-9)
    assert large <= small + math.sqrt(joint) + 1e-9 * large
    if sure > 0:
        beta = math.sqrt(move / sure * (1 + most**2) / count)
        assert large <= small + beta * gaps * (1 + 1e-9)
        assert gaps >= 2 * math.sqrt(count) * sure * small * (1 - 1e-9)


@pytest.mark.parametrize("seed", chosen([0, 1, 2], list(range(3, 20))))
def test_some_threshold_rejects_as_often_as_is_claimed(seed):
    """The whole of the proof, by simulated sums under random laws."""
    rng = np.random.default_rng(seed)
    queries, epsilon, runs = 20_000, 0.3, 40_000
    radius, width = 150.0, 220.0
    claimed = float(proven_delta(np.array([radius]), np.array([width]), epsilon, queries)[0])
    assert claimed > 0.1
    sums = np.zeros((2, runs))
    for _ in range(2):
        points, masses = random_law(rng, radius)
        for one, values in zip(sums, scores(points, width), strict=True):
            one += rng.multinomial(queries // 2, masses, runs) @ values
    thresholds = np.quantile(sums, np.linspace(0, 1, 200))
    beyond = np.array([[np.mean(one > t) for t in thresholds] for one in sums])
    up = beyond[1] - math.exp(epsilon) * beyond[0]
    down = 1 - beyond[0] - math.exp(epsilon) * (1 - beyond[1])
    assert max(up.max(), down.max()) >= claimed - 0.02


@examples(16)
@given(inside("epsilon", 1e-3, 5.0), inside("delta", 1e-4, 0.5), inside("queries", 1, 10**10))
def test_no_noise_of_the_app_is_below(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    bound = max(score_radius(**privacy, steps=steps) for steps in (1, 2, 5, 12))
    for noise in (PowerNoise(0.5), PowerNoise(1.0), PowerNoise(4.0)):
        assert bound <= minimal_radius(noise, **privacy).upper
    assert bound <= tuned_noise(**privacy).best.radius.upper


def test_it_tends_to_pi():
    """Nearly at the rate k^(−1/4) of the theorem, which is a factor of 3.16 for each line here."""
    privacy = {"epsilon": 0.1, "delta": 0.1}
    missing = []
    for queries in (1e6, 1e8, 1e10):
        sigma = float(minimal_sigma(**privacy, queries=queries))
        missing.append(math.pi - score_radius(**privacy, queries=queries) / sigma)
    assert missing[0] < 0.65
    assert missing[2] < 0.1
    for one, later in itertools.pairwise(missing):
        assert later < one / 2.9


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "steps", "least"),
    [
        (0.1, 0.1, 1e6, 1, 1.22),
        (0.1, 0.01, 1e6, 8, 1.07),
        (0.1, 0.01, 1e8, 5, 1.22),
        (1, 0.01, 1e8, 1, 1.26),
    ],
)
def test_where_it_proves_more_than_the_other_bounds(epsilon, delta, queries, steps, least):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    found = score_radius(**privacy, steps=steps)
    # of so many answers one pair proves less: `MOST_ANSWERS`
    assert found >= least * chain_radius(**privacy)
    assert least_radius(**privacy) >= found


@examples(24)
@given(
    inside("epsilon", 1e-3, 5.0),
    inside("delta", 1e-4, 0.5),
    inside("queries", 1e3, 10**10),
    st.floats(0.5, 1.5),
)
def test_the_best_number_of_people_is_found(epsilon, delta, queries, share):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    known = {steps: score_radius(**privacy, steps=steps) for steps in (1, 2, 3, 5, 8, 13)}
    other = share * max(known.values())
    found = radius_above(other, **privacy)
    if share > 1.001:
        assert found is None or found[1] > 13
    if share < 1 and other > 0:  # else none proves anything
        assert found is not None
        assert found[0] >= max(known.values())
        assert found[0] == score_radius(**privacy, steps=found[1])


def test_where_it_says_nothing():
    assert score_radius(epsilon=1.0, delta=1e-6, queries=1) == 0
    assert score_radius(epsilon=1.0, delta=0.1, queries=1e6, steps=11) == 0  # 11ε > 10
    assert score_radius(epsilon=1.0, delta=0.1, queries=1e6, steps=3) == 0  # δ of 3 steps > 1/2
    narrow = proven_delta(np.array([5.0]), np.array([5.4]), 1.0, 100)
    assert narrow[0] == -1


def test_it_is_in_the_unit_of_the_sensitivity():
    privacy = {"epsilon": 0.1, "delta": 0.1, "queries": 1e6}
    assert score_radius(**privacy, sensitivity=3.0) == pytest.approx(3 * score_radius(**privacy))


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "sensitivity"])
@examples(32)
@given(data=st.data())
def test_it_refuses(name, data):
    arguments = {"epsilon": 0.1, "delta": 0.1, "queries": 1e6, "sensitivity": 1.0}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        score_radius(**arguments)
