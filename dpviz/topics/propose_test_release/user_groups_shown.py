"""Users as dots above their sums: what is written along that axis, and what colours mean."""

from dpviz.plot.dots import Dots
from dpviz.plot.text import readable
from dpviz.results.evidence import FloatArray, Subject
from dpviz.topics.propose_test_release.roles import Role

_TICKS = 6
_DIGITS = 5  # characters of a number for which there is room at each of them

PARTS = {
    Role.DELETED_FIRST: ("dropped first", "first"),
    Role.DELETED_AS_LARGEST: ("largest of the rest", "tested"),
    Role.DELETED_AS_SMALLEST: ("smallest of the rest", "tested"),
    Role.DELETED_AS_BOTH: ("among both", "tested"),
    Role.KEPT: ("in between", "kept"),
}
"""What is said of users of each role, and the kind by which they are coloured."""

NAMES = {
    "first": "dropped first",
    "tested": "largest and smallest of the rest",
    "kept": "in between",
}

SUBJECTS = {
    "first": Subject.DANGER,
    "tested": Subject.GAUSSIAN,
    "kept": Subject.USER_LEVEL,
}

SYMBOLS = {"first": "x-thin-open", "tested": "circle-open", "kept": "circle"}
"""What tells the kinds apart besides their colours."""


def middles_inside(dots: Dots) -> FloatArray:
    """Return the middles of the groups that do not stand for everybody beyond."""
    low, high = float(dots.values.min()), float(dots.values.max())
    return dots.middles[int(low < dots.edges[0]) : dots.groups - int(high >= dots.edges[-1])]


def ticks(dots: Dots) -> list[float]:
    """Return where sums are written: at some groups, and at those of everybody beyond."""
    middles, inside = dots.middles, middles_inside(dots)
    longest = max(len(readable(middle)) for middle in inside.tolist())
    most = max(2, _TICKS * _DIGITS // max(longest, _DIGITS))
    some = inside[:: max(1, -(-inside.size // most))].tolist()
    return sorted({float(middles[0]), *some, float(middles[-1])} - {float(inside[-1])})


def at_ticks(dots: Dots) -> list[str]:
    """Return what is written there."""
    inner = middles_inside(dots)
    return [
        "more" if tick > inner[-1] else "less" if tick < inner[0] else readable(tick)
        for tick in ticks(dots)
    ]
