"""The attack: what an analyst who asks adaptively is told of useless coins.

A few coins are drawn one by one: how often each is right in this sample, the sign it gets, and what
they add up to. Many are a curve for each noise.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import partial_chart
from dpviz.plot.marks import Band, Dots, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Handle, Panel, Plotted, Side, stacked
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, counted, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Curve, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction, View
from dpviz.topics.adaptive_analysis.overfitting import MECHANISMS
from dpviz.topics.adaptive_analysis.views.attack import FEW, AttackChart, attack

_FRAMES = 20
_FRAME = 250  # milliseconds
_SPARSE = 3  # one of so many simulated points is drawn: their intervals would touch
_FEWEST_RUNS = 5  # the mean of fewer says little, and its interval would fill the panel
_INKS = {"empirical": Subject.DANGER, "gaussian": Subject.GAUSSIAN, "bounded": Subject.BOUNDED}
_SEEMS = "How often the analyst’s rule is right in this sample"
_NAMES = ", ".join(tinted(label, _INKS[name]) for name, label in MECHANISMS.items())
_SHARES = [(share / 100, f"{share}%") for share in range(0, 101, 20)]
_COINS = [(10.0**power, f"{10**power:,}") for power in range(5)]
_ROOM = 4.95  # the end of the axis, as a power of ten: beside the last line is what it comes to
_TOP = 1.03
_APART = 0.068  # of the panel's height, words at least
_SPREADS = 6.0  # standard deviations that the axis has below one half
_FIRST = next(iter(MECHANISMS))
_ASIDE = "gaussian"  # where a place has two curves at most
_LOW = 0.75  # below this claim there is room above the curve
_FLAT = 0.56  # up to this claim with noise there is room below the curve without
_CLAIMED = Limit("guess", "%", "of the time, it seems", 50, 100, 55, log=False, step=1)
_MISLED = 0.6  # what it looks like, from which on answers mislead
_ALONE = 10.0, 0.5  # coins before which words have no room; of all, from where on others stand
_NOTHING = 0.5  # of noise on an answer from 0 to 1, that leaves nothing of it
_RARE = ("shape", "power", "runs")


def takeaway(result: AttackChart) -> str:
    """State how often the rule is right in the sample without noise, and with bounded noise."""
    exact, noisy = (_percent(result.expected[name][-1]) for name in ("empirical", "bounded"))
    answers = counted(result.questions, "exact answer")
    found = f"Told {answers}, an analyst finds a rule that looks {exact} right"
    kept = "the same" if noisy == exact else f"{noisy} right"
    return f"{found}; on new data it is right half the time. With bounded noise it looks {kept}."


def detail(result: AttackChart) -> str:
    """State how much was asked of how many samples, and how well it fits these with each noise."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    coins = agreeing(result.questions, "coin", "coins")
    their = agreeing(result.questions, "its", "their")
    samples = agreeing(result.sample_size, "sample", "samples")
    return (
        f"{result.questions:,} useless {coins}, each a blind guess of everybody’s yes or no, asked "
        f"about at once, on {result.sample_size:,} {samples}: the rule is {their} vote, which "
        f"depends on the answers. It is right {claimed['empirical']} of "
        "the time in this sample, on average; with Gaussian noise on every answer "
        f"{claimed['gaussian']}, with bounded noise {claimed['bounded']}.{_worth(result)}"
    )


def _worth(result: AttackChart) -> str:
    """Say what so much noise leaves of an answer, where that is nothing."""
    if result.radius <= _NOTHING:
        return ""
    return (
        f" An answer is a share, from 0 to 1, and bounded noise goes up to "
        f"{readable(result.radius, 2)}: so few samples can't answer so many questions privately "
        "and well. Questions against samples says how many can."
    )


def notes(result: AttackChart) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: σ = "
        f"{readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise. An answer is a number from 0 to 1. The last one, how often the vote is "
        "right, gets such noise, too, of mean 0: what an analyst is told once may be far from the "
        "mean that is drawn."
    ]
    if result.runs >= _FEWEST_RUNS:
        notes.append(
            "Lines are how often the vote is right in the sample, as an exact expectation; points "
            f"are the mean over {result.runs:,} simulated analysts, with 95% intervals."
        )
    return notes


def _percent(share: float) -> str:
    """Write a probability; one that is not 1 never as 100%."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        return "more than 99.9%"
    return f"{text.removesuffix('.0')}%"


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: p, where the noise has another shape."""
    return set() if values["shape"] == "power" else {"power"}


