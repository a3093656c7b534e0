"""How much is tried: a quarter in the suite, all of it in CI's long profile."""

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

LONG = "long"
T = TypeVar("T")


def some(count: int) -> int:
    """Return `count` in the long profile, else a quarter of it; see tests/conftest.py."""
    return count if in_long_run() else max(count // 4, 2)


def chosen(cases: Iterable[T], usual: Iterable[T]) -> list[T]:
    """Return all cases in the long profile, else the `usual` ones among them."""
    wanted = list(usual)
    return [case for case in cases if in_long_run() or case in wanted]


def in_long_run() -> bool:
    return settings.get_current_profile_name() == LONG


def examples(count: int, usual: int = 0) -> settings:
    """Have Hypothesis try `some` examples, or `usual` ones outside of the long profile."""
    return settings(max_examples=usual if usual and not in_long_run() else some(count))
