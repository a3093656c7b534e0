"""The accountant against independent computations of the same δ, and its promises."""

import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld.pld_pmf import DensePLDPmf
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.maths import gaussian
from dpviz.maths.accounting import calibration
from dpviz.maths.accounting.answer import Problem
from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.accounting.composition import log_delta
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.results.evidence import Bracket
from tests.support import oracles
from tests.support.examples import chosen, examples
from tests.support.strategies import inside

NAMES = ("epsilon", "delta", "queries", "sensitivity")
noises = st.one_of(inside("power").map(PowerNoise), st.just(IteratedExponentialNoise()))
# The domain whose speed and width are promised; the rest of the table is certified, too.
main_noises = st.floats(1.0, 4.0).map(PowerNoise)
main_epsilons = inside("epsilon", 1e-3, 5.0)
main_deltas = inside("delta", 1e-60, 1e-2)


def promised_width(queries):
    return 1e-4 if queries >= 30 else 1e-3


# ---- references ------------------------------------------------------------------------------


def positions(shift, y):
    """The distances 1 + u and 1 - v - u; y on the whole line covers all u of finite loss."""
    return (2 - shift) / (1 + np.exp(-2 * y)), (2 - shift) / (1 + np.exp(2 * y))


def losses(noise, shift, y):
    """f(u + v) - f(u), as a plain difference: enough digits for the shifts used here."""
    above, gap = positions(shift, y)
    with np.errstate(invalid="ignore"):
        difference = noise.exponent(gap, above + shift) - noise.exponent(gap + shift, above)
    return np.where(np.isnan(difference), np.copysign(np.inf, y), difference)


def crossing(noise, shift, values):
    """The coordinate y at which the loss of one answer is each of `values`."""
    low, high = np.full_like(values, -12.0), np.full_like(values, 16.0)
    for _ in range(56):
        middle = (low + high) / 2
        below = losses(noise, shift, middle) < values
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def delta_of_two(noise, radius, epsilon):
    """δ of two answers: E[δ₁(ε - l(U))] by the trapezoid rule, δ₁ in closed form.

    δ₁(x) = P(U > u*) - e^x P(U > u* + v) with l(u*) = x, for x of either sign.
    """
    shift = 1 / radius
    y, step = np.linspace(-9, 12, 15_001, retstep=True)
    above, gap = positions(shift, y)
    density = np.exp(-noise.exponent(gap + shift, above) - noise.log_normaliser)
    rest = epsilon - losses(noise, shift, y)
    _, edge = positions(shift, crossing(noise, shift, rest))
    tail, shifted = noise.log_tail_from_edge(edge + shift), noise.log_tail_from_edge(edge)
    inner = np.exp(tail) - np.exp(np.minimum(rest + shifted, tail))
    certain = math.exp(float(noise.log_tail_from_edge(shift)))  # U > 1 - v: infinite loss
    return step * float((density * 2 * above * gap / (2 - shift)) @ inner) + certain


def log_delta_of_one(noise, radius, epsilon):
    """ln δ₁ at 40 digits, from the definition of the noise."""
    f, v, eps = oracles.exponent(noise), 1 / mp.mpf(radius), mp.mpf(epsilon)
    low, high = v, mp.mpf(2)  # the distance 1 - u
    for _ in range(140):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle - v) - f(middle) < eps else (middle, high)
    # δ₁ is stationary in u*, so a double is good enough for it
    edge = mp.mpf(float(low))
    first = oracles.log_tail_from_edge(noise, edge)
    return first + mp.log1p(-mp.exp(eps + oracles.log_tail_from_edge(noise, edge - v) - first))


def grid_of_losses(noise, radius, step, top, *, pessimistic):
    """One answer's privacy loss on a grid, rounded up or down, as dp-accounting stores it."""
    shift = 1 / radius
    last = math.ceil(top / step)
    index = np.arange(-last, last + 1)
    edge = crossing(noise, shift, index * step)
    _, gap = positions(shift, edge)
    above = np.exp(noise.log_tail_from_edge(gap + shift))  # P(loss > index·step)
    infinite = math.exp(float(noise.log_tail_from_edge(shift)))
    between = -np.diff(above)
    if pessimistic:
        return DensePLDPmf(step, -last, np.append(1 - above[0], between), above[-1], True)
    finite = np.append(between, above[-1] - infinite)
    return DensePLDPmf(step, -last, finite, infinite, False)


