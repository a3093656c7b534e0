"""Numbers on a grid, in a picture: as colours, cell by cell."""

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


def _edges(centres: Any) -> Array:
    """Return where the cells around some centres end."""
    at = np.asarray(centres, dtype=float)
    if at.size == 1:
        return np.array([at[0] - 0.5, at[0] + 0.5])
    between = (at[1:] + at[:-1]) / 2
    return np.concatenate([[2 * at[0] - between[0]], between, [2 * at[-1] - between[-1]]])
