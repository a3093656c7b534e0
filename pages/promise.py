"""What ε and δ promise: a game, every attacker, odds, many answers, many rows."""

from collections.abc import Mapping

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import EPSILON_SAYS, LIMITS
from dpviz.scene.codec import Choice, Number, Seed, Value
from dpviz.scene.page import Page, Preset, Promise
from dpviz.topics.promise.calibrating import MECHANISMS, largest_loss
from dpviz.topics.promise.exercises import EXERCISES
from dpviz.topics.promise.views import (
    again_and_again_shown,
    every_attacker_shown,
    many_rows_shown,
    odds_after_answers_shown,
    play_the_attacker_shown,
)
from dpviz.topics.promise.views.again_and_again import MOST_ANSWERS
from dpviz.topics.promise.views.every_attacker import SIDES
from dpviz.topics.promise.views.many_rows import MOST_ROWS


def promise(values: Mapping[str, Value]) -> Promise | None:
    """Say in odds what the noise promises, but where the view is about odds itself, or ε₀."""
    view = values["view"]
    if view in ("odds", "again"):
        return None
    loss = largest_loss(
        str(values["mechanism"]),
        epsilon=float(values["epsilon"]),
        delta=float(values["delta"]),
        queries=1 if view == "play" else int(values["queries"]),
    )
    return Promise("one row of yours" if view == "rows" else "you", largest_loss=loss)


PAGE = Page(
    slug="promise",
    parameters=(
        Choice("mechanism", "Noise", MECHANISMS, "gaussian"),
        Choice("side", "Look at", SIDES, "all"),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=1, better=EPSILON_SAYS)),
        Number(LIMITS["answer_epsilon"]),
        Number(LIMITS["delta"].narrowed(minimum=1e-12, maximum=0.1, default=1e-6)),
        Number(LIMITS["queries"].narrowed(maximum=MOST_ANSWERS, default=100, meaning="answers")),
        Number(
            LIMITS["examples_per_user"].narrowed(
                maximum=MOST_ROWS, default=10, meaning="your rows in the data"
            )
        ),
        Number(LIMITS["false_alarms"]),
        Number(LIMITS["prior"]),
        Number(LIMITS["hit_rate"]),
        Number(LIMITS["power"]),
        Seed(),
    ),
    for_everyone=(
        play_the_attacker_shown.VIEW,
        odds_after_answers_shown.VIEW,
        again_and_again_shown.VIEW,
    ),
    in_depth=(
        every_attacker_shown.VIEW,
        many_rows_shown.VIEW,
    ),
    presets=(
        Preset("A strong promise: ε = 0.1", {"view": "play", "epsilon": 0.1}),
        Preset("A weak one: ε = 10", {"view": "play", "epsilon": 10.0}),
        Preset("ε = 0.1: a suspicion hardly grows", {"view": "odds", "epsilon": 0.1}),
        Preset("ε = 3: it becomes likely", {"view": "odds", "epsilon": 3.0}),
        Preset("A thousand answers wear a promise out", {"view": "again", "queries": 1000}),
        Preset(
            "Ten answers: adding up is nearly right",
            {"view": "again", "mechanism": "laplace", "answer_epsilon": 1.0, "queries": 10},
        ),
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
        Preset("A thousand rows of one person", {"view": "rows", "examples_per_user": 1000}),
    ),
    promise=promise,
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
