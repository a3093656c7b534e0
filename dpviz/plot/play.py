"""The button that plays the frames of a figure."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, overload

import numpy as np

from dpviz.plot.panels import Row, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.theme import Theme

_PLAY = 40  # pixels below all, for the button that plays


class Frames(Sequence[dict[str, Any]]):
    """The frames at some stops, each made when it is looked at: most figures are never played."""

    def __init__(self, stops: Sequence[int], make: Callable[[int], dict[str, Any]]) -> None:
        self._stops, self._make = stops, make

    def __len__(self) -> int:
        return len(self._stops)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Frames(self._stops[place], self._make)
        return self._make(self._stops[place])


def play_button(theme: Theme, *, frame: int, pad: int, redraw: bool = True) -> dict[str, Any]:
    """Return plotly's menu that plays and pauses, at the lower right.

    frame: milliseconds each; pad: pixels below the plot, at the usual size of words; redraw: False,
    which takes half the time, for frames that only move, add and take away points of traces without
    intervals and never empty a trace: nothing else is drawn then as it would be by itself.
    """
    timing = {"frame": {"duration": frame, "redraw": redraw}, "transition": {"duration": 0}}
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 1,
        "xanchor": "right",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": theme.px(pad)},
        "bgcolor": theme.background,
        "bordercolor": theme.grid,
        "font": {"color": theme.text},
        "buttons": [
            {"label": "Play", "method": "animate", "args": [None, timing | {"mode": "immediate"}]},
            {
                "label": "Pause",
                "method": "animate",
                "args": [[None], timing | {"mode": "immediate"}],
            },
        ],
    }


def played(
    theme: Theme,
    at: Callable[[int], Sequence[Row | None]],
    stops: Sequence[int],
    *,
    each: int,
    tall: float = 0.0,
) -> Figure:
    """Return panels as they are at the last stop, with a button that plays them at all stops.

    at: what is drawn at a stop: the same marks, other numbers. each: milliseconds. While a control
    moves nobody plays; and a place that shows the headline alone has no button.
    """
    figure = stacked(theme, *at(stops[-1]), tall=tall)

    @cache
    def parts() -> dict[int, list[dict[str, Any]]]:
        """At each stop the traces, and at last the words."""
        seen = {stop: stacked(theme, *at(stop), tall=tall) for stop in stops}
        named = ("annotations", "shapes")
        return {
            stop: [*now.data, {name: now.layout[name] for name in named}]
            for stop, now in seen.items()
        }

    @cache
    def moving() -> list[set[str]]:
        return [_differing(part) for part in zip(*parts().values(), strict=True)]

    def still(stop: int) -> dict[str, Any]:
        now = zip(parts()[stop], moving(), strict=True)
        *data, words = ({key: part[key] for key in part.keys() & keys} for part, keys in now)
        return {"name": str(stop), "traces": list(range(len(data))), "data": data, "layout": words}

    return with_button(figure, theme, Frames(stops, still), each)


def with_button(
    figure: Figure, theme: Theme, frames: Sequence[dict[str, Any]], each: int
) -> Figure:
    """Add a button below a figure that plays frames, of so many milliseconds each."""
    if theme.labels == "only":
        return figure
    if theme.held is None:
        figure.frames = frames
    below, room = figure.layout["margin"]["b"], theme.px(_PLAY)
    return figure.update_layout(
        height=figure.layout["height"] + room,
        margin={"b": below + room},
        updatemenus=[play_button(theme.crowded(), frame=each, pad=0) | {"pad": {"t": below}}],
    )


def _differing(parts: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return what is not the same at all stops: plotly.js leaves what a frame does not say."""
    keys = set[str]().union(*parts)
    return {key for key in keys if not all(_same(one.get(key), parts[0].get(key)) for one in parts)}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)
