"""Interior points: their optimum is that of another solver, and they end where numbers do."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from dpviz.maths.interior_points import Program, interior_points
from tests.support.examples import examples


def random_program(seed, size, count, rows):
    """A bounded program with room around 0."""
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(rows, size)) * (rng.random((rows, size)) < 0.5)
    box = np.vstack([left, np.eye(size), -np.eye(size)])
    right = np.append(rng.random(rows) + 0.1, np.ones(2 * size))
    return Program(csr_array(box), right, rng.normal(size=(count, size)), rng.normal(size=count))


def proven(program, point):
    """What no worst value exceeds, by duality; unknowns are between −1 and 1."""
    weights, multipliers = (
        part / point.weights.sum() for part in (point.weights, point.multipliers)
    )
    spare = program.values.T @ weights - program.left.T @ multipliers
    return weights @ program.constants + multipliers @ program.right + np.abs(spare).sum()


@examples(60)
@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from((1, 2, 3)), st.integers(0, 30))
def test_the_worst_value_becomes_as_large_as_another_solver_makes_it(seed, size, count, rows):
    program = random_program(seed, size, count, rows)
    done = linprog(
        np.append(np.zeros(size), -1.0),
        np.block(
            [
                [program.left.toarray(), np.zeros((program.right.size, 1))],
                [-program.values, np.ones((count, 1))],
            ]
        ),
        np.append(program.right, program.constants),
        bounds=(None, None),
    )
    points = list(islice(interior_points(program, np.zeros(size)), 40))
    for point in points:
        assert np.all(program.left @ point.y < program.right + 1e-9)
        assert min(point.multipliers.min(), point.weights.min()) > 0
    reached = max(min(program.values @ point.y + program.constants) for point in points)
    assert reached == pytest.approx(-done.fun, abs=1e-7)
    assert min(proven(program, point) for point in points) == pytest.approx(-done.fun, abs=1e-6)


def test_points_end_where_the_constraints_leave_a_direction_free():
    """No constraint names the second unknown: the matrix is singular from the start."""
    program = Program(
        csr_array([[1.0, 0.0], [-1.0, 0.0]]), np.ones(2), np.array([[1.0, 0.0]]), np.zeros(1)
    )
    assert list(interior_points(program, np.zeros(2))) == []
