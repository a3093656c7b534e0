"""Every bound for one problem: its curves, marks and sentences, and the strip below."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.plot.theme import LIGHT
from dpviz.results.evidence import Evidence, Subject
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.user_complexity.dominance import AXES
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.views.bounds_on_users import bounds_on_users
from dpviz.topics.user_complexity.views.bounds_on_users_shown import VIEW
from tests.support.declarations import last, page, shown
from tests.support.examples import examples
from tests.support.specs import Checked
from tests.support.strategies import inside
from tests.support.tabulated_bounds import COVERED, any_setting, check_chart, every_problem

figure = Checked(VIEW.figure)

PAGE = page("user_complexity")


@every_problem
@examples(20)
@given(data=st.data(), setting=any_setting())
def test_bounds_along_any_parameter_at_any_setting(problem, privacy, model, data, setting):
    rows = select(problem=problem, privacy=privacy, model=model)
    axes = [axis for axis in AXES if any(axis in row.parameters for row in rows)]
    axis = data.draw(st.sampled_from(axes))
    quantity = data.draw(st.sampled_from(["users", "samples"]))
    constant, power = data.draw(inside("constant")), data.draw(inside("log_power"))
    chart = bounds_on_users(
        problem=problem,
        privacy=privacy,
        model=model,
        axis=axis,
        quantity=quantity,
        constant=constant,
        log_power=power,
        **setting,
    )
    check_chart(chart)
    assert {row.key for row in rows} <= {curve.key for curve in chart.curves}
    assert all(curve.evidence is Evidence.ASYMPTOTIC for curve in chart.curves)
    assert chart.saving == pytest.approx(chart.item_level / chart.users)
    # Drawn are the rows' own numbers over n₁ here; times m, of examples in all.
    values = {s: setting.get(n, LIMITS[n].default) for s, n in PARAMETERS.items()}
    for row in rows:
        curve = chart.curve(row.key)
        i = data.draw(st.integers(0, len(curve.x) - 1))
        point = {**values, axis: curve.x[i]}
        shape = row.value(**point)
        logarithm = math.log(shape) if shape else -math.inf
        logarithm += math.log(1 / values["delta"]) if privacy == "approximate" else 0
        factor = constant * max(logarithm, 1) ** power if row.key == chart.primary else 1
        factor *= point["m"] if quantity == "samples" and row.level == "user" else 1
        users = float(row.value(**point) * factor)
        assert curve.y[i] == pytest.approx(users / chart.item_level, rel=1e-12)
        assert curve.holds[i] == row.holds(**point)
    [primary] = [row for row in rows if row.key == chart.primary]
    terms = primary.terms(**values)
    assert terms[chart.leading] == pytest.approx(max(terms.values()), rel=1e-9)


def test_users_at_a_setting_by_hand():
    """k = 1000, ε = 0.1, α = 0.01, m = 2500: 10⁴ + 2·10⁴ + 4·10³ users instead of 1.1·10⁷."""
    chart = bounds_on_users(
        problem="discrete", domain_size=1000, epsilon=0.1, alpha=0.01, examples_per_user=2500
    )
    assert chart.users == pytest.approx(34000)
    assert chart.item_level == pytest.approx(1.1e7)
    assert chart.leading == "k/(εα√m)"
    assert [crossing.x for crossing in chart.crossings] == pytest.approx([100, 1e4])
    # At 1/α² the terms are k/ε twice and k/(α² m) = 10³.
    assert chart.crossings[1].value == pytest.approx(2.1e4)
    assert "until m = 1/α²" in chart.crossings[1].text
    assert not chart.landmarks
    doubled = bounds_on_users(
        problem="discrete",
        domain_size=1000,
        epsilon=0.1,
        alpha=0.01,
        examples_per_user=2500,
        constant=2,
        quantity="samples",
    )
    assert doubled.users == pytest.approx(68000)
    assert doubled.value(doubled.primary) == pytest.approx(68000 * 2500 / 1.1e7)
    assert doubled.y.label.startswith("Examples in all")


@pytest.mark.parametrize(
    ("problem", "privacy"),
    [(problem, kind) for problem, kind, model in COVERED if model != "local"],
)
@examples(20)
@given(setting=any_setting())
def test_band_of_observation_28(problem, privacy, setting):
    rows = select(problem=problem, privacy=privacy, model="central")
    chart = bounds_on_users(problem=problem, privacy=privacy, **setting)
    known_below = any(r.level == "item" and r.bound in ("lower", "tight") for r in rows)
    assert any(curve.key == "sandwich" for curve in chart.curves) == known_below
    if not known_below:
        assert any("no band" in note for note in VIEW.notes(chart))
        return
    band = chart.curve("sandwich")
    lower, upper = band.lower, band.upper  # in units of n₁
    assert upper == pytest.approx(1)
    top = next(r for r in rows if r.level == "item" and r.bound in ("upper", "tight"))
    assert chart.curve(top.key).y == pytest.approx(upper)
    bottom = next(r for r in rows if r.level == "item" and r.bound in ("lower", "tight"))
    assert lower == pytest.approx(chart.curve(bottom.key).y / band.x)
    # Tight rows stay inside, up to the number of their summands.
    for row in rows:
        if row.bound == "tight" and row.level == "user" and row.threshold is None:
            users = chart.curve(row.key).y
            assert (lower <= users * (1 + 1e-9)).all()
            assert (users <= len(row.summands) * upper * (1 + 1e-9)).all()


@examples(20)
@given(setting=any_setting(), quantity=st.sampled_from(["users", "samples"]), item=st.booleans())
def test_the_local_model_keeps_the_upper_end_alone(setting, quantity, item):
    chart = bounds_on_users(problem="pac", model="local", quantity=quantity, item=item, **setting)
    ends = chart.curve("sandwich")
    assert ends.lower is None
    assert ends.upper is None
    assert ends.label == "at most n₁ users"
    assert ends.y == pytest.approx(ends.x if quantity == "samples" else 1)
    assert not any("below" in note or "band" in note for note in VIEW.notes(chart))
    assert any("only n_m ≤ n₁ of Observation 28 holds" in note for note in VIEW.notes(chart))


def test_local_users_do_better_than_pooling_lets_central_ones():
    """d = 100, d_SQ = 10²⁰, ε = 1/2, m = 10⁹: d/ε² = 400 users, where n₁/m = 10¹¹."""
    parity = {"dimension": 100, "sq_dimension": 1e20, "epsilon": 0.5, "examples_per_user": 1e9}
    chart = bounds_on_users(problem="pac", model="local", **parity)
    assert not chart.unmet
    assert chart.users == pytest.approx(400)
    assert chart.item_level / 1e9 == pytest.approx(1e11)
    assert chart.beyond_pooling
    assert not any("leaves" in note for note in VIEW.notes(chart))
    # With d³/α² out of reach Theorem 2 promises nothing, and a smaller saving proves nothing.
    assert not bounds_on_users(problem="pac", model="local", **parity, alpha=1e-3).beyond_pooling
    little = parity | {"sq_dimension": 1e11}
    assert not bounds_on_users(problem="pac", model="local", **little).beyond_pooling


@every_problem
@examples(20)
@given(setting=any_setting())
def test_in_the_central_model_nothing_is_beyond_pooling(problem, privacy, model, setting):
    chart = bounds_on_users(problem=problem, privacy=privacy, model=model, **setting)
    assert chart.model == model
    assert not (chart.beyond_pooling and model == "central")


def test_the_factor_between_add_or_remove_and_substitute():
    """Twice d/ε, and twice ln(1/δ)/ε with δ/(1 + e^(ε/2)) in place of δ."""
    pure = bounds_on_users(problem="pac", epsilon=1e-3)
    (note,) = [n for n in VIEW.notes(pure) if "for substituting one" in n]
    assert note.startswith("ε for adding or removing a user is 2ε for substituting one")
    assert "user level, Theorem 3 (2021) 2 times, item level (2021) 2 times as large" in note
    assert "Lemma 4" not in note
    mixed = bounds_on_users(problem="pac", privacy="approximate", epsilon=0.5, delta=0.01)
    (note,) = [n for n in VIEW.notes(mixed) if "for substituting one" in n]
    factor = 2 * math.log((1 + math.exp(0.25)) / 0.01) / math.log(100)
    assert f"user level, Theorem 1 (2021) {factor:.3g} times as large" in note
    for alike in ({"problem": "discrete"}, {"problem": "pac", "model": "local"}):
        assert not any("2ε" in n for n in VIEW.notes(bounds_on_users(**alike)))


def test_leaving_the_band_is_said():
    chart = bounds_on_users(problem="discrete", privacy="approximate", alpha=0.5, epsilon=0.01)
    (note,) = [n for n in VIEW.notes(chart) if n.startswith("user level, Theorem 10 leaves")]
    assert "above" in note
    assert "m = 1 to " in note
    curve, band = chart.curve("ul2-discrete-new"), chart.curve("sandwich")
    last = float(note.split(" to ")[1].split(":")[0].replace(",", ""))
    assert last == pytest.approx(curve.x[curve.y > band.upper].max(), rel=1e-2)
    (once,) = [n for n in VIEW.notes(bounds_on_users(problem="discrete")) if "leaves" in n]
    assert " to " not in once
    quiet = bounds_on_users(problem="discrete", axis="epsilon", examples_per_user=100)
    assert not any("leaves" in n for n in VIEW.notes(quiet))


def test_choice_of_curves_and_colours():
    chart = bounds_on_users(problem="pac")
    subjects = {curve.key: curve.subject for curve in chart.curves}
    assert subjects["ul1-pac-new"] is Subject.USER_LEVEL
    assert subjects["ul1-pac-earlier"] is Subject.EARLIER
    assert subjects["cs1-pure-upper"] is Subject.EARLIER
    assert subjects["cs1-pure-lower"] is Subject.LOWER_BOUND
    assert subjects["ul1-pac-item"] is Subject.ITEM_LEVEL
    bare = bounds_on_users(problem="pac", item=False, earlier=False, lower=False)
    assert [curve.key for curve in bare.curves] == ["sandwich", "ul1-pac-new"]
    # In the local model the older paper's bound is the new one.
    local = bounds_on_users(problem="pac", model="local")
    assert local.curve("cs1-local-upper").subject is Subject.USER_LEVEL


def test_earlier_work_is_marked_where_it_starts_or_the_note_says_where():
    near = bounds_on_users(problem="pac", dimension=2, epsilon=1, alpha=0.1)
    assert [m.x for m in near.landmarks if "holds from m" in m.text] == pytest.approx([400, 800])
    assert near.item_level * near.curve("ul1-pac-earlier").y[0] == pytest.approx(2)
    far = bounds_on_users(problem="pac", dimension=1000, epsilon=0.01, alpha=0.01)
    assert not any("holds from m" in mark.text for mark in far.landmarks)
    assert any(
        "m = 10¹⁴, beyond" in n for n in VIEW.notes(far) if n.startswith("earlier user-level")
    )


def test_failing_conditions_are_named_with_what_would_satisfy_them():
    chart = bounds_on_users(problem="pac", model="local", epsilon=2, examples_per_user=100)
    assert [text for text in chart.unmet if text.startswith("m ≥ d³/α² fails")]
    (first, second) = [n for n in VIEW.notes(chart) if "Theorem 2 (2021): " in n and "fails" in n]
    assert "m ≥ d³/α² fails: m is 100, d³/α² is 4 × 10⁸" in first
    assert "ε < 1 fails: ε is 2" in second
    assert not chart.curve("cs1-local-upper").holds.any()
    met = bounds_on_users(problem="pac", model="local", epsilon=0.5, examples_per_user=1e9)
    assert not met.unmet
    assert not any("fails" in note for note in VIEW.notes(met))


def test_powers_the_papers_leave_open_are_said():
    chart = bounds_on_users(problem="pac", model="local", sq_power=3)
    assert any("SQDim^O(1) open; drawn with c_SQ = 3" in note for note in VIEW.notes(chart))
    assert chart.item_level == pytest.approx(1e18)


def test_hypothesis_selection_has_its_own_baseline():
    chart = bounds_on_users(problem="selection")
    assert chart.curve("one-each").y == pytest.approx(1)
    assert chart.curve("ul-selection-new").y[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"problem": "sorting"}, "problem"),
        ({"problem": "agnostic", "privacy": "approximate"}, "privacy and model"),
        ({"problem": "pac", "privacy": "approximate", "model": "local"}, "privacy and model"),
        ({"problem": "pac", "axis": "k"}, "axis"),
        ({"problem": "discrete", "axis": "delta"}, "axis"),
        ({"problem": "pac", "quantity": "money"}, "quantity"),
        ({"problem": "pac", "constant": 0}, "constant"),
    ],
)
def test_bounds_on_users_refuses(wrong, name):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        bounds_on_users(**wrong)


def test_refusal_says_what_the_papers_cover():
    with pytest.raises(ParameterError, match="pure-DP in the central model for agnostic PAC"):
        bounds_on_users(problem="agnostic", privacy="approximate")
    with pytest.raises(ParameterError, match="one of m, epsilon, alpha, d for PAC learning"):
        bounds_on_users(problem="pac", axis="k")


def test_what_observation_28_allows_is_told_and_not_drawn():
    chart = bounds_on_users(problem="discrete", examples_per_user=100)
    assert chart.allowed is not None
    drawn = figure(chart, LIGHT)
    assert not any(trace.fill for trace in drawn.data)
    texts = [note.text.replace("<br>", " ") for note in drawn.layout.annotations]
    assert {"one example each", "m examples each"} <= set(texts)
    assert VIEW.takeaway(chart) == (
        "With 100 examples each instead of one, learning discrete distributions takes about 20 "
        "times fewer users (constants dropped)."
    )
    pac = VIEW.takeaway(bounds_on_users(problem="pac", examples_per_user=100))
    assert " instead of one, PAC learning takes about " in pac
    first = chart.crossings[0]
    assert any(first.text in note for note in VIEW.notes(chart))


def test_users_in_a_sentence():
    setting = {"domain_size": 1000, "epsilon": 0.1, "alpha": 0.01, "examples_per_user": 2500}
    chart = bounds_on_users(problem="discrete", **setting)
    # 10⁴ + 2·10⁴ + 4·10³ users, and 10⁶ + 10⁷ with one example each.
    assert VIEW.detail(chart) == (
        "With 2,500 examples each, Theorem 43 asks for k/ε + k/(εα√m) + k/(α²m), which is "
        "34,000 users up to constants, about 320 times fewer than with one example each "
        "(√m = 50); k/(εα√m) dominates. The number of users is falling as 1/m until m = 100, "
        "falling as 1/√m until m = 10,000, flat in m."
    )
    moved = bounds_on_users(problem="discrete", axis="alpha", **setting)
    assert VIEW.detail(moved).startswith(
        "At these values, Theorem 43 asks for k/ε + k/(εα√m) + k/(α²m), which is 34,000 users"
    )


def test_a_failed_assumption_is_part_of_the_sentence():
    chart = bounds_on_users(problem="pac", model="local")
    unmet = "m ≥ d³/α² fails: m is 100, d³/α² is 4 × 10⁸."
    headline = VIEW.takeaway(chart)
    assert headline == "With 100 examples each the theorem does not apply: it needs m ≥ d³/α²."
    sentence = VIEW.detail(chart)
    assert "Theorem 2 (2021) asks for" in sentence
    assert sentence.endswith(f"But {unmet}")
    texts = [note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"]]
    assert not any("about" in text for text in texts)  # no saving is drawn either


def test_the_root_m_saving():
    _, chart, values = shown(PAGE, "The √m saving")
    assert chart.saving == pytest.approx(math.sqrt(values["examples_per_user"]), rel=0.02)
    curve = chart.curve(chart.primary)
    assert chart.leading == "k/(εα√m)"
    slope = np.gradient(np.log(curve.y), np.log(curve.x))
    assert slope[np.abs(np.log(curve.x / chart.here)).argmin()] == pytest.approx(-0.5, abs=0.06)


def test_where_earlier_work_starts_to_hold():
    _, chart, values = shown(PAGE, "Earlier work starts to hold")
    starts = {c.key: c.x[c.holds.argmax()] for c in chart.curves if "earlier" in c.label}
    starts["cs1-pure-upper"] = float(values["dimension"]) ** 3 / float(values["alpha"]) ** 2
    assert all(1 < start < chart.curves[0].x[-1] for start in starts.values())
    assert sum("holds from m" in mark.text for mark in chart.landmarks) == 2
    assert min(starts.values()) < values["examples_per_user"]
    # The new bound is as low as it gets long before.
    assert max(c.x for c in chart.crossings) < min(starts.values()) / 1000


def test_the_local_model():
    _, chart, values = shown(PAGE, "Local model")
    assert values["model"] == "local"
    assert not chart.unmet
    assert chart.users == pytest.approx(values["dimension"] / values["epsilon"] ** 2)
    assert chart.saving > 1000
    assert any("holds from m" in mark.text for mark in chart.landmarks)


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


@pytest.mark.parametrize(
    ("problem", "hidden", "used"),
    [
        ("discrete", {"dimension", "delta", "hypotheses", "earlier", "lower"}, {"domain_size"}),
        ("agnostic", {"domain_size", "littlestone_dimension"}, {"vc_dimension", "dimension"}),
        ("selection", {"dimension", "domain_size"}, {"hypotheses", "failure_probability"}),
    ],
)
def test_what_a_problem_needs_is_in_sight(problem, hidden, used):
    view = PAGE.open_view({"view": "users"})
    values = {p.key: p.default for p in PAGE.url_parameters} | {"problem": problem}
    idle = view.idle(values)
    assert hidden <= idle
    assert not used & idle
    uncovered = values | {"problem": "selection", "model": "local"}
    assert {"alpha", "axis", "constant"} <= view.idle(uncovered)
    assert not {"problem", "privacy", "model"} & view.idle(uncovered)


@examples(60)
@given(constant=inside("constant"), log_power=inside("log_power"), epsilon=inside("epsilon"))
def test_users_are_saved_from_the_smallest_m_on(constant, log_power, epsilon):
    """Checked by the definition, with the formula of Theorem 43 written out."""
    k, alpha = 1000, 0.05

    def users(m):
        f = k / epsilon + k / (epsilon * alpha * math.sqrt(m)) + k / (alpha**2 * m)
        return constant * f * max(1, math.log(f)) ** log_power

    n_1 = k / (epsilon * alpha) + k / alpha**2
    chart = bounds_on_users(
        problem="discrete", constant=constant, log_power=log_power, epsilon=epsilon
    )
    m = chart.saves_from
    if math.isinf(m):
        assert users(1e24) >= n_1 * (1 - 1e-9)
        assert not chart.changed or "no m makes up for" in VIEW.detail(chart)
    else:
        assert users(m) < n_1 * (1 + 1e-9)
        assert m == 1 or users(m - 1) >= n_1 * (1 - 1e-9)


def test_constants_kill_the_saving():
    view, chart, values = shown(PAGE, "Constants eat up the saving")
    assert math.isinf(chart.saves_from)
    assert chart.users > chart.item_level
    assert "about 1.3 times more users than with one each (with these constants)" in view.takeaway(
        chart
    )
    without = view.compute(**PAGE.arguments(view, values) | {"constant": 1, "log_power": 0})
    assert without.saving > 10


def test_what_a_delta_saves_by_hand():
    """The best of all tabulated bounds of both kinds; what is pure counts for both."""
    k, alpha, epsilon, m = 500, 0.1, 0.5, 1000
    chart = bounds_on_users(
        problem="discrete",
        privacy="approximate",
        domain_size=k,
        alpha=alpha,
        epsilon=epsilon,
        examples_per_user=m,
    )
    private, rest = k / (epsilon * alpha * math.sqrt(m)), k / (alpha**2 * m)
    assert chart.pure == pytest.approx(k / epsilon + private + rest)
    assert chart.approximate == pytest.approx(1 / epsilon + private + rest)
    assert "times fewer than without a δ" in VIEW.detail(chart)
    assert math.isnan(bounds_on_users(problem="agnostic").pure)


@pytest.mark.parametrize("setting", [{}, {"axis": "alpha"}, {"constant": 100}])
def test_sentence_and_figure_have_one_number_and_no_number_of_users(setting):
    """Constants are dropped, so a number of users would be none."""
    chart = last(PAGE, "users", **setting)
    texts = [note["text"] for note in VIEW.figure(chart, LIGHT).layout["annotations"]]
    [said] = [text for text in texts if text.startswith("<b>about")]
    assert said.removeprefix("<b>").removesuffix("</b>") in VIEW.takeaway(chart)
    ends = chart.value(chart.primary), 1.0
    assert max(ends) / min(ends) == pytest.approx(max(chart.saving, 1 / chart.saving))
    assert not re.search(r"\d users", VIEW.takeaway(chart))
