"""Draws a `Chart`: one encoding of evidence, the same on every page.

Exact curves are solid, certified ones solid with their band, proven bounds solid without a band,
limits in dashes and dots, asymptotic shapes dashed, simulations points with intervals, published
curves dotted; what jumps is a staircase. Where an assumption fails the curve continues in grey.
Points of several simulations at one x stand side by side, each kind with a symbol of its own. On a
page the curves of the headline alone are drawn so, all others thin and grey, by
`dpviz.plot.focus`.
"""

import math
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpviz.plot import axes, focus, partial_chart
from dpviz.plot.axes import Scale
from dpviz.plot.ink import UNSEEN, stepped
from dpviz.plot.labels import Layout, label
from dpviz.plot.marks import Band, Dots, Ink, Line, Mark, Plot, Text, drawn
from dpviz.plot.obstacles import Straight
from dpviz.plot.partial_chart import PartialCurve
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.steady import can_be, steady_x, steady_y
from dpviz.plot.text import percents, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Evidence, FloatArray
from dpviz.results.parameters import LIMITS

DASHES = {
    Evidence.EXACT: "solid",
    Evidence.CERTIFIED: "solid",
    Evidence.UPPER: "solid",
    Evidence.LOWER: "solid",
    Evidence.LIMIT: "dashdot",
    Evidence.ASYMPTOTIC: "dash",
    Evidence.SIMULATED: "solid",
    Evidence.PUBLISHED: "dot",
}
_SYMBOLS = ("circle", "square", "circle-open", "square-open")  # also known to dpviz.plot.ink
BAND = 0.22  # the opacity of what lies between two bounds
_FAINTER = 0.4  # times the opacity of a band, of a curve that the chart is not about
_POINT = 2.4  # the size of a point, in widths of the line it stands for
_BESIDE = 0.013  # share of the axis at each end, for points beside the first and the last x
_APART = 0.011  # share of the axis between simulations at one x, at most
_CROWDED = 0.3  # share of the least step in x that all of them together may take
_EMPTY = {
    "x": 0.5,
    "y": 0.5,
    "xref": "paper",
    "yref": "paper",
    "showarrow": False,
}


def draw(
    chart: Chart, theme: Theme, crossed: Sequence[Straight] = (), words: Sequence[Text] = ()
) -> Figure:
    """Return the figure of `chart`, whose words keep off lines and words of others on it."""
    if theme.labels == "only":
        chart = focus.alone(chart)
    share_x = _share_an_x(chart)
    before = partial_chart.stand_in(chart, theme.before)
    parts = (
        partial_chart.begun(chart, before)
        if theme.partial
        else list(map(PartialCurve, chart.curves))
    )
    old_landmarks = partial_chart.landmarks(chart, before)
    if theme.crowded_place:
        chart = replace(chart, landmarks=tuple(mark for mark in chart.landmarks if not mark.roomy))
        old_landmarks = tuple(mark for mark in old_landmarks if not mark.roomy)
    everything = replace(
        chart,
        curves=(*chart.curves, *(part.before for part in parts if part.before is not None)),
        landmarks=(*chart.landmarks, *old_landmarks),
    )
    x = Scale.of(chart.x, _x_values(everything), _BESIDE if share_x else 0.0)
    heights = _y_values(everything)
    y = Scale.of(chart.y, heights, 0.05)
    if theme.held is not None:
        across, up, *_ = theme.held
        x = steady_x(x, across, theme.in_parts)
        if np.isfinite(heights).any():
            y = steady_y(y, up, theme.in_parts)
        elif can_be(up, log=chart.y.log):  # an axis of nothing yet has no range of its own
            y = replace(y, low=up[0], high=up[1])
    parts = [replace(p, now=p.now and _above(p.now, x, y)) for p in parts]
    if theme.partial:
        parts = partial_chart.judged(parts, x, y, theme.height)
    about = focus.protagonists(chart, [part.key for part in parts])
    shown = about if theme.labels == "few" else None
    layout = Layout(chart, theme, x, y, parts, old_landmarks, shown, crossed, words)
    figure, places = Figure(), _side_by_side(share_x, x)
    for part in parts:
        drawn = _part(part, chart, theme, aside=shown is not None and part.key not in shown)
        if not theme.partial and not any(np.isfinite(trace["y"]).any() for trace in drawn):
            continue  # a legend would name what is not there; of what comes it keeps the place
        if part.now is not None and part.now.key in places:
            number, aside = places[part.now.key]
            drawn[-1] |= _aside(part.now, chart, aside)
            drawn[-1]["marker"] |= {"symbol": _SYMBOLS[number % len(_SYMBOLS)]}
        figure.add_traces(drawn)
    figure.update_layout(
        template=theme.template(),
        height=theme.height,
        margin=layout.margin,
        # A box of all values at one x would name the x of a point that stands beside it.
        hovermode="closest" if theme.compact or places else "x unified",
        showlegend=not layout.labelled and not theme.compact,
        xaxis=axes.settings_across(layout.x, layout.width, theme)
        | {"title": {"text": axes.title(chart.x)}},
        yaxis=axes.settings(layout.y, layout.height / theme.scale),
        annotations=layout.annotations(),
        shapes=layout.here_line(),
    )
    if theme.labels:  # on a page
        chosen = _chosen(chart, theme, layout, about)
        # A hand that misses the line does not zoom into a figure that then has few ticks.
        figure.update_layout(meta=chosen, **({"dragmode": False} if "drag" in chosen else {}))
    # Without any curve it is a question.
    if chart.curves and not _finite_values(chart).size and not theme.partial:
        figure.add_annotation(_EMPTY, text=chart.nowhere, font={"color": theme.muted})
    if not places:
        hovered = {"text": _hover_title(chart, layout.x, theme)}
        figure.update_layout(xaxis={"unifiedhovertitle": hovered})
    return figure


