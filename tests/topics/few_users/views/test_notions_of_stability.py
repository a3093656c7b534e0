"""Stability: three notions side by side, the steps of the proof, the bars."""

import re
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
from dpviz.topics.few_users.views.notions_of_stability_shown import VIEW
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
    said = VIEW.detail(chart)
    assert said.startswith("d = 3 rare points. Global")
    assert "η = 0.13 for one run of 20 examples" in said
    one = replace(chart.learner, points=RarePoints(1, 0.1, 1))
    single = VIEW.detail(replace(chart, learner=one))
    assert single.startswith("d = 1 rare point. Global")
    assert "for one run of 1 example, " in single
    notes = " ".join(VIEW.notes(chart))
    assert "Theorem 18 does as much with polynomials in d: 2 independent lists of" in notes


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


@pytest.mark.parametrize(("rare", "examples"), [(6, 1e5), (2, 300), (1, 100)])
def test_the_bars_are_as_long_as_the_sentence_says(rare, examples):
    """Three bars measured runs, lists and pairs of users on one axis."""
    call = SETTING | {"rare": rare, "examples_per_user": examples}
    result = list(notions_of_stability(**call, runs=5, rng=rng(2)))[-1]
    figure = draw(result, LIGHT)
    long = figure.data[1].x
    np.testing.assert_allclose(long / 100, [result.met, result.own.value, result.shared.value])
    words = [note.text for note in figure.layout.annotations]
    said = [re.search(r"<b>(.*)</b>", text)[1] for text in words if "<b>" in text]
    told = re.findall(r"\d of 5|\d[\d.]*\d|\d", VIEW.takeaway(result).replace(" of 100", ""))
    assert told == [said[0], said[2]]
    assert float(said[0]) == pytest.approx(long[0], abs=0.5)
    assert said[2].startswith(f"{round(long[2] / 20)} of 5")


def test_two_runs_meet_as_often_as_drawn_ones_do():
    points = RarePoints.sighted(3, 0.1, 0.5)
    draws = (
        rng(5).multinomial(points.examples, [0.1 / 3] * 3 + [0.9], size=(2, 40_000))[..., :3] > 0
    )
    seen = float((draws[0] == draws[1]).all(axis=1).mean())
    assert points.meeting == pytest.approx(seen, abs=4 * (seen / 40_000) ** 0.5)


def test_the_prose_says_how_algorithm_1_is_run_on_rare_points():
    """As many runs as fit into half of the examples, and a threshold of half the stability."""
    chart = next(notions_of_stability(rare=3, examples_per_user=1e5, runs=1, rng=rng(2), **SETTING))
    assert chart.runs != LIST_RUNS
    assert (
        2 * chart.runs * chart.points.examples <= 1e5 < 2 * (chart.runs + 1) * chart.points.examples
    )
    assert chart.learner.tau == pytest.approx(chart.lists / 2)
    prose = (ASSETS / "prose" / "few_users.md").read_text(encoding="utf-8").replace("\n", " ")
    assert f"On lists of consistent hypotheses it has $k_1 = k_2 = {LIST_RUNS}$" in prose
    assert "On rare points $k_1 = k_2$ is as many runs as fit into half" in prose
