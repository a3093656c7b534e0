"""What the views of the page say in a sentence, and what a reader may predict about them."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.text import power_of_ten, readable
from dpviz.results.evidence import Mark
from dpviz.results.parameters import format_number
from dpviz.topics.promise.calibrating import NOISES
from dpviz.topics.promise.views.again import AgainAndAgain
from dpviz.topics.promise.views.attackers import EveryAttacker
from dpviz.topics.promise.views.odds import Odds
from dpviz.topics.promise.views.rows import ManyRows


def share(part: float) -> str:
    """Return a probability as a percentage, or as one in so many where that is small."""
    if part >= 0.01:
        return f"{readable(100 * part)}%"
    return f"1 in {readable(1 / part)}" if part > 0 else "none"


def one_in(part: float) -> str:
    """Return a suspicion as people say it."""
    if part >= 0.9995:
        return "certainty"
    return f"1 in {readable(1 / part)}" if part < 0.5 else f"{readable(100 * part)}%"


# ---- every attacker ------------------------------------------------------------------------


def attackers_takeaway(result: EveryAttacker) -> str:
    """State what the best attacker reaches, or how δ falls as ε grows."""
    if result.side == "profile":
        return _profile_takeaway(result)
    waits = f"waits for answers {readable(result.ratio)} times likelier with you than without"
    if result.ratio < 1:
        waits = (
            f"accuses unless answers are {readable(1 / result.ratio)} times likelier without you"
        )
    found = (
        f"An attacker who {waits} finds {share(result.hits[1])} of those in the data, and accuses "
        f"{share(result.false_alarms)} of the innocent"
    )
    if result.side == "careful":
        return f"{found}; the promise alone would allow {share(result.promised)}."
    return (
        "If half of the people asked about are in the data, the best attacker is right about who "
        f"is {readable(100 * result.correct, 4)}% of the time; blind guessing gets 50%. {found}."
    )


def _profile_takeaway(result: EveryAttacker) -> str:
    curve = result.chart.curve("delta")
    half, twice = (
        float(curve.y[np.argmin(np.abs(curve.x - factor * result.epsilon))]) for factor in (0.5, 2)
    )
    said = (
        f"The same noise keeps many promises: δ = {readable(result.delta)} at "
        f"ε = {readable(result.epsilon)}, and δ = {readable(half)} at half that ε"
    )
    said += (
        f", δ = {readable(twice)} at twice." if twice > 0 else "; at twice that ε, next to none."
    )
    if math.isfinite(result.log_floor):
        said += f" But no ε whatever brings δ below {log_number(result.log_floor)}."
    return said


def log_number(log_value: float) -> str:
    """Return e^log_value in words, also where it underflows."""
    if log_value > -600:
        return readable(math.exp(log_value))
    return f"about {power_of_ten(math.floor(log_value / math.log(10)))}"


def attackers_notes(result: EveryAttacker) -> tuple[str, ...]:
    """Tell why there is or is not a Gaussian curve beside the mechanism's own."""
    if result.mechanism == "bounded":
        return (
            "No Gaussian curve bounds the attackers of bounded noise, however large its μ: an "
            "answer near the end of the noise's range is possible in one world and not in the "
            f"other, with probability {log_number(result.log_floor)} in all. Gaussian noise rules "
            "nothing out.",
        )
    mu = readable(result.gaussian_mu)
    if result.mechanism == "gaussian":
        return (f"This is Gaussian differential privacy itself, with μ = {mu}.",)
    return (
        f"Gaussian DP: whoever tells N(0, 1) from N(μ, 1) with μ = {mu} does at least as well as "
        "any attacker here.",
    )


def attackers_hidden(result: EveryAttacker) -> EveryAttacker:
    """Return the result before the answer: blind guessing alone."""
    kept = tuple(c for c in result.chart.curves if c.key == "blind")
    return replace(result, chart=replace(result.chart, curves=kept, marks=()))


def attackers_answer(result: EveryAttacker) -> str:
    """Return how often the best attacker is right."""
    return f"{readable(100 * result.correct)}%"


def attackers_marked(result: EveryAttacker, percent: float) -> EveryAttacker:
    """Return the result with the guess as a point: as many misses as false alarms."""
    wrong = 1 - percent / 100
    mark = Mark(wrong, wrong, "your prediction")
    return replace(result, chart=replace(result.chart, marks=(*result.chart.marks, mark)))


# ---- odds ----------------------------------------------------------------------------------


def odds_takeaway(result: Odds) -> str:
    """State what a suspicion becomes, and what is not bounded."""
    pure = (
        f"A suspicion of {one_in(result.prior)} becomes {_at_most(result.pure)} if "
        f"ε = {readable(result.epsilon)} is promised without exception (δ = 0)."
    )
    if math.isinf(result.largest_loss):
        limit = f"{_capital(NOISES[result.mechanism])} has no such limit for every answer"
    else:
        limit = f"With {NOISES[result.mechanism]} here no answer makes it more than "
        limit += one_in(result.worst)
    return (
        f"{pure} {limit}; an attacker who finds {share(result.hit_rate)} of those in the data is "
        f"right {readable(100 * result.accused[1])} times in 100 accusations, at best."
    )


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _at_most(part: float) -> str:
    return f"at most {one_in(part)}" if part < 0.9995 else "near certainty"


