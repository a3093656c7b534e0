"""What the charts of the user-complexity page say in a sentence."""

import math

from dpviz.plot.text import counted, power_of_ten, readable, spoken
from dpviz.topics.user_complexity.figures import theorem
from dpviz.topics.user_complexity.views.budget import BudgetChart
from dpviz.topics.user_complexity.views.hidden_constants import ConstantsChart
from dpviz.topics.user_complexity.views.own_bound import OwnBoundChart
from dpviz.topics.user_complexity.views.pure_approximate import CLEARLY, PureApproximateChart
from dpviz.topics.user_complexity.views.representation import RepresentationChart
from dpviz.topics.user_complexity.views.users import UsersChart

_LEAST_ALIKE, _MOST_ALIKE = 0.995, 1.005  # a ratio in between is 1 to three digits


def users_takeaway(chart: UsersChart) -> str:
    """State the users that the new bound asks for, against one example each."""
    at = "At these values"
    along_m = chart.x.name == "examples_per_user"
    if along_m:
        at = f"With {_examples(chart.here)} each"
    if chart.unmet:
        return f"{at} the theorem does not apply: {' and '.join(chart.unmet)}."
    users = _so_many(chart.users, spoken(chart.users))
    verb = "are" if users.endswith("s") else "is"
    enough = f"{at}, {users} {verb} enough, up to constants"
    if chart.examples == 1:
        return f"{enough}; more examples from each save users."
    return f"{enough}: {_compared(chart.saving)}."


def users_detail(chart: UsersChart) -> str:
    """State the users that the new bound asks for, beside those with one example each."""
    name = theorem(chart.curve(chart.primary))
    at = "At these values"
    root = ""
    if chart.x.name == "examples_per_user":
        at = f"With {_examples(chart.here)} each"
        if chart.model == "central":
            root = f" (√m = {readable(math.sqrt(chart.here))})"
    saved = f", {_compared(chart.saving)}{root}" if chart.examples > 1 else ""
    sentence = (
        f"{at}, {name} asks for {_so_many(chart.users)} up to constants{saved}; {chart.leading} "
        "dominates."
    )
    if chart.beyond_pooling:
        sentence += (
            " That saves more than a factor m: in the local model, m people with one example each "
            "cannot stand in for one user."
        )
    return f"{sentence} But {' and '.join(chart.unmet)}." if chart.unmet else sentence


def constants_takeaway(chart: ConstantsChart) -> str:
    """State what the constants leave of the saving."""
    if math.isinf(chart.beats_discarding):
        begins = "no number of examples makes up for them"
    else:
        begins = f"the saving begins at {_at_examples(chart.beats_discarding)} each"
    if chart.here == 1:
        return f"With these constants {begins}."
    return (
        f"With these constants, {_examples(chart.here)} each take {_users(chart.saving)}; {begins}."
    )


def representation_takeaway(chart: RepresentationChart) -> str:
    """State what hashing the domain first saves, or that the class is still small."""
    listed, hashed = chart.value("points"), chart.value("hashed")
    size = readable(chart.here)
    if listed <= hashed:
        return (
            f"To find one of {size} points the exponential mechanism needs {readable(listed)} "
            f"users; with the points hashed first {readable(hashed)}, but no more for any larger "
            "domain."
        )
    return (
        f"To find one of {size} points the exponential mechanism needs {readable(listed)} users, "
        f"but {readable(hashed)} if the points are hashed first, however many there are."
    )


def representation_detail(chart: RepresentationChart) -> str:
    """State the d that the hash proves, what the lemmas ask for, and what thresholds do."""
    least = chart.value("thresholds")
    return (
        f"d counts the logarithm of a random set of hypotheses that suffices: at most "
        f"{readable(chart.size)} for points, whatever the domain. Thresholds on as many points "
        f"have Littlestone dimension {chart.depth}: no private learner of theirs does with fewer "
        f"than {counted(least, 'user')}, however many examples each holds. Users are counted for "
        f"a point just heavier than α, found with probability 2/3; the proof of Theorem 4, good "
        f"for every input, asks for {readable(chart.value('proof'))} (Lemma 22)."
    )


def representation_notes(chart: RepresentationChart) -> list[str]:
    """Say what Lemmas 21 and 22 are worth here, in numbers."""
    made, needed, asked = chart.boosted, chart.value("hashed"), chart.value("proof")
    return [
        "By the proof: Lemma 22 by exact binomial tails, then the exponential mechanism within the "
        f"score it leaves: {readable(asked)} users, where the mechanism needs {readable(needed)}.",
        "Boosted: Lemma 21 makes a representation for α out of one for an error of 1/4, here of "
        f"{made.weak} hypotheses: majorities of {made.rounds} votes, each from {made.copies} "
        f"copies united. That works for every class, but ln |H| becomes {readable(made.log_size)}; "
        f"hashing at once has {readable(chart.size)}. Users proven to be enough, not the fewest.",
    ]


def _at_examples(m: float) -> str:
    return "1 example" if m == 1 else f"{_at(m)} examples"


def _so_many(users: float, said: str = "") -> str:
    """Say so many users; said: the number as people say it. A bound may lie below one."""
    if users < 1:
        return "less than one user"
    return f"{said} {'user' if said == '1' else 'users'}" if said else counted(users, "user")


def _number(users: float) -> str:
    return "less than one" if users < 1 else readable(users)


def _users(saving: float, other: str = "with one example each") -> str:
    """Say how many times fewer users than the other way; where none, as many."""
    return (
        _compared(saving, other)
        .replace("fewer than", "fewer users than")
        .replace("more than", "more users than")
    )


