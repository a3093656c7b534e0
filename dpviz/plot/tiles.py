"""Topics as small pictures beside each other: one specification for all, written in Altair.

Curves and nothing else: what they are about is their colour, what is known of them their line, as
in the large figures.

Beside it, `dpviz.plot.picture` draws figures. They are made for plotly.js, and say themselves where
their axes and words are; in Vega-Lite each would have to be declared a second time. A tile has no
axes and no words: it is declared from its chart in a few lines, and Vega-Lite finds its scales.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.plot import converter
from dpviz.plot.chart import DASHES
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence

WIDTH, HEIGHT = 300, 130  # pixels
_POINTS = 80  # of a curve, at most
_PATTERNS = {"solid": [1, 0], "dash": [6, 4], "dot": [2, 3]}


def draw(charts: Sequence[Chart], themes: Sequence[Theme]) -> list[list[str]]:
    """Return, for each theme, the charts as SVG, drawn by another process, which ends afterwards.

    One for all themes: loading Altair and Vega takes most of its time.
    """
    return converter.apart(drawn, tuple(charts), tuple(themes))


def drawn(charts: Sequence[Chart], themes: Sequence[Theme]) -> list[list[str]]:
    """Return, for each theme, the charts as SVG, drawn here."""
    every = converter.svgs([specification(chart, theme) for theme in themes for chart in charts])
    texts, count = [svg.decode() for svg in every], len(charts)
    return [texts[n * count : (n + 1) * count] for n in range(len(themes))]


def specification(chart: Chart, theme: Theme) -> dict[str, Any]:
    """Return a chart as a small picture: its curves, their bands, and the reader's own value."""
    import altair  # takes a second of a processor: only the process that draws has it

    alt: Any = altair

    across, up = _scale(chart.x, alt), _scale(chart.y, alt)
    rows = [row for curve in chart.curves for row in _rows(curve, chart)]
    x = alt.X("x:Q", axis=None, scale=across)
    y = alt.Y("y:Q", axis=None, scale=up)
    base = alt.Chart(alt.Data(values=rows))
    subjects = {subject.value: color for subject, color in theme.subjects.items()}
    color = alt.Color(
        "subject:N",
        legend=None,
        scale=alt.Scale(domain=list(subjects), range=list(subjects.values())),
    )
    dashes = {kind.value: _PATTERNS[dash] for kind, dash in DASHES.items()}
    dash = alt.StrokeDash(
        "evidence:N", legend=None, scale=alt.Scale(domain=list(dashes), range=list(dashes.values()))
    )
    lines = base.transform_filter("!datum.drawn").mark_line(strokeWidth=2, clip=True)
    dots = base.transform_filter("datum.drawn").mark_circle(size=22, opacity=1, clip=True)
    bands = base.transform_filter("isValid(datum.lower)").mark_area(opacity=0.18, clip=True)
    layers: list[Any] = [
        bands.encode(x, alt.Y("lower:Q", axis=None, scale=up), y2="upper:Q", color=color).encode(
            detail="curve:N"
        ),
        lines.encode(x, y, color=color, strokeDash=dash, detail="curve:N"),
        dots.encode(x, y, color=color),
    ]
    if any(row["x"] >= chart.here for row in rows) and any(row["x"] <= chart.here for row in rows):
        rule = alt.Chart(alt.Data(values=[{"x": chart.here}])).mark_rule(color=theme.muted)
        layers.insert(0, rule.encode(x))
    picture = (
        alt.layer(*layers)
        .properties(width=WIDTH, height=HEIGHT, padding=4, background="transparent")
        .configure(aria=False)
        .configure_view(stroke=theme.grid)
    )
    made: dict[str, Any] = picture.to_dict(validate=False)
    return made


def _scale(axis: Axis, alt: Any) -> Any:
    least = {} if np.isnan(axis.least) else {"domainMin": axis.least}
    reach = {} if np.isnan(axis.reach) else {"domainMax": axis.reach}
    kind = "log" if axis.log else "linear"
    return alt.Scale(type=kind, nice=False, zero=False, **least, **reach)


def _rows(curve: Curve, chart: Chart) -> list[dict[str, Any]]:
    """Return the points of a curve that can be drawn, a few of many."""
    y = np.where(curve.part("_holds"), curve.y, np.nan)
    seen = np.isfinite(curve.x) & np.isfinite(y)
    for axis, values in ((chart.x, curve.x), (chart.y, y)):
        seen &= (values > 0) | (not axis.log)
    places = np.flatnonzero(seen)
    if places.size > _POINTS:
        places = places[np.unique(np.linspace(0, places.size - 1, _POINTS).astype(int))]
    banded = curve.lower is not None and curve.upper is not None
    ends = [curve.part(end) for end in ("_lower", "_upper")]
    common = {
        "curve": curve.key,
        "subject": curve.subject.value,
        "evidence": curve.evidence.value,
        "drawn": curve.evidence is Evidence.SIMULATED,
    }
    rows = []
    for place in places.tolist():
        low, high = (float(end[place]) for end in ends)
        shown = banded and np.isfinite(low) and np.isfinite(high) and (low > 0 or not chart.y.log)
        band = {"lower": low, "upper": high} if shown else {"lower": None, "upper": None}
        rows.append(common | {"x": float(curve.x[place]), "y": float(y[place])} | band)
    return rows
