"""The app as the server starts it; run as a page, the home page.

It begins with a figure at work, then offers three ways in, the topics as small pictures, questions
to start with, and how to read a curve.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import streamlit as st
from platformdirs import user_cache_path
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, View
from dpviz.serve import figures, fonts, pictures, previews, reference, scripts, tiles
from dpviz.serve.promptness import prompt
from dpviz.serve.rooms.page import CLASS
from dpviz.serve.rooms.routes import Classrooms
from dpviz.serve.rooms.streams import ending
from dpviz.serve.topics import Topics
from dpviz.topics.home.views import KINDS, attackers, six_ways
from dpviz.topics.home.words import attackers_detail, attackers_takeaway, detail, takeaway
from dpviz.ui import navigation, questions, server
from dpviz.ui.frame import begin, folds, stage, why
from dpviz.ui.sharing.share import is_embedded

PAGE = Page(
    slug="",
    parameters=(
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=3)),
        Choice("kind", "One kind at a time", KINDS, "all"),
        Number(LIMITS["sigma"].narrowed(minimum=0.5, maximum=8, default=2)),
        Seed(),
    ),
    views=(
        View(
            "attackers",
            "What anyone can learn",
            attackers,
            lambda chart, theme: draw(chart, replace(theme, share=0.72)),
            attackers_takeaway,
            ("epsilon",),
            detail=attackers_detail,
        ),
        View(
            "reading",
            "How to read a curve",
            six_ways,
            draw,
            takeaway,
            ("kind", "sigma", "seed"),
            detail=detail,
        ),
    ),
)

if get_script_run_ctx(suppress_warning=True) is None:
    topics = Topics(PAGE)
    classrooms = Classrooms(topics, shared=os.environ.get("DPVIZ_ROOMS", ""))
    small = tiles.Tiles(topics, user_cache_path("dpviz"))
    shell = Path(st.__file__).with_name("static") / "index.html"
    routes = [
        *figures.routes(Topics(PAGE, CLASS)),
        *pictures.routes(topics),
        *previews.routes(topics, shell),
        reference.route(),
        *scripts.routes(),
        *fonts.routes(),
        tiles.route(small),
        *classrooms.routes(),
    ]

    @asynccontextmanager
    async def lifespan(site: App) -> AsyncIterator[None]:
        """Let answers leave at once, no stream hold the server up as it ends; draw the tiles."""
        async with prompt(site), ending(classrooms.hub), small.early():
            yield
        await classrooms.keeper.close()

    app = App(__file__, routes=routes, lifespan=lifespan, middleware=server.guards())
elif __name__ == "__main__":
    if {"kind", "sigma"} & set(st.query_params) and "view" not in st.query_params:
        st.query_params["view"] = "reading"  # a link from when there was no other view
    scene = begin(PAGE)
    stage(scene)
    if not is_embedded():
        why(scene)
        navigation.ways_in()
        navigation.map_of_pages()
        st.header("Or start with a question", anchor=False)
        questions.draw()
    folds(scene)
