"""What gets selected: the probability of every candidate, with clipping and without."""

from html import escape

import numpy as np

from dpviz.plot.marks import Bars, Span, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, percent, percents, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.tasks_shown import TASK, USERS, idle_controls, largest_threshold
from dpviz.topics.clipping.views.what_gets_selected import Selected, what_gets_selected

_CLIPPED = Subject.USER_LEVEL
_FEW = 3  # candidates beyond the good ones
_TICKS = 12  # candidates that all have a number


def takeaway(result: Selected) -> str:
    """State how often a good answer comes, with clipping and without."""
    clipped, unclipped = (
        percent(result.success(law), otherwise=result.failure(law))
        for law in (result.clipped, result.unclipped)
    )
    near = f"an answer within {readable(result.alpha)} of the best comes in {clipped} of runs"
    if result.threshold >= result.examples_per_user:
        return f"This threshold τ clips no one: {near}."
    if clipped == unclipped:
        return f"With clipping and without, {near}."
    return f"With clipping, {near}; without it, in {unclipped}."


def detail(result: Selected) -> str:
    """State what is a good answer, and how likely one is, with clipping and without."""
    clipped, unclipped = (
        chance(result.success(law), result.failure(law))
        for law in (result.clipped, result.unclipped)
    )
    sentence = (
        f"An answer within α = {readable(result.alpha)} of the best candidate comes with "
        f"probability {clipped}"
    )
    if result.threshold >= result.examples_per_user:
        return f"{sentence}; τ = m clips nothing."
    return (
        f"{sentence} when users are clipped at τ = {readable(result.threshold)}, and "
        f"{unclipped} without clipping."
    )


def notes(result: Selected) -> list[str]:
    """Say what the candidates are, how they are compared, and how near they come."""
    task = result.task
    truths = "every possible truth" if task.radius_exact else "95% of possible truths"
    lines = [
        f"{len(result.names)} candidates; within {readable(task.radius)} of {truths}. The best has "
        f"{task.metric} {readable(task.optimum)}.",
        f"Comparison ψ: {task.comparison}."
        if task.loss is None
        else "A candidate's score counts the examples on which it is wrong, up to τ for each "
        "user (Section 4).",
    ]
    if result.published is not None:
        stated = chance(result.success(result.published), result.failure(result.published))
        lines.append(
            f"No user moves a score by more than Δ = {readable(result.sensitivity)}. The paper "
            f"takes 2τ = {readable(task.published_sensitivity(result.threshold))}; with that, "
            f"the probability is {stated}."
        )
    if task.loss is None and task.least_expected_score > 0.1 * result.alpha:
        lines.append(
            "Theorem 37 asks for a candidate whose expected score is at most 0.1α = "
            f"{readable(0.1 * result.alpha)}; here the least is "
            f"{readable(task.least_expected_score)}, so its guarantee does not apply."
        )
    return lines


def figure(result: Selected, theme: Theme) -> Figure:
    """Draw the probability of every candidate, clipped beside unclipped, the best at the left."""
    clipped, unclipped = (
        f"<b>{percent(result.success(law), otherwise=result.failure(law))}</b>"
        for law in (result.clipped, result.unclipped)
    )
    laws = [
        (f"{clipped} clipped at τ = {readable(result.threshold)}", result.clipped, _CLIPPED),
        (f"{unclipped} without clipping", result.unclipped, Subject.EARLIER),
    ]
    if result.published is not None:
        laws.append(("clipped, as published: Δ = 2τ", result.published, Subject.ITEM_LEVEL))
    seen, wide = _seen(result), 0.75 / len(laws)
    heights = [_with_others(law, seen) for _, law, _ in laws]
    ends = [place * wide - 0.375 for place in range(len(laws))]
    bars = [
        Bars(
            np.arange(1, height.size + 1),
            100 * height,
            wide=wide,
            beside=end,
            about=subject,
            said=_said(result, height, seen),
        )
        for height, end, (_, _, subject) in zip(heights, ends, laws, strict=True)
    ]
    good = f"within {readable(result.alpha)} of the best, together:"
    good = "<br>".join([good, *(tinted(name, subject) for name, _, subject in laws)])
    shade = Span(x=(0.4, result.good.sum() + 0.5), about="muted", seen=0.14, called=good)
    count = heights[0].size
    ticks = [(rank, f"{rank}") for rank in range(1, seen + 1, 1 + seen // _TICKS)]
    ticks += [(count, "others")] if count > seen else []
    across = Side(0.4, count + 0.6, "Candidates, the best first", ticks=ticks)
    top = 1.08 * max(float(height.max()) for height in heights[:2])
    up = Side(0.0, 100 * top, "Runs with this answer (%)")
    return stacked(theme, Panel(across, up, [shade, *bars]))


def _seen(result: Selected) -> int:
    """Return how many candidates have bars of their own: a few more than the good ones."""
    few = int(result.good.sum()) + _FEW
    return few if few + 1 < len(result.names) else len(result.names)


def _with_others(law: FloatArray, seen: int) -> FloatArray:
    """Return the probabilities of the first candidates, then of all others together."""
    return np.append(law[:seen], law[seen:].sum()) if law.size > seen else law


def _said(result: Selected, height: FloatArray, seen: int) -> list[str]:
    """Return what is read off each bar."""
    whose = [
        f"{escape(of)}<br>true {result.task.metric} {readable(float(error))}"
        for of, error in zip(result.names[:seen], result.errors[:seen], strict=True)
    ]
    whose += [f"{len(result.names) - seen} others together"] if height.size > seen else []
    return [f"{of}<br>{said} of runs" for of, said in zip(whose, percents(height), strict=True)]


VIEW = View(
    key="selected",
    title="What gets selected",
    compute=what_gets_selected,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*USERS, "alpha", *TASK, "seed"),
    in_sight=("threshold", "users", "epsilon"),
    why="Noise gives every candidate a chance; the less noise, the more surely a good one is "
    "picked. Clipping makes the noise smaller, but if it is too tight the scores of good and "
    "bad candidates come out alike.",
    idle=idle_controls,
    most=largest_threshold,
)
