"""The clipping page's own figures: one user, and what gets selected, with their sentences."""

from html import escape
from typing import Any

import numpy as np

from dpviz.plot.axes import Scale, settings
from dpviz.plot.spec import Figure
from dpviz.plot.text import plain, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Axis, Subject
from dpviz.topics.clipping.views.one_user import UserScores
from dpviz.topics.clipping.views.selected import Selected

# Parts of the height: the lanes that compare bias and noise, and the gap above them.
_LANES, _GAP = 0.24, 0.12


# ---- one user -------------------------------------------------------------------------------


def user_figure(result: UserScores, theme: Theme) -> Figure:
    """Draw the histogram of the users' scores, τ as two lines, and below it bias and noise."""
    green, red = theme.subjects[Subject.USER_LEVEL], theme.subjects[Subject.DANGER]
    purple = theme.subjects[Subject.EARLIER]
    figure = Figure()
    middles = (result.edges[1:] + result.edges[:-1]) / 2
    width = result.edges[1] - result.edges[0]
    for name, counts, color in (
        ("counts in full", result.inside, green),
        ("cut off at ±τ" if result.low < 0 else "cut off at τ", result.outside, red),
    ):
        figure.add_bar(
            x=middles,
            y=counts,
            width=np.full(middles.size, 0.92 * width),
            name=name,
            marker={"color": color},
            hovertemplate="score %{x:.3~g}: %{y} users<extra></extra>",
        )
    clipped, unclipped = (
        (result.clipped.mean(), result.noise(result.sensitivity)),
        (result.scores.mean(), result.noise(result.unclipped_sensitivity)),
    )
    for level, (name, (mean, noise), color) in enumerate(
        (("without clipping", unclipped, purple), ("clipped at τ", clipped, green))
    ):
        figure.add_scatter(
            x=[mean],
            y=[level],
            error_x={"array": [noise], "thickness": 3 * theme.scale, "width": 6, "color": color},
            mode="markers",
            marker={"color": color, "size": 10 * theme.scale},
            name=name,
            showlegend=False,
            xaxis="x",
            yaxis="y2",
            hovertemplate=f"{name}: mean %{{x:.3~g}} ± {readable(noise)}<extra></extra>",
        )
    scale = _score_scale(result, clipped, unclipped, theme)
    base = 0 if theme.compact else 10
    return figure.update_layout(
        template=theme.template(),
        height=theme.height + (70 if not theme.room else 0),
        margin={"l": 60, "r": 16, "t": 28, "b": 60 + base},
        barmode="stack",
        bargap=0,
        hovermode="closest",
        showlegend=not theme.compact,
        legend={
            "x": 1,
            "xanchor": "right",
            "y": 1,
            "yref": "paper",
            "yanchor": "top",
            "orientation": "v",
        },
        xaxis=settings(scale) | {"title": {"text": scale.axis.label}, "anchor": "y2"},
        yaxis={"domain": [_LANES + _GAP, 1], "title": {"text": "users"}, "rangemode": "tozero"},
        yaxis2={
            "domain": [0, _LANES],
            "range": [-0.7, 1.9],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
        shapes=_lines(result, scale, theme),
        annotations=_words(result, scale, clipped, unclipped, theme),
    )


def _score_scale(
    result: UserScores,
    clipped: tuple[float, float],
    unclipped: tuple[float, float],
    theme: Theme,
) -> Scale:
    """Return the axis of scores: all bars, and the noise, which is cut at the ends ±m."""
    m = float(result.examples_per_user)
    ends = [mean + sign * noise for mean, noise in (clipped, unclipped) for sign in (-1, 1)]
    lines = [value for value in (result.low, result.threshold) if abs(value) <= m]
    values = np.concatenate([result.edges, np.clip(ends, -1.05 * m, 1.05 * m), lines])
    label = (
        "score of one user"
        if theme.compact
        else (
            f"score of one user: sum of {result.comparison} over m = {result.examples_per_user:,}"
        )
    )
    return Scale.of(Axis("score", label, log=False), values, 0.02)


def _lines(result: UserScores, scale: Scale, theme: Theme) -> list[dict[str, Any]]:
    ends = [end for end in {result.low, result.threshold} if scale.holds(end)]
    return [
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": end,
            "x1": end,
            "y0": _LANES + _GAP,
            "y1": 1,
            "line": {"color": theme.text, "width": 2.5 * theme.scale, "dash": "dash"},
        }
        for end in sorted(ends)
    ]


