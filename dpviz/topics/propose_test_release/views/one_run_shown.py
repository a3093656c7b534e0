"""One run in three steps: propose whom to drop, test whether the rest agree, release or refuse."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.dots import Dots
from dpviz.plot.ink import LINE
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Result, Subject
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.propose_test_release import passing_sizes_shown
from dpviz.topics.propose_test_release.data_shown import (
    SETTING,
    idle_controls_and_seed,
    most_outliers,
)
from dpviz.topics.propose_test_release.data_shown import idle_controls as idle_with_a_run
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
from dpviz.topics.propose_test_release.plain import Comparison, noise_deviation
from dpviz.topics.propose_test_release.user_groups_shown import (
    NAMES,
    PARTS,
    SUBJECTS,
    at_ticks,
    middles_inside,
    ticks,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

_BAR = 26  # pixels, of the test's bar and of what is released
_NUMBERS = 96  # pixels, as of an upright axis: few numbers, for they may be long
_MORE = 120  # pixels above the usual height, on a narrow screen
_TICK = {"size": 14, "line": {"width": 3}}
_BIGGEST, _SMALLEST = 9.0, 2.0  # dots, in pixels

_UNIFORM = (
    "On these data every set of that many users is stable, so the set is drawn uniformly. The "
    "picture shows the one that leaves the least spread."
)
_UNIT_OF_DATA = (
    "The unit of the noise, and the range for plain noise, are taken from these data, which a "
    "private analysis could not do."
)
_WINDOW = (
    "On these data some sets of that many users are not stable, so the algorithm takes the one "
    "that leaves the least spread. Lemma 18 (privacy) holds for any choice, Lemma 19 (utility) "
    "for a uniform one."
)


def takeaway(result: Run) -> str:
    """State what each of the three steps comes to."""
    most = result.outcome.threshold
    dropped = users_in_words(most) if most else "nobody"
    rest = "the rest" if most else "the users"
    found = "agree" if result.outcome.answer is not None else "differ too much"
    released = "a noisy sum" if result.outcome.answer is not None else "nothing"
    return f"Propose: drop {dropped}, as chance decides. Test: {rest} {found}. Release: {released}."


def detail(result: Run) -> str:
    """State the test and the answer, and what plain noise would have added."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    budget = result.release.budget
    more, plain = f"{4 * budget.kappa - outcome.threshold:,}", _plain_noise(result)
    tested = (
        f"The number of users that may be dropped was drawn at random: {outcome.threshold:,}; "
        f"the likeliest is {budget.kappa:,}. After them {more} more are dropped. Whether "
        f"those are the largest or the smallest changes the sum left by {spread} (the spread); "
        f"at most {limit} is allowed."
    )
    if outcome.answer is None:
        return f"{tested} So the algorithm does not answer (⊥). But {plain}, and never refuses."
    left = result.release.users - 4 * budget.kappa
    return (
        f"{tested} Released is {readable(outcome.answer)} for the {users_in_words(left)} left, "
        f"whose sum is {readable(outcome.exact_sum)}. But {plain}."
    )


def _plain_noise(result: Run) -> str:
    """Say how much larger or smaller the better plain noise would be."""
    name, ratio = result.comparison.plain[0], result.comparison.ratio
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
    per = _dots(result).per_dot
    if per > 1:
        lines.append(f"A dot is one of about {per:,} users of its group.")
    return lines


def _in_plain_words(result: Run) -> str:
    """Say in words what κ, R₁, X_stable and ⊥ are, with the numbers of this run."""
    kappa, size = result.release.budget.kappa, result.outcome.threshold
    more = users_in_words(4 * kappa - size)
    return (
        f"How many users the test may drop first is drawn at random: here {size:,} (in the "
        f"paper R₁), usually near {kappa:,} (κ), never more than {2 * kappa:,}. The test looks "
        f"for a set of that many without whom the others are alike: whichever {more} more are "
        "dropped, the answer is nearly the same. All such sets together are X_stable. If there "
        "is none, the algorithm says only that it refuses to answer (⊥)."
    )


