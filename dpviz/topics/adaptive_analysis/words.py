"""Adaptive analysis in words: what the analyst is told, what a sample answers, at what cost."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Evidence, Mark, Subject
from dpviz.topics.adaptive_analysis.transfer import QueryBudget
from dpviz.topics.adaptive_analysis.views.attack import AttackResult
from dpviz.topics.adaptive_analysis.views.budget import BudgetParts
from dpviz.topics.adaptive_analysis.views.queries import QueryCurves

FEWEST_RUNS = 5
"""The mean of fewer says little, and its interval would fill the panel."""


# ---- the attack ----------------------------------------------------------------------------


def attack_takeaway(result: AttackResult) -> str:
    """State what the analyst is told at the end, without noise and with it, beside the truth."""
    told = {name: percent(curve[-1]) for name, curve in result.expected.items()}
    return (
        "Without noise the analyst is told that a useless predictor is right "
        f"{told['empirical']} of the time; with bounded noise, {told['bounded']}. The truth is 50%."
    )


def attack_detail(result: AttackResult) -> str:
    """State how much was asked of how many samples, and what each noise tells the analyst."""
    told = {name: percent(curve[-1]) for name, curve in result.expected.items()}
    coins = "coin" if result.questions == 1 else "coins"
    samples = "sample" if result.sample_size == 1 else "samples"
    return (
        f"After {result.questions:,} useless {coins} on {result.sample_size:,} {samples} the "
        f"combined predictor seems right {told['empirical']} of the time; with Gaussian noise "
        f"{told['gaussian']}, with bounded noise {told['bounded']}."
    )


def attack_notes(result: AttackResult) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: "
        f"σ = {readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise, where an answer is a number from 0 to 1."
    ]
    if result.runs >= FEWEST_RUNS:
        notes.append(
            f"Lines: the exact expectation of what the analyst is told. Points: the mean over "
            f"{result.runs:,} simulated analysts, with 95% intervals."
        )
    return notes


def percent(share: float) -> str:
    """Write a probability; one that is not 1 never as 100%."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "more than 99.9%"
    return f"{text.removesuffix('.0')}%"


# ---- questions against samples ---------------------------------------------------------------


def queries_takeaway(result: QueryCurves) -> str:
    """State which noise answers more questions at the reader's n, or that splitting does."""
    best, gaussian = _bounded(result), result.here.get("gaussian")
    n = readable(result.samples, 6)
    if best is None or gaussian is None:
        return "How many adaptive questions these samples answer is not computed yet."
    most = max(best[1].queries, gaussian.queries)
    if not max(most, result.split):
        return f"No mechanism here answers even one question so well from {n} samples."
    if most <= result.split:
        return (
            f"From only {n} samples it is best to split them: a fresh part for each question "
            f"answers {count(result.split)}, noise {count(most)}."
        )
    if not gaussian.queries:
        return (
            f"From {n} samples bounded noise is proven to answer {count(most)} adaptive "
            f"{questions(most)}, Gaussian noise none."
        )
    return (
        f"From the same {n} samples bounded noise is proven to answer "
        f"{_as_many(best[1].queries / gaussian.queries)} adaptive questions as Gaussian noise."
    )


def queries_detail(result: QueryCurves) -> str:
    """State the questions at the reader's n for the best noise, for Gaussian, and by splitting."""
    best, gaussian = _bounded(result), result.here.get("gaussian")
    if best is None or gaussian is None:
        return ""
    key, most = best
    published = _as_published(result, gaussian.queries)
    asked = f" {questions(most.queries)}" if most.queries else ""
    return (
        f"Within α = {readable(result.alpha)}, all but with probability "
        f"β = {readable(result.beta)}: {count(most.queries)}{asked} by "
        f"{_noise(key)}, {count(gaussian.queries)} by Gaussian noise, and "
        f"{count(result.split)} with a fresh part of the sample for each.{_by_tuning(result)}"
        f"{published}"
    )


def _bounded(result: QueryCurves) -> tuple[str, QueryBudget] | None:
    """Return the bounded noise that answers most, as far as any is known."""
    known = [(key, budget) for key, budget in result.here.items() if not _other(key)]
    return max(known, key=lambda item: item[1].queries, default=None)


def _by_tuning(result: QueryCurves) -> str:
    """Say how many more questions tuned noise answers than the best power shown, if any."""
    tuned = result.here.get("tuned")
    powers = [
        budget.queries for key, budget in result.here.items() if key not in ("gaussian", "tuned")
    ]
    if tuned is None or not powers or tuned.queries <= max(powers) or not max(powers):
        return ""
    more = readable(100 * (tuned.queries / max(powers) - 1), 2)
    return f" Tuning the noise answers {more}% more than the best power of the paper shown."


