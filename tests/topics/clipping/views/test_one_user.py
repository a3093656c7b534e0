"""One user, clipped: the histogram, what is drawn and what is told."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.clipping.tasks import TASKS, make_task
from dpviz.topics.clipping.views import one_user_shown
from tests.support.declarations import last, page, states
from tests.support.examples import examples
from tests.support.specs import Checked

drawn = Checked(one_user_shown)
VIEW = one_user_shown.VIEW
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_task = pytest.mark.parametrize("task", TASKS)
few = examples(15)


def test_the_threshold_is_taken_hold_of_where_it_is_drawn():
    result = last(PAGE, "user", task="thresholds", threshold=5.0)
    layout = drawn.figure(result, replace(LIGHT, labels="few")).layout
    assert layout["meta"]["drag"] == {"key": "threshold", "x": 5.0, "line": True}
    assert 5.0 in {shape.x0 for shape in layout.shapes}
    assert layout["dragmode"] is False
    beyond = last(PAGE, "user", task="thresholds", threshold=1000.0)
    for figure in (
        drawn.figure(beyond, replace(LIGHT, labels="few")),
        drawn.figure(result, LIGHT),  # a picture
    ):
        assert figure.layout.meta is None


@every_task
def test_every_user_is_in_the_histogram(task):
    result = last(PAGE, "user", task=task, threshold=5.0)
    m, tau = result.examples_per_user, result.threshold
    assert (result.inside + result.outside).sum() == result.scores.size == 200
    beyond = (result.scores > tau) | (result.scores < result.low)
    assert result.cut == np.count_nonzero(beyond)
    places = np.searchsorted(result.edges, result.scores, side="right") - 1
    np.testing.assert_array_equal(
        np.bincount(places, minlength=result.edges.size - 1), result.inside + result.outside
    )
    assert np.abs(result.scores).max() <= m
    chosen = make_task(task, candidates=16)
    row = chosen.names.index(result.rival)
    against = chosen.errors[row]
    assert np.sum(chosen.errors < against - 1e-12) <= 4
    ratio = result.noise(result.unclipped_sensitivity) / result.noise(result.sensitivity)
    pairwise = 2 * tau if chosen.loss is None else tau
    assert ratio == pytest.approx((2 * m if task.startswith("noisy") else m) / pairwise)


def test_the_expected_score_is_that_of_many_users():
    result = last(PAGE, "user", users=10_000)
    error = result.scores.std() / 100
    assert abs(result.scores.mean() - result.expected) < 5 * error


@THEMES
@every_task
def test_the_histogram_draws_users_lines_and_noise(theme, task):
    result = last(PAGE, "user", task=task, threshold=8.0)
    figure = drawn.figure(result, theme)
    inside, piles = (trace for trace in figure.data if trace.type == "bar")
    # Those who are cut are counted at the end to which they are, all of them if it is in sight.
    ends = dict(zip(piles.x, piles.y, strict=True))
    assert ends[8.0] == np.count_nonzero(result.scores > 8.0)
    assert sum(inside.y) == 200 - result.cut
    for end, count in ends.items():
        assert not count or any(str(count) in note.text for note in figure.layout.annotations)
        assert count == np.count_nonzero(result.clipped[np.abs(result.scores - end) > 1e-9] == end)
    [outline] = [t for t in figure.data if t.type == "scatter" and t.mode == "lines"]
    assert set(np.nan_to_num(outline.y)) == {0.0, *result.outside}
    lines = [shape.x0 for shape in figure.layout.shapes if shape.line.dash == "dash"]
    low, high = figure.layout.xaxis.range
    assert lines == [end for end in (result.low, 8.0) if low <= end <= high]
    assert 8.0 in lines
    unclipped, clipped = (
        trace for trace in figure.data if trace.error_x and trace.error_x.array is not None
    )
    saved = unclipped.error_x.array[0] / clipped.error_x.array[0]
    scheffe = task in ("discrete", "gaussian", "selection")
    [moved] = [s for s in figure.layout.shapes if s.y0 == s.y1 == 0.5]
    assert (moved.x0, moved.x1) == pytest.approx((result.clipped.mean(), result.scores.mean()))
    assert saved == pytest.approx(50 / 8 if scheffe else 100 / 8)
    assert low <= result.edges[0] <= result.edges[-1] <= high


@few
@given(values=states(PAGE))
def test_a_sentence_tells_how_far_the_mean_moves(values):
    result = last(PAGE, "user", **{**values, "view": "user"})
    moved = abs(np.mean(np.clip(result.scores, result.low, result.threshold) - result.scores))
    mean = f"the mean {readable(float(moved), 2)} too " if result.cut else "cuts no user’s score"
    assert mean in VIEW.takeaway(result)
    said = VIEW.detail(result)
    assert re.search(rf"move (it|a score) by at most {readable(result.sensitivity)}\b", said)
    # Two users apart as far as that, whatever the others say, where the sentence has the range.
    ends = np.array([result.least, result.most])
    clipped = np.clip(ends, result.low, result.threshold)
    if " lies from " in said:
        assert f"lies from {readable(clipped[0])} to {readable(clipped[1])}," in said
        assert f"clipping from {readable(ends[0])} to {readable(ends[1])}," in said
        assert np.ptp(clipped) == pytest.approx(result.sensitivity)
        assert np.ptp(ends) == pytest.approx(result.unclipped_sensitivity)


def test_lines_too_near_to_each_other_share_a_name():
    def names(tau):
        notes = drawn.figure(last(PAGE, "user", threshold=tau), LIGHT).layout.annotations
        return [note.text for note in notes if note.text.endswith("τ")]

    assert names(0.1) == ["±τ"]
    assert names(20.0) == ["τ"]  # −τ lies beyond the scores


def test_the_axis_stays_where_it_is_while_the_threshold_moves():
    ranges = {
        tuple(drawn.figure(last(PAGE, "user", threshold=tau), LIGHT).layout.xaxis.range)
        for tau in (5.0, 10.0, 20.0, 40.0, 100.0)
    }
    assert len(ranges) == 1


def test_in_a_room_the_words_of_a_row_end_below_the_row_above():
    layout = drawn.figure(last(PAGE, "user"), LIGHT.projected(460)).layout
    plot = layout.height - layout.margin.t - layout.margin.b
    low, high = layout.yaxis2.range
    row = plot * layout.yaxis2.domain[1] / (high - low)
    assert 0.2 * row + 1.3 * layout.template.layout.font.size < row


def test_the_noise_is_as_wide_as_what_a_user_counts():
    """From −20 to 20 is 2.5 times less than the 100 of m examples."""
    result = last(PAGE, "user")
    assert result.unclipped_sensitivity / result.sensitivity == pytest.approx(2.5)
