"""Counts and chances, as all views of this topic write them."""


def likelihood(failure_probability: float) -> str:
    """Write 1 − β in as many digits as β needs."""
    return f"{1 - failure_probability:.12g}"
