import math

import numpy as np
import pytest

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise, max_error
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.topics.adaptive_analysis import words
from dpviz.topics.adaptive_analysis.mechanisms import BoundedAnswers
from dpviz.topics.adaptive_analysis.transfer import transfer
from dpviz.topics.adaptive_analysis.tuned import TunedAnswers, search_tuned
from dpviz.topics.adaptive_analysis.views.attack import TUNED, attack
from dpviz.topics.adaptive_analysis.views.queries import budget_here, queries_against_samples
from tests.support.examples import chosen, only_in_long_run

ASKED = {"samples": 1e6, "alpha": 0.1, "beta": 0.05}


@pytest.fixture(scope="module", params=chosen(["likely", "certain"], ["certain"]))
def found(request):
    return search_tuned(TunedAnswers(request.param == "certain"), **ASKED)


def test_the_count_is_proven_by_its_own_certificate(found):
    budget, where = found
    assert isinstance(where.noise, TunedNoise)
    privacy = {"epsilon": budget.epsilon, "delta": budget.delta}
    radius = minimal_radius(where.noise, **privacy, queries=budget.queries).upper
    error = radius
    if budget.sample_failure > 1e-12:
        tail = {"queries": budget.queries, "failure_probability": budget.sample_failure}
        error = float(max_error(where.noise, radius, **tail))
    # certified bounds on R are a ten-thousandth apart
    assert error / 1e6 <= budget.sample_error * (1 + 2e-4)
    alpha, beta = transfer(
        sample_error=budget.sample_error,
        sample_failure=budget.sample_failure,
        c=budget.c,
        d=budget.d,
        **privacy,
    )
    assert alpha <= 0.1 * (1 + 1e-9)
    assert beta <= 0.05 * (1 + 1e-9)


def test_tuning_buys_more_questions_than_any_power(found):
    budget, _ = found
    certain = budget.sample_failure == 0
    powers = [BoundedAnswers(PowerNoise(p), certain=certain) for p in (1.0, 2.0)]
    most = max(budget_here(answers, *ASKED.values()).queries for answers in powers)
    assert budget.queries > 1.15 * most


@only_in_long_run
def test_the_sentence_says_how_many_more():
    for result in queries_against_samples(**ASKED, show_tuned=True):
        if "tuned" in result.here:
            break
    more = result.here["tuned"].queries / result.here["bounded_1"].queries - 1
    sentence = words.queries_detail(result)
    assert f"answers {100 * more:.0f}% more than the best power" in sentence
    assert "by tuned bounded noise" in sentence
    assert budget_here(TunedAnswers(), *ASKED.values()).queries == result.here["tuned"].queries


def test_no_question_is_answered_by_too_few_samples():
    budget, _ = search_tuned(TunedAnswers(), samples=1e3, alpha=0.005, beta=1e-9)
    assert budget.queries == 0


def test_the_attacked_mechanism_may_be_tuned():
    asked = {"sample_size": 1e4, "questions": 1000, "epsilon": 1.0, "delta": 1e-6, "power": 2.0}
    drawn = {"runs": 1, "rng": np.random.default_rng(1)}
    tuned, power = (next(attack(**asked, **drawn, shape=s)) for s in (TUNED, "power"))
    assert tuned.radius < 0.93 * power.radius
    assert math.isclose(tuned.sigma, power.sigma)
