"""The clipping page's own figures: one user, and what gets selected."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, from_zero, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.clipping.views.one_user import UserScores
from dpviz.topics.clipping.views.selected import Selected

# Parts of the height: the lanes that compare bias and noise, and the gap above them.
_LANES, _GAP = 0.24, 0.12


# ---- one user -------------------------------------------------------------------------------


def user_figure(result: UserScores, theme: Theme) -> Figure:
    """Draw the histogram of the users' scores, τ as two lines, and below it bias and noise."""
    figure = Figure()
    _add_histogram(figure, result, theme)
    lanes = _lanes(result)
    for level, lane in enumerate(lanes):
        _add_lane(figure, lane, level, theme)
    scale = _score_scale(result, lanes, theme)
    base = 0 if theme.compact else 10
    users = int((result.inside + result.outside).max(initial=1))
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (70 if not theme.room else 0),
        margin={"l": theme.px(60), "r": 16, "t": theme.px(28), "b": theme.px(60 + base)},
        barmode="stack",
        bargap=0,
        hovermode="closest",
        showlegend=not theme.compact,
        legend={
            "x": 1,
            "xanchor": "right",
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "orientation": "v",
        },
        xaxis=settings(scale) | {"title": {"text": scale.axis.label}, "anchor": "y2"},
        yaxis=from_zero(1.05 * users, most=5)
        | {"domain": [_LANES + _GAP, 1], "title": {"text": "users"}},
        yaxis2={
            "domain": [0, _LANES],
            "range": [-0.7, 1.9],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=_lines(result, scale, theme),
        annotations=_names(result, scale, lanes, theme),
    )


@dataclass(frozen=True)
class _Lane:
    """A row below the histogram: the mean score of a user, and the noise on it."""

    name: str
    short_name: str
    mean: float
    noise: float
    subject: Subject


def _lanes(result: UserScores) -> tuple[_Lane, _Lane]:
    unclipped = result.noise(result.unclipped_sensitivity)
    clipped = result.noise(result.sensitivity)
    without = "without clipping"
    return (
        _Lane(without, without, result.scores.mean(), unclipped, Subject.EARLIER),
        _Lane("clipped at τ", "clipped", result.clipped.mean(), clipped, Subject.USER_LEVEL),
    )


def _add_histogram(figure: Figure, result: UserScores, theme: Theme) -> None:
    """Draw how many users have a score: those who count in full, and on top those cut off."""
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    width = result.edges[1] - result.edges[0]
    for name, counts, subject in (
        ("counts in full", result.inside, Subject.USER_LEVEL),
        ("cut off at ±τ" if result.low < 0 else "cut off at τ", result.outside, Subject.DANGER),
    ):
        figure.add_bar(
            x=middles,
            y=counts,
            width=np.full(middles.size, 0.92 * width),
            name=name,
            marker={"color": theme.subjects[subject]},
            hovertemplate="score %{x:.3~g}: %{y} users<extra></extra>",
        )


def _add_lane(figure: Figure, lane: _Lane, level: int, theme: Theme) -> None:
    color = theme.subjects[lane.subject]
    bar = {"array": [lane.noise], "thickness": 3 * theme.scale, "width": 6, "color": color}
    figure.add_scatter(
        x=[lane.mean],
        y=[level],
        error_x=bar,
        mode="markers",
        marker={"color": color, "size": 10 * theme.scale},
        name=lane.name,
        showlegend=False,
        xaxis="x",
        yaxis="y2",
        hovertemplate=f"{lane.name}: mean %{{x:.3~g}} ± {readable(lane.noise)}<extra></extra>",
    )


def _score_scale(result: UserScores, lanes: tuple[_Lane, ...], theme: Theme) -> Scale:
    """Return the axis of scores: all bars, and the noise, which is cut at the ends ±m."""
    m = float(result.examples_per_user)
    ends = [lane.mean + sign * lane.noise for lane in lanes for sign in (-1, 1)]
    lines = [value for value in (result.low, result.threshold) if abs(value) <= m]
    values = np.concatenate([result.edges, np.clip(ends, -1.05 * m, 1.05 * m), lines])
    label = (
        "score of one user"
        if theme.compact
        else f"score of one user, summed over m = {result.examples_per_user:,} examples"
    )
    return Scale.of(Axis("score", label, log=False), values, 0.02)