# ---- δ against independent computations ------------------------------------------------------

SINGLE = [
    (PowerNoise(2), 20.0, 0.1),
    (PowerNoise(0.5), 30.0, 0.5),
    (PowerNoise(3.7), 0.7, 1.0),
    (PowerNoise(8), 300.0, 1e-3),
    (PowerNoise(1), 1e4, 0.05),
    (IteratedExponentialNoise(), 20.0, 0.2),
]
COMPOSED = [
    (PowerNoise(2), 30.0, 0.5, 2, 1e-4),
    (PowerNoise(1), 30.0, 1.0, 10, 1e-4),
    (PowerNoise(0.5), 200.0, 0.5, 30, 5e-5),
    (PowerNoise(3), 120.0, 1.5, 100, 1e-4),
]
DRAWN = [
    (PowerNoise(2), 30.0, 0.5, 30),
    (PowerNoise(0.5), 100.0, 1.0, 30),
    (IteratedExponentialNoise(), 40.0, 0.5, 8),
    (PowerNoise(1), 25.0, 1.0, 100),
]


@pytest.mark.parametrize(("noise", "radius", "epsilon"), SINGLE)
def test_one_query_against_mpmath(noise, radius, epsilon):
    expected = log_delta_of_one(noise, radius, epsilon)
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=1)
    # 40 digits against a double for u*: relative 1e-11 of delta is left of the comparison
    assert mp.log(found.lower) - 1e-11 <= expected <= mp.log(found.upper) + 1e-11
    assert found.relative_width < 1e-10


OF_TWO = [
    (PowerNoise(2), 20.0, 0.1),  # 0.0511395
    (PowerNoise(0.5), 30.0, 0.5),
    (PowerNoise(4), 8.0, 1.0),
    (PowerNoise(2), 1.5, 1.0),
    (PowerNoise(2), 500.0, 0.1),  # 4.25e-6
    (PowerNoise(3), 1e4, 0.01),  # 2.7e-9
    (PowerNoise(0.5), 1e3, 0.1),
    (PowerNoise(1), 60.0, 3.0),
    (IteratedExponentialNoise(), 20.0, 0.2),
]


@pytest.mark.parametrize(("noise", "radius", "epsilon"), chosen(OF_TWO, OF_TWO[::2]))
def test_two_queries_against_nested_quadrature(noise, radius, epsilon):
    expected = delta_of_two(noise, radius, epsilon)
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=2)
    assert found.lower <= expected * (1 + 1e-7)
    assert found.upper >= expected * (1 - 1e-7)
    assert found.relative_width < 2e-3


@pytest.mark.parametrize(
    ("noise", "radius", "epsilon", "queries", "step"), chosen(COMPOSED, COMPOSED[1:2])
)
def test_against_dp_accounting(noise, radius, epsilon, queries, step):
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=queries)
    ends = []
    for pessimistic in (False, True):
        one = grid_of_losses(noise, radius, step, 6.0, pessimistic=pessimistic)
        ends.append(one.self_compose(queries).get_delta_for_epsilon(epsilon))
    assert 1e-9 < ends[0] < ends[1] < 1.1 * ends[0]
    assert ends[0] <= found.upper
    assert found.lower <= ends[1]


@pytest.mark.parametrize(("noise", "radius", "epsilon", "queries"), chosen(DRAWN, DRAWN[:3]))
def test_against_simulated_losses(noise, radius, epsilon, queries):
    u = noise.sample(np.random.default_rng(5), (50_000, queries))
    total = noise.loss(1 - u, 1 + u, 1 / radius).sum(axis=1)
    excess = -np.expm1(np.minimum(epsilon - total, 0.0))
    error = excess.std() / math.sqrt(excess.size)
    found = privacy_delta(noise, radius, epsilon=epsilon, queries=queries)
    assert error < 0.1 * found.upper
    assert found.lower - 5 * error <= excess.mean() <= found.upper + 5 * error


# ---- the smallest radius ---------------------------------------------------------------------


