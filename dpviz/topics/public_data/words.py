"""Public data: what the views of the noise and of the sample complexity say."""

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart
from dpviz.topics.public_data.figures import at_here
from dpviz.topics.public_data.views.noise import NoiseChart
from dpviz.topics.public_data.views.weights import WeightsChart


def noise_takeaway(chart: NoiseChart) -> str:
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
        "differs from Lemma 1 by a cube root, and Lemma 1's proof has a gap: no claim of privacy "
        "rests on them.",
    ]


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
