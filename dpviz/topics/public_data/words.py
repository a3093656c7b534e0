"""Public data: what the views say in a sentence, and their notes."""

import math

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Evidence
from dpviz.topics.public_data.learners import LEARNERS, claim
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.errors import ErrorChart, ShiftChart, best_points
from dpviz.topics.public_data.views.lesson import Lesson

_SHORT = {
    "rrspm": "RRSPM",
    "perturbation": "Algorithm 2",
    "regularization": "Algorithm 3",
    "rspm": "RSPM",
    "non-private": "the plain optimiser",
}


def at_here(chart: Chart, key: str) -> float:
    """Return a curve's value at the reader's place."""
    curve = chart.curve(key)
    return float(curve.y[int(np.argmin(np.abs(curve.x - chart.here)))])


# ---- one lesson ------------------------------------------------------------------------------


def lesson_takeaway(result: Lesson) -> str:
    """State the error released, beside the optimiser's without privacy."""
    m = len(result.public)
    points = f"With {m:,} public point{'' if m == 1 else 's'} the private learner"
    if result.learner == "rspm":
        points = "Without public data the private learner"
    if not result.task.classifies:
        return (
            f"{points}'s squared error is {readable(result.excess)} above the least there is; "
            f"without privacy it is {readable(result.optimum_excess)} above."
        )
    return (
        f"{points} gets {readable(100 * result.excess)}% more of all new examples wrong than the "
        f"best rule there is; without privacy {readable(100 * result.optimum_excess)}% more."
    )


