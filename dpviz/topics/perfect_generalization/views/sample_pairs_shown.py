"""Two fresh data sets, whose output laws nearly coincide, and the two that are farthest apart."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Text, Words
from dpviz.plot.panels import Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.named_mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.times_shown import allowed, at_most, kept, share, times
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_SEEN = 0.05  # of the highest density, from which outputs are drawn
_FADED = 0.003  # of it, that is no more to be seen
_NAMED, _ABOVE = 1.15, 1.3  # of the highest density: where names stand, the end of the axis
_RUG, _FOOT = (-0.09, -0.2), -0.29  # of the highest density: two rows of dots, the axis's foot
_SMALL, _LARGE = 6, 9  # pixels of a dot: of a data set, of one whose curve is drawn
_ROOM = 0.7  # of the width, up to where dots may end that have their name beside them
_BESIDE = 0.2  # of the width at its ends, where a name stands inwards
_NARROW = 0.1  # of the axis of the farthest, below which fresh data sets have an axis of their own
_TOLD = math.log(2)  # ε′ from which curves are seen to be so far apart
_EDGE = 0.12  # of the width at its ends, where there is no room beside a place
_LONG = 6  # letters of a share, beside which a phone has no room for more
_INKS = (7, 8)  # colours of the first and of the second data set
_OWN = " (axis of its own)", " (own axis)"


@dataclass(frozen=True)
class _Scales:
    """The axes of the two panels, one for both or of their own, and the highest density in each."""

    fresh: Side
    apart: Side
    highs: tuple[float, float]

    @property
    def shared(self) -> bool:
        """Whether both have one axis."""
        return (self.fresh.low, self.fresh.high) == (self.apart.low, self.apart.high)


def takeaway(result: SamplePairs) -> str:
    """State how alike outputs on two data sets nearly always are, beside group privacy."""
    pairs = f"{share(result.failure_probability)} of pairs"
    return kept(
        f"In {pairs} of fresh data sets",
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
        "For any two data sets, group privacy allows "
        f"{allowed(result.unlike, result.closeness_delta)}."
    )


def figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw the outputs on two fresh data sets, and below them those on the two farthest ones.

    A button plays the pairs one by one.
    """
    stops, scales = range(1, len(result.draws) + 1), _scales(result)
    return played(theme, lambda stop: _panels(result, scales, stop), stops, each=_FRAME, tall=1.1)


def _panels(result: SamplePairs, scales: _Scales, stop: int) -> list[Row | None]:
    """Return the panels when so many pairs are drawn."""
    return [_fresh(result, scales, stop), _apart(result, scales)]


def _fresh(result: SamplePairs, scales: _Scales, stop: int) -> Panel:
    """Return the two output laws of a pair, and a dot for each data set drawn so far."""
    drawn, high = result.draws[stop - 1], scales.highs[0]
    heads = [counted(total, "head", digits=7) for total in (drawn.pair.first, drawn.pair.second)]
    names: list[Words] = [
        (f"data set {place}: {said}", said) if result.coins else f"data set {place}"
        for place, said in enumerate(heads, start=1)
    ]
    named = _named_dots(result, scales.fresh)
    dots = _rug(result, stop, scales.fresh, high)
    others = f" (● {2 * stop} drawn)" if dots and not named else ""
    short = f"Two fresh data sets{others}"
    of = counted(result.samples, "coin" if result.coins else "example", digits=7)
    return Panel(
        scales.fresh,
        Side((_FOOT if dots else 0.0) * high, _ABOVE * high, numbers=False, grid=False),
        [
            *_laws(drawn, scales.fresh, high, names),
            *dots,
            _verdict(_how_close(result)),
        ],
        above=(f"Two fresh data sets of {of}{others}: how likely each output is", short),
    )


def _apart(result: SamplePairs, scales: _Scales) -> Panel:
    """Return the two output laws of the data sets that are farthest apart."""
    drawn, high = result.apart, scales.highs[1]
    ends = ("all tails", "all heads") if result.coins else ("all lowest", "all highest")
    within = at_most(result.needed, result.closeness_delta)
    as_much = at_most(result.unlike, result.closeness_delta) == within
    said = within if as_much else allowed(result.unlike, result.closeness_delta)
    own = ("", "") if scales.shared else _OWN
    return Panel(
        scales.apart,
        Side(0.0, _ABOVE * high, numbers=False, grid=False),
        [
            *_laws(drawn, scales.apart, high, list(ends)),
            *_here(drawn, said, scales.apart),
            _verdict((f"group privacy allows <b>{said}</b>", f"group privacy: <b>{said}</b>")),
        ],
        above=(
            f"The two farthest data sets: {ends[0]}, {ends[1]}{own[0]}",
            f"The two farthest data sets{own[1]}",
        ),
    )


def _verdict(words: Words) -> Text:
    """Return large words above the curves that they are about."""
    return Text(words, Part(0), Part(1), to="NE", large=True)


def _how_close(result: SamplePairs) -> Words:
    """Say how close nearly all pairs are, in full and for a phone."""
    sure, close = (
        share(result.failure_probability),
        at_most(result.needed, result.closeness_delta),
    )
    pairs = f"{sure} of pairs" if len(sure) < _LONG else sure
    if close == times(0.0):
        return f"{sure} of pairs: <b>equally likely</b>", f"{pairs}: <b>equally likely</b>"
    return f"{sure} of pairs: at most <b>{close}</b> as likely", f"{pairs}: <b>{close}</b>"


