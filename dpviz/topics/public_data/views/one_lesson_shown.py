"""See it learn: private and public data, the function between, and the function released."""

import math
from collections.abc import Iterator

import numpy as np

from dpviz.plot.marks import Dots, Line, Mark, Rule, Span, Text, Zero, joined, tinted
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import counted, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.excess_errors_shown import compared, error_rate
from dpviz.topics.public_data.experiment_shown import (
    SETTING,
    idle_of_learner,
    idle_of_shift,
    learners_that_suit,
    most_of_task,
)
from dpviz.topics.public_data.learners import LEARNERS, claim, subject
from dpviz.topics.public_data.learners_shown import privacy_notes
from dpviz.topics.public_data.views.one_lesson import Lesson, one_lesson

_DRAWN = 24  # of the redraws
_ERRORS = 88  # pixels
_BEYOND = (
    "More new examples wrong than with the best rule (percentage points)",
    "More wrong than the best (points)",
)
_SHORT = 0.375  # of the axis of errors, as long as none is larger
_TALL = 1.7  # how far the line of labels reaches, up and down
_OTHER = "released with other noise"
_EDGE, _LINE = 0.12, 22  # of the axis, at whose ends names stand inwards; pixels
_BENEATH = 0.5  # the opacity of what is not released, which is wide
_DEAR = 0.05  # a cost of privacy from which on the headline says what it comes from
_ROWS = ((-1, ("private, −", "−")), (0, "public"), (1, ("private, +", "+")))
_GOLDEN = 0.618034  # its multiples spread evenly


def takeaway(result: Lesson) -> str:
    """State the errors of this draw of the noise, of others and without privacy, as far as known.

    Where the noise makes most of a large error, it is said how large that is.
    """
    excess, plain, task = result.excess, result.optimum_excess, result.task
    error = compared(task.name, excess, math.nan, "")
    if math.isnan(plain):
        return f"This learner {error}."
    dear = task.classifies and excess - plain >= _DEAR
    if dear and result.noisy_excess - plain >= (excess - plain) / 2:  # else few points cost more
        m, place = len(result.public), "grid cell" if result.learner == "rspm" else "public point"
        each = f"each of {m:,} {place}s" if m > 1 else f"its {place}"
        cost = readable(100 * (excess - plain), 2)
        return (
            f"Privacy costs this learner {cost} percentage points: {each} gets noise "
            f"{readable(result.outcome.scale)} times as large as one example's loss."
        )
    without = f"and {_number(result, plain)} without privacy"
    if not _all_drawn(result):
        return f"This release {error}, {without}."
    mean = _number(result, float(result.spread.mean()))
    return f"This release {error}; the average over the noise, {mean}."


def _number(result: Lesson, error: float) -> str:
    """Write an error that follows one with its unit: percentage points, or a squared error."""
    write = error_rate if result.task.classifies else readable
    return write(error, 2).removesuffix("%")


def detail(result: Lesson) -> str:
    """State the error released, its spread, the plain optimum's, the calls and the privacy."""
    calls, m = result.outcome.calls, len(result.public)
    points = counted(m, "public point", digits=7)
    if result.learner == "rspm":
        points = f"a grid of {counted(m, 'cell', digits=7)}"
    return (
        f"{LEARNERS[result.learner]} on {result.samples:,} private examples and {points} releases "
        f"a function with excess error "
        f"{readable(result.excess)}{_spread(result)}{_without_privacy(result)} was called "
        f"{'once' if calls == 1 else f'{calls:,} times'}. {_privacy(result)}"
    )


def _spread(result: Lesson) -> str:
    """Say what errors the redraws have: the first of them, where more are to come."""
    redraws = len(result.spread)
    if not redraws:
        return ""
    if redraws == result.planned:
        low, high = np.quantile(result.spread, [0.1, 0.9])
        return f" (80% of redraws: {readable(float(low))} to {readable(float(high))})"
    least, most = readable(float(result.spread.min())), readable(float(result.spread.max()))
    few, errors = ("", least) if redraws == 1 else (f" {redraws}", f"{least} to {most}")
    return f" (the first{few} of {result.planned} redraws: {errors})"


def _without_privacy(result: Lesson) -> str:
    """End the sentence on the errors, and name the optimiser, which the next one is about."""
    if math.isnan(result.optimum_excess):
        return ". The optimiser"
    excess = readable(result.optimum_excess)
    return f"; the optimiser alone, without privacy, gets {excess}. It"


