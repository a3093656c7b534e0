"""Outliers move away: how likely the test refuses as they do."""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Dots, Mark, Rule, Text
from dpviz.plot.panels import Charted, Handle, Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, counted, downwards, hundredths, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.results.parameters import Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Value
from dpviz.scene.view import Sketch, View
from dpviz.topics.propose_test_release.data import wage_panel_sums
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    chance_of_refusal,
    how_often_it_refuses,
    users_in_words,
)
from dpviz.topics.propose_test_release.piles_shown import OUTLIER, piled
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.moving_outliers import MovedOutliers, moving_outliers

_HIGHEST, _HEAD = 25, 3.5  # dots of a pile at most, and above it, for words
_COLUMNS = 130  # piles of dots along the axis
_ROWS = 8  # of outliers who stand beside each other, about
_DOT = 5.5  # pixels
_STRIP = 150  # pixels of users
_NEAR, _LINE = 0.25, 30  # of the height, within which words keep off others, by pixels
_EDGE = 0.02  # of the axis, beside what it shows
_FAR = 0.5  # times the largest honest sum, from where on an outlier is far away
_REFUSED = Limit("guess", "%", "of the runs are refused", 0, 100, 50, log=False, step=1)


def takeaway(chart: MovedOutliers) -> str:
    """State how likely the test refuses with one outlier where it is, and with many."""
    away = "far away" if _distance(chart) >= _FAR else "this near"
    if how_often_it_refuses(chart.alone) == (often := how_often_it_refuses(chart.together)):
        often = often.replace("the test", "the algorithm")
        return f"Whether one outlier stands {away} or {chart.crowd:,} do, {often}."
    return (
        f"One outlier {_makes(chart.alone, 'makes the algorithm')}; {chart.crowd:,} "
        f"{away} {_makes(chart.together, 'make it')}."
    )


def _distance(chart: MovedOutliers) -> float:
    """Return how far the outliers are, as their control counts."""
    return (chart.here - chart.middle) / chart.unit


def _makes(refusal: float, makes: str) -> str:
    """Say how often outliers make the algorithm refuse."""
    seldom, runs = _how_often(refusal).split("refuses")
    return f"{seldom}{makes} refuse{runs}"


def _how_often(refusal: float) -> str:
    """Say how likely it refuses, after "it"."""
    return how_often_it_refuses(refusal).removeprefix("the test ")


def detail(chart: MovedOutliers) -> str:
    """State the three steps, how likely ⊥ is here, and what one user can change."""
    refusal, budget = chart.value("refusal"), chart.budget
    kappa, stretch = budget.kappa, readable(math.exp(budget.epsilon_bar))
    enough = 1 - budget.threshold.below(chart.crowd)
    return (
        f"Propose: a number of users to drop is drawn at random, usually near κ = {kappa:,}. Test: "
        f"others are dropped as well, 4κ = {4 * kappa:,} in all. It passes if, with the right "
        "users dropped first, the choice of the others moves the sum of the rest by at most "
        f"{downwards(chart.hidden, 4)}. So much the noise hides: no answer becomes more than "
        f"e^(ε/3) = {stretch} times as likely, but for a tiny probability. Release: if it passes, "
        "the sum of the rest with noise; if not, a refusal (⊥). One outlier is nearly always "
        f"dropped. All {chart.crowd:,} may be dropped with probability "
        f"{chance(enough)}; those that stay move the sum. With {users_in_words(chart.outliers)} at "
        f"a sum of {readable(chart.here)} it is {chance_of_refusal(refusal)}. No "
        f"single user can raise a probability p of ⊥ above {stretch}·p + "
        f"{readable(budget.delta_bar)}."
    )


def figure(chart: MovedOutliers, theme: Theme) -> Figure:
    """Draw users at their sums, and below the outliers how likely the test refuses."""
    low, high, wide = _columns(chart)
    at, more = chart.here, {"from": chart.middle, "each": chart.unit, "grip": _free(chart)}
    marks = [Rule(x=at, about="muted", wide=1.5), *_often(chart, at, left=at > (low + high) / 2)]
    alone = replace(chart, x=replace(chart.x, base=low, reach=high), here=math.nan)
    seen = Charted(alone, marks, handle=Handle("outlier_distance", at, more=more))
    return stacked(theme, _users(chart, (low, high), wide), seen, tall=1.0)


def _free(chart: MovedOutliers) -> float:
    """Return where the reader's line is farthest from any curve: there is its grip."""
    heights = sorted({0.0, 1.0, *(chart.value(curve.key) for curve in chart.curves)})
    low, high = max(itertools.pairwise(heights), key=lambda gap: gap[1] - gap[0])
    return (low + high) / 2


