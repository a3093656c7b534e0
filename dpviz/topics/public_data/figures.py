"""Public data: the pictures of private learners, and what they say."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Chart, Curve, Evidence, FloatArray, Subject
from dpviz.topics.public_data.learners import LEARNERS, claim, subject
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.errors import ErrorChart, ShiftChart, best_points
from dpviz.topics.public_data.views.lesson import Lesson

_THIN = 24  # redraws drawn
_JITTER = 0.09
_GOLDEN = 0.618034  # its multiples spread evenly
_SHORT = {
    "rrspm": "RRSPM",
    "perturbation": "Algorithm 2",
    "regularization": "Algorithm 3",
    "rspm": "RSPM",
    "non-private": "the plain optimiser",
}


# ---- one lesson ------------------------------------------------------------------------------


def lesson_figure(result: Lesson, theme: Theme) -> Figure:
    """Draw the data, f̄, the function released, and what other draws of the noise would release."""
    return _in_the_square(result, theme) if result.task.plane else _on_the_line(result, theme)


def _color(result: Lesson, theme: Theme) -> str:
    return theme.subjects[subject(result.learner, result.budget.noise)]


def _on_the_line(result: Lesson, theme: Theme) -> Figure:
    figure, color = Figure(), _color(result, theme)
    x = result.grid.astype(np.float32)
    private, spread = result.private, np.arange(result.private.y.size) * _GOLDEN % 1 - 0.5
    jitter = 2 * _JITTER * spread if result.task.classifies else 0 * spread
    figure.add_scatter(
        x=private.x.astype(np.float32),
        y=(private.y + jitter).astype(np.float32),
        mode="markers",
        marker={"color": theme.muted, "size": 4, "opacity": 0.45},
        name="private examples",
        hovertemplate="private: x = %{x:.3f}, y = %{y:.2f}<extra></extra>",
    )
    figure.add_scatter(
        x=result.public.astype(np.float32),
        y=np.full(result.public.size, -1.3, dtype=np.float32),
        mode="markers",
        marker={"color": theme.text, "size": 11, "symbol": "line-ns-open"},
        name="public points, without labels",
        hovertemplate="public: x = %{x:.3f}<extra></extra>",
    )
    redraws = result.values(result.redraws[:_THIN])
    gaps = np.full((len(redraws), 1), np.nan)
    figure.add_scatter(
        x=np.tile(np.append(x, np.float32(np.nan)), len(redraws)),
        y=np.concatenate([redraws, gaps], axis=1).ravel().astype(np.float32),
        mode="lines",
        line={"color": color, "width": 1},
        opacity=0.25,
        name="released with other noise",
        hoverinfo="skip",
    )
    lines = (
        ("target", result.values(result.task.target[None])[0], theme.text, 1.5, "dot"),
        (_between(result), result.between, theme.subjects[Subject.ITEM_LEVEL], 2.5, "solid"),
        ("released, f̂", result.values(result.released[None])[0], color, 3.5, "solid"),
    )
    for name, values, tint, width, dash in lines:
        figure.add_scatter(
            x=x,
            y=values.astype(np.float32),
            mode="lines",
            line={"color": tint, "width": width, "dash": dash},
            name=name,
            hovertemplate=f"{name}: %{{y:.3f}}<extra></extra>",
        )
    vertical = Axis("y", "label and f(x)", log=False)
    figure.update_layout(
        xaxis=settings(Scale(Axis("x", "x", log=False), 0.0, 1.0)) | {"title": {"text": "x"}},
        yaxis=settings(Scale(vertical, -1.45, 1.2)) | {"title": {"text": vertical.label}},
    )
    return _dressed(figure, theme)


def _in_the_square(result: Lesson, theme: Theme) -> Figure:
    figure, color = Figure(), _color(result, theme)
    private = result.private
    for label, symbol in ((1.0, "circle"), (-1.0, "x-thin-open")):
        chosen = private.x[private.y == label].astype(np.float32)
        figure.add_scatter(
            x=chosen[:, 0],
            y=chosen[:, 1],
            mode="markers",
            marker={"color": theme.muted, "size": 6, "symbol": symbol, "opacity": 0.7},
            name=f"private, label {'1' if label > 0 else '−1'}",
            hovertemplate="private: %{x:.3f}, %{y:.3f}<extra></extra>",
        )
    public = result.public.astype(np.float32)
    figure.add_scatter(
        x=public[:, 0],
        y=public[:, 1],
        mode="markers",
        marker={"color": theme.text, "size": 9, "symbol": "diamond"},
        name="public points, without labels",
        hovertemplate="public: %{x:.3f}, %{y:.3f}<extra></extra>",
    )
    grey = theme.subjects[Subject.ITEM_LEVEL]
    between = result.outcome.learned.intermediate[0]
    lines = (
        ("released with other noise", result.redraws[:_THIN], color, 1.0, "solid", 0.3),
        ("target", result.task.target[None], theme.text, 1.5, "dot", 1.0),
        (_between(result), between[: len(between) == 1], grey, 2.5, "solid", 1.0),
        ("released, f̂", result.released[None], color, 3.5, "solid", 1.0),
    )
    for name, functions, tint, width, dash, opacity in lines:
        if not len(functions):
            continue
        ends = np.concatenate([_across(f) for f in functions])
        figure.add_scatter(
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
        figure.add_contour(
            x=np.linspace(0, 1, side),
            y=np.linspace(0, 1, side),
            z=result.between.reshape(side, side).astype(np.float32),
            contours={"coloring": "none", "start": 0, "end": 0, "size": 1},
            line={"color": grey, "width": 2.5},
            showscale=False,
            name=_between(result),
            hoverinfo="skip",
            showlegend=True,
        )
    square = {"range": [0, 1], "showgrid": True}
    figure.update_layout(
        xaxis=square | {"title": {"text": "x₁"}}, yaxis=square | {"title": {"text": "x₂"}}
    )
    return _dressed(figure, theme)


def _across(function: FloatArray) -> FloatArray:
    """Return where a line crosses a neighbourhood of the square, ended by a gap."""
    u, v, b = function
    foot = b * np.array([u, v])
    along = 2.0 * np.array([-v, u])
    return np.array([foot - along, foot + along, [np.nan, np.nan]])


def _dressed(figure: Figure, theme: Theme) -> Figure:
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (0 if theme.compact else 60),
        margin={"l": 56, "r": 16, "t": 16, "b": 56 if theme.compact else 140},
        hovermode="closest",
        showlegend=not theme.compact,
    )


def _between(result: Lesson) -> str:
    return {
        "perturbation": "average of J minimisers, f̄",
        "regularization": "regularised, f̄",
    }.get(result.learner, "before projection, f̃")


def lesson_takeaway(result: Lesson) -> str:
    """State the error released, its spread, the plain optimum's, the calls and the privacy."""
    low, high = np.quantile(result.spread, [0.1, 0.9])
    calls, m = result.outcome.calls, len(result.public)
    return (
        f"{LEARNERS[result.learner]} on {result.samples:,} private examples and {m:,} public "
        f"point{'' if m == 1 else 's'} releases a function with excess error "
        f"{readable(result.excess)} (80% of redraws: {readable(float(low))} to "
        f"{readable(float(high))}); the optimiser alone, without privacy, gets "
        f"{readable(result.optimum_excess)}. It was called "
        f"{'once' if calls == 1 else f'{calls:,} times'}. {_privacy(result)}"
    )


