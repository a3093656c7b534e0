"""The radii of tuned noise: monotone in k, ε and δ without exception or tolerance, and private."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.accounting.calibration import privacy_delta
from dpviz.maths.accounting.tuned_radii import AXES, TABLE, tuned_radius
from dpviz.maths.accounting.tuning import _Search, tuned_alone
from dpviz.results.parameters import LIMITS
from dpviz.results.refining import whole
from tests.support.examples import examples, only_in_ci

NAMES = ("epsilon", "delta", "queries")
EPSILONS = st.floats(math.log(1e-7), math.log(10.0)).map(math.exp)
DELTAS = st.floats(math.log(math.log(2.0)), math.log(690.7)).map(lambda x: math.exp(-math.exp(x)))
COUNTS = st.floats(0, math.log(1e10)).map(lambda x: round(math.exp(x)))


def inside(**privacy):
    """What is asked, moved into the ranges."""
    return {n: min(max(x, LIMITS[n].minimum), LIMITS[n].maximum) for n, x in privacy.items()}


def easier(privacy, name, step):
    """The same, with one of k, ε and δ easier by a fraction."""
    better = {"queries": -max(1, round(step * privacy["queries"]))}
    change = better.get(name, step * privacy[name])
    return inside(**privacy | {name: privacy[name] + change})


def test_the_table_is_monotone_in_every_cell():
    """The slopes of ln R along k, u and ln 2δ at all corners, as the module derives them."""
    table = np.load(TABLE).astype(float)
    along = [
        np.diff(table, axis=i) / np.expand_dims(np.diff(axis), [j for j in range(3) if j != i])
        for i, axis in enumerate(AXES)
    ]
    assert along[0].min() > 1e-3
    assert along[2].min() > 1e-3
    # the last cells go on to ε = 10, δ = 1/2, and to ε = 10, δ = 1e-300
    v = np.append(AXES[1][:-1], math.log(12.0))
    depth = 2 * np.expm1(AXES[2])
    for b in range(v.size - 1):
        for c in range(depth.size - 1):
            steep = along[1][:, b, c : c + 2].max(axis=1)  # at both ends of the cell
            deep = along[2][:, b : b + 2, c].max(axis=1)
            slope = -math.expm1(-v[b + 1]) * steep + deep / (2 + depth[c]) - 1
            assert slope.max() < -1e-4


@examples(800)
@given(EPSILONS, DELTAS, COUNTS, st.sampled_from(NAMES), st.floats(-37, 0).map(math.exp))
def test_the_radius_is_monotone_to_the_last_digit(epsilon, delta, queries, name, step):
    hard = inside(epsilon=epsilon, delta=delta, queries=queries)
    assert tuned_radius(**easier(hard, name, step)) <= tuned_radius(**hard)


@examples(16)
@given(
    st.floats(math.log(1e-3), math.log(10.0)).map(math.exp),
    st.floats(math.log(1e-30), math.log(0.5)).map(math.exp),
    COUNTS,
    st.sampled_from(NAMES),
    st.floats(-16, -2).map(math.exp),
)
def test_tuned_noise_is_monotone_and_has_the_radius_of_the_table(
    epsilon, delta, queries, name, step
):
    hard = inside(epsilon=epsilon, delta=delta, queries=queries)
    easy = easier(hard, name, step)
    greater, lesser = (tuned_alone(**asked) for asked in (hard, easy))
    assert lesser.radius.upper <= greater.radius.upper == tuned_radius(**hard)
    kept = privacy_delta(
        greater.noise,
        greater.radius.upper * (1 + 1e-9),
        epsilon=hard["epsilon"],
        queries=hard["queries"],
        compared=hard["delta"],
    )
    assert kept.lower <= hard["delta"]


def test_where_a_search_ends_too_high_a_shape_found_next_to_it_is_taken():
    """A search ends 4 % above those next to it, and finds another shape from there."""
    search = _Search.of(1.3419550851972082e-05, 1.0387428776088543e-44, 61, "hard", 0.05)
    own = whole(search.alone())
    radius = 0.985 * own.radius.lower
    another = whole(search.raised(own, radius))
    assert another.radius.lower <= another.radius.upper == radius
    privacy = {"epsilon": search.epsilon, "queries": search.queries, "compared": search.delta}
    assert privacy_delta(another.noise, radius, **privacy).lower <= search.delta


@only_in_ci
def test_a_radius_that_no_search_reaches_is_not_taken():
    search = _Search.of(0.1, 1e-10, 1000, "hard", 0.05)
    own = whole(search.alone())
    assert whole(search.raised(own, 0.9 * own.radius.lower)) == own
