"""Noise drawn for all answers together: two answers in the plane, and radii along k."""

import math
from collections.abc import Mapping
from typing import Any

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.text import downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.ends import rounded_down, rounded_up
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY
from dpviz.topics.bounded_noise.numbers_shown import whole_count
from dpviz.topics.bounded_noise.views.drawn_together import (
    MOST,
    DrawnTogether,
    drawn_together,
)

_SIDE = 130  # pixels of a plane on a phone, where planes are above the plot
_BELOW = 64  # pixels between them and the plot
_EDGES = 16  # pixels beside the planes
_NAME = 22  # pixels for the name of a plane
_LEFT = 0.34  # of the width, where planes are beside the plot
_EDGE = 1.06  # of the larger radius, where a plane ends
_PAIR = 2
_DIGITS = 5  # at most, of two numbers that are told apart
_SHELLS = 6  # at most, of which the innermost ones would be a smear
_PLANES = (("alone", "independently", Subject.BOUNDED), ("joint", "together", Subject.USER_LEVEL))


def takeaway(result: DrawnTogether) -> str:
    """State what no error exceeds, drawn together and independently; what numbers tell apart."""
    radii = result.radii
    together, two = radii.together.upper, radii.queries == _PAIR
    many = "both answers" if two else f"all {whole_count(radii.queries)} answers"
    if radii.queries == 1:
        return (
            "For one answer there is nothing to draw together: its noise keeps within "
            f"{upwards(together)} times what one person can change (Δ)."
        )
    first = f"Noise drawn for {many} together keeps every error within"
    if math.isnan(radii.alone):
        return f"{first} {upwards(together)} Δ."
    if said := _apart(together, radii.alone, proven=False):
        return f"{first} {said[0]} Δ; tuned or Laplace noise, drawn independently, {said[1]} Δ."
    if said := _apart(radii.alone, radii.together.lower, proven=True):
        return (
            f"Tuned or Laplace noise, drawn independently for {many}, keeps every error "
            f"within {said[0]} Δ; this noise, drawn together, needs at least {said[1]} Δ."
        )
    return f"{first} {upwards(together)} Δ, and so does tuned or Laplace noise, to three digits."


def _apart(smaller: float, larger: float, *, proven: bool) -> tuple[str, str] | None:
    """Return two numbers as they are written, up and, if the larger is a proven lower end, down.

    None where the numbers written would not tell them apart.
    """
    for digits in range(3, _DIGITS + 1):
        above = rounded_up(smaller, digits)
        other = (rounded_down if proven else rounded_up)(larger, digits)
        if above < other:
            return readable(above, digits), readable(other, digits)
    return None


def detail(result: DrawnTogether) -> str:
    """State the radii at the reader's k, and up to where drawing together pays."""
    radii = result.radii
    together = upwards(radii.together.upper, 4)
    said = f"At k = {whole_count(radii.queries)} the radius is {together} Δ drawn together"
    if not math.isnan(radii.alone):
        better = "for the better of tuned and truncated Laplace noise"
        said += f" and {upwards(radii.alone, 4)} Δ {better}"
    said += (
        "; no noise drawn independently from one law is private below "
        f"{downwards(radii.floor, 4)} Δ."
    )
    if radii.crossing:
        most = whole_count(radii.crossing)
        said += f" Drawn together it is smaller for up to {most} answers, if the curves cross once."
    if result.alone is not None:
        said += (
            f" In the squares are two answers: {upwards(result.alone[0], 4)} Δ independently, "
            f"{upwards(result.joint[0], 4)} Δ together."
        )
    return said


def notes(_: DrawnTogether) -> list[str]:
    """Say what is in the planes."""
    return [
        "The squares are about two answers, whatever k is: each dot is one draw of both errors. "
        "Drawn together, one of many squares is drawn first, Δ apart (some are shown), then both "
        "errors within it. Shaded, Δ wide, is what is possible with one person and impossible "
        "without."
    ]


