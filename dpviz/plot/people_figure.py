"""Figures of people, of whom a hand chooses some: four panels that answer to it.

Dots to choose from, and beside them what kind of people they are; below, what a control does, and
what comes out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpviz.plot.dots import Dots, Heaps
from dpviz.plot.hand import Hand
from dpviz.plot.marks import Bars, Ink, Line, Mark, Rule, Text, Words
from dpviz.plot.marks import Dots as Points
from dpviz.plot.panels import Groups, Handle, Panel, Side, Stops, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray

_FADED = 0.25
_ROOM = 1.35  # times the highest dots, for how many people they are
_UPPER = 1.2  # times the height of the lower panels
_LEFT = 1.8  # times the width of the right panels, without what stands beside them
_NAME = 20  # characters beside a bar, at most

Rows = Sequence[Sequence[Panel]]
"""The dots and the kinds of people; below them what a control does, and what comes out."""


def drawn(theme: Theme, rows: Rows) -> Figure:
    """Return the four panels as one figure; on a phone one below the other, column by column."""
    (dots, kinds), (control, outcome) = rows
    upper = (replace(dots, wide=_LEFT, share=_UPPER), replace(kinds, share=_UPPER))
    return stacked(theme, upper, (replace(control, wide=_LEFT), outcome), beside=1)


def dots_panel(
    dots: Dots,
    hand: Hand,
    x: Side,
    above: Words,
    *,
    abouts: Sequence[Ink],
    said: Sequence[str],
    rules: Sequence[Rule] = (),
) -> Panel:
    """Return the dots, faint those that are not chosen, and the groups' numbers.

    abouts, said: of each dot, in the order of `Dots.seen`.
    """
    group = np.array([row["group"] for row in dots.rows()])
    first, last = hand.groups or (0, dots.groups - 1)
    chosen = (group >= first) & (group <= last)
    marks: list[Mark] = []
    for about in dict.fromkeys(abouts):
        mine = np.array([one == about for one in abouts])
        for faint in (True, False):
            if (here := mine & (chosen != faint)).any():
                seen = _FADED if faint else 1.0
                marks.append(Heaps(dots, here, about=about, said=said, seen=seen))
    marks += [
        Text(f"{c['people']:,}", c["x"], c["y"], to="N", small=True, backed=True, about="muted")
        for c in dots.columns()
    ]
    up = Side.bare(0, _ROOM * float(dots.tops.max()))
    return Panel(x, up, [*marks, *rules], above=above, handle=Groups(dots.edges))


def shares(
    names: Sequence[str],
    abouts: Sequence[Ink],
    now: FloatArray,
    whole: FloatArray | None,
    said: Sequence[str],
    above: Words,
) -> Panel:
    """Return a bar of each kind, and where it differs a line where everybody is.

    said: of each when pointed at. whole: None without a choice.
    """
    rows = range(len(names))
    lines = [
        None if whole is None else Rule(x=float(whole[row]), y=(row - 0.3, row + 0.3), wide=3)
        for row in rows
    ]
    bars = Bars(list(rows), now, lying=True, wide=0.72, about=abouts, said=said)
    short = [name if len(name) <= _NAME else f"{name[: _NAME - 1]}…" for name in names]
    parts = Side(0, 1.05, ticks=[(0, "0%"), (0.5, "50%"), (1, "100%")])
    return Panel(
        parts, Side.rows(short, now if whole is None else whole), [bars, *lines], above=above
    )


def curves(
    lines: Sequence[Line],
    here: int,
    sides: tuple[Side, Side],
    above: Words,
    *,
    whole: Line | None = None,
    handle: Handle | Stops | None = None,
    more: Sequence[Mark] = (),
) -> Panel:
    """Return curves along a control, where it stands, and faint what everybody's would be.

    here: the number of the point of each curve where it stands. sides: the axes.
    """
    x = [np.asarray(line.x)[[here]] for line in lines]
    y = [np.asarray(line.y)[[here]] for line in lines]
    points = [Points(*at, about=line.about) for *at, line in zip(x, y, lines, strict=True)]
    faint = whole and Line(whole.x, whole.y, about="muted", seen=0.6)
    marks = [faint, *lines, *more, *points, Rule(x=float(x[0][0]))]
    return Panel(*sides, marks, above=above, handle=handle)


def range_of(groups: int, hand: Hand) -> int:
    """Return the number, from 1, of a range among the `intervals` of so many groups; 0: all."""
    if hand.groups is None:
        return 0
    first, last = hand.groups
    return 1 + first * groups - first * (first - 1) // 2 + last - first
