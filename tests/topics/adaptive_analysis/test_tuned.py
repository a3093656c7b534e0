import pytest

from dpviz.maths.accounting.calibration import minimal_radius
from dpviz.maths.bounded_noise import PowerNoise, max_error
from dpviz.maths.tuned_noise import TunedNoise
from dpviz.results.folders import ROOT
from dpviz.topics.adaptive_analysis.budget_cache import budget_here
from dpviz.topics.adaptive_analysis.noisy_answers import BoundedAnswers
from dpviz.topics.adaptive_analysis.transfer import transfer
from dpviz.topics.adaptive_analysis.tuned import TunedAnswers, search_tuned
from tests.support.examples import chosen

ASKED = {"samples": 1e6, "alpha": 0.1, "beta": 0.05}


@pytest.fixture(scope="module", params=chosen(["likely", "certain"], ["certain"]))
def searched(request):
    return search_tuned(TunedAnswers(request.param == "certain"), **ASKED)


def test_the_count_is_proven_by_its_own_certificate(searched):
    budget, where = searched
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


def test_tuning_buys_more_questions_than_any_power(searched):
    budget, _ = searched
    certain = budget.sample_failure == 0
    powers = [BoundedAnswers(PowerNoise(p), certain=certain) for p in (1.0, 2.0)]
    most = max(budget_here(answers, *ASKED.values()).queries for answers in powers)
    assert budget.queries > 1.15 * most


def test_the_docs_say_how_many_questions():
    results = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    said = results.partition("million samples answer ")[2]
    count = int(said.split(maxsplit=1)[0].replace(",", ""))
    budget, _ = search_tuned(TunedAnswers(), **ASKED)
    assert budget.queries == pytest.approx(count, rel=2e-4)


def test_no_question_is_answered_by_too_few_samples():
    budget, _ = search_tuned(TunedAnswers(), samples=1e3, alpha=0.005, beta=1e-9)
    assert budget.queries == 0
