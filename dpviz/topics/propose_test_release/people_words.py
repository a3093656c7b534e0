"""What the view of users says: one sentence, the numbers behind it, and what to know about it."""

import numpy as np

from dpviz.plot.text import readable
from dpviz.topics.propose_test_release.figures import users_in_words
from dpviz.topics.propose_test_release.people_figures import people_dots
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.people import People
from dpviz.topics.propose_test_release.words import needed_detail, needed_takeaway

_SURE = 0.9995  # from here on a chance is called certainty
_MOVED = 0.005  # of a chance, from which a group is named


def people_takeaway(result: People | UsersNeeded) -> str:
    """Say how likely an answer is, and with which group gone the chance moves most."""
    if isinstance(result, UsersNeeded):
        return needed_takeaway(result)
    likely = f"The test answers with {_chance(result.chance)}"
    moved = _most_moving(result)
    if moved is None:
        return f"{likely}, whichever group of users is left out."
    which, chance = moved
    return f"{likely}; without the {which}, with {_chance(chance)}."


def _chance(chance: float) -> str:
    if chance >= _SURE:
        return "practical certainty"
    return f"probability {readable(chance, 2)}" if chance > 1 - _SURE else "practically no chance"


def _most_moving(result: People) -> tuple[str, float] | None:
    """Return the group whose absence moves the chance most, and the chance without it."""
    first, last = np.triu_indices(result.groups)
    alone = first == last
    chances = result.answers[1:, result.here][alone]
    held = result.people[alone]
    moves = np.where((held > 0) & np.isfinite(chances), np.abs(chances - result.chance), 0.0)
    group = int(moves.argmax())
    if moves[group] < _MOVED:
        return None
    low, high = result.edges[group], result.edges[group + 1]
    middles = people_dots(result).middles
    sums = result.release.sums
    users = users_in_words(int(held[group]))
    if group == middles.size - 1 and sums.max() >= high:
        return f"{users} above {readable(low)}", float(chances[group])
    if group == 0 and sums.min() < low:
        return f"{users} below {readable(high)}", float(chances[group])
    return f"{users} around {readable(middles[group])}", float(chances[group])


def people_detail(result: People | UsersNeeded) -> str:
    """State the chance, the test at the likeliest R₁, and the noise."""
    if isinstance(result, UsersNeeded):
        return needed_detail(result)
    usual, limit = result.usual, float(result.limits[result.here])
    size, spread = int(result.sizes[usual]), float(result.spreads[0, usual])
    return (
        f"At noise c = {readable(float(result.factors[result.here]))} the answer comes with "
        f"probability {readable(result.chance, 4)}. The likeliest R₁ is κ = {size:,}: without the "
        f"best {users_in_words(size)} to delete, the spread of the others is "
        f"{readable(spread, 4)}, {'within' if spread <= limit else 'more than'} the "
        f"{readable(limit, 4)} allowed."
    )


def people_notes(result: People | UsersNeeded) -> list[str]:
    """Say what the figure shows, what brushing does, and what of this is private."""
    if isinstance(result, UsersNeeded):
        return []
    per = people_dots(result).per_dot
    dot = "a user" if per == 1 else f"one of about {per:,} users of its group"
    return [
        f"A dot is {dot}; the outer groups hold all who are farther out. Red: the R₁ users whose "
        "deletion leaves the least spread. Of the others the test compares two deletions, of the "
        "largest and of the smallest (orange): the spread is by how much the sums left differ.",
        "Where every set of R₁ users would do, the algorithm draws one at random; the picture "
        "shows the best.",
        "Brush users to see what the test does with them, and how likely it would answer without "
        "them: the same test with the same noise, on the others. One user more or less moves the "
        "chance little, which is what makes the test private; a group may move it much.",
        "Keys: with the figure in focus, the arrows brush one group after the other, with Shift "
        "more of them, and Escape lets them go. The noise is the slider's; the table below the "
        "figure has a row for each user.",
        f"Every chance is computed for {result.factors.size} levels of noise and all ranges of "
        "groups before it is shown. Noise chosen by looking at these users is not private.",
        "R₁, the spread, the chance of an answer and who is deleted are not protected: you see "
        "them as somebody does who holds the data. Only the answer is released.",
    ]
