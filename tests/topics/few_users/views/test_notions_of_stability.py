"""Stability: three notions side by side, the steps of the proof, the play."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.folders import ASSETS
from dpviz.topics.few_users.learners_by_name import LIST_RUNS
from dpviz.topics.few_users.rare_points import (
    RareLearner,
    RarePoints,
)
from dpviz.topics.few_users.views.notions_of_stability import notions_of_stability
from dpviz.topics.few_users.views.notions_of_stability_shown import STEPS, VIEW
from tests.support.few_users import rng
from tests.support.specs import Checked

draw = Checked(VIEW.figure)
SETTING = {"sighting": 0.5, "alpha": 0.1, "failure_probability": 0.05, "share": 0.9}


def test_the_view_sets_three_notions_side_by_side():
    chart = list(
        notions_of_stability(rare=3, examples_per_user=1e5, runs=20, rng=rng(2), **SETTING)
    )[-1]
    points = RarePoints.sighted(3, 0.1, 0.5)
    assert chart.done == 1
    assert chart.alone == pytest.approx(points.seen.max() / 3)
    assert chart.alone < 1 / 3 <= chart.lists <= 1
    assert chart.shared.trials == chart.own.trials == chart.pseudo.boards == 20
    assert chart.shared.lower > chart.alone
    assert chart.value("shared") == chart.shared.value
    said = VIEW.detail(chart)
    assert said.startswith("d = 3 rare points. Global")
    assert "η = 0.13 for one run of 20 examples" in said
    single = VIEW.detail(replace(chart, here=1.0, examples=1))
    assert single.startswith("d = 1 rare point. Global")
    assert "for one run of 1 example, " in single
    notes = " ".join(VIEW.notes(chart))
    assert "Theorem 18 does as much with polynomials in d: 2 independent lists of" in notes


def test_moving_the_place_leaves_the_points_of_all_others():
    before, after = (
        list(notions_of_stability(rare=d, examples_per_user=1e4, runs=3, rng=rng(2), **SETTING))[-1]
        for d in (2, 7)
    )
    np.testing.assert_array_equal(before.curve("shared").y, after.curve("shared").y)


def test_the_steps_keep_the_limits_of_the_lemmas_with_many_examples():
    chart = next(notions_of_stability(rare=4, examples_per_user=1e6, runs=2, rng=rng(2), **SETTING))
    more = RareLearner(RarePoints.sighted(4, 0.1, 0.5), 1, 0.05).proof_steps(
        20, examples=10**13, rng=rng(1)
    )
    limit = chart.beta**2 / 30
    assert more[0].all()
    assert more[1].max() <= limit
    assert more[2].mean() <= limit
    notes = " ".join(VIEW.notes(chart))
    assert "Lemma 22: except with probability β²/30" in notes
    assert chart.steps.counted > limit  # with a slider's examples the limits are out of reach


def test_the_play_adds_one_step_after_the_other():
    call = SETTING | {"rare": 3, "examples_per_user": 1e4, "runs": 2}
    chart = list(notions_of_stability(**call, rng=rng(2)))[-1]
    assert {key for keys in STEPS.values() for key in keys} == {c.key for c in chart.curves}
    figure = draw(chart, LIGHT)
    keys = [trace.name for trace in figure.data]
    drawn = []
    for frame in figure.frames:
        assert len(frame.data) == len(figure.data)
        seen = [int(np.isfinite(np.array(trace.y, dtype=float)).sum()) for trace in frame.data]
        drawn.append(dict(zip(keys, seen, strict=True)))
    assert all(np.all(np.diff([one[key] for one in drawn]) >= 0) for key in keys)
    third = len(drawn) // 3
    for key, first in (("in a list", third), ("two users agree, shared darts", 2 * third)):
        assert drawn[first - 1][key] == 0 < drawn[first][key]
    for still, played in zip(figure.data, figure.frames[-1].data, strict=True):
        np.testing.assert_array_equal(np.array(still.y), np.array(played.y))
    words = [frame.layout.annotations for frame in figure.frames if frame.layout.annotations]
    assert len({len(notes) for notes in words}) == 1  # a frame changes words by their number
    assert [notes[-1].text[3] for notes in words[::2]] == ["1", "2", "3"]
    assert [note.text for note in words[0] if not note.visible].count("in a list") == 1
    assert all(note.visible for note in words[-1][:-1])
    assert not draw(chart, LIGHT.holding(((0, 1), (0, 1)))).frames


def test_the_prose_says_how_algorithm_1_is_run_on_rare_points():
    """As many runs as fit into half of the examples, and a threshold of half the stability."""
    chart = next(notions_of_stability(rare=3, examples_per_user=1e5, runs=1, rng=rng(2), **SETTING))
    assert chart.runs != LIST_RUNS
    assert 2 * chart.runs * chart.examples <= 1e5 < 2 * (chart.runs + 1) * chart.examples
    assert chart.tau == pytest.approx(chart.lists / 2)
    prose = (ASSETS / "prose" / "few_users.md").read_text(encoding="utf-8").replace("\n", " ")
    assert f"On lists of consistent hypotheses it has $k_1 = k_2 = {LIST_RUNS}$" in prose
    assert "On rare points $k_1 = k_2$ is as many runs as fit into half" in prose