@pytest.mark.parametrize("power", chosen([0.5, 1.0, 2.0, 4.0], [0.5, 2.0]))
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-10), (1.0, 1e-3), (5.0, 1e-60)])
def test_many_queries_approach_the_fisher_limit(power, epsilon, delta):
    noise = PowerNoise(power)
    gaps = []
    for k in (1e8, 1e10):
        sigma = float(gaussian.minimal_sigma(epsilon=epsilon, delta=delta, queries=k))
        found = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=k)
        assert found.relative_width <= 1e-4
        gaps.append(found.midpoint / sigma / math.sqrt(noise.fisher_information) - 1)
    assert abs(gaps[1]) < max(1e-4, abs(gaps[0]))


def test_the_figure_of_the_issue():
    ratio = {}
    for k in (1e6, 1e10):
        sigma = float(gaussian.minimal_sigma(epsilon=0.1, delta=1e-10, queries=k))
        found = minimal_radius(PowerNoise(2), epsilon=0.1, delta=1e-10, queries=k)
        ratio[k] = (found.lower / sigma, found.upper / sigma)
    assert 3.8875 < ratio[1e6][0] < ratio[1e6][1] < 3.8885
    limit = math.sqrt(PowerNoise(2).fisher_information)
    assert ratio[1e10][0] * (1 - 1e-6) <= limit <= ratio[1e10][1] * (1 + 1e-6)


def check_ends(noise, bracket, *, epsilon, delta, queries, sensitivity=1.0):
    """The upper end is private, the lower end is not: by δ at both, computed afresh.

    δ there has a width of its own, so each end may be moved outwards by the promised width.
    """
    margin = promised_width(queries)
    outer = bracket.upper * (1 + margin), bracket.lower * (1 - margin)
    above, below = (
        privacy_delta(noise, radius, epsilon=epsilon, queries=queries, sensitivity=sensitivity)
        for radius in outer
    )
    assert above.upper <= delta
    assert below.lower >= delta * (1 - 1e-12)


@examples(40, 5)
@given(main_noises, main_epsilons, main_deltas, inside("queries"))
@example(PowerNoise(2), 0.1, 1e-10, 1)
@example(PowerNoise(1), 0.1, 1e-10, 10**10)
def test_width_and_ends_on_the_main_domain(noise, epsilon, delta, queries):
    found = minimal_radius(noise, epsilon=epsilon, delta=delta, queries=queries)
    assert 0 < found.lower <= found.upper
    assert found.relative_width <= promised_width(queries)
    check_ends(noise, found, epsilon=epsilon, delta=delta, queries=queries)


def test_below_its_range_of_delta_corollary_2_3_fails():
    """At ε = 1 and δ = e^−k the radius outgrows √(k·ln 1/δ)/ε, as Theorem 8.1 demands."""
    counts = np.array([10, 30, 100, 300, 600])
    least = [
        minimal_radius(PowerNoise(2), epsilon=1, delta=math.exp(-k), queries=k).lower
        for k in counts
    ]
    rate = np.array(least) / counts  # √(k·ln 1/δ)/ε = k
    assert np.all(np.diff(np.log(rate)) > 0.3 * np.diff(np.log(counts)))
    assert np.all(np.diff(rate / np.log(counts)) > 0)


@pytest.mark.parametrize("radius", [1e5, 1e11])
def test_one_answer_with_much_noise_gives_nobody_away(radius):
    found = privacy_delta(IteratedExponentialNoise(), radius, epsilon=1, queries=1)
    assert 0 <= found.lower <= found.upper < 1e-300


def test_a_band_without_mass_is_bounded_by_what_is_known_of_it():
    problem = Problem(PowerNoise(5.45), 1 / 108.43010968569276, 300.0, 4.0)
    found = log_delta(problem, 1e-5)
    # With a smaller loss to exceed, δ is larger.
    wider = log_delta(Problem(PowerNoise(5.45), problem.shift, 100.0, 4.0), 1e-5)
    assert found.lower <= found.upper < wider.upper < -100


def test_another_unit_takes_no_other_search(monkeypatch):
    at = {"epsilon": 0.7, "delta": 1e-9, "queries": 321.0}
    found = minimal_radius(PowerNoise(1.3), **at)
    monkeypatch.setattr(calibration, "radius_search", None)
    scaled = minimal_radius(PowerNoise(1.3), **at, sensitivity=0.5)
    assert scaled == Bracket(found.lower / 2, found.upper / 2)
