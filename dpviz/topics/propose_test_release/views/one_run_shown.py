"""One run in three steps: propose whom to drop, test whether the rest agree, release or refuse."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Mark, Rule, Text, Words, tinted
from dpviz.plot.panels import Panel, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import downwards, readable, readables, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Result, Subject
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.propose_test_release import passing_sizes_shown
from dpviz.topics.propose_test_release.data_shown import (
    SETTING,
    idle_controls_and_seed,
    most_outliers,
)
from dpviz.topics.propose_test_release.data_shown import idle_controls as idle_with_a_run
from dpviz.topics.propose_test_release.delstab import Search
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
from dpviz.topics.propose_test_release.plain import Comparison, noise_deviation
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

_BAR = 26  # pixels, of what is released
_FRAME = 1500  # milliseconds for each step
_INSIDE = 0.6  # of the panel, from which a bar has room for words
_DOTS, _ROWS = 200, 5  # most dots for all users, and how many stand above each other

PARTS = {
    Role.DELETED_FIRST: "first",
    Role.DELETED_AS_LARGEST: "tested",
    Role.DELETED_AS_SMALLEST: "tested",
    Role.DELETED_AS_BOTH: "tested",
    Role.KEPT: "kept",
}
"""The kind of the users of each role, by which they are drawn."""

NAMES = {"first": "dropped first", "tested": "largest or smallest of the rest", "kept": "between"}
SUBJECTS = {
    "first": Subject.DANGER,
    "tested": Subject.GAUSSIAN,
    "kept": Subject.USER_LEVEL,
}
SYMBOLS = {"first": "x-thin-open", "tested": "circle-open", "kept": "circle"}
_SIGNS = {"first": "×", "tested": "○"}
_EDGES = {"first": 3.0, "tested": 2.0, "kept": 0.0}
_TICK: dict[str, Any] = {"symbol": "line-ns-open", "size": 14, "edge": 3}
_POINT: dict[str, Any] = {"symbol": "circle", "size": 10}

_UNIFORM = (
    "On these data every set of that many users is stable, so the set is drawn uniformly. The "
    "picture shows the one that leaves the least spread."
)
_UNIT_OF_DATA = (
    "The unit of the noise, and the range for plain noise, are taken from these data, which a "
    "private analysis could not do."
)
_WINDOW = (
    "On these data some sets of that many users are not stable, so the algorithm takes the one "
    "that leaves the least spread. Lemma 18 (privacy) holds for any choice, Lemma 19 (utility) "
    "for a uniform one."
)


def takeaway(result: Run) -> str:
    """State whether the rest agree, in numbers, and so whether there is an answer."""
    outcome = result.outcome
    spread, limit = _numbers(outcome.search)
    gone = f"without {users_in_words(outcome.threshold)} the rest" if outcome.threshold else ""
    if outcome.refused:
        return (
            f"{f'Even {gone}' if gone else 'The users'} differ: whom else the test leaves out "
            f"moves the sum by {spread}. The noise hides only {limit}, so the algorithm refuses to "
            "answer."
        )
    return (
        f"{gone.capitalize() or 'The users'} agree: whoever else the test leaves out, the "
        f"sum differs by at most {spread}. The noise hides {limit}, so the algorithm answers."
    )


def detail(result: Run) -> str:
    """State the test and the answer, and what plain noise would have added."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    budget = result.release.budget
    more, plain = f"{4 * budget.kappa - outcome.threshold:,}", _plain_noise(result)
    tested = (
        f"The number of users that may be dropped was drawn at random: {outcome.threshold:,}; "
        f"the likeliest is {budget.kappa:,}. After them {more} more are dropped. Whether "
        f"those are the largest or the smallest changes the sum left by {spread} (the spread); "
        f"at most {limit} is allowed."
    )
    if outcome.answer is None:
        return f"{tested} So the algorithm does not answer (⊥). But {plain}, and never refuses."
    left = result.release.users - 4 * budget.kappa
    return (
        f"{tested} Released is {readable(outcome.answer)} for the {users_in_words(left)} left, "
        f"whose sum is {readable(outcome.exact_sum)}. But {plain}."
    )


