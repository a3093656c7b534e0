"""How many examples Hypothesis tries: a quarter in the suite, all of them in CI's long profile."""

from hypothesis import settings

LONG = "long"


def examples(count: int) -> settings:
    """Try so many examples in the long profile; see tests/conftest.py."""
    whole = settings.get_current_profile_name() == LONG
    return settings(max_examples=count if whole else max(count // 4, 3))
