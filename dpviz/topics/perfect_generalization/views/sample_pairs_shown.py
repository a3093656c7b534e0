"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import dots as people
from dpviz.plot.axes import even_ticks
from dpviz.plot.marks import Dots, Line, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.times_shown import FAR, heaped, ticks, times
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_PLACES, _ROWS, _DOT = 30, 4.0, 15.0  # of dots: along their axis, above each other, pixels
_FAR = 1.25  # times as far as all pairs, where an axis ends that has a break
_NEAR = 1.15  # times as far, up to which what is farther has its place on the axis
_UNDER = 0.13  # of the highest density, below it, for ticks
_THIS = Subject.USER_LEVEL
_SEEN = 0.01  # of the highest density, from which outputs are drawn
_MIDDLE = 0.6  # of the width, beyond which words stand inwards
_INKS = (7, 8)  # colours of the first and of the second sample


def takeaway(result: SamplePairs) -> str:
    """State how many of the pairs drawn are as close as the one shown."""
    return (
        f"In {result.close.sum()} of {len(result.draws)} pairs of fresh samples, {_alike(result)}."
    )


def _alike(result: SamplePairs) -> str:
    """Say how close outputs are: in times as likely, where the number can be imagined."""
    if result.shown >= FAR:
        return f"the two outputs are within ε′ = {upwards(result.shown)}"
    if readable(math.exp(result.shown)) == "1":
        nearly = "nearly " if result.shown else ""
        return f"outputs are {nearly}equally likely on both samples (apart from δ′)"
    return (
        f"no output is more than about {times(result.shown)} as likely on one as on the other "
        "(apart from δ′)"
    )


def detail(result: SamplePairs) -> str:
    """State that distance, and how far the farthest pair drawn is."""
    sure = readable(1 - result.failure_probability, 13)
    return (
        f"ε′ = {readable(result.needed)} suffices for a share {sure} of all pairs, exactly; the "
        f"farthest drawn needs ε′ = {readable(float(result.losses.max()))}."
    )


def figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw a dot for each pair, with the worst there can be, and the outputs of one of them.

    A button plays the pairs one by one.
    """
    stops = range(1, len(result.draws) + 1)
    return played(theme, lambda stop: _pair(result, stop), stops, each=_FRAME, tall=0.95)


def _pair(result: SamplePairs, stop: int) -> list[Row | None]:
    """Return the panels when so many pairs are drawn."""
    return [_every_pair(result, stop), _outputs(result, result.draws[stop - 1])]


def _every_pair(result: SamplePairs, stop: int) -> Panel:
    """Return a dot for each pair so far, the last one a square, and the worst of all data sets.

    Filled are those no farther apart than the pair that is shown at last.
    """
    losses, close = result.losses, result.close
    most = float(losses.max()) or 1.0
    heaps = heaped(losses, result.shown, most=most, places=_PLACES)
    known, this = (np.arange(losses.size) < stop - part for part in (1, 0))
    this &= ~known
    said = [f"at most {times(loss)}" for loss in losses]
    places, end = ticks(most), float(heaps.edges[-1])
    top = max(float(heaps.tops.max()), _ROWS)
    dot: dict[str, Any] = {"said": said, "biggest": _DOT}
    left, all_known = result.shown > most / 4, known | this
    marks: list[Mark | None] = [
        people.Heaps(heaps, known & close, about="text", **dot),
        people.Heaps(heaps, known & ~close, about="muted", symbol="circle-open", **dot),
        people.Heaps(heaps, this, about=_THIS, symbol="square", **dot),
        Rule(x=result.shown, wide=1.5),
        Text(
            f"<b>{(close & all_known).sum()} of {all_known.sum()} pairs</b>",
            result.shown,
            top + 0.6,
            to="W" if left else "E",
            shift=(-6 if left else 6, 0),
        ),
        *(_worst(result, end) if result.unlike > end else ()),
    ]
    axis = "ε′ at which the outputs on two samples are close"
    if places is None:
        values, names = even_ticks(0.0, end)
        places = [one for one in zip(values, names, strict=True) if one[0] <= end]
    else:
        axis = "How many times as likely an output may be on one sample as on the other"
    low = 0.0 if result.shown else float(heaps.edges[0])
    size = counted(result.samples, "coin", digits=7) if result.coins else f"{result.samples:,}"
    each = f"A dot for each pair of fresh samples of {size}"
    return Panel(
        Side(low, _FAR * end, (axis, ""), ticks=places),
        Side.bare(0, top + 1.2),
        marks,
        above=(each, "A dot for each pair"),
    )


def _worst(result: SamplePairs, end: float) -> list[Mark]:
    """Return where the worst two data sets are, beyond a break of the axis if they are far off."""
    far = result.unlike > _NEAR * end
    at, said = (1 + _FAR) / 2 * end if far else result.unlike, times(result.unlike)
    named = (f"any two<br>data sets:<br><b>{said}</b>", f"worst:<br><b>{said}</b>")
    looks: dict[str, Any] = {"about": Subject.EARLIER, "said": f"any two data sets: {said}"}
    marks: list[Mark] = [
        Dots([at], [0.5], size=_DOT, symbol="diamond", **looks),
        Text(named, at, 1.2, to="N", about=Subject.EARLIER),
    ]
    return [*marks, Text("//", (3 + _FAR) / 4 * end, Part(0), backed=True)] if far else marks


def _outputs(result: SamplePairs, drawn: Draw) -> Panel:
    """Return the two output laws of a pair, and where they differ most."""
    law, far, pair = drawn.outputs, drawn.epsilon > 0, drawn.pair
    shape = "linear" if law.continuous else "hvh"
    x, laws = law.x.astype(np.float32), (law.first, law.second)
    curves = [
        Line(x, y.astype(np.float32), about=ink, fill=0.15, shape=shape)
        for y, ink in zip(laws, _INKS, strict=True)
    ]
    outputs, high = _scales(result)
    at = drawn.farthest
    likely = " as likely" if drawn.epsilon < FAR else ""
    heights = [float(np.interp(at, law.x, y)) if far else math.nan for y in laws]
    inwards = "NE" if (at - outputs.low) / (outputs.high - outputs.low) < _MIDDLE else "NW"
    marks: list[Mark | None] = [
        *curves,
        Rule(x=at, y=(0.0, 1.06 * high), wide=1.5) if far else None,
        Dots([at, at], heights, about=_INKS, size=9),
        Text(f"<b>{times(drawn.epsilon)}</b>{likely} here", at, 1.06 * high, to=inwards)
        if far
        else None,
    ]
    samples = "the first", "the second sample"
    if result.coins:
        ones = [readable(one, 7) for one in (pair.first, pair.second)]
        marks += _heads((pair.first, pair.second), outputs, high)
        samples = f"{ones[0]} heads", f"{ones[1]} heads"
    names = " and ".join(tinted(name, ink) for name, ink in zip(samples, _INKS, strict=True))
    pair_of = f"The pair {tinted('■', _THIS)}"
    return Panel(
        replace(outputs, title=(law.label, "")),
        replace(Side(-_UNDER * high, 1.3 * high), numbers=False, grid=False),
        marks,
        above=(f"{pair_of}: how likely each output is with {names}", f"{pair_of}: {names}"),
        share=0.8,
    )


def _heads(ones: tuple[float, float], outputs: Side, high: float) -> list[Mark]:
    """Return how many heads the two samples have, as ticks below their curves."""
    marks: list[Mark] = [Rule(y=0.0, wide=1.0, about="muted")]
    low = min(ones)
    for one, ink in zip(ones, _INKS, strict=True):
        if not outputs.holds(one):
            continue
        marks.append(Rule(x=one, y=(-_UNDER * high, 0.0), wide=2.5, about=ink))
        left = one == low and (ink == _INKS[0] or ones[0] != ones[1])
        looks: dict[str, Any] = {"to": "W" if left else "E", "shift": (-6 if left else 6, 0)}
        marks.append(Text(readable(one, 7), one, -_UNDER / 2 * high, about=ink, **looks))
    return marks


def _scales(result: SamplePairs) -> tuple[Side, float]:
    """Return the axis of all likely outputs and marked places, and the highest density."""
    laws = [drawn.outputs for drawn in result.draws]
    high = max(float(max(law.first.max(), law.second.max())) for law in laws)
    seen = [law.x[np.maximum(law.first, law.second) >= _SEEN * high] for law in laws]
    places = [drawn.farthest for drawn in result.draws]
    return Side.around(np.concatenate([*seen, places])), high


VIEW = View(
    key="pairs",
    title="Two samples",
    compute=sample_pairs,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("mechanism", "samples", *ITEM, *CLOSE, "seed"),
    in_sight=("samples", "epsilon", "sigma", "seed"),
    why="Two fresh samples differ in many of their entries, but most of the differences cancel. "
    "So the two curves of possible outputs nearly cover each other. Each pair is a dot, as far to "
    "the right as its two curves are apart where they differ most.",
    idle=idle_controls,
)
