"""All mechanisms side by side: a row each, with what is likely, and a wall where errors end."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpviz.plot import axes, filling
from dpviz.plot.marks import Bars, Dots, Ink, Line, Mark, Part, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, listed, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.answer import ComparedNoise
from dpviz.results.evidence import Curve
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY
from dpviz.topics.bounded_noise.numbers_shown import likelihood
from dpviz.topics.bounded_noise.views.mechanisms_compared import (
    FOR_COUNTS,
    MEASURES,
    NOUNS,
    ROWS,
    MechanismsCompared,
    alike,
    least,
    mechanisms_compared,
)

_IN_WORDS = {
    "textbook_gaussian": "Gaussian noise with the textbook's σ",
    "gaussian": "Gaussian noise",
    **NOUNS,
    "discrete_gaussian": "discrete Gaussian noise",
    "discrete_laplace": "discrete Laplace noise",
    "truncated_discrete_laplace": "truncated discrete Laplace noise",
    "bounded": "the paper's bounded noise",
    "tuned": "tuned noise",
    "joint": "noise drawn together",
}
_OURS = ("joint", "tuned", "bounded")  # first, then noise for real numbers, then for counts
_LIKELY = list(MEASURES).index("likely")
_ROWS = [
    *_OURS,
    *sorted(ROWS.keys() - set(_OURS), key=lambda key: (key in FOR_COUNTS, [*ROWS].index(key))),
]
_SHORT = 8  # characters
_WIDE = 0.3  # of the height of a row: its bar
_LOW = 0.38  # of the height of a row: where its bar is, below its name
_ASIDE = "aside"  # the colour of what the headline is not about


def takeaway(result: MechanismsCompared) -> str:
    """State which noise has the least of each measure, of those that are not for counts alone."""
    best: dict[tuple[str, ...], list[str]] = {}
    for measure, words in _measures(result).items():
        if (row := least(result.comparison, measure)) is not None:
            said = upwards(MEASURES[measure](row))
            keys = tuple(row.key for row in alike(result.comparison, measure, upwards))
            best.setdefault(keys, []).append(f"the smallest {words}, {said} Δ")
    so_far = "" if result.done == 1 else " known so far"
    clauses = [
        f"{listed([_IN_WORDS[key] for key in keys])} {agreeing(len(keys), 'has', 'have')} "
        f"{listed(parts)}"
        for keys, parts in best.items()
    ]
    return f"Of the noises for real numbers{so_far}, {'; '.join(clauses)}."


def _measures(result: MechanismsCompared) -> Mapping[str, str]:
    """Return what is compared, in words."""
    sure = likelihood(float(result.comparison.asked["failure_probability"]))
    return {
        "bound": "hard bound",
        "likely": f"bound with probability {sure}",
    }


def detail(result: MechanismsCompared) -> str:
    """State what the noises of the headline reach, and which is best for counts."""
    asked = result.comparison.asked
    sure = likelihood(float(asked["failure_probability"]))
    said = [_all_of(result.comparison.row(key), sure) for key in result.in_headline]
    counts = least(result.comparison, "likely", counts=True)
    for_counts = ""
    if counts is not None:
        for_counts = (
            f" Of those for whole numbers, {_IN_WORDS[counts.key]} has the smallest bound with "
            f"that probability, {upwards(counts.likely, 4)} Δ."
        )
    return f"At k = {whole(float(asked['queries']))}: {'; '.join(said)}.{for_counts}"


def _all_of(row: ComparedNoise, sure: str) -> str:
    certain = " but has no hard bound"
    if row.bound < math.inf:
        certain = f" and within {upwards(row.bound, 4)} Δ with certainty"
    return (
        f"{_IN_WORDS[row.key]} has a standard deviation of {upwards(row.deviation, 4)} Δ, keeps "
        f"within {upwards(row.likely, 4)} Δ with probability {sure},{certain}"
    )


def notes(_: MechanismsCompared) -> list[str]:
    """Say what noise on whole numbers is for."""
    return [
        "Every noise keeps the same ε and δ. Discrete noise is for answers that are whole numbers, "
        "with Δ = 1: it would betray any other answer."
    ]


def figure(result: MechanismsCompared, theme: Theme) -> Figure:
    """Draw a bar for each noise, as long as its likely error, and the wall where one is."""
    before = filling.stand_in(result, theme.before)
    known = {curve.key for curve in result.curves}
    old = [curve for curve in before.curves if curve.key not in known] if before else []
    likely = [float(curve.y[_LIKELY]) for curve in (*result.curves, *old)]
    across = Side(0.0, 1.05 * float(np.nanmax(likely)), axes.title(result.y), held=True)
    marks = [
        *(mark for curve in old for mark in _bar(curve, _ASIDE, seen=filling.FADED)),
        *(mark for curve in result.curves for mark in _bar(curve, _ink(result, curve.key))),
        *(_name(key, -row, result) for row, key in enumerate(_ROWS)),
    ]
    above = (
        f"Bar: the largest error, {_sure(result)}; wall: what no error exceeds",
        "Bar: likely; wall: no error beyond",
    )
    up = Side.bare(0.3 - len(ROWS), 0.6)
    return stacked(theme, Panel(across, up, marks, above=above, full=True), tall=1.3)


def _ink(result: MechanismsCompared, key: str) -> Ink:
    return result.curve(key) if key in result.in_headline else _ASIDE


def _sure(result: MechanismsCompared) -> str:
    sure = likelihood(float(result.comparison.asked["failure_probability"]))
    return f"with probability {sure if len(sure) <= _SHORT else '1 − β'}"


def _bar(curve: Curve, about: Ink, seen: float = 1.0) -> list[Mark]:
    """Return the bar of a noise, and on to its wall, or on and on where it has none."""
    bound, likely, _ = curve.y.tolist()
    if math.isnan(likely):
        return []
    row = -_ROWS.index(curve.key) - _LOW
    numbers = zip(
        ("no error exceeds", "likely largest error", "standard deviation"), curve.y, strict=True
    )
    said = "<br>".join([curve.label, *(f"{what} {readable(x)} Δ" for what, x in numbers if x == x)])
    look: dict[str, Any] = {"about": about, "seen": seen, "said": said}
    marks: list[Mark] = [Bars([row], [likely], lying=True, wide=_WIDE, **look)]
    if math.isfinite(bound):
        marks.append(Line([likely, bound], [row, row], wide=1.5, about=about, seen=seen))
        marks.append(Dots([bound], [row], symbol="line-ns-open", size=13, edge=4, **look))
    return marks


def _name(key: str, place: int, result: MechanismsCompared) -> Text:
    """Return the name of a noise with its likely error and its bound, or why it has none."""
    row = next((row for row in result.comparison.rows if row.key == key), None)
    said = ROWS[key]
    said += " (counts only)" if key in FOR_COUNTS else ""
    words = f"{said}: {row.remark}" if row is not None else said, said
    if row is not None and row.known:
        likely, wall = upwards(row.likely), upwards(row.bound) if row.bound < math.inf else ""
        ends = f"none beyond {wall} Δ" if wall else "no limit"
        words = f"{said}: {likely} Δ, {ends}", f"{said}: {likely}{wall and f', ≤ {wall}'}"
    about: Ink = "muted"
    if key in result.in_headline:
        words, about = (f"<b>{words[0]}</b>", f"<b>{words[1]}</b>"), result.curve(key)
    return Text(words, Part(0), place - 0.16, to="NE", small=True, about=about)


VIEW = View(
    key="compare",
    title="All mechanisms compared",
    compute=mechanisms_compared,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*PRIVACY, "failure_probability"),
    in_sight=PRIVACY,
    defaults={"queries": 10},
    why="For few answers noise that is drawn for all of them together is narrow, since only its "
    "largest error must avoid the wall. Many answers drawn independently add up to something like "
    "Gaussian noise whatever each is, and then what counts is how smoothly a noise falls off.",
    notes=notes,
)
