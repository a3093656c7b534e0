"""Where the words of a figure go: labels at the curve ends, notes at marks, the reader's value."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import isotonic_regression

from dpviz.evidence import Axis, Chart, Curve, Evidence, FloatArray, Subject
from dpviz.figures import axes
from dpviz.figures.axes import Scale
from dpviz.figures.text import readable
from dpviz.figures.theme import Theme
from dpviz.limits import LIMITS

_LABEL_CHARACTERS = 26
_LEADER = 14


def label(curve: Curve) -> str:
    """Return what is written beside a curve: its name, and what a shape leaves out."""
    dropped = curve.evidence is Evidence.ASYMPTOTIC and "constants dropped" not in curve.label
    return f"{curve.label}, constants dropped" if dropped else curve.label


class Layout:
    """Where the words go, in pixels from the upper left corner of the plot."""

    def __init__(self, chart: Chart, theme: Theme, x: Scale, y: Scale) -> None:
        self.chart, self.theme, self.x, self.y = chart, theme, x, y
        self.line_height = 1.25 * theme.font_size
        self.margin = {"l": 48 if theme.compact else 56, "r": 16, "t": 56, "b": 56}
        self.height = theme.height - self.margin["t"] - self.margin["b"]
        ends = [(curve, end) for curve in chart.curves if (end := _end(curve, x, y)) is not None]
        at_edge = x.high - 0.02 * (x.high - x.low)
        self.outside = [(c, end) for c, end in ends if end[0] >= at_edge]
        self.inside = [(c, end) for c, end in ends if end[0] < at_edge]
        self.texts = [_wrapped(label(c)) for c, _ in self.outside]
        needed = sum(self.line_height * len(lines) for lines in self.texts)
        self.labelled = not theme.compact and needed <= self.height
        if self.labelled and self.texts:
            widest = max(len(line) for lines in self.texts for line in lines)
            self.margin["r"] = round(_LEADER + 10 + 0.5 * theme.font_size * widest)
        elif not theme.compact:
            self.margin["b"] += round(self.line_height * (1 + len(ends) // 2))
        self.width = theme.width - self.margin["l"] - self.margin["r"]

    def _pixels(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        right = self.width * (x - self.x.low) / (self.x.high - self.x.low)
        down = self.height * (self.y.high - y) / (self.y.high - self.y.low)
        return right, down

    def annotations(self) -> list[dict[str, object]]:
        """Return all words inside the figure."""
        title = _y_title(self.chart.y, self.theme, self.margin["l"])
        return [title, *self.end_labels(), *self.mark_notes(), *self.here_note()]

    def end_labels(self) -> list[dict[str, object]]:
        """Labels at the curve ends, moved apart where they would touch, with thin leaders."""
        if not self.labelled:
            return []
        _, wanted = self._pixels(np.empty(0), np.array([end[1] for _, end in self.outside]))
        heights = [self.line_height * len(lines) for lines in self.texts]
        placed = spread(wanted.tolist(), heights, self.height)
        labels = [
            self._note(end, lines, curve.subject)
            | {"align": "left", "xanchor": "left", "ax": _LEADER, "ay": to - at}
            for (curve, end), lines, at, to in zip(
                self.outside, self.texts, wanted, placed, strict=True
            )
        ]
        return labels + [
            self._note(end, _wrapped(label(curve)), curve.subject)
            | {"showarrow": False, "xanchor": "right", "yanchor": "bottom", "yshift": 6}
            for curve, end in self.inside
        ]

    def mark_notes(self) -> list[dict[str, object]]:
        """Put a word at each mark, on the side where the fewest curves pass."""
        drawn = np.concatenate([np.empty((2, 0)), *map(self._path, self.chart.curves)], axis=1)
        notes = []
        for mark in self.chart.marks:
            if not (self.x.holds(mark.x) and self.y.holds(mark.y)):
                continue
            lines = _wrapped(mark.text)
            at = self.x.position(mark.x), self.y.position(mark.y)
            ax, ay = self._clear_side(at, lines, drawn)
            notes.append(
                self._note(at, lines, mark.subject)
                | {
                    "arrowhead": 6,
                    "ax": ax,
                    "ay": ay,
                    "bgcolor": self.theme.background,
                    "opacity": 0.9,
                }
            )
        return notes

    def _path(self, curve: Curve) -> FloatArray:
        """Points along a curve, dense enough to test whether it runs through a box."""
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.log10(curve.x) if self.x.axis.log else curve.x
            y = np.log10(curve.y) if self.y.axis.log else curve.y
        finite = np.isfinite(x) & np.isfinite(y)
        if not finite.any():
            return np.empty((2, 0))
        order = np.argsort(x[finite])
        along = np.linspace(x[finite].min(), x[finite].max(), 200)
        return np.stack(self._pixels(along, np.interp(along, x[finite][order], y[finite][order])))

    def _clear_side(
        self, at: tuple[float, float], lines: list[str], drawn: FloatArray
    ) -> tuple[float, float]:
        right, down = self._pixels(np.array([at[0]]), np.array([at[1]]))
        width = 0.5 * self.theme.font_size * max(map(len, lines))
        height = self.line_height * len(lines)

        def cost(offset: tuple[float, float]) -> float:
            x, y = right[0] + offset[0], down[0] + offset[1]
            crossed = (abs(drawn[0] - x) < width / 2) & (abs(drawn[1] - y) < height / 2)
            over = max(width / 2 - x, x + width / 2 - self.width, 0.0)
            over += max(height / 2 - y, y + height / 2 - self.height, 0.0)
            return float(crossed.sum() + 100.0 * over) + 0.01 * math.hypot(*offset)

        across = (0.0, width / 2 + 12, -width / 2 - 12)
        sides = [(a, d * (height / 2 + r)) for a in across for d in (-1, 1) for r in (24, 56, 96)]
        return min(sides, key=cost)

    def _note(
        self, at: tuple[float, float], lines: list[str], subject: Subject
    ) -> dict[str, object]:
        color = self.theme.subjects[subject]
        return {
            "x": at[0],
            "y": at[1],
            "text": "<br>".join(lines),
            "font": {"color": color},
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1,
            "arrowcolor": color,
            "borderpad": 0,
        }

    def here_line(self) -> list[dict[str, object]]:
        """Draw a thin vertical line at the reader's own value."""
        if not self.x.holds(self.chart.here):
            return []
        line = {"color": self.theme.muted, "width": 1}
        here = self.chart.here
        return [
            {"type": "line", "yref": "paper", "x0": here, "x1": here, "y0": 0, "y1": 1}
            | {"layer": "below", "line": line}
        ]

    def here_note(self) -> list[dict[str, object]]:
        """Write the reader's value above the line."""
        if not self.x.holds(self.chart.here):
            return []
        limit = LIMITS.get(self.chart.x.name)
        symbol = limit.symbol if limit else self.chart.x.name
        text = f"<i>{symbol}</i> = {readable(self.chart.here)}"
        return [
            {"x": self.x.position(self.chart.here), "y": 1, "yref": "paper", "text": text}
            | {"yanchor": "bottom", "showarrow": False, "font": {"color": self.theme.muted}}
        ]


