"""The app as the server starts it; run as a page, the home page.

It begins with three ways in and a game, then offers the topics as small pictures and questions to
start with; how to read a curve is a lesson of its own.
"""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit.starlette import App  # by these words, here, `streamlit run` knows the app

import dpviz.ui.preload  # noqa: F401
from dpviz.results.parameters import EPSILON_SAYS, LIMITS
from dpviz.scene.codec import Choice, Number, Seed
from dpviz.scene.page import Page
from dpviz.serve import (
    clients,
    faults,
    figures,
    fonts,
    log,
    memory,
    pictures,
    previews,
    reference,
    scripts,
    tiles,
)
from dpviz.serve.monitor import FIRST_LINES, Monitor
from dpviz.serve.rooms import reaching
from dpviz.serve.rooms.page import CLASS
from dpviz.serve.rooms.routes import Classrooms
from dpviz.serve.rooms.streams import ending
from dpviz.serve.scheduler import SCHEDULER
from dpviz.serve.tcp_nodelay import prompt
from dpviz.serve.topics import Topics
from dpviz.topics.home.views import best_attacker_shown
from dpviz.topics.promise.calibrating import MECHANISMS
from dpviz.topics.promise.views import play_the_attacker_shown
from dpviz.ui import index, inside, navigation, questions, server
from dpviz.ui.frame import begin, end, reading, stage, why
from dpviz.ui.sharing.share import is_embedded

PAGE = Page(
    slug="",
    parameters=(
        Choice("mechanism", "Noise", MECHANISMS, "gaussian"),
        Number(LIMITS["epsilon"].narrowed(minimum=0.01, default=3, better=EPSILON_SAYS)),
        Number(LIMITS["delta"].narrowed(minimum=1e-12, maximum=0.1, default=1e-6)),
        Number(LIMITS["power"]),
        Seed(),
    ),
    for_everyone=(play_the_attacker_shown.VIEW, best_attacker_shown.VIEW),
    unnamed="attackers",
    formerly={"reading": {"view": "attackers"}},
    gone=("kind", "sigma"),
)

if inside.running() is None:
    faults.keep_values_out()
    topics = Topics(PAGE)
    wrong = reaching.problem(address := os.environ.get("DPVIZ_ROOMS", ""))
    if wrong := wrong or clients.problem(os.environ.get("DPVIZ_PROXIES", "")):
        sys.exit(wrong)
    count = os.environ.get("DPVIZ_REPLICAS", "")
    processes = int(count) if count.isdecimal() else 1
    classrooms = Classrooms(topics, shared=address, processes=processes)
    monitor = Monitor(
        {
            "readers": server.readers,
            "wishes": lambda: len(SCHEDULER),
            "first_line": FIRST_LINES.numbers,
            "rooms": lambda: len(classrooms.store),
            "rooms_reached": lambda: classrooms.store.reached,
        }
    )
    shell = Path(st.__file__).with_name("static") / "index.html"
    routes = [
        *figures.routes(Topics(PAGE, CLASS)),
        *pictures.routes(topics),
        *previews.routes(topics, shell),
        reference.route(),
        *scripts.routes(),
        *fonts.routes(),
        tiles.route(),
        *classrooms.routes(),
    ]

    @asynccontextmanager
    async def lifespan(site: App) -> AsyncIterator[None]:
        """Let answers leave at once, and no stream hold the server up as it ends.

        Those who run the server are told how it fares.
        """
        log.begin()
        memory.keep_apart()
        memory.settle()
        classrooms.store.begin()
        telling = monitor.listening(os.environ.get("DPVIZ_MONITOR", ""))
        async with prompt(site), ending(classrooms.hub), telling, memory.tidy():
            yield
        await classrooms.store.close()

    middleware = server.below_a_path(server.guards(), routes)
    app = App(__file__, routes=routes, lifespan=lifespan, middleware=middleware)
elif __name__ == "__main__":
    scene = begin(PAGE)
    if not is_embedded():
        navigation.ways_in()
    stage(scene)
    if not is_embedded():
        why(scene)
        navigation.map_of_pages(index.pages())
        st.header("Or start with a question", anchor=False)
        questions.draw()
    reading(scene)
    end()
