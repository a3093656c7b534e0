"""How much is tried: a small sample by the README's command, a larger one in CI, all at night.

Each ring has a profile of Hypothesis with its name, and contains the ones before it.
"""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from hypothesis import settings

SUITE, CI, NIGHTLY = RINGS = "suite", "ci", "nightly"
T = TypeVar("T")


def ring() -> str:
    """Return the ring that runs: HYPOTHESIS_PROFILE, see tests/conftest.py."""
    return settings.get_current_profile_name()


def by_ring(suite: T, ci: T, nightly: T) -> T:
    return dict(zip(RINGS, (suite, ci, nightly), strict=True))[ring()]


def some(count: int, usual: int = 0) -> int:
    """Return `count` at night, else `usual` or a quarter of it."""
    return count if in_nightly() else usual or max(count // 4, 2)


def chosen(cases: Iterable[T], usual: Iterable[T]) -> list[T]:
    """Return all cases at night, else the `usual` ones among them."""
    wanted = list(usual)
    return [case for case in cases if in_nightly() or case in wanted]


def in_nightly() -> bool:
    return ring() == NIGHTLY


def in_ci() -> bool:
    """Return whether CI's ring runs, or the nightly one, which contains it."""
    return ring() != SUITE


def only_in_ci(test: T) -> T:
    """Skip a test in the README's ring: one that takes seconds of a processor."""
    return pytest.mark.skipif(not in_ci(), reason=f"HYPOTHESIS_PROFILE={CI}")(test)


def only_in_nightly(test: T) -> T:
    """Skip a test in all rings but the nightly one: what it finds, a cheaper one finds, too."""
    return pytest.mark.skipif(not in_nightly(), reason=f"HYPOTHESIS_PROFILE={NIGHTLY}")(test)


def examples(count: int, usual: int = 0) -> settings:
    """Have Hypothesis try a third of `count` at night, else `usual` or an eighth, or half of that.

    The half is for the README's ring.
    """
    ci = usual or count // 8
    return settings(max_examples=max(by_ring(ci // 2, ci, count // 3), 2))
