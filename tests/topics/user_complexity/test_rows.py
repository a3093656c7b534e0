"""The tables of both papers, transcribed a second time and by another route than the package.

Terms are compared with numbers worked out by hand at three points, and with the LaTeX of the
papers' text, read as arithmetic.
"""

import itertools
import math
import re
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

from dpviz.results.papers import CS, UL
from dpviz.results.parameters import LIMITS, ParameterError
from dpviz.topics.user_complexity.dominance import AXES, crossovers
from dpviz.topics.user_complexity.dominance import regimes as regimes_
from dpviz.topics.user_complexity.monomials import PARAMETERS, iterated_log, read
from dpviz.topics.user_complexity.rows import ROWS as ROWS_
from dpviz.topics.user_complexity.transformation import group_privacy_budget, sandwich
from dpviz.ui.frame import prose
from tests.support.examples import examples
from tests.support.strategies import inside, outside

few, many = examples(25, usual=3), examples(50)  # few: of every row

ROWS = {row.key: row for row in ROWS_}

# Everything that a row of the tables says besides its formula:
# problem, privacy, model, level, bound, status.
PLACES = {
    "ul1-pac-item": "pac pure central item tight prior",
    "ul1-pac-earlier": "pac pure central user tight prior",
    "ul1-pac-new": "pac pure central user tight new",
    "ul1-agnostic-item": "agnostic pure central item tight prior",
    "ul1-agnostic-new": "agnostic pure central user upper new",
    "ul1-discrete-item": "discrete pure central item tight prior",
    "ul1-discrete-new": "discrete pure central user tight new",
    "ul1-product-item": "product pure central item tight prior",
    "ul1-product-new": "product pure central user tight new",
    "ul1-gaussian-known-item": "gaussian_known pure central item tight prior",
    "ul1-gaussian-known-new": "gaussian_known pure central user tight new",
    "ul1-gaussian-bounded-item": "gaussian_bounded pure central item tight prior",
    "ul1-gaussian-bounded-new": "gaussian_bounded pure central user tight new",
    "ul2-pac-item": "pac approximate central item upper prior",
    "ul2-pac-earlier": "pac approximate central user upper prior",
    "ul2-pac-new": "pac approximate central user upper new",
    "ul2-discrete-item": "discrete approximate central item tight prior",
    "ul2-discrete-earlier": "discrete approximate central user tight prior",
    "ul2-discrete-new": "discrete approximate central user upper new",
    "ul2-product-item": "product approximate central item upper prior",
    "ul2-product-new": "product approximate central user upper new",
    "cs1-pure-upper": "pac pure central user upper new",
    "cs1-pure-lower": "pac pure central user lower new",
    "cs1-pure-item": "pac pure central item tight prior",
    "cs1-local-upper": "pac pure local user upper new",
    "cs1-local-lower": "pac pure local user lower new",
    "cs1-local-item": "pac pure local item tight prior",
    "cs1-approximate-upper": "pac approximate central user upper new",
    "cs1-approximate-lower": "pac approximate central user lower new",
    "cs1-approximate-item": "pac approximate central item upper prior",
    "cs1-approximate-item-lower": "pac approximate central item lower prior",
    "ul-agnostic-lower": "agnostic pure central user lower new",
    "ul-selection-new": "selection pure central user upper new",
}

