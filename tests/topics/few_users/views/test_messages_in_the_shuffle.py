"""Messages in the shuffle: bounds of the truth, a dot for each, sentences."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.few_users.views.messages_in_the_shuffle import messages_in_the_shuffle
from dpviz.topics.few_users.views.messages_in_the_shuffle_shown import VIEW
from tests.support.declarations import last, page, states
from tests.support.examples import examples
from tests.support.few_users import rng
from tests.support.headlines import faults
from tests.support.specs import Checked

draw = Checked(VIEW.figure)
PAGE = page("few_users")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(8)


@THEMES
@pytest.mark.parametrize("dispersion", ["theorem", "least", "proof"])
def test_there_are_as_many_dots_as_messages_and_no_one_can_be_told_once_mixed(theme, dispersion):
    result = last(PAGE, "messages", dispersion=dispersion)
    seen, ones = int(result.counting_ones.sum()), result.truth
    each = -(-seen // 300)
    figure = draw(result, theme)
    sent, own, mixed, law = figure.data
    assert len(sent.x) == len(mixed.x) == round(seen / each)
    assert len(own.x) == round(ones / each)
    assert isinstance(mixed.marker.color, str)
    assert mixed.marker.symbol == "circle-open"  # neither an answer nor noise
    assert np.min(law.x) >= 0
    [line] = figure.layout.shapes
    assert line.x0 == seen - ones
    low, high = figure.layout.xaxis3.range
    assert low <= line.x0 <= high


@few
@given(values=states(PAGE))
def test_the_sentence_on_messages_tells_the_run(values):
    result = last(PAGE, "messages", **values | {"view": "messages"})
    detail = VIEW.detail(result)
    assert f"send {result.counting_ones.sum():,} message" in detail
    assert "nan" not in detail
    assert "δ = 0," not in detail


def test_a_single_one_is_told_in_the_singular():
    sent = {"counting_ones": np.array([0, 1]), "counting_zeros": np.array([1, 1])}
    result = replace(last(PAGE, "messages"), bits=np.array([0, 1]), **sent)
    opening = "2 users hold 1 one. To count ones they send 1 message, never fewer"
    assert VIEW.detail(result).startswith(opening)
    assert (
        VIEW.takeaway(result)
        == "The analyser sees 1 message, and nobody can tell how many are noise."
    )


def test_tiny_deltas_are_told_as_powers():
    detail = VIEW.detail(last(PAGE, "messages", dispersion="proof"))
    assert re.search(r"\d × 10⁻\d", detail.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


def test_shuffle():
    usual = PAGE.usual("messages")
    assert usual["dispersion"] == "least"
    result = last(PAGE, "messages")
    assert result.log_privacy == pytest.approx(math.log(usual["delta"]), abs=1e-3)


def test_the_headline_adds_up():
    for rate in (0.005, 0.3, 0.995):
        result = last(PAGE, "messages", rate=rate)
        said = VIEW.takeaway(result)
        seen, ones, noise = (int(n) for n in re.findall(r"\d+", said.replace(",", "")))
        assert (seen, ones) == (result.estimates[1], result.truth)
        assert seen == ones + noise
        assert not faults(said)


@pytest.mark.parametrize("dispersion", ["theorem", "least", "proof"])
def test_messages_bound_the_truth(dispersion):
    call = {"users": 100, "rate": 0.4, "epsilon": 1.0, "delta": 1e-4, "failure_probability": 0.1}
    for seed in range(20):
        result = messages_in_the_shuffle(**call, dispersion=dispersion, rng=rng(seed))
        low, high = result.estimates
        assert low <= result.truth <= high
        assert np.all(result.counting_ones >= result.bits)
        assert math.exp(max(result.log_privacy, -700)) <= 1e-4
    noise = stats.nbinom(result.protocol.dispersion, result.protocol.success)
    np.testing.assert_allclose(result.mass, noise.pmf(result.noise), rtol=1e-9)
    assert noise.sf(result.quantile) <= 0.1
    if dispersion == "least":
        assert result.log_privacy == pytest.approx(math.log(1e-4), abs=1e-3)
