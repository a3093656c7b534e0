"""One board: darts thrown until each of two people has taken one, and a hundred such games."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.marks import Bars, Dots, Line, Mark, Text, tinted
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
_MARGIN = 1.14  # of the board, with the strip for darts that are higher
_FLANK = 0.6  # of the highest column, from which on a curve is named, off the grip on its top
_NEAR = 2  # columns at an end of the axis, beside which a name has no room
_TALL = 0.2  # of the board's height, from which words have room below both curves
_PARTS = (0.5, 0.3, 0.7, 0.15, 0.85)  # of a height, where words may stand
_WORDY, _CLEAR = 0.09, 0.1  # of the board, beside and above the middle of words
_INSIDE = "a dart here:<br>the same pick", "same pick"
_TAKEN, _SMALL = 26.0, 10.0  # pixels of a dart that somebody takes, and of others
_NAMES = ("Ann", "Ben")


def takeaway(board: Board) -> str:
    """State the rule, and how often two people who keep it pick the same."""
    shared, own = (
        of_a_hundred(part, agree=True) for part in (board.agreement, board.own_agreement)
    )
    return (
        "Two people who each take the first dart below their own curve pick the same in "
        f"{shared} of a hundred games; with own coins, in {own}."
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
    strip = _MARGIN * top if top < 1 else 1.0
    marks = [*_bells(board, top), *_darts(board, stop, top)]
    handle = Handle(
        "gap", board.place, float(board.q.max()), {"from": (board.p.size + 1) / 2, "each": 0.5}
    )
    darts = Panel(
        across,
        Side(0, strip, "Probability", ticks=_heights(top), grid=False),
        marks,
        above=_said(board, stop),
        handle=handle,
    )
    return [darts, _games(board)]


def _said(board: Board, stop: int) -> tuple[str, str]:
    """Say who has taken which dart."""
    begin = f"{counted(stop + 1, 'dart')} thrown, × below neither curve"
    if board.first == board.second <= stop:
        both = f"<b>both take dart {board.first + 1}</b>, outcome {board.picks[0]}"
        return f"{begin}: {tinted(both, _SAME)}", tinted(both, _SAME)
    darts = (board.first, board.second)
    pairs = list(zip(_NAMES, darts, board.picks, (_P, _Q), strict=True))

    def each(takes: str) -> str:
        return "; ".join(
            tinted(f"<b>{name}</b>{takes} dart {dart + 1}, outcome {pick}", ink)
            if dart <= stop
            else tinted(f"<b>{name}</b> waits", ink)
            for name, dart, pick, ink in pairs
        )

    return f"{begin}: {each(' takes')}", each(":")


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
    inside = Text(_INSIDE, middle, _free(board, middle, heights), about=_SAME)
    return [
        overlap,
        *bells,
        inside if both.max() > _TALL * top else None,
        _name(board, "Ann (P)", board.p, _P, -1),
        _name(board, "Ben (Q)", board.q, _Q, 1),
    ]


def _free(board: Board, middle: float, heights: Sequence[float]) -> float:
    """Return which height has room for words: the first, or that farthest from darts beside it."""
    near = abs(_across(board, np.arange(board.places.size)) - middle) <= _WORDY * board.p.size
    seen = board.heights[near]
    clear = _CLEAR * _HEADROOM * float(max(board.p.max(), board.q.max()))

    def room(height: float) -> float:
        return min(float(abs(seen - height).min(initial=1.0)), clear)

    return max(heights, key=room)


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
    return [
        Dots(
            x,
            y,
            size=np.where(taken, _TAKEN, _SMALL).tolist(),
            about=[
                _owner(board, dart) if dart in (board.first, board.second) else ink
                for dart, ink in enumerate(inks)
            ],
            symbol=np.where(missed, "x-thin-open", "circle").tolist(),
            edge=np.where(missed, 2.0, 0.0).tolist(),
            words=[f"<b>{dart + 1}</b>" if one else "" for dart, one in enumerate(taken.tolist())],
            inked="background",
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
        Side.rows(["Shared darts", "Own coins"]),
        [
            Bars([0, 1], [100, 100], lying=True, about="grid"),
            Bars([0, 1], shares, lying=True, about=inks, said="%{x:.3g} of a hundred games"),
            *(
                Text((many, _SHORT.get(many, many)), 100, row, to="E", shift=(6, 0))
                for row, many in enumerate(said)
            ),
        ],
        above="Of a hundred games, both pick <b>the same</b> in so many:",
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
