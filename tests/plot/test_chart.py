"""One encoding of evidence, and words that stay where they can be read."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot import obstacles
from dpviz.plot.axes import Scale, log_ticks, settings
from dpviz.plot.boxes import Boxes, WordBox
from dpviz.plot.chart import draw
from dpviz.plot.ink import DASHES
from dpviz.plot.labels import spread
from dpviz.plot.legend import legend_html
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, Landmark, Source, Subject
from tests.support.specs import Checked

draw = Checked(draw)

X = np.geomspace(1, 1e6, 13)


def curve(evidence=Evidence.EXACT, key="a", label="A curve", scale=1.0, **rest):
    rest = {"x": X, "y": scale * np.sqrt(X), "source": Source("Test")} | rest
    return Curve(key, label, Subject.BOUNDED, evidence, **rest)


def chart(*curves, **rest):
    rest = {"y": Axis("error", "Error", unit="Δ")} | rest
    return Chart(x=Axis("queries", "Queries, k"), curves=curves, **rest)


def named(figure):
    return [trace for trace in figure.data if trace.name and trace.showlegend is not False]


@pytest.mark.parametrize("theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"])
@pytest.mark.parametrize(
    ("evidence", "dash"),
    [
        (Evidence.EXACT, "solid"),
        (Evidence.CERTIFIED, "solid"),
        (Evidence.UPPER, "solid"),
        (Evidence.LOWER, "solid"),
        (Evidence.LIMIT, "dashdot"),
        (Evidence.ASYMPTOTIC, "dash"),
        (Evidence.PUBLISHED, "dot"),
    ],
)
def test_the_line_says_what_kind_of_evidence_it_is(theme, evidence, dash):
    [trace] = named(draw(chart(curve(evidence)), theme))
    assert (trace.mode, trace.line.dash) == ("lines", dash)
    assert trace.line.color == theme.subjects[Subject.BOUNDED]
    np.testing.assert_array_equal(trace.x, X)
    np.testing.assert_array_equal(trace.y, np.sqrt(X))


def test_simulations_are_points_with_intervals():
    drawn = curve(Evidence.SIMULATED, lower=np.sqrt(X) * 0.9, upper=np.sqrt(X) * 1.2)
    [trace] = named(draw(chart(drawn), LIGHT))
    assert trace.mode == "markers"
    np.testing.assert_allclose(trace.error_y.array, np.sqrt(X) * 0.2)
    np.testing.assert_allclose(trace.error_y.arrayminus, np.sqrt(X) * 0.1)


def test_certified_bounds_are_a_band_below_the_line():
    drawn = curve(Evidence.CERTIFIED, lower=np.sqrt(X) * 0.9, upper=np.sqrt(X) * 1.2)
    band, line = draw(chart(drawn), LIGHT).data
    assert band.fill == "toself"
    assert band.hoverinfo == "skip"
    assert max(band.y) == max(drawn.upper)
    assert min(band.y) == min(drawn.lower)
    assert line.name == "A curve"


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
def test_what_jumps_is_a_staircase_and_so_is_its_band(theme):
    few = np.array([1.0, 2.0, 3.0])
    jumping = curve(
        Evidence.CERTIFIED, x=few, y=few**2, lower=few**2 - 0.5, upper=few**2 + 0.5, steps=True
    )
    band, line = draw(chart(jumping), theme).data
    assert line.line.shape == "hv"
    np.testing.assert_array_equal(line.y, few**2)  # what is hovered are its own values
    assert list(band.x) == [1, 2, 2, 3, 3, 3, 3, 2, 2, 1]
    assert list(band.y) == [1.5, 1.5, 4.5, 4.5, 9.5, 8.5, 3.5, 3.5, 0.5, 0.5]
    assert named(draw(chart(curve()), theme))[0].line.shape is None


def test_words_keep_off_the_flat_of_a_step_and_its_rise():
    few = np.array([0.0, 10.0])
    jumping = curve(x=few, y=few, steps=True)
    scale = Scale(Axis("x", "x", log=False), 0.0, 10.0)
    corners = obstacles.points(jumping, scale, scale)
    assert corners.T.tolist() == [[0, 0], [10, 0], [10, 10]]
    kept_off = obstacles.marks(jumping, scale, scale, lambda rows: rows)
    assert (np.isclose(kept_off[0], 10) | np.isclose(kept_off[2], 0)).all()
    assert obstacles.points(curve(x=few, y=few), scale, scale).shape == (2, 2)


def test_a_staircase_in_part_is_not_joined_over_what_it_may_jump_at():
    x = np.arange(1.0, 9.0)
    whole, part = (curve(x=x, y=y, steps=True) for y in (x, np.where(x == 4, np.nan, x)))
    modes = [
        draw(chart(one), LIGHT.holding(None, partial=True)).data[-1].mode for one in (whole, part)
    ]
    assert modes == ["lines", "markers"]


def test_a_shape_says_that_its_constants_are_dropped():
    [trace] = named(draw(chart(curve(Evidence.ASYMPTOTIC)), LIGHT))
    assert trace.name == "A curve, up to constants"


@pytest.mark.parametrize(
    ("own", "written"),
    [
        ("Radius", "Radius, limit"),
        ("Radius as k → ∞", "Radius as k → ∞"),
        ("Its limit", "Its limit"),
    ],
)
def test_a_limit_says_that_it_is_one_and_never_that_constants_are_dropped(own, written):
    drawn = chart(curve(Evidence.LIMIT, label=own))
    [trace] = named(draw(drawn, LIGHT))
    assert trace.name == written
    legend = legend_html(draw.__wrapped__(drawn, LIGHT.narrow()))
    assert f'stroke-dasharray="{DASHES["dashdot"]}"' in legend
    assert "constants kept" in drawn.meanings["a"]
    assert "constants dropped" not in drawn.meanings["a"]


def test_a_curve_turns_grey_where_its_assumption_fails():
    holds = X > 1e3
    drawn = curve(holds=holds, assumption="k is large")
    traces = draw(chart(drawn), LIGHT).data
    grey = next(t for t in traces if t.line.color == LIGHT.muted)
    kept = next(t for t in traces if t.line.color == LIGHT.subjects[Subject.BOUNDED])
    assert np.isfinite(kept.y).tolist() == holds.tolist()
    first = int(np.argmax(holds))
    assert np.isfinite(grey.y).tolist() == [i <= first for i in range(len(X))]
    [ghost] = [
        t for t in traces if t.hovertemplate and np.isfinite(t.y).tolist() == (~holds).tolist()
    ]
    assert hover(ghost, 0) == "A curve: <b>1</b><br>fails here: k is large"
    assert hover(kept, -1) == "A curve: <b>1,000</b>"


def hover(trace, place):
    said = trace.hovertemplate.replace("%{customdata}", trace.customdata[place])
    return said.removesuffix("<extra></extra>")


def test_a_probability_is_hovered_in_per_cent_and_below_1_never_as_all():
    often = curve(y=np.full(X.shape, 0.99991), lower=X * 0 + 0.9998, upper=X * 0 + 1)
    shown = chart(often, y=Axis("success", "probability", log=False, chance=True))
    assert hover(draw(shown, LIGHT).data[-1], 0) == "A curve: <b>99.991%</b> (99.98% to 100%)"


def test_shares_below_1_are_parts_of_a_whole_number_along_their_axis():
    shares = curve(y=np.geomspace(0.02, 1.0, X.size))
    axis = draw(chart(shares, y=Axis("share", "share", parts=True)), LIGHT).layout.yaxis
    assert list(axis.ticktext) == ["1/50", "1/20", "1/10", "1/5", "1/2", "1"]
    near = curve(y=np.geomspace(0.7, 1.0, X.size))
    axis = draw(chart(near, y=Axis("share", "share", parts=True)), LIGHT).layout.yaxis
    assert {"0.8", "0.9", "1"} <= set(axis.ticktext)


def test_hover_has_three_digits_the_unit_and_the_interval():
    drawn = curve(Evidence.CERTIFIED, lower=np.sqrt(X) * 0.9, upper=np.sqrt(X) * 1.2)
    figure = draw(chart(drawn), LIGHT)
    assert figure.layout.hovermode == "x unified"
    title = figure.layout.xaxis.unifiedhovertitle.text
    assert title == "Queries, k: %{x:,.3~r}, values in Δ"
    assert hover(figure.data[-1], 6) == "A curve: <b>31.6</b> (28.5 to 37.9)"
    narrow = draw(chart(drawn), LIGHT.narrow())
    assert narrow.layout.xaxis.unifiedhovertitle.text == "Queries, k: %{x:,.3~r}"
    line = narrow.data[-1]
    assert hover(line, 6) == "A curve: <b>31.6</b> Δ (28.5 to 37.9)"
    tight = curve(Evidence.CERTIFIED, lower=np.sqrt(X), upper=np.sqrt(X))
    assert hover(draw(chart(tight), LIGHT.narrow()).data[-1], 6) == "A curve: <b>31.6</b> Δ"


def labels(figure):
    return [a for a in figure.layout.annotations if a.showarrow and a.arrowhead == 0]


def test_curves_are_labelled_at_their_ends_and_not_twice():
    figure = draw(chart(curve(), curve(key="b", label="Another", scale=10)), LIGHT)
    assert [note.text for note in labels(figure)] == ["A curve", "Another"]
    assert [note.y for note in labels(figure)] == pytest.approx([3, 4])
    assert figure.layout.showlegend is False


def test_a_crowd_gets_a_legend_instead():
    crowd = [curve(key=f"c{i}", label=f"Curve {i}", scale=i + 1) for i in range(40)]
    figure = draw(chart(*crowd), LIGHT)
    assert figure.layout.showlegend is True
    assert not labels(figure)


def test_a_narrow_figure_leaves_the_words_to_the_page():
    two = chart(curve(label="<b>A & B</b>"), curve(Evidence.PUBLISHED))
    figure = draw(two, LIGHT.narrow())
    assert figure.layout.showlegend is False
    assert not labels(figure)
    assert figure.layout.margin.l + figure.layout.margin.r < 80
    html = legend_html(draw.__wrapped__(two, LIGHT.narrow()))
    assert html.count("<li>") == 2
    assert "&lt;b&gt;A &amp; B&lt;/b&gt;" in html
    assert f'stroke-dasharray="{DASHES["dot"]}"' in html


@given(
    st.lists(st.tuples(st.floats(-50, 450), st.sampled_from([18.0, 36.0])), max_size=10),
)
def test_labels_keep_their_order_their_distance_and_inside(boxes):
    wanted, heights = [w for w, _ in boxes], [h for _, h in boxes]
    placed = spread(wanted, heights, 400.0)
    order = sorted(range(len(boxes)), key=lambda i: (wanted[i], i))
    for above, below in itertools.pairwise(order):
        gap = (heights[above] + heights[below]) / 2
        assert placed[below] - placed[above] >= gap - 1e-9
    for centre, height in zip(placed, heights, strict=True):
        assert height / 2 - 1e-9 <= centre <= 400 - height / 2 + 1e-9


def test_labels_with_room_stay_where_they_belong():
    assert spread([50.0, 300.0, 150.0], [18.0] * 3, 400.0) == [50.0, 300.0, 150.0]


@given(st.floats(-300, 150), st.floats(1e-3, 150))
def test_ticks_are_few_inside_and_different(low, span):
    values, texts = log_ticks(low, low + span)
    assert 1 <= len(values) <= 9
    assert len(set(texts)) == len(texts)
    assert all(low - 1e-6 <= math.log10(v) <= low + span + 1e-6 for v in values)


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 10, ["10⁰", "10²", "10⁴", "10⁶", "10⁸", "10¹⁰"]),
        (-10, -8, ["10⁻¹⁰", "2 × 10⁻¹⁰", "5 × 10⁻¹⁰", "10⁻⁹", "2 × 10⁻⁹", "5 × 10⁻⁹", "10⁻⁸"]),
        (-1, 1, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
        (-2, 3, ["0.01", "0.1", "1", "10", "100", "1,000"]),
        (2, 2.2, ["100", "110", "120", "130", "140", "150"]),
        (-300, 0, ["10⁻³⁰⁰", "10⁻²⁵⁰", "10⁻²⁰⁰", "10⁻¹⁵⁰", "10⁻¹⁰⁰", "10⁻⁵⁰", "10⁰"]),
    ],
)
def test_ticks_read_well(low, high, texts):
    assert log_ticks(low, high)[1] == texts


def test_marks_are_written_inside_the_plot():
    mark = Landmark(1e6, 1e3, "from here on it wins")
    figure = draw(chart(curve(), landmarks=(mark,)), LIGHT)
    [note] = [a for a in figure.layout.annotations if "from here" in a.text]
    assert (note.x, note.y) == pytest.approx((6, 3))
    assert note.ax < 0


def test_the_readers_own_value_is_a_thin_line():
    figure = draw(chart(curve(), here=1e3), LIGHT)
    [line] = figure.layout.shapes
    assert (line.x0, line.x1, line.line.width) == (1e3, 1e3, 1)
    assert any(a.text == "<i>k</i> = 1,000" for a in figure.layout.annotations)
    for nowhere in (math.nan, 1e9, -1.0):
        assert not draw(chart(curve(), here=nowhere), LIGHT).layout.shapes


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
def test_what_the_sentence_tells_is_marked_at_the_readers_value(theme):
    curves = curve(), curve(key="b", label="Another", scale=4.0), curve(key="c", scale=9.0)
    shown = draw(chart(*curves, here=X[6], in_headline=("a", "b", "gone")), theme)
    dots = [note for note in shown.layout.annotations if note.arrowhead == 6]
    assert [note.text for note in dots] == ["31.6 Δ", "126 Δ"]
    assert [note.x for note in dots] == [3.0, 3.0]
    np.testing.assert_allclose([note.y for note in dots], np.log10([31.6228, 126.491]), rtol=1e-5)
    between = draw(chart(*curves, here=X[6] * 1.1, in_headline=("a",)), theme)
    assert not [note for note in between.layout.annotations if note.arrowhead == 6]


def test_an_index_in_a_symbol_is_written_below():
    one = Chart(Axis("vc_dimension", "d"), Axis("error", "Error"), (curve(),), here=100.0)
    assert "<i>d</i><sub>VC</sub> = 100" in [n.text for n in draw(one, LIGHT).layout.annotations]


def test_where_nothing_is_known_the_axis_shows_where_it_was_looked_for():
    unknown = curve(Evidence.SIMULATED, y=np.full(X.shape, np.nan))
    assert tuple(draw(chart(unknown), LIGHT).layout.xaxis.range) == (0.0, 6.0)


@pytest.mark.parametrize(("here", "anchor"), [(1e3, "center"), (1e6, "right")])
def test_the_readers_value_is_not_cut_off_at_the_right_edge(here, anchor):
    figure = draw(chart(curve(), here=here), LIGHT.narrow())
    [note] = [a for a in figure.layout.annotations if a.text.startswith("<i>k</i>")]
    assert note.xanchor == anchor


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow()], ids=["wide", "narrow"])
def test_awkward_results_are_drawn(theme):
    empty = curve(x=np.empty(0), y=np.empty(0))
    undefined = curve(key="b", y=np.full(X.shape, np.nan))
    flat = curve(key="c", x=np.array([5.0]), y=np.array([5.0]))
    negative = curve(key="d", y=-X)
    for curves in ((), (empty,), (undefined,), (flat,), (negative,), (empty, undefined, flat)):
        figure = draw(chart(*curves), theme)
        assert all(
            math.isfinite(v) for v in (*figure.layout.xaxis.range, *figure.layout.yaxis.range)
        )


def test_an_axis_holds_its_ends_however_a_logarithm_is_rounded():
    ends = np.arange(1.0, 1001.0)
    for low, high in itertools.pairwise(ends):
        scale = Scale.of(Axis("x", "x"), np.array([low, high]), 0.0)
        start, end = settings(scale)["range"]
        assert start <= math.log(low) / math.log(10)  # as plotly computes it
        assert math.log(high) / math.log(10) <= end


def test_linear_axes_keep_their_numbers():
    drawn = dataclasses.replace(chart(curve()), x=Axis("x", "x", log=False), here=5e5)
    figure = draw(drawn, LIGHT)
    assert tuple(figure.layout.xaxis.range) == (1.0, 1e6)
    assert figure.layout.xaxis.type is None


def test_the_payload_is_small():
    curves = [
        curve(key=f"c{i}", scale=i + 1, x=x, y=x) for i in range(10) for x in [np.arange(1.0, 62)]
    ]
    assert len(draw.__wrapped__(chart(*curves), LIGHT).json()) < 25_000


def test_a_chance_of_nearly_nothing_is_no_cliff_and_no_count_lies_below_one():
    x = np.linspace(0, 1, 5)
    source = Source("x")

    def drawn(axis, y):
        curve = Curve("c", "c", Subject.BOUNDED, Evidence.EXACT, source, x, y)
        return draw(Chart(Axis("x", "x", log=False), axis, (curve,)), LIGHT).layout["yaxis"]

    low, high = drawn(Axis("p", "p", log=False, base=0.0, reach=1.0), 0.97 + 0.01 * x)["range"]
    assert low <= 0
    assert high >= 1
    low, high = drawn(Axis("p", "p", log=False, reach=1.0), 1e-8 * x)["range"]
    assert low <= 0
    assert high >= 1
    low, high = drawn(Axis("n", "n", least=1.0), np.geomspace(1e-3, 1e3, 5))["range"]
    assert low == pytest.approx(0, abs=0.2)
    assert high >= 3
    low, high = drawn(Axis("n", "n", least=1.0), np.geomspace(1e-5, 1e-3, 5))["range"]
    assert low < -5


@pytest.mark.parametrize("theme", [LIGHT, LIGHT.narrow(), LIGHT.projected(420)])
def test_words_at_marks_keep_off_each_other(theme):
    x = np.linspace(0, 10, 50)
    curve = Curve(
        "one", "one", Subject.BOUNDED, Evidence.EXACT, Source("a paper", "a place"), x, x / 10
    )
    words = "from here on it is better"
    marks = tuple(Landmark(at, at / 10, words, Subject.BOUNDED) for at in (4.0, 4.4, 4.8))
    axes = Axis("x", "x", log=False), Axis("y", "y", log=False)
    figure = draw(Chart(*axes, (curve,), landmarks=marks), theme)
    margin, notes = figure.layout["margin"], []
    for note in figure.layout["annotations"]:
        if words.split()[0] in note["text"]:
            lines = note["text"].split("<br>")
            plot = theme.width - margin["l"] - margin["r"], theme.height - margin["t"] - margin["b"]
            (low, high), (foot, head) = (figure.layout[f"{a}axis"]["range"] for a in "xy")
            right = plot[0] * (note["x"] - low) / (high - low) + note["ax"]
            down = plot[1] * (head - note["y"]) / (head - foot) + note["ay"]
            size = 0.45 * theme.font_size * max(map(len, lines)), 1.2 * theme.font_size * len(lines)
            notes.append((right, down, *size))
    assert len(notes) == 3
    for one, other in itertools.combinations(notes, 2):
        apart = [abs(one[i] - other[i]) >= (one[i + 2] + other[i + 2]) / 2 for i in (0, 1)]
        assert any(apart)


def test_boxes_know_which_words_they_cover_and_which_their_lines_run_through():
    def words(at, beside, down, across=10.0, up=5.0):
        return at, beside, down, across, up

    written = Boxes.of([words(100, 0, 50), words(100, 100, 50)])
    tried = Boxes.of(
        [
            words(100, 0, 50),  # on the first
            words(100, 0, 70),  # well below it
            words(100, 0, 61),  # a pixel below
            words(125, 0, 50),  # a pixel right of it, with the air between words
            words(155, -30, 50),  # between the two; its line comes from the right
            words(50, 150, 50),  # on the second, its line through the first
        ]
    )
    points = np.array([tried.at, np.full(6, 50.0)])
    covered = tried.covered(written, [1.0])
    assert (covered > 0).tolist() == [True, False, False, False, False, True]
    assert covered[0] == covered[5] == (2 * 10 + 4) * (2 * 5)
    assert tried.struck(written, points, [1.0]).sum(axis=1).tolist() == [1, 1, 1, 0, 0, 2]
    # However narrow a box is, a long line through it is seen.
    narrow, far = Boxes.of([words(100, 0, 50, across=2.0)]), Boxes.of([words(0, 300, 60)])
    assert far.struck(narrow, np.array([[0.0], [40.0]]), [1.0]).tolist() == [[1]]
    # Wider, the point of the fifth words comes to lie under the second ones, and so do they.
    assert (tried.covered(written, [1.0, 2.2]) > 0).tolist()[4]


def test_a_low_axis_has_fewer_ticks():
    for low, high in ((0.0, 1.0), (-3.0, 5.0), (0.0, 0.7), (0.1, 0.6)):
        for log in (False, True):
            scale = Scale(Axis("y", "y", log=log), low, high)
            ticks = settings(scale, 80)["tickvals"]
            assert 1 <= len(ticks) <= 5
            assert len(settings(scale)["tickvals"]) >= len(ticks)
    # Less than two decades around a power of ten, in two lines of words: the two ends are enough.
    low, high = np.log10([4e-4, 2.5e-3])
    seconds = settings(Scale(Axis("y", "y"), low, high), 50)
    assert seconds["ticktext"] == ["5 × 10⁻⁴", "2 × 10⁻³"]


def test_where_nothing_is_known_a_finished_figure_says_so():
    nothing = Curve(
        "one",
        "one",
        Subject.BOUNDED,
        Evidence.EXACT,
        Source("a paper", "a place"),
        np.array([1.0, 2.0]),
        np.full(2, math.nan),
    )
    chart = Chart(Axis("x", "x"), Axis("y", "y"), (nothing,))
    said = [note["text"] for note in draw(chart, LIGHT).layout["annotations"]]
    assert any("no value lies" in text for text in said)
    moving = draw(chart, LIGHT.holding(None, partial=True)).layout["annotations"]
    assert not any("no value lies" in note["text"] for note in moving)


@pytest.mark.parametrize("log", [True, False])
def test_simulations_at_one_x_stand_side_by_side_and_say_where_they_belong(log):
    x = np.array([1.0, 2.0, 3.0])

    def points(key):
        looks = Subject.BOUNDED, Evidence.SIMULATED, Source("a paper")
        return Curve(key, key, *looks, x, 0 * x + 0.5, 0 * x + 0.4, 0 * x + 0.6)

    alone, both = (
        draw(Chart(Axis("x", "x", log=log), Axis("y", "y", log=False), curves), LIGHT)
        for curves in ((points("a"),), (points("a"), points("b")))
    )
    assert np.asarray(alone.data[0].x).tolist() == x.tolist()
    first, second = both.data
    assert first.marker.symbol != second.marker.symbol
    apart = np.log(second.x / first.x) if log else second.x - first.x
    assert (apart > 0).all()
    assert np.ptp(apart) < 1e-9
    low, high = both.layout.xaxis.range
    seen = [np.log10(t.x) if log else t.x for t in (first, second)]
    assert all((low <= at).all() and (at <= high).all() for at in seen)
    assert [text.rsplit(" ", 1)[1] for text in first.customdata] == ["1", "2", "3"]
    assert both.layout.hovermode == "closest"


def test_of_curves_that_end_in_one_point_the_upper_has_the_upper_label():
    x = np.linspace(0, 1, 50)
    looks = Subject.BOUNDED, Evidence.EXACT, Source("a paper")
    low, high = Curve("low", "low", *looks, x, x), Curve("high", "high", *looks, x, x**0.9)
    axes = Axis("x", "x", log=False), Axis("y", "y", log=False)
    for curves in ((low, high), (high, low)):
        notes = {n["text"]: n for n in draw(Chart(*axes, curves), LIGHT).layout.annotations}
        assert notes["high"]["ay"] < notes["low"]["ay"]


def test_curves_that_run_into_each_other_are_named_where_they_are_apart():
    """At the end of the two bells nobody could tell which was with you."""
    x = np.linspace(-5, 6, 111)
    looks = Evidence.EXACT, Source("a paper")
    bells = [
        Curve(name, name, subject, *looks, x, np.exp(-((x - at) ** 2)))
        for name, subject, at in (("left", Subject.BOUNDED, 0), ("right", Subject.GAUSSIAN, 1))
    ]
    axes = Axis("x", "x", log=False), Axis("y", "y", log=False)
    notes = {n["text"]: n for n in draw(Chart(*axes, (*bells,)), LIGHT).layout.annotations}
    assert notes["left"]["x"] < 0.5 < notes["right"]["x"]
    assert min(notes[name]["y"] for name in ("left", "right")) > 0.5


def test_a_line_ends_where_it_reaches_the_least_of_its_axis():
    """It does not leave the figure, and is not cut before it is there."""
    x = np.array([1.0, 10.0, 100.0, 1000.0])
    falls = curve(x=x, y=100 / x**2)
    [line] = named(draw(chart(falls, y=Axis("y", "Y", least=10.0)), LIGHT))
    known = np.isfinite(line.y)
    assert known.sum() == 2
    assert np.array(line.y)[known] == pytest.approx([100, 10])
    assert np.array(line.x)[known] == pytest.approx([1, 10**0.5])


def test_a_simulated_point_below_its_axis_does_not_lie_among_the_numbers():
    falls = curve(Evidence.SIMULATED, x=np.array([1.0, 10.0, 100.0]), y=np.array([50.0, 20.0, 1.0]))
    figure = draw(chart(falls, y=Axis("y", "Y", least=10.0)), LIGHT)
    [points] = named(figure)
    assert 10 ** figure.layout.yaxis.range[0] > 1
    np.testing.assert_array_equal(points.y, [50, 20, np.nan])


@pytest.mark.parametrize("theme", [LIGHT.narrow(), LIGHT, LIGHT.projected(410)])
@pytest.mark.parametrize("high", [1e6, 9e6, 1e12])
def test_numbers_at_an_axis_do_not_touch(theme, high):
    """A digit is half as wide as the letters are high, and a line 1.3 times as high."""
    x = np.geomspace(1e5, high, 9)
    layout = draw(chart(curve(x=x, y=x**-2)), theme).layout
    margin, (low, top) = layout.margin, layout.xaxis.range
    wide = theme.width - margin.l - margin.r
    at = wide * np.log10(layout.xaxis.tickvals) / (top - low)
    half = 0.25 * (theme.font_size - 1) * np.array([len(text) for text in layout.xaxis.ticktext])
    assert len(at) > 1
    assert (np.diff(at) > half[1:] + half[:-1]).all()
    low, top = layout.yaxis.range
    up = (layout.height - margin.t - margin.b) * np.log10(layout.yaxis.tickvals) / (top - low)
    assert (np.diff(up) > 1.3 * (theme.font_size - 1) - 4).all()


@pytest.mark.parametrize("low", [3e-6, 3e-5, 3e-4, 0.03])
def test_a_low_axis_has_two_numbers(low):
    layout = draw(chart(curve(y=np.geomspace(low, 1, 13))), LIGHT.projected(230)).layout
    assert len(layout.yaxis.tickvals) > 1


@pytest.mark.parametrize("theme", [LIGHT.narrow(), LIGHT, LIGHT.projected(410)])
@pytest.mark.parametrize("here", [math.nan, 1e3])
def test_the_title_of_the_y_axis_is_above_a_number_at_its_end(theme, here):
    layout = draw(chart(curve(), here=here), theme).layout
    [title] = [note for note in layout.annotations if note.text.startswith("Error")]
    assert title.yshift >= 0.65 * (theme.font_size - 1) - 4  # there its line has no letters
    assert title.yshift + 1.3 * theme.font_size <= layout.margin.t


def test_brackets_and_numbers_of_theorems_stay_with_their_words():
    assert WordBox.of("central, (ε, δ)", 15, 12).lines == ("central,", "(ε, δ)")
    assert WordBox.of("user level, Theorem 43, constants", 15, 12).lines[1] == "Theorem 43,"


def test_a_plot_of_a_few_lines_has_no_values_among_its_points():
    points = curve(Evidence.SIMULATED)
    one = chart(points, curve(key="b", scale=2.0), here=1e3, in_headline=("a", "b"))
    values = {f"{scale * 31.6:.3g} Δ" for scale in (1, 2)}
    for room, wanted in ((500, values), (230, set())):
        notes = draw(one, LIGHT.projected(room)).layout.annotations
        assert {note.text for note in notes} & values == wanted


def test_numbers_beside_a_low_plot_have_room():
    """There 10⁴ is among so few that it is written out."""
    y = np.geomspace(10**0.4, 10**5.5, X.size)
    low = dataclasses.replace(LIGHT, room=200)
    layout = draw(chart(curve(y=y), y=Axis("users", "Users")), low).layout
    longest = max(map(len, layout["yaxis"]["ticktext"]))
    assert longest == len("10,000")
    assert layout["margin"]["l"] >= 0.5 * low.font_size * longest + 16
