"""Two samples: their output laws, pair by pair, and how far apart these are."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, from_zero, settings
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace, bar, scatter
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray
from dpviz.scene.view import View
from dpviz.topics.perfect_generalization.mechanisms_shown import CLOSE, ITEM, idle_controls
from dpviz.topics.perfect_generalization.views.sample_pairs import Draw, SamplePairs, sample_pairs

_FRAME = 350  # milliseconds
_FAR = math.log(1000)  # the ε′ from which odds say less than ε′ itself
_SHARE = 0.42  # of the height, for the histogram
_GAP, _WIDER = 0.2, 0.26  # between the panels; wider where a line takes more of the height
_PALETTE = (7, 8)  # colours of x and of x'


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
    theme = theme.crowded()
    first, last = result.draws[0].outputs, result.draws[-1]
    colors = [theme.palette[i] for i in _PALETTE]
    drawn = Figure(
        scatter(**look, **now)
        for look, now in zip(_looks(colors, first.continuous), _laws(last), strict=True)
    )
    drawn.add_traces(_histogram(result, theme))
    moving = theme.held is not None
    count = len(result.draws)
    drawn.frames = [
        {
            "name": str(number),
            "traces": list(range(len(drawn.data))),
            "data": [*_laws(result.draws[number - 1]), {}, {"y": _shares(result, number)}],
            "layout": {"annotations": _headings(result, number, theme)},
        }
        for number in (() if moving else range(1, count + 1))
    ]
    outputs, losses, density = _scales(result)
    label = "" if theme.scale > 1 else first.label  # it would stand on the words of the panel below
    horizontal = settings(outputs) | {"title": {"text": label, "standoff": 4}}
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height + 130,
        margin={"l": theme.px(56), "r": 16, "t": theme.px(60), "b": theme.px(96)},
        hovermode="closest",
        showlegend=False,
        bargap=0.06,
        xaxis=horizontal | {"anchor": "y"},
        yaxis=from_zero(density, most=4)
        | {"domain": [_SHARE + (_WIDER if theme.compact or theme.room else _GAP), 1]},
        xaxis2=settings(losses)
        | {"title": {"text": "ε′ at which the pair is (ε′, δ′)-close"}, "anchor": "y2"},
        yaxis2=from_zero(_top(result), most=4) | {"domain": [0, _SHARE]},
        annotations=_headings(result, count, theme),
        shapes=[_farthest(result, theme)],
        updatemenus=[play_button(theme, frame=_FRAME, pad=52)],
    )


def _farthest(result: SamplePairs, theme: Theme) -> dict[str, Any]:
    """Draw where the ε′ stands that suffices for all but β of the pairs."""
    ends = {"x0": result.needed, "x1": result.needed, "y0": 0.0, "y1": _top(result)}
    line = {"color": theme.text, "width": 1.5, "dash": "dot"}
    return {"type": "line", "xref": "x2", "yref": "y2", "line": line} | ends


def _looks(colors: Sequence[str], continuous: bool) -> list[dict[str, Any]]:
    """Return what stays the same: the laws of the outputs on x and on x'."""
    return [
        {
            "mode": "lines",
            "name": f"output on {name}",
            "line": {"color": color, "width": 2.5, "shape": "linear" if continuous else "hvh"},
            "fill": "tozeroy",
            "fillcolor": f"{color}33",
            "hoverinfo": "skip",
        }
        for name, color in zip(("x", "x′"), colors, strict=True)
    ]


def _laws(drawn: Draw) -> list[dict[str, Any]]:
    x = drawn.outputs.x.astype(np.float32)
    return [
        {"x": x, "y": y.astype(np.float32)} for y in (drawn.outputs.first, drawn.outputs.second)
    ]


def _histogram(result: SamplePairs, theme: Theme) -> list[Trace]:
    law = result.histogram
    edges = np.repeat(law.edges, 2)
    outline = np.concatenate([[0.0], np.repeat(law.probability, 2), [0.0]])
    grey = theme.palette[3]
    exact = scatter(
        x=edges,
        y=outline,
        showlegend=False,  # the heading names it: the figure is about the outputs
        mode="lines",
        line={"color": grey, "width": 1.5 * theme.scale},
        xaxis="x2",
        yaxis="y2",
        hoverinfo="skip",
    )
    shares = bar(
        x=(law.edges[1:] + law.edges[:-1]) / 2,
        width=np.diff(law.edges),
        y=_shares(result, len(result.draws)),
        customdata=law.probability,
        showlegend=False,
        marker={"color": grey, "opacity": 0.35, "line": {"width": 0}},
        xaxis="x2",
        yaxis="y2",
        hovertemplate="drawn %{y:.3f}, exactly %{customdata:.3f}<extra></extra>",
    )
    return [exact, shares]


def _shares(result: SamplePairs, count: int) -> FloatArray:
    """Return the share that each bin holds of all pairs, when `count` of them are drawn."""
    bins = result.histogram.probability.size
    return np.bincount(result.histogram.places[:count], minlength=bins) / len(result.draws)


def _scales(result: SamplePairs) -> tuple[Scale, Scale, float]:
    """Return axes that hold every pair: outputs, ε′, and the highest density."""
    laws = [drawn.outputs for drawn in result.draws]
    seen = np.concatenate([law.x for law in laws])
    outputs = Scale.of(Axis("output", laws[0].label, log=False), seen, 0.02)
    edges = np.append(0.0, result.histogram.edges)
    losses = Scale.of(Axis("epsilon", "ε′", log=False), edges, 0.02)
    return (
        outputs,
        losses,
        1.08 * max(float(max(law.first.max(), law.second.max())) for law in laws),
    )


def _top(result: SamplePairs) -> float:
    drawn = _shares(result, len(result.draws)).max()
    return 1.1 * float(max(result.histogram.probability.max(), drawn))


def _headings(result: SamplePairs, number: int, theme: Theme) -> list[dict[str, Any]]:
    """Return what is written when `number` pairs are drawn: headings of both panels."""
    drawn = result.draws[number - 1]
    first, second = (theme.palette[i] for i in _PALETTE)
    pair = (
        f"Pair {number} of {len(result.draws)}: ε′ = {readable(drawn.epsilon)}"
        f"<br>{_sums(drawn, first, second, theme)}"
    )
    sure = f"{readable(100 * (1 - result.failure_probability), 13)}% of all pairs: dotted"
    below = (
        f"ε′ of the pairs so far (bars),<br>and exactly (line); {sure}"
        if theme.compact
        else f"ε′ of the pairs drawn so far (bars), and its exact law (line); {sure}"
    )
    look = {"x": 0, "xref": "paper", "xanchor": "left", "yref": "paper", "showarrow": False}
    look |= {"align": "left", "yanchor": "bottom", "xshift": -48}
    return [
        look | {"y": 1, "yshift": 6, "text": pair},
        look | {"y": _SHARE, "yshift": 4, "text": below},
    ]


def _sums(drawn: Draw, first: str, second: str, theme: Theme) -> str:
    sums = (
        f"<span style='color:{color}'>Σ{name} = {readable(value, 7)}</span>"
        for name, value, color in (
            ("x", drawn.pair.first, first),
            ("x′", drawn.pair.second, second),
        )
    )
    differ = readable(drawn.pair.hamming, 7)
    apart = f"{differ} differ" if theme.compact else f"they differ in {differ} of their samples"
    return f"{', '.join(sums)}; {apart}"


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
