"""Noise drawn together: its δ by other means, its law by drawing, and what must be refused."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import gammainc

from dpviz.maths import joint_noise as module
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.intervals import clopper_pearson
from dpviz.maths.joint_noise import (
    MOST_QUERIES,
    JointNoise,
    joint_epsilon,
    joint_noise,
    joint_radius,
)
from dpviz.maths.optimal_noise import EndStaircase, end_staircase
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples
from tests.support.strategies import inside, outside

SURE = 1 - 1e-6  # of each interval around a count


def agrees(hits, trials, chance):
    low, high = clopper_pearson(hits, trials, level=SURE)
    return low <= chance <= high


# ---- δ --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries", "radius"),
    [
        (0.1, 1e-10, 2, 232.24),
        (0.1, 1e-10, 3, 258.93),
        (0.1, 1e-10, 5, 305.80),
        (0.1, 1e-10, 10, 406.08),
        (0.1, 1e-10, 100, 1684.94),
        (0.3, 1e-30, 10, 318.52),
        (1.0, 1e-5, 2, 13.89),
        (1.0, 1e-5, 10, 28.57),
        (2.0, 0.379, 2, 1.41),
        (5.0, 0.01, 1, 1.33),
    ],
)
def test_radii_that_another_program_has_found(epsilon, delta, queries, radius):
    found = joint_radius(epsilon=epsilon, delta=delta, queries=queries)
    assert found.lower <= found.upper
    assert found.upper == pytest.approx(radius, abs=0.006)
    assert found.relative_width < 1e-9


@examples(200)
@given(epsilon=inside("epsilon"), delta=inside("delta"))
def test_one_answer_is_end_staircase_noise(epsilon, delta):
    known = end_staircase(epsilon=epsilon, delta=delta)
    found = joint_radius(epsilon=epsilon, delta=delta, queries=1)
    assert found.upper == pytest.approx(known.radius, rel=2e-7)
    least = JointNoise(epsilon, 1, known.radius).log_delta
    assert least.lower - 1e-9 * abs(known.log_height) <= known.log_height
    assert known.log_height <= least.upper + 1e-9 * abs(known.log_height)


def lattice_delta(growth, radius, parts, shift):
    """Σ (p(c) − e^ε·p(c + shift))₊ for two answers, on cells of width 1/parts, in fractions."""
    count = int(2 * radius * parts)
    half = Fraction(1, 2 * parts)
    centres = [Fraction(i, parts) + half - radius for i in range(count)]
    p = {
        (i, j): growth ** math.floor(radius - max(abs(centres[i]), abs(centres[j])))
        for i, j in itertools.product(range(count), repeat=2)
    }
    moved = ((v, growth * p.get((i + shift[0], j + shift[1]), 0)) for (i, j), v in p.items())
    return sum(max(v - w, Fraction(0)) for v, w in moved) / sum(p.values())


@pytest.mark.parametrize("growth", [Fraction(11, 10), Fraction(5, 2), Fraction(20)])
@pytest.mark.parametrize("radius", [Fraction(1, 2), Fraction(5, 4), Fraction(2), Fraction(7, 2)])
def test_of_two_answers_no_shift_says_more_than_the_one_of_both(growth, radius):
    # Shifted by parts of a cell, densities on cells are mixtures on disjoint pieces: no worse.
    parts = 4
    found = JointNoise(math.log(growth), 2, float(radius)).delta
    # the law is symmetric in signs and order, as one of these shows
    shifts = [*itertools.combinations_with_replacement(range(parts + 1), 2), (parts, -parts)]
    known = {shift: lattice_delta(growth, radius, parts, shift) for shift in shifts}
    worst = max(known.values())
    assert worst == known[parts, parts] == known[parts, -parts]
    assert found.lower * (1 - 1e-12) <= worst <= found.upper * (1 + 1e-12)
    assert found.upper == pytest.approx(float(worst), rel=1e-12)


@pytest.mark.parametrize("radius", [3.5, 4.25])
def test_three_answers_agree_with_dp_accounting(radius):
    noise, parts = JointNoise(1.0, 3, radius), 4
    places = np.arange(0.5 - radius * parts, radius * parts) / parts
    cells = np.stack(np.meshgrid(*[places] * 3), axis=-1).reshape(-1, 3)
    here = {
        tuple(x): mass - 3 * math.log(parts)
        for x, mass in zip(cells.tolist(), noise.log_density(cells).tolist(), strict=True)
    }
    there = {(a + 1, b + 1, c + 1): mass for (a, b, c), mass in here.items()}
    law = pld.from_two_probability_mass_functions(there, here, symmetric=False)
    # its losses are whole multiples of ε, which it rounds up by at most 1e-4
    assert noise.delta.upper == pytest.approx(law.get_delta_for_epsilon(1.0001), rel=1e-3)


def fixed(x):
    return np.ones_like(x)


def alternating(x):
    return np.broadcast_to(np.where(np.arange(x.shape[1]) % 2, -1.0, 1.0), x.shape)


def adaptive(x):
    """Signs from all earlier errors, with which an analyst could hope to follow the noise."""
    earlier = np.cumsum(x, axis=1) - x
    return np.where(earlier > 0, -1.0, 1.0)


def greedy(x):
    """Follow the sign of the largest earlier error; partial shifts where it is small."""
    signs = np.ones_like(x)
    for i in range(1, x.shape[1]):
        place = np.argmax(np.abs(x[:, :i]), axis=1)
        signs[:, i] = np.sign(x[np.arange(len(x)), place])
    return signs


@pytest.mark.parametrize("analyst", [fixed, alternating, adaptive, greedy])
def test_of_ten_answers_each_choice_of_signs_meets_delta(analyst):
    noise, count = JointNoise(0.5, 10, 30.3), 100_000
    x = noise.sample(np.random.default_rng(70), count)
    here, there = noise.log_density(x), noise.log_density(x + analyst(x))
    excess = -np.expm1(np.minimum(noise.epsilon + there - here, 0.0))
    assert np.all((excess < 1e-12) | (excess == 1))  # as the first step of the proof has it
    assert noise.delta.upper > 100 / count
    assert agrees((excess > 0.5).sum(), count, noise.delta.upper)
    # half of a shift never says more
    half = noise.log_density(x + 0.5 * analyst(x))
    assert np.isneginf(half).sum() < (excess > 0.5).sum()


def power_sum(base, count, power):
    """Σ base^i·i^p over i < count, for p = 0, …, power: exact recursion."""
    found = []
    for p in range(power + 1):
        before = sum(mpmath.binomial(p, q) * found[q] for q in range(p))
        found.append((base**count * count**p - (p == 0) - base * before) / (base - 1))
    return found


def reference(epsilon, queries, radius):
    """Log δ, by the sum over shells in closed form, in as many digits as cancel and 50 more."""
    with mpmath.workdps(60 + 30 * queries):
        e, r = mpmath.mpf(epsilon), mpmath.mpf(radius)
        whole = mpmath.ceil(r)
        a, q = r - whole + 1, mpmath.exp(-e)  # innermost half width, in (0, 1]
        sums = power_sum(q, whole, queries)
        moments = sum(
            mpmath.binomial(queries, p) * a ** (queries - p) * sums[p] for p in range(queries + 1)
        )
        # Σ over i = 0, …, ⌈R⌉ − 1 of e^(ε(⌈R⌉ − 1 − i))·(a + i)^k
        cubes = mpmath.exp(e * (whole - 1)) * moments / r**queries
        total = 1 + (1 - q) * (cubes - 1)
        return float(mpmath.log((1 - (1 - 1 / (2 * r)) ** queries) / total))


@pytest.mark.parametrize("queries", [1, 2, 10])
@pytest.mark.parametrize("epsilon", [1e-7, 1e-4, 0.1, 10.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-10, 0.5])
def test_many_digits_lie_between_the_bounds_at_the_ends_of_all_ranges(epsilon, delta, queries):
    found = joint_radius(epsilon=epsilon, delta=delta, queries=queries)
    assert reference(epsilon, queries, found.upper) <= math.log(delta)
    assert reference(epsilon, queries, found.lower) >= math.log(delta)
    assert found.relative_width < 2e-6
    known = JointNoise(epsilon, queries, found.upper).log_delta
    assert known.lower <= reference(epsilon, queries, found.upper) <= known.upper


@examples(100)
@given(
    epsilon=inside("epsilon"),
    delta=inside("delta"),
    queries=inside("queries", maximum=MOST_QUERIES),
    more=st.floats(1.01, 10.0),
)
def test_delta_falls_with_the_radius_and_epsilon_and_rises_with_the_answers(
    epsilon, delta, queries, more
):
    noise = joint_noise(epsilon=epsilon, delta=delta, queries=queries)
    assert noise.log_delta.upper <= math.log(delta)
    wide = JointNoise(epsilon, queries, more * noise.radius)
    assert wide.log_delta.upper < noise.log_delta.lower
    answers = min(math.ceil(more * queries), MOST_QUERIES)
    asked = JointNoise(epsilon, answers, noise.radius)
    assert asked.log_delta.upper >= noise.log_delta.lower
    louder = JointNoise(min(more * epsilon, 10.0), queries, noise.radius)
    assert louder.log_delta.lower <= noise.log_delta.upper
    wider = joint_radius(epsilon=epsilon, delta=delta, queries=answers)
    assert wider.upper >= noise.radius * (1 - 1e-6)


@examples(60)
@given(
    epsilon=inside("epsilon"),
    delta=inside("delta"),
    queries=inside("queries", maximum=MOST_QUERIES),
)
def test_the_least_epsilon_of_a_radius_leads_back(epsilon, delta, queries):
    radius = joint_radius(epsilon=epsilon, delta=delta, queries=queries).upper
    # where R is all that counts, ε is free
    assume(JointNoise(1e-7, queries, radius).log_delta.lower > math.log(delta) + 1e-3)
    found = joint_epsilon(radius=radius, delta=delta, queries=queries)
    assert found.lower <= epsilon * (1 + 1e-12)
    assert JointNoise(found.upper, queries, radius).log_delta.upper <= math.log(delta)
    assert found.upper == pytest.approx(epsilon, rel=1e-3)


def test_an_epsilon_beyond_the_range_is_said():
    assert joint_epsilon(radius=0.6, delta=1e-5, queries=2) is None
    enough = joint_epsilon(radius=1e6, delta=0.1, queries=2)
    assert (enough.lower, enough.upper) == (1e-7, 1e-7)


def test_blocks_of_cubes_keep_to_their_side(monkeypatch):
    asked = (0.01, 20, 4000.7)
    known = JointNoise(*asked)
    exact, levels = known.log_delta, np.array([0.01, 0.5, 0.95])
    largest, one = known.largest_quantile(levels), known.quantile(levels)
    monkeypatch.setattr(module, "_BLOCKS", 256)
    rough = JointNoise(*asked)
    assert rough.log_delta.lower < exact.lower < exact.upper < rough.log_delta.upper
    assert rough.log_delta.upper - rough.log_delta.lower < 1e-2
    assert rough.largest_quantile(levels) == pytest.approx(largest, rel=1e-3)
    assert rough.quantile(levels) == pytest.approx(one, rel=1e-3, abs=1e-3)
    assert rough.deviation == pytest.approx(known.deviation, rel=1e-3)
    monkeypatch.setattr(module, "_BLOCKS", 64)  # within which cubes differ
    count = 50_000
    drawn = np.abs(JointNoise(*asked).sample(np.random.default_rng(73), count)).max(axis=1)
    for bound, level in zip(largest, levels, strict=True):
        assert agrees((drawn <= bound).sum(), count, level)


def test_it_is_smaller_than_independent_noise_for_few_answers_and_larger_for_many():
    privacy = {"epsilon": 0.1, "delta": 1e-10}
    for queries, together in ((2, True), (100, True), (1000, False)):
        found = joint_radius(**privacy, queries=queries).upper
        alone = tuned_noise(**privacy, queries=queries).best.radius
        assert (found < alone.lower) if together else (found > alone.upper)


def test_a_radius_has_the_unit_of_the_sensitivity():
    asked = {"epsilon": 0.1, "delta": 1e-10, "queries": 10}
    one, seven = (joint_radius(**asked, sensitivity=unit) for unit in (1.0, 7.0))
    assert seven.upper == pytest.approx(7 * one.upper, rel=1e-14)


# ---- the law --------------------------------------------------------------------------------


def test_the_bound_of_the_largest_of_ten_errors():
    found = joint_noise(epsilon=0.1, delta=1e-10, queries=10)
    assert float(found.largest_quantile(0.95)) == pytest.approx(157.05, abs=0.05)
    assert float(found.largest_cdf(found.radius)) == 1


@pytest.mark.parametrize(
    "asked",
    [(0.5, 3, 12.3), (0.1, 10, 406.1), (2.0, 2, 1.41), (0.3, 4, 0.8), (1e-4, 5, 9e5)],
    ids=str,
)
def test_the_law_is_that_of_what_is_drawn(asked):
    noise, count = JointNoise(*asked), 20_000
    x = noise.sample(np.random.default_rng(71), count)
    largest = np.abs(x).max(axis=1)
    assert x.shape == (count, asked[1])
    assert np.all(largest <= noise.radius)
    for level in (0.02, 0.3, 0.5, 0.8, 0.97):
        for error, law, bound in (
            (largest, noise.largest_cdf, noise.largest_quantile(level)),
            (x[:, 0], noise.cdf, noise.quantile(level)),
            (x[:, -1], noise.cdf, noise.quantile(level)),
        ):
            assert float(law(bound)) == pytest.approx(level, abs=1e-9)
            assert agrees((error <= bound).sum(), count, level)
    for error in x.T[:2]:
        mean = 5.2 * noise.deviation / math.sqrt(count)
        assert abs(error.mean()) < mean
        square = error**2
        margin = 5.2 * square.std() / math.sqrt(count)
        assert abs(square.mean() - noise.deviation**2) < margin


def test_errors_of_one_draw_depend_on_each_other():
    x = np.abs(JointNoise(0.1, 10, 406.1).sample(np.random.default_rng(72), 20_000))
    assert np.corrcoef(x[:, 0], x[:, 1])[0, 1] > 0.05


def test_the_density_is_that_of_the_law():
    noise = JointNoise(0.7, 1, 3.6)
    known = EndStaircase(0.7, 3.6)
    x = np.linspace(-3.7, 3.7, 2001)
    assert noise.log_density(x[:, None]) == pytest.approx(known.log_density(x), abs=1e-12)
    # ends of steps and multiples of 0.1 between them: all areas are sums of rectangles
    edges = np.linspace(-3.6, 3.6, 73)
    areas = np.exp(known.log_density((edges[1:] + edges[:-1]) / 2)) * 0.1
    assert noise.cdf(edges) == pytest.approx(np.append(0.0, areas.cumsum()), abs=1e-12)
    both = JointNoise(0.7, 2, 3.6)
    cells = np.stack(np.meshgrid(*[(edges[1:] + edges[:-1]) / 2] * 2), axis=-1)
    masses = np.exp(both.log_density(cells)) * 0.01
    assert masses.sum() == pytest.approx(1)
    assert both.cdf(edges) == pytest.approx(np.append(0.0, masses.sum(axis=0).cumsum()), abs=1e-12)
    inside_of = [masses[36 - n : 36 + n, 36 - n : 36 + n].sum() for n in range(37)]
    assert both.largest_cdf(edges[36:]) == pytest.approx(inside_of, abs=1e-12)


@pytest.mark.parametrize("radius", [30.0, 1e9, 1e15])
def test_where_the_wall_is_far_the_law_is_that_without_it(radius):
    far = JointNoise(10.0, 1, radius)
    # cubes of half width 1, 2, …, which fall by e^ε·(r/(r + 1)): the variance in closed form
    r = np.arange(1.0, 30.0)
    weights = np.exp(-10 * r) * r
    assert far.deviation == pytest.approx(math.sqrt((weights * r**2).sum() / weights.sum() / 3))
    height = EndStaircase(10.0, radius).log_height
    assert far.log_delta.upper == pytest.approx(height, rel=1e-13)
    many = JointNoise(1e-3, 100, max(radius, 1e7))  # the largest of its errors is nearly Γ(k)
    chances = gammainc(100, [80, 101, 120])
    assert many.largest_cdf([80e3, 101e3, 120e3]) == pytest.approx(chances, abs=1e-6)


# ---- what is refused ------------------------------------------------------------------------

GOOD = {"epsilon": 0.1, "delta": 1e-10, "queries": 10}


@examples(60)
@given(data=st.data(), name=st.sampled_from(list(GOOD)))
def test_what_is_out_of_range_is_refused(data, name):
    value = data.draw(outside(name))
    with pytest.raises(ParameterError) as refused:
        joint_radius(**GOOD | {name: value})
    assert refused.value.name == name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queries", MOST_QUERIES + 1),
        ("queries", 1.5),
        ("radius", math.nan),
        ("radius", 0.0),
        ("radius", 1e16),
        ("epsilon", math.inf),
    ],
)
def test_what_no_noise_has_is_refused(name, value):
    with pytest.raises(ParameterError) as refused:
        JointNoise(**{"epsilon": 0.1, "queries": 10, "radius": 100.0} | {name: value})
    assert refused.value.name == name


def test_a_level_that_is_no_probability_is_refused():
    noise = JointNoise(0.1, 10, 400.0)
    for bad in (-0.1, 1.1, math.nan):
        for law in (noise.quantile, noise.largest_quantile):
            with pytest.raises(ParameterError):
                law(bad)


def test_a_cube_too_small_hides_nothing():
    noise = JointNoise(0.1, 3, 0.5)
    assert noise.delta.lower == noise.delta.upper == 1
    assert noise.deviation == pytest.approx(0.5 / math.sqrt(3))


def test_a_radius_at_the_end_of_whole_numbers_has_its_law():
    """R − y was rounded before its ceiling: .673 in place of .569."""
    far, near = JointNoise(10.0, 100.0, 1e15), JointNoise(10.0, 100.0, 1e6)
    for y in (9.97, 10.0, 10.4):  # the innermost cubes are alike
        assert far.largest_cdf(y) == pytest.approx(near.largest_cdf(y), rel=1e-3)


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_delta_tends_to_its_limit_where_the_radius_grows_like_the_answers(share):
    limit = -math.expm1(1.0 - 1 / share) / (1 + math.exp(-0.5 / share))
    away = [
        abs(JointNoise(1.0, queries, share * queries).delta.upper - limit)
        for queries in (1_000, 10_000)
    ]
    assert away[1] < 0.2 * away[0] < 1e-3
