"""Shared darts: two distributions, one stream of darts, and how rarely the picks differ."""

if __name__ == "__main__":
    import dpviz.ui.preload  # noqa: F401

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, Preset
from dpviz.topics.shared_darts.exercises import EXERCISES
from dpviz.topics.shared_darts.views import (
    both_picks_together_shown,
    how_often_they_differ_shown,
    one_board_shown,
)
from dpviz.topics.shared_darts.views.how_often_they_differ import ALONG

PAGE = Page(
    slug="shared_darts",
    parameters=(
        Number(LIMITS["gap"]),
        Number(LIMITS["width"].narrowed(default=2)),
        Number(LIMITS["width_ratio"]),
        Number(LIMITS["outcomes"].narrowed(default=10)),
        Choice("along", "Along", ALONG, "gap"),
        Number(LIMITS["darts"]),
        Seed(),
    ),
    for_everyone=(
        one_board_shown.VIEW,
        both_picks_together_shown.VIEW,
    ),
    in_depth=(how_often_they_differ_shown.VIEW,),
    formerly={"supply": {"view": "disagreement", "along": "darts"}},
    presets=(
        Preset("Almost the same", {"view": "board", "gap": 0.3}),
        Preset("Nothing in common", {"view": "board", "gap": 15.0, "width": 1.0}),
        Preset(
            "One random number is not enough",
            {"view": "joint", "gap": 1.5, "width": 5.0, "outcomes": 20},
        ),
        Preset(
            "Agreement breaks",
            {"view": "disagreement", "gap": 6.0, "outcomes": 20},
        ),
        Preset("A handful of darts", {"view": "disagreement", "along": "darts", "darts": 5}),
    ),
    exercises=EXERCISES,
)

if __name__ == "__main__":
    from dpviz.ui.frame import render

    render(PAGE)
