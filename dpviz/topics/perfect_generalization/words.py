"""What the views on perfect generalization say: sentences, notes, and answers to predictions."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Chart, Curve, Evidence, Source, Subject
from dpviz.topics.perfect_generalization.views.closeness import ClosenessChart
from dpviz.topics.perfect_generalization.views.growth import GrowthChart
from dpviz.topics.perfect_generalization.views.two_samples import SamplePairs
from dpviz.topics.perfect_generalization.views.user_growth import UserChart

# ---- the probability that two outputs are close --------------------------------------------


def closeness_takeaway(chart: ClosenessChart) -> str:
    """State how far apart the outputs are at most, beside group privacy."""
    sure = readable(100 * (1 - _beta(chart)), 13)
    promised = (
        f"group privacy promises {readable(chart.group)}"
        if _holds(chart, "group")
        else "group privacy promises nothing"
    )
    return (
        f"One private algorithm runs on two fresh samples: in {sure}% of such pairs the outputs "
        f"differ by a privacy loss of at most {readable(chart.needed)} (ε′); {promised}."
    )


def closeness_detail(chart: ClosenessChart) -> str:
    """State the ε′ that is enough for most pairs, beside what the theorems promise."""
    sure = readable(1 - _beta(chart), 13)
    sentence = (
        f"With probability {sure} the outputs on two fresh samples are (ε′, δ′)-close at "
        f"ε′ = {readable(chart.needed)}; group privacy "
    )
    if not _holds(chart, "group"):
        sentence += "promises nothing at this δ′"
    else:
        sentence += f"promises {readable(chart.group)}"
        if chart.needed > 0:
            times = readable(chart.group / chart.needed)
            sentence += ", as much" if times == "1" else f", {times} times as much"
    return f"{sentence}, and Theorem 13{_promised(chart)}."


def _promised(chart: ClosenessChart) -> str:
    shape = f"{readable(chart.theorem_13)} up to its hidden constant"
    if not _holds(chart, "theorem_13"):
        shape = f", whose assumptions fail here, would say {shape}"
    else:
        shape = f" promises {shape}"
    if math.isfinite(chart.derived):
        return f"{shape} ({readable(chart.derived)} with the constants of its proof)"
    return f"{shape} (its proof gives nothing here)"


def _holds(chart: Chart, key: str) -> bool:
    """Return whether the assumption of a bound holds at the reader's value."""
    curve = chart.curve(key)
    return curve.holds is None or bool(curve.holds[np.abs(curve.x - chart.here).argmin()])


def _beta(chart: ClosenessChart) -> float:
    return 1 - chart.marks[0].y


# ---- how ε′ grows with n -------------------------------------------------------------------


def growth_takeaway(chart: GrowthChart) -> str:
    """State how the distance of the outputs grows around the reader's n."""
    if chart.needed <= 0:
        return "The outputs on two fresh samples differ by so little that it is lost in δ′."
    if not math.isfinite(chart.slope):
        farthest = readable(chart.needed)
        return f"The outputs on two fresh samples differ by no more than ε′ = {farthest}."
    more = "The more samples, the further apart the outputs on two fresh ones: like their number"
    power = readable(chart.slope, 2)
    if power == "1":
        return f"{more}, as group privacy fears."
    return f"{more} to the power {power}, where group privacy fears the power 1."


def growth_detail(chart: GrowthChart) -> str:
    """State ε′ at the reader's n, what strictness costs, and where it bends."""
    sentence = (
        f"At n = {readable(chart.here, 7)}, ε′ = {readable(chart.needed)} suffices for all but a "
        f"share {readable(chart.failure_probability)} of the pairs of samples."
    )
    if math.isfinite(chart.slope) and 0 < chart.needed < chart.strict:
        times = readable(chart.strict / chart.needed)
        takes = "hardly more than that ε′" if times == "1" else f"{times} times that ε′"
        sentence += f" All but a share 10⁻¹² takes {takes}."
    if math.isfinite(chart.bends_at):
        first = f"from n = {readable(chart.bends_at)} on" if chart.bends_at > 1 else "at every n"
        sentence += (
            " The mean of the privacy loss grows like n, its spread like √n; the mean outweighs "
            f"the spread {first}."
        )
    return sentence


