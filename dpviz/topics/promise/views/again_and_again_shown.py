"""Again and again: the ε of many answers, by each theorem and in truth."""

import math
from dataclasses import replace

from dpviz.plot.panels import Charted, stacked
from dpviz.plot.spec import Figure
from dpviz.plot.text import readable, upwards
from dpviz.plot.theme import Theme
from dpviz.results.ends import rounded_up
from dpviz.results.evidence import Landmark
from dpviz.results.parameters import Limit
from dpviz.scene.codec import Number
from dpviz.scene.view import Prediction, Sketch, View
from dpviz.topics.promise.calibrating import UNLIMITED
from dpviz.topics.promise.releases_shown import idle_controls
from dpviz.topics.promise.views.again_and_again import AgainAndAgain, again_and_again

_SAME = 1.005  # times the exact ε, up to which adding up is the truth
_TOTAL = Limit("guess", "ε", "of all answers together", 0.01, 1e4, 1, fine=True)


def takeaway(result: AgainAndAgain) -> str:
    """State the exact ε of all answers, beside adding up."""
    answers, true = f"{result.queries:,} answers", result.exact.upper
    if result.queries == 1:
        kept = "its own ε" if _keeps(result) else f"ε = {upwards(true)} at this δ"
        return f"One answer keeps {kept}; ask more, and see what becomes of it."
    if math.isinf(true):
        return f"{answers} have no ε at all: sometimes an answer gives you away."
    if true == 0:
        return (
            f"{answers} keep δ = {readable(result.delta)} even at ε = 0: you change the "
            "probability of any set of answers by at most that."
        )
    cost = f"{answers} cost ε = {upwards(true)} and a small δ together"
    basic, said = result.others["basic"], readable(result.others["basic"])
    if math.isinf(basic):
        return f"{cost}; adding up promises nothing, as each answer has too small a share."
    if said == upwards(true) or basic / true <= _SAME:
        return f"{cost}, as much as they add up to."
    less = "less than" if said == f"{result.queries:,}" else f"not the {said}"
    return f"{cost}, {less} they add up to."


def detail(result: AgainAndAgain) -> str:
    """State the ε of each answer, of all, and what adding up says of it."""
    each, delta = readable(result.answer_epsilon), readable(result.delta)
    true, basic = result.exact.upper, result.others["basic"]
    if result.queries == 1:
        single = f"The answer has ε = {each}"
        return f"{single}." if _keeps(result) else f"{single}; with δ = {delta}, {upwards(true)}."
    opening = f"Each answer has ε = {each}"
    if math.isinf(true):
        return f"{opening}; together there is no ε with δ = {delta}."
    sentence = f"{opening}; all together have ε = {upwards(true)} with δ = {delta}"
    if math.isinf(basic):
        return f"{sentence}."
    said = f"{sentence}. Adding up says {readable(basic)}"
    if result.mechanism not in UNLIMITED:
        return f"{said}."
    return (
        f"{said}, since with only its share of δ each answer has ε = "
        f"{readable(basic / result.queries)}."
    )


def _keeps(result: AgainAndAgain) -> bool:
    """Return whether one answer has the ε it was made for: pure noise has less where δ > 0."""
    return readable(result.exact.upper) == readable(result.answer_epsilon)


def in_a_shell(result: AgainAndAgain) -> str:
    """Say which command computes the same, and what else may go with these answers."""
    command = f"dpviz compose {result.noise} --delta {result.delta!r}"
    return f"In a shell, where answers of other kinds may stand beside these: `{command}`"


def notes(result: AgainAndAgain) -> tuple[str, ...]:
    """Tell what each theorem knows, and by which factor it is off."""
    true = result.exact.upper
    factors = ", ".join(
        f"{theorem} {readable(result.others[key] / true)}"
        for key, theorem in (
            ("basic", "adding up"),
            ("advanced", "advanced composition"),
            ("zcdp", "zCDP"),
            ("optimal", "the best from ε₀ alone"),
        )
        if 0 < true < math.inf and math.isfinite(result.others.get(key, math.inf))
    )
    said = [f"In multiples of the exact ε: {factors}."] if factors else []
    if result.mechanism == "bounded":
        said.append("Bounded noise has no zCDP: its privacy loss can be infinite.")
    if result.mechanism in UNLIMITED:
        said.append(
            "Adding up splits δ: each of the k answers gets a share of it, and with "
            "that a larger ε."
        )
    return tuple(said)


def figure(result: AgainAndAgain, theme: Theme) -> Figure:
    """Draw it; the axis says at which δ, whose control is not in sight."""
    y = replace(result.y, label=f"{result.y.label}, at δ = {readable(result.delta)}")
    seen = Charted(replace(result, y=y), earlier=lambda before: replace(before, y=y))
    return stacked(theme, seen)


def hidden(result: AgainAndAgain) -> AgainAndAgain:
    """Return the result before the answer: its axes alone, as adding up is a guess, too."""
    return replace(result, curves=(), landmarks=(), in_headline=())


def marked(result: AgainAndAgain, epsilon: float) -> AgainAndAgain:
    """Return the result with the guess at the reader's k."""
    mark = Landmark(float(result.queries), epsilon, "your prediction")
    return replace(result, landmarks=(*result.landmarks, mark))


def answer(result: AgainAndAgain) -> str:
    """Return the exact ε."""
    true = result.exact.upper
    return f"ε = {upwards(true)}" if math.isfinite(true) else "no ε at all"


VIEW = View(
    key="again",
    title="Again and again",
    compute=again_and_again,
    figure=figure,
    takeaway=takeaway,
    detail=detail,
    parameters=("mechanism", "answer_epsilon", "delta", "queries", "power"),
    in_sight=("queries", "answer_epsilon", "mechanism"),
    defaults={"mechanism": "laplace"},
    pulled={"queries": "# answers"},
    why="Each answer tells a little, and an attacker puts all of them together. Adding up the ε of "
    "the answers assumes that every one points the same way. Most do not: some speak for you and "
    "some against, and much of it cancels.",
    idle=idle_controls,
    notes=notes,
    sources=in_a_shell,
    prediction=Prediction(
        question="Each answer has the same ε. What is the ε of all k answers together, apart "
        "from a small δ?",
        guess=Number(_TOTAL),
        hide=hidden,
        answer=answer,
        value=lambda result: rounded_up(result.exact.upper),
        mark=marked,
    ),
    sketch=Sketch(
        question="Draw how the ε of all answers together grows with their number.",
        curve="exact",
    ),
)
