"""Four models: the users that a vote needs in each, against the size of the class."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.evidence import Bracket
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.views.four_models import FourModelsChart, four_models


def takeaway(chart: FourModelsChart) -> str:
    """Compare a trusted server, and nobody trusted, at the reader's size of the class."""
    central, local = (chart.enough[model].upper for model in ("approximate", "local"))
    without = readable(local, 5) if math.isfinite(local) else "more than were tried"
    if chart.released == "counts":
        return (
            f"Every count right to a tenth of the users takes {readable(central, 5)} users with a "
            f"server that all trust, however rich the class; where nobody is trusted, {without}."
        )
    return (
        f"A server that all trust needs {readable(central, 5)} users, however rich the class; "
        f"where nobody is trusted, it takes {without}, and more for a richer class."
    )


def detail(chart: FourModelsChart) -> str:
    """State the least number of users in each model, and for points through a representation."""
    parts = [f"{name}: {_users(chart.enough[model])}" for model, name in MODELS.items()]
    hashed = [f"{MODELS[model]}: {_users(enough)}" for model, enough in chart.hashed.items()]
    goal = "with no count off by more than n/10, " if chart.released == "counts" else ""
    return (
        f"Least n for success, {goal}with probability {readable(1 - chart.beta, 4)} among "
        f"2^{int(chart.here)} hypotheses: {'; '.join(parts)}. No private learner does with fewer "
        f"than {chart.fewest:,}, none with δ = 0 with fewer than {chart.fewest_pure:,}, unless one "
        f"function is good for two hypotheses. For points the vote may be about "
        f"2^{chart.hashed_bits} buckets: {'; '.join(hashed)}{_best(chart)}."
    )


def _users(enough: Bracket) -> str:
    low, high = (readable(end, 5) for end in (enough.lower, enough.upper))
    return high if low == high else f"from {low} to {high}"


def _best(chart: FourModelsChart) -> str:
    """State how many users the best pure learner of points needs, where that is known."""
    if not math.isfinite(chart.points):
        return ""
    return f"; the best learner of all with δ = 0 needs {readable(max(chart.points, 1.0))}"


def notes(chart: FourModelsChart) -> list[str]:
    """Say what is compared, and how each model is calibrated."""
    return [
        "Like for like: in all four models a neighbour exchanges one user's vote for another, at "
        f"the same ε = {readable(chart.epsilon)} (and δ = {readable(chart.delta)} where there is "
        "one), and the noise is the least of its kind that keeps it, exactly. Elsewhere on this "
        "page the central models protect who is added or removed, which is easier.",
        *(_histograms(chart) if chart.released == "counts" else _votes(chart)),
        "Thin: the class of points, of which shared coins draw a random set to vote on (Lemma 10, "
        "Theorem 26, Corollary 27): buckets of a hash function, and 0. For every point and "
        "distribution one of them has an error of at most α/2, but with probability β/2; so many "
        "are needed as α and β say, and no more however many points there are.",
        "Black: no private learner of any output does with fewer users, however many examples each "
        "holds, of a class in which no function is good for two hypotheses, as parities (thin: "
        "with δ). Success p on every target leaves some wrong hypothesis a chance of "
        "(1 − p)/(2^d − 1) at most, and n users must be enough to raise that to p: group privacy "
        "at its tightest. With δ = 0 and users who all agree, so many are always enough, by a vote "
        "in closed form.",
        *(_programs() if chart.released == "winner" else ()),
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
        f"below with r = {readable(chart.dispersion)}, and what falls below 0 is 0. Neither is "
        "wrong where nobody votes, so neither depends on how many hypotheses there are.",
        "Central, δ = 0: noise on whole numbers for all 2^d counts, ∝ e^(−ε|x|/2); the largest of "
        "so many errors grows like d/ε. In the paper it chooses a winner only.",
        "Local: one randomised bit a user (Lemma 13). Each estimate is off by about the root of "
        "n, so n grows like d/ε². The band lies between what one count and pairs of counts force "
        "and a union bound over all; next to its ends a few users more or less change sides, as "
        "estimates move in jumps.",
    ]


def _votes(chart: FourModelsChart) -> list[str]:
    """Say how each model finds the winner."""
    return [
        "The vote: four of five users hold one hypothesis, the fifth another one, and nobody any "
        "of the rest; n is the least multiple of five from which the first is released with "
        "probability 1 − β. Ties count as lost.",
        f"Central, (ε, δ): the stable histogram, noise on 0 to {2 * chart.centre} for each count "
        "at ε/2; δ is the chance of either end. It never looks at hypotheses nobody holds. "
        "Central, δ = 0: chosen ∝ e^(ε·votes/2). "
        f"Shuffle: r = {readable(chart.dispersion)} for each hypothesis; the two counts that "
        "change are looked at together.",
        "Local: the estimates of different hypotheses depend on each other. The band lies between "
        "where the other hypothesis held alone would already do harm and where all together can "
        "do none.",
    ]


def _programs() -> list[str]:
    """Say what the linear programs find."""
    return [
        "Points, best learner, δ = 0: half of the examples lie at the target, one function serves "
        "1 + ⌊2α(2^d − 1)⌋ points at once, and no learner does with fewer users: the optimum over "
        "all mechanisms for users who agree, by a linear program with its dual as certificate, "
        "drawn where the programs are small (about ten users; more at d = 1).",
    ]


VIEW = View(
    key="models",
    title="Four models",
    compute=four_models,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("released", "class_bits", "epsilon", "delta", *ACCURACY),
    in_sight=("class_bits", "epsilon", "released"),
    why="A server that all trust adds noise once, to the counts, and need not look at what nobody "
    "votes for. Without one each user adds noise of their own, and all of it piles up in the "
    "sum: that takes more users, and more still for a richer class.",
)
