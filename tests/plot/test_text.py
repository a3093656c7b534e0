import ast
import math
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.plot.text import (
    agreeing,
    at_most_in_hundred,
    chance,
    counted,
    fixed,
    from_logarithm,
    from_to,
    hundredths,
    in_full,
    known_digits,
    listed,
    percent,
    percents,
    plain,
    power_of_ten,
    readable,
    readables,
    so_far,
    spoken,
    superscript,
    unbroken,
    whole,
)
from dpviz.results.evidence import SoFar
from dpviz.results.folders import ROOT

_VERBS = ({"is", "are"}, {"has", "have"}, {"was", "were"}, {"does", "do"})
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


@pytest.mark.parametrize(
    ("linked", "written"),
    [
        ("1e-300", "10⁻³⁰⁰"),
        ("1.25e-7", "1.25 × 10⁻⁷"),
        ("1000000", "10⁶"),
        ("12000000", "12 × 10⁶"),
        ("2147483647", "2,147,483,647"),
        ("-1234.5678", "−1,234.5678"),
        ("0.0001", "0.0001"),
    ],
)
def test_a_number_of_a_link_is_written_as_people_write_it_with_all_its_digits(linked, written):
    assert in_full(linked) == written


def parsed(text):
    factor, _, power = text.replace(",", "").partition(" × ")
    if factor.lstrip("−").startswith("10") and any(c in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹" for c in factor):
        sign = -1 if factor.startswith("−") else 1
        return sign * float(f"1e{factor.lstrip('−')[2:].translate(_PLAIN)}")
    exponent = power[2:].translate(_PLAIN) if power else "0"
    return float(f"{factor.translate(_PLAIN)}e{exponent}")


@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_three_digits_survive(value):
    assert parsed(readable(value)) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("value", "low", "high", "digits"),
    [
        (0.37, 0.33, 0.42, 1),
        (14.7, 14.5, 14.9, 2),
        (14.7, 14.69, 14.71, 3),
        (36.0, 32.0, 41.0, 1),
        (0.04, 0.01, 0.2, 1),
        (0.37, 0.37, 0.37, 1),
        (0.0, 0.0, 0.1, 1),
        (0.5, math.nan, math.nan, 1),
    ],
)
def test_no_digit_is_told_that_an_interval_leaves_open(value, low, high, digits):
    assert known_digits(value, low, high) == digits


@given(st.floats(1e-6, 1e6), st.floats(1e-4, 1.0))
def test_what_is_rounded_to_known_digits_stays_within_the_interval(value, part):
    low, high = value * (1 - part), value * (1 + part)
    rounded = parsed(readable(value, known_digits(value, low, high)))
    assert low * 0.995 <= rounded <= high * 1.005 or part > 0.2


@given(
    st.lists(
        st.one_of(
            st.floats(),
            st.floats(-2e6, 2e6),
            st.integers(-(10**5), 10**5).map(lambda n: n / 1000),  # ties among them
            st.integers(-320, 308).map(lambda n: float(f"1e{n}")),
            st.integers(-300, 300).map(lambda n: math.nextafter(float(f"1e{n}"), 0)),
        )
    )
)
def test_many_numbers_read_as_each_alone(values):
    assert readables(np.array(values)) == [readable(value) for value in values]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (12345, "12,300"),
        (999999.9, "10⁶"),
        (1e-10, "10⁻¹⁰"),
        (1.3e-7, "1.3 × 10⁻⁷"),
        (100, "100"),
        (-3.25, "−3.25"),
        (0.00012345, "1.23 × 10⁻⁴"),
        (0, "0"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "undefined"),
    ],
)
def test_numbers_look_as_people_write_them(value, text):
    assert readable(value) == text


def test_powers_of_ten():
    assert power_of_ten(-10) == "10⁻¹⁰"


