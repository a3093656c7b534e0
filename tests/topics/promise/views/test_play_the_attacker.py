"""Play the attacker: what is known when, what is drawn and said of a game."""

import re

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.scene.scene import Scene
from dpviz.serve.lines import Look, adapted
from dpviz.topics.promise.calibrating import MECHANISMS
from dpviz.topics.promise.guessing import ROUNDS
from dpviz.topics.promise.views import play_the_attacker_shown
from dpviz.topics.promise.views.play_the_attacker import play_the_attacker
from tests.support.declarations import page
from tests.support.headlines import faults
from tests.support.specs import Checked

shown = play_the_attacker_shown
drawn = Checked(play_the_attacker_shown)
VIEW = play_the_attacker_shown.VIEW
RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}
every = pytest.mark.parametrize("mechanism", MECHANISMS)
THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)


def played(mechanism="laplace", guesses="", seed=0, **changed):
    state = {key: value for key, value in RELEASE.items() if key != "queries"} | changed
    rng = np.random.default_rng(seed)
    return play_the_attacker(mechanism=mechanism, rng=rng, guesses=guesses, **state)


@pytest.mark.parametrize("guesses", ["x", "i" * (ROUNDS + 1), "I"])
def test_what_is_no_guess_is_refused(guesses):
    with pytest.raises(ParameterError, match="guesses"):
        played(guesses=guesses)


def test_nothing_is_known_before_it_is_guessed():
    first, later = played(), played(guesses="iio")
    assert first.answers.size == 1
    assert first.inside.size == 0
    assert later.answers.size == 4
    assert later.inside.size == later.guessed.size == 3
    table = later.columns()
    seen = table["part"] == "answer"
    assert np.isfinite(table["inside"][seen]).sum() == 3
    assert later.test is None
    assert later.best is None


