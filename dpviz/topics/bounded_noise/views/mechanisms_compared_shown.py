"""All mechanisms side by side: a row each, with what is likely, and a wall where errors end."""

import math
from collections.abc import Collection, Mapping

import numpy as np

from dpviz.plot import axes, filling
from dpviz.plot.axes import Scale
from dpviz.plot.spec import Figure, Trace, scatter
from dpviz.plot.steady import steady_y
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
    theme = theme.crowded()
    before = filling.stand_in(result, theme.before) if theme.partial else None
    now = {curve.key: curve for curve in result.curves}
    old = {} if before is None else {c.key: c for c in before.curves if c.key not in now}
    values = np.concatenate([curve.y for curve in (*now.values(), *old.values())])
    across = Scale.of(result.y, values, _ROOM)
    if theme.held is not None:
        across = steady_y(across, theme.held[0], theme.in_parts)
    rest = {key: curve for key, curve in now.items() if key not in result.in_headline}
    first, second = ([now[key]] for key in (*result.in_headline, *result.in_headline)[:2])
    drawn = Figure()
    drawn.add_traces(_rows(old.values(), theme.aside, across, theme, filling.FADED))
    named = _rows(rest.values(), theme.aside, across, theme)
    for trace, name in zip(named, _legend(result), strict=True):
        trace |= {"name": name, "showlegend": bool(name)}
    drawn.add_traces(named)
    for one in (first, second):
        drawn.add_traces(_rows(one, theme.color(one[0]), across, theme))
    beneath = theme.px(48) + (0 if theme.compact else 2 * theme.font_size)
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height,
        hovermode="closest",
        showlegend=not theme.compact,
        margin={"l": 28, "r": 24, "t": 8, "b": beneath},
        xaxis=axes.settings(across)
        | {"title": {"text": axes.title(result.y), "standoff": 4}, "zeroline": False},
        yaxis={
            "range": [0.35 - len(ROWS), 0.6],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        annotations=[
            _name(key, place, result, theme) for place, key in zip(_places(), ROWS, strict=True)
        ],
    )


def _places() -> range:
    """Return the places of the rows, from above."""
    return range(0, -len(ROWS), -1)


def _legend(result: MechanismsCompared) -> tuple[str, ...]:
    """Return what each trace of `_rows` is called, "" for those that say nothing new.

    A long number would take a line of its own, and cover the axis.
    """
    sure = likelihood(float(result.comparison.asked["failure_probability"]))
    sure = sure if len(sure) <= _SHORT else "1 − β"
    return "", "", "Hard bound", f"Largest error, with probability {sure}", "Standard deviation"


def _rows(
    curves: Collection[Curve], color: str, across: Scale, theme: Theme, seen: float = 1.0
) -> list[Trace]:
    """Return the rows of some noises in one colour: lines that end, lines that do not, points."""
    at = dict(zip(ROWS, _places(), strict=True))
    y = np.array([at[curve.key] - _LOW for curve in curves])
    points = np.array([curve.y for curve in curves]).reshape(-1, len(MEASURES))
    bound, likely, deviation = points.T
    ends = np.isfinite(bound)
    far = np.where(ends | np.isnan(deviation), np.nan, 10**across.high)
    looks = {"mode": "lines", "opacity": seen, "hoverinfo": "skip", "showlegend": False}
    traces = []
    for end, dash in ((bound, "solid"), (far, "dot")):
        line = {"color": color, "width": 1.5 * theme.scale, "dash": dash}
        begin = np.where(np.isfinite(end), deviation, np.nan)
        x = np.stack([begin, end, np.full(end.shape, np.nan)], axis=1)
        traces.append(scatter(x=x.ravel(), y=np.repeat(y, 3), line=line, **looks))
    names = [curve.label for curve in curves]
    for x, said, symbol, size, width in (
        (bound, "no error exceeds", "line-ns-open", 13, 4),
        (likely, "likely largest error", "circle", 10, 0),
        (deviation, "standard deviation", "circle-open", 8, 1.5),
    ):
        marker = {"symbol": symbol, "size": size * theme.scale, "color": color}
        text = [
            f"{name}: {said} {value} Δ" for name, value in zip(names, readables(x), strict=True)
        ]
        traces.append(
            scatter(
                x=x,
                y=y,
                mode="markers",
                marker=marker | {"line": {"width": width * theme.scale}},
                opacity=seen,
                text=text,
                hovertemplate="%{text}<extra></extra>",
                showlegend=False,
            )
        )
    return traces


def _name(key: str, place: int, result: MechanismsCompared, theme: Theme) -> dict[str, object]:
    """Return the name of a noise with its likely error, or why it has none."""
    row = next((row for row in result.comparison.rows if row.key == key), None)
    said = ROWS[key]
    if row is not None:
        said += f": {rounded_up(row.likely)} Δ" if row.known else f": {row.remark}"
    about = key in result.in_headline
    return {
        "text": f"<b>{said}</b>" if about else said,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": place - 0.1,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {
            "size": theme.font_size - 1,
            "color": theme.color(result.curve(key)) if about else theme.muted,
        },
    }


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
