"""One board: darts thrown until each of two people has taken one, and forty such games."""

from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.play import play_button
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.text import chance
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, axis_of_outcomes, notes, of_a_hundred
from dpviz.topics.shared_darts.views.one_board import SHOWN_GAMES, Board, one_board

_COLORS = (7, 8)  # places of P and Q in the palette
_MOST_FRAMES = 60
_FRAME = 250  # milliseconds
_GAMES = 0.36  # of the height, for the games and the space above them
_HEADROOM = 1.25  # of the higher curve
_ROOM = 0.9  # of the board's height, up to which a name has room above a curve


def takeaway(board: Board) -> str:
    """State how the game ends, and how often such games end in different picks."""
    mine, yours = board.picks
    early, late = sorted((board.first, board.second))
    often = f"{of_a_hundred(board.disagreement)} of a hundred such games"
    if early == late:
        return (
            f"Dart {early + 1} is the first below either curve and lies below both, so both make "
            f"the same pick; the picks differ in {often}."
        )
    who, other = ("P", "Q") if board.first < board.second else ("Q", "P")
    said = f"Person {who} takes dart {early + 1}, person {other} waits for dart {late + 1}"
    if mine == yours:
        return f"{said}, yet they pick the same; the picks differ in {often}."
    return f"{said}, and their picks differ, as in {often}."


def detail(board: Board) -> str:
    """State who picked what, and how far apart the two laws are."""
    mine, yours = board.picks
    picks = f"Both pick outcome {mine}" if mine == yours else f"P picks {mine}, Q picks {yours}"
    differ = f"{chance(board.disagreement, board.agreement)}, exactly"
    if not board.agreement:  # of laws that share less than any float
        differ = "more than 1 − 10⁻³⁰⁰"
    return (
        f"{picks}. At total variation {chance(board.distance, board.overlap)} the picks differ "
        f"with probability {differ}."
    )