def _often(chart: MovedOutliers, at: float, *, left: bool) -> Iterator[Mark]:
    """Yield the points at the reader's place, and how often it refuses there."""
    known = {chart.value(curve.key): curve.subject for curve in chart.curves}
    near = max(known, default=0.0) - min(known, default=0.0) < _NEAR
    for place, (y, about) in enumerate(sorted(known.items())):
        up = y < 0.5 and not (near and max(known) >= 0.5)
        far = _LINE if near and place == up and len(known) > 1 else 0
        often = _how_often(y).removeprefix("refuses in ").removesuffix(" refuses")
        words = f"<b>{often}</b>", "" if "never" in often else f"<b>{often.split()[0]}</b>"
        to = ("N" if up else "S") + ("W" if left else "E")
        shift = (-9 if left else 9, 4 + far if up else -12 - far)
        yield Dots([at], [y], size=11, about=about)
        yield Text(words, at, y, to=to, shift=shift, about=about, large=True, backed=True)


def _users(chart: MovedOutliers, ends: tuple[float, float], wide: float) -> Panel:
    """Return the users as dots piled up at their sums, the outliers where a hand moves them."""
    at = chart.here
    look: dict[str, Any] = {"ends": ends, "wide": wide, "highest": _HIGHEST}
    alone = piled(chart.others, np.zeros(chart.others.size, dtype=int), **look)
    columns = 2 * (chart.outliers // (2 * _ROWS * alone.per)) + 1
    beside = wide * (np.arange(chart.outliers) % columns - columns // 2)
    sums = np.append(chart.others, np.clip(at + beside, *ends))
    order = np.argsort(sums, kind="stable")
    piles = piled(sums[order], (order >= chart.others.size).astype(int), **look)
    each = "each a dot" if piles.per == 1 else f"a dot for every {piles.per:,},"
    users, size = users_in_words(sums.size), {"size": _DOT, "share": 0.0}
    said = f"an outlier, sum {readable(at)}"
    marks = [
        piles.dots(0, "a user", "circle", Subject.USER_LEVEL, pale=0.55, **size),
        piles.dots(1, "", "circle-open", OUTLIER, edge=1.0, said=said, **size),
        piles.named(counted(chart.outliers, "outlier"), at),
        Rule(x=at, y=(-wide, 0.0), about="muted", wide=1.5),
    ]
    return Panel(
        Side(*ends, grid=False, numbers=False),
        Side.bare(-wide, piles.top + _HEAD * wide),
        marks,
        above=(f"{users}, {each} at their sum{'s' * (piles.per > 1)}", users),
        pixels=_STRIP,
    )


def _columns(chart: MovedOutliers) -> tuple[float, float, float]:
    """Return from where to where sums are shown, and how wide a pile is, around whole numbers."""
    least, most = float(chart.others[0]), chart.x.reach
    low, high = least - _EDGE * (most - least), most + _EDGE * (most - least)
    wide = (high - low) / _COLUMNS
    if np.any(chart.others % 1):
        return low, high, wide
    return math.floor(low) - 0.5, math.ceil(high) + 0.5, max(float(round(wide)), 1.0)


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: the wage panel brings its own users, and nothing of it is drawn."""
    return {"users", "examples_per_user", "rate", "seed"} if values["data"] == "wages" else set()


def half_of_the_users(values: Mapping[str, Any]) -> Mapping[str, float]:
    """Say that outliers are at most half of the users, of which the wage panel brings its own."""
    users = len(wage_panel_sums()) if values["data"] == "wages" else int(values["users"])
    return {"outliers": users // 2}


VIEW = or_users_needed(
    View(
        key="outliers",
        title="Outliers move away",
        compute=moving_outliers,
        figure=figure,
        takeaway=takeaway,
        detail=detail,
        notes=lambda _: [NOT_PROTECTED],
        parameters=(
            "data",
            "outliers",
            "outlier_distance",
            "users",
            "examples_per_user",
            "epsilon",
            "delta",
            "noise_factor",
            "noise",
            "rate",
            "seed",
        ),
        # So few that each has a dot of its own.
        defaults={"users": 200.0, "outlier_distance": 1.0},
        in_sight=("outliers", "outlier_distance", "epsilon"),
        pulled={"outliers": "; #"},
        why="One strange person must not decide whether there is an answer, or the refusal "
        "would give them away. So chance draws how many users the test may drop, and one "
        "outlier is simply dropped. Only a group of more than it may drop makes the test refuse.",
        idle=idle_controls,
        most=half_of_the_users,
        sketch=Sketch(
            question="Outliers move away from the others. Draw how likely the "
            "algorithm is to refuse an answer.",
            curve="refusal",
        ),
        prediction=value_at_here(
            "The outliers stand as far away as the control says. How often will the test "
            "refuse to answer, in how many of 100 runs?",
            _REFUSED,
            "refusal",
            scale=PERCENT,
            answer=lambda refused: f"in {hundredths(refused / 100)} of 100 runs",
        ),
    )
)