def _y_title(axis: Axis, theme: Theme, left: int) -> dict[str, object]:
    """Put the title of the y-axis above it: easier to read there, and no width is lost."""
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 8 - left,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 24,
        "text": axes.title(axis),
        "font": {"color": theme.text},
        "showarrow": False,
    }


def _end(curve: Curve, x: Scale, y: Scale) -> tuple[float, float] | None:
    """Return the last point of `curve` that can be drawn, in plotly's units."""
    for i in range(len(curve.x) - 1, -1, -1):
        if math.isfinite(curve.y[i]) and x.holds(curve.x[i]) and y.holds(curve.y[i]):
            return x.position(curve.x[i]), y.position(curve.y[i])
    return None


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _LABEL_CHARACTERS:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def spread(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float]:
    """Return centres inside (0, room) as near to `wanted` as boxes of these heights allow.

    Least squares under order and distance: subtracting the stacked half heights turns the
    distances into monotonicity, which isotonic regression solves.
    """
    if not wanted:
        return []
    order = np.argsort(wanted, kind="stable")
    tall = np.asarray(heights, dtype=float)[order]
    offsets = np.cumsum(tall) - tall / 2
    packed = isotonic_regression(np.asarray(wanted, dtype=float)[order] - offsets).x
    centres = np.clip(packed, 0.0, max(room - float(tall.sum()), 0.0)) + offsets
    result = np.empty(len(wanted))
    result[order] = centres
    return [float(c) for c in result]
