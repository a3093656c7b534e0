"""Gaussian weights: how well a private label can be guessed from what RRSPM releases."""

from dataclasses import replace
from typing import Any

from dpviz.plot.marks import Band, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, hundredths, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Subject
from dpviz.scene.view import View
from dpviz.topics.public_data.views.weights_against_dimension import (
    WeightsChart,
    weights_against_dimension,
)

_ROOM = 0.12  # of all guesses, above which words fit into the area


def takeaway(chart: WeightsChart) -> str:
    """State whether the weights break their promise, or from which size of the class on."""
    at = f"At VC dimension {chart.here:,.0f}"
    if chart.true_delta > chart.delta:
        both = chart.value("gaussian"), chart.value("allowed")
        digits = 3 if len({hundredths(one) for one in both}) == 2 else 4
        guess, allowed = (percent(one, digits) for one in both)
        return (
            f"{at}, Gaussian weights on public points do not hide a private label: an attacker "
            f"guesses it right {guess} of the time, though ε allows {allowed}."
        )
    return (
        f"{at}, Gaussian weights on public points hide a private label from this attack; from "
        f"{_size(chart)} on they do not."
    )


def detail(chart: WeightsChart) -> str:
    """State how well the private label can be guessed, what is allowed, and the true δ."""
    guess, allowed = chart.value("gaussian"), chart.value("allowed")
    odds = (
        f"With VC dimension {chart.here:,.0f}, Theorem 4's Gaussian weights, with "
        f"C = {readable(chart.constant)}, let anyone guess a private label with probability "
        f"{chance(guess, digits=4)}; ε = {readable(chart.epsilon)} allows "
        f"{chance(allowed, digits=4)}."
    )
    if chart.true_delta > chart.delta:
        return (
            f"{odds} The promise is broken: δ is {readable(chart.true_delta)}, not "
            f"{readable(chart.delta)}."
        )
    return odds


def _size(chart: WeightsChart) -> str:
    """Return about where the promise breaks."""
    return f"about {readable(chart.broken_from, 2)}"


def notes(chart: WeightsChart) -> list[str]:
    """Say what the class is, and why Laplace weights are safe."""
    return [
        "The class holds all labellings of d places; at one more place a function takes the "
        "parity of its labels, and at another all agree. The public points are spread evenly "
        "over the d places, as many as Theorem 4 takes: m = (d + log(1/β))/(α²σ²) with the "
        f"constant 1, here {readable(chart.public_points)}. One private example lies at the "
        "place of the parity; any number of others lie where all functions agree.",
        "RRSPM minimises the errors on the private data plus, on each public point, a random "
        "weight times the label there; Theorem 4 takes Gaussian weights.",
        "Flipping the label of the place whose public points have the least total weight |W| "
        "flips the parity. If that weight is below 1, the private example decides. So its label "
        "is the "
        "parity of the released function with probability exactly (1 + p)/2, where p = Pr[min "
        "|W| < 1].",
        "Whatever C and the constant of m are, p tends to 1 as d grows, since the weights grow "
        "only like √d. If this attack fails at some d, that proves nothing for other "
        "classes. Laplace weights Lap(2m/ε) are ε-private for every class (Theorem 8); their "
        "curve is an upper bound.",
    ]


def figure(chart: WeightsChart, theme: Theme) -> Figure:
    """Draw how many of a hundred guesses are right, and shade those that break the promise."""
    allowed, guess = chart.curve("allowed"), chart.curve("gaussian")
    broken = guess.y > allowed.y
    area = Band(guess.x[broken], allowed.y[broken], guess.y[broken], about=Subject.DANGER, seen=0.2)
    named = replace(chart, y=replace(chart.y, label=f"{chart.y.label} (50%: blind guessing)"))
    return stacked(theme, Charted(named, [area, _broken(chart)] if broken.any() else []))


def _broken(chart: WeightsChart) -> Text | None:
    """Say what the area is, at its right end, if there is room."""
    high, low = (float(chart.curve(key).y[-1]) for key in ("gaussian", "allowed"))
    if high - low < _ROOM:
        return None
    looks: dict[str, Any] = {"about": Subject.DANGER, "small": True, "roomy": True}
    end = float(chart.curve("allowed").x[-1])
    return Text("promise<br>broken", end, low + (high - low) / 3, to="W", shift=(-4, 0), **looks)


VIEW = View(
    key="weights",
    title="Gaussian weights",
    compute=weights_against_dimension,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    parameters=(
        "vc_dimension",
        "alpha",
        "epsilon",
        "delta",
        "constant",
        "beta",
        "smoothness",
    ),
    why="A rich class has many places where a label can turn, and among many random weights some "
    "are small. The private example then decides which one turns, and so shows its label. Weights "
    "that grow with the number of public points, as Laplace ones do, leave no such gap.",
    defaults={"vc_dimension": 300_000, "alpha": 0.1},
)
