"""Two figures of one page on top of each other, over the same x-axis or over one each."""

from dataclasses import replace
from typing import Any

from dpviz.plot.chart import draw
from dpviz.plot.labels import BELOW
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart

_BOTH = 1.26  # heights of one figure
_BETWEEN = 34  # pixels below the ticks of the upper panel


def stacked(upper: Chart, lower: Chart, theme: Theme) -> Figure:
    """Return both charts in one figure, which share what the x-axis measures.

    The upper one takes three fifths. Its x-axis has ticks but no title; each panel keeps its own
    words, at the same distance from its curves as if it were alone.
    """
    theme = theme.crowded()
    shares = _shares(theme)
    above = draw(upper, replace(theme, share=shares[0]))
    below = draw(lower, replace(theme.below, share=shares[1]))
    below.layout["xaxis"] = above.layout["xaxis"] | {"title": below.layout["xaxis"]["title"]}
    for figure in (above, below):  # low panels: the ticks of both axes keep off each other
        figure.layout["xaxis"] |= {"ticklabelstandoff": theme.px(18) - 9}
    margins = [figure.layout["margin"] for figure in (above, below)]
    # Each made room for a legend, of which there is one.
    legend = max(m["b"] for m in margins) - theme.px(BELOW)
    shared = (0.6 * legend, 0.4 * legend)
    heights = [
        figure.layout["height"] - m["t"] - m["b"] + back
        for figure, m, back in zip((above, below), margins, shared, strict=True)
    ]
    gap = theme.px(_BETWEEN) + margins[1]["t"]
    room = sum(heights) + gap
    domains = ((1 - heights[0] / room, 1.0), (0.0, heights[1] / room))
    # The legend below both names the curves of both.
    left, right, bottom = (max(m[side] for m in margins) for side in "lrb")
    names = {trace.get("name") for trace in above.data}
    for trace in below.data:
        trace |= {"xaxis": "x2", "yaxis": "y2"}
        if trace.get("name") in names:
            trace["showlegend"] = False
    words = [
        _moved(note, number, domain, left - margin["l"])
        for number, (part, domain, margin) in enumerate(
            zip((above, below), domains, margins, strict=True)
        )
        for note in part.layout["annotations"]
    ]
    lines = [
        _moved(shape, number, domain, 0)
        for number, (part, domain) in enumerate(zip((above, below), domains, strict=True))
        for shape in part.layout["shapes"]
    ]
    return Figure([*above.data, *below.data]).update_layout(
        template=theme.template(),
        height=room + margins[0]["t"] + bottom,
        margin={"l": left, "r": right, "t": margins[0]["t"], "b": bottom},
        hovermode=above.layout["hovermode"],
        showlegend=above.layout["showlegend"],
        xaxis=above.layout["xaxis"] | {"title": {"text": ""}, "anchor": "y"},
        yaxis=above.layout["yaxis"] | {"domain": domains[0]},
        xaxis2=below.layout["xaxis"] | {"anchor": "y2"},
        yaxis2=below.layout["yaxis"] | {"domain": domains[1], "anchor": "x2"},
        annotations=words,
        shapes=lines,
    )


def _shares(theme: Theme) -> tuple[float, float]:
    """Return the shares of both charts in what they fill together: on a projector its height.

    What is around the plots does not become less with the height.
    """
    around = theme.px(56)  # pixels, above and below each plot
    whole = theme.height * (1.0 if theme.scale > 1 else _BOTH)
    free = whole - theme.px(_BETWEEN) - 3 * around
    upper, lower = ((part * free + 2 * around) / theme.height for part in (0.6, 0.4))
    return upper, lower


def _moved(
    part: dict[str, Any], number: int, domain: tuple[float, float], shift: float
) -> dict[str, Any]:
    """Return an annotation or a shape of one panel in terms of the figure of both."""
    low, high = domain
    moved = dict(part)
    for axis in "xy":
        if part.get(f"{axis}ref", axis) != "paper":
            moved[f"{axis}ref"] = axis if number == 0 else f"{axis}2"
    if part.get("yref") == "paper":
        for key in ("y", "y0", "y1"):
            if key in part:
                moved[key] = low + (high - low) * part[key]
    if part.get("xref") == "paper" and "xshift" in part:
        moved["xshift"] = part["xshift"] - shift
    return moved
