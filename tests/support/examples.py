"""How much is tried: a part in the suite, all of it in CI's long profile."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from hypothesis import settings

LONG = "long"
T = TypeVar("T")


def some(count: int, usual: int = 0) -> int:
    """Return `count` in the long profile (tests/conftest.py), else `usual` or a quarter of it."""
    return count if in_long_run() else usual or max(count // 4, 2)


def chosen(cases: Iterable[T], usual: Iterable[T]) -> list[T]:
    """Return all cases in the long profile, else the `usual` ones among them."""
    wanted = list(usual)
    return [case for case in cases if in_long_run() or case in wanted]


def only_in_long_run(test: T) -> T:
    """Skip a test outside of the long profile: one that takes seconds of a processor."""
    return pytest.mark.skipif(not in_long_run(), reason=f"HYPOTHESIS_PROFILE={LONG}")(test)


def in_long_run() -> bool:
    return settings.get_current_profile_name() == LONG


def examples(count: int, usual: int = 0) -> settings:
    """Have Hypothesis try a third of `count` in the long profile, else `usual` or an eighth."""
    return settings(max_examples=some(max(count // 3, 2), usual or max(count // 8, 2)))