# The formulas as the text of Ghazi, Kamath et al. prints them in Tables 1 and 2.
PRINTED = {
    "ul1-pac-item": r"\frac{d}{\varepsilon\alpha}",
    "ul1-pac-earlier": r"\frac{d}{\varepsilon}",
    "ul1-pac-new": r"\frac{d}{\varepsilon} + \frac{d}{\varepsilon\alpha m}",
    "ul1-agnostic-item": r"\frac{d}{\alpha^2} + \frac{d}{\varepsilon\alpha}",
    "ul1-agnostic-new": r"\frac{d}{\varepsilon} + \frac{d}{\varepsilon\alpha\sqrt{m}} + \frac{d}{\alpha^2 m}",  # noqa: E501
    "ul1-discrete-item": r"\frac{k}{\varepsilon\alpha} + \frac{k}{\alpha^2}",
    "ul1-discrete-new": r"\frac{k}{\varepsilon} + \frac{k}{\varepsilon\alpha\sqrt{m}} + \frac{k}{\alpha^2 m}",  # noqa: E501
    "ul1-product-item": r"\frac{kd}{\varepsilon\alpha} + \frac{kd}{\alpha^2}",
    "ul1-product-new": r"\frac{kd}{\varepsilon} + \frac{kd}{\varepsilon\alpha\sqrt{m}} + \frac{kd}{\alpha^2 m}",  # noqa: E501
    "ul1-gaussian-known-item": r"\frac{d}{\varepsilon\alpha} + \frac{d}{\alpha^2}",
    "ul1-gaussian-known-new": r"\frac{d}{\varepsilon} + \frac{d}{\varepsilon\alpha\sqrt{m}} + \frac{d}{\alpha^2 m}",  # noqa: E501
    "ul1-gaussian-bounded-item": r"\frac{d^2}{\varepsilon\alpha} + \frac{d^2}{\alpha^2}",
    "ul1-gaussian-bounded-new": r"\frac{d^2}{\varepsilon} + \frac{d^2}{\varepsilon\alpha\sqrt{m}} + \frac{d^2}{\alpha^2 m}",  # noqa: E501
    "ul2-pac-item": r"\frac{d_L^6}{\varepsilon\alpha^2}",
    "ul2-pac-earlier": r"\frac{1}{\varepsilon}",
    "ul2-pac-new": r"\frac{1}{\varepsilon} + \frac{d_L^6}{\varepsilon^2\alpha^2\sqrt{m}}",
    "ul2-discrete-item": r"\frac{k}{\varepsilon\alpha} + \frac{k}{\alpha^2}",
    "ul2-discrete-earlier": r"\frac{1}{\varepsilon} + \frac{k}{\varepsilon\alpha\sqrt{m}} + \frac{k}{\alpha^2 m}",  # noqa: E501
    "ul2-discrete-new": r"\frac{1}{\varepsilon} + \frac{k}{\varepsilon^2\alpha\sqrt{m}} + \frac{k}{\alpha^2 m}",  # noqa: E501
    "ul2-product-item": r"\frac{kd}{\varepsilon\alpha} + \frac{kd}{\alpha^2}",
    "ul2-product-new": r"\frac{1}{\varepsilon} + \frac{kd}{\varepsilon^2\alpha\sqrt{m}} + \frac{kd}{\alpha^2 m}",  # noqa: E501
}
PRINTED_THRESHOLDS = {
    "ul1-pac-earlier": r"\frac{d^2}{\varepsilon^2\alpha^2}",
    "ul2-pac-earlier": r"\frac{d_L^{12}}{\varepsilon^2\alpha^4}",
}

# Three points, chosen so that every term can be worked out on paper.
SYMBOLS = [*PARAMETERS]  # m d k d_L d_VC d_SQ F α ε δ β c_L c_SQ c_m
POINTS = tuple(
    dict(zip(SYMBOLS, point, strict=True))
    for point in (
        (100, 6, 20, 2, 3, 50, 1000, 0.1, 0.5, math.exp(-8), 0.01, 3, 2, 2),
        (16, 10, 8, 4, 5, 9, 100, 0.25, 2, math.exp(-20), 0.1, 2, 1.5, 1),
        (10**6, 100, 1000, 3, 50, 1000, 10**6, 0.01, 0.1, math.exp(-30), 0.01, 6, 1, 2),
    )
)
A, B, C = POINTS
LOG_A, LOG_B, LOG_C = 11.512925464970229, 6.907755278982137, 18.420680743952367  # 1e5, 1e3, 1e8