def _privacy(result: Lesson) -> str:
    budget = result.budget
    epsilon, delta = readable(budget.epsilon), readable(budget.delta)
    return {
        "pure": f"The release is ε-differentially private, ε = {epsilon}, whatever the data.",
        "approximate": f"The release is (ε, δ)-differentially private, ε = {epsilon}, δ = {delta}.",
        "published": "Theorem 2 calls it (ε, δ)-private, but the proof of its Lemma 1 has a gap.",
        "broken": "Its Gaussian weights are as published, without a proof of privacy.",
    }[claim(result.learner, budget.noise)]


def lesson_notes(result: Lesson) -> list[str]:
    """Say what is drawn, and what the noise is."""
    notes = [
        "Only f̂ is released. The private examples, f̄ or f̃, the excess errors and the redraws are "
        "not protected: you see them as somebody does who holds the data.",
        "The excess error L(f̂) − L(target) is computed, not estimated, under the private "
        "distribution.",
    ]
    scale = readable(result.outcome.scale)
    if math.isnan(result.outcome.rho):
        notes.append(f"The weights on the public points have scale {scale}, in units of one loss.")
    else:
        rho = readable(result.outcome.rho)
        notes.append(f"One example moves f̄ by at most ρ = {rho}; the noise on f̄(Z) is γ = {scale}.")
    if result.learner == "rspm":
        notes.append(
            "RSPM uses no public data. Its class is cut down to a grid with as many cells as "
            "there are public points, whose middles are a universal identification set."
        )
    if result.private.y.size < result.samples:
        notes.append(f"{result.private.y.size:,} of {result.samples:,} private examples are drawn.")
    return notes + _broken_note(result.learner, result.budget.noise)


