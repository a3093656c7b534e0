"""The people of real data, drawn: each a dot to be brushed, and what is looked up by a brush."""

import math
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale
from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.linked import Control, Linked
from dpviz.plot.people_panels import STILL_UPPER, brush, sizes, still_layout, still_rule
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.clipping.people_panel_figures import specification
from dpviz.topics.clipping.views.people import People

_SHOWN = 8  # candidates of which the chance is shown
_FEW_CATEGORIES = 3  # of which a candidate's shares are its name
_DIGITS = 4  # of a chance


# ---- what is looked up ----------------------------------------------------------------------


def people_linked(result: People, theme: Theme) -> Linked:
    """Return the figure in which people are brushed and τ is dragged."""
    shown = _shown(result, _SHOWN if theme.scale == 1 else _SHOWN // 2)
    dots = people_dots(result)
    return Linked(
        specification(theme),
        values=dots.params(theme, result.intervals) | _values(result, shown),
        tables={
            "dots": [
                row | {"who": _person(result, one)}
                for row, one in zip(dots.rows(), dots.seen.tolist(), strict=True)
            ],
            "columns": dots.columns(),
            "stops": _stops(result),
            "candidates": _candidates(result, shown),
            "categories": [
                {"index": index, "name": name[:24]}
                for index, name in enumerate(result.data.categories)
            ],
        },
        sizes=sizes(theme),
        controls=(Control("threshold", result.taus.tolist(), "place", "stops"),),
        brush=brush(dots.middles),
        told="told",
    )


def people_dots(result: People) -> Dots:
    """Return the people as dots."""
    return Dots(result.scores, result.edges, result.group)


def _values(result: People, shown: list[int]) -> dict[str, Any]:
    chances = np.concatenate([result.laws[None], result.without])[:, :, shown]
    chances = np.concatenate([chances, 1 - chances.sum(axis=-1, keepdims=True)], axis=-1)
    rows = first_of_all(result.rows, result.groups)
    return {
        "place": result.here,
        "taus": result.taus.tolist(),
        "words": readables(result.taus),
        "moved": _moved(result),
        "law": np.clip(chances, 0, 1).round(_DIGITS).tolist(),
        "share": (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)).round(_DIGITS).tolist(),
        "cut": first_of_all(result.cut, result.groups).tolist(),
        "who": _who(result),
        "ticks": _ticks(result),
    }


def _moved(result: People) -> list[str]:
    """Say for each τ how far clipping moves the mean score, and how large the noise on it is."""
    numbers = zip(*map(readables, (result.taus, result.bias, result.noise)), strict=True)
    return [f"τ = {tau}: bias {bias}, noise {noise} a person" for tau, bias, noise in numbers]


def _ticks(result: People) -> list[float]:
    """Return the thresholds that are written at their axis."""
    low, high = float(result.taus[0]), float(result.taus[-1])
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ones = (1,) if high > 1000 * low else (1, 2, 5)
    return [tick for power in powers for one in ones if low <= (tick := one * 10.0**power) <= high]


def _who(result: People) -> list[str]:
    """Say how many people and rows everybody and each range of groups has."""
    all_rows = result.rows.sum(axis=1)
    everybody = result.groups - 1
    parts = [f"All {result.users:,} people, {all_rows[everybody]:,} rows"]
    for people, rows in zip(result.people.tolist(), all_rows.tolist(), strict=True):
        parts.append(f"{people:,} of {result.users:,} people, {rows:,} rows")
    return parts


def _shown(result: People, most: int) -> list[int]:
    """Return whose chances are shown, the best first: of the likeliest and of the two compared."""
    likely = np.argsort(-result.laws.max(axis=0), kind="stable")[:most].tolist()
    chosen = {result.best, result.rival, *likely}
    order = np.argsort(result.task.errors, kind="stable").tolist()
    return [place for place in order if place in chosen]


