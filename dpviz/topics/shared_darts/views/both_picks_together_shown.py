"""Both picks together: the joint law of two picks, made in three ways."""

from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Cells, Rule
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray
from dpviz.scene.view import View
from dpviz.topics.shared_darts.bells_shown import BELLS, notes, of_a_hundred
from dpviz.topics.shared_darts.views.both_picks_together import (
    BothPicksTogether,
    both_picks_together,
)

_NAMES = ("Shared darts", "One shared number", "Own coins")
_CLEAR = 0.04  # of an axis at its upper end, where a number would touch the title


def takeaway(laws: BothPicksTogether) -> str:
    """State how often the picks agree."""
    darts, inverse, own = (of_a_hundred(part, agree=True) for part in laws.agreement)
    agree = f"With shared darts the two agree in {darts} of a hundred games"
    if darts == inverse == own:
        return f"{agree}, as with one shared random number and with coins of their own."
    if inverse == own:
        return f"{agree}, with one shared random number, or coins of their own, in {own}."
    if darts == inverse:
        return f"{agree}, as with one shared random number, and with coins of their own in {own}."
    if darts == own:
        return f"{agree}, as with coins of their own, and with one shared number in {inverse}."
    return (
        f"Shared darts make the two agree in {darts} of a hundred games, one shared number in "
        f"{inverse}, own coins in {own}."
    )


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
    """Return one joint law and its diagonal."""
    often = of_a_hundred(agree, agree=True)
    # Of the longer ones two do not stand beside each other on a phone.
    often = "agree hardly ever" if often == "hardly any" else f"agree in {often} of 100"
    outcomes, end = np.arange(1, len(table) + 1), len(table) + 0.5
    said = "Ann picks %{x}, Ben picks %{y}: %{customdata:.3g}"
    cells = Cells(
        outcomes, outcomes, np.sqrt(table.T), highest, customdata=table.T, about=2, said=said
    )
    diagonal = Rule(x=(0.5, end), y=(0.5, end), wide=1, dash="dot", about="muted")
    up = Side.whole(0.5, end, "Ben picks")
    clear = [tick for tick in up.ticks or () if tick[0] < end - _CLEAR * (end - 0.5)]
    return Panel(
        Side.whole(0.5, end, "Ann picks"),
        replace(up, ticks=clear),
        [cells, diagonal],
        above=f"<b>{name}</b><br>{often}",
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
    why="Each square is a pair of picks, and on the diagonal the two agree. With one shared random "
    "number the picks are close but seldom equal: a little mass moved at one end shifts all the "
    "rest. A dart is judged at its own outcome alone, so what changes elsewhere does not matter.",
    notes=notes,
)
