"""Perfect generalization: the figures `draw` alone cannot make, and what they say."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace, bar, scatter
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Source, Subject
from dpviz.topics.perfect_generalization.views.by_name import SamplePairs
from dpviz.topics.perfect_generalization.views.closeness import ClosenessChart
from dpviz.topics.perfect_generalization.views.growth import GrowthChart
from dpviz.topics.perfect_generalization.views.two_samples import Draw
from dpviz.topics.perfect_generalization.views.user_growth import UserChart

_RECONSTRUCTED = (
    "The papers state no constants. Those of “{label}” are reconstructed from the proof, each step "
    "with its own; a sharper analysis may well do better."
)


# ---- the probability that two outputs are close -------------------------------------------


def closeness_figure(chart: ClosenessChart, theme: Theme) -> Figure:
    """Draw the exact staircase, and each promise as a line up to the probability it states."""
    stems = tuple(_stem(curve) if curve.key != "exact" else curve for curve in chart.curves)
    figure = draw(replace(chart, curves=stems), theme)
    for trace in figure.data:
        if len(trace["x"]) > 2:
            trace["line"]["shape"] = "hv"
    return figure


def _stem(curve: Curve) -> Curve:
    """Return a vertical line from 0 to the single point of the curve."""
    holds = curve.holds
    return replace(
        curve,
        x=np.repeat(curve.x, 2),
        y=np.array([0.0, float(curve.y[0])]),
        holds=None if holds is None else np.repeat(holds, 2),
    )


def closeness_takeaway(chart: ClosenessChart) -> str:
    """State the ε′ that is enough for most pairs, beside what the theorems promise."""
    sure = readable(1 - _beta(chart), 13)
    sentence = (
        f"With probability {sure} the outputs on two fresh samples are (ε′, δ′)-close at "
        f"ε′ = {readable(chart.needed)}; group privacy "
    )
    if not _holds(chart, "group"):
        sentence += "promises nothing at this δ′"
    else:
        sentence += f"promises {readable(chart.group)}"
        if chart.needed > 0:
            sentence += f", {readable(chart.group / chart.needed)} times as much"
    return f"{sentence}, and Theorem 13{_promised(chart)}."


def _promised(chart: ClosenessChart) -> str:
    shape = f"{readable(chart.theorem_13)} up to its hidden constant"
    if not _holds(chart, "theorem_13"):
        shape = f", whose assumption fails here, would say {shape}"
    else:
        shape = f" promises {shape}"
    if math.isfinite(chart.derived):
        return f"{shape} ({readable(chart.derived)} with the constants of its proof)"
    return f"{shape} (its proof gives nothing here)"


def _holds(chart: Chart, key: str) -> bool:
    """Return whether the assumption of a bound holds at the reader's value."""
    curve = chart.curve(key)
    return curve.holds is None or bool(curve.holds[np.abs(curve.x - chart.here).argmin()])


def _beta(chart: ClosenessChart) -> float:
    return 1 - chart.marks[0].y


# ---- how ε′ grows with n -------------------------------------------------------------------


def growth_takeaway(chart: GrowthChart) -> str:
    """State the slope around the reader's n, what strictness costs, and where it bends."""
    at = f"At n = {readable(chart.here, 7)}, ε′ = {readable(chart.needed)} suffices for all but a "
    at += f"share {readable(chart.failure_probability)} of the pairs of samples"
    if chart.needed <= 0:
        return f"{at}: the difference is lost in δ′."
    if not math.isfinite(chart.slope):
        return f"{at}."
    sentence = f"{at}, and around there it grows like n to the power {readable(chart.slope, 2)}, "
    sentence += "where group privacy grows like n."
    if chart.strict > chart.needed:
        sentence += (
            f" All but a share 10⁻¹² takes {readable(chart.strict / chart.needed)} times that ε′."
        )
    if math.isfinite(chart.bends_at):
        sentence += (
            " The mean of the privacy loss grows like n, its spread like √n; the mean outweighs "
            f"the spread from n = {readable(chart.bends_at)} on."
        )
    return sentence


GROWTHS = {"constant": "not at all", "root": "like √n", "linear": "like n"}
"""What a reader may predict about ε′."""
_POWERS = {"constant": 0.0, "root": 0.5, "linear": 1.0}


def growth_unknown(chart: GrowthChart) -> GrowthChart:
    """Return the chart before the answer: group privacy alone."""
    return replace(chart, curves=(chart.curve("group"),), marks=())


def growth_answer(chart: GrowthChart) -> str:
    """Return in words how ε′ grows around the reader's n."""
    return f"like n to the power {readable(chart.slope, 2)}" if math.isfinite(chart.slope) else ""


def growth_guessed(chart: GrowthChart, growth: str) -> GrowthChart:
    """Return the chart with a line of the slope a reader predicted, through the exact value."""
    x = chart.curve("exact").x
    y = chart.needed * (x / chart.here) ** _POWERS[growth]
    source = Source("your prediction")
    line = Curve("guess", "your prediction", Subject.EARLIER, Evidence.ASYMPTOTIC, source, x, y)
    return replace(chart, curves=(*chart.curves, line))


