"""The app as the server starts it; run as a page, the home page.

It has questions to start with, the map of the pages, and how to read a curve.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.starlette import App

import dpviz.ui.preload  # noqa: F401
from dpviz.plot.chart import draw
from dpviz.results.parameters import LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page, View
from dpviz.serve import figures, pictures, previews, scripts
from dpviz.serve.promptness import prompt
from dpviz.serve.topics import Topics
from dpviz.topics.home.views import KINDS, six_ways
from dpviz.topics.home.words import takeaway
from dpviz.ui import navigation, questions, server
from dpviz.ui.frame import begin, folds, stage
from dpviz.ui.sharing.share import is_embedded

PAGE = Page(
    slug="",
    parameters=(
        Choice("kind", "One kind at a time", KINDS, "all"),
        Number(LIMITS["sigma"].narrowed(minimum=0.5, maximum=8, default=2)),
        Seed(),
    ),
    views=(
        View("reading", "How to read a curve", six_ways, draw, takeaway, ("kind", "sigma", "seed")),
    ),
)

if get_script_run_ctx(suppress_warning=True) is None:
    topics = Topics(PAGE)
    shell = Path(st.__file__).with_name("static") / "index.html"
    routes = [
        *figures.routes(topics),
        *pictures.routes(topics),
        *previews.routes(topics, shell),
        scripts.route(),
    ]
    app = App(__file__, routes=routes, lifespan=prompt, middleware=server.guards())
elif __name__ == "__main__":
    scene = begin(PAGE)
    if not is_embedded():
        st.markdown(
            "Every curve here says what it is and where it comes from, and it moves when you move "
            "the parameters. So you see the theorem, and the truth beside it."
        )
        st.header("Start with a question", anchor=False)
        questions.draw()
        st.header("How to read a curve: a two-minute tour", anchor=False)
        st.markdown(
            "One number, known in six ways: the least δ for which one noisy answer is private. "
            "Look at one kind of curve at a time; the sentence above the figure explains it."
        )
    stage(scene)
    if not is_embedded():
        navigation.map_of_pages()
    folds(scene)
