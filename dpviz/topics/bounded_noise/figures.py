"""Bounded against Gaussian noise: the figures `draw` alone cannot make."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, scatter
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, FloatArray, Mark, Subject
from dpviz.results.parameters import LIMITS
from dpviz.topics.bounded_noise.views.error_curves import ErrorComparison
from dpviz.topics.bounded_noise.views.noise_choice import NoiseChoice
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws
from dpviz.topics.bounded_noise.views.published_losses import STEPS, PublishedLosses
from dpviz.topics.bounded_noise.views.turned_round import TurnedRound
from dpviz.topics.bounded_noise.views.winners import SUBJECTS, Winners
from dpviz.topics.bounded_noise.words import (
    added,
    answer,
    best_power,
    likelihood,
    private_end,
    whole_count,
    winners_here,
)

_FRAMES = 48
_FRAME = 130  # milliseconds: the first answers come one by one, slow enough to read
_STRIP = 130  # pixels
_SCATTER = 0.4  # height of a lane of dots, so that answers close together can be told apart
_TINT = 0.3  # of the parts of a map
_HATCHES = {"gaussian": "/", "tuned": "."}  # what tells the parts apart without their colours
_ROW = 0.42  # height of a bar, of 1 from bar to bar
_LANES = ((Subject.BOUNDED, 1), (Subject.GAUSSIAN, 0))


# ---- the noise itself ----------------------------------------------------------------------


def noise_figure(result: CalibratedDraws, theme: Theme) -> Figure:
    """Draw both densities, and below them the errors drawn, which a button plays one by one."""
    figure = draw(result.noise.chart, theme)
    margin, height = figure.layout["margin"], figure.layout["height"]
    share = _STRIP / (height - margin["t"] - margin["b"] + _STRIP)
    looks, final = _strip_looks(result, theme), _strip(result, None)
    # A frame that leaves out a trace of either panel would clear that panel.
    above: list[dict[str, Any]] = [{} for _ in figure.data]
    figure.add_traces(scatter(**look, **now) for look, now in zip(looks, final, strict=True))
    counts = np.geomspace(1, result.bounded.errors.size, _FRAMES).round().astype(int)
    # While a control moves nobody plays them, and they are half of what is drawn and sent.
    moving = theme.held is not None
    figure.frames = [
        {
            "name": str(count),
            "traces": list(range(len(figure.data))),
            "data": [*above, *_strip(result, count)],
        }
        for count in (() if moving else (*dict.fromkeys(counts.tolist()), None))
    ]
    dots = f"{whole_count(result.bounded.errors.size)} of {whole_count(result.noise.queries)} "
    crowded = _crowded(theme)
    dots += "as dots" if crowded else "answers as dots"
    across = figure.layout["xaxis"]
    beneath = theme.px(56 if crowded else 20)  # with little room the buttons stand below the title
    return figure.update_layout(
        height=height + _STRIP + beneath,
        margin={
            "b": margin["b"] + beneath,
            "l": max(margin["l"], round(10 + 0.5 * theme.font_size * len("Gaussian"))),
        },
        hovermode="closest",
        xaxis={key: _ticks(across[key], theme) for key in ("tickvals", "ticktext")}
        | {"anchor": "y2", "title": {"text": f"{across['title']['text']}<br>{dots}"}},
        yaxis={"domain": [share, 1]},
        yaxis2={
            "domain": [0, 0.9 * share],
            "range": [-0.5, 1.8],
            "tickvals": [level for _, level in _LANES],
            "ticktext": ["bounded", "Gaussian"],
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=[_wall(x, theme) for x in (-result.noise.radius, result.noise.radius)],
        annotations=[*figure.layout["annotations"], _wall_note(result.noise.radius, theme)],
        updatemenus=[play_button(theme, frame=_FRAME, pad=70 if crowded else 34)],
    )


def _ticks(values: Sequence[Any], theme: Theme) -> Sequence[Any]:
    """Return every second of the ticks, which lie about 0, where long numbers would collide."""
    return values[len(values) // 2 % 2 :: 2] if _crowded(theme) else values


def _crowded(theme: Theme) -> bool:
    """Say whether words have little room: on a phone, and where they are large."""
    return theme.compact or theme.scale > 1


def _wall(x: float, theme: Theme) -> dict[str, Any]:
    line = {"color": theme.subjects[Subject.BOUNDED], "width": 1}
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "line", "layer": "below", "line": line} | ends


def _wall_note(radius: float, theme: Theme) -> dict[str, Any]:
    words = "R" if _crowded(theme) else "no bounded error beyond R"
    return {
        "text": f"{words} = {readable(radius)} Δ",
        "font": {"color": theme.subjects[Subject.BOUNDED]},
        "x": radius,
        "xanchor": "right",
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _strip_looks(result: CalibratedDraws, theme: Theme) -> list[dict[str, Any]]:
    """Return what stays the same while answers are drawn: two lanes of dots, their largest."""
    colors = [theme.subjects[subject] for subject, _ in _LANES]
    levels = np.array([level for _, level in _LANES], dtype=np.float32)
    common = {"yaxis": "y2", "hoverinfo": "skip", "showlegend": False}
    # The golden ratio spreads successive dots evenly over the lane.
    spread = _SCATTER * (np.arange(result.bounded.errors.size) * 0.618034 % 1 - 0.5)
    dots = [
        {
            "y": (level + spread).astype(np.float32),
            "mode": "markers",
            "marker": {"color": color, "size": 5, "opacity": 0.5},
        }
        for color, level in zip(colors, levels, strict=True)
    ]
    edge = {"color": theme.background, "width": 1.5}
    largest = {
        "y": levels,
        "mode": "markers",
        "marker": {"color": colors, "size": 12, "opacity": 1, "line": edge},
    }
    words = {"y": levels + 0.45, "mode": "text", "textfont": {"color": colors}}
    return [common | look for look in (*dots, largest, words)]


def _strip(result: CalibratedDraws, count: int | None) -> list[dict[str, Any]]:
    """Return what changes: the first `count` errors and the largest of them; all if None."""
    draws = (result.bounded, result.gaussian)
    shown = [drawn.errors[:count].astype(np.float32) for drawn in draws]
    if count is None:
        largest = [drawn.largest for drawn in draws]
        words = f"largest of {'all ' if result.noise.queries > 1 else ''}"
        words += whole_count(result.noise.queries)
    else:
        largest = [float(errors[np.argmax(np.abs(errors))]) for errors in shown]
        words = f"largest of {count}"
    return [
        *({"x": errors} for errors in shown),
        {"x": largest},
        {
            "x": largest,
            "text": [f"{words}: {readable(abs(error))} Δ" for error in largest],
            "textposition": ["middle left" if e > 0 else "middle right" for e in largest],
        },
    ]


# ---- error curves --------------------------------------------------------------------------


def errors_figure(result: ErrorComparison, theme: Theme) -> Figure:
    """Draw the errors, and at the reader's own place those that the sentence compares, in Δ."""
    chart = result.chart
    compared = {
        "bounded_certain": (result.radius.upper, Subject.BOUNDED),
        f"gaussian_{result.failure_probability:g}": (result.gaussian_error, Subject.GAUSSIAN),
    }
    marks = tuple(
        Mark(chart.here, chart.value(key), f"{readable(error)} Δ", subject)
        for key, (error, subject) in compared.items()
        if key in {curve.key for curve in chart.curves}
    )
    return draw(replace(chart, marks=(*chart.marks, *marks)), theme)


