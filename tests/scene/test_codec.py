import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Flag, Number, Seed, decode, encode, in_words, quote, read_note
from tests.support.declarations import values

PARAMETERS = (
    Number(LIMITS["epsilon"]),
    Number(LIMITS["delta"]),
    Number(LIMITS["queries"]),
    Number(LIMITS["power"]),
    Seed(),
    Choice("x", "Across", {"queries": "k", "epsilon": "ε"}, "queries"),
    Flag("shapes", "Shapes"),
)
KEYS = [p.key for p in PARAMETERS]
EPSILON, DELTA, QUERIES = PARAMETERS[:3]

NEARLY_NUMBERS = ["1e999", "-1e999", "1e-999", "inf", "nan", "NaN", "0,1", "1,000", "1_000"]
NO_NUMBERS = ["٣", "１", "0x1", "1e", "e5", ".", "-", "%", "💥", "\x00", "\u202e", "`", ""]
texts = st.one_of(
    st.text(),
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from([*NEARLY_NUMBERS, *NO_NUMBERS, "+5", " 7 ", "1 2", "9" * 5000, "true"]),
)
queries = st.dictionaries(
    st.one_of(st.sampled_from(KEYS), st.text(max_size=8)), st.lists(texts, max_size=3)
)


@given(queries)
def test_any_query_ends_in_valid_values_and_says_what_it_changed(query):
    decoded, notes = decode(query, PARAMETERS)
    assert list(decoded) == KEYS
    for parameter in PARAMETERS:
        value = decoded[parameter.key]
        if isinstance(parameter, Number):
            assert parameter.limit.validate(value) == value
            assert isinstance(value, int if parameter.limit.integer else float)
        given_texts = query.get(parameter.key, [])
        mine = [note for note in notes if note.startswith(f"**{parameter.key}**")]
        if not given_texts:
            assert value == parameter.default
            assert not mine
        else:
            understood = parameter.read(given_texts[-1], parameter.default) == (value, "")
            assert len(mine) == (0 if understood and len(given_texts) == 1 else 1)
            assert all(in_words(parameter, value) in note for note in mine)
    assert all(len(note) < 200 and note.isprintable() for note in notes)


@given(st.fixed_dictionaries({p.key: values(p) for p in PARAMETERS}))
@example({p.key: p.default for p in PARAMETERS} | {"delta": 1.3e-7, "epsilon": 0.1 + 0.2})
def test_a_written_state_reads_back_exactly(state):
    written = encode(state, PARAMETERS)
    decoded, notes = decode({key: [text] for key, text in written.items()}, PARAMETERS)
    assert decoded == state
    assert not notes
    assert {key: type(v) for key, v in decoded.items()} == {k: type(v) for k, v in state.items()}


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (EPSILON, "100", 10.0),
        (EPSILON, "-1", 1e-7),
        (DELTA, "1e-400", 1e-300),
        (QUERIES, "1e99", 10**10),
        (QUERIES, "2.5", 2),
        (EPSILON, "1e999", EPSILON.default),
        (EPSILON, "inf", EPSILON.default),
        (EPSILON, "nan", EPSILON.default),
        (EPSILON, "0,1", EPSILON.default),
        (EPSILON, "٣", EPSILON.default),
        (EPSILON, "", EPSILON.default),
    ],
)
def test_a_wrong_number_becomes_the_nearest_end_or_the_default(parameter, text, value):
    read, note = read_note(parameter, text, parameter.default)
    assert read == value
    assert note.startswith(f"**{parameter.key}**: ")
    assert note.endswith(f"using {in_words(parameter, value)}.")


def test_a_decimal_comma_gets_advice():
    assert "write a decimal point" in read_note(EPSILON, "0,1", 0.1)[1]


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (QUERIES, "12,345", 12_345),
        (QUERIES, "1,234,567", 1_234_567),
        (QUERIES, "1.234.567", 1_234_567),
        (QUERIES, "12 345", 12_345),
        (QUERIES, "12\u202f345", 12_345),
        (QUERIES, "12'345", 12_345),
        (QUERIES, "10⁶", 10**6),
        (QUERIES, "2 × 10⁶", 2 * 10**6),
        (QUERIES, "10^6", 10**6),
        (QUERIES, "1010", 1010),
        (EPSILON, "1.5 × 10⁻³", 1.5e-3),
        (EPSILON, "1.234", 1.234),
    ],
)
def test_numbers_are_read_as_the_app_prints_them(parameter, text, value):
    assert parameter.read(text, parameter.default) == (value, "")


@given(st.integers(1, 10**10))
def test_what_is_printed_with_commas_reads_back(number):
    assert QUERIES.read(f"{number:,}", 1) == (number, "")


@pytest.mark.parametrize(
    ("parameter", "text", "advice"),
    [(QUERIES, "12.345", "may be 12 or 12345"), (EPSILON, "1,234", "write a decimal point")],
)
def test_what_may_be_either_is_asked_about_and_changes_nothing(parameter, text, advice):
    value, problem = parameter.read(text, parameter.default)
    assert value == parameter.default
    assert advice in problem


def test_a_plus_sign_that_a_browser_turned_into_a_blank_is_understood():
    assert QUERIES.read("1e 06", 1) == (10**6, "")


def test_of_a_repeated_key_the_last_counts():
    decoded, notes = decode({"epsilon": ["1", "2"]}, [EPSILON])
    assert decoded == {"epsilon": 2.0}
    assert notes == ("**epsilon**: given 2 times; using the last, 2.",)


def test_keys_that_belong_to_nothing_are_told():
    query = {key: ["1"] for key in ("k", "epsilon", "`", "a", "b")}
    assert decode(query, [EPSILON])[1] == (
        "Left out, as this page has no such parameter: `k`, `\N{REPLACEMENT CHARACTER}`, `a`, ….",
    )


@given(st.text())
def test_quoted_text_can_not_leave_its_code_span(text):
    shown = quote(text)
    assert shown == "nothing" or (shown[0] == shown[-1] == "`" and "`" not in shown[1:-1])
    assert shown.isprintable()
    assert len(shown) <= 35


def test_numbers_are_validated_by_the_limits_they_stand_for():
    assert not math.isnan(float(EPSILON.read("nan", 1.0)[0]))


def test_an_option_of_former_times_is_what_it_became_and_a_link_has_the_last_word():
    law = Choice("law", "Law", {"each": "Each", "mean": "Mean"}, "each")
    view = Choice(
        "view",
        "View",
        {"close": "Close"},
        "close",
        formerly={"expected": {"view": "close", "law": "mean"}},
    )
    now = {"view": "close", "law": "mean"}
    assert decode({"view": ["expected"]}, [law, view]) == (now, ())
    assert decode({"view": ["expected"], "law": ["each"]}, [law, view])[0]["law"] == "each"
    assert decode({"view": ["close"]}, [law, view])[0]["law"] == "each"
    assert decode({"view": ["gone"]}, [law, view])[1]
