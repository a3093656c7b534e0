"""What the views on propose-test-release say in a sentence, and their notes."""

import math

from dpviz.plot.text import counted, readable
from dpviz.results.evidence import Chart
from dpviz.topics.propose_test_release.figures import users_in_words
from dpviz.topics.propose_test_release.plain import Comparison, NoiseChart
from dpviz.topics.propose_test_release.users_needed import UsersNeeded
from dpviz.topics.propose_test_release.views.outliers import MovedOutliers
from dpviz.topics.propose_test_release.views.run import Role, Run
from dpviz.topics.propose_test_release.views.search import SearchChart


def run_takeaway(result: Run | UsersNeeded) -> str:
    """State whether the test passes."""
    if isinstance(result, UsersNeeded):
        return needed_takeaway(result)
    most = result.outcome.threshold
    chance = f"Chance lets the test leave out {users_in_words(most) if most else 'nobody'}."
    them = "that one" if most == 1 else "them"
    if result.outcome.answer is None:
        differ = f"Even without {them} the others" if most else "The users"
        return f"{chance} {differ} differ too much: the algorithm refuses to answer."
    alike = f"Without {them} the others" if most else "The users"
    return f"{chance} {alike} are alike, so the algorithm answers."


def run_detail(result: Run | UsersNeeded) -> str:
    """State the test and the answer, and what plain noise would have added."""
    if isinstance(result, UsersNeeded):
        return needed_detail(result)
    outcome, found = result.outcome, result.outcome.search
    spread, limit = readable(found.spread, 5), readable(found.limit, 5)
    kappa = result.release.budget.kappa
    rival = _beside(result.comparison)
    rule = (
        f"How many users may be left out is drawn by chance (R₁, near κ = {kappa:,}). So many may "
        "go if the others are alike without them; all such sets together are X_stable, and if "
        "there is none, the algorithm says that it does not answer (⊥). "
    )
    if outcome.answer is None:
        best = users_in_words(outcome.threshold)
        return (
            f"{rule}The answer is ⊥: without the best {best} to delete the spread "
            f"is still {spread}, more than the {limit} allowed. But {rival}, and never refuses."
        )
    left = result.release.users - 4 * result.release.budget.kappa
    return (
        f"{rule}Released is {readable(outcome.answer)} for the {users_in_words(left)} left, whose "
        f"sum is {readable(outcome.exact_sum)}: the spread {spread} is no more than the "
        f"{limit} allowed. But {rival}."
    )


def needed_takeaway(result: UsersNeeded) -> str:
    """State how many users are needed, and how many there are."""
    return f"The test needs more than {4 * result.kappa:,} users, {_there(result)}."


def needed_detail(result: UsersNeeded) -> str:
    """State κ, and how many users that asks for."""
    return f"{_kappa(result.kappa)}, {_there(result)}, so there is nothing to test."


def _there(result: UsersNeeded) -> str:
    are = "is" if result.users == 1 else "are"
    return f"but there {are} only {result.users:,}: nobody would be left to answer"


def _kappa(kappa: int) -> str:
    return (
        f"The test may leave out about κ = {kappa:,} users, and the answer is about all but 4κ, so "
        f"that DelStab needs n > 4κ = {4 * kappa:,} users"
    )


def search_takeaway(chart: SearchChart | UsersNeeded) -> str:
    """State how likely the test refuses, and why."""
    if isinstance(chart, UsersNeeded):
        return needed_takeaway(chart)
    if chart.least_size > 2 * chart.kappa:
        return f"However many users it leaves out, the rest differ too much: {_refusing(chart)}."
    if chart.least_size == 0:
        return f"Whoever is left out, the rest are alike: {_refusing(chart)}."
    left = users_in_words(chart.least_size)
    return f"Once it leaves out {left}, the rest are alike: {_refusing(chart)}."


def search_detail(chart: SearchChart | UsersNeeded) -> str:
    """State κ, and from which R₁ a stable set exists."""
    if isinstance(chart, UsersNeeded):
        return needed_detail(chart)
    most = 2 * chart.kappa
    if chart.least_size > most:
        found = f"no set of up to 2κ = {most:,} users is stable"
    elif chart.least_size == 0:
        found = f"every set of up to 2κ = {most:,} users is stable"
    else:
        found = (
            f"a stable set, without which the rest are alike, exists from R₁ = "
            f"{chart.least_size:,} left out on, of at most 2κ = {most:,}"
        )
    return f"{_kappa(chart.kappa)}; {found}, so the answer is {_chance(chart.refusal)}."


