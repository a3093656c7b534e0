"""Tasks in d dimensions: how many users the paper's algorithm needs, measured on fresh ones."""

import math
from collections.abc import Mapping
from typing import Any

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, readable
from dpviz.scene.asking import value_at_here
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.user_complexity import fewest_users_shown
from dpviz.topics.user_complexity.covers import BOUNDED_REACH, FREQUENT, KNOWN_REACH, RARE, STRETCH
from dpviz.topics.user_complexity.learning_tasks import most_dimensions
from dpviz.topics.user_complexity.views.users_to_learn import LearningChart, Power, users_to_learn

_TASK = ("learned", "dimensions", "examples_held", "task_epsilon", "target_error")
_VARIANTS = ("clip_scale", "cover")
_LEARNED = {
    "product": "the product distribution",
    "known": "the Gaussian",
    "bounded": "the Gaussian and its covariance",
    "labels": "the labels",
    "noisy_labels": "the noisy labels",
}
_FAMILIES = {
    "product": f"The family: independent bits, each 1 with a chance from {RARE:g} to "
    f"{FREQUENT:g}; in the truth all have {FREQUENT:g}, as far from every candidate as the "
    "family gets.",
    "known": f"The family: Gaussians with covariance I and a mean no longer than {KNOWN_REACH:g}; "
    "the truth's mean has that length.",
    "bounded": f"The family: Gaussians with a mean no longer than {BOUNDED_REACH:g} and a "
    f"covariance between I and {STRETCH:g}I; the truth has a mean of that length and the "
    "covariance I.",
    "labels": "The class: all labellings of d points, which hold a share 3α of the examples (at "
    "most 90%); on the rest all labellings agree.",
    "noisy_labels": "The class: all labellings of d equally likely points; labels are right "
    "with probability 1/2 + 3α/2 (at most 95%), and α counts from the best labelling's error.",
}


def takeaway(chart: LearningChart) -> str:
    """State the users needed at the reader's place."""
    dimensions = counted(chart.dimension, "dimension")
    where = f"With {counted(chart.examples, 'example')} each in {dimensions}"
    if chart.asked > chart.dimension:
        where += ", the most that is run here"
    if chart.fewest is None:
        if chart.done == 1:
            return f"{where}, no number of users that was tried is enough."
        return f"{where}, the users needed are not measured yet."
    users = counted(chart.value("measured"), "user")
    about = "" if users == "1 user" else "about "
    return f"{where}, the paper's algorithm learns {_LEARNED[chart.learned]} from {about}{users}."


def detail(chart: LearningChart) -> str:
    """State the interval, what more examples or dimensions do beside the table, and why."""
    if chart.fewest is None:
        return ""
    ends = chart.fewest.interval
    sentence = (
        f"Fewest users for an error of at most {readable(chart.alpha)} with probability 2/3 at "
        f"ε = {readable(chart.epsilon)}: {readable(ends.lower)} to {readable(ends.upper)}."
    )
    if chart.power is None or chart.done != 1:
        return sentence
    if chart.along_m:
        return f"{sentence} {_users_saved(chart, chart.power)}{_why_not_more(chart, chart.power)}"
    return f"{sentence} {_more_users(chart.power)}"


def _users_saved(chart: LearningChart, power: Power) -> str:
    without = ""
    if chart.power_unclipped is not None:
        without = f", and without clipping {_share(chart.power_unclipped.exponent)}"
    return (
        f"Ten times the examples save {_share(power.exponent)} of the users, where Table 1's shape "
        f"would save {_share(power.of_row)}{without} (m to {_in_words(power)})."
    )


def _why_not_more(chart: LearningChart, power: Power) -> str:
    """Say why the users fall more slowly than the table's shape, where that is known."""
    if power.lower <= power.of_row or chart.learned == "labels" or chart.power_unclipped is None:
        return ""
    # They fall without clipping as well, half as fast as the shape or faster: sampling counts.
    if chart.power_unclipped.exponent < power.of_row / 2:
        return ""
    until = (
        ", and clipping does not lower it at any of these m"
        if chart.clips_from == math.inf
        else ": clipping lowers it by at most √10 for ten times the examples"
        + (f", and not below m = {chart.clips_from:g}" if chart.clips_from > 1 else "")
    )
    return (
        f" Noise is why most of these users are needed{until}; the shape, with constants 1, "
        "falls like the sampling error, which matters little here."
    )


def _more_users(power: Power) -> str:
    return (
        f"Twice the dimensions need {_times(power.exponent)} the users, by Table 1's shape "
        f"{_times(power.of_row)} (d to {_in_words(power)})."
    )


