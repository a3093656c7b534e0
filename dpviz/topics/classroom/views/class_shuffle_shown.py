"""Shuffled on the spot: what the total of messages says that nobody can tell apart."""

from dpviz.plot.chart import draw
from dpviz.plot.text import counted, from_to, readable
from dpviz.scene.view import View
from dpviz.topics.classroom.views.class_shuffle import ClassShuffle, class_shuffle


def takeaway(result: ClassShuffle) -> str:
    """State the interval, and from which class on shuffling pays."""
    span = from_to(f"{result.low:,}", f"{result.high:,}")
    of = f"Of {counted(result.answers, 'answer', digits=7)}, **{span}** say yes"
    if result.turning == result.turning:
        pays = (
            f"At this ε and δ shuffling is more precise than phones that randomise alone in "
            f"classes from about {readable(result.turning, 2)} on."
        )
    else:
        pays = "At this ε and δ phones that randomise alone are more precise in all these classes."
    return f"{of}, with 95% confidence, from messages that nobody can tell apart. {pays}"


def notes(result: ClassShuffle) -> tuple[str, ...]:
    """Say what was promised, what holds, and what must be trusted."""
    missing = result.users - result.answers
    waits = (
        f" It was planned for {result.users}; {missing} have not answered, and their noise is "
        f"missing."
        if missing
        else ""
    )
    return (
        f"With {counted(result.answers, 'answer', digits=7)} the total is (ε, δ)-DP for "
        f"ε = {readable(result.epsilon)} and exactly δ = {readable(result.true_delta)}.{waits}",
        "Here the server is the shuffler, and is trusted to keep no more than the total; phones "
        "that randomise alone need nobody's trust.",
    )


VIEW = View(
    key="shuffle",
    title="Shuffled on the spot",
    compute=class_shuffle,
    figure=draw,
    takeaway=takeaway,
    detail=lambda result: notes(result)[0],
    notes=notes,
    parameters=("total", "answers", "users", "epsilon", "delta"),
)
