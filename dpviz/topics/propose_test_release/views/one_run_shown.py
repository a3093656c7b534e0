"""One run in three steps: propose whom to drop, test what the next choice changes, release."""

import bisect
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Bars, Mark, Part, Rule, Span, Text, Words, tinted
from dpviz.plot.panels import Handle, Panel, Side
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, chance, counted, downwards, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Result, Subject
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
from dpviz.topics.propose_test_release.piles_shown import OUTLIER, Piles, piled
from dpviz.topics.propose_test_release.plain import Comparison
from dpviz.topics.propose_test_release.roles import Role
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

_FRAME = 1500  # milliseconds for each step
_HIGHEST, _LOWEST, _HEAD = 8, 6, 3.0  # dots of a pile at most; so many have room in any, and more
_HIGH = 0.1  # of the height, of each dot in a pile, beside the panel of the test
_COLUMNS = 60  # most piles of dots
_FURTHER, _BEYOND = (
    0.5,
    0.1,
)  # of the piles, right of them: how far the brink may be to be in the panel, and more
_FARTHEST = 16  # times the middle half of the sums, beyond which they share a pile
_GRIP = 1.2  # piles wide, below the lowest dots, where a hand takes hold of outliers

REST = Subject.USER_LEVEL
_FIRST, _SIGN = "○", "×"  # who is dropped first, and next
_PARTS = {
    Role.KEPT: "not dropped",
    Role.DELETED_FIRST: "dropped",
    Role.DELETED_AS_LARGEST: "dropped next, as one of the largest",
    Role.DELETED_AS_SMALLEST: "dropped next, as one of the smallest",
    Role.DELETED_AS_BOTH: "dropped next, either way",
}
_WIDE = 0.6, 0.8  # of the longer one, a bar that has room for more words beside its number
_WHOLE = 1e5  # below which whole sums are written in full
_SHORT = 0.3  # of the longer one, a gap that has no room for its number on it
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
    size, refused = result.outcome.threshold, result.outcome.refused
    once = f"Once {users_in_words(size)} {agreeing(size, 'is', 'are')} dropped, dropping the"
    first, rest = (once, " of the rest") if size else ("Dropping the", " users")
    hides = f"up to {limit}, so the algorithm answers"
    if refused:
        hides = f"only up to {limit}, so the algorithm refuses"
    return (
        f"{first} smallest or the largest{rest} gives sums {spread} apart. The noise hides {hides}."
    )


def detail(result: Run) -> str:
    """State the test, where the allowed number comes from, the answer, and plain noise."""
    outcome, search, budget = result.outcome, result.outcome.search, result.release.budget
    spread, limit = readable(search.spread, 5), readable(search.limit, 5)
    kappa, plain, users = budget.kappa, _plain_noise(result), result.release.users
    left = users - 4 * kappa
    noise = readable(result.comparison.delstab * left / users)
    alike = "these users" if result.unit_of_data else "users who are alike"
    without_small, without_large = (readable(total, 5) for total in _totals(result))
    tested = (
        f"Propose: how many users may be dropped is drawn at random, here {outcome.threshold:,}. "
        f"The likeliest is {kappa:,}, so many that at this ε and δ no single user decides whether "
        f"there is an answer. Test: 4 × {kappa:,} are left out in all, so {_more(result):,} after "
        f"those. Without the smallest the sum of the rest is {without_small}, without the largest "
        f"{without_large}: it moves by {spread}, and by no more whoever else is dropped. The noise "
        f"hides up to {limit}: its standard deviation is {noise}, c times the "
        f"least with which {alike} always pass. It makes any answer at most e^(ε/3) = "
        f"{readable(math.exp(budget.epsilon_bar))} times likelier with one sum than with another "
        f"that is up to {limit} away, but for a probability of {chance(budget.delta_bar)}."
    )
    if outcome.answer is None:
        return (
            f"{tested} Release: the sum moves farther, so it does not answer (⊥). But {plain}, and "
            "never refuses."
        )
    return (
        f"{tested} Release: it moves no farther, so {readable(outcome.answer, 5)} is released for "
        f"the {users_in_words(left)} left, whose sum is {readable(outcome.exact_sum, 5)}. But "
        f"{plain}."
    )


