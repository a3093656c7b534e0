"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot import dots as people
from dpviz.plot.marks import Bars, Dots, Line, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.times_shown import FAR, heaped, ticks, times
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_ROWS = 50  # pixels of two samples
_HEAPS = 72  # pixels of the dots
_PLACES = 40  # along their axis
_SEEN = 0.01  # of the highest density, from which outputs are drawn
_MIDDLE = 0.5  # of the width, beyond which words stand inwards
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
        f"no output is more than {times(result.shown)} as likely on one as on the other (apart "
        "from δ′)"
    )


def detail(result: SamplePairs) -> str:
    """State that distance, and how far the farthest pair drawn is."""
    sure = readable(1 - result.failure_probability, 13)
    return (
        f"ε′ = {readable(result.needed)} suffices for a share {sure} of all pairs, exactly; the "
        f"farthest drawn needs ε′ = {readable(float(result.losses.max()))}."
    )


def figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw two samples, their two output laws, and a dot for each of the other pairs.

    A button plays the pairs one by one.
    """
    stops = range(1, len(result.draws) + 1)
    return played(theme, lambda stop: _pair(result, stop), stops, each=_FRAME, tall=0.8)


def _pair(result: SamplePairs, stop: int) -> list[Row | None]:
    """Return the panels when so many pairs are drawn."""
    drawn = result.draws[stop - 1]
    return [_samples(result, drawn), _outputs(result, drawn), _every_pair(result, stop)]


def _samples(result: SamplePairs, drawn: Draw) -> Panel | None:
    """Return two samples of bits as bars, nothing for samples of other numbers."""
    pair, n = drawn.pair, result.samples
    if not result.coins:
        return None
    ones = [pair.first, pair.second]
    said = [f"{readable(one, 7)} heads of {n:,}" for one in ones]
    marks = [
        Bars([0, 1], [n, n], lying=True, about="grid"),
        Bars([0, 1], ones, lying=True, about=_INKS, said=said),
    ]
    first, second = (tinted(readable(one, 7), ink) for one, ink in zip(ones, _INKS, strict=True))
    heading = (
        f"Two fresh samples of {n:,} coins: {first} and {second} heads; "
        f"{readable(pair.hamming, 7)} of the coins differ",
        f"{n:,} coins each: {first} and {second} heads",
    )
    across = replace(Side.around([0.0, float(n)], room=0.0), numbers=False, grid=False)
    return Panel(across, Side.rows(["1st", "2nd"]), marks, above=heading, pixels=_ROWS)


def _outputs(result: SamplePairs, drawn: Draw) -> Panel:
    """Return the two output laws of a pair, and where they differ most."""
    law, far = drawn.outputs, drawn.epsilon > 0
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
        Text(f"<b>up to {times(drawn.epsilon)}</b>{likely} here", at, 1.06 * high, to=inwards)
        if far
        else None,
    ]
    names = " and ".join(
        tinted(f"on the {name}", ink) for name, ink in zip(("1st", "2nd"), _INKS, strict=True)
    )
    return Panel(
        replace(outputs, title=(law.label, "")),
        replace(Side(0, 1.2 * high), numbers=False, grid=False),
        marks,
        above=(f"How likely each output is, {names}", f"Outputs {names}"),
    )


def _every_pair(result: SamplePairs, stop: int) -> Panel:
    """Return a dot for each pair so far: filled, if it is no farther apart than the last one."""
    losses, close = result.losses, result.close
    most = float(losses.max()) or 1.0
    heaps = heaped(losses, result.shown, most=most, places=_PLACES)
    known = np.arange(losses.size) < stop
    said = [times(loss) for loss in losses]
    places = ticks(most)
    top = float(heaps.tops.max()) + 0.5
    left = result.shown > most / 4
    marks = [
        people.Heaps(heaps, known & close, about="text", said=said),
        people.Heaps(heaps, known & ~close, about="muted", said=said, symbol="circle-open"),
        Rule(x=result.shown, wide=1.5),
        Text(
            f"<b>{(close & known).sum()} of {known.sum()}</b>",
            result.shown,
            top,
            to="NW" if left else "NE",
            shift=(-4 if left else 4, 0),
        ),
        Text(
            (f"any two data sets: {times(result.unlike)} →", ""),
            Part(1),
            top,
            to="NW",
            about=Subject.EARLIER,
        )
        if result.unlike > most
        else None,
    ]
    axis = "ε′" if places is None else "times as likely, at most"
    across = Side.around([heaps.edges[0], heaps.edges[-1]], ticks=places, room=0.0)
    return Panel(across, Side.bare(0, 1.5 * top), marks, above=f"Each pair: {axis}", pixels=_HEAPS)


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
    "So the two curves of possible outputs nearly cover each other. Below, each pair is a dot, at "
    "the place where its two curves are farthest apart.",
    idle=idle_controls,
)
