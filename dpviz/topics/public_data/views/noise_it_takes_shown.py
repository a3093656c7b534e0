"""How much noise: what the paper asks for, what is proved to suffice, what the release needs."""

from collections.abc import Mapping

import numpy as np

from dpviz.plot.marks import Ink, Line, Mark, Rule, Text, Words
from dpviz.plot.panels import Panel, Side, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import chance, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.public_data.conditions_on_noise import NoiseChart, PairsChart
from dpviz.topics.public_data.projected_noise import ProjectedChart
from dpviz.topics.public_data.views.noise_it_takes import noise_it_takes

_REACH = 3.0  # standard deviations of the wider noise, to both sides
_ACROSS = (
    "Noise on the learner's value at one public point (without noise: −1 to 1)",
    "Noise at one public point",
)
_ABOVE = (
    "<b>How far noise moves the learner's value at a point</b>; ±: one standard deviation",
    "<b>How far noise moves a value</b>;<br>±: one standard deviation",
)
Shown = NoiseChart | PairsChart | ProjectedChart


def takeaway(chart: Shown) -> str:
    """State how much more noise the paper asks for than suffices, or what a projection saves."""
    if isinstance(chart, ProjectedChart):
        return _saved(chart)
    proved, asked = chart.pair("lemma_11")
    if asked < proved:
        return "The noise that this learner's paper asks for is not proved to keep it private."
    more = f"{readable(asked / proved, 2)}\N{NO-BREAK SPACE}times as much"
    return (
        f"By a sharper proof of privacy, noise of {_spread(proved)} at each public point is "
        f"enough; the published proof asks for {_spread(asked)}, {more}."
    )


def _spread(scale: float) -> str:
    """Write a standard deviation to both sides, on one line."""
    return f"±\N{NO-BREAK SPACE}{readable(scale)}"


def _saved(chart: ProjectedChart) -> str:
    needed, raw = chart.value("constants"), chart.value("raw")
    if needed > 0.999 * raw:
        return (
            "Over constant functions the projection saves no noise here: with it or without, "
            f"noise {upwards(raw)} is enough."
        )
    return (
        f"Noise {upwards(needed)} keeps the projection onto constant functions private; for the "
        f"noisy values themselves {upwards(raw)} is proved enough."
    )


def detail(chart: Shown) -> str:
    """Say how much noise is proved to suffice, and how much the paper asks for."""
    if isinstance(chart, ProjectedChart):
        return _projected(chart)
    enough, special = chart.pair("lemma_11")
    laplace, asked = chart.pair("laplace_11")
    unproved = "" if special >= enough else ", which is not proved to suffice"
    return (
        f"At m = {chart.points:,.0f} Gaussian noise of scale {readable(enough)} is proved to keep "
        f"Algorithm 3 private; the paper's condition asks for {readable(special / enough)} times "
        f"as much{unproved} (Laplace noise: {readable(laplace)}, and "
        f"{readable(asked / laplace)} times as much).{_general(chart)}"
    )


def _general(chart: NoiseChart | PairsChart) -> str:
    """Say what is wrong with (14) at the reader's m, if anything is."""
    proved, asked = chart.pair("lemma_9")
    if asked >= proved:
        return ""
    verdict = (
        "too little for the class of constants"
        if chart.points <= chart.too_little
        else "not proved to suffice"
    )
    return (
        " Its condition for any stable learner asks for "
        f"{readable(asked / proved)} times as much Gaussian noise, {verdict}."
    )


def _projected(chart: ProjectedChart) -> str:
    """Say what other classes need at the reader's n and m, and what the paper asks for."""
    words = (
        f"At n = {chart.here:,.0f} and m = {chart.public_points:,}: the noise of the raw "
        f"numbers cuts off a value of 0 with probability {chance(chart.cut_off)}; the paper's "
        f"condition (14) asks for {readable(chart.value('published'))}"
    )
    if len(chart.curves) < 4:
        return f"{words}; over all functions only the raw noise is known to suffice."
    functions = chart.curve("functions")
    at = int(np.abs(functions.x - chart.here).argmin())
    low, high = (readable(float(functions.part(end)[at])) for end in ("_lower", "_upper"))
    least = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f"{words}; over all functions the least noise {least}."


def notes(chart: Shown) -> list[str]:
    """Say what the curves assume, what is exact, and when it matters."""
    return _notes_on_projection() if isinstance(chart, ProjectedChart) else _notes_on_conditions()


