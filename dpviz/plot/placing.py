"""Where words stand in a plot, beside what they are about: one search over all their places.

What a place costs is known before the search, but for the other words: how far it is, whether it
leaves the plot, what is drawn there. Then each of the words in turn goes where it is best beside
the others, until none wants to move.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.boxes import Boxes, WordBox
from dpviz.results.evidence import FloatArray

PARTS = 500  # of the width of a plot, in which a note's name says where its anchor was
_SIDES = (
    *((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1)),
    *((0.5, -1), (-0.5, -1), (0.5, 1), (-0.5, 1)),
    *((1, -0.5), (-1, -0.5), (1, 0.5), (-1, 0.5)),
)
_DISTANCES = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])  # in least ones
PLACES = len(_SIDES) * _DISTANCES.size
"""How many places there are beside each anchor."""
_CELL = 3  # pixels, to which it is known where something is drawn
_OUT, _FAR = 100.0, 0.04  # the cost of a pixel outside the plot, and of one from the anchor
_COVERED, _STRUCK = 10.0, 100.0  # of a square pixel of other words, and of a line through words
_TURNED = 1000.0  # of the side of their anchor that others have
_STAYS = 15.0  # how much less the place costs where the words stood before
_HIDDEN = 30.0  # the cost of words that hide points
_ROUNDS, _TRIES = 4, 4


@dataclass(frozen=True, eq=False)
class Note:
    """Words that are to stand beside one of their anchors, which are in pixels, as two rows.

    near: pixels from the anchor at least. side: −1 if they do not go below it, 1 if not above it, 0
    if they go anywhere; free: so many pixels they may. stood: where they stood before, as an
    address says it.
    """

    words: WordBox
    anchors: FloatArray
    near: float
    side: int = 0
    free: float = 0.0
    stood: int | None = None

    @cached_property
    def shifts(self) -> FloatArray:
        """Where the words may go: right and down from an anchor, on all sides, nearest first."""
        sizes = np.array([[self.words.width / 2], [self.words.height / 2]])
        shifts = (sizes + self.near * _DISTANCES)[:, :, None] * np.array(_SIDES).T[:, None, :]
        return np.asarray(shifts.reshape(2, -1))

    @cached_property
    def points(self) -> FloatArray:
        """The anchor of each place."""
        return np.repeat(self.anchors, PLACES, axis=1)

    @cached_property
    def boxes(self) -> Boxes:
        """Each place."""
        right, down = np.tile(self.shifts, self.anchors.shape[1])
        sizes = (np.full(right.size, size / 2) for size in (self.words.width, self.words.height))
        return Boxes(self.points[0], right, self.points[1] + down, *sizes)

    def before(self, width: float) -> int | None:
        """Return the place nearest to where they stood, though anchors may be others by now."""
        if self.stood is None:
            return None
        share, shifted = divmod(self.stood, PLACES)
        index = int(np.argmin(abs(self.anchors[0] - width * share / PARTS)))
        return index * PLACES + shifted

    def address(self, place: int, width: float) -> int:
        """Return how an address says where a place is, in a plot so wide."""
        at = round(PARTS * float(self.points[0, place]) / width)
        return at * PLACES + place % PLACES


@dataclass(frozen=True, eq=False)
class Ground:
    """A plot of this size, and what is drawn in it, as `dpviz.plot.obstacles` has it.

    stretched: how many times as wide it may become, where words keep off each other as well.
    """

    width: float
    height: float
    drawn: FloatArray
    stretched: Sequence[float]

    @cached_property
    def tables(self) -> list[NDArray[np.int64]]:
        """How much is drawn left and above of the corner of each cell, for each width."""
        return [self._table(wide) for wide in self.stretched]

    def _table(self, wide: float) -> NDArray[np.int64]:
        at, shift, down, weight = self.drawn
        cells = int(self.width * wide / _CELL) + 1, max(int(self.height / _CELL), 0) + 1
        x, y = ((wide * at + shift) / _CELL).astype(int), (down / _CELL).astype(int)
        inside = (x >= 0) & (x < cells[0]) & (y >= 0) & (y < cells[1])
        rows, columns = cells[1] + 1, cells[0] + 1
        at = (y[inside] + 1) * columns + x[inside] + 1
        # Whole numbers, row by row: numpy adds floats up, or along columns, many times as slowly.
        counts = np.bincount(at, weight[inside], rows * columns).astype(np.int64)
        table = counts.reshape(rows, columns)
        table.cumsum(axis=1, out=table)
        for above, row in itertools.pairwise(table):
            np.add(row, above, out=row)
        return table

    def covered(self, boxes: Boxes) -> FloatArray:
        """Return how much of what is drawn is in each box, at the worst of the widths."""
        high = self.tables[0].shape[0] - 1
        top, foot = _cells(boxes.down, boxes.up + 1, high)
        counts = []
        for wide, table in zip(self.stretched, self.tables, strict=True):
            middle = wide * boxes.at + boxes.offset
            left, right = _cells(middle, boxes.across + 2, table.shape[1] - 1)
            ends = (table[foot, right], table[foot, left], table[top, right], table[top, left])
            counts.append(ends[0] - ends[1] - ends[2] + ends[3])
        return np.asarray(np.max(counts, axis=0), dtype=float)

    def costs(self, note: Note) -> FloatArray:
        """Return what each place of a note costs without any others."""
        boxes, (right, down) = note.boxes, np.tile(note.shifts, note.anchors.shape[1])
        x = boxes.at + boxes.offset
        out = np.maximum(boxes.across - np.minimum(x, self.width - x), 0.0)
        out += np.maximum(boxes.up - np.minimum(boxes.down, self.height - boxes.down), 0.0)
        turned = (note.side * down < 0) & (abs(down) > note.free)
        costs = _OUT * out + _FAR * np.hypot(right, down) + (down == 0) + _TURNED * turned
        if (stood := note.before(self.width)) is not None:
            costs[stood] -= _STAYS
        costs += self.covered(boxes)
        return np.asarray(costs)

    def places(self, notes: Mapping[str, Note]) -> dict[str, int]:
        """Return the place of each note; the first ones choose first, but for those that stood."""
        own = {name: self.costs(note) for name, note in notes.items()}
        order = sorted(notes, key=lambda name: notes[name].stood is None)
        tries = []
        for _ in range(_TRIES):
            stand, costs = self._settled(notes, own, order)
            tries.append((max(costs.values(), default=0.0), stand))
            if tries[-1][0] < _HIDDEN:
                break
            worst = max(costs, key=costs.__getitem__)  # what found no place chooses first
            order = [worst, *(name for name in order if name != worst)]
        return min(tries, key=lambda one: one[0])[1]

    def _settled(
        self, notes: Mapping[str, Note], own: Mapping[str, FloatArray], order: Sequence[str]
    ) -> tuple[dict[str, int], dict[str, float]]:
        """Return where notes stand once none wants to move, and what that costs each."""
        stand, costs = dict[str, int](), dict[str, float]()
        for _ in range(_ROUNDS):
            before = dict(stand)
            for name in order:
                others = [(notes[one], at) for one, at in stand.items() if one != name]
                every = own[name] + self._beside(notes[name], others)
                stand[name] = int(np.argmin(every))
                costs[name] = float(every[stand[name]])
            if stand == before:
                break
        return stand, costs

    def _beside(self, note: Note, others: Sequence[tuple[Note, int]]) -> FloatArray:
        """Return what each place of a note costs where other words stand, each with a line."""
        if not others:
            return np.zeros(note.points.shape[1])
        written = Boxes.of([one.boxes.at_place(at) for one, at in others])
        points = np.stack([one.points[:, at] for one, at in others], axis=1)
        struck = note.boxes.struck(written, note.points, self.stretched).sum(axis=1)
        struck += written.struck(note.boxes, points, self.stretched).sum(axis=0)
        covered = note.boxes.covered(written, self.stretched)
        return np.asarray(_COVERED * covered + _STRUCK * struck)


def _cells(middle: FloatArray, half: FloatArray, most: int) -> tuple[NDArray[np.intp], ...]:
    """Return the first and the last of so many cells that strips reach into."""
    ends = np.floor((middle - half) / _CELL), np.ceil((middle + half) / _CELL)
    return tuple(np.minimum(np.maximum(end, 0), most).astype(np.intp) for end in ends)
