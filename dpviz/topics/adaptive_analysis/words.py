"""Adaptive analysis in words: what the analyst is told, what a sample answers, at what cost."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Evidence, Mark, Subject
from dpviz.topics.adaptive_analysis.views.attack import AttackResult
from dpviz.topics.adaptive_analysis.views.budget import BudgetParts
from dpviz.topics.adaptive_analysis.views.queries import QueryCurves

FEWEST_RUNS = 5
"""The mean of fewer says little, and its interval would fill the panel."""


# ---- the attack ----------------------------------------------------------------------------


def attack_takeaway(result: AttackResult) -> str:
    """State what the analyst is told at the end, beside the truth."""
    told = {name: percent(curve[-1]) for name, curve in result.expected.items()}
    coins = "coin" if result.questions == 1 else "coins"
    return (
        f"After asking about {result.questions:,} useless {coins} on {result.sample_size:,} "
        f"samples, the analyst is told that the combined predictor is right {told['empirical']} "
        f"of the time; with Gaussian noise {told['gaussian']}, with bounded noise "
        f"{told['bounded']}. The truth is 50%."
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
    """State the questions at the reader's n for the best noise, for Gaussian, and by splitting."""
    bounded = [(key, b) for key, b in result.here.items() if not _other(key)]
    n, within = readable(result.samples, 6), f"within α = {readable(result.alpha)}"
    sure = f"all but with probability β = {readable(result.beta)}"
    if not bounded:
        return (
            f"How many adaptive questions {n} samples answer {within}, {sure}, is not computed yet."
        )
    key, best = max(bounded, key=lambda item: item[1].queries)
    gaussian = result.here["gaussian"].queries
    noise = _noise(key)
    if not max(best.queries, gaussian, result.split):
        return f"No mechanism here answers even one question {within}, {sure}, from {n} samples."
    if best.queries <= result.split:
        return (
            f"{n} samples answer {count(result.split)} adaptive {questions(result.split)} "
            f"{within}, {sure}, with a fresh part of the sample for each; with {noise} it would be "
            f"{count(best.queries)}, with Gaussian noise {count(gaussian)}."
        )
    ahead = f", where Gaussian noise answers {count(gaussian)}"
    if gaussian:
        ahead = f": {readable(best.queries / gaussian)} times as many as by Gaussian noise "
        ahead += f"({count(gaussian)})"
    return (
        f"{n} samples answer {count(best.queries)} adaptive {questions(best.queries)} {within}, "
        f"{sure}, by {noise}{ahead}. With a fresh part of the sample for each it would be "
        f"{count(result.split)}.{_by_tuning(result)}{_as_published(result, gaussian)}"
    )


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
    most = max((b.queries for key, b in result.here.items() if not _other(key)), default=0.0)
    gaussian = result.here["gaussian"].queries if result.here else 0.0
    return f"{readable(most / gaussian)} times as many" if gaussian else ""


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
    return (
        f"{name} answers most questions, {count(best.queries)}; {readable(100 * share, 2)}% of the "
        "error allowed goes into its noise."
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
