"""What words in a figure keep off: lines, the points of simulations, and their intervals."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.axes import Scale
from dpviz.plot.ink import CHARACTER, LINE, plain_lines, stepped
from dpviz.plot.marks import Ends, Part, Text, written
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Curve, Evidence, FloatArray

_LINE, _LONGEST = 300, 1500  # points along a curve as long as the plot is wide, and along any
_ACROSS = 150  # along a straight line
_LETTERS, _LINES = 25, 5  # across words, and down them
_INTERVAL = 9  # along an interval
_AROUND = 4.0 * np.array([(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)])  # a point, in pixels
_POINT, _END = 10.0, 3.0  # how much a place around a point counts, and one of an interval

Pixels = Callable[[FloatArray], FloatArray]
"""From plotly's units to pixels, both in two rows."""
Straight = tuple[Ends, Ends]
"""A line across a plot, as a `Rule` has it: x and y, each a place, or from where to where."""


def points(curve: Curve, x: Scale, y: Scale) -> FloatArray:
    """Return the points of a curve that can be drawn, in plotly's units, as two rows.

    Those of a staircase are its corners.
    """
    inside = _inside(curve, x, y)
    right, up = _drawn(curve.x, x)[inside], _drawn(curve.y, y)[inside]
    corners = curve.steps and curve.evidence is not Evidence.SIMULATED and right.size > 0
    return np.stack(stepped(right, up, "hv") if corners else (right, up))


def marks(curve: Curve, x: Scale, y: Scale, pixels: Pixels) -> FloatArray:
    """Return the line of a curve, or its points and their intervals, close enough for words.

    As four rows: how far right of the plot's edge, how far right of that in a plot of any width,
    how far down, and how much it counts where words stand on it.
    """
    finite = points(curve, x, y)
    right, down = pixels(finite)
    if curve.evidence is not Evidence.SIMULATED:
        # By length: however far apart the points of a curve are, all of it is equally in the way.
        along = np.append(0.0, np.hypot(np.diff(right), np.diff(down)).cumsum())
        width = float(np.ptp(pixels(np.array([[x.low, x.high], [y.low, y.low]]))[0]))
        many = min(math.ceil(_LINE * along[-1] / width), _LONGEST)
        finer = np.linspace(0, along[-1], max(many, 2))
        right, down = (np.interp(finer, along, row) for row in (right, down))
        return np.stack([right, np.zeros(finer.size), down, np.ones(finer.size)])
    low, high = (pixels(np.stack([finite[0], end]))[1] for end in _interval(curve, x, y))
    upright = low + np.linspace(0.0, 1.0, _INTERVAL)[:, None] * (high - low)
    aside, up = _AROUND.T[:, :, None] + np.zeros(right.size)
    shift = np.concatenate([np.zeros(upright.shape), aside])
    counts = np.concatenate([np.full(upright.shape, _END), np.full(aside.shape, _POINT)])
    rows = (right + np.zeros(shift.shape), shift, np.concatenate([upright, down + up]), counts)
    return np.stack([row.ravel() for row in rows])


def straight(line: Straight, x: Scale, y: Scale, pixels: Pixels) -> FloatArray:
    """Return a line across a plot close enough for words, as `marks` does."""
    pairs = zip(line, (x, y), strict=True)
    right, down = pixels(
        np.stack([np.linspace(*_ends(places, scale), _ACROSS) for places, scale in pairs])
    )
    return np.stack([right, 0 * right, down, 1 + 0 * right])


def words(text: Text, x: Scale, y: Scale, pixels: Pixels, theme: Theme) -> FloatArray:
    """Return words that stand at a place of a plot close enough for others, as `marks` does."""
    lines = plain_lines(written(text.words, theme))
    size = theme.font_size * text.sized - text.small
    wide, high = CHARACTER * size * max(map(len, lines)), LINE * size * len(lines)
    ends = [[_ends(place, scale)[0]] for place, scale in ((text.x, x), (text.y, y))]
    [right], [down] = pixels(np.array(ends))
    shift = wide * (("E" in text.to) - ("W" in text.to) - 1) / 2 + text.shift[0]
    below = high * (("S" in text.to) - ("N" in text.to) - 1) / 2 - text.shift[1]
    across, up = np.meshgrid(np.linspace(0, wide, _LETTERS), np.linspace(0, high, _LINES))
    rows = (right + 0 * across, shift + across, down + below + up, 1 + 0 * across)
    return np.stack([row.ravel() for row in rows])


def _ends(places: Ends, scale: Scale) -> tuple[float, float]:
    """Return both ends along an axis, in plotly's units."""
    first, last = (
        scale.low + one * (scale.high - scale.low) if isinstance(one, Part) else scale.position(one)
        for one in (places if isinstance(places, tuple) else (places, places))
    )
    return first, last


def _interval(curve: Curve, x: Scale, y: Scale) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of the points that are drawn, on the axis."""
    inside = _inside(curve, x, y)
    low, high = (curve.y if end is None else end for end in (curve.lower, curve.upper))
    ends = (np.nan_to_num(_drawn(end, y)[inside], nan=y.low) for end in (low, high))
    first, last = (np.clip(end, y.low, y.high) for end in ends)
    return first, last


def _drawn(values: FloatArray, scale: Scale) -> FloatArray:
    """Return values in plotly's units; what a logarithmic axis has no place for is not finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.log10(values) if scale.axis.log else np.asarray(values)
    return found


def _inside(curve: Curve, x: Scale, y: Scale) -> NDArray[np.bool_]:
    """Return which points of a curve lie on both axes."""
    right, up = _drawn(curve.x, x), _drawn(curve.y, y)
    return (right >= x.low) & (right <= x.high) & (up >= y.low) & (up <= y.high)
