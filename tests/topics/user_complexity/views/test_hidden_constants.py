"""Where constants leave a saving: in closed form, by its definition, in sentences."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.plot.text import spoken
from dpviz.results.parameters import LIMITS
from dpviz.topics.user_complexity.views.hidden_constants import hidden_constants
from dpviz.topics.user_complexity.views.hidden_constants_shown import VIEW
from tests.support.declarations import page, shown
from tests.support.examples import examples
from tests.support.strategies import inside
from tests.support.tabulated_bounds import any_setting, check_chart, every_problem


def smallest_whole_above(bound):
    return math.floor(bound) + 1


PAGE = page("user_complexity")


@every_problem
@examples(20)
@given(setting=any_setting(), constant=inside("constant"), log_power=inside("log_power"))
def test_constants_at_any_setting(problem, privacy, model, setting, constant, log_power):
    chart = hidden_constants(
        problem=problem,
        privacy=privacy,
        model=model,
        constant=constant,
        log_power=log_power,
        **setting,
    )
    check_chart(chart)
    shape, new = chart.curve("shape"), chart.curve("new")
    logarithm = np.log(shape.y)
    if privacy == "approximate":
        logarithm = logarithm + math.log(1 / setting.get("delta", LIMITS["delta"].default))
    assert new.y == pytest.approx(constant * shape.y * np.maximum(logarithm, 1) ** log_power)
    assert chart.saving == pytest.approx(chart.item_level / chart.users)
    assert chart.beats_discarding <= chart.beats_earlier < chart.loses_again or math.isinf(
        chart.beats_earlier
    )
    # On the chart itself: before the first crossing the new bound is no better.
    ahead = new.holds & (new.y < chart.item_level)
    assert not ahead[new.x < chart.beats_discarding].any()
    assert ahead[new.x >= chart.beats_discarding].all()


@examples(60)
@given(
    constant=st.fractions(Fraction(1, 50), 50, max_denominator=64),
    alpha=st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000),
)
def test_when_theorem_4_beats_discarding_in_closed_form(constant, alpha):
    """C (d/ε + d/(εαm)) < d/(εα) iff m > C/(1 − Cα), and never for C ≥ 1/α."""
    chart = hidden_constants(problem="pac", constant=float(constant), alpha=float(alpha))
    if constant * alpha >= 1:
        assert math.isinf(chart.beats_discarding)
        assert math.isinf(chart.beats_earlier)
        return
    bound = constant / (1 - constant * alpha)
    assume(bound.denominator != 1)  # a tie, decided by rounding
    assert chart.beats_discarding == smallest_whole_above(bound)


def test_where_earlier_work_takes_over():
    """PAC: the new bound leads from m = 2 until d/ε is known without its second term."""
    chart = hidden_constants(problem="pac", dimension=2, epsilon=0.5, alpha=0.05)
    thresholds = {"d²/(ε²α²)": 4 / 0.000625, "d³/α²": 8 / 0.0025}
    assert chart.beats_earlier == 2
    assert chart.loses_again == pytest.approx(min(thresholds.values()), abs=1)
    texts = [mark.text for mark in chart.marks]
    assert "an earlier bound is as good again" in texts


def test_theorem_10_never_beats_the_specific_bound_for_discrete_distributions():
    """Table 2 says so: k/(ε²α√m) against k/(εα√m), as long as ε < 1 and constants are equal."""
    chart = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3)
    assert math.isfinite(chart.beats_discarding)
    assert math.isinf(chart.beats_earlier)
    assert math.isinf(chart.loses_again)
    lucky = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3, constant=0.2)
    assert math.isfinite(lucky.beats_earlier)


@examples(60)
@given(constant=inside("constant"), log_power=inside("log_power"), epsilon=inside("epsilon"))
def test_beats_discarding_is_the_smallest_m(constant, log_power, epsilon):
    """Checked by the definition, with the formula of Theorem 43 written out."""
    k, alpha = 1000, 0.05

    def users(m):
        f = k / epsilon + k / (epsilon * alpha * math.sqrt(m)) + k / (alpha**2 * m)
        return constant * f * max(1, math.log(f)) ** log_power

    n_1 = k / (epsilon * alpha) + k / alpha**2
    chart = hidden_constants(
        problem="discrete", constant=constant, log_power=log_power, epsilon=epsilon
    )
    m = chart.beats_discarding
    if math.isinf(m):
        assert users(1e24) >= n_1 * (1 - 1e-9)
    else:
        assert users(m) < n_1 * (1 + 1e-9)
        assert m == 1 or users(m - 1) >= n_1 * (1 - 1e-9)


@examples(15)
@given(constant=inside("constant"), log_power=inside("log_power"), m=inside("examples_per_user"))
def test_constants_in_a_sentence(constant, log_power, m):
    chart = hidden_constants(
        problem="pac", constant=constant, log_power=log_power, examples_per_user=m
    )
    sentence = VIEW.detail(chart)
    assert f"asks for {spoken(chart.users)} users" in sentence
    d, epsilon, alpha = (LIMITS[n].default for n in ("dimension", "epsilon", "alpha"))
    limit = constant * d / epsilon * max(1, math.log(d / epsilon)) ** log_power
    never = "No m, however large" in sentence
    # In the limit of many examples d/ε is left, against d/(εα) with one example each.
    assert never or limit < d / (epsilon * alpha)
    assert ("times more" in sentence) == (m > 1 and chart.users > chart.item_level * 1.005)


def test_an_earlier_bound_that_catches_up_is_mentioned():
    chart = hidden_constants(problem="pac", dimension=2, epsilon=0.5, constant=1)
    assert VIEW.detail(chart).endswith("until earlier work catches up at m = 3,200.")
    never = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3)
    assert VIEW.detail(never).endswith("but some earlier bound is always as good.")


def test_constants_kill_it():
    view, chart, values = shown(PAGE, "Constants eat up the saving")
    assert math.isinf(chart.beats_discarding)
    assert chart.users > chart.item_level
    without = view.compute(**PAGE.arguments(view, values) | {"constant": 1, "log_power": 0})
    assert without.saving > 10
    assert "No m, however large" in view.detail(chart)


def test_below_the_m_of_a_theorem_nothing_is_said_to_be_saved():
    """PAC in the local model asks for 4 × 10⁸ examples each at the defaults."""
    for m, applies in ((2, False), (10**9, True)):
        chart = hidden_constants(problem="pac", model="local", examples_per_user=m)
        headline = VIEW.takeaway(chart)
        assert ("users" in headline) == applies
        assert ("the theorem does not apply: it needs m ≥ d³/α²." in headline) != applies
