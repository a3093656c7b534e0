"""How good bounded noise can be: the best here, what is proven impossible, and the best power."""

from collections.abc import Mapping
from dataclasses import replace

from dpviz.plot.chart import draw
from dpviz.plot.spec import Figure
from dpviz.plot.text import percent, readable, upwards, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import Landmark, Subject
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.bounded_noise import limits_along_queries_shown as limits_shown
from dpviz.topics.bounded_noise import two_errors_shown
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, idle_controls
from dpviz.topics.bounded_noise.errors_along_queries import NAMES
from dpviz.topics.bounded_noise.limits_along_queries import NoiseLimits
from dpviz.topics.bounded_noise.numbers_shown import likelihood
from dpviz.topics.bounded_noise.two_errors import TwoErrors
from dpviz.topics.bounded_noise.views.how_good_bounded_noise_can_be import (
    UNKNOWN,
    NoiseChoice,
    how_good_bounded_noise_can_be,
)


def takeaway(result: NoiseChoice | NoiseLimits | TwoErrors) -> str:
    """State along k how far the best noise here is from the best possible; else the best p."""
    if isinstance(result, NoiseLimits):
        return limits_shown.takeaway(result)
    if isinstance(result, TwoErrors):
        return two_errors_shown.takeaway(result)
    if result.wins:
        return _least_along_queries(result)
    if result.best == UNKNOWN:
        return _first(result)
    return _along_powers(result)


def _first(result: NoiseChoice) -> str:
    """State what is known within moments, along k or of the shapes."""
    if result.compared is None:
        return "Noise whose shape is tuned to this privacy is being looked for."
    reached = _reached(result, result.compared.least)
    return f"With {NAMES[result.compared.winner]}, {reached}; bounded noise is being looked for."


def _along_powers(result: NoiseChoice) -> str:
    """State the best p; while more are tried, the best of those."""
    if result.scanning and result.curve("power").x.size == 1:
        reached = _reached(result, result.at_two.upper, "with the probability chosen")
        return f"With p = 2, {reached}; other p are being tried."
    end = _end(result.best_power)
    power = f"p = {readable(result.best_power)}"
    gain = f"has {percent(result.gain, digits=2)} smaller errors than p = 2"
    if result.gain < 0.005:
        tried = "tried so far " if result.scanning else ""
        said = f"No other power p {tried}has noticeably smaller errors than p = 2 here"
    elif end:
        said = f"The {end} power here, {power}, {gain}"
    else:
        said = f"The best power{' so far' if result.scanning else ''}, {power}, {gain}"
    if result.lead < 0.005:
        return f"{said}."
    return f"{said}; tuned noise has smaller ones than any power{' here' if end else ''}."


def _least_along_queries(result: NoiseChoice) -> str:
    """State from how many answers on which noise has the least error."""
    sure = likelihood(result.failure_probability)
    measure = {
        "quantile": f"the smallest bound that holds with probability {sure}",
        "deviation": "the smallest standard deviation",
    }[result.objective]
    (_, first), *rest = result.wins
    sentence = f"Of the noises compared {first} has {measure}"
    if not rest:
        return f"{sentence} at every k."
    return f"{sentence} for the fewest answers; {_turn(*rest[-1])}."


def detail(result: NoiseChoice | NoiseLimits | TwoErrors) -> str:
    """State the best p, what it gains, and what the rivals reach."""
    if isinstance(result, NoiseLimits):
        return limits_shown.detail(result)
    if isinstance(result, TwoErrors):
        return two_errors_shown.detail(result)
    if result.best == UNKNOWN:
        return "Each noise compared is the smallest of its shape for the same privacy."
    reached = _reached(result, result.best.upper)
    less = percent(result.gain, digits=2)
    sentence = f"With {_best_power(result)}, {reached}, {less} less than with p = 2"
    if readable(result.best_power) == "2":
        sentence = f"With p = 2, the best p found, {reached}"
    if result.iterated.upper < result.best.upper:
        sentence += f"; exp(exp(1/(1 − u²))) does better still, {readable(result.iterated.upper)} Δ"
    if result.objective != "hard":
        sentence += f"; Gaussian noise of the same privacy has {readable(result.gaussian)} Δ"
    sentence = f"{sentence}.{_turns(result)}{_tuned(result)}"
    if result.objective == "hard":
        return f"{sentence} {_limit(result)}"
    if result.objective == "deviation":
        sentence += " As k grows no independent noise has less than the Gaussian (Cramér and Rao)."
    return sentence


