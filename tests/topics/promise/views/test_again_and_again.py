"""Again and again: theorems above the exact value, and how both are said."""

import math
import re
from functools import cache

import numpy as np
import pytest

import dpviz
from dpviz.plot.chart import draw
from dpviz.plot.theme import LIGHT
from dpviz.results import refining
from dpviz.results.evidence import Evidence
from dpviz.results.parameters import ParameterError
from dpviz.topics.promise import releases
from dpviz.topics.promise.calibrating import MECHANISMS
from dpviz.topics.promise.views import again_and_again_shown
from dpviz.topics.promise.views.again_and_again import again_and_again
from tests.support import pace
from tests.support.examples import chosen
from tests.support.headlines import faults

shown = again_and_again_shown
VIEW = again_and_again_shown.VIEW
every = pytest.mark.parametrize("mechanism", MECHANISMS)


def begun(mechanism, **changes):
    """The first result, which has all of the reader's own number of answers."""
    usual = {"answer_epsilon": 0.2, "delta": 1e-5, "queries": 30, "power": 2.0}
    return next(again_and_again(mechanism=mechanism, **usual | changes))


@cache
def stages(mechanism):
    usual = {"answer_epsilon": 0.2, "delta": 1e-5, "queries": 30, "power": 2.0}
    return tuple(again_and_again(mechanism=mechanism, **usual))


@pytest.mark.parametrize("mechanism", chosen(MECHANISMS, MECHANISMS.keys() - {"laplace"}))
def test_theorems_are_above_the_exact_value(mechanism):
    result = stages(mechanism)[-1]
    for key, epsilon in result.others.items():
        assert epsilon >= result.exact.lower * (1 - 1e-6), key
    assert ("zcdp" in result.others) == (mechanism != "bounded")
    exact = result.curve("exact")
    assert np.all(np.diff(exact.y) >= 0)
    assert exact.evidence in (Evidence.EXACT, Evidence.CERTIFIED)
    assert result.done == 1


def test_one_answer_has_its_own_epsilon():
    for mechanism in MECHANISMS:
        result = begun(mechanism, queries=1)
        assert result.exact.upper == pytest.approx(0.2, rel=5e-3)


def test_laplace_is_at_most_what_its_epsilon_allows():
    result = begun("laplace", queries=100)
    assert result.exact.upper <= result.others["optimal"] <= result.others["zcdp"]


def test_partial_results_come_first_and_grow():
    found = stages("response")
    sizes = [result.curve("exact").x.size for result in found]
    assert sizes == sorted(sizes)
    assert {result.exact for result in found} == {found[0].exact}


def test_unknown_mechanisms_are_refused():
    with pytest.raises(ParameterError, match="mechanism"):
        begun("dice")


@pytest.mark.filterwarnings("error")
def test_a_share_of_delta_below_the_floor_leaves_no_theorem():
    usual = {"answer_epsilon": 10.0, "delta": math.exp(-5), "queries": 1, "power": 2.0}
    *_, result = again_and_again(mechanism="bounded", **usual)
    assert result.exact.upper == pytest.approx(10.0, rel=0.01)
    assert np.isnan(result.curve("basic").y[-1])
    assert np.isnan(result.curve("exact").y[-1])


@every
def test_many_answers_are_told_beside_the_theorems(mechanism):
    result = next(
        again_and_again(mechanism=mechanism, answer_epsilon=0.2, delta=1e-5, queries=30, power=2.0)
    )
    headline = VIEW.takeaway(result)
    assert headline.startswith(f"30 answers cost {shown.answer(result)} and a small δ together, ")
    detail = VIEW.detail(result)
    assert detail.startswith("Each answer has ε = 0.2; all together have ε = ")
    # 30 times 0.2 is 6: what adding up says instead, where δ is shared out, is explained
    assert ("Adding up says 6." in detail) != ("with only its share of δ" in detail)
    assert not faults(headline)
    than = r"(not the [^ ]+( × 10[^ ]+)?|as much as) they add up to\.$"
    assert re.search(than, headline)
    asked = shown.hidden(result)
    assert not asked.curves  # adding up is a guess as well
    assert not asked.landmarks
    axes = [draw(chart, LIGHT).layout for chart in (asked, result)]
    for axis in ("xaxis", "yaxis"):
        assert axes[0][axis]["range"] == pytest.approx(axes[1][axis]["range"])
    assert shown.marked(result, 3.0).landmarks[-1].y == 3.0
    assert shown.answer(result).startswith("ε = ")
    assert VIEW.notes(result)


