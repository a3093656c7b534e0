"""Public data: the pictures of private learners."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw
from dpviz.plot.panels import stacked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, FloatArray, Subject
from dpviz.topics.public_data.learners import subject
from dpviz.topics.public_data.views.cost import CostChart
from dpviz.topics.public_data.views.errors import ErrorChart, ShiftChart, best_points
from dpviz.topics.public_data.views.lesson import Lesson

_THIN = 24  # redraws drawn
_JITTER = 0.09
_GOLDEN = 0.618034  # its multiples spread evenly


# ---- one lesson ------------------------------------------------------------------------------


def lesson_figure(result: Lesson, theme: Theme) -> Figure:
    """Draw the data, f̄, the function released, and what other draws of the noise would release."""
    return _in_the_square(result, theme) if result.task.plane else _on_the_line(result, theme)


def _color(result: Lesson, theme: Theme) -> str:
    return theme.subjects[subject(result.learner, result.budget.noise)]


def _on_the_line(result: Lesson, theme: Theme) -> Figure:
    figure, color = Figure(), _color(result, theme)
    x = result.grid.astype(np.float32)
    private, spread = result.private, np.arange(result.private.y.size) * _GOLDEN % 1 - 0.5
    jitter = 2 * _JITTER * spread if result.task.classifies else 0 * spread
    figure.add_scatter(
        x=private.x.astype(np.float32),
        y=(private.y + jitter).astype(np.float32),
        mode="markers",
        marker={"color": theme.muted, "size": 4, "opacity": 0.45},
        name="private examples",
        hovertemplate="private: x = %{x:.3f}, y = %{y:.2f}<extra></extra>",
    )
    figure.add_scatter(
        x=result.public.astype(np.float32),
        y=np.full(result.public.size, -1.3, dtype=np.float32),
        mode="markers",
        marker={"color": theme.text, "size": 11, "symbol": "line-ns-open"},
        name="public points, without labels",
        hovertemplate="public: x = %{x:.3f}<extra></extra>",
    )
    redraws = result.values(result.redraws[:_THIN])
    gaps = np.full((len(redraws), 1), np.nan)
    figure.add_scatter(
        x=np.tile(np.append(x, np.float32(np.nan)), len(redraws)),
        y=np.concatenate([redraws, gaps], axis=1).ravel().astype(np.float32),
        mode="lines",
        line={"color": color, "width": 1},
        opacity=0.25,
        name="released with other noise",
        hoverinfo="skip",
    )
    lines = (
        (_between(result), result.between, theme.subjects[Subject.ITEM_LEVEL], 2.5, "solid"),
        ("released, f̂", result.values(result.released[None])[0], color, 3.5, "solid"),
        # Last, for where both are the same it would be hidden.
        ("target", result.values(result.task.target[None])[0], theme.text, 2.0, "dot"),
    )
    for name, values, tint, width, dash in lines:
        figure.add_scatter(
            x=x,
            y=values.astype(np.float32),
            mode="lines",
            line={"color": tint, "width": width, "dash": dash},
            name=name,
            hovertemplate=f"{name}: %{{y:.3f}}<extra></extra>",
        )
    vertical = Axis("y", "label and f(x)", log=False)
    figure.update_layout(
        xaxis=settings(Scale(Axis("x", "x", log=False), 0.0, 1.0)) | {"title": {"text": "x"}},
        yaxis=settings(Scale(vertical, -1.45, 1.2)) | {"title": {"text": vertical.label}},
    )
    return _dressed(figure, theme)


def _in_the_square(result: Lesson, theme: Theme) -> Figure:
    figure, private = Figure(), result.private
    for label, symbol in ((1.0, "circle"), (-1.0, "x-thin-open")):
        chosen = private.x[private.y == label].astype(np.float32)
        figure.add_scatter(
            x=chosen[:, 0],
            y=chosen[:, 1],
            mode="markers",
            marker={"color": theme.muted, "size": 6, "symbol": symbol, "opacity": 0.7},
            name=f"private, label {'1' if label > 0 else '−1'}",
            hovertemplate="private: %{x:.3f}, %{y:.3f}<extra></extra>",
        )
    public = result.public.astype(np.float32)
    figure.add_scatter(
        x=public[:, 0],
        y=public[:, 1],
        mode="markers",
        marker={"color": theme.text, "size": 9, "symbol": "diamond"},
        name="public points, without labels",
        hovertemplate="public: %{x:.3f}, %{y:.3f}<extra></extra>",
    )
    _add_dividing_lines(figure, result, theme)
    square = {"range": [0, 1], "showgrid": True}
    figure.update_layout(
        xaxis=square | {"title": {"text": "x₁"}}, yaxis=square | {"title": {"text": "x₂"}}
    )
    return _dressed(figure, theme)


def _add_dividing_lines(figure: Figure, result: Lesson, theme: Theme) -> None:
    """Draw where each function changes its sign."""
    color = _color(result, theme)
    grey = theme.subjects[Subject.ITEM_LEVEL]
    between = result.outcome.learned.intermediate[0]
    lines = (
        ("released with other noise", result.redraws[:_THIN], color, 1.0, "solid", 0.3),
        (_between(result), between[: len(between) == 1], grey, 2.5, "solid", 1.0),
        ("released, f̂", result.released[None], color, 3.5, "solid", 1.0),
        ("target", result.task.target[None], theme.text, 2.0, "dot", 1.0),
    )
    for name, functions, tint, width, dash, opacity in lines:
        if not len(functions):
            continue
        ends = np.concatenate([_across(f) for f in functions])
        figure.add_scatter(
            x=ends[:, 0],
            y=ends[:, 1],
            mode="lines",
            line={"color": tint, "width": width, "dash": dash},
            opacity=opacity,
            name=name,
            hoverinfo="skip",
        )
    if len(between) > 1:  # the average is no half-plane: where it changes its sign
        side = math.isqrt(len(result.grid))
        figure.add_contour(
            x=np.linspace(0, 1, side),
            y=np.linspace(0, 1, side),
            z=result.between.reshape(side, side).astype(np.float32),
            contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
            line={"color": grey, "width": 2.5},
            showscale=False,
            name=_between(result),
            hoverinfo="skip",
            showlegend=True,
        )


def _across(function: FloatArray) -> FloatArray:
    """Return where a line crosses a neighbourhood of the square, ended by a gap."""
    u, v, b = function
    foot = b * np.array([u, v])
    along = 2.0 * np.array([-v, u])
    return np.array([foot - along, foot + along, [np.nan, np.nan]])


def _dressed(figure: Figure, theme: Theme) -> Figure:
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (0 if theme.compact else 60),
        margin={
            "l": theme.px(56),
            "r": 16,
            "t": 16,
            "b": theme.px(56 if theme.compact else 140),
        },
        hovermode="closest",
        showlegend=not theme.compact,
    )


def _between(result: Lesson) -> str:
    return {
        "perturbation": "average of J minimisers, f̄",
        "regularization": "regularised, f̄",
    }.get(result.learner, "before projection, f̃")


# ---- error against m ------------------------------------------------------------------------


def points_figure(chart: ErrorChart, theme: Theme) -> Figure:
    """Draw the error against m, its least place marked."""
    mark = best_points(chart, next(iter(chart.private)))
    return draw(replace(chart, marks=(mark,)) if mark else chart, theme)


# ---- cost ------------------------------------------------------------------------------------


def cost_figure(chart: CostChart, theme: Theme) -> Figure:
    """Draw the calls of a run, and below them its seconds."""
    return stacked(chart, chart.seconds, theme)


# ---- shift -----------------------------------------------------------------------------------


def shift_figure(chart: ShiftChart, theme: Theme) -> Figure:
    """Draw the error against σ, and below it the privacy loss."""
    figure = draw(chart, theme)
    lower = draw(replace(chart.privacy, curves=_drawable(chart.privacy)), theme)
    share = 0.30
    gap = 0.26 if theme.scale > 1 else 0.17
    height = theme.height + (160 if theme.compact else 60 if theme.room else 120)
    plot = height - figure.layout["margin"]["t"] - figure.layout["margin"]["b"]
    figure.update_layout(
        yaxis={"domain": [share + gap, 1]},
        height=height,
        xaxis={"anchor": "y", "title": {"text": ""}},
    )
    figure.layout["shapes"] = [line | {"yref": "y domain"} for line in figure.layout["shapes"]]
    figure.add_traces(trace | {"xaxis": "x2", "yaxis": "y2"} for trace in lower.data)
    top = max((float(np.nanmax(c.y)) for c in chart.privacy.curves if np.any(c.y > 0)), default=1.0)
    scale = Scale(chart.privacy.y, -0.1 * top, 1.15 * top)
    across = figure.layout["xaxis"]
    figure.update_layout(
        xaxis2={"type": "log", "range": across["range"], "anchor": "y2"}
        | {"tickvals": across["tickvals"], "ticktext": across["ticktext"]}
        | {"title": {"text": "smoothness σ (1: no shift)"}},
        yaxis2=settings(scale, share * plot) | {"domain": [0, share], "anchor": "x2"},
    )
    words = "one pair" if theme.compact else "one pair of neighbouring data sets"
    figure.add_annotation(
        text=f"privacy loss of {words}, and ε (dotted)",
        bgcolor=theme.background,
        x=0,
        xref="paper",
        xanchor="left",
        y=share,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        font={"color": theme.text},
    )
    return figure


def _drawable(chart: Chart) -> tuple[Curve, ...]:
    return tuple(curve for curve in chart.curves if np.isfinite(curve.y).any())
