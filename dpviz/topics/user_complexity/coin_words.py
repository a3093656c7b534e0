"""What the view of the fewest users says in a sentence."""

import math

from dpviz.plot.text import counted, readable
from dpviz.topics.user_complexity.views.least_users import LeastUsersChart


def truth_takeaway(chart: LeastUsersChart) -> str:
    """State the fewest users of any private algorithm, and what noisy votes need."""
    if _by_guessing(chart):
        return (
            f"No user is needed: to guess names one of two coins with probability "
            f"{readable(chart.target)}."
        )
    each = f"With {counted(chart.here, 'toss', 'tosses')} each"
    if math.isnan(chart.optimum):
        return (
            f"{each} the best private algorithm needs at least "
            f"{counted(chart.needed, 'user')} to tell the coins apart; {readable(chart.reached)} "
            "are enough."
        )
    verb = "is" if chart.optimum == 1 else "are"
    return (
        f"{each}, {counted(chart.optimum, 'user')} {verb} the fewest with whom any private "
        f"algorithm tells the coins apart; clipped votes with noise {_need(chart)}."
    )


def truth_bounds(chart: LeastUsersChart) -> str:
    """Say between which numbers the fewest lie, once all is known that will be."""
    if chart.done != 1:
        return ""
    return f"between {readable(chart.needed)} and {counted(chart.reached, 'user')}"


def truth_detail(chart: LeastUsersChart) -> str:
    """State what every other way needs."""
    asked = f"The coin is to be named with probability {readable(chart.target)}, whichever it is"
    if _by_guessing(chart):
        return f"{asked}, which takes no data. All curves begin at one user."
    sentence = (
        f"{asked}. With {counted(chart.here, 'toss', 'tosses')} each, clipped votes with Laplace "
        f"noise need {counted(chart.laplace, 'user')}"
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


def _by_guessing(chart: LeastUsersChart) -> bool:
    """Tell whether a fair coin of one's own does without any data."""
    return chart.task == "two" and chart.target <= 0.5
