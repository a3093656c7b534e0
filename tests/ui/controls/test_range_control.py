"""What the range control is told, for every number there is."""

import json
import math
import re

import pytest

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Number
from dpviz.scene.ranges import description, ticks
from tests.support.declarations import SLUGS, page

SLIDERS = {name: limit for name, limit in LIMITS.items() if name != "seed"}
every_limit = pytest.mark.parametrize("limit", SLIDERS.values(), ids=SLIDERS)


@every_limit
def test_the_texts_of_the_grid_stand_for_its_numbers(limit):
    sent = json.loads(json.dumps(description(limit)))
    assert [float(text) for text in sent["grid"]] == list(limit.grid)
    assert len(json.dumps(sent)) < 16_000


@every_limit
def test_ticks_stand_at_round_values_inside_the_range(limit):
    marks = ticks(limit)
    values = [value for value, _ in marks]
    assert values == sorted(set(values))
    assert limit.minimum <= values[0] <= values[-1] <= limit.maximum
    assert 2 <= sum(bool(label) for _, label in marks) <= 4
    digits = {f"{value:.12e}".split("e")[0].rstrip("0") for value in values if value}
    assert all(len(mantissa) <= 4 for mantissa in digits)


@every_limit
def test_ticks_are_spread_over_the_range(limit):
    scale = math.log if limit.log else float
    low, high = scale(limit.minimum), scale(limit.maximum)
    places = [(scale(value) - low) / (high - low) for value, label in ticks(limit) if label]
    gaps = [b - a for a, b in zip([0.0, *places], [*places, 1.0], strict=True)]
    assert max(gaps) < 0.55
    assert min(gaps[1:-1]) > 0.1


@pytest.mark.parametrize("slug", SLUGS)
def test_a_promise_and_an_error_say_which_way_is_better(slug):
    for parameter in page(slug).parameters:
        if isinstance(parameter, Number) and parameter.limit.symbol in ("ε", "ε₀", "δ", "α", "β"):
            better = description(parameter.limit)["better"]
            assert re.search("safer|accurate|surer", better), (
                f"{parameter.key} has the symbol of a promise or an error: its Limit says in "
                "`better` which way is, or it is excepted here as neither"
            )


def test_a_symbol_that_opens_the_meaning_is_not_said_twice():
    assert description(LIMITS["epsilon"])["symbol"] == "ε"
    assert description(LIMITS["seed"])["symbol"] == ""
    distance = LIMITS["outlier_distance"]  # whose meaning begins with its symbol's letter
    assert description(distance)["symbol"] == distance.symbol == "d"
