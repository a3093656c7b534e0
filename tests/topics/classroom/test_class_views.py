"""The figures of a class: what they say is what was counted."""

import math

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.topics.classroom.attack import OTHERS, ClassScore, dealt_answers
from dpviz.topics.classroom.survey import survey_interval
from dpviz.topics.classroom.views import (
    class_attack_shown,
    class_shuffle_shown,
    class_survey_shown,
)
from dpviz.topics.classroom.views.class_attack import class_attack
from dpviz.topics.classroom.views.class_shuffle import class_shuffle
from dpviz.topics.classroom.views.class_survey import class_survey


def test_the_interval_grows_answer_by_answer():
    bits = "1101" * 12
    result = class_survey(bits=bits, epsilon=1.0)
    assert (result.low, result.high) == survey_interval(36, 48, epsilon=1.0)
    local = result.curve("local")
    assert local.x[-1] == 48
    widths = local.upper - local.lower
    assert widths[-1] < widths[0] / 2
    at = int(np.flatnonzero(local.x == local.x[3])[0])
    n = int(local.x[at])
    low, high = survey_interval(bits[:n].count("1"), n, epsilon=1.0)
    assert local.lower[at] == pytest.approx(100 * low / n)
    assert local.upper[at] == pytest.approx(100 * high / n)
    said = class_survey_shown.takeaway(result)
    assert f"**{result.low} to {result.high}**" in said
    assert "Of 48 answers" in said


def test_one_answer_says_nearly_nothing():
    result = class_survey(bits="1", epsilon=1.0)
    assert (result.low, result.high) == (0, 1)
    assert draw(result, LIGHT).data


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_guesses_at_the_middle_reach_the_best_attacker(epsilon):
    rng = np.random.default_rng(3)
    inside, answers = dealt_answers(rng, epsilon=epsilon, count=40_000)
    said = answers > OTHERS + 0.5
    score = ClassScore(
        int((said & inside).sum()),
        int(inside.sum()),
        int((said & ~inside).sum()),
        int((~inside).sum()),
    )
    result = class_attack(
        hits=score.hits,
        present=score.present,
        alarms=score.alarms,
        absent=score.absent,
        epsilon=epsilon,
    )
    # whoever says "with you" above the middle is right with probability 1 − e^(−ε/2)/2
    assert result.best == pytest.approx(1 - math.exp(-epsilon / 2) / 2, abs=1e-3)
    error = 5 / math.sqrt(score.guesses)
    tied = (answers == OTHERS + 0.5).mean()  # by rounding
    assert abs(score.right / score.guesses - result.best) < 0.5 * error + tied
    hit, alarm = score.shares()
    assert hit.lower < score.hits / score.present < hit.upper
    assert alarm.lower < score.alarms / score.absent < alarm.upper
    assert "This class" in {curve.label for curve in result.curves}


def test_without_guesses_there_is_the_curve_alone():
    result = class_attack(hits=0, present=0, alarms=0, absent=0, epsilon=1.0)
    assert [curve.key for curve in result.curves] == ["best", "blind"]
    assert class_attack_shown.takeaway(result) == "Nobody has guessed yet."
    assert draw(result, LIGHT).data


def test_the_shuffle_model_pays_from_the_size_that_is_named():
    result = class_shuffle(total=60, answers=50, users=60, epsilon=1.0, delta=1e-4)
    local, shuffled = (result.curve(key) for key in ("local", "shuffle"))
    wins = local.y > shuffled.y
    assert result.turning == local.x[wins][0]
    assert not wins[local.x < result.turning].any()
    assert result.true_delta > 1e-4
    assert "10 have not answered" in " ".join(class_shuffle_shown.notes(result))
    assert f"{result.low} to {result.high}" in class_shuffle_shown.takeaway(result)
    assert 0 <= result.low <= result.estimate <= result.high <= 50


@pytest.mark.parametrize(
    "call",
    [
        lambda: class_survey(bits="", epsilon=1.0),
        lambda: class_survey(bits="12", epsilon=1.0),
        lambda: class_survey(bits="1" * 501, epsilon=1.0),
        lambda: class_attack(hits=2, present=1, alarms=0, absent=0, epsilon=1.0),
        lambda: class_shuffle(total=-1, answers=1, users=1, epsilon=1.0, delta=1e-4),
    ],
)
def test_what_cannot_be_is_refused(call):
    with pytest.raises(ParameterError):
        call()
