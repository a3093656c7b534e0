"""See it learn: private and public data, the function between, and the function released."""

import math

import numpy as np

from dpviz.plot.axes import Scale, settings, y_title
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, FloatArray
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import compared
from dpviz.topics.public_data.experiment_shown import (
    SETTING,
    idle_of_learner,
    idle_of_shift,
    learners_that_suit,
    most_of_task,
)
from dpviz.topics.public_data.learners import LEARNERS, claim, subject
from dpviz.topics.public_data.learners_shown import privacy_notes
from dpviz.topics.public_data.views.one_lesson import Lesson, one_lesson

_DRAWN = 24  # of the redraws
_JITTER = 0.09  # of the labels, up and down, so that dots do not hide each other
_BENEATH = 0.5  # the opacity of what is not released, which is wide
_DEAR = 0.05  # a cost of privacy from which on the headline says what it comes from
_GOLDEN = 0.618034  # its multiples spread evenly


def takeaway(result: Lesson) -> str:
    """State what privacy costs, and the two errors that this is the difference of."""
    excess, plain, task = result.excess, result.optimum_excess, result.task.name
    errors = compared(task, excess, plain, "without privacy")
    if math.isnan(plain):
        return f"This learner {errors}."
    if excess <= plain:
        return f"In this run privacy costs nothing: the learner {errors}."
    cost = readable(100 * (excess - plain), 2)
    price = f"{cost} percentage point{'' if cost == '1' else 's'}"
    if not result.task.classifies:
        price = f"a squared error of {readable(excess - plain, 2)}"
    if errors == compared(task, excess, excess, "without privacy"):
        errors = compared(task, excess, math.nan, "")  # to two digits both errors are the same
    dear = result.task.classifies and excess - plain >= _DEAR
    if dear and result.noisy_excess - plain >= (excess - plain) / 2:  # else few points cost more
        m, place = len(result.public), "grid cell" if result.learner == "rspm" else "public point"
        each = f"each of {m:,} {place}s" if m > 1 else f"its {place}"
        return (
            f"Privacy costs this learner {price}: {each} gets noise "
            f"{readable(result.outcome.scale)} times as large as one example's loss."
        )
    return f"Privacy costs this learner {price}: it {errors}."


def detail(result: Lesson) -> str:
    """State the error released, its spread, the plain optimum's, the calls and the privacy."""
    calls, m = result.outcome.calls, len(result.public)
    plural = "" if m == 1 else "s"
    points = f"{m:,} public point{plural}"
    if result.learner == "rspm":
        points = f"a grid of {m:,} cell{plural}"
    return (
        f"{LEARNERS[result.learner]} on {result.samples:,} private examples and {points} releases "
        f"a function with excess error "
        f"{readable(result.excess)}{_spread(result)}{_without_privacy(result)} was called "
        f"{'once' if calls == 1 else f'{calls:,} times'}. {_privacy(result)}"
    )


def _spread(result: Lesson) -> str:
    """Say what errors the redraws have: the first of them, where more are to come."""
    redraws = len(result.spread)
    if not redraws:
        return ""
    if redraws == result.planned:
        low, high = np.quantile(result.spread, [0.1, 0.9])
        return f" (80% of redraws: {readable(float(low))} to {readable(float(high))})"
    least, most = readable(float(result.spread.min())), readable(float(result.spread.max()))
    few, errors = ("", least) if redraws == 1 else (f" {redraws}", f"{least} to {most}")
    return f" (the first{few} of {result.planned} redraws: {errors})"


def _without_privacy(result: Lesson) -> str:
    """End the sentence on the errors, and name the optimiser, which the next one is about."""
    if math.isnan(result.optimum_excess):
        return ". The optimiser"
    excess = readable(result.optimum_excess)
    return f"; the optimiser alone, without privacy, gets {excess}. It"


def _privacy(result: Lesson) -> str:
    budget = result.budget
    epsilon, delta = readable(budget.epsilon), readable(budget.delta)
    return {
        "pure": f"The release is ε-differentially private, ε = {epsilon}, whatever the data.",
        "approximate": f"The release is (ε, δ)-differentially private, ε = {epsilon}, δ = {delta}.",
        "broken": "Its Gaussian weights are as published, without a proof of privacy.",
    }[claim(result.learner, budget.noise)]


