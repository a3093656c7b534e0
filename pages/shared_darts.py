"""Shared darts: two distributions, one stream of darts, and how rarely the picks differ."""

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.plot.text import readable
from dpviz.results.parameters import LIMITS, Limit
from dpviz.scene.asking import PERCENT, value_at_here
from dpviz.scene.codec import Number, Seed
from dpviz.scene.page import Page, Preset, Sketch, View
from dpviz.topics.shared_darts import figures, words
from dpviz.topics.shared_darts.views.board import one_board
from dpviz.topics.shared_darts.views.disagreement import disagreement
from dpviz.topics.shared_darts.views.joint import joint_laws
from dpviz.topics.shared_darts.views.supply import supply
from dpviz.ui.frame import render

_GAMES = Limit("guess", "of 100", "games in which the picks differ", 0, 100, 50, log=False, step=1)


PAGE = Page(
    slug="shared_darts",
    parameters=(
        Number(LIMITS["gap"]),
        Number(LIMITS["width"].narrowed(default=2)),
        Number(LIMITS["width_ratio"]),
        Number(LIMITS["outcomes"].narrowed(default=10)),
        Number(LIMITS["darts"]),
        Seed(),
    ),
    views=(
        View(
            key="board",
            title="One board",
            compute=one_board,
            figure=figures.board_figure,
            takeaway=words.board_takeaway,
            detail=words.board_detail,
            parameters=("gap", "width", "width_ratio", "outcomes", "seed"),
            notes=words.notes,
        ),
        View(
            key="disagreement",
            title="How often they differ",
            compute=disagreement,
            figure=figures.disagreement_figure,
            takeaway=words.disagreement_takeaway,
            detail=words.disagreement_detail,
            parameters=("gap", "width", "width_ratio", "outcomes", "seed"),
            notes=words.notes,
            sketch=Sketch(
                question="Two people's distributions drift apart. Draw how often shared "
                "darts give them different values.",
                curve="outputs",
            ),
            prediction=value_at_here(
                "Two people pick from their own distributions, with the same darts. In how many "
                "games of a hundred will the picks differ?",
                _GAMES,
                "outputs",
                hidden=("darts", "bound", "least", "simulated"),
                scale=PERCENT,
                answer=lambda games: f"in {readable(games)} of a hundred",
            ),
        ),
        View(
            key="joint",
            title="Both picks together",
            compute=joint_laws,
            figure=figures.joint_figure,
            takeaway=words.joint_takeaway,
            parameters=("gap", "width", "width_ratio", "outcomes"),
            notes=words.notes,
        ),
        View(
            key="supply",
            title="How many darts",
            compute=supply,
            figure=draw,
            takeaway=words.supply_takeaway,
            detail=words.supply_detail,
            parameters=("darts", "gap", "width", "width_ratio", "outcomes", "seed"),
            notes=words.notes,
        ),
    ),
    presets=(
        Preset("Almost the same", {"view": "board", "gap": 0.3}),
        Preset(
            "One shared number is not enough",
            {"view": "joint", "gap": 1.5, "width": 5.0, "outcomes": 20},
        ),
        Preset(
            "Agreement breaks",
            {"view": "disagreement", "gap": 6.0, "outcomes": 20},
        ),
        Preset("Nothing in common", {"view": "board", "gap": 15.0, "width": 1.0}),
    ),
)

if __name__ == "__main__":
    render(PAGE)