def _privacy(result: Lesson) -> str:
    budget = result.budget
    epsilon, delta = readable(budget.epsilon), readable(budget.delta)
    return {
        "pure": f"The release is ε-differentially private, ε = {epsilon}, whatever the data.",
        "approximate": f"The release is (ε, δ)-differentially private, ε = {epsilon}, δ = {delta}.",
        "broken": "Its Gaussian weights are as published, without a proof of privacy.",
    }[claim(result.learner, budget.noise)]


def notes(result: Lesson) -> list[str]:
    """Say what is drawn, and what the noise is."""
    lines = [
        "Only f̂ is released. The private examples, f̄ or f̃, the excess errors and the redraws are "
        "not protected: you see them as somebody does who holds the data.",
        "The excess error L(f̂) − L(target) is computed, not estimated, under the private "
        "distribution.",
    ]
    scale = readable(result.outcome.scale)
    if math.isnan(result.outcome.rho):
        weighed = "middles of the grid's cells" if result.learner == "rspm" else "public points"
        lines.append(f"The weights on the {weighed} have scale {scale}, in units of one loss.")
    else:
        rho, unless = readable(result.outcome.rho), ""
        if result.learner == "perturbation":
            unless = f", except with probability δ/2 = {readable(result.budget.delta / 2)}"
        lines.append(
            f"One example moves f̄ by at most ρ = {rho}{unless}; the noise on f̄(Z) is γ = {scale}."
        )
    if result.outcome.gap:
        lines.append(
            "Every answer of the optimiser was certified to lie within "
            f"{readable(result.outcome.gap)} of the minimum; ρ covers the largest gap it may "
            "ever leave."
        )
    if result.learner == "rspm":
        lines.append(
            "RSPM uses no public data. Its class is cut down to a grid with as many cells as "
            "there are public points, whose middles are a universal identification set."
        )
    if result.private.y.size < result.samples:
        lines.append(f"{result.private.y.size:,} of {result.samples:,} private examples are drawn.")
    return lines + privacy_notes(result.learner, result.budget.noise)


def figure(result: Lesson, theme: Theme) -> Figure:
    """Draw the data with the functions, and the errors: without privacy, and for each noise."""
    task = result.task
    panel = _in_the_square if task.plane else _labels if task.classifies else _on_the_line
    return stacked(theme, panel(result), _errors(result), tall=1.05)


def _about(result: Lesson) -> Subject:
    return subject(result.learner, result.budget.noise)


def _errors(result: Lesson) -> Panel:
    """Return the errors without privacy, of this draw of the noise, and of the others."""
    percents, about = result.task.classifies, _about(result)
    unit = 100.0 if percents else 1.0
    what = _BEYOND if percents else ("Squared error above the least",) * 2
    errors = {"without privacy": (result.optimum_excess, 3.0), "this noise": (result.excess, 2.0)}
    if _all_drawn(result):
        errors["other noise, on average"] = float(result.spread.mean()), 1.0
    most = max(50 * (1 - 2 * result.task.label_noise), 5.0) if percents else 0.0
    farthest = unit * max([result.excess, *result.spread])
    most *= _SHORT if farthest < 0.9 * _SHORT * most else 1.0
    most = most if farthest < 0.95 * most else 1.3 * farthest
    others, times = np.unique(result.spread, return_counts=True)
    sizes = (5.5 * np.sqrt(times)).tolist()  # thresholds between the same points are one
    said = [counted(count, "draw") for count in times.tolist()]
    marks: list[Mark] = [
        Dots(unit * others, 0 * others, size=sizes, about=about, pale=0.4, said=said)
    ]
    for called, (error, row) in errors.items():
        if math.isnan(error):
            continue
        at, tint = unit * error, about if row < 3 else "text"
        side, far = ("E", 9) if at < most / 2 else ("W", -9)
        words = f"{called}: {_number(result, error)}"
        marks += [
            Dots([at], [row], size=11, about=tint)
            if row > 1
            else Rule(x=at, y=(-0.45, 1.2), about=about),
            Text(words, at, row, to=side, shift=(far, 0), about=tint),
        ]
    return Panel(
        Side(0.0, most, what),
        Side(-0.6, 3.5, ticks=[], grid=False),
        marks,
        above=(
            "<b>What privacy costs</b>, one dot for each draw of the noise, or for several alike",
            "",
        ),
        pixels=_ERRORS,
    )


