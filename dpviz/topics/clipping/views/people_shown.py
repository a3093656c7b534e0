"""People: each person a dot to be brushed, and what clipping at τ does to them."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot.dots import Dots, first_of_all
from dpviz.plot.hand import NOBODY, Hand
from dpviz.plot.linked import brushed
from dpviz.plot.marks import Line, Rule, Text, asked
from dpviz.plot.panels import Groups, Handle, Panel, Side
from dpviz.plot.people_figure import Rows, curves, dots_panel, drawn, range_of, shares
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, readable, readables
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import Brushing, View
from dpviz.topics.clipping.data_shown import UPLOAD, idle_controls, largest_useful
from dpviz.topics.clipping.views.people import People, people

_ALIKE = 1.1  # how much more common a category may be where rows are called alike
_SHOWN = 8  # candidates of which the chance is shown
_FEW_CATEGORIES = 3  # of which a candidate's shares are its name
_ABOVE_CURVES = 1.4  # "bias" stands at the beginning of its curve
_LET_GO = "a click lets them go"


def takeaway(result: People) -> str:
    """Say what kind of people the reader's τ cuts off."""
    beyond = result.beyond(result.taus)[:, result.here]
    count = int(beyond.sum())
    if not count:
        return "This threshold τ clips no one."
    if count == result.users:
        return "This threshold τ clips everyone."
    theirs, everybody = _law(result.counts[beyond]), _law(result.counts)
    kind = int((theirs - everybody).argmax())
    often = float(theirs[kind] / everybody[kind])
    cut = f"This threshold τ clips {'1 person' if count == 1 else f'{count:,} people'}"
    if often < _ALIKE:
        return f"{cut}, whose rows are much like those of all."
    return (
        f"{cut}; {result.data.name[:24]} “{result.data.categories[kind][:24]}” is "
        f"{readable(often, 2)} times as frequent in their rows as in all rows."
    )


def _law(counts: NDArray[np.int64]) -> FloatArray:
    return np.asarray(counts.sum(axis=0) / counts.sum())


def detail(result: People) -> str:
    """State the chances, bias and noise at the reader's τ."""
    law, free, task = result.laws[result.here], result.laws[-1], result.task
    likeliest = int(law.argmax())
    likely = chance(float(law[likeliest]), float(np.delete(law, likeliest).sum()))
    rank = int((task.errors < task.errors[likeliest] - 1e-12).sum()) + 1
    return (
        f"At τ = {readable(result.threshold)} the likeliest answer, with probability "
        f"{likely}, is number {rank} of {law.size} candidates by distance "
        f"from the truth; the expected error is {readable(float(law @ task.errors))}, without "
        f"clipping {readable(float(free @ task.errors))}. Clipping moves the mean score by "
        f"{readable(float(result.bias[result.here]))}; the noise is "
        f"{readable(float(result.noise[result.here]))} a person."
    )


def notes(result: People) -> list[str]:
    """Say what a score is, and what of this is private."""
    names = ", ".join(name[:24] for name in result.data.categories)
    best, rival = (result.task.names[place] for place in (result.best, result.rival))
    return [
        f"A dot is {_dot(result)}. A score compares two candidates on one person's rows, "
        f"{result.task.comparison}. Above 0 it speaks for the best one ({names}: {best}), below "
        f"0 for the other ({rival}). Scores beyond the dashed lines count only up to these "
        "lines.",
        f"Every chance is computed for all {result.taus.size} values of τ and all ranges of groups "
        "before any is shown. Every τ is ε-private, but a τ chosen by looking at these people is "
        "not.",
        "The answer is private. The people, their scores and the chances are not; you see them "
        "as if you held the data. Category names and bins count as public, though they are read "
        "from all rows.",
    ]


def _dot(result: People) -> str:
    per = _dots(result).per_dot
    return "a person" if per == 1 else f"one of about {per:,} people of its group"


