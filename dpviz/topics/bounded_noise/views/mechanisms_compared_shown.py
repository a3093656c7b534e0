"""All mechanisms side by side: a row each, with what is likely, and a wall where errors end."""

import math
from typing import Any

from dpviz.plot import axes, partial_chart
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
    MechanismsCompared,
    alike,
    all_composed,
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
    "bounded": "Dagan and Kur's bounded noise",
    "tuned": "bounded noise of tuned shape",
    "joint": "bounded noise drawn for all answers together",
}
_LIKELY = list(MEASURES).index("likely")
_SHORT = 8  # characters
_FEWEST = 6  # rows, whose height stays the same
_FAR = 4  # times the longest bar, beyond which a wall would make all bars short
_WIDE, _THIN = 0.3, 0.16  # of the height of a row: a bar of the headline, and of others
_LOW = 0.38  # of the height of a row: where its bar is, below its name
_ASIDE = "aside"  # the colour of what the headline is not about
_PALE = 0.8  # how much of it is seen
_NAMES = {  # of rows whose names in the table are formulas, or short
    "bounded": "Bounded, by Dagan & Kur",
    "tuned": "Bounded, shape tuned",
    "gaussian": "Gaussian, least σ",
    "joint": "Bounded, drawn for all answers together",
}


def takeaway(result: MechanismsCompared) -> str:
    """State which noise has the least of each measure, of those that are not for counts alone."""
    comparison = result.comparison
    sure = _sure(result)
    likely, certain = (
        (
            listed([_IN_WORDS[row.key] for row in rows]),
            agreeing(len(rows), "has", "have"),
            upwards(min(MEASURES[measure](row) for row in rows)),
        )
        if (rows := alike(comparison, measure, upwards))
        else ("", "", "")
        for measure in ("likely", "bound")
    )
    known = "" if all_composed(comparison) else " known"
    shown = "shown" if result.done == 1 else "known so far"
    if certain[0] and certain[0] != likely[0]:
        return (
            f"Of the noises {shown}, {likely[0]} {likely[1]} the smallest{known} errors {sure}, "
            f"within {likely[2]} Δ; with certainty, {certain[0]}, within {certain[2]} Δ."
        )
    never = f", never beyond {certain[2]} Δ" if certain[0] else ""
    return (
        f"Of the noises {shown}, {likely[0]} {likely[1]} the smallest{known} errors: within "
        f"{likely[2]} Δ {sure}{never}."
    )


def detail(result: MechanismsCompared) -> str:
    """State what the noises of the headline reach, and which is best for counts."""
    parameters = result.comparison.parameters
    sure = likelihood(float(parameters["failure_probability"]))
    said = [_all_of(result.comparison.row(key), sure) for key in result.in_headline]
    counts = least(result.comparison, "likely", counts=True)
    for_counts = ""
    if counts is not None:
        for_counts = (
            f" Of those for whole numbers, {_IN_WORDS[counts.key]} has the smallest bound with "
            f"that probability, {upwards(counts.likely)} Δ."
        )
    return f"At k = {whole(float(parameters['queries']))}: {'; '.join(said)}.{for_counts}"


def _all_of(row: ComparedNoise, sure: str) -> str:
    certain = " but has no hard bound"
    if row.bound < math.inf:
        certain = f" and within {upwards(row.bound)} Δ with certainty"
    return (
        f"{_IN_WORDS[row.key]} has a standard deviation of {upwards(row.deviation, 4)} Δ, keeps "
        f"within {upwards(row.likely)} Δ with probability {sure},{certain}"
    )


def notes(result: MechanismsCompared) -> list[str]:
    """Say which noises are not drawn, and why."""
    missing = [row for row in result.comparison.rows if not row.known]
    said = [f"{row.name} is not drawn: {row.remark}." for row in missing]
    return [
        "Every noise keeps the same ε and δ. Discrete noise is for answers that are whole numbers, "
        "with Δ = 1: it would betray any other answer. It is in the table alone.",
        *said,
    ]


def figure(result: MechanismsCompared, theme: Theme) -> Figure:
    """Draw noise for real numbers, the shortest bar first: its likely error, and its wall."""
    before = partial_chart.stand_in(result, theme.before)
    known = {curve.key for curve in result.curves}
    old = [curve for curve in before.curves if curve.key not in known] if before else []
    shown = [
        curve
        for curve in sorted([*result.curves, *old], key=_likely)
        if curve.key not in FOR_COUNTS and math.isfinite(_likely(curve))
    ]
    longest = max(map(_likely, shown))
    walls = [wall for curve in shown if (wall := float(curve.y[0])) < _FAR * longest]
    across = Side(0.0, 1.05 * max(longest, *walls, 0.0), axes.title(result.y), held=True)
    marks: list[Mark] = []
    for row, curve in enumerate(shown):
        if curve.key in known:
            about = curve.key in result.in_headline
            marks += _bar(curve, row, curve if about else _ASIDE, seen=1.0 if about else _PALE)
            marks.append(_name(curve, row, result))
        else:
            marks += _bar(curve, row, _ASIDE, seen=partial_chart.FADED)
    above = (
        f"Bar: all errors are within it {_sure(result)}; wall: they are never beyond it",
        "Bar: likely; wall: never beyond",
    )
    up = Side.bare(0.3 - max(len(shown), _FEWEST), 0.6)
    return stacked(theme, Panel(across, up, marks, above=above, full=True), tall=1.1)


def _likely(curve: Curve) -> float:
    return float(curve.y[_LIKELY])


def _sure(result: MechanismsCompared) -> str:
    sure = likelihood(float(result.comparison.parameters["failure_probability"]))
    return f"with probability {sure if len(sure) <= _SHORT else '1 − β'}"


def _bar(curve: Curve, place: int, about: Ink, seen: float = 1.0) -> list[Mark]:
    """Return the bar of a noise, and on to its wall if it has one."""
    bound, likely, _ = curve.y.tolist()
    row = -place - _LOW
    numbers = zip(
        ("no error exceeds", "likely largest error", "standard deviation"), curve.y, strict=True
    )
    said = "<br>".join([curve.label, *(f"{what} {readable(x)} Δ" for what, x in numbers if x == x)])
    look: dict[str, Any] = {"about": about, "seen": seen, "said": said}
    marks: list[Mark] = [
        Bars([row], [likely], lying=True, wide=_WIDE if about is curve else _THIN, **look)
    ]
    if math.isfinite(bound):
        marks.append(Line([likely, bound], [row, row], wide=1.5, about=about, seen=seen))
        marks.append(Dots([bound], [row], symbol="line-ns-open", size=13, edge=4, **look))
    return marks


def _name(curve: Curve, place: int, result: MechanismsCompared) -> Text:
    """Return the name of a noise; of one of the headline with its likely error and its bound."""
    row = result.comparison.row(curve.key)
    name = _NAMES.get(curve.key, row.name)
    if curve.key not in result.in_headline:
        return Text(name, Part(0), -place - 0.16, to="NE", small=True, about="muted")
    likely, wall = upwards(row.likely), upwards(row.bound) if row.bound < math.inf else ""
    ends = f"never beyond {wall} Δ" if wall else "no limit"
    words = (
        f"<b>{name}: within {likely} Δ {_sure(result)}, {ends}</b>",
        f"<b>{name.replace('answers ', '')}: {likely}{wall and f', ≤ {wall}'}</b>",
    )
    return Text(words, Part(0), -place - 0.16, to="NE", small=True, about=curve)


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
