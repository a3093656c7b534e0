"""Some public points help a private learner: too few leave few cuts, the noise of many hurts."""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from dpviz.plot.marks import Band, Dots, Line, Mark, Part, Rule, Span, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, known_digits, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.views.cells_of_public_points import (
    DRAWS,
    MOST_POINTS,
    REDRAWS,
    Cells,
    Cut,
    cells_of_public_points,
)

_SINGLE = 40  # public points that can be seen one by one
_CROWDED = 0.4  # opacity of those that cannot
_STRIP = 90  # pixels of the line with its cuts
_HANG = 0.9  # how far the middle of a tick is below the line, in dots
_FOOT, _TOP = -2.0, REDRAWS + 0.5  # ends of the line's panel, in dots
_LITTLE = 0.05  # what may be lost without a word on why
_ROOM = 1.3  # times the largest error, up to where the axis goes
_GRIP = 22  # pixels from the middle of a grip to words beside it
_WORDS = 0.4  # decades that words need beside a point
_LEFT = 0.05  # decades that are left of the first point
_SHADE = 0.12  # of what is too few, and of what is too many
_APART = 8  # pixels between a point and words
_CHOSEN = Subject.LAPLACE
_BEST = ("label −  ←  <b>best cut</b>  →  label +", "best cut")
_BOTH = "Public points help, but too many hurt"
_AT_ENDS = 0.9  # decades from the reader's place, where an end of the curve has its number
_FEW = ("<b>too few places to cut</b>", "<b>too few places</b>")
_MANY = ("<b>noise scatters the cuts</b>", "<b>too much noise</b>")


def takeaway(result: Cells) -> str:
    """State what the choice gets wrong, and what fewer or more points do to it."""
    own = result.own
    gets = f"with {own.points:,} this learner gets {_wrong(own)} of new examples wrong"
    claim, last = _claim(result, own), result.cuts[-1]
    more = ""
    if claim == _BOTH and _noisy(result, last) and _below(own, last):
        more = f", with far more {_wrong(last)}"
    return f"{claim}: {gets}{more}."


def _claim(result: Cells, own: Cut) -> str:
    """Return what is true of the reader's number of points among others."""
    fewer = [cut for cut in result.cuts if cut.points < own.points]
    more = [cut for cut in result.cuts if cut.points > own.points]
    if _noisy(result, own):
        if any(_below(cut, own) for cut in fewer):
            return "Too many public points scatter the cuts with noise"
        return "The noise on public points scatters the cuts"
    if _wide(result, own):
        if any(_below(cut, own) for cut in more):
            return "Too few public points leave too few places to cut"
        return "Few public points leave few places to cut, more bring more noise"
    help_it = any(_wide(result, cut) and _below(own, cut) for cut in fewer)
    hurt = any(_noisy(result, cut) and _below(own, cut) for cut in more)
    if help_it and hurt:
        return _BOTH
    if help_it:
        return "Public points help to find a good cut"
    return "Too many public points hurt" if hurt else "Neither gaps nor noise cost much"


def _below(one: Cut, other: Cut) -> bool:
    """Return whether one gets less wrong than another, beyond their intervals."""
    return one.mean + one.sure_to < other.mean - other.sure_to


def _noisy(result: Cells, cut: Cut) -> bool:
    """Return whether noise costs more than gaps, and more than a little."""
    return cut.noise > max(cut.gaps - result.best, _LITTLE)


def _wide(result: Cells, cut: Cut) -> bool:
    """Return whether gaps cost more than noise, and more than a little."""
    return cut.gaps - result.best > max(cut.noise, _LITTLE)


def _wrong(cut: Cut) -> str:
    """Write an error to the digits that its interval tells."""
    mean, off = 100 * cut.mean, 100 * cut.sure_to
    return f"{readable(mean, max(known_digits(mean, mean - off, mean + off), 2))}%"


def detail(result: Cells) -> str:
    """State what the gaps and the noise cost."""
    own = result.own
    examples = counted(result.samples, "private example")
    return (
        f"Of {examples}, each is protected with ε = {readable(result.epsilon)}. Between two public "
        "points all thresholds label the public points alike, so they count as one: a gap is "
        "judged by its best threshold, and its middle is released. On average over "
        f"{DRAWS} draws of {counted(own.points, 'public point')}, with {REDRAWS} draws of the "
        f"noise each, that gets {percent(own.mean)} wrong, ± {readable(100 * own.sure_to, 2)} "
        f"percentage points; without noise {percent(own.quiet)}. The noise at each point is as "
        f"large as {counted(own.scale, 'example')}."
    )


def notes(_: Cells) -> list[str]:
    """Say what is drawn, and what the noise is."""
    return [
        "The learner is RRSPM (Algorithm 4) with Laplace noise, which is ε-differentially private: "
        "a random weight of scale 2m/ε on each public point, one call of the optimiser, and of its "
        "answer only how it labels the public points. Among the gaps it takes the one with the "
        "fewest private examples wrong, noise included. Private learners with other noise may "
        "bear more public points.",
        f"The public points are drawn {DRAWS} times, and the noise {REDRAWS} times for each, for "
        "the same private examples; the shade is a 95% interval of the mean. Ticks are the first "
        f"draw of the public points, dots its {REDRAWS} cuts, piled up where they agree. A "
        "threshold labels − what lies left of it, and + the rest.",
        "Shaded: gaps cost more than noise, or noise more than gaps, and more than 5 percentage "
        "points. One label in ten "
        "is wrong, so the best threshold gets 10% wrong. The errors are computed under the private "
        "distribution, not estimated. Neighbouring data sets differ in one example, substituted. "
        "Only the released threshold is protected.",
    ]