def _plain_noise(result: Run) -> str:
    """Say how much larger or smaller the better plain noise would be."""
    name, ratio = result.comparison.plain[0], result.comparison.ratio
    size = (
        f"{readable(ratio)} times smaller" if ratio >= 1 else f"{readable(1 / ratio)} times larger"
    )
    return f"plain {name} noise, equally private, would be {size}"


def notes(result: Run) -> list[str]:
    """Say what is private, and how S was chosen."""
    kappa = result.release.budget.kappa
    lines = [
        _in_plain_words(result),
        NOT_PROTECTED,
        f"{users_it_needs(kappa)}.",
        _calibration(result.comparison),
    ]
    if result.unit_of_data:
        lines.append(_UNIT_OF_DATA)
    if not result.outcome.refused:
        lines.append(_UNIFORM if result.outcome.uniform else _WINDOW)
    per = _per_dot(result)
    if per > 1:
        lines.append(f"A dot stands for about {per:,} users.")
    return lines


def _in_plain_words(result: Run) -> str:
    """Say in words what κ, R₁, X_stable and ⊥ are, with the numbers of this run."""
    kappa, size = result.release.budget.kappa, result.outcome.threshold
    more = users_in_words(4 * kappa - size)
    return (
        f"How many users the test may drop first is drawn at random: here {size:,} (in the "
        f"paper R₁), usually near {kappa:,} (κ), never more than {2 * kappa:,}. The test looks "
        f"for a set of that many without whom the others are alike: whichever {more} more are "
        "dropped, the answer is nearly the same. All such sets together are X_stable. If there "
        "is none, the algorithm says only that it refuses to answer (⊥)."
    )


def _calibration(comparison: Comparison) -> str:
    """Say how large each noise is, and what plain noise is calibrated to."""
    cut = comparison.cut
    lost = (
        f" On these data the cut lowers the sum by {readable(cut, 4)}, an error that is no part "
        "of the noise."
        if cut
        else ""
    )
    return (
        "Standard deviation of the noise on the sum of all users, equally private: DelStab "
        f"{readable(comparison.delstab)}, plain Laplace {readable(comparison.laplace)}, plain "
        f"Gaussian {readable(comparison.gaussian)}. For plain noise every user's sum is cut off "
        f"to a range of width {readable(comparison.bound, 6)}, the sensitivity of the "
        f"sum.{lost} DelStab's noise is scaled from the users who are left to all users."
    )


# ---- the figure: three panels, a step each ------------------------------------------------------


def figure(result: Run, theme: Theme) -> Figure:
    """Draw all users in a row, the spread under its limit, and what is released; step by step."""
    return played(theme, lambda stop: _steps(result, stop), range(1, 4), each=_FRAME, tall=0.75)


def _steps(result: Run, stop: int) -> tuple[Panel, Panel, Panel]:
    """Return the three steps, of which so many are done."""
    return (
        replace(_users(result, tested=stop > 1), above=_proposed(result)),
        replace(_test(result, done=stop > 1), above=_tested(result, done=stop > 1)),
        replace(_release(result, done=stop > 2), above=_released(result, done=stop > 2)),
    )


def _proposed(result: Run) -> Words:
    """Say in one line who may be dropped."""
    count, near = result.outcome.threshold, result.release.budget.kappa
    who = f"{users_in_words(count)} may be dropped ({_SIGNS['first']})"
    said = f"<b>1 Propose</b>  {tinted(who, SUBJECTS['first']) if count else 'drop nobody first'}"
    per = _per_dot(result)
    dot = f"; a dot is {users_in_words(per)}" if per > 1 else ""
    return f"{said}: so chance drew, from numbers near {near:,}{dot}", said


