"""The tiles of the home page, a small picture of each topic: ``make tiles`` writes them anew.

They are files of the tree, in `assets/tiles`, and the long run compares them with fresh ones
(`tests/test_tiles.py`). Curves and nothing else: what they are about is their colour, what is known
of them their line, as in the large figures.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.options import parsed
from dpviz.plot.chart import draw
from dpviz.plot.ink import UNSEEN
from dpviz.plot.picture import svg
from dpviz.plot.theme import DARK, LIGHT, Theme
from dpviz.results.evidence import Chart, Curve
from dpviz.scene.catalogue import PAGES, Entry
from dpviz.scene.scene import Scene
from dpviz.serve import tiles
from dpviz.serve.link_results import computed
from dpviz.serve.topics import Topics

WIDTH, HEIGHT, EDGE = 308, 138, 4  # pixels
_POINTS = 80  # of a curve, at most


def main() -> None:
    """Write all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tiles", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="topics that have this in their names")
    options = parsed(parser, only="shared_darts")
    entries = [entry for entry in PAGES if options.only in entry.slug]
    charts = [chart(Topics(), entry) for entry in entries]
    for theme in (LIGHT, DARK):
        for entry, each in zip(entries, charts, strict=True):
            file = options.folder / tiles.name(entry.slug, dark=theme is DARK)
            file.write_text(f"{drawn(each, theme)}\n", encoding="utf-8")


def chart(topics: Topics, entry: Entry) -> Chart:
    """Return what the tile of a topic shows: the chart of one of its views, as it opens."""
    page = topics.page(entry.slug)
    assert page is not None
    result = computed(Scene.opened(page, page.usual(entry.picture))).result
    assert result.drawn_chart is not None
    return result.drawn_chart


def drawn(chart: Chart, theme: Theme) -> str:
    """Return a chart as a small picture: its curves, their bands, and the reader's own value."""
    few = replace(chart, curves=tuple(_thinned(curve) for curve in chart.curves))
    theme = replace(theme, background=UNSEEN)
    figure = draw(few, theme)
    hidden = {"visible": False}
    figure.update_layout(
        height=HEIGHT,
        margin=dict.fromkeys("lrtb", EDGE),
        annotations=[],
        showlegend=False,
        xaxis=hidden,
        yaxis=hidden,
    )
    return svg(figure, theme, WIDTH)


def _thinned(curve: Curve) -> Curve:
    """Return a curve with a few of its many points."""
    size = curve.x.size
    if size <= _POINTS:
        return curve
    places = np.unique(np.linspace(0, size - 1, _POINTS).astype(int))
    parts = {name: getattr(curve, name) for name in ("x", "y", "lower", "upper", "holds")}
    return replace(
        curve, **{name: part[places] for name, part in parts.items() if part is not None}
    )


if __name__ == "__main__":
    main()
