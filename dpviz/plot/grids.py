"""Numbers on a grid, in a picture: as colours, and as lines of equal height, cell by cell."""

from typing import Any

import numpy as np

from dpviz.plot.coordinates import PixelAxis
from dpviz.plot.ink import Array, Svg
from dpviz.plot.spec import Trace


def heatmap(place: Svg, trace: Trace, axes: tuple[PixelAxis, PixelAxis]) -> Array:
    """Fill the cells of a grid, each with so much of a colour over the paper's.

    plotly names both, the paper's first. Return the corners of all cells, row by row.
    """
    heights = np.asarray(trace["z"], dtype=float)
    span = (trace["zmax"] - trace["zmin"]) or 1.0
    share = np.clip((heights - trace["zmin"]) / span, 0.0, 1.0)
    (_, color) = trace["colorscale"][1]
    x, y = (axis.pixels(_edges(trace[k])).tolist() for axis, k in zip(axes, "xy", strict=True))
    corners = np.array(
        [(x[i], y[j], x[i + 1], y[j + 1]) for j in range(len(y) - 1) for i in range(len(x) - 1)]
    )
    for ends, part in zip(corners.tolist(), share.ravel().tolist(), strict=True):
        if part > 0:
            place.box(*ends, fill=color, fill_opacity=f"{part:.3g}")
    return corners


def contour(place: Svg, trace: Trace, axes: tuple[PixelAxis, PixelAxis], color: str) -> None:
    """Draw the lines at the levels of a contour trace."""
    x, y = (axis.pixels(trace[k]) for axis, k in zip(axes, "xy", strict=True))
    contours, line = trace["contours"], trace.get("line", {})
    start, step = contours["start"], contours["size"]
    heights = np.asarray(trace["z"], dtype=float)
    for level in np.arange(start, contours["end"] + step / 2, step).tolist():
        pieces = level_lines(x, y, heights, level)
        gaps = np.full((len(pieces), 1), np.nan)
        right, down = (np.hstack([pieces[:, [k, k + 2]], gaps]).ravel() for k in (0, 1))
        place.line(right, down, color, line.get("width", 0.5), line.get("dash"))


def level_lines(x: Array, y: Array, heights: Array, level: float) -> Array:
    """Return the pieces of the line at one level, a row of x, y, x, y each.

    x, y: where the columns and the rows of `heights` are. Between two neighbours the height grows
    evenly; a cell that the line crosses twice is cut as its mean height says, as plotly.js does.
    """
    above = heights > level
    corners = above[:-1, :-1], above[:-1, 1:], above[1:, 1:], above[1:, :-1]
    count = np.sum(corners, axis=0)
    finite = np.isfinite(heights[:-1, :-1] + heights[:-1, 1:] + heights[1:, 1:] + heights[1:, :-1])
    pieces: list[tuple[float, ...]] = []
    for row, column in np.argwhere((count > 0) & (count < 4) & finite).tolist():
        places = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
        high = [bool(above[place]) for place in places]
        crossed = {
            side: _crossing(x, y, heights, level, places[side], places[side - 3])
            for side in range(4)
            if high[side] != high[side - 3]
        }
        if len(crossed) == 2:
            pairs = [tuple(crossed)]
        else:
            middle = float(np.mean([heights[place] for place in places])) > level
            # Around which corners: those that differ from the middle of the cell.
            pairs = [(0, 1), (2, 3)] if high[0] == middle else [(3, 0), (1, 2)]
        pieces += [(*crossed[one], *crossed[other]) for one, other in pairs]
    return np.array(pieces, dtype=float).reshape(-1, 4)


def _crossing(
    x: Array, y: Array, heights: Array, level: float, one: tuple[int, int], other: tuple[int, int]
) -> tuple[float, float]:
    share = (level - heights[one]) / (heights[other] - heights[one])
    ends = ((x[one[1]], y[one[0]]), (x[other[1]], y[other[0]]))
    right, down = (float(a + share * (b - a)) for a, b in zip(*ends, strict=True))
    return right, down


def _edges(centres: Any) -> Array:
    """Return where the cells around some centres end."""
    at = np.asarray(centres, dtype=float)
    if at.size == 1:
        return np.array([at[0] - 0.5, at[0] + 0.5])
    between = (at[1:] + at[:-1]) / 2
    return np.concatenate([[2 * at[0] - between[0]], between, [2 * at[-1] - between[-1]]])