def _words(
    result: UserScores,
    scale: Scale,
    clipped: tuple[float, float],
    unclipped: tuple[float, float],
    theme: Theme,
) -> list[dict[str, Any]]:
    """Name the lines and the two lanes."""
    ends = [(result.threshold, "τ")] + ([(result.low, "−τ")] if result.low < 0 else [])
    words = [
        {"x": end, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom", "text": text}
        for end, text in ends
        if scale.holds(end)
    ]
    lanes = (
        ("without clipping", unclipped, Subject.EARLIER),
        ("clipped", clipped, Subject.USER_LEVEL),
    )
    for level, (name, (mean, noise), subject) in enumerate(lanes):
        words.append(
            {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": level + 0.2,
                "yref": "y2",
                "yanchor": "bottom",
                "text": f"{name}: ±{readable(noise)}"
                if theme.compact
                else f"{name}: mean {readable(mean)}, noise ±{readable(noise)} a user",
                "font": {"color": theme.subjects[subject], "size": theme.font_size - 1},
            }
        )
    return [word | {"showarrow": False} for word in words]


def user_takeaway(result: UserScores) -> str:
    """State who is cut, how far the mean moves, and what noise is saved."""
    users = result.scores.size
    saved = result.unclipped_sensitivity / result.sensitivity
    cut = f"{result.cut:,} of {users:,} users" if users != 1 else f"{result.cut} of 1 user"
    moved = (
        f"moves a user's mean score from {readable(float(result.scores.mean()))} to "
        f"{readable(float(result.clipped.mean()))}"
    )
    if result.cut == 0:
        moved = "moves no score"
    noise = (
        f"makes the noise {readable(saved)} times smaller"
        if saved > 1.0005
        else f"saves no noise: one user still moves a score by {readable(result.sensitivity)}"
    )
    return f"Clipping at τ = {readable(result.threshold)} cuts {cut}, {moved}, and {noise}."


def user_notes(result: UserScores) -> list[str]:
    """Say which pair is shown, and what the noise is."""
    against = f"“{plain(result.rival)}” against the best candidate, “{plain(result.best)}”"
    return [
        f"Scores of {against}; positive ones speak against it. A user's expected score is "
        f"{readable(result.expected)} before clipping.",
        "The noise drawn is the scale 2Δ/ε of the exponential mechanism's Gumbel noise, divided by "
        f"the number of users; the sensitivity Δ is {readable(result.sensitivity)} with clipping "
        f"and {readable(result.unclipped_sensitivity)} without. Both are exact: no user of "
        f"{result.examples_per_user:,} examples moves a score further.",
        "The histogram and the means are not private: you see them as somebody does who holds the "
        "data.",
    ]


# ---- what gets selected ---------------------------------------------------------------------


def selected_figure(result: Selected, theme: Theme) -> Figure:
    """Draw the probability of every candidate, clipped beside unclipped, the best at the left."""
    ranks = np.arange(1, len(result.names) + 1)
    hover = [
        f"{escape(name)}<br>true {result.task.metric} {readable(float(error))}"
        for name, error in zip(result.names, result.errors, strict=True)
    ]
    figure = Figure()
    bars = [
        (f"clipped at τ = {readable(result.threshold)}", result.clipped, Subject.USER_LEVEL),
        ("no clipping", result.unclipped, Subject.EARLIER),
    ]
    if result.published is not None:
        bars.append(("clipped, as published: Δ = 2τ", result.published, Subject.ITEM_LEVEL))
    for name, law, subject in bars:
        figure.add_bar(
            x=ranks,
            y=law,
            name=name,
            marker={"color": theme.subjects[subject]},
            customdata=hover,
            hovertemplate="%{customdata}<br>probability %{y:.3~g}<extra></extra>",
        )
    count = int(result.good.sum())
    scale = Scale(Axis("rank", "candidates, the best first", log=False), 0.4, ranks[-1] + 0.6)
    top = 1.08 * max(float(result.clipped.max()), float(result.unclipped.max()))
    return figure.update_layout(
        template=theme.template(),
        height=theme.height,
        margin={"l": 64, "r": 16, "t": 34, "b": 90 if not theme.compact else 56},
        barmode="group",
        bargap=0.25,
        hovermode="closest",
        showlegend=not theme.compact,
        xaxis=settings(scale) | {"title": {"text": scale.axis.label}},
        yaxis={"title": {"text": "probability of the answer"}, "range": [0, top]},
        shapes=[
            {
                "type": "rect",
                "x0": 0.4,
                "x1": count + 0.5,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "fillcolor": theme.muted,
                "opacity": 0.14,
                "line": {"width": 0},
                "layer": "below",
            }
        ],
        annotations=[
            {
                "x": 0.4,
                "xanchor": "left",
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "text": f"within α = {readable(result.alpha)} of the best: {count}",
                "showarrow": False,
            }
        ],
    )


def selected_takeaway(result: Selected) -> str:
    """State the probability of a good answer, with clipping and without."""
    clipped, unclipped = result.success(result.clipped), result.success(result.unclipped)
    sentence = (
        f"An answer within α = {readable(result.alpha)} of the best candidate comes with "
        f"probability {chance(clipped)}"
    )
    if result.threshold >= result.examples_per_user:
        return f"{sentence}; τ = m clips nothing."
    return (
        f"{sentence} when users are clipped at τ = {readable(result.threshold)}, and "
        f"{chance(unclipped)} without clipping."
    )


def selected_notes(result: Selected) -> list[str]:
    """Say what the candidates are, how they are compared, and how near they come."""
    task = result.task
    words = "every possible truth" if task.radius_exact else "95% of possible truths"
    notes = [
        f"{len(result.names)} candidates; within {readable(task.radius)} of {words}. The best has "
        f"{task.metric} {readable(task.optimum)}.",
        f"Comparison ψ: {task.comparison}."
        if task.loss is None
        else "Score: users who hold an example on which the candidate errs (Section 4), counted "
        "up to τ examples each.",
    ]
    if result.published is not None:
        notes.append(
            f"No user moves a score by more than Δ = {readable(result.sensitivity)}. The paper "
            f"takes 2τ = {readable(task.published_sensitivity(result.threshold))}; with that the "
            f"probability is {chance(result.success(result.published))}."
        )
    if task.loss is None and task.least_expected_score > 0.1 * result.alpha:
        notes.append(
            "Theorem 37 asks for a candidate whose expected score is at most 0.1α = "
            f"{readable(0.1 * result.alpha)}; here the least is "
            f"{readable(task.least_expected_score)}, so its guarantee does not apply."
        )
    return notes


def chance(probability: float) -> str:
    """Write a probability; never 1 for one below 1, nor 0 for one above."""
    if 0.9995 < probability < 1:
        return f"1 − {readable(1 - probability)}"
    return readable(probability)
