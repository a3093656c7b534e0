"""Solve for ε or k: the privacy, or the number of queries, that an error target allows."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.marks import Band, Rule
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Bracket, Subject
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, SHAPE, idle_controls
from dpviz.topics.bounded_noise.error_chart import percent
from dpviz.topics.bounded_noise.numbers_shown import likelihood
from dpviz.topics.bounded_noise.views.solve_for_epsilon_or_queries import (
    TargetSolutions,
    solve_for_epsilon_or_queries,
)

_THIS = "bounded noise"
_SURE = "for certain"
_ONE_IN_TWENTY = 0.05
_STEPS = (1, 1.5, 2, 3, 5, 7)  # times a power of ten, where the short axis of targets has numbers


def takeaway(result: TargetSolutions) -> str:
    """State what bounded noise costs with certainty, beside Gaussian noise."""
    certain = _needs(result, _private_end(result, result.certain))
    normal = _needs(result, result.gaussian)
    every = "every error"
    if result.solve_for == "epsilon" and result.queries > 1:
        every = "all k errors"
    kept = f"To keep {every} within {readable(result.target)} Δ"
    if certain != normal:
        return f"{kept} for certain, {_THIS} {certain}; {_unsure(result).format(normal)}."
    if result.solve_for == "queries" and np.isnan(result.gaussian):
        return f"{kept}, neither {_THIS} nor Gaussian noise answers even one query."
    both = _needs(result, result.gaussian, both=True)
    return f"{kept}, {_THIS} and Gaussian noise both {both}; Gaussian noise is never certain."


def _unsure(result: TargetSolutions) -> str:
    """Say that Gaussian noise that meets the target misses it still, and how often if words can."""
    meets = np.isfinite(result.gaussian) and result.gaussian != result.best
    if meets and result.failure_probability == _ONE_IN_TWENTY:
        return "Gaussian noise {} and still fails one time in twenty"
    return "Gaussian noise {}, and is never certain"


def figure(result: TargetSolutions, theme: Theme) -> Figure:
    """Draw the curves, the gap between the two that are compared, and how wide it is here."""
    result = _named(result)
    certain, gaussian = (result.curve(key) for key in result.in_headline)
    known = np.isfinite(certain.y) & np.isfinite(gaussian.y)
    ends = _private_end(result, result.certain), result.gaussian
    if not np.isfinite(ends).all() or result.best in ends or not known.any():
        return draw(result, theme)
    low, high = (pick(certain.y, gaussian.y)[known] for pick in (np.minimum, np.maximum))
    gap = [
        Band(result.curves[0].x[known], low, high, about=Subject.BOUNDED, seen=0.12),
        Rule(x=result.target, y=(min(ends), max(ends)), wide=5, about=Subject.BOUNDED),
    ]
    about = [
        step * 10.0 ** math.floor(math.log10(result.target) + e)
        for e in (-1, 0, 1)
        for step in _STEPS
    ]
    ticks = [(at, readable(at)) for at in about if certain.x[0] <= at <= certain.x[-1]]
    return stacked(theme, Charted(result, gap, ticks=ticks))


def _named(result: TargetSolutions) -> TargetSolutions:
    """Return the curves named as the sentence speaks of them."""
    often = f"at {percent(result.failure_probability)}"
    if result.failure_probability == _ONE_IN_TWENTY:
        often = "fails one time in twenty"
    named = dict(zip(result.in_headline, (f"Bounded: {_SURE}", f"Gaussian: {often}"), strict=True))
    return replace(
        result,
        curves=tuple(replace(one, label=named.get(one.key, one.label)) for one in result.curves),
    )


def detail(result: TargetSolutions) -> str:
    """State what meets the target: bounded with certainty, bounded and Gaussian with 1 − β."""
    sure, target = likelihood(result.failure_probability), readable(result.target)
    certain, likely, gaussian = (
        _needs(result, value)
        for value in (
            _private_end(result, result.certain),
            _private_end(result, result.likely),
            result.gaussian,
        )
    )
    if result.solve_for == "epsilon":
        errors = f"all of {whole(result.queries)} errors" if result.queries > 1 else "the error"
        goal = f"To keep {errors} within {target} Δ"
    else:
        goal = f"At ε = {readable(result.epsilon, 7)}, with no error above {target} Δ"
    bounded = f"{certain} with certainty and {likely} with probability {sure}"
    if certain == likely:
        bounded = f"{certain}, with certainty or with probability {sure}"
    return (
        f"{goal}, this {_THIS} {bounded}. "
        f"Gaussian noise, never certain, {gaussian} with probability {sure}."
    )


def _needs(result: TargetSolutions, value: float, both: bool = False) -> str:
    """Say what one noise costs or answers; both: what two noises do."""
    noises = 2 if both else 1
    cost, reply = agreeing(noises, "costs", "cost"), agreeing(noises, "answers", "answer")
    limit = LIMITS[result.solve_for]
    if result.solve_for == "epsilon":
        if np.isnan(value):
            return f"{cost} more than ε = {readable(limit.maximum)}"
        if value == result.best:
            return f"{cost} at most ε = {readable(value)}"
        return f"{cost} ε = {_answer(result, value)}"
    if np.isnan(value):
        return f"{reply} not even one query"
    if value == result.best:
        return f"{reply} at least {readable(value)} queries"
    return f"{reply} {_answer(result, value)} {agreeing(value, 'query', 'queries')}"


def _private_end(result: TargetSolutions, answer: Bracket | None) -> float:
    """Return the end of the bracket that is certified to be private, NaN for None."""
    if answer is None:
        return float("nan")
    return answer.upper if result.solve_for == "epsilon" else answer.lower


def _answer(result: TargetSolutions, value: float) -> str:
    """Write an answer as its kind is read; what is exact as in the picture, to the nearest."""
    if result.solve_for != "epsilon":
        return whole(value)
    return readable(value) if value == result.gaussian else upwards(value)


def idle_with_answer(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: also what is solved for."""
    return idle_controls(values) | {str(values["solve_for"])}


VIEW = View(
    key="turned",
    title="Solve for ε or k",
    compute=solve_for_epsilon_or_queries,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("solve_for", "target", *PRIVACY, "failure_probability", *SHAPE),
    in_sight=("target", "solve_for", "queries", "epsilon"),
    pulled={"target": "within # Δ"},
    why="Smaller errors need less noise, and less noise hides less, so they cost a larger ε or "
    "fewer answers. Which noise is cheaper depends on how many answers there are; with many it "
    "is bounded noise.",
    idle=idle_with_answer,
)
