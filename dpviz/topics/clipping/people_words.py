"""What the view of people says: one sentence, the numbers behind it, and what to know about it."""

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.text import readable
from dpviz.results.evidence import FloatArray
from dpviz.topics.clipping.people_figures import people_dots
from dpviz.topics.clipping.views.people import People
from dpviz.topics.clipping.words import chance

_ALIKE = 1.1  # how much more common a category may be where rows are called alike


def people_takeaway(result: People) -> str:
    """Say what kind of people the reader's τ cuts off."""
    beyond = result.beyond(result.taus)[:, result.here]
    count = int(beyond.sum())
    if not count:
        return "Your τ cuts nobody off: everybody's rows count in full."
    if count == result.users:
        return "Your τ cuts everybody off: nobody's rows count in full."
    theirs, everybody = _law(result.counts[beyond]), _law(result.counts)
    kind = int((theirs - everybody).argmax())
    often = float(theirs[kind] / everybody[kind])
    cut = f"Your τ cuts off {'1 person' if count == 1 else f'{count:,} people'}"
    if often < _ALIKE:
        return f"{cut}, whose rows are much like everybody's."
    return (
        f"{cut}; {result.data.name[:24]} is “{result.data.categories[kind][:24]}” "
        f"{readable(often, 2)} times as often in their rows as in all."
    )


def people_detail(result: People) -> str:
    """State the chances, bias and noise at the reader's τ."""
    law, free, task = result.laws[result.here], result.laws[-1], result.task
    likeliest = int(law.argmax())
    likely = chance(float(law[likeliest]), float(np.delete(law, likeliest).sum()))
    rank = int((task.errors < task.errors[likeliest] - 1e-12).sum()) + 1
    return (
        f"At τ = {readable(result.threshold)} the likeliest answer, with probability "
        f"{likely}, is number {rank} of {law.size} candidates by distance "
        f"from the truth; the expected error is {readable(float(law @ task.errors))}, without "
        f"clipping {readable(float(free @ task.errors))}. Clipping moves the mean score by "
        f"{readable(float(result.bias[result.here]))}; the noise is "
        f"{readable(float(result.noise[result.here]))} a person."
    )


def people_notes(result: People) -> list[str]:
    """Say what a score is, what brushing does, and what of this is private."""
    names = ", ".join(name[:24] for name in result.data.categories)
    best, rival = (result.task.names[place] for place in (result.best, result.rival))
    return [
        f"A dot is {_dot(result)}. A score compares two candidates on one person's rows, "
        f"{result.task.comparison}: above 0 it speaks for the best one ({names}: {best}), below 0 "
        f"for the other ({rival}). What lies beyond the dashed lines counts as much as they do.",
        "Brush people to see what their rows say, and what the answer would be without them: the "
        "same mechanism, at the same ε and τ, on the others' rows. One person more or less changes "
        "no chance by a factor of more than e^ε; a group may change it much.",
        "Keys: with the figure in focus, the arrows brush one group after the other, with Shift "
        "more of them, and Escape lets them go. τ is the slider's; the table below the figure has "
        "a row for each person.",
        f"Every chance is computed for all {result.taus.size} values of τ and all ranges of groups "
        "before it is shown; moving τ in the figure only looks it up. Every τ is ε-private, but a "
        "τ chosen by looking at these people is not.",
        "The answer is private; the people, their scores and the chances are not: they are shown "
        "to whoever has the data anyway.",
    ]


def _dot(result: People) -> str:
    per = people_dots(result).per_dot
    return "a person" if per == 1 else f"one of about {per:,} people of its group"


def _law(counts: NDArray[np.int64]) -> FloatArray:
    return np.asarray(counts.sum(axis=0) / counts.sum())
