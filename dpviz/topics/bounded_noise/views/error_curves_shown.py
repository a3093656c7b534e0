"""Error curves: the largest error among k answers, bounded against Gaussian noise."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from dpviz.plot.marks import Band, Mark, Rule, Text
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import beside_one, readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Chart, Landmark, Subject
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, Sketch, View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, idle_controls
from dpviz.topics.bounded_noise.error_chart import CERTAINLY, UNITS, percent
from dpviz.topics.bounded_noise.views.error_curves import ErrorComparison, error_curves

_LOOKS = ("shape", "units", "quantile", "show_published", "show_shapes", "constant")
_ONE_IN_TWENTY = 0.05
_CERTAIN = "bounded_certain"
_ENOUGH = 5  # points of a curve, between which lines are drawn
_STEP = 100  # times the answers
_BROAD = 0.8  # of the axis, beyond which its right end is the reader's
_NAMES = "Bounded noise", "Gaussian noise"
_ROOT = 0.02  # so near to √k, in parts of the growth, the curve grows "like √k"
_CROSSING = Limit("guess", "k", "queries from which bounded noise wins", 1, 10**10, 100, True)


def takeaway(result: ErrorComparison) -> str:
    """State what bounded noise keeps all errors below, beside what Gaussian noise mostly does."""
    many = result.queries != 1
    over = f"Over {readable(result.queries)} answers" if many else "In one answer"
    often = _often(result)
    if result.y is UNITS["gaussian"]:
        ratio = result.radius.upper / result.gaussian_error
        stands = f"and lies at least {beside_one(ratio)}"
        if ratio >= 1:
            stands = f"but is up to {beside_one(ratio)}"
        return (
            f"{over}, bounded noise’s limit on all errors always holds, {stands} Gaussian "
            f"noise’s, which {_fails(result)}."
        )
    error = "the largest Gaussian error" if many else "Gaussian noise"
    bounded, gaussian = upwards(result.radius.upper), readable(result.gaussian_error)
    return (
        f"{over}, no error from bounded noise exceeds {bounded} Δ; {error} exceeds {gaussian} Δ "
        f"{often}."
    )


def _fails(result: ErrorComparison) -> str:
    """Say how often Gaussian noise exceeds its limit, in words that need no other sign."""
    if result.failure_probability == _ONE_IN_TWENTY:
        return "fails one time in twenty"
    return f"fails with probability {readable(result.failure_probability)}"


def _often(result: ErrorComparison) -> str:
    """Say how often Gaussian noise exceeds its limit."""
    usual = result.failure_probability == _ONE_IN_TWENTY
    return "one time in twenty" if usual else "with probability β"


def detail(result: ErrorComparison) -> str:
    """State both errors, which is smaller, and the distance of the published bound."""
    certain, gaussian = result.radius.upper, result.gaussian_error
    sure = readable(1 - result.failure_probability, 13)  # never "1": it is no certainty
    beside = beside_one(certain / gaussian)
    sentence = (
        f"{_among(result.queries)} bounded noise never exceeds {upwards(certain)} Δ: {beside} "
        f"what Gaussian noise of the same privacy stays within with probability "
        f"{sure} ({readable(gaussian)} Δ)."
    )
    sentence += _since(result)
    if math.isnan(result.published_radius):
        return sentence
    excess = readable(100 * (result.published_radius / certain - 1), 2)
    return f"{sentence} The published bound asks for {excess}% more noise than is needed."


def _since(result: ErrorComparison) -> str:
    """Say from which k on bounded noise is certified to have the smaller limit, once it is known.

    Both k are round, on the safe sides of the crossing.
    """
    if result.wins is None:
        return ""
    limit = f"Gaussian noise’s {percent(result.failure_probability)} limit"
    above, below = result.wins
    if not above or math.isinf(below):
        side = "below" if not above else "above"
        return f" At every k drawn, at this ε and δ, bounded noise’s limit is {side} {limit}."
    return (
        f" At this ε and δ, bounded noise’s limit is below {limit} from k = {readable(below)} on, "
        f"at every k drawn; up to k = {readable(above)} it is above."
    )


def _among(queries: float) -> str:
    return f"Among {readable(queries)} answers" if queries > 1 else "In one answer"


def figure(result: ErrorComparison, theme: Theme) -> Figure:
    """Draw the curves, and where they run along k, how much noise 100 times the answers take."""
    if result.y is UNITS["gaussian"]:
        marks = tuple(mark for mark in result.landmarks if not mark.text.endswith("%"))
        since = result.wins and result.wins[1]
        if since and math.isfinite(since):
            here = f"from k = {readable(since)}"
            marks = tuple(replace(m, text=m.text.replace("from here", here)) for m in marks)
        seen = _named(replace(result, landmarks=marks))
        return stacked(theme, Charted(seen, _limits(result), earlier=_named))
    if (step := _step(result)) is None:
        return stacked(theme, result)
    (first, last), (low, high) = step
    growth = high / low
    like = ", like √k" if abs(growth / math.sqrt(_STEP) - 1) < _ROOT else ""
    text = (
        f"from {readable(first)} to {readable(last)} answers: "
        f"{readable(growth, 2)} times the noise{like}"
    )
    corner = Landmark(last, low, text, Subject.BOUNDED, roomy=True)
    look: dict[str, Any] = {"wide": 1, "dash": "dot", "about": Subject.BOUNDED, "roomy": True}
    legs = [Rule(x=(first, last), y=low, **look), Rule(x=last, y=(low, high), **look)]
    return stacked(theme, Charted(replace(result, landmarks=(*result.landmarks, corner)), legs))


def _named(chart: Chart) -> Chart:
    """Return a chart whose two limits are named by their noise."""
    named = dict(zip(chart.in_headline, _NAMES, strict=True))
    return replace(
        chart,
        curves=tuple(replace(one, label=named.get(one.key, one.label)) for one in chart.curves),
    )


def _limits(result: ErrorComparison) -> list[Mark]:
    """Return the shades where either noise has the smaller error, how often limits hold, and here.

    How often stands at an end of each line, off the reader's value and away from the other line.
    """
    known = [curve for curve in result.curves if curve.key == _CERTAIN]
    if not known:
        return []
    seen = np.isfinite(known[0].y)
    x, times = known[0].x[seen], known[0].y[seen]
    one = np.ones_like(x)
    shade: dict[str, Any] = {"seen": 0.12, "late": True}
    drawn: list[Mark] = [
        Band(x, np.minimum(times, 1), one, about=Subject.BOUNDED, **shade),
        Band(x, one, np.maximum(times, 1), about=Subject.GAUSSIAN, **shade),
    ]
    fails = _fails(result), _fails(result).replace(" with probability", ":")
    end = -1 if math.log(result.here / x[0]) < _BROAD * np.ptp(np.log(x)) else 0
    up = times[end] > 1
    for words, y, above, about in (
        (fails, 1.0, not up, Subject.GAUSSIAN),
        ("always holds", times[end], up, Subject.BOUNDED),
    ):
        to, shift = ("N" if above else "S") + ("W" if end else "E"), 3.0 if above else -3.0
        shifts = (-6.0 if end else 6.0, shift)
        drawn.append(Text(words, x[end], y, to=to, shift=shifts, about=about, late=True))
    ratio = result.radius.upper / result.gaussian_error
    winner = Subject.BOUNDED if ratio < 1 else Subject.GAUSSIAN
    drawn.append(Rule(x=result.here, y=(min(ratio, 1.0), max(ratio, 1.0)), wide=5, about=winner))
    return drawn


def _step(result: ErrorComparison) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return a step of 100 times the answers: from k to k, and the bounds that it leads between.

    From the reader's k on, or up to it near the end of the axis; None where errors are not drawn
    against k, or not in Δ, or not known there yet.
    """
    known = [curve for curve in result.curves if curve.key == _CERTAIN]
    if not known or result.x.name != "queries" or result.y.unit != "Δ":
        return None
    [curve] = known
    drawn = np.isfinite(curve.y)
    x, y = curve.x[drawn], curve.y[drawn]
    if x.size < _ENOUGH:
        return None
    first = result.queries if _STEP * result.queries <= x[-1] else result.queries / _STEP
    if first < x[0]:
        return None
    ends = np.array([first, _STEP * first])
    low, high = np.exp(np.interp(np.log(ends), np.log(x), np.log(y))).tolist()
    return (first, _STEP * first), (low, high)