def _more(result: Run) -> int:
    """Return how many users the test drops after the first ones."""
    return 4 * result.release.budget.kappa - result.outcome.threshold


def _totals(result: Run) -> tuple[float, float]:
    """Return the sums of who is left without the smallest and without the largest."""
    sums, roles = result.release.sums, result.roles
    kept, large, small = (
        float(sums[roles == role].sum())
        for role in (Role.KEPT, Role.DELETED_AS_LARGEST, Role.DELETED_AS_SMALLEST)
    )
    return kept + large, kept + small


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
    return lines


def _in_plain_words(result: Run) -> str:
    """Say in words what κ, R₁, X_stable and ⊥ are, with the numbers of this run."""
    kappa, size = result.release.budget.kappa, result.outcome.threshold
    more = users_in_words(_more(result))
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
    """Draw users by their sums, and how much who else is dropped matters beside what may."""

    def steps(stop: int) -> tuple[Panel, ...]:
        """Return the panels when so many steps are done: propose, test, release."""
        without = Role.DELETED_AS_SMALLEST, Role.DELETED_AS_LARGEST
        users = (_users(result, also, tested=stop > 1) for also in without)
        return *users, _test(result, done=stop > 1, told=stop > 2)

    return played(theme, steps, range(1, 4), each=_FRAME, tall=1.0)


def _users(result: Run, also: Role, *, tested: bool) -> Panel:
    """Return users as dots piled up at their sums, without those dropped first and one part more.

    also: that part, once it is tested what it matters.
    """
    release, moved, order = result.release, result.moved, result.release.order
    small, sums = also == Role.DELETED_AS_SMALLEST, release.sums[order]
    gone = {Role.DELETED_FIRST, Role.DELETED_AS_BOTH, also} if tested else {Role.DELETED_FIRST}
    outliers = np.zeros(sums.shape, dtype=bool) if moved is None else sums == moved.at
    low, end, wide = _columns(result)
    kinds = result.roles[order].astype(int) + len(Role) * outliers
    piles = piled(sums, kinds, ends=(low, end), wide=wide, highest=_HIGHEST)
    marks = [_dots(piles, role, outlier, gone=role in gone) for outlier in (0, 1) for role in Role]
    farthest = float(sums.max())
    if farthest > end:
        marks.append(Text(f"up to {readable(farthest)} →", Part(1), Part(1), to="SW"))
    handle, right = None, end
    if moved is not None and low < moved.brink < end + _FURTHER * (end - low):
        right = max(end, moved.brink + _BEYOND * (end - low))
    if small and moved is not None and moved.at < end:
        more = {"from": moved.others, "each": moved.unit}
        handle = Handle("outlier_distance", moved.at, -_GRIP * wide, more)
        marks.append(piles.named(counted(int(outliers.sum()), "outlier"), moved.at))
    across = Side(low - wide, right + wide, "" if small else piles.title, held=True, grid=False)
    foot = _GRIP + 1.0 if small else 0.0  # in piles, as the head: dots of both are as large
    head = max(piles.top / wide, _LOWEST) + (_HEAD if small else 1.0)
    return Panel(
        replace(across, numbers=not small),
        Side.bare(-foot * wide, head * wide),
        marks,
        above=_step(result, small=small, tested=tested),
        handle=handle,
        share=_HIGH * (foot + head),
    )


def _step(result: Run, *, small: bool, tested: bool) -> Words:
    """Say who is dropped, and what the rest sum to once that is tested."""
    size, more = users_in_words(result.outcome.threshold), f"{_more(result):,}"
    propose = f"<b>1 Propose</b>: drop {size} ({_FIRST})"
    if not tested:
        asked = "<b>2 Test</b>: does it matter who else is dropped?"
        return (f"{propose}, a number drawn at random", propose) if small else asked
    also = f"the {more} {'smallest' if small else 'largest'} ({_SIGN})"
    rest = f"the rest sum to <b>{_written(result)[0 if small else 1]}</b>"
    full = (
        f"{propose}. <b>2 Test</b>: drop {also}, and {rest}"
        if small
        else f"Or drop {also}, and {rest}"
    )
    short = f"drop {result.outcome.threshold:,} ({_FIRST}), {also}: {rest.rpartition(' ')[2]}"
    return full, f"<b>{1 if small else 2}</b> {short}"


