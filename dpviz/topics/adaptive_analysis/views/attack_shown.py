"""The attack: what an analyst who asks adaptively is told of useless coins.

A few coins are drawn one by one: how often each is right in this sample, the sign it gets, and what
they add up to. Many are a curve for each noise.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpviz.plot import filling
from dpviz.plot.marks import Band, Dots, Mark, Part, Rule, Text, tinted
from dpviz.plot.panels import Handle, Panel, Plotted, Side, stacked
from dpviz.plot.play import played
from dpviz.plot.spec import Figure
from dpviz.plot.text import agreeing, percent, readable
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
_ACCURACIES = (0.0, 1.0)  # what the axis shows: what noise claims of a tiny sample may be beyond
_SHARES = [(share / 100, f"{share}%") for share in range(0, 101, 20)]
_FIRST, _MIDDLE, _LAST = MECHANISMS
_LOW = 0.75  # below this claim there is room above the curve
_CLAIMED = Limit("guess", "%", "of the time, it seems", 50, 100, 55, log=False, step=1)
_RARE = ("shape", "power", "runs")


def takeaway(result: AttackChart) -> str:
    """State what the analyst is told at the end, without noise and with it, beside the truth."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    without = (
        "Without noise the analyst is told that a useless predictor is right "
        f"{claimed['empirical']} of the time"
    )
    if claimed["bounded"] == "50%":
        return f"{without}; with bounded noise, 50%, which is the truth."
    return f"{without}; with bounded noise, {claimed['bounded']}. The truth is 50%."


def detail(result: AttackChart) -> str:
    """State how much was asked of how many samples, and what each noise tells the analyst."""
    claimed = {name: _percent(curve[-1]) for name, curve in result.expected.items()}
    coins = agreeing(result.questions, "coin", "coins")
    samples = agreeing(result.sample_size, "sample", "samples")
    return (
        f"After {result.questions:,} useless {coins} on {result.sample_size:,} {samples} the "
        f"combined predictor seems right {claimed['empirical']} of the time; with Gaussian noise "
        f"{claimed['gaussian']}, with bounded noise {claimed['bounded']}."
    )