def odds_notes(result: Odds) -> tuple[str, ...]:
    """Tell what the numbers mean, and what is not bounded."""
    allowed = readable(100 * result.promised)
    return (
        "“Accused” are those whom the best attacker accuses, who knows everything but whether you "
        f"are in. The promise (ε, δ) alone would let {allowed} in 100 of them be in the data.",
        "With δ > 0 nothing is promised about a single answer: with probability δ it may give you "
        "away. What is bounded is how often accusations are right, at a given share of hits.",
    )


def odds_hidden(result: Odds) -> Odds:
    """Return the result before the answer: the suspicion before."""
    return replace(result, pure=math.nan)


def odds_marked(result: Odds, people: float) -> Odds:
    """Return the result with the reader's guess, of a hundred accused."""
    return replace(result, guess=people)


def odds_answer(result: Odds) -> str:
    """Return how many of a hundred accused are in the data."""
    return f"{readable(100 * result.accused[1])}"


# ---- again and again -----------------------------------------------------------------------


def again_takeaway(result: AgainAndAgain) -> str:
    """State the exact ε of all answers, and what theorems lose."""
    k, delta = f"{result.queries:,}", readable(result.delta)
    answers = f"{k} answer{'s' if result.queries > 1 else ''}"
    each = f"{answers} of ε = {readable(result.answer_epsilon)} each"
    true = result.exact.upper
    if math.isinf(true):
        return f"{each} have no ε at all with δ = {delta}: sometimes an answer gives you away."
    if true == 0:
        return f"{each} have δ = {delta} even at ε = 0: next to nothing is learned."
    sentence = f"{each} have ε = {readable(true)} together (at δ = {delta})"
    if result.queries == 1:
        return f"{sentence}."
    basic = result.others["basic"]
    if math.isinf(basic):
        return f"{sentence}; adding up promises nothing, as each answer has too small a share of δ."
    sentence += f"; adding up says {readable(basic)}, {_times(basic / true)}"
    others = {key: e for key, e in result.others.items() if key in _THEOREMS}
    best = min(others, key=lambda key: others[key])
    if others[best] >= basic:
        return f"{sentence}, and no theorem here says less."
    return f"{sentence}. {_THEOREMS[best]} says {readable(others[best])}."


_THEOREMS = {"advanced": "Advanced composition", "zcdp": "Concentrated privacy"}


def _times(factor: float) -> str:
    return f"{readable(factor)} times as much" if factor > 1.005 else "which is the truth"


def again_notes(result: AgainAndAgain) -> tuple[str, ...]:
    """Tell what each theorem knows, and by which factor it is off."""
    true = result.exact.upper
    factors = ", ".join(
        f"{words} {readable(result.others[key] / true)}"
        for key, words in (
            ("basic", "adding up"),
            ("advanced", "advanced composition"),
            ("zcdp", "zCDP"),
            ("optimal", "the best from ε₀ alone"),
        )
        if 0 < true < math.inf and math.isfinite(result.others.get(key, math.inf))
    )
    notes = [f"Times the exact ε: {factors}."] if factors else []
    if result.mechanism == "bounded":
        notes.append("Bounded noise has no zCDP: its privacy loss can be infinite.")
    if result.mechanism in ("gaussian", "bounded"):
        notes.append("Adding up splits δ: each of the k answers gets its share, and a larger ε.")
    return tuple(notes)


def again_hidden(result: AgainAndAgain) -> AgainAndAgain:
    """Return the result before the answer: what adding up says, alone."""
    kept = tuple(c for c in result.chart.curves if c.key == "basic")
    return replace(result, chart=replace(result.chart, curves=kept, marks=()))


def again_answer(result: AgainAndAgain) -> str:
    """Return the exact ε."""
    true = result.exact.upper
    return f"ε = {readable(true)}" if math.isfinite(true) else "no ε at all"


def again_marked(result: AgainAndAgain, epsilon: float) -> AgainAndAgain:
    """Return the result with the guess at the reader's k."""
    mark = Mark(float(result.queries), epsilon, "your prediction")
    return replace(result, chart=replace(result.chart, marks=(*result.chart.marks, mark)))


# ---- many rows -----------------------------------------------------------------------------


def rows_takeaway(result: ManyRows) -> str:
    """State the ε of a person with m rows, and the two ways to think of it."""
    m, made = f"{result.rows:,}", f"ε = {format_number(result.epsilon)} for one row"
    noise = f"{_capital(NOISES[result.mechanism])} made to promise {made}"
    if result.rows == 1:
        return f"{noise} keeps that promise to you if one row is all you gave."
    true = result.exact.upper
    if math.isinf(true):
        return f"{noise} promises nothing at this δ to you who gave {m}: an answer may show you."
    held = f"leaves you, who gave {m}, with ε = {readable(true)}"
    door = "Made for people, the noise is m times as large; the pages on users do better."
    if result.mechanism == "response":
        door = "Made for people, each of your bits gets an m-th of the ε."
    return f"{noise} {held}. {door}"


def rows_notes(result: ManyRows) -> tuple[str, ...]:
    """Tell what group privacy promises, and what randomised response means here."""
    known = readable(result.group_delta)
    group = f"Group privacy promises mε = {readable(result.rows * result.epsilon)} with δ = {known}"
    empty = ": nothing at all." if result.group_delta >= 1 else "; the solid curve keeps δ."
    notes = [group + empty]
    if result.mechanism == "response":
        notes.append("Randomised response: each of the m rows is a bit of its own, asked k times.")
    return tuple(notes)
