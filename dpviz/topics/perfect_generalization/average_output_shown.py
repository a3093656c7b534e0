"""The average output: how far from it the outputs on most samples are."""

import math

from dpviz.plot.text import readable
from dpviz.topics.perfect_generalization.average_output import AverageChart


def takeaway(chart: AverageChart) -> str:
    """State how far from the average output most are."""
    sure = readable(100 * (1 - chart.failure_probability), 13)
    if chart.needed <= 0:
        return "The output differs from the average output by so little that δ′ covers it."
    return (
        f"On {sure}% of samples the output differs from the average output by no more than "
        f"ε′ = {readable(chart.needed)}."
    )


def detail(chart: AverageChart) -> str:
    """State what the average output is, and what Theorem 31 promises."""
    proven = (
        f"the proof of Theorem 31 with its constants promises {readable(chart.proven)}"
        if math.isfinite(chart.proven)
        else "the proof of Theorem 31 gives nothing here"
    )
    return (
        "The average output is what the algorithm does on a sample nobody has seen, so it "
        f"reveals nothing about yours. At n = {readable(chart.here, 7)}, ε′ = "
        f"{readable(chart.needed)} suffices for all but a share "
        f"{readable(chart.failure_probability)} of the samples, and {readable(chart.second)} "
        f"against a second sample; {proven}."
    )


def notes(_: AverageChart) -> list[str]:
    """Say what is compared, and where the constants come from."""
    return [
        "Perfect generalization (Definition 29) compares the output on one sample, in both "
        "directions, with the mixture of the outputs on all samples. Here the algorithm adds "
        "geometric noise to a sum of coins. The outputs that tell the two apart form intervals, "
        "so nothing is simulated.",
        "Where ε√n is large, the average output is farther away than the output on a second "
        "sample, as it includes what happens on rarer samples, with more mass than δ′.",
        "Theorem 31 follows from Theorem 13 by Lemma 30: a sample that is close to most others "
        "is close to their mixture. One half of δ′ pays for the others to which it is not "
        "close, so β becomes βδ′/2; the other half is the δ′ of Theorem 13. The lemma as "
        "printed has a square root in place of this product, and its ε′ is no smaller.",
        "The papers state no constants. Those of “Theorem 31, its proof's constants” are "
        "reconstructed from the proof, each step with its own; a sharper analysis may well do "
        "better. Neighbouring data sets: one item is substituted.",
    ]
