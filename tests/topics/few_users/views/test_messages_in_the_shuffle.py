"""Messages in the shuffle: bounds of the truth, laws drawn on their side of it, sentences."""

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
from tests.support.specs import Checked

draw = Checked(VIEW.figure)
PAGE = page("few_users")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(8)


@THEMES
@pytest.mark.parametrize("dispersion", ["theorem", "least", "proof"])
def test_laws_lie_on_their_side_of_the_truth(theme, dispersion):
    result = last(PAGE, "messages", dispersion=dispersion)
    figure = draw(result, theme)
    bits, noise, above, below = figure.data
    assert np.min(above.x) >= 0 >= np.max(below.x)
    np.testing.assert_array_equal(np.array(bits.y) + np.array(noise.y), result.counting_ones[:40])
    low, high = result.estimates
    lines = sorted(shape.x0 for shape in figure.layout.shapes)
    assert lines == [low - result.truth, 0, high - result.truth]
    ends = figure.layout.xaxis2.range
    assert ends[0] <= lines[0] <= lines[2] <= ends[1]


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
    assert VIEW.takeaway(result).endswith(" 1 does.")


def test_tiny_deltas_are_told_as_powers():
    detail = VIEW.detail(last(PAGE, "messages", dispersion="proof"))
    assert re.search(r"\d × 10⁻\d", detail.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


def test_shuffle():
    usual = PAGE.usual("messages")
    assert usual["dispersion"] == "least"
    result = last(PAGE, "messages")
    assert result.log_privacy == pytest.approx(math.log(usual["delta"]), abs=1e-3)


def test_at_first_sight_the_messages_tell_something():
    view = PAGE.open_view({"view": "messages"})
    values = {p.key: p.default for p in PAGE.url_parameters}
    result = view.compute(**PAGE.call(PAGE.arguments(view, values)))
    low, high = result.estimates
    assert 0 < low <= result.truth <= high < result.bits.size
    assert f"{low:,} to {high:,} users" in view.takeaway(result)
    hidden = view.compute(**PAGE.call(PAGE.arguments(view, values | {"dispersion": "theorem"})))
    assert hidden.estimates[0] < 0  # no headline counts fewer than no users
    assert "hides everything" in view.takeaway(hidden)


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
