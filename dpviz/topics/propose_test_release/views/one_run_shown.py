"""One run: every user by what the test does with them, the spread it finds, and the noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.ink import LINE
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.propose_test_release.data_shown import (
    SETTING,
    idle_controls,
    most_outliers,
)
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.plain import Comparison
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

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
_NOISE_BARS = 0.16  # height of the bars of noise, of the plot's

_UNIFORM = (
    "Every set of R₁ users is stable on these data, so S is drawn uniformly. The picture shows the "
    "set that leaves the least spread."
)
_UNIT_OF_DATA = (
    "The unit of the noise, and the range for plain noise, are taken from these data, which an "
    "analysis that has to be private could not do."
)
_WINDOW = (
    "Some sets of R₁ users are not stable on these data, so S is the set that leaves the least "
    "spread. Lemma 18 (privacy) holds for any choice, Lemma 19 (utility) for a uniform one."
)


def takeaway(result: Run) -> str:
    """State whether the test passes."""
    most = result.outcome.threshold
    drew = f"The test drew {most:,}: " + ("so many users it may drop." if most > 1 else "")
    if most <= 1:
        drew += "it may drop one user." if most else "it may drop nobody."
    them = "that one" if most == 1 else "them"
    if result.outcome.answer is None:
        rest = f"Even without {them} the rest" if most else "The users"
        return f"{drew} {rest} differ too much, so it refuses to answer."
    rest = f"Without {them} the rest" if most else "The users"
    return f"{drew} {rest} agree, so it answers."


def detail(result: Run) -> str:
    """State the test and the answer, and what plain noise would have added."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    kappa = result.release.budget.kappa
    plain = _plain_noise(result.comparison)
    rule = (
        f"How many users may be left out is drawn by chance (R₁, near κ = {kappa:,}). So many may "
        "go if the others are alike without them; all such sets together are X_stable, and if "
        "there is none, the algorithm says that it does not answer (⊥). "
    )
    if outcome.answer is None:
        best = users_in_words(outcome.threshold)
        return (
            f"{rule}The answer is ⊥: without the best {best} to delete the spread "
            f"is still {spread}, more than the {limit} allowed. But {plain}, and never refuses."
        )
    left = result.release.users - 4 * result.release.budget.kappa
    return (
        f"{rule}Released is {readable(outcome.answer)} for the {users_in_words(left)} left, whose "
        f"sum is {readable(outcome.exact_sum)}: the spread {spread} is no more than the "
        f"{limit} allowed. But {plain}."
    )


def _plain_noise(comparison: Comparison) -> str:
    """Say how much larger or smaller the better plain noise would be."""
    name, ratio = comparison.plain[0], comparison.ratio
    size = (
        f"{readable(ratio)} times smaller" if ratio >= 1 else f"{readable(1 / ratio)} times larger"
    )
    return f"plain {name} noise, equally private, would be {size}"


def notes(result: Run) -> list[str]:
    """Say what is private, and how S was chosen."""
    kappa = result.release.budget.kappa
    lines = [
        _in_plain_words(result),
        NOT_PROTECTED,
        f"{users_it_needs(kappa)}.",
        _calibration(result.comparison),
    ]
    if result.unit_of_data:
        lines.append(_UNIT_OF_DATA)
    if not result.outcome.refused:
        lines.append(_UNIFORM if result.outcome.uniform else _WINDOW)
    total = sum(result.dots(role).size for role in Role)
    if total < result.release.users:
        lines.append(
            f"{total:,} of {result.release.users:,} users are drawn, evenly by rank in each lane."
        )
    return lines


def _in_plain_words(result: Run) -> str:
    """Say in words what κ, R₁, X_stable and ⊥ are, with the numbers of this run."""
    kappa, size = result.release.budget.kappa, result.outcome.threshold
    more = users_in_words(4 * kappa - size)
    return (
        f"Chance decides how many users the test may leave out first: here {size:,} (in the paper "
        f"R₁), usually near {kappa:,} (κ), never more than {2 * kappa:,}. It looks for a set of so "
        f"many without whom the others are alike: whichever {more} more are left out, the answer "
        "is nearly the same. All such sets together are X_stable; if there is none, the algorithm "
        "says that it does not answer (⊥), and nothing else."
    )