def figure(board: Board, theme: Theme) -> Figure:
    """Draw both curves, the darts thrown, and the first below each; a button plays them."""
    theme = theme.crowded()
    top = min(1.0, _HEADROOM * float(max(board.p.max(), board.q.max())))
    seen = np.flatnonzero(board.heights <= top)
    colors = [theme.palette[i] for i in _COLORS]
    y = Scale.of(Axis("height", "Probability", log=False), np.array([0.0, top]), 0.0)
    figure = Figure([*_bells(board, colors), *_darts(board, seen, theme), *_games(board, theme)])
    numbers = seen[:: max(1, -(-seen.size // (_MOST_FRAMES - 1)))]
    stops = [] if theme.held is not None else [*numbers.tolist(), board.places.size - 1]
    figure.frames = [
        {
            "name": str(stop + 1),
            "traces": [2, 3],
            "data": _darts(board, seen[seen <= stop], theme, last=stop),
            "layout": {"annotations": _words(board, stop, top, theme)},
        }
        for stop in stops
    ]
    below = "Outcome" if theme.compact else "Outcome (a hypothesis, say)"  # the button is beside it
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (180 if theme.compact else 140),
        margin={"l": theme.px(64), "r": 16, "t": theme.px(64), "b": theme.px(24)},
        hovermode="closest",
        showlegend=False,
        xaxis=axis_of_outcomes(board.p.size) | {"title": {"text": below, "standoff": 4}},
        yaxis=settings(y) | {"domain": [_GAMES, 1]},
        xaxis2={"range": [-0.5, SHOWN_GAMES - 0.5], "visible": False, "anchor": "y2"},
        yaxis2={"range": [-1.1, 2.9], "visible": False, "domain": [0, _GAMES - 0.15]},
        annotations=_words(board, board.places.size - 1, top, theme),
        updatemenus=[
            play_button(theme, frame=_FRAME, pad=44 if theme.compact else 30) | {"y": _GAMES}
        ],
    )


def _games(board: Board, theme: Theme) -> list[Trace]:
    """Return two rows of dots, one for each game, full where the picks agree."""
    rows = (
        (1, board.shared_games, "shared darts", Subject.USER_LEVEL),
        (0, board.own_games, "own darts", Subject.ITEM_LEVEL),
    )
    return [
        scatter(
            x=np.arange(agree.size),
            y=np.full(agree.size, float(row)),
            mode="markers",
            showlegend=False,
            xaxis="x2",
            yaxis="y2",
            marker={
                "symbol": np.where(agree, "square", "square-open").tolist(),
                "color": theme.subjects[subject],
                "size": 6 if theme.compact else 10,
            },
            text=[f"{name}: {'agree' if same else 'differ'}" for same in agree],
            hovertemplate="%{text}<extra></extra>",
        )
        for row, agree, name, subject in rows
    ]


def _bells(board: Board, colors: list[str]) -> list[Trace]:
    edges = np.repeat(np.arange(board.p.size + 1) + 0.5, 2)
    return [
        scatter(
            x=edges,
            y=np.concatenate([[0.0], np.repeat(law, 2), [0.0]]),
            name=name,
            mode="lines",
            line={"color": color, "width": 2.5},
            fill="tozeroy",
            fillcolor=f"{color}22",
            hoverinfo="skip",
        )
        for name, law, color in zip(("P", "Q"), (board.p, board.q), colors, strict=True)
    ]


def _darts(board: Board, numbers: np.ndarray, theme: Theme, last: int | None = None) -> list[Trace]:
    """Return two traces: the darts of these numbers, and rings around those chosen by then."""
    stop = board.places.size - 1 if last is None else last
    ringed = [dart for dart in dict.fromkeys((board.first, board.second)) if dart <= stop]
    below_p, below_q = (hit[numbers] for hit in board.below)
    first, second = (theme.palette[i] for i in _COLORS)
    color = np.select(
        [below_p & below_q, below_p, below_q], [theme.text, first, second], theme.muted
    )
    missed = ~(below_p | below_q)
    return [
        scatter(
            x=_across(board, numbers),
            y=board.heights[numbers],
            mode="markers",
            showlegend=False,
            marker={
                "color": color.tolist(),
                "symbol": np.where(missed, "x-thin-open", "circle").tolist(),
                "size": 8,
            },
            text=[f"dart {number + 1}" for number in numbers],
            hovertemplate="%{text}<extra></extra>",
        ),
        scatter(
            x=_across(board, np.array(ringed, dtype=int)),
            y=board.heights[ringed],
            mode="markers",
            showlegend=False,
            marker={
                "symbol": "circle-open",
                "size": 19,
                "color": [_ring(board, dart, theme) for dart in ringed],
                "line": {"width": 3},
            },
            hoverinfo="skip",
        ),
    ]


def _across(board: Board, numbers: np.ndarray) -> FloatArray:
    """Return where darts are drawn: spread over the column of their outcome by their number."""
    shift = (numbers * 0.618034) % 1 - 0.5
    return np.asarray(board.places[numbers] + 1 + 0.7 * shift)


def _ring(board: Board, dart: int, theme: Theme) -> str:
    if board.first == board.second:
        return theme.text
    return theme.palette[_COLORS[0] if dart == board.first else _COLORS[1]]


def _words(board: Board, stop: int, top: float, theme: Theme) -> list[dict[str, Any]]:
    """Return the words above the board after `stop` + 1 darts, and the names of the curves."""
    first, second = (theme.palette[i] for i in _COLORS)
    chosen = [
        f"<span style='color:{color}'>{name}: "
        + (f"dart {dart + 1}, outcome {pick}" if dart <= stop else "still waiting")
        + "</span>"
        for name, dart, pick, color in zip(
            ("P", "Q"), (board.first, board.second), board.picks, (first, second), strict=True
        )
    ]
    over = int(np.count_nonzero(board.heights[: stop + 1] > top))
    above = f" ({over} above the picture)" if over and not theme.compact else ""
    thrown = "1 dart" if stop == 0 else f"{stop + 1} darts"
    look = {"xref": "paper", "yref": "paper", "showarrow": False, "align": "left"}
    words = {
        "x": 0,
        "xanchor": "left",
        "xshift": -48,
        "y": 1,
        "yanchor": "bottom",
        "yshift": 6,
        "text": f"{thrown} thrown{above}<br>{'; '.join(chosen)}",
    }
    names = [
        _name(name, law, top, side) | {"font": {"color": color}}
        for name, law, color, side in (("P", board.p, first, -1), ("Q", board.q, second, 1))
    ]
    games = [
        {
            "x": 0,
            "xanchor": "left",
            "xshift": -48,
            "y": row + 0.32 if row else -0.32,
            "yref": "y2",
            "yanchor": "bottom" if row else "top",
            "text": f"{name}: {np.count_nonzero(agree)} of {agree.size} games agree",
            "font": {"color": theme.subjects[subject], "size": theme.font_size - 1},
        }
        for row, name, agree, subject in (
            (1, "Shared darts", board.shared_games, Subject.USER_LEVEL),
            (0, "Own darts", board.own_games, Subject.ITEM_LEVEL),
        )
    ]
    return [look | words, *names, *(look | note for note in games)]


def _name(name: str, law: FloatArray, top: float, side: int) -> dict[str, Any]:
    """Return the name of a curve: above its highest column or, without room there, beside it.

    side: of the column, -1 for the left.
    """
    column, high = int(law.argmax()) + 1, float(law.max())
    words = {"y": high, "text": f"<b>{name}</b>", "showarrow": False}
    if high <= _ROOM * top:
        return words | {"x": column, "yanchor": "bottom", "xshift": 10 * side}
    beside = {"x": column + side / 2, "yanchor": "top", "xshift": 4 * side}
    return words | beside | {"xanchor": "right" if side < 0 else "left"}


VIEW = View(
    key="board",
    title="One board",
    compute=one_board,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*BELLS, "seed"),
    in_sight=("gap", "width", "seed"),
    defaults={"seed": 96},  # a few darts are thrown, most in sight, and the two agree
    why="Two people with nearly the same distribution find nearly the same darts below their "
    "curves, so the first such dart is mostly the same for both. They part only if a dart falls "
    "between the two curves, and close curves leave little room for that.",
    notes=notes,
)