def _tested(result: Run, *, done: bool) -> Words:
    """Say in one line what the test compares, and where its number of users comes from."""
    if not done:
        return "<b>2 Test</b>"
    count, kappa = result.outcome.threshold, result.release.budget.kappa
    more = 4 * kappa - count
    whom = tinted(f"the largest or the smallest ({_SIGNS['tested']})", SUBJECTS["tested"])
    spread, _ = _numbers(result.outcome.search)
    return (
        f"<b>2 Test</b>  do the rest agree? Without {more:,} more (4 × {kappa:,} − {count:,}), "
        f"{whom}, sums differ by {spread}",
        f"<b>2 Test</b>  less {more:,} more, {whom}",
    )


def _released(result: Run, *, done: bool) -> Words:
    """Say in one line what is released."""
    if not done:
        return "<b>3 Release</b>"
    if result.outcome.answer is None:
        return f"<b>3 Release</b>  {tinted('nothing: it refuses to answer', Subject.DANGER)}"
    left = users_in_words(result.release.users - 4 * result.release.budget.kappa)
    answer = f"<b>3 Release</b>  {readable(result.outcome.answer)}"
    return f"{answer}: the sum of the {left} left, with noise", f"{answer}, with noise"


def _users(result: Run, *, tested: bool) -> Panel:
    """Return all users in a row from the smallest sum on, by what the test does with them."""
    kinds, sums = _in_a_row(result)
    columns = math.ceil(len(kinds) / _ROWS)
    x, y = np.divmod(np.arange(len(kinds)), _ROWS)
    marks: list[Mark] = []
    for kind, name in NAMES.items():
        own = kinds == kind
        if not tested and kind != "first":
            own = (kinds != "first") if kind == "kept" else np.zeros_like(own)
        said = [f"{name}, sum {each}" for each in readables(sums[own])]
        looks: dict[str, Any] = {"symbol": SYMBOLS[kind], "edge": _EDGES[kind], "share": 0.72}
        marks.append(Dots(x[own], -y[own], about=SUBJECTS[kind], said=said, **looks))
    ends = (sums.min(), sums.max())
    row = Side(-0.7, columns - 0.3, ticks=_ends(columns, *ends), grid=False)
    return Panel(
        row,
        Side.bare(0.4 - _ROWS, 0.6),
        marks,
    )


def _ends(columns: int, low: float, high: float) -> list[tuple[float, Words]]:
    """Return what stands below both ends of the row."""
    return [(1.5, f"smallest sum {readable(low)}"), (columns - 2.5, f"largest {readable(high)}")]


def _in_a_row(result: Run) -> tuple[NDArray[np.str_], FloatArray]:
    """Return the kind of each dot, and the sum in the middle of those for whom it stands."""
    release, per = result.release, _per_dot(result)
    by_rank, sums = result.roles[release.order], release.sums[release.order]
    starts = np.flatnonzero(np.diff(by_rank, prepend=-1))
    kinds, middles = list[str](), list[FloatArray]()
    for start, end in itertools.pairwise([*starts.tolist(), release.users]):
        dots = max(round((end - start) / per), 1)
        kinds += [PARTS[Role(by_rank[start])]] * dots
        places = start + (np.arange(dots) + 0.5) * (end - start) / dots
        middles.append(sums[places.astype(int)])
    return np.array(kinds), np.concatenate(middles)


def _per_dot(result: Run) -> int:
    """Return for how many users a dot stands."""
    return math.ceil(result.release.users / _DOTS)


