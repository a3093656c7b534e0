"""Odds as counts of people: the figure that `draw` cannot make."""

from typing import Any

import numpy as np

from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.topics.promise.views.odds import Odds

_SIDE = 10  # people in a row and in a column
_PITCH = 12.5  # from panel to panel, in people


def odds_figure(result: Odds, theme: Theme) -> Figure:
    """Draw a hundred people three times: as suspected, by the promise, and the accused."""
    short = theme.compact or theme.scale > 1
    panels = [
        ("Before" if short else "Before any answer", result.prior, Subject.ITEM_LEVEL),
        (
            "Pure, at most" if short else "After, at most (pure promise)",
            result.pure,
            Subject.DANGER,
        ),
        (
            "Accused" if short else "Those the best attacker accuses",
            result.accused[1],
            Subject.EARLIER,
        ),
    ]
    if np.isnan(result.pure):  # the answer is still to be predicted
        panels = panels[:1]
    people = np.arange(_SIDE * _SIDE)
    room = theme.width / (3 * _PITCH)
    figure = Figure()
    for number, (_, share, subject) in enumerate(panels):
        filled = people < round(100 * share)
        colors = np.where(filled, theme.subjects[subject], theme.grid)
        figure.add_scatter(
            x=number * _PITCH + people % _SIDE,
            y=-(people // _SIDE),
            mode="markers",
            marker={"color": colors.tolist(), "size": 0.72 * room, "symbol": "circle"},
            hoverinfo="skip",
            showlegend=False,
        )
    titles = [
        _title(number * _PITCH + (_SIDE - 1) / 2, words, share, theme.subjects[subject], short)
        for number, (words, share, subject) in enumerate(panels)
    ]
    if not np.isnan(result.guess):
        titles.append(_add_guess(figure, result.guess, room, theme))
    blank: dict[str, Any] = {"visible": False, "fixedrange": True}
    return figure.update_layout(
        template=theme.template(),
        height=round(0.8 * theme.height),
        margin={"l": 12, "r": 12, "t": 16, "b": 16},
        xaxis=blank | {"range": [-1, 3 * _PITCH - 2]},
        yaxis=blank | {"range": [-_SIDE - 1.5, 4]},
        annotations=titles,
    )


def _add_guess(figure: Figure, people: float, room: float, theme: Theme) -> dict[str, Any]:
    """Ring as many of the accused as the reader predicted; return the words below them."""
    ringed = np.arange(round(people))
    figure.add_scatter(
        x=2 * _PITCH + ringed % _SIDE,
        y=-(ringed // _SIDE),
        mode="markers",
        marker={"color": theme.text, "size": 0.8 * room, "symbol": "circle-open"},
        hoverinfo="skip",
        showlegend=False,
    )
    return {
        "x": 2 * _PITCH + (_SIDE - 1) / 2,
        "y": -_SIDE + 0.2,
        "yanchor": "top",
        "text": f"your prediction: {readable(people)}",
        "showarrow": False,
    }


def _title(x: float, words: str, share: float, color: str, short: bool) -> dict[str, Any]:
    count = f"<b>{readable(100 * share)}</b> of 100"
    return {
        "x": x,
        "y": 0.9,
        "yanchor": "bottom",
        "text": f"{words}<br>{count}" if short else f"{words}:<br>{count} are in the data",
        "font": {"color": color},
        "showarrow": False,
    }