# The terms at A, B and C, in the order in which the paper prints them, by hand.
BY_HAND = {
    "ul1-pac-item": ([120], [20], [1e5]),
    "ul1-pac-earlier": ([12], [5], [1000]),
    "ul1-pac-new": ([12, 1.2], [5, 1.25], [1000, 0.1]),
    "ul1-agnostic-item": ([600, 120], [160, 20], [1e6, 1e5]),
    "ul1-agnostic-new": ([12, 12, 6], [5, 5, 10], [1000, 100, 1]),
    "ul1-discrete-item": ([400, 2000], [16, 128], [1e6, 1e7]),
    "ul1-discrete-new": ([40, 40, 20], [4, 4, 8], [1e4, 1000, 10]),
    "ul1-product-item": ([2400, 12000], [160, 1280], [1e8, 1e9]),
    "ul1-product-new": ([240, 240, 120], [40, 40, 80], [1e6, 1e5, 1000]),
    "ul1-gaussian-known-item": ([120, 600], [20, 160], [1e5, 1e6]),
    "ul1-gaussian-known-new": ([12, 12, 6], [5, 5, 10], [1000, 100, 1]),
    "ul1-gaussian-bounded-item": ([720, 3600], [200, 1600], [1e7, 1e8]),
    "ul1-gaussian-bounded-new": ([72, 72, 36], [50, 50, 100], [1e5, 1e4, 100]),
    "ul2-pac-item": ([12800], [32768], [7.29e7]),
    "ul2-pac-earlier": ([2], [0.5], [10]),
    "ul2-pac-new": ([2, 2560], [0.5, 4096], [10, 729000]),
    "ul2-discrete-item": ([400, 2000], [16, 128], [1e6, 1e7]),
    "ul2-discrete-earlier": ([2, 40, 20], [0.5, 4, 8], [10, 1000, 10]),
    "ul2-discrete-new": ([2, 80, 20], [0.5, 2, 8], [10, 1e4, 10]),
    "ul2-product-item": ([2400, 12000], [160, 1280], [1e8, 1e9]),
    "ul2-product-new": ([2, 480, 120], [0.5, 20, 80], [10, 1e6, 1000]),
    "cs1-pure-upper": ([12], [5], [1000]),
    "cs1-pure-lower": ([12], [5], [1000]),
    "cs1-pure-item": ([12], [5], [1000]),
    "cs1-local-upper": ([24], [2.5], [1e4]),
    "cs1-local-lower": ([12], [5], [1000]),
    "cs1-local-item": ([2500], [27], [1000]),
    "cs1-approximate-upper": ([16], [10], [300]),
    "cs1-approximate-lower": ([16, 12], [10, 5], [300, 1000]),
    "cs1-approximate-item": ([8], [16], [729]),
    "cs1-approximate-item-lower": ([1], [2], [2]),
    "ul-agnostic-lower": ([12, 6, 3], [5, 2.5, 5], [1000, 50, 0.5]),
    "ul-selection-new": (
        [2 * LOG_A, 2 * LOG_A, LOG_A],
        [LOG_B / 2, LOG_B / 2, LOG_B],
        [10 * LOG_C, LOG_C, LOG_C / 100],
    ),
}

# The m from which a row holds at A, B and C, and whether all its conditions are met there.
THRESHOLDS = {
    "ul1-pac-earlier": (14400, 400, 1e10),
    "ul2-pac-earlier": (163_840_000, 1_073_741_824, 5.31441e15),
    "cs1-pure-upper": (21600, 16000, 1e10),
    "cs1-local-upper": (21600, 16000, 1e10),
    "cs1-approximate-upper": (400, 16, 90000),
}
# B has ε = 2 and α = 1/4, A has α = 0.1, which "α < 0.1" excludes.
HOLDS = {
    "ul1-pac-earlier": (False, False, False),
    "ul2-pac-earlier": (False, False, False),
    "cs1-pure-upper": (False, False, False),
    "cs1-pure-lower": (True, False, True),
    "cs1-local-upper": (False, False, False),
    "cs1-local-lower": (True, False, True),
    "cs1-approximate-upper": (False, False, True),
    "cs1-approximate-lower": (True, False, True),
    "ul-selection-new": (False, False, True),
}

every_row = pytest.mark.parametrize("row", ROWS_, ids=lambda row: row.key)


@st.composite
def settings_of_tables(draw, **narrower):
    """Every symbol of the tables, at valid values."""
    return {
        symbol: draw(inside(name, *narrower.get(symbol, ()))) for symbol, name in PARAMETERS.items()
    }