def test_plain_text_means_nothing_to_markdown():
    escaped = plain("[x](javascript:alert(1)) **b** <img src=x> `c` $d$ a_b")
    assert (
        re.sub(r"[\\\u2060]", "", escaped)
        == "[x](javascript:alert(1)) **b** <img src=x> `c` $d$ a_b"
    )
    for place, sign in enumerate(escaped):
        if sign in "[]()*<>`$_":
            assert escaped[place - 1] == "\\"


# What Streamlit's Markdown (remark) looks for in text after its escapes are gone.
AFTERWARDS = re.compile(
    r"(https?://|www(?=\.))[-.\w]|[-.\w+]+@[-\w]+\.[-\w]|:[\w+-]+:|:material/\w", re.IGNORECASE
)


@given(
    st.lists(
        st.sampled_from(["http://", "https://", "WWW.", "www.", "me@", "a.b", ":", "smile:", "@"])
        | st.sampled_from([":material/home:", "x", " ", "mailto:", "\n", "\t", "/", "-"])
    ).map("".join)
)
@example("Session expired: sign in at https://evil.example or www.evil.example, me@evil.example")
def test_plain_text_holds_no_address(text):
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", plain(text))
    assert not AFTERWARDS.search(shown)
    assert "\n" not in shown
    assert shown.replace("\N{WORD JOINER}", "") == " ".join(text.split())


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (34_000, "34,000"),
        (999_499, "999,000"),
        (999_999, "1 million"),
        (11_100_000, "11.1 million"),
        (999.6e6, "1 billion"),
        (2.5e9, "2.5 billion"),
        (3e14, "300 trillion"),
        (3e16, "3 × 10¹⁶"),
        (math.inf, "∞"),
    ],
)
def test_counts_are_said_as_people_do(count, said):
    assert spoken(count) == said


def test_no_line_ends_within_an_equation():
    assert unbroken("at ε = 0.5, for k = 7") == "at ε\xa0=\xa00.5, for k\xa0=\xa07"
    assert unbroken(plain("at ε = 0.5")) == "at ε\xa0\\=\xa00\\.5"