# ---- choose the noise ----------------------------------------------------------------------


def choice_figure(result: NoiseChoice, theme: Theme) -> Figure:
    """Draw the measure along p, with the best p marked; shapes and errors along k as they are."""
    if result.chart.x.name != "p":
        return draw(result.chart, theme)
    marks = [Mark(result.best_power, result.best.upper, best_power(result), Subject.BOUNDED)]
    if abs(result.best_power / 2 - 1) > 0.1:
        marks.append(Mark(2.0, result.at_two.upper, "p = 2", Subject.BOUNDED))
    return draw(replace(result.chart, marks=tuple(marks)), theme)


# ---- solve for ε or k ----------------------------------------------------------------------


def turned_figure(result: TurnedRound, theme: Theme) -> Figure:
    """Draw the answers along the target, with those at the reader's own marked."""
    symbol = LIMITS[result.solve_for].symbol
    likely = f"probability {likelihood(result.failure_probability)}"
    rows = (
        (private_end(result, result.certain), "certain", Subject.BOUNDED),
        (private_end(result, result.likely), likely, Subject.BOUNDED),
        (result.gaussian, likely, Subject.GAUSSIAN),
    )
    marks = tuple(
        Mark(result.target, value, f"{symbol} = {answer(result, value)}, {words}", subject)
        for value, words, subject in rows
        if value != result.best
    )
    return draw(replace(result.chart, marks=marks), theme)


# ---- where the published bound loses ---------------------------------------------------------