def _in_words(power: Power) -> str:
    return (
        f"the power {_signed(power.exponent)}, {_signed(power.lower)} to {_signed(power.upper)}; "
        f"the shape {_signed(power.of_row)}"
    )


def _share(power: float) -> str:
    saved = round(100 * (1 - 10**power))
    return f"{saved}%" if saved > 0 else "none"


def _times(power: float) -> str:
    return f"{2**power:.1f} times"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def notes(chart: LearningChart) -> list[str]:
    """Say what is run, on what, what is proven, and how the intervals are meant."""
    said = [_FAMILIES[chart.learned], f"{_cover(chart)}."]
    if chart.asked > chart.dimension:
        said.append(
            f"At this α, d = {chart.asked} has too many candidates to compare all pairs; the "
            f"largest d that is run is {chart.dimension}."
        )
    score = (
        "Each user who contradicts a labelling counts 1 against it (Theorem 4)."
        if chart.learned == "labels"
        else "Each pair of candidates is compared on each user, clipped at Theorem 37's τ with "
        f"C = {readable(chart.clip_scale)}; the noise is for the exact sensitivity, at most the "
        "paper's 2τ. Without clipping the noise is for all m examples of a user."
    )
    if chart.clips_from == math.inf:
        said.append("Up to m = 100 that τ cuts too little to matter, so the noise stays the same.")
    elif chart.clips_from > 1:
        said.append(
            f"Below m = {chart.clips_from:g} that τ cuts too little to matter: the noise is the "
            "same as without clipping, and more examples save little."
        )
    said += [
        f"{score} The mechanism is run in full on fresh users: {readable(chart.runs)} data sets.",
        _packing(chart),
        "All intervals hold together with probability 95%, if success grows with the number of "
        "users; they bound the fewest users, and with them the slope.",
        "The row of the table hides its constants and logarithms. It is fitted to the points: a "
        "shape, not a promise.",
    ]
    if chart.fewest is None and chart.done == 1:
        said.append("Where no point is drawn, 32,768 users are too few.")
    return said


def _cover(chart: LearningChart) -> str:
    """Say how many candidates there are, and how fine a cover they make."""
    said = f"{readable(chart.candidates)} candidates in {counted(chart.dimension, 'dimension')}"
    if not chart.radius > 0:
        return said
    said += f", within {readable(chart.radius)} of every member of the family: proven, and "
    if chart.paper_radius:
        return said + "as near as the paper's proof asks for, 0.1α"
    said += f"{readable(chart.radius / chart.alpha)}α where the paper's proof asks for 0.1α"
    return said + (", which takes too many to be run" if chart.cover == "paper" else "")


def _packing(chart: LearningChart) -> str:
    """Say what the proven lower bound rests on."""
    if all(curve.key != "proven" for curve in chart.curves):
        return "At this α and ε the packings tried prove no more than that one user is needed."
    members = {
        "product": "words of a greedy code (Theorem 24) as chances of the bits",
        "known": "means on a lattice",
        "bounded": "means on a lattice, all with covariance I",
        "labels": "all labellings, of which one answer can be right for a few",
        "noisy_labels": "all labellings, of which one answer can be right for a few",
    }[chart.learned]
    return (
        "The curve “no private algorithm with fewer” is proven for learning every member of the "
        "family. The proof exchanges users between members too far apart for one answer: "
        f"{members} (Lemma 39 and Theorem 42, with our own constants). The points are for one "
        "truth, the bound is for the worst."
    )


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect on the users measured: labels have no cover, correct ones no C."""
    return {"labels": {*_VARIANTS}, "noisy_labels": {"cover"}}.get(str(values["learned"]), set())


def most(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the most dimensions in which a task is run."""
    return {"dimensions": most_dimensions(values["learned"], alpha=values["target_error"])}


VIEW = View(
    key="learning",
    title="Tasks in d dimensions",
    compute=users_to_learn,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*_TASK, "axis", *_VARIANTS, "seed"),
    in_sight=("examples_held", "dimensions", "learned"),
    idle=idle_controls,
    most=most,
    offers=lambda _: {"axis": ["m", "d"]},
    first_seconds=1.0,
    prediction=value_at_here(
        "A private algorithm selects among candidates that cover all possible distributions, or "
        "labellings. How many users does it need?",
        fewest_users_shown.GUESS,
        "measured",
        hidden=("row", "plain", "proven"),
        answer=fewest_users_shown.answer,
    ),
    pulled={"examples_held": "With # examples", "dimensions": "in # dimensions"},
)
