"""Solve for ε or k: the inverses, their bounds, and what is said and drawn of them."""

import dataclasses
import itertools
import math
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.maths.accounting import search
from dpviz.maths.accounting.composition import composed
from dpviz.maths.accounting.inverse import most_queries, smallest_epsilon
from dpviz.maths.bounded_noise import IteratedExponentialNoise, PowerNoise
from dpviz.plot.labels import FAILS
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import DARK, LIGHT
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.results.refining import Pace
from dpviz.topics.bounded_noise.views import solve_for_epsilon_or_queries as module
from dpviz.topics.bounded_noise.views import solve_for_epsilon_or_queries_shown
from dpviz.topics.bounded_noise.views.solve_for_epsilon_or_queries import (
    SOLVE_FOR,
    solve_for_epsilon_or_queries,
)
from tests.support.examples import chosen, examples, only_in_nightly
from tests.support.pace import always
from tests.support.specs import Checked
from tests.support.strategies import inside, outside

figure_of = Checked(solve_for_epsilon_or_queries_shown.VIEW.figure)
VIEW = solve_for_epsilon_or_queries_shown.VIEW
THEMES = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, LIGHT.narrow()], ids=["light", "dark", "narrow"]
)
PRIVACY = {"epsilon": 1.0, "delta": 1e-6}
HERE = {
    "solve_for": "epsilon",
    "target": 1e5,
    "epsilon": 0.1,
    "delta": 1e-10,
    "queries": 10**6,
    "shape": "power",
    "power": 2.0,
    "failure_probability": 0.05,
}


@cache
def final(**changes):
    *_, result = solve_for_epsilon_or_queries(**HERE | changes)
    return result


@pytest.mark.parametrize("shape", chosen(["power", "iterated"], ["power"]))
@pytest.mark.parametrize("solve_for", chosen(SOLVE_FOR, ["epsilon"]))
def test_the_view_shows_the_inverses(solve_for, shape):
    result = final(solve_for=solve_for, shape=shape)
    noise = PowerNoise(2) if shape == "power" else IteratedExponentialNoise()
    certain, likely, normal = result.curves
    assert result.here == 1e5
    here = int(np.flatnonzero(certain.x == 1e5)[0])
    assert (certain.lower[here], certain.upper[here]) == (
        result.certain.lower,
        result.certain.upper,
    )
    assert normal.y[here] == result.gaussian
    private = certain.upper if solve_for == "epsilon" else certain.lower
    np.testing.assert_array_equal(certain.y, private)
    for x, beta, curve in ((certain.x[3], None, certain), (certain.x[-2], 0.05, likely)):
        given_ = {"target": x, "delta": 1e-10, "failure_probability": beta}
        if solve_for == "epsilon":
            alone = smallest_epsilon(noise, queries=10**6, **given_)
        else:
            alone = most_queries(noise, epsilon=0.1, **given_)
        at = int(np.flatnonzero(curve.x == x)[0])
        # other guesses, the same truth between the ends
        assert max(alone.lower, curve.lower[at]) <= min(alone.upper, curve.upper[at])


@pytest.mark.parametrize("solve_for", SOLVE_FOR)
def test_the_more_is_asked_the_harder_it_gets(solve_for):
    certain, likely, normal = final(solve_for=solve_for, shape="power").curves
    sign = -1 if solve_for == "epsilon" else 1
    for curve in (certain, likely, normal):
        assert (sign * np.diff(curve.y) > 0).all()
    assert (sign * (likely.y - certain.y) > 0).all()


@only_in_nightly
def test_curves_end_where_the_range_does():
    low = final(target=20.0, queries=100, epsilon=1.0, delta=1e-6).curve("certain")
    assert np.isnan(low.y[0])
    known = np.isfinite(low.y)
    assert (np.diff(known.astype(int)) >= 0).all()
    high = final(solve_for="queries", target=5e6).curve("certain")
    capped = high.y == 1e10
    assert capped.any()
    assert not capped.all()
    np.testing.assert_array_equal(high.holds, ~capped)


@pytest.mark.parametrize(
    ("solve_for", "other", "said"), [("epsilon", 0.0, "at most"), ("queries", math.inf, "at least")]
)
def test_the_table_says_on_which_side_of_the_end_of_a_range_the_truth_is(solve_for, other, said):
    """Both ends were the end of the range, as if the answer were exact."""
    chart = final(solve_for=solve_for, target=1e9, queries=10)
    table, end = chart.columns(), module._best(solve_for)
    for key in ("certain", "likely", "gaussian"):
        at = table[key] == end
        assert at.any()
        ends = table[f"{key}_lower"][at], table[f"{key}_upper"][at]
        assert all(set(values) == {x} for values, x in zip(ends, sorted((end, other)), strict=True))
    assert f"{said} {end:g}" in chart._repr_html_()


def test_targets_stay_inside_the_range():
    for end in (1.0, 1e12):
        x = final(target=end).curve("gaussian").x
        assert x.min() >= 1
        assert x.max() <= 1e12
        assert end in x


@only_in_nightly
def test_results_grow_finer(monkeypatch):
    monkeypatch.setattr(Pace, "due", always)
    # pauses show again what was there
    results = list(dict.fromkeys(solve_for_epsilon_or_queries(**HERE)))
    targets = [set(r.curve("certain").x) for r in results]
    # Curves from end to end, however few their points.
    assert sorted(targets[0]) == pytest.approx(np.geomspace(1e4, 1e6, 5))
    assert all(before <= after for before, after in itertools.pairwise(targets))
    assert max(len(b) - len(a) for a, b in itertools.pairwise(targets)) == 1
    assert len({(r.certain, r.likely) for r in results[1:]}) == 1
    assert len({r.gaussian for r in results}) == 1


