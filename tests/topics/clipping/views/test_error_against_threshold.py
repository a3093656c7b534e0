"""The error against the threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.clipped_scores import theorem_threshold
from dpviz.maths.exponential_mechanism import selection_probabilities
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Evidence
from dpviz.topics.clipping.tasks import TASKS, make_task
from dpviz.topics.clipping.views import error_against_threshold as view
from dpviz.topics.clipping.views import error_against_threshold_shown
from dpviz.topics.clipping.views.error_against_threshold import error_against_threshold
from tests.support.declarations import every, last, page
from tests.support.examples import chosen, examples, in_nightly, some
from tests.support.specs import Checked

draw = Checked(error_against_threshold_shown.figure)
PAGE = page("clipping")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(15)


@pytest.mark.parametrize("task", chosen(TASKS, ["selection", "noisy_thresholds"]))
def test_the_curve_is_the_expected_error(task):
    changes = {"task": task, "examples_per_user": 20, "users": 50, "seed": 2}
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": "threshold"} | changes
    stages = every(PAGE, PAGE.open_view(values), values)
    # Intervals of a few runs wait until the axis holds them.
    chart = next(stage for stage in stages if any(c.key == "simulated" for c in stage.curves))
    chosen = make_task(task, candidates=16)
    data = chosen.draw(np.random.default_rng(2), users=50, examples_per_user=20)
    curve = chart.curve("exact")
    for tau, error in list(zip(curve.x, curve.y, strict=True))[::6]:
        law = selection_probabilities(
            chosen.scores(data, threshold=float(tau)),
            epsilon=0.2,
            sensitivity=chosen.sensitivity(float(tau), examples_per_user=20),
        )
        assert error == pytest.approx(float(law @ chosen.errors))
    assert chart.errors["least"] == curve.y.min()
    assert chart.unclipped == 20
    if chosen.loss is None:
        paper = theorem_threshold(alpha=0.05, examples_per_user=20)
        assert chart.proposed == pytest.approx(min(paper, 20))
    else:
        assert chart.proposed == 1
    simulated = chart.curve("simulated")
    assert np.all((simulated.lower <= simulated.y) & (simulated.y <= simulated.upper))
    assert not in_nightly() or [*stages][-1].done == 1


@few
@given(st.floats(0.1, 30), st.floats(0.1, 0.3))
def test_a_tight_threshold_is_computed_as_it_is_typed(threshold, constant):
    """Below m/300 as well: the reader's τ, and the paper's at a small C."""
    at = {"examples_per_user": 10_000, "users": 30, "task": "discrete", "candidates": 4}
    at |= {"domain_size": 2, "epsilon": 0.2, "alpha": 0.01}
    chosen = make_task("discrete", candidates=4)
    rng = np.random.default_rng(2)
    chart = next(error_against_threshold(threshold=threshold, constant=constant, rng=rng, **at))
    data = chosen.draw(np.random.default_rng(2), users=30, examples_per_user=10_000)
    paper = theorem_threshold(alpha=0.01, examples_per_user=10_000, constant=constant)
    assert chart.proposed == pytest.approx(paper)
    for tau, error in ((threshold, chart.errors["here"]), (paper, chart.errors["proposed"])):
        law = selection_probabilities(
            chosen.scores(data, threshold=tau), epsilon=0.2, sensitivity=2 * tau
        )
        assert error == pytest.approx(float(law @ chosen.errors))


def test_a_few_thresholds_at_a_time_lead_to_the_same_curve(monkeypatch):
    at = {"users": 40, "examples_per_user": 30, "task": "gaussian", "candidates": 4, "alpha": 0.1}
    at |= {"domain_size": 4, "epsilon": 0.5, "threshold": 7.0, "constant": 1.0}

    def grown():
        results = error_against_threshold(rng=np.random.default_rng(5), **at)
        exact = list(dict.fromkeys(chart for chart in results if not chart.runs))
        return [chart.curve("exact") for chart in exact], exact[-1]

    [at_once], chart = grown()
    monkeypatch.setattr(view, "_AT_ONCE", 1)
    steps, last_one = grown()
    # What the sentence tells comes first, and both ends of the axis.
    assert set(steps[0].x) == {at_once.x[0], 7.0, chart.proposed, 30.0}
    assert len(steps) > 6
    np.testing.assert_array_equal(steps[-1].x, at_once.x)
    np.testing.assert_allclose(steps[-1].y, at_once.y, rtol=1e-13)
    assert last_one.errors == pytest.approx(chart.errors)


def test_the_simulation_agrees_with_the_curves_of_many_seeds():
    """Means of the exact curve over the data sets lie in the intervals, which are wider."""
    seeds = some(16, 6)
    charts = [last(PAGE, "threshold", seed=seed) for seed in range(seeds)]
    taus = charts[0].curve("simulated").x
    means = np.mean(
        [np.interp(taus, c.curve("exact").x, c.curve("exact").y) for c in charts], axis=0
    )
    simulated = charts[0].curve("simulated")
    spread = np.std(
        [np.interp(taus, c.curve("exact").x, c.curve("exact").y) for c in charts], axis=0
    )
    room = 4 * spread / math.sqrt(seeds) + 2e-3
    assert np.all(means > simulated.lower - room)
    assert np.all(means < simulated.upper + room)


@THEMES
def test_the_chart_of_errors_is_drawn(theme):
    assert len(draw(last(PAGE, "threshold"), theme).data) >= 3


def test_the_papers_error_stands_beside_the_exact_one():
    chart = last(PAGE, "threshold")
    exact, published = chart.curve("exact"), chart.curve("published")
    same = exact.x <= 40
    np.testing.assert_allclose(exact.y[same], published.y[same])
    assert published.y[-1] > 1.2 * exact.y[-1]
    assert published.evidence is Evidence.PUBLISHED
    assert "Theorem 37" in str(published.source)
