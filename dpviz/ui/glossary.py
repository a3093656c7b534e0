"""Every symbol of the app as a table, out of the table of limits."""

import unicodedata

from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit


def symbols() -> str:
    """Return the symbols, their meanings, ranges and names in links, as Markdown."""
    rows = [_row(limit) for limit in sorted(LIMITS.values(), key=_order)]
    return "\n".join(["| symbol | meaning | range | name |", "|---|---|---|---|", *rows])


def _order(limit: Limit) -> tuple[bool, str, str]:
    """Latin letters before Greek ones, each in the order of their alphabet."""
    letters = "".join(c for c in limit.symbol if c.isalpha())
    greek = unicodedata.name(letters[0]).startswith("GREEK")
    return greek, letters.casefold(), limit.name


def _row(limit: Limit) -> str:
    symbol = limit.symbol.replace("|", r"\|").replace("_", r"\_")
    kind = ", whole" if limit.integer else ""
    low, high = (readable(end, 10) for end in (limit.minimum, limit.maximum))
    return f"| *{symbol}* | {limit.meaning} | {low} to {high}{kind} | `{limit.name}` |"