# ---- change one user ---------------------------------------------------------------------


def users_takeaway(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy, and the slope."""
    group = readable(_at(chart, "group"))
    allows = f"allows {group}" if _holds(chart, "group") else "promises nothing at this δ′"
    examples = "1 example" if chart.here == 1 else f"{readable(chart.here, 7)} examples"
    sentence = (
        f"Leaving out one user instead of another, with {examples} each, moves the output by "
        f"ε = {readable(chart.needed)} with probability 1 − β; group privacy "
        f"{allows}"
    )
    if math.isfinite(chart.slope) and chart.needed > 0:
        sentence += f", and ε grows like m to the power {readable(chart.slope, 2)} around there"
    return f"{sentence}."


def _at(chart: Chart, key: str) -> float:
    curve = chart.curve(key)
    return float(curve.y[np.abs(curve.x - chart.here).argmin()])


def notes(chart: Chart) -> list[str]:
    """Name the assumptions that fail somewhere, and say where constants come from."""
    told = []
    for curve in chart.curves:
        if curve.holds is not None and not curve.holds.all():
            where = (
                "where this assumption fails" if curve.holds.any() else "as its assumption fails"
            )
            drawn = "Drawn grey" if np.isfinite(curve.y[~curve.holds]).any() else "Not drawn"
            told.append(f"{drawn} {where}: “{curve.label}” asks that {curve.assumption}.")
        if curve.key == "derived":
            told.append(_RECONSTRUCTED.format(label=curve.label))
        if curve.evidence is Evidence.ASYMPTOTIC:
            told.append(f"“{curve.label}” is a shape: the slider C sets the constant it hides.")
    return told


# ---- two samples at a time -----------------------------------------------------------------

_FRAME = 350  # milliseconds
_SHARE = 0.42  # of the height, for the histogram
_GAP, _WIDER = 0.2, 0.26  # between the panels; on a phone the heading takes two lines
_PALETTE = (7, 8)  # colours of x and of x'


def pairs_figure(result: SamplePairs, theme: Theme) -> Figure:
    """Draw the two output laws of one pair, and below the ε′ of all pairs under the exact law.

    A button plays the pairs one by one; the still picture shows the last pair and all ε′.
    """
    first, last = result.draws[0].outputs, result.draws[-1]
    colors = [theme.palette[i] for i in _PALETTE]
    figure = Figure(
        scatter(**look, **now)
        for look, now in zip(_looks(colors, first.continuous), _laws(last), strict=True)
    )
    figure.add_traces(_histogram(result, theme))
    moving = theme.held is not None
    count = len(result.draws)
    figure.frames = [
        {
            "name": str(number),
            "traces": list(range(len(figure.data))),
            "data": [*_laws(result.draws[number - 1]), {}, {"y": _shares(result, number)}],
            "layout": {"annotations": _words(result, number, theme)},
        }
        for number in (() if moving else range(1, count + 1))
    ]
    outputs, losses, density = _scales(result)
    horizontal = settings(outputs) | {"title": {"text": first.label, "standoff": 4}}
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + 130,
        margin={"l": 56, "r": 16, "t": 60, "b": 96},
        hovermode="closest",
        showlegend=False,
        bargap=0.06,
        xaxis=horizontal | {"anchor": "y"},
        yaxis={
            "domain": [_SHARE + (_WIDER if theme.compact else _GAP), 1],
            "range": [0, density],
            "nticks": 4,
        },
        xaxis2=settings(losses)
        | {"title": {"text": "ε′ at which the pair is (ε′, δ′)-close"}, "anchor": "y2"},
        yaxis2={"domain": [0, _SHARE], "range": [0, _top(result)], "nticks": 4},
        annotations=_words(result, count, theme),
        updatemenus=[play_button(theme, frame=_FRAME, redraw=True, pad=52)],
    )


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
        name="exact probability of the bin",
        mode="lines",
        line={"color": grey, "width": 2.5},
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


def _words(result: SamplePairs, number: int, theme: Theme) -> list[dict[str, Any]]:
    """Return what is written when `number` pairs are drawn: headings of both panels."""
    drawn = result.draws[number - 1]
    first, second = (theme.palette[i] for i in _PALETTE)
    pair = (
        f"Pair {number} of {len(result.draws)}: ε′ = {readable(drawn.epsilon)}"
        f"<br>{_sums(drawn, first, second, theme)}"
    )
    below = (
        "ε′ of the pairs so far (bars),<br>and exactly (line)"
        if theme.compact
        else ("ε′ of the pairs drawn so far (bars), and its exact law (line)")
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


def pairs_takeaway(result: SamplePairs) -> str:
    """State how many of the pairs drawn are close at the ε′ that suffices for most."""
    count = len(result.draws)
    sure = readable(1 - result.failure_probability, 13)
    are = "is" if result.close == 1 else "are"
    return (
        f"{result.close} of {count} pairs of samples drawn {are} within "
        f"ε′ = {readable(result.needed)}, which suffices for a share {sure} of all pairs, exactly; "
        f"the farthest drawn needs ε′ = {readable(max(d.epsilon for d in result.draws))}."
    )