def _written(result: Run) -> list[str]:
    """Write the sums of the rest without the smallest and without the largest."""
    return [readable(total, 5) for total in _totals(result)]


def _subtraction(result: Run, spread: str) -> str:
    """Write the difference of both sums, and what it is of where none of them is rounded."""
    exact = all(total == round(total) < _WHOLE for total in _totals(result))
    of = f"{' − '.join(_written(result))} =" if exact else "a difference of"
    return f"{of} <b>{spread}</b>"


def _dots(piles: Piles, role: Role, outlier: int, *, gone: bool) -> Mark:
    """Return the users of one part in the test, outliers or others, dropped or not."""
    name, kind = _PARTS[role], role + len(Role) * outlier
    if role == Role.DELETED_FIRST:
        return piles.dots(kind, name, "circle-open", "muted", edge=2.0)
    if gone:
        return piles.dots(kind, name, "x-thin-open", OUTLIER, edge=2.0)
    return piles.dots(kind, f"outlier, {name}" if outlier else name, "circle", REST)


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


def _test(result: Run, *, done: bool, told: bool) -> Panel:
    """Return how much who else is dropped matters, in the box of what the noise hides.

    done: whether that is measured; told: whether its verdict is.
    """
    search = result.outcome.search
    about = REST if search.stable else Subject.DANGER
    spread, limit = _numbers(search)
    long = max(search.spread, search.limit) or 1.0
    short = search.spread < _SHORT * long
    parts = ((0.0, search.limit), (search.limit, search.spread))  # clear of the wall
    begins, to = max(parts, key=lambda part: part[1] - part[0])
    middle = search.spread if short else (begins + min(to, search.spread)) / 2
    moves = (
        f"<b>{spread}</b>",
        f"by <b>{spread}</b>",
        _subtraction(result, spread),
    )
    fits = bisect.bisect(_WIDE, (min(to, search.spread) - begins) / long)
    bar: dict[str, Any] = {"lying": True, "wide": _THICK, "about": about}
    marks: list[Mark | None] = [Bars([0], [search.spread if done else 0.0], **bar)]
    if done:
        marks += [
            Span(x=(0.0, search.limit), y=(-_HALF, _HALF), about="grid", seen=0.6),
            *_bracket((0.0, search.limit), -_HALF, 0.12, wide=3),
            Rule(x=search.limit, y=(-_HALF, _HALF), wide=4),
            Text((moves[min(fits + 1, 2)], moves[fits // 2]), middle, 0, **_inside(short)),
            Text(
                (f"the noise hides up to <b>{limit}</b>", f"hides up to <b>{limit}</b>"),
                0,
                -_HALF,
                to="SE",
                shift=(0, -6),
                large=True,
            ),
        ]
    if told:
        verdict = f"<b>it {'answers' if search.stable else 'refuses'}</b>"
        marks.append(Text(tinted(verdict, about), long, 0, to="E", shift=(14, 0), large=True))
    above = "<b>3 Release</b>, if the noise hides the difference", "<b>3 Release</b>"
    across = Side.bare(-0.06 * long, 1.6 * long)
    return Panel(across, Side.bare(-0.95, 0.7), marks, above=above, share=0.9)


def _bracket(ends: tuple[float, float], y: float, cap: float, **looks: Any) -> list[Mark]:
    """Return a line between two places with a cap at each."""
    caps = [Rule(x=end, y=(y - cap, y + cap), **looks) for end in ends]
    return [Rule(x=ends, y=(y, y), **looks), *caps]


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
        defaults={"users": 200.0, "outliers": 24.0, "outlier_distance": 0.3},
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