def _calibration(comparison: Comparison) -> str:
    """Say how large each noise is, and what plain noise is calibrated to."""
    cut = comparison.cut
    lost = (
        f" On these data the cut lowers the sum by {readable(cut, 4)}, an error that is no part "
        "of the noise."
        if cut
        else ""
    )
    return (
        "Standard deviation of the noise on the sum of all users, equally private: DelStab "
        f"{readable(comparison.delstab)}, plain Laplace {readable(comparison.laplace)}, plain "
        f"Gaussian {readable(comparison.gaussian)}. For plain noise every user's sum is cut off "
        f"to a range of width {readable(comparison.bound, 6)}, the sensitivity of the "
        f"sum.{lost} DelStab's noise is scaled from the users who are left to all users."
    )


# ---- the figure: three bands, a step each ------------------------------------------------------


@dataclass(frozen=True)
class _Bands:
    """Where the steps are: the ends of their plots, in shares of the plot's height from below."""

    height: int
    users: tuple[float, float]
    test: tuple[float, float]
    release: tuple[float, float]

    @classmethod
    def of(cls, theme: Theme) -> "_Bands":
        height = theme.height + _MORE * (theme.compact and not theme.room)
        whole = height - theme.px(28)  # the ticks of the last are below the plot
        bar, words, ticked = theme.px(_BAR), _words(theme), theme.px(30)
        below = words + bar
        test = below + ticked
        return cls(
            height,
            users=(2 * test / whole, 1 - words / whole),
            test=(test / whole, (test + bar) / whole),
            release=(0.0, bar / whole),
        )


def _words(theme: Theme) -> int:
    """Return the height of a line of words above a plot, in pixels."""
    return round(LINE * theme.font_size) + 6


def _dots(result: Run) -> Dots:
    """Return the users as dots."""
    return Dots(result.release.sums, result.edges, result.group)


def figure(result: Run, theme: Theme) -> Figure:
    """Draw the users as dots by what the test does with them, the spread, and what is released."""
    theme = theme.crowded()
    bands, dots = _Bands.of(theme), _dots(result)
    drawn = Figure()
    _add_users(drawn, result, dots, bands, theme)
    _add_test(drawn, result, theme)
    _add_release(drawn, result, theme)
    low, high = float(result.edges[0]), float(result.edges[-1])
    sums = Scale(Axis("sum", "", log=False), low, high)
    spread = _from_zero(max(result.outcome.search.spread, result.outcome.search.limit))
    released = _about(result)
    hidden = {"showticklabels": False, "showgrid": False, "fixedrange": True}
    tops = float(dots.tops.max()) + 1
    inner = middles_inside(dots)
    far = [at for at in dots.middles.tolist() if at > inner[-1] or at < inner[0]]
    return drawn.update_layout(
        template=theme.template(),
        height=bands.height,
        margin={"l": 16, "r": 16, "t": 0, "b": theme.px(28)},
        hovermode="closest",
        showlegend=False,
        barmode="overlay",
        xaxis=settings(sums)
        | {"anchor": "y", "showgrid": False, "tickvals": ticks(dots), "ticktext": at_ticks(dots)}
        | {"title": {"text": ""}},
        yaxis={"domain": list(bands.users), "range": [0, tops], "anchor": "x"} | hidden,
        xaxis2=settings(spread) | {"anchor": "y2", "title": {"text": ""}},
        yaxis2={"domain": list(bands.test), "range": [-0.6, 0.6], "anchor": "x2"} | hidden,
        xaxis3=settings(released, _NUMBERS if theme.compact else math.inf)
        | {"anchor": "y3", "title": {"text": ""}, "visible": not result.outcome.refused},
        yaxis3={"domain": list(bands.release), "range": [-0.6, 0.6], "anchor": "x3"} | hidden,
        shapes=[_limit(result, theme), *(_break(result, at, bands, theme) for at in far)],
        annotations=[
            _heading(words, end, theme)
            for words, (_, end) in zip(
                _steps(result, theme), (bands.users, bands.test, bands.release), strict=True
            )
        ],
    )


