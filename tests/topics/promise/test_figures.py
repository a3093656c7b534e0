"""What is drawn and said of the promise."""

import math

import numpy as np
import pytest

from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.promise import words
from dpviz.topics.promise.calibrating import MECHANISMS
from dpviz.topics.promise.figures import attackers_figure, odds_figure, play_figure
from dpviz.topics.promise.views.again import again_and_again
from dpviz.topics.promise.views.attackers import SIDES, every_attacker
from dpviz.topics.promise.views.odds import odds
from dpviz.topics.promise.views.play import play_the_attacker
from dpviz.topics.promise.views.rows import many_rows
from tests.support.headlines import faults
from tests.support.specs import Checked

attackers_figure, odds_figure, play_figure = map(
    Checked, (attackers_figure, odds_figure, play_figure)
)

THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)
every = pytest.mark.parametrize("mechanism", MECHANISMS)
RELEASE = {"epsilon": 1.0, "delta": 1e-5, "queries": 4, "power": 2.0}


def attackers(mechanism, side="all", alarm=0.05, **changes):
    usual = {"mechanism": mechanism, "side": side, "false_alarms": alarm} | RELEASE
    *_, result = every_attacker(**usual | changes)
    return result


def suspected(mechanism, prior=0.1):
    *_, result = odds(mechanism=mechanism, prior=prior, hit_rate=0.2, **RELEASE)
    return result


def played(mechanism="laplace", guesses="", seed=0):
    state = {key: value for key, value in RELEASE.items() if key != "queries"}
    rng = np.random.default_rng(seed)
    return play_the_attacker(mechanism=mechanism, rng=rng, guesses=guesses, **state)


@THEMES
@every
def test_a_round_shows_what_was_published_and_how_the_others_ended(theme, mechanism):
    result = played(mechanism, "ioi")
    figure = play_figure(result, theme)
    dots = figure.data[-1]
    right = [symbol == "circle" for symbol in dots.marker.symbol]
    assert right == (result.inside == result.guessed).tolist()
    assert figure.layout.shapes[-1].x0 == pytest.approx(result.answers[3])
    told = words.play_takeaway(result)
    assert told.startswith("Right" if right[-1] else "Wrong")
    assert f"{sum(right)} of 3 so far. Round 4 of 20" in told
    assert len(words.play_hidden(result).worlds.curves) == 1


@THEMES
def test_a_game_ends_as_a_point_with_both_its_intervals(theme):
    result = played(guesses="io" * 10)
    [you] = [trace for trace in play_figure(result, theme).data if trace.error_y.array is not None]
    alarms = result.score.alarms / result.score.absent
    assert you.x[0] == alarms
    assert you.x[0] + you.error_x.array[0] == pytest.approx(result.score.alarm_share.upper)
    assert you.y[0] - you.error_y.arrayminus[0] == pytest.approx(1 - result.score.hit_share.upper)
    told = words.play_takeaway(result)
    assert told.startswith(f"You were right in {result.score.right} of 20 rounds.")
    assert words.play_answer(result) in told
    assert f"{result.best_right} of these 20 rounds" in words.play_notes(result)[0]
    assert [c.key for c in words.play_hidden(result).test.curves] == ["blind"]


@pytest.mark.parametrize("guesses", ["", "io" * 10])
def test_the_prediction_stands_in_the_game_and_at_its_end(guesses):
    marked = words.play_marked(played(guesses=guesses), 70.0)
    texts = [note.text for note in play_figure(marked, LIGHT).layout.annotations]
    assert sum("your prediction" in text.replace("<br>", " ") for text in texts) == 1


def test_coin_flips_have_words_of_their_own():
    assert list(play_figure(played("response"), LIGHT).layout.xaxis.ticktext) == ["0: out", "1: in"]
    assert words.play_takeaway(played("response")).startswith("A bit says whether you are in")
    assert words.play_takeaway(played()).startswith("Of all others 60 are counted")


