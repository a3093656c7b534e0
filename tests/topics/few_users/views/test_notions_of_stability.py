"""Stability: three notions side by side, the steps of the proof, the bars."""

import re
from dataclasses import replace

import pytest

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Subject
from dpviz.results.folders import ASSETS
from dpviz.topics.few_users.learners_by_name import LIST_RUNS
from dpviz.topics.few_users.rare_points import (
    RareLearner,
    RarePoints,
)
from dpviz.topics.few_users.simulated import Measured
from dpviz.topics.few_users.views.notions_of_stability import notions_of_stability
from dpviz.topics.few_users.views.notions_of_stability_shown import VIEW
from tests.support.few_users import rng
from tests.support.headlines import faults
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


@pytest.mark.parametrize(("rare", "examples"), [(5, 1e6), (6, 1e5), (2, 300), (1, 100), (8, 1e4)])
def test_a_pair_of_the_commoner_kind_is_drawn_and_bars_are_what_is_said(rare, examples):
    call = SETTING | {"rare": rare, "examples_per_user": examples}
    result = list(notions_of_stability(**call, runs=40, rng=rng(2)))[-1]
    assert result.held.shape == (2, 40, 2)
    figure = draw(result, LIGHT)
    red = LIGHT.subjects[Subject.DANGER]
    dots = [trace for trace in figure.data if trace.type == "scatter"]
    shares = (result.own.value, result.shared.value)
    rings = [shape for shape in figure.layout.shapes if shape["type"] == "rect"]
    assert {shape["line"]["color"] for shape in rings} <= {red}
    for row, (held, share) in enumerate(zip(result.held.tolist(), shares, strict=True)):
        kept = [tuple(pair) for pair in held if -1 not in pair]
        users = [user for user in dots if int(user.y[0] // 4.1) == row]
        drawn = [
            2 ** int(x) * (kind == "circle")
            for user in users
            for x, kind in zip(user.x, user.marker.symbol, strict=True)
        ]
        sets = (sum(drawn[:rare]), sum(drawn[rare:]))
        if not kept:
            assert not users
            continue
        assert sets in kept
        usual = share > 1 / 2
        assert (sets[0] == sets[1]) == (usual if usual in {a == b for a, b in kept} else not usual)
        assert {user.marker.color for user in users} == {LIGHT.text}
        ringed = {
            round((ring["x0"] + ring["x1"]) / 2) for ring in rings if ring["y0"] // 4.1 == row
        }
        assert ringed == {point for point in range(rare) if (sets[0] ^ sets[1]) >> point & 1}
    lengths = [float(bar.x[0]) for bar in figure.data if bar.type == "bar"][1::2]
    several = result.runs >= 1
    assert lengths == pytest.approx([100 * share for share in shares] if several else [])
    words = [note.text for note in figure.layout.annotations]
    said = [found[1] for text in words if (found := re.search(r"^<b>(\d+</b> of \d+)", text))]
    hits = [sum(a == b != -1 for a, b in held) for held in result.held.tolist()]
    assert said == ([f"{hit}</b> of 40" for hit in hits] if several else [])
    assert [round(40 * share) for share in shares] == hits


@pytest.mark.parametrize(
    ("own", "shared", "told"),
    [
        (23, 82, "learn the same set of rare points with coins of their own, 82 with"),
        (95, 95, "learn the same set of rare points, with coins of their own or"),
        (0, 1, "learn the same set of rare points with coins of their own, 1 with"),
        (1, 82, "learns the same set of rare points with coins of their own, 82 with"),
    ],
)
def test_no_number_of_pairs_is_said_twice(own, shared, told):
    call = SETTING | {"rare": 5, "sighting": 0.7, "examples_per_user": 1e5}
    result = list(notions_of_stability(**call, runs=1, rng=rng(2)))[-1]
    measured = {"own": Measured.of(own, 100), "shared": Measured.of(shared, 100)}
    said = VIEW.takeaway(replace(result, **measured))
    assert said == f"{own} of 100 pairs of users {told} shared darts."
    assert not faults(said)


def test_without_examples_for_many_runs_nothing_is_said_of_them():
    call = SETTING | {"rare": 8, "examples_per_user": 100}
    result = list(notions_of_stability(**call, runs=1, rng=rng(2)))[-1]
    assert VIEW.takeaway(result) == (
        "Nobody holds enough examples to learn any set of rare points."
    )


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
