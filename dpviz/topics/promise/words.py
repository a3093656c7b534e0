"""What the views of the page say in a sentence, and what a reader may predict about them."""

import math
from dataclasses import replace

import numpy as np

from dpviz.plot.text import CERTAIN, one_in, power_of_ten, readable
from dpviz.results.evidence import Mark
from dpviz.topics.promise.calibrating import NOISES
from dpviz.topics.promise.guessing import ROUNDS
from dpviz.topics.promise.views.again import AgainAndAgain
from dpviz.topics.promise.views.attackers import EveryAttacker
from dpviz.topics.promise.views.odds import Odds
from dpviz.topics.promise.views.play import PlayedRounds
from dpviz.topics.promise.views.rows import ManyRows

_SPLIT = ("gaussian", "bounded")  # noise whose δ is shared out among answers where ε is added up


def share(part: float) -> str:
    """Return a probability as a percentage, or as one in so many where that is small."""
    if part >= 0.01:
        return f"{readable(100 * part)}%"
    return f"1 in {readable(1 / part)}" if part > 0 else "none"


# ---- play the attacker ---------------------------------------------------------------------


def play_takeaway(result: PlayedRounds) -> str:
    """Tell what there is to guess, how the last round ended, and at last how the game did."""
    played, right = result.inside.size, result.score.right
    if result.over:
        return (
            f"You were right in {right} of {ROUNDS} rounds. The best attacker is right "
            f"{readable(100 * result.correct)}% of the time in the long run; a coin, half of it."
        )
    asks = f"Round {played + 1} of {ROUNDS}: was this published with you or without you?"
    if played:
        world = "with you" if result.inside[-1] else "without you"
        said = "right" if result.inside[-1] == result.guessed[-1] else "wrong"
        return f"{_capital(said)}: that was {world}. {right} of {played} so far. {asks}"
    if result.mechanism == "response":
        told = "A bit says whether you are in the data, unless a coin has flipped it."
    else:
        told = (
            f"Of all others {readable(result.counts[0])} are counted, with you one more, and "
            f"{NOISES[result.mechanism]} is added."
        )
    return f"{told} {asks}"


def play_notes(result: PlayedRounds) -> tuple[str, ...]:
    """Tell what the figure shows, and how much twenty rounds say."""
    if not result.over:
        return (
            "A fair coin decides in every round whether you are in the data. The curves are how "
            "likely each answer is, with you and without you: the higher one is the better guess.",
            "The link holds the seed: the same answers come again. Your guesses stay in this "
            "session.",
        )
    earned = result.score
    return (
        f"Of {earned.present} answers with you, you said so of {earned.hits}; of {earned.absent} "
        f"without you, you accused {earned.alarms} wrongly. The best attacker would have been "
        f"right in {result.best_right} of these {ROUNDS} rounds: luck goes both ways.",
        "The cross reaches as far as the 95% intervals of Clopper and Pearson, for somebody who "
        f"decides by the same rule in every round. {ROUNDS} rounds leave much open.",
    )


def play_hidden(result: PlayedRounds) -> PlayedRounds:
    """Return the result before the answer: one world alone, and blind guessing."""
    worlds = replace(result.worlds, curves=result.worlds.curves[:1])
    test = result.test
    if test is not None:
        test = replace(test, curves=tuple(c for c in test.curves if c.key == "blind"))
    return replace(result, worlds=worlds, test=test)


def play_marked(result: PlayedRounds, percent: float) -> PlayedRounds:
    """Return the result with how often the reader thinks the best attacker is right."""
    return replace(result, guess=percent)


def play_answer(result: PlayedRounds) -> str:
    """Return how often the best attacker is right."""
    return f"{readable(100 * result.correct)}%"


# ---- every attacker ------------------------------------------------------------------------


def attackers_takeaway(result: EveryAttacker) -> str:
    """State what the chosen attacker reaches, or how δ falls as ε grows."""
    if result.side == "profile":
        return _profile_takeaway(result)
    return (
        f"An attacker who accuses {share(result.false_alarms)} of the innocent finds at most "
        f"{share(result.hits[1])} of those in the data."
    )


