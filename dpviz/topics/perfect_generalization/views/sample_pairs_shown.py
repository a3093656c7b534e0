"""Two fresh data sets: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import dots as people
from dpviz.plot.axes import even_ticks
from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Span, Text, tinted
from dpviz.plot.panels import Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.named_mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.times_shown import (
    allowed,
    at_most,
    heaped,
    kept,
    share,
    thinned,
    ticks,
    times,
)
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_ROOM = 1.5  # times the highest heap, where words begin, from above
_PLACES, _ROWS, _DOT = 26, 4.0, 20.0  # of dots: along their axis, above each other, pixels
_FAR = 1.25  # times as far as all pairs, where the axis ends
_BESIDE = 0.2  # of the width at its ends, where a name stands inwards
_LINE, _CROWDED = 0.62, 0.66  # of the height, a line down; of the axis, from where on it is narrow
_CLOSE, _THIS, _WORST = Subject.USER_LEVEL, "text", Subject.EARLIER
_SEEN = 0.05  # of the highest density, from which outputs are drawn
_NAMED, _ABOVE = 1.1, 1.22  # of the highest density: where names stand, the end of the axis
_INKS = (7, 8)  # colours of the first and of the second data set


def takeaway(result: SamplePairs) -> str:
    """State how alike outputs on two data sets nearly always are, beside group privacy."""
    return kept(
        f"Take two fresh data sets: in {share(result.failure_probability)} of cases",
        "is",
        (" on one as on the other", " on either"),
        needed=result.needed,
        surely=result.surely,
        worst=result.unlike,
        delta=result.closeness_delta,
    )


def detail(result: SamplePairs) -> str:
    """State that distance, how many of the pairs drawn keep it, and the farthest of them."""
    sure = readable(1 - result.failure_probability, 13)
    return (
        f"ε′ = {readable(result.needed)} suffices for a share {sure} of all pairs, exactly, with "
        f"δ′ = {readable(result.closeness_delta)}; {result.close.sum()} of the {len(result.draws)} "
        f"drawn keep it. The farthest drawn needs ε′ = {readable(float(result.losses.max()))}. "
        "For any two data sets, group privacy must allow "
        f"{allowed(result.unlike, result.closeness_delta)}."
    )


def figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw the outputs on the two samples of one pair, and below it a dot for each pair.

    A button plays the pairs one by one.
    """
    stops = range(1, len(result.draws) + 1)
    return played(theme, lambda stop: _pair(result, stop), stops, each=_FRAME, tall=1.1)


def _pair(result: SamplePairs, stop: int) -> list[Row | None]:
    """Return the panels when so many pairs are drawn."""
    return [_outputs(result, result.draws[stop - 1]), _every_pair(result, stop)]


def _outputs(result: SamplePairs, drawn: Draw) -> Panel:
    """Return the two output laws of a pair, and where they differ most."""
    law, far = drawn.outputs, drawn.epsilon > 0
    shape = "linear" if law.continuous else "hvh"
    x, laws = law.x.astype(np.float32), (law.first, law.second)
    outputs, high = _scales(result)
    seen = slice(*_within(law.x, outputs))
    curves = [
        Line(x[seen], y[seen].astype(np.float32), about=ink, fill=0.15, shape=shape)
        for y, ink in zip(laws, _INKS, strict=True)
    ]
    at, peaks = drawn.farthest, [float(law.x[y.argmax()]) for y in laws]
    heights = [float(np.interp(at, law.x, y)) if far else math.nan for y in laws]
    here = _here(drawn)
    marks: list[Mark | None] = [
        *curves,
        Rule(x=(at, at), y=(0.0, max(heights)), wide=1.5, about=_THIS) if far else None,
        Dots([at, at], heights, about=_INKS, symbol=("circle", "diamond"), size=11, said=here),
        _beside(drawn, max(heights), sum(peaks) / 2, outputs) if far else None,
        *_data_sets(result, drawn, peaks, outputs, high),
    ]
    label = f"{law.label[0].lower()}{law.label[1:]}"
    return Panel(
        outputs,
        replace(Side(0.0, _ABOVE * high), numbers=False, grid=False),
        marks,
        above=(
            f"How likely each output ({label}) is on two fresh data sets{_size(result)}",
            "How likely each output, on two data sets",
        ),
        share=1.5,
    )