def test_one_thing_is_no_things():
    assert [counted(n, "user") for n in (0, 1, 1.001, 2)] == [
        "0 users",
        "1 user",
        "1 user",
        "2 users",
    ]
    assert counted(1, "query", "queries") == "1 query"
    assert counted(12_345, "query", "queries") == "12,300 queries"
    assert counted(12_345, "query", "queries", digits=5) == "12,345 queries"
    assert counted(2e6, "user", write=spoken) == "2 million users"
    assert [agreeing(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]


def test_the_words_that_views_share():
    assert [whole(n) for n in (0, 12_345, -3, 1e6, 1_234_567)] == [
        "0",
        "12,345",
        "−3",
        "1,000,000",
        "1.23 × 10⁶",
    ]
    assert [fixed(x, 2) for x in (-0.4, -0.001, 1234.5)] == ["−0.40", "0.00", "1,234.50"]
    assert (from_to("3", "3"), from_to("3", "4")) == ("3", "3 to 4")
    assert [listed(parts) for parts in (["a"], ["a", "b"], ["a", "b", "c"], ["a, b", "c"])] == [
        "a",
        "a and b",
        "a, b, and c",
        "a, b, and c",
    ]
    assert percent(0.99996, otherwise=1e-5) == "99.999%"


def test_no_view_writes_by_hand_what_all_of_them_say():
    """Plurals, verbs that go with a number, per cent and minus have one place each."""
    for file in sorted((ROOT / "dpviz/topics").rglob("*_shown.py")):
        source = file.read_text(encoding="utf-8")
        assert not re.search(r"\bhundredths\([^{}]*\)\}%", source), f"{file.name}: percent"
        assert '.replace("-", "−")' not in source, f"{file.name}: fixed or whole"
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.IfExp(body=ast.Constant(value=str(a)), orelse=ast.Constant(value=str(b))):
                    pair = {a, b}
                    by_hand = a + "s" == b or b + "s" == a or pair in _VERBS
                    assert not by_hand, f"{file.name}, line {node.lineno}: counted or agreeing"


@pytest.mark.parametrize(
    ("probability", "said", "of_a_hundred"),
    [
        (0.0, "0", "0"),
        (0.25, "0.25", "25"),
        (0.9994, "0.999", "99.9"),
        (0.9996, "0.9996", "99.96"),
        (0.99991, "0.99991", "99.991"),
        (1 - 9.6e-5, "0.9999", "99.99"),
        (1 - 1e-9, "1 − 10⁻⁹", "more than 99.99"),
        (1.0, "1", "100"),
    ],
)
def test_a_probability_looks_as_people_write_it(probability, said, of_a_hundred):
    assert chance(probability) == said
    assert hundredths(probability) == of_a_hundred


def test_what_rounding_took_is_told_where_it_is_known():
    assert chance(1.0, 1e-40) == "1 − 10⁻⁴⁰"
    assert hundredths(1.0, 1e-40) == "more than 99.99"


@given(st.floats(min_value=0, max_value=1), st.integers(min_value=2, max_value=5))
@example(0.995, 2)
@example(1 - 2**-53, 3)
def test_no_probability_below_1_is_said_to_be_1(probability, digits):
    sure = probability == 1
    assert (chance(probability, digits=digits) == "1") == sure
    assert (hundredths(probability, digits=digits) == "100") == sure
    if not sure:
        assert percents(np.array([probability])) != ["100%"]


@given(st.floats(1e-3, 1, exclude_max=True))
@example(1 - 1e-12)
@example(0.56)  # 100 times this float is above 56
def test_the_most_that_a_suspicion_becomes_is_no_least(part):
    said = at_most_in_hundred(part)
    assert "more than" not in said
    assert said == "near certainty" or Decimal(said.split()[2]) >= 100 * Decimal(repr(part))


@pytest.mark.parametrize(
    ("words", "part", "said"),
    [
        ("Two agree.", SoFar(3, "run", 100), "So far, from 3 of 100 runs: two agree."),
        ("Two agree.", SoFar(1, "data set", 100), "So far, from 1 of 100 data sets: two agree."),
        ("Two agree.", SoFar(1234, "data set"), "So far, from 1,234 data sets: two agree."),
        ("Two agree.", SoFar(1, "run"), "So far, from 1 run: two agree."),
        ("Two agree.", SoFar(3, "run", 9, stopped=True), "From 3 of 9 runs: two agree."),
        ("Two agree.", SoFar(100, "run", 100), "Two agree."),
        ("Nothing is known yet.", SoFar(0, "run", 100), "Nothing is known yet."),
        ("Two agree.", None, "Two agree."),
        ("", SoFar(3, "run", 100), ""),
        ("RSPM errs.", SoFar(3, "run", 9), "So far, from 3 of 9 runs: RSPM errs."),
        ("DelStab refuses.", SoFar(3, "run", 9), "So far, from 3 of 9 runs: DelStab refuses."),
        ("R = 3 is enough.", SoFar(3, "run", 9), "So far, from 3 of 9 runs: R = 3 is enough."),
    ],
)
def test_what_some_runs_say_is_said_of_so_many(words, part, said):
    assert so_far(words, part) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [("2^d points", "2ᵈ points"), ("(1 − u²)^−p", "(1 − u²)⁻ᵖ"), ("n^(2)", "n²"), ("e^ε", "e^ε")],
)
def test_exponents_are_letters_of_their_own_where_there_are_any(text, said):
    assert superscript(text) == said


def test_numbers_are_written_by_their_logarithms_however_small():
    assert from_logarithm(math.log(0.0123)) == "0.0123"
    assert from_logarithm(-2000.0) == "2.58 × 10⁻⁸⁶⁹"  # mpmath.exp(-2000)
    assert from_logarithm(-1e12) == "about 10⁻⁴³⁴²⁹⁴⁴⁸¹⁹⁰³"
    assert from_logarithm(-math.inf) == "0"
