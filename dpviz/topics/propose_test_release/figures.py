"""Propose, test, release: the figures of DelStab."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw
from dpviz.plot.ink import LINE
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Mark, Subject
from dpviz.topics.propose_test_release import noise_figures
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.run import Role, Run
from dpviz.topics.propose_test_release.views.search import SearchChart

# Lanes from top to bottom, with the place of each colour in the palette.
_LANES = (
    (Role.DELETED_FIRST, 8),
    (Role.KEPT, 2),
    (Role.DELETED_AS_BOTH, 3),
    (Role.DELETED_AS_LARGEST, 0),
    (Role.DELETED_AS_SMALLEST, 1),
)
_LANE = 0.55  # height of a lane of dots, of 1 from lane to lane, where the words above have room
_FEW = 12  # dots on top of each other, below which they keep their distance
_COLUMNS = 120  # across the plot
_GOLDEN = 0.618034  # its multiples spread evenly
_BAR, _BETWEEN = (0.18, 0.25), 0.17  # heights of the spread's bar, and from it to the dots
_MORE = (180, 130)  # pixels above the usual height, and on a narrow screen
_SKEWED = 30.0  # from here on a linear axis would show little more than the largest


# ---- one run -----------------------------------------------------------------------------


def run_figure(result: Run | UsersNeeded, theme: Theme) -> Figure:
    """Draw every user as a dot, by what the test does with them, and the spread it finds."""
    theme = theme.crowded()
    if isinstance(result, UsersNeeded):
        return draw(result, theme)
    lanes = [(role, color) for role, color in _LANES if np.any(result.roles == role)]
    figure = Figure()
    notes = []
    # scaled to the plot, unless a few users would leave no room for the others
    every = result.release.sums
    skewed = every.min() > 0 and every.max() > _SKEWED * np.median(every)
    scale = Scale.of(Axis("sum", "a user's sum", log=bool(skewed)), every, 0.03)
    stacks = {role: _stacked(result.dots(role), scale) for role, _ in lanes}
    highest = max(float(stack.max()) for stack in stacks.values()) + 1
    place = _Place.of(theme, len(lanes))
    for level, (role, color) in enumerate(reversed(lanes)):
        sums = result.dots(role)
        height = level + place.lane * stacks[role] / max(highest, _FEW)
        figure.add_scatter(
            x=sums.astype(np.float32),
            y=height.astype(np.float32),
            mode="markers",
            marker={"color": theme.palette[color], "size": 5, "opacity": 0.7},
            name=_part(result, role),
            hovertemplate=f"{_hover(role)}, sum %{{x}}<extra></extra>",
        )
        notes.append(_heading(_part(result, role), level, theme.palette[color], place, theme))
    figure = _with_bar(figure, result, place, theme)
    if place.noise:
        figure = noise_figures.with_noise(figure, result.comparison, theme)
        notes.append(noise_figures.noise_heading(theme))
    return figure.update_layout(
        template=theme.template(),
        height=place.height,
        margin={"l": 16, "r": 16, "t": 16, "b": theme.px(56)},
        hovermode="closest",
        showlegend=False,
        xaxis=settings(scale)
        | {"title": {"text": "" if theme.room else scale.axis.label, "standoff": 4}}
        | {"anchor": "y"},
        yaxis={
            "domain": [place.dots, 1],
            "range": [-0.1, len(lanes)],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        annotations=[
            *notes,
            *([_axis_note(scale.axis.label, place.dots)] if theme.room else ()),
            _bar_heading(result, place, theme),
        ],
    )


@dataclass(frozen=True)
class _Place:
    """Where the parts of a run's figure are, in shares of its plot from below.

    height: of the figure, in pixels; noise: whether there is room for the bars of noise; bar: the
    ends of the spread's bar; dots: where the dots begin; lane: the height of a lane of dots, of 1
    from lane to lane, which leaves room for the words above it.
    """

    height: int
    noise: bool
    bar: tuple[float, float]
    dots: float
    lane: float

    @classmethod
    def of(cls, theme: Theme, lanes: int) -> "_Place":
        # Where little is seen at once, the noise is left to the view it has of its own.
        noise = not theme.room and not theme.compact
        height = theme.height + (0 if theme.room else _MORE[theme.compact])
        low, high = (
            share + noise * noise_figures.NOISE_BARS - (not noise) * _BAR[0] for share in _BAR
        )
        dots = high + _BETWEEN
        apart = (1 - dots) * (height - 16 - theme.px(56)) / lanes
        words = LINE * theme.font_size + 6
        return cls(height, noise, (low, high), dots, min(_LANE, max(1 - words / apart, 0.2)))


def _axis_note(text: str, above: float) -> dict[str, Any]:
    """Write above the end of the axis of sums what it is, where there is no room below it."""
    corner = {"x": 1, "xref": "paper", "xanchor": "right", "yref": "paper", "yanchor": "bottom"}
    return {"text": text, "y": above, "showarrow": False} | corner


def _stacked(sums: FloatArray, scale: Scale) -> FloatArray:
    """Return a height for each dot, so that those of one column lie on each other like counts."""
    drawn = np.log10(sums) if scale.axis.log else sums
    columns = np.floor(_COLUMNS * (drawn - scale.low) / (scale.high - scale.low))
    starts = np.searchsorted(columns, columns)
    counts = np.searchsorted(columns, columns, side="right") - starts
    # Not in the order of the sums, which would make slanted lines of them.
    return np.asarray(counts * ((np.arange(sums.size) - starts) * _GOLDEN % 1), dtype=float)


def _part(result: Run, role: Role) -> str:
    """Say what the test does with the users of one lane."""
    count = int(np.count_nonzero(result.roles == role))
    return {
        Role.DELETED_FIRST: f"the {users_in_words(count)} whom the test leaves out first",
        Role.KEPT: f"{users_in_words(count)} in between",
        Role.DELETED_AS_BOTH: f"{users_in_words(count)} among both, who cancel",
        Role.DELETED_AS_LARGEST: f"the {count:,} largest of the others",
        Role.DELETED_AS_SMALLEST: f"the {count:,} smallest of the others",
    }[role]


def _hover(role: Role) -> str:
    return {
        Role.DELETED_FIRST: "deleted first",
        Role.KEPT: "in between",
        Role.DELETED_AS_BOTH: "among the largest and the smallest",
        Role.DELETED_AS_LARGEST: "among the largest",
        Role.DELETED_AS_SMALLEST: "among the smallest",
    }[role]


def _heading(text: str, level: int, color: str, place: _Place, theme: Theme) -> dict[str, Any]:
    return {
        "text": text,
        "font": {"color": color, "size": theme.font_size - 1},
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": level + place.lane + 0.04,
        "yanchor": "bottom",
        "showarrow": False,
    }


def _with_bar(figure: Figure, result: Run, place: _Place, theme: Theme) -> Figure:
    """Add the bar of the spread, and the line up to which it may go."""
    found = result.outcome.search
    subject = Subject.USER_LEVEL if found.stable else Subject.DANGER
    figure.add_bar(
        x=[found.spread],
        y=[0],
        orientation="h",
        width=0.7,
        name="spread",
        marker={"color": theme.subjects[subject], "opacity": 0.7},
        showlegend=False,
        xaxis="x2",
        yaxis="y2",
        hovertemplate="spread %{x}<extra></extra>",
    )
    scale = Scale.of(
        Axis("spread", "spread", log=False), np.array([0.0, found.spread, found.limit]), 0.02
    )
    figure.add_shape(
        type="line",
        xref="x2",
        yref="y2",
        x0=found.limit,
        x1=found.limit,
        y0=-0.6,
        y1=0.6,
        line={"color": theme.text, "width": 2.5},
    )
    return figure.update_layout(
        xaxis2=settings(scale) | {"anchor": "y2"},
        yaxis2={
            "domain": list(place.bar),
            "anchor": "x2",
            "range": [-0.6, 0.6],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
    )


def _bar_heading(result: Run, place: _Place, theme: Theme) -> dict[str, Any]:
    found = result.outcome.search
    words = "sum of the largest less that of the smallest: " if not theme.compact else ""
    verdict = "within" if found.stable else "beyond"
    return {
        "text": f"{words}spread {readable(found.spread, 5)}, {verdict} the "
        f"{readable(found.limit, 5)} allowed",
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": place.bar[1],
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 4,
        "showarrow": False,
    }


# ---- the search for a stable set, and the threshold ----------------------------------------


def search_figure(chart: SearchChart | UsersNeeded, theme: Theme) -> Figure:
    """Draw the least spread against R₁, on a log axis if it falls far."""
    if isinstance(chart, SearchChart):
        spread = chart.curve("spread").y
        if min(spread.min(), chart.limit) > 0 and spread.max() > _SKEWED * chart.limit:
            chart = replace(chart, y=replace(chart.y, log=True))
        limit = replace(chart.curve("limit"), weight=0.6)
        chart = replace(chart, marks=tuple(_turned(chart)), curves=(chart.curve("spread"), limit))
    return draw(chart, theme)


def _turned(chart: SearchChart) -> Iterator[Mark]:
    """Yield the mark where the test begins to pass, worded for the ends as well."""
    for mark in chart.marks:
        words = (
            "passes whatever R₁ is"
            if chart.least_size == 0
            else f"passes from {chart.least_size} on"
        )
        yield replace(mark, text=words)


def threshold_figure(chart: SearchChart | UsersNeeded, theme: Theme) -> Figure:
    """Draw the law of R₁, grey where the answer is ⊥."""
    if isinstance(chart, SearchChart):
        marks = [*_turned(chart), *_refused(chart)]
        chart = replace(chart, marks=tuple(marks))
    return draw(chart, theme)


def _refused(chart: SearchChart) -> list[Mark]:
    """Mark the grey part of the law of R₁, if there is one."""
    if chart.least_size == 0:
        return []
    curve = chart.curve("pmf")
    rising = curve.x <= min(chart.kappa, chart.least_size - 1)
    x, y = curve.x[rising], curve.y[rising]
    slope = int(np.abs(y - 0.5 * y.max()).argmin())  # at the peak the words would cover it
    return [Mark(float(x[slope]), float(y[slope]), "grey: the answer is ⊥", Subject.DANGER)]


def users_in_words(count: int) -> str:
    """Write a number of users."""
    return f"{count:,} user{'' if count == 1 else 's'}"
