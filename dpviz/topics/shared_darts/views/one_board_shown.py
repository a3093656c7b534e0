"""One board: darts thrown until each of two people has taken one, and a hundred such games."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.marks import Bars, Dots, Line, Mark, Text
from dpviz.plot.panels import Handle, Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, counted
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes, of_a_hundred
from dpviz.topics.shared_darts.views.one_board import Board, one_board

_P, _Q = 7, 8  # places of P and Q in the palette
_SAME = Subject.USER_LEVEL
_MOST_FRAMES = 60
_FRAME = 250  # milliseconds
_GAMES = 50  # pixels, of the rows of games
_BESIDE = 114  # the end of an axis of a hundred, beside which a number stands
_SHORT = {"nearly all": "< 100", "hardly any": "> 0"}
_HEADROOM = 1.18  # of the higher curve
_CERTAIN = 1.06  # of a board as high as certainty, whose number stands below what is above it
_MARGIN = 1.14  # of the board, with the strip for darts that are higher
_FLANK = 0.6  # of the highest column, from which on a curve is named, off the grip on its top
_NEAR = 2  # columns at an end of the axis, beside which a name has no room
_TALL = 0.2  # of the board's height, from which words have room below both curves
_PARTS = (0.5, 0.3, 0.7, 0.15, 0.85)  # of a height, where words may stand
_WORDY, _CLEAR = 0.09, 0.1  # of the board, beside and above the middle of words
_NARROW = 0.09  # of it, with less room than which words are left out
_SAYS, _OVER = 0.3, (0.06, 0.17)  # of it: how far words beside a dart reach, and above it
_INSIDE = "a dart here:<br>the same pick", "same pick"
_TAKEN, _SMALL = 26.0, 10.0  # pixels of a dart that somebody takes, and of others
_NUMBERED = 20  # so many darts have room for their numbers
_TOP = 0.9  # of the board, from where on words stand below a dart
_EARLY, _LATE = 0.35, 0.75  # of the outcomes, between which there is room on both sides of a dart
_GRIP = 0.04  # of the height, where a hand takes hold of the second curve, off its top
_NAMES = ("Ann", "Ben")
_BLANK = "\N{NO-BREAK SPACE}"


def takeaway(board: Board) -> str:
    """State how often two people who take the first dart below their curve pick the same."""
    shared, own = (
        of_a_hundred(part, agree=True) for part in (board.agreement, board.own_agreement)
    )
    return (
        f"Shared darts make Ann and Ben pick the same in {shared} of 100 games; drawing alone, "
        f"they do in {own}."
    )


def detail(board: Board) -> str:
    """State who picked what, and how far apart the two laws are."""
    mine, yours = board.picks
    picks = f"Ann picks {mine}, Ben picks {yours}"
    if mine == yours:
        darts = "the same dart" if board.first == board.second else "different darts"
        picks = f"Both pick outcome {mine}, by {darts}"
    differ = f"{chance(board.disagreement, board.agreement)}, exactly"
    if not board.agreement:  # of laws that share less than any float
        differ = "more than 1 − 10⁻³⁰⁰"
    return (
        f"{picks}. At total variation {chance(board.distance, board.overlap)} the picks differ "
        f"with probability {differ}."
    )


def figure(board: Board, theme: Theme) -> Figure:
    """Draw both curves, the darts thrown, and the first below each; a button plays them."""
    last = board.places.size - 1
    numbers = np.arange(0, last, max(1, -(-last // (_MOST_FRAMES - 1))))
    stops = [*numbers.tolist(), last]
    return played(theme, lambda stop: _board(board, stop), stops, each=_FRAME, tall=1.1)


def _board(board: Board, stop: int) -> list[Row]:
    """Return the board after `stop` + 1 darts, and below it how often games end alike."""
    top = min(1.0, _HEADROOM * float(max(board.p.max(), board.q.max())))
    across = Side.whole(0.5, board.p.size + 0.5, ("Outcome (a hypothesis, say)", "Outcome"))
    strip = _MARGIN * top if top < 1 else _CERTAIN
    marks = [*_bells(board, top), *_drops(board, stop, top), *_darts(board, stop, top)]
    handle = Handle(
        "gap", board.place, _GRIP * strip, {"from": (board.p.size + 1) / 2, "each": 0.5}
    )
    darts = Panel(
        across,
        Side(0, strip, ticks=_heights(top), grid=False),
        [*marks, *_picks(board, stop, top)],
        above=_said(stop),
        handle=handle,
    )
    return [darts, _games(board)]


def _said(stop: int) -> tuple[str, str]:
    """Say what the heights are, and how many darts are thrown at them."""
    thrown = f"{counted(stop + 1, 'dart')} thrown at random"
    return (
        f"Height: probability. {thrown}; <b>each person takes the first below their own curve</b>",
        f"Height: probability. {thrown}",
    )


def _drops(board: Board, stop: int, top: float) -> list[Mark]:
    """Return a line from each dart that is taken by then down to its outcome."""
    drops = list[Mark]()
    for dart in dict.fromkeys((board.first, board.second)):
        x, y = _places(board, np.array([dart] if dart <= stop else [], dtype=int), top)
        ends = np.repeat(x, 2), np.concatenate([0 * y, y])
        drops.append(Line(*ends, wide=3, about=_owner(board, dart)))
    return drops


def _picks(board: Board, stop: int, top: float) -> list[Mark]:
    """Return who picks what, beside each dart that is taken.

    Before it is thrown there is a blank, so that all that is played has as many parts: then only
    what changes is held.
    """
    marks, whose = list[Mark](), dict[int, list[str]]()
    for name, dart in zip(_NAMES, (board.first, board.second), strict=True):
        whose.setdefault(dart, []).append(name)
    for dart, names in whose.items():
        who, picks = ("both", "pick") if len(names) > 1 else (names[0], "picks")
        pick, thrown = board.places[dart] + 1, dart <= stop
        words = f"<b>{who} {picks} {pick}</b>", f"<b>{who}: {pick}</b>"
        x, y = (float(one[0]) for one in _places(board, np.array([dart]), top))
        side, low = _side(board, dart), y > _TOP * top  # words above it would leave the board
        look: dict[str, Any] = {"about": _owner(board, dart), "large": True}
        look["backed"] = not _below_both(board, dart, side, top)
        look |= {"to": f"{'S' if low else 'N'}{'W' if side < 0 else 'E'}"}
        shift = 10.0 * side, -8.0 if low else 8.0
        said = Text(words, x, y, shift=shift, **look)
        marks.append(said if thrown else replace(said, words=_BLANK, x=0.5, y=0.95 * top, to="SE"))
    return marks


def _bells(board: Board, top: float) -> list[Mark | None]:
    """Return both curves, what is below both, and their names."""
    edges = np.repeat(np.arange(board.p.size + 1) + 0.5, 2)

    def stairs(law: FloatArray) -> FloatArray:
        return np.concatenate([[0.0], np.repeat(law, 2), [0.0]])

    bells = [Line(edges, stairs(law), about=ink) for law, ink in ((board.p, _P), (board.q, _Q))]
    both = np.minimum(board.p, board.q)
    overlap = Line(edges, stairs(both), about=_SAME, wide=0, fill=0.25)
    middle = float(np.average(np.arange(both.size) + 1, weights=both)) if both.any() else math.nan
    heights = [part * float(both.max()) for part in _PARTS]
    at = _free(board, middle, heights, _NARROW) if both.max() > _TALL * top else math.nan
    wide = np.count_nonzero(both >= at) >= 2 * _WORDY * both.size  # nowhere if there is no height
    inside = Text(_INSIDE, middle, at, about=_SAME) if wide else None
    return [
        overlap,
        *bells,
        inside,
        _name(board, "Ann", board.p, _P, -1),
        _name(board, "Ben", board.q, _Q, 1),
    ]


def _free(board: Board, middle: float, heights: Sequence[float], least: float = 0.0) -> float:
    """Return which height has room for words: the first, or that farthest from darts beside it.

    least: the part of the board that has to be free, or there is no such height, NaN.
    """
    across, wide = _across(board, np.arange(board.places.size)), board.p.size
    top = _HEADROOM * float(max(board.p.max(), board.q.max()))
    seen: list[float] = board.heights[abs(across - middle) <= _WORDY * wide].tolist()
    for dart in (board.first, board.second):  # beside it stands who picks what
        ends = sorted(
            (float(across[dart]), float(across[dart]) + _SAYS * _side(board, dart) * wide)
        )
        if ends[0] - _WORDY * wide <= middle <= ends[1] + _WORDY * wide:
            seen += [float(board.heights[dart]) + over * top for over in _OVER]

    def room(height: float) -> float:
        return min(*(abs(one - height) for one in seen), _CLEAR * top, 1.0)

    best = max(heights, key=room)
    return best if room(best) >= least * top else math.nan


def _side(board: Board, dart: int) -> int:
    """Return on which side of a dart words stand, -1 for the left: off the other one's."""
    at, other = (board.places[one] / board.p.size for one in (dart, _other(board, dart)))
    if at < other:
        return -1 if at > _EARLY else 1
    return -1 if at > _LATE else 1


