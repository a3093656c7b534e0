"""On average: the δ that two fresh samples need, beside the most unlike data sets."""

from dpviz.plot.text import readable
from dpviz.topics.perfect_generalization.expected_divergence import DRAWN, LEAST, ExpectedChart


def takeaway(chart: ExpectedChart) -> str:
    """State but for what probability outputs are close, beside the most unlike data sets."""
    within, small = f"Within ε′ = {readable(chart.here)}, outputs", f"less than {readable(DRAWN)}"
    but = "agree but for a probability of"
    if chart.worst < DRAWN:
        return f"{within} even on the two most unlike data sets {but} {small}."
    mean = readable(chart.expected) if chart.expected >= DRAWN else small
    return (
        f"{within} on two fresh samples {but} {mean} on average; on the two most unlike data "
        f"sets, but for {readable(chart.worst)}."
    )


def detail(chart: ExpectedChart) -> str:
    """State the bound of the proof, and what Markov's inequality makes of the average."""
    share = max(chart.expected, LEAST) / chart.allowed
    markov = (
        f"at most a share {readable(share)} of all ordered pairs needs a δ above δ′ = "
        f"{readable(chart.allowed)}"
        if share < 1
        else f"nothing about pairs that need a δ above δ′ = {readable(chart.allowed)}"
    )
    if chart.proven < 1:
        least = readable(max(chart.proven, LEAST))
        proven = f"by the proof of Lemma 14 with its constants at most {least}"
    else:
        beyond = "at so small an ε′" if chart.later < 1 else "at any ε′ drawn here"
        proven = f"about which the proof of Lemma 14 says nothing {beyond}"
    return (
        f"With n = {chart.samples:,}, at ε′ = {readable(chart.here)}: E[d_ε′(A(x)‖A(x′))] is "
        f"{_delta(chart.expected)}, {proven}. By Markov's inequality this average implies: "
        f"{markov}."
    )


def _delta(value: float) -> str:
    """Write a δ, unless it is too small to be drawn."""
    return readable(value) if value > LEAST else "less than 10⁻¹⁵"


def notes(_: ExpectedChart) -> list[str]:
    """Say what the average is good for."""
    return [
        "At ε′, δ is by how much an event's probability on one sample exceeds e^ε′ times that on "
        "the other, at most.",
        "The paper bounds this average first (Lemma 14). Markov's inequality turns it into a share "
        "β of the pairs, but only down to β = E/δ′; Theorem 13 reaches any β, at the price of a "
        "larger ε′: see “√n against n”.",
        "The average over x′ of the output law is what A does on a sample nobody has seen. As "
        "the divergence is convex, A(x) is on average at least as close to it as to A(x′). So "
        "the exact curve bounds perfect generalization as well (Definition 29, Theorem 31).",
        "The papers state no constants: those of Lemma 14 are reconstructed from the proof. "
        "Neighbouring data sets: one item is substituted.",
    ]