@pytest.mark.parametrize("changes", [{}, {"queries": 10, "target": 4e4}], ids=["many", "few"])
@pytest.mark.parametrize("solve_for", SOLVE_FOR)
def test_what_follows_a_slider_is_certified_and_takes_fewer_evaluations(
    solve_for, changes, monkeypatch
):
    """The narrow answers, found on their own, lie inside the wide bounds of the first figure."""
    state, evaluated = HERE | changes, []

    def counted(*args):
        evaluated.append(args)
        return composed.steps(*args)

    monkeypatch.setattr(search, "composed", SimpleNamespace(steps=counted))
    first = next(solve_for_epsilon_or_queries(**state | {"solve_for": solve_for}))
    drafted = len(evaluated)
    evaluated.clear()
    for key, beta in (("certain", None), ("likely", 0.05)):
        curve = first.curve(key)
        for x, low, high in zip(curve.x, curve.lower, curve.upper, strict=True):
            given_ = {"target": x, "delta": 1e-10, "failure_probability": beta}
            if solve_for == "epsilon":
                exact = smallest_epsilon(PowerNoise(2), queries=state["queries"], **given_)
            else:
                exact = most_queries(PowerNoise(2), epsilon=0.1, **given_)
            assert low <= exact.upper
            assert exact.lower <= high
            width = module.OWN_DRAFT if x == state["target"] else module.DRAFT
            assert high <= low * (1 + 1.5 * width) + 1
    assert drafted < len(evaluated)


@examples(12, 1)
@given(
    st.fixed_dictionaries(
        {
            "solve_for": st.sampled_from(list(SOLVE_FOR)),
            "target": inside("target"),
            "epsilon": inside("epsilon"),
            "delta": inside("delta", minimum=1e-20),
            "queries": inside("queries", minimum=2),
            "shape": st.sampled_from(["power", "iterated"]),
            "power": inside("power", minimum=1.0),
            "failure_probability": inside("failure_probability"),
        }
    )
)
def test_any_state_is_answered(state):
    result = final(**state)
    limit = LIMITS[state["solve_for"]]
    for curve in result.curves:
        known = curve.y[np.isfinite(curve.y)]
        assert ((known >= limit.minimum) & (known <= limit.maximum)).all()
    assert len({column.size for column in result.columns().values()}) == 1


@pytest.mark.parametrize(
    "name", ["target", "epsilon", "delta", "queries", "power", "failure_probability"]
)
@given(data=st.data())
def test_refuses(name, data):
    with pytest.raises(ParameterError, match=name):
        next(solve_for_epsilon_or_queries(**HERE | {name: data.draw(outside(name))}))


def test_refuses_an_unknown_question():
    with pytest.raises(ParameterError, match="solve_for must be one of epsilon, queries"):
        next(solve_for_epsilon_or_queries(**HERE | {"solve_for": "delta"}))


def first_answers(solve_for, target=1e4):
    state = {"target": target, "queries": 10**6, "shape": "power", "power": 2.0}
    return next(
        solve_for_epsilon_or_queries(
            solve_for=solve_for, failure_probability=0.05, **PRIVACY, **state
        )
    )


def words(figure):
    return " | ".join(note.text for note in figure.layout.annotations)


@THEMES
@pytest.mark.parametrize("solve_for", ["epsilon", "queries"])
def test_the_answers_are_marked(theme, solve_for):
    result = first_answers(solve_for)
    text = words(figure_of(result, theme))
    for key in result.in_headline:
        safe = upwards if solve_for == "epsilon" else downwards
        said = safe if key == "certain" else readable  # as the sentence has it
        assert said(result.value(key)) in text


def test_the_answers_are_told():
    result = first_answers("epsilon")
    assert f"ε = {upwards(result.certain.upper)} with certainty" in VIEW.detail(result)
    assert VIEW.detail(result).startswith("To keep all of 1,000,000 errors within 10,000 Δ")
    single = VIEW.detail(dataclasses.replace(result, queries=1))
    assert single.startswith("To keep the error within 10,000 Δ")
    queries = first_answers("queries")
    assert f"{queries.certain.lower:,.0f} queries with certainty" in VIEW.detail(queries)


def test_what_the_range_does_not_hold_is_told():
    for solve_for, target, words_, headline in (
        ("epsilon", 1.0, "costs more than ε = 10", "both cost more than ε = 10;"),
        ("epsilon", 1e12, "costs at most ε = 10⁻⁷", "both cost at most ε = 10⁻⁷;"),
        ("queries", 1.0, "answers not even one query", "answers even one query."),
        ("queries", 1e12, "answers at least 10¹⁰ queries", "both answer at least 10¹⁰ queries;"),
    ):
        result = first_answers(solve_for, target)
        assert VIEW.takeaway(result).count(headline) == 1
        assert words_ not in VIEW.takeaway(result)  # said once, of both
        assert VIEW.detail(result).count(words_) == 2  # bounded noise at once, and Gaussian
        figure = figure_of(result, LIGHT)
        said = words(figure)
        assert readable(result.best) not in said.split(" | ")
        assert FAILS not in said.replace("<br>", " ")
        assert ("search ends" in said.replace("<br>", " ")) == (target == 1e12)
        if target == 1e12:  # dragged also where the curve ends
            on_page = VIEW.figure(result, dataclasses.replace(LIGHT, labels="few"))
            assert on_page.layout["meta"]["drag"]["line"]
            assert on_page.layout["meta"]["labels"] == "few"
        empty = all(np.isnan(curve.y).all() for curve in result.curves)
        assert ("no value lies here" in said and "larger errors" in said) == empty
        assert target != 1.0 or solve_for != "epsilon" or empty
        assert all(math.isfinite(v) for v in figure.layout.yaxis.range)