def notes(result: Lesson) -> list[str]:
    """Say what is drawn, and what the noise is."""
    lines = [
        "Only f̂ is released. The private examples, f̄ or f̃, the excess errors and the redraws are "
        "not protected: you see them as somebody does who holds the data.",
        "The excess error L(f̂) − L(target) is computed, not estimated, under the private "
        "distribution.",
    ]
    scale = readable(result.outcome.scale)
    if math.isnan(result.outcome.rho):
        weighed = "middles of the grid's cells" if result.learner == "rspm" else "public points"
        lines.append(f"The weights on the {weighed} have scale {scale}, in units of one loss.")
    else:
        rho, unless = readable(result.outcome.rho), ""
        if result.learner == "perturbation":
            unless = f", except with probability δ/2 = {readable(result.budget.delta / 2)}"
        lines.append(
            f"One example moves f̄ by at most ρ = {rho}{unless}; the noise on f̄(Z) is γ = {scale}."
        )
    if result.outcome.gap:
        lines.append(
            "Every answer of the optimiser was certified to lie within "
            f"{readable(result.outcome.gap)} of the minimum; ρ covers the largest gap it may "
            "ever leave."
        )
    if result.learner == "rspm":
        lines.append(
            "RSPM uses no public data. Its class is cut down to a grid with as many cells as "
            "there are public points, whose middles are a universal identification set."
        )
    if result.private.y.size < result.samples:
        lines.append(f"{result.private.y.size:,} of {result.samples:,} private examples are drawn.")
    return lines + privacy_notes(result.learner, result.budget.noise)


def figure(result: Lesson, theme: Theme) -> Figure:
    """Draw the data, f̄, the function released, and what other draws of the noise would release."""
    return _in_the_square(result, theme) if result.task.plane else _on_the_line(result, theme)


def _color(result: Lesson, theme: Theme) -> str:
    return theme.subjects[subject(result.learner, result.budget.noise)]


def _on_the_line(result: Lesson, theme: Theme) -> Figure:
    drawn, color = Figure(), _color(result, theme)
    x = result.grid.astype(np.float32)
    private, spread = result.private, np.arange(result.private.y.size) * _GOLDEN % 1 - 0.5
    jitter = 2 * _JITTER * spread if result.task.classifies else 0 * spread
    drawn.add_scatter(
        x=private.x.astype(np.float32),
        y=(private.y + jitter).astype(np.float32),
        mode="markers",
        marker={"color": theme.muted, "size": 4, "opacity": 0.45},
        name="private examples",
        hovertemplate="private: x = %{x:.3f}, y = %{y:.2f}<extra></extra>",
    )
    drawn.add_scatter(
        x=result.public.astype(np.float32),
        y=np.full(result.public.size, -1.3, dtype=np.float32),
        mode="markers",
        marker={"color": theme.text, "size": 11, "symbol": "line-ns-open"},
        name="public points, without labels",
        hovertemplate="public: x = %{x:.3f}<extra></extra>",
    )
    redraws = result.values(result.redraws[:_DRAWN])
    gaps = np.full((len(redraws), 1), np.nan)
    drawn.add_scatter(
        x=np.tile(np.append(x, np.float32(np.nan)), len(redraws)),
        y=np.concatenate([redraws, gaps], axis=1).ravel().astype(np.float32),
        mode="lines",
        line={"color": color, "width": 1},
        opacity=0.4,
        name="released with other noise",
        hoverinfo="skip",
    )
    lines = (
        # Wide, for where what is released is the same it would be hidden.
        (_between(result), result.between, theme.aside, 7.0, "solid"),
        ("released: f̂", result.values(result.released[None])[0], color, 3.5, "solid"),
        # Last, for the same reason.
        ("best rule", result.values(result.task.target[None])[0], theme.text, 2.0, "dot"),
    )
    for name, values, tint, width, dash in lines:
        drawn.add_scatter(
            x=x,
            y=values.astype(np.float32),
            mode="lines",
            line={"color": tint, "width": width, "dash": dash},
            opacity=_BENEATH if tint == theme.aside else 1.0,
            name=name,
            hovertemplate=f"{name}: %{{y:.3f}}<extra></extra>",
        )
    vertical = Axis("y", "Label and f(x)", log=False)
    drawn.update_layout(
        xaxis=settings(Scale(Axis("x", "x", log=False), 0.0, 1.0)) | {"title": {"text": "x"}},
        yaxis=settings(Scale(vertical, -1.45, 1.2)),
    )
    return _dressed(drawn, vertical.label, theme)


