"""The noise itself: densities, draws, and the figure that plays them."""

import functools
import math
import re
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpviz.maths import gaussian
from dpviz.maths.accounting.calibration import minimal_radius, privacy_delta
from dpviz.maths.bounded_noise import shaped_noise
from dpviz.plot.steady import places, ranges
from dpviz.plot.text import upwards
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.serve import lines
from dpviz.serve.lines import Look
from dpviz.topics.bounded_noise.views import noise_draws as module
from dpviz.topics.bounded_noise.views import noise_draws_shown
from dpviz.topics.bounded_noise.views.noise_draws import noise_densities, noise_draws
from tests.support.examples import chosen, examples
from tests.support.specs import Checked
from tests.support.strategies import inside, outside

drawn = Checked(noise_draws_shown)
VIEW = noise_draws_shown.VIEW
THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)
PRIVACY = {"epsilon": 1.0, "delta": 1e-6}
HERE = {"epsilon": 0.5, "delta": 1e-6, "queries": 2000, "power": 2.0}
SHAPES = st.sampled_from(["power", "iterated"])


@pytest.fixture
def many_draws(monkeypatch):
    """Draws of the same noise again and again, its radius computed once."""
    monkeypatch.setattr(module, "minimal_radius", functools.cache(minimal_radius))

    def draw(count, shape="power", **changes):
        rng = np.random.default_rng(7)
        return [noise_draws(**HERE | changes, shape=shape, rng=rng) for _ in range(count)]

    return draw


@pytest.mark.parametrize("shape", ["power", "iterated"])
def test_both_noises_are_private_and_hardly_more_than_that(shape):
    result = noise_densities(**HERE, shape=shape)
    noise = shaped_noise(shape, power=2.0)
    at = {"epsilon": 0.5, "queries": 2000}
    assert privacy_delta(noise, result.radius, **at).upper <= 1e-6
    assert privacy_delta(noise, result.radius * (1 - 2e-4), **at).lower > 1e-6
    assert gaussian.privacy_delta(result.sigma, **at) <= 1e-6
    assert gaussian.privacy_delta(result.sigma * (1 - 1e-9), **at) > 1e-6