def _laws(drawn: Draw, side: Side, high: float, names: list[Words]) -> list[Mark]:
    """Return the two laws on two data sets, each with its name beside its top, on its free side."""
    law = drawn.outputs
    shape = "linear" if law.continuous else "hvh"
    laws = law.first, law.second
    marks: list[Mark] = []
    for y, ink in zip(laws, _INKS, strict=True):
        line = (part.astype(np.float32) for part in _along(law.x, y, side, high))
        marks.append(Line(*line, about=ink, fill=0.15, shape=shape))
    peaks = [float(law.x[y.argmax()]) for y in laws]
    for place, (name, peak, ink) in enumerate(zip(names, peaks, _INKS, strict=True)):
        other = peaks[1 - place]
        left = peak < other or (peak == other and place == 0)
        if not _BESIDE < _part(peak, side) < 1 - _BESIDE:
            left = _part(peak, side) >= 0.5
        full, short = (name, name) if isinstance(name, str) else name
        looks: dict[str, Any] = {"to": "W" if left else "E", "shift": (-6 if left else 6, 0)}
        words = f"<b>{full}</b>", f"<b>{short}</b>"
        marks.append(Text(words, peak, _NAMED * high, about=ink, backed=True, **looks))
    return marks


def _along(x: FloatArray, y: FloatArray, side: Side, high: float) -> tuple[FloatArray, FloatArray]:
    """Return a law along an axis, to whose ends it lies at 0 where it has faded before."""
    first, last = np.searchsorted(x, [side.low, side.high]).tolist()
    seen = slice(max(first - 1, 0), min(last + 1, x.size))
    x, y = x[seen], y[seen]
    if x[0] > side.low and y[0] < _FADED * high:
        x, y = np.append(side.low, x), np.append(0.0, y)
    if x[-1] < side.high and y[-1] < _FADED * high:
        x, y = np.append(x, side.high), np.append(y, 0.0)
    return x, y


def _rug(result: SamplePairs, stop: int, side: Side, high: float) -> list[Mark]:
    """Return a dot for each data set drawn so far below its curves, the last two larger."""
    if result.places is None:
        return []
    marks: list[Mark] = []
    for row, ink, places in zip(_RUG, _INKS, result.places.T, strict=True):
        before, now = places[: stop - 1].astype(np.float32), places[stop - 1 : stop]
        marks += [
            Dots(before, np.full(before.size, row * high), about=ink, size=_SMALL, pale=0.5),
            Dots(now, [row * high], about=ink, size=_LARGE),
        ]
    if _named_dots(result, side):
        words = f"● {2 * stop} fresh data sets", f"● {2 * stop} data sets"
        at, y = float(result.places.max()), float(np.mean(_RUG)) * high
        marks.append(Text(words, at, y, to="E", shift=(10, 0), about="muted"))
    return marks


def _named_dots(result: SamplePairs, side: Side) -> bool:
    """Return whether there is room beside the dots to say what they are."""
    return result.places is not None and _part(float(result.places.max()), side) < _ROOM


def _part(at: float, side: Side) -> float:
    """Return at which part of an axis a place is."""
    return (at - side.low) / (side.high - side.low)


def _here(drawn: Draw, said: str, side: Side) -> list[Mark]:
    """Return a place where the two laws are as far apart as is said, if there is one to be seen."""
    at, law = drawn.farthest, drawn.outputs
    room = _EDGE < _part(at, side) < 1 - _EDGE
    if drawn.epsilon < _TOLD or times(drawn.there) != said or not room:
        return []
    heights = [float(np.interp(at, law.x, y)) for y in (law.first, law.second)]
    left = heights[0] > heights[1]
    return [
        Rule(x=(at, at), y=(min(heights), max(heights)), wide=1.5, about="text"),
        Dots([at, at], heights, about=_INKS, size=9),
        Text(
            (f"here <b>{said}</b>", f"<b>{said}</b>"),
            at,
            max(heights),
            to="W" if left else "E",
            shift=(-14 if left else 14, 0),
        ),
    ]


def _scales(result: SamplePairs) -> _Scales:
    """Return the axes of all likely outputs, one for both panels if the fresh ones fill enough."""
    laws = [drawn.outputs for drawn in result.draws], [result.apart.outputs]
    highs = [max(float(max(law.first.max(), law.second.max())) for law in some) for some in laws]
    seen = [
        np.concatenate([law.x[np.maximum(law.first, law.second) >= _SEEN * high] for law in some])
        for some, high in zip(laws, highs, strict=True)
    ]
    both = np.concatenate(seen)
    label = result.apart.outputs.label
    title = f"Output: {label[0].lower()}{label[1:]}"
    if result.places is not None and np.ptp(seen[0]) >= _NARROW * np.ptp(both):
        side = Side.around(both, title)
        return _Scales(replace(side, title="", numbers=False), side, (max(highs), max(highs)))
    fresh, apart = (Side.around(outputs, title) for outputs in seen)
    return _Scales(replace(fresh, title=""), apart, (highs[0], highs[1]))


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
    "so the two curves of possible outputs nearly cover each other. Each dot is a data set: chance "
    "keeps them all close together. Group privacy must allow for the two most unlike data sets, "
    "which chance hardly ever draws.",
    idle=idle_controls,
)
