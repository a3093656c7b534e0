"""Agreement: measured shares against exact probabilities, and what is said of stability."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz.maths import correlated_sampling
from dpviz.plot.theme import LIGHT
from dpviz.topics.few_users.learners_by_name import LEARNERS, learners_by_name
from dpviz.topics.few_users.views.agreement_of_two_users import agreement_of_two_users
from dpviz.topics.few_users.views.agreement_of_two_users_shown import VIEW
from tests.support.declarations import last, page
from tests.support.examples import chosen, some
from tests.support.few_users import SETTING, final, reached, rng

PAGE = page("few_users")


def test_stability_is_told_as_bounds():
    chart = last(PAGE, "agreement", bits=4, runs=30)
    [note] = [note for note in VIEW.notes(chart) if "Pseudo-global" in note]
    found = chart.stability
    assert f"is between {found.lower:.3g} and " in note
    assert f"{found.stable} of {found.boards} boards" in note
    assert 0 <= found.lower < found.upper <= 1


def test_the_sentence_has_the_shares_that_are_drawn_and_the_detail_of_how_many_pairs():
    chart = last(PAGE, "agreement", bits=4, runs=5)
    words = [note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"]]
    for share in (chart.shared, chart.own):
        assert f"{100 * share.value:.0f}%" in VIEW.headline(chart)
        assert f"{100 * share.value:.0f}%" in words
    assert "measured on 5 pairs" in VIEW.detail(chart)
    same = VIEW.takeaway(replace(chart, own=chart.shared))
    assert same.endswith(" pick the same hypothesis, with shared darts or coins of their own.")


@pytest.mark.parametrize("learner", chosen(LEARNERS, LEARNERS.keys() - {"lists"}))
def test_agreement_grows_with_the_examples(learner):
    bits = 3 if learner == "rare" else 6
    call = SETTING | {"learner": learner, "concept": "thresholds", "bits": bits}
    charts = agreement_of_two_users(
        **call, examples_per_user=5000, share=0.9, runs=some(400, 200), rng=rng(9)
    )
    chart = reached(charts, 0.15)
    shared = chart.curve("shared")
    assert shared.y[-1] >= shared.y[0]
    if learner == "queries":  # more examples than a slider offers would settle bits in doubt
        assert shared.y[-1] > chart.curve("own").y[-1] + 0.1
    else:
        assert shared.y[-1] > 0.85
    assert chart.shared.trials == chart.own.trials
    assert 0 <= chart.stability.lower < chart.stability.upper <= 1
    assert chart.stability.boards >= chart.shared.trials
    assert chart.proof_examples > 1e12  # practical is not as proved
    if learner == "gibbs":
        assert chart.gamma < chart.proof_gamma
        assert chart.shared.lower > chart.own.upper


def test_measured_agreement_is_the_mean_of_the_exact_one():
    """Given the samples the probability is known; its mean over samples is what is counted."""
    learners = learners_by_name(SETTING | {"concept": "thresholds", "bits": 5})
    draws, exact = rng(10), []
    for _ in range(600):
        learner = learners.draw(draws)
        errors = learner.problem.empirical_errors(2, examples=500, rng=draws)
        exact.append(1 - float(correlated_sampling.output_disagreement(*learner.laws(errors))))
    call = SETTING | {"concept": "thresholds", "bits": 5}
    chart = final(
        agreement_of_two_users(
            **call, examples_per_user=500, share=0.9, runs=some(200, 100), rng=rng(11)
        )
    )
    assert chart.shared.trials == some(200, 100)
    assert chart.done == 1
    assert chart.shared.lower - 0.01 <= np.mean(exact) <= chart.shared.upper + 0.01


def test_two_users_who_pick_nothing_do_not_agree():
    """They counted as agreeing: with too few examples nobody has a candidate."""
    call = SETTING | {"learner": "rare", "bits": 8}
    chart = final(
        agreement_of_two_users(**call, examples_per_user=100, share=0.9, runs=2, rng=rng(11))
    )
    assert chart.value("shared") == chart.value("own") == chart.value("accurate") == 0
    assert chart.curve("shared").y[-1] > 0