@pytest.mark.parametrize("queries", [1, 2000, 10**8])
def test_the_densities_are_the_formulas_of_the_papers(queries):
    result = noise_densities(**HERE | {"queries": queries})
    bounded, normal = result.curves
    u = bounded.x / result.radius
    with np.errstate(divide="ignore"):
        kernel = np.exp(1 - (1 - u**2) ** -2.0)
    mass = integrate.quad(lambda u: math.exp(1 - (1 - u**2) ** -2.0), -1 + 1e-9, 1 - 1e-9)[0]
    np.testing.assert_allclose(bounded.y * result.radius, kernel / mass, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(normal.y, stats.norm.pdf(normal.x, scale=result.sigma), rtol=1e-10)
    for curve in (bounded, normal):  # so many points that they show the whole density
        assert np.trapezoid(curve.y, curve.x) == pytest.approx(1, abs=2e-3)


def test_how_often_gaussian_noise_breaks_the_bound():
    result = noise_densities(**HERE)
    with mp.workdps(30):
        within = mp.erf(mp.mpf(result.radius) / result.sigma / mp.sqrt(2)) ** 2000
        assert result.exceeded == pytest.approx(float(1 - within), rel=1e-9)


def test_all_answers_are_drawn_while_they_are_few(many_draws):
    for queries in (1, 2, 299, 300):
        [result] = many_draws(1, queries=queries)
        for drawn in (result.bounded, result.gaussian):
            assert drawn.errors.shape == (queries,)
            assert drawn.largest == drawn.errors[np.argmax(np.abs(drawn.errors))]


@pytest.mark.parametrize("shape", chosen(["power", "iterated"], ["iterated"]))
def test_the_largest_is_as_if_every_answer_had_been_drawn(many_draws, shape):
    results = many_draws(400, shape=shape)
    noise = results[0].noise
    rng = np.random.default_rng(8)
    every = {
        "bounded": noise.radius * shaped_noise(shape, power=2.0).sample(rng, (400, 2000)),
        "gaussian": rng.normal(scale=noise.sigma, size=(400, 2000)),
    }
    for name, errors in every.items():
        draws = [getattr(result, name) for result in results]
        largest = np.array([drawn.largest for drawn in draws])
        brute = errors[np.arange(400), np.argmax(np.abs(errors), axis=1)]
        assert stats.ks_2samp(largest, brute).pvalue > 1e-3  # with the signs
        assert stats.kstest(draws[0].errors, errors[:10].ravel()).pvalue > 1e-3
        # jointly with the 300 drawn one by one: the largest is among them 300 times in 2000
        among = sum(drawn.largest in drawn.errors for drawn in draws)
        assert abs(among - 60) < 5 * math.sqrt(60 * 0.85)
        assert all(abs(drawn.largest) >= np.abs(drawn.errors).max() for drawn in draws)


def test_the_largest_of_ten_billion_follows_its_distribution(many_draws):
    results = many_draws(400, queries=10**10)
    noise = results[0].noise
    family = shaped_noise("power", power=2.0)
    bounded = np.abs([r.bounded.largest for r in results]) / noise.radius
    normal = np.abs([r.gaussian.largest for r in results]) / noise.sigma
    tails = {
        "bounded": np.exp(family.log_symmetric_tail(bounded)),
        "gaussian": 2 * stats.norm.sf(normal),
    }
    for tail in tails.values():
        at_most = np.exp(1e10 * np.log1p(-tail))  # P(largest ≤ x): uniform
        assert stats.kstest(at_most, "uniform").pvalue > 1e-3
    # the test can tell it from half as many answers
    assert stats.kstest(np.exp(5e9 * np.log1p(-tails["gaussian"])), "uniform").pvalue < 1e-6


def test_the_seed_decides_the_draw():
    one, same, other = (
        noise_draws(**HERE, shape="power", rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    for name, column in one.columns().items():
        np.testing.assert_array_equal(column, same.columns()[name])
    assert one.bounded.largest != other.bounded.largest


def test_the_table_has_a_row_for_every_point():
    result = noise_draws(**HERE, shape="power", rng=np.random.default_rng(1))
    table = result.columns()
    assert len({column.size for column in table.values()}) == 1
    for name, drawn in {"bounded": result.bounded, "gaussian": result.gaussian}.items():
        mine = table["noise"] == name
        answers = mine & (table["part"] == "answer")
        np.testing.assert_array_equal(table["error"][answers], drawn.errors)
        assert np.isnan(table["density"][answers]).all()
        assert table["error"][mine & (table["part"] == "largest")] == [drawn.largest]
        curve = result.noise.curve(name)
        density = mine & (table["part"] == "density")
        np.testing.assert_array_equal(table["density"][density], curve.y)
    assert noise_densities(**HERE).columns()["curve"].size == (table["part"] == "density").sum()


@examples(25)
@given(
    st.fixed_dictionaries(
        {
            "epsilon": inside("epsilon"),
            "delta": inside("delta", minimum=1e-20),
            "queries": inside("queries"),
            "power": inside("power", minimum=1.0),
            "shape": SHAPES,
        }
    ),
    inside("seed"),
)
def test_any_state_is_drawn(state, seed):
    result = noise_draws(**state, rng=np.random.default_rng(seed))
    assert np.abs(result.bounded.errors).max() <= abs(result.bounded.largest) < result.noise.radius
    assert np.abs(result.gaussian.errors).max() <= abs(result.gaussian.largest) < math.inf
    for draw in (result.bounded, result.gaussian):
        assert draw.outermost.size == min(max(state["queries"] - 300, 0), 60)
    assert 0 <= result.noise.exceeded <= 1
    for curve in result.noise.curves:
        assert np.isfinite(curve.y).all()
        assert curve.y.max() > 0


@pytest.mark.parametrize("name", ["epsilon", "delta", "queries", "power"])
@given(data=st.data())
def test_refuses(name, data):
    state = HERE | {name: data.draw(outside(name))}
    with pytest.raises(ParameterError, match=name):
        noise_draws(**state, shape="power", rng=np.random.default_rng(0))


def test_refuses_an_unknown_shape():
    with pytest.raises(ParameterError, match="shape must be one of power, iterated"):
        noise_densities(**HERE, shape="square")


def test_draws_move_and_do_not_jitter():
    """Another p leaves the Gaussian draws; another ε stretches both."""
    draws = {
        (power, epsilon): noise_draws(
            **HERE | {"power": power, "epsilon": epsilon},
            shape="power",
            rng=np.random.default_rng(3),
        )
        for power, epsilon in ((2.0, 0.5), (2.4, 0.5), (2.0, 0.6))
    }
    usual, shaped, private = draws.values()
    np.testing.assert_array_equal(usual.gaussian.errors, shaped.gaussian.errors)
    assert usual.gaussian.largest == shaped.gaussian.largest
    for one, other in ((usual.gaussian, private.gaussian), (usual.bounded, private.bounded)):
        ratio = one.errors / other.errors
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
        assert one.largest / other.largest == pytest.approx(ratio[0])


def draws(queries, seed=0):
    rng = np.random.default_rng(seed)
    return noise_draws(**PRIVACY, queries=queries, shape="power", power=2.0, rng=rng)


def words(figure):
    return " | ".join(note.text for note in figure.layout.annotations)


@pytest.mark.parametrize("queries", [1, 1000])
def test_the_names_of_the_lanes_are_whole_on_a_projector(queries):
    theme = LIGHT.projected(410)
    layout = drawn.figure(draws(queries), theme).layout
    assert "Gaussian" in layout.yaxis.ticktext
    assert layout.margin.l > 0.45 * theme.font_size * len("Gaussian")


def test_one_answer_is_not_many():
    assert re.search(
        r"error of one answer never exceeds .*; with Gaussian noise it hardly ever does\.$",
        VIEW.takeaway(draws(1)),
    )
    assert re.search(
        r"None of 1,000 errors exceeds .* with bounded noise; with Gaussian noise one does, .*\.$",
        VIEW.takeaway(draws(1000)),
    )


@THEMES
@pytest.mark.parametrize("queries", [1, 40, 10**10])
def test_the_draw_can_be_played_and_ends_in_the_still_picture(theme, queries):
    result = draws(queries)
    figure = drawn.figure(result, theme)
    assert len(figure.frames) <= 60
    assert len(VIEW.figure(result, theme).json()) < 150_000
    [menu] = figure.layout.updatemenus
    assert menu.buttons[0].method == "animate"
    shown = [(frame.data[0].x if queries > 1 else [0]) for frame in figure.frames]
    shown = [len(x) for x in shown]
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == (1, min(queries, 300))
    for frame in figure.frames:  # a frame without every trace would clear a panel
        assert list(frame.traces) == list(range(len(figure.data)))
    if queries > 1:  # else nothing changes
        for still, last in zip(figure.data[:4], figure.frames[-1].data[:4], strict=True):
            np.testing.assert_array_equal(still.x, last.x)
    largest = [result.bounded.largest, result.gaussian.largest]
    assert [dots.x[0] for dots in figure.data[1:4:2]] == largest
    assert f"wall: {upwards(result.noise.radius)} Δ" in words(figure)


def test_a_control_that_moves_has_no_frames_to_wait_for():
    still = drawn.figure(draws(40), LIGHT)
    held = ranges(VIEW.figure(draws(40), LIGHT))
    moving = drawn.figure(draws(40), LIGHT.holding(held))
    assert not moving.frames
    assert moving.data == still.data


def test_frames_mark_the_largest_so_far():
    result = draws(40)
    for frame in drawn.figure(result, LIGHT).frames:
        for lane in (0, 1):
            errors, largest = (np.asarray(frame.data[2 * lane + n].x, float) for n in (0, 1))
            assert abs(largest[0]) == pytest.approx(np.abs(errors).max(), rel=1e-6)


@THEMES
def test_what_lies_beyond_the_walls_is_gaussian_and_named(theme):
    result = draws(100_000)
    figure = drawn.figure(result, theme)
    radius = result.noise.radius
    for ref in ("y domain", "y2 domain"):
        walls = [s.x0 for s in figure.layout.shapes if s.type == "line" and s.yref == ref]
        assert sorted(walls) == [-radius, radius]
    small, bounded, _, gaussian = (np.asarray(trace.x, float) for trace in figure.data[:4])
    assert small.size == 300
    assert np.abs(bounded).max() < radius
    outside = result.gaussian.drawn[np.abs(result.gaussian.drawn) > radius]
    assert sorted(gaussian) == sorted(outside)
    assert "never" in words(figure)
    named = [
        note.text
        for note in figure.layout.annotations
        if note.text in ("<b>10</b>", "<b>about 10</b><br>of 100,000")
    ]
    assert len(named) == 1
    assert f"Gaussian noise about {result.noise.beyond:.2g} do." in VIEW.takeaway(result)
    before = words(drawn.figure(noise_draws_shown.hidden(result), theme)).replace("<br>", " ")
    assert not re.search(r"\b10\b(?!⁻)", before)
    assert "δ = 10⁻⁶" in before


@pytest.mark.parametrize("queries", [100_000, 10**8])
def test_so_many_gaussian_errors_lie_outside_as_if_all_were_drawn(many_draws, queries):
    """Their number is binomial; where more are than are drawn, they follow the tail beyond R."""
    results = many_draws(300, queries=queries)
    noise = results[0].noise
    one = 2 * stats.norm.sf(noise.radius / noise.sigma)
    assert noise.beyond == pytest.approx(queries * one)
    outside = [r.gaussian.drawn[np.abs(r.gaussian.drawn) > noise.radius] for r in results]
    if noise.beyond < 50:
        counts = [each.size for each in outside]
        spread = math.sqrt(noise.beyond / len(counts))
        assert abs(np.mean(counts) - noise.beyond) < 5 * spread
        return
    size = np.concatenate([np.abs(r.gaussian.outermost[1:]) for r in results])
    tails = 2 * stats.norm.sf(size / noise.sigma) / one
    assert stats.kstest(tails, "uniform").pvalue > 1e-3


def test_the_draw_is_told():
    assert "Of 1 answer drawn" in VIEW.detail(draws(1))
    many = draws(10**6)
    detail = VIEW.detail(many)
    assert "Of 1,000,000 answers" in detail
    assert detail.endswith("in a fresh draw it exceeds that bound almost certainly.")
    assert many.noise.exceeded > 0.9995
    assert "with probability" in VIEW.detail(draws(100))


def test_a_hand_on_the_wall_asks_for_as_many_answers_as_it_would_be_there_for():
    few, more = draws(10_000), draws(40_000)
    layout = noise_draws_shown.figure(few, replace(LIGHT, labels="few")).layout
    drag = layout["meta"]["drag"]
    assert (drag["key"], drag["x"], drag["value"]) == ("queries", few.noise.radius, 10_000)
    assert drag["line"]
    asked = drag["value"] * (more.noise.radius / drag["x"]) ** drag["power"]
    assert asked == pytest.approx(40_000, rel=0.05)  # a step of the slider is 20%
    assert "drag" not in noise_draws_shown.figure(few, LIGHT).layout.get("meta", {})


def test_an_axis_that_a_wall_leaves_has_room_for_where_it_goes_next():
    held = ranges(noise_draws_shown.figure(draws(10_000), LIGHT))
    wider = ranges(noise_draws_shown.figure(draws(12_000), LIGHT.holding(held)))
    assert wider[0][1] > 1.3 * held[0][1]
    for queries in (15_000, 20_000):
        figure = noise_draws_shown.figure(draws(queries), LIGHT.holding(wider))
        assert ranges(figure)[0] == wider[0]


def test_a_small_projector_shows_the_law_above_its_draws():
    figure = lines.drawn(
        VIEW,
        noise_draws(**HERE, shape="power", rng=np.random.default_rng(0)),
        Look(room=410),
        whole=True,
    ).figure
    margin, (low, high) = figure.layout["margin"], figure.layout["yaxis"]["domain"]
    assert figure.layout["height"] <= 410
    assert (high - low) * (figure.layout["height"] - margin["t"] - margin["b"]) >= 80


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.projected(410)], ids=["page", "projector"])
def test_words_and_the_width_of_the_plot_stay_when_the_axis_gives_way(theme):
    """From 300,000 answers to 400,000; on a page a note stands beyond the wall before and after."""
    still = noise_draws_shown.figure(draws(300_000), theme)
    theme = theme.holding(ranges(still), still.layout["margin"]["l"], places=places(still))
    moved = noise_draws_shown.figure(draws(400_000), theme)
    assert ranges(moved)[0] != ranges(still)[0]

    def said(figure):
        notes = figure.layout["annotations"]
        words = [re.sub("[0-9,]+", "#", re.split("[=:]", note["text"])[0]) for note in notes]
        sides = [(note.get("xanchor"), note.get("xshift")) for note in notes]
        return list(zip(words, sides, strict=True))

    assert said(moved) == said(still)
    assert moved.layout["margin"]["r"] == still.layout["margin"]["r"]
