"""The sentences of the user-complexity page, its strip of dominating terms, and its presets."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.text import readable
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import LIMITS
from dpviz.topics.user_complexity import figures, words
from dpviz.topics.user_complexity.dominance import AXES
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import ROWS, select
from dpviz.topics.user_complexity.views.budget import budget_against_m
from dpviz.topics.user_complexity.views.hidden_constants import hidden_constants
from dpviz.topics.user_complexity.views.own_bound import own_bound
from dpviz.topics.user_complexity.views.users import users_against
from tests.support.declarations import finest, page, shown
from tests.support.examples import chosen, examples
from tests.support.specs import Checked
from tests.support.strategies import inside

figures = Checked(figures)

COVERED = sorted({(row.problem, row.privacy, row.model) for row in ROWS})
PAGE = page("user_complexity")
few = examples(15)


# The strip.


@pytest.mark.parametrize(("problem", "privacy", "model"), COVERED)
@pytest.mark.parametrize("theme", [LIGHT, DARK.narrow()], ids=["light", "narrow"])
@few
@given(data=st.data(), epsilon=inside("epsilon"), alpha=inside("alpha"))
def test_the_strip_covers_the_axis_and_names_the_largest_term(
    problem, privacy, model, theme, data, epsilon, alpha
):
    rows = select(problem=problem, privacy=privacy, model=model)
    axis = data.draw(st.sampled_from([a for a in AXES if any(a in row.parameters for row in rows)]))
    setting = {"epsilon": epsilon, "alpha": alpha}
    chart = users_against(problem=problem, privacy=privacy, model=model, axis=axis, **setting)
    figure = figures.users_figure(chart, theme)
    bars = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    names = [note.hovertext for note in figure.layout.annotations if note.hovertext]
    assert len(bars) == len(names) > 0
    low, high = figure.layout.xaxis.range
    edges = [math.log10(bars[0].x0), *(math.log10(bar.x1) for bar in bars)]
    assert edges[0] == pytest.approx(low)
    assert edges[-1] == pytest.approx(high)
    assert all(bar.x0 == before.x1 for before, bar in itertools.pairwise(bars))
    [row] = [row for row in rows if row.key == chart.primary]
    values = {s: LIMITS[n].default for s, n in PARAMETERS.items()} | setting
    for bar, name in zip(bars, names, strict=True):
        middle = math.sqrt(bar.x0 * bar.x1)
        terms = row.terms(**{**values, axis: middle})
        assert terms[name] == pytest.approx(max(terms.values()), rel=1e-9)


def test_the_strip_takes_no_room_from_the_plot_and_narrow_parts_hide_their_names():
    chart = users_against(problem="discrete", epsilon=0.1, alpha=0.0999)
    figure, plain = figures.users_figure(chart, LIGHT), figures.draw(chart, LIGHT)
    added = figure.layout.height - plain.layout.height
    assert added == figure.layout.margin.b - plain.layout.margin.b > 0
    texts = {n.hovertext: n.text for n in figure.layout.annotations if n.hovertext}
    assert texts["k/(εα√m)"] == "k/(εα√m)"
    assert texts["k/(α²m)"] == "…"


def test_on_a_projector_the_strip_is_whole_and_no_words_stand_over_the_curves():
    chart = users_against(problem="discrete", epsilon=0.1, alpha=0.05)
    theme = LIGHT.projected(400)
    small, large = (figures.users_figure(chart, each).layout for each in (LIGHT, theme))
    crossing = {c.text for c in chart.crossings}
    assert crossing
    told = [{n.text.replace("<br>", " ") for n in each.annotations} for each in (small, large)]
    assert crossing <= told[0]
    assert not crossing & told[1]
    bars = [shape for shape in large.shapes if shape.type == "rect"]
    [heading] = [n for n in large.annotations if n.text.startswith("Largest term")]
    assert all(0 < -bar.y1 <= large.margin.b for bar in bars)
    assert all(-heading.yshift + heading.font.size <= -bar.y0 for bar in bars)


# The sentences: their numbers, against the formulas written out.


def test_users_in_a_sentence():
    setting = {"domain_size": 1000, "epsilon": 0.1, "alpha": 0.01, "examples_per_user": 2500}
    chart = users_against(problem="discrete", **setting)
    # 10⁴ + 2·10⁴ + 4·10³ users, and 10⁶ + 10⁷ with one example each.
    assert words.users_detail(chart) == (
        "With 2,500 examples each, Theorem 43 asks for 34,000 users up to constants, "
        "324 times fewer than with one example each (√m = 50); k/(εα√m) dominates."
    )
    moved = users_against(problem="discrete", axis="alpha", **setting)
    assert words.users_detail(moved).startswith("At these values, Theorem 43 asks for 34,000")


def test_a_failed_assumption_is_part_of_the_sentence():
    chart = users_against(problem="pac", model="local")
    sentence = words.users_detail(chart)
    assert "Theorem 2 (2021) asks for" in sentence
    assert sentence.endswith("But m ≥ d³/α² fails: m is 100, d³/α² is 4e8.")


@few
@given(constant=inside("constant"), log_power=inside("log_power"), m=inside("examples_per_user"))
def test_constants_in_a_sentence(constant, log_power, m):
    chart = hidden_constants(
        problem="pac", constant=constant, log_power=log_power, examples_per_user=m
    )
    sentence = words.constants_detail(chart)
    assert f"asks for {readable(chart.users)} users" in sentence
    d, epsilon, alpha = (LIMITS[n].default for n in ("dimension", "epsilon", "alpha"))
    limit = constant * d / epsilon * max(1, math.log(d / epsilon)) ** log_power
    never = "No m, however large" in sentence
    # In the limit of many examples d/ε is left, against d/(εα) with one example each.
    assert never or limit < d / (epsilon * alpha)
    assert ("times more" in sentence) == (m > 1 and chart.users > chart.item_level * 1.005)


def test_an_earlier_bound_that_catches_up_is_mentioned():
    chart = hidden_constants(problem="pac", dimension=2, epsilon=0.5, constant=1)
    assert words.constants_detail(chart).endswith("until earlier work catches up at m = 3,200.")
    never = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3)
    assert words.constants_detail(never).endswith("but some earlier bound is always as good.")


def test_the_budget_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, m = 1: ε′ = (1/4)/(4 · 2) and δ′ = e⁻⁴/8."""
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = words.budget_detail(budget_against_m(**setting))
    assert "ε′ = 0.0312 and δ′ = 0.00229" in sentence
    assert "group privacy needs ε/m = 0.5. Only from" in sentence
    tiny = budget_against_m(epsilon=0.5, delta=1e-300, examples_per_user=10**24)
    # ln δ′ = ln(ε/(m ln(1/δ))) + ln δ: 0.5/(10²⁴ · 691) = 10⁻²⁷·¹⁴.
    assert "δ′ = about 10⁻³²⁷" in words.budget_detail(tiny)
    assert "is the milder demand from" in words.budget_detail(tiny)


