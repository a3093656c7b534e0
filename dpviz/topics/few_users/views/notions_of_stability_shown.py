"""Stability against the dimension, played as three steps: a learner, lists, darts."""

import math
from typing import Any

import numpy as np

from dpviz.plot.axes import y_title
from dpviz.plot.chart import draw, traces
from dpviz.plot.labels import label
from dpviz.plot.marks import written
from dpviz.plot.play import Frames, with_button
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.ends import rounded_up
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.rare_points import joined_runs
from dpviz.topics.few_users.simulated_shown import of_cases, with_interval
from dpviz.topics.few_users.views.notions_of_stability import StabilityChart, notions_of_stability

STEPS = {
    "1. Alone: what comes out is chance": ("alone", "tournament", "shape"),
    "2. A list: one set is in many of them": ("branched", "lists", "list_shape"),
    "3. Shared darts: all pick the same set": ("shared",),
}
"""What each step of the play adds, by what is written below it: keys of curves."""
_FRAME = 350  # milliseconds
_STAND = 3  # frames for which a finished step stands still


def takeaway(chart: StabilityChart) -> str:
    """Compare how often one hypothesis comes out with how often users on shared darts agree."""
    alone = hundredths(rounded_up(chart.alone))
    if math.isnan(chart.shared.value):
        return f"No hypothesis comes out of more than {alone}% of runs of the optimal algorithm."
    return (
        f"No hypothesis comes out of more than {alone}% of runs of the optimal algorithm; "
        f"two users with lists and shared darts agree in {of_cases(chart.shared)}."
    )


def detail(chart: StabilityChart) -> str:
    """State the three notions of stability side by side."""
    return (
        f"d = {counted(chart.here, 'rare point')}. Global stability: η = {readable(chart.alone)} "
        f"for one run of {counted(chart.examples, 'example', digits=7)}, "
        f"{readable(chart.tournament)} for the learner of Theorem 17. List stability: "
        f"η = {readable(chart.lists)} with lists of at most {chart.list_size}. Pseudo-global "
        f"stability at η = {readable(chart.share)}: ν between {readable(chart.pseudo.lower)} "
        f"and {readable(chart.pseudo.upper)}."
    )


def notes(chart: StabilityChart) -> list[str]:
    """Say what is learned, by whom, and what of it is exact."""
    return [
        "The class: labellings with at most d ones, of Littlestone dimension d. The target's d "
        "ones are so rare that missing all of them is an error of at most α; one run sees each "
        f"with probability about {readable(chart.sighting)}. The algorithm outputs the set of "
        "rare points it has seen: with probability 1/2 for each, any of 2^d sets is equally "
        "likely.",
        "The learner of Theorem 17 compares pairs of runs until two differ; then a coin decides "
        "which of the two must learn. Here it does far better than its theorem says, which is "
        f"for every class and distribution. But it draws {readable(chart.tournament_examples)} "
        "examples on average, and that number grows exponentially with d.",
        f"The list holds all sets that leave out at most {chart.left_out} of the points seen, "
        "the fewest for stability 1/d. This list learner is made for this class; Theorem 18's "
        "works for all. No filter (Lemma 19) is needed, as every hypothesis listed is accurate.",
        "“in a list of all coins” is our own, for every finite class, and proved in a few "
        f"lines. The runs of Theorem 17 go on with both labels, and {chart.branched.tries} "
        "pairs are compared at each stage. One accurate hypothesis is listed with probability "
        f"at least 0.49 whatever the class, here at least {readable(chart.branched.stability)}, "
        "the probability for runs whose labels are true. The price is "
        f"{readable(chart.branched.examples)} examples and a list of up to "
        f"2^{readable(chart.branched.log2_size)}; the examples and the exponent grow like "
        "2^O(d). Theorem 18 does as much with polynomials in d: "
        f"{counted(joined_runs(int(chart.here)), 'independent list')} of stability 1/d, joined. "
        "Algorithm 1 is not run on this list.",
        "Algorithm 1 runs on the lists that leave out few points, with k₁ = k₂ = "
        f"{chart.runs:,}, τ = {readable(chart.tau)}, γ = {readable(chart.gamma)}, without the "
        "proof's factors of a million. With own coins two users agree in "
        f"{with_interval(chart.own)} of cases.",
        *_proof_steps(chart),
        "ν is the share of boards on which one hypothesis is picked with probability at least "
        f"{readable(chart.share)}. The picks of {chart.pseudo.users} users on each of "
        f"{chart.pseudo.boards} boards bound it (95%): {chart.pseudo.stable} surely are such "
        f"boards, {chart.pseudo.unstable} surely are not. Stabilities drawn as lines are exact.",
    ]