def _all_drawn(result: Lesson) -> bool:
    """Return whether all other draws of the noise are known."""
    return bool(result.planned) and len(result.spread) == result.planned


def _legend(result: Lesson, private: str, public: str, short: str) -> tuple[str, str]:
    """Say what is what; what is released has its colour."""
    secret = "; grey: kept secret" if len(result.outcome.learned.intermediate[0]) > 1 else ""
    released = tinted("<b>released</b>", _about(result))
    best = f"{released}; dotted: best; thin: other noise{secret}"
    return f"{private}; {public}; {best}", f"{short}; {released}; dotted: best"


def _names(result: Lesson) -> list[Text]:
    """Return the names of what is released and of the best, beside the first place of each."""
    released, best = float(result.released[0]), float(result.task.target[0])
    right = released > best
    sides, by = (("SE", "SW"), 8) if right else (("SW", "SE"), -8)
    name, about = "<b>released</b>", _about(result)
    if not _EDGE < released < 1 - _EDGE:  # both inwards, one below the other
        inwards, aside = ("SE", 8) if released < 0.5 else ("SW", -8)
        return [
            Text(name, released, _TALL, to=inwards, shift=(aside, 0), about=about, backed=True),
            Text("best", best, _TALL, to=inwards, shift=(aside, -_LINE), backed=True),
        ]
    return [
        Text(name, released, _TALL, to=sides[0], shift=(by, 0), about=about, backed=True),
        Text("best", best, _TALL, to=sides[1], shift=(-by, 0), backed=True),
    ]


def _labels(result: Lesson) -> Panel:
    """Return private examples by their labels, and where functions change theirs."""
    about = _about(result)
    released, target = result.released, result.task.target
    secret = result.outcome.learned.intermediate[0]
    spread = np.arange(result.private.y.size) * _GOLDEN % 1 - 0.5
    other = [([cut, cut], [-_TALL, _TALL]) for cut in result.redraws[:_DRAWN].ravel()]
    marks: list[Mark | None] = [
        *(Span(x=ends, about=Subject.DANGER, seen=0.25) for ends in _apart(result)),
        *_data(result, result.private.y + spread, "", foot=0.0, size=18),
        Line(*joined(other), wide=1, about=about, seen=0.4, name=_OTHER, listed=False)
        if other
        else None,
        Line(result.grid, _TALL * result.between, wide=3, about="aside", seen=_BENEATH)
        if len(secret) > 1
        else None,
        *(Rule(x=float(cut), wide=3.5, about=about) for cut in released),
        *(Rule(x=float(cut), dash="dot") for cut in target),
        *_names(result),
    ]
    wrong = tinted("red: unlike the best", Subject.DANGER)
    thin = tinted("thin: with other noise", about)
    secret_too = "; grey: kept secret" if len(secret) > 1 else ""
    return Panel(
        Side(0.0, 1.0, grid=False),
        Side(-_TALL, _TALL, ticks=_ROWS, grid=False),
        marks,
        above=(f"<b>Where labels change</b>; {thin}{secret_too}; {wrong}", wrong),
    )


def _data(
    result: Lesson, heights: FloatArray, said: str, *, foot: float, size: float
) -> list[Mark]:
    """Return private examples at such heights, and public points as ticks of that size in a row.

    said: what is read off a private example besides its x. foot: how high the row is.
    """
    return [
        Dots(
            result.private.x.astype(np.float32),
            heights.astype(np.float32),
            size=4,
            pale=0.45,
            about="muted",
            name="private examples",
            listed=False,
            said=f"private: x = %{{x:.3f}}{said}",
        ),
        Dots(
            result.public.astype(np.float32),
            np.full(result.public.size, foot, dtype=np.float32),
            size=size,
            symbol="line-ns-open",
            name="public points, without labels",
            listed=False,
            said="public: x = %{x:.3f}",
        ),
    ]


def _apart(result: Lesson) -> list[tuple[float, float]]:
    """Return where the function released and the best one label differently."""
    ends = np.unique(np.concatenate([[0.0, 1.0], result.released, result.task.target]))
    middles = (ends[:-1] + ends[1:]) / 2
    both = np.stack([result.released, result.task.target])
    one, other = result.task.oracle().predict(both, middles)
    return [(float(ends[at]), float(ends[at + 1])) for at in np.flatnonzero(one != other).tolist()]