@every
def test_the_command_beside_it_computes_the_same(mechanism):
    result = next(
        again_and_again(mechanism=mechanism, answer_epsilon=0.2, delta=1e-5, queries=30, power=2.0)
    )
    said = VIEW.sources(result)
    noise, delta = re.search(r"`dpviz compose (\S+) --delta (\S+)`", said).groups()
    found = dpviz.compose([noise], delta=float(delta))
    assert found.lower <= result.exact.upper * (1 + 1e-9)
    assert result.exact.lower <= found.upper * (1 + 1e-9)
    assert found.upper == pytest.approx(result.exact.upper, rel=1e-3)


@pytest.mark.parametrize(
    ("mechanism", "kept", "detail"),
    [
        # e^0.1 less the part of δ that is spared, 0.1 + 2 ln 0.99 = 0.07990, rounded up
        ("laplace", "ε = 0.08 at this δ", "0.1; with δ = 0.01, 0.08."),
        ("gaussian", "its own ε", "ε = 0.1."),
    ],
)
def test_one_answer_of_pure_noise_has_less_than_its_epsilon(mechanism, kept, detail):
    one = {"answer_epsilon": 0.1, "delta": 0.01, "queries": 1, "power": 2.0}
    *_, result = again_and_again(mechanism=mechanism, **one)
    assert VIEW.takeaway(result).startswith(f"One answer keeps {kept};")
    assert VIEW.detail(result).endswith(detail)


def test_answers_without_any_epsilon_are_told():
    result = next(
        again_and_again(
            mechanism="bounded", answer_epsilon=10.0, delta=0.1, queries=10_000, power=0.5
        )
    )
    assert math.isinf(result.exact.upper)
    assert "no ε at all" in VIEW.takeaway(result)
    assert "there is no ε with δ = 0.1" in VIEW.detail(result)
    assert shown.answer(result) == "no ε at all"


def test_after_the_first_result_every_other_rests_after_each_bound_on_delta(monkeypatch):
    """A result is due at every look: two bounds at most, where a search ends and one begins."""
    monkeypatch.setattr(refining.Pace, "due", pace.always)
    looked, counted = [0], releases.BoundedRelease._bounds

    def bounds(*given):
        looked[-1] += 1
        return counted(*given)

    monkeypatch.setattr(releases.BoundedRelease, "_bounds", bounds)
    given = {"answer_epsilon": 0.2, "delta": 1e-5, "queries": 3, "power": 0.5}
    for _, _found in zip(range(20), again_and_again(mechanism="bounded", **given), strict=False):
        looked.append(0)
    assert max(looked[1:]) <= 2
    assert sum(looked[1:]) > 2


def test_where_a_large_delta_covers_all_it_is_not_said_that_little_is_learned():
    """Two Laplace answers of ε₀ = 1/2: the best attacker is right in 65% of rounds."""
    result = begun("laplace", answer_epsilon=0.5, delta=0.5, queries=2)
    assert result.exact.upper == 0
    side = 1 - math.exp(-0.25)  # of one answer, the total variation
    assert 0.5 + side / 2 > 0.6
    said = VIEW.takeaway(result)
    assert said.startswith("2 answers keep δ = 0.5 even at ε = 0: you change")
    assert not faults(said)
