"""Where joint noise is the best bounded noise: the dual cell by cell, and the proof's numbers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from dpviz.maths import joint_program
from dpviz.maths.joint_noise import MOST_QUERIES, JointNoise, joint_radius
from dpviz.maths.joint_optimality import ShellDual, _steps, bounded_radius, excluded_radius
from dpviz.maths.joint_program import program_delta, programmed_radius
from dpviz.results.parameters import ParameterError
from tests.support.examples import examples

FINE = 2**24


def threshold(radius, queries):
    """Numbers next to each other, below and above the least q with q ≥ 2^k(1 − δ_N) − 1."""
    low, high = FINE + 1, 2**queries * FINE
    while high - low > 1:
        middle = (low + high) // 2
        ratio = Fraction(middle, FINE)
        delta = ShellDual(radius, queries, ratio).delta
        low, high = (low, middle) if ratio >= 2**queries * (1 - delta) - 1 else (middle, high)
    return Fraction(low, FINE), Fraction(high, FINE)


def cells(radius, queries):
    return itertools.product(range(1 - 2 * radius, 2 * radius, 2), repeat=queries)


@pytest.mark.parametrize(("queries", "radius"), [(1, 3), (2, 2), (2, 5), (3, 4), (4, 3)])
def test_the_dual_is_feasible_cell_by_cell_at_the_threshold_and_not_below(queries, radius):
    below, above = threshold(radius, queries)
    assert queries == 1 or not ShellDual(radius, queries, below).holds
    for ratio in (above, above + 1):
        dual = ShellDual(radius, queries, ratio)
        assert dual.holds
        assert dual.delta <= Fraction(1, 2)
        every = list(itertools.product((1, -1), repeat=queries))
        tests = {(c, s): dual.test(c, s) for c in cells(radius, queries) for s in every}
        assert min(tests.values()) >= 0
        assert max(tests.values()) <= 1
        for c in cells(radius, queries):
            # what flows in comes from the cells that a shift moves here
            before = [(tuple(x - 2 * y for x, y in zip(c, s, strict=True)), s) for s in every]
            total = sum(tests[c, s] for s in every)
            total -= ratio * sum(tests.get(origin, 0) for origin in before)
            assert total == 2**queries * dual.delta


@pytest.mark.parametrize("queries", [2, 3, 4, 5, 8, 12])
def test_all_demands_lie_between_0_and_1_where_the_theorem_says_so(queries):
    for radius in (2, 3, 4, 12):
        below, above = threshold(radius, queries)
        for ratio in (above, above * Fraction(11, 10), above * 3):
            dual = ShellDual(radius, queries, ratio)
            assert dual.holds or dual.delta > Fraction(1, 2)
        assert max(ShellDual(radius, queries, below).demands[0]) > 1


def least_delta(size, queries, ratio, signs=None):
    """The least δ over all laws on size^k cells, for shifts by a cell: in every direction."""
    places = {c: i for i, c in enumerate(itertools.product(range(size), repeat=queries))}
    signs = signs or list(itertools.product((1, -1), repeat=queries))
    count, rows = len(places), len(places) * len(signs)
    bounds = np.zeros((rows + len(signs), count + rows + 1))
    for number, s in enumerate(signs):
        for c, i in places.items():
            row = number * count + i
            bounds[row, i] += 1
            there = places.get(tuple(x + y for x, y in zip(c, s, strict=True)))
            if there is not None:
                bounds[row, there] -= ratio
            bounds[row, count + row] = -1
            bounds[rows + number, count + row] = 1
        bounds[rows + number, -1] = -1
    mass = np.append(np.ones(count), np.zeros(rows + 1))[None]
    cost = np.append(np.zeros(count + rows), 1.0)
    return linprog(cost, bounds, np.zeros(len(bounds)), mass, [1.0], method="highs").fun


@pytest.mark.parametrize(("queries", "radius", "ratio"), [(2, 4, 3.2), (3, 2, 7.5)])
def test_its_delta_is_that_of_joint_noise_and_of_a_linear_program(queries, radius, ratio):
    delta = float(ShellDual(radius, queries, Fraction(ratio)).delta)
    own = JointNoise(math.log(ratio), queries, radius).delta
    assert own.lower <= delta * (1 + 1e-12)
    assert delta <= own.upper * (1 + 1e-12)
    assert least_delta(2 * radius, queries, ratio) == pytest.approx(delta, rel=1e-6)


def test_it_needs_shifts_in_all_directions():
    """Where one person moves all answers the same way, a program finds a law with a smaller δ."""
    delta = float(ShellDual(4, 2, Fraction(16, 5)).delta)
    up = [(1, 1), (1, 0), (0, 1)]
    ways = [*up, *((-x, -y) for x, y in up)]
    assert least_delta(8, 2, 3.2, ways) == pytest.approx(0.0256, rel=1e-3)
    assert delta == pytest.approx(0.0434, rel=1e-3)


@pytest.mark.parametrize("queries", [1, 2, 3])
def test_radius_one_needs_no_condition(queries):
    dual = ShellDual(1, queries, Fraction(FINE + 1, FINE))
    assert dual.holds
    assert dual.delta == 1 - Fraction(1, 2**queries)
    for c in cells(1, queries):
        tests = [dual.test(c, s) for s in itertools.product((1, -1), repeat=queries)]
        assert sorted(tests) == [0, *[1] * (2**queries - 1)]


@pytest.mark.parametrize(("queries", "cells", "ratio"), [(2, 7, 1.5), (2, 6, 2.0), (3, 4, 2.5)])
def test_the_program_that_is_checked_finds_the_least_delta(queries, cells, ratio):
    found = program_delta(cells=cells, queries=queries, ratio=Fraction(ratio))
    assert float(found) == pytest.approx(least_delta(cells, queries, ratio), rel=1e-6)


@pytest.mark.parametrize(("queries", "radius"), [(2, 12), (3, 6)])
def test_the_program_agrees_with_the_theorem_above_the_threshold(queries, radius):
    _, ratio = threshold(radius, queries)
    exact = ShellDual(radius, queries, ratio).delta
    found = program_delta(cells=2 * radius, queries=queries, ratio=ratio)
    assert (1 - 1e-6) * exact < found <= exact


def test_what_the_program_proves_does_not_rest_on_its_solver(monkeypatch):
    rng = np.random.default_rng(0)
    ratio, radius = Fraction(3, 2), 4
    truth = program_delta(cells=2 * radius, queries=2, ratio=ratio)
    good = joint_program._tests
    for size in (1e-9, 1e-3, 1.0):

        def disturbed(grid, q, size=size):
            tests = good(grid, q)
            return np.clip(tests + size * rng.normal(size=tests.shape), 0, 1)

        monkeypatch.setattr(joint_program, "_tests", disturbed)
        assert 0 <= program_delta(cells=2 * radius, queries=2, ratio=ratio) <= truth * (1 + 1e-9)


def test_below_the_threshold_the_program_excludes_more():
    for epsilon, delta, queries, least in ((1.0, 0.01, 2, 6.0), (0.5, 0.01, 3, 12.5)):
        privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
        assert excluded_radius(**privacy) < programmed_radius(**privacy) == least
        found = bounded_radius(**privacy)
        assert found.lower == least
        assert found.upper < least + 0.75


def tail(first, term, ratio):
    """A bound on Σ q^(first − L)·term(L) over L ≥ first, for log-concave terms."""
    rate = term(first + 1) / (term(first) * ratio)
    assert rate < 1
    return term(first) / (1 - rate)


@pytest.mark.parametrize("k", range(3, 30))
def test_the_inequalities_of_the_proof_hold_in_fractions(k):
    def cells(shell):
        return Fraction(shell**k - (shell - 1) ** k)

    def largest(shell):  # a multiple of x^(k − 1), which is log-concave
        return Fraction(k * shell ** (k - 1))

    def lacking(shell):  # a mean of x^(k − 2) with the weight 1 − s at x = L − s: log-concave
        return largest(shell) - cells(shell)

    q = Fraction(6) if k == 3 else Fraction(9, 10) * 2**k - 1
    assert tail(3, largest, q) <= q**2 + q * cells(2) + cells(3)
    at_two = (q + cells(2) - tail(3, lacking, q) / q) / 2**k
    at_three = (q**2 + q * cells(2) + cells(3) - tail(4, lacking, q) / q) / 3**k
    assert min(at_two, at_three) > 0  # so that γ may be replaced by less
    for m in range(1, k + 1):
        first = Fraction(2, 3) * min(1, Fraction(2 * m, k)) * at_two
        second = Fraction(2 ** (k - m), 3) * (min(1, Fraction(3 * m, k)) * at_three - 1) / q
        assert first + second >= 1


def test_the_inequalities_of_the_proof_hold_for_two_answers():
    q = Fraction(23, 10)
    series = 3 / (1 - 1 / q) + 1 / q / (1 - 1 / q) ** 2  # Σ L·q^(3 − L)
    assert 2 * series <= q**2 + 3 * q + 5
    assert q + 3 - 1 / (q - 1) > 4


def test_for_thirty_answers_and_more_they_hold_by_what_the_proof_says():
    for k in (30, 31, 40, 60, 100, 300):
        q = 0.9 * 2.0**k - 1
        assert math.comb(k, 2) * 3.0 ** (k - 2) / q / 0.99 < 0.02 * 2.0**k
        assert k * 0.75**k < 0.1
        third = 0.5 * 3 / k * 0.5 * (4 / 3) ** k, 0.5 * (4 / 3 / 2 ** (1 / 3)) ** k
        assert min(third) > 1
        assert 0.5 * (4 / 3 / 2**0.41) ** k > 0.5


@pytest.mark.parametrize(
    ("epsilon", "delta", "queries"),
    [(2.0, 0.01, 3), (1.2, 1e-10, 2), (3.0, 1e-6, 4), (0.1, 0.01, 1)],
)
def test_joint_noise_is_within_a_unit_of_what_is_excluded(epsilon, delta, queries):
    privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
    least, joint = excluded_radius(**privacy), joint_radius(**privacy).upper
    assert least == int(least)
    assert least < joint < least + 1
    found = bounded_radius(**privacy)
    assert found.upper == joint
    assert least <= found.lower < joint
    # the tests of the proof, at a number next above e^ε and by themselves
    dual = ShellDual(int(least), queries, Fraction(math.exp(epsilon)) * (1 + Fraction(1, FINE)))
    assert dual.holds
    assert dual.delta > delta


def test_smaller_cubes_are_excluded_below_the_threshold():
    # at N = 3 δ is 0.134, and 4(1 − 0.134) − 1 is less than e; at N = 4 it is 0.0597
    assert excluded_radius(epsilon=1.0, delta=0.1, queries=2) == 3


def test_more_answers_than_the_logarithm_of_delta_may_be_settled():
    """Where the condition holds at the whole radius next below joint noise's, that is excluded."""
    for epsilon, delta, queries in ((9.803, 0.1, 12), (8.303, 0.3, 11), (10.0, 0.2, 14)):
        privacy = {"epsilon": epsilon, "delta": delta, "queries": queries}
        below = math.floor(joint_radius(**privacy).lower)
        there = JointNoise(epsilon, queries, float(below)).delta
        assert below >= 2
        assert there.upper <= 0.5
        assert math.exp(epsilon) > 2**queries * (1 - there.lower) - 1
        assert excluded_radius(**privacy) == below


