"""What a class found out about itself, in words."""

from dpviz.plot.text import readable
from dpviz.topics.classroom.views.answers import ClassShuffle, ClassSurvey
from dpviz.topics.classroom.views.attack import ClassAttack
from dpviz.topics.classroom.views.sketches import ClassSketches


def survey_takeaway(result: ClassSurvey) -> str:
    """State the interval, and what a trusted curator would know."""
    of = f"Of {_people(result.answers)}, **{_span(result.low, result.high)}** truly say yes"
    curator = f"within {result.central}" if result.central else "exactly, 19 times of 20"
    return (
        f"{of}: so much is known with 95% confidence, and everybody can deny their answer. A "
        f"trusted curator with the same ε would know the number {curator}."
    )


def survey_notes(result: ClassSurvey) -> tuple[str, ...]:
    """Say what the interval is, and what it leaves out."""
    return (
        f"The best single guess is {readable(result.estimate, 2)}.",
        "The interval is exact at any size of the class: the chance in it is the phones' coins. It "
        "speaks of those who have answered, and of nobody else.",
        "The curator's interval is drawn around the same line to compare widths; a curator would "
        "have found another line.",
    )


def shuffle_takeaway(result: ClassShuffle) -> str:
    """State the interval, and from which class on shuffling pays."""
    of = f"Of {_people(result.answers)}, **{_span(result.low, result.high)}** say yes"
    if result.turning == result.turning:
        pays = (
            f"At this ε and δ shuffling is more precise than phones that randomise alone in "
            f"classes from about {readable(result.turning, 2)} on."
        )
    else:
        pays = "At this ε and δ phones that randomise alone are more precise in all these classes."
    return f"{of}, with 95% confidence, from messages that nobody can tell apart. {pays}"


def shuffle_notes(result: ClassShuffle) -> tuple[str, ...]:
    """Say what was promised, what holds, and what must be trusted."""
    missing = result.users - result.answers
    waits = (
        f" It was planned for {result.users}; {missing} have not answered, and their noise is "
        f"missing."
        if missing
        else ""
    )
    return (
        f"With {_people(result.answers)} the total is (ε, δ)-DP for ε = {readable(result.epsilon)} "
        f"and exactly δ = {readable(result.true_delta)}.{waits}",
        "Here the server is the shuffler, and is trusted to keep no more than the total; phones "
        "that randomise alone need nobody's trust.",
    )


def attack_takeaway(result: ClassAttack) -> str:
    """State how often the class was right, and how often the best attacker is."""
    score = result.score
    if not score.guesses:
        return "Nobody has guessed yet."
    return (
        f"The class was right in **{readable(100 * score.right / score.guesses, 2)}%** of "
        f"{score.guesses:,} guesses; no attacker is right "
        f"more often than {readable(100 * result.best)}% on average."
    )


def sketches_takeaway(result: ClassSketches) -> str:
    """State for which parameters the class draws, or once it is revealed what the curve says."""
    return result.sentence or result.state


def sketches_notes(result: ClassSketches) -> tuple[str, ...]:
    """Say what the middle line and the band are."""
    if result.count < 2:
        return ()
    return (
        "Dashed: the median of the sketches at each place; half of them lie in the band. Both are "
        "taken where at least half of the class drew something.",
    )


def attack_notes(result: ClassAttack) -> tuple[str, ...]:
    """Say why a class may be above the curve."""
    score = result.score
    return (
        f"Hits: {score.hits} of {score.present}. False alarms: {score.alarms} of {score.absent}.",
        "By luck a class can come out above the curve; the interval says how much luck there is. "
        "It is exact if all guess by one rule.",
    )


def _people(count: int) -> str:
    return f"{count:,} answer{'' if count == 1 else 's'}"


def _span(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
