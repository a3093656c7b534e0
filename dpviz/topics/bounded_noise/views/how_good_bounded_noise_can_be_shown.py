"""How good bounded noise can be: the best here, what is proven impossible, and the best power."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dpviz.plot.chart import BAND
from dpviz.plot.marks import Area, Line, Rule, Text
from dpviz.plot.marks import Mark as Drawn
from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import percent, readable, whole
from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray, Mark, Subject
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Value
from dpviz.scene.view import View
from dpviz.topics.bounded_noise.controls_shown import PRIVACY, idle_controls
from dpviz.topics.bounded_noise.errors_along_queries import NAMES, Compared, gap
from dpviz.topics.bounded_noise.numbers_shown import likelihood
from dpviz.topics.bounded_noise.views.how_good_bounded_noise_can_be import (
    UNKNOWN,
    NoiseChoice,
    how_good_bounded_noise_can_be,
)

_RIGHT = 1e8  # answers, up to which what is drawn is named at the right end


def takeaway(result: NoiseChoice) -> str:
    """State along k how far the best noise here is from the best possible; else the best p."""
    if result.compared is not None:
        if result.compared.optimum is not None:
            return _from_the_best_possible(result, result.compared)
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


def _from_the_best_possible(result: NoiseChoice, compared: Compared) -> str:
    """State by how much independent noise could still be narrower at the reader's k."""
    name, many = NAMES[compared.winner], whole(result.queries)
    if result.queries == 1:
        reached, impossible = _apart(compared)
        return (
            f"For one answer {name} keeps every error within {reached} Δ, and every noise for "
            f"real numbers needs at least {impossible} Δ."
        )
    if compared.choice is None:
        return (
            f"Over {many} answers no noise drawn independently from one law is more than "
            f"{_factor(compared)} times narrower than {name}; the search goes on."
        )
    return (
        f"Over {many} answers no noise drawn independently from one law is more than "
        f"{_factor(compared)} times narrower than {name}, the narrowest known here."
    )


def _apart(compared: Compared) -> tuple[str, str]:
    """Return what is reached, rounded up, and what is impossible, rounded down, told apart."""
    low, high = _optimum(compared)
    for digits in range(3, 7):
        unit = _unit(high, digits)
        if high - low > unit / 2:
            break
    return _up(high, digits), _down(low, min(unit, _unit(low, digits)) if low else unit, digits)


def _down(bound: float, unit: float, digits: int = 3) -> str:
    """Write what is proven, rounded down."""
    return readable(math.floor(bound / unit) * unit, digits)


def _unit(value: float, digits: int) -> float:
    """Return one of the last of so many digits of a number."""
    return 10.0 ** (math.floor(math.log10(value)) + 1 - digits)


def _up(bound: float, digits: int = 3) -> str:
    """Write what nothing exceeds, rounded up."""
    unit = _unit(bound, digits)
    return readable(math.ceil(bound / unit) * unit, digits)


def _optimum(compared: Compared) -> tuple[float, float]:
    """Return the certified bounds on the least radius."""
    assert compared.optimum is not None
    return compared.optimum.lower, compared.optimum.upper


def _factor(compared: Compared) -> str:
    low, high = _optimum(compared)
    return f"{math.ceil(100 * high / low) / 100:.2f}" if low else "∞"


def _bounds(result: NoiseChoice, compared: Compared) -> str:
    """State what is known of the best possible noise at the reader's k, and how."""
    reached, impossible = _apart(compared)

    def proven(radius: float) -> str:
        return _down(radius, _unit(radius, 3)) if radius else "0"

    parts = []
    if math.isfinite(compared.pair):
        parts.append(f"two neighbouring data sets prove {proven(compared.pair)} Δ")
    people = "one person proves"
    if compared.people > 1:
        people = f"{whole(compared.people)} people, replaced one by one, prove"
    parts.append(
        f"data of {people} {proven(compared.chain)} Δ, for noises that differ from answer to "
        "answer as well"
    )
    scores, steps = compared.scores
    if steps:
        apart = "neighbouring data sets" if steps == 1 else f"data sets {steps} people apart"
        parts.append(
            f"sums of scores of two {apart} prove {proven(scores)} Δ, for such noises, too"
        )
    low, _ = _optimum(compared)
    if not steps and low > 1.000001 * max(compared.pair, compared.chain):
        parts.append("shifts by less than Δ prove the rest")
    return (
        f"At k = {whole(result.queries)} no error of {NAMES[compared.winner]} exceeds "
        f"{reached} Δ. No noise of one law, drawn independently for each answer, keeps within "
        f"{impossible} Δ: {'; '.join(parts)}. Noise drawn for all answers together is not covered."
    )


