"""Both picks together: the joint law of two picks, made in three ways."""

from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Cells, Ink, Line, Part, Text, Words
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

_SAME = Subject.USER_LEVEL
_CLEAR = 0.04  # of an axis at its upper end, where a number would touch the title
_ROOT = 0.4  # the power of a probability that is its shade
_KEYS: tuple[Words, ...] = (  # one below each panel: they are the same for all
    ("Across: Ann’s pick; up: Ben’s", "Ann’s →, Ben’s ↑"),
    "Stronger shade: likelier",
    "Green: the same pick",
)
_FEW = 5  # outcomes, of which more have a corner with room for words
_CORNER = 3, 5  # parts of the outcomes, along and up, that words in a corner take


def takeaway(laws: BothPicksTogether) -> str:
    """State how often the picks agree in each of the three ways."""
    darts, inverse, own = (of_a_hundred(part, agree=True) for part in laws.agreement)
    if darts == inverse == own:
        return f"However they draw, Ann and Ben agree in {darts} of 100 games."
    agree = f"Ann and Ben agree in {darts} of 100 games with shared darts"
    number = "with one shared random number"
    if darts == inverse:
        return f"{agree} or one shared random number, and in {own} if they share nothing."
    if inverse == own:
        return f"{agree}, in {own} if they share nothing or one random number."
    return f"{agree}, in {own} if they share nothing, and in {inverse} {number}."


def detail(laws: BothPicksTogether) -> str:
    """State the exact probabilities."""
    darts, inverse, own = map(chance, laws.agreement)
    return (
        "Each of the three ways gives each person a pick from their own distribution. The picks "
        f"agree with probability {darts} with shared darts, {own} with nothing shared and "
        f"{inverse} with one shared number."
    )


def figure(laws: BothPicksTogether, theme: Theme) -> Figure:
    """Draw the three joint laws side by side, on a phone in two rows that fit its screen."""
    darts, inverse, own = laws.agreement
    ways: tuple[tuple[str, str, FloatArray, float], ...] = (
        ("Shared darts", "each takes the first dart below their bell", laws.darts, darts),
        ("Nothing shared", "each draws from their own bell", laws.independent, own),
        ("One shared number", "each takes that percentile of their bell", laws.inverse, inverse),
    )
    highest = max(float(law.max()) for _, _, law, _ in ways) ** _ROOT
    best = of_a_hundred(max(laws.agreement), agree=True)
    panels = [
        _panel((f"<b>{name}</b><br>{how}", f"<b>{name}</b>"), key, law, agree, highest, best)
        for (name, how, law, agree), key in zip(ways, _KEYS, strict=True)
    ]
    panels[-1] = replace(panels[-1], marks=[*panels[-1].marks, _how_far(laws.inverse)])
    return stacked(theme, panels, tall=0.76, beside=2)


def _panel(
    name: Words, key: Words, law: FloatArray, agree: float, highest: float, best: str
) -> Panel:
    """Return one joint law, with those pairs in colour that agree."""
    often = of_a_hundred(agree, agree=True)
    short = "hardly ever" if often == "hardly any" else f"{often} of 100"
    ink: Ink = _SAME if often == best else "text"
    often = f"agree {short}" if often == "hardly any" else f"agree in {short}"
    outcomes, end = np.arange(1, len(law) + 1), len(law) + 0.5
    said = "Ann picks %{x}, Ben picks %{y}: %{customdata:.3g}"
    same = np.eye(len(law), dtype=bool)
    cells = [
        Cells(outcomes, outcomes, seen, highest, customdata=law.T, about=about, said=said)
        for about, part in (("muted", ~same), (_SAME, same))
        for seen in (np.where(part, law.T**_ROOT, np.nan),)
    ]
    corners = np.arange(len(law) + 1) + 0.5
    stairs = np.repeat(corners, 2)
    around = [
        Line(stairs[:-1], stairs[1:], wide=1.0, about=_SAME),
        Line(stairs[1:], stairs[:-1], wide=1.0, about=_SAME),
    ]
    number = Text(
        (f"<b>{often}</b>", f"<b>{short}</b>"), Part(0), Part(1), to="NE", about=ink, large=True
    )
    up = Side.whole(0.5, end)
    clear = [tick for tick in up.ticks or () if tick[0] < end - _CLEAR * (end - 0.5)]
    return Panel(
        Side.whole(0.5, end, key),
        replace(up, ticks=clear),
        [*cells, *around, number],
        above=name,
        square=True,
    )


def _how_far(law: FloatArray) -> Text | None:
    """Say how far Ben's pick mostly is from Ann's, in a corner if that is free."""
    size = len(law)
    along, up = (size // part + 1 for part in _CORNER)
    steps = np.subtract.outer(np.arange(size), np.arange(size)).T
    likely = [float(law[steps == step].sum()) for step in range(size)]
    step = int(np.argmax(likely))
    if size < _FEW or not step or likely[step] <= 0.5 or law[along:, :up].any():
        return None
    said = (
        f"mostly, Ben’s pick is {step} higher,<br>as his bell lies higher",
        f"Ben’s is<br>{step} higher",
    )
    return Text(said, size + 0.5, 0.5, to="NW", shift=(-6, 6))


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