def notes_to_brush(_: People) -> list[str]:
    """Say what brushing does."""
    return [
        "Brush people to see what their rows say, and what the answer would be without them: "
        "the same mechanism, at the same ε and τ, on the others' rows. One person more or less "
        "changes no chance by a factor of more than e^ε; a group may change it a lot.",
        "Keys: with the dots in focus, the arrows brush one group after the other. With Shift "
        "they brush more of them, and Escape lets them go. τ is the slider's; the table has "
        "a row for each person.",
    ]


# ---- the figure: four panels --------------------------------------------------------------------


def figure(result: People, theme: Theme, hand: Hand = NOBODY) -> Figure:
    """Draw the people as dots, what their rows say, what τ does, and every answer's chance."""
    return drawn(theme, _panels(result, hand))


def linked(result: People, theme: Theme) -> dict[str, Any]:
    """Return the figure in which people are brushed without a server."""
    return brushed(theme, partial(_panels, result), result.groups)


def _panels(result: People, hand: Hand) -> Rows:
    hand = hand.among(result.groups)
    which = range_of(result.groups, hand)
    return (
        (_dots_panel(result, hand, which), _kinds_panel(result, which)),
        (_moved_panel(result), _answers_panel(result, which)),
    )


def takeaway_of(result: People, hand: Hand) -> str:
    """Say whom a reader has chosen, and how many of them τ clips."""
    which = range_of(result.groups, hand.among(result.groups))
    if not which:
        return takeaway(result)
    count, cut = int(result.people[which - 1]), int(result.cut[which - 1, result.here])
    of_them = f"{cut:,} of them" if cut else "none of them"
    return (
        f"You chose {count:,} of {result.users:,} people; the threshold τ = "
        f"{readable(result.threshold)} clips {of_them}."
    )


def _dots(result: People) -> Dots:
    """Return the people as dots."""
    return Dots(result.scores, result.edges, result.group)


def _dots_panel(result: People, hand: Hand, which: int) -> Panel:
    dots, tau = _dots(result), result.threshold
    seen = dots.seen
    beyond = result.beyond(result.taus[[result.here]])[seen, 0]
    numbers = (seen.tolist(), readables(result.scores[seen]), readables(result.clipped[seen]))
    said = [
        f"{_person(result, one)}; score {score}, counts {counted}"
        for one, score, counted in zip(*numbers, strict=True)
    ]
    cut = first_of_all(result.cut, result.groups)[which, result.here]
    who = f"{_who(result, which)}; τ = {readable(tau)} cuts off {cut:,}"
    red = asked("red: cut off at a dashed line", "brush to see who", Groups.kind)
    title = ("Score of a person: above 0 for the best candidate", "Score of a person")
    x = Side(float(result.edges[0]), float(result.edges[-1]), title, grid=False)
    return dots_panel(
        dots,
        hand,
        x,
        f"{who}<br>{_LET_GO if which else red}",
        abouts=[Subject.DANGER if one else Subject.USER_LEVEL for one in beyond.tolist()],
        said=said,
        rules=[Rule(x=end, dash="dash") for end in (-tau, tau) if x.holds(end)],
    )


def _who(result: People, which: int) -> str:
    """Say how many people and rows everybody has, or the range of groups with this number."""
    people, rows = (
        int(first_of_all(part, result.groups)[which])
        for part in (result.people, result.rows.sum(axis=1))
    )
    if not which:
        return f"All {people:,} people, {rows:,} rows"
    return f"{people:,} of {result.users:,} people, {rows:,} rows"


def _person(result: People, one: int) -> str:
    held = [
        f"{count} × {name[:24]}"
        for name, count in zip(result.data.categories, result.counts[one].tolist(), strict=True)
        if count
    ]
    return f"person {result.numbers[one]}: {', '.join(held)}"