def test_bad_parameters_are_named():
    for asked in ((0, 2, Fraction(3)), (2, 0, Fraction(3)), (2, 2, Fraction(1))):
        with pytest.raises(ParameterError):
            ShellDual(*asked)
    for cells, queries, ratio in ((0, 2, 3), (121, 2, 3), (8, 4, 3), (8, 2, 1)):
        with pytest.raises(ParameterError):
            program_delta(cells=cells, queries=queries, ratio=Fraction(ratio))
    with pytest.raises(ParameterError, match="epsilon"):
        excluded_radius(epsilon=0.0, delta=0.1, queries=2)


def test_groups_exclude_radii_next_to_those_of_joint_noise_at_small_epsilon():
    """R/Δ of any bounded noise for 2 and 3 answers, to 1 and 3 %; and more for more answers."""
    joint = [joint_radius(epsilon=0.1, delta=1e-10, queries=k).upper for k in (2, 3)]
    floors = [excluded_radius(epsilon=0.1, delta=1e-10, queries=k) for k in (1, 2, 3, 10, 30)]
    assert 0.99 * joint[0] < floors[1] < joint[0]
    assert 0.97 * joint[1] < floors[2] < joint[1]
    assert floors == sorted(set(floors))


def test_the_floor_of_all_laws_grows_like_the_root_of_the_number_of_answers():
    privacy = {"epsilon": 0.1, "delta": 1e-10}
    floors = [bounded_radius(**privacy, queries=10**n).lower for n in (2, 3, 4)]
    assert floors == pytest.approx([790, 2880, 9500], rel=1e-6)  # as docs/notes/bounded-noise.md
    assert [round(x / y, 1) for x, y in itertools.pairwise(floors[::-1])] == [3.3, 3.6]


