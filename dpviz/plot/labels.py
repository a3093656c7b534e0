"""Where a figure's words go: labels at curve ends, notes at landmarks, the reader's value."""

import itertools
import math
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression

from dpviz.plot import axes, focus, obstacles
from dpviz.plot.axes import Scale
from dpviz.plot.boxes import LINE_LENGTH, WordBox
from dpviz.plot.ink import LINE
from dpviz.plot.marks import Part, Text
from dpviz.plot.partial_chart import PartialCurve, numberless
from dpviz.plot.placing import PARTS, PLACES, Ground, Note
from dpviz.plot.steady import placed_name
from dpviz.plot.text import beside_one, downwards, percent, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Landmark
from dpviz.results.parameters import LIMITS

_ALONG = (
    0.3,
    0.5,
    0.7,
    0.85,
    1,
)  # of a curve that ends in the plot: where its label may stand
_TOGETHER = 0.02  # of the height, that curves are apart where they run into each other
_NEARLY = 0.8  # of the most that they are apart, where names may stand as well
_ELSEWHERE = 0.15  # of the height, that they are apart elsewhere at least
_INNER_CHARACTERS = 16  # in a line in the plot
_FEW_CHARACTERS = 12  # in a line of few labels, which leave three fifths of a page to the plot
_LEADER = 14
_HERE = 20
_VALUE, _ALONE = 1.25, 1.5  # times the size of other words: values of the sentence; the only one
_BETWEEN = 0.4  # of the size of words, between what two curves are called at their ends
_TITLE = 28  # pixels of the usual size for the title of the y-axis: its line, and air above
BELOW = 56  # pixels of the usual size below the plot, for its ticks and title
# What a label says of its evidence, where neither it nor the axis has one of the words.
_EVIDENCE_WORDS = {
    Evidence.ASYMPTOTIC: ("up to constants", "constants dropped"),
    Evidence.LIMIT: ("limit", "→"),
}
FAILS, ENDED = "assumption fails", "search ends"  # of a curve that goes on in grey
FAINT = 0.5  # opacity of words about what is not known yet
_LINES, _TALL = 4, 10  # of words, in the height of the least plot with values, and with larger ones
_WIDER = (1.0, 1.2, 1.5)  # times the least width: words keep off each other at each of them


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Words that are to stand in the plot, beside one of their anchors.

    name: that of their note. note: where they may go. anchors: in plotly's units. look: what else
    the note has.
    """

    name: str
    note: Note
    anchors: FloatArray
    color: str
    look: dict[str, object]


def label(curve: Curve, y: Axis) -> str:
    """Return what is written beside a curve: its name, what a shape leaves out, what a limit is.

    Once is enough: not where the axis says it of all curves.
    """
    words = _EVIDENCE_WORDS.get(curve.evidence, ())
    is_said = any(word in f"{curve.label} {y.label}" for word in words)
    return f"{curve.label}, {words[0]}" if words and not is_said else curve.label


def values_here(chart: Chart, about: Container[str] | None = None) -> Iterator[tuple[Curve, float]]:
    """Yield the curves that the headline is about, with their values at the reader's place.

    about: the keys of those that a figure is about, None for all.
    """
    curves = {curve.key: curve for curve in chart.curves}
    for key in chart.in_headline:
        if (curve := curves.get(key)) is not None and (about is None or key in about):
            at = np.flatnonzero(np.isclose(curve.x, chart.here, rtol=1e-9, atol=0))
            if at.size and np.isfinite(stated := curve.part(curve.stated_part)[at[0]]):
                yield curve, float(stated)


_ROUNDING = 1e-9  # of floats: 0.05 and a bit of that is written 0.05


def _written(curve: Curve, value: float, y: Axis) -> str:
    """Write a value of a curve, the end of what is proved as sentences do: on its safe side.

    Where a range ended, the truth may be better still.
    """
    if curve.ended is not None and value == curve.ended[0]:
        return f"{'≤' if curve.ended[1] < value else '≥'} {readable(value)}"
    upper, lower = (end is not None and value in end for end in (curve.upper, curve.lower))
    certified = curve.evidence is Evidence.CERTIFIED or bool(curve.stated_part)
    counted, sign = (100 * value, "%") if y.chance else (value, "")
    if curve.evidence is Evidence.UPPER or (certified and upper):
        return f"{upwards(counted * (1 - _ROUNDING))}{sign}"
    if curve.evidence is Evidence.LOWER or (certified and lower):
        return f"{downwards(counted * (1 + _ROUNDING))}{sign}"
    return percent(value) if y.chance else readable(value)


def _is_unit(curve: Curve, y: Axis) -> bool:
    """Return whether a curve is what the axis counts in, 1 everywhere, whose value says nothing."""
    finite = curve.y[np.isfinite(curve.y)]
    return not y.chance and finite.size > 1 and bool((finite == 1).all())


class Layout:
    """Where the words go; pixels count from the upper left corner of the plot.

    about: the keys of the curves that have words, None for all. crossed: by which lines of others
    the plot is; beside: the words of others in it, at places of their own.
    """

    def __init__(
        self,
        chart: Chart,
        theme: Theme,
        x: Scale,
        y: Scale,
        parts: Sequence[PartialCurve],
        old_landmarks: Sequence[Landmark] = (),
        about: Container[str] | None = None,
        crossed: Sequence[obstacles.Straight] = (),
        beside: Sequence[Text] = (),
    ) -> None:
        self.chart, self.theme, self.x, self.y = chart, theme, x, y
        self._old_landmarks, self._about = old_landmarks, about
        self._faded = {id(part.labelled) for part in parts if part.now is None}
        self.has_here = x.holds(chart.here)
        self.margin = {"l": 0, "r": 16, "t": 0, "b": theme.px(BELOW)}
        self.margin["t"] = theme.px(36 + (_HERE if self.has_here else 0))
        self.height = theme.height - self.margin["t"] - self.margin["b"]
        # A low plot has fewer ticks, which may be written out: 10,000 for 10⁴.
        ticked = axes.settings(y)["ticktext"]
        ticked += axes.settings(y, self.height / theme.scale)["ticktext"]
        ticks = max(map(len, ticked), default=0)
        self.margin["l"] = max(round(16 + 0.5 * theme.font_size * ticks), theme.left)
        points = [(part, obstacles.points(part.labelled, x, y)) for part in parts]
        drawn = [(part.key, part.labelled, at) for part, at in points if at.size]
        chosen = [(c, at) for key, c, at in drawn if about is None or key in about]
        self._chosen = [curve for curve, _ in chosen]
        named, self.labelled = self._named(chosen)
        self._named_so: Counter[str] = Counter()
        self._names = {id(curve): self._name(label(curve, chart.y)) for curve, *_ in named}
        at_edge = x.high - 0.02 * (x.high - x.low)
        leaving = [  # what stood in the plot stays there in a movement
            at[0, -1] >= at_edge and self._names[id(curve)] not in theme.places
            for curve, _, at in named
        ]
        at_ends = [one for one, out in zip(named, leaving, strict=True) if out]
        self._apart = self._run_together(at_ends)
        leaving = [
            out and id(curve) not in self._apart
            for (curve, *_), out in zip(named, leaving, strict=True)
        ]
        self.outside = [one for one, leaves in zip(named, leaving, strict=True) if leaves]
        self.inside = [one for one, leaves in zip(named, leaving, strict=True) if not leaves]
        if self.labelled:
            needed = [round(_LEADER + 10 + words.width) for _, words, _ in self.outside]
            self.margin["r"] = max(self.margin["r"], theme.right, *needed)
        elif not self.labelled and not theme.compact:
            self.margin["b"] += round(LINE * theme.font_size * (1 + len(named) // 2))
            self.height = theme.height - self.margin["t"] - self.margin["b"]
        self.width = theme.width - self.margin["l"] - self.margin["r"]
        self._crowd = [obstacles.marks(curve, x, y, self._pixels) for _, curve, _ in drawn]
        # Words do not stand across the line at the reader's value either.
        readers_line = [(chart.here, (Part(0), Part(1)))] if self.has_here else []
        lines = [obstacles.straight(line, x, y, self._pixels) for line in (*readers_line, *crossed)]
        self._crowd += lines
        self._crowd += [obstacles.words(text, x, y, self._pixels, theme) for text in beside]
        around = self.margin["l"] + self.margin["r"]
        wider = _WIDER[:2] if theme.compact else _WIDER
        self._stretched = [(theme.width * one - around) / self.width for one in wider]

    def _named(
        self, drawn: list[tuple[Curve, FloatArray]]
    ) -> tuple[list[tuple[Curve, WordBox, FloatArray]], bool]:
        """Return the curves with their labels, and whether these have room one above the other.

        On a projector they may be as small as elsewhere, lest a legend takes the curves' place.
        """
        # One or two labels on a page have height enough, and leave the width to the plot; but in a
        # low panel on a projector they have not.
        few = self.theme.labels == "few" and len(drawn) <= focus.MOST_NAMED
        largest, usual = self.theme.font_size, round(self.theme.font_size / self.theme.scale)
        sizes, lengths = range(largest, usual - 1, -1), (_FEW_CHARACTERS, LINE_LENGTH)[not few :]
        for most, size in itertools.product(lengths, sizes):
            named = [
                (curve, WordBox.of(label(curve, self.chart.y), size, most), at)
                for curve, at in drawn
            ]
            fits = sum(words.height for _, words, _ in named) <= self.height
            if fits or self.theme.compact:
                break
        return named, fits and not self.theme.compact

    def _run_together(
        self, named: Sequence[tuple[Curve, WordBox, FloatArray]]
    ) -> dict[int, list[int]]:
        """Return of curves that run into each other at the right where each is far apart.

        There is its name, above the others if it ever is; at the end none is seen to be whose.
        """
        range_, found = self.y.high - self.y.low, dict[int, list[int]]()
        for (curve, _, at), (_, _, other) in itertools.permutations(named, 2):
            if abs(at[1, -1] - other[1, -1]) > _TOGETHER * range_ or (np.diff(other[0]) < 0).any():
                continue
            above = at[1] - np.interp(at[0], *other)
            if np.abs(above).max() > _ELSEWHERE * range_:
                above = above if above.max() > _ELSEWHERE * range_ else -above
                far = np.flatnonzero(above >= _NEARLY * above.max())
                steps = [int(above.argmax()), int(far[-1]), int(far[0])]
                free = [step for step in steps if not self._marked(at[0, step])]
                found[id(curve)] = free or steps
        return found

    def _marked(self, across: float) -> bool:
        """Return whether a word at a mark stands there."""
        reach = _ELSEWHERE * (self.x.high - self.x.low) / 2
        marks = (self.x.position(mark.x) for mark in self.chart.landmarks if self.x.holds(mark.x))
        return any(abs(across - mark) < reach for mark in marks)

    def annotations(self) -> list[dict[str, object]]:
        """Return all words inside the figure."""
        up = self.margin["t"] - self.theme.px(_TITLE)
        title = axes.y_title(axes.title(self.chart.y), self.theme, self.margin["l"], up=up)
        ends = self._end_labels() if self.labelled else []
        # The values in the headline choose first, where there is room for them.
        inner = [*(self._inside() if self.labelled else []), *self._failing()]
        marked = [
            *self._at_landmarks(self.chart.landmarks),
            *self._at_landmarks(self._old_landmarks, opacity=FAINT),
        ]
        wanted = {one.name: one for one in (*self._headline_values(), *inner, *marked)}
        drawn = np.concatenate([np.empty((4, 0)), *self._crowd], axis=1)
        ground = Ground(self.width, self.height, drawn, self._stretched)
        places = ground.places({name: one.note for name, one in wanted.items()})
        notes = [self._stands(one, places[name]) for name, one in wanted.items()]
        return [title, *ends, *notes, *self._here_note()]

    def here_line(self) -> list[dict[str, object]]:
        """Draw a thin vertical line at the reader's own value."""
        if not self.has_here:
            return []
        line = {"color": self.theme.muted, "width": 1}
        x = self.chart.here
        ends = {"yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}
        return [{"type": "line", "layer": "below", "line": line} | ends]

    def _here_note(self) -> list[dict[str, object]]:
        """Write the reader's value above the line; beside it at the ends of the figure."""
        if not self.has_here:
            return []
        limit = LIMITS.get(self.chart.x.name)
        symbol = limit.symbol if limit else self.chart.x.name
        value = readable(self.chart.here)
        base, _, index = symbol.partition("_")
        text = f"<i>{base}</i>{f'<sub>{index}</sub>' if index else ''} = {value}"
        half = 0.25 * self.theme.font_size * len(f"{symbol} = {value}")
        right = self._right(self.chart.here)
        beyond, before = right + half > self.width + self.margin["r"], right < half
        side = "right" if beyond else "left" if before else "center"
        x = self.x.position(self.chart.here)
        place = {"x": x, "xanchor": side, "y": 1, "yref": "paper"}
        look = {"yanchor": "bottom", "showarrow": False, "font": {"color": self.theme.muted}}
        return [{"text": text} | place | look]

    def _end_labels(self) -> list[dict[str, object]]:
        """Label curves at their right ends, moved apart where they would touch."""
        ends = [points[:, -1] for *_, points in self.outside]
        wanted = [float(self._pixels(end)[1]) for end in ends]
        # Of curves that end in one point, the label of the one that comes from above is above.
        before = [points[:, -1 - points.shape[1] // 5] for *_, points in self.outside]
        sorted_by = [w + 1e-3 * self._pixels(b)[1] for w, b in zip(wanted, before, strict=True)]
        gap = _BETWEEN * self.theme.font_size
        high = [words.height + gap for _, words, _ in self.outside]
        placed = spread(sorted_by, high, self.height + gap)
        return [
            self._note(end, words, self.theme.color(curve))
            | {"align": "left", "xanchor": "left", "ax": _LEADER, "ay": to - at}
            | self._look(curve)
            for (curve, words, _), end, at, to in zip(
                self.outside, ends, wanted, placed, strict=True
            )
        ]

    def _inside(self) -> list[_Wanted]:
        """Return the labels of curves that end inside the plot, to stand beside them."""
        wanted = []
        for curve, named, points in self.inside:
            # Below the line beside a point, the next ones may stand that belong to other curves.
            most = LINE_LENGTH if points.shape[1] == 1 else _INNER_CHARACTERS
            words = WordBox.of(" ".join(named.lines), named.size, most)
            along = [round(part * (points.shape[1] - 1)) for part in _ALONG]
            steps = self._apart.get(id(curve), along)
            name, color = self._names[id(curve)], self.theme.color(curve)
            anchors = self._anchors(name, points, steps)
            wanted.append(self._wanted(name, anchors, words, color, 10, self._look(curve)))
        return wanted

    def _anchors(self, name: str, points: FloatArray, steps: Sequence[int]) -> FloatArray:
        """Return places along a curve, and that beside which words of this name stood before.

        The points of a curve, and with them the usual places, are others in each figure.
        """
        stood, (x, y) = self.theme.places.get(name), points
        usual: FloatArray = points[:, steps]
        if stood is None:
            return usual
        part = (self.x.high - self.x.low) / PARTS
        at = self.x.low + stood // PLACES * part
        if not x.min() - part <= at <= x.max() + part:  # a place is known to a part of the width
            return usual
        at = min(max(at, float(x.min())), float(x.max()))
        there = points[:, [int(np.argmin(abs(x - at)))]]
        if (np.diff(x) >= 0).all():  # a function of x
            there = np.array([[at], [np.interp(at, x, y)]])
        return np.concatenate([usual, there], axis=1)

    def _look(self, curve: Curve) -> dict[str, object]:
        """Return how the label of a curve looks of which nothing is known yet."""
        return {"opacity": FAINT} if id(curve) in self._faded else {}

    def _failing(self) -> list[_Wanted]:
        """Return words for curves that are grey because an assumption fails, beside the grey."""
        wanted = []
        for curve in self._chosen:
            if curve.holds is None or curve.holds.all():
                continue
            grey = replace(curve, y=np.where(curve.holds, np.nan, curve.y))
            points = obstacles.points(grey, self.x, self.y)
            if not points.size:
                continue
            steps = [round(part * (points.shape[1] - 1)) for part in _ALONG]
            text = FAILS if curve.ended is None else ENDED
            words = WordBox.of(text, self.theme.font_size, _INNER_CHARACTERS)
            name = self._name(f"{FAILS} {label(curve, self.chart.y)}")
            anchors, look = self._anchors(name, points, steps), self._look(curve)
            wanted.append(self._wanted(name, anchors, words, self.theme.muted, 10, look))
        return wanted

    def _at_landmarks(self, landmarks: Iterable[Landmark], opacity: float = 1.0) -> list[_Wanted]:
        """Return a word at each mark in sight, with a dot at the mark itself."""
        named = [(mark, self._name(mark.text)) for mark in landmarks if self._sees(mark)]
        colors = self.theme.subjects
        return [self._at(mark, name, colors[mark.subject], opacity) for mark, name in named]

    def _sees(self, mark: Landmark) -> bool:
        return self.x.holds(mark.x) and self.y.holds(mark.y)

    def _at(
        self, mark: Landmark, name: str, color: str, opacity: float = 1.0, times: float = 1.0
    ) -> _Wanted:
        seen = {} if opacity == 1.0 else {"opacity": opacity}
        dot = {"arrowhead": 6, "bgcolor": self.theme.background} | seen
        anchor = np.array([[self.x.position(mark.x)], [self.y.position(mark.y)]])
        words = WordBox.of(mark.text, round(times * self.theme.font_size))
        return self._wanted(name, anchor, words, color, 24, dot)

    def _headline_values(self) -> list[_Wanted]:
        """Return the values, at the reader's place, of the curves that the headline is about.

        Where the plot is only a few lines high they would cover points; the sentence has them.
        """
        lines = self.height / (LINE * self.theme.font_size)
        if lines < _LINES:
            return []
        unit = self.chart.y.unit if len(self.chart.y.unit) == 1 else ""  # longer ones: at the axis
        wanted = []
        for curve, value in values_here(self.chart, self._about):
            if _is_unit(curve, self.chart.y):
                continue
            y = self.chart.y
            written = beside_one(value) if y.relative else _written(curve, value, y)
            text = f"{written} {unit}".strip()
            mark = Landmark(self.chart.here, value, text, curve.subject)
            if self._sees(mark):
                name = self._name("value" + mark.text)
                times = (
                    _ALONE
                    if y.relative and not self.theme.compact
                    else _VALUE
                    if lines >= _TALL
                    else 1.0
                )
                wanted.append(self._at(mark, name, self.theme.color(curve), times=times))
        if len(wanted) != focus.MOST_NAMED:
            return wanted
        # One above the other as their curves are: where these are far apart, so are the words.
        above = np.array([one.note.anchors[1, 0] for one in wanted])
        up, down = np.argsort(above, kind="stable")
        sides = {int(up): -1, int(down): 1}
        apart, high = float(np.ptp(above)), wanted[0].note.words.height
        free = dict.fromkeys(sides, (apart - high) / 2)
        # One at an edge of the plot has no room on its side: all that is between them is its own,
        # and where they are at one point, no order is.
        rooms = {int(up): above[up], int(down): self.height - above[down]}
        tight = [
            place for place, room in rooms.items() if room < high + wanted[place].note.near / 2
        ]
        if len(tight) == 1 and (apart < 1 or apart > high):
            free = dict.fromkeys(sides, 0.0) | {tight[0]: math.inf if apart < 1 else apart - high}
        return [
            replace(one, note=replace(one.note, side=sides[place], free=free[place]))
            for place, one in enumerate(wanted)
        ]

    def _stands(self, one: _Wanted, place: int) -> dict[str, object]:
        """Return the note of words in one of their places."""
        note = one.note
        index, shifted = divmod(place, note.shifts.shape[1])
        ax, ay = map(float, note.shifts[:, shifted])
        name = placed_name(one.name, note.address(place, self.width))
        look = {"ax": ax, "ay": ay, "name": name} | one.look
        return self._note(one.anchors[:, index], note.words, one.color) | look

    def _wanted(
        self,
        name: str,
        anchors: FloatArray,
        words: WordBox,
        color: str,
        near: float,
        look: dict[str, object],
    ) -> _Wanted:
        stood = self.theme.places.get(name)
        note = Note(words, self._pixels(anchors), near, stood=stood)
        return _Wanted(name, note, anchors, color, look)

    def _name(self, text: str) -> str:
        """Return a name for a note: the same in each figure of a movement, whatever its numbers.

        Notes of another panel, which has another axis, are others.
        """
        words = " ".join([self.chart.y.name, *numberless(text).split()])
        digest = f"{zlib.crc32(words.encode()):x}"
        self._named_so[digest] += 1
        return f"{digest}-{self._named_so[digest]}"

    def _pixels(self, points: FloatArray) -> FloatArray:
        right = self.width * (points[0] - self.x.low) / (self.x.high - self.x.low)
        down = self.height * (self.y.high - points[1]) / (self.y.high - self.y.low)
        return np.stack([right, down])

    def _right(self, x: float) -> float:
        return self.width * (self.x.position(x) - self.x.low) / (self.x.high - self.x.low)

    def _note(self, at: FloatArray, words: WordBox, color: str) -> dict[str, object]:
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