GROWTHS = {"constant": "not at all", "root": "like √n", "linear": "like n"}
"""What a reader may predict about ε′."""
_POWERS = {"constant": 0.0, "root": 0.5, "linear": 1.0}


def growth_unknown(chart: GrowthChart) -> GrowthChart:
    """Return the chart before the answer: group privacy alone."""
    return replace(chart, curves=(chart.curve("group"),), marks=())


def growth_answer(chart: GrowthChart) -> str:
    """Return in words how ε′ grows around the reader's n."""
    return f"like n to the power {readable(chart.slope, 2)}" if math.isfinite(chart.slope) else ""


def growth_nearest(chart: GrowthChart) -> str | None:
    """Return which of `GROWTHS` comes nearest, None where ε′ is not known around the reader's n."""
    if not math.isfinite(chart.slope):
        return None
    return min(_POWERS, key=lambda growth: abs(_POWERS[growth] - chart.slope))


def growth_guessed(chart: GrowthChart, growth: str) -> GrowthChart:
    """Return the chart with a line of the slope a reader predicted, through the exact value."""
    x = chart.curve("exact").x
    y = chart.needed * (x / chart.here) ** _POWERS[growth]
    source = Source("your prediction")
    line = Curve("guess", "your prediction", Subject.EARLIER, Evidence.ASYMPTOTIC, source, x, y)
    return replace(chart, curves=(*chart.curves, line))


# ---- one user's examples --------------------------------------------------------------------


def users_takeaway(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy."""
    allows = f"allows {readable(chart.group)}" if _holds(chart, "group") else "promises nothing"
    examples = "1 example" if chart.here == 1 else f"{readable(chart.here, 7)} examples"
    return (
        f"Exchanging one user with {examples} moves the output by ε = {readable(chart.needed)}; "
        f"group privacy {allows}."
    )


def users_detail(chart: UserChart) -> str:
    """State the ε of one user's change, beside group privacy, and the slope."""
    group = readable(chart.group)
    allows = f"allows {group}" if _holds(chart, "group") else "promises nothing at this δ′"
    examples = "1 example" if chart.here == 1 else f"{readable(chart.here, 7)} examples"
    sentence = (
        f"Leaving out one user instead of another, with {examples} each, moves the output by "
        f"ε = {readable(chart.needed)} with probability 1 − β; group privacy "
        f"{allows}"
    )
    if math.isfinite(chart.slope) and chart.needed > 0:
        sentence += f", and ε grows like m to the power {readable(chart.slope, 2)} around there"
    return f"{sentence}."


# ---- two samples at a time -----------------------------------------------------------------


def pairs_takeaway(result: SamplePairs) -> str:
    """State how many of the pairs drawn are as close as most are."""
    sure = readable(100 * (1 - result.failure_probability), 13)
    are = "is" if result.close == 1 else "are"
    return (
        f"{result.close} of the {len(result.draws)} pairs of samples drawn {are} within the "
        f"distance that suffices for {sure}% of all pairs."
    )


def pairs_detail(result: SamplePairs) -> str:
    """State that distance, and how far the farthest pair drawn is."""
    sure = readable(1 - result.failure_probability, 13)
    return (
        f"ε′ = {readable(result.needed)} suffices for a share {sure} of all pairs, exactly; the "
        f"farthest drawn needs ε′ = {readable(max(d.epsilon for d in result.draws))}."
    )


# ---- what to know --------------------------------------------------------------------------

_RECONSTRUCTED = (
    "The papers state no constants. Those of “{label}” are reconstructed from the proof, each step "
    "with its own; a sharper analysis may well do better."
)


def notes(chart: Chart) -> list[str]:
    """Name the assumptions that fail somewhere, and say where constants come from."""
    texts = []
    for curve in chart.curves:
        if curve.holds is not None and not curve.holds.all():
            where = (
                "where this assumption fails" if curve.holds.any() else "as its assumption fails"
            )
            drawn = "Drawn grey" if np.isfinite(curve.y[~curve.holds]).any() else "Not drawn"
            texts.append(f"{drawn} {where}: “{curve.label}” asks that {curve.assumption}.")
        if curve.key == "derived":
            texts.append(_RECONSTRUCTED.format(label=curve.label))
        if curve.evidence is Evidence.ASYMPTOTIC:
            texts.append(f"“{curve.label}” is a shape: the slider C sets the constant it hides.")
    return texts
