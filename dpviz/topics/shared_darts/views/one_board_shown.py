"""One board: darts thrown until each of two people has taken one, and a hundred such games."""

import math

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.marks import Bars, Dots, Line, Mark, Rule, Text, tinted
from dpviz.plot.panels import Handle, Panel, Row, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance
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
_ROOM = 0.86  # of the board's height, up to which a name has room above a curve
_GRIP = 10.0  # pixels above and below the top of Q, where a hand takes hold of it
_TALL = 0.2  # of the board's height, from which words have room below both curves
_INSIDE = "a dart here:<br>the same pick", "same pick"
_LARGE = 19  # pixels of a dart that holds its number
_NUMBERED = 12  # darts, up to which each has its number


def takeaway(board: Board) -> str:
    """State whether the picks of this game are the same, and how often they are."""
    mine, yours = board.picks
    if board.first == board.second:
        here = "Here both take the same dart, so they pick the same"
    elif mine == yours:
        here = "Here they take different darts, yet pick the same"
    else:
        here = "Here a dart fell under one curve only: the picks differ"
    shared = of_a_hundred(board.agreement, agree=True)
    own = of_a_hundred(board.own_agreement, agree=True)
    often = f"Of a hundred games {shared} end in the same pick with shared darts"
    return f"{often}, {own} with own coins. {here}."


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
    if top < 1:
        marks.append(Rule(y=top, about="muted", wide=1.0, dash="dot"))
    handle = Handle(
        "gap", board.place, float(board.q.max()), {"from": (board.p.size + 1) / 2, "each": 0.5}
    )
    darts = Panel(
        across,
        Side(0, strip, "Probability", ticks=_heights(top)),
        marks,
        above=_said(board, stop),
        handle=handle,
    )
    return [darts, _games(board)]


def _said(board: Board, stop: int) -> tuple[str, str]:
    """Say who has taken which dart."""
    thrown = "1 dart" if stop == 0 else f"{stop + 1} darts"
    begin = f"{thrown} thrown, each takes the first below their own curve"
    if board.first == board.second <= stop:
        both = f"<b>both take dart {board.first + 1}</b>, outcome {board.picks[0]}"
        return f"{begin}: {tinted(both, _SAME)}", tinted(both, _SAME)
    pairs = list(zip("PQ", (board.first, board.second), board.picks, (_P, _Q), strict=True))

    def each(takes: str) -> str:
        return "; ".join(
            tinted(f"{name}{takes} dart {dart + 1}, outcome {pick}", ink)
            if dart <= stop
            else tinted(f"{name} waits", ink)
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
    inside = Text(_INSIDE, middle, both.max() / 2, about=_SAME)
    return [
        overlap,
        *bells,
        inside if both.max() > _TALL * top else None,
        *(_name(*one, top) for one in (("P", board.p, _P, -1), ("Q", board.q, _Q, 1))),
    ]


def _name(name: str, law: FloatArray, ink: int, side: int, top: float) -> Text:
    """Return the name of a curve: above its highest column or, without room there, beside it.

    side: of the column, -1 for the left.
    """
    column, high = int(law.argmax()) + 1, float(law.max())
    if high <= _ROOM * top:
        return Text(f"<b>{name}</b>", column, high, to="N", about=ink, shift=(14.0 * side, _GRIP))
    way = "SW" if side < 0 else "SE"
    return Text(
        f"<b>{name}</b>", column + side / 2, high, to=way, about=ink, shift=(4.0 * side, -_GRIP)
    )


def _darts(board: Board, stop: int, top: float) -> list[Mark]:
    """Return the darts thrown by then, each with its number while they are few, rings, and strokes.

    Neither of the two takes what is struck out.
    """
    numbers = np.arange(stop + 1)
    below_p, below_q = (hit[numbers] for hit in board.below)
    inks = [
        _SAME if p and q else _P if p else _Q if q else "muted"
        for p, q in zip(below_p.tolist(), below_q.tolist(), strict=True)
    ]
    missed = ~(below_p | below_q)
    named = board.places.size <= _NUMBERED
    (x, y), size = _places(board, numbers, top), _LARGE if named else 9
    ringed = sorted(dart for dart in {board.first, board.second} if dart <= stop)
    return [
        Dots(
            x,
            y,
            size=size,
            about=inks,
            symbol=np.where(missed | named, "circle-open", "circle").tolist(),
            edge=np.where(missed, 1.0, 2.5).tolist(),
            words=[f"{number + 1}" for number in numbers] if named else (),
            said=[f"dart {number + 1}" for number in numbers],
        ),
        Dots(
            *_places(board, np.array(ringed, dtype=int), top),
            size=_LARGE + 9 if named else 20,
            symbol="circle-open",
            edge=3,
            about=[_ring(board, dart) for dart in ringed],
        ),
        Dots(x[missed], y[missed], size=size, about="muted", symbol="x-thin-open"),
    ]


def _places(board: Board, numbers: np.ndarray, top: float) -> tuple[FloatArray, FloatArray]:
    """Return where darts are drawn: spread over the column of their outcome by their number."""
    shift = (numbers * 0.618034) % 1 - 0.5
    heights = board.heights[numbers]
    strip = (top + _MARGIN * top) / 2
    return board.places[numbers] + 1 + 0.7 * shift, np.where(heights > top, strip, heights)


def _ring(board: Board, dart: int) -> Subject | int:
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
        above="Of a hundred games, so many end in <b>the same pick</b>:",
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
