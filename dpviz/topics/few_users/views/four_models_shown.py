"""Four models: the users that a vote needs in each, against the size of the class."""

import math

from dpviz.plot.chart import draw
from dpviz.plot.text import between, readable, upwards
from dpviz.results.evidence import Bracket
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.views.four_models import FourModelsChart, four_models

_BEST_VOTE = "central, δ = 0, by the vote that is best if all agree"


def takeaway(chart: FourModelsChart) -> str:
    """Compare a trusted server, and nobody trusted, at the reader's size of the class."""
    local = _takes(chart.enough["local"])
    counts = " for counts right to a tenth" if chart.released == "counts" else ""
    enough = f"{upwards(chart.least)} users are enough{counts}"
    if chart.trusted == "approximate":
        return (
            f"With a trusted server {enough}, however rich the class; with nobody trusted, and "
            f"without δ, {local}."
        )
    return f"Without δ, {enough} with a trusted server; with nobody trusted {local}."


def _takes(users: Bracket) -> str:
    return f"it takes {between(users.lower, users.upper)}"


def detail(chart: FourModelsChart) -> str:
    """State the least number of users in each model, and for points through a representation."""
    parts = [f"{name}: {_users(chart.enough[model])}" for model, name in MODELS.items()]
    if math.isfinite(chart.best_vote):
        parts.append(f"{_BEST_VOTE}: {upwards(chart.best_vote, 5)}")
    hashed = [f"{MODELS[model]}: {_users(enough)}" for model, enough in chart.hashed.items()]
    goal = "with no count off by more than n/10, " if chart.released == "counts" else ""
    return (
        f"The least n with which these votes succeed, {goal}with probability "
        f"{readable(1 - chart.beta, 4)} among 2^{int(chart.here)} hypotheses: {'; '.join(parts)}. "
        "Unless one function is good for two hypotheses, no private learner succeeds with fewer "
        f"than {chart.fewest:,} users, and none with δ = 0 with fewer than {chart.fewest_pure:,}. "
        f"For points, users may vote on 2^{chart.hashed_bits} buckets instead: "
        f"{'; '.join(hashed)}{_best(chart)}."
    )


def _users(enough: Bracket) -> str:
    return between(enough.lower, enough.upper, 5)


def _best(chart: FourModelsChart) -> str:
    """State how many users the best pure learner of points needs, where that is known."""
    if not math.isfinite(chart.points):
        return ""
    return f"; the best learner with δ = 0 needs {readable(max(chart.points, 1.0))}"


def notes(chart: FourModelsChart) -> list[str]:
    """Say what is compared, and how each model is calibrated."""
    return [
        "All four models promise the same: neighbouring data sets differ in one user's vote, at "
        f"ε = {readable(chart.epsilon)} (and δ = {readable(chart.delta)} where there is one). "
        "The noise is exactly the least of its kind that keeps this promise. Elsewhere on this "
        "page the central models protect a user who is added or removed, which is easier.",
        *(_histograms(chart) if chart.released == "counts" else _votes(chart)),
        "Thin lines: the class of points. Shared coins draw a random set to vote on, the "
        "buckets of a hash function and the constant 0 (Lemma 10, Theorem 26, Corollary 27). "
        "For every point and distribution one of them has an error of at most α/2, except with "
        "probability β/2. How many are needed depends on α and β, and not on the number of "
        "points.",
        "Black lines (thin: with δ): no private learner, whatever it outputs, succeeds with "
        "fewer users, however many examples each holds. This is for classes in which no "
        "function is good for two hypotheses, such as parities. Success p on every target "
        "leaves some wrong hypothesis a chance of at most (1 − p)/(2^d − 1). The n users must "
        "be enough to raise that chance to p: group privacy at its tightest. With δ = 0 and "
        "users who all agree, that many are always enough, by a vote in closed form.",
        *(_programs() if chart.released == "winner" else ()),
    ]


def _histograms(chart: FourModelsChart) -> list[str]:
    """Say how each model estimates every count."""
    return [
        "Every count: four of five users hold one hypothesis, and the fifth holds another. "
        "Nobody holds any of the rest. n is the least multiple of ten from which on all 2^d "
        "released counts are within n/10 of the truth with probability 1 − β. The proof of "
        "Theorem 25 needs only the winner's count to be.",
        "Central, (ε, δ): the stable histogram (Lemma 11) subtracts noise between 0 and "
        f"{2 * chart.centre} from each count that is not 0. Shuffle: Lemma 37 estimates each "
        f"count from below with r = {readable(chart.dispersion)}, and releases 0 for what falls "
        "below 0. Neither has an error where nobody votes, so neither depends on the number of "
        "hypotheses.",
        "Central, δ = 0: every one of the 2^d counts gets noise on whole numbers, ∝ "
        "e^(−ε|x|/2); the largest of that many errors grows like d/ε. In the paper this model "
        "only chooses a winner.",
        "Local: each user sends one randomised bit (Lemma 13). Each estimate is off by about "
        "√n, so n grows like d/ε². The lower end of the band is what single counts and pairs of "
        "counts force, the upper end a union bound over all counts. Near either end a few users "
        "more or less can change the answer, as estimates move in jumps.",
    ]


def _votes(chart: FourModelsChart) -> list[str]:
    """Say how each model finds the winner."""
    return [
        "The vote: four of five users hold one hypothesis, and the fifth holds another. Nobody "
        "holds any of the rest. n is the least multiple of five from which on the first is "
        "released with probability 1 − β. Ties count as lost.",
        "Central, (ε, δ): the stable histogram subtracts noise between 0 and "
        f"{2 * chart.centre}, at ε/2, from each count; δ is the chance of either end. It never "
        "looks at hypotheses nobody holds. Central, δ = 0: the winner is drawn ∝ e^(ε·votes/2). "
        f"Shuffle: r = {readable(chart.dispersion)} for each hypothesis, calibrated for the two "
        "counts that change together.",
        "Best if all agree, δ = 0: no other private vote is better where all users hold the same. "
        "The curve has the users with which it succeeds here, where a fifth hold another.",
        "Local: the estimates of different hypotheses depend on each other. At the lower end of "
        "the band the second hypothesis that users hold already wins too often; at the upper "
        "end all wrong hypotheses together win rarely enough.",
    ]


def _programs() -> list[str]:
    """Say what the linear programs find."""
    return [
        "Points, best learner, δ = 0: no learner succeeds with fewer users. Half of the "
        "examples lie at the target, so one function serves 1 + ⌊2α(2^d − 1)⌋ points at once. A "
        "linear program finds the best of all mechanisms for users who agree, and its dual "
        "certifies it. The curve is drawn where the programs are small (about ten users; more "
        "at d = 1).",
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