def _broken_note(learner: str, noise: str) -> list[str]:
    if claim(learner, noise) == "broken":
        return [
            "Gaussian weights: Theorem 4 states them with an unspecified constant C and without a "
            "proof. For rich classes they fail, see the view “Gaussian weights”; for the classes "
            "here nothing is proved."
        ]
    if claim(learner, noise) == "published":
        return [
            "Algorithm 2: the noise suffices for the stability of Lemma 1 as published. Its proof "
            "bounds the square of the norm, so no claim of privacy rests on it here."
        ]
    return []


# ---- errors ----------------------------------------------------------------------------------


def at_here(chart: Chart, key: str) -> float:
    """Return a curve's value at the reader's place."""
    curve = chart.curve(key)
    return float(curve.y[int(np.argmin(np.abs(curve.x - chart.here)))])


def samples_takeaway(chart: ErrorChart) -> str:
    """State every learner's error at the reader's n, and how often each calls the optimiser."""
    if math.isnan(at_here(chart, "non_private")):
        return f"{TASKS[chart.task]}: the first runs are under way."
    told = [
        f"{_SHORT[name]} {readable(at_here(chart, name.replace('-', '_')))} "
        f"({calls:,} call{'s' if calls != 1 else ''})"
        for name, calls in chart.calls.items()
    ]
    return (
        f"{TASKS[chart.task]} from n = {chart.here:,.0f} private examples, mean excess error and "
        f"calls to the optimiser: {', '.join(told)}."
    )


def points_figure(chart: ErrorChart, theme: Theme) -> Figure:
    """Draw the error against m, its least place marked."""
    mark = best_points(chart, next(iter(chart.private)))
    return draw(replace(chart, marks=(mark,)) if mark else chart, theme)


def points_takeaway(chart: ErrorChart) -> str:
    """State the best m, and what too many points cost."""
    name = next(iter(chart.private))
    best, curve = best_points(chart, name), chart.curve(name)
    if best is None:
        return "Nothing computed yet."
    known = curve.y[np.isfinite(curve.y)]
    last = float(curve.x[np.isfinite(curve.y)][-1])
    beside = (
        f"with {last:,.0f} it was {readable(float(known[-1]))}: more points need more noise."
        if last > best.x
        else "no more were tried."
    )
    return (
        f"{LEARNERS[name]} did best with m = {best.x:,.0f} public points, excess error "
        f"{readable(best.y)}; {beside}"
    )


def error_notes(chart: ErrorChart) -> list[str]:
    """Say how the points were made, and what is known of the privacy."""
    notes = [
        f"Mean of {chart.runs:,} run{'s' if chart.runs != 1 else ''} with fresh data, the same for "
        "all learners; 95% intervals from 3 runs on (Student's t, for the logarithm of the mean). "
        "Each excess error is computed under the private distribution, not estimated.",
        "Neighbouring data sets differ in one example, substituted.",
    ]
    for name, kind in chart.private.items():
        notes += _broken_note(name, "gaussian") if kind in ("broken", "published") else []
    if "rspm" in chart.private:
        notes.append(
            "RSPM uses no public data; its class is cut down to a grid of m cells, so its error "
            "does not fall below that of the best function on the grid."
        )
    return notes


