"""Numbers as people write them, read the same here and in the browser."""

import json
import math

import pytest

from dpviz.results.folders import ROOT
from dpviz.results.numbers import LONGEST, read_number

CASES = json.loads((ROOT / "tests" / "support" / "numbers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "how", "value"), CASES)
def test_a_number_is_read_as_people_write_it(text, how, value):
    expected = math.nan if value is None else float(value)
    assert read_number(text, **how) == pytest.approx(expected, rel=1e-15, nan_ok=True)


def test_a_text_too_long_to_be_a_number_is_none():
    assert read_number("1" * LONGEST) == math.inf
    assert math.isnan(read_number("1" * (LONGEST + 1)))
    assert read_number("0." + "1" * (LONGEST - 2)) == pytest.approx(1 / 9)
