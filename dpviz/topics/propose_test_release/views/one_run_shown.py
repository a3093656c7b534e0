"""One run in three steps: propose whom to drop, test whether the rest agree, release or refuse."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot import dots as people
from dpviz.plot.marks import Bars, Dots, Mark, Rule, Words, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable
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
from dpviz.topics.propose_test_release.delstab_shown import (
    NOT_PROTECTED,
    users_in_words,
    users_it_needs,
)
from dpviz.topics.propose_test_release.passing_sizes import PassingSizes
from dpviz.topics.propose_test_release.plain import Comparison, noise_deviation
from dpviz.topics.propose_test_release.user_groups_shown import (
    NAMES,
    PARTS,
    SUBJECTS,
    SYMBOLS,
    at_ticks,
    middles_inside,
    ticks,
)
from dpviz.topics.propose_test_release.users_needed_shown import or_users_needed
from dpviz.topics.propose_test_release.views.one_run import Run, one_run

_BAR = 26  # pixels, of the test's bar and of what is released
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
    """State whether the rest agree, and so whether it answers."""
    outcome = result.outcome
    most, gone = outcome.threshold, f"without {users_in_words(outcome.threshold)} the rest"
    if outcome.refused:
        who, more = (f"Even {gone}", " else") if most else ("The users", "")
        hides = f"for the noise to hide who{more} is missing, so the algorithm refuses to answer"
        return f"{who} differ too much {hides}."
    who, more = (gone.capitalize(), " else") if most else ("The users", "")
    return f"{who} agree: noise hides who{more} is missing, so the algorithm answers."


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
    per = _dots(result).per_dot
    if per > 1:
        lines.append(f"A dot is one of about {per:,} users of its group.")
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
    """Draw the users as dots by what the test does with them, the spread, and what is released."""
    proposed, tested, released = _steps(result)
    users = _users(result)
    test = replace(_test(result), above=tested)
    return stacked(
        theme, replace(users, above=proposed), test, replace(_release(result), above=released)
    )


def _steps(result: Run) -> tuple[Words, Words, Words]:
    """Say each step in one line."""
    outcome, search = result.outcome, result.outcome.search
    kappa, per = result.release.budget.kappa, _dots(result).per_dot
    crosses = tinted("crosses", SUBJECTS["first"])
    gone = f"drop {users_in_words(outcome.threshold)}" if outcome.threshold else "drop nobody"
    why = f"({crosses}): chance drew how many" if outcome.threshold else "first: so chance drew"
    stands = f"; a dot is {users_in_words(per)}, placed by their sum"
    more = 4 * kappa - outcome.threshold
    rings = tinted("rings", SUBJECTS["tested"])
    spread, limit = readable(search.spread, 4), readable(search.limit, 4)
    differ = f"sums differ by {spread}; the noise hides {limit}"
    left = users_in_words(result.release.users - 4 * kappa)
    if outcome.answer is None:
        said = tinted("nothing: it refuses to answer", Subject.DANGER)
        final: Words = f"<b>3 Release</b>  {said}"
    else:
        answer = f"<b>3 Release</b>  {readable(outcome.answer)}"
        final = f"{answer}, the sum of the {left} left with noise", f"{answer} (with noise)"
    return (
        (f"<b>1 Propose</b>  {gone} {why}{stands}", f"<b>1 Propose</b>  {gone} ({crosses})"),
        (
            f"<b>2 Test</b>  without the {more:,} largest or smallest left ({rings}), {differ}",
            f"<b>2 Test</b>  {differ}",
        ),
        final,
    )


def _dots(result: Run) -> people.Dots:
    """Return the users as dots."""
    return people.Dots(result.release.sums, result.edges, result.group)


def _users(result: Run) -> Panel:
    """Return a dot for each user, by what the test does with them."""
    dots = _dots(result)
    seen, inner = result.roles[dots.seen], middles_inside(dots)
    marks: list[Mark] = []
    for kind, name in NAMES.items():
        of_kind = [int(role) for role, (_, kinds) in PARTS.items() if kinds == kind]
        look: dict[str, Any] = {"about": SUBJECTS[kind], "symbol": SYMBOLS[kind], "called": name}
        marks.append(people.Heaps(dots, np.isin(seen, of_kind), **look))
    step = float(result.edges[1] - result.edges[0])
    for at in dots.middles.tolist():  # beyond, users stand together however far they are
        if not inner[0] <= at <= inner[-1]:
            beside = -step / 2 if at > inner[-1] else step / 2
            marks.append(Rule(x=at + beside, about="muted", wide=1.5, dash="dot"))
    ends = zip(ticks(dots), at_ticks(dots), strict=True)
    sums = Side(float(result.edges[0]), float(result.edges[-1]), ticks=list(ends), grid=False)
    return Panel(sums, Side.bare(0, float(dots.tops.max()) + 1), marks)


def _test(result: Run) -> Panel:
    """Return the spread as a bar, and the line up to which it may go."""
    search = result.outcome.search
    about = Subject.USER_LEVEL if search.stable else Subject.DANGER
    said = "shift of the sum %{x}"
    marks = [
        Bars([0], [search.spread], lying=True, about=about, pale=0.7, said=said),
        Rule(x=search.limit, wide=2.5),
    ]
    across = Side.around([0.0, search.spread, search.limit])
    return Panel(replace(across, low=0.0), Side.bare(-0.6, 0.6), marks, pixels=_BAR)


def _release(result: Run) -> Panel:
    """Return the sum of the users left, its noise, and what is released; nothing for a refusal."""
    outcome, wide = result.outcome, noise_deviation(result.release.mechanism)
    if outcome.answer is None:
        return Panel(Side.bare(0, 1), Side.bare(-0.6, 0.6), [], pixels=_BAR)
    ends = [outcome.exact_sum - wide, outcome.exact_sum + wide]
    green, above = Subject.USER_LEVEL, outcome.answer >= outcome.exact_sum
    said = f"standard deviation of the noise {readable(wide)}"
    marks: list[Mark] = [
        Bars(
            [0], [2 * wide], base=[ends[0]], lying=True, wide=0.5, about=green, pale=0.3, said=said
        )
    ]
    for at, words, ink, look, right in (
        (outcome.exact_sum, "true sum", green, _TICK, not above),
        (outcome.answer, "released", "text", _POINT, above),
    ):
        told = f"{words} {readable(at, 5)}"
        to = "middle right" if right else "middle left"
        marks.append(Dots([at], [0], about=ink, words=[words], to=to, said=told, **look))
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