def _on_the_line(result: Lesson) -> Panel:
    x, about = result.grid.astype(np.float32), _about(result)
    redraws = list(result.values(result.redraws[:_DRAWN]))
    lines = (
        # Wide, for where what is released is the same it would be hidden.
        (_between(result), result.between, "aside", 7.0, "solid", _BENEATH),
        ("released: f̂", result.values(result.released[None])[0], about, 3.5, "solid", 1.0),
        # Last, for the same reason.
        ("best rule", result.values(result.task.target[None])[0], "text", 2.0, "dot", 1.0),
    )
    marks: list[Mark] = [
        *_data(result, result.private.y, ", y = %{y:.2f}", foot=-1.3, size=11),
        Line(
            *joined([(x, one.astype(np.float32)) for one in redraws]),
            wide=1,
            about=about,
            seen=0.4,
            name=_OTHER,
            listed=False,
        ),
        *(
            Line(
                x,
                values.astype(np.float32),
                wide=wide,
                dash=dash,
                about=tint,
                seen=seen,
                name=name,
                listed=False,
                said=f"{name}: %{{y:.3f}}",
            )
            for name, values, tint, wide, dash, seen in lines
        ),
    ]
    words = _legend(result, "Dots: private examples", "ticks: public points", "Ticks: public")
    return Panel(Side(0.0, 1.0), Side(-1.45, 1.2, "Label and f(x)"), marks, above=words)


def _in_the_square(result: Lesson) -> Panel:
    private, public = result.private, result.public.astype(np.float32)
    marks: list[Mark] = [
        Dots(
            *private.x[private.y == label].astype(np.float32).T,
            size=6,
            symbol=symbol,
            pale=0.7,
            about="muted",
            name=f"private, label {'1' if label > 0 else '−1'}",
            listed=False,
            said="private: %{x:.3f}, %{y:.3f}",
        )
        for label, symbol in ((1.0, "circle"), (-1.0, "x-thin-open"))
    ]
    said, name = "public: %{x:.3f}, %{y:.3f}", "public points, without labels"
    marks.append(Dots(*public.T, size=9, symbol="diamond", name=name, listed=False, said=said))
    words = _legend(result, "Dots, crosses: private +, −", "diamonds: public", "Diamonds: public")
    return Panel(Side(0.0, 1.0), Side(0.0, 1.0), [*marks, *_dividing_lines(result)], above=words)


def _dividing_lines(result: Lesson) -> Iterator[Mark]:
    """Yield where each function changes its sign."""
    about, between = _about(result), result.outcome.learned.intermediate[0]
    lines = (
        (_OTHER, result.redraws[:_DRAWN], about, 1.0, "solid", 0.3),
        (_between(result), between[: len(between) == 1], "aside", 1.5, "solid", 1.0),
        ("released: f̂", result.released[None], about, 3.5, "solid", 1.0),
        ("best rule", result.task.target[None], "text", 2.0, "dot", 1.0),
    )
    for name, functions, tint, wide, dash, seen in lines:
        if len(functions):
            ends = np.concatenate([_across(f) for f in functions])
            yield Line(
                *ends.T, wide=wide, dash=dash, about=tint, seen=seen, name=name, listed=False
            )
    if len(between) > 1:  # the average is no half-plane: where it changes its sign
        side = math.isqrt(len(result.grid))
        z = result.between.reshape(side, side).astype(np.float32)
        along = np.linspace(0, 1, side)
        yield Zero(along, along, z, about="aside", name=_between(result), listed=False)


def _across(function: FloatArray) -> FloatArray:
    """Return where a line crosses a neighbourhood of the square, ended by a gap."""
    u, v, b = function
    foot = b * np.array([u, v])
    along = 2.0 * np.array([-v, u])
    return np.array([foot - along, foot + along, [np.nan, np.nan]])


def _between(result: Lesson) -> str:
    return {
        "perturbation": "kept secret: average of J minimisers, f̄",
        "regularization": "kept secret: regularised, f̄",
    }.get(result.learner, "kept secret: before projection, f̃")


VIEW = View(
    key="learn",
    title="See it learn",
    compute=one_lesson,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="One example could tip the choice between functions that fit the data almost equally well, "
    "so a private learner chooses with noise. Public points keep the choice small: RRSPM, shown "
    "first, releases only what they can tell apart. The thin lines are what other noise would have "
    "released.",
    parameters=(*SETTING, "seed"),
    in_sight=("epsilon", "public_points", "seed"),
    idle=lambda values: idle_of_learner(values) | idle_of_shift(values),
    offers=learners_that_suit,
    most=most_of_task,
)
