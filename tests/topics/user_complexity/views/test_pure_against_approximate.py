"""When approximate DP helps, by brute force and in the preset."""

import itertools
import math

import pytest
from hypothesis import given

from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.views.pure_against_approximate import pure_against_approximate
from dpviz.topics.user_complexity.views.pure_against_approximate_shown import VIEW
from tests.support.declarations import page, shown
from tests.support.examples import examples
from tests.support.tabulated_bounds import any_setting, check_chart

PAGE = page("user_complexity")


@pytest.mark.parametrize("problem", ["pac", "discrete", "product"])
@examples(20)
@given(setting=any_setting())
def test_pure_against_approximate_at_any_setting(problem, setting):
    chart = pure_against_approximate(problem=problem, **setting)
    check_chart(chart)
    assert chart.approximate <= chart.pure
    kinds = {curve.label.split(",")[0] for curve in chart.curves}
    assert kinds == {"pure DP", "approximate DP"}


def test_when_approximate_dp_helps_by_brute_force():
    """Discrete distributions: from about m = 1/α² on, as the paper says of large m."""
    k, alpha, epsilon = 500, 0.1, 0.5
    chart = pure_against_approximate(
        problem="discrete", domain_size=k, alpha=alpha, epsilon=epsilon, examples_per_user=100
    )
    n_1 = k / (epsilon * alpha) + k / alpha**2

    def pure(m):
        rest = k / (epsilon * alpha * math.sqrt(m)) + k / (alpha**2 * m)
        return min(n_1, k / epsilon + rest)

    def approximate(m):
        private, rest = k / (epsilon * alpha * math.sqrt(m)), k / (alpha**2 * m)
        either = 1 / epsilon + min(private, private / epsilon) + rest
        return min(pure(m), either)

    expected = next(m for m in itertools.count(1) if pure(m) >= 2 * approximate(m))
    assert chart.helps_from == expected
    assert 1 < expected * alpha**2 < 3
    assert chart.pure == pytest.approx(pure(100))
    assert chart.approximate == pytest.approx(approximate(100))
    assert [mark.x for mark in chart.marks] == [expected]


def test_pure_against_approximate_needs_both():
    with pytest.raises(ParameterError, match="agnostic PAC learning"):
        pure_against_approximate(problem="agnostic")


def test_pure_equals_approximate_at_intermediate_m():
    _, chart, values = shown(PAGE, "Pure equals approximate")
    m, epsilon, alpha = (float(values[n]) for n in ("examples_per_user", "epsilon", "alpha"))
    assert epsilon**2 / alpha**2 < m < 1 / alpha**2
    assert chart.pure == pytest.approx(chart.approximate, rel=0.03)
    assert m < chart.helps_from < chart.curves[0].x[-1]
    sentence = VIEW.detail(chart)
    assert "the same up to a factor 1.0" in sentence


def test_the_curves_in_colour_are_those_that_the_numbers_are_of():
    """At m = 1000 the earlier approximate bound asks for fewer users than Theorem 10 does."""
    chart = pure_against_approximate(problem="discrete", examples_per_user=1000)
    pure, approximate = chart.in_headline
    assert chart.value(pure) == pytest.approx(chart.pure)
    assert chart.value(approximate) == pytest.approx(chart.approximate)
    alike = pure_against_approximate(problem="discrete", examples_per_user=10)
    assert alike.value(alike.in_headline[0]) == pytest.approx(alike.pure)