def test_all_rows_are_there():
    assert set(ROWS) == set(PLACES) == set(BY_HAND)
    assert len(ROWS_) == 33
    counts = {table: sum(r.table == table for r in ROWS_) for table in {r.table for r in ROWS_}}
    assert counts == {f"{UL}, Table 1": 13, f"{UL}, Table 2": 8, f"{CS}, Table 1": 10, "": 2}


@every_row
def test_place_in_the_tables(row):
    place = (row.problem, row.privacy, row.model, row.level, row.bound, row.status)
    assert " ".join(place) == PLACES[row.key]
    assert row.source.paper == (CS if row.key.startswith("cs1") else UL)
    # The older paper's central model adds or removes a user, its local model substitutes one.
    adds = row.key.startswith("cs1") and row.model == "central"
    assert row.neighbouring == ("add/remove" if adds else "substitute")


def arithmetic(latex, point):
    """The value of each summand of a printed formula: fractions of products, powers and roots."""
    names = {r"\varepsilon": "epsilon", r"\alpha": "alpha", "d_L": "d_L"}
    code = re.sub(r"\\frac{((?:[^{}]|{[^{}]*})*)}{((?:[^{}]|{[^{}]*})*)}", r"(\1) / (\2)", latex)
    code = re.sub(r"\\sqrt{(\w)}", r" \1 ^0.5 ", code)
    code = re.sub(r"\^{?([\d.]+)}?", r" ** \1 ", code)
    factor = re.compile(r"\\varepsilon|\\alpha|d_L|(?<![\w\\])[dkm]|(?<=[dkm])[dkm]")
    code = factor.sub(lambda match: f" * {names.get(match[0], match[0])}", code)
    code = code.replace("( * ", "(")
    return [eval(part, {}, point) for part in code.split(" + ")]


@pytest.mark.parametrize("key", PRINTED)
def test_terms_are_the_printed_formula(key):
    for point in POINTS:
        terms = list(ROWS[key].terms(**point).values())
        assert terms == pytest.approx(arithmetic(PRINTED[key], point), rel=1e-12)
        if key in PRINTED_THRESHOLDS:
            values = read(ROWS[key].parameters, point)
            [limit] = arithmetic(PRINTED_THRESHOLDS[key], point)
            assert ROWS[key].threshold.evaluate(values) == pytest.approx(limit, rel=1e-12)


@every_row
def test_terms_by_hand(row):
    for point, expected in zip(POINTS, BY_HAND[row.key], strict=True):
        terms = list(row.terms(**point).values())
        assert terms == pytest.approx(expected, rel=1e-13)
        total = min(expected) if row.key == "cs1-approximate-lower" else sum(expected)
        assert row.value(**point) == pytest.approx(total, rel=1e-13)


@every_row
def test_conditions_by_hand(row):
    for i, point in enumerate(POINTS):
        assert bool(row.holds(**point)) == HOLDS.get(row.key, (True,) * 3)[i]
        assert bool(row.unmet(**point)) != bool(row.holds(**point))
    assert (row.threshold is None) == (row.key not in THRESHOLDS)


@pytest.mark.parametrize("key", THRESHOLDS)
def test_earlier_work_starts_to_hold_at_its_threshold(key):
    point = {**A, "alpha": 0.05, "epsilon": 0.25}  # every other condition is met
    for other, expected in zip((A, B, C), THRESHOLDS[key], strict=True):
        values = read(ROWS[key].parameters, other)
        assert float(ROWS[key].threshold.evaluate(values)) == pytest.approx(expected, rel=1e-13)
    start = float(ROWS[key].threshold.evaluate(read(ROWS[key].parameters, point)))
    m = np.array([start * (1 - 1e-9), start * (1 + 1e-9)])
    assert ROWS[key].holds(**{**point, "m": m}).tolist() == [False, True]


def test_small_delta_is_asked_for_where_the_papers_do():
    point = {**C, "m": 1e20, "epsilon": 0.2}
    for key, limit in {"ul2-discrete-new": 0.2, "cs1-approximate-lower": 0.1 * 0.2**1.1}.items():
        met = ROWS[key].holds(**{**point, "delta": np.array([limit * 0.999, limit * 1.001])})
        assert met.tolist() == [True, False]


