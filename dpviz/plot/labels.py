"""Where the words of a figure go: labels at the curve ends, notes at marks, the reader's value."""

import itertools
import math
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from scipy.optimize import isotonic_regression

from dpviz.plot import axes, focus, obstacles
from dpviz.plot.axes import Scale
from dpviz.plot.boxes import MOST, Boxes, Words
from dpviz.plot.filling import Part, numberless
from dpviz.plot.ink import LINE
from dpviz.plot.steady import placed_name
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Mark
from dpviz.results.parameters import LIMITS

_ALONG = (
    0.3,
    0.5,
    0.7,
    0.85,
    1,
)  # of a curve that ends in the plot: where its label may stand
_INNER_CHARACTERS = 16  # in a line in the plot
_FEW_CHARACTERS = 12  # in a line of few labels, which leave three fifths of a page to the plot
_LEADER = 14
_HERE = 20
_TITLE = 28  # pixels of the usual size for the title of the y-axis: its line, and air above
BELOW = 56  # pixels of the usual size below the plot, for its ticks and title
_SIDES = (
    *((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1)),
    *((0.5, -1), (-0.5, -1), (0.5, 1), (-0.5, 1)),
    *((1, -0.5), (-1, -0.5), (1, 0.5), (-1, 0.5)),
)
_PARTS = 500  # of the width of a plot, in which a note's name says where its anchor was
_WIDER = (1.0, 1.2, 1.5)  # times the least width: words keep off each other at each of them
# What a label says of its evidence, where neither it nor the axis has one of the words.
_SAID = {
    Evidence.ASYMPTOTIC: ("up to constants",),
    Evidence.LIMIT: ("limit", "→"),
}
FAILS = "assumption fails"  # of a curve that goes on in grey
FAINT = 0.5  # opacity of words about what is not known yet
_FAR = 0.04  # the cost of each pixel to the words, in points of a curve that are crossed
_LINES = 4  # of words, in the height of the least plot whose values are written
_HERE_POINTS, _LEADER_POINTS = 150, 60  # along the reader's line, and along one to its words
_AWAY = 4.0  # how much each point of the latter counts
_STRUCK = 100.0  # the cost of words that another one's line runs through
_HIDDEN = 30.0  # the cost of words that hide points
_TRIES = 3  # orders in which words are written that are in each other's way
_FIRST = 24  # places whose lines are looked at together, the cheapest first
_COVERED = 10.0  # the cost of each square pixel of other words that are covered
_TURNED = 1000.0  # the cost of words on the side of their anchor that another one's have
_STAYS = 15.0  # how much less the place costs where the words stood before


@dataclass(frozen=True, eq=False)
class _Wanted:
    """Words that are to stand in the plot, beside one of their anchors.

    name: that of their note. near: pixels from the anchor at least. look: what else the note has.
    side: −1 if they do not go below their anchor, 1 if not above it, 0 if they go anywhere; free:
    so many pixels they may.
    """

    name: str
    anchors: FloatArray
    words: Words
    color: str
    near: float
    look: dict[str, object]
    side: int = 0
    free: float = 0.0

    @property
    def shifts(self) -> FloatArray:
        """Where the words may go: right and down from an anchor, on all sides, nearest first."""
        sides = np.array(_SIDES, dtype=float).T
        distances = self.near * np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
        sizes = np.array([[self.words.width / 2], [self.words.height / 2]]) + distances
        shifts: FloatArray = (sizes[:, :, None] * sides[:, None, :]).reshape(2, -1)
        return shifts


def label(curve: Curve, y: Axis) -> str:
    """Return what is written beside a curve: its name, what a shape leaves out, what a limit is.

    Once is enough: not where the axis says it of all curves.
    """
    words = _SAID.get(curve.evidence, ())
    said = any(word in f"{curve.label} {y.label}" for word in words)
    return f"{curve.label}, {words[0]}" if words and not said else curve.label


