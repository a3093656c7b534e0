"""Public data: what the views say in a sentence, and their notes."""

import math

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Evidence
from dpviz.topics.public_data.learners import LEARNERS, claim
from dpviz.topics.public_data.tasks import TASKS
from dpviz.topics.public_data.views.errors import ErrorChart, ShiftChart, best_points
from dpviz.topics.public_data.views.lesson import Lesson
from dpviz.topics.public_data.views.noise import NoiseChart
from dpviz.topics.public_data.views.weights import WeightsChart

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
    return (
        f"With {m:,} public point{'' if m == 1 else 's'} the private learner errs by "
        f"{readable(result.excess)} more than the best there is; without privacy it is "
        f"{readable(result.optimum_excess)}."
    )


def lesson_detail(result: Lesson) -> str:
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
    if learner == "perturbation":
        return [
            "Algorithm 2: its noise suffices for a stability proved by this app; the proof of the "
            "paper's Lemma 1 bounds the square of the norm only. The price is the average of J "
            "minimisers: the error falls like 1/√J, and no slower when n grows."
        ]
    return []


# ---- errors ----------------------------------------------------------------------------------


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


def points_takeaway(chart: ErrorChart) -> str:
    """State the best number of public points."""
    best = best_points(chart, next(iter(chart.private)))
    if best is None:
        return "Nothing computed yet."
    return (
        f"About {best.x:,.0f} public points serve best: with fewer the candidates are too coarse, "
        "with more the noise grows."
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
    known = np.isfinite(curve.y)
    if not known[-1]:
        return f"{LEARNERS[name]}: the first runs are under way."
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


# ---- noise -----------------------------------------------------------------------------------


def noise_takeaway(chart: NoiseChart) -> str:
    """State how much more noise the paper asks for than is proved to suffice."""
    special = at_here(chart, "lemma_11") / at_here(chart, "gaussian")
    if special < 1:
        return "The noise that the paper asks for is not proved to be enough here."
    return f"The paper asks for {readable(special)} times the noise that is proved to be enough."


def noise_detail(chart: NoiseChart) -> str:
    """Say how much noise is proved to suffice at the reader's m, and how much the paper asks."""
    enough, laplace = at_here(chart, "gaussian"), at_here(chart, "laplace")
    special = at_here(chart, "lemma_11") / enough
    unproved = "" if special >= 1 else ", which is not proved to suffice"
    return (
        f"At m = {chart.here:,.0f} Gaussian noise of scale {readable(enough)} is proved to keep "
        f"Algorithm 3 private; the paper's condition asks for {readable(special)} times as much"
        f"{unproved} (Laplace noise: {readable(laplace)}, and "
        f"{readable(at_here(chart, 'laplace_11') / laplace)} times as much)."
        f"{_general(chart, at_here(chart, 'lemma_9') / enough)}"
    )


def _general(chart: NoiseChart, ratio: float) -> str:
    """Say what is wrong with (14) at the reader's m, if anything is."""
    if ratio >= 1:
        return ""
    verdict = (
        "too little for the class of constants"
        if chart.here <= chart.too_little
        else "not proved to suffice"
    )
    return (
        " Its condition for any stable learner asks for "
        f"{readable(ratio)} times as much Gaussian noise, {verdict}."
    )


def noise_notes(_: NoiseChart) -> list[str]:
    """Say what the curves assume."""
    return [
        "Solid: proved to suffice, for the stability ρ = 1/√(ηn) of Algorithm 3 with an exact "
        "optimiser. The noisy values f̄(Z) are a Gaussian or Laplace mechanism on m numbers with "
        "l₂ sensitivity √m·ρ and l₁ sensitivity m·ρ, and for them no less noise will do. The "
        "release is their projection onto the class and shows less: it may need less noise.",
        "Dotted: the paper's conditions. (14) takes the same ρ and is to serve every stable "
        "learner; (104) and (105), for Algorithm 3, take the printed 2/√(ηn). Grey: less than what "
        "is proved to suffice. Lemma 9 loses a factor 2 in the exponent, which m ≥ 8 and ρ ≤ 1 "
        "make up for. “Too little for constants”: over the class of constant functions the exact "
        "δ(ε) of the release exceeds δ, if f̄ moves by ρ from one end of the class.",
        "(102) is Algorithm 2's condition as published, for thresholds, whose Gaussian complexity "
        "is exact here, grey where (103) fails, whose constant C the paper leaves open. (102) "
        "differs from Lemma 1 by a cube root, and Lemma 1's proof has a gap. The solid curve rests "
        "on neither: the expectation of a perturbed minimiser moves by at most √(2/π)/(ηn), and "
        "the mean of J of them is within (2 + √(8 ln(2/δ)))/√J of it but for chance δ/2. "
        "Proof: docstring of averaged_stability.",
    ]


# ---- Gaussian weights ------------------------------------------------------------------------


def weights_takeaway(chart: WeightsChart) -> str:
    """State how well the private label can be guessed, and whether that breaks the promise."""
    guess, allowed = at_here(chart, "gaussian"), at_here(chart, "allowed")
    told = (
        f"probability {readable(guess, 4)}; ε = {readable(chart.epsilon)} allows "
        f"{readable(allowed, 4)}"
    )
    if chart.true_delta > chart.delta:
        return (
            f"With VC dimension {chart.here:,.0f}, Theorem 4's Gaussian weights let anyone guess a "
            f"private label with {told}. The promise is broken: δ is {readable(chart.true_delta)}, "
            f"not {readable(chart.delta)}."
        )
    return (
        f"With VC dimension {chart.here:,.0f} this class does not break Theorem 4's Gaussian "
        f"weights: a private label is guessed with {told}. From VC dimension {_size(chart)} on it "
        "does."
    )


def _size(chart: WeightsChart) -> str:
    """Return where the promise breaks: to the last digit, as long as that can be read."""
    least = chart.broken_from
    return f"{least:,.0f}" if least < 1e9 else f"about {readable(least)}"


def weights_notes(chart: WeightsChart) -> list[str]:
    """Say what the class is, and why Laplace weights are safe."""
    return [
        "The class: all labelings of d places; at one more place a function takes the parity of "
        "its labels, and at another all agree. The public points are spread evenly over the d "
        "places, as many as Theorem 4 takes, m = (d + log(1/β))/(α²σ²) with the constant 1: here "
        f"{readable(chart.public_points)}. One private example has the parity for its label; any "
        "number of others lie where all functions agree.",
        "Flipping the place whose public points have the least total weight |W| turns the parity. "
        "If that is below 1, the private example decides: so its label is the parity of what is "
        "released with probability (1 + p)/2, p = Pr[min |W| < 1]. Exact.",
        "Whatever C and the constant of m are, p tends to 1 as d grows, since the weights grow "
        "only like √d. That the class does not break the promise at some d proves nothing for "
        "other classes. Laplace weights Lap(2m/ε) are ε-private for every class (Theorem 8); "
        "their curve is an upper bound.",
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
