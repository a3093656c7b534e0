"""Numbers as people write them: every small expression, and nothing that does anything else."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.folders import ROOT
from dpviz.scene.arithmetic import evaluate, read

ANSWERS = json.loads((ROOT / "tests" / "support" / "answers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "unit", "value", "said"), ANSWERS, ids=lambda part: str(part))
def test_an_answer_is_read_as_students_type_it_or_refused(text, unit, value, said):
    reading = read(text, unit)
    if value is None:
        assert math.isnan(reading.value)
        assert said in reading.problem
        assert not reading.note
    else:
        assert reading.value == pytest.approx(value, rel=1e-12)
        assert not reading.problem
        assert said in reading.note
        assert bool(said) == bool(reading.note)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ln 9", math.log(9)),
        ("ln(9)", math.log(9)),
        ("2 * ln(9) / 3", 2 * math.log(9) / 3),
        ("ln 9^2", math.log(81)),
        ("ln(9)^2", math.log(9) ** 2),
        ("sqrt 2", math.sqrt(2)),
        ("√(1 + 9999*0.01)", math.sqrt(100.99)),
        ("1/2 + 1/sqrt(2·π·101)", 0.5 + 1 / math.sqrt(2 * math.pi * 101)),
        ("e/(1+e)", math.e / (1 + math.e)),
        ("e^-0.2", math.exp(-0.2)),
        ("exp(−0.2)", math.exp(-0.2)),
        ("10^-6", 1e-6),
        ("1e-6*(e^5-1)/(e^0.5-1)", 1e-6 * math.expm1(5) / math.expm1(0.5)),
        ("2^3^2", 512),
        ("-3^2", -9),
        ("2--3", 5),
        ("8/2/2", 2),
        ("100 × 225,087", 22_508_700),
        ("0,5 + 1", 1.5),
        ("\t3 ", 3),
    ],
)
def test_an_expression_is_read_as_it_is_meant(text, value):
    assert evaluate(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "+", "2 +", "ln", "ln()", "ln 0", "ln -1", "sqrt(-1)", "(-8)^(1/3)", "0^-1"),
        *("(1", "1)", "()", "2 3", "9^9^9^9", "exp 1000", "1/0", "e e"),
        *("__import__", "1;2", "ln.real", "x", "1 if 1 else 2", "[1]", "²", "٣+٣"),
        *("(" * 59 + "1", "-" * 59, "√" * 59, "1+" * 30_000 + "1"),
    ],
)
def test_what_is_no_expression_is_no_number(text):
    assert math.isnan(evaluate(text))


@given(st.text(alphabet="0123456789.,eE+-−*·×/^() \tlnsqrtxpiπ√∞²", max_size=80))
def test_any_text_is_read_without_a_fault(text):
    assert not math.isinf(evaluate(text))
