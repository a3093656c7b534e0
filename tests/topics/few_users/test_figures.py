"""The page on few users: its pictures, its sentences, its presets."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from dpviz.plot.chart import draw
from dpviz.plot.theme import DARK, LIGHT
from dpviz.topics.few_users import figures, words
from dpviz.topics.few_users.models import MODELS
from tests.support.declarations import begun, every, last, page, shown, states
from tests.support.examples import examples
from tests.support.specs import Checked

draw, figures = Checked(draw), Checked(figures)

PAGE = page("few_users")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
few = examples(8)


# The vote.


@THEMES
def test_the_bars_are_the_votes(theme):
    result = last(PAGE, "votes", bits=6, users=150)
    figure = figures.votes_figure(result, theme)
    shared, own = (np.array(trace.y) for trace in figure.data)
    np.testing.assert_array_equal(shared, result.shared)
    np.testing.assert_array_equal(own, result.own)
    low, high = figure.layout.xaxis.range
    voted = np.flatnonzero(result.shared + result.own)
    assert low < voted[0] <= voted[-1] < high
    for note, counts in zip(figure.layout.annotations, (shared, own), strict=True):
        assert f"{counts.max()} of 150 votes for hypothesis {counts.argmax()}" in note.text


def test_what_is_released_wrongly_is_red():
    result = last(PAGE, "votes", users=10)
    text = figures.votes_figure(result, LIGHT).layout.annotations[0].text
    red = LIGHT.palette[6]
    assert not result.is_good(result.released["approximate"])
    assert f"<span style='color:{red}'>central, (ε, δ): nothing" in text


@few
@given(values=states(PAGE))
def test_the_sentence_counts_the_models_that_succeed(values):
    result = last(PAGE, "votes", **values | {"view": "votes"})
    told = words.votes_detail(result)
    right = sum(result.is_good(h) for h in result.released.values())
    assert f"{right} of 4 private votes release" in told
    assert f"{result.shared.max():,} of {result.users:,} users" in told


@pytest.mark.parametrize("view", ["votes", "success"])
def test_models_with_other_neighbours_are_not_compared_in_silence(view):
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": view, "epsilon": 0.4}
    opened = PAGE.open_view(values)
    notes = " ".join(opened.notes(begun(PAGE, opened, values)))
    assert "At the same ε = 0.4 the models do not promise the same" in notes
    assert "ε = 0.8 only" in notes


def test_stability_is_told_as_bounds():
    chart = last(PAGE, "agreement", bits=4, runs=30)
    [told] = [note for note in words.agreement_notes(chart) if "Pseudo-global" in note]
    found = chart.stability
    assert f"is between {found.lower:.3g} and " in told
    assert f"{found.stable} of {found.boards} boards" in told
    assert 0 <= found.lower < found.upper <= 1


# Messages.


@THEMES
@pytest.mark.parametrize("dispersion", ["theorem", "least", "proof"])
def test_laws_lie_on_their_side_of_the_truth(theme, dispersion):
    result = last(PAGE, "messages", dispersion=dispersion)
    figure = figures.messages_figure(result, theme)
    bits, noise, above, below = figure.data
    assert np.min(above.x) >= 0 >= np.max(below.x)
    np.testing.assert_array_equal(np.array(bits.y) + np.array(noise.y), result.above[:40])
    low, high = result.estimates
    lines = sorted(shape.x0 for shape in figure.layout.shapes)
    assert lines == [low - result.truth, 0, high - result.truth]
    ends = figure.layout.xaxis2.range
    assert ends[0] <= lines[0] <= lines[2] <= ends[1]


@few
@given(values=states(PAGE))
def test_the_sentence_on_messages_tells_the_run(values):
    result = last(PAGE, "messages", **values | {"view": "messages"})
    told = words.messages_detail(result)
    assert f"send {result.above.sum():,} message" in told
    assert "nan" not in told
    assert "δ = 0," not in told


def test_a_single_one_is_told_in_the_singular():
    sent = {"above": np.array([0, 1]), "below": np.array([1, 1])}
    result = replace(last(PAGE, "messages"), bits=np.array([0, 1]), **sent)
    told = "2 users hold 1 one. Counting ones they send 1 message, never fewer"
    assert words.messages_detail(result).startswith(told)
    assert words.messages_takeaway(result).endswith(" 1 does.")


def test_tiny_deltas_are_told_as_powers():
    told = words.messages_detail(last(PAGE, "messages", dispersion="proof"))
    assert "about 10⁻" in told


# The charts.


@THEMES
@pytest.mark.parametrize("view", ["agreement", "success", "parity"])
def test_a_first_result_is_a_figure_and_a_sentence(theme, view):
    values = {p.key: p.default for p in PAGE.url_parameters} | {"view": view, "bits": 4}
    opened = PAGE.open_view(values)
    first = begun(PAGE, opened, values)
    assert draw(first, theme).data
    assert "nan" not in opened.takeaway(first) + opened.detail(first)
    assert all("nan" not in note for note in opened.notes(first))
    assert 0 < first.done < 1


def test_success_tells_every_model_and_the_bound():
    chart = last(PAGE, "success", bits=4, runs=10)
    told = words.success_detail(chart)
    for name in MODELS.values():
        assert name in told
    assert (
        f"No private learner whose output is of the class does with fewer than {chart.least:,}"
        in told
    )
    everybody = words.success_detail(last(PAGE, "success", bits=4, runs=10, concept="parities"))
    assert "No private learner does with fewer than" in everybody
    nobody = words.success_detail(last(PAGE, "success", bits=4, runs=10, learner="queries"))
    assert "private learner" not in nobody
    lines = {curve.key for curve in chart.curves if curve.key.startswith("theorem")}
    assert lines


def test_what_no_group_reaches_is_told():
    changes = {"examples_per_user": 100, "epsilon": 0.2, "dispersion": "theorem"}
    chart = last(PAGE, "success", bits=4, runs=10, **changes)
    assert math.isinf(chart.enough["shuffle"])
    assert "shuffle, (ε, δ): more" in words.success_detail(chart)


def test_a_hidden_class_has_no_effect():
    values = {p.key: p.default for p in PAGE.url_parameters} | {"learner": "queries", "bits": 4}
    view = PAGE.open_view(values | {"view": "votes"})
    assert view.idle(values) == {"concept"}
    tables = [
        begun(PAGE, view, values | {"view": "votes", "concept": concept}).columns()
        for concept in ("thresholds", "parities")
    ]
    for name, column in tables[0].items():
        np.testing.assert_array_equal(column, tables[1][name])


# The presets show what their names say.


def test_same_samples_different_coins():
    _, result, _ = shown(PAGE, "Same samples, different coins")
    assert result.shared.max() > 0.9 * result.users
    assert result.own.max() < 0.3 * result.users
    assert all(result.is_good(h) for h in result.released.values())


def test_agreement_breaks():
    _, result, values = shown(PAGE, "Agreement breaks")
    assert values["examples_per_user"] < 1000
    assert result.shared.max() < 0.9 * result.users


def test_parity():
    [preset] = [preset for preset in PAGE.presets if preset.label == "Parity"]
    values = PAGE.preset_values(preset)
    view = PAGE.open_view(values)
    chart = next(r for r in every(PAGE, view, values) if r.done > 0.1)
    assert math.isfinite(chart.needed)
    assert "With one example each it doubles with every bit" in view.detail(chart)
    assert "with one example each, 3,770 are too few" in view.takeaway(chart)


def test_shuffle():
    _, result, values = shown(PAGE, "Shuffle")
    assert values["dispersion"] == "least"
    assert result.log_privacy == pytest.approx(math.log(values["delta"]), abs=1e-3)


def test_at_first_sight_the_messages_tell_something():
    view = PAGE.open_view({"view": "messages"})
    values = {p.key: p.default for p in PAGE.url_parameters}
    result = view.compute(**PAGE.call(PAGE.arguments(view, values)))
    low, high = result.estimates
    assert 0 < low <= result.truth <= high < result.bits.size
    assert f"{low:,} to {high:,} users" in view.takeaway(result)
    hidden = view.compute(**PAGE.call(PAGE.arguments(view, values | {"dispersion": "theorem"})))
    assert hidden.estimates[0] < 0  # no headline counts fewer than no users
    assert "hides everything" in view.takeaway(hidden)
