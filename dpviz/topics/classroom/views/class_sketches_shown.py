"""Draw the curve first: every sketch of a class, what they have in common, and the curve."""

from typing import Any

import numpy as np

from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.classroom.sketches import Side
from dpviz.topics.classroom.views.class_sketches import ClassSketches, class_sketches

_FAINT, _LEAST = 1.0, 0.3  # of opacity: of one sketch alone, and of one among hundreds
_THIN = 1.2
_VOTES = ("first vote", "second vote")


def takeaway(result: ClassSketches) -> str:
    """State for which parameters the class draws, or once it is revealed what the curve says."""
    return result.sentence or result.state


def notes(result: ClassSketches) -> tuple[str, ...]:
    """Say what the middle line and the band are."""
    if result.count < 2:
        return ()
    return (
        "The dashed line is the median of the sketches at each place, and half of them lie in "
        "the band. Both are drawn where at least half of the class drew something.",
    )


def figure(result: ClassSketches, theme: Theme) -> Figure:
    """Return the axes, each sketch as a thin line, quartiles of all, and the curve if revealed."""
    drawn, plane = Figure(), result.plane
    own = theme.subjects[Subject.USER_LEVEL]
    for vote, heights in enumerate(result.rounds):
        last = vote == len(result.rounds) - 1
        name = "sketches" if len(result.rounds) == 1 else _VOTES[vote]
        if len(heights):
            look = (own, "solid") if last else (theme.muted, "dot")
            drawn.add_traces([_thin(plane.places, heights, look, theme, name)])
    if result.count > 1 and np.isfinite(result.middle).any():
        drawn.add_traces(_middle(plane.places, result.middle, own, theme))
    if result.exact is not None:
        x, y = result.exact
        line = {"color": theme.text, "width": 3.5 * theme.scale, "dash": "solid"}
        drawn.add_scatter(x=x, y=y, mode="lines", name=result.label, line=line, hoverinfo="skip")
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height,
        margin={"l": 90, "r": 20, "t": 3 * theme.font_size, "b": 110},
        showlegend=not theme.compact and bool(drawn.data),
        hovermode=False,
        xaxis=_axis(plane.x),
        yaxis=_axis(plane.y) | {"title": {"text": ""}},
        annotations=[_above(plane.y.title)],
    )


def _thin(
    x: FloatArray, heights: FloatArray, look: tuple[str, str], theme: Theme, name: str
) -> Trace:
    """Return all sketches as one line with gaps between them."""
    color, dash = look
    gapped = np.column_stack([heights, np.full(len(heights), np.nan)]).ravel()
    return scatter(
        x=np.tile(np.append(x, np.nan), len(heights)),
        y=gapped,
        mode="lines",
        name=name,
        opacity=max(_LEAST, _FAINT / np.sqrt(len(heights))),
        line={"color": color, "width": _THIN * theme.scale, "dash": dash},
        hoverinfo="skip",
    )


def _middle(x: FloatArray, rows: FloatArray, color: str, theme: Theme) -> list[Trace]:
    """Return the median, and the band between the quartiles."""
    low, median, high = (row[np.isfinite(rows[1])] for row in rows)
    there = x[np.isfinite(rows[1])]
    line = {"color": color, "width": 2.5 * theme.scale, "dash": "dash"}
    band: dict[str, Any] = {"fill": "toself", "fillcolor": color, "opacity": 0.15}
    return [
        scatter(
            x=np.concatenate([there, there[::-1]]),
            y=np.concatenate([high, low[::-1]]),
            mode="lines",
            line={"width": 0, "color": color, "dash": "solid"},
            hoverinfo="skip",
            showlegend=False,
            **band,
        ),
        scatter(x=there, y=median, mode="lines", name="median", line=line, hoverinfo="skip"),
    ]


def _above(text: str) -> dict[str, Any]:
    """Return words above the plot, where every figure says what its y-axis measures."""
    place = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper"}
    return place | {"text": text, "yanchor": "bottom", "yshift": 8, "showarrow": False}


def _axis(side: Side) -> dict[str, Any]:
    values = [10**at if side.log else at for at, _ in side.ticks]
    settings: dict[str, Any] = {
        "title": {"text": side.title},
        "range": [side.low, side.high],
        "tickvals": values,
        "ticktext": [text for _, text in side.ticks],
    }
    return settings | ({"type": "log"} if side.log else {})


# No address asks for it, as it belongs to one room.
VIEW = View(
    key="sketch",
    title="Draw the curve first",
    compute=class_sketches,
    figure=figure,
    takeaway=takeaway,
    notes=notes,
    parameters=(),
)
