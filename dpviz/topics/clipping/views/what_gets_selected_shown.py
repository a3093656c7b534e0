"""What gets selected: the probability of every candidate, with clipping and without."""

from html import escape

import numpy as np

from dpviz.plot.marks import Bars, Part, Span, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, percent, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.clipping.tasks_shown import TASK, USERS, idle_controls, largest_threshold
from dpviz.topics.clipping.views.what_gets_selected import Selected, what_gets_selected

_RARE = 0.01  # what all candidates that are not drawn have together, at most
_FEW = 4  # candidates beyond the good ones, at least
_LINE = 0.08  # of the height of the panel, from name to name


def takeaway(result: Selected) -> str:
    """State how often a good answer comes, with clipping and without."""
    clipped, unclipped = (
        percent(result.success(law), otherwise=result.failure(law))
        for law in (result.clipped, result.unclipped)
    )
    if result.threshold >= result.examples_per_user:
        return f"This threshold τ clips no one: the answer is good in {clipped} of runs."
    if clipped == unclipped:
        return f"The answer is good in {clipped} of runs, with clipping and without."
    return f"Clipped, the answer is good in {clipped} of runs; without clipping, in {unclipped}."


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
        f"{percent(result.success(law), otherwise=result.failure(law))} good"
        for law in (result.clipped, result.unclipped)
    )
    named = f"clipped at τ = {readable(result.threshold)}: {clipped}"
    laws = [
        (named, result.clipped, Subject.USER_LEVEL),
        (f"no clipping: {unclipped}", result.unclipped, Subject.EARLIER),
    ]
    if result.published is not None:
        laws.append(("clipped, as published: Δ = 2τ", result.published, Subject.ITEM_LEVEL))
    seen, wide, count = (
        _seen(result, [law for _, law, _ in laws]),
        0.75 / len(laws),
        len(result.names),
    )
    ranks = np.arange(1, seen + 1)
    bars = [
        Bars(
            ranks,
            law[:seen],
            wide=wide,
            beside=place * wide - 0.375,
            about=subject,
            said=[
                f"{escape(of)}<br>true {result.task.metric} {readable(float(error))}"
                f"<br>probability {said}"
                for of, error, said in zip(
                    result.names[:seen],
                    result.errors[:seen],
                    readables(law[:seen], chances=True),
                    strict=True,
                )
            ],
        )
        for place, (_, law, subject) in enumerate(laws)
    ]
    good = f"good: within α = {readable(result.alpha)} of the best"
    shade = Span(x=(0.4, result.good.sum() + 0.5), about="muted", seen=0.14, called=good)
    some = "" if seen == count else f" ({seen} of {count})"
    across = Side(0.4, seen + 0.6, f"Candidates, the best first{some}")
    beside = max(float(law[seen // 2 :].max()) for _, law, _ in laws)  # where the names stand
    top = max(1.08 * max(float(law.max()) for _, law, _ in laws[:2]), 1.4 * beside)
    names = [
        Text(name, Part(1), Part(0.94 - _LINE * line), to="W", about=subject, backed=True)
        for line, (name, _, subject) in enumerate(laws)
    ]
    up = Side(0.0, top, "Probability of the answer")
    return stacked(theme, Panel(across, up, [shade, *bars, *names]))


def _seen(result: Selected, laws: list[FloatArray]) -> int:
    """Return of how many candidates bars are seen: all others come once in a hundred runs at most.

    A few more than the good ones there are in any case.
    """
    rests = np.max([1 - np.cumsum(law) for law in laws], axis=0)
    enough = int(np.count_nonzero(rests > _RARE)) + 1
    return min(max(enough, int(result.good.sum()) + _FEW), len(result.names))


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
