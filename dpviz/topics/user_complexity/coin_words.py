"""What the view of the fewest users says in a sentence."""

import math

from dpviz.plot.text import readable
from dpviz.topics.user_complexity.views.least_users import LeastUsersChart


def truth_takeaway(chart: LeastUsersChart) -> str:
    """State the fewest users of any private algorithm, and what noisy votes need."""
    each = f"With {_tosses(chart.here)} each"
    if math.isnan(chart.optimum):
        return (
            f"{each} the best private algorithm needs at least {readable(chart.needed)} users to "
            f"tell the coins apart; {readable(chart.reached)} are enough."
        )
    return (
        f"{each}, {_users(chart.optimum)} the fewest with whom any private algorithm tells the "
        f"coins apart; clipped votes with noise {_need(chart)}."
    )


def truth_detail(chart: LeastUsersChart) -> str:
    """State what every other way needs."""
    sentence = (
        f"The coin is to be named with probability {readable(chart.target)}, whichever it is. With "
        f"{_tosses(chart.here)} each, clipped votes with Laplace noise need "
        f"{readable(chart.laplace)} users"
    )
    if math.isfinite(chart.exponential):
        sentence += f", the clipped exponential mechanism {readable(chart.exponential)}"
    return (
        f"{sentence}; the bound for all private algorithms says {readable(chart.proven)}, the "
        f"shape of Lemma 39 {readable(chart.value('fano'))}, that of Theorem 41 "
        f"{readable(chart.value('row'))}."
    )


def truth_notes(chart: LeastUsersChart) -> tuple[str, ...]:
    """Say what the curves are, and where they end."""
    notes = (
        "The best private algorithm is found by a linear program over all data sets; its dual "
        "solution, checked apart from the solver, proves that no algorithm does better. The curve "
        "has gaps where the program would be too large.",
        "Both shapes have their constants set to 1: they are no promise.",
        "Grey: between as many users as one toss each asks for, and that number divided by m. "
        "Observation 28 proves that the fewest lie there.",
        "Neighbouring data sets: one user is substituted, with all tosses.",
    )
    if chart.task == "two":
        return notes
    return (*notes, "The clipped exponential mechanism is computed for two coins only.")


def _need(chart: LeastUsersChart) -> str:
    if chart.laplace == chart.optimum:
        return "need no more"
    return f"need {readable(chart.laplace)}"


def _users(count: float) -> str:
    return "1 user is" if count == 1 else f"{readable(count)} users are"


def _tosses(count: float) -> str:
    return "1 toss" if count == 1 else f"{readable(count)} tosses"