def _lines(result: UserScores, scale: Scale, theme: Theme) -> list[dict[str, Any]]:
    ends = [end for end in {result.low, result.threshold} if scale.holds(end)]
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": end,
            "x1": end,
            "y0": _LANES + _GAP,
            "y1": 1,
            "line": {"color": theme.text, "width": 2.5 * theme.scale, "dash": "dash"},
        }
        for end in sorted(ends)
    ]


def _names(
    result: UserScores, scale: Scale, lanes: tuple[_Lane, ...], theme: Theme
) -> list[dict[str, Any]]:
    """Name the lines and the two lanes."""
    ends = [(result.threshold, "τ")] + ([(result.low, "−τ")] if result.low < 0 else [])
    names: list[dict[str, Any]] = [
        {"x": end, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom", "text": text}
        for end, text in ends
        if scale.holds(end)
    ]
    for level, lane in enumerate(lanes):
        told = (
            f"±{readable(lane.noise)}"
            if theme.compact
            else f"mean {readable(lane.mean)}, noise ±{readable(lane.noise)} a user"
        )
        names.append(
            {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": level + 0.2,
                "yref": "y2",
                "yanchor": "bottom",
                "text": f"{lane.short_name}: {told}",
                "font": {"color": theme.subjects[lane.subject], "size": theme.font_size - 1},
            }
        )
    return [name | {"showarrow": False} for name in names]


# ---- what gets selected ---------------------------------------------------------------------


def selected_figure(result: Selected, theme: Theme) -> Figure:
    """Draw the probability of every candidate, clipped beside unclipped, the best at the left."""
    ranks = np.arange(1, len(result.names) + 1)
    hover = [
        f"{escape(name)}<br>true {result.task.metric} {readable(float(error))}"
        for name, error in zip(result.names, result.errors, strict=True)
    ]
    figure = Figure()
    bars = [
        (f"clipped at τ = {readable(result.threshold)}", result.clipped, Subject.USER_LEVEL),
        ("no clipping", result.unclipped, Subject.EARLIER),
    ]
    if result.published is not None:
        bars.append(("clipped, as published: Δ = 2τ", result.published, Subject.ITEM_LEVEL))
    for name, law, subject in bars:
        figure.add_bar(
            x=ranks,
            y=law,
            name=name,
            marker={"color": theme.subjects[subject]},
            customdata=hover,
            hovertemplate="%{customdata}<br>probability %{y:.3~g}<extra></extra>",
        )
    count = int(result.good.sum())
    scale = Scale(Axis("rank", "candidates, the best first", log=False), 0.4, ranks[-1] + 0.6)
    top = 1.08 * max(float(result.clipped.max()), float(result.unclipped.max()))
    return figure.update_layout(
        template=theme.template(),
        height=theme.height,
        margin={
            "l": theme.px(64),
            "r": 16,
            "t": theme.px(34),
            "b": theme.px(90 if not theme.compact else 56),
        },
        barmode="group",
        bargap=0.25,
        hovermode="closest",
        showlegend=not theme.compact,
        xaxis=settings(scale) | {"title": {"text": scale.axis.label}},
        yaxis=from_zero(top) | {"title": {"text": "probability of the answer"}},
        shapes=[_good_shade(count, theme)],
        annotations=[
            {
                "x": 0.4,
                "xanchor": "left",
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "text": f"within α = {readable(result.alpha)} of the best: {count}",
                "showarrow": False,
            }
        ],
    )


def _good_shade(count: int, theme: Theme) -> dict[str, Any]:
    """Return the shade behind the candidates within α of the best."""
    return {
        "type": "rect",
        "x0": 0.4,
        "x1": count + 0.5,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "fillcolor": theme.muted,
        "opacity": 0.14,
        "line": {"width": 0},
        "layer": "below",
    }