def losses_figure(result: PublishedLosses, theme: Theme) -> Figure:
    """Draw a waterfall: what each step of the proof adds, and below what all of them add."""
    total = result.excess(result.published)
    losses = result.losses or dict.fromkeys(STEPS, 0.0)
    ends = np.cumsum(list(losses.values())).tolist()
    rows = [
        (STEPS[step], end - loss, loss)
        for (step, loss), end in zip(losses.items(), ends, strict=True)
    ]
    rows.append(("The published radius", 0.0, total))
    colors = [theme.subjects[Subject.BOUNDED]] * len(losses) + [theme.subjects[Subject.EARLIER]]
    places = -np.arange(float(len(rows)))
    figure = Figure()
    figure.add_bar(
        x=np.array([loss for _, _, loss in rows]),
        y=places,
        base=np.array([start for _, start, _ in rows]),
        orientation="h",
        width=_ROW,
        offset=-_ROW,
        marker={"color": colors},
        showlegend=False,
        hovertemplate="%{x:.3g}% more noise<extra></extra>",
    )
    shown = [f": {added(loss)}" for _, _, loss in rows]
    if not result.losses:
        shown[:-1] = [""] * len(losses)
    return figure.update_layout(
        template=theme.template(),
        height=theme.height,
        hovermode="closest",
        margin={"l": 16, "r": 24, "t": 16, "b": theme.px(48)},
        xaxis={
            "title": {"text": f"{result.chart.y.label}, %", "standoff": 4},
            "range": [0, 1.04 * total],
        },
        yaxis={
            "range": [-len(rows) + 0.4, 0.75],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        annotations=[
            {
                "text": f"{name}{loss}",
                "x": 0,
                "xanchor": "left",
                "y": place,
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": theme.font_size - 1},
            }
            for (name, _, _), loss, place in zip(rows, shown, places.tolist(), strict=True)
        ],
    )


# ---- who errs least where --------------------------------------------------------------------


def winners_figure(result: Winners, theme: Theme) -> Figure:
    """Draw the map: the part of each noise in its colour, with its name, and the reader's place."""
    chart = result.chart
    if result.own:
        best = result.ordered[0]
        above = "↑ " if result.queries > result.highest else ""
        place = Mark(
            chart.here,
            min(result.queries, result.highest),
            f"{above}{winners_here(result)}",
            SUBJECTS[best],
        )
        chart = replace(chart, marks=(place,))
    figure = draw(chart, theme)
    low, high = (10**end for end in figure.layout["yaxis"]["range"])
    x = chart.curves[0].x
    borders = [np.full(x.size, low)]
    borders += [np.nan_to_num(curve.y, nan=high) for curve in chart.curves]
    borders.append(np.full(x.size, high))
    parts = []
    for name, foot, top in zip(result.ranks, borders, borders[1:], strict=False):
        color = theme.subjects[SUBJECTS[name]]
        parts.append(
            scatter(
                x=np.concatenate([x, x[::-1]]),
                y=np.concatenate([foot, top[::-1]]),
                fill="toself",
                fillcolor=color,
                fillpattern={
                    "shape": _HATCHES.get(name, ""),
                    "fillmode": "overlay",
                    "size": 12,
                    "solidity": 0.12,
                    "fgcolor": theme.text,
                },
                opacity=_TINT,
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
            )
        )
        # along a single line the curves' own labels say it; a part may be empty
        if x.size > 1 and np.any(top > foot):
            half = 0.25 * theme.font_size * len(result.named(name))
            room = _between(figure, half, theme)
            at = _middle(np.log10(x), np.log10(foot), np.log10(top), chart, room)
            look = {"text": result.named(name), "font": {"color": color}, "showarrow": False}
            figure.layout["annotations"].append(at | look)
    figure.data[:0] = parts
    return figure


def _between(figure: Figure, half: float, theme: Theme) -> tuple[float, float]:
    """Return from where to where words may be centred, half so many pixels long, in the plot."""
    margin, (low, high) = figure.layout["margin"], figure.layout["xaxis"]["range"]
    beside = half * (high - low) / (theme.width - margin["l"] - margin["r"])
    return low + beside, max(high - beside, low + beside)


def _middle(
    x: FloatArray, foot: FloatArray, top: FloatArray, chart: Chart, room: tuple[float, float]
) -> dict[str, float]:
    """Return where the name of a part stands: where it is high, off the ends and the reader's x.

    In the part where the reader's place is told, on the side of it where there is more room; room:
    where on the axis it may be.
    """
    at = np.clip(x[0] + (x[-1] - x[0]) * np.linspace(0.25, 0.75, 11), *room)
    low, high = np.interp(at, x, foot), np.interp(at, x, top)
    beside = np.minimum(np.abs(at - math.log10(chart.here)) / (x[-1] - x[0]), 0.4)
    best = int(np.argmax((high - low) * beside))
    share = 0.5
    for mark in chart.marks:
        told = math.log10(mark.y)
        if low[best] <= told <= high[best]:
            share = 0.85 if told < low[best] + 0.6 * (high[best] - low[best]) else 0.15
    return {"x": float(at[best]), "y": float(low[best] + share * (high[best] - low[best]))}
