"""What a class's answers say, against laws built person by person, and exact coverage."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.results.parameters import ParameterError
from dpviz.topics.classroom.survey import (
    ShuffledCount,
    central_half_width,
    sent_law,
    survey_estimate,
    survey_half_width,
    survey_interval,
)


def law_person_by_person(yes, answers, epsilon):
    """The law of the number of ones, one person after the other."""
    kept = math.exp(epsilon) / (1 + math.exp(epsilon))
    law = np.array([1.0])
    for person in range(answers):
        one = kept if person < yes else 1 - kept
        law = np.append(law * (1 - one), 0.0) + np.append(0.0, law * one)
    return law


@pytest.mark.parametrize(("yes", "answers"), [(0, 1), (1, 1), (0, 7), (7, 7), (13, 40)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_law_of_what_is_sent(yes, answers, epsilon):
    law = sent_law(yes, answers, epsilon=epsilon)
    np.testing.assert_allclose(law, law_person_by_person(yes, answers, epsilon), atol=1e-14)
    mean = law @ np.arange(answers + 1)
    estimates = [survey_estimate(s, answers, epsilon=epsilon) for s in range(answers + 1)]
    assert min(estimates) == 0
    assert max(estimates) == answers
    kept = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert mean == pytest.approx(yes * kept + (answers - yes) * (1 - kept))


@pytest.mark.parametrize(("answers", "epsilon"), [(1, 1.0), (20, 1.0), (60, 3.0), (200, 0.5)])
def test_the_interval_holds_the_truth_as_often_as_it_says(answers, epsilon):
    ends = np.array([survey_interval(s, answers, epsilon=epsilon) for s in range(answers + 1)])
    covered = []
    for yes in range(0, answers + 1, max(answers // 20, 1)):
        inside = (ends[:, 0] <= yes) & (yes <= ends[:, 1])
        covered.append(law_person_by_person(yes, answers, epsilon)[inside].sum())
    assert min(covered) >= 0.95 - 1e-12
    middle = covered[len(covered) // 3 : -(len(covered) // 3) or None]
    if answers >= 20:
        assert max(middle) < 0.985  # no wider than counts in whole numbers make it


def test_what_lies_beyond_the_interval_is_rejected():
    answers, sent, epsilon = 60, 29, 1.0
    low, high = survey_interval(sent, answers, epsilon=epsilon)
    assert law_person_by_person(low - 1, answers, epsilon)[sent:].sum() <= 0.025
    assert law_person_by_person(low, answers, epsilon)[sent:].sum() > 0.025
    assert law_person_by_person(high + 1, answers, epsilon)[: sent + 1].sum() <= 0.025
    assert law_person_by_person(high, answers, epsilon)[: sent + 1].sum() > 0.025
    assert low < survey_estimate(sent, answers, epsilon=epsilon) < high
    narrow = survey_interval(sent, answers, epsilon=epsilon, level=0.5)
    assert low < narrow[0] <= narrow[1] < high


def test_yes_and_no_are_alike():
    for sent in (0, 3, 17, 20):
        low, high = survey_interval(sent, 20, epsilon=1.0)
        assert survey_interval(20 - sent, 20, epsilon=1.0) == (20 - high, 20 - low)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 5.0])
def test_the_curators_noise_stays_within_its_width(epsilon):
    z = np.arange(-2000, 2001)
    law = np.exp(-epsilon * np.abs(z))
    law /= law.sum()
    width = central_half_width(epsilon=epsilon)
    assert law[np.abs(z) <= width].sum() >= 0.95
    assert width == 0 or law[np.abs(z) < width].sum() < 0.95


def negative_binomial(r, success, size):
    """The masses from their recursion."""
    law = [success**r]
    for k in range(size - 1):
        law.append(law[-1] * (k + r) / (k + 1) * (1 - success))
    return np.array(law)


@pytest.mark.parametrize(("users", "answers"), [(60, 60), (60, 45), (200, 200)])
def test_the_shuffled_interval_holds_the_truth_as_often_as_it_says(users, answers):
    count = ShuffledCount(users, answers, 1.0, 1e-4)
    law = negative_binomial(count.dispersion * answers / users, -math.expm1(-0.2), 400)
    for yes in (0, answers // 3, answers):
        ends = [count.interval(yes + noise) for noise in range(law.size)]
        covered = sum(p for p, (low, high) in zip(law, ends, strict=True) if low <= yes <= high)
        assert 0.95 <= covered < 1.0001
        if 0 < yes < answers:
            mean = sum(p * (yes + noise - count.noise.mean_noise) for noise, p in enumerate(law))
            assert mean == pytest.approx(yes, abs=1e-6)


def test_who_does_not_answer_takes_their_noise_along():
    deltas = [ShuffledCount(60, answers, 1.0, 1e-4).true_delta for answers in (60, 50, 30)]
    assert deltas == sorted(deltas)
    assert deltas[0] <= 1e-4 < deltas[1]
    # exactly: the worse divergence of the total and the total plus 1
    count = ShuffledCount(60, 30, 1.0, 1e-4)
    f = stats.nbinom.pmf(np.arange(2000), count.noise.dispersion, -math.expm1(-0.2))
    moved = np.append(0.0, f[:-1])
    e = math.exp(1.0)
    worse = max(np.maximum(f - e * moved, 0).sum(), np.maximum(moved - e * f, 0).sum())
    assert count.true_delta == pytest.approx(worse, rel=1e-9)


def test_in_a_small_class_the_local_model_is_the_more_precise_one():
    shuffled = ShuffledCount(1, 1, 1.0, 1e-4).half_width()
    assert survey_half_width(60, epsilon=1.0) < shuffled < survey_half_width(400, epsilon=1.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: survey_interval(3, 2, epsilon=1.0),
        lambda: survey_interval(-1, 2, epsilon=1.0),
        lambda: survey_interval(1, 2, epsilon=math.nan),
        lambda: survey_interval(1, 2, epsilon=1.0, level=1.0),
        lambda: sent_law(3, 2, epsilon=1.0),
        lambda: ShuffledCount(10, 11, 1.0, 1e-4),
        lambda: ShuffledCount(10, 0, 1.0, 1e-4),
    ],
)
def test_what_cannot_be_is_refused(call):
    with pytest.raises(ParameterError):
        call()
