"""What the views say in a sentence, and what a reader may predict about the error curves."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import Bracket, Mark, Subject
from dpviz.results.parameters import LIMITS, format_number
from dpviz.topics.bounded_noise.views.error_curves import ErrorComparison
from dpviz.topics.bounded_noise.views.noise_choice import NoiseChoice
from dpviz.topics.bounded_noise.views.noise_draws import CalibratedDraws
from dpviz.topics.bounded_noise.views.published_losses import PublishedLosses
from dpviz.topics.bounded_noise.views.turned_round import TurnedRound
from dpviz.topics.bounded_noise.views.winners import Winners

_NOTHING = 5e-4  # per cent that are not worth a number


def errors_takeaway(result: ErrorComparison) -> str:
    """State which noise errs less, and by how much."""
    certain, gaussian = result.radius.upper, result.gaussian_error
    change = readable(100 * abs(certain / gaussian - 1), 2)
    among = _among(result.queries)
    if certain > 2 * gaussian:
        change = f"{readable(certain / gaussian, 2)} times as much as"
        return f"{among}, bounded noise may err {change} Gaussian noise, but never more."
    if certain < gaussian:
        compared = f"errs {change}% less than Gaussian noise, and with certainty"
    else:
        compared = f"may err {change}% more than Gaussian noise: certainty has its price"
    return f"{among}, bounded noise {compared}."


def _among(queries: float) -> str:
    return f"Among {readable(queries)} answers" if queries > 1 else "In one answer"


def errors_detail(result: ErrorComparison) -> str:
    """State both errors, which is smaller, and the distance of the published bound."""
    certain, gaussian = result.radius.upper, result.gaussian_error
    sure = readable(1 - result.failure_probability, 13)  # never "1": it is no certainty
    change = readable(100 * abs(certain / gaussian - 1), 2)
    verdict = "below" if certain < gaussian else "above"
    sentence = (
        f"{_among(result.queries)} bounded noise errs by at most "
        f"{readable(certain)} Δ, with certainty: {change}% {verdict} what Gaussian noise of the "
        f"same privacy stays within with probability {sure} ({readable(gaussian)} Δ)."
    )
    if math.isnan(result.published_radius):
        return sentence
    excess = readable(100 * (result.published_radius / certain - 1), 2)
    return f"{sentence} The published bound asks for {excess}% more noise than is needed."


def without_bounded(result: ErrorComparison) -> ErrorComparison:
    """Return the comparison before the answer: Gaussian noise alone."""
    curves = tuple(c for c in result.chart.curves if c.subject is not Subject.BOUNDED)
    return replace(result, chart=replace(result.chart, curves=curves, marks=()))


def crossing(result: ErrorComparison) -> str:
    """Return in words from which k on bounded noise wins with certainty."""
    at = crossing_at(result)
    return "nowhere on this axis" if at is None else f"k = {readable(at)}"


def crossing_at(result: ErrorComparison) -> float | None:
    """Return the k from which bounded noise wins with certainty, None for none on the axis."""
    wins = [mark for mark in result.chart.marks if mark.text.endswith("with certainty")]
    return wins[0].x if wins else None


def with_guess(result: ErrorComparison, queries: float) -> ErrorComparison:
    """Return the comparison with a guess of that k on the Gaussian curve."""
    gaussian = next(c for c in result.chart.curves if c.subject is Subject.GAUSSIAN)
    y = np.exp(np.interp(np.log(queries), np.log(gaussian.x), np.log(gaussian.y)))
    mark = Mark(queries, float(y), "your prediction")
    return replace(result, chart=replace(result.chart, marks=(*result.chart.marks, mark)))


def noise_takeaway(result: CalibratedDraws) -> str:
    """State the bound, and how often Gaussian noise breaks it."""
    noise = result.noise
    often = f"with probability {readable(noise.exceeded)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded < 0.0005:
        often = "hardly ever"
    many = noise.queries > 1
    answers = f"among {whole_count(noise.queries)} answers" if many else "in one answer"
    return (
        f"Bounded noise never errs by more than {readable(noise.radius)} times what one person can "
        f"change (Δ). Gaussian noise errs more {often} {answers}."
    )


def noise_detail(result: CalibratedDraws) -> str:
    """State the largest error of both draws, and how often Gaussian noise breaks the bound."""
    noise = result.noise
    often = f"with probability {readable(noise.exceeded)}"
    if noise.exceeded > 0.9995:
        often = "almost certainly"
    elif noise.exceeded == 0:
        often = "with a probability too small for a computer's numbers"
    answers = f"{whole_count(noise.queries)} answer{'s' if noise.queries > 1 else ''}"
    return (
        f"Of {answers} drawn from each noise, both as small as the same privacy allows, the "
        f"largest error is {readable(abs(result.bounded.largest))} Δ for bounded noise, which "
        f"never errs by more than {readable(noise.radius)} Δ, and "
        f"{readable(abs(result.gaussian.largest))} Δ for Gaussian noise, which exceeds that bound "
        f"{often}."
    )


def choice_takeaway(result: NoiseChoice) -> str:
    """State the best p, and what it gains; along k who errs least."""
    if result.wins:
        return _winners(result)
    if result.gain < 0.005:
        said = "No other power p errs noticeably less than p = 2 here"
    else:
        power = f"p = {readable(result.best_power)}"
        said = f"The best power, {power}, errs {_percent(result.gain)} less than p = 2"
    if result.lead < 0.005:
        return f"{said}."
    return f"{said}; tuned noise errs less than any power."


def choice_detail(result: NoiseChoice) -> str:
    """State the best p, what it gains, and what the rivals reach."""
    k, best = whole_count(result.queries), readable(result.best.upper)
    sure = likelihood(result.failure_probability)
    reached = {
        "hard": f"no error can exceed {best} Δ",
        "quantile": f"with probability {sure} {_none(result.queries)} {best} Δ",
        "deviation": f"the standard deviation of one answer is {best} Δ",
    }[result.objective]
    sentence = f"With {best_power(result)}, {reached}, {_percent(result.gain)} less than with p = 2"
    if readable(result.best_power) == "2":
        sentence = f"With p = 2, the best p found, {reached}"
    if result.iterated.upper < result.best.upper:
        sentence += f"; exp(exp(1/(1 − u²))) does better still, {readable(result.iterated.upper)} Δ"
    if result.objective != "hard":
        sentence += f"; Gaussian noise of the same privacy has {readable(result.gaussian)} Δ"
    sentence = f"{sentence}.{_turns(result)}{_tuned(result)}"
    if result.objective == "hard":
        return (
            f"{sentence} As k grows no bounded noise of one fixed shape, drawn afresh for each "
            f"answer, comes below πσ, here {readable(result.floor)} Δ (a limit, not a bound at "
            f"k = {k}; whether shapes that change with k can is open)."
        )
    if result.objective == "deviation":
        sentence += " As k grows no independent noise has less than the Gaussian (Cramér and Rao)."
    return sentence


def _none(queries: float) -> str:
    """Return the beginning of: none of so many errors exceeds a bound."""
    if queries == 1:
        return "the error does not exceed"
    return f"none of {whole_count(queries)} errors exceeds"


def _measure(objective: str, failure_probability: float) -> str:
    """Name what is smallest."""
    return {
        "hard": "the smallest hard bound",
        "quantile": "the smallest bound that holds with probability "
        + likelihood(failure_probability),
        "deviation": "the smallest standard deviation",
    }[objective]


def _winners(result: NoiseChoice) -> str:
    """State from how many answers on which noise errs least."""
    measure = _measure(result.objective, result.failure_probability)
    (_, first), *rest = result.wins
    sentence = f"{first[0].upper()}{first[1:]} has {measure}"
    if not rest:
        return f"{sentence} at every k compared."
    return f"{sentence} for the fewest answers; {_turn(*rest[-1])}."


def _turn(k: float, name: str) -> str:
    return f"from {'about ' if k > 10 else ''}k = {whole_count(k)} on {name}"


def _turns(result: NoiseChoice) -> str:
    """State from how many answers on which noise errs least, where that is drawn."""
    told = "; ".join(_turn(*win) for win in result.wins[1:])
    return f" Least along k: {told}." if told else ""


def _tuned(result: NoiseChoice) -> str:
    """State what tuned noise reaches, and by how much it beats every noise of the paper."""
    if result.tuned is None:
        return ""
    if result.lead < 5e-4:
        return " No tuned noise was found to be better."
    noise = result.tuned.noise
    return (
        f" At k = {whole_count(result.queries)} tuned noise with a = {readable(noise.barrier)}, "
        f"b = {readable(noise.bulk)}, p = {readable(noise.power)} and θ = {readable(noise.cut)} "
        "reaches "
        f"{readable(result.tuned.measure.upper)} Δ: it beats every noise of the paper by "
        f"{_percent(result.lead)}."
    )


def best_power(result: NoiseChoice) -> str:
    """Name the best p found, and whether it is an end of the range."""
    power = readable(result.best_power)
    limit = LIMITS["power"]
    if result.best_power == limit.maximum:
        return f"p = {power}, the largest here"
    if result.best_power == limit.minimum:
        return f"p = {power}, the smallest here"
    return f"the best p found, {power}"


def turned_takeaway(result: TurnedRound) -> str:
    """State what bounded noise needs with certainty, beside Gaussian noise."""
    certain = _said(result, private_end(result, result.certain))
    normal = _said(result, result.gaussian)
    kept = f"To keep every error within {readable(result.target)} Δ"
    return f"{kept}, bounded noise {certain}; Gaussian noise {normal}, and is never certain."


def turned_detail(result: TurnedRound) -> str:
    """State what meets the target: bounded with certainty, bounded and Gaussian with 1 − β."""
    sure, target = likelihood(result.failure_probability), readable(result.target)
    certain, likely, gaussian = (
        _said(result, value)
        for value in (
            private_end(result, result.certain),
            private_end(result, result.likely),
            result.gaussian,
        )
    )
    if result.solve_for == "epsilon":
        errors = (
            f"all of {whole_count(result.queries)} errors" if result.queries > 1 else "the error"
        )
        goal = f"To keep {errors} within {target} Δ"
    else:
        goal = f"At ε = {format_number(result.epsilon)}, with no error above {target} Δ"
    bounded = f"{certain} with certainty and {likely} with probability {sure}"
    if certain == likely:
        bounded = f"{certain}, with certainty or with probability {sure}"
    return (
        f"{goal}, bounded noise {bounded}; "
        f"Gaussian noise, never certain, {gaussian} with probability {sure}."
    )


def losses_takeaway(result: PublishedLosses) -> str:
    """State how much the published bound loses, and in which step most."""
    excess = result.excess(result.published)
    total = f"The published proof asks for {readable(excess, 2)}% more noise than is needed"
    if excess >= 100:
        times = readable(1 + excess / 100, 2)
        total = f"The published proof asks for {times} times the noise that is needed"
    if not result.losses:
        return f"{total}."
    step = max(result.losses, key=lambda name: result.losses[name])
    why = {
        "chernoff": "bounding the chance of a large loss by its moments",
        "split": "the little of δ that it sets aside for extreme noise",
        "published": "bounding every tail by itself before adding them up",
    }[step]
    return f"{total}; most of that goes into {why}."


def losses_detail(result: PublishedLosses) -> str:
    """State the radii after the steps, and what a better choice in the proof would save."""
    k = whole_count(result.queries)
    needed, asked = (readable(r, 4) for r in (result.exact.upper, result.published))
    sentence = f"For k = {k} the least private radius is {needed} Δ, the published one {asked} Δ."
    if result.radii is None:
        return sentence
    radii = result.radii
    save = readable(100 * (1 - radii.chernoff / radii.published), 2)
    return (
        f"{sentence} Integrating the exact tails, and taking the largest shift, loses nothing. The "
        "same proof with one Chernoff bound on δ itself, and "
        f"{readable(100 * radii.share, 2)}% of δ set aside, ends at "
        f"{readable(radii.chernoff, 4)} Δ: {save}% less than published."
    )


def winners_takeaway(result: Winners) -> str:
    """State from how many answers on which noise errs least, at the reader's privacy."""
    measure = _measure(result.objective, result.failure_probability)
    turns = [
        f"from {'about ' if k > 10 else ''}{whole_count(k)} on {result.named(name)}"
        for name, k in _in_turn(result)
    ]
    start = f"For the fewest answers {result.named(result.ranks[0])} has {measure}"
    if not (turns or result.own):
        return f"{start}; whether another overtakes it is not yet known."
    if not turns:
        return f"{start}; no other noise overtakes it up to {result.most:,.0f} answers."
    return f"{start}, {', '.join(turns)}."