def _chosen(
    chart: Chart, theme: Theme, layout: Layout, about: Container[str] | None
) -> dict[str, Any]:
    """Return what a page knows of a figure: which labels it has, and what is dragged in it.

    A reader may ask for all labels, and for few again; and drag the line at a parameter's value,
    by a grip at its foot: see dpviz/scripts/handle.js.
    """
    chosen: dict[str, Any] = {} if about is None else {"labels": theme.labels}
    if layout.has_here and chart.curves and chart.x.name in LIMITS:  # else a handle seems an answer
        chosen["drag"] = {"key": chart.x.name, "x": float(chart.here), "line": True}
    return chosen


def _share_an_x(chart: Chart) -> list[Curve]:
    """Return the simulations whose points, at one place, would hide each other's intervals."""
    points = [
        c
        for c in chart.curves
        if c.evidence is Evidence.SIMULATED and c.lower is not None and c.x.size
    ]
    return [c for c in points if any(np.isin(c.x, o.x).any() for o in points if o is not c)]


def _side_by_side(shared: list[Curve], x: Scale) -> dict[str, tuple[int, float]]:
    """Return which of the simulations each is, and how far aside it stands in units of the axis."""
    if not shared:
        return {}
    at = np.unique(np.concatenate([c.x for c in shared]))
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.diff(np.log10(at) if x.axis.log else at)
    gaps = len(shared) - 1
    room = _CROWDED * float(steps[np.isfinite(steps)].min(initial=np.inf))
    apart = min(_APART * (x.high - x.low), 2 * _BESIDE * (x.high - x.low) / gaps, room / gaps)
    middle = gaps / 2
    return {c.key: (number, (number - middle) * apart) for number, c in enumerate(shared)}


def _aside(curve: Curve, chart: Chart, aside: float) -> dict[str, Any]:
    """Return what moves the points of a curve aside, whose hover still says where they belong."""
    x = curve.x * 10**aside if chart.x.log else curve.x + aside
    title = axes.title(chart.x)
    texts = [
        f"{text}<br>{title}: {at}"
        for text, at in zip(
            _texts(curve, chart.y.unit, chart.y.chance), readables(curve.x), strict=True
        )
    ]
    return {"x": x, "customdata": texts}


