"""The cells between public points, the choice among them, and what too few and too many do."""

from itertools import pairwise

import numpy as np
import pytest

from dpviz.plot.text import hundredths
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Subject
from dpviz.results.parameters import ParameterError
from dpviz.topics.public_data import noise_levels
from dpviz.topics.public_data.algorithms import Labelled, separated, separating_costs
from dpviz.topics.public_data.oracles.thresholds import Thresholds
from dpviz.topics.public_data.views.cells_of_public_points import (
    DRAWN,
    MOST_POINTS,
    REDRAWS,
    cells_of_public_points,
    chosen_cells,
    fewest_wrong,
)
from dpviz.topics.public_data.views.cells_of_public_points_shown import VIEW


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
    np.testing.assert_array_equal(fewest_wrong(private, points), found)


@pytest.mark.parametrize("points", [1, 2, 20, 300])
def test_the_cells_chosen_are_those_whose_thresholds_the_learner_releases(points):
    rng = np.random.default_rng(points)
    private, public = examples(rng, 60), np.sort(rng.random(points))
    scale = float(noise_levels.laplace_weights(points, epsilon=0.2))
    costs = separating_costs(public, scale, "laplace", 50, rng)
    ends = np.concatenate([[0.0], public, [1.0]])
    middles = (ends[:-1] + ends[1:]) / 2
    released = separated(Thresholds(0.0, 1.0), private, public, costs).released[:, 0]
    chosen = chosen_cells(fewest_wrong(private, public), costs)
    np.testing.assert_allclose(released, middles[chosen])
    assert len(set(chosen)) > 1


def test_the_mean_is_that_of_what_is_chosen():
    every, result = cut(20), cut(20).own
    assert result.chosen.sum() == pytest.approx(1)
    np.testing.assert_allclose(result.errors, 0.1 + 0.8 * np.abs(result.middles - every.target))
    drawn = np.repeat(result.errors, np.rint(REDRAWS * result.chosen).astype(int))
    assert result.mean == pytest.approx(drawn.mean())
    assert result.sure_to == pytest.approx(1.96 * drawn.std() / REDRAWS**0.5)


def test_more_points_are_added_to_those_there_are_and_the_axes_stand():
    few, many = cut(5), cut(50)
    assert set(few.own.edges) < set(many.own.edges)
    assert few.target == many.target
    layouts = [VIEW.figure(result, LIGHT).layout for result in (few, many)]
    for axis in ("xaxis", "yaxis"):
        assert layouts[0][axis]["range"] == layouts[1][axis]["range"]


def test_few_points_leave_wide_cells_and_a_thousand_drown_in_noise():
    wide, good, crowded = (
        np.array([(r.quiet, r.mean) for r in (cut(m, seed=seed).own for seed in range(20))])
        for m in (2, 20, MOST_POINTS)
    )
    assert crowded[:, 0].mean() < good[:, 0].mean() < wide[:, 0].mean()  # without noise
    assert good[:, 1].mean() < wide[:, 1].mean() < crowded[:, 1].mean()


def test_the_first_draw_is_like_others():
    for points in (3, 20):
        costs = [cut(points, seed=seed).own.mean - 0.1 for seed in range(20)]
        assert np.quantile(costs, 0.1) < costs[0] < np.quantile(costs, 0.9)


@pytest.mark.parametrize("points", [1, 3, 20, 300, MOST_POINTS])
def test_dots_are_cuts_in_the_middle_of_gaps_and_bars_beside_them_what_they_get_wrong(points):
    result = cut(points)
    figure, own = VIEW.figure(result, LIGHT), result.own
    words = [note["text"] for note in figure.layout["annotations"]]
    counts = [part.points for part in result.cuts]
    assert len(set(counts)) == 3
    assert counts == sorted(counts)
    assert points in counts
    places = [trace for trace in figure.data if trace["type"] == "scatter"]
    dots, ticks = places[::2], places[1::2]
    assert [len(line["x"]) for line in ticks] == counts
    wrong = [trace for trace in figure.data if trace["type"] == "bar"]
    rows = zip(result.cuts, dots, ticks, wrong, strict=True)
    for row, (part, cuts, public, bar) in enumerate(rows):
        ends = np.concatenate([[0], public["x"], [1]])
        gaps = np.searchsorted(ends, cuts["x"]) - 1
        np.testing.assert_allclose(cuts["x"], (ends[gaps] + ends[gaps + 1]) / 2)
        shares = np.bincount(gaps, minlength=ends.size - 1) / len(gaps)
        assert len(gaps) == DRAWN
        largest = int(np.argmax(part.chosen))
        spread = np.sqrt(part.chosen[largest] * (1 - part.chosen[largest]) / len(gaps))
        assert abs(shares[largest] - part.chosen[largest]) <= 4 * spread + 0.01
        assert len(set(cuts["y"])) == len(gaps)  # every redraw is seen
        assert (bar["x"][0], bar["y"]) == (pytest.approx(100 * part.mean), [row])
        for marks in (cuts, bar):
            coloured = marks["marker"]["color"] == LIGHT.subjects[Subject.LAPLACE]
            assert coloured == (part is own)
    for part in result.cuts:
        assert any(text.startswith(f"<b>{hundredths(part.mean)}%</b>") for text in words)
    lines = [s["x0"] for s in figure.layout["shapes"] if s["line"].get("dash") == "dot"]
    assert lines == [*3 * [result.target], 100 * result.best]  # no cut avoids these
    assert f"gets {hundredths(own.mean)}% of new examples wrong" in VIEW.takeaway(result)
    columns = result.columns()
    assert {len(column) for column in columns.values()} == {sum(counts) + 3}


@pytest.mark.parametrize("points", [1, 3, 20])
def test_the_gap_that_is_named_lies_between_two_public_points_and_is_cut_most(points):
    first = cut(points).cuts[0]
    figure = VIEW.figure(cut(points), LIGHT)
    level = [s for s in figure.layout["shapes"] if s["y0"] == s["y1"]]
    (named,) = (s for s in level if "domain" not in s["xref"])
    most = int(np.argmax(first.chosen))
    assert (named["x0"], named["x1"]) == tuple(first.edges[most : most + 2])


def test_a_number_of_points_costs_the_same_whoever_asks():
    asked, beside = cut(3).own, cut(20).cuts[0]
    np.testing.assert_array_equal(asked.chosen, beside.chosen)


def test_it_is_said_what_costs_most():
    cells, noise = cut(3), cut(MOST_POINTS)
    good = cut(20)
    assert VIEW.takeaway(cells).startswith("3 public points leave too few places to cut: this ")
    assert VIEW.takeaway(noise).startswith("The noise on 1,000 public points scatters this ")
    assert VIEW.takeaway(good).startswith("With 20 public points this learner gets ")
    assert VIEW.takeaway(good).endswith(
        ": too few points leave too few places to cut, too many scatter its cuts with noise."
    )
    assert VIEW.detail(noise).endswith("The noise at each point is as large as 2,000 examples.")


def test_each_bar_says_whether_its_points_are_too_few_or_too_many():
    words = [note["text"] for note in VIEW.figure(cut(20), LIGHT).layout["annotations"]]
    said = [word.split("</b>")[1] for word in words if word.startswith("<b>") and "%</b>" in word]
    assert said == [
        "<br>too few places<br>to cut",
        "",
        "<br>noise scatters<br>its cuts",
        ": no cut avoids these",
    ]


def test_more_points_are_refused():
    with pytest.raises(ParameterError, match="public_points"):
        cut(MOST_POINTS + 1)