def _least_along_queries(result: NoiseChoice) -> str:
    """State from how many answers on which noise has the least error."""
    sure = likelihood(result.failure_probability)
    measure = {
        "hard": "the smallest hard bound",
        "quantile": f"the smallest bound that holds with probability {sure}",
        "deviation": "the smallest standard deviation",
    }[result.objective]
    (_, first), *rest = result.wins
    sentence = f"Of the noises compared {first} has {measure}"
    if not rest:
        return f"{sentence} at every k."
    return f"{sentence} for the fewest answers; {_turn(*rest[-1])}."


def detail(result: NoiseChoice) -> str:
    """State the best p, what it gains, and what the rivals reach."""
    compared = result.compared
    if compared is not None and compared.optimum is not None:
        return f"{_bounds(result, compared)}{_tuned(result)} {_limit(result)}"
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
        f"{_up(result.tuned.measure.upper)} Δ: it beats every noise of the paper by "
        f"{percent(result.lead, digits=2)}."
    )


def figure(result: NoiseChoice, theme: Theme) -> Figure:
    """Draw the measure along p, with the best p marked; along k what is open; else all as it is."""
    marks = result.marks
    if result.x.name == "p":
        marks = (Mark(result.best_power, result.best.upper, _best_power(result), Subject.BOUNDED),)
        if abs(result.best_power / 2 - 1) > 0.1:
            marks += (Mark(2.0, result.at_two.upper, "p = 2", Subject.BOUNDED),)
    chart = replace(result, marks=marks)
    if (around := gap(result)) is None:
        return stacked(theme, Charted(chart))
    best = result.curve("possible")
    bare = replace(best, lower=None, upper=None)  # the corridor is what is not known
    curves = tuple(bare if curve is best else curve for curve in result.curves)
    return stacked(
        theme, Charted(replace(chart, curves=curves, marks=()), _corridor(result, around))
    )


def _corridor(result: NoiseChoice, around: tuple[FloatArray, FloatArray]) -> list[Drawn]:
    """Return the corridor between what is known and what is impossible, named, and its width."""
    best, compared, here = result.curve("possible"), result.compared, result.queries
    k, low = (part[best.x.size :][::-1] for part in around)
    far, to = (1e10, "W") if here < _RIGHT else (1e3, "E")
    by = (-6.0 if to == "W" else 6.0, 0.0)
    known, floor = (float(np.interp(far, x, y)) for x, y in ((best.x, best.y), (k, low)))
    marks: list[Drawn] = [
        # Down to what is proven at every k; between two far values it would cover the truth.
        Area(*around, about=best, seen=BAND, late=True),
        Line(k, low, about=Subject.LOWER_BOUND, wide=2, fill=0.15),
        Text(
            ("reached by noise that is known", "reached"),
            far,
            1.25 * known,
            to=to,
            shift=by,
            about=best,
        ),
        Text("open", far, math.sqrt(known * floor), to=to, shift=by),
        Text(("proven impossible below", "impossible"), far, 0.8 * floor, to=to, shift=by),
    ]
    if compared is not None and compared.optimum is not None and here > 1:
        ends = compared.optimum.lower / compared.sigma, compared.optimum.upper / compared.sigma
        middle, words = math.sqrt(ends[0] * ends[1]), f"× {_factor(compared)}"
        side, off = ("E", 6.0) if far < here or here < 100 else ("W", -6.0)
        marks += [
            Rule(x=here, y=ends, wide=5),
            Text(words, here, middle, to=side, shift=(off, 0), backed=True),
        ]
    return marks


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
    why="A shift reveals you where it pushes the noise over its end, so the noise must be rare "
    "there; with one answer that fixes how slowly it may fall. With many answers, what small "
    "shifts reveal adds up, and the smoothest shape wins.",
    idle=_idle,
    first_seconds=2.9,
)
