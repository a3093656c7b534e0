"""The net: its meshes, the choice among them, and what too few and too many public points do."""

from itertools import pairwise

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.views.net_of_public_points import (
    MOST_POINTS,
    fewest_wrong,
    net_of_public_points,
)
from dpviz.topics.public_data.views.net_of_public_points_shown import VIEW


def cast(points, *, samples=2000, epsilon=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return net_of_public_points(public_points=points, samples=samples, epsilon=epsilon, rng=rng)


def test_each_mesh_gets_wrong_what_its_best_threshold_does():
    rng = np.random.default_rng(3)
    private = Labelled(rng.random(40), rng.choice([-1.0, 1.0], 40))
    points = np.sort(rng.random(6))
    ends = [0.0, *points, 1.0]
    found = []
    for low, high in pairwise(ends):
        tried = np.linspace(low, high, 4001)[1:-1]
        labels = np.where(private.x >= tried[:, None], 1.0, -1.0)
        found.append((labels != private.y).sum(axis=1).min())
    np.testing.assert_array_equal(fewest_wrong(private, points), found)


@pytest.mark.parametrize("points", [1, 2, 20, MOST_POINTS])
def test_the_optimiser_chooses_the_least_of_what_is_drawn_and_releases_from_that_mesh(points):
    result = cast(points)
    assert result.wrong.size == result.noise.size == points + 1
    total = result.wrong + result.noise
    assert total[result.chosen] == pytest.approx(total.min())
    assert result.noisy.min() == pytest.approx(result.wrong[result.chosen])
    low, high = result.edges[result.chosen : result.chosen + 2]
    assert low <= result.released <= high
    assert result.excess == pytest.approx(0.8 * abs(result.released - result.target))
    assert result.noise[0] == pytest.approx(-result.noise[-1])  # all labels are turned


def test_more_points_are_added_to_those_there_are_and_the_axes_stand():
    few, many = cast(5), cast(50)
    assert set(few.edges) < set(many.edges)
    np.testing.assert_array_equal(few.private.x, many.private.x)
    layouts = [VIEW.figure(result, LIGHT).layout for result in (few, many)]
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2", "xaxis3", "yaxis3"):
        assert layouts[0][axis]["range"] == layouts[1][axis]["range"]


def test_few_points_are_a_coarse_net_and_a_thousand_drown_in_noise():
    coarse, good, crowded = (
        np.array([(r.quiet, r.excess) for r in (cast(m, seed=seed) for seed in range(30))])
        for m in (2, 20, MOST_POINTS)
    )
    assert crowded[:, 0].mean() < good[:, 0].mean() < coarse[:, 0].mean()  # without noise
    assert good[:, 1].mean() < coarse[:, 1].mean() < crowded[:, 1].mean()


def test_it_is_said_what_costs_most():
    net, noise = cast(3), cast(MOST_POINTS)
    assert VIEW.takeaway(net).startswith("A net of 3 public points leaves 4 thresholds")
    assert VIEW.takeaway(noise).startswith(
        "Each of 1,000 public points gets noise as large as 2,000 examples"
    )
    assert "200 of 2,000 private examples are drawn" in VIEW.notes(net)[-1]
    assert not any("are drawn" in note for note in VIEW.notes(cast(3, samples=100)))


def test_a_larger_net_is_refused():
    with pytest.raises(ParameterError, match="public_points"):
        cast(MOST_POINTS + 1)
