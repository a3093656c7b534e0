"""Of many curves those of the headline are seen first; the others when they are asked for."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz.plot.chart import draw
from dpviz.plot.focus import width
from dpviz.plot.labels import FAILS
from dpviz.plot.legend import also_html, legend_html
from dpviz.plot.picture import svg
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Source, Subject
from tests.plot.test_theme import contrast

X = np.geomspace(1, 1e4, 41)
FEW, ALL = (replace(LIGHT, labels=labels) for labels in ("few", "all"))


def curve(key, scale, evidence=Evidence.EXACT, subject=Subject.BOUNDED, **rest):
    y = scale * X
    return Curve(key, f"curve {key}", subject, evidence, Source("Test"), X, y, **rest)


CURVES = (
    curve("one", 1.0),
    curve("two", 3.0, subject=Subject.GAUSSIAN, second=True),
    curve("three", 9.0, Evidence.ASYMPTOTIC, lower=8 * X, upper=10 * X),
    curve("four", 27.0, Evidence.SIMULATED, lower=20 * X, upper=30 * X),
)


def chart(*curves, **rest):
    rest = {"here": X[10], "in_headline": ("two", "four")} | rest
    axes = Axis("queries", "Queries, k"), Axis("error", "Error")
    return Chart(*axes, curves or CURVES, **rest)


def words(figure):
    notes = [note for note in figure.layout["annotations"] if note.get("showarrow")]
    return {note["text"].replace("<br>", " "): note["font"]["color"] for note in notes}


def by_key(figure):
    return {t["meta"]["key"]: t for t in figure.data if "meta" in t}


def test_the_curves_of_the_headline_are_strong_and_named_and_all_others_are_not():
    figure = draw(chart(in_headline=("two",)), FEW)
    aside = by_key(figure)
    assert set(aside) == {"one", "three", "four"}
    assert {t.get("line", t.get("marker"))["color"] for t in aside.values()} == {FEW.aside}
    assert {t["line"]["width"] for k, t in aside.items() if k != "four"} == {1}
    assert aside["three"]["line"]["dash"] == "dash"
    assert aside["four"]["marker"]["size"] < 7
    [strong] = [t for t in figure.data if t.get("name") == "curve two"]
    assert strong["line"] == {"color": FEW.color(CURVES[1]), "width": 2.5, "dash": "solid"}
    label, value = words(figure).items()
    # The label, the value at the reader's place and the line have one colour.
    assert label == ("curve two", strong["line"]["color"])
    assert value == ("30", strong["line"]["color"])


def test_a_pointed_curve_has_the_looks_that_all_labels_give_it():
    few, full = draw(chart(), FEW), draw(chart(), ALL)
    lines = {t["name"]: t["line"] for t in full.data if t.get("name") and "line" in t}
    dots = {t["name"]: t["marker"] for t in full.data if t.get("name") and "line" not in t}
    lines |= {name: look | {"width": look["size"] / 2.8} for name, look in dots.items()}
    for trace in by_key(few).values():
        assert (
            trace["meta"].items()
            >= {k: lines[trace["name"]][k] for k in ("color", "width")}.items()
        )


@pytest.mark.parametrize("theme", [LIGHT, ALL])
def test_pictures_and_who_asks_for_all_labels_have_all(theme):
    figure = draw(chart(), theme)
    assert not by_key(figure)
    assert {f"curve {c.key}" for c in CURVES[:2]} <= set(words(figure))
    assert len([t for t in figure.data if t.get("name")]) == len(CURVES)
    svg(figure, theme, 800)


@pytest.mark.parametrize(
    "drawn",
    [chart(*CURVES[:2], in_headline=("two",)), chart(in_headline=()), chart(in_headline=("none",))],
    ids=["two curves", "no headline", "a headline about none"],
)
def test_a_chart_may_be_about_all_its_curves(drawn):
    figure = draw(drawn, FEW)
    assert not by_key(figure)
    assert also_html(figure) == ""


def test_a_chart_is_about_two_curves_at_most():
    assert set(by_key(draw(chart(in_headline=("one", "two", "three")), FEW))) == {"three", "four"}


def test_one_switch_below_the_figure_shows_all_curves():
    said = also_html(draw(chart(), FEW))
    assert 'role="switch" aria-checked="false">2 more curves<' in said
    full = also_html(draw(chart(), ALL))
    assert 'role="switch" aria-checked="true">All curves<' in full
    assert also_html(draw(chart(), LIGHT)) == ""


def test_on_a_phone_the_legend_has_the_curves_of_the_headline():
    figure = draw(chart(), FEW.narrow())
    legend = legend_html(figure)
    assert [name for name in ("one", "two", "three", "four") if f"curve {name}" in legend] == [
        "two",
        "four",
    ]
    assert "2 more curves" in also_html(figure)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_grey_can_be_seen_and_is_not_what_is_written(theme):
    assert contrast(theme.aside, theme.background) >= 3
    assert contrast(theme.aside, theme.background) < contrast(theme.muted, theme.background)


def test_where_an_assumption_fails_words_say_so_at_the_curve():
    grey = replace(CURVES[0], holds=X < 100, assumption="k is small")
    figure = draw(chart(grey, *CURVES[1:], in_headline=("one",)), FEW)
    [note] = [n for n in figure.layout["annotations"] if n["text"].replace("<br>", " ") == FAILS]
    assert note["font"]["color"] == FEW.muted
    assert 10 ** note["x"] >= 100
    # Of a curve that has no words, the hover says it.
    assert FAILS not in words(draw(chart(grey, *CURVES[1:], in_headline=("two",)), FEW))


def test_the_readers_line_says_what_drags_it_and_where():
    figure = draw(chart(), FEW)
    drag = {"key": "queries", "x": X[10], "line": True}  # at the axis: on a curve it is no point
    assert figure.layout["meta"] == {"labels": "few", "drag": drag}
    assert "drag" not in draw(chart(here=np.nan), FEW).layout["meta"]
    bare = replace(chart(in_headline=()), curves=())  # a handle would seem an answer
    assert "drag" not in draw(bare, FEW).layout["meta"]
    assert draw(chart(*CURVES[:2], in_headline=()), FEW).layout["dragmode"] is False
    assert "dragmode" not in draw(chart(here=np.nan), FEW).layout
    assert "meta" not in draw(chart(), LIGHT).layout


def test_a_curve_of_the_figure_before_stays_what_it_was():
    before = chart()
    part = replace(before, curves=(CURVES[1], replace(CURVES[2], y=np.full(X.shape, np.nan))))
    figure = draw(part, FEW.holding(None, partial=True, before=(before,)))
    assert set(by_key(figure)) == {"one", "three"}
    assert {"curve two", "curve four"} <= set(words(figure))


def test_the_labels_of_two_curves_leave_the_width_to_the_plot():
    long = [replace(one, label="a label of a curve with many words") for one in CURVES[:2]]
    figure = draw(chart(*long, in_headline=("one", "two")), FEW)
    named = [note["text"] for note in figure.layout["annotations"] if "many" in note["text"]]
    assert len(named) == 2
    assert all(len(line) <= 12 for text in named for line in text.split("<br>"))
    usual = draw(chart(*long, in_headline=("one", "two")), LIGHT)
    assert figure.layout["margin"]["r"] < usual.layout["margin"]["r"]
    low = draw(chart(*long, in_headline=("one", "two")), replace(FEW.projected(250), labels="few"))
    assert not low.layout["showlegend"]  # lines may be longer where a plot is only a few lines high
    assert sum("many" in note["text"] for note in low.layout["annotations"]) == 2


def test_points_that_a_chart_is_not_about_are_wider_than_lines():
    assert width(Evidence.SIMULATED) > width(Evidence.EXACT)
