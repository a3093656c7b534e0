"""Two fresh data sets: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import dots as people
from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Span, Text, Words, tinted
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
_ROOM = 1.2, 2.0  # times the highest heap, where words begin: beside the heaps, above them
_PLACES, _DOT = 36, 12.0  # of dots: along their axis; pixels
_FAR = 1.03  # times as far as any pair, where the axis ends
_BESIDE = 0.2  # of the width at its ends, where a name stands inwards
_LONG = 6  # letters of a share, beside which a phone has no room for more
_LINE, _APART = 0.74, 8  # of the height, a line down; pixels from a line to words
_CLOSE, _THIS, _WORST = Subject.USER_LEVEL, "text", Subject.EARLIER
_SEEN = 0.05  # of the highest density, from which outputs are drawn
_NAMED, _ABOVE = 1.1, 1.22  # of the highest density: where names stand, the end of the axis
_FARTHEST = "■ here they differ most", "■ most"
_AXIS = (
    "How many times as likely an output is on one data set as on the other, at most",
    "Times as likely, at most",
)
_INKS = (7, 8)  # colours of the first and of the second data set


def takeaway(result: SamplePairs) -> str:
    """State how alike outputs on two data sets nearly always are, beside group privacy."""
    return kept(
        f"In {share(result.failure_probability)} of pairs of fresh data sets",
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
    here = f"{'most here' if _most(drawn) else 'here'}: <b>{times(drawn.epsilon)}</b>"
    marks: list[Mark | None] = [
        *curves,
        Rule(x=(at, at), y=(0.0, max(heights)), wide=1.5, about=_THIS) if far else None,
        Dots([at, at], heights, about=_INKS, symbol=("circle", "diamond"), size=11, said=here),
        _beside(drawn, max(heights), sum(peaks) / 2, outputs) if far and _most(drawn) else None,
        *_data_sets(result, drawn, peaks, outputs, high),
    ]
    label = f"{law.label[0].lower()}{law.label[1:]}"
    return Panel(
        outputs,
        replace(Side(0.0, _ABOVE * high), numbers=False, grid=False),
        marks,
        above=(
            f"One pair of data sets{_size(result)}: how likely each output ({label}) is",
            "One pair: how likely each output is",
        ),
    )


def _most(drawn: Draw) -> bool:
    """Return whether no output is farther apart than the one at the marked place."""
    return times(drawn.most) == times(drawn.epsilon)


def _beside(drawn: Draw, height: float, middle: float, outputs: Side) -> Text:
    """Return the words of the marked place, on the side to which the curves fall.

    Near an end of the axis they have no room there, and stand above it.
    """
    at = drawn.farthest
    to, by = ("NE", 8) if at >= middle else ("NW", -8)
    if not _BESIDE < _part(at, outputs) < 1 - _BESIDE:
        to, by = "N", 0
    return Text(_FARTHEST, at, height, to=to, shift=(by, 4 if by else 8))


def _size(result: SamplePairs) -> str:
    """Say how large a data set is, after "data sets"."""
    coins = " (coin tosses)" if result.coins else ""
    return f" of {counted(result.samples, 'example', digits=7)}{coins}"


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
    """Return a dot for each pair so far, how far apart nearly all are, and what is allowed.

    The last one is a square. Filled are those no farther apart than nearly all.
    """
    losses, close, line, worst = result.losses, result.close, result.needed, result.unlike
    end = max(float(losses.max()), line, worst) or 1.0
    heaps = heaped(losses, line, most=end, places=_PLACES)
    known, this = (np.arange(losses.size) < stop - part for part in (1, 0))
    this &= ~known
    dot: dict[str, Any] = {"said": [f"at most {times(loss)}" for loss in losses], "biggest": _DOT}
    low, long = min(float(heaps.edges[0]), 0.0), _FAR * end
    sure, within = share(result.failure_probability), at_most(line, result.closeness_delta)
    within = "equal" if within == times(0.0) else within
    short = f"{sure} of pairs" if len(sure) < _LONG else sure
    full = f"{'' if within == 'equal' else 'at most '}<b>{within}</b>"
    marks: list[Mark | None] = [
        *_worst(result, low),
        Span(x=(low, line), about=_CLOSE, seen=0.25),
        people.Heaps(heaps, known & close, about=_CLOSE, **dot),
        people.Heaps(heaps, known & ~close, about="muted", symbol="circle-open", **dot),
        people.Heaps(heaps, this, about=_THIS, symbol="square", **dot),
        Rule(x=line, wide=3, about=_CLOSE),
        _at((f"<b>{sure} of pairs</b>: {full}", f"<b>{short}: {within}</b>"), line, end, Part(1)),
    ]
    beyond = "" if close.all() else "; ○ beyond the mark"
    this_one = tinted("■", _THIS)
    return Panel(
        Side(low, long, _AXIS, ticks=thinned(ticks(end), long)),
        Side.bare(0, _ROOM[line > end / 2] * float(heaps.tops.max())),
        marks,
        above=(
            f"{losses.size} such pairs, a dot each; {this_one} the pair above{beyond}",
            f"{losses.size} pairs, a dot each; {this_one} above",
        ),
        share=1.7,
    )


def _worst(result: SamplePairs, low: float) -> list[Mark]:
    """Return how far apart any two data sets may be, if that is farther than nearly all are."""
    said, worst = allowed(result.unlike, result.closeness_delta), result.unlike
    if worst <= result.needed:
        return []
    words = f"group privacy allows <b>{said}</b>", f"group privacy: <b>{said}</b>"
    return [
        Span(x=(low, worst), about=_WORST, seen=0.07),
        Rule(x=worst, wide=3, about=_WORST),
        replace(
            _at(words, worst, worst, Part(_LINE)), about=_WORST, backed=result.needed > worst / 2
        ),
    ]


def _at(words: Words, x: float, end: float, y: Part) -> Text:
    """Return large words beside a line, on the side that has more room."""
    left = x > end / 2
    shift = (-_APART if left else _APART, 0)
    return Text(words, x, y, to="SW" if left else "SE", shift=shift, large=True)


def _scales(result: SamplePairs) -> tuple[Side, float]:
    """Return the axis of all likely outputs and marked places, and the highest density."""
    laws = [drawn.outputs for drawn in result.draws]
    high = max(float(max(law.first.max(), law.second.max())) for law in laws)
    seen = [law.x[np.maximum(law.first, law.second) >= _SEEN * high] for law in laws]
    places = np.concatenate([*seen, [drawn.farthest for drawn in result.draws]])
    return Side.around(places), high


VIEW = View(
    key="pairs",
    title="Two data sets",
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
