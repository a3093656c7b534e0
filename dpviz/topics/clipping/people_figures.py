"""The people of real data, drawn: each a dot to be brushed, and what is looked up by a brush."""

import math
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.linked import Brush, Control, Linked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.clipping.people_panel_figures import heights, sizes, specification
from dpviz.topics.clipping.views.people import People

_SHOWN = 8  # candidates of which the chance is shown
_FEW_CATEGORIES = 3  # of which a candidate's shares are its name
_DIGITS = 4  # of a chance


# ---- what is looked up ----------------------------------------------------------------------


def people_linked(result: People, theme: Theme) -> Linked:
    """Return the figure in which people are brushed and τ is dragged."""
    shown = _shown(result, _SHOWN if theme.scale == 1 else _SHOWN // 2)
    return Linked(
        specification(theme),
        values=_values(result, shown, theme),
        tables={
            "dots": _dots(result, theme),
            "columns": _columns(result),
            "stops": _stops(result),
            "candidates": _candidates(result, shown),
            "categories": [
                {"index": index, "name": name[:24]}
                for index, name in enumerate(result.data.categories)
            ],
        },
        sizes=sizes(theme),
        control=Control("threshold", result.taus.tolist(), "place", "stops"),
        brush=Brush("brush", "dots_0", "x", ((result.edges[1:] + result.edges[:-1]) / 2).tolist()),
        told="told",
    )


def _values(result: People, shown: list[int], theme: Theme) -> dict[str, Any]:
    width = float(result.edges[1] - result.edges[0])
    numbers = np.zeros((result.groups, result.groups), dtype=int)
    for number, (first, last) in enumerate(result.intervals.tolist(), 1):
        numbers[first, last] = number
    everybody = result.groups - 1  # the range from the first group to the last
    chances = np.concatenate([result.laws[None], result.without])[:, :, shown]
    chances = np.concatenate([chances, 1 - chances.sum(axis=-1, keepdims=True)], axis=-1)
    rows = np.concatenate([result.rows[[everybody]], result.rows])
    cut = np.concatenate([result.cut[[everybody]], result.cut])
    return {
        "place": result.here,
        "middle": float(result.edges[0]) + width / 2,
        "step": width,
        "count": result.groups,
        "taus": result.taus.tolist(),
        "words": readables(result.taus),
        "moved": _moved(result),
        "number": numbers.tolist(),
        "law": np.clip(chances, 0, 1).round(_DIGITS).tolist(),
        "share": (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)).round(_DIGITS).tolist(),
        "cut": cut.tolist(),
        "who": _who(result),
        "left": float(result.edges[0]),
        "right": float(result.edges[-1]),
        "ticks": _ticks(result),
        "size": _grid(result, theme)[1],
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


def _columns(result: People) -> list[dict[str, Any]]:
    """Return for each group where its number of people is written."""
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    counts = np.bincount(result.group, minlength=result.groups)
    top = _stacked(result)[1]
    return [
        {"x": x, "y": y, "people": people}
        for x, y, people in zip(middles.tolist(), top.tolist(), counts.tolist(), strict=True)
        if people
    ]


# ---- dots -----------------------------------------------------------------------------------


def _across(result: People) -> int:
    """Return how many dots lie beside each other in a group."""
    fullest = int(np.bincount(result.group).max()) / result.per_dot
    return max(1, math.ceil(math.sqrt(fullest * 2.2 / result.groups)))


def _stacked(result: People) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the rank of each person's dot in its group, −1 for none; and every group's height."""
    order = np.argsort(result.scores, kind="stable")
    counts = np.bincount(result.group, minlength=result.groups)
    first = np.cumsum(counts) - counts
    rank = np.empty(result.users, dtype=int)
    rank[order] = np.arange(result.users) - first[result.group[order]]
    per = result.per_dot
    dots = np.where(rank % per == 0, rank // per, -1)
    return dots, np.ceil(np.ceil(counts / per) / _across(result))


def _grid(result: People, theme: Theme) -> tuple[int, float]:
    """Return how many dots lie beside each other, and the size of one in square pixels."""
    across = _across(result)
    wide = (0.9 if theme.compact else 0.55) * theme.width * 0.9 / result.groups / across
    tall = heights(theme)[0] / (float(_stacked(result)[1].max()) + 2)
    return across, 0.6 * min(wide, tall) ** 2


def _dots(result: People, theme: Theme) -> list[dict[str, Any]]:
    """Return a dot for each person, or for some of many: where it stands, and who it is."""
    across, _ = _grid(result, theme)
    rank, _ = _stacked(result)
    step = float(result.edges[1] - result.edges[0])
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    seen = np.flatnonzero(rank >= 0)
    beside = ((rank[seen] % across + 0.5) / across - 0.5) * 0.9 * step
    x = middles[result.group[seen]] + beside
    said = readables(result.scores)
    return [
        {
            "x": round(at, 4),
            "y": int(rank[one] // across) + 0.5,
            "group": int(result.group[one]),
            "score": float(result.scores[one]),
            "said": said[one],
            "who": _person(result, one),
        }
        for one, at in zip(seen.tolist(), x.tolist(), strict=True)
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
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (0 if theme.room else 80),
        margin={"l": 60, "r": 16, "t": 28, "b": 96 if not theme.compact else 60},
        barmode="stack",
        bargap=0,
        hovermode="closest",
        showlegend=not theme.compact,
        xaxis=settings(scores) | {"title": {"text": scores.axis.label}, "anchor": "y"},
        yaxis={"domain": [0.58, 1], "title": {"text": "people"}, "rangemode": "tozero"},
        xaxis2=settings(places) | {"title": {"text": places.axis.label}, "anchor": "y2"},
        yaxis2={"domain": [0, 0.38], "title": {"text": "chance"}, "rangemode": "tozero"},
        shapes=[
            _threshold_line(end, theme)
            for end in (-result.threshold, result.threshold)
            if scores.holds(end)
        ],
        annotations=[],
    )


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


def _threshold_line(end: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": end,
        "x1": end,
        "y0": 0.58,
        "y1": 1,
        "line": {"color": theme.text, "width": 2.5 * theme.scale, "dash": "dash"},
    }
