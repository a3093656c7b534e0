"""Axes that stay still while a control is moved.

A figure that fits its axes to every single state shows curves that hardly move beside numbers
that jump: nobody sees what the parameter does. So during a movement an axis keeps its range as
long as the curves stay inside it and fill half of it. A figure that shows only part of its curves
says nothing about how much they will fill.
"""

from dataclasses import replace

from dpviz.plot.axes import Scale
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Range

_ROOM = 0.2
# How many times as wide as the curves an axis may be, if they are whole, and in part.
_WHOLE, _PART = 2, 5
# What a figure may leave free below zero although nothing can be there.
_PADDING = 0.1


def ranges(figure: Figure) -> tuple[Range, Range] | None:
    """Return the ranges of both axes, for the figure of the next state to hold on to."""
    x, y = (figure.layout.get(axis, {}).get("range") for axis in ("xaxis", "yaxis"))
    return None if x is None or y is None else ((x[0], x[1]), (y[0], y[1]))


def steady_x(scale: Scale, before: Range, partial: bool = False) -> Scale:
    """Return the range `before` if the curves fit into it and fill a fifth of it, else their own.

    No room is added: in most figures this is the range of a parameter, and does not move anyway.
    `partial`: the curves have few points yet, on one side or in the middle.
    """
    fits = before[0] <= scale.low and scale.high <= before[1]
    wide = not partial and before[1] - before[0] > 5 * (scale.high - scale.low)
    return replace(scale, low=before[0], high=before[1]) if fits and not wide else scale


def steady_y(scale: Scale, before: Range, partial: bool = False) -> Scale:
    """Return a range that holds `scale`, and is the one `before` if that is not far too wide.

    An end that has to give way gets some room, so the next step does not move it again;
    but an axis of quantities that can't be negative gets none below zero.
    """
    span = scale.high - scale.low
    low, high = scale.low - _ROOM * span, scale.high + _ROOM * span
    if not scale.axis.log and scale.low > -_PADDING * span:
        low = max(low, min(scale.low, 0.0))
    kept = (
        before[0] if before[0] <= scale.low else low,
        before[1] if before[1] >= scale.high else high,
    )
    if kept[1] - kept[0] <= (_PART if partial else _WHOLE) * span:
        low, high = kept
    return replace(scale, low=low, high=high)
