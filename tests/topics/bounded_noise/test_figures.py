import dataclasses
import json
import math
import re

import numpy as np
import pytest

from dpviz.plot.steady import ranges
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Bracket
from dpviz.topics.bounded_noise.figures import (
    choice_figure,
    noise_figure,
    turned_figure,
)
from dpviz.topics.bounded_noise.views.noise_choice import noise_choice
from dpviz.topics.bounded_noise.views.noise_draws import noise_draws
from dpviz.topics.bounded_noise.views.turned_round import turned_round
from dpviz.topics.bounded_noise.words import (
    choice_detail,
    noise_detail,
    noise_takeaway,
    turned_detail,
)
from tests.support.specs import Checked

choice_figure, noise_figure, turned_figure = map(
    Checked, (choice_figure, noise_figure, turned_figure)
)

THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)
PRIVACY = {"epsilon": 1.0, "delta": 1e-6}


def drawn(queries, seed=0):
    rng = np.random.default_rng(seed)
    return noise_draws(**PRIVACY, queries=queries, shape="power", power=2.0, rng=rng)


def chosen(objective, queries=10**6):
    return next(
        noise_choice(**PRIVACY, queries=queries, objective=objective, failure_probability=0.05)
    )


def turned(solve_for, target=1e4):
    state = {"target": target, "queries": 10**6, "shape": "power", "power": 2.0}
    return next(turned_round(solve_for=solve_for, failure_probability=0.05, **PRIVACY, **state))


def words(figure):
    return " | ".join(note.text for note in figure.layout.annotations)


@pytest.mark.parametrize("queries", [1, 1000])
def test_the_names_of_the_lanes_are_whole_on_a_projector(queries):
    theme = LIGHT.projected(410)
    layout = noise_figure(drawn(queries), theme).layout
    assert "Gaussian" in layout.yaxis2.ticktext
    assert layout.margin.l > 0.45 * theme.font_size * len("Gaussian")


def test_one_answer_is_not_many():
    assert re.search(r"Gaussian noise errs more .* in one answer\.$", noise_takeaway(drawn(1)))
    assert re.search(r"noise errs more .* among 1,000 answers\.$", noise_takeaway(drawn(1000)))


@THEMES
@pytest.mark.parametrize("queries", [1, 40, 10**10])
def test_the_draw_can_be_played_and_ends_in_the_still_picture(theme, queries):
    result = drawn(queries)
    figure = noise_figure(result, theme)
    assert len(figure.frames) <= 60
    assert len(noise_figure.__wrapped__(result, theme).json()) < 150_000
    [menu] = figure.layout.updatemenus
    assert menu.buttons[0].method == "animate"
    shown = [frame.data[2].x.size for frame in figure.frames]
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (1, min(queries, 300))
    for frame in figure.frames:  # a frame without every trace would clear a panel
        assert list(frame.traces) == list(range(len(figure.data)))
    for still, last in zip(figure.data[2:], figure.frames[-1].data[2:], strict=True):
        np.testing.assert_array_equal(still.x, last.x)
    still, text = figure.data[-2:]
    assert list(still.x) == [result.bounded.largest, result.gaussian.largest]
    assert all("largest of" in t for t in text.text)
    assert "R = " in words(figure)


def test_a_control_that_moves_has_no_frames_to_wait_for():
    still = noise_figure(drawn(40), LIGHT)
    held = ranges(noise_figure.__wrapped__(drawn(40), LIGHT))
    moving = noise_figure(drawn(40), LIGHT.holding(held))
    assert not moving.frames
    assert moving.data == still.data


def test_frames_mark_the_largest_so_far():
    result = drawn(40)
    for frame in noise_figure(result, LIGHT).frames:
        for lane in (0, 1):
            errors = np.asarray(frame.data[2 + lane].x, dtype=float)
            assert abs(frame.data[4].x[lane]) == pytest.approx(np.abs(errors).max(), rel=1e-6)


def test_walls_stand_at_the_radius():
    result = drawn(40)
    walls = noise_figure(result, LIGHT).layout.shapes
    assert sorted(wall.x0 for wall in walls) == [-result.noise.radius, result.noise.radius]


