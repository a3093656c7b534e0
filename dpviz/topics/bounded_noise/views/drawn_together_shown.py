"""Noise drawn for all answers together: two answers in the plane, and radii along k."""

import math
from collections.abc import Mapping

from dpviz.plot.marks import Dots, Mark, Span, tinted
from dpviz.plot.panels import Charted, Panel, Side, stacked
from dpviz.plot.spec import Figure
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

_SIDE = 130  # pixels of a plane
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
    """Draw the radii along k, and below them two answers in the plane, each way."""
    known: Mapping[str, tuple[float, FloatArray] | None]
    known = {"alone": result.alone, "joint": result.joint}
    end = _EDGE * max(pair[0] for pair in known.values() if pair is not None)
    planes = [
        _plane(f"two answers, {words}", known[key], end, about, shells=key == "joint")
        for key, words, about in _PLANES
    ]
    return stacked(theme, Charted(result.radii, titled=True), planes, tall=0.85)


def _plane(
    words: str, draws: tuple[float, FloatArray] | None, end: float, about: Subject, *, shells: bool
) -> Panel:
    """Return draws of two answers as dots, the square that none leaves, and where it tells."""
    side, marks = Side.bare(-end, end), list[Mark]()
    if draws is not None:
        r, errors = draws
        words += f": {upwards(r)} Δ"
        steps, inside = math.ceil(r) - 1, max(r - 1, -r)
        each = max(1, math.ceil(steps / _SHELLS))
        inner = range(each, steps + 1, each) if shells else ()
        marks = [
            Span(x=(inside, r), y=(-r, r), seen=0.45),
            Span(x=(-r, inside), y=(inside, r), seen=0.45),
            *(_square(r - step, about, 0.5) for step in inner),
            _square(r, about, 1.5),
            Dots(errors[:, 0], errors[:, 1], size=3, pale=0.6, about=about),
        ]
    above = tinted(words, about), tinted(words.replace(", ", ",<br>"), about)
    return Panel(side, side, marks, above=above, square=True, pixels=_SIDE)


def _square(half: float, about: Subject, edge: float) -> Span:
    return Span(x=(-half, half), y=(-half, half), about=about, edge=edge, hollow=True)


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