def figure(result: DrawnTogether, theme: Theme) -> Figure:
    """Draw two answers in the plane, each way, beside the radii along k; on a phone above them."""
    theme = theme.crowded()
    drawn = draw(result.radii, theme)
    margin, height = drawn.layout["margin"], drawn.layout["height"]
    known: Mapping[str, tuple[float, FloatArray] | None]
    known = {"alone": result.alone, "joint": result.joint}
    end = _EDGE * max(pair[0] for pair in known.values() if pair is not None)
    plot = height - margin["t"] - margin["b"]
    more = theme.px(_SIDE + _BELOW) if _is_phone(theme) else 0
    height -= margin["t"] - theme.px(2 * _NAME) if _is_phone(theme) else 0
    shapes = [shape | {"yref": "y domain"} for shape in drawn.layout["shapes"]]
    notes = [_moved(note, theme) for note in drawn.layout["annotations"]]
    name = 0.0 if _is_phone(theme) else theme.px(2 * _NAME) / plot
    for number, (key, words, subject) in enumerate(_PLANES, 2):
        color, pair = theme.subjects[subject], known[key]
        across, up = _domains(number - 2, name, plot, more, theme)
        axis: dict[str, Any] = {
            "range": [-end, end],
            "showgrid": False,
            "showticklabels": False,
            "zeroline": False,
            "fixedrange": True,
            "constrain": "domain",
        }
        right = axis | {"domain": across, "anchor": f"y{number}", "constraintoward": "left"}
        high = axis | {"domain": up, "anchor": f"x{number}", "constraintoward": "top"}
        high |= {"scaleanchor": f"x{number}"}
        drawn.update_layout(**{f"xaxis{number}": right, f"yaxis{number}": high})
        words = f"two answers,<br>{words}"
        said = words if pair is None else f"{words}: {upwards(pair[0])} Δ"
        note: dict[str, Any] = {"text": said}
        note |= {"x": across[0], "xref": "paper", "xanchor": "left", "align": "left"}
        note |= {"y": up[1], "yref": "paper", "yanchor": "bottom", "showarrow": False}
        notes.append(note | {"font": {"color": color, "size": theme.font_size - 1}})
        if pair is not None:
            drawn.add_traces(_draws(pair[1], number, color))
            shapes += _square(pair[0], number, color, shells=key == "joint", shade=theme.text)
    share = plot / (plot + more)
    return drawn.update_layout(
        height=height + more,
        margin={"t": theme.px(2 * _NAME)} if _is_phone(theme) else {"l": theme.px(_EDGES)},
        xaxis={"domain": [0 if _is_phone(theme) else _LEFT, 1]},
        yaxis={"domain": [0, share]},
        shapes=shapes,
        annotations=notes,
    )


def _is_phone(theme: Theme) -> bool:
    """Return whether the planes are above the plot: not on a projector, which is low and wide."""
    return theme.compact and not theme.room


def _domains(
    number: int, name: float, plot: float, more: float, theme: Theme
) -> tuple[list[float], list[float]]:
    """Return the domains of a plane: on a phone beside the other one, else above or below it.

    name: the height of the name above a plane, of that of the plot, `plot` pixels; more: pixels
    above the plot.
    """
    if _is_phone(theme):
        whole = plot + more
        return [0.53 * number, 0.47 + 0.53 * number], [(plot + theme.px(_BELOW)) / whole, 1]
    half = (1 - number) / 2
    return [0, _LEFT - 0.1], [half + 0.02, half + 0.5 - name]


def _moved(note: dict[str, Any], theme: Theme) -> dict[str, Any]:
    """Return a note of the plot where the plot is now."""
    if note.get("yref") == "paper":
        note = note | {"yref": "y domain"}
    if note.get("xref") == "paper" and not _is_phone(theme):
        note = note | {"xref": "x domain"}
    return note


def _draws(errors: FloatArray, number: int, color: str) -> list[Trace]:
    """Return the draws of two answers as dots in a plane."""
    return [
        scatter(
            x=errors[:, 0],
            y=errors[:, 1],
            xaxis=f"x{number}",
            yaxis=f"y{number}",
            mode="markers",
            marker={"color": color, "size": 3, "opacity": 0.6},
            hoverinfo="skip",
            showlegend=False,
        )
    ]


def _square(
    radius: float, number: int, color: str, *, shells: bool, shade: str
) -> list[dict[str, Any]]:
    """Return the square that no pair of errors leaves, and in it where a person is betrayed."""
    on: dict[str, Any] = {
        "xref": f"x{number}",
        "yref": f"y{number}",
        "type": "rect",
        "layer": "below",
    }
    plain = {"line": {"color": color, "width": 1.5}}
    found = [on | plain | {"x0": -radius, "x1": radius, "y0": -radius, "y1": radius}]
    steps = math.ceil(radius) - 1
    each = max(1, math.ceil(steps / _SHELLS))
    for step in range(each, steps + 1, each) if shells else ():
        r = radius - step
        inner = {"line": {"color": color, "width": 0.5}}
        found.append(on | inner | {"x0": -r, "x1": r, "y0": -r, "y1": r})
    inside = max(radius - 1, -radius)
    filled = {"fillcolor": shade, "opacity": 0.45, "line": {"width": 0}}
    found.append(on | filled | {"x0": inside, "x1": radius, "y0": -radius, "y1": radius})
    found.append(on | filled | {"x0": -radius, "x1": inside, "y0": inside, "y1": radius})
    return found


VIEW = View(
    key="together",
    title="Drawn together",
    compute=drawn_together,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*PRIVACY, "seed"),
    in_sight=("queries", "epsilon", "delta"),
    defaults={"queries": 10.0, "epsilon": 1.0, "delta": 1e-5},
    most=lambda _: {"queries": MOST},
    pulled={"queries": "all # answers"},
    why="Near the wall an answer is possible with you and impossible without: errors must hardly "
    "ever lie there. Drawn independently, each answer must avoid its wall by itself; drawn "
    "together, only the largest error must, and the others hardly count. But the largest of many "
    "errors is nearly always far out: for many answers the wall of this noise moves out in step "
    "with their number, that of independent noise like its root.",
)
