"""What is asked of a sample, and how many questions it answers, in words."""

from dpviz.plot.text import readable

ASKED = ("samples", "alpha", "beta")


def count(queries: float) -> str:
    """Write a number of questions; none is a word."""
    if not queries:
        return "none"
    return f"{queries:,.0f}" if queries < 1e7 else readable(queries)


def questions(queries: float) -> str:
    """Return the noun for so many."""
    return "question" if queries == 1 else "questions"
