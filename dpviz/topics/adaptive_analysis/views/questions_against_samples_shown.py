"""Questions against samples: how many adaptive questions n samples answer."""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import partial_chart
from dpviz.plot.marks import Bars, Mark, Rule, Text, Words
from dpviz.plot.panels import Charted, Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Evidence, Subject, guessed
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction, View
from dpviz.topics.adaptive_analysis.question_shown import ASKED, POWER, count
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.views.questions_against_samples import (
    QueryCurves,
    questions_against_samples,
)

_CURVES = ("show_published", "show_best", "show_tuned", "certain", "show_shape", "constant")
_AHEAD = 6.4  # times as many as Gaussian noise: room for the bar of bounded noise to come
_BESIDE = 1.6  # times the longest bar, to where the words beside it reach
_THICK = 0.45  # of the height of a row, a bar
_TIMES = Limit("guess", "×", "as many questions", 0.1, 100, 1)


def takeaway(result: QueryCurves) -> str:
    """State which noise answers more questions at the reader's n, or that splitting does."""
    best, gaussian = result.best_bounded, result.budgets.get("gaussian")
    n = readable(result.here, 6)
    if gaussian is None:
        return "How many adaptive questions these samples answer is not computed yet."
    if best is None:
        known = readable(gaussian.queries) if gaussian.queries else "no"
        asked = agreeing(gaussian.queries, "question", "questions")
        return (
            f"From {n} samples Gaussian noise is proven to answer {known} adaptive {asked}; for "
            "bounded noise it is not computed yet."
        )
    most = max(best[1].queries, gaussian.queries)
    if not max(most, result.split):
        return f"From {n} samples neither splitting them nor noise answers one question so well."
    if most <= result.split:
        return (
            f"From only {n} samples it is best to split them: a fresh part for each question "
            f"answers {count(result.split)}, noise {count(most)}."
        )
    if not gaussian.queries:
        return (
            f"From {n} samples bounded noise is proven to answer {count(most)} adaptive "
            f"{agreeing(most, 'question', 'questions')}, Gaussian noise none."
        )
    many, usual = count(best[1].queries), count(gaussian.queries)
    least = min(best[1].queries, gaussian.queries)
    asked = agreeing(best[1].queries, "question", "questions")
    noises = (
        f"bounded noise is proven to answer {many} adaptive {asked}, Gaussian noise "
        f"{'as many' if many == usual else usual}"
    )
    fresh = count(result.split)
    if not 0 < result.split < least or fresh in (many, usual):
        return f"From the same {n} samples, {noises}."
    return f"From the same samples, {noises}; with fresh samples for each question it is {fresh}."


def detail(result: QueryCurves) -> str:
    """State the questions at the reader's n for the best noise, for Gaussian, and by splitting."""
    best, gaussian = result.best_bounded, result.budgets.get("gaussian")
    if best is None or gaussian is None:
        return ""
    key, most = best
    published = _as_published(result, gaussian.queries)
    asked = f" {agreeing(most.queries, 'question', 'questions')}" if most.queries else ""
    return (
        f"With an error of at most α = {readable(result.alpha)}, except with probability β = "
        f"{readable(result.beta)}: {count(most.queries)}{asked} by {_noise(key)}, "
        f"{count(gaussian.queries)} by Gaussian noise, and {count(result.split)} with a fresh "
        f"part of the sample for each.{_spent(most)}{_by_tuning(result)}{published}"
    )


def _spent(budget: QueryBudget) -> str:
    """State what the most questions spend α and β on."""
    if not budget.queries:
        return ""
    parts, failure = budget.alpha_parts, budget.beta_parts
    return (
        f" It spends {readable(parts['sample_error'], 2)} of α on noise, "
        f"{readable(parts['privacy'], 2)} on privacy (ε = {readable(budget.epsilon, 2)}) and "
        f"{readable(parts['c'] + parts['d'], 2)} on failures, and of β "
        f"{percent(failure['privacy_failure'] / budget.beta)} on δ."
    )


def _by_tuning(result: QueryCurves) -> str:
    """Say how many more questions tuned noise answers than the best power shown, if any."""
    tuned = result.budgets.get("tuned")
    powers = [
        budget.queries for key, budget in result.budgets.items() if key not in ("gaussian", "tuned")
    ]
    if tuned is None or not powers or tuned.queries <= max(powers) or not max(powers):
        return ""
    more = readable(100 * (tuned.queries / max(powers) - 1), 2)
    return f" Tuning the noise answers {more}% more than the best power of the paper shown."


def _as_published(result: QueryCurves, gaussian: float) -> str:
    """Say how many questions the paper's radius answers, p by p, if it is shown."""
    times = [
        f"{readable(budget.queries / gaussian, 4)} times for {_power(key)}"
        for key, budget in result.budgets.items()
        if key.startswith("published") and gaussian
    ]
    return f" As published, with β′ = 0: {' and '.join(times)}." if times else ""


def notes(result: QueryCurves) -> Collection[str]:
    """Say what the curves bound, where they end and what is greyed out."""
    notes = [
        "Solid curves are proven lower bounds: the parameters found prove that this many "
        "questions are answered. Better parameters, or a better transfer theorem, could prove "
        "more.",
        "How many times as many divides what is proven for bounded noise by what is proven for "
        "Gaussian noise: a comparison of two proofs, not a bound.",
        "Fresh samples: a part of the sample for each question, without noise.",
        POWER,
    ]
    limits = [c.key for c in result.curves if c.evidence is Evidence.LIMIT]
    if limits:
        published = any(key.startswith("published") for key in limits)
        frozen = ", of a published radius from 10¹⁰ questions" if published else ""
        notes.append(
            f"Beyond 10¹⁰ questions R/σ is taken from its limit for many questions{frozen}: dashes "
            "and dots."
        )
    if any(c.key == "corollary" and not np.all(c.holds) for c in result.curves):
        notes.append(f"Corollary 1.3 is grey where {_assumption(result)} fails.")
    return notes