def values_here(chart: Chart, about: Container[str] | None = None) -> Iterator[tuple[Curve, float]]:
    """Yield the curves that the headline is about, with their values at the reader's place.

    about: the keys of those that a figure is about, None for all.
    """
    known = {curve.key: curve for curve in chart.curves}
    for key in chart.in_headline:
        if (curve := known.get(key)) is not None and (about is None or key in about):
            at = np.flatnonzero(np.isclose(curve.x, chart.here, rtol=1e-9, atol=0))
            if at.size and np.isfinite(said := curve.part(curve.told)[at[0]]):
                yield curve, float(said)


_ROUNDING = 1e-9  # of floats: 0.05 and a bit of that is written 0.05


def _written(curve: Curve, value: float) -> str:
    """Write a value of a curve, the end of what is proved as sentences do: on its safe side."""
    upper, lower = (end is not None and value in end for end in (curve.upper, curve.lower))
    certified = curve.evidence is Evidence.CERTIFIED or bool(curve.told)
    if curve.evidence is Evidence.UPPER or (certified and upper):
        return upwards(value * (1 - _ROUNDING))
    if curve.evidence is Evidence.LOWER or (certified and lower):
        return downwards(value * (1 + _ROUNDING))
    return readable(value)


class Layout:
    """Where the words go; pixels count from the upper left corner of the plot.

    about: the keys of the curves that have words, None for all.
    """

    def __init__(
        self,
        chart: Chart,
        theme: Theme,
        x: Scale,
        y: Scale,
        parts: Sequence[Part],
        old_marks: Sequence[Mark] = (),
        about: Container[str] | None = None,
    ) -> None:
        self.chart, self.theme, self.x, self.y = chart, theme, x, y
        self._old_marks, self._about = old_marks, about
        self._faded = {id(part.labelled) for part in parts if part.now is None}
        self.here = x.holds(chart.here)
        self.margin = {"l": 0, "r": 16, "t": 0, "b": theme.px(BELOW)}
        self.margin["t"] = theme.px(36 + (_HERE if self.here else 0))
        self.height = theme.height - self.margin["t"] - self.margin["b"]
        # A low plot has fewer ticks, which may be written out: 10,000 for 10⁴.
        ticked = axes.settings(y)["ticktext"]
        ticked += axes.settings(y, self.height / theme.scale)["ticktext"]
        ticks = max(map(len, ticked), default=0)
        self.margin["l"] = max(round(16 + 0.5 * theme.font_size * ticks), theme.left)
        points = [(part, obstacles.points(part.labelled, x, y)) for part in parts]
        drawn = [(part.key, part.labelled, at) for part, at in points if at.size]
        told = [(c, at) for key, c, at in drawn if about is None or key in about]
        self._told = [curve for curve, _ in told]
        named, self.labelled = self._named(told)
        self._named_so: Counter[str] = Counter()
        self._names = {id(curve): self._name(label(curve, chart.y)) for curve, *_ in named}
        at_edge = x.high - 0.02 * (x.high - x.low)
        leaving = [  # what stood in the plot stays there in a movement
            at[0, -1] >= at_edge and self._names[id(curve)] not in theme.places
            for curve, _, at in named
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
        if self.here:  # words do not stand across the line at the reader's value either
            down, right = np.linspace(0.0, self.height, _HERE_POINTS), self._right(chart.here)
            rows = (np.full(_HERE_POINTS, right), 0.0 * down, down, np.ones(_HERE_POINTS))
            self._crowd.append(np.stack(rows))
        self._written: list[tuple[float, ...]] = []  # the boxes of words
        self._cost = 0.0  # of the words written since this was last looked at
        beside = self.margin["l"] + self.margin["r"]
        wider = _WIDER[:2] if theme.compact else _WIDER
        self._stretched = [(theme.width * one - beside) / self.width for one in wider]

    def _named(
        self, drawn: list[tuple[Curve, FloatArray]]
    ) -> tuple[list[tuple[Curve, Words, FloatArray]], bool]:
        """Return the curves with their labels, and whether these have room one above the other.

        On a projector they may be as small as elsewhere, lest a legend takes the curves' place.
        """
        # One or two labels on a page have height enough, and leave the width to the plot; but in a
        # low panel on a projector they have not.
        few = self.theme.labels == "few" and len(drawn) <= focus.MOST
        largest, usual = self.theme.font_size, round(self.theme.font_size / self.theme.scale)
        sizes, lengths = range(largest, usual - 1, -1), (_FEW_CHARACTERS, MOST)[not few :]
        for most, size in itertools.product(lengths, sizes):
            named = [
                (curve, Words.of(label(curve, self.chart.y), size, most), at) for curve, at in drawn
            ]
            fits = sum(words.height for _, words, _ in named) <= self.height
            if fits or self.theme.compact:
                break
        return named, fits and not self.theme.compact

    def annotations(self) -> list[dict[str, object]]:
        """Return all words inside the figure."""
        up = self.margin["t"] - self.theme.px(_TITLE)
        title = axes.y_title(axes.title(self.chart.y), self.theme, self.margin["l"], up=up)
        ends = self._end_labels() if self.labelled else []
        # The values in the headline are written first, where there is room for them.
        values = self._headline_values()
        inner = [*(self._inside() if self.labelled else []), *self._failing()]
        marked = self._at_marks(self.chart.marks)
        old = self._at_marks(self._old_marks, opacity=FAINT)
        staying = self._staying([*values, *inner, *marked, *old])
        notes = self._written_notes((values, inner, marked, old), staying)
        return [title, *ends, *notes, *self._here_note()]

    def here_line(self) -> list[dict[str, object]]:
        """Draw a thin vertical line at the reader's own value."""
        if not self.here:
            return []
        line = {"color": self.theme.muted, "width": 1}
        x = self.chart.here
        ends = {"yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1}
        return [{"type": "line", "layer": "below", "line": line} | ends]

    def _here_note(self) -> list[dict[str, object]]:
        """Write the reader's value above the line; beside it at the ends of the figure."""
        if not self.here:
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
        placed = spread(sorted_by, [words.height for _, words, _ in self.outside], self.height)
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
            most = MOST if points.shape[1] == 1 else _INNER_CHARACTERS
            words = Words.of(" ".join(named.lines), named.size, most)
            steps = [round(part * (points.shape[1] - 1)) for part in _ALONG]
            name, color = self._names[id(curve)], self.theme.color(curve)
            one = _Wanted(name, points[:, steps], words, color, 10, self._look(curve))
            wanted.append(self._where_it_was(one, points))
        return wanted

    def _where_it_was(self, one: _Wanted, points: FloatArray) -> _Wanted:
        """Return words beside a curve with the place along it at which they stood before, if any.

        The points of a curve, and with them the usual anchors, are others in each figure.
        """
        stood, (x, y) = self.theme.places.get(one.name), points
        if stood is None:
            return one
        part = (self.x.high - self.x.low) / _PARTS
        at = self.x.low + stood // one.shifts.shape[1] * part
        if not x.min() - part <= at <= x.max() + part:  # a place is known to a part of the width
            return one
        at = min(max(at, float(x.min())), float(x.max()))
        there = points[:, [int(np.argmin(abs(x - at)))]]
        if (np.diff(x) >= 0).all():  # a function of x
            there = np.array([[at], [np.interp(at, x, y)]])
        return replace(one, anchors=np.concatenate([one.anchors, there], axis=1))

    def _look(self, curve: Curve) -> dict[str, object]:
        """Return how the label of a curve looks of which nothing is known yet."""
        return {"opacity": FAINT} if id(curve) in self._faded else {}

    def _failing(self) -> list[_Wanted]:
        """Return words for curves that are grey because an assumption fails, beside the grey."""
        wanted = []
        for curve in self._told:
            if curve.holds is None or curve.holds.all():
                continue
            grey = replace(curve, y=np.where(curve.holds, np.nan, curve.y))
            points = obstacles.points(grey, self.x, self.y)
            if not points.size:
                continue
            steps = [round(part * (points.shape[1] - 1)) for part in _ALONG]
            words = Words.of(FAILS, self.theme.font_size, _INNER_CHARACTERS)
            name = self._name(f"{FAILS} {label(curve, self.chart.y)}")
            one = _Wanted(name, points[:, steps], words, self.theme.muted, 10, self._look(curve))
            wanted.append(self._where_it_was(one, points))
        return wanted

    def _at_marks(self, marks: Iterable[Mark], opacity: float = 1.0) -> list[_Wanted]:
        """Return a word at each mark in sight, with a dot at the mark itself."""
        named = [(mark, self._name(mark.text)) for mark in marks if self._sees(mark)]
        colors = self.theme.subjects
        return [self._at(mark, name, colors[mark.subject], opacity) for mark, name in named]

    def _sees(self, mark: Mark) -> bool:
        return self.x.holds(mark.x) and self.y.holds(mark.y)

    def _at(self, mark: Mark, name: str, color: str, opacity: float = 1.0) -> _Wanted:
        seen = {} if opacity == 1.0 else {"opacity": opacity}
        dot = {"arrowhead": 6, "bgcolor": self.theme.background} | seen
        anchor = np.array([[self.x.position(mark.x)], [self.y.position(mark.y)]])
        return _Wanted(name, anchor, Words.of(mark.text, self.theme.font_size), color, 24, dot)

    def _staying(self, wanted: Sequence[_Wanted]) -> dict[str, dict[str, object]]:
        """Write the words that can stand where they stood in the figure before, by their names.

        They come before all others, which else could take their places.
        """
        written = {}
        for one in wanted:
            if one.name in self.theme.places:
                place, stood = self._best(one)
                if place == stood:
                    written[one.name] = self._write(one, place)
        return written

    def _written_notes(
        self, groups: Sequence[Sequence[_Wanted]], staying: Mapping[str, dict[str, object]]
    ) -> list[dict[str, object]]:
        """Write all words that do not stay, those of the first group first.

        If a line strikes some, or some stand on points, each is written again, of any group.
        """
        before, written, cost = (self._written, self._crowd), dict(staying), 0.0
        moving = [[one for one in group if one.name not in staying] for group in groups]
        for group in moving:
            written |= self._written_best(group)
            cost = max(cost, self._cost)
        if cost >= _HIDDEN:
            written |= self._again([*itertools.chain(*moving)], written, before)
        return [written[one.name] for one in itertools.chain(*groups)]

    def _written_best(self, left: Sequence[_Wanted]) -> dict[str, dict[str, object]]:
        """Write words in this order, or in another if a line strikes some."""
        before, tries = (self._written, self._crowd), []
        for order in (left, left[::-1]):
            self._written, self._crowd, self._cost = [*before[0]], [*before[1]], 0.0
            notes = {one.name: self._write(one, self._best(one)[0]) for one in order}
            tries.append((self._cost, notes, self._written, self._crowd))
            if len(left) < 2 or self._cost < _STRUCK:
                break
        self._cost, notes, self._written, self._crowd = min(tries, key=lambda one: one[0])
        return notes

    def _again(
        self,
        wanted: Sequence[_Wanted],
        notes: Mapping[str, dict[str, object]],
        before: tuple[list[tuple[float, ...]], list[FloatArray]],
    ) -> dict[str, dict[str, object]]:
        """Write words once more, each where it is best now that all others stand somewhere.

        before: what was written and drawn without them.
        """
        stand = {one.name: self._standing(one, notes[one.name]) for one in wanted}
        written, costs = dict(notes), dict[str, float]()
        for one in [*wanted, *wanted]:
            self._written, self._crowd, self._cost = [*before[0]], [*before[1]], 0.0
            for other in wanted:
                if other is not one:
                    self._write(other, stand[other.name])
            stand[one.name], _ = self._best(one)
            costs[one.name] = self._cost
            written[one.name] = self._write(one, stand[one.name])
        # Each is where it is best, but not all together: what found no place goes first.
        order = [*wanted]
        for _ in range(_TRIES):
            worst = max(order, key=lambda one: costs[one.name])
            if costs[worst.name] < _HIDDEN:
                break
            order = [worst, *(one for one in order if one is not worst)]
            self._written, self._crowd = [*before[0]], [*before[1]]
            tried = dict(notes)
            for one in order:
                self._cost = 0.0
                tried[one.name] = self._write(one, self._best(one)[0])
                costs[one.name] = self._cost
            if max(costs.values()) < _HIDDEN:
                written = tried
        return written

    @staticmethod
    def _standing(one: _Wanted, note: Mapping[str, object]) -> int:
        """Return in which of its places words stand that have been written."""
        anchor = np.array([[note["x"]], [note["y"]]], dtype=float)
        index = int(abs(one.anchors - anchor).sum(axis=0).argmin())
        shift = np.array([[note["ax"]], [note["ay"]]], dtype=float)
        shifted = int(abs(one.shifts - shift).sum(axis=0).argmin())
        return int(index * one.shifts.shape[1] + shifted)

    def _headline_values(self) -> list[_Wanted]:
        """Return the values, at the reader's place, of the curves that the headline is about.

        Where the plot is only a few lines high they would cover points; the sentence has them.
        """
        if self.height < _LINES * LINE * self.theme.font_size:
            return []
        unit = self.chart.y.unit if len(self.chart.y.unit) == 1 else ""  # longer ones: at the axis
        wanted = []
        for curve, value in values_here(self.chart, self._about):
            said = f"{_written(curve, value)} {unit}".strip()
            mark = Mark(self.chart.here, value, said, curve.subject)
            if self._sees(mark):
                name = self._name("value" + mark.text)
                wanted.append(self._at(mark, name, self.theme.color(curve)))
        if len(wanted) != focus.MOST:
            return wanted
        # One above the other as their curves are: where these are far apart, so are the words.
        above = np.array([self._pixels(one.anchors)[1, 0] for one in wanted])
        up, down = np.argsort(above, kind="stable")
        sides = {int(up): -1, int(down): 1}
        apart, high = float(np.ptp(above)), wanted[0].words.height
        free = dict.fromkeys(sides, (apart - high) / 2)
        # One at an edge of the plot has no room on its side: all that is between them is its own,
        # and where they are at one point, no order is.
        rooms = {int(up): above[up], int(down): self.height - above[down]}
        tight = [place for place, room in rooms.items() if room < high + wanted[place].near / 2]
        if len(tight) == 1 and (apart < 1 or apart > high):
            free = dict.fromkeys(sides, 0.0) | {tight[0]: math.inf if apart < 1 else apart - high}
        return [
            replace(one, side=sides[place], free=free[place]) for place, one in enumerate(wanted)
        ]

    def _write(self, one: _Wanted, place: int) -> dict[str, object]:
        """Write words in one of their places; words written later keep off them and their line."""
        words, shifts, known = one.words, one.shifts, self._pixels(one.anchors)
        index, shifted = divmod(place, shifts.shape[1])
        stands = round(_PARTS * known[0, index] / self.width) * shifts.shape[1] + shifted
        ax, ay = map(float, shifts[:, shifted])
        right, down = known[:, index].tolist()
        self._written.append((right, ax, down + ay, words.width / 2, words.height / 2))
        line = np.linspace(0.0, 1.0, _LEADER_POINTS)
        every = np.ones(_LEADER_POINTS)
        leader = (right * every, line * ax, down + line * ay, _AWAY * every)
        self._crowd.append(np.stack(leader))
        placed = {"ax": ax, "ay": ay, "name": placed_name(one.name, stands)}
        return self._note(one.anchors[:, index], words, one.color) | placed | one.look

    def _name(self, text: str) -> str:
        """Return a name for a note: the same in each figure of a movement, whatever its numbers.

        Notes of another panel, which has another axis, are others.
        """
        words = " ".join([self.chart.y.name, *numberless(text).split()])
        digest = f"{zlib.crc32(words.encode()):x}"
        self._named_so[digest] += 1
        return f"{digest}-{self._named_so[digest]}"

    def _best(self, one: _Wanted) -> tuple[int, int | None]:
        """Return in which place the fewest curves and words are in the way of words and their line.

        And in which they stood in the figure before, None if they were not there: that is the best,
        unless much is in the way.
        """
        shifts, known = one.shifts, self._pixels(one.anchors)
        across, up = half = one.words.width / 2, one.words.height / 2
        x, y = known[:, :, None] + shifts[:, None, :]
        over = np.maximum(across - np.minimum(x, self.width - x), 0.0)
        over += np.maximum(up - np.minimum(y, self.height - y), 0.0)
        costs = 100 * over + _FAR * np.hypot(*shifts) + (shifts[1] == 0)
        turned = (one.side * shifts[1] < 0) & (abs(shifts[1]) > one.free)
        costs = (costs + _TURNED * turned).ravel()
        points = np.repeat(known, shifts.shape[1], axis=1)
        sizes = (np.full(x.size, size) for size in half)
        boxes = Boxes(points[0], x.ravel() - points[0], y.ravel(), *sizes)
        stood = self.theme.places.get(one.name)
        if stood is not None:  # the anchors may be others by now
            share, shifted = divmod(stood, shifts.shape[1])
            index = int(np.argmin(abs(known[0] - self.width * share / _PARTS)))
            stood = index * shifts.shape[1] + shifted
        return self._least(points, boxes, costs, stood), stood

    def _least(
        self, points: FloatArray, boxes: Boxes, costs: FloatArray, before: int | None
    ) -> int:
        """Return which of the boxes costs least, with what stands in the way of it and its line.

        before: which of them it was in the figure before, if it was one.
        """
        written, best = Boxes.of(self._written), (math.inf, 0)
        across = boxes.across[0]
        stays = _STAYS * (np.arange(costs.size) == before)
        costs = costs + _COVERED * boxes.covered(written, self._stretched) - stays
        wider = [(wide, wide * boxes.at + boxes.beside) for wide in self._stretched]
        drawn = [self._drawn(wide, middles, across) for wide, middles in wider]
        cheapest = np.argsort(costs, kind="stable")
        for some in np.split(cheapest, range(_FIRST, cheapest.size, _FIRST)):
            if costs[some[0]] > best[0]:  # what else is in the way can only add to it
                break
            few = Boxes(*(getattr(boxes, part.name)[some] for part in fields(boxes)))
            struck = few.struck(written, points[:, some], self._stretched)
            for place, cost in zip(some.tolist(), costs[some] + _STRUCK * struck, strict=True):
                if cost > best[0]:
                    continue
                middle, up = boxes.down[place], boxes.up[place]
                crossed = max(
                    float(weight[part][abs(down[part] - middle) < up + 1].sum())
                    for down, weight, starts, stops in drawn
                    if (part := slice(starts[place], stops[place]))
                )
                best = min(best, (crossed + float(cost), place))
        self._cost += best[0]
        return best[1]

    def _drawn(
        self, wide: float, x: FloatArray, across: float
    ) -> tuple[FloatArray, FloatArray, list[int], list[int]]:
        """Return how far down all marks are, from left to right, in a plot so many times as wide.

        And how much each counts, and from which to which of them words reach, whose middle is at x.
        """
        at, beside, down, weight = np.concatenate([np.empty((4, 0)), *self._crowd], axis=1)
        right = wide * at + beside
        order = np.argsort(right, kind="stable")
        starts = np.searchsorted(right[order], x - across - 3, side="right")
        stops = np.searchsorted(right[order], x + across + 3)
        return down[order], weight[order], starts.tolist(), stops.tolist()

    def _pixels(self, points: FloatArray) -> FloatArray:
        right = self.width * (points[0] - self.x.low) / (self.x.high - self.x.low)
        down = self.height * (self.y.high - points[1]) / (self.y.high - self.y.low)
        return np.stack([right, down])

    def _right(self, x: float) -> float:
        return self.width * (self.x.position(x) - self.x.low) / (self.x.high - self.x.low)

    def _note(self, at: FloatArray, words: Words, color: str) -> dict[str, object]:
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
