"""All mechanisms side by side: the page shows the table of the shell and of Python."""

import json
import math

import numpy as np
import pytest

import dpviz
from dpviz import __main__ as command
from dpviz.maths import gaussian
from dpviz.maths.comparison import COUNTS, NAMES
from dpviz.maths.rivals import RIVALS
from dpviz.plot.theme import LIGHT
from dpviz.results.parameters import ParameterError
from dpviz.results.refining import whole
from dpviz.serve import lines
from dpviz.serve.lines import Look
from dpviz.topics.bounded_noise.errors_along_queries import AlongQueries
from dpviz.topics.bounded_noise.views import mechanisms_compared_shown
from dpviz.topics.bounded_noise.views.mechanisms_compared import mechanisms_compared
from tests.support.specs import Checked

drawn = Checked(mechanisms_compared_shown)
VIEW = mechanisms_compared_shown.VIEW
HERE = {"epsilon": 0.5, "delta": 1e-10, "queries": 100, "failure_probability": 0.05}
MANY = HERE | {"queries": 10**6}


@pytest.fixture(scope="module")
def so_far():
    return list(mechanisms_compared(**HERE))


@pytest.fixture(scope="module")
def many():
    *_, result = mechanisms_compared(**MANY)
    return result


@pytest.mark.parametrize("asked", [HERE, MANY], ids=["few", "many"])
def test_shell_python_and_page_have_one_table(asked, capsys):
    *_, result = mechanisms_compared(**asked)
    frame = dpviz.compare(**asked).table()
    columns = result.columns()
    assert list(columns) == list(frame)
    for name, cells in columns.items():
        assert cells.tolist() == pytest.approx(frame[name].tolist(), nan_ok=True), name
    flags = [f"--{key.replace('_', '-')}={value!r}" for key, value in asked.items()]
    assert command.main(["compare", *flags, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    for name in ("standard_deviation", "hard_bound", "likely_bound"):
        there = [math.nan if row[name] is None else row[name] for row in rows]
        here = np.where(np.isinf(columns[name]), math.nan, columns[name])
        assert here == pytest.approx(there, nan_ok=True)


def test_the_headline_names_the_noise_of_least_bound_and_of_least_deviation(so_far):
    result = so_far[-1]
    rows = [row for row in dpviz.compare(**HERE).rows if row.key not in COUNTS]
    least = min(rows, key=lambda row: row.bound)
    assert (least.key, min(rows, key=lambda row: row.deviation).key) == ("joint", "gaussian")
    assert result.in_headline == ("joint", "gaussian")
    headline = VIEW.takeaway(result)
    assert (
        "bounded noise drawn for all answers together has the smallest errors: within " in headline
    )
    assert f"never beyond {math.ceil(least.bound)} Δ" in headline
    rows = [row for row in rows if row.key != "joint"]  # of those drawn one by one
    assert min(rows, key=lambda row: row.bound).key == "tuned"
    assert "for whole numbers, discrete Gaussian noise" in VIEW.detail(result)


def test_a_headline_does_not_speak_of_noise_for_counts():
    """At k = 1 and ε = 4 discrete Laplace noise has less of everything, for whole numbers."""
    *_, result = mechanisms_compared(**HERE | {"queries": 1, "epsilon": 4.0, "delta": 1e-5})
    comparison = result.comparison
    assert comparison.row("truncated_discrete_laplace").bound < comparison.row("tuned").bound
    assert VIEW.takeaway(result).startswith("Of the noises shown, end staircase")


def test_noises_that_are_alike_at_the_digits_said_are_named_together():
    """Truncated Laplace noise was called the smallest, .749, where plain had .749 as well."""
    *_, result = mechanisms_compared(**HERE | {"queries": 1, "epsilon": 0.01, "delta": 0.01})
    table = result.comparison
    rivals = table.row("end_staircase").likely, table.row("truncated_laplace").likely
    assert rivals[0] == pytest.approx(rivals[1], rel=1e-4)
    assert "truncated Laplace noise and end staircase noise have" in VIEW.takeaway(result)


def test_the_views_compare_with_the_same_noises():
    """`best` knew end staircase noise, and `compare` did not."""
    at = {"epsilon": 4.0, "delta": 1e-5, "queries": 1}
    table = dpviz.compare(**at)
    along = AlongQueries(4.0, 1e-5, "deviation", 0.05, "")
    found = whole(along.at(1))
    rivals = {key: found.rivals[key] for key in RIVALS if key in found.rivals}
    assert rivals
    for key, deviation in rivals.items():
        assert deviation == table.row(key).deviation


def test_what_is_said_to_hold_holds(many):
    """Bounds are rounded up: tuned noise at a million answers has 34,305.4 Δ and more digits."""
    tuned = many.comparison.row("tuned")
    written = mechanisms_compared_shown.upwards(tuned.bound)
    assert tuned.bound <= float(written.replace(",", "")) <= 1.01 * tuned.bound
    assert f"{written} Δ" in VIEW.takeaway(many)
    sigma = gaussian.minimal_sigma(**{k: MANY[k] for k in ("epsilon", "delta", "queries")})
    assert many.comparison.row("gaussian").deviation == pytest.approx(sigma)


def test_rows_come_one_after_another_and_no_winner_is_named_before_its_time(so_far):
    counts = [len(result.comparison.rows) for result in so_far]
    assert sorted(counts) == counts
    assert set(counts) == set(range(2, len(NAMES) + 1))
    assert "known so far" in VIEW.takeaway(so_far[0])
    assert "never beyond" not in VIEW.takeaway(so_far[0])
    assert "so far" not in VIEW.takeaway(so_far[-1])


def walls(figure):
    return sorted(
        float(x)
        for trace in figure.data
        if trace["type"] == "scatter"
        and trace["mode"] == "markers"
        and trace["marker"]["symbol"] == "line-ns-open"
        for x in trace["x"]
        if np.isfinite(x)
    )


def real(result):
    return [row for row in result.comparison.rows if row.known and row.key not in COUNTS]


def test_bars_lie_by_their_length_and_walls_stand_where_errors_end(so_far, many):
    """Two walls were beyond the axis, a row was empty, and noise for counts stood among them."""
    figure = drawn.figure(so_far[-1], LIGHT)
    bounds = [row.bound for row in real(so_far[-1]) if row.bound < math.inf]
    assert walls(figure) == pytest.approx(sorted(bounds))
    assert max(bounds) < figure.layout["xaxis"]["range"][1]
    bars = sorted((-bar["y"][0], bar["x"][0]) for bar in figure.data if bar["type"] == "bar")
    long = [length for _, length in bars]
    assert long == sorted(row.likely for row in real(so_far[-1]))
    words = [note["text"] for note in drawn.figure(many, LIGHT).layout["annotations"]]
    tuned = many.comparison.row("tuned")
    written = [mechanisms_compared_shown.upwards(x) for x in (tuned.likely, tuned.bound)]
    said = f"within {written[0]} Δ with probability 0.95, never beyond {written[1]} Δ"
    assert f"<b>Bounded, shape tuned: {said}</b>" in words
    assert "Laplace, truncated" in words  # others have their numbers in the table
    assert "End staircase is not drawn: for one answer." in VIEW.notes(many)
    assert sum(text.startswith("<b>") for text in words) == 2


def test_beyond_what_is_composed_a_winner_is_the_least_known(so_far, many):
    assert "has the smallest known errors" in VIEW.takeaway(many)
    assert "known" not in VIEW.takeaway(so_far[-1])


def test_the_rows_before_stand_in_for_those_to_come(so_far):
    theme = LIGHT.holding(None, 0, 0, in_parts=True, partial=True, before=(so_far[-1],), places={})
    first = next(iter(mechanisms_compared(**MANY)))
    assert len(first.comparison.rows) == 2
    figure = drawn.figure(first, theme)
    bars = [bar for bar in figure.data if bar["type"] == "bar"]
    assert len(bars) == len(real(so_far[-1]))


@pytest.mark.parametrize("name", HERE)
def test_a_parameter_out_of_range_is_named(name):
    with pytest.raises(ParameterError) as caught:
        next(iter(mechanisms_compared(**HERE | {name: -1.0})))
    assert caught.value.name == name


def test_on_a_small_projector_a_name_stands_between_two_rows(many):
    shown = lines.drawn(VIEW, many, Look(room=410), whole=True)
    layout = shown.figure.layout
    low, high = layout["yaxis"]["range"]
    row = (layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]) / (high - low)
    assert row >= 1.7 * max(note["font"].get("size", 0) for note in layout["annotations"])