def _in_the_square(result: Lesson, theme: Theme) -> Figure:
    drawn, private = Figure(), result.private
    for label, symbol in ((1.0, "circle"), (-1.0, "x-thin-open")):
        chosen = private.x[private.y == label].astype(np.float32)
        drawn.add_scatter(
            x=chosen[:, 0],
            y=chosen[:, 1],
            mode="markers",
            marker={"color": theme.muted, "size": 6, "symbol": symbol, "opacity": 0.7},
            name=f"private, label {'1' if label > 0 else '−1'}",
            hovertemplate="private: %{x:.3f}, %{y:.3f}<extra></extra>",
        )
    public = result.public.astype(np.float32)
    drawn.add_scatter(
        x=public[:, 0],
        y=public[:, 1],
        mode="markers",
        marker={"color": theme.text, "size": 9, "symbol": "diamond"},
        name="public points, without labels",
        hovertemplate="public: %{x:.3f}, %{y:.3f}<extra></extra>",
    )
    _add_dividing_lines(drawn, result, theme)
    square = {"range": [0, 1], "showgrid": True}
    drawn.update_layout(xaxis=square | {"title": {"text": "x₁"}}, yaxis=square)
    return _dressed(drawn, "x₂", theme)


def _add_dividing_lines(drawn: Figure, result: Lesson, theme: Theme) -> None:
    """Draw where each function changes its sign."""
    color = _color(result, theme)
    between = result.outcome.learned.intermediate[0]
    lines = (
        ("released with other noise", result.redraws[:_DRAWN], color, 1.0, "solid", 0.3),
        (_between(result), between[: len(between) == 1], theme.aside, 1.5, "solid", 1.0),
        ("released: f̂", result.released[None], color, 3.5, "solid", 1.0),
        ("best rule", result.task.target[None], theme.text, 2.0, "dot", 1.0),
    )
    for name, functions, tint, width, dash, opacity in lines:
        if not len(functions):
            continue
        ends = np.concatenate([_across(f) for f in functions])
        drawn.add_scatter(
            x=ends[:, 0],
            y=ends[:, 1],
            mode="lines",
            line={"color": tint, "width": width, "dash": dash},
            opacity=opacity,
            name=name,
            hoverinfo="skip",
        )
    if len(between) > 1:  # the average is no half-plane: where it changes its sign
        side = math.isqrt(len(result.grid))
        drawn.add_contour(
            x=np.linspace(0, 1, side),
            y=np.linspace(0, 1, side),
            z=result.between.reshape(side, side).astype(np.float32),
            contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
            line={"color": theme.aside, "width": 1.5},
            showscale=False,
            name=_between(result),
            hoverinfo="skip",
            showlegend=True,
        )


def _across(function: FloatArray) -> FloatArray:
    """Return where a line crosses a neighbourhood of the square, ended by a gap."""
    u, v, b = function
    foot = b * np.array([u, v])
    along = 2.0 * np.array([-v, u])
    return np.array([foot - along, foot + along, [np.nan, np.nan]])


def _dressed(drawn: Figure, vertical: str, theme: Theme) -> Figure:
    left = theme.px(56)
    return drawn.update_layout(
        template=theme.template(),
        height=theme.height + (0 if theme.compact else 60),
        margin={
            "l": left,
            "r": 16,
            "t": theme.px(32),
            "b": theme.px(56 if theme.compact else 140),
        },
        hovermode="closest",
        showlegend=not theme.compact,
        annotations=[y_title(vertical, theme, left)],
    )


def _between(result: Lesson) -> str:
    return {
        "perturbation": "kept secret: average of J minimisers, f̄",
        "regularization": "kept secret: regularised, f̄",
    }.get(result.learner, "kept secret: before projection, f̃")


VIEW = View(
    key="learn",
    title="See it learn",
    compute=one_lesson,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="One example could tip the choice between functions that fit the data almost equally well, "
    "so a private learner chooses with noise. Public points keep the choice small: RRSPM, shown "
    "first, releases only what they can tell apart. The thin lines are what other noise would have "
    "released.",
    parameters=(*SETTING, "seed"),
    in_sight=("epsilon", "public_points", "seed"),
    idle=lambda values: idle_of_learner(values) | idle_of_shift(values),
    offers=learners_that_suit,
    most=most_of_task,
)