def _here(drawn: Draw) -> str:
    """Say how far apart outputs are at the marked place, and whether they are so at most."""
    said = times(drawn.epsilon)
    return f"{'most here' if times(drawn.most) == said else 'here'}: <b>{said}</b>"


def _beside(drawn: Draw, height: float, middle: float, outputs: Side) -> Text:
    """Return the words of the marked place, on the side to which the curves fall.

    Near an end of the axis they have no room there, and stand above it.
    """
    words, at = (_here(drawn), f"<b>{times(drawn.epsilon)}</b>"), drawn.farthest
    to, by = ("NE", 8) if at >= middle else ("NW", -8)
    if not _BESIDE < _part(at, outputs) < 1 - _BESIDE:
        to, by = "N", 0
    return Text(words, at, height, to=to, shift=(by, 4 if by else 8))


def _size(result: SamplePairs) -> str:
    """Say how large a data set is, after "data sets"."""
    return f" of {counted(result.samples, 'coin', digits=7)}" if result.coins else ""


def _within(x: FloatArray, side: Side) -> tuple[int, int]:
    """Return from where to where sorted places are on an axis, with one more on either side."""
    first, last = np.searchsorted(x, [side.low, side.high]).tolist()
    return max(first - 1, 0), min(last + 1, x.size)


def _part(at: float, side: Side) -> float:
    """Return at which part of an axis a place is."""
    return (at - side.low) / (side.high - side.low)


def _data_sets(
    result: SamplePairs, drawn: Draw, peaks: list[float], outputs: Side, high: float
) -> list[Mark]:
    """Return the name of each data set beside the top of its curve, on its free side."""
    marks: list[Mark] = []
    sums = drawn.pair.first, drawn.pair.second
    for place, (total, peak, ink) in enumerate(zip(sums, peaks, _INKS, strict=True)):
        name, other = f"data set {place + 1}", peaks[1 - place]
        heads = counted(total, "head", digits=7)
        full, short = (f"{name}: {heads}", heads) if result.coins else (name, name)
        left = peak < other or (peak == other and place == 0)
        if not _BESIDE < _part(peak, outputs) < 1 - _BESIDE:
            left = not _part(peak, outputs) < 0.5
        looks: dict[str, Any] = {"to": "W" if left else "E", "shift": (-6 if left else 6, 0)}
        words = f"<b>{full}</b>", f"<b>{short}</b>"
        marks.append(Text(words, peak, _NAMED * high, about=ink, backed=True, **looks))
    return marks


