"""Solvers that go on value by value."""

import math

from scipy.optimize import brentq, minimize_scalar

from dpviz.maths.accounting.search import solved_in_steps


def ended(steps):
    """Return how many pauses there were, and the result."""
    pauses = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return pauses, end.value
        pauses += 1


def test_a_solver_in_steps_ends_where_it_would_and_asks_for_each_value_once():
    def lowest(value):
        return minimize_scalar(value, bounds=(-3.0, 2.0), method="bounded").x

    for solve in (lowest, lambda value: brentq(value, 0.0, 3.0, xtol=1e-9)):
        asked = []

        def value(x, asked=asked):
            asked.append(x)
            return math.cosh(x - 0.3) - 2

        pauses, found = ended(solved_in_steps(solve, value))
        assert found == solve(lambda x: math.cosh(x - 0.3) - 2)
        assert pauses == len(asked) == len(set(asked)) > 3
