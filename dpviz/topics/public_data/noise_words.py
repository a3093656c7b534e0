"""Public data: what the views on noise and on Gaussian weights say, and their notes."""

from dpviz.plot.text import readable
from dpviz.topics.public_data.views.noise import NoiseChart
from dpviz.topics.public_data.views.weights import WeightsChart
from dpviz.topics.public_data.words import at_here


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
    """State whether the weights break their promise, and from which size of the class on."""
    if chart.true_delta > chart.delta:
        guess, allowed = at_here(chart, "gaussian"), at_here(chart, "allowed")
        return (
            f"Gaussian weights break their promise: anyone guesses a private label in "
            f"{_often(guess)} of cases, where ε allows {_often(allowed)}."
        )
    return (
        "This class does not break the promise of Gaussian weights at VC dimension "
        f"{chart.here:,.0f}; from {_size(chart)} on it does."
    )


def _often(probability: float) -> str:
    """Write a probability as a percentage; one below 1 never as 100%."""
    text = f"{readable(100 * probability, 4)}%"
    return "more than 99.99%" if text == "100%" and probability < 1 else text


def weights_detail(chart: WeightsChart) -> str:
    """State how well the private label can be guessed, what is allowed, and the true δ."""
    guess, allowed = at_here(chart, "gaussian"), at_here(chart, "allowed")
    told = (
        f"With VC dimension {chart.here:,.0f}, Theorem 4's Gaussian weights let anyone guess a "
        f"private label with probability {readable(guess, 4)}; ε = {readable(chart.epsilon)} "
        f"allows {readable(allowed, 4)}."
    )
    if chart.true_delta > chart.delta:
        return (
            f"{told} The promise is broken: δ is {readable(chart.true_delta)}, not "
            f"{readable(chart.delta)}."
        )
    return told


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