def points_notes(chart: ErrorChart) -> list[str]:
    """Say what the lemmas' curves are."""
    return [
        *error_notes(chart),
        "Theorem 10 adds up four terms: what the projection onto m public points costs (Lemma 22), "
        "how far the private sample is from its distribution, twice (Theorem 9), and what the "
        "weights cost (Lemma 23). The first three are shapes, their constant on a slider. Each "
        "bound holds with probability 0.95; above 1 it says nothing and is left out.",
    ]


# ---- shift -----------------------------------------------------------------------------------


def shift_figure(chart: ShiftChart, theme: Theme) -> Figure:
    """Draw the error against σ, and below it the privacy loss."""
    figure = draw(chart, theme)
    lower = draw(replace(chart.privacy, curves=_drawable(chart.privacy)), theme)
    share = 0.30
    gap = 0.17
    figure.update_layout(
        yaxis={"domain": [share + gap, 1]},
        height=theme.height + (120 if not theme.compact else 160),
        xaxis={"anchor": "y", "title": {"text": ""}},
    )
    figure.layout["shapes"] = [line | {"yref": "y domain"} for line in figure.layout["shapes"]]
    figure.add_traces(trace | {"xaxis": "x2", "yaxis": "y2"} for trace in lower.data)
    top = max((float(np.nanmax(c.y)) for c in chart.privacy.curves if np.any(c.y > 0)), default=1.0)
    scale = Scale(chart.privacy.y, -0.1 * top, 1.15 * top)
    across = figure.layout["xaxis"]
    figure.update_layout(
        xaxis2={"type": "log", "range": across["range"], "anchor": "y2"}
        | {"tickvals": across["tickvals"], "ticktext": across["ticktext"]}
        | {"title": {"text": "smoothness σ (1: no shift)"}},
        yaxis2=settings(scale) | {"domain": [0, share], "anchor": "x2"},
    )
    words = "one pair" if theme.compact else "one pair of neighbouring data sets"
    figure.add_annotation(
        text=f"privacy loss of {words}, and ε (dotted)",
        bgcolor=theme.background,
        x=0,
        xref="paper",
        xanchor="left",
        y=share,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        font={"color": theme.text},
    )
    return figure


def _drawable(chart: Chart) -> tuple[Curve, ...]:
    return tuple(curve for curve in chart.curves if np.isfinite(curve.y).any())


def shift_takeaway(chart: ShiftChart) -> str:
    """State the error with and without shift, and that privacy does not depend on it."""
    name = next(iter(chart.private))
    curve = chart.curve(name)
    known = np.isfinite(curve.y)
    if not known[-1]:
        return f"{LEARNERS[name]}: the first runs are under way."
    promise = {
        "pure": "It stays private at every σ",
        "approximate": "It stays private at every σ",
        "published": "What Theorem 2 says of its privacy holds for every σ or for none",
        "broken": "With Gaussian weights nothing is proved of its privacy, at any σ",
    }[chart.private[name]]
    loss = chart.privacy.curve("loss")
    measured = loss.y[np.isfinite(loss.y)]
    found = "is at most" if loss.evidence is Evidence.UPPER else "was measured at up to"
    beside = (
        f"; the loss of the pair shown {found} {readable(float(measured.max()))}, where "
        f"ε = {readable(float(chart.privacy.curve('promised').y[0]))}"
        if measured.size
        else ""
    )
    errors = [f"{readable(float(curve.y[known][-1]))} without shift"]
    if curve.x[0] < chart.here < 1:
        errors.append(f"{readable(at_here(chart, name))} at σ = {readable(chart.here)}")
    errors.append(f"{readable(float(curve.y[0]))} at σ = {readable(float(curve.x[0]))}")
    return f"{LEARNERS[name]}: excess error {', '.join(errors)}. {promise}{beside}."


def shift_notes(chart: ShiftChart) -> list[str]:
    """Say what σ is, and what was measured."""
    return [
        "σ is exact: the largest number for which the private density is at most 1/σ times the "
        "public one (Definition 3). The theorems on accuracy need it, those on privacy do not.",
        "The privacy loss shown is that of one pair; others may lose more. RRSPM and RSPM: one "
        "example with either label, from draws, 95% intervals. Algorithm 3: one example changed, "
        "an upper bound, that of the noisy values, of which the release shows less.",
        *error_notes(chart),
    ]
