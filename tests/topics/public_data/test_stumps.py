"""Stumps against going through all of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.topics.public_data.oracles.oracle import Objective
from dpviz.topics.public_data.oracles.stumps import GridStumps, Stumps
from tests.support.examples import examples


def every_stump(points):
    places = [
        (j, s, t)
        for j in range(points.shape[1])
        for s in (-1.0, 1.0)
        for t in [*np.unique(points[:, j]), np.inf]
    ]
    return np.array(places)


def values_of(functions, points):
    return np.array([[s if x[int(j)] >= t else -s for x in points] for j, s, t in functions])


@examples(40)
@given(st.data())
def test_no_stump_is_better_than_the_optimisers(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n, m, k = (data.draw(st.integers(1, most)) for most in (12, 5, 3))
    grid = data.draw(st.booleans())
    x = rng.integers(-3, 4, (n, k)) / 4 if grid else rng.uniform(-1, 1, (n, k))
    z = x[rng.integers(0, n, m)] if grid else rng.uniform(-1, 1, (m, k))
    costs, added = rng.normal(size=n), rng.normal(size=(3, m)) * 2
    oracle = Stumps()
    found = oracle.minimize_each(Objective(x, costs, np.zeros(n)), z, added)
    assert oracle.calls == 3
    both = np.concatenate([x, z])
    every = values_of(every_stump(both), both)
    for function, row in zip(found, added, strict=True):
        cost = np.concatenate([costs, row])
        mine = oracle.predict(function[None], both)[0]
        np.testing.assert_array_equal(mine, values_of([function], both)[0])
        assert mine @ cost <= (every @ cost).min() + 1e-9


@examples(30)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 10**6))
def test_stumps_on_a_grid_are_told_apart_by_their_identification_set(k, cells, seed):
    oracle = GridStumps(features=k, cells=cells)
    marks = oracle.identification
    corners = np.stack(np.meshgrid(*[oracle.middles] * k), axis=-1).reshape(-1, k)
    every = every_stump(corners)
    on_marks, everywhere = oracle.predict(every, marks), oracle.predict(every, corners)
    for i in range(len(every)):
        same = (on_marks == on_marks[i]).all(axis=1)
        np.testing.assert_array_equal(
            everywhere[same], np.broadcast_to(everywhere[i], (same.sum(), len(corners)))
        )
    rng = np.random.default_rng(seed)
    x, costs = rng.uniform(-1, 1, (9, k)), rng.normal(size=9)
    row = rng.normal(size=(1, len(marks)))
    found = oracle.minimize_each(Objective(x, costs, np.zeros(9)), marks, row)
    cost = oracle.predict(found, x)[0] @ costs + oracle.predict(found, marks)[0] @ row[0]
    assert cost <= (oracle.predict(every, x) @ costs + on_marks @ row[0]).min() + 1e-9