@THEMES
def test_a_hundred_people_stand_for_each_suspicion(theme):
    result = suspected("laplace")
    figure = odds_figure(result, theme)
    limited = np.isfinite(result.largest_loss)
    shares = (result.prior, result.worst if limited else result.pure, result.accused[1])
    for trace, share in zip(figure.data, shares, strict=True):
        colors = list(trace.marker.color)
        assert len(colors) == 100
        assert sum(color != theme.grid for color in colors) == round(100 * share)
    assert len(odds_figure(words.odds_hidden(result), theme).data) == 1


def test_headline_and_figure_of_odds_name_one_limit():
    """Many answers of Laplace noise made for (ε, δ) tell more than a pure promise of ε would."""
    *_, result = odds(mechanism="laplace", prior=0.1, hit_rate=0.2, **RELEASE | {"queries": 100})
    assert result.worst > 1.5 * result.pure
    limit = words.readable(100 * result.worst)
    assert f"at most {limit}%" in words.odds_takeaway(result)
    notes = odds_figure(result, LIGHT).layout.annotations
    assert sum(f"<b>{limit}</b> of 100" in note.text for note in notes) == 1


@pytest.mark.parametrize("side", SIDES)
def test_the_chosen_attacker_can_be_dragged_where_it_is_a_point(side):
    result = attackers("gaussian", side)
    marked = words.attackers_marked(result, 70.0) if side == "all" else result
    figure = attackers_figure(marked, LIGHT)
    if side == "profile":
        assert figure.layout.meta is None
        return
    drag = figure.layout.meta["drag"]
    assert (drag["key"], drag["x"]) == ("false_alarms", 0.05)
    assert drag["y"] == figure.data[-1].y[0] == result.chart.marks[0].y
    assert attackers_figure(words.attackers_hidden(result), LIGHT).layout.meta is None


@every
def test_headlines_have_few_numbers(mechanism):
    told = [
        words.attackers_takeaway(attackers(mechanism)),
        words.attackers_takeaway(attackers(mechanism, "careful", alarm=1e-6)),
        words.odds_takeaway(suspected(mechanism)),
        words.play_takeaway(played(mechanism)),
        words.play_takeaway(played(mechanism, "io" * 10)),
    ]
    assert [faults(sentence) for sentence in told] == [[]] * len(told)


@every
@pytest.mark.parametrize("side", SIDES)
def test_attackers_are_told_with_their_numbers(mechanism, side):
    result = attackers(mechanism, side)
    told = words.attackers_takeaway(result)
    if side == "profile":
        assert "δ = 10⁻⁵ at ε = 1" in told
    else:
        assert words.share(result.hits[1]) in told
        assert words.share(result.false_alarms) in told
    assert ("no ε whatever" in told) == (mechanism == "bounded" and side == "profile")
    assert words.attackers_notes(result)


def test_who_accuses_most_people_is_told_the_other_way_round():
    assert "unless" in words.attackers_detail(attackers("gaussian", alarm=0.95))
    assert "waits for" in words.attackers_detail(attackers("gaussian", alarm=0.05))


def test_small_numbers_are_told_as_counts():
    assert words.share(0.5) == "50%"
    assert words.share(1e-6) == "1 in 10⁶"
    assert words.share(0.0) == "none"
    assert words.one_in(0.25) == "1 in 4"
    assert words.one_in(0.9999) == "certainty"
    assert words.log_number(-2000.0) == "about 10⁻⁸⁶⁹"


@every
def test_odds_are_told_and_what_is_not_bounded_as_well(mechanism):
    result = suspected(mechanism)
    told, notes = words.odds_takeaway(result), " ".join(words.odds_notes(result))
    unbounded = mechanism in ("gaussian", "bounded")
    assert ("sets no limit" in words.odds_detail(result)) == unbounded
    assert (f"accuses, {words.odds_answer(result)} are in" in told) == unbounded
    # of a hundred, as the figure counts
    assert ("of 10% become at most " in told) != unbounded
    assert f"{words.share(result.accused[1])} are in the data" in notes
    assert "ε = 1 with δ = 0, makes of a suspicion of 1 in 10 at most 1 in 4.31" in notes


