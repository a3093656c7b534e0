"""Axes: their range, and ticks that people can read."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.text import percents, power_of_ten, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray

MOST_STEPS = 8  # steps from tick to tick
_CROWDED = 5  # steps, below which an axis is too short for all of a decade
_LINE = 24  # pixels that a tick needs above the next


@dataclass(frozen=True)
class Scale:
    """One axis with its range, in the units plotly draws in: logarithms on a log axis."""

    axis: Axis
    low: float
    high: float

    @classmethod
    def of(cls, axis: Axis, values: FloatArray, padding: float) -> "Scale":
        """Return the range of `values`, wider by the fraction `padding` at both ends."""
        values = np.append(values, [axis.base, axis.reach])
        usable = values[np.isfinite(values) & (values > 0 if axis.log else True)]
        if (usable > axis.least).any():
            usable = np.maximum(usable, axis.least)
        drawn = np.log10(usable) if axis.log else usable
        low, high = (drawn.min(), drawn.max()) if drawn.size else (0.0, 1.0)
        extra = padding * (high - low) or (0.5 if low == high else 0.0)
        low, high = float(low - extra), float(high + extra)
        if axis.log and usable.size:  # plotly's logarithms; it hides a point a hair outside
            low = min(low, math.log(usable.min()) / math.log(10))
            high = max(high, math.log(usable.max()) / math.log(10))
        return cls(axis, low, high)

    def position(self, value: float) -> float:
        """Return `value` in the units of the range, NaN if it can't be drawn."""
        if not self.axis.log:
            return value
        return math.log10(value) if value > 0 else math.nan

    def holds(self, value: float) -> bool:
        """Whether `value` lies inside the range."""
        return self.low <= self.position(value) <= self.high


def title(axis: Axis) -> str:
    """Return what is written beside the axis: its label and its unit."""
    return f"{axis.label} ({axis.unit})" if axis.unit else axis.label


def y_title(text: str, theme: Theme, left: int, *, top: float = 1.0, up: int = 4) -> dict[str, Any]:
    """Put the title of a y-axis above it: easier to read there, and no width is lost.

    left: the margin of the figure. top: of the axis, as a share of the plot's height. up: pixels
    above it.
    """
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 8 - left,
        "y": top,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": up,
        "text": text,
        "font": {"color": theme.text},
        "showarrow": False,
    }


def settings(scale: Scale, room: float = math.inf) -> dict[str, Any]:
    """Return plotly's settings of the axis, which is so many pixels high if it stands upright."""
    return _ticked(scale, steps(room))


def steps(room: float) -> int:
    """Return how many steps from tick to tick an upright axis so many pixels high has room for."""
    return int(min(max(room / _LINE, 2), MOST_STEPS))


def settings_across(scale: Scale, width: float, theme: Theme) -> dict[str, Any]:
    """Return those of a level axis so many pixels wide, with ticks that do not touch."""
    for most in range(MOST_STEPS, 1, -1):
        chosen = _ticked(scale, most)
        at = np.array([scale.position(value) for value in chosen["tickvals"]])
        pixels = width * at / (scale.high - scale.low)
        half = 0.25 * theme.font_size * np.array(list(map(len, chosen["ticktext"])))
        if (np.diff(pixels) > half[1:] + half[:-1]).all():
            break
    return chosen


def _ticked(scale: Scale, most: int) -> dict[str, Any]:
    ticks = log_ticks if scale.axis.log else even_ticks
    values, texts = ticks(scale.low, scale.high, most)
    if scale.axis.chance:  # below 0 there is room at most
        values = [value for value in values if value >= 0 or scale.axis.log]
        texts = percents(np.array(values))
    if scale.axis.parts:
        texts = list(map(_part, values, texts))
    if len(values) < 2 and most < MOST_STEPS:  # one number tells no scale, and the ends have room
        more = _ticked(scale, most + 1)
        return more | {key: [more[key][0], more[key][-1]] for key in ("tickvals", "ticktext")}
    chosen: dict[str, Any] = {
        "range": [scale.low, scale.high],
        "tickvals": values,
        "ticktext": texts,
    }
    return chosen | ({"type": "log"} if scale.axis.log else {})


def standing(count: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, … that is a count or more: the top of an axis of counts.

    It stands while the count moves, so that bars are seen to grow; it changes from step to step.
    """
    power = 10.0 ** math.floor(math.log10(max(count, 1.0)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= count * (1 - 1e-9))


def log_ticks(low: float, high: float, most: int = MOST_STEPS) -> tuple[list[float], list[str]]:
    """Return ticks between ten to the `low` and ten to the `high`: values and their texts.

    At most `most` + 1 labels: whole decades, every so many of them on a long axis, with 2 and 5 in
    between on a short one, and steps of equal size on a very short one.
    """
    decades = high - low
    if decades < 0.6 or (most < _CROWDED and decades < 1):
        return even_ticks(10**low, 10**high, (most + 1) // 2 if most < MOST_STEPS else most)
    mantissas = (1, 2, 5) if 3 * decades < min(7.5, most) else (1,)
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if decades / s <= most)
    values = [
        float(f"{m}e{e}")
        for e in range(math.floor(low), math.ceil(high) + 1)
        if e % step == 0
        for m in mantissas
        if low - 1e-9 <= math.log10(m) + e <= high + 1e-9
    ]
    if all(1e-3 <= v < 1e5 for v in values):
        return values, [readable(v) for v in values]
    return values, [_scientific(v) for v in values]


def even_ticks(low: float, high: float, most: int = MOST_STEPS) -> tuple[list[float], list[str]]:
    """Return ticks at multiples of 1, 2 or 5 times a power of ten: values and their texts."""
    if low == high:
        return [low], [readable(low, 9)]
    power = math.floor(math.log10((high - low) / most))
    step = next(s for m in (1, 2, 5, 10, 20) if (high - low) / (s := m * 10.0**power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [float(f"{i * step:.12g}") for i in range(first, last + 1)]
    return values, [readable(v, 9) for v in values]


def _part(value: float, text: str) -> str:
    """Return ``1/20`` for 0.05, and the text of what is not one part of a whole number."""
    if not 0 < value < 1:
        return text
    parts = round(1 / value)
    return f"1/{readable(parts)}" if math.isclose(parts * value, 1) else text


def _scientific(value: float) -> str:
    mantissa, exponent = f"{value:.0e}".split("e")
    power = power_of_ten(int(exponent))
    return power if mantissa == "1" else f"{mantissa} × {power}"
