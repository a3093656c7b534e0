import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.results.parameters import (
    LIMITS,
    Limit,
    ParameterError,
    format_number,
    validate,
    validate_array,
)
from tests.support.strategies import inside, outside

every_limit = pytest.mark.parametrize("limit", LIMITS.values(), ids=lambda limit: limit.name)
names = st.sampled_from(sorted(LIMITS))


@every_limit
def test_the_table_is_consistent(limit):
    assert LIMITS[limit.name] is limit
    assert limit.name.isidentifier()
    assert limit.minimum <= limit.default <= limit.maximum
    assert limit.minimum < limit.maximum
    if limit.log:
        assert limit.minimum > 0
    if limit.integer:
        assert all(v == math.floor(v) for v in (limit.minimum, limit.maximum, limit.default))


@every_limit
def test_the_grid_is_ascending_valid_and_complete(limit):
    if limit.name == "seed":
        pytest.skip("a seed has no slider")
    grid = limit.grid
    assert list(grid) == sorted(set(grid))
    assert {limit.minimum, limit.maximum, limit.default} <= set(grid)
    assert all(limit.validate(value) == value for value in grid)
    assert 2 <= len(grid) <= 400


def test_a_fine_grid_has_all_small_counts():
    users = Limit("guess", "users", "to be told", 1, 2000, 20, integer=True, fine=True)
    assert list(range(1, 17)) == [value for value in users.grid if value <= 16]
    coarse = set(dataclasses.replace(users, fine=False).grid)
    assert coarse < set(users.grid)
    assert 7 not in coarse


@every_limit
def test_the_grid_reads_back_from_its_own_text(limit):
    if limit.name == "seed":
        pytest.skip("a seed has no slider")
    texts = [format_number(value) for value in limit.grid]
    assert [float(text) for text in texts] == list(limit.grid)
    assert len(set(texts)) == len(texts)


@given(names.flatmap(lambda name: st.tuples(st.just(name), inside(name))))
def test_values_inside_come_back_unchanged(case):
    name, value = case
    assert validate(name, value) == value
    assert validate_array(name, [value, value]).tolist() == [value, value]


@given(names.flatmap(lambda name: st.tuples(st.just(name), outside(name))))
def test_values_outside_are_refused_by_name_range_and_value(case):
    name, value = case
    with pytest.raises(ParameterError) as caught:
        validate(name, value)
    message = str(caught.value)
    assert message == f"{name} must be {LIMITS[name].allowed}; got {value!r}"
    with pytest.raises(ParameterError):
        validate_array(name, [LIMITS[name].default, value])


@pytest.mark.parametrize("nonsense", ["abc", "", None, [], 1j, "1,5"])
def test_what_is_not_a_number_is_refused(nonsense):
    with pytest.raises(ParameterError, match="epsilon must be"):
        validate("epsilon", nonsense)


def test_numbers_too_large_for_a_float_are_refused():
    with pytest.raises(ParameterError):
        validate("queries", 10**400)


def test_fractions_are_refused_where_only_whole_numbers_make_sense():
    with pytest.raises(ParameterError, match="a whole number"):
        validate("queries", 2.5)
    with pytest.raises(ParameterError, match="a whole number"):
        validate_array("queries", [2.0, 2.5])


def test_a_page_may_narrow_a_range_but_not_widen_it():
    limit = LIMITS["epsilon"]
    narrow = limit.narrowed(minimum=0.01, maximum=1.0, default=5.0, better="less is safer")
    assert (narrow.minimum, narrow.maximum, narrow.default) == (0.01, 1.0, 1.0)
    assert (narrow.name, narrow.better) == (limit.name, "less is safer")
    for wider in ({"minimum": 0.0}, {"maximum": 11.0}, {"minimum": 2.0, "maximum": 1.0}):
        with pytest.raises(ParameterError, match="narrowed"):
            limit.narrowed(**wider)


def test_narrowing_forgets_the_old_grid():
    wide = LIMITS["epsilon"]
    assert wide.grid[0] == wide.minimum
    assert wide.narrowed(minimum=0.01).grid[0] == 0.01


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back_from_its_text(value):
    text = format_number(value)
    assert float(text) == value
    assert "+" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-10, "1e-10"),
        (10**6, "1000000"),
        (0.1, "0.1"),
        (1.3e-7, "1.3e-7"),
        (1e10, "1e10"),
        (2**31 - 1, "2147483647"),
    ],
)
def test_numbers_are_written_as_short_as_possible(value, text):
    assert format_number(value) == text


def test_a_long_log_range_steps_by_decades():
    limit = Limit("x", "x", "", 1e-100, 1.0, 1e-50)
    assert len(limit.grid) == 101
    assert np.allclose(np.diff(np.log10(limit.grid)), 1)


def test_limits_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        LIMITS["epsilon"].minimum = 0.0