def _limit(result: NoiseChoice) -> str:
    return (
        "As k grows, the radius of no noise drawn independently for each answer tends to "
        f"less than πσ, here {readable(result.floor)} Δ, even if its shape changes with k. That is "
        f"a limit, not a bound at k = {whole(result.queries)}."
    )


def _reached(result: NoiseChoice, measure: float, likely: str = "") -> str:
    """State what the errors of a noise keep to; likely: how often they do, if not as a number."""
    likely = likely or f"with probability {likelihood(result.failure_probability)}"
    return {
        "hard": f"no error can exceed {readable(measure)} Δ",
        "quantile": f"{likely} {_none(result.queries)} {readable(measure)} Δ",
        "deviation": f"the standard deviation of one answer is {readable(measure)} Δ",
    }[result.objective]


def _none(queries: float) -> str:
    """Return the beginning of: none of so many errors exceeds a bound."""
    if queries == 1:
        return "the error does not exceed"
    return f"none of {whole(queries)} errors exceeds"


def _turn(k: float, name: str) -> str:
    return f"from {'about ' if k > 10 else ''}k = {whole(k)} on {name}"


def _turns(result: NoiseChoice) -> str:
    """State from how many answers on which noise has the least error, where that is drawn."""
    turns = "; ".join(_turn(*win) for win in result.wins[1:])
    return f" Least along k: {turns}." if turns else ""


def _tuned(result: NoiseChoice) -> str:
    """State what tuned noise reaches, and by how much it beats every noise of the paper."""
    if result.tuned is None:
        return ""
    if result.lead < 5e-4:
        return " The search found no tuned noise that is better."
    noise = result.tuned.noise
    return (
        f" At k = {whole(result.queries)} tuned noise with a = {readable(noise.barrier)}, "
        f"b = {readable(noise.bulk)}, p = {readable(noise.power)} and θ = {readable(noise.cut)} "
        "reaches "
        f"{upwards(result.tuned.measure.upper)} Δ: it beats every noise of the paper by "
        f"{percent(result.lead, digits=2)}."
    )


def figure(result: NoiseChoice | NoiseLimits | TwoErrors, theme: Theme) -> Figure:
    """Draw the measure along p, with the best p marked; along k what is open; else all as it is."""
    if isinstance(result, NoiseLimits):
        return limits_shown.figure(result, theme)
    if isinstance(result, TwoErrors):
        return two_errors_shown.figure(result, theme)
    marks = result.landmarks
    if result.x.name == "p":
        marks = (
            Landmark(result.best_power, result.best.upper, _best_power(result), Subject.BOUNDED),
        )
        if abs(result.best_power / 2 - 1) > 0.1:
            marks += (Landmark(2.0, result.at_two.upper, "p = 2", Subject.BOUNDED),)
    chart = replace(result, landmarks=marks)
    return draw(chart, theme)


def _best_power(result: NoiseChoice) -> str:
    """Name the best p found, and whether it is an end of the range."""
    power = readable(result.best_power)
    end = _end(result.best_power)
    return f"p = {power}, the {end} here" if end else f"the best p found, {power}"


def _end(power: float) -> str:
    """Return which end of the range of p this is; "" for none. Beyond it p may be better still."""
    limit = LIMITS["power"]
    return {limit.maximum: "largest", limit.minimum: "smallest"}.get(power, "")


def _idle(values: Mapping[str, Value]) -> set[str]:
    """Name what has no effect: also β, where no quantile is made small."""
    if values["show"] == "pair":
        return idle_controls(values) | {"queries", "objective", "failure_probability"}
    beta = set() if values["objective"] == "quantile" else {"failure_probability"}
    return idle_controls(values) | beta


VIEW = View(
    key="best",
    title="How good can bounded noise be?",
    compute=how_good_bounded_noise_can_be,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("objective", *PRIVACY, "failure_probability", "show"),
    in_sight=("queries", "objective", "show"),
    defaults={"queries": 10},
    pulled={"queries": "# answers"},
    why="A shift reveals you where it pushes an error over its wall, so errors must be rare there. "
    "Drawn together, only the largest of them has to stay away. Drawn one by one, each has to; but "
    "of many answers what small shifts reveal adds up, and there smooth noise, drawn so, wins.",
    idle=_idle,
    first_seconds=2.9,
)
