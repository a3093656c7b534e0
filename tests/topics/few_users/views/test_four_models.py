"""Four models: who minds how rich the class is, and that the headline says so."""

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.topics.few_users.views.four_models import four_models
from dpviz.topics.few_users.views.four_models_shown import VIEW
from tests.support.examples import only_in_nightly
from tests.support.headlines import faults
from tests.support.specs import Checked

SETTING = {"epsilon": 2.0, "delta": 1e-4, "alpha": 0.1, "failure_probability": 0.05}


@only_in_nightly
def test_only_the_approximate_model_does_not_mind_how_rich_the_class_is():
    setting = {"epsilon": 0.5, "delta": 1e-6, "alpha": 0.1, "failure_probability": 0.05}
    chart = list(four_models(class_bits=33, **setting))[-1]
    assert chart.done == 1
    approximate, pure, local = (chart.curve(model).y for model in ("approximate", "pure", "local"))
    assert np.ptp(approximate) == 0
    assert pure[-1] > 4 * pure[0]
    assert local[-1] > 4 * local[0]
    for model in ("pure", "local"):  # points, through a representation of 2^10
        hashed, whole = chart.curve(f"{model}_hashed"), chart.curve(model)
        few = hashed.x <= 10
        np.testing.assert_array_equal(hashed.y[few], whole.y[few])
        assert np.ptp(hashed.y[~few]) == 0
        assert hashed.y[-1] == whole.y[whole.x == 10]
    for model in ("approximate", "pure", "shuffle", "local"):
        assert np.all(chart.curve("fewest").y <= chart.curve(model).y)
    assert np.all(chart.curve("fewest_pure").y <= pure)
    points = chart.curve("best_points").y
    known = np.isfinite(points)
    assert known.any()
    assert np.all(points[known] <= chart.curve("fewest_pure").y[known])
    assert f", {chart.value(chart.trusted):.0f} users are enough if" in VIEW.takeaway(chart)


@pytest.mark.parametrize(
    ("class_bits", "epsilon", "released", "said"),
    [
        (
            20,
            1.0,
            "winner",
            (35, 145),
        ),
        (
            20,
            0.5,
            "winner",
            (65, 265),
        ),
        (
            40,
            1.0,
            "winner",
            (45, 145),
        ),
        (
            1,
            1.0,
            "winner",
            (10, 75),
        ),
        (1, 1.0, "counts", (70,)),
    ],
)
def test_what_is_enough_is_the_least_number_that_is_known_to_be(
    class_bits, epsilon, released, said
):
    setting = {"epsilon": epsilon, "delta": 1e-6, "alpha": 0.1, "failure_probability": 0.05}
    chart = next(four_models(class_bits=class_bits, released=released, **setting))
    goal = (
        "know every count to a tenth"
        if released == "counts"
        else "find the hypothesis that four in five prefer"
    )
    server, *mixer = said
    takeaway = VIEW.takeaway(chart)
    assert takeaway.startswith(f"{server} users who trust a server are enough to {goal}; ")
    assert all(f"; {users} who trust whoever mixes their messages" in takeaway for users in mixer)
    assert not faults(takeaway)
    assert chart.curve("fewest_pure").y.min() <= chart.value(chart.trusted)
    for curve in chart.curves:
        if "hashed" not in curve.key and not curve.key.startswith("fewest"):
            assert chart.value(chart.trusted) <= chart.value(curve.key)


def test_only_what_leaves_out_the_rest_does_not_mind_how_many_there_are():
    chart = list(four_models(class_bits=30, released="counts", **SETTING))[-1]
    winner = list(four_models(class_bits=30, **SETTING))[-1]
    for model in ("approximate", "shuffle"):
        assert np.ptp(chart.curve(model).y) == 0
    for model in ("pure", "local"):
        assert chart.curve(model).y[-1] > 4 * chart.curve(model).y[0]
    for model in ("approximate", "pure", "shuffle", "local"):
        assert np.all(chart.curve(model).y >= winner.curve(model).y)
        assert np.all(chart.curve("fewest").y <= chart.curve(model).y)
    assert "Lemma 37" in str(chart.curve("shuffle").source)
    said = VIEW.takeaway(chart)
    assert f"{chart.value('approximate'):.0f} users" in said
    assert "2^30" in VIEW.detail(chart)


def test_each_line_has_the_number_of_the_sentence_and_its_name_at_its_end():
    chart = next(four_models(class_bits=20, **SETTING | {"epsilon": 1.0, "delta": 1e-6}))
    figure = Checked(VIEW.figure)(chart, LIGHT)
    dots = [trace.y[0] for trace in figure.data if trace.mode == "markers"]
    assert sorted(dots) == [chart.least, chart.enough["shuffle"].upper, chart.enough["local"].upper]
    words = [note.text for note in figure.layout.annotations]
    for users in dots:
        assert f"{users:,.0f}" in VIEW.takeaway(chart)
        assert f"<b>{users:,.0f}</b>" in words
    assert {"trust a server", "trust a mixer", "trust nobody"} <= set(words)
    unknown = next(four_models(class_bits=40, released="counts", **SETTING | {"epsilon": 0.2}))
    assert np.isinf(unknown.enough["local"].upper)
    assert VIEW.takeaway(unknown).endswith("; if they trust nobody, it is unknown.")
    drawn = Checked(VIEW.figure)(unknown, LIGHT)
    assert len([trace for trace in drawn.data if trace.mode == "markers"]) == 2


@pytest.mark.parametrize("released", ["winner", "counts"])
def test_who_trusts_the_mixing_needs_no_more_users_than_who_trusts_nobody(released):
    """The line of the shuffle vote was above that of the local one for small classes."""
    setting = SETTING | {"epsilon": 1.0, "delta": 1e-6, "released": released}
    found = set()
    for bits in (1, 2, 20):
        chart = next(four_models(class_bits=bits, **setting))
        found.add(chart.mixed)
        assert chart.enough[chart.mixed].upper <= chart.enough["local"].upper
        drawn = VIEW.figure(chart, LIGHT).data
        of = {
            whom: next(t["y"] for t in drawn if f"trust {whom}," in t.get("hovertemplate", ""))
            for whom in ("a mixer", "nobody")
        }
        assert np.all(~(of["a mixer"] > of["nobody"]))
    assert found == ({"local", "shuffle"} if released == "winner" else {"shuffle"})
