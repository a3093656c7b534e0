"""What gets selected: the law of the answer, its bars, its sentences and presets."""

import mpmath
import numpy as np
import pytest

from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.clipping.tasks import TASKS, make_task
from dpviz.topics.clipping.views import what_gets_selected_shown
from tests.support.declarations import last, page, shown
from tests.support.specs import Checked

drawn = Checked(what_gets_selected_shown)
VIEW = what_gets_selected_shown.VIEW
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
every_task = pytest.mark.parametrize("task", TASKS)


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
    assert "clips no one" in VIEW.takeaway(result)


@THEMES
def test_bars_are_the_probabilities(theme):
    result = last(PAGE, "selected", candidates=64)
    assert result.published is None
    clipped, unclipped = drawn.figure(result, theme).data
    seen = int(result.good.sum()) + 3
    for bars, law in ((clipped, result.clipped), (unclipped, result.unclipped)):
        assert list(bars.y / 100) == pytest.approx([*law[:seen], law[seen:].sum()])
        assert sum(bars.y) == pytest.approx(100)
    assert drawn.figure(result, theme).layout["xaxis"]["ticktext"][-1] == "others"


def test_the_papers_sensitivity_stands_beside_the_exact_one():
    result = last(PAGE, "selected", threshold=100.0)
    figure = drawn.figure(result, LIGHT)
    heading = " ".join(note["text"] for note in figure.layout["annotations"])
    assert "clipped, as published: Δ = 2τ" in heading
    assert len(figure.data) == 3
    published = result.columns()["probability_published"].tolist()
    drawn_shares = figure.data[-1].y[:-1] / 100
    assert drawn_shares.tolist() == pytest.approx(published[: drawn_shares.size])
    assert result.success(result.published) < result.success(result.clipped)
    assert any("The paper takes 2τ = 200;" in note for note in VIEW.notes(result))


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
    rest = float(bad / mpmath.fsum(weights))
    assert 0 < rest < 1e-17
    assert f"1 − {readable(rest)} when" in VIEW.detail(result)
    headline = VIEW.takeaway(result)
    assert headline == (
        "With clipping and without, an answer within 0.05 of the best comes in more than 99.99% of "
        "runs."
    )


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
    noted = any("does not apply" in note for note in VIEW.notes(result))
    assert noted != applies


def test_no_clipping_shows_an_answer_worse_than_the_default():
    _, result, _ = shown(PAGE, "No clipping")
    assert result.threshold == result.examples_per_user
    usual = last(PAGE, "selected")
    assert usual.success(usual.clipped) > 0.95
    assert result.success(result.clipped) < 0.75


def test_too_tight_shows_clipping_that_lies():
    _, result, _ = shown(PAGE, "Too tight")
    assert result.success(result.unclipped) > 0.9
    assert result.success(result.clipped) < 0.3


def test_m_equal_to_1_has_nothing_to_clip():
    result = last(PAGE, "selected", examples_per_user=1, threshold=1.0)
    assert "clips no one" in VIEW.takeaway(result)


def test_a_likely_answer_is_not_told_as_certain_under_the_cursor():
    result = last(PAGE, "selected", users=2000, epsilon=1.0)
    nearly = (result.clipped > 0.9995) & (result.clipped < 1)
    assert nearly.any()
    said = np.array(VIEW.figure(result, LIGHT).data[0]["customdata"])
    said = said[nearly[: said.size]]
    assert said.size
    assert not any("<br>100% of runs" in text for text in said)
