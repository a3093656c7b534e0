"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import dots as people
from dpviz.plot.axes import even_ticks
from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Span, Text, joined, tinted
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
_PLACES, _ROWS, _DOT = 30, 4.0, 15.0  # of dots: along their axis, above each other, pixels
_FAR = 1.25  # times as far as all pairs, where the axis ends
_BESIDE = 0.2  # of the width at its ends, where a name stands inwards
_NEAR = 0.28  # of the axis, how far from a dot other dots may be below its words
_ROOMY = 0.4  # of the axis, from where on its words stand left of it
_FREE = 0.4  # of the height, below which there is room for them
_LINE, _CROWDED = 0.62, 0.7  # of the height, a line down; of the axis, from where on it is taken
_CLOSE, _THIS, _WORST = Subject.USER_LEVEL, "text", Subject.EARLIER
_SEEN = 0.03  # of the highest density, from which outputs are drawn
_NAMED, _ABOVE = 1.1, 1.22  # of the highest density: where names stand, the end of the axis
_ALONE = 0.15  # of the axis, by which the two most unlike samples stand apart from all others
_POINTS = 60  # of their lines, about
_WIDER = 3.0  # times the axis of the outputs on pairs, that one with the most unlike may be
_INKS = (7, 8)  # colours of the first and of the second sample


