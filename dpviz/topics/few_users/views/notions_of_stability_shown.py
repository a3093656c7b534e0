"""Which rare points two users hold: after one run, after many, and with shared darts."""

import math

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Dots, Mark, Text, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, from_to, hundredths, readable
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

_STEPS = (
    ("One run each: hold the rare points it found", "One run each"),
    ("Many runs each: own coins pick a set that many runs list", "Many runs, own coins"),
    ("Many runs each: shared darts pick such a set", "Many runs, shared darts"),
)
_AGREE = Subject.USER_LEVEL
_PAIRS = 100  # of users, of which the sentence tells
_FEW = 0.1  # of the pairs, below which one digit is enough
_BETWEEN = 2  # places between two pairs
_SHOWN, _SIDE = 10, 5  # pairs that are drawn in each way, and those beside each other
_LINE, _ROW = 2.6, 7.6  # places from pairs to those below, and from one way to the next
_NUMBERS = 0.38  # of the width of all pairs, for the number beside them
_TALL = 0.66  # heights of a usual figure


def takeaway(result: Stability) -> str:
    """Say how many pairs of users hold the same set, in each of the three ways."""
    if result.going_on:
        hits = round(result.shared.value * result.shared.trials)
        return f"{hits:,} {agreeing(hits, 'agrees', 'agree')} after many runs and on shared darts."
    met = _alone(result)
    verb = "agrees" if met == "1" else "agree"
    alone = f"Of a hundred pairs of users, {met} {verb} after one run each"
    if result.runs < 1:
        return f"{alone}; no user holds enough examples for more runs."
    own, shared = _seen(result.own), _seen(result.shared)
    if result.shared.trials != _PAIRS:
        every = result.shared.value == 1
        some = f"all {result.shared.trials:,}" if every else shared
        return f"{alone}; after many runs and on shared darts, {some} do."
    if own == shared:
        also = "as many" if own == met else own
        return f"{alone}, and {also} after many runs, by own coins or shared darts."
    own, shared = ("as many" if one == met else one for one in (own, shared))
    return f"{alone}, {own} after many runs with own coins, and {shared} with shared darts."


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
        f"boards, {result.pseudo.unstable} surely are not. How often two "
        "single runs agree is exact. Of the pairs drawn ten are shown in each way, and as many of "
        "them agree as of all, to the nearest tenth.",
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
    """Draw which rare points the users of some pairs hold, in three ways, and how many agree."""
    rare = result.points.rare
    wide = _SIDE * (rare + _BETWEEN) - _BETWEEN
    shares = (result.met, result.own.value, result.shared.value)
    marks: list[Mark | None] = []
    for row, (pairs, share, words) in enumerate(zip(result.held, shares, _STEPS, strict=True)):
        top = row * _ROW
        marks.append(Text(words, -0.5, top - 0.7, to="NE"))
        marks.append(_users(_shown(pairs, share), rare, top))
        marks += _share(result, row, wide + 0.5, top + _LINE / 2)
    return stacked(
        theme,
        Panel(
            Side.bare(-0.5, (1 + _NUMBERS) * wide),
            Side.bare(2 * _ROW + _LINE + 1.6, -2.7),
            marks,
            above=(
                f"{tinted('<b>Green: both users of a pair agree.</b>', _AGREE)} "
                "One user above the other: ● a rare point held, ○ one not held",
                f"{tinted('<b>Green: both users agree</b>', _AGREE)}<br>● rare point held, ○ not",
            ),
        ),
        tall=_TALL,
    )


def _shown(pairs: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """Return the first pairs, of whom such a share agree as far as there are such, those before."""
    same, shown = agree(pairs), min(_SHOWN, len(pairs))
    alike, other = pairs[same], pairs[~same]
    count = min(max(round(shown * share), shown - len(other)), len(alike))
    return np.concatenate([alike[:count], other[: shown - count]])


def _users(pairs: NDArray[np.int64], rare: int, top: float) -> Dots | None:
    """Return which of the rare points users hold: pairs beside each other, each two lines high."""
    kept = pairs[(pairs != NOTHING).all(axis=1)]
    if not kept.size:
        return None
    pair, line, point = (one.ravel() for one in np.indices((len(kept), 2, rare)))
    held = kept[pair, line] >> point & 1
    return Dots(
        pair % _SIDE * (rare + _BETWEEN) + point,
        top + pair // _SIDE * _LINE + line,
        share=0.8,
        symbol=np.where(held, "circle", "circle-open").tolist(),
        about=[_AGREE if same else "muted" for same in agree(kept)[pair].tolist()],
    )


def _share(result: Stability, row: int, x: float, y: float) -> list[Mark]:
    """Return how many pairs agree in one of the three ways, with what is known of that."""
    if row == 0:
        words = f"<b>{_alone(result)}</b> of {_PAIRS}"
        return [Text((f"{words} agree", words), x, y, to="E", large=True)]
    one = (result.own, result.shared)[row - 1]
    words = f"<b>{_seen(one)}</b>" + (f" of {_PAIRS}" if one.trials == _PAIRS else "")
    low, high = (readable(100 * end, 2) for end in (one.lower, one.upper))
    return [
        Text((f"{words} agree", words), x, y, to="E", large=True),
        Text(
            (f"95% interval: {from_to(low, high)}", ""),
            x,
            y,
            to="SE",
            shift=(0, -14),
            small=True,
            about="muted",
        ),
    ]


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
    defaults={"rare": 5, "sighting": 0.7, "examples_per_user": 1_000_000},
    why="One run sees a rare point or misses it, so what it outputs is chance. A list can hold a "
    "set that many runs have in common, and with shared darts users whose lists are nearly "
    "alike pick the same set from them.",
    first_seconds=2.5,
)
