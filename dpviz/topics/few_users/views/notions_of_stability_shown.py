"""Stability in three steps, as bars: a learner alone, a list, and shared darts."""

import math

import numpy as np

from dpviz.plot.marks import Bars, Dots, Text
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.rare_points import joined_runs
from dpviz.topics.few_users.simulated import Measured
from dpviz.topics.few_users.simulated_shown import with_interval
from dpviz.topics.few_users.views.notions_of_stability import Stability, notions_of_stability

_STEPS = (
    "after one run each",
    "if each keeps what many of its runs find",
    "if they also share darts",
)
_INKS = (Subject.ITEM_LEVEL, Subject.BOUNDED, Subject.USER_LEVEL)
_ROWS = (0, 1, 2)
_HIGH = 0.45  # of a row, of which words have the rest
_PAIRS = 100  # of users, of which the figure tells
_FEW = 0.1  # of the pairs, below which one digit is enough
_TALL = 0.62  # heights of a usual figure


def takeaway(result: Stability) -> str:
    """Say how often two users hold the same hypothesis, at the first and the last step."""
    shared = _seen(result.shared)
    if result.going_on:
        hits = round(result.shared.value * result.shared.trials)
        return f"{hits:,} {agreeing(hits, 'agrees', 'agree')} with lists and shared darts."
    alone = f"{_STEPS[0].capitalize()}, {_alone(result)} of {_PAIRS} pairs of users agree"
    return f"{alone}; {_STEPS[1]} and they share darts, {shared} do."


def detail(result: Stability) -> str:
    """State the three notions of stability side by side."""
    rare = counted(result.points.rare, "rare point")
    return (
        f"d = {rare}. Global stability: η = {readable(result.alone)} "
        f"for one run of {counted(result.points.examples, 'example', digits=7)}, "
        f"{readable(result.tournament.stability)} for the learner of Theorem 17. List stability: "
        f"η = {readable(result.lists)} with lists of at most {result.list_size}. Pseudo-global "
        f"stability at η = {readable(result.share)}: ν between {readable(result.pseudo.lower)} "
        f"and {readable(result.pseudo.upper)}."
    )


def notes(result: Stability) -> list[str]:
    """Say what is learned, by whom, and what of it is exact."""
    return [
        "The class: labellings with at most d ones, of Littlestone dimension d. The target's d "
        "ones are so rare that missing all of them is an error of at most α; one run sees each "
        f"with probability about {readable(result.sighting)}. The algorithm outputs the set of "
        "rare points it has seen: with probability 1/2 for each, any of 2^d sets is equally "
        "likely.",
        "The learner of Theorem 17 compares pairs of runs until two differ; then a coin decides "
        "which of the two must learn. Here it does far better than its theorem says, which is "
        f"for every class and distribution. But it draws {readable(result.tournament.examples)} "
        "examples on average, and that number grows exponentially with d.",
        f"The list holds all sets that leave out at most {result.learner.left_out} of the points "
        "seen, the fewest for stability 1/d. This list learner is made for this class; Theorem "
        "18's works for all. No filter (Lemma 19) is needed: every hypothesis listed is accurate.",
        "A list of all coins is our own, for every finite class, and proved in a few "
        f"lines. The runs of Theorem 17 go on with both labels, and {result.branched.tries} "
        "pairs are compared at each stage. One accurate hypothesis is listed with probability "
        f"at least 0.49 whatever the class, here at least {readable(result.branched.stability)}, "
        "the probability for runs whose labels are true. The price is "
        f"{readable(result.branched.examples)} examples and a list of up to "
        f"2^{readable(result.branched.log2_size)}; the examples and the exponent grow like "
        "2^O(d). Theorem 18 does as much with polynomials in d: "
        f"{counted(joined_runs(result.points.rare), 'independent list')} of stability 1/d, joined. "
        "Algorithm 1 is not run on this list.",
        "Algorithm 1 runs on the lists that leave out few points, with k₁ = k₂ = "
        f"{result.runs:,}, τ = {readable(result.learner.tau)}, γ = "
        f"{readable(result.learner.gamma)}, without the proof's factors of a million. With own "
        f"coins two users agree in {with_interval(result.own)} of cases.",
        *_proof_steps(result),
        "ν is the share of boards on which one hypothesis is picked with probability at least "
        f"{readable(result.share)}. The picks of {result.pseudo.users} users on each of "
        f"{result.pseudo.boards} boards bound it (95%): {result.pseudo.stable} surely are such "
        f"boards, {result.pseudo.unstable} surely are not. The first bar is exact.",
    ]


def _proof_steps(result: Stability) -> list[str]:
    """Say how far each step of the proof of Theorem 20 is from its limit, if users hold a run."""
    steps, limit = result.steps, readable(result.beta**2 / 30)
    if result.runs < 1 or not math.isfinite(steps.counted):
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
        "and γ keep these limits; those here are smaller. With shared darts a user's pick changes "
        "with a probability of at most twice the sum of these distances."
    ]


def figure(result: Stability, theme: Theme) -> Figure:
    """Draw in how many of a hundred cases two users hold the same hypothesis, at three steps."""
    drawn = (result.own, result.shared)
    shares = [100 * share for share in (result.met, *(one.value for one in drawn))]
    said = [_alone(result), *(_seen(one) for one in drawn)]
    rows, ends = np.array(_ROWS[1:]), np.array([[one.lower, one.upper] for one in drawn]).T
    off = 100 * (np.array(shares[1:]) / 100 - ends[0]), 100 * ends[1] - np.array(shares[1:])
    about = zip(_STEPS, ("one run each", "lists", "lists and shared darts"), strict=True)
    marks = [
        Bars(_ROWS, [100] * 3, lying=True, about="grid", wide=_HIGH),
        Bars(_ROWS, shares, lying=True, about=_INKS, said="%{x:.3g} of a hundred", wide=_HIGH),
        Dots(shares[1:], rows, off=off, across=True, size=1, about="text", thick=2),
        *(
            Text(tuple(f"<b>{share}</b> {one}" for one in both), 0.0, row - _HIGH / 2, to="NE")
            for row, share, both in zip(_ROWS, said, about, strict=True)
        ),
    ]
    panel = Panel(
        Side(0, 100),
        Side.bare(2.5, -0.6),
        marks,
        above=(
            "A run sees or misses each rare point. "
            "Pairs of users, of 100, who hold the same set (95% intervals)",
            "Pairs of users, of 100, with the same set",
        ),
    )
    return stacked(theme, panel, tall=_TALL)


def _alone(result: Stability) -> str:
    return hundredths(result.met, digits=1 if result.met < _FEW else 2)


def _seen(value: Measured) -> str:
    """Write how many pairs agree, and of how many if these are not a hundred."""
    seen = f"{round(value.value * value.trials):,}"
    return seen if value.trials == _PAIRS else f"{seen} of {value.trials:,}"


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