def _below_both(board: Board, dart: int, side: int, top: float) -> bool:
    """Return whether words beside and above a dart lie below both curves, clear of their lines."""
    across = float(_across(board, np.array([dart]))[0]) - 0.5  # in columns
    ends = sorted((across, across + _SAYS * side * board.p.size))
    columns = slice(max(int(ends[0]), 0), int(ends[1]) + 1)
    level = float(board.heights[dart]) + _OVER[1] * top
    return bool(np.minimum(board.p, board.q)[columns].min() > level)


def _other(board: Board, dart: int) -> int:
    """Return the dart that the other one of the two takes."""
    return board.second if dart == board.first else board.first


def _name(board: Board, name: str, law: FloatArray, ink: int, side: int) -> Text:
    """Return the name of a curve beside its outer flank, or within where that is at the edge.

    side: the flank, -1 for the left.
    """
    high = np.flatnonzero(law >= _FLANK * law.max())
    column = int(high[0] if side < 0 else high[-1])
    beyond = column + side
    free = _NEAR <= column < law.size - _NEAR
    low = float(law[beyond]) if free else 0.0
    look: dict[str, Any] = {"to": "W" if (side < 0) == free else "E", "about": ink}
    way = side if free else -side
    flank = column + 1 + side / 2
    heights = [low + part * (float(law[column]) - low) for part in _PARTS]
    at = _free(board, flank + way * _WORDY * law.size, heights)
    return Text(f"<b>{name}</b>", flank, at, shift=(8.0 * way, 0.0), backed=free, **look)


