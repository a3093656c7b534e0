"""One run in three steps: propose whom to drop, test what the next choice changes, release."""

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
from dpviz.plot.text import chance, downwards, readable, readables, upwards
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
from dpviz.topics.propose_test_release.plain import Comparison
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

_FRAME = 1500  # milliseconds for each step
_DOTS, _HIGHEST, _LOWEST = 400, 12, 8  # most dots, and of a pile; so many have room in any
_ROOM = 0.1  # of it, that a name above a pile needs on both sides
_GRIP = 1.2  # piles wide, below the lowest dots, where a hand takes hold of outliers
_BELOW = 2.4  # piles wide, below the lowest dots, where the panel ends
_COLUMNS = 90  # most piles of dots
_FURTHER, _BEYOND = 0.5, 0.1  # of the piles, right of them: how far the brink may be, and more
_FARTHEST = 16  # times the middle half of the sums, beyond which they share a pile

DROPPED, REST = Subject.DANGER, Subject.USER_LEVEL
SYMBOLS = ("circle", "x-thin-open", "circle-open")
"""How users are drawn: the others, those that are dropped first, and outliers that stay."""

_LOOKS = (
    ("not dropped", REST, {"pale": 0.55}),
    ("dropped", DROPPED, {"edge": 2.0}),
    ("outlier, not dropped", DROPPED, {"edge": 1.5}),
)
_SIGN, _RING = "×", "○"
_BRINK = "outliers from here on: it refuses", "from here on, it refuses"
_WIDE = 0.8  # of the longer one, a bar that has room for the names of both its ends above it
_SHORT = 0.3  # of the longer one, a gap that has no room for its number on it
_END = 13.0  # pixels of a dot at an end of the bar
_THICK, _HALF = 0.5, 0.5  # of the box of what the noise hides: the bar in it, half its height

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
    """State whether there is an answer, and how much the sum hangs on who is dropped next."""
    spread, limit = _numbers(result.outcome.search)
    refused = result.outcome.refused
    if refused:
        return (
            f"The algorithm refuses: it matters who is dropped. The sum can move by {spread}, more "
            f"than the {limit} its noise hides."
        )
    return (
        f"The algorithm answers: it hardly matters who is dropped. The sum moves by at most "
        f"{spread}, less than the {limit} its noise hides."
    )


def _next(result: Run) -> str:
    """Write how many users the test drops after the first ones."""
    return users_in_words(_more(result))


def _more(result: Run) -> int:
    return 4 * result.release.budget.kappa - result.outcome.threshold


def detail(result: Run) -> str:
    """State the test and the answer, and what plain noise would have added."""
    outcome, search = result.outcome, result.outcome.search
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    budget = result.release.budget
    kappa, plain = budget.kappa, _plain_noise(result)
    more = f"{_more(result):,}"
    alike = "these users" if result.unit_of_data else "users who are alike"
    tested = (
        f"How many users may be dropped was drawn at random: {outcome.threshold:,}; the likeliest "
        f"is {kappa:,}, so many that at this ε and δ no single user decides whether there is an "
        f"answer. The test leaves out 4 × {kappa:,} in all, so {more} after those. If these are "
        f"the largest of the rest, and not the smallest, the sum falls by {spread} more (the "
        f"spread); no other choice matters more. It answers if that is at most {limit}: with sums "
        "so far apart, nothing is more than e^(ε/3) = "
        f"{readable(math.exp(budget.epsilon_bar))} times as likely with one as with the other, "
        f"plus {chance(budget.delta_bar)}. The noise is c times the least with which {alike} pass, "
        "whoever is dropped."
    )
    if outcome.answer is None:
        return f"{tested} Here it does not answer (⊥). But {plain}, and never refuses."
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
    more = _next(result)
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


# ---- the figure: who is dropped, and below it what the rest can change --------------------------


def figure(result: Run, theme: Theme) -> Figure:
    """Draw users by their sums, and how much who else is dropped matters beside the noise."""
    return played(theme, lambda stop: _steps(result, stop), range(1, 4), each=_FRAME, tall=0.85)


def _steps(result: Run, stop: int) -> tuple[Panel, Panel]:
    """Return the panels when so many steps are done: propose, test, release."""
    test = _test(result, done=stop > 1, told=stop > 2)
    return (
        replace(_users(result), above=_proposed(result)),
        replace(test, above=_tested(result, done=stop > 1)),
    )


def _proposed(result: Run) -> Words:
    """Say in one line how many are dropped."""
    count, step = result.outcome.threshold, "<b>1 Propose</b>"
    if not count:
        return f"{step}: drop nobody, as a draw at random says", f"{step}: drop nobody"
    few = tinted(f"drop {users_in_words(count)} ({_SIGN})", DROPPED)
    return f"{step}: {few}, a number drawn at random", f"{step}: {few}"