@every
def test_many_answers_are_told_beside_the_theorems(mechanism):
    result = next(
        again_and_again(mechanism=mechanism, answer_epsilon=0.2, delta=1e-5, queries=30, power=2.0)
    )
    told = words.again_takeaway(result)
    assert told.startswith(f"30 such answers have {words.again_answer(result)} together")
    detail = words.again_detail(result)
    assert detail.startswith("Each answer has ε = 0.2; all together have ε = ")
    # 30 times 0.2 is 6: what adding up says instead, where δ is shared out, is explained
    assert ("Adding up says 6." in detail) != ("with its share of δ alone" in detail)
    assert not faults(told)
    assert "times as much" in told or "which is the truth" in told
    assert [c.key for c in words.again_hidden(result).chart.curves] == ["basic"]
    assert words.again_marked(result, 3.0).chart.marks[-1].y == 3.0
    assert words.again_answer(result).startswith("ε = ")
    assert words.again_notes(result)


@pytest.mark.parametrize(
    ("mechanism", "kept", "detail"),
    [
        # e^0.1 less the part of δ that is spared: 0.1 + 2 ln 0.99
        ("laplace", f"ε = {0.1 + 2 * math.log(0.99):.3g} at this δ", "0.1; with δ = 0.01, 0.0799."),
        ("gaussian", "its own ε", "ε = 0.1."),
    ],
)
def test_one_answer_of_pure_noise_has_less_than_its_epsilon(mechanism, kept, detail):
    one = {"answer_epsilon": 0.1, "delta": 0.01, "queries": 1, "power": 2.0}
    *_, result = again_and_again(mechanism=mechanism, **one)
    assert words.again_takeaway(result).startswith(f"One answer keeps {kept};")
    assert words.again_detail(result).endswith(detail)


def test_attackers_who_learn_next_to_nothing_are_told_without_empty_comparisons():
    weak = {"epsilon": 0.01, "delta": 1e-12}
    detail = words.attackers_detail(attackers("gaussian", "careful", **weak))
    assert " 1 times" not in detail
    *_, result = odds(mechanism="gaussian", prior=0.1, hit_rate=0.2, **RELEASE | weak)
    assert words.odds_takeaway(result).endswith(", as of a hundred picked blindly.")


@pytest.mark.parametrize(("seed", "anchor"), [(3, "left"), (1, "center")])
def test_what_is_published_is_written_inside_the_figure(seed, anchor):
    figure = play_figure(played(seed=seed), LIGHT)
    [said] = [a for a in figure.layout["annotations"] if "published" in a["text"]]
    low, high = figure.layout["xaxis"]["range"]
    assert said["xanchor"] == anchor
    assert (said["x"] - low < 0.25 * (high - low)) == (anchor == "left")


def test_answers_without_any_epsilon_are_told():
    result = next(
        again_and_again(
            mechanism="bounded", answer_epsilon=10.0, delta=0.1, queries=10_000, power=0.5
        )
    )
    assert math.isinf(result.exact.upper)
    assert "no ε at all" in words.again_takeaway(result)
    assert "there is no ε with δ = 0.1" in words.again_detail(result)
    assert words.again_answer(result) == "no ε at all"


@every
def test_rows_are_told(mechanism):
    *_, result = many_rows(mechanism=mechanism, examples_per_user=4, **RELEASE)
    *_, long = many_rows(mechanism="response", examples_per_user=1, **RELEASE | {"epsilon": 1 / 3})
    assert "promise ε = 0.333 for one row" in words.rows_takeaway(long)
    assert "who gave 4" in words.rows_takeaway(result)
    assert "the ε of 4 rows" in words.rows_detail(result)
    assert "Group privacy" in words.rows_notes(result)[0]


def test_the_guess_is_drawn_and_the_answer_hidden():
    result = attackers("gaussian")
    assert [c.key for c in words.attackers_hidden(result).chart.curves] == ["blind"]
    mark = words.attackers_marked(result, 70.0).chart.marks[-1]
    assert mark.x == mark.y == pytest.approx(0.3)
    assert words.attackers_answer(result).endswith("%")
