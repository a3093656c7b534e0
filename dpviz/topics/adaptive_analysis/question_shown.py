"""What is asked of a sample, and how many questions it answers, in words."""

from dpviz.plot.text import readable

ASKED = ("samples", "alpha", "beta")
POWER = (
    "p says how steeply bounded noise falls towards its largest error: with u in units of that, "
    "the negative logarithm of its density is (1 − u²)^−p, up to a constant."
)
"""What the names of the curves leave out."""


def count(queries: float) -> str:
    """Write a number of questions; none is a word."""
    if not queries:
        return "none"
    return f"{queries:,.0f}" if queries < 1e7 else readable(queries)