def winners_detail(result: Winners) -> str:
    """State who errs least at the reader's own k, and how far the borders move along the axis."""
    symbol = LIMITS[result.along].symbol
    moves = [
        f"{result.named(name)} takes over {_where(*span)}" for name, span in result.spans.items()
    ]
    told = f"{winners_here(result)}. " if result.own else ""
    about = {
        "real": "Noise on whole numbers is for counts: see the control.",
        "whole": "Noise on whole numbers would betray any other answer; for one count no noise on "
        "them keeps to a smaller bound than the truncated geometric law.",
    }[result.answers]
    if not moves:
        return f"{told}All noises are as small as the same privacy allows. {about}"
    count = result.chart.curves[0].x.size
    values = "one value" if count == 1 else f"{count} values"
    between = "" if count == 1 else "; between them lines are drawn straight"
    return (
        f"{told}At the {values} of {symbol} computed so far, {'; '.join(moves)}{between}. All "
        "noises are as small as the same privacy allows. Exact up to k = 10, within a tenth "
        f"above. {about}"
    )


def _where(low: float, high: float) -> str:
    first, last = whole_count(low), whole_count(high)
    return f"at k = {first}" if first == last else f"between k = {first} and {last}"


def winners_here(result: Winners) -> str:
    """State which noise errs least at the reader's own k, and by how much."""
    best, *others = result.ordered
    sentence = f"k = {whole_count(result.queries)}: {result.named(best)}"
    if others and result.lead >= 5e-4:
        return f"{sentence}, {_percent(result.lead)} less than {result.named(others[0])}"
    return f"{sentence} and {result.named(others[0])} alike" if others else sentence