def _kinds_panel(result: People, which: int) -> Panel:
    names = [name[:24] for name in result.data.categories]
    rows = first_of_all(result.rows, result.groups)
    now, whole = (part / max(int(part.sum()), 1) for part in (rows[which], rows[0]))
    said = [
        f"{name}: {hundredths(float(one))}% of these rows, {hundredths(float(of))}% of all"
        if which
        else f"{name}: {hundredths(float(of))}% of all rows"
        for name, one, of in zip(names, now, whole, strict=True)
    ]
    above = (
        "What their rows say<br>line: all rows"
        if which
        else "What the rows say<br>share of all rows"
    )
    abouts = [Subject.USER_LEVEL] * len(names)
    return shares(names, abouts, now, whole if which else None, said, above)


def _moved_panel(result: People) -> Panel:
    """Return how far each τ moves the mean score, and how large the noise on it is."""
    parts = ("bias", result.bias, Subject.DANGER), ("noise", result.noise, Subject.EARLIER)
    lines = [
        Line(result.taus, part, about=about, said=f"{name} %{{y:.3~g}} at τ = %{{x:.3~g}}")
        for name, part, about in parts
    ]
    names = [
        Text(name, result.taus[0], part[0], to="NE", shift=(4, 0), small=True, about=about)
        for name, part, about in parts
    ]
    tau, bias, noise = (
        readable(float(part[result.here])) for part in (result.taus, result.bias, result.noise)
    )
    private = asked("every τ is as private as the other", "drag the line")
    x = Side.around(result.taus, "Clipping threshold, τ", room=0, log=True, grid=False)
    y = Side.around([0.0, *result.bias, *result.noise], room=0)
    handle = Handle("threshold", result.threshold, float(result.noise[result.here]), {"line": True})
    return curves(
        lines,
        result.here,
        (x, replace(y, high=_ABOVE_CURVES * y.high)),
        f"τ = {tau}: bias {bias}, noise {noise} a person<br>{private}",
        handle=handle,
        more=names,
    )


def _answers_panel(result: People, which: int) -> Panel:
    """Return how likely each answer is, the best first, and all others together."""
    task, here = result.task, result.here
    # Shown are the likeliest, and the two that are compared.
    likely = np.argsort(-result.laws.max(axis=0), kind="stable")[:_SHOWN].tolist()
    order = np.argsort(task.errors, kind="stable").tolist()
    shown = [place for place in order if place in {result.best, result.rival, *likely}]
    few = len(result.data.categories) <= _FEW_CATEGORIES
    names = [task.names[at] if few else f"number {order.index(at) + 1}" for at in shown]
    words = [f"{task.names[at]}: {readable(float(task.errors[at]))} from the truth" for at in shown]
    laws = result.laws[here], result.without[which - 1, here]
    whole, now = (np.append(law[shown], max(0.0, 1 - float(law[shown].sum()))) for law in laws)
    now = now if which else whole
    said = [
        f"{name}; chance {hundredths(float(one), float(1 - one))}%"
        for name, one in zip([*words, "all others"], now, strict=True)
    ]
    colors = {result.rival: Subject.GAUSSIAN, result.best: Subject.USER_LEVEL}
    at = f", at τ = {readable(result.threshold)}<br>"
    return shares(
        [*names, "all others"],
        [*(colors.get(at, "muted") for at in shown), "muted"],
        now,
        whole if which else None,
        said,
        f"Answer without them{at}line: with them" if which else f"Answer{at}chances, best first",
    )


VIEW = View(
    key="people",
    title="People",
    compute=people,
    figure=figure,
    brushing=Brushing(figure, takeaway_of, notes_to_brush),
    linked=linked,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "data",
        "threshold",
        "epsilon",
        "rival",
        "examples_per_user",
        "bins",
        "candidates",
        "unequal",
        "seed",
    ),
    in_sight=("threshold", "data", "epsilon"),
    why="People whose own rows are all alike have the most extreme scores, so a tight τ cuts "
    "them first: not because they are wrong, but because they stand out. What they have in "
    "common then counts for less in the answer.",
    idle=idle_controls,
    most=largest_useful,
    defaults={"threshold": 4.0, "examples_per_user": 8},
    upload=UPLOAD,
)