def constants_detail(chart: ConstantsChart) -> str:
    """State what the constants leave of the saving, and from which m on the bound wins."""
    sentence = (
        f"With these constants {theorem(chart.curve('new'))} asks for {_so_many(chart.users)} at "
        f"m = {readable(chart.here)}"
    )
    sentence += f", {_compared(chart.saving)}." if chart.here > 1 else "."
    if math.isinf(chart.beats_discarding):
        return f"{sentence} No m, however large, makes it better than throwing examples away."
    sentence += f" It beats throwing examples away from m = {_at(chart.beats_discarding)} on"
    if math.isinf(chart.beats_earlier):
        return f"{sentence}, but some earlier bound is always as good."
    if chart.beats_earlier > chart.beats_discarding:
        sentence += f", and every earlier bound from m = {_at(chart.beats_earlier)} on"
    if math.isinf(chart.loses_again):
        return f"{sentence}."
    return f"{sentence}, until earlier work catches up at m = {_at(chart.loses_again)}."


def budget_takeaway(chart: BudgetChart) -> str:
    """State how much more private the item-level algorithm must be than by group privacy."""
    ratio = chart.group / chart.theorem
    if _alike(ratio):
        than = "as private as group privacy asks"
    elif ratio > 1:
        than = f"{readable(ratio)} times more private than group privacy asks"
    else:
        than = f"{readable(1 / ratio)} times less private than group privacy asks"
    return (
        f"To protect users with {_examples(chart.here)} each, the transformation needs an "
        f"algorithm {than}, up to constants."
    )


def budget_detail(chart: BudgetChart) -> str:
    """State the item-level budget that Theorem 10 asks for, beside that of group privacy."""
    sentence = (
        f"With {_examples(chart.here)} each, Theorem 10 runs the item-level algorithm at "
        f"ε′ = {readable(chart.theorem)} and δ′ = {_exponential(chart.theorem_log_delta)}, up to "
        f"constants; group privacy needs ε/m = {readable(chart.group)}."
    )
    if math.isinf(chart.better_from):
        return f"{sentence} That stays the milder demand for every m."
    if chart.theorem > chart.group:
        return f"{sentence} Theorem 10 is the milder demand from m = {_at(chart.better_from)} on."
    return f"{sentence} Only from m = {_at(chart.better_from)} on is Theorem 10 the milder demand."


def own_takeaway(chart: OwnBoundChart) -> str:
    """State whether the transformation pays at the reader's m, or a plainer way does."""
    if chart.group < _LEAST_ALIKE * min(chart.theorem_10, chart.item_level):
        return (
            f"Plain group privacy is cheaper: with {_examples(chart.here)} each it asks for "
            f"{_so_many(chart.group)}, the transformation for {_number(chart.theorem_10)}, up to "
            "constants."
        )
    change = _users(chart.item_level / chart.theorem_10, "before")
    pays = "The transformation pays" if chart.theorem_10 < chart.item_level else "It does not pay"
    return f"{pays}: with {_examples(chart.here)} each it asks for {change}, up to constants."


def own_detail(chart: OwnBoundChart) -> str:
    """State what becomes of the reader's item-level bound."""
    sentence = (
        f"{_so_many(chart.item_level)} of one example each become "
        f"{_so_many(chart.theorem_10)} of {_examples(chart.here)} by Theorem 10, up "
        f"to constants ({_compared(chart.item_level / chart.theorem_10, 'before')}), and "
        f"{_number(chart.group)} by group privacy."
    )
    if math.isinf(chart.beats_discarding):
        return f"{sentence} No m makes Theorem 10 better than throwing examples away."
    return (
        f"{sentence} Theorem 10 beats throwing examples away from "
        f"m = {_at(chart.beats_discarding)} on."
    )


def pure_approximate_takeaway(chart: PureApproximateChart) -> str:
    """State whether approximate DP helps at the reader's m."""
    ratio = chart.pure / chart.approximate
    saves = f"saves a factor {readable(ratio)}" if ratio >= CLEARLY else "saves next to nothing"
    return f"With {_examples(chart.here)} each, allowing a small δ {saves}, up to constants."


def pure_approximate_detail(chart: PureApproximateChart) -> str:
    """State both numbers of users, and when approximate DP helps at all."""
    ratio = chart.pure / chart.approximate
    verdict = (
        f"approximate DP saves a factor {readable(ratio)}"
        if ratio >= CLEARLY
        else f"the same up to a factor {readable(ratio)}"
        if ratio > _MOST_ALIKE
        else "the same"
    )
    sentence = (
        f"With {_examples(chart.here)} each the best bounds ask for "
        f"{_so_many(chart.pure)} under pure DP and {_number(chart.approximate)} under "
        f"approximate DP, up to constants: {verdict}."
    )
    if math.isinf(chart.helps_from):
        return f"{sentence} Approximate DP never halves the users here."
    return f"{sentence} Approximate DP first halves the users at m = {_at(chart.helps_from)}."


def _examples(m: float) -> str:
    return counted(m, "example")


def _alike(ratio: float) -> bool:
    """Tell whether two numbers are the same to three digits."""
    return _LEAST_ALIKE <= ratio <= _MOST_ALIKE


def _compared(saving: float, other: str = "with one example each") -> str:
    """Say how many times fewer users than the other way."""
    if _alike(saving):
        return f"as many as {other}"
    if saving > 1:
        return f"{readable(saving)} times fewer than {other}"
    return f"{readable(1 / saving)} times more than {other}"


def _at(m: float) -> str:
    """Write a whole number of examples, exactly as far as people read it."""
    return readable(m, 6) if m < 1e6 else readable(m)


def _exponential(logarithm: float) -> str:
    """Write e to the `logarithm`, however small it is."""
    if logarithm > -700:
        return readable(math.exp(logarithm))
    return f"about {power_of_ten(round(logarithm / math.log(10)))}"
