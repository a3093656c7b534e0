"""Answers of a class, and the interval in which their number lies, in words."""


def answers_in_words(count: int) -> str:
    """Return "1 answer" or "40 answers"."""
    return f"{count:,} answer{'' if count == 1 else 's'}"


def interval_in_words(low: int, high: int) -> str:
    """Return "12 to 20", or the one number that it can be."""
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