def _tested(result: Run, *, done: bool) -> Words:
    """Say in one line what is tested, and what the bar is."""
    if not done:
        return "<b>2 Test</b>: does it matter who is dropped?"
    more = f"{_more(result):,}"
    return (
        f"<b>2 Test</b>: drop any {more} more. By how much can the sum of the rest move?",
        f"<b>2 Test</b>: drop any {more} more: the sum",
    )


def _users(result: Run) -> Panel:
    """Return users as dots piled up at their sums, of whom some are dropped."""
    parts, sums = _dots(result)
    low, end, wide = _columns(result)
    column = _pile(sums, low, end, wide)
    level = np.arange(len(sums)) - np.searchsorted(column, column)  # ascending, as the sums are
    x, y = low + (column + 0.5) * wide, (level + 0.5) * wide
    marks: list[Mark | None] = []
    for part, (symbol, (name, about, looks)) in enumerate(zip(SYMBOLS, _LOOKS, strict=True)):
        own = parts == part
        said = [f"{name}, sum {each}" for each in readables(sums[own])]
        dots: dict[str, Any] = {"symbol": symbol, "said": said, "share": 0.8 * wide, **looks}
        marks.append(Dots(x[own], y[own], about=about, **dots))
    farthest = float(result.release.sums.max())
    words = f"up to {readable(farthest)} →"
    beyond = Text(words, Part(1), Part(1), to="SW", about="muted") if farthest > end else None
    moved = result.moved
    handle, right, brink = None, end, None
    if moved is not None and low < moved.brink < end + _FURTHER * (end - low):
        right = max(end, moved.brink + _BEYOND * (end - low))
        brink = Rule(x=moved.brink, dash="dot", about="muted", called=_BRINK)
    if moved is not None and moved.at < end:
        more = {"from": moved.others, "each": moved.unit}
        handle = Handle("outlier_distance", moved.at, -_GRIP * wide, more)
    if result.outcome.threshold:
        marks += [
            _named(result, parts == 1, x, y, (low, right)),
            _rest_named(parts == 0, x, y, (low, right)),
        ]
    per, title = _per_dot(result), "One user’s sum"
    if per > 1:
        exactly = all((end - start) % per == 0 for start, end in _runs(result))
        title += f"; a dot is {'' if exactly else 'about '}{users_in_words(per)}"
    return Panel(
        Side(low - wide, right + wide, title, held=True, grid=False),
        Side.bare(-_BELOW * wide, (max(level.max(), _LOWEST) + 1.5) * wide),
        [*marks, beyond, brink],
        handle=handle,
        share=0.8,
    )


def _named(
    result: Run,
    dropped: NDArray[np.bool_],
    x: NDArray[Any],
    y: NDArray[Any],
    ends: tuple[float, float],
) -> Mark | None:
    """Return the name above the highest pile of those dropped, if it stands alone."""
    room = _ROOM * (ends[1] - ends[0])
    top = int(np.where(dropped, y, -1.0).argmax())
    at = float(x[top])
    below = (x == at) & (y < y[top])
    if np.any((abs(x - at) < room) & ~dropped & ~below):
        return None
    to = "NW" if at > ends[1] - room else "NE" if at < ends[0] + room else "N"
    alone = not np.any((abs(x - at) < 2 * room) & ~dropped & ~below)
    words = (_dropped(result), "dropped") if alone else ("dropped", "")
    return Text(words, at, 1.1 * float(y[top]), to=to, about=DROPPED, backed=True)


def _dropped(result: Run) -> str:
    """Name those dropped, and outliers that stay where they are dropped alone."""
    if result.moved is None:
        return "dropped"
    gone = result.roles == Role.DELETED_FIRST
    outliers = result.release.sums == result.moved.at
    if np.any(gone & ~outliers) or np.all(gone[outliers]):
        return "dropped"
    return f"{_SIGN} dropped, {_RING} stay"


def _rest_named(
    rest: NDArray[np.bool_], x: NDArray[Any], y: NDArray[Any], ends: tuple[float, float]
) -> Mark | None:
    """Return the name of the others right of them, if there is room before who comes next."""
    room = _ROOM * (ends[1] - ends[0])
    core = x[rest & (y >= y[rest].max() / 2)].max()  # of the higher piles
    above = (x > core + room / 4) & (x < core + 2 * room) & (y > y.max() / 2)
    if core + room > ends[1] or np.any(above):
        return None
    at = 0.6 * float(y[rest].max())
    return Text("the others", core, at, to="NE", shift=(10, 0), about=REST)


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


def _parts(result: Run) -> NDArray[np.int8]:
    """Return the part of each user, ascending by sum: its place in `SYMBOLS`."""
    release = result.release
    dropped = (result.roles == Role.DELETED_FIRST)[release.order]
    sums = release.sums[release.order]
    outliers = np.zeros_like(dropped) if result.moved is None else sums == result.moved.at
    return np.select([dropped, outliers], [1, 2], 0).astype(np.int8)


def _runs(result: Run) -> list[tuple[int, int]]:
    """Return from where to where users, ascending, have one part and are outliers or not."""
    release, kinds = result.release, _parts(result).astype(int)
    if result.moved is not None:  # who is dragged is seen, were it a single user
        kinds += 3 * (release.sums[release.order] == result.moved.at)
    starts = np.flatnonzero(np.diff(kinds, prepend=-1))
    return list(itertools.pairwise([*starts.tolist(), release.users]))