def threshold_takeaway(chart: SearchChart | UsersNeeded) -> str:
    """State that chance decides, and how likely the test refuses."""
    if isinstance(chart, UsersNeeded):
        return needed_takeaway(chart)
    return f"Chance decides how many users may be left out; so {_refusing(chart)}."


def threshold_detail(chart: SearchChart | UsersNeeded) -> str:
    """State κ, the law of R₁, and how much of it ends in ⊥."""
    if isinstance(chart, UsersNeeded):
        return needed_detail(chart)
    most = 2 * chart.kappa
    return (
        f"{_kappa(chart.kappa)}. How many it is, R₁, is drawn from 0 to 2κ = {most:,}, most often "
        f"κ, and on these data the answer is {_chance(chart.refusal)}."
    )


def _refusing(chart: SearchChart) -> str:
    return _refusal(chart.refusal)


def _refusal(refusal: float) -> str:
    """Say how likely the test refuses."""
    if refusal < 5e-4:
        return "the test practically never refuses" if refusal else "the test never refuses"
    if refusal > 0.9995:
        return "the test practically always refuses"
    return f"the test refuses with probability {readable(refusal)}"


def _chance(refusal: float) -> str:
    """Say how likely it refuses."""
    if refusal == 0:
        return "never a refusal (⊥)"
    if refusal == 1:
        return "always a refusal (⊥)"
    if refusal > 0.9995:
        return f"a refusal (⊥) with probability 1 − {readable(1 - refusal)}"
    return f"a refusal (⊥) with probability {readable(refusal)}"


# ---- outliers that move --------------------------------------------------------------------


def outliers_takeaway(chart: MovedOutliers | UsersNeeded) -> str:
    """State how likely the test refuses with the outliers where they are."""
    if isinstance(chart, UsersNeeded):
        return needed_takeaway(chart)
    who = users_in_words(chart.outliers)
    moved = f"With {who} moved {readable(chart.here)} away from the others"
    return f"{moved}, {_refusal(chart.value('refusal'))}."


def outliers_detail(chart: MovedOutliers | UsersNeeded) -> str:
    """State how likely ⊥ is with the outliers where they are, and what one user can change."""
    if isinstance(chart, UsersNeeded):
        return needed_detail(chart)
    together = chart.value("refusal")
    budget = chart.budget
    return (
        f"{_kappa(budget.kappa)}; with {users_in_words(chart.outliers)} at distance "
        f"{readable(chart.here)} from the others' median the answer is "
        f"{_chance(together)}. No single user can raise a probability p of ⊥ above "
        f"{readable(math.exp(budget.epsilon_bar))}·p + {readable(budget.delta_bar)}."
    )


# ---- beside plain noise --------------------------------------------------------------------


def _beside(comparison: Comparison) -> str:
    """Say how much larger or smaller the better plain noise would be."""
    name, ratio = comparison.plain[0], comparison.ratio
    size = f"{_times(ratio)} smaller" if ratio >= 1 else f"{_times(1 / ratio)} larger"
    return f"plain {name} noise, equally private, would be {size}"


def noise_takeaway(chart: NoiseChart | UsersNeeded) -> str:
    """State how the noise compares at the reader's m."""
    if isinstance(chart, UsersNeeded):
        return needed_takeaway(chart)
    name, ratio = chart.at.plain[0], chart.at.ratio
    than = f"{_times(ratio)} the noise of" if ratio >= 1 else f"{_times(1 / ratio)} less noise than"
    examples = counted(chart.here, "example", digits=7)
    return f"With {examples} each, the test adds {than} plain {name} noise, equally private."


def noise_detail(chart: NoiseChart | UsersNeeded) -> str:
    """State how the noise of DelStab compares at the reader's m, and from which m it is smaller."""
    if isinstance(chart, UsersNeeded):
        return needed_detail(chart)
    at, (name, plain) = chart.at, chart.at.plain
    more, less = f"{_times(at.ratio)} the noise of", f"{_times(1 / at.ratio)} less noise than"
    return (
        f"With m = {counted(chart.here, 'example', digits=7)} each DelStab adds "
        f"{more if at.ratio >= 1 else less} plain {name} noise, which is equally private: standard "
        f"deviation {readable(at.delstab)} against {readable(plain)} on the sum of "
        f"{chart.users:,} users. {_from_where(chart)}"
    )


