"""All mechanisms side by side: a row each, with what is likely, and a wall where errors end."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from dpviz.plot import axes, filling
from dpviz.plot.marks import Dots, Ink, Line, Mark, Part, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readables
from dpviz.plot.theme import Theme
from dpviz.results.answer import ComparedNoise
from dpviz.results.evidence import Curve
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY
from dpviz.topics.bounded_noise.numbers_shown import likelihood, rounded_up, whole_count
from dpviz.topics.bounded_noise.views.mechanisms_compared import (
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
_ROOM = 0.05  # of the axis, at each end
_SHORT = 8  # characters
_LOW = 0.32  # of the height of a row: where its line is, below its name
_FAR = 1e9  # times a number, beyond any axis
_ASIDE = "aside"  # the colour of what the headline is not about
_POINTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("no error exceeds", {"symbol": "line-ns-open", "size": 13, "edge": 4}),
    ("likely largest error", {}),
    ("standard deviation", {"symbol": "circle-open", "size": 8, "edge": 1.5}),
)


def takeaway(result: MechanismsCompared) -> str:
    """State which noise has the least of each measure, of those that are not for counts alone."""
    best: dict[tuple[str, ...], list[str]] = {}
    for measure, words in _measures(result).items():
        if (row := least(result.comparison, measure)) is not None:
            said = rounded_up(MEASURES[measure](row))
            value = "" if measure == "deviation" else f", {said} Δ"
            keys = tuple(row.key for row in alike(result.comparison, measure, rounded_up))
            best.setdefault(keys, []).append(f"the smallest {words}{value}")
    so_far = "" if result.done == 1 else " known so far"
    clauses = [
        f"{_listed([_IN_WORDS[key] for key in keys])} {'has' if len(keys) == 1 else 'have'} "
        f"{_listed(parts)}"
        for keys, parts in best.items()
    ]
    return f"Of the noises for real numbers{so_far}, {'; '.join(clauses)}."


def _measures(result: MechanismsCompared) -> Mapping[str, str]:
    """Return what is compared, in words."""
    sure = likelihood(float(result.comparison.asked["failure_probability"]))
    return {
        "bound": "hard bound",
        "likely": f"bound with probability {sure}",
        "deviation": "standard deviation",
    }


def _listed(parts: Collection[str]) -> str:
    *first, last = parts
    comma = "," if len(first) > 1 or any("," in part for part in parts) else ""
    return f"{', '.join(first)}{comma} and {last}" if first else last


def detail(result: MechanismsCompared) -> str:
    """State what the noises of the headline reach, and which is best for counts."""
    asked = result.comparison.asked
    sure = likelihood(float(asked["failure_probability"]))
    said = [_all_of(result.comparison.row(key), sure) for key in result.in_headline]
    counts = least(result.comparison, "likely", counts=True)
    whole = ""
    if counts is not None:
        whole = (
            f" Of those for whole numbers, {_IN_WORDS[counts.key]} has the smallest bound with "
            f"that probability, {rounded_up(counts.likely, 4)} Δ."
        )
    return f"At k = {whole_count(float(asked['queries']))}: {'; '.join(said)}.{whole}"


def _all_of(row: ComparedNoise, sure: str) -> str:
    certain = " but has no hard bound"
    if row.bound < math.inf:
        certain = f" and within {rounded_up(row.bound, 4)} Δ with certainty"
    return (
        f"{_IN_WORDS[row.key]} has a standard deviation of {rounded_up(row.deviation, 4)} Δ, keeps "
        f"within {rounded_up(row.likely, 4)} Δ with probability {sure},{certain}"
    )


def notes(_: MechanismsCompared) -> list[str]:
    """Say what noise on whole numbers is for."""
    return [
        "Every noise keeps the same ε and δ. Discrete noise is for answers that are whole numbers, "
        "with Δ = 1: it would betray any other answer."
    ]


def figure(result: MechanismsCompared, theme: Theme) -> Figure:
    """Draw a row for each noise, from its standard deviation to the wall, or on where none is."""
    before = filling.stand_in(result, theme.before)
    known = {curve.key for curve in result.curves}
    old = [curve for curve in before.curves if curve.key not in known] if before else []
    values = np.concatenate([curve.y for curve in (*result.curves, *old)])
    across = Side.around(values, axes.title(result.y), room=_ROOM, log=True, held=True)
    marks = [
        *_rows(old, [_ASIDE] * len(old), seen=filling.FADED),
        *_rows(
            result.curves, [_ink(result, curve.key) for curve in result.curves], _legend(result)
        ),
        *(_name(key, -row, result) for row, key in enumerate(ROWS)),
    ]
    return stacked(theme, Panel(across, Side.bare(0.35 - len(ROWS), 0.6), marks, full=True))


def _ink(result: MechanismsCompared, key: str) -> Ink:
    return result.curve(key) if key in result.in_headline else _ASIDE


def _legend(result: MechanismsCompared) -> tuple[str, ...]:
    """Return what each of the points is called.

    A long number would take a line of its own, and cover the axis.
    """
    sure = likelihood(float(result.comparison.asked["failure_probability"]))
    sure = sure if len(sure) <= _SHORT else "1 − β"
    return "Hard bound", f"Largest error, with probability {sure}", "Standard deviation"


def _rows(
    curves: Sequence[Curve],
    inks: Sequence[Ink],
    names: Sequence[str] = ("", "", ""),
    seen: float = 1.0,
) -> list[Mark]:
    """Return the rows of some noises: lines that end, or do not, and three points on each."""
    y = np.array([-list(ROWS).index(curve.key) - _LOW for curve in curves])
    points = np.array([curve.y for curve in curves]).reshape(-1, len(MEASURES))
    marks: list[Mark] = []
    for (bound, _, deviation), row, about in zip(points, y, inks, strict=True):
        end, dash = (bound, "solid") if np.isfinite(bound) else (_FAR * deviation, "dot")
        marks.append(
            Line([deviation, end], [row, row], wide=1.5, dash=dash, about=about, seen=seen)
        )
    for name, x, (what, look) in zip(names, points.T, _POINTS, strict=True):
        numbers = zip(curves, readables(x), strict=True)
        said = [f"{curve.label}: {what} {number} Δ" for curve, number in numbers]
        marks.append(Dots(x, y, about=inks, name=name, said=said, **look, seen=seen))
    return marks


def _name(key: str, place: int, result: MechanismsCompared) -> Text:
    """Return the name of a noise with its likely error, or why it has none."""
    row = next((row for row in result.comparison.rows if row.key == key), None)
    said = ROWS[key]
    if row is not None:
        said += f": {rounded_up(row.likely)} Δ" if row.known else f": {row.remark}"
    if key in result.in_headline:
        said = f"<b>{said}</b>"
    about = result.curve(key) if key in result.in_headline else "muted"
    return Text(said, Part(0), place - 0.1, to="NE", small=True, about=about)


VIEW = View(
    key="compare",
    title="All mechanisms compared",
    compute=mechanisms_compared,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(*PRIVACY, "failure_probability"),
    in_sight=PRIVACY,
    defaults={"queries": 100},
    why="For few answers noise that is drawn for all of them together is narrow, since only its "
    "largest error must avoid the wall. Many answers drawn independently add up to something like "
    "Gaussian noise whatever each is, and then what counts is how smoothly a noise falls off.",
    notes=notes,
)