def _above(curve: Curve, x: Scale, y: Scale) -> Curve:
    """Return a curve as far as it is above the least of the axis: a line ends where it gets there.

    Below, a curve would leave the figure, and what it says there is said to nobody; a simulated
    point would lie among the numbers of the axis.
    """
    least, at, up = y.axis.least, np.array(curve.x, dtype=float), np.array(curve.y, dtype=float)
    below = up < least
    if least <= 0 or not below.any():
        return curve
    if curve.evidence is Evidence.SIMULATED:
        up[up < (10**y.low if y.axis.log else y.low)] = np.nan
        return replace(curve, y=up)
    ends = ((at.copy(), x), (up.copy(), y))
    up[below] = np.nan
    if not curve.steps:
        with np.errstate(divide="ignore", invalid="ignore"):
            right, high = (np.log(values) if scale.axis.log else values for values, scale in ends)
        floor = math.log(least) if y.axis.log else least
        for seen in np.flatnonzero(~below & np.isfinite(high) & np.isfinite(right)).tolist():
            for gone in (seen - 1, seen + 1):
                if 0 <= gone < below.size and below[gone] and np.isfinite(high[gone]):
                    share = (high[seen] - floor) / (high[seen] - high[gone])
                    there = right[seen] + share * (right[gone] - right[seen])
                    at[gone], up[gone] = math.exp(there) if x.axis.log else there, least
    return replace(curve, x=at, y=up)


def _finite_values(chart: Chart) -> FloatArray:
    """Return the values of a chart that are known."""
    values = _y_values(chart)
    return np.asarray(values[np.isfinite(values)])


def _x_values(chart: Chart) -> FloatArray:
    finite = [c.x[np.isfinite(c.y)] for c in chart.curves]
    # Where nothing is known, the axis shows at least where it was looked for.
    looked = [] if any(map(len, finite)) else [c.x for c in chart.curves]
    return np.concatenate([*finite, *looked, np.empty(0)])


def _y_values(chart: Chart) -> FloatArray:
    arrays = [a for c in chart.curves for a in (c.y, c.lower, c.upper) if a is not None]
    return np.concatenate([*arrays, np.array([m.y for m in chart.landmarks])])


def _part(part: PartialCurve, chart: Chart, theme: Theme, *, aside: bool) -> list[Trace]:
    """Return what is drawn of a curve as far as it is known.

    aside: of one that the chart is not about.
    """
    drawing = partial(traces, chart=chart, theme=theme, aside=aside)
    drawn: list[Trace] = []
    if part.before is not None:
        *_, line = drawing(replace(part.before, key=part.key, holds=None))
        faded = {} if part.stands else {"opacity": partial_chart.FADED}
        drawn.append(line | faded | {"hoverinfo": "skip"})
        del drawn[0]["hovertemplate"], drawn[0]["customdata"]
    if part.now is None or part.stands:
        return drawn
    now = drawing(part.now)
    if not part.joined and part.now.evidence is not Evidence.SIMULATED:
        *_, line = drawing(replace(part.now, holds=None))
        look = line.pop("line")
        marker = {"color": look["color"], "size": _POINT * look["width"]}
        now = [line | {"mode": "markers", "marker": marker, "cliponaxis": False}]
    if part.before is not None:
        now = [trace | {"showlegend": False} for trace in now]
    return [*drawn, *now]


def traces(curve: Curve, chart: Chart, theme: Theme, *, aside: bool = False) -> list[Trace]:
    """Return what is drawn of one curve: its band, its pieces, what is read off it.

    aside: of a curve that the chart is not about; how it looks when it is pointed at stands in the
    `meta` of its traces.
    """
    wide, thin = 2.5 * curve.weight, focus.width(curve.evidence)
    # Without room for a box of all curves, each point names its unit itself.
    unit = chart.y.unit if theme.compact else ""
    about, width = ("aside", thin) if aside else (curve, wide)
    texts = [] if theme.unread else _texts(curve, unit, chart.y.chance)
    on = drawn(_marks(curve, chart, texts, about, width), Plot(theme))
    for trace in on.traces if aside else ():
        if "fill" in trace:
            trace["opacity"] *= _FAINTER
            continue
        color = trace["line" if "line" in trace else "marker"]["color"]
        color = color if color in (theme.muted, UNSEEN) else theme.color(curve)
        looks = {"key": curve.key, "color": color, "width": theme.scale * max(wide, 2 * thin)}
        trace |= {"showlegend": False, "meta": looks}
    return on.traces


