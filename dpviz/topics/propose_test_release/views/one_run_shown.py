"""One run in three steps: propose whom to drop, test whether the rest agree, release or refuse."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.marks import Bars, Dots, Mark, Part, Rule, Span, Text, Words, tinted
from dpviz.plot.panels import Handle, Panel, Side
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

_STRIP = 26  # pixels, of what is released
_FRAME = 1500  # milliseconds for each step
_DOTS, _HIGHEST, _LOWEST = 400, 12, 8  # most dots, and of a pile; so many have room in any
_SPARE = 0.8  # of the axis, up to which there is room for a name beside the bracket
_ROOM = 0.1  # of it, that a name above a pile needs on both sides
_CLEAR = 0.75  # of the highest pile, up to which a name stands above the piles of an end
_COLUMNS = 80  # most piles of dots
_FARTHEST = 16  # times the middle half of the sums, beyond which they share a pile

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
_TESTED = SUBJECTS["tested"]
_WHICH = ("largest", "smallest")
_SHORT = 0.3  # of the longer one, a gap that has no room for its number on it
_THICK, _HALF = 0.56, 0.5  # of the box of what the noise hides: the bar in it, half its height
_SIGNS = {"first": "×", "tested": "○"}
_EDGES = {"first": 3.0, "tested": 2.0, "kept": 0.0}

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
    """State whether there is an answer, and how far apart the rest are beside what noise hides."""
    outcome = result.outcome
    spread, limit = _numbers(outcome.search)
    gone = "without the users it drops, the rest" if outcome.threshold else "the users"
    if outcome.refused:
        even = "even " if outcome.threshold else ""
        return f"The algorithm refuses: {even}{gone} differ by {spread}; its noise hides {limit}."
    return f"The algorithm answers: {gone} agree to within {spread}; its noise hides {limit}."


def detail(result: Run) -> str:
    """State the test and the answer, and what plain noise would have added."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    budget = result.release.budget
    kappa, plain = budget.kappa, _plain_noise(result)
    more = f"{4 * kappa - outcome.threshold:,}"
    tested = (
        f"How many users may be dropped was drawn at random: {outcome.threshold:,}; the likeliest "
        f"is {kappa:,}, so many that at this ε and δ no single user decides whether there is an "
        f"answer. The test leaves out 4 × {kappa:,} in all, so {more} after those. Whether they "
        f"are the largest or the smallest changes the sum left by {spread} (the spread); at most "
        f"{limit} is allowed."
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
    """Draw users by their sums, the two sums compared, and what is released; step by step."""
    return played(theme, lambda stop: _steps(result, stop), range(1, 4), each=_FRAME, tall=0.9)


def _steps(result: Run, stop: int) -> tuple[Panel, Panel, Panel]:
    """Return the three steps, of which so many are done."""
    return (
        replace(_users(result, tested=stop > 1), above=_proposed(result)),
        replace(_test(result, done=stop > 1), above=_tested(done=stop > 1)),
        replace(_release(result, done=stop > 2), above=_released(result, done=stop > 2)),
    )


def _proposed(result: Run) -> Words:
    """Say in one line how many are dropped."""
    count, step = result.outcome.threshold, "<b>1 Propose</b>  "
    if not count:
        return f"{step}drop nobody: chance drew how many", f"{step}drop nobody"
    few = tinted(f"drop {users_in_words(count)} ({_SIGNS['first']})", SUBJECTS["first"])
    return f"{step}{few}: chance drew how many", f"{step}{few}"


def _tested(*, done: bool) -> Words:
    """Say in one line what the test compares."""
    if not done:
        return "<b>2 Test</b>"
    ends = tinted(f"the largest or the smallest ({_SIGNS['tested']})", _TESTED)
    which = f"how far does the sum move if {ends} go, too?"
    return f"<b>2 Test</b>  Do the rest agree: {which}", "<b>2 Test</b>  Do the rest agree?"


def _released(result: Run, *, done: bool) -> Words:
    """Say in one line what is released."""
    step = "<b>3 Release</b>"
    if not done:
        return step
    if result.outcome.answer is None:
        return f"{step}  {tinted('nothing: it refuses to answer', Subject.DANGER)}"
    return f"{step}  {readable(result.outcome.answer)}, a noisy sum"


def _users(result: Run, *, tested: bool) -> Panel:
    """Return users as dots piled up at their sums, and from where to where the rest are."""
    kinds, sums = _dots(result)
    low, end, wide = _columns(result)
    column = _pile(sums, low, end, wide)
    level = np.arange(len(sums)) - np.searchsorted(column, column)  # ascending, as the sums are
    x, y = low + (column + 0.5) * wide, (level + 0.5) * wide
    marks: list[Mark | None] = []
    for kind, name in NAMES.items():
        own = kinds == kind
        if not tested and kind != "first":
            own = (kinds != "first") if kind == "kept" else np.zeros_like(own)
        said = [f"{name}, sum {each}" for each in readables(sums[own])]
        looks: dict[str, Any] = {"symbol": SYMBOLS[kind], "edge": _EDGES[kind]}
        share = 0.8 * wide
        marks.append(Dots(x[own], y[own], about=SUBJECTS[kind], said=said, share=share, **looks))
    rest = x[kinds != "first"]
    foot = -0.8 * wide
    ends = (float(rest.min() - wide / 2), float(rest.max() + wide / 2))
    marks += _bracket(ends, foot, 0.5 * wide)
    if ends[1] < low + _SPARE * (end - low):
        marks.append(Text("the rest", ends[1], foot, to="E", shift=(8, 0)))
    marks.append(_named(kinds, x, y, (low, end)) if result.outcome.threshold else None)
    marks += _ends_named(kinds, x, y, (low, end)) if tested else []
    farthest = float(result.release.sums.max())
    words = f"up to {readable(farthest)} →"
    beyond = Text(words, Part(1), Part(1), to="SW", about="muted") if farthest > end else None
    moved = result.moved
    handle = None
    if moved is not None and moved.at < end:
        more = {"from": moved.others, "each": moved.unit}
        handle = Handle("outlier_distance", moved.at, foot, more)
    per = _per_dot(result)
    title = f"One user’s sum; a dot is {users_in_words(per)}" if per > 1 else "One user’s sum"
    return Panel(
        Side(low - wide, end + wide, title, held=True, grid=False),
        Side.bare(-1.6 * wide, (max(level.max(), _LOWEST) + 1.5) * wide),
        [*marks, beyond],
        handle=handle,
        share=0.7,
    )


def _named(
    kinds: NDArray[np.str_], x: NDArray[Any], y: NDArray[Any], ends: tuple[float, float]
) -> Mark | None:
    """Return the name above the highest pile of those dropped, if it stands alone."""
    first, room = kinds == "first", _ROOM * (ends[1] - ends[0])
    top = int(np.where(first, y, -1.0).argmax())
    at = float(x[top])
    above = (x == at) & (y > y[top])
    if np.any((abs(x - at) < room) & ~first & ((x != at) | above)):
        return None
    to = "NW" if at > ends[1] - room else "NE" if at < ends[0] + room else "N"
    alone = not np.any((abs(x - at) < 2 * room) & ~first)
    words = "dropped" if alone else ("dropped", "")
    return Text(words, at, 1.1 * float(y[top]), to=to, about=SUBJECTS["first"])


def _ends_named(
    kinds: NDArray[np.str_],
    x: NDArray[Any],
    y: NDArray[Any],
    ends: tuple[float, float],
) -> list[Mark]:
    """Return the names of the smallest and of the largest of the rest, where there is room."""
    room = _ROOM * np.ptp(ends)
    rest, marks = x[kinds != "first"], list[Mark]()
    for which, at, out in (("smallest", rest.min(), -1), ("largest", rest.max(), 1)):
        beyond, side = out * (x - at), ends[0] if out == -1 else ends[1]
        free = abs(side - at) > 2 * room and not np.any((beyond > 0) & (beyond < 2 * room))
        near = abs(x - at) < room
        high = y.min() if free else y[near].max()
        if np.any(near & (kinds == "first")) or high > _CLEAR * y.max():
            continue
        to = "E" if (out == 1) == free else "W"
        looks: dict[str, Any] = {"to": f"N{to}", "shift": (10 * out, 0)}
        if not free:
            looks = {"to": f"N{to}", "shift": (0, 6)}
        words = (f"{which} ({_SIGNS['tested']})", "")
        marks.append(Text(words, float(at), float(high), about=_TESTED, **looks))
    return marks


def _bracket(ends: tuple[float, float], y: float, cap: float, **looks: Any) -> list[Mark]:
    """Return a line between two places with a cap at each."""
    caps = [Rule(x=end, y=(y - cap, y + cap), **looks) for end in ends]
    return [Rule(x=ends, y=(y, y), **looks), *caps]


def _columns(result: Run) -> tuple[float, float, float]:
    """Return from where to where dots are piled up, and how wide a pile is.

    A few sums that lie very far out would leave no room for all others: they share the last pile.
    """
    sums = result.release.sums
    low, first, third, high = np.quantile(sums, (0.0, 0.25, 0.75, 1.0))
    end = min(high, third + _FARTHEST * max(third - first, 1.0))
    wide = (end - low) / _COLUMNS or 1.0
    if not result.release.mechanism.continuous:  # whole sums
        wide = max(math.ceil(wide), 1.0)
    return low - wide / 2, end + wide / 2, wide


def _pile(sums: FloatArray, low: float, end: float, wide: float) -> NDArray[np.intp]:
    """Return in which pile each sum is, the last of which has all that are beyond the end."""
    piles: NDArray[np.intp] = np.minimum((sums - low) // wide, (end - low) // wide).astype(np.intp)
    return piles


def _dots(result: Run) -> tuple[NDArray[np.str_], FloatArray]:
    """Return each dot's kind and sum, in the middle of the users for whom it stands."""
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
    """Return for how many users a dot stands: so that no pile is too high."""
    piles = np.bincount(_pile(result.release.sums, *_columns(result)))
    return max(math.ceil(result.release.users / _DOTS), math.ceil(int(piles.max()) / _HIGHEST))


def _test(result: Run, *, done: bool) -> Panel:
    """Return how far apart the two sums are, in the box of what the noise hides; the verdict."""
    search = result.outcome.search
    about = Subject.USER_LEVEL if search.stable else Subject.DANGER
    spread, limit = _numbers(search)
    least, most = result.compared
    long = max(search.spread, search.limit) or 1.0
    wall = least + search.limit
    verdict = ("<b>it fits: it answers</b>", "<b>it answers</b>")
    if not search.stable:
        verdict = ("<b>too wide: it refuses</b>", "<b>it refuses</b>")
    at = [least, most] if done else [math.nan] * 2
    said = [
        f"sum without the {which} {readable(one, 6)}"
        for which, one in zip(_WHICH, (least, most), strict=True)
    ]
    bar: dict[str, Any] = {"lying": True, "wide": _THICK, "about": about}
    marks: list[Mark | None] = [
        Bars([0], [search.spread if done else 0.0], base=[least], **bar),
        Dots(at, [0, 0], about=_TESTED, said=said, size=15, edge=1.5, edged="background"),
    ]
    if done:
        short = search.spread < _SHORT * long
        begins, ends = least, most
        if most > wall:  # the number stands in the longer part, clear of the wall
            begins, ends = max((least, wall), (wall, most), key=lambda part: part[1] - part[0])
        middle = most if short else (begins + ends) / 2
        marks += [
            Span(x=(least, wall), y=(-_HALF, _HALF), about="grid", seen=0.6),
            *_bracket((least, wall), -_HALF, 0.12, wide=3),
            Rule(x=wall, y=(-_HALF, _HALF), wide=4),
            *_summed(least, most, short=short),
            Text(f"<b>{spread}</b>", middle, 0, **_inside(short)),
            Text(
                (f"the noise hides {limit}", f"hidden: {limit}"),
                least + search.limit / 2,
                -_HALF,
                to="S",
                shift=(0, -6),
            ),
            Text(verdict, max(most, wall), 0, to="E", shift=(14, 0), large=True, about=about),
        ]
    across = Side.bare(least - 0.06 * long, least + 1.6 * long)
    return Panel(across, Side.bare(-0.95, 0.85), marks, share=1.2)


def _summed(least: float, most: float, *, short: bool) -> list[Mark]:
    """Return whose sums the two ends are, in one line where they are near to each other."""
    looks: dict[str, Any] = {"about": _TESTED, "to": "NE", "shift": (-6, 2)}
    if short:
        both = ("without the largest or the smallest", "less largest or smallest")
        return [Text(both, least, _HALF, **looks)]
    ends = zip(_WHICH, (least, most), strict=True)
    return [
        Text((f"without the {which}", f"less {which}"), at, _HALF, **looks) for which, at in ends
    ]


def _inside(short: bool) -> dict[str, Any]:
    """Return how the number of a bar is written: on it, or beside it where it is short."""
    if short:
        return {"to": "E", "shift": (14, 0), "large": True}
    return {"large": True, "about": "background"}


def _numbers(search: Search) -> tuple[str, str]:
    """Write the spread and its limit so that it is seen which is larger."""
    up, down = (upwards, downwards) if search.stable else (downwards, upwards)
    pairs = ((up(search.spread, d), down(search.limit, d)) for d in range(4, 16))
    return next((pair for pair in pairs if pair[0] != pair[1]), (readable(search.limit, 9),) * 2)


def _release(result: Run, *, done: bool) -> Panel:
    """Return the sum of the users left, and what is released of it; nothing for a refusal."""
    outcome, wide = result.outcome, noise_deviation(result.release.mechanism)
    if outcome.answer is None:
        return Panel(Side.bare(0, 1), Side.bare(0, 1), [], pixels=_STRIP)
    left = users_in_words(result.release.users - 4 * result.release.budget.kappa)
    ends = (outcome.exact_sum, outcome.answer - wide, outcome.answer + wide)
    across = Side.around([0.0, *ends], room=0.05)
    reading = f"sum of the {left} left {readable(outcome.exact_sum, 5)}"
    long = [outcome.exact_sum if done else 0.0]
    at = outcome.answer if done else math.nan
    said = f"released {readable(outcome.answer, 5)}, noise of ±{readable(wide)} (one deviation)"
    inside = ("true sum of the users left", "true sum") if done else ""
    marks = [
        Bars([0], long, lying=True, about=Subject.USER_LEVEL, pale=0.3, said=reading),
        Text(inside, 0, 0, to="E", shift=(6, 0)),
        Dots([at], [0], off=[wide], across=True, size=9, thick=2, said=said),
    ]
    return Panel(Side.bare(across.low, across.high), Side.bare(0.5, -0.5), marks, pixels=_STRIP)


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
        # So many, and so far away, that the test has someone to leave out, and answers.
        defaults={"outliers": 16.0, "outlier_distance": 0.6},
        in_sight=("outliers", "outlier_distance", "seed"),
        why="An algorithm may answer about people if the answer hardly depends on which few of "
        "them it looks at. So it first proposes to drop a few users, then tests whether the rest "
        "agree, and releases a noisy answer only if they do. Chance draws how many it may drop, "
        "so that a refusal gives no single user away.",
        idle=idle_controls,
        most=most_outliers,
        still=lambda result: not isinstance(result, Run) or result.outcome.refused,
    )
)