def _test(result: Run, *, done: bool) -> Panel:
    """Return the spread as a bar, the line up to which it may go, and the verdict."""
    search, noise = result.outcome.search, noise_deviation(result.release.mechanism)
    about = Subject.USER_LEVEL if search.stable else Subject.DANGER
    spread, limit = _numbers(search)
    sign, verdict = ("&lt;", "agree") if search.stable else ("&gt;", "differ")
    compared = f"{spread} {sign if spread != limit else '≤'} {limit}"
    hides = f"{limit}: what noise of ±{readable(noise)} hides at ε/3", f"the noise hides {limit}"
    across = replace(Side.around([0.0, search.spread, search.limit]), low=0.0)
    inside = search.spread > _INSIDE * across.high
    said = Text(
        (f"<b>{compared}: the rest {verdict}</b>", f"<b>{compared}</b>"),
        search.spread,
        0,
        to="W" if inside else "E",
        shift=(-8 if inside else 8, 0),
        large=True,
        about="background" if inside else about,
    )
    long = search.spread if done else 0.0
    marks: list[Mark | None] = [
        Bars([0], [long], lying=True, about=about, said="the sums differ by %{x}"),
        Rule(x=search.limit, wide=3.5, called=hides if done else " "),
        said if done else None,
    ]
    return Panel(across, Side.bare(-0.4, 0.4), marks, share=0.5)


def _numbers(search: Search) -> tuple[str, str]:
    """Write the spread and its limit so that it is seen which is larger."""
    up, down = (upwards, downwards) if search.stable else (downwards, upwards)
    pairs = ((up(search.spread, d), down(search.limit, d)) for d in range(4, 16))
    return next((pair for pair in pairs if pair[0] != pair[1]), (readable(search.limit, 9),) * 2)


def _release(result: Run, *, done: bool) -> Panel:
    """Return the sum of the users left, its noise, and what is released; nothing for a refusal."""
    outcome, wide = result.outcome, noise_deviation(result.release.mechanism)
    if outcome.answer is None:
        return Panel(Side.bare(0, 1), Side.bare(-0.6, 0.6), [], pixels=_BAR)
    ends = [outcome.exact_sum - wide, outcome.exact_sum + wide]
    green, above = Subject.USER_LEVEL, outcome.answer >= outcome.exact_sum
    said = f"standard deviation of the noise {readable(wide)}"
    marks: list[Mark] = [
        Bars(
            [0],
            [2 * wide if done else 0.0],
            base=[ends[0]],
            lying=True,
            wide=0.5,
            about=green,
            pale=0.3,
            said=said,
        )
    ]
    for at, words, ink, look, right in (
        (outcome.exact_sum, "true sum", green, _TICK, not above),
        (outcome.answer, "released", "text", _POINT, above),
    ):
        told = f"{words} {readable(at, 5)}"
        to = "middle right" if right else "middle left"
        marks.append(
            Dots(
                [at if done else math.nan], [0], about=ink, words=[words], to=to, said=told, **look
            )
        )
    return Panel(
        Side.around([*ends, outcome.answer], room=0.3), Side.bare(-0.6, 0.6), marks, pixels=_BAR
    )


# ---- all of it, or a part for all numbers that chance may draw ---------------------------------


def _either(run: Any, along: Any) -> Any:
    """Return what says or draws a run, or a part of it along the numbers that chance may draw."""

    def of_either(result: Result, *theme: Theme) -> Any:
        return (along if isinstance(result, PassingSizes) else run)(result, *theme)

    return of_either


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: where nothing but the data is drawn, real data need no seed."""
    return (idle_with_a_run if values["step"] == "run" else idle_controls_and_seed)(values)


VIEW = or_users_needed(
    View(
        key="run",
        title="One run",
        compute=one_run,
        figure=_either(figure, passing_sizes_shown.figure),
        takeaway=_either(takeaway, passing_sizes_shown.takeaway),
        detail=_either(detail, passing_sizes_shown.detail),
        notes=_either(notes, lambda _: [NOT_PROTECTED]),
        parameters=(*SETTING, "step"),
        in_sight=("outliers", "step", "seed"),
        why="An algorithm may answer about people if the answer hardly depends on which few of "
        "them it looks at. So it first proposes to drop a few users, then tests whether the rest "
        "agree, and releases a noisy answer only if they do. Chance draws how many it may drop, "
        "so that a refusal gives no single user away.",
        idle=idle_controls,
        most=most_outliers,
        still=lambda result: not isinstance(result, Run) or result.outcome.refused,
    )
)