def test_a_budget_like_that_of_group_privacy_is_called_as_private():
    alike = budget_against_m(epsilon=0.1, delta=1e-6, examples_per_user=100)
    for group, said in (
        (1.004, "algorithm as private as group privacy asks"),
        (1.2, "1.2 times more private"),
        (0.5, "2 times less private"),
    ):
        chart = replace(alike, theorem=1e-4, group=group * 1e-4)
        assert said in words.budget_takeaway(chart)


@pytest.mark.parametrize(("problem", "axis"), [("discrete", "m"), ("selection", "m"), ("pac", "d")])
def test_one_example_each_is_not_compared_with_itself(problem, axis):
    one, two = (users_against(problem=problem, axis=axis, examples_per_user=m) for m in (1, 2))
    for sentence in (words.users_takeaway, words.users_detail):
        assert "with one example each" in sentence(two)
        assert "with one example each" not in sentence(one)
    both = [hidden_constants(problem=problem, examples_per_user=m) for m in (1, 2)]
    assert "at m = 1. " in words.constants_detail(both[0])
    assert "with one example each" in words.constants_detail(both[1])


def test_a_bound_below_one_user_is_said_in_words():
    """k/ε + k/(εα√m) + k/(α²m) = 2 (0.1 + 0.2/10⁵ + 4/10¹⁰) users, times 0.01."""
    setting = {"domain_size": 2, "epsilon": 10, "alpha": 0.5, "examples_per_user": 1e10}
    chart = users_against(problem="discrete", constant=0.01, **setting)
    assert chart.users == pytest.approx(0.002, rel=0.1)
    assert ", less than one user is enough" in words.users_takeaway(chart)
    assert "asks for less than one user up to" in words.users_detail(chart)
    constants = hidden_constants(problem="discrete", constant=0.01, **setting)
    assert "asks for less than one user at" in words.constants_detail(constants)
    assert ", 1 user is enough" in words.users_takeaway(replace(chart, users=1.0))
    own = own_bound(
        n_priv=1, n_stat=1, c=0, epsilon=1, delta=1e-3, examples_per_user=1e12, constant=0.01
    )
    sentence = words.own_detail(replace(own, theorem_10=0.3, group=0.4))
    assert "become less than one user of" in sentence
    assert "and less than one by group" in sentence


