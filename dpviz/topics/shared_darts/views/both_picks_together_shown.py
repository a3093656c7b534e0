"""Both picks together: the joint law of two picks, made in three ways."""

from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Cells, Line, Part, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes, of_a_hundred
from dpviz.topics.shared_darts.views.both_picks_together import (
    BothPicksTogether,
    both_picks_together,
)

_NAMES = ("Shared darts", "One shared number", "Each alone")
_SAME = Subject.USER_LEVEL
_CLEAR = 0.04  # of an axis at its upper end, where a number would touch the title


def takeaway(laws: BothPicksTogether) -> str:
    """State how often the picks agree in each of the three ways."""
    darts, inverse, own = (of_a_hundred(part, agree=True) for part in laws.agreement)
    if darts == inverse == own:
        return f"However they draw, Ann and Ben agree in {darts} of 100 games."
    agree = f"Ann and Ben agree in {darts} of 100 games with shared darts"
    alone = "if they share nothing"
    if darts == inverse:
        return f"{agree} or one shared random number, and in {own} {alone}."
    if inverse == own:
        return f"{agree}, in {own} with one shared random number or {alone}."
    return f"{agree}, in {inverse} with one shared random number, and in {own} {alone}."


def detail(laws: BothPicksTogether) -> str:
    """State the exact probabilities."""
    darts, inverse, own = map(chance, laws.agreement)
    return (
        "Each of the three ways gives each person a pick from their own distribution. The picks "
        f"agree with probability {darts}, {inverse} and {own}."
    )


def figure(laws: BothPicksTogether, theme: Theme) -> Figure:
    """Draw the three joint laws side by side, on a phone in two rows that fit its screen."""
    tables = (laws.darts, laws.inverse, laws.independent)
    highest = max(float(np.sqrt(table.max())) for table in tables)
    panels = [
        _panel(name, table, agree, highest)
        for name, table, agree in zip(_NAMES, tables, laws.agreement, strict=True)
    ]
    return stacked(theme, panels, tall=0.78, beside=2)


def _panel(name: str, table: FloatArray, agree: float, highest: float) -> Panel:
    """Return one joint law, with those pairs in colour that agree."""
    often = of_a_hundred(agree, agree=True)
    short = "hardly ever" if often == "hardly any" else f"{often} of 100"
    often = f"agree {short}" if often == "hardly any" else f"agree in {short}"
    outcomes, end = np.arange(1, len(table) + 1), len(table) + 0.5
    said = "Ann picks %{x}, Ben picks %{y}: %{customdata:.3g}"
    same = np.eye(len(table), dtype=bool)
    cells = [
        Cells(outcomes, outcomes, seen, highest, customdata=table.T, about=ink, said=said)
        for ink, part in (("muted", ~same), (_SAME, same))
        for seen in (np.where(part, np.sqrt(table.T), np.nan),)
    ]
    diagonal = Line([0.5, end], [0.5, end], wide=1.0, about=_SAME)
    middle = (end + 0.5) / 2
    key = [
        Text("same pick", middle, middle, to="SE", about=_SAME, shift=(6, -6), backed=True),
        Text("darker: likelier", end, 0.5, to="NW", shift=(-2, 2)),
    ]
    number = Text(
        (f"<b>{often}</b>", f"<b>{short}</b>"), Part(0), Part(1), to="NE", about=_SAME, large=True
    )
    up = Side.whole(0.5, end)
    clear = [tick for tick in up.ticks or () if tick[0] < end - _CLEAR * (end - 0.5)]
    return Panel(
        Side.whole(0.5, end, ("Across: Ann’s pick; up: Ben’s", "Ann’s →, Ben’s ↑")),
        replace(up, ticks=clear),
        [*cells, diagonal, number, *(key if name == _NAMES[0] else ())],
        above=f"<b>{name}</b>",
    )


VIEW = View(
    key="joint",
    title="Both picks together",
    compute=both_picks_together,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=BELLS,
    in_sight=("gap", "width", "outcomes"),
    why="Each square is a pair of picks; where it is green, they agree. A shared random number is "
    "looked up by each in a table of their own, so picks are close but seldom equal: a little "
    "mass moved at one end shifts all the rest. A dart is judged at its own outcome alone, so what "
    "changes elsewhere does not matter.",
    notes=notes,
)
