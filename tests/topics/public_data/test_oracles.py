"""The optimisers of `dpviz.topics.public_data` against going through all functions."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from dpviz.results.refining import whole
from dpviz.topics.public_data.oracles import half_plane_search, half_planes
from dpviz.topics.public_data.oracles.half_plane_search import best_half_plane
from dpviz.topics.public_data.oracles.half_planes import HalfPlanes
from dpviz.topics.public_data.oracles.intervals import Intervals
from dpviz.topics.public_data.oracles.linear_functions import LinearFunctions
from dpviz.topics.public_data.oracles.on_grid import OnGrid
from dpviz.topics.public_data.oracles.oracle import Objective
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.tasks import affine_features
from tests.support.examples import examples
from tests.support.finite_class import FiniteClass

few = examples(40)


def objective_of(points, linear, square=None):
    square = np.zeros(len(linear)) if square is None else square
    return Objective(np.asarray(points, float), np.asarray(linear, float), np.asarray(square))


def drawn(data, size, rng, plane=False):
    """Points with ties, and costs of either sign, some of them 0."""
    shape = (size, 2) if plane else (size,)
    points = rng.random(shape) if data.draw(st.booleans()) else rng.integers(0, 4, shape) / 4
    linear = rng.normal(size=size) * (rng.random(size) < 0.8)
    return points, linear


def all_thresholds(points):
    ends = np.unique(points)
    return np.concatenate([ends, [ends[-1] + 1]])[:, None]


def all_intervals(points):
    ends = all_thresholds(points)[:, 0]
    return np.array(list(itertools.combinations_with_replacement(ends, 2)))


def separable(points, labels):
    """Whether some line has exactly the points labelled 1 in front: a linear program."""
    signed = labels[:, None] * np.column_stack([points, -np.ones(len(points))])
    found = linprog(
        np.zeros(3), A_ub=-signed, b_ub=-np.ones(len(points)), bounds=[(None, None)] * 3
    )
    return found.success


SWEEPS = [(Thresholds, all_thresholds), (Intervals, all_intervals)]


@pytest.mark.parametrize(("make", "every"), SWEEPS)
@few
@given(st.data(), st.integers(1, 12), st.integers(0, 6), st.integers(0, 2**32))
def test_sweeps_against_all_functions(make, every, data, size, added, seed):
    rng = np.random.default_rng(seed)
    points, linear = drawn(data, size, rng)
    more, rows = drawn(data, 3 * added, rng)
    more, rows = more[:added], rng.normal(size=(4, added))
    oracle = make(0.0, 1.0)
    found = oracle.minimize_each(objective_of(points, linear), more, rows)
    assert oracle.calls == 4
    both = np.concatenate([points, more])
    table = oracle.predict(every(both), both)
    for function, row in zip(found, rows, strict=True):
        costs = np.concatenate([linear, row])
        value = oracle.predict(function[None], both)[0] @ costs
        assert value == pytest.approx((table @ costs).min(), abs=1e-12)


@few
@given(st.data(), st.integers(1, 7), st.integers(0, 2), st.integers(0, 2**32))
def test_half_planes_against_linear_programs(data, size, added, seed):
    rng = np.random.default_rng(seed)
    points, linear = drawn(data, size, rng, plane=True)
    more, rows = rng.random((added, 2)), rng.normal(size=(2, added))
    oracle = HalfPlanes()
    found = oracle.minimize_each(objective_of(points, linear), more, rows)
    assert oracle.calls == 2
    every = np.concatenate([points, more])
    distinct, place = np.unique(every, axis=0, return_inverse=True)
    possible = np.array(
        [
            labels
            for labels in itertools.product([-1.0, 1.0], repeat=len(distinct))
            if separable(distinct, np.array(labels))
        ]
    )
    for function, row in zip(found, rows, strict=True):
        costs = np.concatenate([linear, row])
        value = oracle.predict(function[None], every)[0] @ costs
        table = possible[:, place.reshape(-1)]
        assert value == pytest.approx((table @ costs).min(), abs=1e-9)
        assert math.hypot(*function[:2]) == pytest.approx(1)


@few
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 2**32))
def test_a_finite_class_against_one_function_at_a_time(functions, size, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(functions, 5))
    points, more = rng.integers(0, 5, size), rng.integers(0, 5, 3)
    linear, square = rng.normal(size=size), rng.random(size)
    rows = rng.normal(size=(3, 3))
    oracle = FiniteClass(table)
    found = oracle.minimize_each(objective_of(points, linear, square), more, rows)
    for chosen, row in zip(found[:, 0], rows, strict=True):
        values = [
            sum(s * f[x] ** 2 + c * f[x] for x, c, s in zip(points, linear, square, strict=True))
            + sum(r * f[x] for x, r in zip(more, row, strict=True))
            for f in table
        ]
        assert values[int(chosen)] == min(values)
    assert oracle.calls == 3
    assert np.array_equal(oracle.predict(found, points), table[found[:, 0].astype(int)][:, points])


@few
@given(st.integers(0, 12), st.booleans(), st.integers(0, 2**32))
def test_linear_functions_against_a_general_solver(size, flat, seed):
    rng = np.random.default_rng(seed)
    x, linear = rng.random(size), rng.normal(size=size)
    square = np.zeros(size) if flat else rng.random(size)
    more, rows = rng.random(4), rng.normal(size=(3, 4))
    oracle = LinearFunctions(affine_features)
    found = oracle.minimize_each(objective_of(x, linear, square), more, rows)
    assert np.all(np.linalg.norm(found, axis=1) <= 1 + 1e-12)
    assert oracle.gap < 1e-8
    phi = affine_features(np.concatenate([x, more]))
    weights = np.concatenate([square, np.zeros(4)])
    for w, row in zip(found, rows, strict=True):
        costs = np.concatenate([linear, row])

        def value(v, costs=costs):
            return weights @ (phi @ v) ** 2 + costs @ (phi @ v)

        ball = {"type": "ineq", "fun": lambda v: 1 - v @ v, "jac": lambda v: -2 * v}
        general = minimize(value, 0.1 * rng.normal(size=2), constraints=[ball], method="SLSQP")
        feasible = general.x / max(1.0, float(np.linalg.norm(general.x)))
        assert value(w) <= value(feasible) + 1e-9
        # no better point: the answer is as good as the best of many
        angle = np.linspace(0, 2 * math.pi, 400)
        disc = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        inside = np.concatenate([r * disc for r in np.linspace(0, 1, 40)])
        values = (phi @ inside.T) ** 2
        assert value(w) <= (weights @ values + costs @ (phi @ inside.T)).min() + 1e-9


def test_an_optimiser_that_misses_its_minimum_says_so():
    careless = LinearFunctions(affine_features, tolerance=-1.0)
    with pytest.raises(ArithmeticError, match="missed the minimum"):
        careless.minimize(objective_of([0.3], [1.0], [1.0]))


@pytest.mark.parametrize(("make", "every"), SWEEPS)
@few
@given(st.data(), st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32))
def test_on_a_grid_the_middles_of_cells_identify_functions(make, every, data, cells, size, seed):
    rng = np.random.default_rng(seed)
    points, linear = drawn(data, size, rng)
    oracle = OnGrid(make, cells)
    middles = oracle.identification
    rows = rng.normal(size=(3, cells))
    found = oracle.minimize_each(objective_of(points, linear), middles, rows)
    assert oracle.calls == 3
    # ends of the sets lie on the grid, so that values on the cells determine the function
    assert found * cells == pytest.approx(np.rint(found * cells), abs=1e-9)
    rounded = oracle.rounded(points)
    table = oracle.inner.predict(every(middles), middles)
    at = np.searchsorted(middles, rounded - 1e-9)
    for function, row in zip(found, rows, strict=True):
        value = oracle.predict(function[None], points)[0] @ linear
        value += oracle.predict(function[None], middles)[0] @ row
        assert value == pytest.approx((table[:, at] @ linear + table @ row).min(), abs=1e-12)


def test_one_function_for_one_objective():
    data = objective_of([0.1, 0.4, 0.6, 0.9], [1.0, 1.0, -1.0, -1.0])
    assert Thresholds(0.0, 1.0).minimize(data) == pytest.approx([0.5])
    assert Intervals(0.0, 1.0).minimize(data) == pytest.approx([0.5, 0.95])
    assert OnGrid(Thresholds, 4).minimize(data) == pytest.approx([0.5])
    u, v, b = HalfPlanes().minimize(
        objective_of([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [1.0, 1.0, -1.0, -1.0])
    )
    assert u > abs(v)
    assert 0 < b < u
    assert FiniteClass(np.eye(2)).minimize(objective_of([0, 1], [1.0, -1.0])) == [1.0]


@pytest.mark.parametrize("make", [Thresholds, Intervals])
def test_many_costs_take_little_more_memory_than_they_are(make):
    rng = np.random.default_rng(0)
    objective = objective_of(rng.random(500), rng.normal(size=500))
    points, costs = rng.random(400), rng.normal(size=(3000, 400))
    tracemalloc.start()
    found = make().minimize_each(objective, points, costs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * costs.nbytes
    some = rng.choice(3000, 20, replace=False)
    np.testing.assert_array_equal(found[some], make().minimize_each(objective, points, costs[some]))


@few
@given(st.data(), st.integers(1, 40), st.integers(0, 2**32))
def test_the_search_for_half_planes_finds_what_turning_a_line_finds(data, size, seed):
    rng = np.random.default_rng(seed)
    points, costs = drawn(data, size, rng, plane=True)
    found = whole(best_half_plane(points, costs))
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    summed = np.bincount(place.reshape(-1), costs)
    turned = HalfPlanes().minimize(objective_of(distinct, summed))
    values = [
        HalfPlanes().predict(one[None], points)[0] @ costs for one in (found.half_plane, turned)
    ]
    assert values[0] - found.gap <= values[1] + 1e-9
    assert values[0] == pytest.approx(values[1], abs=1e-9 + found.gap)
    assert math.hypot(*found.half_plane[:2]) == pytest.approx(1)


def test_the_search_knows_its_gap_when_it_is_cut_short(monkeypatch):
    rng = np.random.default_rng(5)
    points, costs = rng.random((60, 2)), rng.normal(size=60)
    best = whole(best_half_plane(points, costs)).half_plane
    least = HalfPlanes().predict(best[None], points)[0] @ costs
    monkeypatch.setattr(half_plane_search, "_NARROW", 0.2)
    rough = whole(best_half_plane(points, costs))
    value = HalfPlanes().predict(rough.half_plane[None], points)[0] @ costs
    assert rough.gap > 0
    assert value - rough.gap <= least + 1e-9
    monkeypatch.setattr(half_planes, "_MOST_TURNED", 10)
    with pytest.raises(ArithmeticError, match="left the best half-plane open"):
        HalfPlanes().minimize(objective_of(points, costs))


def test_half_planes_take_many_points_and_look_at_few_of_them_often(monkeypatch):
    looked = []
    look = half_plane_search._Search.look
    monkeypatch.setattr(
        half_plane_search._Search,
        "look",
        lambda self, node: looked.append(node.points.size) or look(self, node),
    )
    rng = np.random.default_rng(6)
    points = rng.random((20_000, 2))
    labels = np.where(points @ [0.8, 0.6] >= 0.62, 1.0, -1.0)
    flipped = np.where(rng.random(20_000) < 0.1, -labels, labels)
    oracle = HalfPlanes()
    found = oracle.minimize(objective_of(points, -flipped))
    mine = oracle.predict(found[None], points)[0]
    assert mine @ flipped >= labels @ flipped  # no worse than the truth on the sample
    assert np.mean(mine != labels) < 0.01
    assert sum(looked) < 100 * 20_000  # a line turned around each point would be 20,000 times
