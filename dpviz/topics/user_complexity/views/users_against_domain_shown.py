"""What d counts: how many users hashing the domain first saves a private learner."""

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, readable
from dpviz.scene.view import View
from dpviz.topics.user_complexity.views.users_against_domain import (
    RepresentationChart,
    users_against_domain,
)


def takeaway(chart: RepresentationChart) -> str:
    """State what hashing the domain first saves, or that the class is still small."""
    listed, hashed = chart.value("points"), chart.value("hashed")
    size = readable(chart.here)
    if listed <= hashed:
        return (
            f"To find one of {size} points the exponential mechanism needs "
            f"{counted(listed, 'user')}; with the points hashed first {readable(hashed)}, but no "
            "more for any larger domain."
        )
    return (
        f"To find one of {size} points the exponential mechanism needs "
        f"{counted(listed, 'user')}, but {readable(hashed)} if the points are hashed first, "
        "however many there are."
    )


def detail(chart: RepresentationChart) -> str:
    """State the d that the hash proves, what the lemmas ask for, and what thresholds do."""
    least = chart.value("thresholds")
    return (
        "d is the logarithm of the size of a random set of hypotheses that suffices: at most "
        f"{readable(chart.size)} for points, whatever the domain. Thresholds on as many points "
        f"have Littlestone dimension {chart.depth}; to learn them privately takes at least "
        f"{counted(least, 'user')}, however many examples each holds. Users are counted for a "
        "point just heavier than α, found with probability 2/3; the proof of Theorem 4, good "
        f"for every input, asks for {readable(chart.value('proof'))} (Lemma 22)."
    )


def notes(chart: RepresentationChart) -> list[str]:
    """Say what Lemmas 21 and 22 are worth here, in numbers."""
    made, needed, asked = chart.boosted, chart.value("hashed"), chart.value("proof")
    return [
        "“points, hashed: by the proof” is Lemma 22 with exact binomial tails, then the "
        "exponential mechanism "
        f"within the score that this leaves. It takes {readable(asked)} users, where the "
        f"mechanism itself needs {readable(needed)}.",
        "“points, boosted” is Lemma 21. It makes a representation for α out of one for an "
        "error of 1/4, "
        f"here of {made.weak} hypotheses: each hypothesis of the new one is a majority of "
        f"{made.rounds} votes, each taken from {made.copies} copies put together. That works "
        "for every class, but ln |H| becomes "
        f"{readable(made.log_size)}, where hashing for α directly has {readable(chart.size)}. "
        "These users are proven to be enough; they are not the fewest.",
    ]


VIEW = View(
    key="representation",
    title="What d counts",
    compute=users_against_domain,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("domain_size", "alpha", "epsilon", "examples_per_user"),
    in_sight=("domain_size", "alpha", "epsilon"),
    pulled={"domain_size": "one of # points"},
)