def _calibration(comparison: Comparison) -> str:
    """Say what plain noise is calibrated to."""
    bound = readable(comparison.bound, 6)
    cut = comparison.cut
    lost = (
        f" On these data that takes {readable(cut, 4)} off the sum, which is no part of the noise."
        if cut
        else ""
    )
    return (
        f"Plain noise: every user's sum is cut off to a range of width {bound}, the sensitivity "
        f"of the sum.{lost} DelStab's noise is scaled from the users left to all of them."
    )


def figure(result: Run, theme: Theme) -> Figure:
    """Draw every user as a dot, by what the test does with them, and the spread it finds."""
    theme = theme.crowded()
    lanes = [(role, color) for role, color in _LANES if np.any(result.roles == role)]
    drawn = Figure()
    headings = []
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
        drawn.add_scatter(
            x=sums.astype(np.float32),
            y=height.astype(np.float32),
            mode="markers",
            marker={"color": theme.palette[color], "size": 5, "opacity": 0.7},
            name=_part(result, role),
            hovertemplate=f"{_hover(role)}, sum %{{x}}<extra></extra>",
        )
        headings.append(_heading(_part(result, role), level, theme.palette[color], place, theme))
    drawn = _with_bar(drawn, result, place, theme)
    if place.noise:
        drawn = _with_noise(drawn, result.comparison, theme)
        headings.append(_noise_heading(theme))
    return drawn.update_layout(
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
            *headings,
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
        low, high = (share + noise * _NOISE_BARS - (not noise) * _BAR[0] for share in _BAR)
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
    search = result.outcome.search
    subject = Subject.USER_LEVEL if search.stable else Subject.DANGER
    figure.add_bar(
        x=[search.spread],
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
        Axis("spread", "spread", log=False), np.array([0.0, search.spread, search.limit]), 0.02
    )
    figure.add_shape(
        type="line",
        xref="x2",
        yref="y2",
        x0=search.limit,
        x1=search.limit,
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
    search = result.outcome.search
    words = "sum of the largest less that of the smallest: " if not theme.compact else ""
    verdict = "within" if search.stable else "beyond"
    return {
        "text": f"{words}spread {readable(search.spread, 5)}, {verdict} the "
        f"{readable(search.limit, 5)} allowed",
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": place.bar[1],
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 4,
        "showarrow": False,
    }


def _with_noise(figure: Figure, comparison: Comparison, theme: Theme) -> Figure:
    """Add three bars at the bottom: the noise of DelStab, of plain Laplace and Gaussian noise."""
    rows = (
        ("plain Gaussian", comparison.gaussian, Subject.GAUSSIAN),
        ("plain Laplace", comparison.laplace, Subject.LAPLACE),
        ("DelStab", comparison.delstab, Subject.USER_LEVEL),
    )
    deviations = [deviation for _, deviation, _ in rows]
    figure.add_bar(
        x=deviations,
        y=[0, 1, 2],
        orientation="h",
        width=0.8,
        name="noise",
        marker={"color": [theme.subjects[subject] for *_, subject in rows], "opacity": 0.7},
        text=[f"{name}: {readable(deviation)}" for name, deviation, _ in rows],
        textposition=["inside" if one > max(deviations) / 2 else "outside" for one in deviations],
        constraintext="none",  # else plotly makes words smaller that are as high as their bar
        textangle=0,
        textfont={"color": theme.text},
        cliponaxis=False,
        showlegend=False,
        xaxis="x3",
        yaxis="y3",
        hovertemplate="standard deviation %{x:.3g}<extra></extra>",
    )
    scale = Scale.of(Axis("deviation", "noise", log=False), np.array([0.0, *deviations]), 0.02)
    hidden = {"showticklabels": False, "showgrid": False, "fixedrange": True}
    return figure.update_layout(
        xaxis3=settings(scale) | {"anchor": "y3"},
        yaxis3={"domain": [0, _NOISE_BARS], "range": [-0.6, 2.6], "anchor": "x3"} | hidden,
    )


def _noise_heading(theme: Theme) -> dict[str, object]:
    """Return the words above the three bars."""
    whole = "standard deviation of the noise on the sum of all users, equally private"
    return {
        "text": "noise on the sum, equally private" if theme.compact else whole,
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": _NOISE_BARS,
        "yref": "paper",
        "yanchor": "bottom",
        "yshift": 4,
        "showarrow": False,
    }


VIEW = or_users_needed(
    View(
        key="run",
        title="One run",
        compute=one_run,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=notes,
        parameters=SETTING,
        in_sight=("data", "outliers", "users"),
        idle=idle_controls,
        most=most_outliers,
    )
)
