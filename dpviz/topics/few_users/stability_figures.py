"""Few users: stability against the dimension, played as three steps: a learner, lists, darts."""

from typing import Any

import numpy as np

from dpviz.plot.chart import draw, traces
from dpviz.plot.labels import label
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.topics.few_users.views.stability import StabilityChart

STEPS = {
    "1. Alone: what comes out is chance": ("alone", "tournament", "shape"),
    "2. A list: one set is in many of them": ("branched", "lists", "list_shape"),
    "3. Shared darts: all pick the same set": ("shared",),
}
"""What each step of the play adds, by what is written below it: keys of curves."""

_FRAME = 350  # milliseconds
_STAND = 3  # frames for which a finished step stands still
_PLAY_ROOM = 44  # pixels below the axis, for words of the usual size


def stability_figure(chart: StabilityChart, theme: Theme) -> Figure:
    """Draw all curves; a button plays the three steps one after the other, each along d."""
    figure = draw(chart, theme)
    room = theme.px(_PLAY_ROOM)
    below = figure.layout["margin"]["b"]
    # While a control moves nobody plays them.
    figure.frames = [] if theme.held is not None else _frames(figure, chart, theme, below)
    return figure.update_layout(
        height=figure.layout["height"] + room,
        margin={"b": below + room},
        updatemenus=[play_button(theme, frame=_FRAME, redraw=True, pad=0) | {"pad": {"t": below}}],
    )


def _frames(
    figure: Figure, chart: StabilityChart, theme: Theme, below: int
) -> list[dict[str, Any]]:
    """Return the frames: in each step its curves grow along d, on top of those of earlier ones."""
    owners = [c.key for c in chart.curves for _ in traces(c, chart, theme)]
    places = np.unique(np.concatenate([c.x for c in chart.curves])).tolist()
    frames: list[dict[str, Any]] = []
    done: set[str] = set()
    for title, keys in STEPS.items():
        for number, place in enumerate([*places, *[places[-1]] * _STAND]):
            ends = dict.fromkeys(done, places[-1]) | dict.fromkeys(keys, place)
            frame: dict[str, Any] = {
                "name": str(len(frames) + 1),
                "traces": list(range(len(owners))),
                "data": [
                    {"y": np.where(trace["x"] <= ends.get(key, 0.0), trace["y"], np.nan)}
                    for key, trace in zip(owners, figure.data, strict=True)
                ],
            }
            if number in (0, len(places) - 1):  # after each of them the words stay
                known = done.union(keys if place == places[-1] else ())
                words = [*_words(figure, chart, theme, known), _heading(title, theme, below)]
                frame["layout"] = {"annotations": words}
            frames.append(frame)
        done.update(keys)
    return frames


def _words(
    figure: Figure, chart: StabilityChart, theme: Theme, shown: set[str]
) -> list[dict[str, Any]]:
    """Return the words of the figure, those of curves that are not yet drawn invisible.

    A frame changes the words one by one, by their number: so all are there in every frame.
    """
    hidden = {
        (theme.subjects[curve.subject], text)
        for curve in chart.curves
        if curve.key not in shown
        for text in (label(curve), readable(chart.value(curve.key)))
    }
    return [
        note
        | {"visible": (note["font"].get("color"), note["text"].replace("<br>", " ")) not in hidden}
        for note in figure.layout["annotations"]
    ]


def _heading(title: str, theme: Theme, below: int) -> dict[str, Any]:
    """Write what the step is beside the button."""
    return {
        "text": f"<b>{title.replace(': ', ':<br>') if theme.compact else title}</b>",
        "align": "left",
        "font": {"color": theme.text},
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -below - 6,
        "showarrow": False,
    }
