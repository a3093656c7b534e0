"""Rich classes: how often users agree on one of 2^d hypotheses, and a vote succeeds."""

import math
from dataclasses import replace

from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
from dpviz.plot.theme import Theme
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import VOTE
from dpviz.topics.few_users.models_shown import size_of_class, whom_each_model_protects
from dpviz.topics.few_users.simulated_shown import of_the_headline, the_same, with_interval
from dpviz.topics.few_users.views.rich_classes import PLACES, SHOWN, RichClassChart, rich_classes


def takeaway(chart: RichClassChart) -> str:
    """State how often two users agree on one of 2^d hypotheses, with shared darts and own coins."""
    shared, own = (chart.measured[key] for key in ("shared", "own"))
    if math.isnan(shared.value):
        return "The first runs are under way."
    return f"Among {size_of_class(chart.here)} hypotheses, {the_same(shared, own)}"


def figure(chart: RichClassChart, theme: Theme) -> Figure:
    """Draw how often users pick the same, with the sizes of classes as people say them."""
    label = "Hypotheses to choose from, 2^d (rounded)"
    ticks = [(float(d), size_of_class(d).removeprefix("about ")) for d in PLACES]
    return of_the_headline(replace(chart, x=replace(chart.x, label=label)), theme, ticks=ticks)


def detail(chart: RichClassChart) -> str:
    """State what all five curves are at the reader's d."""
    known = [share for share in chart.measured.items() if not math.isnan(share[1].value)]
    parts = [f"{SHOWN[key][0]}: {with_interval(share)}" for key, share in known]
    shares = f"Shares of runs, with 95% intervals: {'; '.join(parts)}." if parts else ""
    return (
        f"d = {int(chart.here)}, n = {chart.users:,} users with m = {readable(chart.examples)} "
        f"examples each. {shares}"
    ).strip()


def notes(chart: RichClassChart) -> list[str]:
    """Say what is learned and how, what is voted on, and what it costs."""
    return [
        "The class: which of d bits must be 1, one of 2^d conjunctions. A user answers d "
        "questions, one for each bit, from m₁ examples each, and rounds every answer on shared "
        "darts (Algorithm 5). No list of hypotheses is ever made. For about half of the bits "
        "the rounding decides whether to keep them. Either choice is accurate, but with coins "
        "of their own users decide differently. A conjunction is a decision list, and a linear "
        "separator (Corollary 33).",
        "With a server, the stable histogram (Lemma 11) looks only at hypotheses somebody "
        "holds; the exponential mechanism (Lemma 12) tosses a coin to decide whether to pick "
        "among those or elsewhere. Without a server, each user sends one bit about eight bits "
        "of their hypothesis and its bucket, or about all of it (Lemma 13, after Bassily et al. "
        "2017). So every eight bits more need more users. The shuffle model is left out: every "
        "user would send messages about all hypotheses they do not hold.",
        "With more questions the grid for rounding is finer, and more answers are in doubt. So "
        "Lemma 32 asks for about d³ examples; here m = d·m₁.",
        whom_each_model_protects(chart.epsilon, chart.delta),
    ]


VIEW = View(
    key="rich",
    title="Rich classes",
    compute=rich_classes,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("class_bits", "question_examples", *VOTE, "alpha", "runs", "seed"),
    in_sight=("class_bits", "question_examples", "alpha"),
    why="With shared darts nearly all users round the answer to a question in the same way, so "
    "they agree on all d at once; with coins of their own every close question is another "
    "chance to differ. The votes never list the class: they look only at what somebody holds.",
    defaults={"runs": 50},  # so that it stands whole at once
    first_seconds=2.5,
)
