"""Many rows: against group privacy and the exact profile, and how they are said."""

import math
import re

import numpy as np
import pytest
from scipy import stats

from dpviz.plot.theme import LIGHT
from dpviz.topics.promise.calibrating import (
    MECHANISMS,
    NOISES,
    least_epsilon,
    least_noise,
    likely_epsilon,
)
from dpviz.topics.promise.releases import LaplaceRelease
from dpviz.topics.promise.views import many_rows_shown
from dpviz.topics.promise.views.many_rows import many_rows

VIEW = many_rows_shown.VIEW
RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}
every = pytest.mark.parametrize("mechanism", MECHANISMS)


def rows(mechanism, **changes):
    *_, result = many_rows(**{"mechanism": mechanism, "examples_per_user": 4} | RELEASE | changes)
    return result


@every
def test_rows_weaken_the_promise(mechanism):
    result = rows(mechanism)
    curve = result.curve("exact")
    assert curve.y[0] == pytest.approx(1.0, rel=0.01)
    known = curve.y[np.isfinite(curve.y)]
    assert np.all(np.diff(known) >= 0)


def test_one_pure_answer_has_m_times_epsilon():
    result = rows("laplace", queries=1)
    assert result.exact.upper == pytest.approx(4.0, rel=2e-3)
    assert result.group_delta > 1e-5


def test_group_privacy_is_true_of_the_exact_profile():
    """At mε the exact δ of m rows is at most δ·(e^(mε) − 1)/(e^ε − 1)."""
    result = rows("gaussian")
    mu = 4 * least_noise("gaussian", **RELEASE).gaussian_mu
    true = stats.norm.cdf(mu / 2 - 4 / mu) - math.exp(4) * stats.norm.cdf(-mu / 2 - 4 / mu)
    assert true <= result.group_delta
    assert result.group_delta == pytest.approx(1e-5 * math.expm1(4) / math.expm1(1))


@pytest.mark.parametrize(("epsilon", "delta"), [(10.0, 0.1), (10.0, 1e-12), (1.0, 1e-5)])
def test_the_first_epsilon_of_many_rows_takes_a_handful_of_bounds_on_delta(
    monkeypatch, epsilon, delta
):
    """Each convolves the losses of 10,000 answers; from mε on the search took up to seventeen."""
    at = {"epsilon": epsilon, "delta": delta, "queries": 10_000, "power": 2.0}
    least_noise("laplace", **at)
    count, counted = [0], LaplaceRelease.log_delta

    def bounds(*given):
        count[0] += 1
        return counted(*given)

    monkeypatch.setattr(LaplaceRelease, "log_delta", bounds)
    found = next(many_rows(mechanism="laplace", examples_per_user=1000, **at))
    assert count[0] <= 6
    release = least_noise("laplace", **at).of_rows(1000)
    assert likely_epsilon(release, delta) == pytest.approx(found.exact.upper, rel=1e-3)
    assert least_epsilon(release, delta, 1000 * epsilon).lower <= found.exact.upper
    assert least_epsilon(release, delta, 1000 * epsilon).upper >= found.exact.lower


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "state",
    [
        {"mechanism": "geometric", "epsilon": 10.0, "queries": 1, "examples_per_user": 699},
        {"mechanism": "geometric", "epsilon": 6.9, "queries": 3, "examples_per_user": 1000},
        {"mechanism": "laplace", "epsilon": 10.0, "queries": 2, "examples_per_user": 1000},
        {"mechanism": "bounded", "epsilon": 0.2, "delta": 1e-11, "queries": 4, "power": 5.5},
        {"mechanism": "bounded", "epsilon": 6.2, "delta": 2e-3, "queries": 213, "power": 7.5},
        {"mechanism": "response", "epsilon": 10.0, "delta": 0.1, "queries": 1},
    ],
)
def test_extreme_states_have_numbers(state):
    """Losses whose exponentials under- or overflow, and floors next to one."""
    result = next(many_rows(**RELEASE | {"examples_per_user": 4} | state))
    assert result.exact.lower <= result.exact.upper
    assert np.all(result.curve("exact").y[:1] > 0)


@every
def test_rows_are_told(mechanism):
    *_, result = many_rows(mechanism=mechanism, examples_per_user=4, **RELEASE)
    *_, long = many_rows(mechanism="response", examples_per_user=1, **RELEASE | {"epsilon": 1 / 3})
    assert "With randomised response made for one row at ε = 0.333, you" in VIEW.takeaway(long)
    assert f"With {NOISES[mechanism]} made for one row at ε = 1, your 4 " in VIEW.takeaway(result)
    layout = str(VIEW.figure(result, LIGHT).layout)
    assert "Your ε, at δ = 10⁻⁵" in layout
    assert not re.search(r"'text': '[\d.,]+ times'", layout)  # an ε is no number of times
    assert "the ε of 4 rows" in VIEW.detail(result)
    assert "Group privacy" in VIEW.notes(result)[0]
