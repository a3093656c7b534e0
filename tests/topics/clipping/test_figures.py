"""One user, and what gets selected: computed, drawn and told."""

import mpmath
import numpy as np
import pytest
from hypothesis import given

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Evidence
from dpviz.topics.clipping import figures, words
from dpviz.topics.clipping.tasks import TASKS, make_task
from tests.support.declarations import last, page, states
from tests.support.examples import examples
from tests.support.specs import Checked

draw, figures = Checked(draw), Checked(figures)
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_task = pytest.mark.parametrize("task", TASKS)
few = examples(15)


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
    figure = figures.user_figure(result, theme)
    inside_, outside_ = (trace for trace in figure.data if trace.type == "bar")
    assert sum(inside_.y) + sum(outside_.y) == 200
    lines = [shape.x0 for shape in figure.layout.shapes]
    assert lines == ([-8.0, 8.0] if result.low < 0 else [0.0, 8.0])
    unclipped, clipped = (trace for trace in figure.data if trace.type == "scatter")
    saved = unclipped.error_x.array[0] / clipped.error_x.array[0]
    scheffe = task in ("discrete", "gaussian", "selection")
    assert saved == pytest.approx(50 / 8 if scheffe else 100 / 8)
    low, high = figure.layout.xaxis.range
    assert low <= result.edges[0] <= result.edges[-1] <= high


@few
@given(values=states(PAGE))
def test_a_sentence_tells_how_many_are_cut(values):
    result = last(PAGE, "user", **{**values, "view": "user"})
    assert f"cuts {result.cut:,} of " in words.user_takeaway(result)
    assert f"moves a score by {readable(result.sensitivity)} at most" in words.user_detail(result)


@every_task
def test_the_law_of_the_answer_is_that_of_the_scores(task):
    values = {"task": task, "threshold": 4.0, "examples_per_user": 30, "users": 60}
    result = last(PAGE, "selected", seed=5, **values)
    chosen = make_task(task, candidates=16)
    data = chosen.draw(np.random.default_rng(5), users=60, examples_per_user=30)
    scores = chosen.scores(data, threshold=4.0)
    sensitivity = chosen.sensitivity(4.0, examples_per_user=30)
    law = selection_probabilities(scores, epsilon=0.2, sensitivity=sensitivity)
    np.testing.assert_allclose(np.sort(result.clipped), np.sort(law), rtol=1e-9)
    for name, probability in zip(result.names, result.clipped, strict=True):
        assert probability == pytest.approx(law[chosen.names.index(name)])
    assert np.all(np.diff(result.errors) >= 0)
    good = result.errors <= chosen.optimum + 0.05 + 1e-9
    np.testing.assert_array_equal(result.good, good)
    assert result.success(result.clipped) == pytest.approx(result.clipped[good].sum())


def test_clipping_at_m_is_no_clipping():
    result = last(PAGE, "selected", threshold=100.0)
    np.testing.assert_allclose(result.clipped, result.unclipped)
    assert "clips nothing" in words.selected_takeaway(result)


@THEMES
def test_bars_are_the_probabilities(theme):
    result = last(PAGE, "selected", candidates=64)
    assert result.published is None
    clipped, unclipped = figures.selected_figure(result, theme).data
    assert list(clipped.y) == result.clipped.tolist()
    assert list(unclipped.y) == result.unclipped.tolist()
    assert sum(clipped.y) == pytest.approx(1)


def test_the_papers_sensitivity_stands_beside_the_exact_one():
    result = last(PAGE, "selected", threshold=100.0)
    figure = figures.selected_figure(result, LIGHT)
    assert [bar.name for bar in figure.data][-1] == "clipped, as published: Δ = 2τ"
    assert list(figure.data[-1].y) == result.columns()["probability_published"].tolist()
    assert result.success(result.published) < result.success(result.clipped)
    assert any("The paper takes 2τ = 200;" in note for note in words.selected_notes(result))
    chart = last(PAGE, "threshold")
    exact, published = chart.curve("exact"), chart.curve("published")
    same = exact.x <= 40
    np.testing.assert_allclose(exact.y[same], published.y[same])
    assert published.y[-1] > 1.2 * exact.y[-1]
    assert published.evidence is Evidence.PUBLISHED
    assert "Theorem 37" in str(published.source)


def test_a_probability_below_1_is_never_told_as_1():
    assert words.chance(1 - 1e-9, 1e-9) == "1 − 10⁻⁹"
    assert words.chance(1.0, 0.0) == "1"


def test_what_is_left_of_a_probability_is_no_rounding():
    """Where 1 − p is lost: against weights e^(ε·score/2Δ) to forty digits."""
    task = {"task": "discrete", "threshold": 10.0, "examples_per_user": 30}
    result = last(PAGE, "selected", seed=5, users=6000, **task)
    chosen = make_task("discrete", candidates=16)
    data = chosen.draw(np.random.default_rng(5), users=6000, examples_per_user=30)
    scores = chosen.scores(data, threshold=10.0).tolist()
    moved = chosen.sensitivity(10.0, examples_per_user=30)
    weights = [mpmath.exp(-mpmath.mpf(0.2) * score / (2 * moved)) for score in scores]
    good = chosen.errors <= chosen.optimum + 0.05 + 1e-9
    bad = mpmath.fsum(w for w, near in zip(weights, good, strict=True) if not near)
    told = float(bad / mpmath.fsum(weights))
    assert 0 < told < 1e-17
    assert f"1 − {readable(told)} when" in words.selected_detail(result)
    told = words.selected_takeaway(result)
    assert told == "A good answer comes in more than 99.9% of runs, with clipping and without."


@pytest.mark.parametrize(
    ("task", "candidates", "applies"),
    [("noisy_thresholds", 16, True), ("discrete", 16, False), ("discrete", 64, True)],
)
def test_the_notes_say_where_theorem_37_has_nothing_to_say(task, candidates, applies):
    """A class that holds the truth has a candidate of score 0; a coarse cover has none."""
    result = last(PAGE, "selected", task=task, candidates=candidates, alpha=0.1)
    psi, law = result.task.psi, result.task.law
    least = min(max(psi[h, g] @ law for g in range(len(psi)) if g != h) for h in range(len(psi)))
    assert (least <= 0.01) == applies
    told = any("does not apply" in note for note in words.selected_notes(result))
    assert told != applies
