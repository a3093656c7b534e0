"""Two panels on top of each other, with words above each of them."""

from dataclasses import dataclass
from typing import Any

from dpviz.plot.theme import Theme

_BETWEEN = 100  # pixels from panel to panel, for words of the usual size
HEADING = {"x": 0, "xref": "paper", "xanchor": "left", "showarrow": False, "align": "left"}


@dataclass(frozen=True)
class Panel:
    """One of two panels on top of each other: its height in pixels, and its share of the plot."""

    height: float
    share: float


def two_panels(theme: Theme, top: int) -> tuple[dict[str, Any], Panel]:
    """Return the layout of two panels with so many pixels above them, and what each has."""
    more = 60 if theme.labels == "only" else 150  # a path's buttons stay in sight on a phone
    height = theme.height + (more if theme.compact else 50 if theme.room else 100)
    margin = {"l": theme.px(60), "r": 16, "t": top, "b": theme.px(56)}
    plot = height - margin["t"] - margin["b"]
    each = (plot - theme.px(_BETWEEN)) / 2
    frame = {"template": theme.template(), "height": height, "margin": margin}
    return frame, Panel(each, each / plot)
