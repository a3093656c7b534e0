"""Axes that stay still while a control is moved.

A figure that fits its axes to every single state shows curves that hardly move beside numbers
that jump: nobody sees what the parameter does. So during a movement an axis keeps its range as
long as the curves stay inside it and fill half of it. In views whose figures come in parts a fifth
is enough, for the whole figure as for the parts: parts say nothing about how much the curves will
fill, and nothing is to jump when the control is let go. Words in the plot stay where they were,
too: a note that may stand in several places has a name that tells in which it does.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from dpviz.plot.axes import Scale
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Range

_ROOM = 0.2
# How many times as wide as the curves an axis may be, where they come at once, and in parts.
_AT_ONCE, _IN_PARTS = 2, 5
_GIVEN_UP = 0.045  # of a range, at each end: room around the curves that an axis need not have
# What a figure may leave free below zero although nothing can be there.
_PADDING = 0.1
_DECADES, _LARGEST, _CLOSEST = 305, 1e300, 1e-12  # of ranges in which there are ticks
_PLACED = re.compile(r"([0-9a-z-]{1,20}):([0-9]{1,6})")


def ranges(figure: Figure) -> tuple[Range, ...] | None:
    """Return the ranges of x- and y-axis, for the figure of the next state to hold on to.

    And of the y-axis of a second panel, if there is one. An axis of rows, which are named from
    above, is told from below, as addresses are read; it is not held.
    """
    names = ("xaxis", "yaxis", "yaxis2")
    found = [ends for name in names if (ends := figure.layout.get(name, {}).get("range"))]
    return tuple((min(ends), max(ends)) for ends in found) if len(found) > 1 else None


def placed_name(name: str, place: int) -> str:
    """Return what a note is called that stands in this one of its places; name: a few letters."""
    return f"{name}:{place}"


def places(figure: Figure) -> dict[str, int]:
    """Return in which of their places the notes of a figure stand, for the next state's figure."""
    names = (note.get("name", "") for note in figure.layout.get("annotations", ()))
    return places_in(names)


def places_in(names: Iterable[str]) -> dict[str, int]:
    """Return what names of notes say; others say nothing."""
    found = (_PLACED.fullmatch(name) for name in names)
    return {match[1]: int(match[2]) for match in found if match}


def can_be(before: Range, *, log: bool) -> bool:
    """Return whether numbers have room on an axis with this range, which an address may name."""
    low, high = before
    largest = max(abs(low), abs(high))
    return largest < (_DECADES if log else _LARGEST) and high - low > _CLOSEST * largest


def steady_x(scale: Scale, before: Range, in_parts: bool = False) -> Scale:
    """Return the range `before` if the curves fit into it and fill a fifth of it, else their own.

    No room is added: in most figures this is the range of a parameter, and does not move anyway.
    `in_parts`: the curves may have few points yet, on one side or in the middle.
    """
    if not can_be(before, log=scale.axis.log):
        return scale
    fits = before[0] <= scale.low and scale.high <= before[1]
    wide = not in_parts and before[1] - before[0] > 5 * (scale.high - scale.low)
    return replace(scale, low=before[0], high=before[1]) if fits and not wide else scale


def steady_y(scale: Scale, before: Range, in_parts: bool = False) -> Scale:
    """Return a range that holds `scale`, and is the one `before` if that is not far too wide.

    An end that has to give way gets some room, so the next step does not move it again;
    but an axis of quantities that can't be negative gets none below zero. The range `before` may
    leave less room around the curves than `scale` does.
    """
    if not can_be(before, log=scale.axis.log):
        return scale
    span = scale.high - scale.low
    low, high = scale.low - _ROOM * span, scale.high + _ROOM * span
    if not scale.axis.log and scale.low > -_PADDING * span:
        low = max(low, min(scale.low, 0.0))
    kept = (
        before[0] if before[0] <= scale.low + _GIVEN_UP * span else low,
        before[1] if before[1] >= scale.high - _GIVEN_UP * span else high,
    )
    if kept[1] - kept[0] <= (_IN_PARTS if in_parts else _AT_ONCE) * span:
        low, high = kept
    return replace(scale, low=low, high=high)
