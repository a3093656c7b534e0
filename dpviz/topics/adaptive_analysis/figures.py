"""Adaptive analysis: the attack, the questions a sample can answer, and what they cost."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw, traces
from dpviz.plot.panels import stacked
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve
from dpviz.topics.adaptive_analysis.overfitting import MECHANISMS
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.views.attack import AttackResult
from dpviz.topics.adaptive_analysis.views.budget import BudgetParts
from dpviz.topics.adaptive_analysis.views.queries import QueryCurves
from dpviz.topics.adaptive_analysis.words import FEWEST_RUNS, count, percent, questions

_FRAMES = 20
_FRAME = 250  # milliseconds
_PLAY_ROOM = 30  # pixels
_SPARSE = 3  # one of so many simulated points is drawn: their intervals would touch
_PARTS = {  # places in the palette: what is not about a mechanism keeps off its colours
    "sample_error": 7,
    "privacy": 8,
    "c": 9,
    "d": 4,
    "sample_failure": 7,
    "privacy_failure": 8,
}
_ROW = 0.42  # height of a bar, of 1 from bar to bar


# ---- the attack ----------------------------------------------------------------------------


def attack_figure(result: AttackResult, theme: Theme) -> Figure:
    """Draw claimed and true accuracy as the questions accumulate, a panel for each mechanism.

    A button plays the questions.
    """
    theme = theme.crowded()
    figure, notes, places = Figure(), [], {}
    across = Scale.of(result.chart.x, result.stops, 0.0)
    shown = [result.chart.curve("truth"), *result.chart.curves]
    # What noise claims of a tiny sample can be far from any accuracy; the truth stays in sight.
    claims = np.concatenate([c.y for c in shown])
    up = Scale.of(result.chart.y, np.clip(claims, 0.0, 1.0), 0.08)
    for number, (name, label) in enumerate(MECHANISMS.items()):
        subject = result.chart.curve(f"{name}_expected").subject
        axis, gap = str(number + 1) if number else "", 0.06 if theme.compact else 0.04
        width = (1 - 2 * gap) / len(MECHANISMS)
        left = number * (width + gap)
        ticks = settings(across)
        if theme.compact:
            ticks |= {key: ticks[key][::2] for key in ("tickvals", "ticktext")}
        places[f"xaxis{axis}"] = ticks | {
            "domain": [left, left + width],
            "title": {"text": "" if theme.compact and number != 1 else result.chart.x.label},
        }
        look = {"xaxis": f"x{axis}", "showlegend": not number}
        figure.add_traces(trace | look for trace in _panel(result, name, theme))
        text = f"{label.capitalize()}:<br>{percent(result.expected[name][-1])} claimed"
        notes.append(_heading(text, left, theme.subjects[subject]))
    # While a control moves nobody plays them, and they are most of what is drawn and sent.
    figure.frames = [] if theme.held is not None else _frames(figure, result)
    play_room = theme.px(_PLAY_ROOM)
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + play_room,
        margin={"l": theme.px(44), "r": 16, "t": theme.px(56), "b": theme.px(66) + play_room},
        hovermode="closest",
        showlegend=not theme.compact,
        yaxis=settings(up),
        annotations=notes,
        updatemenus=[play_button(theme, frame=_FRAME, pad=50)],
        **places,
    )


def _heading(text: str, left: float, color: str) -> dict[str, Any]:
    """Write above a panel what it is."""
    return {
        "text": text,
        "font": {"color": color},
        "align": "left",
        "x": left,
        "xref": "paper",
        "xanchor": "left",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _frames(figure: Figure, result: AttackResult) -> list[dict[str, Any]]:
    """Return what a button plays: all but the truth, up to more and more questions."""
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int))
    truth = result.chart.curve("truth").label
    moved = [i for i, trace in enumerate(figure.data) if trace["name"] != truth]
    return [
        {
            "name": str(stop),
            "traces": moved,
            "data": [_until(figure.data[i], result.stops[stop - 1]) for i in moved],
        }
        for stop in stops.tolist()
    ]


def _panel(result: AttackResult, name: str, theme: Theme) -> list[Trace]:
    """Return the true accuracy, the claimed one, what lies between, and the simulation."""
    chart = result.chart
    truth = traces(chart.curve("truth"), chart, theme)
    claimed = traces(chart.curve(f"{name}_expected"), chart, theme)
    color = claimed[0]["line"]["color"]
    claimed[0] |= {"fill": "tonexty", "fillcolor": f"{color}33", "name": "Claimed accuracy, exact"}
    if result.runs < FEWEST_RUNS:
        return [*truth, *claimed]
    sparse = slice((result.stops.size - 1) % _SPARSE, None, _SPARSE)  # the last one among them
    curve = chart.curve(f"{name}_simulated")
    parts = {key: getattr(curve, key)[sparse] for key in ("x", "y", "lower", "upper")}
    simulated = traces(replace(curve, **parts), chart, theme)
    simulated[0]["name"] = f"Claimed, mean of {result.runs} simulated runs"
    return [*truth, *claimed, *simulated]


def _until(trace: Trace, stop: float) -> dict[str, Any]:
    """Return the points of a curve up to one number of questions."""
    shown = trace["x"] <= stop
    points: dict[str, Any] = {"x": trace["x"][shown], "y": trace["y"][shown]}
    if "error_y" in trace:
        points["error_y"] = {end: trace["error_y"][end][shown] for end in ("array", "arrayminus")}
    return points


# ---- questions against samples ---------------------------------------------------------------


def queries_figure(result: QueryCurves, theme: Theme) -> Figure:
    """Draw the questions against the samples, and below by how much bounded noise is ahead.

    The lower panel has its place before there is anything in it: a figure that grows would push
    away the slider that is being moved. A projector has no room for it: the sentence says how far
    bounded noise is ahead, and the legend takes what is left.
    """
    known, ahead = (
        tuple(c for c in _wide_below(chart) if np.isfinite(c.y).any())
        for chart in (result.chart, result.ratio)
    )
    upper = replace(result.chart, curves=known)
    if theme.scale > 1 or (not ahead and result.done == 1.0):
        return draw(upper, theme)
    return stacked(upper, replace(result.ratio, curves=ahead, here=upper.here), theme)


def _wide_below(chart: Chart) -> list[Curve]:
    """Return the curves in an order that hides none where several are the same."""
    return sorted(chart.curves, key=lambda curve: -curve.weight)


# ---- where the budget goes ---------------------------------------------------------------------


def budget_figure(result: BudgetParts, theme: Theme) -> Figure:
    """Draw what α and β are spent on: a bar for each mechanism, α above, β below.

    On a projector, which is low, they are side by side.
    """
    figure = Figure()
    annotations: list[dict[str, Any]] = []
    beside = bool(theme.room) and theme.scale > 1 and not theme.compact
    across = ((0.0, 0.46), (0.54, 1.0)) if beside else ((0.0, 1.0),) * 2
    up = ((0.0, 1.0),) * 2 if beside else ((0.58, 1.0), (0.0, 0.37))
    for chart, axis in ((result.alpha_chart, "y"), (result.beta_chart, "y2")):
        _add_bars(figure, chart, axis, theme)
        annotations += _rows(result.budgets, axis, theme, named=axis == "y" or not beside)
    rows = {
        "range": [-result.count + 0.4, 0.75],
        "showticklabels": False,
        "showgrid": False,
        "fixedrange": True,
    }
    legend = {"orientation": "v" if beside else "h", "yref": "paper", "yanchor": "bottom"}
    above = (5 if beside else 0) * theme.font_size  # for the longer legend
    return figure.update_layout(
        template=theme.template(),
        height=round((1.7 if theme.compact else 1.0 if theme.room else 1.25) * theme.height),
        barmode="overlay",
        hovermode="closest",
        margin={"l": 16, "r": 24, "t": 16, "b": 48}
        if theme.compact
        else {
            "l": 12 * theme.font_size,
            "r": 5 * theme.font_size,
            "t": 44 + above,
            "b": theme.px(48),
        },
        showlegend=not theme.compact,
        legend=legend | {"x": across[0][0], "y": up[0][1]},
        legend2=legend | {"x": across[1][0], "y": up[1][1]},
        xaxis={
            "title": {"text": "accuracy α", "standoff": 4},
            "range": [0, result.alpha],
            "domain": across[0],
        },
        xaxis2={
            "title": {"text": "failure probability β", "standoff": 4},
            "range": [0, result.beta],
            "domain": across[1],
            "anchor": "y2",
        },
        yaxis=rows | {"domain": up[0]},
        yaxis2=rows | {"domain": up[1], "anchor": "x2"},
        annotations=annotations,
    )


def _add_bars(figure: Figure, chart: Chart, axis: str, theme: Theme) -> None:
    """Draw the parts of one budget, end to end, a row for each mechanism."""
    base = np.zeros(chart.curves[0].y.size)
    for curve in chart.curves:
        figure.add_bar(
            x=curve.y,
            y=-curve.x,
            base=base,
            orientation="h",
            width=_ROW,
            offset=-_ROW,
            marker={"color": theme.palette[_PARTS[curve.key]]},
            name=curve.label,
            legend="legend" if axis == "y" else "legend2",
            xaxis="x" if axis == "y" else "x2",
            yaxis=axis,
            hovertemplate=f"{curve.label}: %{{x:.3g}}<extra></extra>",
        )
        base = base + curve.y


def _rows(
    budgets: Mapping[str, QueryBudget], axis: str, theme: Theme, *, named: bool
) -> list[dict[str, Any]]:
    """Write which mechanism each bar is, and in the upper panel what it answers.

    On a phone above the bar, else beside it, where they are `named`.
    """
    look = {"yref": axis, "showarrow": False, "font": {"size": theme.font_size - 1}}
    notes = []
    for row, (name, budget) in enumerate(budgets.items()):
        answers = f"{count(budget.queries)} {questions(budget.queries)}" if axis == "y" else ""
        if theme.compact:
            text = f"{name}: {answers}" if answers else name
            above = {"x": 0, "xref": f"x{axis[1:]}", "xanchor": "left", "yanchor": "bottom"}
            notes.append(look | above | {"text": text, "y": -row})
            continue
        beside = look | {"xref": "paper", "yanchor": "middle", "y": -row - _ROW / 2}
        if named:
            notes.append(beside | {"text": name, "x": 0, "xanchor": "right", "xshift": -8})
        if answers:
            right = {"x": 1, "xanchor": "left", "xshift": 6}
            notes.append(beside | right | {"text": count(budget.queries)})
    if axis == "y" and not theme.compact:
        above = {"x": 1, "y": 0.6, "xref": "paper", "xanchor": "left", "yanchor": "middle"}
        notes.append(look | above | {"text": "questions", "xshift": 6})
    return notes
