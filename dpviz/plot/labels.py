"""Where the words of a figure go: labels at the curve ends, notes at marks, the reader's value."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from dpviz.plot import axes
from dpviz.plot.axes import Scale
from dpviz.plot.ink import LINE
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark
from dpviz.results.parameters import LIMITS

_LABEL_CHARACTERS, _INNER_CHARACTERS = 26, 16  # in a line beside the plot, and in it
_LEADER = 14
_HERE = 20
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # no line ends there
BELOW = 56  # pixels of the usual size below the plot, for its ticks and title
_SIDES = (
    *((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1)),
    *((0.5, -1), (-0.5, -1), (0.5, 1), (-0.5, 1)),
)
_WIDER = (1.0, 1.2, 1.5)  # times the least width of a figure, at which words keep off each other
_AIR = 4  # pixels between words side by side
_FAR = 0.04  # what a pixel to the words costs, in points of a curve that are crossed
_HERE_POINTS, _LEADER_POINTS = 150, 60  # how strongly words keep off these lines
_STRUCK = 30.0  # and words that the line there runs through
_COVERED = 10.0  # and a square pixel of covered words


def label(curve: Curve) -> str:
    """Return what is written beside a curve: its name, and what a shape leaves out."""
    dropped = curve.evidence is Evidence.ASYMPTOTIC and "constants dropped" not in curve.label
    return f"{curve.label}, constants dropped" if dropped else curve.label


@dataclass(frozen=True)
class _Words:
    """A few lines of text, and the room they take in pixels."""

    lines: tuple[str, ...]
    width: float
    height: float
    size: int

    @classmethod
    def of(cls, text: str, size: int, most: int = _LABEL_CHARACTERS) -> "_Words":
        lines = _wrapped(text, most)
        return cls(tuple(lines), 0.5 * size * max(map(len, lines)), LINE * size * len(lines), size)


@dataclass(frozen=True)
class _Boxes:
    """Where words may be, or are: points, how far right of them and how far down; half of sizes."""

    at: FloatArray
    beside: FloatArray
    down: FloatArray
    across: FloatArray
    up: FloatArray

    @classmethod
    def of(cls, words: Sequence[tuple[float, ...]]) -> "_Boxes":
        """Return the boxes of words written one after the other."""
        return cls(*np.array(words, dtype=float).reshape(-1, 5).T)

    def covered(self, others: "_Boxes", stretched: Sequence[float]) -> FloatArray:
        """Return how many pixels, squared, each covers of all others, at the worst of the widths.

        In a plot `stretched` times as wide only the points move.
        """
        high = (self.up[:, None] + others.up) - abs(self.down[:, None] - others.down)
        room = self.across[:, None] + others.across + _AIR
        beside, apart = self.beside[:, None] - others.beside, self.at[:, None] - others.at
        each = np.array([np.maximum(room - abs(apart * wide + beside), 0.0) for wide in stretched])
        most: FloatArray = (each * np.maximum(high, 0.0)).sum(axis=2).max(axis=0)
        return most

    def struck(
        self, others: "_Boxes", points: FloatArray, stretched: Sequence[float]
    ) -> FloatArray:
        """Return how many others the line from each one's point to the box runs through.

        At the worst of the widths, as in `covered`.
        """
        along = np.linspace(0.0, 1.0, 15)
        down = points[1][:, None] + along * (self.down - points[1])[:, None]
        level = abs(down[:, :, None] - others.down) < others.up
        counts = []
        for wide in stretched:
            right = wide * points[0][:, None] + along * self.beside[:, None]
            near = abs(right[:, :, None] - (wide * others.at + others.beside)) < others.across
            counts.append((near & level).any(axis=1).sum(axis=1))
        most: FloatArray = np.max(counts, axis=0).astype(float)
        return most


class Layout:
    """Where the words go; pixels count from the upper left corner of the plot."""

    def __init__(self, chart: Chart, theme: Theme, x: Scale, y: Scale) -> None:
        self.chart, self.theme, self.x, self.y = chart, theme, x, y
        self.here = x.holds(chart.here)
        ticks = max(map(len, axes.settings(y)["ticktext"]), default=0)
        left = max(round(16 + 0.5 * theme.font_size * ticks), theme.left)
        self.margin = {"l": left, "r": 16, "t": 0, "b": theme.px(BELOW)}
        self.margin["t"] = theme.px(36 + (_HERE if self.here else 0))
        points = [(c, _points(c, x, y)) for c in chart.curves]
        self.height = theme.height - self.margin["t"] - self.margin["b"]
        named, self.labelled = self._named([(c, at) for c, at in points if at.size])
        at_edge = x.high - 0.02 * (x.high - x.low)
        self.outside = [(c, w, at) for c, w, at in named if at[0, -1] >= at_edge]
        self.inside = [(c, w, at) for c, w, at in named if at[0, -1] < at_edge]
        if self.labelled and self.outside:
            widest = max(words.width for _, words, _ in self.outside)
            self.margin["r"] = round(_LEADER + 10 + widest)
        elif not self.labelled and not theme.compact:
            self.margin["b"] += round(LINE * theme.font_size * (1 + len(named) // 2))
            self.height = theme.height - self.margin["t"] - self.margin["b"]
        self.width = theme.width - self.margin["l"] - self.margin["r"]
        self._crowd = [_dense(self._pixels(at)) for *_, at in named]
        if self.here:  # words do not stand across the line at the reader's value either
            down, right = np.linspace(0.0, self.height, _HERE_POINTS), self._right(chart.here)
            self._crowd.append(np.stack([np.full(_HERE_POINTS, right), 0.0 * down, down]))
        self._written: list[tuple[float, ...]] = []  # the boxes of words
        beside = self.margin["l"] + self.margin["r"]
        wider = _WIDER[:2] if theme.compact else _WIDER
        self._stretched = [(theme.width * one - beside) / self.width for one in wider]

    def _named(
        self, drawn: list[tuple[Curve, FloatArray]]
    ) -> tuple[list[tuple[Curve, _Words, FloatArray]], bool]:
        """Return the curves with their labels, and whether these have room one above the other.

        On a projector they may be as small as elsewhere, lest a legend takes the curves' place.
        """
        largest, usual = self.theme.font_size, round(self.theme.font_size / self.theme.scale)
        for size in range(largest, usual - 1, -1):
            named = [(curve, _Words.of(label(curve), size), at) for curve, at in drawn]
            fits = sum(words.height for _, words, _ in named) <= self.height
            if fits or self.theme.compact:
                break
        return named, fits and not self.theme.compact

    def annotations(self) -> list[dict[str, object]]:
        """Return all words inside the figure."""
        title = _y_title(self.chart.y, self.theme, self.margin)
        ends = self._end_labels() if self.labelled else []
        # What the sentence speaks of is written first, where there is room for it.
        told = self._mark_notes(self._told())
        inner = self._inner_labels() if self.labelled else []
        return [
            title,
            *ends,
            *inner,
            *told,
            *self._mark_notes(self.chart.marks),
            *self._here_note(),
        ]

    def here_line(self) -> list[dict[str, object]]:
        """Draw a thin vertical line at the reader's own value."""
        if not self.here:
            return []
        line = {"color": self.theme.muted, "width": 1}
        x = self.chart.here
        ends = {"yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}
        return [{"type": "line", "layer": "below", "line": line} | ends]

    def _here_note(self) -> list[dict[str, object]]:
        """Write the reader's value above the line, and beside it where the figure ends."""
        if not self.here:
            return []
        limit = LIMITS.get(self.chart.x.name)
        symbol = limit.symbol if limit else self.chart.x.name
        value = readable(self.chart.here)
        base, _, index = symbol.partition("_")
        text = f"<i>{base}</i>{f'<sub>{index}</sub>' if index else ''} = {value}"
        half = 0.25 * self.theme.font_size * len(f"{symbol} = {value}")
        beyond = self._right(self.chart.here) + half > self.width + self.margin["r"]
        x = self.x.position(self.chart.here)
        place = {"x": x, "xanchor": "right" if beyond else "center", "y": 1, "yref": "paper"}
        look = {"yanchor": "bottom", "showarrow": False, "font": {"color": self.theme.muted}}
        return [{"text": text} | place | look]

    def _end_labels(self) -> list[dict[str, object]]:
        """Label curves at their right ends, moved apart where they would touch."""
        ends = [points[:, -1] for *_, points in self.outside]
        wanted = [float(self._pixels(end)[1]) for end in ends]
        # Of curves that end in one point, the label of the one that comes from above is above.
        before = [points[:, -1 - points.shape[1] // 5] for *_, points in self.outside]
        sorted_by = [w + 1e-3 * self._pixels(b)[1] for w, b in zip(wanted, before, strict=True)]
        placed = spread(sorted_by, [words.height for _, words, _ in self.outside], self.height)
        return [
            self._note(end, words, self.theme.color(curve))
            | {"align": "left", "xanchor": "left", "ax": _LEADER, "ay": to - at}
            for (curve, words, _), end, at, to in zip(
                self.outside, ends, wanted, placed, strict=True
            )
        ]

    def _inner_labels(self) -> list[dict[str, object]]:
        """Label curves that end inside the plot, where there is room beside them."""
        notes = []
        for curve, named, points in self.inside:
            words = _Words.of(" ".join(named.lines), named.size, _INNER_CHARACTERS)
            steps = {round(part * (points.shape[1] - 1)) for part in (1, 0.85, 0.7, 0.5, 0.3)}
            notes.append(
                self._clear_note(points[:, sorted(steps)], words, self.theme.color(curve), near=10)
            )
        return notes

    def _mark_notes(self, marks: Iterable[Mark]) -> list[dict[str, object]]:
        """Put a word at each mark, with a dot at the mark itself."""
        dot = {"arrowhead": 6, "bgcolor": self.theme.background, "opacity": 0.9}
        return [
            self._clear_note(
                np.array([[self.x.position(mark.x)], [self.y.position(mark.y)]]),
                _Words.of(mark.text, self.theme.font_size),
                self.theme.subjects[mark.subject],
                near=24,
            )
            | dot
            for mark in marks
            if self.x.holds(mark.x) and self.y.holds(mark.y)
        ]

    def _told(self) -> list[Mark]:
        """Return the values, at the reader's place, of the curves that the sentence is about."""
        chart, marks = self.chart, []
        unit = chart.y.unit if len(chart.y.unit) == 1 else ""  # longer ones stand on the axis
        for curve in chart.curves:
            at = np.flatnonzero(np.isclose(curve.x, chart.here, rtol=1e-9, atol=0))
            if curve.key in chart.told and at.size and np.isfinite(curve.y[at[0]]):
                value = float(curve.y[at[0]])
                text = f"{readable(value)} {unit}".strip()
                marks.append(Mark(chart.here, value, text, curve.subject))
        return marks

    def _clear_note(
        self, anchors: FloatArray, words: _Words, color: str, near: float
    ) -> dict[str, object]:
        """Write beside one of the anchors, where the fewest curves and words are in the way."""
        across, up = half = words.width / 2, words.height / 2
        shifts, known = _shifts(across, up, near), self._pixels(anchors)
        x, y = known[:, :, None] + shifts[:, None, :]
        over = np.maximum(across - np.minimum(x, self.width - x), 0.0)
        over += np.maximum(up - np.minimum(y, self.height - y), 0.0)
        costs = (100 * over + _FAR * np.hypot(*shifts) + (shifts[1] == 0)).ravel()
        x, y = x.ravel(), y.ravel()
        costs += self._in_the_way(np.repeat(known, shifts.shape[1], axis=1), x, y, half)
        at = np.repeat(known[0], shifts.shape[1])
        drawn = [self._drawn(wide, wide * at + x - at, across) for wide in self._stretched]
        best = (math.inf, 0)
        for place in np.argsort(costs, kind="stable").tolist():
            if costs[place] > best[0]:  # curves in the way can only add to it
                break
            crossed = max(
                np.count_nonzero(abs(down[starts[place] : stops[place]] - y[place]) < up + 1)
                for down, starts, stops in drawn
            )
            best = min(best, (crossed + float(costs[place]), place))
        index, shifted = divmod(best[1], shifts.shape[1])
        ax, ay = map(float, shifts[:, shifted])
        right, down = known[:, index].tolist()
        self._written.append((right, ax, down + ay, *half))
        line = np.linspace(0.0, 1.0, _LEADER_POINTS)  # words written later keep off it
        self._crowd.append(np.stack([np.full(_LEADER_POINTS, right), line * ax, down + line * ay]))
        return self._note(anchors[:, index], words, color) | {"ax": ax, "ay": ay}

    def _drawn(
        self, wide: float, x: FloatArray, across: float
    ) -> tuple[FloatArray, list[int], list[int]]:
        """Return how far down all lines are, from left to right, in a plot so many times as wide.

        And from which to which of these points words reach, whose middle is at x.
        """
        at, beside, down = np.concatenate([np.empty((3, 0)), *self._crowd], axis=1)
        right = wide * at + beside
        order = np.argsort(right, kind="stable")
        starts = np.searchsorted(right[order], x - across - 3, side="right")
        stops = np.searchsorted(right[order], x + across + 3)
        return down[order], starts.tolist(), stops.tolist()

    def _in_the_way(
        self, points: FloatArray, x: FloatArray, y: FloatArray, half: tuple[float, float]
    ) -> FloatArray:
        """Return what words already written cost, where the middle of others may be."""
        if not self._written:
            return np.zeros(x.size)
        across, up = (np.full(x.size, size) for size in half)
        boxes = _Boxes(points[0], x - points[0], y, across, up)
        written = _Boxes.of(self._written)
        covered = boxes.covered(written, self._stretched)
        return _COVERED * covered + _STRUCK * boxes.struck(written, points, self._stretched)

    def _pixels(self, points: FloatArray) -> FloatArray:
        right = self.width * (points[0] - self.x.low) / (self.x.high - self.x.low)
        down = self.height * (self.y.high - points[1]) / (self.y.high - self.y.low)
        return np.stack([right, down])

    def _right(self, x: float) -> float:
        return self.width * (self.x.position(x) - self.x.low) / (self.x.high - self.x.low)

    def _note(self, at: FloatArray, words: _Words, color: str) -> dict[str, object]:
        smaller = {} if words.size == self.theme.font_size else {"size": words.size}
        return {
            "x": float(at[0]),
            "y": float(at[1]),
            "text": "<br>".join(words.lines),
            "font": {"color": color} | smaller,
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 1,
            "arrowcolor": color,
            "borderpad": 0,
        }


def _points(curve: Curve, x: Scale, y: Scale) -> FloatArray:
    """Return the points of a curve that can be drawn, in plotly's units, as two rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        right = np.log10(curve.x) if x.axis.log else curve.x
        up = np.log10(curve.y) if y.axis.log else curve.y
        inside = (right >= x.low) & (right <= x.high) & (up >= y.low) & (up <= y.high)
    return np.stack([right[inside], up[inside]])


def _dense(points: FloatArray) -> FloatArray:
    """Return points along a polygon, close enough to see whether it runs through a word.

    As three rows: how far right of the plot's edge, how far right of that in a plot of any width,
    and how far down.
    """
    along = np.arange(points.shape[1])
    finer = np.linspace(0, along[-1], 300)
    right, down = (np.interp(finer, along, row) for row in points)
    return np.stack([right, np.zeros(finer.size), down])


def _shifts(across: float, up: float, near: float) -> FloatArray:
    """Return where words may go: right and down from an anchor, on all sides, nearest first."""
    sides = np.array(_SIDES, dtype=float).T
    distances = near * np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
    sizes = np.array([[across], [up]]) + distances
    shifts: FloatArray = (sizes[:, :, None] * sides[:, None, :]).reshape(2, -1)
    return shifts


def _y_title(axis: Axis, theme: Theme, margin: Mapping[str, int]) -> dict[str, object]:
    """Put the title of the y-axis above it: easier to read there, and no width is lost."""
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 8 - margin["l"],
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": margin["t"] - theme.px(32),
        "text": axes.title(axis),
        "font": {"color": theme.text},
        "showarrow": False,
    }


def _wrapped(text: str, most: int) -> list[str]:
    lines = [""]
    for word in text.replace(" = ", _EQUALS).split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return [line.replace(_EQUALS, " = ") for line in lines]


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
