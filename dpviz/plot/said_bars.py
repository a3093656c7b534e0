"""Bars in rows that begin at 0, each with its words above it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.marks import Bars, Ink, Mark, Text, Words
from dpviz.plot.panels import Panel, Side

_WIDE = 0.42  # of a row, which a bar takes; above it are its words


@dataclass(frozen=True)
class Bar:
    """A bar: what is said of it, how long it is (NaN: not yet known), and its look."""

    words: Words
    long: float
    about: Ink
    pale: float = 1.0


def said_bars(
    rows: Sequence[Bar], most: float = 0.0, more: Sequence[Mark] = (), **looks: Any
) -> Panel:
    """Return bars in rows, from above.

    most: where the axis ends, at the longest bar if that is longer. more: marks besides, at y = 0,
    1, … for each row. looks: as of a `Panel`.
    """
    longest = max([most, *(bar.long for bar in rows if np.isfinite(bar.long))])
    marks: list[Mark] = []
    for row, bar in enumerate(rows):
        full = bar.words if isinstance(bar.words, str) else bar.words[0]
        look: dict[str, Any] = {"about": bar.about, "pale": bar.pale, "said": full}
        marks.append(Bars([row], [bar.long], lying=True, wide=_WIDE, **look))
        marks.append(Text(bar.words, 0, row - _WIDE / 2, to="NE"))
    x, y = Side.bare(0, longest or 1.0), Side.bare(len(rows) - 0.6, -0.7)
    return Panel(x, y, [*marks, *more], **looks)
