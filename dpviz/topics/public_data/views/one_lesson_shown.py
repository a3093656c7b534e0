"""See it learn: private and public data, the function between, and the function released."""

import math
from collections.abc import Iterator

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Zero, joined
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
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
    panel = _in_the_square if result.task.plane else _on_the_line
    return stacked(theme, panel(result), tall=1.1)


def _about(result: Lesson) -> Subject:
    return subject(result.learner, result.budget.noise)


def _on_the_line(result: Lesson) -> Panel:
    x, private, about = result.grid.astype(np.float32), result.private, _about(result)
    spread = np.arange(private.y.size) * _GOLDEN % 1 - 0.5
    jitter = 2 * _JITTER * spread if result.task.classifies else 0 * spread
    redraws = list(result.values(result.redraws[:_DRAWN]))
    lines = (
        # Wide, for where what is released is the same it would be hidden.
        (_between(result), result.between, "aside", 7.0, "solid", _BENEATH),
        ("released: f̂", result.values(result.released[None])[0], about, 3.5, "solid", 1.0),
        # Last, for the same reason.
        ("best rule", result.values(result.task.target[None])[0], "text", 2.0, "dot", 1.0),
    )
    marks: list[Mark] = [
        Dots(
            private.x.astype(np.float32),
            (private.y + jitter).astype(np.float32),
            size=4,
            pale=0.45,
            about="muted",
            name="private examples",
            said="private: x = %{x:.3f}, y = %{y:.2f}",
        ),
        Dots(
            result.public.astype(np.float32),
            np.full(result.public.size, -1.3, dtype=np.float32),
            size=11,
            symbol="line-ns-open",
            name="public points, without labels",
            said="public: x = %{x:.3f}",
        ),
        Line(
            *joined([(x, one.astype(np.float32)) for one in redraws]),
            wide=1,
            about=about,
            seen=0.4,
            name="released with other noise",
        ),
        *(
            Line(
                x,
                values.astype(np.float32),
                wide=wide,
                dash=dash,
                about=tint,
                seen=seen,
                name=name,
                said=f"{name}: %{{y:.3f}}",
            )
            for name, values, tint, wide, dash, seen in lines
        ),
    ]
    return Panel(Side(0.0, 1.0, "x"), Side(-1.45, 1.2, "Label and f(x)"), marks)


def _in_the_square(result: Lesson) -> Panel:
    private, public = result.private, result.public.astype(np.float32)
    marks: list[Mark] = [
        Dots(
            *private.x[private.y == label].astype(np.float32).T,
            size=6,
            symbol=symbol,
            pale=0.7,
            about="muted",
            name=f"private, label {'1' if label > 0 else '−1'}",
            said="private: %{x:.3f}, %{y:.3f}",
        )
        for label, symbol in ((1.0, "circle"), (-1.0, "x-thin-open"))
    ]
    said, name = "public: %{x:.3f}, %{y:.3f}", "public points, without labels"
    marks.append(Dots(*public.T, size=9, symbol="diamond", name=name, said=said))
    return Panel(Side(0.0, 1.0, "x₁"), Side(0.0, 1.0, "x₂"), [*marks, *_dividing_lines(result)])


def _dividing_lines(result: Lesson) -> Iterator[Mark]:
    """Yield where each function changes its sign."""
    about, between = _about(result), result.outcome.learned.intermediate[0]
    lines = (
        ("released with other noise", result.redraws[:_DRAWN], about, 1.0, "solid", 0.3),
        (_between(result), between[: len(between) == 1], "aside", 1.5, "solid", 1.0),
        ("released: f̂", result.released[None], about, 3.5, "solid", 1.0),
        ("best rule", result.task.target[None], "text", 2.0, "dot", 1.0),
    )
    for name, functions, tint, wide, dash, seen in lines:
        if len(functions):
            ends = np.concatenate([_across(f) for f in functions])
            yield Line(*ends.T, wide=wide, dash=dash, about=tint, seen=seen, name=name)
    if len(between) > 1:  # the average is no half-plane: where it changes its sign
        side = math.isqrt(len(result.grid))
        z = result.between.reshape(side, side).astype(np.float32)
        along = np.linspace(0, 1, side)
        yield Zero(along, along, z, about="aside", name=_between(result))


def _across(function: FloatArray) -> FloatArray:
    """Return where a line crosses a neighbourhood of the square, ended by a gap."""
    u, v, b = function
    foot = b * np.array([u, v])
    along = 2.0 * np.array([-v, u])
    return np.array([foot - along, foot + along, [np.nan, np.nan]])


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
