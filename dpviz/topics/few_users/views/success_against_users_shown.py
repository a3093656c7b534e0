"""Success against n: how often four private votes release a good hypothesis."""

import math

import numpy as np

from dpviz.plot.chart import draw
from dpviz.plot.text import between, downwards, readable, upwards
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY, LEARNER, VOTE, idle_controls
from dpviz.topics.few_users.models import MODELS
from dpviz.topics.few_users.models_shown import whom_each_model_protects
from dpviz.topics.few_users.simulated_shown import with_interval
from dpviz.topics.few_users.views.success_against_users import SuccessChart, success_against_users


def takeaway(chart: SuccessChart) -> str:
    """State the users that are enough with a trusted server, and without one."""
    if not _is_known(chart):
        return "The first runs are under way."
    server, alone = chart.claims
    if math.isfinite(server.upper):
        enough = f"With a trusted server {upwards(server.upper)} users are enough for this vote"
        if server.is_below(alone):
            takes = between(alone.lower, alone.upper)
            return f"{enough}; where nobody is trusted, and without δ, it takes {takes}."
        return f"{enough}; whether it takes more where nobody is trusted, these runs do not tell."
    least = downwards(server.lower)
    return (
        "How many users are enough is not known; with a trusted server this vote needs at least "
        f"{least}."
    )


def detail(chart: SuccessChart) -> str:
    """State the users from which each model succeeds, and the lower bound."""
    if not _is_known(chart):
        return _fewest(chart).strip()
    parts = []
    for model, name in MODELS.items():
        known = chart.known[model]
        parts.append(f"{name}: {between(known.lower, known.upper, 5)}")
    return (
        f"Users from which a run succeeds with probability 1 − β = {readable(1 - chart.beta, 4)}, "
        f"as far as these runs tell: {'; '.join(parts)}.{_fewest(chart)}"
    )


def _is_known(chart: SuccessChart) -> bool:
    """Whether every number of users was tried: before, none can be called enough or too few."""
    return bool(np.isfinite(chart.curve("approximate").y).all())


def _fewest(chart: SuccessChart) -> str:
    """State the lower bound, and for whom it holds."""
    who = {
        "all": "No private learner succeeds",
        "proper": "No private learner whose output is of the class succeeds",
    }
    if chart.bounds not in who or chart.least < 2:
        return ""
    anyone = ""
    if chart.bounds == "proper" and chart.least_any > 1:
        anyone = f", and none at all with fewer than {chart.least_any:,}"
    return f" {who[chart.bounds]} with fewer than {chart.least:,}{anyone}."


def notes(chart: SuccessChart) -> list[str]:
    """Give the measured probabilities at the reader's n, and say what the shapes are."""
    by_model = [
        f"{name}: success {with_interval(chart.measured[model])} at n = {readable(chart.here, 5)} "
        f"({chart.measured[model].trials:,} runs, 95%)."
        for model, name in MODELS.items()
    ]
    bound = (
        "The black line holds for (ε, δ)-privacy, on average over the N possible targets. It is "
        "what n steps of group privacy make of a chance of 1/N: each step takes a to at most "
        "e^ε·a + δ, and 1 − a to at least e^−ε(1 − a − δ). "
    )
    limits = {
        "all": f"{bound}No function at all is good for two targets, so it binds every learner.",
        "proper": f"{bound}No hypothesis of the class is good for two targets, but another "
        "function may be. So it binds proper learners, whose output is of the class, as here. "
        f"The thin line binds all learners: no function is good for more than {chart.served:,} "
        "of the targets.",
        "none": "No lower bound is drawn: its argument needs two targets or more that share no "
        "good hypothesis, and here the target is always the same.",
    }
    return [
        *by_model,
        "Dashed: the theorems' numbers of users with C for the hidden constant: "
        "ln(1/(δβ))/ε (Theorems 1 and 35), (d + ln(1/β))/ε (3), (d + ln(1/β))/ε² (2).",
        limits[chart.bounds],
        whom_each_model_protects(chart.epsilon, chart.delta),
        "The theorems are stated for ε < 1 and α, β < 0.1; the simulation needs neither.",
        "Every run draws target, darts and examples anew. Groups of more than 300 users are "
        "simulated in every second run only. In the shuffle model r = "
        f"{readable(chart.dispersion)}, for ε/2, δ/2.",
    ]


VIEW = View(
    key="success",
    title="Success against n",
    compute=success_against_users,
    figure=draw,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(*LEARNER, *VOTE, *ACCURACY, "dispersion", "constant", "runs", "seed"),
    in_sight=("users", "epsilon", "learner"),
    why="A vote succeeds once the winner's lead exceeds the noise. A trusted server adds noise "
    "once, whatever n is. If all users add their own, the noise grows like the root of n and "
    "the lead like n, so it takes more users until the lead is larger.",
    idle=idle_controls,
    first_seconds=2.5,
)
