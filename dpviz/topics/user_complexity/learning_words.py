"""What the view of learning in d dimensions says in a sentence."""

from dpviz.plot.text import readable
from dpviz.topics.user_complexity.covers import (
    BOUNDED_REACH,
    FREQUENT,
    KNOWN_REACH,
    RARE,
    STRETCH,
)
from dpviz.topics.user_complexity.views.learning import LearningChart, Slope

_WHAT = {
    "product": "the product distribution",
    "known": "the Gaussian",
    "bounded": "the Gaussian and its covariance",
    "labels": "the labels",
    "noisy_labels": "the noisy labels",
}
_FAMILIES = {
    "product": f"The family: independent bits, each 1 with a chance from {RARE:g} to {FREQUENT:g}; "
    f"the truth has {FREQUENT:g} for all, as far from every candidate as the family gets.",
    "known": f"The family: Gaussians with covariance I and a mean no longer than {KNOWN_REACH:g}; "
    "the truth's mean has that length.",
    "bounded": f"The family: Gaussians with a mean no longer than {BOUNDED_REACH:g} and a "
    f"covariance between I and {STRETCH:g}I; the truth has a mean of that length and I.",
    "labels": "The class: all labellings of d points, which hold 3α of the examples (90% at most); "
    "all labellings agree on the rest.",
    "noisy_labels": "The class: all labellings of d equally likely points; labels are right with "
    "probability 1/2 + 3α/2 (95% at most), and α is the error beyond the best labelling's.",
}


def learning_takeaway(chart: LearningChart) -> str:
    """State the users needed at the reader's place."""
    where = f"With {_examples(chart.examples)} each in {_dimensions(chart.dimension)}"
    if chart.asked > chart.dimension:
        where += ", the most that is run here"
    if chart.fewest is None:
        if chart.done == 1:
            return f"{where}, no number of users that was tried is enough."
        return f"{where}, the users needed are being measured."
    users = _users(chart.value("measured"))
    about = "" if users == _users(1) else "about "
    return f"{where}, the paper's algorithm learns {_WHAT[chart.learned]} from {about}{users}."


def learning_detail(chart: LearningChart) -> str:
    """State the interval, what more examples or dimensions do, and the table's slope."""
    if chart.fewest is None:
        return ""
    ends = chart.fewest.interval
    sentence = (
        f"Fewest users for an error of at most {readable(chart.alpha)} with probability 2/3 at "
        f"ε = {readable(chart.epsilon)}: {readable(ends.lower)} to {readable(ends.upper)}."
    )
    if chart.slope is None or chart.done != 1:
        return sentence
    return f"{sentence} {_fall(chart.slope, 'm' if chart.along_m else 'd')}"


def learning_notes(chart: LearningChart) -> list[str]:
    """Say what is run, on what, and how the intervals are meant."""
    candidates = f"{readable(chart.candidates)} candidates in {_dimensions(chart.dimension)}"
    if chart.radius > 0:
        candidates += (
            f", within {readable(chart.radius)} of every member of the family: proven, and "
            f"{readable(chart.radius / chart.alpha)}α where the paper's proof asks for 0.1α"
        )
    notes = [f"{_FAMILIES[chart.learned]}", f"{candidates}."]
    if chart.asked > chart.dimension:
        notes.append(
            f"d = {chart.asked} has too many candidates to compare all pairs of at this α: "
            f"{chart.dimension} is the most that is run."
        )
    score = (
        "Each user who contradicts a labelling counts 1 against it (Theorem 4)."
        if chart.learned == "labels"
        else "Each pair of candidates is compared on each user, clipped at Theorem 37's τ with "
        "C = 1; the noise is for the exact sensitivity, at most the paper's 2τ."
    )
    if chart.clips_from > 1:
        notes.append(
            f"Below m = {chart.clips_from} that τ cuts too little to matter: the noise is as if "
            "nothing was clipped, and more examples save little."
        )
    notes += [
        f"{score} The mechanism is run in full on fresh users: {readable(chart.runs)} data sets.",
        "All intervals hold together with probability 95%, if success grows with the number of "
        "users; they bound the fewest users, and with them the slope.",
        "The table's row hides its constants and logarithms: it is fitted to the points, a shape "
        "and no promise.",
    ]
    if chart.fewest is None and chart.done == 1:
        notes.append("Where no point is drawn, 32,768 users are too few.")
    return notes


def _fall(slope: Slope, letter: str) -> str:
    return (
        f"Along {letter} the users go like {letter} to the power {_signed(slope.slope)} "
        f"({_signed(slope.lower)} to {_signed(slope.upper)}), by Table 1's row, constants "
        f"dropped, {_signed(slope.row)} at the same points."
    )


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _users(count: float) -> str:
    return "1 user" if count == 1 else f"{readable(count)} users"


def _examples(count: int) -> str:
    return "1 example" if count == 1 else f"{readable(count)} examples"


def _dimensions(count: int) -> str:
    return "1 dimension" if count == 1 else f"{count} dimensions"
