"""The class is the attacker: its guesses beside what any attacker can reach."""

from dpviz.plot.chart import draw
from dpviz.plot.text import percent
from dpviz.scene.view import View
from dpviz.topics.classroom.views.class_attack import ClassAttack, class_attack


def takeaway(result: ClassAttack) -> str:
    """State how often the class was right, and how often the best attacker is."""
    score = result.score
    if not score.guesses:
        return "Nobody has guessed yet."
    return (
        f"The class was right in **{percent(score.right / score.guesses, digits=2)}** of "
        f"{score.guesses:,} guesses; no attacker is right "
        f"more often than {percent(result.best)} on average."
    )


def notes(result: ClassAttack) -> tuple[str, ...]:
    """Say why a class may be above the curve."""
    score = result.score
    return (
        f"Hits: {score.hits} of {score.present}. False alarms: {score.alarms} of {score.absent}.",
        "By luck a class can come out above the curve; the interval says how much luck there is. "
        "It is exact if all guess by one rule.",
    )


VIEW = View(
    key="worlds",
    title="The class is the attacker",
    compute=class_attack,
    figure=draw,
    takeaway=takeaway,
    notes=notes,
    parameters=("hits", "present", "alarms", "absent", "epsilon"),
)
