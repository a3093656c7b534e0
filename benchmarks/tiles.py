"""The tiles of the home page, a small picture of each topic: ``make tiles`` writes them anew.

They are files of the tree, in `assets/tiles`, and the long run compares them with fresh ones
(`tests/test_tiles.py`). Curves and nothing else: what they are about is their colour, what is known
of them their line, as in the large figures.

Beside it, `dpviz.plot.picture` draws figures. They are made for plotly.js, and say themselves where
their axes and words are; in Vega-Lite each would have to be declared a second time. A tile has no
axes and no words: it is declared from its chart in a few lines, and Vega-Lite finds its scales.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair
import numpy as np

from benchmarks.options import parsed
from dpviz.plot import converter
from dpviz.plot.chart import DASHES
from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence
from dpviz.scene.catalogue import PAGES, Entry
from dpviz.scene.scene import Scene
from dpviz.serve import tiles
from dpviz.serve.computing import Computation
from dpviz.serve.topics import Topics

alt: Any = altair

WIDTH, HEIGHT = 300, 130  # pixels
_POINTS = 80  # of a curve, at most
_PATTERNS = {"solid": [1, 0], "dash": [6, 4], "dot": [2, 3], "dashdot": [6, 3, 2, 3]}
_CLIP = re.compile(r"clip\d+")


def main() -> None:
    """Write all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tiles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="topics that have this in their names")
    options = parsed(parser, only="shared_darts")
    entries = [entry for entry in PAGES if options.only in entry.slug]
    charts = [chart(Topics(), entry) for entry in entries]
    for theme in (LIGHT, DARK):
        for entry, svg in zip(entries, drawn(charts, theme), strict=True):
            file = options.folder / tiles.name(entry.slug, dark=theme is DARK)
            file.write_text(f"{svg}\n", encoding="utf-8")


def chart(topics: Topics, entry: Entry) -> Chart:
    """Return what the tile of a topic shows: the chart of one of its views, as it opens."""
    page = topics.page(entry.slug)
    assert page is not None
    computation = Computation(Scene.opened(page, page.usual(entry.picture)))
    while not computation.whole:
        computation.advance()
    result = computation.result
    assert result is not None
    assert result.drawn_chart is not None
    return result.drawn_chart


def drawn(charts: Sequence[Chart], theme: Theme) -> list[str]:
    """Return charts as SVG; the same chart gives the same text."""
    made = converter.apart(converter.svgs, [specification(chart, theme) for chart in charts])
    return [_renamed(svg.decode()) for svg in made]


def _renamed(svg: str) -> str:
    """Name the parts anew: Vega counts on from one picture to the next."""
    names = {name: f"clip{i}" for i, name in enumerate(dict.fromkeys(_CLIP.findall(svg)))}
    return _CLIP.sub(lambda match: names[match[0]], svg)


def specification(chart: Chart, theme: Theme) -> dict[str, Any]:
    """Return a chart as a small picture: its curves, their bands, and the reader's own value."""
    across, up = _scale(chart.x), _scale(chart.y)
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


def _scale(axis: Axis) -> Any:
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


if __name__ == "__main__":
    main()
