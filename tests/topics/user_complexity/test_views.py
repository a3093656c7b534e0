"""The views of the user-complexity page: what they draw, and the numbers they talk about."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpviz.results.evidence import Evidence, Subject
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.user_complexity.dominance import AXES
from dpviz.topics.user_complexity.monomials import PARAMETERS
from dpviz.topics.user_complexity.rows import ROWS as ROWS_
from dpviz.topics.user_complexity.rows import select
from dpviz.topics.user_complexity.shared_axes import first_m
from dpviz.topics.user_complexity.views.budget import budget_against_m
from dpviz.topics.user_complexity.views.hidden_constants import hidden_constants
from dpviz.topics.user_complexity.views.own_bound import own_bound
from dpviz.topics.user_complexity.views.pure_approximate import pure_against_approximate
from dpviz.topics.user_complexity.views.users import users_against
from tests.support.examples import examples
from tests.support.strategies import inside, outside

few, many = examples(20), examples(60)

ROWS = {row.key: row for row in ROWS_}
COVERED = sorted({(row.problem, row.privacy, row.model) for row in ROWS_})
every_problem = pytest.mark.parametrize(("problem", "privacy", "model"), COVERED)


def any_setting():
    return st.fixed_dictionaries({}, optional={n: inside(n) for n in PARAMETERS.values()})


def check_chart(chart):
    assert len({curve.key for curve in chart.curves}) == len(chart.curves)
    for curve in chart.curves:
        assert (np.diff(curve.x) > 0).all()
        assert np.isfinite(curve.y).all()
        assert (curve.y >= 0).all()
        assert str(curve.source)
    # The reader's value lies on the axis, and so do the marks.
    x = chart.curves[-1].x
    assert x[0] <= chart.here <= x[-1]
    assert all(x[0] <= mark.x <= x[-1] and np.isfinite(mark.y) for mark in chart.marks)
    assert len({len(column) for column in chart.columns().values()}) == 1


def at(curve, x):
    """Read a curve off at x, between its points as a straight line on log-log paper."""
    return math.exp(np.interp(math.log(x), np.log(curve.x), np.log(curve.y)))


# Users against m, and against the other parameters.


@every_problem
@few
@given(data=st.data(), setting=any_setting())
def test_users_against_any_parameter_at_any_setting(problem, privacy, model, data, setting):
    rows = select(problem=problem, privacy=privacy, model=model)
    axes = [axis for axis in AXES if any(axis in row.parameters for row in rows)]
    axis = data.draw(st.sampled_from(axes))
    quantity = data.draw(st.sampled_from(["users", "samples"]))
    constant = data.draw(inside("constant"))
    chart = users_against(
        problem=problem,
        privacy=privacy,
        model=model,
        axis=axis,
        quantity=quantity,
        constant=constant,
        **setting,
    )
    check_chart(chart)
    assert {row.key for row in rows} <= {curve.key for curve in chart.curves}
    assert all(curve.evidence is Evidence.ASYMPTOTIC for curve in chart.curves)
    assert chart.saving == pytest.approx(chart.item_level / chart.users)
    # The drawn numbers are the rows' own, times m if examples are counted.
    values = {s: setting.get(n, LIMITS[n].default) for s, n in PARAMETERS.items()}
    for row in rows:
        curve = chart.curve(row.key)
        i = data.draw(st.integers(0, len(curve.x) - 1))
        point = {**values, axis: curve.x[i]}
        factor = constant if row.key == chart.primary else 1
        factor *= point["m"] if quantity == "samples" and row.level == "user" else 1
        assert curve.y[i] == pytest.approx(float(row.value(**point) * factor), rel=1e-12)
        assert curve.holds[i] == row.holds(**point)
    terms = ROWS[chart.primary].terms(**values)
    assert terms[chart.leading] == pytest.approx(max(terms.values()), rel=1e-9)


def test_users_at_a_setting_by_hand():
    """k = 1000, ε = 0.1, α = 0.01, m = 2500: 10⁴ + 2·10⁴ + 4·10³ users instead of 1.1·10⁷."""
    chart = users_against(
        problem="discrete", domain_size=1000, epsilon=0.1, alpha=0.01, examples_per_user=2500
    )
    assert chart.users == pytest.approx(34000)
    assert chart.item_level == pytest.approx(1.1e7)
    assert chart.leading == "k/(εα√m)"
    assert [mark.x for mark in chart.marks] == pytest.approx([100, 1e4])
    # At 1/α² the terms are k/ε twice and k/(α² m) = 10³.
    assert chart.marks[1].y == pytest.approx(2.1e4)
    assert "until m = 1/α²" in chart.marks[1].text
    doubled = users_against(
        problem="discrete",
        domain_size=1000,
        epsilon=0.1,
        alpha=0.01,
        examples_per_user=2500,
        constant=2,
        quantity="samples",
    )
    assert doubled.users == pytest.approx(68000)
    assert doubled.marks[1].y == pytest.approx(4.2e4 * 1e4)
    assert doubled.y.name == "samples"


@pytest.mark.parametrize(
    ("problem", "privacy"),
    [(problem, kind) for problem, kind, model in COVERED if model != "local"],
)
@few
@given(setting=any_setting())
def test_band_of_observation_28(problem, privacy, setting):
    rows = select(problem=problem, privacy=privacy, model="central")
    chart = users_against(problem=problem, privacy=privacy, **setting)
    known_below = any(r.level == "item" and r.bound in ("lower", "tight") for r in rows)
    assert any(curve.key == "sandwich" for curve in chart.curves) == known_below
    if not known_below:
        assert any("no band" in note for note in chart.notes)
        return
    band = chart.curve("sandwich")
    assert band.upper == pytest.approx(chart.item_level)
    top = next(r for r in rows if r.level == "item" and r.bound in ("upper", "tight"))
    assert (chart.curve(top.key).y == band.upper).all()
    bottom = next(r for r in rows if r.level == "item" and r.bound in ("lower", "tight"))
    assert band.lower == pytest.approx(chart.curve(bottom.key).y / band.x)
    # Tight rows stay inside, up to the number of their summands.
    for row in rows:
        if row.bound == "tight" and row.level == "user" and row.threshold is None:
            users = chart.curve(row.key).y
            assert (band.lower <= users * (1 + 1e-9)).all()
            assert (users <= len(row.summands) * band.upper * (1 + 1e-9)).all()


@few
@given(setting=any_setting(), quantity=st.sampled_from(["users", "samples"]), item=st.booleans())
def test_the_local_model_keeps_the_upper_end_alone(setting, quantity, item):
    chart = users_against(problem="pac", model="local", quantity=quantity, item=item, **setting)
    ends = chart.curve("sandwich")
    assert ends.lower is None
    assert ends.upper is None
    assert ends.label == "at most n₁ users"
    examples = ends.x if quantity == "samples" else 1
    assert ends.y == pytest.approx(chart.item_level * examples)
    assert not any("below" in note or "band" in note for note in chart.notes)
    assert any("keeps n_m ≤ n₁ alone" in note for note in chart.notes)


def test_local_users_do_better_than_pooling_lets_central_ones():
    """d = 100, d_SQ = 10²⁰, ε = 1/2, m = 10⁹: d/ε² = 400 users, where n₁/m = 10¹¹."""
    parity = {"dimension": 100, "sq_dimension": 1e20, "epsilon": 0.5, "examples_per_user": 1e9}
    chart = users_against(problem="pac", model="local", **parity)
    assert not chart.unmet
    assert chart.users == pytest.approx(400)
    assert chart.item_level / 1e9 == pytest.approx(1e11)
    assert chart.beyond_pooling
    assert not any("leaves" in note for note in chart.notes)
    # With d³/α² out of reach Theorem 2 promises nothing, and a smaller saving proves nothing.
    assert not users_against(problem="pac", model="local", **parity, alpha=1e-3).beyond_pooling
    little = parity | {"sq_dimension": 1e11}
    assert not users_against(problem="pac", model="local", **little).beyond_pooling


@every_problem
@few
@given(setting=any_setting())
def test_in_the_central_model_nothing_is_beyond_pooling(problem, privacy, model, setting):
    chart = users_against(problem=problem, privacy=privacy, model=model, **setting)
    assert chart.model == model
    assert not (chart.beyond_pooling and model == "central")


def test_the_factor_between_add_or_remove_and_substitute():
    """Twice d/ε, and twice ln(1/δ)/ε with δ/(1 + e^(ε/2)) in place of δ."""
    pure = users_against(problem="pac", epsilon=1e-3)
    (note,) = [n for n in pure.notes if "for substituting one" in n]
    assert note.startswith("ε for adding or removing a user is 2ε for substituting one")
    assert "user level, Theorem 3 (2021) 2 times, item level (2021) 2 times as large" in note
    assert "Lemma 4" not in note
    mixed = users_against(problem="pac", privacy="approximate", epsilon=0.5, delta=0.01)
    (note,) = [n for n in mixed.notes if "for substituting one" in n]
    factor = 2 * math.log((1 + math.exp(0.25)) / 0.01) / math.log(100)
    assert f"user level, Theorem 1 (2021) {factor:.3g} times as large" in note
    for alike in ({"problem": "discrete"}, {"problem": "pac", "model": "local"}):
        assert not any("2ε" in n for n in users_against(**alike).notes)


def test_leaving_the_band_is_said():
    chart = users_against(problem="discrete", privacy="approximate", alpha=0.5, epsilon=0.01)
    (note,) = [n for n in chart.notes if n.startswith("user level, Theorem 10 leaves")]
    assert "above" in note
    assert "m = 1 to " in note
    curve, band = chart.curve("ul2-discrete-new"), chart.curve("sandwich")
    last = float(note.split(" to ")[1].split(":")[0])
    assert last == pytest.approx(curve.x[curve.y > band.upper].max(), rel=1e-2)
    (once,) = [n for n in users_against(problem="discrete").notes if "leaves" in n]
    assert " to " not in once
    quiet = users_against(problem="discrete", axis="epsilon", examples_per_user=100)
    assert not any("leaves" in n for n in quiet.notes)


def test_choice_of_curves_and_colours():
    chart = users_against(problem="pac")
    subjects = {curve.key: curve.subject for curve in chart.curves}
    assert subjects["ul1-pac-new"] is Subject.USER_LEVEL
    assert subjects["ul1-pac-earlier"] is Subject.EARLIER
    assert subjects["cs1-pure-upper"] is Subject.EARLIER
    assert subjects["cs1-pure-lower"] is Subject.LOWER_BOUND
    assert subjects["ul1-pac-item"] is Subject.ITEM_LEVEL
    bare = users_against(problem="pac", item=False, earlier=False, lower=False)
    assert [curve.key for curve in bare.curves] == ["sandwich", "ul1-pac-new"]
    # In the local model the older paper's bound is the new one.
    local = users_against(problem="pac", model="local")
    assert local.curve("cs1-local-upper").subject is Subject.USER_LEVEL


def test_earlier_work_is_marked_where_it_starts_or_the_note_says_where():
    near = users_against(problem="pac", dimension=2, epsilon=1, alpha=0.1)
    assert [m.x for m in near.marks if "holds from m" in m.text] == pytest.approx([400, 800])
    assert near.curve("ul1-pac-earlier").y[0] == pytest.approx(2)
    far = users_against(problem="pac", dimension=1000, epsilon=0.01, alpha=0.01)
    assert not any("holds from m" in mark.text for mark in far.marks)
    assert any("m = 1e14, beyond" in n for n in far.notes if n.startswith("earlier user-level"))


def test_failing_conditions_are_named_with_what_would_satisfy_them():
    chart = users_against(problem="pac", model="local", epsilon=2, examples_per_user=100)
    assert [text for text in chart.unmet if text.startswith("m ≥ d³/α² fails")]
    (first, second) = [n for n in chart.notes if "Theorem 2 (2021): " in n and "fails" in n]
    assert "m ≥ d³/α² fails: m is 100, d³/α² is 4e8" in first
    assert "ε < 1 fails: ε is 2" in second
    assert not chart.curve("cs1-local-upper").holds.any()
    met = users_against(problem="pac", model="local", epsilon=0.5, examples_per_user=1e9)
    assert not met.unmet
    assert not any("fails" in note for note in met.notes)


def test_powers_the_papers_leave_open_are_said():
    chart = users_against(problem="pac", model="local", sq_power=3)
    assert any("SQDim^O(1) open; drawn with c_SQ = 3" in note for note in chart.notes)
    assert chart.item_level == pytest.approx(1e18)


def test_hypothesis_selection_has_its_own_baseline():
    chart = users_against(problem="selection")
    assert chart.curve("one-each").y == pytest.approx(chart.item_level)
    new = chart.curve("ul-selection-new")
    assert new.y[0] == pytest.approx(chart.item_level)


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
def test_users_against_refuses(wrong, name):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        users_against(**wrong)


def test_refusal_says_what_the_papers_cover():
    with pytest.raises(ParameterError, match="pure-DP in the central model for agnostic PAC"):
        users_against(problem="agnostic", privacy="approximate")
    with pytest.raises(ParameterError, match="one of m, epsilon, alpha, d for PAC learning"):
        users_against(problem="pac", axis="k")


@pytest.mark.parametrize("name", PARAMETERS.values())
@few
@given(data=st.data())
def test_views_refuse_what_lies_outside(name, data):
    bad = {name: data.draw(outside(name))}
    for view in (users_against, hidden_constants, pure_against_approximate):
        with pytest.raises(ParameterError, match=name):
            view(problem="pac", **bad)


def test_views_refuse_unknown_names_and_texts():
    with pytest.raises(TypeError, match="colour"):
        users_against(problem="pac", colour=1)
    with pytest.raises(ParameterError, match="alpha"):
        hidden_constants(problem="pac", alpha="small")


# What the constants hide.


@every_problem
@few
@given(setting=any_setting(), constant=inside("constant"), log_power=inside("log_power"))
def test_constants_at_any_setting(problem, privacy, model, setting, constant, log_power):
    chart = hidden_constants(
        problem=problem,
        privacy=privacy,
        model=model,
        constant=constant,
        log_power=log_power,
        **setting,
    )
    check_chart(chart)
    shape, new = chart.curve("shape"), chart.curve("new")
    logarithm = np.log(shape.y)
    if privacy == "approximate":
        logarithm = logarithm + math.log(1 / setting.get("delta", LIMITS["delta"].default))
    assert new.y == pytest.approx(constant * shape.y * np.maximum(logarithm, 1) ** log_power)
    assert chart.saving == pytest.approx(chart.item_level / chart.users)
    assert chart.beats_discarding <= chart.beats_earlier < chart.loses_again or math.isinf(
        chart.beats_earlier
    )
    # On the chart itself: before the first crossing the new bound is no better.
    ahead = new.holds & (new.y < chart.item_level)
    assert not ahead[new.x < chart.beats_discarding].any()
    assert ahead[new.x >= chart.beats_discarding].all()


def smallest_whole_above(bound):
    return math.floor(bound) + 1


@many
@given(
    constant=st.fractions(Fraction(1, 50), 50, max_denominator=64),
    alpha=st.fractions(Fraction(1, 1000), Fraction(1, 2), max_denominator=1000),
)
def test_when_theorem_4_beats_discarding_in_closed_form(constant, alpha):
    """C (d/ε + d/(εαm)) < d/(εα) iff m > C/(1 − Cα), and never for C ≥ 1/α."""
    chart = hidden_constants(problem="pac", constant=float(constant), alpha=float(alpha))
    if constant * alpha >= 1:
        assert math.isinf(chart.beats_discarding)
        assert math.isinf(chart.beats_earlier)
        return
    bound = constant / (1 - constant * alpha)
    assume(bound.denominator != 1)  # a tie, decided by rounding
    assert chart.beats_discarding == smallest_whole_above(bound)


def test_where_earlier_work_takes_over():
    """PAC: the new bound leads from m = 2 until d/ε is known without its second term."""
    chart = hidden_constants(problem="pac", dimension=2, epsilon=0.5, alpha=0.05)
    thresholds = {"d²/(ε²α²)": 4 / 0.000625, "d³/α²": 8 / 0.0025}
    assert chart.beats_earlier == 2
    assert chart.loses_again == pytest.approx(min(thresholds.values()), abs=1)
    texts = [mark.text for mark in chart.marks]
    assert "an earlier bound is as good again" in texts


def test_theorem_10_never_beats_the_specific_bound_for_discrete_distributions():
    """Table 2 says so: k/(ε²α√m) against k/(εα√m), as long as ε < 1 and constants are equal."""
    chart = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3)
    assert math.isfinite(chart.beats_discarding)
    assert math.isinf(chart.beats_earlier)
    assert math.isinf(chart.loses_again)
    lucky = hidden_constants(problem="discrete", privacy="approximate", epsilon=0.3, constant=0.2)
    assert math.isfinite(lucky.beats_earlier)


@many
@given(constant=inside("constant"), log_power=inside("log_power"), epsilon=inside("epsilon"))
def test_beats_discarding_is_the_smallest_m(constant, log_power, epsilon):
    """Checked by the definition, with the formula of Theorem 43 written out."""
    k, alpha = 1000, 0.05

    def users(m):
        f = k / epsilon + k / (epsilon * alpha * math.sqrt(m)) + k / (alpha**2 * m)
        return constant * f * max(1, math.log(f)) ** log_power

    n_1 = k / (epsilon * alpha) + k / alpha**2
    chart = hidden_constants(
        problem="discrete", constant=constant, log_power=log_power, epsilon=epsilon
    )
    m = chart.beats_discarding
    if math.isinf(m):
        assert users(1e24) >= n_1 * (1 - 1e-9)
    else:
        assert users(m) < n_1 * (1 + 1e-9)
        assert m == 1 or users(m - 1) >= n_1 * (1 - 1e-9)


@pytest.mark.parametrize("limit", [1, 1.5, 99, 100, 101.5, 12345, 987654321, 3.3e17, 9.99e23])
def test_first_m_finds_the_smallest_whole_number(limit):
    expected = math.ceil(limit)
    assert first_m(lambda m: m >= limit) == pytest.approx(expected, rel=1e-15)
    assert first_m(lambda m: m > 2e24) == math.inf
    # A short stretch is found if it starts at an event.
    spike = first_m(lambda m: (m >= limit) & (m < limit * 1.001 + 1), events=[limit])
    assert spike == pytest.approx(expected, rel=1e-15)
    assert first_m(lambda m: m >= 1, start=float(expected)) == expected


# Pure against approximate.


@pytest.mark.parametrize("problem", ["pac", "discrete", "product"])
@few
@given(setting=any_setting())
def test_pure_against_approximate_at_any_setting(problem, setting):
    chart = pure_against_approximate(problem=problem, **setting)
    check_chart(chart)
    assert chart.approximate <= chart.pure
    kinds = {curve.label.split(",")[0] for curve in chart.curves}
    assert kinds == {"pure DP", "approximate DP"}


def test_when_approximate_dp_helps_by_brute_force():
    """Discrete distributions: from about m = 1/α² on, as the paper says of large m."""
    k, alpha, epsilon = 500, 0.1, 0.5
    chart = pure_against_approximate(
        problem="discrete", domain_size=k, alpha=alpha, epsilon=epsilon, examples_per_user=100
    )
    n_1 = k / (epsilon * alpha) + k / alpha**2

    def pure(m):
        rest = k / (epsilon * alpha * math.sqrt(m)) + k / (alpha**2 * m)
        return min(n_1, k / epsilon + rest)

    def approximate(m):
        private, rest = k / (epsilon * alpha * math.sqrt(m)), k / (alpha**2 * m)
        either = 1 / epsilon + min(private, private / epsilon) + rest
        return min(pure(m), either)

    expected = next(m for m in itertools.count(1) if pure(m) >= 2 * approximate(m))
    assert chart.helps_from == expected
    assert 1 < expected * alpha**2 < 3
    assert chart.pure == pytest.approx(pure(100))
    assert chart.approximate == pytest.approx(approximate(100))
    assert [mark.x for mark in chart.marks] == [expected]


def test_pure_against_approximate_needs_both():
    with pytest.raises(ParameterError, match="agnostic PAC learning"):
        pure_against_approximate(problem="agnostic")


# Theorem 10 as a machine.

where = {n: inside(n) for n in ("epsilon", "delta", "examples_per_user")}


@many
@given(**where)
def test_budget_chart(epsilon, delta, examples_per_user):
    chart = budget_against_m(epsilon=epsilon, delta=delta, examples_per_user=examples_per_user)
    check_chart(chart)
    theorem, group = chart.curve("theorem"), chart.curve("group")
    assert group.evidence is Evidence.PUBLISHED
    log_delta = math.log(delta * epsilon / math.log(1 / delta)) - np.log(theorem.x)
    assert (theorem.holds == ((theorem.y <= epsilon) & (log_delta < 0))).all()
    assert group.y == pytest.approx(epsilon / group.x)
    # Better than group privacy iff √m > ln(1/δ) √ln(m/δ) / ε, here solved by iteration.
    log = math.log(1 / delta)
    m = 1.0
    for _ in range(200):
        m = max(1.0, (log / epsilon) ** 2 * (math.log(m) + log))
    assert chart.better_from == pytest.approx(m, rel=1e-6, abs=1.01)
    assert at(theorem, 1) == pytest.approx(epsilon**2 / log**1.5)


@many
@given(n_priv=inside("n_priv"), n_stat=inside("n_stat"), c=inside("c"), **where)
def test_own_bound_chart(n_priv, n_stat, c, epsilon, delta, examples_per_user):
    own = {"n_priv": n_priv, "n_stat": n_stat, "c": c}
    privacy = {"epsilon": epsilon, "delta": delta}
    chart = own_bound(**own, **privacy, examples_per_user=examples_per_user)
    check_chart(chart)
    log = math.log(1 / delta)
    n_1 = log**c / epsilon * n_priv + n_stat
    assert chart.item_level == pytest.approx(n_1)
    band = chart.curve("sandwich")
    assert band.upper == pytest.approx(n_1)
    assert band.lower == pytest.approx(n_1 / band.x)
    m = float(examples_per_user)
    assert chart.corollary_3 == pytest.approx(
        log ** (c + 1.5) * n_priv / (epsilon**2 * math.sqrt(m)) + n_stat / m + log / epsilon
    )
    # Group privacy: the privacy part stays, up to the logarithm, and the rest is shared by m.
    log_group = log + math.log(math.expm1(epsilon)) - math.log(math.expm1(epsilon / m))
    assert chart.group == pytest.approx(log_group**c / epsilon * n_priv + n_stat / m)
    # At m = 1 it is the item-level algorithm itself, and it never leaves the band.
    group = chart.curve("group").y
    assert group[0] == pytest.approx(n_1)
    assert (group >= band.lower * (1 - 1e-9)).all()
    scaled = own_bound(**own, **privacy, examples_per_user=examples_per_user, constant=2)
    assert scaled.theorem_10 == pytest.approx(2 * chart.theorem_10)
    assert scaled.group == chart.group
    if m <= 1e15 and math.isfinite(chart.beats_discarding):
        for shift, better in ((0, True), (-1, False)):
            users = own_bound(
                **own, **privacy, examples_per_user=max(1, chart.beats_discarding + shift)
            ).theorem_10
            near = users == pytest.approx(n_1, rel=1e-12)
            assert near or (users < n_1) == better or chart.beats_discarding == 1


def test_own_bound_by_hand():
    """ε = 1/2, δ = e⁻⁴, c = 0, m = 1: ε′ = 1/4 / (4 · 2) = 1/32, so 8 + 32 n_priv + n_stat."""
    chart = own_bound(
        n_priv=10, n_stat=7, c=0, epsilon=0.5, delta=math.exp(-4), examples_per_user=1
    )
    assert chart.theorem_10 == pytest.approx(8 + 320 + 7)
    assert chart.theorem_11 == pytest.approx(8 + 16 * (20 + 7))
    assert chart.corollary_3 == pytest.approx(8 + 320 + 7)
    assert chart.item_level == pytest.approx(27)
    assert chart.group == pytest.approx(27)