def test_the_draw_is_told():
    assert "Of 1 answer drawn" in noise_detail(drawn(1))
    many = drawn(10**6)
    told = noise_detail(many)
    assert "Of 1,000,000 answers" in told
    assert told.endswith("which exceeds that bound almost certainly.")
    assert many.noise.exceeded > 0.9995
    assert "with probability" in noise_detail(drawn(100))


@THEMES
@pytest.mark.parametrize("objective", ["hard", "quantile", "deviation"])
def test_the_best_is_marked(theme, objective):
    result = dataclasses.replace(chosen(objective), best_power=1.05)
    text = words(choice_figure(result, theme))
    assert "1.05" in text
    assert "p = 2" in text
    assert json.loads(choice_figure.__wrapped__(result, theme).json())["data"]


def test_the_choice_is_told():
    hard = chosen("hard")
    told = choice_detail(hard)
    assert "πσ" in told
    assert "a limit, not a bound" in told
    at_end = dataclasses.replace(hard, best_power=8.0)
    assert "p = 8, the largest here" in choice_detail(at_end)
    better = dataclasses.replace(hard, best=Bracket(2.0, 2.0), iterated=Bracket(1.0, 1.0))
    assert "does better still, 1 Δ" in choice_detail(better)
    assert "does better still" not in told
    quantile = dataclasses.replace(chosen("quantile"), best_power=1.05)
    assert "with probability 0.95 none of 1,000,000 errors exceeds" in choice_detail(quantile)
    assert "Cramér and Rao" in choice_detail(chosen("deviation"))
    # no power is compared with itself, nor with one that is written alike
    for power in (2.0, 2.001):
        alike = choice_detail(dataclasses.replace(quantile, best_power=power))
        assert alike.startswith("With p = 2, the best p found, with probability")
        assert "less than with p = 2" not in alike
    assert "less than with p = 2" in choice_detail(quantile)
    assert "with probability 0.95 the error does not exceed" in choice_detail(chosen("quantile", 1))


def test_the_tuned_noise_is_told():
    hard = next(
        noise_choice(
            **PRIVACY, queries=10**6, objective="hard", failure_probability=0.05, show="shapes"
        )
    )
    assert f"beats every noise of the paper by {100 * hard.lead:.2g}%" in choice_detail(hard)
    worse = dataclasses.replace(hard, best=Bracket(1.0, 1.0))
    assert "No tuned noise was found to be better" in choice_detail(worse)
    assert "uned noise" not in choice_detail(dataclasses.replace(hard, tuned=None))


@pytest.mark.parametrize("show", ["shapes", "queries"])
def test_other_pictures_have_no_marks_of_p(show):
    result = next(
        noise_choice(**PRIVACY, queries=10, objective="hard", failure_probability=0.05, show=show)
    )
    text = words(choice_figure(result, LIGHT))
    assert "best p found" not in text
    assert "Tuned" in text


@THEMES
@pytest.mark.parametrize("solve_for", ["epsilon", "queries"])
def test_the_answers_are_marked(theme, solve_for):
    text = words(turned_figure(turned(solve_for), theme))
    symbol = "ε" if solve_for == "epsilon" else "k"
    assert text.count(f"{symbol} = ") == 3


def test_the_answers_are_told():
    result = turned("epsilon")
    assert f"ε = {result.certain.upper:.3g} with certainty" in turned_detail(result)
    assert turned_detail(result).startswith("To keep all of 1,000,000 errors within 10,000 Δ")
    single = turned_detail(dataclasses.replace(result, queries=1))
    assert single.startswith("To keep the error within 10,000 Δ")
    queries = turned("queries")
    assert f"{queries.certain.lower:,.0f} queries with certainty" in turned_detail(queries)


def test_what_the_range_does_not_hold_is_told():
    for solve_for, target, words_ in (
        ("epsilon", 1.0, "needs more than ε = 10"),
        ("epsilon", 1e12, "needs at most ε = 10⁻⁷"),
        ("queries", 1.0, "answers not even one query"),
        ("queries", 1e12, "answers at least 10¹⁰ queries"),
    ):
        result = turned(solve_for, target)
        assert turned_detail(result).count(words_) == 2  # bounded noise at once, and Gaussian
        figure = turned_figure(result, LIGHT)
        assert f"{'ε' if solve_for == 'epsilon' else 'k'} = " not in words(figure)
        assert all(math.isfinite(v) for v in figure.layout.yaxis.range)
