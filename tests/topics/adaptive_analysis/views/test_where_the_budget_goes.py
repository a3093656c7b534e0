"""Where the budget goes: its bars and its sentences."""

import itertools
import re
from functools import cache

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.adaptive_analysis.views import where_the_budget_goes_shown
from dpviz.topics.adaptive_analysis.views.where_the_budget_goes import where_the_budget_goes
from tests.support.examples import chosen, only_in_nightly
from tests.support.specs import Checked

drawn = Checked(where_the_budget_goes_shown)
VIEW = where_the_budget_goes_shown.VIEW
ALL_THEMES = (LIGHT, DARK, LIGHT.narrow())
# By default the one that differs in more than colours: other tests draw in the light one.
THEMES = pytest.mark.parametrize("theme", chosen(ALL_THEMES, ALL_THEMES[2:]))
SMALL = {"alpha": 0.2, "beta": 0.05}
FIGURE_2 = {"alpha": 0.1, "beta": 0.05}
POWERS = (2.0,)  # of bounded noise; each is a curve that takes a second


def numbers(text):
    return [float(word.replace(",", "")) for word in re.findall(r"\d[\d,]*\.?\d*", text)]


@cache
def parts():
    """The parts of α and β, mechanism by mechanism."""
    return tuple(where_the_budget_goes(samples=1e5, powers=POWERS, **SMALL))


@only_in_nightly
def test_the_parts_of_alpha_and_beta_add_up():
    *_, last = where_the_budget_goes(samples=1e6, **FIGURE_2, powers=(2.0,))
    assert list(last.budgets) == [
        "Gaussian", "Bounded, p = 2", "Bounded, p = 2, certain", "Bounded, tuned"
    ]  # fmt: skip
    assert np.sum([c.y for c in last.alpha_chart.curves], axis=0) == pytest.approx(0.1)
    assert np.sum([c.y for c in last.beta_chart.curves], axis=0) == pytest.approx(0.05)
    assert last.beta_chart.curve("sample_failure").y[2] == 0
    columns = last.columns()
    assert columns["mechanism"].tolist() == list(last.budgets)
    assert {len(column) for column in columns.values()} == {4}


@THEMES
def test_the_bars_add_up_to_alpha_and_beta(theme):
    result = parts()[-1]
    figure = drawn.figure(result, theme)
    for axis, whole in ((None, result.alpha), ("y2", result.beta)):
        bars = [trace for trace in figure.data if trace.yaxis == axis]
        ends = sum(np.asarray(bar.x) for bar in bars)
        np.testing.assert_allclose(ends, whole, rtol=1e-6)
        for before, bar in itertools.pairwise(bars):
            starts = [np.asarray(b.base, dtype=float) for b in (before, bar)]
            np.testing.assert_allclose(starts[1], starts[0] + np.asarray(before.x))
    words = " ".join(note.text for note in figure.layout.annotations)
    assert words.count("■") == 6  # what the colours mean


@only_in_nightly
def test_bars_keep_their_rows_as_more_come():
    stages = parts()
    some = (*stages[:: max(len(stages) // 4, 1)], stages[-1])
    bars = [drawn.figure(part, LIGHT) for part in some]
    assert len({figure.layout.yaxis.range for figure in bars}) == 1


def test_the_best_mechanism_is_named():
    first, *_, result = parts()
    assert VIEW.takeaway(first).startswith(
        "Of these noises Gaussian noise answers the most questions so far,"
    )
    assert VIEW.takeaway(result).startswith("Of these noises tuned bounded noise answers the most")
    sentence = VIEW.detail(result)
    best = max(result.budgets.values(), key=lambda budget: budget.queries)
    assert best.queries in numbers(sentence)
    *_, none = where_the_budget_goes(samples=1e3, alpha=0.005, beta=1e-9)
    assert "noise answers a question" in VIEW.detail(none)


@pytest.mark.parametrize(
    ("samples", "alpha", "beta", "split", "noise"),
    [
        (139618, 0.008952, 0.03108, "4", "none"),
        (109284, 0.03869, 2.041e-8, "15", "none"),
        (2854, 0.04068, 8.852e-4, "1", "none"),
        (409463, 0.02162, 3.766e-8, "18", "1"),
    ],
)
def test_splitting_the_samples_is_remembered(samples, alpha, beta, split, noise):
    first = next(where_the_budget_goes(samples=samples, alpha=alpha, beta=beta))
    headline = VIEW.takeaway(first)
    assert headline.startswith("Splitting the ")
    assert f", {split}; noise answers {noise}." in headline
