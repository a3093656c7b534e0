"""How much is tried: a quarter in the suite, all of it in CI's long profile."""

from hypothesis import settings

LONG = "long"


def some(count: int) -> int:
    """Return `count` in the long profile, else a quarter of it; see tests/conftest.py."""
    return count if settings.get_current_profile_name() == LONG else max(count // 4, 2)


def examples(count: int) -> settings:
    """Have Hypothesis try `some` examples."""
    return settings(max_examples=some(count))
