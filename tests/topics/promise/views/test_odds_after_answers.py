"""Odds: against Bayes and simulation, and how they are drawn and said."""

import math

import numpy as np
import pytest
from scipy import stats

from dpviz.plot.text import hundredths_upwards
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.promise.calibrating import MECHANISMS, least_noise
from dpviz.topics.promise.deployments import DEPLOYMENTS
from dpviz.topics.promise.views import odds_after_answers_shown
from dpviz.topics.promise.views.odds_after_answers import odds_after_answers
from tests.support.headlines import faults
from tests.support.specs import Checked

shown = odds_after_answers_shown
drawn = Checked(odds_after_answers_shown)
VIEW = odds_after_answers_shown.VIEW
RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}
every = pytest.mark.parametrize("mechanism", MECHANISMS)
THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)


def suspected(mechanism, prior=0.1, **changes):
    *_, result = odds_after_answers(
        mechanism=mechanism, prior=prior, hit_rate=0.2, **RELEASE | changes
    )
    return result


@pytest.mark.parametrize("mechanism", ["laplace", "response", "geometric"])
def test_pure_odds_are_those_of_bayes(mechanism):
    *_, result = odds_after_answers(
        mechanism=mechanism, prior=0.1, hit_rate=0.2, **RELEASE | {"queries": 1}
    )
    assert result.pure == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))
    # the answer that tells most: all attackers with so few hits wait for it
    assert result.accused[1] == pytest.approx(result.worst, rel=1e-4)
    assert result.worst == pytest.approx(result.pure, rel=1e-3)


@every
def test_accusations_are_no_better_than_the_promise_allows(mechanism):
    *_, result = odds_after_answers(mechanism=mechanism, prior=0.1, hit_rate=0.2, **RELEASE)
    assert 0.1 <= result.accused[0] <= result.accused[1] <= result.promised * 1.01
    assert math.isinf(result.largest_loss) == (mechanism in ("gaussian", "bounded"))


def test_accusations_of_gaussian_noise_by_simulation():
    *_, result = odds_after_answers(mechanism="gaussian", prior=0.1, hit_rate=0.2, **RELEASE)
    mu = least_noise("gaussian", **RELEASE).gaussian_mu
    rng = np.random.default_rng(5)
    inside = rng.random(2_000_000) < 0.1
    seen = rng.normal(size=inside.size) + mu * inside
    accused = inside[seen > mu + stats.norm.isf(0.2)]
    error = 5 * math.sqrt(0.25 / accused.size)
    assert accused.mean() == pytest.approx(result.accused[1], abs=error)


@THEMES
def test_a_hundred_people_stand_for_each_suspicion(theme):
    result = suspected("laplace")
    figure = drawn.figure(result, theme)
    limited = np.isfinite(result.largest_loss)
    shares = (result.prior, result.worst if limited else result.pure, result.accused[1])
    for trace, part in zip(figure.data, shares, strict=True):
        colors = list(trace.marker.color)
        assert len(colors) == 100
        assert sum(color != theme.grid for color in colors) == round(100 * part)
    assert len(drawn.figure(shown.hidden(result), theme).data) == 1


def test_what_is_in_use_is_told_and_in_the_table_with_all_that_was_published():
    result = suspected("laplace")
    said, table = " ".join(VIEW.notes(result)), result.columns()
    for one in DEPLOYMENTS:
        assert f"{one.name}: ε = " in said
        assert f"({one.unit}; {one.period})" in said
        [row] = [n for n, text in enumerate(table["situation"]) if f"in use: {one.name}," in text]
        before = (1 - result.prior) / result.prior
        after = 1 / (1 + before * math.exp(-one.epsilon))  # Bayes, at the factor e^ε
        assert table["suspicion"][row] == pytest.approx(after)
        assert one.source in [origin.source for origin in result.origins]


def test_headline_and_figure_of_odds_name_one_limit():
    """Many answers of Laplace noise made for (ε, δ) tell more than a pure promise of ε would."""
    *_, result = odds_after_answers(
        mechanism="laplace", prior=0.1, hit_rate=0.2, **RELEASE | {"queries": 100}
    )
    assert result.worst > 1.5 * result.pure
    limit = hundredths_upwards(result.worst)
    assert f"at most {limit} in 100," in VIEW.takeaway(result)
    notes = drawn.figure(result, LIGHT).layout.annotations
    assert sum(f"<b>{limit}</b> in 100" in note.text for note in notes) == 1


@every
def test_headlines_have_few_numbers(mechanism):
    assert not faults(VIEW.takeaway(suspected(mechanism)))


@every
def test_odds_are_told_and_what_is_not_bounded_as_well(mechanism):
    result = suspected(mechanism)
    headline, notes = VIEW.takeaway(result), " ".join(VIEW.notes(result))
    unbounded = mechanism in ("gaussian", "bounded")
    assert ("sets no limit" in VIEW.detail(result)) == unbounded
    assert (f"accuses, {shown.people_of(result.accused[1])} are in" in headline) == unbounded
    # of a hundred, as the figure counts
    assert ("of 10 in 100 that you are in the data become at most " in headline) != unbounded
    assert f"{shown.people_of(result.accused[1])} in 100 are in the data" in notes
    assert "ε = 1 with δ = 0, lets a suspicion of 10 in 100 become at most 23.2 in 100" in notes


def test_attackers_who_learn_next_to_nothing_are_told_without_empty_comparisons():
    weak = {"epsilon": 0.01, "delta": 1e-12}
    assert VIEW.takeaway(suspected("gaussian", **weak)).endswith(
        ", as of a hundred picked blindly."
    )


@pytest.mark.parametrize("mechanism", ["laplace", "geometric", "response"])
def test_near_certainty_comes_after_some_answers_and_not_whatever_is_answered(mechanism):
    """Half of the answers make the suspicion smaller, however large the ε."""
    *_, result = odds_after_answers(
        mechanism=mechanism, epsilon=10.0, delta=0.01, queries=1, power=2.0, prior=0.3, hit_rate=0.5
    )
    said = [VIEW.takeaway(result), *VIEW.notes(result)]
    certain = [text for text in said if "near certainty" in text]
    assert len(certain) == 3
    assert all("near certainty after some answers." in text for text in certain)