@pytest.mark.parametrize(("radius", "people", "queries"), [(11, 3, 2), (5, 7, 3)])
def test_a_group_excludes_by_the_dual_in_units_of_itself(radius, people, queries):
    """The least δ that this group leaves is that of the dual, divided by what a group pays."""
    epsilon = 1.0001 * math.log(2**queries - 1) / people
    ratio = Fraction(math.exp(people * epsilon))
    dual = ShellDual(radius, queries, ratio)
    assert dual.holds
    least = float(dual.delta) * math.expm1(epsilon) / math.expm1(people * epsilon)
    below, above = (
        _steps(epsilon, least * (1 + way * 1e-6), queries, people, 0) for way in (-1, 1)
    )
    assert (below, above) == (radius, radius - 1)


@examples(60)
@given(
    st.floats(math.log(1e-7), math.log(10.0)).map(math.exp),
    st.floats(math.log(1e-300), math.log(0.5)).map(math.exp),
    st.floats(0, math.log(MOST_QUERIES)).map(lambda x: float(round(math.exp(x)))),
)
def test_no_noise_known_lies_where_all_is_excluded(epsilon, delta, queries):
    delta = min(max(delta, 1e-300), 0.5)
    privacy = {"epsilon": min(max(epsilon, 1e-7), 10.0), "delta": delta, "queries": queries}
    least = excluded_radius(**privacy)
    assert least < joint_radius(**privacy).upper
