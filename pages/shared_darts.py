"""Shared darts: two distributions, one stream of darts, and how rarely the picks differ."""

import dpviz.ui.preload  # noqa: F401
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Number, Seed
from dpviz.scene.page import Page, Preset, View
from dpviz.topics.shared_darts import figures, words
from dpviz.topics.shared_darts.views.board import one_board
from dpviz.topics.shared_darts.views.disagreement import disagreement
from dpviz.topics.shared_darts.views.joint import joint_laws
from dpviz.ui.frame import render

PAGE = Page(
    slug="shared_darts",
    parameters=(
        Number(LIMITS["gap"]),
        Number(LIMITS["width"].narrowed(default=2)),
        Number(LIMITS["width_ratio"]),
        Number(LIMITS["outcomes"].narrowed(default=10)),
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
