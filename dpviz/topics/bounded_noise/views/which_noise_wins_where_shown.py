"""Which noise wins where: the map of k against δ or ε, each noise's part in its colour."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpviz.plot import filling
from dpviz.plot.chart import draw
from dpviz.plot.labels import FAINT
from dpviz.plot.spec import Figure, scatter
from dpviz.plot.steady import placed_name
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, FloatArray, Mark
from dpviz.results.parameters import LIMITS
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY
from dpviz.topics.bounded_noise.numbers_shown import percent, whole_count
from dpviz.topics.bounded_noise.objectives_shown import idle_with_objective, smallest
from dpviz.topics.bounded_noise.views.which_noise_wins_where import (
    SUBJECTS,
    Winners,
    which_noise_wins_where,
)

_TINT = 0.3  # of the parts of a map
_SHARES = (0.5, 0.85, 0.15)  # of a part's height, where its name may stand
_LOW = 0.3  # of the map's height: two names do not fit into a part that is lower
_HATCHES = {"gaussian": "/", "tuned": "."}  # what tells the parts apart without their colours


def takeaway(result: Winners) -> str:
    """State from how many answers on which noise has the least error, at the reader's privacy."""
    measure = smallest(result.objective, result.failure_probability)
    turns = [
        f"from {'about ' if k > 10 else ''}{whole_count(k)} on {result.named(name)}"
        for name, k in _in_turn(result)
    ]
    first = result.named(result.ranks[0])
    start = f"Of the noises compared {first} has {measure} for the fewest answers"
    if not (turns or result.own):
        return f"{start}; whether another overtakes it is not yet known."
    if not turns:
        return f"{start}; no other noise overtakes it up to {result.most:,.0f} answers."
    return f"{start}, {', '.join(turns)}."


def _in_turn(result: Winners) -> list[tuple[str, float]]:
    """Return the noises that take over, and from which k on; one overtaken at once is left out."""
    takeovers = [(name, k) for name, k in result.turns.items() if np.isfinite(k)]
    later = [*(k for _, k in takeovers), math.inf][1:]
    return [(name, k) for (name, k), after in zip(takeovers, later, strict=True) if k < after]


def detail(result: Winners) -> str:
    """State the noise of least error at the reader's own k, and how far the borders move."""
    symbol = LIMITS[result.along].symbol
    moves = [
        f"{result.named(name)} takes over {_where(*span)}" for name, span in result.spans.items()
    ]
    own_place = f"{least_here(result)}. " if result.own else ""
    about = {
        "real": "Noise on whole numbers is for counts: see the control.",
        "whole": "Noise on whole numbers would betray any other answer; for one count no noise on "
        "them keeps to a smaller bound than the truncated geometric law.",
    }[result.answers]
    if not moves:
        return f"{own_place}All noises are as small as the same privacy allows. {about}"
    count = result.curves[0].x.size
    values = "one value" if count == 1 else f"{count} values"
    between = "" if count == 1 else "; between them lines are drawn straight"
    return (
        f"{own_place}At the {values} of {symbol} computed so far, {'; '.join(moves)}{between}. All "
        "noises are as small as the same privacy allows. Exact up to k = 10, within a tenth "
        f"above. {about}"
    )


def _where(low: float, high: float) -> str:
    first, last = whole_count(low), whole_count(high)
    return f"at k = {first}" if first == last else f"between k = {first} and {last}"


def least_here(result: Winners) -> str:
    """State which noise has the least error at the reader's own k, and by how much."""
    best, *others = result.ordered
    sentence = f"k = {whole_count(result.queries)}: {result.named(best)}"
    if others and result.lead >= 5e-4:
        return f"{sentence}, {percent(result.lead)} less than {result.named(others[0])}"
    return f"{sentence} and {result.named(others[0])} alike" if others else sentence