@every_row
@few
@given(data=st.data(), point=settings_of_tables())
def test_monotone(row, data, point):
    """More examples, weaker privacy or a larger error never need more users; size always does."""
    for symbol, direction in {
        **dict.fromkeys(["m", "epsilon", "alpha", "beta", "delta"], -1),
        **dict.fromkeys(["d", "k", "d_L", "d_VC", "d_SQ", "F"], 1),
    }.items():
        other = data.draw(inside(PARAMETERS[symbol]))
        low, high = sorted([point[symbol], other])
        values = row.value(**{**point, symbol: np.array([low, high], dtype=float)})
        values = np.broadcast_to(values, 2)
        assert direction * (values[1] - values[0]) >= -1e-12 * abs(values[0])


@every_row
@few
@given(point=settings_of_tables())
def test_finite_positive_and_broadcasting(row, point):
    value = row.value(**point)
    assert value.shape == ()
    assert np.isfinite(value)
    assert value >= 0
    grid = {**point, "m": np.array([[1.0], [2.5], [1e24]]), "alpha": np.array([0.1, 0.2])}
    shape = np.broadcast_shapes(*(np.shape(grid[symbol]) for symbol in row.parameters))
    assert row.value(**grid).shape == row.holds(**grid).shape == shape
    assert all(term.shape == shape for term in row.terms(**grid).values())
    smaller = {**point, "m": 2.5, "alpha": 0.2}
    assert np.broadcast_to(row.value(**grid), (3, 2))[1, 1] == pytest.approx(row.value(**smaller))


@every_row
@few
@given(data=st.data())
def test_refuses_what_lies_outside(row, data):
    symbol = data.draw(st.sampled_from(row.parameters))
    bad = data.draw(outside(PARAMETERS[symbol]))
    for method in (row.terms, row.value, row.holds, row.unmet):
        with pytest.raises(ParameterError, match=PARAMETERS[symbol]):
            method(**{**C, symbol: bad})


@every_row
def test_refuses_missing_and_unknown_names(row):
    for symbol in row.parameters:
        with pytest.raises(TypeError, match=symbol):
            row.value(**{name: value for name, value in C.items() if name != symbol})
    with pytest.raises(TypeError, match="gamma"):
        row.value(**C, gamma=1)
    with pytest.raises(ParameterError):
        row.value(**{**C, row.parameters[0]: "many"})


def item_level(row):
    """The item-level row of the same problem and the same kind of privacy."""
    place = (row.problem, row.privacy, row.model)
    rows = (r for r in ROWS_ if r.level == "item")
    return next(r for r in rows if (r.problem, r.privacy, r.model) == place)


TIGHT = [
    row for row in ROWS_ if row.level == "user" and row.bound == "tight" and row.threshold is None
]


def test_tight_rows_are_the_ones_meant():
    assert [row.key for row in TIGHT] == [
        "ul1-pac-new",
        "ul1-discrete-new",
        "ul1-product-new",
        "ul1-gaussian-known-new",
        "ul1-gaussian-bounded-new",
        "ul2-discrete-earlier",
    ]


@pytest.mark.parametrize("row", TIGHT, ids=lambda row: row.key)
@many
@given(point=settings_of_tables())
def test_tight_rows_reduce_to_item_level_and_obey_the_sandwich(row, point):
    n_1 = item_level(row).value(**point)
    assert n_1 <= row.value(**{**point, "m": 1}) * (1 + 1e-12)
    assert row.value(**{**point, "m": 1}) <= 2 * n_1 * (1 + 1e-12)
    ends = sandwich(n_1, point["m"])
    summands = len(row.summands)
    assert ends.lower <= row.value(**point) * (1 + 1e-12)
    assert row.value(**point) <= summands * ends.upper * (1 + 1e-12)


