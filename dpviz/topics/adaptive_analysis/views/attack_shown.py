"""The attack: what an analyst who asks adaptively is told of useless coins."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import filling
from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import traces
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.steady import steady_y
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.adaptive_analysis.overfitting import MECHANISMS
from dpviz.topics.adaptive_analysis.views.attack import AttackChart, attack

_FRAMES = 20
_FRAME = 250  # milliseconds
_PLAY_ROOM = 30  # pixels
_SPARSE = 3  # one of so many simulated points is drawn: their intervals would touch
_FEWEST_RUNS = 5  # the mean of fewer says little, and its interval would fill the panel
_ACCURACIES = (0.3, 1.0)  # what the axis shows in any case, so that it seldom moves
_LOW = 0.75  # below this claim there is room above the curve
_RARE = ("shape", "power", "runs")


def takeaway(result: AttackChart) -> str:
    """State what the analyst is told at the end, without noise and with it, beside the truth."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    return (
        "Without noise the analyst is told that a useless predictor is right "
        f"{claimed['empirical']} of the time; with bounded noise, {claimed['bounded']}. "
        "The truth is 50%."
    )


def detail(result: AttackChart) -> str:
    """State how much was asked of how many samples, and what each noise tells the analyst."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    coins = "coin" if result.questions == 1 else "coins"
    samples = "sample" if result.sample_size == 1 else "samples"
    return (
        f"After {result.questions:,} useless {coins} on {result.sample_size:,} {samples} the "
        f"combined predictor seems right {claimed['empirical']} of the time; with Gaussian noise "
        f"{claimed['gaussian']}, with bounded noise {claimed['bounded']}."
    )


def notes(result: AttackChart) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: "
        f"σ = {readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise, where an answer is a number from 0 to 1."
    ]
    if result.runs >= _FEWEST_RUNS:
        notes.append(
            f"Lines: the exact expectation of what the analyst is told. Points: the mean over "
            f"{result.runs:,} simulated analysts, with 95% intervals."
        )
    return notes


def _percent(share: float) -> str:
    """Write a probability; one that is not 1 never as 100%."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "more than 99.9%"
    return f"{text.removesuffix('.0')}%"


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: p, where the noise has another shape."""
    return set() if values["shape"] == "power" else {"power"}


def figure(result: AttackChart, theme: Theme) -> Figure:
    """Draw claimed and true accuracy as the questions accumulate, a panel for each mechanism.

    A button plays the questions.
    """
    theme = theme.crowded()
    figure, lefts, places = Figure(), {}, {}
    across = Scale.of(result.x, result.stops, 0.0)
    shown = [result.curve("truth"), *result.curves]
    # What noise claims of a tiny sample can be far from any accuracy; the truth stays in sight.
    parts = [part for c in shown for part in (c.y, c.lower, c.upper) if part is not None]
    claims = np.clip(np.concatenate(parts), 0.0, 1.0)
    up = Scale.of(result.y, np.append(claims, _ACCURACIES), 0.02)
    if theme.held is not None:
        up = steady_y(up, theme.held[1], theme.in_parts)
    for number, name in enumerate(MECHANISMS):
        axis, gap = str(number + 1) if number else "", 0.06 if theme.compact else 0.04
        width = (1 - 2 * gap) / len(MECHANISMS)
        left = lefts[name] = number * (width + gap)
        ticks = settings(across)
        if theme.compact:
            ticks |= {key: ticks[key][::2] for key in ("tickvals", "ticktext")}
        places[f"xaxis{axis}"] = ticks | {
            "domain": [left, left + width],
            "title": {"text": "" if theme.compact and number != 1 else result.x.label},
        }
        look = {"xaxis": f"x{axis}", "showlegend": not number}
        figure.add_traces(trace | look for trace in _panel(result, name, theme))
    # While a control moves nobody plays them, and they are most of what is drawn and sent.
    figure.frames = [] if theme.held is not None else _frames(figure, result, lefts, theme)
    play_room = theme.px(_PLAY_ROOM)
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + play_room,
        margin={"l": theme.px(44), "r": 16, "t": theme.px(56), "b": theme.px(66) + play_room},
        hovermode="closest",
        showlegend=not theme.compact,
        yaxis=_in_percent(settings(up)),
        annotations=[*_headings(result, -1, lefts, theme), *_words(result, theme)],
        updatemenus=[play_button(theme, frame=_FRAME, pad=50)],
        **places,
    )


def _headings(
    result: AttackChart, stop: int, lefts: Mapping[str, float], theme: Theme
) -> list[dict[str, Any]]:
    """Write above each panel what it is, and what is claimed at one of the stops."""
    short = ("more than", ">" if theme.compact else "more than")  # a phone has no room for more
    return [
        {
            "text": f"{label.capitalize()}:<br>{said} claimed",
            "font": {"color": theme.subjects[result.curve(f"{name}_expected").subject]},
            "align": "left",
            "x": lefts[name],
            "xref": "paper",
            "xanchor": "left",
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "showarrow": False,
        }
        for name, label in MECHANISMS.items()
        for said in (_percent(result.expected[name][stop]).replace(*short),)
    ]


def _words(result: AttackChart, theme: Theme) -> list[dict[str, Any]]:
    """Say in the first panel what is true, and where there is room how the analyst is fooled."""
    look = {"x": 0.03, "xref": "x domain", "xanchor": "left", "align": "left", "showarrow": False}
    small = {"size": theme.font_size - 1}
    words = [
        look
        | {"text": "true: 50%", "y": 0.5, "yref": "y", "yanchor": "top"}
        | {"font": small | {"color": theme.text}}
    ]
    claimed = result.expected["empirical"]
    if theme.compact or theme.scale > 1 or claimed[(2 * claimed.size) // 3] > _LOW:
        return words
    how = "Each coin gets the sign<br>that fits this sample;<br>then all coins vote."
    return [
        *words,
        look | {"text": how, "y": 0.97, "yref": "y domain", "yanchor": "top", "font": small},
    ]


def _in_percent(axis: dict[str, Any]) -> dict[str, Any]:
    """Write the ticks of an axis of probabilities as the sentence has them."""
    return axis | {"ticktext": [f"{readable(100 * value)}%" for value in axis["tickvals"]]}


def _frames(
    figure: Figure, result: AttackChart, lefts: Mapping[str, float], theme: Theme
) -> list[dict[str, Any]]:
    """Return what a button plays: all curves up to more and more questions, and what they claim.

    The truth grows along: what is filled between two curves begins and ends with both.
    """
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int))
    return [
        {
            "name": str(stop),
            "traces": list(range(len(figure.data))),
            "data": [_until(trace, result.stops[stop - 1]) for trace in figure.data],
            "layout": {
                "annotations": [*_headings(result, stop - 1, lefts, theme), *_words(result, theme)]
            },
        }
        for stop in stops.tolist()
    ]


def _panel(result: AttackChart, name: str, theme: Theme) -> list[Trace]:
    """Return the true accuracy, the claimed one, what lies between, and the simulation.

    That of the figure before, faded, while there are too few runs.
    """
    chart: Chart = result
    truth = traces(chart.curve("truth"), chart, theme)
    claimed = traces(chart.curve(f"{name}_expected"), chart, theme)
    color = claimed[0]["line"]["color"]
    claimed[0] |= {"fill": "tonexty", "fillcolor": f"{color}33", "name": "Claimed accuracy, exact"}
    said, look = f"Claimed, mean of {result.runs} simulated runs", {}
    if result.runs < _FEWEST_RUNS:
        before = filling.stand_in(chart, theme.before)
        if before is None or f"{name}_simulated" not in {c.key for c in before.curves}:
            return [*truth, *claimed]
        said = "Claimed, mean of simulated runs"
        chart, look = before, {"opacity": filling.FADED, "hoverinfo": "skip"}
    curve = chart.curve(f"{name}_simulated")
    sparse = slice((curve.x.size - 1) % _SPARSE, None, _SPARSE)  # the last one among them
    parts = {key: getattr(curve, key)[sparse] for key in ("x", "y", "lower", "upper")}
    simulated = traces(replace(curve, **parts), chart, theme)
    simulated[0] |= look | {"name": said}
    return [*truth, *claimed, *simulated]


def _until(trace: Trace, stop: float) -> dict[str, Any]:
    """Return the points of a curve up to one number of questions."""
    shown = trace["x"] <= stop
    points: dict[str, Any] = {"x": trace["x"][shown], "y": trace["y"][shown]}
    if "error_y" in trace:
        points["error_y"] = {end: trace["error_y"][end][shown] for end in ("array", "arrayminus")}
    return points


VIEW = View(
    key="attack",
    title="The attack",
    compute=attack,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("sample_size", "questions", "epsilon", "delta", *_RARE, "seed"),
    in_sight=("questions", "sample_size", "epsilon"),
    why="By accident each coin matches the label a little more, or a little less, than half of the "
    "time in this sample. The analyst keeps the sign that fits, and thousands of small accidents "
    "add up to a rule that fits this sample and nothing else. Noise hides the accidents.",
    idle=idle_controls,
    first_seconds=2.0,
)