def _proof_steps(chart: StabilityChart) -> list[str]:
    """Say how far each step of the proof of Theorem 20 is from its limit, if users hold a run."""
    steps, limit = chart.steps, readable(chart.beta**2 / 30)
    if chart.runs < 1 or not math.isfinite(steps.counted):
        return []
    kept = (
        f"There the distance of 𝒫_H from 𝒫 is {readable(steps.kept)} (Lemma 23: at most β²/30 = "
        f"{limit})."
        if math.isfinite(steps.kept)
        else f"So there is no distance of 𝒫_H from 𝒫 (Lemma 23: at most β²/30 = {limit})."
    )
    return [
        "The proof of Theorem 20, step by step, measured on 100 users. In "
        f"{with_interval(steps.inside)} of cases the candidates H include all that are listed "
        "with probability 1.1τ, and none below 0.9τ (Lemma 22: except with probability β²/30). "
        f"{kept} Counting frequencies instead of knowing them moves it by "
        f"{readable(steps.counted)} on average (Lemma 24: at most β²/30). The proof's k₁, k₂ "
        "and γ keep these limits; those here are smaller. On shared darts a user's pick changes "
        "with a probability of at most twice the sum of these distances."
    ]


def figure(chart: StabilityChart, theme: Theme) -> Figure:
    """Draw all curves; a button plays the three steps one after the other, each along d."""
    drawn = draw(chart, theme)
    owners = [c.key for c in chart.curves for _ in traces(c, chart, theme)]
    places = np.unique(np.concatenate([c.x for c in chart.curves])).tolist()
    along = [*places, *[places[-1]] * _STAND]
    below = drawn.layout["margin"]["b"]

    def still(number: int) -> dict[str, Any]:
        """Return a frame: the curves of a step grow along d, on top of those of earlier ones."""
        step, place = divmod(number, len(along))
        title, done = (
            list(STEPS)[step],
            [key for keys in list(STEPS.values())[:step] for key in keys],
        )
        ends = dict.fromkeys(done, places[-1]) | dict.fromkeys(STEPS[title], along[place])
        frame: dict[str, Any] = {
            "name": str(number + 1),
            "traces": list(range(len(owners))),
            "data": [
                {"y": np.where(trace["x"] <= ends.get(key, 0.0), trace["y"], np.nan)}
                for key, trace in zip(owners, drawn.data, strict=True)
            ],
        }
        if place in (0, len(places) - 1):  # after each of them the words stay
            known = {key for key, end in ends.items() if end == places[-1]}
            words = [*_words(drawn, chart, theme, known), _heading(title, theme, below)]
            frame["layout"] = {"annotations": words}
        return frame

    return with_button(drawn, theme, Frames(range(len(STEPS) * len(along)), still), _FRAME)


def _words(
    drawn: Figure, chart: StabilityChart, theme: Theme, shown: set[str]
) -> list[dict[str, Any]]:
    """Return the words of the figure, those of curves that are not yet drawn invisible.

    A frame changes the words one by one, by their number: so all are there in every frame.
    """
    hidden = {
        (theme.subjects[curve.subject], text)
        for curve in chart.curves
        if curve.key not in shown
        for text in (label(curve, chart.y), readable(chart.value(curve.key)))
    }
    return [
        note
        | {"visible": (note["font"].get("color"), note["text"].replace("<br>", " ")) not in hidden}
        for note in drawn.layout["annotations"]
    ]


def _heading(title: str, theme: Theme, below: int) -> dict[str, Any]:
    """Write what the step is beside the button."""
    text = written((title, title.replace(": ", ":<br>")), theme)
    note = y_title(f"<b>{text}</b>", theme, 8, top=0.0, up=-below - 6)
    return note | {"yanchor": "top", "align": "left"}


VIEW = View(
    key="stability",
    title="Stability",
    compute=notions_of_stability,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("rare", "sighting", "examples_per_user", *ACCURACY, "share", "runs", "seed"),
    in_sight=("rare", "sighting", "examples_per_user"),
    why="One run sees a rare point or misses it, so what it outputs is chance. A list can hold a "
    "set that many runs have in common, and with shared darts users whose lists are nearly "
    "alike pick the same set from them.",
    first_seconds=2.5,
)