def figure(result: AttackChart, theme: Theme) -> Figure:
    """Draw how often the vote is right in the sample as coins are added, with each noise.

    A button plays the questions. Few coins, and those that come before what is to be predicted, are
    drawn one by one.
    """
    keys = {curve.key for curve in result.curves}
    names = [name for name in MECHANISMS if f"{name}_expected" in keys]
    if result.questions <= FEW or not names:
        return stacked(theme, _coins(result, summed=bool(names) or result.questions > FEW))
    before = partial_chart.stand_in(result, theme.before)
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int)).tolist()
    return played(theme, lambda stop: [_panel(result, stop, before)], stops, each=_FRAME)


def _panel(result: AttackChart, stop: int, before: Chart | None) -> Panel:
    """Return what is drawn of the first coins, up to a stop, and the simulation.

    That of the figure before, faded, while there are too few runs.
    """
    runs: Chart | None = result
    seen = 1.0
    if result.runs < _FEWEST_RUNS:
        runs, seen = before, partial_chart.FADED
    end = float(result.stops[stop - 1])
    lines, simulated = list[Mark](), list[Mark]()
    for name in MECHANISMS:
        claimed = result.curve(f"{name}_expected")
        lines.append(Plotted(_some(claimed, claimed.x <= end), result, aside=name == _ASIDE))
        key = f"{name}_simulated"
        if runs is not None and key in {curve.key for curve in runs.curves}:
            mean = runs.curve(key)  # of which the last point is drawn, and some before it
            points = _some(mean, slice((mean.x.size - 1) % _SPARSE, None, _SPARSE))
            there = _some(points, points.x <= end)
            simulated.append(Plotted(there, runs, seen=seen, aside=True))
    fooled = result.curve(f"{_FIRST}_expected")
    until = _some(fooled, fooled.x <= end)
    heights = Side(
        _lowest(result), _TOP, (f"{_SEEMS}, on average", f"{_SEEMS}:<br>{_NAMES}"), ticks=_SHARES
    )
    return Panel(
        Side(-0.05, _ROOM, result.x.label, log=True, ticks=_COINS),
        heights,
        [
            Band(until.x, np.full(until.x.shape, 0.5), until.y, about=fooled.subject, seen=0.15),
            Rule(y=0.5, about=result.curve("truth")),
            *lines,
            *simulated,
            *_ends(result, stop, heights),
            _guessed(result, Part(0.02), result.guess, "NE"),
            _fooled(result, stop),
            *_misled(result, end),
            Rule(x=result.questions, about="muted"),
            Rule(y=result.guess, wide=1.5, dash="dash") if result.guess > 0 else None,
        ],
        handle=Handle("questions", result.questions),
    )


def _lowest(result: AttackChart) -> float:
    """Return where the axis ends: below what the mean over the fewest analysts comes to."""
    spread = 0.5 / math.sqrt(_FEWEST_RUNS * result.sample_size)
    return float(np.clip(0.5 - _SPREADS * spread, 0.0, 0.4))


def _ends(result: AttackChart, stop: int, heights: Side) -> list[Mark]:
    """Return what each line comes to, beside its end, one below the other; below all the truth."""
    apart = _APART * (heights.high - heights.low)
    lowest, marks = 0.5 - apart / 2, list[Mark]()
    end = float(result.stops[stop - 1])
    looks: dict[str, Any] = {"to": "E", "shift": (10, 0)}
    marks.append(Text(("<b>50%</b> on new data", "<b>50%</b> new"), end, lowest, **looks))
    for name in sorted(MECHANISMS, key=lambda one: result.expected[one][stop - 1]):
        value = float(result.expected[name][stop - 1])
        lowest = max(value, lowest + apart)
        share, about = _percent(value).replace("more than", ">"), _INKS[name]
        words = f"<b>{share}</b> {MECHANISMS[name]}", f"<b>{share}</b>"
        marks.append(Text(words, end, lowest, about=about, aside=name == _ASIDE, **looks))
    return marks


def _some(curve: Curve, which: slice | NDArray[np.bool_]) -> Curve:
    """Return some points of a curve."""
    low, high = (None if end is None else end[which] for end in (curve.lower, curve.upper))
    return replace(curve, x=curve.x[which], y=curve.y[which], lower=low, upper=high)


def _fooled(result: AttackChart, stop: int) -> Text | None:
    """Name what lies between the truth and what is claimed without noise, if there is room."""
    claimed, *hidden = (float(curve[stop - 1]) for curve in result.expected.values())
    if claimed < _LOW or max(hidden) > _FLAT:
        return None
    looks: dict[str, Any] = {"about": _INKS[_FIRST], "shift": (-12, 0), "roomy": True}
    said = "true of this sample only"
    return Text(said, float(result.stops[stop - 1]), 0.75 * 0.5 + 0.25 * claimed, to="W", **looks)