def _assumption(chart: Chart) -> str:
    return chart.curve("corollary").assumption


def _noise(key: str) -> str:
    return "tuned bounded noise" if key == "tuned" else f"bounded noise with {_power(key)}"


def _power(key: str) -> str:
    return "the best p" if key == "best" else f"p = {key.partition('_')[2]}"


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: the constant, where its curve is not shown."""
    return set() if values["show_shape"] else {"constant"}


def figure(result: QueryCurves, theme: Theme) -> Figure:
    """Draw as bars how many questions the reader's samples answer.

    Other curves than those of the paper's noises, if a reader asks for some, are below, along n.
    """
    bars = _bars(result, partial_chart.stand_in(result, theme.before))
    if not result.more:
        return stacked(theme, bars, tall=0.65)
    known = tuple(c for c in _wide_below(result) if np.isfinite(c.y).any())
    handle = Handle(result.x.name, result.here) if known else None
    chart = Charted(replace(result, curves=known), handle=handle)
    return stacked(theme, bars, chart, tall=1.25)


def _bars(result: QueryCurves, before: Chart | None) -> Panel:
    """Return a bar for each way to answer, as long as the questions are many.

    before: the chart whose bar of bounded noise stands in, faded, until it is known here.
    """
    best, gaussian = result.best_bounded, result.budgets.get("gaussian")
    usual = gaussian.queries if gaussian else 0.0
    rows: list[tuple[str, float, Subject]] = [
        ("Fresh samples", result.split, Subject.EARLIER),
        ("Gaussian", usual, Subject.GAUSSIAN),
    ]
    if best is not None:
        rows.append(("Bounded", best[1].queries, Subject.BOUNDED))
    old = before.best_bounded if isinstance(before, QueryCurves) and best is None else None
    faded = old[1].queries if old else 0.0
    longest = max(faded, *(many for _, many, _ in rows))
    guess = 0.0 if math.isnan(result.guess) else result.guess
    end = max(_BESIDE * longest, _BESIDE * guess * usual, _AHEAD * usual, 1.0)
    marks: list[Mark | None] = []
    for row, (_, many, about) in enumerate(rows):
        said: Words = count(many)
        if about is Subject.BOUNDED and usual:
            short = f"<b>{count(many)}<br>× {readable(many / usual)}</b>"
            said = f"<b>{count(many)}: {_as_many(many / usual)} as Gaussian</b>", short
        marks.append(Bars([row], [many], lying=True, wide=_THICK, about=about))
        marks.append(Text(said, many, row, to="E", shift=(6, 0), about=about))
    if faded:
        look: dict[str, Any] = {"about": Subject.BOUNDED, "seen": partial_chart.FADED}
        marks.append(Bars([len(rows)], [faded], lying=True, wide=_THICK, **look))
    if guess:
        at = guess * usual
        marks += [
            Rule(x=at, dash="dot"),
            Text(f"your prediction: × {readable(guess)}", at, 0, to="W", shift=(-6, 0)),
        ]
    names = [name for name, *_ in rows] + ["Bounded"] * bool(faded)
    up = replace(Side.rows(names), low=2.5)  # with room for all three
    n = readable(result.here, 6)
    return Panel(
        Side(0.0, end, numbers=False, grid=False),
        up,
        marks,
        above=(
            f"Questions that {n} samples are proven to answer to within {readable(result.alpha)}",
            f"Questions answered to within {readable(result.alpha)}",
        ),
    )


def _wide_below(chart: Chart) -> list[Curve]:
    """Return the curves in an order that hides none where several are the same."""
    return sorted(chart.curves, key=lambda curve: -curve.weight)


def without_bounded_noise(result: QueryCurves) -> QueryCurves:
    """Return the curves before the answer: all but those of bounded noise."""
    known = tuple(c for c in result.curves if c.subject is not Subject.BOUNDED)
    budgets = {key: one for key, one in result.budgets.items() if key == "gaussian"}
    return replace(result, curves=known, budgets=budgets)


def times_in_words(result: QueryCurves) -> str:
    """Return in words how many times as many questions bounded noise answers."""
    times = times_as_many(result)
    return "" if times is None else _as_many(times)


def _as_many(times: float) -> str:
    said = readable(times)
    return "as many" if said == "1" else f"{said} times as many"


def times_as_many(result: QueryCurves) -> float | None:
    """Return how many times as many questions bounded noise answers, None for no such number."""
    best, gaussian = result.best_bounded, result.budgets.get("gaussian")
    if best is None or gaussian is None or not gaussian.queries:
        return None
    return best[1].queries / gaussian.queries


VIEW = View(
    key="queries",
    title="Questions against samples",
    compute=questions_against_samples,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*ASKED, *_CURVES),
    in_sight=ASKED,
    why="A question that may depend on earlier answers can aim at the accidents of one sample. "
    "Answers with noise hide every single sample, so there is nothing to aim at. More samples "
    "need less noise for that, and noise that never exceeds a bound keeps all answers near the "
    "truth at once; the larger p is, the earlier it thins out towards the bound.",
    idle=idle_controls,
    prediction=Prediction(
        question="How many times as many adaptive questions as Gaussian noise does bounded "
        "noise answer from your samples?",
        guess=Number(_TIMES),
        hide=without_bounded_noise,
        answer=times_in_words,
        value=times_as_many,
        mark=guessed,
    ),
)
