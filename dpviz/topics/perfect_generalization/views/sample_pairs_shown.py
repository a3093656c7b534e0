"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math

import numpy as np

from dpviz.plot.marks import Bars, Line, Rule, tinted
from dpviz.plot.panels import Panel, Side, played
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_FAR = math.log(1000)  # the ε′ from which odds say less than ε′ itself
_PALETTE, _GREY = (7, 8), 3  # colours of x and of x', and of what both have


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
    """Draw the two output laws of one pair, and below the ε′ of all pairs under the exact law.

    A button plays the pairs one by one; the still picture shows the last pair and all ε′.
    """
    count = len(result.draws)
    return played(
        theme, lambda stop: _pair(result, stop), range(1, count + 1), each=_FRAME, tall=1.2
    )


def _pair(result: SamplePairs, number: int) -> tuple[Panel, Panel]:
    """Return what is drawn when `number` pairs are: the last one's laws, and the ε′ of all."""
    drawn, law = result.draws[number - 1], result.histogram
    laws = [one.outputs for one in result.draws]
    highest = max(float(max(one.first.max(), one.second.max())) for one in laws)
    x = drawn.outputs.x.astype(np.float32)
    outputs = [
        Line(
            x,
            y.astype(np.float32),
            shape="linear" if drawn.outputs.continuous else "hvh",
            fill=0.2,
            about=about,
        )
        for y, about in zip((drawn.outputs.first, drawn.outputs.second), _PALETTE, strict=True)
    ]
    sums, differ = _sums(drawn), readable(drawn.pair.hamming, 7)
    pair = f"Pair {number} of {len(result.draws)}: ε′ = {readable(drawn.epsilon)}<br>{sums}; "
    above = Panel(
        # Every pair has room on these axes.
        Side.around(np.concatenate([one.x for one in laws]), drawn.outputs.label),
        Side(0.0, 1.08 * highest),
        outputs,
        above=(f"{pair}they differ in {differ} of their samples", f"{pair}{differ} differ"),
    )
    shares, whole = (_shares(result, pairs) for pairs in (number, len(result.draws)))
    outline = np.concatenate([[0.0], np.repeat(law.probability, 2), [0.0]])
    sure = f"{readable(100 * (1 - result.failure_probability), 13)}% of all pairs: dotted"
    below = Panel(
        Side.around([0.0, *law.edges], "ε′ at which the pair is (ε′, δ′)-close"),
        Side(0.0, 1.1 * float(max(law.probability.max(), whole.max()))),
        [
            Line(np.repeat(law.edges, 2), outline, wide=1.5, about=_GREY),
            Bars(
                (law.edges[1:] + law.edges[:-1]) / 2,
                shares,
                wide=np.diff(law.edges),
                pale=0.35,
                about=_GREY,
                said="drawn %{y:.3f}, exactly %{customdata:.3f}",
                told=law.probability,
            ),
            Rule(x=result.needed, wide=1.5, dash="dot"),
        ],
        above=(
            f"ε′ of the pairs drawn so far (bars), and its exact law (line); {sure}",
            f"ε′ of the pairs so far (bars),<br>and exactly (line); {sure}",
        ),
    )
    return above, below


def _shares(result: SamplePairs, count: int) -> FloatArray:
    """Return the share that each bin holds of all pairs, when `count` of them are drawn."""
    bins = result.histogram.probability.size
    return np.bincount(result.histogram.places[:count], minlength=bins) / len(result.draws)


def _sums(drawn: Draw) -> str:
    """Return the sums of both samples, each in its colour."""
    sums = (("x", drawn.pair.first), ("x′", drawn.pair.second))
    return ", ".join(
        tinted(f"Σ{name} = {readable(value, 7)}", about)
        for (name, value), about in zip(sums, _PALETTE, strict=True)
    )


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