def attackers_detail(result: EveryAttacker) -> str:
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
        f"attacker is right {readable(100 * result.correct, 4)}% of the time; a coin, 50%."
    )


def _profile_takeaway(result: EveryAttacker) -> str:
    curve = result.chart.curve("delta")
    half = float(curve.y[np.argmin(np.abs(curve.x - result.epsilon / 2))])
    said = (
        f"The same noise keeps many promises: δ = {readable(result.delta)} at "
        f"ε = {readable(result.epsilon)}"
    )
    if math.isfinite(result.log_floor):
        return f"{said}. But no ε whatever brings δ below {log_number(result.log_floor)}."
    return f"{said}, and δ = {readable(half)} at half that ε."


def log_number(log_value: float) -> str:
    """Return e^log_value in words, also where it underflows."""
    if log_value > -600:
        return readable(math.exp(log_value))
    return f"about {power_of_ten(math.floor(log_value / math.log(10)))}"


def attackers_notes(result: EveryAttacker) -> tuple[str, ...]:
    """Tell how good the best attackers are, and what Gaussian curve is beside them, or why not."""
    best = () if result.side == "profile" else _best(result)
    return best + _gaussian_note(result)


def _best(result: EveryAttacker) -> tuple[str, ...]:
    return (
        "If half of the people asked about are in the data, the best attacker tells rightly who "
        f"is {readable(100 * result.correct, 4)}% of the time; blind guessing gets 50%. With "
        f"{share(result.false_alarms)} of false alarms the promise (ε, δ) alone would allow "
        f"{share(result.promised)} of hits.",
    )


def _gaussian_note(result: EveryAttacker) -> tuple[str, ...]:
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
    """State what a suspicion becomes, or where that has no limit, how often accusers are right."""
    if math.isfinite(result.largest_loss):
        noise, after = _capital(NOISES[result.mechanism]), "near certainty"
        if result.worst < CERTAIN:
            after = f"at most {_people(result.worst)}%"
        before = f"{_people(result.prior)}%"
        return f"{noise} lets a suspicion of {before} become {after}, whatever is answered."
    found, blind = _people(result.accused[1]), _people(result.prior)
    accused = f"Of a hundred people whom the best attacker accuses, {found} are in the data"
    if found == blind:
        return f"{accused}, as of a hundred picked blindly."
    return f"{accused}; of a hundred picked blindly, {blind}."


def odds_detail(result: Odds) -> str:
    """State what an attacker does, and whether a single answer may give somebody away."""
    found = (
        f"An attacker who finds {share(result.hit_rate)} of those in the data is right in "
        f"{share(result.accused[1])} of all accusations, at best; somebody who accuses blindly, in "
        f"{share(result.prior)}."
    )
    if math.isfinite(result.largest_loss):
        return found
    return (
        f"{found} {_capital(NOISES[result.mechanism])} sets no limit to what a suspicion of "
        f"{one_in(result.prior)} may become after an unlucky answer."
    )


def _people(part: float) -> str:
    """Return of a hundred people how many."""
    return readable(100 * part)


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _at_most(part: float) -> str:
    return f"at most {one_in(part)}" if part < CERTAIN else "near certainty"


