"""Four models: the users a vote needs by whom they trust, and as the class gets richer."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Rule, Text
from dpviz.plot.panels import Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import between, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Bracket, Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.models import MODELS, SUBJECTS
from dpviz.topics.few_users.models_shown import size_of_class
from dpviz.topics.few_users.views.four_models import MIXED, TRUSTED, FourModelsChart, four_models

_BEST_VOTE = "central, δ = 0, by the vote that is best if all agree"
_END, _ROOM = 40, 50  # d of the last users known, and the end of the axis: names stand between
_LEFT = 4  # d, up to which numbers stand right of their dots
_TICKS = [(float(d), str(d)) for d in (1, *range(5, _END + 1, 5))]
_FOOT = 0.12  # of the highest line, below 0: a grip on the axis hides no point
_APART = 0.11  # of the highest line, names at least

Trust = tuple[str, Bracket, Subject]
"""Whom users trust, how many are enough, and its colour."""


def _by_trust(chart: FourModelsChart) -> list[Trust]:
    """Return how many users are enough where they trust a server, a mixer, and nobody."""
    least = Bracket(chart.least, chart.least)
    return [
        ("a server", least, SUBJECTS.get(chart.trusted, SUBJECTS["pure"])),
        ("a mixer", chart.enough[chart.mixed], SUBJECTS["shuffle"]),
        ("nobody", chart.enough["local"], SUBJECTS["local"]),
    ]


def takeaway(chart: FourModelsChart) -> str:
    """Compare users who trust a server, only one who mixes their messages, or nobody."""
    server, mixer, nobody = (users.upper for _, users, _ in _by_trust(chart))
    enough = f"{upwards(server)} users who trust a server are enough to {_goal(chart)}"
    mixing = f"{upwards(mixer)} who trust whoever mixes their messages"
    if mixer == nobody:
        return f"{enough}; {mixing}, or nobody."
    if math.isfinite(nobody):
        return f"{enough}; {mixing}, {upwards(nobody)} who trust nobody."
    return f"{enough}; {mixing}; if they trust nobody, it is unknown."


def _goal(chart: FourModelsChart) -> str:
    """Say what the users are enough for."""
    if chart.released == "counts":
        return "know every count to a tenth"
    return "find the hypothesis that four in five prefer"


def detail(chart: FourModelsChart) -> str:
    """State the least number of users in each model, and for points through a representation."""
    parts = [f"{name}: {_users(chart.enough[model])}" for model, name in MODELS.items()]
    if math.isfinite(chart.best_vote):
        parts.append(f"{_BEST_VOTE}: {upwards(chart.best_vote, 5)}")
    goal = "with no count off by more than n/10, " if chart.released == "counts" else ""
    return (
        f"The least n with which these votes succeed, {goal}with probability "
        f"{readable(1 - chart.beta, 4)} among 2^{int(chart.here)} hypotheses: {'; '.join(parts)}. "
        "Unless one function is good for two hypotheses, no private learner succeeds with fewer "
        f"than {chart.fewest:,} users, and none with δ = 0 with fewer than {chart.fewest_pure:,}."
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
    hashed = [f"{MODELS[model]}: {_users(enough)}" for model, enough in chart.hashed.items()]
    return [
        "All four models promise the same: neighbouring data sets differ in one user's vote, at "
        f"ε = {readable(chart.epsilon)} (and δ = {readable(chart.delta)} where there is one). "
        "The noise is exactly the least of its kind that keeps this promise. Elsewhere on this "
        "page the central models protect a user who is added or removed, which is easier.",
        *(_histograms(chart) if chart.released == "counts" else _votes(chart)),
        f"For points users may vote on 2^{chart.hashed_bits} buckets instead: "
        f"{'; '.join(hashed)}{_best(chart)}. Shared coins draw a random set to vote on, the "
        "buckets of a hash function and the constant 0 (Lemma 10, Theorem 26, Corollary 27). "
        "For every point and distribution one of them has an error of at most α/2, except with "
        "probability β/2. How many are needed depends on α and β, and not on the number of "
        "points.",
        "The fewest of any learner: no private one, whatever it outputs, succeeds with fewer "
        "users, however many examples each holds. This is for classes in which no "
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
        "√n, so n grows like d/ε². The larger number in the detail, which is drawn, is a "
        "union bound over all counts; the smaller is what single counts and pairs of counts force. "
        "Near either a few users more or less can change the answer, as estimates move in jumps.",
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
        "Its number is that with which it succeeds here, where a fifth hold another.",
        "Local: the estimates of different hypotheses depend on each other. With "
        "fewer users than the smaller number in the detail, the second hypothesis that users hold "
        "already wins too often; with the larger, which is drawn, all wrong hypotheses together "
        "win rarely enough.",
    ]


def _programs() -> list[str]:
    """Say what the linear programs find."""
    return [
        "Points, best learner, δ = 0: no learner succeeds with fewer users. Half of the "
        "examples lie at the target, so one function serves 1 + ⌊2α(2^d − 1)⌋ points at once. A "
        "linear program finds the best of all mechanisms for users who agree, and its dual "
        "certifies it. It is known where the programs are small (about ten users; more "
        "at d = 1).",
    ]


def figure(chart: FourModelsChart, theme: Theme) -> Figure:
    """Draw how many users are enough against d, by whom they trust, each line named at its end."""
    lines = dict(_lines(chart))
    top = float(np.nanmax([line.y for line in lines.values()]))
    apart = _APART * top
    marks, name_at, number_at = list[Mark](), -apart, -apart
    side, shift = ("NW", (-4, 2)) if chart.here > _LEFT else ("NE", (4, 2))
    for name, users, ink in sorted(_by_trust(chart), key=lambda one: _last(lines[one[0]])[1]):
        d, height = _last(lines[name])
        name_at = max(height, name_at + apart)
        words = f"trust {name}", name
        marks += [lines[name], Text(words, d, name_at, to="E", shift=(8, 0), about=ink)]
        if math.isfinite(users.upper):
            number_at = max(users.upper, number_at + apart)
            number = f"<b>{users.upper:,.0f}</b>"
            marks += [
                Dots([chart.here], [users.upper], about=ink, size=10),
                Text(number, chart.here, number_at, to=side, shift=shift, about=ink),
            ]
    size = f"{size_of_class(chart.here)} hypotheses"
    panel = Panel(
        Side(
            1,
            _ROOM,
            "Class of 2^d hypotheses, d",
            ticks=_TICKS,
        ),
        replace(Side.rising(top, held=True), low=-_FOOT * top),
        [Rule(x=chart.here, about="muted", wide=1.0, called=size), *marks],
        above=(f"Users enough to {_goal(chart)}", "Users enough, if they trust"),
        handle=Handle("class_bits", chart.here),
    )
    return stacked(theme, panel)


def _lines(chart: FourModelsChart) -> Iterator[tuple[str, Line]]:
    """Yield how many are enough against d, by whom they trust."""
    users = {curve.key: curve.y for curve in chart.curves}
    d = chart.curve("local").x
    server = np.fmin.reduce([users[key] for key in TRUSTED if key in users])
    mixed = np.fmin.reduce([users[key] for key in MIXED])
    for (name, _, ink), y in zip(_by_trust(chart), (server, mixed, users["local"]), strict=True):
        yield name, Line(d, y, about=ink, said=f"trust {name}, d = %{{x}}: %{{y:,}} users")


def _last(line: Line) -> tuple[float, float]:
    """Return the last place where a line is known, its foot at the left if it is nowhere."""
    x, y = np.asarray(line.x), np.asarray(line.y)
    known = np.flatnonzero(np.isfinite(y))
    return (float(x[known[-1]]), float(y[known[-1]])) if known.size else (float(x[0]), 0.0)


VIEW = View(
    key="models",
    title="Whom users trust",
    compute=four_models,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("released", "class_bits", "epsilon", "delta", *ACCURACY),
    in_sight=("class_bits", "epsilon", "released"),
    why="A server that all trust adds noise once, to the counts, and need not look at what nobody "
    "votes for. Without one each user adds noise of their own, and all of it piles up in the "
    "sum: that takes more users, and more still for a richer class.",
)
