"""What several views say about bounds on users: so many, so many times fewer, by which theorem."""

from dpviz.plot.text import counted, readable, spoken
from dpviz.results.evidence import Curve
from dpviz.results.papers import CS

_LEAST_ALIKE, _MOST_ALIKE = 0.995, 1.005  # a ratio in between is 1 to three digits


def theorem_behind(curve: Curve) -> str:
    """Name the theorem behind a curve, with its year if it is from the earlier paper."""
    return f"{curve.source.item} (2021)" if curve.source.paper == CS else curve.source.item


def users_in_words(users: float) -> str:
    """Say so many users. A bound may lie below one."""
    return "less than one user" if users < 1 else counted(users, "user", write=spoken)


def number_of_users(users: float) -> str:
    """Say the number alone, where the word "users" stands nearby."""
    return "less than one" if users < 1 else spoken(users)


def examples_in_words(m: float) -> str:
    """Say so many examples as people do: ``1 example``, ``2 million examples``."""
    return counted(m, "example", write=spoken)


def m_in_full(m: float) -> str:
    """Write a whole number of examples, exactly as far as people read it."""
    return readable(m, 6) if m < 1e6 else readable(m)


def times_fewer(
    saving: float, than: str = "with one example each", *, noun: str = "", digits: int = 2
) -> str:
    """Say about how many times fewer than another way asks for, as constants are not known.

    than: that way, "" where it is clear; noun: fewer what, if it must be said.
    """
    if same_to_three_digits(saving):
        return f"as many as {than}"
    more = "fewer" if saving > 1 else "more"
    times = f"about {readable(max(saving, 1 / saving), digits)} times {more}"
    return " ".join(filter(None, (times, noun, than and f"than {than}")))


def same_to_three_digits(ratio: float) -> bool:
    """Tell whether two numbers of this ratio are written alike."""
    return _LEAST_ALIKE <= ratio <= _MOST_ALIKE
