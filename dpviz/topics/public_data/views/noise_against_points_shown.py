"""The paper's noise, beside the noise that is proved to be enough."""

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.scene.view import View
from dpviz.topics.public_data.views.noise_against_points import NoiseChart, noise_against_points


def takeaway(chart: NoiseChart) -> str:
    """State how much more noise the paper asks for than is proved to suffice."""
    special = chart.value("lemma_11") / chart.value("gaussian")
    if special < 1:
        return "The noise that the paper asks for is not proved to be enough here."
    return f"The paper asks for {readable(special)} times the noise that is proved to be enough."


def detail(chart: NoiseChart) -> str:
    """Say how much noise is proved to suffice at the reader's m, and how much the paper asks."""
    enough, laplace = chart.value("gaussian"), chart.value("laplace")
    special = chart.value("lemma_11") / enough
    unproved = "" if special >= 1 else ", which is not proved to suffice"
    return (
        f"At m = {chart.here:,.0f} Gaussian noise of scale {readable(enough)} is proved to keep "
        f"Algorithm 3 private; the paper's condition asks for {readable(special)} times as much"
        f"{unproved} (Laplace noise: {readable(laplace)}, and "
        f"{readable(chart.value('laplace_11') / laplace)} times as much)."
        f"{_general(chart, chart.value('lemma_9') / enough)}"
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


def notes(_: NoiseChart) -> list[str]:
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


VIEW = View(
    key="noise",
    title="The paper's noise",
    compute=noise_against_points,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("samples", "public_points", "epsilon", "delta", "eta", "averages", "constant"),
)