def _in_turn(result: Winners) -> list[tuple[str, float]]:
    """Return the noises that take over, and from which k on; one overtaken at once is left out."""
    found = [(name, k) for name, k in result.here.items() if np.isfinite(k)]
    later = [*(k for _, k in found), math.inf][1:]
    return [(name, k) for (name, k), after in zip(found, later, strict=True) if k < after]


def added(percent: float) -> str:
    """Write what a step adds."""
    return f"+{readable(percent, 3)}%" if percent >= _NOTHING else "nothing"


def private_end(result: TurnedRound, answer: Bracket | None) -> float:
    """Return the end of the bracket that is certified to be private, NaN for None."""
    if answer is None:
        return float("nan")
    return answer.upper if result.solve_for == "epsilon" else answer.lower


def _said(result: TurnedRound, value: float) -> str:
    limit = LIMITS[result.solve_for]
    if result.solve_for == "epsilon":
        if np.isnan(value):
            return f"needs more than ε = {format_number(limit.maximum)}"
        if value == result.best:
            return f"needs at most ε = {readable(value)}"
        return f"needs ε = {answer(result, value)}"
    if np.isnan(value):
        return "answers not even one query"
    if value == result.best:
        return f"answers at least {readable(value)} queries"
    return f"answers {answer(result, value)} quer{'y' if value == 1 else 'ies'}"


def answer(result: TurnedRound, value: float) -> str:
    """Write an answer as its kind is read."""
    return readable(value) if result.solve_for == "epsilon" else whole_count(value)


def whole_count(count: float) -> str:
    """Return a count to the last digit where people can read that."""
    return f"{count:,.0f}" if count <= 1e6 else readable(count)


def likelihood(failure_probability: float) -> str:
    """Write 1 − β in as many digits as β needs."""
    return f"{1 - failure_probability:.12g}"


def _percent(part: float) -> str:
    return f"{readable(100 * part, 2)}%"