def _darts(board: Board, stop: int, top: float) -> list[Mark]:
    """Return the darts thrown by then: crosses below neither curve, discs that somebody takes."""
    numbers = np.arange(stop + 1)
    below_p, below_q = (hit[numbers] for hit in board.below)
    inks = [
        _SAME if p and q else _P if p else _Q if q else "muted"
        for p, q in zip(below_p.tolist(), below_q.tolist(), strict=True)
    ]
    missed = ~(below_p | below_q)
    taken = np.isin(numbers, (board.first, board.second))
    x, y = _places(board, numbers, top)
    all_named = stop < _NUMBERED
    return [
        Dots(
            x,
            y,
            size=np.where(taken, _TAKEN, _SMALL).tolist(),
            about=[
                _owner(board, dart) if one else ink
                for dart, (ink, one) in enumerate(zip(inks, taken.tolist(), strict=True))
            ],
            symbol=np.where(missed, "x-thin-open", "circle").tolist(),
            edge=np.where(missed, 2.0, 0.0).tolist(),
            words=[
                f"<b>{dart + 1}</b>" if one else str(dart + 1) if all_named else ""
                for dart, one in enumerate(taken.tolist())
            ],
            to=np.where(taken, "middle center", "middle right").tolist(),
            inked=["background" if one else "muted" for one in taken.tolist()],
            said=[f"dart {dart + 1}" for dart in numbers],
        )
    ]


def _places(board: Board, numbers: np.ndarray, top: float) -> tuple[FloatArray, FloatArray]:
    """Return where darts are drawn."""
    heights = board.heights[numbers]
    strip = (top + _MARGIN * top) / 2
    return _across(board, numbers), np.where(heights > top, strip, heights)


def _across(board: Board, numbers: np.ndarray) -> FloatArray:
    """Return where darts are across: spread over the column of their outcome by their number."""
    shift = (numbers * 0.618034) % 1 - 0.5
    across: FloatArray = board.places[numbers] + 1 + 0.7 * shift
    return across


def _owner(board: Board, dart: int) -> Subject | int:
    """Return the colour of who takes a dart."""
    if board.first == board.second:
        return _SAME
    return _P if dart == board.first else _Q


def _games(board: Board) -> Panel:
    """Return two rows of a hundred games, full as far as the picks are the same, exactly."""
    shares = [100 * board.agreement, 100 * board.own_agreement]
    inks = [Subject.USER_LEVEL, Subject.ITEM_LEVEL]
    said = [of_a_hundred(share / 100, agree=True) for share in shares]
    return Panel(
        Side.bare(0, _BESIDE),
        Side.rows(["Shared darts", "Each alone"]),
        [
            Bars([0, 1], [100, 100], lying=True, about="grid"),
            Bars([0, 1], shares, lying=True, about=inks, said="%{x:.3g} of 100 games"),
            *(
                Text((many, _SHORT.get(many, many)), 100, row, to="E", shift=(6, 0))
                for row, many in enumerate(said)
            ),
        ],
        above="Of 100 games, both pick <b>the same</b> in so many:",
        pixels=_GAMES,
    )


def _heights(top: float) -> list[tuple[float, str]]:
    """Return the ticks of the board, and what stands at the strip for darts that are higher."""
    axis = settings(Scale(Axis("height", "", log=False), 0.0, top))
    ticks = list(zip(axis["tickvals"], axis["ticktext"], strict=True))
    return ticks if top == 1 else [*ticks, ((1 + _MARGIN) * top / 2, "higher")]


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