def _from_where(chart: NoiseChart) -> str:
    if chart.break_even == 0:
        return "It adds less whatever m is."
    if math.isinf(chart.break_even):
        return "Even with a billion examples each it would not add less."
    here = "" if chart.here >= chart.break_even else "only "
    return f"It adds less {here}from about m = {readable(chart.break_even, 2)} on."


def noise_notes(chart: NoiseChart | UsersNeeded) -> list[str]:
    """Say what is compared, and what is not counted."""
    if isinstance(chart, UsersNeeded):
        return []
    left = chart.users - 4 * chart.kappa
    return [
        "All three are (ε, δ)-private when all examples of one user are substituted. A user's sum "
        f"lies between 0 and m = {readable(chart.here, 7)}, so the sum of all moves by at most m; "
        "plain noise is exactly calibrated to that, on all data, and never refuses.",
        f"DelStab answers for {left:,} of {chart.users:,} users: its noise is scaled to all of "
        "them. That the others are missing is an error as well, which is not counted here.",
        "DelStab's noise is c times the least for well-behaved users, and grows like √m; plain "
        "noise grows like m. Plain noise on sums cut off to a range of order √m, for which one has "
        "to know roughly where they lie, grows like √m too (page Clipping).",
    ]


def _plain_noise_notes(comparison: Comparison) -> list[str]:
    """Say what plain noise is calibrated to."""
    bound = readable(comparison.bound, 6)
    cut = comparison.cut
    lost = (
        f" On these data that takes {readable(cut, 4)} off the sum, which is no part of the noise."
        if cut
        else ""
    )
    return [
        f"Plain noise: every user's sum is cut off to a range of width {bound}, the sensitivity "
        f"of the sum.{lost} DelStab's noise is scaled from the users left to all of them."
    ]


def _times(ratio: float) -> str:
    return f"{readable(ratio)} times"


# ---- what to know --------------------------------------------------------------------------

_PRIVATE = (
    "How many may be left out (R₁), the spread, the probability of ⊥ and who is deleted are not "
    "protected: you see them as somebody does who holds the data. Only the answer, a number or ⊥, "
    "is released."
)
_UNIFORM = (
    "Every set of R₁ users is stable on these data, so S is drawn uniformly. The picture shows the "
    "set that leaves the least spread."
)
_WINDOW = (
    "Some sets of R₁ users are not stable on these data, so S is the set that leaves the least "
    "spread. Lemma 18 (privacy) holds for any choice, Lemma 19 (utility) for a uniform one."
)


def run_notes(result: Run | UsersNeeded) -> list[str]:
    """Say what is private, and how S was chosen."""
    if isinstance(result, UsersNeeded):
        return []
    kappa = result.release.budget.kappa
    notes = [
        _plainly(result),
        _PRIVATE,
        f"{_kappa(kappa)}.",
        *_plain_noise_notes(result.comparison),
    ]
    if not result.outcome.refused:
        notes.append(_UNIFORM if result.outcome.uniform else _WINDOW)
    total = sum(result.dots(role).size for role in Role)
    if total < result.release.users:
        notes.append(
            f"{total:,} of {result.release.users:,} users are drawn, evenly by rank in each lane."
        )
    return notes


def _plainly(result: Run) -> str:
    """Say in words what κ, R₁, X_stable and ⊥ are, with the numbers of this run."""
    kappa, size = result.release.budget.kappa, result.outcome.threshold
    more = users_in_words(4 * kappa - size)
    return (
        f"Chance decides how many users the test may leave out first: here {size:,} (in the paper "
        f"R₁), usually near {kappa:,} (κ), never more than {2 * kappa:,}. It looks for a set of so "
        f"many without whom the others are alike: whichever {more} more are left out, the answer "
        "is nearly the same. All such sets together are X_stable; if there is none, the algorithm "
        "says that it does not answer (⊥), and nothing else."
    )


def chart_notes(chart: Chart) -> list[str]:
    """Say what is private."""
    return [] if isinstance(chart, UsersNeeded) else [_PRIVATE]
