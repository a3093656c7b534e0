"""Shared darts: two distributions, one stream of darts, and how rarely the picks differ."""

import dpviz.ui.loaded  # noqa: F401
from dpviz.figures import shared_darts as figures
from dpviz.figures.chart import draw
from dpviz.limits import LIMITS
from dpviz.shared_darts import disagreement, joint_laws, one_board
from dpviz.ui.codec import Number, Seed
from dpviz.ui.frame import render
from dpviz.ui.page import Page, Preset, View

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
            takeaway=figures.board_takeaway,
            parameters=("gap", "width", "width_ratio", "outcomes", "seed"),
            notes=figures.notes,
        ),
        View(
            key="disagreement",
            title="How often they differ",
            compute=disagreement,
            figure=draw,
            takeaway=figures.disagreement_takeaway,
            parameters=("gap", "width", "width_ratio", "outcomes", "seed"),
            notes=figures.notes,
        ),
        View(
            key="joint",
            title="Both picks together",
            compute=joint_laws,
            figure=figures.joint_figure,
            takeaway=figures.joint_takeaway,
            parameters=("gap", "width", "width_ratio", "outcomes"),
            notes=figures.notes,
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
