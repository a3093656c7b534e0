"""One page with a control of every kind, served as app.py serves the real ones."""

from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Flag, Number, Seed
from dpviz.scene.page import Page, Preset
from dpviz.scene.view import View
from dpviz.serve import figures, fonts, previews, scripts
from dpviz.serve.tcp_nodelay import prompt
from dpviz.serve.topics import Topics
from dpviz.ui import navigation, server
from dpviz.ui.frame import render
from tests.support import sample

SHORT = {"queries": "k", "epsilon": "ε"}
LONG = {
    word: f"An option that is too long to stand beside others, the {word} of them"
    for word in ("first", "second", "third")
}


def compute(*, listed, folded, rng, **others):
    """A curve that every control changes."""
    chart = sample.curve(**others)
    lift = 10 * (1 + list(LONG).index(listed) + 0.5 * folded + rng.uniform())
    [curve] = chart.curves
    return replace(chart, curves=(replace(curve, y=curve.y + lift),))


PAGE = Page(
    slug="",
    parameters=(
        Choice("x", "Across", SHORT, "queries"),
        Choice("listed", "Listed", LONG, "first"),
        Number(LIMITS["epsilon"]),
        Number(LIMITS["queries"].narrowed(minimum=10, maximum=10**6, default=1000)),
        Flag("log", "Logarithmic", True),
        Flag("folded", "In the fold", False),
        Seed(),
    ),
    for_everyone=(
        View(
            "all",
            "All",
            compute,
            sample.draw,
            sample.sentence,
            ("x", "listed", "epsilon", "queries", "log", "folded", "seed"),
            in_sight=("x", "listed", "epsilon", "log", "seed"),
            idle=lambda values: () if values["log"] else ("listed",),
        ),
        View("refined", "Refined", sample.refined, sample.draw, sample.sentence, ("epsilon",)),
    ),
    presets=(Preset("Small", {"queries": 100, "epsilon": 1.0, "listed": "third"}),),
)

if get_script_run_ctx(suppress_warning=True) is None:
    topics = Topics(PAGE)
    shell = Path(st.__file__).with_name("static") / "index.html"
    routes = [
        *figures.routes(topics),
        *previews.routes(topics, shell),
        *scripts.routes(),
        *fonts.routes(),
    ]
    app = App(__file__, routes=routes, lifespan=prompt, middleware=server.guards())
elif __name__ == "__main__":
    navigation.header = lambda _, **__: None  # there are no other pages to link to
    render(PAGE)