def without_bounded(result: ErrorComparison) -> ErrorComparison:
    """Return the comparison before the answer: Gaussian noise alone."""
    curves = tuple(c for c in result.curves if c.subject is not Subject.BOUNDED)
    return replace(result, curves=curves, landmarks=())


def crossing(result: ErrorComparison) -> str:
    """Return in words from which k on bounded noise wins with certainty."""
    at = crossing_at(result)
    return "nowhere on this axis" if at is None else f"k = {readable(at)}"


def crossing_at(result: ErrorComparison) -> float | None:
    """Return the k from which bounded noise wins with certainty, None for none on the axis."""
    wins = [mark for mark in result.landmarks if mark.text.endswith(CERTAINLY)]
    return wins[0].x if wins else None


def with_guess(result: ErrorComparison, queries: float) -> ErrorComparison:
    """Return the comparison with a guess of that k on the Gaussian curve."""
    gaussian = next(c for c in result.curves if c.subject is Subject.GAUSSIAN)
    y = np.exp(np.interp(np.log(queries), np.log(gaussian.x), np.log(gaussian.y)))
    mark = Landmark(queries, float(y), "your prediction")
    return replace(result, landmarks=(*result.landmarks, mark))


VIEW = View(
    key="errors",
    title="Error curves",
    compute=error_curves,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=(
        "against",
        *PRIVACY,
        "failure_probability",
        "power",
        *_LOOKS,
        "show_tuned",
        "show_converse",
    ),
    in_sight=("queries", "epsilon", "against"),
    defaults={"units": "gaussian"},
    pulled={"queries": "Over # answers"},
    why="Of many answers with Gaussian noise one is far more wrong than the rest, and the more "
    "answers, the further off it is; a bound holds for all of them at once. Its price is wider "
    "noise, which does not pay for few answers.",
    idle=idle_controls,
    prediction=Prediction(
        question="From how many queries on is every error from bounded noise smaller than "
        "Gaussian noise's largest?",
        applies=lambda values: values["against"] == "queries",
        guess=Number(_CROSSING),
        hide=without_bounded,
        answer=crossing,
        value=crossing_at,
        mark=with_guess,
    ),
    sketch=Sketch(
        question="Draw how the error that bounded noise never exceeds grows "
        "with the number of queries.",
        curve=_CERTAIN,
        applies=lambda values: values["against"] == "queries",
    ),
)
