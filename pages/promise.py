"""What ε and δ promise: a game, every attacker, odds, many answers, many rows."""

from collections.abc import Mapping

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Prediction, Preset, Promise, Rounds, Sketch, View
from dpviz.topics.promise import figures, words
from dpviz.topics.promise.calibrating import MECHANISMS
from dpviz.topics.promise.guessing import INSIDE, OUTSIDE, ROUNDS
from dpviz.topics.promise.views.again import MOST_ANSWERS, again_and_again
from dpviz.topics.promise.views.attackers import SIDES, every_attacker
from dpviz.topics.promise.views.odds import odds
from dpviz.topics.promise.views.play import play_the_attacker
from dpviz.topics.promise.views.rows import MOST_ROWS, many_rows
from dpviz.ui.frame import render

_TOGETHER = ("attackers", "odds", "rows")  # views of k answers of one budget


def without_effect(values: Mapping[str, Value]) -> set[str]:
    """Name the parameters that have no effect in this state."""
    idle = {
        "power": values["mechanism"] != "bounded",
        "false_alarms": values["view"] == "attackers" and values["side"] == "profile",
        # k Gaussian answers that are (ε, δ)-DP together give away what one does.
        "queries": values["mechanism"] == "gaussian" and values["view"] in _TOGETHER,
    }
    return {name for name, unused in idle.items() if unused}


_RELEASE = ("mechanism", "epsilon", "delta", "queries", "power")
_RIGHT = Limit("guess", "%", "how often the best attacker is right", 50, 100, 75, log=False, step=1)
_ACCUSED = Limit("guess", "of 100", "accused who are in the data", 1, 100, 50, log=False, step=1)
_TOTAL = Limit("guess", "ε", "of all answers together", 0.01, 1e4, 1)


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what the noise promises, but where the view is about odds itself."""
    if values["view"] == "odds":
        return None
    return Promise("one row of yours" if values["view"] == "rows" else "you")


PAGE = Page(
    slug="promise",
    parameters=(
        Choice("mechanism", "Noise", MECHANISMS, "gaussian"),
        Choice("side", "Look at", SIDES, "all"),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1)),
        Number(LIMITS["answer_epsilon"]),
        Number(LIMITS["delta"].narrowed(minimum=1e-12, maximum=0.1, default=1e-6)),
        Number(LIMITS["queries"].narrowed(maximum=MOST_ANSWERS, default=100)),
        Number(LIMITS["examples_per_user"].narrowed(maximum=MOST_ROWS, default=10)),
        Number(LIMITS["false_alarms"]),
        Number(LIMITS["prior"]),
        Number(LIMITS["hit_rate"]),
        Number(LIMITS["power"]),
        Seed(),
    ),
    views=(
        View(
            key="play",
            title="Play the attacker",
            compute=play_the_attacker,
            figure=figures.play_figure,
            takeaway=words.play_takeaway,
            parameters=("mechanism", "epsilon", "delta", "power", "seed"),
            folded=("power",),
            essential=("mechanism", "epsilon", "seed"),
            idle=without_effect,
            notes=words.play_notes,
            prediction=Prediction(
                question="A coin decides whether you are in the data. How often will the best "
                "attacker be right, in percent?",
                guess=Number(_RIGHT),
                hide=words.play_hidden,
                answer=words.play_answer,
                value=lambda result: 100 * result.correct,
                mark=words.play_marked,
            ),
            rounds=Rounds(
                keyword="guesses",
                count=ROUNDS,
                answers={OUTSIDE: "Without you", INSIDE: "With you"},
                again="seed",
            ),
        ),
        View(
            key="attackers",
            title="Every attacker",
            compute=every_attacker,
            figure=figures.attackers_figure,
            takeaway=words.attackers_takeaway,
            detail=words.attackers_detail,
            parameters=("side", *_RELEASE, "false_alarms"),
            folded=("power",),
            essential=("mechanism", "epsilon", "delta", "false_alarms"),
            idle=without_effect,
            notes=words.attackers_notes,
            prediction=Prediction(
                question="Half of the people asked about are in the data. How often is the best "
                "attacker right, in percent?",
                applies=lambda values: values["side"] == "all",
                guess=Number(_RIGHT),
                hide=words.attackers_hidden,
                answer=words.attackers_answer,
                value=lambda result: 100 * result.correct,
                mark=words.attackers_marked,
            ),
            sketch=Sketch(
                question="The best attacker may be cautious or bold. Draw how many "
                "they miss at each share of false alarms.",
                curve="best",
                applies=lambda values: values["side"] == "all",
            ),
        ),
        View(
            key="odds",
            title="Odds",
            compute=odds,
            figure=figures.odds_figure,
            takeaway=words.odds_takeaway,
            detail=words.odds_detail,
            parameters=("prior", *_RELEASE, "hit_rate"),
            folded=("power",),
            essential=("prior", "mechanism", "epsilon", "hit_rate"),
            idle=without_effect,
            notes=words.odds_notes,
            prediction=Prediction(
                question="Of a hundred people whom the best attacker accuses, how many are in the "
                "data?",
                guess=Number(_ACCUSED),
                hide=words.odds_hidden,
                answer=words.odds_answer,
                value=lambda result: 100 * result.accused[1],
                mark=words.odds_marked,
            ),
        ),
        View(
            key="again",
            title="Again and again",
            compute=again_and_again,
            figure=lambda result, theme: draw(result.chart, theme),
            takeaway=words.again_takeaway,
            detail=words.again_detail,
            parameters=("mechanism", "answer_epsilon", "delta", "queries", "power"),
            folded=("power",),
            idle=without_effect,
            notes=words.again_notes,
            prediction=Prediction(
                question="Each answer has the ε₀ shown. What is the ε of all k answers together?",
                guess=Number(_TOTAL),
                hide=words.again_hidden,
                answer=words.again_answer,
                value=lambda result: result.exact.upper,
                mark=words.again_marked,
            ),
            sketch=Sketch(
                question="Draw how the ε of all answers together grows with their number.",
                curve="exact",
            ),
        ),
        View(
            key="rows",
            title="Many rows",
            compute=many_rows,
            figure=lambda result, theme: draw(result.chart, theme),
            takeaway=words.rows_takeaway,
            detail=words.rows_detail,
            parameters=(*_RELEASE, "examples_per_user"),
            folded=("power",),
            essential=("mechanism", "epsilon", "delta", "examples_per_user"),
            idle=without_effect,
            notes=words.rows_notes,
        ),
    ),
    presets=(
        Preset("A strong promise: ε = 0.1", {"epsilon": 0.1}),
        Preset("A weak one: ε = 10", {"epsilon": 10.0}),
        Preset("Every attacker", {"view": "attackers"}),
        Preset(
            "What δ allows",
            {
                "view": "attackers",
                "mechanism": "bounded",
                "side": "profile",
                "epsilon": 8.0,
                "delta": 0.05,
                "power": 0.5,
            },
        ),
        Preset("Your odds", {"view": "odds", "mechanism": "laplace", "queries": 1}),
        Preset("After 100 answers", {"view": "again", "queries": 100}),
        Preset("Ten rows of yours", {"view": "rows", "examples_per_user": 10}),
    ),
    promise=promise,
)

if __name__ == "__main__":
    render(PAGE)
