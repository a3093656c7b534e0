"""The best noise for one answer: both certificates again, by rationals and by other programs."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import linprog

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.accounting.tuning import tuned_noise
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.laplace_rivals import truncated_laplace_noise
from dpviz.maths.noise_converse import chain_radius, least_radius
from dpviz.maths.optimal_noise import EndStaircase, Impossible, end_staircase, optimal_noise
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import whole
from tests.support.examples import by_ring, examples, only_in_ci
from tests.support.strategies import inside, outside

SETTLED = [(5.0, 0.01), (2.0, 0.1), (1.0, 1e-3), (3.0, 1e-6)]


def power_of_e(epsilon):
    """A rational number above e^ε, by the series and a bound on the rest of it."""
    x, term, total = Fraction(epsilon), Fraction(1), Fraction(0)
    for i in range(1, 80):
        total += term
        term = term * x / i
    return total + 2 * term


def proven_delta(proof):
    """What δ of a law on the lattice is not below, without any rounding."""
    grown = power_of_e(proof.epsilon)
    tests = [[Fraction(float(x)) for x in row] for row in proof.tests]
    assert all(x >= 0 for row in tests for x in row)
    assert sum(max(row) for row in tests) <= 1
    n = proof.points
    held = [
        sum(
            row[i] - (grown * row[i + s] if i + s < n else 0)
            for s, row in enumerate(tests, start=1)
        )
        for i in range(n)
    ]
    return min((held[i] + held[n - 1 - i]) / 2 for i in range(n))


@pytest.mark.parametrize(("epsilon", "delta"), SETTLED)
def test_the_lower_end_is_proven_in_rational_arithmetic(epsilon, delta):
    found = optimal_noise(epsilon=epsilon, delta=delta)
    proof = found.proof
    assert len(proof.tests) == proof.fineness
    assert proven_delta(proof) > Fraction(delta)
    assert found.radius.lower == Fraction(proof.points, 2 * proof.fineness)
    assert found.radius.upper - found.radius.lower < 1 / (2 * proof.fineness)


@pytest.mark.parametrize(
    ("settled", "low", "high", "chain"),
    [
        (SETTLED[0], 1.3125, 1.344, 1.0),
        (SETTLED[1], 1.531, 1.5625, 1.5),
        (SETTLED[2], 6.625, 6.688, 6.5),
        (SETTLED[3], 5.0625, 5.125, 5.0),
    ],
)
def test_four_optima_lie_where_programs_of_others_have_put_them(settled, low, high, chain):
    epsilon, delta = settled
    found = optimal_noise(epsilon=epsilon, delta=delta).radius
    assert low <= found.lower < found.upper <= high
    assert least_radius(epsilon=epsilon, delta=delta, queries=1) == pytest.approx(chain)


def least_delta(points, fineness, epsilon):
    """The least δ of any law on a lattice, all shifts up to 1 in both directions: dense, no mirror.

    Unknowns: the law, an excess for each shift, direction and outcome, δ.
    """
    rows, limits = [], []
    outcomes = points + fineness
    shifts = [(s, way) for s in range(1, fineness + 1) for way in (0, 1)]
    width = points + len(shifts) * outcomes + 1
    for j, (s, way) in enumerate(shifts):
        stay, moved = np.eye(outcomes, points), np.eye(outcomes, points, -s)
        one, other = (stay, moved) if way else (moved, stay)
        block = np.zeros((outcomes, width))
        block[:, :points] = one - math.exp(epsilon) * other
        start = points + j * outcomes
        block[:, start : start + outcomes] = -np.eye(outcomes)
        total = np.zeros((1, width))
        total[0, start : start + outcomes] = 1
        total[0, -1] = -1
        rows += [block, total]
        limits += [np.zeros(outcomes), np.zeros(1)]
    cost, mass = np.zeros(width), np.zeros((1, width))
    cost[-1], mass[0, :points] = 1, 1
    return linprog(cost, np.vstack(rows), np.concatenate(limits), mass, [1.0]).fun


@pytest.mark.parametrize(("epsilon", "delta"), SETTLED[:2])
def test_a_program_written_apart_finds_the_same_border(epsilon, delta):
    radius, fineness = optimal_noise(epsilon=epsilon, delta=delta).radius, 8
    impossible = math.floor(2 * fineness * radius.lower)
    possible = math.floor(2 * fineness * radius.upper) + 1
    assert least_delta(impossible, fineness, epsilon) > delta
    assert least_delta(possible, fineness, epsilon) <= delta


def excess(noise, shift):
    """∫ [f(x) − e^ε·f(x − shift)]₊ over the pieces on which both are constant: no quadrature."""
    steps = np.arange(math.floor(noise.radius) + 1)
    jumps = noise.radius - steps
    edges = np.sort(np.concatenate([jumps, -jumps, jumps + shift, shift - jumps]))
    middle, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    f, g = (np.exp(noise.log_density(x)) for x in (middle, middle - shift))
    above = f - math.exp(noise.epsilon) * g
    return float((np.where(above > 1e-12 * f, above, 0) * widths).sum())


@examples(200)
@given(inside("epsilon", 0.01, 10.0), inside("delta", 1e-100, 0.5), st.data())
def test_the_staircase_is_private_for_all_shifts_and_no_wider_than_it_must_be(epsilon, delta, data):
    noise = end_staircase(epsilon=epsilon, delta=delta)
    shift = data.draw(st.floats(0.001, 1.0))
    assert excess(noise, shift) <= delta * (1 + 1e-9)
    assert excess(noise, 1.0) == pytest.approx(delta, rel=1e-3)
    whole_law = excess(EndStaircase(noise.epsilon, noise.radius), 3 * noise.radius)
    assert whole_law == pytest.approx(1, rel=1e-6)


def test_the_staircase_adds_up_to_one():
    noise = end_staircase(epsilon=1.0, delta=1e-3)
    jumps = [side * (noise.radius - j) for j in range(7) for side in (-1, 1)]
    mass, _ = quad(
        lambda x: float(np.exp(noise.log_density(x))),
        -noise.radius,
        noise.radius,
        points=jumps,
        limit=200,
    )
    assert mass == pytest.approx(1, abs=1e-6)


def test_a_proof_that_proves_too_little_is_none():
    tests = np.full((4, 12), 0.25)
    assert Impossible(1.0, 4, tests).delta < 0


@pytest.mark.parametrize("fineness", [2, 4])
def test_delta_of_a_proof_is_never_above_that_of_a_law(fineness):
    """Weak duality, for tests and laws at random."""
    rng = np.random.default_rng(fineness)
    for _ in range(50):
        points = int(rng.integers(3, 15))
        tests = rng.random((fineness, points)) ** 8
        tests /= tests.max(axis=1).sum()
        law = rng.dirichlet(np.full(points, 0.4))
        both = []
        for one in (law, law[::-1]):
            for s in range(1, fineness + 1):
                moved = np.append(np.zeros(s), one)
                both.append(np.maximum(np.append(one, np.zeros(s)) - math.e * moved, 0).sum())
        assert Impossible(1.0, fineness, tests).delta <= max(both) + 1e-12


def settings(count):
    """Random ε, δ and k, as `benchmarks.tuned` draws them."""
    rng = np.random.default_rng(47)
    for _ in range(count):
        yield {
            "epsilon": float(np.exp(rng.uniform(np.log(1e-3), np.log(5)))),
            "delta": float(np.exp(rng.uniform(np.log(1e-30), np.log(0.1)))),
            "queries": int(np.exp(rng.uniform(0, np.log(1e10)))),
        }


def best_known(privacy):
    """The least radius of any noise of the app, and certified."""
    known = [tuned_noise(**privacy).best.radius.upper]
    if privacy["queries"] > 100:
        known.append(minimal_radius(PowerNoise(1.0), **privacy).upper)
    else:
        known.append(truncated_laplace_noise(**privacy).radius)
    if privacy["queries"] == 1:
        known.append(end_staircase(epsilon=privacy["epsilon"], delta=privacy["delta"]).radius)
    return min(known)


@only_in_ci
def test_converse_optimum_and_noise_are_in_order_at_random_settings():
    for i, drawn in enumerate(settings(by_ring(9, 24, 75))):
        one = drawn | {"queries": 1}
        # in turn: one answer, few, any number
        privacy = (one, drawn | {"queries": 2 + drawn["queries"] % 29}, drawn)[i % 3]
        low, known = least_radius(**privacy), best_known(privacy)
        assert chain_radius(**privacy) <= low <= known
        optimum = optimal_noise(epsilon=privacy["epsilon"], delta=privacy["delta"]).radius
        assert least_radius(**one) <= optimum.lower <= optimum.upper
        assert optimum.upper <= truncated_laplace_noise(**one).radius * (1 + 1e-6)
        assert optimum.upper <= known * (1 + 1e-6)  # more answers need no less


@only_in_ci
def test_bounds_are_monotone_at_random_settings():
    """In ε and δ they fall, with k they grow, up to what steps taken at once may lose."""
    for drawn in settings(by_ring(9, 24, 75)):
        privacy = drawn | {"queries": 1 + drawn["queries"] % 200}
        low = least_radius(**privacy)
        for stricter in (
            privacy | {"epsilon": privacy["epsilon"] / 1.3},
            privacy | {"delta": privacy["delta"] / 3},
            privacy | {"queries": 2 * privacy["queries"]},
        ):
            assert least_radius(**stricter) >= low * 0.98
        here, there = (
            optimal_noise(epsilon=at["epsilon"], delta=at["delta"]).radius
            for at in (privacy, privacy | {"epsilon": privacy["epsilon"] / 1.3})
        )
        assert here.lower <= there.upper
        assert here.upper <= there.upper


def test_small_programs_are_one_step_each_and_few():
    steps = optimal_noise.steps(epsilon=1.0, delta=1e-3)
    assert sum(1 for _ in steps) <= 3
    assert whole(optimal_noise.steps(epsilon=1.0, delta=1e-3)).proof is not None


def test_where_no_lattice_fits_the_chain_is_less_than_a_step_below():
    found = optimal_noise(epsilon=1e-7, delta=1e-300)
    assert found.proof is None
    assert found.radius.upper / found.radius.lower == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("name", ["epsilon", "delta"])
@examples(16)
@given(data=st.data())
def test_it_refuses(name, data):
    arguments = {"epsilon": 1.0, "delta": 1e-3}
    arguments[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        optimal_noise(**arguments)


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(4.0, 1e-5), (0.3, 0.01), (10.0, 0.4), (1e-3, 1e-3)]
)
def test_deviation_and_quantile_are_those_of_the_density(epsilon, delta):
    noise = end_staircase(epsilon=epsilon, delta=delta)
    edges = noise.radius - np.arange(math.floor(noise.radius) + 1.0)
    edges = np.unique(np.append(edges[edges > 0], 0.0))  # the density is constant between them
    density = np.exp(noise.log_density((edges[1:] + edges[:-1]) / 2))
    square = float((2 * density * np.diff(edges**3) / 3).sum())
    assert noise.standard_deviation == pytest.approx(math.sqrt(square), rel=1e-9)
    edge = noise.max_error(queries=1, failure_probability=0.05)
    beyond = 2 * density * np.maximum(edges[1:] - np.maximum(edges[:-1], edge), 0.0)
    assert float(beyond.sum()) == pytest.approx(0.05, rel=1e-6)


def test_a_deviation_keeps_its_digits_where_the_steps_are_many():
    noise = end_staircase(epsilon=1e-7, delta=1e-300)
    assert noise.standard_deviation == pytest.approx(math.sqrt(2) * 1e7, rel=1e-6)