@pytest.mark.parametrize("name", ["pac", "discrete", "product"])
def test_rows_from_theorem_10_leave_the_sandwich_at_one_example(name):
    """Their privacy term exceeds the item level's by 1/ε there: Theorem 10 is not tight in ε."""
    row, point = ROWS[f"ul2-{name}-new"], {**C, "m": 1, "alpha": 0.5, "epsilon": 0.01}
    items = ROWS[f"ul2-{name}-item"].terms(**point)
    privacy_term = next(value for text, value in items.items() if "ε" in text)
    assert max(row.terms(**point).values()) == pytest.approx(privacy_term / 0.01)
    assert row.value(**point) > len(row.summands) * sum(items.values())


def test_lower_bounds_lie_below_upper_bounds():
    """Theorem 40's two sides, and Lemma 4 against Theorems 1 to 4."""
    for m in (1, 100, 10**6):
        point = {**C, "m": m, "d_VC": 50, "d": 100}
        assert ROWS["ul-agnostic-lower"].value(**point) <= ROWS["ul1-agnostic-new"].value(**point)
        assert ROWS["cs1-pure-lower"].value(**point) <= ROWS["ul1-pac-new"].value(**point)
        assert ROWS["cs1-local-lower"].value(**point) <= ROWS["cs1-local-upper"].value(**point)
        upper, lower = (ROWS[f"cs1-approximate-{end}"] for end in ("upper", "lower"))
        assert lower.value(**point) <= upper.value(**point)


@pytest.mark.parametrize("x", [1, 1.5, 2, 3, 4, 5, 16, 17, 65536, 65537, 1e6])
def test_iterated_log(x):
    count, rest = 0, x
    while rest > 1:
        count, rest = count + 1, math.log2(rest)
    assert iterated_log(x) == count


# Where the dominating term changes.


def dominating(row, point):
    terms = row.terms(**point)
    return (min if row.least else max)(terms, key=lambda text: float(terms[text]))


SEVERAL = [row for row in ROWS_ if len(row.summands) > 1]


@pytest.mark.parametrize("row", SEVERAL, ids=lambda row: row.key)
@few
@given(point=settings_of_tables(), axis=st.sampled_from(AXES))
def test_crossovers_are_where_the_dominating_term_changes(row, point, axis):
    limit = LIMITS[PARAMETERS[axis]]
    found = crossovers(row, axis=axis, **point)
    at = [crossing.x for crossing in found]
    assert at == sorted(at)
    for crossing in found:
        terms = {
            x: row.terms(**{**point, axis: min(max(x, limit.minimum), limit.maximum)})
            for x in (crossing.x * (1 - 1e-6), crossing.x, crossing.x * (1 + 1e-6))
        }
        here = terms[crossing.x]
        assert here[crossing.before] == pytest.approx(here[crossing.after], rel=1e-9)
        best = (min if row.least else max)(float(v) for v in here.values())
        assert best == pytest.approx(float(here[crossing.before]), rel=1e-9)
        assert crossing.value == pytest.approx(row.value(**{**point, axis: crossing.x}))
    # Between the crossovers the same term dominates everywhere: no change is missed.
    borders = [limit.minimum, *at, limit.maximum]
    regimes = regimes_(row, axis=axis, **point)
    assert [r.start for r in regimes] == borders[:-1]
    assert [r.stop for r in regimes] == borders[1:]
    for regime in regimes:
        inner = np.geomspace(regime.start, regime.stop, 13)[1:-1]
        terms = row.terms(**{**point, axis: np.clip(inner, limit.minimum, limit.maximum)})
        values = np.array([np.broadcast_to(v, inner.shape) for v in terms.values()])
        leader = np.broadcast_to(terms[regime.term], inner.shape)
        extreme = values.min(axis=0) if row.least else values.max(axis=0)
        assert np.allclose(leader, extreme, rtol=1e-9)


