"""One board: darts thrown until each of two people has taken one, and forty such games."""

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Dots, Line, Mark, Part, Text, Words, tinted
from dpviz.plot.panels import Panel, Side, played
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, counted
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes, of_a_hundred
from dpviz.topics.shared_darts.views.one_board import SHOWN_GAMES, Board, one_board

_COLORS = (7, 8)  # places of P and Q in the palette
_MOST_FRAMES = 60
_FRAME = 250  # milliseconds
_GAMES = 110  # pixels of the games
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
    top = min(1.0, _HEADROOM * float(max(board.p.max(), board.q.max())))
    seen = np.flatnonzero(board.heights <= top)
    numbers = seen[:: max(1, -(-seen.size // (_MOST_FRAMES - 1)))].tolist()
    games = Panel(
        Side.bare(-0.5, SHOWN_GAMES - 0.5),
        Side.bare(-1.1, 2.9),
        [
            mark
            for row, name, agree, about in (
                (1, "Shared darts", board.shared_games, Subject.USER_LEVEL),
                (0, "Own darts", board.own_games, Subject.ITEM_LEVEL),
            )
            for mark in _games(row, name, agree, about)
        ],
        pixels=_GAMES,
    )

    def at(stop: int) -> tuple[Panel, Panel]:
        return _board(board, seen, stop, top), games

    return played(theme, at, [*numbers, board.places.size - 1], each=_FRAME)


def _games(row: int, name: str, agree: NDArray[np.bool_], about: Subject) -> list[Mark]:
    """Return a row of dots, one for each game, full where the picks agree, and how many do."""
    words = f"{name}: {np.count_nonzero(agree)} of {agree.size} games agree"
    return [
        Dots(
            np.arange(agree.size),
            np.full(agree.size, float(row)),
            apart=True,
            symbol=np.where(agree, "square", "square-open").tolist(),
            about=about,
            said=[f"{name.lower()}: {'agree' if same else 'differ'}" for same in agree],
        ),
        Text(
            words,
            Part(0),
            row + 0.32 if row else -0.32,
            to="NE" if row else "SE",
            small=True,
            about=about,
        ),
    ]


def _board(board: Board, seen: NDArray[np.int_], stop: int, top: float) -> Panel:
    """Return both curves, the darts up to one, rings around those chosen, and how it stands."""
    edges = np.repeat(np.arange(board.p.size + 1) + 0.5, 2)
    bells = [
        Line(edges, np.concatenate([[0.0], np.repeat(law, 2), [0.0]]), fill=0.13, about=about)
        for law, about in zip((board.p, board.q), _COLORS, strict=True)
    ]
    thrown = seen[seen <= stop]
    inks = [
        ("muted", *_COLORS, "text")[below_p + 2 * below_q]
        for below_p, below_q in np.stack([hit[thrown] for hit in board.below], axis=1).astype(int)
    ]
    darts = Dots(
        _across(board, thrown),
        board.heights[thrown],
        size=8,
        symbol=["x-thin-open" if ink == "muted" else "circle" for ink in inks],
        about=inks,
        said=[f"dart {number + 1}" for number in thrown],
    )
    ringed = [dart for dart in dict.fromkeys((board.first, board.second)) if dart <= stop]
    rings = Dots(
        _across(board, np.array(ringed, dtype=int)),
        board.heights[ringed],
        size=19,
        symbol="circle-open",
        edge=3,
        about=[_ring(board, dart) for dart in ringed],
    )
    names = [
        _name(name, law, top, side) for name, law, side in (("P", board.p, -1), ("Q", board.q, 1))
    ]
    outcomes = Side.whole(0.5, board.p.size + 0.5, ("Outcome (a hypothesis, say)", "Outcome"))
    up = Side(0.0, top)
    return Panel(outcomes, up, [*bells, darts, rings, *names], above=_words(board, stop, top))


def _across(board: Board, numbers: np.ndarray) -> FloatArray:
    """Return where darts are drawn: spread over the column of their outcome by their number."""
    shift = (numbers * 0.618034) % 1 - 0.5
    return np.asarray(board.places[numbers] + 1 + 0.7 * shift)


def _ring(board: Board, dart: int) -> int | str:
    return "text" if board.first == board.second else _COLORS[dart != board.first]


def _words(board: Board, stop: int, top: float) -> Words:
    """Return the words above the board after `stop` + 1 darts."""
    chosen = "; ".join(
        tinted(
            f"{name}: " + (f"dart {dart + 1}, outcome {pick}" if dart <= stop else "still waiting"),
            about,
        )
        for name, dart, pick, about in zip(
            ("P", "Q"), (board.first, board.second), board.picks, _COLORS, strict=True
        )
    )
    over = int(np.count_nonzero(board.heights[: stop + 1] > top))
    above = f" ({over} above the picture)" if over else ""
    thrown = f"{counted(stop + 1, 'dart')} thrown"
    return f"{thrown}{above}<br>{chosen}", f"{thrown}<br>{chosen}"


def _name(name: str, law: FloatArray, top: float, side: int) -> Text:
    """Return the name of a curve: above its highest column or, without room there, beside it.

    side: of the column, -1 for the left.
    """
    column, high, about = int(law.argmax()) + 1, float(law.max()), _COLORS[side > 0]
    words = f"<b>{name}</b>"
    if high <= _ROOM * top:
        return Text(words, column, high, to="N", shift=(10 * side, 0), about=about)
    to = "SW" if side < 0 else "SE"
    return Text(words, column + side / 2, high, to=to, shift=(4 * side, 0), about=about)


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
