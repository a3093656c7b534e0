"""The view of real data: what it counts, and what its sentences say of it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from dpviz.plot.partial_chart import FADED
from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Axis, Curve, Evidence, SoFar, Source, Subject
from dpviz.topics.public_data.real import learners
from dpviz.topics.public_data.real.data_sets import real_data_set
from dpviz.topics.public_data.real.learners import RealLearner
from dpviz.topics.public_data.views import accuracy_on_real_data as view
from dpviz.topics.public_data.views import accuracy_on_real_data_shown
from tests.support.drags import LOOK
from tests.support.headlines import faults


def scripted(monkeypatch, tables):
    """Learners whose accuracies are written down: by name, (splits, strengths, ε)."""
    learners, written = {}, {}
    for name, (uses_public, values) in tables.items():
        calls = iter(np.array(values).reshape(-1, np.shape(values)[-1]))
        learners[name] = RealLearner(
            name, Subject.LAPLACE, Source("a test"), uses_public,
            tuple(range(np.shape(values)[1])), 0, lambda *_: np.zeros((0, 0)),
        )  # fmt: skip
        written[name] = calls
    monkeypatch.setattr(view, "LEARNERS", learners)
    monkeypatch.setattr(RealLearner, "run", lambda self, *_: next(written[self.title]))


def run(runs, epsilon=1.0, data_set="cancer"):
    return list(
        view.accuracy_on_real_data(
            data_set=data_set,
            public_share=0.25,
            components=3,
            epsilon=epsilon,
            delta=1e-6,
            runs=runs,
            rng=np.random.default_rng(0),
        )
    )


@pytest.mark.parametrize("data_set", ["cancer", "digits", "union"])
def test_what_is_computed_beforehand_is_what_would_be_computed_now(data_set, monkeypatch):
    """And it comes whole at once: for seconds a page said "So far, from 10 of 20"."""

    def charts(runs):
        rng, setting = np.random.default_rng(0), {"public_share": 0.25, "components": 5}
        setting |= {"data_set": data_set, "epsilon": 1.0, "delta": 1e-6}
        return list(view.accuracy_on_real_data(**setting, runs=runs, rng=rng))

    [whole] = charts(20)
    assert whole.done == 1
    [stored] = charts(1)
    monkeypatch.setattr(view.beforehand, "accuracies", lambda *_: None)
    *_, computed = charts(1)
    assert stored.samples == computed.samples
    assert stored.public_points == computed.public_points
    for one, other in zip(stored.curves, computed.curves, strict=True):
        assert one.key == other.key
        np.testing.assert_allclose(one.y, other.y, rtol=1e-12)


def chart_of(gain, lower, upper, here=1.0, runs=20):
    x = np.array([0.1, 1.0, 10.0])

    def curve(key, y):
        return Curve(
            key, key, Subject.LAPLACE, Evidence.SIMULATED, Source("a test"), x, np.array(y)
        )

    without = 0.8
    return view.RealDataChart(
        x=Axis("epsilon", "ε"),
        y=Axis("accuracy", "accuracy"),
        curves=(curve("rrspm", without + np.array(gain)), curve("objective", [without] * 3)),
        here=here,
        data=real_data_set("cancer"),
        samples=285,
        public_points=142,
        dimension=6,
        runs=runs,
        knob="hindsight",
        gain=view.Gain(
            ("rrspm",) * 3, ("objective",) * 3, np.array(gain), np.array(lower), np.array(upper)
        ),
    )


NAN = [np.nan] * 3

CASES = [
    (chart_of([0.1, -0.1, -0.2], [0.05, -0.2, -0.3], [0.2, 0, 0]), "pay at ε up to 0.1;"),
    (chart_of([0.1, -0.1, 0.1], [-0.05, -0.2, 0.05], [0.2, 0, 0.2]), "pay at ε from 10 on;"),
    (chart_of([0.1, -0.1, 0.1], [0.05, -0.2, 0.05], [0.2, 0, 0.2]), "pay at some other ε;"),
    (
        chart_of([-0.1, 0.1, -0.1], [-0.2, 0.05, -0.2], [0, 0.2, 0], here=0.1),
        "pay at some larger ε;",
    ),
    (
        chart_of([-0.1, 0.1, -0.1], [-0.2, 0.05, -0.2], [0, 0.2, 0], here=10.0),
        "pay at some smaller ε;",
    ),
    (chart_of([0.1, 0.1, 0.1], [0.05, 0.05, -0.1], [0.2, 0.2, 0.2]), "pay at ε = "),
    (chart_of([-0.1] * 3, [-0.2] * 3, [-0.05] * 3), "pay at no ε tried"),
    (
        replace(chart_of([-0.1] * 3, [-0.2] * 3, [0.1] * 3), so_far=SoFar(3, "random split", 20)),
        "These splits do not tell whether public points pay at ε = ",
    ),
    (chart_of([-0.1] * 3, NAN, NAN, runs=2), "do not tell whether public points pay at ε = "),
    (
        replace(chart_of([0.1] * 3, NAN, NAN, runs=0), gain=None),
        "The first random split is not computed yet",
    ),
]


def test_the_best_strength_is_chosen_by_its_mean_and_the_gain_is_paired(monkeypatch):
    rng = np.random.default_rng(1)
    tables = {
        "non_private": (False, np.ones((4, 1, 7))),
        "objective": (False, rng.uniform(0.4, 0.9, (4, 2, 7))),
        "rrspm": (True, rng.uniform(0.4, 0.9, (4, 3, 7))),
        "constant": (False, np.full((4, 2, 7), 0.3)),
    }
    scripted(monkeypatch, tables)
    chart = run(4)[-1]
    assert chart.runs == 4
    for place in range(7):
        best = {}
        for name in ("objective", "rrspm"):
            means = tables[name][1].mean(axis=0)[:, place]
            best[name] = tables[name][1][:, np.argmax(means), place]
            assert chart.curve(name).y[place] == pytest.approx(means.max())
        apart = best["rrspm"] - best["objective"]
        half = student.ppf(0.975, 3) * np.std(apart, ddof=1) / 2
        assert chart.gain.mean[place] == pytest.approx(np.mean(apart))
        assert chart.gain.lower[place] == pytest.approx(np.mean(apart) - half)
        assert chart.gain.upper[place] == pytest.approx(np.mean(apart) + half)


def test_in_a_movement_the_labels_stay_and_no_line_joins_what_one_split_says(monkeypatch):
    names = ("non_private", "objective", "rrspm", "constant")
    tables = {name: (name == "rrspm", np.full((3, 1, 7), 0.5)) for name in names}
    scripted(monkeypatch, tables)
    shown = run(2)[-1]
    scripted(monkeypatch, tables)
    first = run(1, epsilon=2.0)[0]
    theme = LOOK.theme(in_parts=True, partial=True, before=(shown,))
    figure = accuracy_on_real_data_shown.VIEW.figure(first, theme)
    bars = [trace for trace in figure.data if trace["type"] == "bar"]
    assert [float(bar["x"][0]) for bar in bars] == [50.0] * 4  # as before, faded
    assert {bar["marker"]["opacity"] for bar in bars} == {FADED}
    assert not [t for t in figure.data if "error_y" in t and t.get("opacity") != FADED]


def test_first_comes_a_learner_and_the_splits_stay_where_they_are(monkeypatch):
    fast = {name: one for name, one in learners.LEARNERS.items() if name != "perturbation"}
    monkeypatch.setattr(view, "LEARNERS", fast)
    charts = run(2)
    assert [curve.key for curve in charts[0].curves] == ["non_private"]
    assert charts[0].gain is None
    assert charts[-1].done == 1
    assert len(charts[-1].curves) == len(fast)
    again = run(1)[-1]
    before = next(chart for chart in charts if chart.runs == 1)
    for curve in again.curves:
        np.testing.assert_array_equal(curve.y, before.curve(curve.key).y)
    # Another ε of the reader's leaves what does not depend on noise alone.
    moved = run(1, epsilon=0.3)[-1]
    assert moved.curve("non_private").y[0] == again.curve("non_private").y[0]


def test_the_bars_say_what_the_sentence_compares_and_keep_what_is_asked():
    chart = chart_of([-0.1] * 3, [-0.2] * 3, [-0.05] * 3)
    view = accuracy_on_real_data_shown.VIEW
    said, asked = (
        [note["text"] for note in view.figure(one, LIGHT).layout["annotations"]]
        for one in (chart, view.prediction.hide(chart))
    )
    for share, with_points in (("80%", "without"), ("70%", "with")):
        assert share in view.takeaway(chart)
        assert f"private, {with_points} public points: {share}" in said
        assert f"private, {with_points} public points: ?" in asked
    assert not any(f"{digit}%" in text for text in asked for digit in range(10))
    lines = [
        [trace for trace in view.figure(one, LIGHT).data if trace.get("mode") == "lines"]
        for one in (chart, view.prediction.hide(chart))
    ]
    [[added], unknown] = lines
    assert added["y"] == pytest.approx(100 * chart.gain.mean)
    assert not unknown


def test_a_prediction_stands_at_the_bar_of_which_it_is():
    chart = chart_of([-0.1] * 3, [-0.2] * 3, [-0.05] * 3)
    prediction = accuracy_on_real_data_shown.VIEW.prediction
    for one in (chart, prediction.hide(chart)):
        layout = accuracy_on_real_data_shown.VIEW.figure(prediction.mark(one, 62.0), LIGHT).layout
        assert 62.0 in [shape["x0"] for shape in layout["shapes"]]
        assert "your prediction" in [note["text"] for note in layout["annotations"]]


@pytest.mark.parametrize(("chart", "said"), CASES, ids=[said for _, said in CASES])
def test_the_sentence_says_where_public_points_pay(chart, said):
    takeaway = accuracy_on_real_data_shown.VIEW.takeaway(chart)
    assert said in takeaway
    assert not faults(takeaway)
    detail = accuracy_on_real_data_shown.VIEW.detail(chart)
    assert "nan" not in detail
    assert bool(detail) == (chart.gain is not None)
    if chart.gain is not None:
        assert "80%" in takeaway
        assert "285 private patients" in detail


@pytest.mark.parametrize(
    ("knob", "said"),
    [("hindsight", "at its best with hindsight"), ("private", "chosen in private")],
)
def test_how_the_knob_was_set_is_said(knob, said):
    chart = replace(chart_of([0.1] * 3, NAN, NAN), knob=knob)
    assert said in accuracy_on_real_data_shown.VIEW.detail(chart)
    notes = " ".join(accuracy_on_real_data_shown.VIEW.notes(chart))
    assert ("exponential mechanism" in notes) == (knob == "private")


def test_notes_name_what_was_left_out():
    chart = chart_of([0.1] * 3, NAN, NAN)
    assert len(accuracy_on_real_data_shown.VIEW.notes(chart)) == 6
    said = " ".join(accuracy_on_real_data_shown.VIEW.notes(chart))
    assert "random splits of this one data set, after that choice" in said
    assert "read from all rows, private ones too" in said
    data = replace(chart.data, left_out=3, ignored=("a", "b", "c", "d"))
    notes = accuracy_on_real_data_shown.VIEW.notes(replace(chart, data=data))
    assert notes[-2].startswith("3 of ")
    assert notes[-1].endswith("a, b, c and others.")
