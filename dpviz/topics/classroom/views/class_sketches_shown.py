"""Draw the curve first: every sketch of a class, what they have in common, and the curve."""

import math

import numpy as np

from dpviz.plot.marks import Band, Line, Mark, joined
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
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
    plane, marks, own = result.plane, list[Mark](), Subject.USER_LEVEL
    for vote, heights in enumerate(result.rounds):
        last = vote == len(result.rounds) - 1
        if len(heights):
            x, y = joined([(plane.places, one) for one in heights])
            thin = Line(
                x,
                y,
                wide=_THIN,
                dash="solid" if last else "dot",
                about=own if last else "muted",
                seen=max(_LEAST, _FAINT / math.sqrt(len(heights))),
                name="sketches" if len(result.rounds) == 1 else _VOTES[vote],
            )
            marks.append(thin)
    if result.count > 1 and (known := np.isfinite(result.middle[1])).any():
        low, median, high = result.middle[:, known]
        there = plane.places[known]
        marks.append(Band(there, low, high, about=own, seen=0.15))
        marks.append(Line(there, median, dash="dash", about=own, name="median"))
    if result.exact is not None:
        marks.append(Line(*result.exact, wide=3.5, name=result.label))
    across, up = (
        Side(
            side.low,
            side.high,
            side.title,
            log=side.log,
            ticks=[(10**at if side.log else at, text) for at, text in side.ticks],
        )
        for side in (plane.x, plane.y)
    )
    return stacked(theme, Panel(across, up, marks))


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