@every
def test_a_game_that_is_over_has_its_point_between_its_ends(mechanism):
    result = played(mechanism, guesses="io" * (ROUNDS // 2))
    assert result.over
    assert result.answers.size == ROUNDS
    you = result.test.curve("you")
    assert you.lower[0] <= you.y[0] <= you.upper[0]
    assert you.y[0] == pytest.approx(result.score.hits / result.score.present)
    assert result.score.right == int((result.inside == result.guessed).sum())
    by_rule = (result.answers > result.rule) == result.inside
    assert result.best.right == int(by_rule.sum())
    [mark] = result.test.landmarks
    assert mark.y == pytest.approx(result.best.hits / result.best.present)


@THEMES
@every
def test_a_round_shows_what_was_published_and_how_the_others_ended(theme, mechanism):
    result = played(mechanism, "ioi")
    figure = drawn.figure(result, theme)
    dots = figure.data[-1]
    right = [symbol == "circle" for symbol in dots.marker.symbol]
    assert right == (result.inside == result.guessed).tolist()
    assert figure.layout.shapes[-1].x0 == pytest.approx(result.answers[3])
    headline = VIEW.takeaway(result)
    world = "you were in" if result.inside[-1] else "you were not in"
    said = f"{'Right' if right[-1] else 'Wrong'}, {world}: {sum(right)} of 3 so far. Now "
    assert headline.startswith(said)
    assert headline.endswith("Were you in?")
    [label] = [n.text for n in figure.layout.annotations if "published" in n.text]
    if mechanism != "response":  # its bit says in or out
        assert label.split("</b>")[0].removeprefix("<b>published: ") in headline
    assert len(shown.hidden(result).worlds.curves) == 1


@THEMES
def test_a_game_ends_as_a_point_with_both_its_intervals(theme):
    result = played(guesses="io" * 10)
    [you] = [trace for trace in drawn.figure(result, theme).data if trace.error_y.array is not None]
    alarms = result.score.alarms / result.score.absent
    assert you.x[0] == alarms
    assert you.x[0] + you.error_x.array[0] == pytest.approx(result.score.alarm_share.upper)
    assert you.y[0] - you.error_y.arrayminus[0] == pytest.approx(result.score.hit_share.lower)
    headline = VIEW.takeaway(result)
    assert headline.startswith(f"You were right in {result.score.right} of twenty rounds;")
    assert f"accuses above 60.5, in {result.best.right}. " in headline
    assert "no rule beats the curve" in headline  # whoever sees it first hears what it is
    assert shown.answer(result) in shown.notes(result)[0]
    assert [c.key for c in shown.hidden(result).test.curves] == ["blind"]


@pytest.mark.parametrize("guesses", ["", "io" * 10])
def test_the_prediction_stands_in_the_game_and_at_its_end(guesses):
    marked = VIEW.prediction.mark(played(guesses=guesses), 70.0)
    texts = [note.text for note in drawn.figure(marked, LIGHT).layout.annotations]
    assert sum("your prediction" in text.replace("<br>", " ") for text in texts) == 1


@every
@pytest.mark.parametrize("seed", range(4))
def test_both_curves_have_a_dot_at_what_is_published_and_words_keep_the_answer(mechanism, seed):
    result = played(mechanism, seed=seed)
    chart, now = result.worlds, result.answers[-1]
    heights = [float(np.interp(now, curve.x, curve.y)) for curve in chart.curves]
    whole = mechanism in ("geometric", "response")
    assert result.heights == pytest.approx(heights, rel=1e-9 if whole else 0.02)
    figure = drawn.figure(result, LIGHT)
    dots = [
        y
        for trace in figure.data
        if trace.mode == "markers" and set(np.ravel(trace.x)) == {now}
        for y in np.ravel(trace.y)
    ]
    assert set(np.ravel(result.heights)) <= set(dots)
    [told] = [note.text for note in figure.layout.annotations if "likely" in note.text]
    pure = mechanism not in ("gaussian", "bounded")
    assert told.endswith(f"; ε = 1 allows 2.72{'' if pure else ', plus δ'}")
    assert not pure or max(result.heights) <= 2.7184 * min(result.heights)
    times = re.search(r"<br>([\d.]+) times as likely in one case as in the other;", told)
    ratio = max(heights) / min(heights)
    assert (float(times[1]) if times else 1.0) == pytest.approx(ratio, rel=0.04)
    # nor does it tell which guess is the better one
    assert "you" not in told
    hidden = drawn.figure(shown.hidden(result), LIGHT)
    assert not any("likely" in note.text for note in hidden.layout.annotations)


@pytest.mark.parametrize(("delta", "said"), [(1e-6, "allows 2.72"), (0.05, "allows 2.72, plus δ")])
def test_noise_that_uses_its_delta_keeps_no_bound_without_it(delta, said):
    [told] = [
        n.text
        for n in drawn.figure(played(delta=delta), LIGHT).layout.annotations
        if "likely" in n.text
    ]
    assert told.endswith(said)


def test_coin_flips_have_words_of_their_own():
    assert list(drawn.figure(played("response"), LIGHT).layout.xaxis.ticktext) == [
        "0: out",
        "1: in",
    ]
    assert VIEW.takeaway(played("response")).startswith("A bit says whether you are in")
    assert VIEW.takeaway(played()).startswith(
        "60 others said yes; a coin decided for you. Laplace noise is added"
    )


def test_what_is_published_is_written_inside_the_figure():
    anchors = set()
    for seed in range(40):
        layout = drawn.figure(played(seed=seed), LIGHT).layout
        [said] = [a for a in layout.annotations if "published" in a["text"]]
        low, high = layout.xaxis.range
        wide = 7 * len("published: 60.12") / (LIGHT.width - layout.margin.l - layout.margin.r)
        share = (said.x - low) / (high - low)
        left = {"left": 0.0, "center": 0.5, "right": 1.0}[said.xanchor]
        assert 0 <= share - left * wide < share + (1 - left) * wide <= 1
        anchors.add(said.xanchor)
    assert len(anchors) > 1


@every
@pytest.mark.parametrize("guesses", ["", "io" * 10])
def test_headlines_have_few_numbers(mechanism, guesses):
    assert not faults(VIEW.takeaway(played(mechanism, guesses)))


@pytest.mark.parametrize(("epsilon", "delta"), [(3.0, 0.05), (1.0, 0.1), (10.0, 0.01), (10.0, 0.4)])
def test_what_one_world_alone_can_give_is_a_part_of_delta(epsilon, delta):
    result = played("bounded", epsilon=epsilon, delta=delta, power=0.5)
    without, inside = result.worlds.curves
    x = np.linspace(inside.x[0], inside.x[-1], 40_001)
    laws = [np.interp(x, curve.x, curve.y) for curve in (without, inside)]
    alone = x > result.only[0]
    assert np.trapezoid(laws[1] * alone, x) == pytest.approx(result.reveals, abs=2e-3)
    assert np.trapezoid(laws[0] * (x < result.only[1]), x) == pytest.approx(
        result.reveals, abs=2e-3
    )
    assert not (laws[0] * (x > result.only[0] + 0.05)).any()
    assert 0 < result.reveals <= delta * (1 + 1e-6)


@THEMES
def test_delta_is_drawn_beside_as_many_people_as_it_allows(theme):
    result = played("bounded", epsilon=3.0, delta=0.04, power=0.5)
    figure = drawn.figure(result, theme)
    [people] = [trace for trace in figure.data if trace.xaxis == "x3"]
    assert len(people.x) == 25
    assert list(people.marker.symbol).count("circle") == 1
    assert any("one of 25 people" in note.text for note in figure.layout.annotations)
    said = {note.text for note in figure.layout.annotations}
    assert {f"<b>only {world} you:</b>" for world in ("with", "without")} <= {
        text.replace("<br>", " ").split("</b>")[0] + "</b>" for text in said
    }
    boxes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert boxes[0].x0 == pytest.approx(result.only[0])
    before = drawn.figure(shown.hidden(result), theme).layout.shapes
    assert "rect" not in {shape.type for shape in before}


def test_noise_without_ends_shows_no_such_answers():
    for mechanism in ("laplace", "gaussian"):
        result = played(mechanism)
        assert result.reveals == 0
        assert not result.shows_delta


def test_what_is_said_below_the_game_of_delta_is_about_delta():
    states = [
        {"mechanism": "bounded", "power": 0.5},
        {"mechanism": "bounded", "power": 2.0},
        {"mechanism": "laplace", "power": 0.5},
    ]
    said = [VIEW.why_here(state) for state in states]
    assert "δ of one in n" in said[0]
    assert said[1:] == ["", ""]


@pytest.mark.parametrize(("delta", "below"), [(0.05, False), (1e-6, True)])
def test_a_count_below_zero_is_explained(delta, below):
    result = played("bounded", epsilon=3.0, delta=delta, power=0.5)
    assert (result.worlds.curves[0].x.min() < 0) == below
    assert ("noise can take it below 0" in result.worlds.x.label) == below


def test_in_a_room_both_names_of_what_is_shaded_fit_beside_the_votes():
    result = played("bounded", epsilon=3.0, delta=0.05, power=0.5)
    notes = drawn.figure(result, LIGHT.projected(460)).layout.annotations
    named = [note.text for note in notes if note.text.startswith("<b>only")]
    assert len(named) == 2
    assert all(len(line) < 25 for text in named for line in text.split("<br>"))


def test_what_is_rare_is_said_as_people_do():
    said = VIEW.takeaway(played("bounded", epsilon=3.0, delta=1e-6, power=0.5))
    assert "δ allows once in a million." in said
    assert "× 10" not in said


@every
@pytest.mark.parametrize("said", ["", "io", "i" * ROUNDS])
def test_where_nobody_can_play_no_round_is_asked(mechanism, said):
    result = played(mechanism, said)
    values = page("promise").usual("play") | {"view": "play", "mechanism": mechanism}
    scene = Scene.opened(page("promise"), values)
    asked, alone = (adapted(scene, Look(unplayed=one)).headline(result) for one in (False, True))
    assert asked.endswith("Were you in?") is (len(said) < ROUNDS)
    assert "Were you in?" not in alone
    assert alone.endswith(".")
    assert asked.startswith(alone)


def test_the_game_opens_where_privacy_protects_and_both_can_win():
    usual = page("promise").usual("play")
    values = {key: usual[key] for key in VIEW.parameters if key != "seed"}

    rng = np.random.default_rng(usual["seed"])
    result = VIEW.compute(**values, rng=rng)
    assert (usual["epsilon"], 0.6 < result.correct < 0.8) == (1, True)