def _candidates(result: People, shown: list[int]) -> list[dict[str, Any]]:
    rank = {
        place: number for number, place in enumerate(np.argsort(result.task.errors).tolist(), 1)
    }
    roles = {result.rival: "rival", result.best: "best"}
    few = len(result.data.categories) <= _FEW_CATEGORIES
    found = [
        {
            "index": index,
            "name": result.task.names[place] if few else f"number {rank[place]}",
            "role": roles.get(place, "other"),
            "words": f"{result.task.names[place]}: "
            f"{readable(float(result.task.errors[place]))} from the truth",
        }
        for index, place in enumerate(shown)
    ]
    rest = {"index": len(shown), "name": "all others", "role": "other", "words": "all others"}
    return [*found, rest]


def _stops(result: People) -> list[dict[str, Any]]:
    """Return bias and noise at every τ, and the part of the axis that belongs to it."""
    taus = result.taus
    between = np.sqrt(taus[1:] * taus[:-1])
    starts, ends = np.append(taus[0], between), np.append(between, taus[-1])
    numbers = zip(
        *(part.tolist() for part in (taus, starts, ends, result.bias, result.noise)), strict=True
    )
    return [
        {"place": place, "tau": tau, "start": start, "end": end, "bias": bias, "noise": noise}
        for place, (tau, start, end, bias, noise) in enumerate(numbers)
    ]


def _person(result: People, one: int) -> str:
    held = [
        f"{count} × {name[:24]}"
        for name, count in zip(result.data.categories, result.counts[one].tolist(), strict=True)
        if count
    ]
    return f"person {result.numbers[one]}: {', '.join(held)}"


# ---- without a hand on it -------------------------------------------------------------------


def people_figure(result: People, theme: Theme) -> Figure:
    """Draw the groups of people, cut off or not, and below them every candidate's chance."""
    figure = Figure()
    _add_groups(figure, result, theme)
    _add_chances(figure, result, theme)
    ends = result.edges[[0, -1]].tolist()
    scores = Scale(Axis("score", "score of a person", log=False), *ends)
    last = result.laws.shape[1] + 0.6
    places = Scale(Axis("rank", "candidates, the best first", log=False), 0.4, last)
    rules = [
        still_rule(theme, end, STILL_UPPER)
        for end in (-result.threshold, result.threshold)
        if scores.holds(end)
    ]
    layout = still_layout(theme, (scores, "people"), (places, "chance"), rules)
    return figure.update_layout(**layout)


def _add_groups(figure: Figure, result: People, theme: Theme) -> None:
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    wide = 0.92 * float(result.edges[1] - result.edges[0])
    beyond = result.beyond(result.taus)[:, result.here]
    for name, chosen, subject in (
        ("counts in full", ~beyond, Subject.USER_LEVEL),
        ("cut off at ±τ", beyond, Subject.DANGER),
    ):
        figure.add_bar(
            x=middles,
            y=np.bincount(result.group[chosen], minlength=result.groups),
            name=name,
            marker={"color": theme.subjects[subject]},
            width=np.full(middles.size, wide),
            hovertemplate="score about %{x:.3~g}: %{y} people<extra></extra>",
        )


def _add_chances(figure: Figure, result: People, theme: Theme) -> None:
    order = np.argsort(result.task.errors, kind="stable")
    for name, law, subject in (
        (f"at τ = {readable(result.threshold)}", result.laws[result.here], Subject.ITEM_LEVEL),
        ("without clipping", result.laws[-1], Subject.EARLIER),
    ):
        figure.add_scatter(
            x=np.arange(1, order.size + 1),
            y=law[order],
            mode="markers",
            marker={"color": theme.subjects[subject], "size": 9 * theme.scale},
            name=f"chance {name}",
            xaxis="x2",
            yaxis="y2",
            hovertemplate="candidate %{x}: %{y:.3~g}<extra></extra>",
        )
