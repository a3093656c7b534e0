"""The users of the test, drawn: each a dot to be brushed, and what is looked up by a brush."""

from typing import Any

import numpy as np

from dpviz.plot.axes import Scale
from dpviz.plot.chart import draw
from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.linked import Control, Linked
from dpviz.plot.people_panels import brush, sizes, still_layout, still_rule
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.topics.propose_test_release.people_panel_figures import SUBJECTS, specification
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.people import People
from dpviz.topics.propose_test_release.views.run import Role

_DIGITS = 4  # of a chance
_TICKS = 6
_PARTS = {
    Role.DELETED_FIRST: ("deleted first", "first"),
    Role.DELETED_AS_LARGEST: ("largest of the rest", "tested"),
    Role.DELETED_AS_SMALLEST: ("smallest of the rest", "tested"),
    Role.DELETED_AS_BOTH: ("among both", "tested"),
    Role.KEPT: ("in between", "kept"),
}
_NAMES = {
    "first": "deleted first",
    "tested": "largest and smallest of the rest",
    "kept": "in between",
}


def people_linked(result: People | UsersNeeded, theme: Theme) -> Linked | None:
    """Return the figure in which users are brushed; None where there are too few for a test."""
    if isinstance(result, UsersNeeded):
        return None
    dots = people_dots(result)
    seen = dots.seen.tolist()
    return Linked(
        specification(theme),
        values=dots.params(theme, np.stack(np.triu_indices(result.groups), axis=1))
        | _values(result),
        tables={
            "dots": [
                row
                | {
                    "who": f"user {one + 1}",
                    "roles": "".join(map(str, result.roles[one].tolist())),
                }
                for row, one in zip(dots.rows(), seen, strict=True)
            ],
            "columns": dots.columns(),
            "kinds": [
                {"index": int(role), "name": name, "kind": kind}
                for role, (name, kind) in _PARTS.items()
            ],
            "spots": _steps("size", result.sizes.astype(float), _halves(result.sizes)),
            "stops": _steps("factor", result.factors, np.sqrt(_products(result.factors))),
        },
        sizes=sizes(theme),
        controls=(
            Control("", result.sizes.tolist(), "spot", "spots"),
            Control("noise_factor", result.factors.tolist(), "place", "stops"),
        ),
        brush=brush(dots.middles),
        told="told",
    )


def people_dots(result: People) -> Dots:
    """Return the users as dots."""
    return Dots(result.release.sums, result.edges, result.group)


def _values(result: People) -> dict[str, Any]:
    parts = first_of_all(result.parts, result.groups).astype(float)
    totals = np.maximum(parts.sum(axis=-1, keepdims=True), 1)
    people = first_of_all(result.people, result.groups).tolist()
    inner = people_dots(result).middles[_inside(result)]
    return {
        "place": result.here,
        "spot": result.usual,
        "sizes": result.sizes.tolist(),
        "limits": result.limits.tolist(),
        "spreads": result.spreads.tolist(),
        "answers": result.answers.round(_DIGITS).tolist(),
        "shares": (parts / totals).round(_DIGITS).tolist(),
        "parts": [_PARTS[role][0] for role in Role],
        "who": [f"All {result.users:,} users"]
        + [f"{count:,} of {result.users:,} users" for count in people[1:]],
        "ticks": _ticks(result),
        "nearest": float(inner[0]),
        "farthest": float(inner[-1]),
    }


def _inside(result: People) -> slice:
    """Return the groups that do not stand for everybody beyond."""
    low, high = float(result.release.sums.min()), float(result.release.sums.max())
    return slice(int(low < result.edges[0]), result.groups - int(high >= result.edges[-1]))


def _ticks(result: People) -> list[float]:
    """Return where sums are written: at some groups, and at those of everybody beyond."""
    middles = people_dots(result).middles
    inside = middles[_inside(result)]
    some = inside[:: max(1, -(-inside.size // _TICKS))].tolist()
    return sorted({float(middles[0]), *some, float(middles[-1])} - {float(inside[-1])})


def _halves(values: Any) -> FloatArray:
    return np.asarray((values[1:] + values[:-1]) / 2)


def _products(values: FloatArray) -> FloatArray:
    return np.asarray(values[1:] * values[:-1])


def _steps(name: str, values: FloatArray, between: FloatArray) -> list[dict[str, Any]]:
    """Return the stops of a control, and the part of the axis that belongs to each."""
    starts, ends = np.append(values[0], between), np.append(between, values[-1])
    numbers = zip(*(part.tolist() for part in (values, starts, ends)), strict=True)
    return [
        {"place": place, name: value, "start": start, "end": end}
        for place, (value, start, end) in enumerate(numbers)
    ]


# ---- without a hand on it -------------------------------------------------------------------


def people_figure(result: People | UsersNeeded, theme: Theme) -> Figure:
    """Draw the groups of users by what the test does with them, and the chance of an answer."""
    if isinstance(result, UsersNeeded):
        return draw(result, theme)
    figure = Figure()
    _add_groups(figure, result, theme)
    figure.add_scatter(
        x=result.factors,
        y=result.answers[0],
        mode="lines",
        line={"color": theme.subjects[Subject.USER_LEVEL], "width": 2.5 * theme.scale},
        name="chance of an answer",
        showlegend=False,
        xaxis="x2",
        yaxis="y2",
        hovertemplate="noise %{x:.3~g}: answered with probability %{y:.3~g}<extra></extra>",
    )
    ends = result.edges[[0, -1]].tolist()
    sums = Scale(Axis("sum", "a user's sum", log=False), *ends)
    noise = Scale.of(Axis("factor", "noise, c"), result.factors, 0.0)
    at = _ticks(result)
    said = [_beyond(result, tick) or readable(tick) for tick in at]
    rule = still_rule(theme, float(result.factors[result.here]), (0, 1), "x2", "y2")
    layout = still_layout(theme, (sums, "users"), (noise, "answered"), [rule])
    layout["xaxis"] |= {"tickvals": at, "ticktext": said}
    layout["yaxis2"] |= {"range": [0, 1.02]}
    return figure.update_layout(**layout)


def _beyond(result: People, tick: float) -> str:
    """Say what stands at the place of those beyond a group, "" at a group's own."""
    inner = people_dots(result).middles[_inside(result)]
    return "more" if tick > inner[-1] else "less" if tick < inner[0] else ""


def _add_groups(figure: Figure, result: People, theme: Theme) -> None:
    first, last = np.triu_indices(result.groups)
    counts = result.parts[first == last][:, result.usual]
    middles = people_dots(result).middles
    for kind, name in _NAMES.items():
        of_kind = [int(role) for role, (_, kinds) in _PARTS.items() if kinds == kind]
        figure.add_bar(
            x=middles,
            y=counts[:, of_kind].sum(axis=1),
            name=name,
            marker={"color": theme.subjects[SUBJECTS[kind]]},
            width=np.full(middles.size, 0.92 * float(result.edges[1] - result.edges[0])),
            hovertemplate=f"{name}: %{{y}} users<extra></extra>",
        )