def figure(result: Cells, theme: Theme) -> Figure:
    """Draw where the learner cuts, and below it what that costs with fewer and more points."""
    return stacked(theme, _line(result), _errors(result))


def _line(result: Cells) -> Panel:
    """Return the line with the reader's public points, and where the learner cuts it."""
    cuts = np.sort(result.released)
    piled = np.arange(cuts.size) - np.searchsorted(cuts, cuts)
    shown = 1.0 if result.points <= _SINGLE else _CROWDED
    ticks = np.full(result.public.shape, -_HANG)
    marks = [
        Rule(y=0.0, wide=1, about="grid", below=True),
        Rule(x=result.target, y=(0.0, _TOP), dash="dot"),
        Text(_BEST, result.target, Part(1), to="N"),
        Dots(result.public, ticks, size=12, symbol="line-ns-open", seen=shown),
        Dots(cuts, piled + 0.9, size=6, said="cut at %{x:.3g}", about=_CHOSEN),
    ]
    return Panel(
        Side(0.0, 1.0, grid=False, numbers=False),
        Side.bare(_FOOT, _TOP),
        marks,
        above=(
            "The learner cuts in the middle between two public points (ticks). "
            "<b>Dots: its cuts</b>, each with fresh noise",
            "Ticks: public points. <b>Dots: learner’s cuts</b>",
        ),
        pixels=_STRIP,
    )


def _errors(result: Cells) -> Panel:
    """Return what is got wrong along the number of public points."""
    own, most = result.own, 100 * _ROOM * max(cut.mean for cut in result.cuts)
    points, means, off = np.array(
        [(cut.points, 100 * cut.mean, 100 * cut.sure_to) for cut in result.cuts]
    ).T
    here, best = 100 * own.mean, 100 * result.best
    right = own.points > math.sqrt(MOST_POINTS)
    never = f"<b>{percent(result.best)}</b>: no cut avoids these", f"{percent(result.best)}: always"
    side: dict[str, Any] = {"to": "SE", "x": Part(0)} if right else {"to": "SW", "x": Part(1)}
    to = _free(points, means, own.points)
    marks: list[Mark | None] = [
        *_zones(result),
        Band(points, means - off, means + off, about=_CHOSEN, seen=0.2),
        Line(points, means, about=_CHOSEN, said="%{x:,} public points: %{y:.3g}% wrong"),
        Rule(y=best, dash="dot"),
        Text(never, y=best, shift=(0, -2), **side),
        Rule(x=own.points, y=(0.0, here), wide=1.5),
        Dots([own.points], [here], size=14, about=_CHOSEN),
        Text(
            (f"<b>{_wrong(own)} wrong</b>", f"<b>{_wrong(own)}</b>"),
            own.points,
            here,
            to=to,
            shift=(_APART if "E" in to else -_APART, _APART if "N" in to else -_APART),
            large=True,
        ),
        *_ends(result),
        Text(
            f"<b>{counted(own.points, 'point')}</b>",
            own.points,
            0.0,
            to="NW" if right else "NE",
            shift=(-_GRIP if right else _GRIP, 2),
        ),
    ]
    return Panel(
        Side(-_LEFT, math.log10(MOST_POINTS) + _LEFT, "Public points, m", log=True),
        Side(0.0, most, "<b>New examples wrong, %</b>, on average"),
        marks,
        handle=Handle("public_points", own.points),
    )


def _ends(result: Cells) -> Iterator[Text]:
    """Yield what is got wrong with the fewest and with the most points, off the reader's."""
    for cut, to in ((result.cuts[0], "NE"), (result.cuts[-1], "NW")):
        if abs(math.log10(cut.points / result.points)) > _AT_ENDS:
            said = f"{_wrong(cut)} with {cut.points:,}"
            yield Text(
                (f"<b>{said}</b>", _wrong(cut)), cut.points, 100 * cut.mean, to=to, shift=(0, 6)
            )


def _free(points: FloatArray, means: FloatArray, at: float) -> str:
    """Return on which side of a point the curve leaves most room for words."""
    place = math.log10(at)
    left, here, right = np.interp([place - _WORDS, place, place + _WORDS], np.log10(points), means)
    if place < _WORDS:  # no room on the left
        return "SE" if right > here else "NE"
    return "NW" if left <= right or place > math.log10(MOST_POINTS) - _WORDS else "NE"


def _zones(result: Cells) -> Iterator[Mark]:
    """Yield where gaps and where noise cost most, with their names."""
    ends = [0.0, *(math.log10(cut.points) for cut in result.cuts), math.log10(MOST_POINTS)]
    ends = [10 ** ((a + b) / 2) for a, b in pairwise(ends)]
    first, last = 10**-_LEFT, MOST_POINTS * 10**_LEFT
    few = [end for cut, end in zip(result.cuts, ends[1:], strict=True) if _wide(result, cut)]
    many = [end for cut, end in zip(result.cuts, ends[:-1], strict=True) if _noisy(result, cut)]
    if few:
        yield Span(x=(first, max(few)), about="muted", seen=_SHADE)
        yield Text(_FEW, Part(0), Part(1), to="NE")
    if many:
        yield Span(x=(min(many) if min(many) > 1 else first, last), about="muted", seen=_SHADE)
        yield Text(_MANY, Part(1), Part(1), to="NW")


VIEW = View(
    key="cells",
    title="Public points",
    compute=cells_of_public_points,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("public_points", "samples", "epsilon", "seed"),
    in_sight=("public_points", "epsilon", "samples"),
    pulled={"public_points": "with #"},
    why="Public points leave few cuts to choose from: one in each gap, as all others there label "
    "them alike. The choice is private because each public point gets noise. Too few points "
    "leave gaps too wide, and the noise of too many adds up to more than the data.",
)