def _as_published(result: QueryCurves, gaussian: float) -> str:
    """Say how many questions the paper's radius answers, p by p, if it is shown."""
    times = [
        f"{readable(budget.queries / gaussian, 4)} times for {_power(key)}"
        for key, budget in result.here.items()
        if key.startswith("published") and gaussian
    ]
    return f" As published, with β′ = 0: {' and '.join(times)}." if times else ""


def queries_notes(result: QueryCurves) -> Collection[str]:
    """Say what the curves bound, where they end and what is greyed out."""
    notes = [
        "Solid curves are proven lower bounds: the parameters found prove that so many "
        "questions are answered; better ones, or a better transfer theorem, could prove more.",
        "The lower panel divides what is proven for bounded noise by what is proven for Gaussian "
        "noise: a comparison of two proofs, not a bound.",
    ]
    if any(c.evidence is Evidence.ASYMPTOTIC and c.key != "corollary" for c in result.chart.curves):
        notes.append(
            "Beyond 10¹⁰ questions R/σ is taken from its limit for many questions: dashed."
        )
    if any(c.key == "corollary" and not np.all(c.holds) for c in result.chart.curves):
        notes.append(f"Corollary 1.3 is grey where {_assumption(result.chart)} fails.")
    return notes


def _assumption(chart: Chart) -> str:
    return chart.curve("corollary").assumption


def _other(key: str) -> bool:
    return key == "gaussian" or key.startswith("published")


def _noise(key: str) -> str:
    return "tuned bounded noise" if key == "tuned" else f"bounded noise with {_power(key)}"


def _power(key: str) -> str:
    return "the best p" if key == "best" else f"p = {key.partition('_')[2]}"


def count(queries: float) -> str:
    """Write a number of questions; none is a word."""
    if not queries:
        return "none"
    return f"{queries:,.0f}" if queries < 1e7 else readable(queries)


def questions(queries: float) -> str:
    """Return the noun for so many."""
    return "question" if queries == 1 else "questions"


def queries_unknown(result: QueryCurves) -> QueryCurves:
    """Return the curves before the answer: all but those of bounded noise."""
    known = tuple(c for c in result.chart.curves if c.subject is not Subject.BOUNDED)
    ratio = replace(result.ratio, curves=())
    return replace(result, chart=replace(result.chart, curves=known), ratio=ratio)


def queries_answer(result: QueryCurves) -> str:
    """Return in words how many times as many questions bounded noise answers."""
    times = queries_times(result)
    return "" if times is None else _as_many(times)


def _as_many(times: float) -> str:
    said = readable(times)
    return "as many" if said == "1" else f"{said} times as many"


def queries_times(result: QueryCurves) -> float | None:
    """Return how many times as many questions bounded noise answers, None for no such number."""
    most = max((b.queries for key, b in result.here.items() if not _other(key)), default=0.0)
    gaussian = result.here["gaussian"].queries if result.here else 0.0
    return most / gaussian if gaussian else None


def queries_guessed(result: QueryCurves, times: float) -> QueryCurves:
    """Return the curves with a predicted ratio at the reader's n."""
    marks = (*result.ratio.marks, Mark(result.samples, times, "your prediction"))
    return replace(result, ratio=replace(result.ratio, marks=marks))


# ---- where the budget goes ---------------------------------------------------------------------


def budget_takeaway(result: BudgetParts) -> str:
    """State which mechanism answers most questions, and what most of the error goes to."""
    name, best = max(result.budgets.items(), key=lambda item: item[1].queries)
    if not best.queries:
        return (
            f"With {readable(best.samples)} samples not a single question can be answered so well."
        )
    share = best.alpha_parts["sample_error"] / best.alpha
    far = "" if len(result.budgets) == result.count else " so far"
    return (
        f"{name.partition(',')[0]} noise answers most questions{far}, {count(best.queries)}; "
        f"{readable(100 * share, 2)}% of the error allowed goes into it."
    )


def budget_detail(result: BudgetParts) -> str:
    """State what the best mechanism spends α and β on."""
    name, best = max(result.budgets.items(), key=lambda item: item[1].queries)
    if not best.queries:
        return (
            f"At n = {readable(best.samples)} no split of α = {readable(best.alpha)} answers a "
            "single question."
        )
    parts, failure = best.alpha_parts, best.beta_parts
    return (
        f"{name} answers most, {count(best.queries)} {questions(best.queries)}: of "
        f"α = {readable(best.alpha)} it spends {readable(parts['sample_error'], 2)} on noise, "
        f"{readable(parts['privacy'], 2)} on privacy (ε = {readable(best.epsilon, 2)}) and "
        f"{readable(parts['c'] + parts['d'], 2)} on what may go wrong; of β, "
        f"{readable(100 * failure['privacy_failure'] / best.beta, 3)}% on δ."
    )
