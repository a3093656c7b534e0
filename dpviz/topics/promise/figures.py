"""The figures that `draw` alone cannot make: a game, a point to drag, odds as counts of people."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Mark, Subject
from dpviz.topics.promise.views.attackers import EveryAttacker
from dpviz.topics.promise.views.odds import Odds
from dpviz.topics.promise.views.play import PlayedRounds
from dpviz.topics.promise.words import share as in_words

_SIDE = 10  # people in a row and in a column
_PITCH = 12.5  # from panel to panel, in people
_ROWS = (0.05, 0.12)  # of the height, where answers without the person and with them are kept


# ---- play the attacker ---------------------------------------------------------------------


_CORNER = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "align": "left"}


def play_figure(result: PlayedRounds, theme: Theme) -> Figure:
    """Draw the answer to be guessed below the laws of both worlds; at the end, the player's score.

    Answers of rounds that are over remain: a dot where the guess was right, a cross where not.
    """
    if result.test is not None:
        return _score_figure(result, result.test, theme)
    figure = draw(result.worlds, theme)
    low, high = figure.layout["yaxis"]["range"]
    subjects = {curve.key: curve.subject for curve in result.worlds.curves}
    colors = [theme.subjects[subjects.get(key, Subject.ITEM_LEVEL)] for key in ("without", "with")]
    played = result.inside.size
    inside, right = result.inside, result.inside == result.guessed
    dots = [colors[int(world)] for world in inside]
    figure.add_scatter(
        x=result.answers[:played],
        y=low + np.array(_ROWS)[inside.astype(int)] * (high - low),
        mode="markers",
        marker={
            "color": dots,
            "symbol": np.where(right, "circle", "x-thin-open").tolist(),
            "size": 9 * theme.scale,
            "line": {"color": dots, "width": 2.5 * theme.scale},
        },
        text=[
            f"round {number + 1}, {'with' if inside[number] else 'without'} you: "
            f"guessed {'right' if right[number] else 'wrong'}"
            for number in range(played)
        ],
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
    )
    now = float(result.answers[-1])
    line = {"color": theme.text, "width": 2 * theme.scale}
    figure.add_shape(type="line", x0=now, x1=now, y0=0, y1=1, yref="paper", line=line)
    row = round(1.4 * theme.font_size)  # of its own, above the title of the axis
    left, right = figure.layout["xaxis"]["range"]
    beside = (now - left) / (right - left)  # in the figure, also near its ends
    figure.add_annotation(
        {"yref": "paper", "yanchor": "bottom", "yshift": row, "showarrow": False},
        xanchor="left" if beside < 0.25 else "right" if beside > 0.75 else "center",
        x=now,
        y=1,
        text=f"<b>published: {readable(now, 4)}</b>",
    )
    if result.counts == (0.0, 1.0):  # a bit has no other values
        figure.update_layout(xaxis={"tickvals": [0, 1], "ticktext": ["0: out", "1: in"]})
    margin = figure.layout["margin"]
    figure.update_layout(margin={"t": margin["t"] + row}, height=figure.layout["height"] + row)
    if not math.isnan(result.guess):
        text = f"your prediction: {readable(result.guess)}% right"
        figure.add_annotation(_CORNER, x=0.01, y=0.99, text=text, showarrow=False)
    return figure.update_layout(hovermode="closest")


def _score_figure(result: PlayedRounds, test: Chart, theme: Theme) -> Figure:
    """Draw the curve of the best attacker, and the player's point with both its intervals."""
    share = result.score.alarm_share
    if not math.isnan(result.guess):
        wrong = 1 - result.guess / 100
        test = replace(test, marks=(Mark(wrong, wrong, "your prediction"),))
    figure = draw(test, theme)
    for trace in figure.data:
        if "error_y" in trace:
            at = result.score.alarms / result.score.absent
            ends = {"array": [share.upper - at], "arrayminus": [at - share.lower]}
            trace["error_x"] = trace["error_y"] | ends
    return figure


# ---- every attacker ------------------------------------------------------------------------


def attackers_figure(result: EveryAttacker, theme: Theme) -> Figure:
    """Draw the attackers, and the chosen one as a point that can be dragged along the curve."""
    if result.side == "profile" or not result.chart.marks:
        return draw(result.chart, theme)
    handle, *others = result.chart.marks
    found = replace(handle, text=f"finds {in_words(result.hits[1])}")
    figure = draw(replace(result.chart, marks=(found, *others)), theme)
    figure.add_scatter(
        x=np.array([handle.x]),
        y=np.array([handle.y]),
        mode="markers",
        marker={"color": theme.text, "size": 13 * theme.scale},
        hovertemplate="drag it along the curve<extra></extra>",
        showlegend=False,
    )
    return figure.update_layout(
        meta={"drag": {"key": "false_alarms", "x": handle.x, "y": handle.y}}
    )


# ---- odds ----------------------------------------------------------------------------------


def odds_figure(result: Odds, theme: Theme) -> Figure:
    """Draw a hundred people three times: as suspected, at most, and the accused."""
    short = theme.compact or theme.scale > 1
    panels = [
        ("Before" if short else "Before any answer", result.prior, Subject.ITEM_LEVEL),
        (*_at_most(result, short), Subject.DANGER),
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


def _at_most(result: Odds, short: bool) -> tuple[str, float]:
    """Return what no answer exceeds, and its name; where noise sets no limit a pure promise would.

    k answers of Laplace noise made for (ε, δ) reach beyond a pure promise of that ε.
    """
    if np.isfinite(result.largest_loss):
        return "At most" if short else "After any answer, at most", result.worst
    return "Pure, at most" if short else "After, at most (pure promise)", result.pure


def _add_guess(figure: Figure, people: float, room: float, theme: Theme) -> dict[str, Any]:
    """Ring as many of the accused as the reader predicted; return the words below them."""
    ringed = np.arange(round(people))
    columns, rows = ringed % _SIDE, ringed // _SIDE
    figure.add_scatter(
        x=2 * _PITCH + columns,
        y=-rows,
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