def _dots(result: Run) -> tuple[NDArray[np.int8], FloatArray]:
    """Return of each dot its part, and its sum, in the middle of its users."""
    parts, per = _parts(result), _per_dot(result)
    sums = result.release.sums[result.release.order]
    shown, middles = list[int](), list[FloatArray]()
    for start, end in _runs(result):
        dots = max(round((end - start) / per), 1)
        shown += [int(parts[start])] * dots
        places = start + (np.arange(dots) + 0.5) * (end - start) / dots
        middles.append(sums[places.astype(int)])
    return np.array(shown, dtype=np.int8), np.concatenate(middles)


def _per_dot(result: Run) -> int:
    """Return for how many users a dot stands: so that no pile is too high."""
    piles = np.bincount(_pile(result.release.sums, *_columns(result)))
    return max(math.ceil(result.release.users / _DOTS), math.ceil(int(piles.max()) / _HIGHEST))


def _test(result: Run, *, done: bool, told: bool) -> Panel:
    """Return how much who else is dropped matters, in the box of what the noise hides.

    done: whether that is measured; told: whether its verdict is.
    """
    search = result.outcome.search
    about = REST if search.stable else Subject.DANGER
    spread, limit = _numbers(search)
    long = max(search.spread, search.limit) or 1.0
    bar: dict[str, Any] = {"lying": True, "wide": _THICK, "about": about}
    ends = [0.0, search.spread] if done else [math.nan] * 2
    marks: list[Mark | None] = [
        Bars([0], [search.spread if done else 0.0], **bar),
        Dots(ends, [0.0, 0.0], size=_END, about="text"),
    ]
    if done:
        short = search.spread < _SHORT * long
        parts = ((0.0, search.limit), (search.limit, search.spread))  # clear of the wall
        begins, to = max(parts, key=lambda part: part[1] - part[0])
        changes = f"moves by <b>{spread}</b>", f"<b>{spread}</b>"
        noise = f"its noise hides <b>{limit}</b>"
        middle = search.spread if short else (begins + min(to, search.spread)) / 2
        marks += [
            Span(x=(0.0, search.limit), y=(-_HALF, _HALF), about="grid", seen=0.6),
            *_bracket((0.0, search.limit), -_HALF, 0.12, wide=3),
            Rule(x=search.limit, y=(-_HALF, _HALF), wide=4),
            Text(changes, middle, 0, **_inside(short)),
            Text(noise, 0, -_HALF, to="SE", shift=(0, -6), large=True),
            *(_totals(result) if search.spread > _WIDE * long else ()),
        ]
    if told:
        verdict = "<b>it answers</b>" if search.stable else "<b>it refuses</b>"
        marks.append(Text(verdict, long, 0.05, to="NE", shift=(14, 0), large=True, about=about))
        marks.append(Text(_released(result), long, -0.05, to="SE", shift=(14, 0)))
    across = Side.bare(-0.06 * long, 1.6 * long)
    return Panel(across, Side.bare(-0.95, 0.8), marks, share=1.0)


def _totals(result: Run) -> list[Mark]:
    """Return what the ends of the bar are: the totals of who is left by either choice."""
    sums, roles = result.release.sums, result.roles
    kept, large, small = (
        float(sums[roles == role].sum())
        for role in (Role.KEPT, Role.DELETED_AS_LARGEST, Role.DELETED_AS_SMALLEST)
    )
    ends = ((0.0, "NE", "largest", kept + small), (large - small, "NW", "smallest", kept + large))
    return [
        Text((f"without the {which}: {readable(total, 5)}", ""), at, _HALF, to=to)
        for at, to, which, total in ends
    ]


def _released(result: Run) -> Words:
    """Say what is released, which is nothing for a refusal."""
    answer = result.outcome.answer
    if answer is None:
        return "<b>3 Release</b> nothing"
    exact, sign = result.outcome.exact_sum, "−" if answer < result.outcome.exact_sum else "+"
    released, left, noise = (readable(one, 5) for one in (answer, exact, abs(answer - exact)))
    short = f"<b>3 Release</b>: {released}"
    return f"{short} = {left} {sign} {noise} of noise", short


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
        # So many that not all may be left out, so near that it answers; a step farther it refuses.
        defaults={"users": 500.0, "outliers": 24.0, "outlier_distance": 0.3},
        in_sight=("outliers", "outlier_distance", "seed"),
        why="An algorithm may answer about people if the answer hardly depends on which few of "
        "them it looks at. So it first proposes to drop a few users, then tests how much the "
        "answer can depend on who is dropped next, and releases it only if its noise hides that "
        "much. Chance draws how many it may drop, so that a refusal gives no single user away.",
        idle=idle_controls,
        most=most_outliers,
        still=lambda result: not isinstance(result, Run) or result.outcome.refused,
    )
)
