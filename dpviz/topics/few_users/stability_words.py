"""Few users: what the views on mistake trees and on stability say, and their notes."""

import math

from dpviz.plot.text import counted, readable
from dpviz.results.evidence import Bracket
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.views.four_models import FourModelsChart
from dpviz.topics.few_users.views.mistakes import GAMES, Mistakes
from dpviz.topics.few_users.views.stability import StabilityChart
from dpviz.topics.few_users.words import measured

# ---- mistake trees ---------------------------------------------------------------------------


def mistakes_takeaway(result: Mistakes) -> str:
    """State what the best learner errs at worst, and what one that keeps what fits does."""
    first = len(result.games["first"])
    these = counted(result.hypotheses, "hypothesis", "hypotheses")
    best = f"The best learner of these {these} errs {_times(result.dimension)}"
    if first <= result.dimension:
        return f"{best} at worst, and no learner can promise less."
    return f"{best} at worst; one that keeps the first that fits, {_times(first)} or more."


def mistakes_detail(result: Mistakes) -> str:
    """State the dimension, what it is, and how the size of the class bounds it."""
    return (
        f"{result.family}: {counted(result.hypotheses, 'hypothesis', 'hypotheses')} on "
        f"{counted(result.points, 'point')}, Littlestone dimension {result.dimension}, exactly "
        f"(at most log₂ of {result.hypotheses}). Whatever a learner predicts at a node of the "
        "tree, the adversary says the other label and goes on there: each path fits a hypothesis."
    )


def mistakes_notes(result: Mistakes) -> list[str]:
    """Say how each learner predicts, and what its number is."""
    optimal, halving, first = (len(result.games[name]) for name in GAMES)
    return [
        "The standard optimal algorithm predicts the label whose hypotheses have the larger "
        f"Littlestone dimension. Each mistake lowers it, so there are never more than {optimal}.",
        f"The majority of what fits errs at least {_times(halving)}, as often as an adversary "
        "makes it who keeps as many hypotheses as possible; never more often than log₂ of the size "
        f"of the class. The first hypothesis that fits errs at least {_times(first)}.",
        "In theorems on private learning the dimension stands where log of the size of the class "
        "stood: a class of points may be as large as you like, its dimension is 1.",
    ]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# ---- stability ---------------------------------------------------------------------------------


def stability_takeaway(chart: StabilityChart) -> str:
    """Compare how often one hypothesis comes out with how often users on shared darts agree."""
    alone = readable(100 * chart.alone)
    if math.isnan(chart.shared.value):
        return f"No hypothesis comes out of more than {alone}% of runs of the optimal algorithm."
    return (
        f"No hypothesis comes out of more than {alone}% of runs of the optimal algorithm; "
        f"two users with lists and shared darts agree in {readable(100 * chart.shared.value)}% of "
        "cases."
    )


def stability_detail(chart: StabilityChart) -> str:
    """State the three notions of stability side by side."""
    return (
        f"d = {counted(chart.here, 'rare point')}. Global stability: η = {readable(chart.alone)} "
        f"for one run of {counted(chart.examples, 'example', digits=7)}, "
        f"{readable(chart.tournament)} for the learner of Theorem 17. List stability: "
        f"η = {readable(chart.lists)} with lists of at most {chart.list_size}. Pseudo-global "
        f"stability at η = {readable(chart.share)}: ν between {readable(chart.pseudo.lower)} "
        f"and {readable(chart.pseudo.upper)}."
    )