def _misled(result: AttackChart, end: float) -> list[Mark]:
    """Return after how many answers they mislead, if these are no more than the end has."""
    claimed = result.expected[_FIRST]
    first = int(np.argmax(claimed >= _MISLED))
    answers = float(np.interp(_MISLED, claimed[: first + 1], result.stops[: first + 1]))
    if claimed[first] < _MISLED or not _ALONE[0] <= answers <= _ALONE[1] * end:
        return []
    said = f"about {readable(answers, 1)} answers"
    words = f"<b>{percent(_MISLED)}</b> after {said}", f"<b>{percent(_MISLED)}</b>: {said}"
    looks: dict[str, Any] = {"about": _INKS[_FIRST]}
    return [
        Rule(x=(answers, answers), y=(0.5, _MISLED), wide=2.5, **looks),
        Text(words, answers, _MISLED, to="NW", shift=(-6, 6), **looks),
    ]


def _guessed(result: AttackChart, x: float, y: float, to: str = "NW") -> Text | None:
    """Return what the reader predicted, beside a place and above it."""
    if math.isnan(result.guess):
        return None
    share = f"{readable(100 * result.guess)}%"
    return Text((f"your prediction: {share}", f"yours: {share}"), x, y, to=to, shift=(-3, 0))


def _coins(result: AttackChart, *, summed: bool) -> Panel:
    """Return coins one by one: how often each is right, its sign, and what they add up to."""
    coins, count = result.coins, result.coins.alone.size
    signed = np.append(coins.signed, coins.together) if summed else coins.signed
    rows = -np.arange(count + summed, dtype=float)
    words = [_said_of_coin(result, number) for number in range(count)]
    if summed:
        words.append(f"<b>{agreeing(count, 'Its', 'Their')} vote: {_percent(coins.together)}</b>")
    turned = zip(100 * coins.alone, 100 * coins.signed, rows, strict=False)
    plain, at = Subject.ITEM_LEVEL, 100 * result.guess
    return Panel(
        Side.around(
            [*(100 * coins.alone), *(100 * signed), 50, at], "Right in this sample (%)", room=0.12
        ),
        Side.bare(float(rows[-1]) - 0.9, 0.9),
        [
            Rule(x=50, wide=1.5, called="true: 50%", below=True),
            Rule(x=at, wide=1.5, dash="dash", below=True) if at > 0 else None,
            _guessed(result, at, Part(0)),
            *(Rule(x=(a, b), y=row, wide=1, about=plain) for a, b, row in turned if a < b),
            Dots(
                100 * coins.alone,
                rows[:count],
                size=11,
                symbol="circle-open",
                edge=2,
                about=plain,
                said="right %{x:.4~g}% of the time",
            ),
            Dots(
                100 * signed,
                rows,
                size=[11] * count + [15] * summed,
                about=[plain] * count + [Subject.DANGER] * summed,
                said="with its sign, %{x:.4~g}%",
            ),
            *(
                Text(text, Part(0), row + 0.18, to="NE", small=True, backed=True)
                for row, text in zip(rows.tolist(), words, strict=True)
            ),
        ],
    )


def _said_of_coin(result: AttackChart, number: int) -> str:
    """Say how often a coin is right, and which sign it gets."""
    alone, signed = result.coins.alone[number], result.coins.signed[number]
    sign = f"turned round: {_percent(signed)}" if alone < signed else "kept as it is"
    return f"Coin {number + 1}: {_percent(alone)}, {sign}"


def hidden(result: AttackChart) -> AttackChart:
    """Return the result before the answer: what is true, alone."""
    return replace(result, curves=(result.curve("truth"),), in_headline=("truth",))


def marked(result: AttackChart, percent: float) -> AttackChart:
    """Return the result with what the reader thinks is claimed."""
    return replace(result, guess=percent / 100)


def answer(result: AttackChart) -> str:
    """Return what is claimed without noise."""
    return percent(result.expected["empirical"][-1])


VIEW = View(
    key="attack",
    title="The attack",
    compute=attack,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=("sample_size", "questions", "epsilon", "delta", *_RARE, "seed"),
    in_sight=("questions", "sample_size", "epsilon"),
    why="By accident each coin matches the label a little more, or a little less, than half of the "
    "time in this sample. The analyst keeps the sign that fits, and thousands of small accidents "
    "add up to a rule that fits this sample and nothing else, which is why one data set can't "
    "answer everything. Noise hides the accidents.",
    idle=idle_controls,
    first_seconds=2.0,
    prediction=Prediction(
        question="Each of k coins guesses everybody's yes or no blindly. Coins that are wrong more "
        "often than right are turned round; then all vote. How often is the vote right in this "
        "sample, in percent?",
        guess=Number(_CLAIMED),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * float(result.expected["empirical"][-1]),
        mark=marked,
    ),
)