def test_group_privacy_is_named_where_it_is_cheaper():
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    chart = own_bound(**own, epsilon=0.5, delta=math.exp(-4), examples_per_user=1)
    for users, said in (
        ({"theorem_10": 40.0, "group": 20.0}, "Plain group privacy is cheaper"),
        ({"theorem_10": 20.0, "group": 40.0}, "The transformation pays"),
        ({"theorem_10": 120.0, "group": 100.0}, "It does not pay"),
        ({"theorem_10": 120.0, "group": 90.0}, "Plain group privacy is cheaper"),
    ):
        sentence = words.own_takeaway(replace(chart, item_level=100.0, **users))
        assert sentence.startswith(said)
    sentence = words.own_takeaway(replace(chart, item_level=100.0, theorem_10=40.0, group=20.0))
    assert "asks for 20 users, the transformation for 40, up to constants" in sentence


def test_the_readers_own_bound_in_a_sentence():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: 8 + 320 + 7 by Theorem 10, 27 before."""
    own = {"n_priv": 10, "n_stat": 7, "c": 0}
    setting = {"epsilon": 0.5, "delta": math.exp(-4), "examples_per_user": 1}
    sentence = words.own_detail(own_bound(**own, **setting))
    assert sentence.startswith("27 users of one example each become 335 users of 1 example by")
    assert "(12.4 times more than before), and 27 by group privacy." in sentence


# The presets show what their names say.


def test_the_root_m_saving():
    _, chart, values = shown(PAGE, "The √m saving")
    assert chart.saving == pytest.approx(math.sqrt(values["examples_per_user"]), rel=0.02)
    curve = chart.curve(chart.primary)
    [stretch] = [s for s in chart.stretches if s.start <= chart.here <= s.stop]
    assert stretch.term == "k/(εα√m)"
    assert stretch.stop >= 1e4 * stretch.start
    slope = np.gradient(np.log(curve.y), np.log(curve.x))
    assert slope[np.abs(np.log(curve.x / chart.here)).argmin()] == pytest.approx(-0.5, abs=0.06)


def test_where_earlier_work_starts_to_hold():
    _, chart, values = shown(PAGE, "Many examples: where earlier work starts to hold")
    starts = {c.key: c.x[c.holds.argmax()] for c in chart.curves if "earlier" in c.label}
    starts["cs1-pure-upper"] = float(values["dimension"]) ** 3 / float(values["alpha"]) ** 2
    assert all(1 < start < chart.curves[0].x[-1] for start in starts.values())
    assert sum("holds from m" in mark.text for mark in chart.marks) == 2
    assert min(starts.values()) < values["examples_per_user"]
    # The new bound is as low as it gets long before.
    assert max(c.x for c in chart.crossings) < min(starts.values()) / 1000


def test_pure_equals_approximate_at_intermediate_m():
    _, chart, values = shown(PAGE, "Pure equals approximate at intermediate m")
    m, epsilon, alpha = (float(values[n]) for n in ("examples_per_user", "epsilon", "alpha"))
    assert epsilon**2 / alpha**2 < m < 1 / alpha**2
    assert chart.pure == pytest.approx(chart.approximate, rel=0.03)
    assert m < chart.helps_from < chart.curves[0].x[-1]
    sentence = words.pure_approximate_detail(chart)
    assert "the same up to a factor 1.0" in sentence


def test_the_local_model():
    _, chart, values = shown(PAGE, "Local model")
    assert values["model"] == "local"
    assert not chart.unmet
    assert chart.users == pytest.approx(values["dimension"] / values["epsilon"] ** 2)
    assert chart.saving > 1000
    assert any("holds from m" in mark.text for mark in chart.marks)


def test_parity_in_the_local_model():
    view, chart, values = shown(PAGE, "Parity in the local model")
    m = float(values["examples_per_user"])
    assert not chart.unmet
    assert chart.users < chart.item_level / m / 1e8
    sentence = view.detail(chart)
    assert "asks for 400 users" in sentence
    assert "saves more than a factor m" in sentence
    drawn = view.figure(chart, LIGHT)
    assert not any(trace.get("fill") for trace in drawn.data)
    usual = {**values, "sq_dimension": 1e6, "dimension": 20.0, "examples_per_user": 10**7}
    assert "factor m" not in view.detail(view.compute(**PAGE.arguments(view, usual)))


def test_constants_kill_it():
    view, chart, values = shown(PAGE, "Constants eat up the saving")
    assert math.isinf(chart.beats_discarding)
    assert chart.users > chart.item_level
    without = view.compute(**PAGE.arguments(view, values) | {"constant": 1, "log_power": 0})
    assert without.saving > 10
    assert "No m, however large" in view.detail(chart)


# Controls without effect are hidden.


@pytest.mark.parametrize(
    "view", [v for v in PAGE.views if v.key in ("users", "constants", "kinds")]
)
@few
@given(data=st.data())
def test_a_hidden_control_has_no_effect_and_a_shown_one_is_in_the_formulas(view, data):
    covered = [c for c in COVERED if view.key != "kinds" or c[0] in ("pac", "discrete", "product")]
    problem, privacy, model = data.draw(st.sampled_from(covered))
    values = {p.key: p.default for p in PAGE.url_parameters}
    values |= {"problem": problem, "privacy": privacy, "model": model, "log_power": 1.0}
    idle = sorted(view.idle(values) & set(view.parameters))
    changed = dict(values)
    for key in idle:
        changed[key] = data.draw(
            st.booleans() if isinstance(values[key], bool) else inside(key), label=key
        )
    before, after = (view.compute(**PAGE.arguments(view, v)) for v in (values, changed))
    assert view.detail(before) == view.detail(after)
    assert view.takeaway(before) == view.takeaway(after)
    for name, column in before.columns().items():
        np.testing.assert_array_equal(column, after.columns()[name])


@pytest.mark.parametrize(
    ("problem", "hidden", "used"),
    [
        ("discrete", {"dimension", "delta", "hypotheses", "earlier", "lower"}, {"domain_size"}),
        ("agnostic", {"domain_size", "littlestone_dimension"}, {"vc_dimension", "dimension"}),
        ("selection", {"dimension", "domain_size"}, {"hypotheses", "failure_probability"}),
    ],
)
def test_what_a_problem_needs_is_in_sight(problem, hidden, used):
    view = PAGE.views[0]
    values = {p.key: p.default for p in PAGE.url_parameters} | {"problem": problem}
    idle = view.idle(values)
    assert hidden <= idle
    assert not used & idle
    uncovered = values | {"problem": "selection", "model": "local"}
    assert {"alpha", "axis", "constant"} <= view.idle(uncovered)
    assert not {"problem", "privacy", "model"} & view.idle(uncovered)


def test_no_sentence_shows_a_number_it_should_not():
    for view in chosen(PAGE.views, PAGE.views[::2]):
        values = {p.key: p.default for p in PAGE.url_parameters}
        result = finest(PAGE, view, values)
        sentence = view.takeaway(result) + view.detail(result)
        assert not re.search(r"\bnan\b|undefined|∞|e[+-]\d", sentence)