def figure(result: Winners, theme: Theme) -> Figure:
    """Draw the map: the part of each noise in its colour, with its name, and the reader's place."""
    chart: Chart = result
    if result.own:
        best = result.ordered[0]
        above = "↑ " if result.queries > result.most else ""
        place = Mark(
            chart.here,
            min(result.queries, result.most),
            f"{above}{least_here(result)}",
            SUBJECTS[best],
        )
        chart = replace(chart, marks=(place,))
    drawn = draw(chart, theme)
    low, high = (10**end for end in drawn.layout["yaxis"]["range"])
    curves, old = _borders(result, theme)
    x = curves[0].x
    borders = [np.full(x.size, low)]
    borders += [np.clip(np.nan_to_num(curve.y, nan=high), low, high) for curve in curves]
    borders.append(np.full(x.size, high))
    parts = []
    for name, foot, top in zip(result.ranks, borders, borders[1:], strict=False):
        color = theme.subjects[SUBJECTS[name]]
        parts.append(
            scatter(
                x=np.concatenate([x, x[::-1]]),
                y=np.concatenate([foot, top[::-1]]),
                fill="toself",
                fillcolor=color,
                fillpattern={
                    "shape": _HATCHES.get(name, ""),
                    "fillmode": "overlay",
                    "size": 12,
                    "solidity": 0.12,
                    "fgcolor": theme.text,
                },
                opacity=_TINT * (filling.FADED if old else 1.0),
                line={"width": 0},
                mode="lines",
                hoverinfo="skip",
                showlegend=False,
            )
        )
        # along a single line the curves' own labels say it; a part may be empty
        # and the reader's place in a low part says its name already
        low_part = np.log10(top / foot).max() < _LOW * math.log10(high / low)
        said = low_part and bool(result.own) and name == result.ordered[0]
        if x.size > 1 and np.any(top > foot) and not said:
            half = 0.25 * theme.font_size * len(result.named(name))
            room = _between(drawn, half, theme)
            part = np.log10(x), np.log10(foot), np.log10(top)
            stands, at = _middle(*part, chart, room, theme.places.get(name))
            look = {"text": result.named(name), "font": {"color": color}, "showarrow": False}
            look |= {"name": placed_name(name, stands), "opacity": FAINT if old else 1.0}
            drawn.layout["annotations"].append(at | look)
    drawn.data[:0] = parts
    return drawn


def _borders(chart: Chart, theme: Theme) -> tuple[Sequence[Curve], bool]:
    """Return the borders of the parts, and whether they are those of the figure before.

    These stand in, faded, until the new ones are known along as much of the axis.
    """
    before = filling.stand_in(chart, theme.before)
    begun = filling.begun(chart, before) if theme.partial else []
    old = [part.before for part in begun if part.before is not None]
    return (old, True) if len(old) == len(chart.curves) else (chart.curves, False)


def _between(drawn: Figure, half: float, theme: Theme) -> tuple[float, float]:
    """Return from where to where words may be centred, half so many pixels long, in the plot."""
    margin, (low, high) = drawn.layout["margin"], drawn.layout["xaxis"]["range"]
    beside = half * (high - low) / (theme.width - margin["l"] - margin["r"])
    return low + beside, max(high - beside, low + beside)


def _middle(
    x: FloatArray,
    foot: FloatArray,
    top: FloatArray,
    chart: Chart,
    room: tuple[float, float],
    before: int | None,
) -> tuple[int, dict[str, float]]:
    """Return where the name of a part stands: where it is high, off the ends and the reader's x.

    In the part where the reader's place is named, on the side of it where there is more room; room:
    where on the axis it may be. before: the place it had, which it keeps where that is half as
    good, and not where the reader's is named. The place is returned first, as a number.
    """
    at = np.clip(x[0] + (x[-1] - x[0]) * np.linspace(0.25, 0.75, 11), *room)
    low, high = np.interp(at, x, foot), np.interp(at, x, top)
    beside = np.minimum(np.abs(at - math.log10(chart.here)) / (x[-1] - x[0]), 0.4)
    good = (high - low) * beside
    best, side = int(np.argmax(good)), 0
    kept, kept_side = divmod(len(_SHARES) * best if before is None else before, len(_SHARES))
    if kept < at.size and good[kept] >= good[best] / 2:
        best = kept
    for mark in chart.marks:
        height = (math.log10(mark.y) - low[best]) / max(high[best] - low[best], 1e-9)
        if 0 <= height <= 1:
            side = 1 if height < 0.6 else 2
            if before is not None and abs(height - _SHARES[kept_side]) >= 0.25:
                side = kept_side
        elif before is not None:
            side = kept_side
    y = low[best] + _SHARES[side] * (high[best] - low[best])
    return len(_SHARES) * best + side, {"x": float(at[best]), "y": float(y)}


VIEW = View(
    key="winners",
    title="Which noise wins where",
    compute=which_noise_wins_where,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("objective", "answers", "along", *PRIVACY, "failure_probability"),
    in_sight=("queries", "objective", "along"),
    why="For few answers the best noise is nearly flat up to its ends, since little is added up. "
    "Many answers add up to something like Gaussian noise whatever each is, and then what counts "
    "is how smoothly a noise falls off.",
    idle=idle_with_objective,
)