def _marks(curve: Curve, chart: Chart, texts: list[str], about: Ink, wide: float) -> list[Mark]:
    """Return what is drawn of a curve; texts: what is read off each of its points."""
    look: dict[str, Any] = {"name": label(curve, chart.y)}
    read: dict[str, Any] = {"said": f"{curve.label}: %{{customdata}}", "customdata": texts}
    simulated = curve.evidence is Evidence.SIMULATED

    def part(y: FloatArray, about: Ink, **more: Any) -> Mark:
        if not simulated:
            look["shape"] = "hv" if curve.steps else "linear"
            dash = DASHES[curve.evidence]
            return Line(curve.x, y, wide=wide, dash=dash, about=about, **(look | more))
        off = None
        if curve.lower is not None and curve.upper is not None:
            off = curve.y - curve.lower, curve.upper - curve.y
        ends: dict[str, Any] = {"off": off, "thick": 0.6 * wide, "caps": 0}
        return Dots(curve.x, y, size=2.8 * wide, about=about, **(look | ends | more))

    marks = [] if simulated else _band(curve, about)
    if curve.holds is None or bool(curve.holds.all()):
        return [*marks, part(curve.y, about, **read)]
    # A point next to a change belongs to both pieces, so that no gap opens.
    fails = ~curve.holds
    fails[1:] |= ~curve.holds[:-1]
    fails[:-1] |= ~curve.holds[1:]
    there = read | {"said": f"{read['said']}<br>fails here: {curve.assumption}"}
    return [
        *marks,
        part(np.where(fails, curve.y, np.nan), "muted", seen=0.6, listed=False),
        part(np.where(curve.holds, np.nan, curve.y), UNSEEN, listed=False, **there),
        part(np.where(curve.holds, curve.y, np.nan), about, **read),
    ]


def _band(curve: Curve, about: Ink) -> list[Mark]:
    if curve.lower is None or curve.upper is None:
        return []
    finite = np.isfinite(curve.lower) & np.isfinite(curve.upper)
    x, low, high = (values[finite] for values in (curve.x, curve.lower, curve.upper))
    if curve.steps and x.size:  # the way back is none of plotly's shapes
        (x, high), (_, low) = stepped(x, high, "hv"), stepped(x, low, "hv")
    seen = 0.12 if curve.evidence is Evidence.ASYMPTOTIC else BAND
    return [Band(x, low, high, about=about, seen=seen)]


def _hover_title(chart: Chart, x: Scale, theme: Theme) -> str:
    """Return the first line of the box that shows all curves at one x, for plotly to fill in."""
    ends = (10**x.low, 10**x.high) if x.axis.log else (x.low, x.high)
    smallest, largest = min(map(abs, ends)), max(map(abs, ends))
    plain = largest < 1e12 and (smallest >= 1e-3 or not x.axis.log)
    title = f"{axes.title(chart.x)}: %{{x:{',.3~r' if plain else '.2~e'}}}"
    return f"{title}, values in {chart.y.unit}" if chart.y.unit and not theme.compact else title


def _texts(curve: Curve, unit: str, chance: bool) -> list[str]:
    """Return what is read off each point: the value and its interval."""
    suffix = f"</b> {unit}" if unit else "</b>"
    written = percents if chance else readables
    texts = [f"<b>{value}{suffix}" for value in written(curve.y)]
    if curve.lower is None or curve.upper is None:
        return texts
    ends = zip(written(curve.lower), written(curve.upper), strict=True)
    return [
        f"{text} ({low} to {high})" if low != high else text
        for text, (low, high) in zip(texts, ends, strict=True)
    ]