def stability_notes(chart: StabilityChart) -> list[str]:
    """Say what is learned, by whom, and what of it is exact."""
    return [
        f"Learned: labelings with at most d ones, of Littlestone dimension d. Here d points are "
        "one, and so rare that even to miss all of them is an error of α at most; one run sees "
        f"each with probability about {readable(chart.sighting)}. The algorithm's hypothesis is "
        "the set of rare points seen: at 1/2 one of 2^d sets, none more likely than the others.",
        "The learner of Theorem 17 lets two runs meet, again and again, until they differ, and a "
        "coin decides which must learn. It does far better here than its theorem, which is for "
        f"every class and distribution; but it draws {readable(chart.tournament_examples)} "
        "examples on average, a number that grows exponentially with d.",
        f"In a list: all sets that leave out at most {chart.left_out} of the points seen, the "
        "fewest for stability 1/d. This list learner is made for this class; that of Theorem 18 is "
        "for all. No filter (Lemma 19) is needed, as every hypothesis listed is accurate.",
        "A list of all coins is ours, for every finite class, in place of Theorem 18's: the runs "
        f"of Theorem 17 go on with either label, and {chart.branched.tries} pairs meet each time. "
        "One accurate hypothesis is listed with probability 0.49 or more whatever the class, here "
        f"at least {readable(chart.branched.stability)}, that of runs whose labels are true. The "
        f"price: {readable(chart.branched.examples)} examples, and a bound of "
        f"2^{readable(chart.branched.log2_size)} on the list; examples and the exponent grow like "
        "2^O(d), where Theorem 18 has polynomials. Algorithm 1 is not run on it.",
        "Algorithm 1 on the lists that leave out few points: "
        f"k₁ = k₂ = {chart.runs:,}, τ = {readable(chart.tau)}, "
        f"γ = {readable(chart.gamma)}, without the proof's factors of a million. With own coins "
        f"two users agree in {measured(chart.own)} of cases.",
        *_proof_steps(chart),
        f"ν: the share of boards on which one hypothesis is picked with probability at least "
        f"{readable(chart.share)}, bounded from the picks of {chart.pseudo.users} users on each of "
        f"{chart.pseudo.boards} boards (95%): {chart.pseudo.stable} are surely of that kind, "
        f"{chart.pseudo.unstable} surely not. Stabilities drawn as lines are exact.",
    ]


def _proof_steps(chart: StabilityChart) -> list[str]:
    """Say how far each step of the proof of Theorem 20 is from its limit, if users hold a run."""
    steps, limit = chart.steps, readable(chart.beta**2 / 30)
    if chart.runs < 1 or not math.isfinite(steps.counted):
        return []
    kept = (
        f"Then 𝒫_H is {readable(steps.kept)} from 𝒫 (Lemma 23: at most β²/30 = {limit})."
        if math.isfinite(steps.kept)
        else f"So nothing is said of 𝒫_H and 𝒫 (Lemma 23: at most β²/30 = {limit})."
    )
    return [
        "The proof of Theorem 20, step by step, as measured on 100 users. The candidates H are "
        "those listed with probability 1.1τ and perhaps more down to 0.9τ in "
        f"{measured(steps.inside)} of cases (Lemma 22: but for β²/30). {kept} Counted frequencies "
        f"move it by {readable(steps.counted)} on average (Lemma 24: at most β²/30). The proof's "
        "k₁, k₂ and γ keep these limits; those here are smaller. On shared darts a user's pick is "
        "another one with at most twice the probability that these distances add up to."
    ]


# ---- four models -------------------------------------------------------------------------------


def four_models_takeaway(chart: FourModelsChart) -> str:
    """Compare a trusted server, and nobody trusted, at the reader's size of the class."""
    central, local = (chart.enough[model].upper for model in ("approximate", "local"))
    without = readable(local, 5) if math.isfinite(local) else "more than were tried"
    if chart.released == "counts":
        return (
            f"To get every count right to a tenth of the users, a server that all trust needs "
            f"{readable(central, 5)} users, however rich the class; where nobody is trusted, it "
            f"takes {without}."
        )
    return (
        f"However rich the class, {readable(central, 5)} users are enough for a server that all "
        f"trust; where nobody is trusted, {without}, a number that grows with the class."
    )


def four_models_detail(chart: FourModelsChart) -> str:
    """State the least number of users in each model, and for points through a representation."""
    parts = [f"{name}: {_users(chart.enough[model])}" for model, name in MODELS.items()]
    hashed = [f"{MODELS[model]}: {_users(found)}" for model, found in chart.hashed.items()]
    goal = "with no count off by more than n/10, " if chart.released == "counts" else ""
    return (
        f"Least n for success, {goal}with probability {readable(1 - chart.beta, 4)} among "
        f"2^{int(chart.here)} hypotheses: {'; '.join(parts)}. No private learner does with fewer "
        f"than {chart.fewest:,}, no pure one with fewer than {chart.fewest_pure:,}, unless one "
        f"function is good for two hypotheses. For points the vote may be about "
        f"2^{chart.hashed_bits} buckets: {'; '.join(hashed)}{_best(chart)}."
    )


def _best(chart: FourModelsChart) -> str:
    """State how many users the best pure learner of points needs, where that is known."""
    if not math.isfinite(chart.points):
        return ""
    return f"; the best pure learner of all needs {readable(max(chart.points, 1.0))}"


