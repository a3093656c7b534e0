"""Every attacker: the hits and false alarms that anybody can reach, and δ for each ε."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.marks import Dots, Rule, Text, to_both_axes
from dpviz.plot.panels import Charted, Handle, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import from_logarithm, percent, readable
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Landmark, Subject
from dpviz.scene.codec import Number, Value
from dpviz.scene.view import Prediction, Sketch, View
from dpviz.topics.promise.best_attacker_shown import (
    RIGHT,
    in_percent,
    share,
    share_at_most,
)
from dpviz.topics.promise.calibrating import NOISES
from dpviz.topics.promise.releases_shown import RELEASE, idle_together
from dpviz.topics.promise.views.every_attacker import EveryAttacker, every_attacker

_BOLD = 0.5  # share accused from which the line to the point's words runs where blind guessing is
_BESIDE = 0.5  # times as wide as others are the curves that the sentence does not name


def takeaway(result: EveryAttacker) -> str:
    """State what the chosen attacker reaches, or how δ falls as ε grows."""
    if result.side == "profile":
        return _profile_takeaway(result)
    return (
        f"An attacker who accuses {share(result.false_alarms)} of those not in the data accuses at "
        f"most {share_at_most(result.hits[1])} of those in it, with {NOISES[result.mechanism]} at "
        f"ε = {readable(result.epsilon)}."
    )


def _profile_takeaway(result: EveryAttacker) -> str:
    curve = result.curve("delta")
    half = float(curve.y[np.argmin(np.abs(curve.x - result.epsilon / 2))])
    said = (
        f"The same noise keeps many promises: δ = {readable(result.delta)} at "
        f"ε = {readable(result.epsilon)}"
    )
    if math.isfinite(result.log_floor):
        return f"{said}. But no ε whatever brings δ below {from_logarithm(result.log_floor)}."
    return f"{said}, and δ = {readable(half)} at half that ε."


def detail(result: EveryAttacker) -> str:
    """State how the chosen attacker decides, and how often the best one is right."""
    if result.side == "profile":
        return ""
    times = readable(max(result.ratio, 1 / result.ratio))
    much = "" if times == "1" else f"{times} times "
    rule = f"waits for answers {much}likelier with you than without"
    if result.ratio < 1:
        rule = f"accuses unless answers are {much}likelier without you"
    return (
        f"That attacker {rule}. If half of the people asked about are in the data, the best "
        f"attacker is right {percent(result.correct, digits=4)} of the time; a coin, 50%."
    )


def notes(result: EveryAttacker) -> tuple[str, ...]:
    """Tell how good the best attackers are, and what Gaussian curve is beside them, or why not."""
    best = () if result.side == "profile" else _best(result)
    return best + _gaussian_note(result)


def _best(result: EveryAttacker) -> tuple[str, ...]:
    return (
        "If half of the people asked about are in the data, the best attacker is right "
        f"{percent(result.correct, digits=4)} of the time; blind guessing is right 50%. At "
        f"{share(result.false_alarms)} false alarms the promise (ε, δ) alone would allow "
        f"{share(result.promised)} hits.",
    )


def _gaussian_note(result: EveryAttacker) -> tuple[str, ...]:
    if result.mechanism == "bounded":
        return (
            "No Gaussian curve bounds the attackers of bounded noise, however large its μ: "
            "answers near the end of the noise's range, of probability "
            f"{from_logarithm(result.log_floor)} in all, are possible in one world and not in the "
            "other. Gaussian noise makes no answer impossible.",
        )
    mu = readable(result.gaussian_mu)
    if result.mechanism == "gaussian":
        return (f"This is Gaussian differential privacy itself, with μ = {mu}.",)
    return (
        f"Gaussian DP: whoever tells N(0, 1) from N(μ, 1) with μ = {mu} does at least as well as "
        "any attacker here.",
    )


def figure(result: EveryAttacker, theme: Theme) -> Figure:
    """Draw the attackers, and the chosen one as a point of the curve, dragged at the axis."""
    if result.side == "profile" or not result.landmarks:
        return stacked(theme, result)
    chosen, *others = result.landmarks
    named = replace(chosen, text=f"hits: at most {share_at_most(result.hits[1])}")
    blind, linear = result.curve("blind"), result.side == "all"
    ends, part = (float(blind.x[0]), float(blind.x[-1])), 6
    if linear and chosen.x > _BOLD:
        part = 2
    middle = float(blind.x[part * blind.x.size // 10])
    marks = [
        *(to_both_axes(chosen.x, chosen.y) if linear else []),
        Rule(x=ends, y=ends, wide=1, about=blind),
        Text(blind.label, middle, middle, to="SE", about=blind),
        Dots([chosen.x], [chosen.y], size=11, about=Subject.ATTACKER),
    ]
    chart = replace(_seen(result), landmarks=(named, *others))
    handle = Handle("false_alarms", chosen.x)
    drawn = stacked(theme, Charted(chart, marks, handle=handle, earlier=_seen))
    return in_percent(drawn) if linear else drawn


def _seen(chart: Chart) -> Chart:
    """Return the hits without blind guessing, which is a line; all but the best attack thin."""
    if chart.y.name != "hits":
        return chart
    curves = tuple(
        curve if curve.key == "best" else replace(curve, weight=_BESIDE)
        for curve in chart.curves
        if curve.key != "blind"
    )
    x, y = chart.x, chart.y
    if not x.log:
        x, y = (replace(axis, label=f"{axis.label} (%)") for axis in (x, y))
    return replace(chart, x=x, y=y, curves=curves, in_headline=("best",))


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Return the controls that have no effect: no attacker is chosen on a profile."""
    unchosen = {"false_alarms"} if values["side"] == "profile" else set()
    return idle_together(values) | unchosen


def hidden(result: EveryAttacker) -> EveryAttacker:
    """Return the result before the answer: blind guessing alone."""
    kept = tuple(c for c in result.curves if c.key == "blind")
    return replace(result, curves=kept, landmarks=(), in_headline=("blind",))


def marked(result: EveryAttacker, percent: float) -> EveryAttacker:
    """Return the result with the guess as a point: as often right of either kind of person."""
    mark = Landmark(1 - percent / 100, percent / 100, "your prediction")
    return replace(result, landmarks=(*result.landmarks, mark))


def answer(result: EveryAttacker) -> str:
    """Return how often the best attacker is right."""
    return percent(result.correct)


VIEW = View(
    key="attackers",
    title="Every attacker",
    compute=every_attacker,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("side", *RELEASE, "false_alarms"),
    in_sight=("epsilon", "mechanism", "side"),
    defaults={"false_alarms": 0.2},
    pulled={"false_alarms": "accuses #% of"},
    why="An attacker who wants to accuse nobody wrongly has to wait for answers that are far "
    "likelier with you than without you. Noise makes these rare, so few false alarms come with "
    "few hits. The best attackers accuse exactly where this likelihood ratio is large.",
    idle=without_effect,
    notes=notes,
    prediction=Prediction(
        question="Half of the people asked about are in the data. How often is the best "
        "attacker right, in percent?",
        applies=lambda values: values["side"] == "all",
        guess=Number(RIGHT),
        hide=hidden,
        answer=answer,
        value=lambda result: 100 * result.correct,
        mark=marked,
    ),
    sketch=Sketch(
        question="The best attacker may be cautious or bold. Draw the share of hits at each "
        "share of false alarms.",
        curve="best",
        applies=lambda values: values["side"] == "all",
    ),
)