def odds_notes(result: Odds) -> tuple[str, ...]:
    """Tell what the numbers mean, and what is not bounded."""
    return (
        "“Accused” are those whom the best attacker accuses, who knows everything but whether you "
        f"are in, and finds {share(result.hit_rate)} of those in the data. Of the accused "
        f"{share(result.accused[1])} are in the data; the promise (ε, δ) alone would let it be "
        f"{share(result.promised)}.",
        f"A pure promise, ε = {readable(result.epsilon)} with δ = 0, makes of a suspicion of "
        f"{one_in(result.prior)} {_at_most(result.pure)}, whatever is answered.",
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
    return _people(result.accused[1])


# ---- again and again -----------------------------------------------------------------------


def again_takeaway(result: AgainAndAgain) -> str:
    """State the exact ε of all answers, beside adding up."""
    answers, true = f"{result.queries:,} such answers", result.exact.upper
    if result.queries == 1:
        kept = "its own ε" if _keeps(result) else f"ε = {readable(true)} at this δ"
        return f"One answer keeps {kept}; ask more, and see what becomes of it."
    if math.isinf(true):
        return f"{answers} have no ε at all: sometimes an answer gives you away."
    if true == 0:
        return f"From {answers} next to nothing is learned: they keep δ even at ε = 0."
    sentence = f"{answers} have ε = {readable(true)} together"
    basic = result.others["basic"]
    if math.isinf(basic):
        return f"{sentence}; adding up promises nothing, as each answer has too small a share of δ."
    return f"{sentence}; adding up says {_times(basic / true)}."


def again_detail(result: AgainAndAgain) -> str:
    """State the ε of each answer, of all, and what adding up says of it."""
    each, delta = readable(result.answer_epsilon), readable(result.delta)
    true, basic = result.exact.upper, result.others["basic"]
    if result.queries == 1:
        single = f"The answer has ε = {each}"
        return f"{single}." if _keeps(result) else f"{single}; with δ = {delta}, {readable(true)}."
    opening = f"Each answer has ε = {each}"
    if math.isinf(true):
        return f"{opening}; together there is no ε with δ = {delta}."
    sentence = f"{opening}; all together have ε = {readable(true)} with δ = {delta}"
    if math.isinf(basic):
        return f"{sentence}."
    said = f"{sentence}. Adding up says {readable(basic)}"
    if result.mechanism not in _SPLIT:
        return f"{said}."
    return (
        f"{said}: with its share of δ alone an answer has ε = {readable(basic / result.queries)}."
    )


def _keeps(result: AgainAndAgain) -> bool:
    """Return whether one answer has the ε it was made for: pure noise has less where δ > 0."""
    return readable(result.exact.upper) == readable(result.answer_epsilon)


def _times(factor: float) -> str:
    return f"{readable(factor)} times as much" if factor > 1.005 else "the same, which is the truth"


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
    if result.mechanism in _SPLIT:
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
    m, made = f"{result.rows:,}", f"ε = {readable(result.epsilon)} for one row"
    noise = f"{_capital(NOISES[result.mechanism])} made to promise {made}"
    if result.rows == 1:
        return f"{noise} keeps that promise to you if one row is all you gave."
    true = result.exact.upper
    if math.isinf(true):
        return f"{noise} promises nothing at this δ to you who gave {m}: an answer may show you."
    return f"{noise} leaves you, who gave {m}, with ε = {readable(true)}."


def rows_detail(result: ManyRows) -> str:
    """State at which δ that is, and what protects people instead of rows."""
    whose = "1 row" if result.rows == 1 else f"{result.rows:,} rows"
    exact = f"At δ = {readable(result.delta)} the ε of {whose} is "
    true = result.exact.upper
    exact += "infinite." if math.isinf(true) else f"{readable(true)}, exactly."
    if result.rows == 1:
        return exact
    door = "Made for people, the noise is m times as large; the pages on users do better."
    if result.mechanism == "response":
        door = "Made for people, each of your bits gets an m-th of the ε."
    return f"{exact} {door}"


def rows_notes(result: ManyRows) -> tuple[str, ...]:
    """Tell what group privacy promises, and what randomised response means here."""
    known = readable(result.group_delta)
    group = f"Group privacy promises mε = {readable(result.rows * result.epsilon)} with δ = {known}"
    empty = ": nothing at all." if result.group_delta >= 1 else "; the solid curve keeps δ."
    notes = [group + empty]
    if result.mechanism == "response":
        notes.append("Randomised response: each of the m rows is a bit of its own, asked k times.")
    return tuple(notes)
