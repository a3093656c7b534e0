"""Figures whose parts answer to each other in the browser: Vega-Lite, and all it can look up.

The browser computes nothing: what a brush or a moved control shows was computed before and is found
by its place. Specifications are written in Altair, which takes a while to load: where it is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from dpviz.plot.theme import Theme

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MEDIA_TYPE = "application/vnd.vegalite.v6+json"
"""By which notebooks know such a specification."""


@dataclass(frozen=True)
class Control:
    """What a hand on the figure moves, in steps: a control of the page, or what is looked at.

    key: of the parameter, "" if only this figure shows it. stops: its values, ascending. signal:
    the param that holds the place of the present one. marks: the view whose marks, with a `place`
    each, are taken hold of.
    """

    key: str
    stops: Sequence[float]
    signal: str
    marks: str


@dataclass(frozen=True)
class Brush:
    """What keys brush as a hand does: one group of a linear x-axis after the other.

    name: of the selection. view: the view it belongs to; field: that of its x-axis. middles: of the
    groups, ascending.
    """

    name: str
    view: str
    field: str
    middles: Sequence[float]

    @property
    def fields(self) -> list[dict[str, str]]:
        """What Vega-Lite notes of a brush along x."""
        return [{"field": self.field, "channel": "x", "type": "R"}]


@dataclass(frozen=True)
class Linked:
    """A specification, and what it shows.

    specification: the same for all numbers, so that a browser keeps what is drawn and exchanges
    what it shows. values: its params by name; tables: the rows of its data by name. sizes: for
    each size of Vega's the part of the figure's width it gets, and how many pixels less. controls:
    what is moved in the figure; brush: what is brushed. choice_in_words: the
    param that says what is chosen.
    """

    specification: Mapping[str, Any]
    values: Mapping[str, Any]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    sizes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    controls: Sequence[Control] = ()
    brush: Brush | None = None
    choice_in_words: str = ""

    def json(self) -> bytes:
        """Return all of it as JSON."""
        return orjson.dumps(
            {
                "specification": self.specification,
                "values": self.values,
                "tables": self.tables,
                "sizes": self.sizes,
                "controls": self.controls,
                "brush": self.brush
                and {
                    "name": self.brush.name,
                    "view": self.brush.view,
                    "fields": self.brush.fields,
                    "middles": self.brush.middles,
                },
                "told": self.choice_in_words,
            },
            option=orjson.OPT_SERIALIZE_NUMPY,
        )

    def still(self, width: float) -> dict[str, Any]:
        """Return a specification of what is seen before a hand is on it, so many pixels wide."""
        given = [{"name": name, "value": value} for name, value in self.values.items()]
        params = [*self.specification.get("params", ()), *given]
        whole = {**self.specification, "params": params, "datasets": self.tables}
        # A browser sets Vega's sizes, each named after a panel; a picture has panels of that size.
        sizes = {name: max(share * width - less, 60) for name, (share, less) in self.sizes.items()}
        whole["concat"] = [
            panel | {side: sizes[f"{panel['name']}_{side}"] for side in ("width", "height")}
            for panel in self.specification["concat"]
        ]
        return dict(orjson.loads(orjson.dumps(whole, option=orjson.OPT_SERIALIZE_NUMPY)))

    def chart(self, width: float) -> Any:
        """Return the same as a chart of Altair."""
        import altair as alt  # takes a while

        return alt.Chart.from_dict(self.still(width))


def type_size(theme: Theme) -> int:
    """Return the size of the words: several panels leave less room on a projector than one."""
    return theme.font_size if theme.scale == 1 else round(0.8 * theme.font_size)


def look(theme: Theme) -> dict[str, Any]:
    """Return the config of Vega-Lite that looks like the other figures."""
    size = type_size(theme)
    axis = {
        "labelColor": theme.muted,
        "titleColor": theme.text,
        "gridColor": theme.grid,
        "domain": False,
        "ticks": False,
        "labelFontSize": size - 1,
        "titleFontSize": size - 1,
        "titleFontWeight": "normal",
        "labelPadding": 6,
    }
    return {
        "font": theme.font,
        "background": theme.background,
        "view": {"stroke": None},
        "axis": axis,
        "text": {"fontSize": size - 1, "color": theme.text},
        "title": {
            "anchor": "start",
            "color": theme.text,
            "fontSize": size - 1,
            "fontWeight": "normal",
            "offset": 8,
        },
    }