@many
@given(point=settings_of_tables(alpha=(1e-4, 0.4), epsilon=(1e-3, 8)))
def test_crossovers_by_root_finding(point):
    """Theorem 43's three terms: the outer ones never meet on the envelope unless ε ≥ 1."""
    epsilon, alpha = point["epsilon"], point["alpha"]
    assume(abs(math.log(epsilon)) > 1e-6)
    privacy = lambda t: -math.log(epsilon * alpha) - t / 2  # noqa: E731
    statistics = lambda t: -2 * math.log(alpha) - t  # noqa: E731
    floor = lambda t: -math.log(epsilon) + 0 * t  # noqa: E731
    pairs = [(statistics, privacy), (privacy, floor)] if epsilon < 1 else [(statistics, floor)]
    roots = [
        math.exp(optimize.brentq(lambda t, f=f, g=g: f(t) - g(t), -60, 60, xtol=1e-13))
        for f, g in pairs
    ]
    assume(all(abs(root - 1) > 1e-6 for root in roots))  # the end of the axis, m = 1
    found = crossovers(ROWS["ul1-discrete-new"], **point)
    assert [c.x for c in found] == pytest.approx([r for r in roots if r > 1], rel=1e-9)


def test_crossovers_say_what_the_paper_says():
    row = ROWS["ul1-discrete-new"]
    point = {"k": 1000, "alpha": 0.01, "epsilon": 0.1}
    first, second = crossovers(row, **point)
    assert (first.formula, second.formula) == ("ε²/α²", "1/α²")
    assert (first.x, second.x) == pytest.approx((100, 1e4))
    assert second.text == "k/(εα√m), falling as 1/√m, dominates until m = 1/α²"
    assert (second.before, second.after) == ("k/(εα√m)", "k/ε")
    (only,) = crossovers(row, **{**point, "epsilon": 4})
    assert only.formula == "ε/α²"
    (touching,) = crossovers(row, **{**point, "epsilon": 1})
    assert touching.x == pytest.approx(1e4)
    assert touching.after == "k/ε"


def test_terms_that_meet_at_the_end_of_the_axis():
    """ε = α: at m = 1 the statistical term equals the privacy term, which leads from there."""
    point = {"k": 1000, "alpha": 0.0965019707, "epsilon": 0.0965019707}
    assert [r.term for r in regimes_(ROWS["ul1-discrete-new"], **point)] == ["k/(εα√m)", "k/ε"]
    # Here rounding puts the meeting on one side of the end, and the order of the terms on another.
    point = {"d": 1e6, "alpha": 1.0000000000000004e-06, "epsilon": 1e-7, "m": 1}
    *_, last = regimes_(ROWS["ul-agnostic-lower"], axis="d_VC", **point)
    assert (last.term, last.stop) == ("d_VC/(εα√m)", 1e6)
    assert last.start == pytest.approx(1)


def test_minimum_changes_at_log_one_over_delta():
    (only,) = crossovers(
        ROWS["cs1-approximate-lower"], axis="d", epsilon=0.3, delta=1e-9, alpha=0.1
    )
    assert only.x == pytest.approx(math.log(1e9))
    assert (only.before, only.after) == ("d/ε", "ln(1/δ)/ε")
    assert only.value == pytest.approx(math.log(1e9) / 0.3)


def test_crossovers_refuse_an_axis_that_is_no_plain_power():
    for axis in ("delta", "c_L", "n", ""):
        with pytest.raises(ParameterError, match="axis"):
            crossovers(ROWS["ul1-pac-new"], axis=axis, **C)


# From item level to user level.

privacy = {"epsilon": inside("epsilon"), "delta": inside("delta")}
whole_m = inside("examples_per_user")


@many
@given(**privacy, examples_per_user=whole_m)
def test_group_privacy_budget_gives_back_the_privacy(epsilon, delta, examples_per_user):
    """Lemma 6: m neighbours in a row are (m ε′, (e^(mε′) − 1)/(e^ε′ − 1) δ′)-indistinguishable."""
    budget = group_privacy_budget(epsilon=epsilon, delta=delta, examples_per_user=examples_per_user)
    with mp.workdps(60):
        small, m = mp.mpf(float(budget.epsilon)), mp.mpf(float(examples_per_user))
        factor = mp.expm1(m * small) / mp.expm1(small)
        log_delta = mp.log(factor) + mp.mpf(float(budget.log_delta))
    assert float(m * small) == pytest.approx(epsilon, rel=1e-12)
    assert float(log_delta) == pytest.approx(math.log(delta), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["pac", "discrete", "product"])