def takeaway(result: SamplePairs) -> str:
    """State how alike outputs on two samples nearly always are, beside group privacy."""
    return kept(
        f"Swap one fresh sample for another: in {share(result.failure_probability)} of cases",
        "becomes",
        "",
        whatever="for any two samples",
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
        f"Group privacy must allow {allowed(result.unlike, result.closeness_delta)}."
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
    outputs, high, apart = _scales(result)
    seen = slice(*_within(law.x, outputs))
    curves = [
        Line(x[seen], y[seen].astype(np.float32), about=ink, fill=0.15, shape=shape)
        for y, ink in zip(laws, _INKS, strict=True)
    ]
    at = drawn.farthest
    heights = [float(np.interp(at, law.x, y)) if far else math.nan for y in laws]
    here = _this_pair(drawn.epsilon)
    marks: list[Mark | None] = [
        *curves,
        Rule(x=at, wide=1.5, about=_THIS) if far else None,
        Text(here if far else "", at, Part(1), to="N", about=_THIS),
        Dots([at, at], heights, about=_INKS, symbol=("circle", "diamond"), size=11, said=here),
        *_samples(result, drawn, [float(law.x[y.argmax()]) for y in laws], outputs, high),
        *(_most_unlike(result, outputs, high) if apart else []),
    ]
    label = f"{law.label[0].lower()}{law.label[1:]}"
    dotted = f"; {tinted('dotted', _WORST)}: the"
    unlike, short = "", ", on two samples"
    if apart:
        unlike, short = f"{dotted} two most unlike", f"{dotted} most unlike samples"
    return Panel(
        outputs,
        replace(Side(0.0, _ABOVE * high), numbers=False, grid=False),
        marks,
        above=(
            f"How likely each output ({label}) is on two samples{_size(result)}{unlike}",
            f"How likely each output{short}",
        ),
        share=1.5,
    )


def _this_pair(loss: float) -> str:
    """Say how far apart the outputs on the pair shown are, the same above and below."""
    return f"this pair: <b>{times(loss)}</b>"


def _most_unlike(result: SamplePairs, outputs: Side, high: float) -> list[Mark]:
    """Return the output laws on all tails and on all heads, for which group privacy must allow."""
    if (law := result.extremes) is None:
        return []
    first, last = _within(law.x, outputs)
    few = np.arange(first, last, max((last - first) // _POINTS, 1))
    lines, names = list[tuple[FloatArray, FloatArray]](), list[Mark]()
    for heads, y in ((0, law.first), (result.samples, law.second)):
        kept = np.union1d(few, y.argmax())
        lines.append((law.x[kept], y[kept]))
        words = counted(heads, "head", digits=7), ""
        names.append(Text(words, heads, _NAMED * high, about=_WORST))
    x, y = (part.astype(np.float32) for part in joined(lines))
    return [Line(x, y, about=_WORST, wide=1.5, dash="dot"), *names]


def _size(result: SamplePairs) -> str:
    """Say how large a sample is, after "samples"."""
    return f" of {counted(result.samples, 'coin', digits=7)}" if result.coins else ""


def _within(x: FloatArray, side: Side) -> tuple[int, int]:
    """Return from where to where sorted places are on an axis, with one more on either side."""
    first, last = np.searchsorted(x, [side.low, side.high]).tolist()
    return max(first - 1, 0), min(last + 1, x.size)


def _part(at: float, side: Side) -> float:
    """Return at which part of an axis a place is."""
    return (at - side.low) / (side.high - side.low)


def _samples(
    result: SamplePairs, drawn: Draw, peaks: list[float], outputs: Side, high: float
) -> list[Mark]:
    """Return the name of each sample beside the top of its curve, on its free side."""
    names = ["one sample", "the other"]
    if result.coins:
        names = [counted(ones, "head", digits=7) for ones in (drawn.pair.first, drawn.pair.second)]
    marks: list[Mark] = []
    for place, (name, peak, ink) in enumerate(zip(names, peaks, _INKS, strict=True)):
        other = peaks[1 - place]
        left = peak < other or (peak == other and place == 0)
        if not _BESIDE < _part(peak, outputs) < 1 - _BESIDE:
            left = not _part(peak, outputs) < 0.5
        looks: dict[str, Any] = {"to": "W" if left else "E", "shift": (-6 if left else 6, 0)}
        marks.append(Text(f"<b>{name}</b>", peak, _NAMED * high, about=ink, backed=True, **looks))
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
    shown = int(np.flatnonzero(this)[0])
    places, end = ticks(most), float(heaps.edges[-1])
    top = max(float(heaps.tops.max()), _ROWS)
    dot: dict[str, Any] = {"said": said, "biggest": _DOT}
    low = 0.0 if line else float(heaps.edges[0])
    sure = share(result.failure_probability)
    within = at_most(line, result.closeness_delta)
    within = "equal" if within == times(0.0) else within
    full = f"{'' if within == 'equal' else 'at most '}<b>{within}</b>"
    left, beyond = line > end / 2, int(np.count_nonzero(~close))
    level = float(heaps.tops[heaps.group[~close]].max()) if beyond else 0.0
    marks: list[Mark | None] = [
        people.Heaps(heaps, known & close, about=_CLOSE, **dot),
        people.Heaps(heaps, known & ~close, about="muted", symbol="circle-open", **dot),
        people.Heaps(heaps, this, about=_THIS, symbol="square", **dot),
        _named(heaps, known | this, float(losses[shown]), end, _ROOM * top),
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
        Text(
            (
                f"farther apart: {beyond} of these {losses.size}",
                f"{beyond} of {losses.size} farther",
            ),
            line,
            level,
            to="NE",
            shift=(8, 0),
            about="muted",
        )
        if left and beyond
        else None,
    ]
    axis = ("ε′ at which the outputs on two samples are close", "ε′ at which outputs are close")
    if places is None:
        values, names = even_ticks(0.0, end)
        places = [one for one in zip(values, names, strict=True) if one[0] <= end]
    else:
        axis = (
            "Times as likely on one sample as on the other, at most",
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
        share=1.0,
    )


def _named(
    heaps: people.DotGroups, known: NDArray[np.bool_], loss: float, end: float, high: float
) -> Text:
    """Return the words of the pair shown, above its dot and those near it, if there is room."""
    left = loss > _ROOMY * end
    near = known & (heaps.places[0] >= loss - left * _NEAR * end)
    near &= heaps.places[0] <= loss + (not left) * _NEAR * end
    top = float(np.max(heaps.places[1], where=near, initial=0.0))
    words = _this_pair(loss) if top < _FREE * high else ""
    to, by = ("NW", 9) if left else ("NE", -9)
    return Text((words, ""), loss, top, to=to, shift=(by, 6))


def _worst(result: SamplePairs, end: float) -> list[Mark]:
    """Return where the worst two data sets are, or that they are farther off than the axis goes."""
    said, near = allowed(result.unlike, result.closeness_delta), result.unlike <= end
    if result.unlike <= result.needed:
        return []  # all pairs are as close
    if not near:
        full, up = f"group privacy:<br><b>{said} →</b>", Part(1)
        if not end / 2 < result.needed < _CROWDED * _FAR * end:  # beside the words of nearly all
            full, up = f"group privacy: <b>{said} →</b>", Part(_LINE)
        words = full, f"<b>{said} →</b>"
        return [Text(words, Part(1), up, to="SW", about=_WORST, large=True, backed=True)]
    words = (f"group privacy<br>allows<br><b>{said}</b>", f"group<br>privacy:<br><b>{said}</b>")
    place: dict[str, Any] = {"to": "E", "shift": (8, 0), "about": _WORST}
    return [
        Rule(x=result.unlike, dash="dot", about=_WORST),
        Text(words, result.unlike, Part(0.4), **place),
    ]


def _scales(result: SamplePairs) -> tuple[Side, float, bool]:
    """Return the axis of all likely outputs and marked places, and the highest density.

    And whether the two most unlike samples stand apart from all others and have room on the axis,
    which then holds them.
    """
    laws = [drawn.outputs for drawn in result.draws]
    high = max(float(max(law.first.max(), law.second.max())) for law in laws)
    seen = [law.x[np.maximum(law.first, law.second) >= _SEEN * high] for law in laws]
    places = np.concatenate([*seen, [drawn.farthest for drawn in result.draws]])
    outputs = Side.around(places)
    if result.extremes is None:
        return outputs, high, False
    least, most = 0.0, float(result.samples)
    both = Side.around(np.append(places, [least, most]))
    sums = [total for drawn in result.draws for total in (drawn.pair.first, drawn.pair.second)]
    wide = both.high - both.low
    room = wide <= _WIDER * (outputs.high - outputs.low)
    apart = min(min(sums) - least, most - max(sums)) >= _ALONE * wide
    if not (room and apart):
        return outputs, high, False
    return both, max(high, float(result.extremes.first.max())), True


VIEW = View(
    key="pairs",
    title="Two samples",
    compute=sample_pairs,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("mechanism", "samples", *ITEM, *CLOSE, "seed"),
    in_sight=("samples", "epsilon", "sigma", "seed"),
    why="Two fresh samples differ in many of their entries, but most of the differences cancel, so "
    "the two curves of possible outputs nearly cover each other. Each pair is a dot, as far to the "
    "right as its two curves are apart. Group privacy must allow for the "
    "two most unlike samples, which chance hardly ever draws.",
    idle=idle_controls,
)
