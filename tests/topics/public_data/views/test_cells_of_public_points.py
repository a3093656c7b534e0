"""The cells between public points, the choice among them, and what few and many of them cost."""

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Subject
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import Labelled, separated, separating_costs
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.views.cells_of_public_points import (
    COUNTS,
    DRAWS,
    MOST_POINTS,
    REDRAWS,
    cells_of_public_points,
    chosen_cells,
    fewest_among,
    fewest_wrong,
    wrong_at_each,
)
from dpviz.topics.public_data.views.cells_of_public_points_shown import VIEW


@cache
def cut(points, *, samples=2000, epsilon=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return cells_of_public_points(public_points=points, samples=samples, epsilon=epsilon, rng=rng)


def examples(rng, count):
    return Labelled(rng.random(count), rng.choice([-1.0, 1.0], count))


def test_each_cell_gets_wrong_what_its_best_threshold_does():
    rng = np.random.default_rng(3)
    private = examples(rng, 40)
    points = np.sort(rng.random(6))
    ends = [0.0, *points, 1.0]
    found = []
    for low, high in pairwise(ends):
        tried = np.linspace(low, high, 4001)[1:-1]
        labels = np.where(private.x >= tried[:, None], 1.0, -1.0)
        found.append((labels != private.y).sum(axis=1).min())
    np.testing.assert_array_equal(fewest_wrong(wrong_at_each(private), points), found)


@pytest.mark.parametrize("points", [1, 2, 20, 300])
def test_the_cells_chosen_are_those_whose_thresholds_the_learner_releases(points):
    rng = np.random.default_rng(points)
    private, public = examples(rng, 60), np.sort(rng.random(points))
    scale = float(noise_levels.laplace_weights(points, epsilon=0.2))
    costs = separating_costs(public, scale, "laplace", 50, rng)
    ends = np.concatenate([[0.0], public, [1.0]])
    middles = (ends[:-1] + ends[1:]) / 2
    released = separated(Thresholds(0.0, 1.0), private, public, costs).released[:, 0]
    chosen = chosen_cells(fewest_wrong(wrong_at_each(private), public), costs)
    np.testing.assert_allclose(released, middles[chosen])
    assert len(set(chosen)) > 1


@pytest.mark.parametrize("count", [1, 4, 30])
def test_the_best_of_a_wide_cell_is_the_best_of_the_narrow_ones_in_it(count):
    rng = np.random.default_rng(5)
    ranked = wrong_at_each(examples(rng, 50))
    public = rng.random((3, 30))
    finest = np.array([fewest_wrong(ranked, np.sort(points)) for points in public])
    starts = np.sort(np.argsort(np.argsort(public, axis=1), axis=1)[:, :count], axis=1) + 1
    directly = [fewest_wrong(ranked, np.sort(points[:count])) for points in public]
    np.testing.assert_array_equal(fewest_among(finest, starts), directly)


@pytest.mark.parametrize("points", [2, 20, 100])
def test_the_mean_is_that_of_the_learner_itself_on_fresh_points_and_noise(points):
    eps, runs, rng = 1.0, 60, np.random.default_rng(7)
    result = cut(points, epsilon=eps)
    x = rng.random(2000)  # other private examples: of so many all are nearly alike
    right = np.where(x >= result.target, 1.0, -1.0)
    private = Labelled(x, np.where(rng.random(x.size) < 0.1, -right, right))
    means = []
    for _ in range(runs):
        public = np.sort(rng.random(points))
        costs = separating_costs(public, 2 * points / eps, "laplace", 8, rng)
        released = separated(Thresholds(0.0, 1.0), private, public, costs).released[:, 0]
        means.append((0.1 + 0.8 * np.abs(released - result.target)).mean())
    off = 4 * math.hypot(np.std(means) / math.sqrt(runs), result.own.sure_to / 1.981)
    assert abs(np.mean(means) - result.own.mean) < off


@pytest.mark.parametrize("points", [1, 3, 20, 200])
def test_gaps_cost_what_the_middle_of_the_one_around_the_best_cut_does(points):
    result, rng = cut(20), np.random.default_rng(2)
    (part,) = (part for part in result.cuts if part.points == points)
    public = rng.random((2000, points))
    low = np.where(public < result.target, public, 0.0).max(axis=1)
    high = np.where(public > result.target, public, 1.0).min(axis=1)
    costs = 0.8 * np.abs((low + high) / 2 - result.target)
    off = 4 * costs.std() * math.hypot(1 / math.sqrt(2000), 1 / math.sqrt(DRAWS))
    assert abs(part.gaps - 0.1 - costs.mean()) < off


def test_intervals_hold_the_mean_of_many_seeds():
    held = []
    cuts = [cut(20, seed=seed).cuts for seed in range(20)]
    for row in zip(*cuts, strict=True):
        mean = np.mean([part.mean for part in row])
        held += [abs(part.mean - mean) <= part.sure_to for part in row]
    assert np.mean(held) > 0.88


def test_more_points_are_added_to_those_there_are_and_the_axes_stand():
    few, many = cut(5), cut(50)
    assert set(few.public) < set(many.public)
    assert few.target == many.target
    assert few.cuts == many.cuts
    layouts = [VIEW.figure(result, LIGHT).layout for result in (few, many)]
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert layouts[0][axis]["range"] == layouts[1][axis]["range"]


def test_few_points_leave_wide_cells_and_a_thousand_drown_in_noise():
    cuts = {part.points: part for part in cut(20).cuts}
    wide, good, crowded = (cuts[points] for points in (2, 20, MOST_POINTS))
    assert crowded.quiet < good.quiet < wide.quiet  # without noise
    assert good.mean < wide.mean < crowded.mean


def test_the_first_draw_is_like_others():
    for points in (3, 20):
        offs = [np.abs(cut(points, seed=s).released - cut(points).target).mean() for s in range(20)]
        assert np.quantile(offs, 0.1) < offs[0] < np.quantile(offs, 0.9)


@pytest.mark.parametrize("points", [1, 3, 20, 300, MOST_POINTS])
def test_dots_are_cuts_in_the_middle_of_gaps_between_the_ticks(points):
    result = cut(points)
    ticks, dots = VIEW.figure(result, LIGHT).data[:2]
    assert len(ticks["x"]) == points
    ends = np.concatenate([[0], ticks["x"], [1]])
    gaps = np.searchsorted(ends, dots["x"]) - 1
    np.testing.assert_allclose(dots["x"], (ends[gaps] + ends[gaps + 1]) / 2)
    assert sorted(dots["x"]) == sorted(result.released)
    assert len(set(zip(dots["x"], dots["y"], strict=True))) == REDRAWS  # every redraw is seen
    assert dots["marker"]["color"] == LIGHT.subjects[Subject.LAPLACE]


@pytest.mark.parametrize("points", [1, 3, 20, 300, MOST_POINTS])
def test_the_curve_is_the_error_at_each_number_of_points_and_the_readers_own_stands_out(points):
    result = cut(points)
    figure, own = VIEW.figure(result, LIGHT), result.own
    line, dot = figure.data[-2:]
    assert list(line["x"]) == sorted({points, *COUNTS})
    np.testing.assert_allclose(line["y"], [100 * part.mean for part in result.cuts])
    assert (dot["x"][0], dot["y"][0]) == (points, pytest.approx(100 * own.mean))
    words = " ".join(note["text"] for note in figure.layout["annotations"])
    number = VIEW.takeaway(result).split(" gets ")[1].split(" of ")[0]
    assert abs(float(number.rstrip("%")) - 100 * own.mean) <= max(0.5, 100 * own.sure_to)
    assert f"<b>{number} wrong</b>" in words
    assert f"<b>{points:,} point" in words
    columns = result.columns()
    assert list(columns["points"]) == list(line["x"])
    np.testing.assert_allclose(100 * columns["error"], line["y"])


def test_a_number_of_points_costs_the_same_whoever_asks():
    asked, beside = cut(3).own, next(part for part in cut(30).cuts if part.points == 3)
    assert asked == beside


def test_it_is_said_what_costs_most():
    def said(points, **more):
        return VIEW.takeaway(cut(points, **more)).split(": with ")[0]

    assert said(3) == "Too few public points leave too few places to cut"
    assert said(MOST_POINTS) == "Too many public points scatter the cuts with noise"
    assert said(20) == "Public points help, but too many hurt"
    assert said(200, epsilon=10, samples=100_000) == "Public points help to find a good cut"
    assert said(1, epsilon=0.01, samples=10) == "The noise on public points scatters the cuts"
    assert said(1, samples=10).endswith("leave few places to cut, more bring more noise")
    assert VIEW.detail(cut(MOST_POINTS)).endswith("is as large as 2,000 examples.")


def zones(result):
    return [
        (shape["x0"], shape["x1"])
        for shape in VIEW.figure(result, LIGHT).layout["shapes"]
        if shape["type"] == "rect"
    ]


def test_zones_are_where_gaps_or_noise_cost_most():
    (_, few), (many, _) = zones(cut(20))
    for part in cut(20).cuts:
        lost = part.gaps - 0.1, part.mean - part.quiet
        assert (part.points < few) == (lost[0] > max(lost[1], 0.05))
        assert (part.points > many) == (lost[1] > max(lost[0], 0.05))
    assert len(zones(cut(20, epsilon=10, samples=100_000))) == 1
    (alone,) = zones(cut(20, epsilon=0.01, samples=10))
    assert alone[0] < 1 < MOST_POINTS < alone[1]


def test_more_points_are_refused():
    with pytest.raises(ParameterError, match="public_points"):
        cut(MOST_POINTS + 1)
