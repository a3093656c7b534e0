"""The button that plays the frames of a figure."""

from collections.abc import Callable, Sequence
from typing import Any, overload

from dpviz.plot.theme import Theme


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
