"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Bars, Line, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_FAR = math.log(1000)  # the ε′ from which odds say less than ε′ itself
_ROWS = 44  # pixels of two samples
_TICKS = 12  # along the axis, at most
_EDGE = 0.3  # of the width, up to which words stand inwards
_GREY = 3  # of the palette
_INKS = (7, 8)  # colours of x and of x′


def takeaway(result: SamplePairs) -> str:
    """State how many of the pairs drawn are as close as most are."""
    return f"In {result.close} of {len(result.draws)} pairs of fresh samples, {_alike(result)}."


def _alike(result: SamplePairs) -> str:
    """Say how close outputs are: in times as likely, where the number can be imagined."""
    times = math.exp(min(result.needed, _FAR))
    if times >= math.exp(_FAR):
        return f"the two outputs are within ε′ = {upwards(result.needed)}"
    said = readable(times)
    if said == "1":
        nearly = "nearly " if result.needed else ""
        return f"outputs are {nearly}equally likely on both samples (apart from δ′)"
    return (
        f"no output is more than {upwards(times)} times as likely on one as on the other (apart "
        "from δ′)"
    )


def detail(result: SamplePairs) -> str:
    """State that distance, and how far the farthest pair drawn is."""
    sure = readable(1 - result.failure_probability, 13)
    return (
        f"ε′ = {readable(result.needed)} suffices for a share {sure} of all pairs, exactly; the "
        f"farthest drawn needs ε′ = {readable(max(d.epsilon for d in result.draws))}."
    )


def figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw two samples, their two output laws, and the ε′ of all pairs under the exact law.

    A button plays the pairs one by one; the still picture shows the last pair and all ε′.
    """
    stops = range(1, len(result.draws) + 1)
    return played(theme, lambda stop: _pair(result, stop), stops, each=_FRAME, tall=1.2)


def _pair(result: SamplePairs, stop: int) -> list[Row | None]:
    """Return the panels when so many pairs are drawn."""
    drawn = result.draws[stop - 1]
    return [_samples(result, drawn), _outputs(result, drawn), _losses(result, stop)]


def _samples(result: SamplePairs, drawn: Draw) -> Panel | None:
    """Return two samples of bits as bars, nothing for samples of other numbers."""
    pair, n = drawn.pair, result.samples
    if not result.coins:
        return None
    ones = [pair.first, pair.second]
    said = [f"{readable(one, 7)} ones of {n:,}" for one in ones]
    marks = [
        Bars([0, 1], [n, n], lying=True, about="grid"),
        Bars([0, 1], ones, lying=True, about=_INKS, said=said),
    ]
    first, second = (tinted(readable(one, 7), ink) for one, ink in zip(ones, _INKS, strict=True))
    differ = f"{readable(pair.hamming, 7)} of the coins differ"
    heading = (
        f"Two fresh samples of {n:,} coins: {first} and {second} heads; {differ}",
        f"{first} and {second} heads; {differ}",
    )
    across = replace(Side.around([0.0, float(n)], room=0.0), numbers=False, grid=False)
    return Panel(across, Side.rows(["x", "x′"]), marks, above=heading, pixels=_ROWS)


def _outputs(result: SamplePairs, drawn: Draw) -> Panel:
    """Return the two output laws of a pair, and where they differ most."""
    law, far = drawn.outputs, drawn.epsilon > 0
    shape = "linear" if law.continuous else "hvh"
    x = law.x.astype(np.float32)
    laws: list[Mark] = [
        Line(x, y.astype(np.float32), about=ink, fill=0.2, shape=shape)
        for y, ink in zip((law.first, law.second), _INKS, strict=True)
    ]
    outputs, density = _scales(result)
    at = drawn.farthest
    across = (at - outputs.low) / (outputs.high - outputs.low)
    left = _EDGE < across < 0.5 or across > 1 - _EDGE  # where the curves leave it room
    times = f"{_times(drawn.epsilon)} here"
    marks = [
        *laws,
        Rule(x=at, dash="dot", wide=1.5) if far else None,
        Text(times, at, 0.9 * density, to="W" if left else "E", shift=(-4 if left else 4, 0)),
    ]
    names = " and ".join(
        tinted(f"on {name}", ink) for name, ink in zip(("x", "x′"), _INKS, strict=True)
    )
    heading = f"How likely each output is, {names}", f"Outputs {names}"
    title = law.label, ""
    return Panel(
        replace(outputs, title=title), Side(0, density), marks if far else laws, above=heading
    )


def _times(epsilon: float) -> str:
    """Say how much likelier an output may be on one sample than on the other."""
    if epsilon >= _FAR:
        return f"ε′ = {readable(epsilon)}"
    return f"{readable(math.exp(epsilon))} times as likely"


def _losses(result: SamplePairs, stop: int) -> Panel:
    """Return how far apart the outputs of the pairs so far are, and the exact law of that."""
    law = result.histogram
    edges, most = np.repeat(law.edges, 2), max(float(law.edges[-1]), result.needed)
    outline = np.concatenate([[0.0], np.repeat(law.probability, 2), [0.0]])
    shares = np.bincount(law.places[:stop], minlength=law.probability.size) / len(result.draws)
    every = np.bincount(law.places, minlength=law.probability.size) / len(result.draws)
    top = 1.1 * float(max(law.probability.max(), every.max()))
    sure = f"{readable(100 * (1 - result.failure_probability), 13)}% of all pairs"
    beyond = _times(result.unlike)
    marks = [
        Line(edges, outline, about=_GREY, wide=1.5, said="exactly %{y:.3f}"),
        Bars(
            (law.edges[1:] + law.edges[:-1]) / 2,
            shares,
            wide=np.diff(law.edges),
            about=_GREY,
            pale=0.35,
            said="drawn %{y:.3f}",
        ),
        Rule(x=result.needed, dash="dot", wide=1.5),
        Text(sure, result.needed, 0.955 * top, to="E", shift=(4, 0)),
        Text(
            (f"on the two most unlike samples:<br>{beyond} →", ""),
            Part(1),
            0.45 * top,
            to="W",
            about="muted",
            small=True,
        )
        if result.unlike > most
        else None,
    ]
    ticks = _ticks(most)
    axis = "ε′" if ticks is None else "How many times as likely, at most"
    across = Side.around([0.0, most], ticks=ticks)
    heading = f"{axis}: pairs so far (bars), and exactly (line)", axis
    return Panel(across, Side(0, top), marks, above=heading)


def _ticks(most: float) -> list[tuple[float, str]] | None:
    """Return round numbers of times as places of ε′; None where ε′ itself says more."""
    if most >= _FAR:
        return None
    near = [1 + digit * 10.0**-power for power in range(6, 0, -1) for digit in (1, 2, 5)]
    ticks = [(0.0, "1 time")]
    for times in (*near, *(digit * 10.0**power for power in range(4) for digit in (2, 3, 5, 10))):
        at = math.log(times)
        if at <= most and at - ticks[-1][0] >= most / _TICKS:
            ticks.append((at, readable(times, 7)))
    return ticks


def _scales(result: SamplePairs) -> tuple[Side, float]:
    """Return the axis that holds every pair's outputs, and the highest density."""
    laws = [drawn.outputs for drawn in result.draws]
    outputs = Side.around(np.concatenate([law.x for law in laws]))
    return outputs, 1.08 * max(float(max(law.first.max(), law.second.max())) for law in laws)


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
    "So the two curves of possible outputs nearly cover each other. Below, each pair adds its "
    "distance; the line is how the distances are distributed in the long run.",
    idle=idle_controls,
)