def notes(result: AttackChart) -> Collection[str]:
    """Say what the points are, and how large the noise on one answer is."""
    notes = [
        f"The noise is the least that keeps all {result.questions + 1:,} answers private: σ = "
        f"{readable(result.sigma)} for Gaussian noise, R = {readable(result.radius)} for "
        "bounded noise. An answer is a number from 0 to 1."
    ]
    if result.runs >= _FEWEST_RUNS:
        notes.append(
            "Lines are the exact expectation of what the analyst is told; points are the mean "
            f"over {result.runs:,} simulated analysts, with 95% intervals."
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
    """Draw claimed and true accuracy as the questions accumulate, a panel for each mechanism.

    A button plays the questions. Few coins, and those that come before what is to be predicted, are
    drawn one by one.
    """
    keys = {curve.key for curve in result.curves}
    names = [name for name in MECHANISMS if f"{name}_expected" in keys]
    if result.questions <= FEW or not names:
        return stacked(theme, _coins(result, summed=bool(names) or result.questions > FEW))
    before = filling.stand_in(result, theme.before)
    stops = np.unique(np.linspace(1, result.stops.size, _FRAMES).round().astype(int)).tolist()
    return played(
        theme,
        lambda stop: [[_panel(result, name, stop, before) for name in names]],
        stops,
        each=_FRAME,
    )


def _panel(result: AttackChart, name: str, stop: int, before: Chart | None) -> Panel:
    """Return what is claimed up to a stop with one noise above what is true, and the simulation.

    That of the figure before, faded, while there are too few runs.
    """
    first, last = name == _FIRST, name == _LAST
    truth, claimed = result.curve("truth"), result.curve(f"{name}_expected")
    runs: Chart | None = result
    said, seen = f"Claimed, mean of {result.runs} simulated runs", 1.0
    if result.runs < _FEWEST_RUNS:
        runs, said, seen = before, "Claimed, mean of simulated runs", filling.FADED
    key, simulated, beyond, end = f"{name}_simulated", None, None, result.stops[stop - 1]
    if runs is not None and key in {curve.key for curve in runs.curves}:
        mean = runs.curve(key)  # of which the last point is drawn, and some before it
        points = _some(mean, slice((mean.x.size - 1) % _SPARSE, None, _SPARSE))
        there = _some(points, (points.x <= end) & _inside(points))
        simulated = Plotted(there, runs, name=said, seen=seen, aside=True)
        beyond = _beyond(points) if runs is result else None
    until, share = _some(claimed, claimed.x <= end), _percent(result.expected[name][stop - 1])
    above = f"{MECHANISMS[name].capitalize()}:<br>{share} claimed"
    coins = result.x.label
    # With little room the middle one has a title alone, or the last where that is not there.
    title = coins if name == _MIDDLE else (coins, "", coins if last else "")
    return Panel(
        Side.around([*result.stops, result.x.reach], title, log=True),
        Side.around(_ACCURACIES, ticks=_SHARES, numbers=first),
        [
            Band(until.x, np.full(until.x.shape, 0.5), until.y, about=claimed.subject, seen=0.2),
            Plotted(_some(truth, truth.x <= end), result, name="True accuracy"),
            Plotted(until, result, name="Claimed accuracy, exact"),
            simulated,
            beyond,
            *(_how(result) if first else ()),
            Rule(y=result.guess, wide=1.5, dash="dash") if result.guess > 0 else None,
        ],
        above=tuple(
            tinted(text, claimed.subject) for text in (above, above.replace("more than", ">"))
        ),
        handle=Handle("questions", result.questions, float(claimed.y[-1])) if first else None,
        aside=claimed.key not in result.in_headline,
    )


def _some(curve: Curve, which: slice | NDArray[np.bool_]) -> Curve:
    """Return some points of a curve."""
    low, high = (None if end is None else end[which] for end in (curve.lower, curve.upper))
    return replace(curve, x=curve.x[which], y=curve.y[which], lower=low, upper=high)


def _how(result: AttackChart) -> list[Mark]:
    """Say what is true, and what was predicted, or how the analyst is fooled if there is room."""
    truth = Text("true: 50%", Part(0.03), 0.5, to="SE", small=True)
    if (predicted := _guessed(result, Part(0.97), result.guess)) is not None:
        return [truth, predicted]
    claimed = result.expected["empirical"]
    if claimed[(2 * claimed.size) // 3] > _LOW:
        return [truth]
    how = "Each coin gets the sign<br>that fits this sample;<br>then all coins vote."
    return [truth, Text(how, Part(0.03), Part(0.97), to="SE", small=True, roomy=True)]


def _guessed(result: AttackChart, x: float, y: float) -> Text | None:
    """Return what the reader predicted, left of a place and above it."""
    if math.isnan(result.guess):
        return None
    share = f"{readable(100 * result.guess)}%"
    return Text((f"your prediction: {share}", f"yours: {share}"), x, y, to="NW", shift=(-3, 0))


def _beyond(points: Curve) -> Text | None:
    """Say how many simulated means are no accuracies, and so are not drawn, where none is."""
    inside = _inside(points)
    if inside.all():
        return None
    # Nor do the words cover the line of what is true.
    at = np.sort([*_ACCURACIES, 0.5, *points.y[inside]])
    widest = int(np.argmax(np.diff(at)))
    count = f"{int((~inside).sum())} of {inside.size}"
    words = f"{count} points outside", f"{count} outside"
    middle = float(at[widest : widest + 2].mean())
    return Text(words, Part(0.5), middle, small=True, backed=True, aside=True)


def _inside(curve: Curve) -> NDArray[np.bool_]:
    low, high = _ACCURACIES
    return np.asarray((low <= curve.y) & (curve.y <= high))


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
