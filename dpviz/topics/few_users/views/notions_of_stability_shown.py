"""Which rare points two users learn: with coins of their own, and with shared darts."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Mark, Span, Text, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, from_to, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.few_users.controls_shown import ACCURACY
from dpviz.topics.few_users.learners import NOTHING
from dpviz.topics.few_users.rare_points import joined_runs
from dpviz.topics.few_users.simulated import Measured
from dpviz.topics.few_users.simulated_shown import with_interval
from dpviz.topics.few_users.views.notions_of_stability import (
    Stability,
    agree,
    notions_of_stability,
)

_WAYS = "Coins of their own", "Shared darts"
_AGREE, _DIFFER = Subject.USER_LEVEL, Subject.DANGER
_USERS = (1.4, 2.5)  # of a row, from its head: where its two users stand
_ROW = 4.1  # from one row to the next, in places of points
_RING = 0.5  # around the users of a point on which they differ
_LEFT, _RIGHT = 2.6, 2.2  # places of points, for words beside them
_BAR, _THICK = 2.2, 0.85  # of a row: where its bar stands, and how thick
_TALL = 0.8  # heights of a usual figure


def takeaway(result: Stability) -> str:
    """Say how many pairs of users learn the same set, with shared darts and with own coins."""
    if result.runs < 1:
        return "Nobody holds enough examples to learn any set of rare points."
    made = result.own.trials
    own, shared = map(_seen, (result.own, result.shared))
    same = (
        f"{agreeing(round(result.own.value * made), 'learns', 'learn')} the same set of rare points"
    )
    pairs = own if result.going_on else f"{own} of {counted(made, 'pair', digits=7)} of users"
    if own == shared:
        return f"{pairs} {same}, with coins of their own or shared darts."
    return f"{pairs} {same} with coins of their own, {shared} with shared darts."


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
        f"boards, {result.pseudo.unstable} surely are not. With "
        f"one run each two users learn the same with probability {readable(result.met)}, exactly. "
        "Of the pairs simulated one is drawn in each row: the first of "
        "those that learn the same, if these are more than half of all, else of those that differ.",
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
    """Draw which rare points a pair of users learns, both ways, and how many learn the same."""
    side = Side.bare(2 * _ROW - 0.7, -0.3)
    pairs = Panel(
        Side.bare(-_LEFT, result.points.rare - 0.5 + _RIGHT),
        side,
        [mark for row in range(2) for mark in _pair(result, row)],
        above=(
            "One of the pairs: ● rare point (in few examples) learned, ○ missed",
            "● rare point learned,<br>○ missed",
        ),
        wide=1.25,
    )
    bars = [mark for row in range(2) for mark in _bar(result, row)]
    same = "<b>Pairs that learn the same</b>"
    why = f"{same}, as a private vote needs", same
    return stacked(theme, [pairs, Panel(Side.bare(0, 100), side, bars, above=why)], tall=_TALL)


def _chosen(pairs: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Return the first pair of those that agree, if more than half do, else of the others.

    One of users who both hold a set, if there is one.
    """
    kind = agree(pairs) == (share > 1 / 2)
    both = (pairs != NOTHING).all(axis=1)
    return np.asarray(pairs[np.argmax(kind * 2 + both)])


def _pair(result: Stability, row: int) -> list[Mark]:
    """Return two users of one of both ways below each other, and whether they agree."""
    rare, share = result.points.rare, _both(result)[row].value
    sets = _chosen(result.held[row], share)
    held, top = sets != NOTHING, row * _ROW
    same = bool(agree(sets))
    points = np.arange(rare)
    apart = points[(sets[0] ^ sets[1]) >> points & 1 == 1] if held.all() else points[:0]
    upper, lower = (top + place for place in _USERS)
    marks: list[Mark] = [Text(f"<b>{_WAYS[row]}</b>", -_LEFT, top, to="SE")]
    marks += [
        Span(
            x=(point - _RING, point + _RING),
            y=(upper - _RING, lower + _RING),
            edge=1.5,
            hollow=True,
            about=_DIFFER,
        )
        for point in apart.tolist()
    ]
    for user, y in ((1, upper), (2, lower)):
        marks.append(Text(f"user {user}", -_LEFT, y, to="E", small=True, about="muted"))
    marks += [
        Text("no set", -_RING, y, to="E", small=True) for y in np.array([upper, lower])[~held]
    ]
    users, places = (one.ravel() for one in np.indices((2, rare)))
    users, places = users[held[users]], places[held[users]]
    symbols = np.where(sets[users] >> places & 1, "circle", "circle-open").tolist()
    look: dict[str, Any] = {"share": 0.7, "symbol": symbols, "about": "text"}
    marks += [Dots(places, np.array([upper, lower])[users], **look)] if users.size else []
    verdict = tinted("<b>same</b>", _AGREE) if same else tinted("<b>differ</b>", _DIFFER)
    if held.all():
        marks.append(Text(verdict, rare - 0.3, (upper + lower) / 2, to="E"))
    return marks


def _bar(result: Stability, row: int) -> list[Mark]:
    """Return how many pairs agree one of the two ways, with what is known of that."""
    place, one = row * _ROW + _BAR, _both(result)[row]
    if result.runs < 1:
        return [Text(("too few examples", "too few<br>examples"), 0, place, to="E", about="muted")]
    looks: dict[str, Any] = {"lying": True, "wide": _THICK}
    low, high = (readable(100 * end, 2) for end in (one.lower, one.upper))
    words, said = f"<b>{_seen(one)}</b> of {one.trials:,}", f"95% interval: {from_to(low, high)}%"
    upper, lower = place - _THICK / 2, place + _THICK / 2
    return [
        Bars([place], [100], about="grid", **looks),
        Bars([place], [100 * one.value], about=_AGREE, **looks),
        Text(words, 0, upper, to="NE", large=True),
        Text((said, ""), 0, lower, to="SE", shift=(0, -2), small=True, about="muted"),
    ]


def _both(result: Stability) -> tuple[Measured, Measured]:
    """Return how many pairs agree with own coins, and with shared darts."""
    return result.own, result.shared


def _seen(value: Measured) -> str:
    """Write how many pairs agree."""
    return f"{round(value.value * value.trials):,}"


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
    defaults={"rare": 5, "sighting": 0.7, "examples_per_user": 1_000_000},
    why="One run sees a rare point or misses it, so what it outputs is chance. A list can hold a "
    "set that many runs have in common, and with shared darts users whose lists are nearly "
    "alike pick the same set from them.",
    first_seconds=2.5,
)
