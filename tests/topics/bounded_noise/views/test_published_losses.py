"""Where the published bound loses: the waterfall and its sentences."""

import numpy as np
import pytest

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.plot.theme import LIGHT
from dpviz.topics.bounded_noise.views import published_losses_shown
from dpviz.topics.bounded_noise.views.published_losses import STEPS, published_losses
from tests.support.specs import Checked

drawn = Checked(published_losses_shown)
VIEW = published_losses_shown.VIEW
HERE = {"epsilon": 0.1, "delta": 1e-10, "queries": 10**6, "shape": "power", "power": 2.0}


@pytest.fixture(scope="module")
def both():
    return list(published_losses(**HERE))


def test_the_waterfall_leads_from_the_exact_to_the_published_radius(both):
    result = both[-1]
    privacy = {name: HERE[name] for name in ("epsilon", "delta", "queries")}
    exact = minimal_radius(PowerNoise(2.0), **privacy).upper
    published = dagan_kur_radius(PowerNoise(2.0), **privacy)
    assert sum(result.losses.values()) == pytest.approx(100 * (published / exact - 1), abs=0.02)
    assert list(result.losses) == list(STEPS)
    assert result.columns()["radius"][[0, -1]] == pytest.approx([exact, published], rel=1e-4)
    [trace] = drawn.figure(result, LIGHT).data
    base = np.asarray(trace["base"], dtype=float)
    ends = base + np.asarray(trace["x"], dtype=float)
    assert base[1:-1] == pytest.approx(ends[:-2])  # each bar begins where the last ended
    assert ends[-2] == pytest.approx(ends[-1])
    assert trace["base"][-1] == 0


def test_the_first_result_has_the_total_alone(both):
    first, *_, last = both
    assert not first.losses
    [trace] = drawn.figure(first, LIGHT).data
    assert np.count_nonzero(trace["x"]) == 1
    assert first.published == pytest.approx(last.published)
    assert "set aside" not in VIEW.detail(first)
    assert "8.2% more" in VIEW.takeaway(first)


def test_the_sentence_names_the_step_that_loses_most(both):
    assert both[-1].losses["chernoff"] == max(both[-1].losses.values())
    assert "by its moments" in VIEW.takeaway(both[-1])
    # where ε is tiny and δ is not, the tails one by one lose more, and in all more than twice
    *_, loose = published_losses(**HERE | {"epsilon": 1e-3, "delta": 0.3})
    assert loose.losses["published"] == max(loose.losses.values())
    sentence = VIEW.takeaway(loose)
    assert "times the noise that is needed" in sentence
    assert "every tail by itself" in sentence
