import numpy as np
import pytest

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise
from dpviz.maths.dagan_kur import dagan_kur_radius
from dpviz.plot.theme import LIGHT
from dpviz.topics.bounded_noise import figures, words
from dpviz.topics.bounded_noise.views.published_losses import STEPS, published_losses

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
    [trace] = figures.losses_figure(result, LIGHT).data
    ends = np.asarray(trace["base"]) + np.asarray(trace["x"])
    assert trace["base"][1:-1] == pytest.approx(ends[:-2])  # each bar begins where the last ended
    assert ends[-2] == pytest.approx(ends[-1])
    assert trace["base"][-1] == 0


def test_the_first_result_has_the_total_alone(both):
    first, last = both
    assert not first.losses
    [trace] = figures.losses_figure(first, LIGHT).data
    assert np.count_nonzero(trace["x"]) == 1
    assert first.published == pytest.approx(last.published)
    assert "set aside" not in words.losses_detail(first)
    assert "8.2% more" in words.losses_takeaway(first)


def test_the_sentence_names_the_step_that_loses_most(both):
    assert both[-1].losses["chernoff"] == max(both[-1].losses.values())
    assert "by its moments" in words.losses_takeaway(both[-1])
    # where ε is tiny and δ is not, the tails one by one lose more, and in all more than twice
    *_, loose = published_losses(**HERE | {"epsilon": 1e-3, "delta": 0.3})
    assert loose.losses["published"] == max(loose.losses.values())
    sentence = words.losses_takeaway(loose)
    assert "times the noise that is needed" in sentence
    assert "every tail by itself" in sentence
