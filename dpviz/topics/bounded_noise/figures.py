"""Bounded against Gaussian noise: the figures `draw` alone cannot make, and what they say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, scatter
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Bracket, Mark, Subject
from dpviz.results.parameters import LIMITS, format_number
from dpviz.topics.bounded_noise.views.noise_choice import NoiseChoice
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws
from dpviz.topics.bounded_noise.views.turned_round import TurnedRound

_FRAMES = 48
_FRAME = 130  # milliseconds: the first answers come one by one, slow enough to read
_STRIP = 130  # pixels
_SCATTER = 0.4  # height of a lane of dots, so that answers close together can be told apart
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
    dots = f"{_whole(result.bounded.errors.size)} of {_whole(result.noise.queries)} "
    dots += "as dots" if theme.compact else "answers as dots"
    across = figure.layout["xaxis"]
    return figure.update_layout(
        height=height + _STRIP + 20,
        margin={"b": margin["b"] + 20},
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
        updatemenus=[play_button(theme, frame=_FRAME, pad=34)],
    )


def _ticks(values: Sequence[Any], theme: Theme) -> Sequence[Any]:
    """Return every second of the ticks, which lie about 0, where long numbers would collide."""
    return values[len(values) // 2 % 2 :: 2] if theme.compact else values


def _wall(x: float, theme: Theme) -> dict[str, Any]:
    line = {"color": theme.subjects[Subject.BOUNDED], "width": 1}
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "line", "layer": "below", "line": line} | ends


def _wall_note(radius: float, theme: Theme) -> dict[str, Any]:
    words = "R" if theme.compact else "no bounded error beyond R"
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
        words += _whole(result.noise.queries)
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


def noise_takeaway(result: CalibratedDraws) -> str:
    """State the largest error of both draws, and how often Gaussian noise breaks the bound."""
    noise = result.noise
    often = f"with probability {readable(noise.exceeded)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded == 0:
        often = "with a probability too small for a computer's numbers"
    answers = f"{_whole(noise.queries)} answer{'s' if noise.queries > 1 else ''}"
    return (
        f"Of {answers} drawn from each noise, both as small as the same privacy allows, the "
        f"largest error is {readable(abs(result.bounded.largest))} Δ for bounded noise, which "
        f"never errs by more than {readable(noise.radius)} Δ, and "
        f"{readable(abs(result.gaussian.largest))} Δ for Gaussian noise, which exceeds that bound "
        f"{often}."
    )


# ---- choose the noise ----------------------------------------------------------------------


def choice_figure(result: NoiseChoice, theme: Theme) -> Figure:
    """Draw the measure along p, with the best p marked."""
    marks = [Mark(result.best_power, result.best.upper, _best(result), Subject.BOUNDED)]
    if abs(result.best_power / 2 - 1) > 0.1:
        marks.append(Mark(2.0, result.at_two.upper, "p = 2", Subject.BOUNDED))
    return draw(replace(result.chart, marks=tuple(marks)), theme)


def _best(result: NoiseChoice) -> str:
    power = readable(result.best_power)
    limit = LIMITS["power"]
    if result.best_power == limit.maximum:
        return f"p = {power}, the largest here"
    if result.best_power == limit.minimum:
        return f"p = {power}, the smallest here"
    return f"the best p found, {power}"


def choice_takeaway(result: NoiseChoice) -> str:
    """State the best p, what it gains, and what the rivals reach."""
    k, best = _whole(result.queries), readable(result.best.upper)
    sure = _sure(result.failure_probability)
    reached = {
        "hard": f"no error can exceed {best} Δ",
        "quantile": f"with probability {sure} none of {k} errors exceeds {best} Δ",
        "deviation": f"the standard deviation of one answer is {best} Δ",
    }[result.objective]
    sentence = f"With {_best(result)}, {reached}, {_percent(result.gain)} less than with p = 2"
    if result.iterated.upper < result.best.upper:
        sentence += f"; exp(exp(1/(1 − u²))) does better still, {readable(result.iterated.upper)} Δ"
    if result.objective == "hard":
        return (
            f"{sentence}; as k grows no bounded noise drawn afresh for each answer, however "
            f"shaped, comes below πσ, here {readable(result.floor)} Δ (a limit, not a bound at "
            f"k = {k})."
        )
    sentence += f"; Gaussian noise of the same privacy has {readable(result.gaussian)} Δ"
    if result.objective == "deviation":
        sentence += ", and as k grows no independent noise has less (Cramér and Rao)"
    return f"{sentence}."


# ---- turn it round -------------------------------------------------------------------------


def turned_figure(result: TurnedRound, theme: Theme) -> Figure:
    """Draw the answers along the target, with those at the reader's own marked."""
    symbol = LIMITS[result.solve_for].symbol
    likely = f"probability {_sure(result.failure_probability)}"
    rows = (
        (_private(result, result.certain), "certain", Subject.BOUNDED),
        (_private(result, result.likely), likely, Subject.BOUNDED),
        (result.gaussian, likely, Subject.GAUSSIAN),
    )
    marks = tuple(
        Mark(result.target, value, f"{symbol} = {_answer(result, value)}, {words}", subject)
        for value, words, subject in rows
        if value != result.best
    )
    return draw(replace(result.chart, marks=marks), theme)


def turned_takeaway(result: TurnedRound) -> str:
    """State what meets the target: bounded with certainty, bounded and Gaussian with 1 − β."""
    sure, target = _sure(result.failure_probability), readable(result.target)
    certain, likely, gaussian = (
        _said(result, value)
        for value in (
            _private(result, result.certain),
            _private(result, result.likely),
            result.gaussian,
        )
    )
    if result.solve_for == "epsilon":
        goal = f"To keep all of {_whole(result.queries)} errors within {target} Δ"
    else:
        goal = f"At ε = {format_number(result.epsilon)}, with no error above {target} Δ"
    bounded = f"{certain} with certainty and {likely} with probability {sure}"
    if certain == likely:
        bounded = f"{certain}, with certainty or with probability {sure}"
    return (
        f"{goal}, bounded noise {bounded}; "
        f"Gaussian noise, never certain, {gaussian} with probability {sure}."
    )


def _private(result: TurnedRound, answer: Bracket | None) -> float:
    """Return the end of the bracket that is certified to be private, NaN for None."""
    if answer is None:
        return float("nan")
    return answer.upper if result.solve_for == "epsilon" else answer.lower


def _said(result: TurnedRound, value: float) -> str:
    limit = LIMITS[result.solve_for]
    if result.solve_for == "epsilon":
        if np.isnan(value):
            return f"needs more than ε = {format_number(limit.maximum)}"
        if value == result.best:
            return f"needs at most ε = {readable(value)}"
        return f"needs ε = {_answer(result, value)}"
    if np.isnan(value):
        return "answers not even one query"
    if value == result.best:
        return f"answers at least {readable(value)} queries"
    return f"answers {_answer(result, value)} quer{'y' if value == 1 else 'ies'}"


def _answer(result: TurnedRound, value: float) -> str:
    return readable(value) if result.solve_for == "epsilon" else _whole(value)


# ---- words ---------------------------------------------------------------------------------


def _whole(count: float) -> str:
    """Return a count to the last digit where people can read that."""
    return f"{count:,.0f}" if count <= 1e6 else readable(count)


def _sure(failure_probability: float) -> str:
    return f"{1 - failure_probability:.12g}"


def _percent(part: float) -> str:
    return f"{readable(100 * part, 2)}%"