def lesson_detail(result: Lesson) -> str:
    """State the error released, its spread, the plain optimum's, the calls and the privacy."""
    low, high = np.quantile(result.spread, [0.1, 0.9])
    calls, m = result.outcome.calls, len(result.public)
    one = "" if m == 1 else "s"
    points = f"{m:,} public point{one}"
    if result.learner == "rspm":
        points = f"a grid of {m:,} cell{one}"
    return (
        f"{LEARNERS[result.learner]} on {result.samples:,} private examples and {points} releases "
        f"a function with excess error "
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
        weighed = "middles of the grid's cells" if result.learner == "rspm" else "public points"
        notes.append(f"The weights on the {weighed} have scale {scale}, in units of one loss.")
    else:
        rho, but = readable(result.outcome.rho), ""
        if result.learner == "perturbation":
            but = f", but for a chance of δ/2 = {readable(result.budget.delta / 2)}"
        notes.append(
            f"One example moves f̄ by at most ρ = {rho}{but}; the noise on f̄(Z) is γ = {scale}."
        )
    if result.outcome.gap:
        notes.append(
            f"No answer of the optimiser was more than {readable(result.outcome.gap)} above its "
            "minimum, a certified gap; ρ covers the largest gap it may ever leave."
        )
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
    if learner == "perturbation":
        return [
            "Algorithm 2: its noise suffices for a stability proved by this app; the proof of the "
            "paper's Lemma 1 bounds the square of the norm only. The price: its noise "
            "shrinks with the number J of averaged minimisers, like 1/√J, and hardly as n grows."
        ]
    return []


# ---- errors ----------------------------------------------------------------------------------


def samples_takeaway(chart: ErrorChart) -> str:
    """State the least error of the private learners at the reader's n, beside the optimiser's."""
    plain = at_here(chart, "non_private")
    known = {name: at_here(chart, name) for name in chart.private}
    known = {name: error for name, error in known.items() if not math.isnan(error)}
    if math.isnan(plain) or not known:
        return f"{TASKS[chart.task]}: the first runs are under way."
    best = min(known, key=lambda name: known[name])
    return (
        f"With {chart.here:,.0f} private examples the best private learner, "
        f"{LEARNERS[best].partition(' (')[0]}, errs by {readable(known[best])} more than the best "
        f"rule there is; without privacy it is {readable(plain)}."
    )


def samples_detail(chart: ErrorChart) -> str:
    """State every learner's error at the reader's n, and how often each calls the optimiser."""
    if math.isnan(at_here(chart, "non_private")):
        return ""
    told = [
        f"{_SHORT[name]} {readable(at_here(chart, name.replace('-', '_')))} "
        f"({calls:,} call{'s' if calls != 1 else ''})"
        for name, calls in chart.calls.items()
        if not math.isnan(at_here(chart, name.replace("-", "_")))
    ]
    return (
        f"{TASKS[chart.task]} from n = {chart.here:,.0f} private examples, mean excess error and "
        f"calls to the optimiser: {', '.join(told)}."
    )


def points_takeaway(chart: ErrorChart) -> str:
    """State the best number of public points."""
    name = next(iter(chart.private))
    best, curve = best_points(chart, name), chart.curve(name)
    if best is None:
        return "Nothing computed yet."
    known = curve.x[np.isfinite(curve.y)]
    points = f"{best.x:,.0f} public point{'' if best.x == 1 else 's'}"
    so_far = "" if chart.done == 1 else "So far "
    if best.x == known[0]:
        return f"{so_far}{points} served best, the fewest tried: with more the noise grows."
    if best.x == known[-1]:
        return f"{so_far}{points} served best, the most tried: with fewer the grid is coarse."
    return (
        f"About {points} serve best: with fewer the candidates are too coarse, with more the "
        "noise grows."
    )


def points_detail(chart: ErrorChart) -> str:
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
        notes += _broken_note(name, "gaussian") if kind == "broken" else []
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


def shift_takeaway(chart: ShiftChart) -> str:
    """State the error with and without shift, and that privacy does not depend on it."""
    name = next(iter(chart.private))
    curve = chart.curve(name)
    if not np.isfinite(curve.y[[0, -1]]).all():
        return "The first runs are under way."
    safe = chart.private[name] in ("pure", "approximate")
    promise = "; it stays private" if safe else ""
    return (
        f"Under the strongest shift drawn the learner's excess error is {readable(curve.y[0])}, "
        f"without shift {readable(curve.y[-1])}{promise}."
    )


def shift_detail(chart: ShiftChart) -> str:
    """State the error at every σ named, and what is known of the privacy."""
    name = next(iter(chart.private))
    curve = chart.curve(name)
    known = np.isfinite(curve.y)
    if not known[-1]:
        return ""
    promise = {
        "pure": "It stays private at every σ",
        "approximate": "It stays private at every σ",
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


# ---- sample complexity -----------------------------------------------------------------------


def rates_takeaway(chart: Chart) -> str:
    """State what an efficient algorithm costs, beside learning without privacy."""
    sizes = {c.key: at_here(chart, c.key) for c in chart.curves}
    best = next(key for key in ("theorem_10", "theorem_7", "realizable") if key in sizes)
    return (
        f"Learning in private with an optimiser takes {readable(sizes[best])} examples, without "
        f"privacy {readable(sizes['non_private'])}, both up to hidden constants."
    )


def rates_detail(chart: Chart) -> str:
    """State the shapes' sizes at the reader's α."""
    sizes = {c.key: at_here(chart, c.key) for c in chart.curves}
    best = next(key for key in ("theorem_10", "theorem_7", "realizable") if key in sizes)
    return (
        f"At α = {readable(1 / chart.here)} the shapes read {readable(sizes['theorem_6'])} "
        f"examples for any class (Algorithm 2), {readable(sizes[best])} for {_plain(chart, best)}, "
        f"{readable(sizes['inefficient'])} for the inefficient private learner and "
        f"{readable(sizes['non_private'])} without privacy; constants are hidden in all of them."
    )


def _plain(chart: Chart, key: str) -> str:
    return chart.curve(key).label.partition(":")[0]


def rates_notes(_: Chart) -> list[str]:
    """Say what is hidden."""
    return [
        "Shapes: constants and polylogarithms are dropped, and one slider multiplies all of them. "
        "λ = 1; d is the VC dimension, or the square of the Gaussian complexity.",
        "Theorem 7's pure rate (133) is α^−6, although the text around Theorem 3 gives α^−5 for "
        "both. (21) and Remark 1 print no σ; its powers here follow from the proofs' choice of m.",
        "The Gaussian rates, α^−4 and α^−2.5, belong to a variant that is not private for rich "
        "classes: see the view “Gaussian weights”.",
    ]