def _steps(result: Run, theme: Theme) -> tuple[str, str, str]:
    """Say each step in one line."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 4), readable(search.limit, 4)
    gone = f"drop {users_in_words(outcome.threshold)}" if outcome.threshold else "drop nobody"
    why = "" if theme.compact else ", a number that chance drew"
    per = _dots(result).per_dot
    shown = users_in_words(per)
    stands = f"; {shown} a dot" if theme.compact else f"; a dot is {shown}, placed by their sum"
    more = 4 * result.release.budget.kappa - outcome.threshold
    differ = f"sums differ by {spread}, allowed: {limit}"
    ends = "" if theme.compact else f"without the {more:,} largest or smallest (orange), "
    tested = ends + differ
    left = users_in_words(result.release.users - 4 * result.release.budget.kappa)
    danger = theme.subjects[Subject.DANGER]
    if outcome.answer is None:
        released = f"<span style='color: {danger}'>nothing: it refuses to answer</span>"
    elif theme.compact:
        released = f"{readable(outcome.answer)} (with noise)"
    else:
        released = f"{readable(outcome.answer)}, the sum of the {left} left with noise"
    red = f" (red){why}" if outcome.threshold else why
    return (
        f"<b>1 Propose</b>  {gone}{red}{stands}",
        f"<b>2 Test</b>  {tested}",
        f"<b>3 Release</b>  {released}",
    )


def _heading(text: str, end: float, theme: Theme) -> dict[str, Any]:
    return {
        "text": text,
        "font": {"color": theme.text},
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": end,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _add_users(figure: Figure, result: Run, dots: Dots, bands: _Bands, theme: Theme) -> None:
    """Add a dot for each user, in the colour of what the test does with them."""
    rows, seen = dots.rows(), result.roles[dots.seen]
    tall = (bands.users[1] - bands.users[0]) * bands.height / (float(dots.tops.max()) + 1)
    wide = 0.9 * theme.width / dots.groups / dots.across
    size = float(np.clip(0.8 * min(tall, wide), _SMALLEST, _BIGGEST))
    for kind, name in NAMES.items():
        of_kind = [int(role) for role, (_, kinds) in PARTS.items() if kinds == kind]
        mine = [row for row, role in zip(rows, seen.tolist(), strict=True) if role in of_kind]
        figure.add_scatter(
            x=np.array([row["x"] for row in mine], dtype=np.float32),
            y=np.array([row["y"] for row in mine], dtype=np.float32),
            mode="markers",
            marker={"color": theme.subjects[SUBJECTS[kind]], "size": size},
            name=name,
            showlegend=bool(mine),  # on a narrow screen, below the figure
            customdata=[row["said"] for row in mine],
            hovertemplate=f"{name}, sum %{{customdata}}<extra></extra>",
        )


def _break(result: Run, middle: float, bands: _Bands, theme: Theme) -> dict[str, Any]:
    """Draw where the axis is broken: beyond, users stand together however far they are."""
    step = float(result.edges[1] - result.edges[0])
    at = middle + (-step if middle > result.edges.mean() else step) / 2
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": at,
        "x1": at,
        "y0": bands.users[0],
        "y1": bands.users[1],
        "line": {"color": theme.muted, "width": 1.5, "dash": "dot"},
    }


def _add_test(figure: Figure, result: Run, theme: Theme) -> None:
    """Add the bar of the spread."""
    search = result.outcome.search
    subject = Subject.USER_LEVEL if search.stable else Subject.DANGER
    figure.add_bar(
        x=[search.spread],
        y=[0],
        orientation="h",
        width=0.8,
        name="spread",
        showlegend=False,
        marker={"color": theme.subjects[subject], "opacity": 0.7},
        xaxis="x2",
        yaxis="y2",
        hovertemplate="shift of the sum %{x}<extra></extra>",
    )


def _limit(result: Run, theme: Theme) -> dict[str, Any]:
    """Draw the line up to which the spread may go."""
    limit = result.outcome.search.limit
    return {
        "type": "line",
        "xref": "x2",
        "yref": "y2",
        "x0": limit,
        "x1": limit,
        "y0": -0.6,
        "y1": 0.6,
        "line": {"color": theme.text, "width": 2.5},
    }


def _from_zero(top: float) -> Scale:
    return Scale.of(Axis("spread", "", log=False), np.array([0.0, top]), 0.02)


def _about(result: Run) -> Scale:
    """Return the axis of what is released, with room for words at either end."""
    outcome = result.outcome
    if outcome.answer is None:
        return _from_zero(1.0)
    wide = noise_deviation(result.release.mechanism)
    ends = [outcome.exact_sum - wide, outcome.exact_sum + wide, outcome.answer]
    return Scale.of(Axis("released", "", log=False), np.array(ends), 0.3)


def _add_release(figure: Figure, result: Run, theme: Theme) -> None:
    """Add the sum of the users left, its noise, and what is released; nothing for a refusal."""
    outcome = result.outcome
    if outcome.answer is None:
        return
    here = {"xaxis": "x3", "yaxis": "y3", "showlegend": False}
    color, wide = theme.subjects[Subject.USER_LEVEL], noise_deviation(result.release.mechanism)
    figure.add_bar(
        x=[2 * wide],
        base=[outcome.exact_sum - wide],
        y=[0],
        orientation="h",
        width=0.5,
        name="noise",
        marker={"color": color, "opacity": 0.3},
        hovertemplate=f"standard deviation of the noise {readable(wide)}<extra></extra>",
        **here,
    )
    above = outcome.answer >= outcome.exact_sum
    for at, words, shade, symbol, looks, right in (
        (outcome.exact_sum, "true sum", color, "line-ns-open", _TICK, not above),
        (outcome.answer, "released", theme.text, "circle", {"size": 10}, above),
    ):
        figure.add_scatter(
            x=[at],
            y=[0],
            mode="markers+text",
            marker={"color": shade, "symbol": symbol} | looks,
            text=[words],
            textposition="middle right" if right else "middle left",
            textfont={"color": shade},
            name=words,
            cliponaxis=False,
            hovertemplate=f"{words} {readable(at, 5)}<extra></extra>",
            **here,
        )


# ---- all of it, or a part for all numbers that chance may draw ---------------------------------


def _either(run: Any, along: Any) -> Any:
    """Return what says or draws a run, or a part of it along the numbers that chance may draw."""

    def of_either(result: Result, *theme: Theme) -> Any:
        return (along if isinstance(result, PassingSizes) else run)(result, *theme)

    return of_either


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: where nothing but the data is drawn, real data need no seed."""
    return (idle_with_a_run if values["step"] == "run" else idle_controls_and_seed)(values)


VIEW = or_users_needed(
    View(
        key="run",
        title="One run",
        compute=one_run,
        figure=_either(figure, passing_sizes_shown.figure),
        takeaway=_either(takeaway, passing_sizes_shown.takeaway),
        detail=_either(detail, passing_sizes_shown.detail),
        notes=_either(notes, lambda _: [NOT_PROTECTED]),
        parameters=(*SETTING, "step"),
        in_sight=("outliers", "step", "seed"),
        why="An algorithm may answer about people if the answer hardly depends on which few of "
        "them it looks at. So it first proposes to drop a few users, then tests whether the rest "
        "agree, and releases a noisy answer only if they do. Chance draws how many it may drop, "
        "so that a refusal gives no single user away.",
        idle=idle_controls,
        most=most_outliers,
        still=lambda result: not isinstance(result, Run) or result.outcome.refused,
    )
)