def test_rows_of_table_2_are_what_corollary_3_makes_of_the_item_level(name):
    """From n_priv/ε + n_stat examples to 1/ε + n_priv/(ε²√m) + n_stat/m users, up to logarithms."""
    at = {**C, "epsilon": 0.25, "m": np.array([1, 100, 10**8])}
    private, *statistics = ROWS[f"ul2-{name}-item"].terms(**at).values()
    overhead, new_private, *new = ROWS[f"ul2-{name}-new"].terms(**at).values()
    assert overhead == pytest.approx(4)
    assert new_private == pytest.approx(private / (0.25 * np.sqrt(at["m"])))
    assert new == [pytest.approx(part / at["m"]) for part in statistics]


@many
@given(n_1=st.integers(1, 10**9), m=st.integers(1, 10**9))
def test_sandwich_of_whole_numbers(n_1, m):
    ends = sandwich(n_1, m)
    assert ends.upper == n_1
    # Rounded up, the lower end is the one printed, ⌈n_1/m⌉.
    assert math.ceil(Fraction(n_1, m)) - 1 < ends.lower <= math.ceil(Fraction(n_1, m))


def test_sandwich_refuses():
    for n_1 in (-1, math.nan, math.inf):
        with pytest.raises(ParameterError, match="n_1"):
            sandwich(n_1, 10)
    with pytest.raises(ParameterError, match="examples_per_user"):
        sandwich(10, 0)


@many
@given(data=st.data(), name=st.sampled_from(["epsilon", "delta", "examples_per_user"]))
def test_group_privacy_refuses_what_lies_outside(data, name):
    where = {"epsilon": 0.1, "delta": 1e-6, "examples_per_user": 10}
    where[name] = data.draw(outside(name))
    with pytest.raises(ParameterError, match=name):
        group_privacy_budget(**where)


# The slips of the paper that the page lists, each worked out.


def listed(*words):
    text = dict(prose("user_complexity"))["Where the papers slip, or text and tables disagree"]
    assert all(word in text for word in words)


def test_the_score_of_theorem_40_as_printed_prefers_the_worst_concept():
    """Over all ways to be right or wrong on four points: the mean of ψ is err(c') − err(c)."""
    for wrong, other in itertools.product(itertools.product([0, 1], repeat=4), repeat=2):
        errors = sum(wrong) / 4, sum(other) / 4
        printed = sum((not a) - (not b) for a, b in zip(wrong, other, strict=True)) / 4
        meant = sum(a - b for a, b in zip(wrong, other, strict=True)) / 4
        assert printed == errors[1] - errors[0]
        assert meant == errors[0] - errors[1]
    listed(r"\mathbf 1[c(x) = y] - \mathbf 1[c'(x) = y]", r"$\ne$ is meant")


def test_the_exponent_of_equation_10():
    """Lemma 26, exp(−2t²/(nc²)), at t = 0.05αnm for nm examples that move the sum by 2 each."""
    t, c = Fraction(5, 100), 2
    assert 2 * t**2 / c**2 == Fraction("0.00125")
    listed("-0.00125", "-0.025")


def test_the_masses_of_theorem_43_sum_to_one_half_as_printed():
    k, shift = 10, Fraction(1, 7)  # shift: 8α/κ, where (u_i)_ℓ = 0
    for bits in itertools.product([0, 1], repeat=k // 2):
        masses = [1 + sign * shift * (bit == 0) for bit in bits for sign in (1, -1)]
        assert sum(masses) * Fraction(1, 2 * k) == Fraction(1, 2)
        assert sum(masses) * Fraction(1, k) == 1
    listed("sum to 1/2", "the factor is $1/k$")


def test_the_prose_says_whose_bounds_theorem_4_uses():
    text = dict(prose("user_complexity"))["The theorems"]
    own, others = text.split("Theorem 4 counts the users")[1].split("The others use")
    assert "Ghazi, Kumar and Manurangsi" in own
    assert "Beimel, Nissim and Stemmer" in own
    assert "pairwise" not in own
    assert "clipped pairwise score" in others.split(".")[0]