def _every_pair(result: SamplePairs, stop: int) -> Panel:
    """Return a dot for each pair so far, the last one a square, and how far apart nearly all are.

    Filled are those no farther apart than that.
    """
    losses, close, line = result.losses, result.close, result.needed
    most = max(float(losses.max()), line) or 1.0
    heaps = heaped(losses, line, most=most, places=_PLACES)
    known, this = (np.arange(losses.size) < stop - part for part in (1, 0))
    this &= ~known
    said = [f"at most {times(loss)}" for loss in losses]
    places, end = ticks(most), float(heaps.edges[-1])
    top = max(float(heaps.tops.max()), _ROWS)
    dot: dict[str, Any] = {"said": said, "biggest": _DOT}
    low = 0.0 if line else float(heaps.edges[0])
    sure = share(result.failure_probability)
    within = at_most(line, result.closeness_delta)
    within = "equal" if within == times(0.0) else within
    full = f"{'' if within == 'equal' else 'at most '}<b>{within}</b>"
    left = line > end / 2
    marks: list[Mark | None] = [
        people.Heaps(heaps, known & close, about=_CLOSE, **dot),
        people.Heaps(heaps, known & ~close, about="muted", symbol="circle-open", **dot),
        people.Heaps(heaps, this, about=_THIS, symbol="square", **dot),
        Span(x=(low, line), about=_CLOSE, seen=0.12),
        Rule(x=line, wide=3, about=_CLOSE),
        Text(
            (f"<b>{sure} of cases</b>: {full}", f"<b>{sure}: {within}</b>"),
            line,
            Part(1),
            to="SW" if left else "SE",
            shift=(-6 if left else 6, 0),
            large=True,
        ),
    ]
    axis = ("ε′ at which the outputs on two data sets are close", "ε′ at which outputs are close")
    if places is None:
        values, names = even_ticks(0.0, end)
        places = [one for one in zip(values, names, strict=True) if one[0] <= end]
    else:
        axis = (
            "Times as likely on one data set as on the other, at most",
            "Times as likely, at most",
        )
    this_one = tinted("■", _THIS)
    return Panel(
        Side(low, _FAR * end, axis, ticks=thinned(places, _FAR * end)),
        Side.bare(0, _ROOM * top),
        [*marks, *_worst(result, end)],
        above=(
            f"{losses.size} such pairs, a dot each; {this_one} the pair above",
            f"{losses.size} pairs, a dot each; {this_one} above",
        ),
        share=1.2,
    )


def _worst(result: SamplePairs, end: float) -> list[Mark]:
    """Return where the worst two data sets are, or that they are farther off than the axis goes."""
    said, near = allowed(result.unlike, result.closeness_delta), result.unlike <= end
    if result.unlike <= result.needed:
        return []  # all pairs are as close
    if not near:
        looks: dict[str, Any] = {"to": "SW", "about": _WORST, "large": True}
        number, line = f"<b>{said} →</b>", result.needed
        if line <= end / 2:  # below the words of nearly all
            words = f"group privacy allows {number}", number
            return [Text(words, Part(1), Part(_LINE), backed=True, **looks)]
        if line < _CROWDED * _FAR * end:
            words = f"group privacy<br>allows {number}", number
            return [Text(words, Part(1), Part(1), **looks)]
        full = f"group privacy<br>allows<br>{number}"
        return [
            Text((full, ""), Part(1), Part(1), **looks),
            Text(("", number), Part(1), Part(_LINE), backed=True, **looks),
        ]
    words = (
        f"group privacy<br>allows<br><b>{said}</b>",
        f"group<br>privacy:<br><b>{said}</b>",
    )
    place: dict[str, Any] = {"to": "E", "shift": (8, 0), "about": _WORST}
    return [
        Rule(x=result.unlike, dash="dot", about=_WORST),
        Text(words, result.unlike, Part(0.4), **place),
    ]


def _scales(result: SamplePairs) -> tuple[Side, float]:
    """Return the axis of all likely outputs and marked places, and the highest density."""
    laws = [drawn.outputs for drawn in result.draws]
    high = max(float(max(law.first.max(), law.second.max())) for law in laws)
    seen = [law.x[np.maximum(law.first, law.second) >= _SEEN * high] for law in laws]
    places = np.concatenate([*seen, [drawn.farthest for drawn in result.draws]])
    return Side.around(places), high


VIEW = View(
    key="pairs",
    title="Two samples",
    compute=sample_pairs,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("mechanism", "samples", *ITEM, *CLOSE, "seed"),
    in_sight=("samples", "epsilon", "sigma", "seed"),
    why="Two fresh data sets differ in many of their entries, but most of the differences cancel, "
    "so the two curves of possible outputs nearly cover each other. Each pair is a dot, as far to "
    "the right as its two curves are apart. Group privacy must allow for the two most unlike data "
    "sets, which chance hardly ever draws.",
    idle=idle_controls,
)
