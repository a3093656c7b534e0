"""Agreement: how often two users pick the same hypothesis, against their examples."""

import math

from dpviz.plot.text import counted, readable
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.view import Sketch, View
from dpviz.topics.few_users.controls_shown import ACCURACY, LEARNER, idle_controls
from dpviz.topics.few_users.simulated_shown import of_the_headline, the_same, with_interval
from dpviz.topics.few_users.views.agreement_of_two_users import (
    AgreementChart,
    agreement_of_two_users,
)

_ALIKE = Limit("guess", "%", "of the pairs pick the same", 0, 100, 50, log=False, step=1)


def takeaway(chart: AgreementChart) -> str:
    """State how often two users agree with shared darts, and with own coins."""
    if math.isnan(chart.shared.value) or math.isnan(chart.own.value):
        return "The first runs are under way."
    same = the_same(chart.shared, chart.own)
    return f"With {readable(chart.here, 7)} examples each, {same}"


def detail(chart: AgreementChart) -> str:
    """State how often two users agree, the stability measured, and what the proof requires."""
    return (
        f"With m = {readable(chart.here, 7)} examples each, two users pick the same hypothesis "
        f"with probability {with_interval(chart.shared)} with shared darts, and "
        f"{with_interval(chart.own)} with coins of their own. This is measured on "
        f"{counted(chart.shared.trials, 'pair')} in a practical setting; the proof asks for "
        f"m = {readable(chart.proof_examples, 2)}."
    )


def notes(chart: AgreementChart) -> list[str]:
    """Set the measured stability beside what the theorems require."""
    gammas = (
        f"γ = {readable(chart.gamma)} (practical), where the proof takes "
        f"{readable(chart.proof_gamma)}. "
        if math.isfinite(chart.gamma)
        else ""
    )
    return [
        _stability(chart),
        f"{gammas}Nothing here runs with the constants of the proof, which would need m = "
        f"{readable(chart.proof_examples, 2)} examples for each user. What is measured holds "
        "for the practical setting alone.",
        "Shared darts and own coins are compared on the same examples.",
        "Every board has new darts, new examples and a new target; no hypothesis is good for "
        "two of the possible targets. Intervals are Clopper-Pearson, each at 95% by itself.",
    ]


def _stability(chart: AgreementChart) -> str:
    """Tell between what bounds ν lies, and from what that is known."""
    stability = chart.stability
    return (
        f"Pseudo-global stability at m = {readable(chart.here, 7)}: the share ν of boards on "
        f"which one hypothesis is picked with probability at least η = {readable(chart.eta)} is "
        f"between {readable(stability.lower)} and {readable(stability.upper)} (95%, over darts "
        f"and targets). Judged by the picks of {stability.users} users each, {stability.stable} "
        f"of {stability.boards} boards surely are such boards and {stability.unstable} surely "
        f"are not. Theorems 25, 29 and 30 ask for η = 0.9 and ν = {readable(chart.wanted, 4)}."
    )


VIEW = View(
    key="agreement",
    title="Agreement",
    compute=agreement_of_two_users,
    figure=of_the_headline,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*LEARNER, *ACCURACY, "share", "runs", "seed"),
    in_sight=("examples_per_user", "learner", "concept"),
    why="The more examples, the more alike are the distributions from which two users pick, and "
    "with shared darts nearly equal distributions nearly always give the same pick. With coins "
    "of their own, two users agree only if a single hypothesis has nearly all of the "
    "probability.",
    idle=idle_controls,
    sketch=Sketch(
        question="Users hold more and more examples. Draw how likely they are "
        "to agree, with shared randomness.",
        curve="shared",
    ),
    prediction=value_at_here(
        "Two users hold different samples of this size, and share their darts. How often "
        "will they pick the same hypothesis, in percent?",
        _ALIKE,
        "shared",
        hidden=("accurate",),
        scale=PERCENT,
        answer=lambda percent: f"in {readable(percent)} percent of all pairs",
    ),
)
