"""Where data are on the paper of a picture: its axes, in pixels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpviz.plot.axes import MOST_STEPS, even_ticks, log_ticks, steps
from dpviz.plot.ink import Array
from dpviz.plot.spec import Trace


@dataclass(frozen=True)
class PixelAxis:
    """An axis: its range in plotly's units, where its ends are in pixels, where it stands."""

    settings: Mapping[str, Any]
    low: float
    high: float
    start: float
    end: float
    foot: float

    @property
    def log(self) -> bool:
        """Whether it is logarithmic."""
        return self.settings.get("type") == "log"

    def pixels(self, values: Any) -> Array:
        """Return where numbers are, NaN where a logarithmic axis has no place for them."""
        numbers = np.asarray(values, dtype=float)
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                numbers = np.where(numbers > 0, np.log10(numbers), np.nan)
        result: Array = self.start + self.share(numbers) * (self.end - self.start)
        return result

    def share(self, position: Any) -> Any:
        """Return how far along the axis a number in the units of its range is."""
        return (position - self.low) / (self.high - self.low)

    @cached_property
    def ticks(self) -> Sequence[tuple[float, str]]:
        """Where the ticks are, and what they say."""
        values, texts = self.settings.get("tickvals"), self.settings.get("ticktext")
        if values is None or texts is None:
            most = MOST_STEPS if self.end > self.start else steps(self.start - self.end)
            values, texts = (log_ticks if self.log else even_ticks)(self.low, self.high, most)
        near, far = sorted((self.start, self.end))
        places = zip(self.pixels(values).tolist(), texts, strict=True)
        return [(at, str(text)) for at, text in places if near - 0.5 <= at <= far + 0.5]


class Paper:
    """The axes of a layout on so many pixels; coordinates count from above."""

    def __init__(self, layout: Mapping[str, Any], width: int) -> None:
        margin = layout["margin"]
        self._layout = layout
        self._across = (float(margin["l"]), width - float(margin["r"]))
        self._upwards = (float(layout["height"]) - float(margin["b"]), float(margin["t"]))
        self.axes = {key: self._axis(key) for key in layout if key[1:5] == "axis"}

    def pair(self, trace: Trace) -> tuple[PixelAxis, PixelAxis]:
        """Return the axes a trace is on."""
        return self.axes[axis_of(trace, "x")], self.axes[axis_of(trace, "y")]

    def across(self, key: str) -> tuple[float, float]:
        """Return where the lines of an axis's grid begin and end: along the axis it stands on."""
        other = "y" if key[0] == "x" else "x"
        stands_on = axis_of(self._layout[key].get("anchor") or f"{other}{key[5:]}")
        return self._ends(stands_on) if stands_on in self._layout else self._along(other, {})

    def at(self, value: float, ref: str, letter: str) -> float:
        """Return where the coordinate of a shape is: a number, or a share of the paper."""
        if ref == "paper":
            zero, one = self._along(letter, {})
            return zero + value * (one - zero)
        name, _, domain = ref.partition(" ")
        axis = self.axes[axis_of(name)]
        if domain:
            return axis.start + value * (axis.end - axis.start)
        return float(axis.pixels(value))

    def place(self, value: float, ref: str, letter: str) -> float:
        """Return where the coordinate of a note is: on a logarithmic axis plotly takes its log."""
        if ref == "paper" or " " in ref:
            return self.at(value, ref, letter)
        axis = self.axes[axis_of(ref)]
        return float(axis.start + axis.share(value) * (axis.end - axis.start))

    def _axis(self, key: str) -> PixelAxis:
        settings = self._layout[key]
        start, end = self._ends(key)
        foot, _ = self.across(key)
        low, high = map(float, settings["range"])
        return PixelAxis(settings, low, high, start, end, foot)

    def _like(self, key: str) -> str | None:
        """Return the axis whose units are to be as long as those of this one."""
        for one in self._layout:
            if anchor := one[1:5] == "axis" and self._layout[one].get("scaleanchor"):
                pair = one, axis_of(anchor)
                if key in pair:
                    return pair[1 - pair.index(key)]
        return None

    def _along(self, letter: str, settings: Mapping[str, Any]) -> tuple[float, float]:
        zero, one = self._across if letter == "x" else self._upwards
        near, far = (zero + share * (one - zero) for share in settings.get("domain", (0, 1)))
        return near, far

    def _unit(self, key: str) -> float:
        """Return how many pixels a unit of an axis with a range has in its domain."""
        near, far = self._along(key[0], self._layout[key])
        low, high = self._layout[key]["range"]
        return float(abs(far - near) / (high - low))

    def _ends(self, key: str) -> tuple[float, float]:
        """Return where an axis ends: where it has longer units than its like, before its domain."""
        settings = self._layout[key]
        near, far = self._along(key[0], settings)
        like = self._like(key)
        share = 1.0 if like is None else min(self._unit(like) / self._unit(key), 1.0)
        if settings.get("constraintoward") in ("right", "top"):
            return far + share * (near - far), far
        return near, near + share * (far - near)


def axis_of(where: Trace | str, letter: str = "") -> str:
    """Return the axis in the layout that a trace, or a reference like ``x2``, is on."""
    ref = where if isinstance(where, str) else where.get(f"{letter}axis", letter)
    return f"{ref[0]}axis{ref[1:]}"