def _notes_on_conditions() -> list[str]:
    return [
        "“Proved to suffice” is for the stability ρ = 1/√(ηn) of Algorithm 3 with an exact "
        "optimiser. The noisy values f̄(Z) are a Gaussian or Laplace mechanism on m numbers, "
        "with l₂ sensitivity √m·ρ and l₁ sensitivity m·ρ. They need at least this much noise. "
        "The release is their projection onto the class, shows less, and may need less noise.",
        "The paper's conditions: (14) takes the same ρ and is meant for every stable learner; "
        "(104) and (105), for Algorithm 3, take the printed 2/√(ηn). They are grey below what "
        "is proved to suffice. Lemma 9 loses a factor 2 in the exponent, which m ≥ 8 and ρ ≤ 1 "
        "make up for. Noise is “too little for constants” where, over the class of constant "
        "functions, the exact δ(ε) of the release exceeds δ if f̄ moves by ρ from one end of "
        "the class.",
        "(102) is Algorithm 2's condition as published, for thresholds, whose Gaussian "
        "complexity is exact here. It is grey where (103) fails, whose constant C the paper "
        "leaves open. (102) differs from Lemma 1 by a cube root, and Lemma 1's proof has a gap. "
        "What is proved rests on neither. The expectation of a perturbed minimiser moves by at "
        "most √(2/π)/(ηn), and the mean of J of them is within (2 + √(8 ln(2/δ)))/√J of it, "
        "except with probability δ/2 (proof: docstring of averaged_stability). Noise that keeps "
        "data private may leave nothing learned: the view “More data” shows the error beside a "
        "bound on it.",
    ]


def _notes_on_projection() -> list[str]:
    return [
        "Algorithm 1 adds noise to the values on the m public points and releases the function "
        "of the class that is nearest. Values beyond −1 and 1 are cut off, and cut-off values "
        "cannot be told apart. For constants the release is the mean of the noisy values, cut "
        "off. The worst neighbours start at an end of the class, and the noise is exact for a "
        "learner whose values one example can move by ρ = 1/√(ηn). The same holds for f(x) = "
        "wx, |w| ≤ 1, on points |x| = 1. Where the projection saves nothing there, the outputs "
        "that tell the worst neighbours apart lie short of the other end. Neighbours elsewhere, "
        "or of a richer class, may be harder to tell apart after the cut; no number here is "
        "about them.",
        "For all functions each value is cut off by itself, and neighbours may move the values "
        "in any direction. For up to three values the least noise is bounded from above by "
        "cells of directions, each replaced by its outermost corner; for more, by the noise of "
        "the raw numbers. Neighbours that move some values equally bound it from below. For any "
        "other class nothing below the upper curve is proved: the nearest function of a smaller "
        "class does not follow from the values once they are cut off.",
        "Where the projection saves noise, the noise is as large as the class itself, and "
        "little of the answer is left: the promise becomes cheaper, but the answer does not "
        "become good. Laplace noise saves nothing, since its privacy loss is as large inside "
        "the class as beyond it.",
    ]


def figure(chart: Shown, theme: Theme) -> Figure:
    """Draw the curves; at one m, the noise that is proved enough and the paper's as bells."""
    return stacked(theme, _bells(chart) if isinstance(chart, PairsChart) else chart)


def _bells(chart: PairsChart) -> Panel:
    """Return the laws of both noises, with how wide each is: a standard deviation to each side."""
    proved, asked = chart.pair("lemma_11")
    most = _REACH * max(proved, asked)
    noise, about = np.linspace(-most, most, 241), chart.curve("lemma_11").subject
    times = f"<b>× {readable(asked / proved, 2)}</b>"
    by = "a sharper proof" if asked >= proved else "proved enough"

    def bell(gamma: float, called: Words, about: Ink) -> tuple[Mark, Mark, Mark]:
        [high] = chart.law(gamma, np.array([gamma]))
        return (
            Line(noise, chart.law(gamma, noise), about=about, fill=0.15),
            Rule(x=(-gamma, gamma), y=(high, high), wide=4, about=about),
            Text(called, gamma, high, to="E", shift=(8, 6), about=about),
        )

    return Panel(
        Side(-most, most, _ACROSS),
        Side(0.0, 1.08, numbers=False, grid=False),
        [
            *bell(
                asked,
                (f"the published proof: {_spread(asked)}, {times}", f"{_spread(asked)}, {times}"),
                about,
            ),
            *bell(
                proved,
                (f"{by}: {_spread(proved)}", _spread(proved)),
                "text",
            ),
        ],
        above=_ABOVE,
    )


def idle_controls(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: the projection is drawn for Algorithm 3 alone."""
    return {"averages", "constant"} if values["noise_at"] == "projected" else set()


VIEW = View(
    key="noise",
    title="How much noise",
    compute=noise_it_takes,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    notes=notes,
    why="Only what the release shows needs noise. A proof that bounds how far one example moves "
    "the learned function on the public points fixes how much; a proof that gives something away "
    "at every step, as the paper's do, asks for more.",
    parameters=(
        "noise_at",
        "public_points",
        "samples",
        "epsilon",
        "delta",
        "eta",
        "averages",
        "constant",
    ),
    in_sight=("public_points", "samples", "noise_at"),
    idle=idle_controls,
)