def _reached(chart: FourModelsChart) -> str:
    """Say up to which d the lower bound is known to be the truth."""
    if not chart.reached:
        return "None here is small enough."
    return f"It reaches the black line wherever it could be solved, here up to d = {chart.reached}."


def _users(found: Bracket) -> str:
    low, high = (readable(end, 5) for end in (found.lower, found.upper))
    return high if low == high else f"from {low} to {high}"


def four_models_notes(chart: FourModelsChart) -> list[str]:
    """Say what is compared, and how each model is calibrated."""
    return [
        "Like for like: in all four models a neighbour exchanges one user's vote for another, at "
        f"the same ε = {readable(chart.epsilon)} (and δ = {readable(chart.delta)} where there is "
        "one), and the noise is the least of its kind that keeps it, exactly. Elsewhere on this "
        "page the central models protect who is added or removed, which is easier.",
        *(_histograms(chart) if chart.released == "counts" else _votes(chart)),
        "Thin: the class of points, of which shared coins draw a random set to vote on (Lemma 10, "
        "Theorem 26, Corollary 27): buckets of a hash function, and 0. For every point and "
        "distribution one of them errs by at most α/2, but with probability β/2; so many are "
        "needed as α and β say, and no more however many points there are.",
        "Black: no private learner of any output does with fewer users, however many examples each "
        "holds, of a class in which no function is good for two hypotheses, as parities (thin: "
        "with δ). Success p on every target leaves some wrong hypothesis a chance of "
        "(1 − p)/(2^d − 1) at most, and n users must be enough to raise that to p: group privacy "
        "at its tightest.",
        *(_programs(chart) if chart.released == "winner" else ()),
    ]


def _votes(chart: FourModelsChart) -> list[str]:
    """Say how each model finds the winner."""
    return [
        "The vote: four of five users hold one hypothesis, the fifth another one, and nobody any "
        "of the rest; n is the least multiple of five from which the first is released with "
        "probability 1 − β. Ties count as lost.",
        f"Central, (ε, δ): the stable histogram, noise on 0 to {2 * chart.centre} for each count "
        "at ε/2; δ is the chance of either end. It never looks at hypotheses nobody holds. "
        "Central, pure: chosen ∝ e^(ε·votes/2). "
        f"Shuffle: r = {readable(chart.dispersion)} for each hypothesis; the two counts that "
        "change are looked at together.",
        "Local: the estimates of different hypotheses depend on each other. The band lies between "
        "where the other hypothesis held alone would already do harm and where all together can "
        "do none.",
    ]


def _programs(chart: FourModelsChart) -> list[str]:
    """Say what the linear programs find."""
    return [
        "Best pure vote: the optimum over all mechanisms for users who agree, by a linear program "
        f"with its dual as certificate. {_reached(chart)}",
        "Points, best pure learner: the same where half of the examples lie at the target and one "
        "function serves 1 + 2α(2^d − 1) points at once. No learner does with fewer users. Both "
        "are drawn where the programs are small (about ten users; more at d = 1).",
    ]


def _histograms(chart: FourModelsChart) -> list[str]:
    """Say how each model estimates every count."""
    return [
        "Every count: four of five users hold one hypothesis, the fifth another one, and nobody "
        "any of the rest; n is the least multiple of ten from which, with probability 1 − β, all "
        "2^d counts released are within n/10 of the truth. The proof of Theorem 25 needs that of "
        "the winner only.",
        "Central, (ε, δ): the stable histogram (Lemma 11), noise on 0 to "
        f"{2 * chart.centre} for each count somebody holds. Shuffle: Lemma 37 counts each from "
        f"below with r = {readable(chart.dispersion)}, and what falls below 0 is 0. Neither errs "
        "where nobody votes, so neither depends on how many hypotheses there are.",
        "Central, pure: noise on whole numbers for all 2^d counts, ∝ e^(−ε|x|/2); the largest of "
        "so many errors grows like d/ε. The paper's pure model chooses a winner only.",
        "Local: one randomised bit a user (Lemma 13). Each estimate errs by about the root of n, "
        "so n grows like d/ε². The band lies between what one count and pairs of counts force "
        "and a union bound over all; next to its ends a few users more or less change sides, as "
        "estimates move in jumps.",
    ]
