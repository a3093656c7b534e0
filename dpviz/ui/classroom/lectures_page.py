"""The page of lectures: the shipped ones to start, the reader's own to arrange and to share."""

import re
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlencode

import streamlit as st

from dpviz.plot.written import bare, is_marked, line_markdown, markdown
from dpviz.scene.catalogue import entry
from dpviz.scene.lecture_checks import LectureError
from dpviz.scene.lectures import (
    AUDIENCES,
    LONGEST_NOTES,
    MOST_MINUTES,
    Lecture,
    LectureScene,
    pack,
    pasted,
    shipped,
)
from dpviz.scene.poll import LONGEST_PROMPT
from dpviz.serve.lecture.making import making
from dpviz.serve.links import scene_of
from dpviz.ui import browser, server
from dpviz.ui.classroom import composing, ending, ordering, presenting, writing
from dpviz.ui.index import pages
from dpviz.ui.session import session

_OWN = "your-own"  # the place on the page
_LOCAL = "http://localhost:8501/"  # before the links of plans, which are read as a document, too
_LOOK = 1.0  # seconds between looks how far a file is


def draw() -> None:
    """Draw the page below its question: all lectures, or a scene of text or the end of one."""
    position = presenting.lecture_position()
    if position is not None and position.at_end:
        ending.draw(position)
        return
    if position is not None and position.scene.is_written:
        writing.draw(position)
        return
    with st.container(key="prose"):
        st.markdown(
            "A lecture is a list of scenes: a view in a chosen state, and a sentence about it. "
            "Some ask the class to predict first. **→** and **←** or a presenter's remote go "
            "forward and back, and reveal an answer before they go on; **r** draws again, **b** "
            "goes back in the browser's history, **Esc** leaves the large view. Printed, a scene "
            "is a handout."
        )
        st.markdown(
            "For a class: **Start on a projector**, then **Phones** in the bar below the figure. "
            "That opens a room, and **Speaker's view** in its bar has notes, time and answers for "
            "you alone."
        )
        st.markdown(f"Below: lectures ready to give, and [{_own_words()}](#{_OWN}).")
    _plans()
    for audience, words in AUDIENCES.items():
        st.header(words, anchor=False)
        for name, lecture in shipped().items():
            if lecture.audience == audience:
                _offer(name, lecture)
    _own()


def _plans() -> None:
    """Draw the plans for a class, a term and reading groups, folded; one is open at a time."""
    plans = dict(entry("lectures").sections())
    with st.expander("Plans: 90 minutes, four weeks, reading groups on four papers", key="plans"):
        names = list(plans)
        chosen = st.pills("Plan", names, default=names[0], label_visibility="collapsed")
        if chosen:
            st.markdown(plans[chosen].replace(_LOCAL, ""))


def _offer(name: str, lecture: Lecture) -> None:
    """Draw what a lecture that ships teaches, and the ways to begin."""
    with st.container(key=f"lecture-{name}", gap="xsmall"):
        st.subheader(line_markdown(lecture.title), anchor=False)
        far = f"{_scenes(len(lecture.scenes))}, about {lecture.minutes} minutes."
        st.markdown(f"{lecture.about} {far}")
        with st.expander("The scenes", key=f"scenes-{name}"):
            st.markdown("\n".join(map(_line, lecture.scenes)))
        _start(lecture, name)
        _take_along(lecture, name)


def _own() -> None:
    """Draw the reader's own lecture."""
    st.header("Your own", anchor=_OWN)
    with st.container(key="lecture-own"):
        st.markdown(
            "*Share*, in *Source & data* below every figure, begins with **Add this view to a "
            "lecture**: it comes here. Texts, questions and exercises are added below. The lecture "
            "stays in this browser tab until you copy its link, which holds all of it."
        )
    _paste()
    composing.draw()
    _arrange(session().lecture)


def _own_words() -> str:
    """Return the words of the way to the reader's own lecture."""
    count = len(session().lecture.scenes)
    if not count:
        return "your own, to write or to continue"
    return f"your own, with {_scenes(count)}"


def _scenes(count: int) -> str:
    return f"{count} scene{'' if count == 1 else 's'}"


def _line(scene: LectureScene) -> str:
    asks = " *Predict first.*" if scene.ask else ""
    if scene.is_written:
        asks = " *Exercise.*" if scene.exercise else " *A question.*" if scene.poll else " *Text.*"
    notes = f"\n   > {line_markdown(scene.notes)}" if scene.notes else ""
    return f"1. {line_markdown(scene.prompt)}{asks} {scene.planned} min{notes}"


def _start(lecture: Lecture, text: str) -> None:
    path = entry(lecture.scenes[0].page).path
    query = lecture.query(1, text)
    with st.container(horizontal=True, key=f"start-{text}"):  # paper is without it
        st.page_link(path, label="Start on a projector", query_params=query | {"present": "1"})
        st.page_link(path, label="Start on this screen", query_params=query)


def _paste() -> None:
    """Take the lecture out of a link, to continue it here."""

    def take() -> None:
        try:
            session().lecture = pasted(st.session_state["lecture-paste"])
        except LectureError as error:
            session().refusal = str(error)
        else:
            st.session_state["lecture-paste"] = ""

    st.text_input("Continue a lecture: paste its link", key="lecture-paste", on_change=take)
    if refused := session().take_refusal():
        st.info(f"{refused} Your lecture here is unchanged.")


def _arrange(lecture: Lecture) -> None:
    if not lecture.scenes:
        st.caption("No scene yet.")
        return
    st.caption(f"{_scenes(len(lecture.scenes))}, about {lecture.minutes} minutes.")
    browser.note_forgetting()

    def rename() -> None:
        session().lecture = replace(session().lecture, title=st.session_state["lecture-title"])

    st.session_state["lecture-title"] = lecture.title
    st.text_input("Title", key="lecture-title", max_chars=100, on_change=rename)
    if len(lecture.scenes) > 1:
        st.markdown("Drag the scenes into their order, or move one with the arrow keys.")
        ordering.draw([bare(scene.prompt) for scene in lecture.scenes], "lecture-order", _reorder)
    marks: Counter[str] = Counter()
    for number, scene in enumerate(lecture.scenes):
        mark = _mark(scene)
        _scene(number, scene, f"{mark}-{marks[mark]}")
        marks[mark] += 1
    try:
        text = pack(lecture)
    except LectureError as error:
        st.info(str(error))
        return
    _start(lecture, text)
    _take_along(lecture, text)
    query = urlencode(lecture.query(1, text))
    st.code(f"{_site()}{lecture.scenes[0].page}?{query}", language=None, wrap_lines=True)


def _reorder(places: list[int]) -> None:
    session().stay()
    lecture = session().lecture
    if len(places) == len(lecture.scenes):
        scenes = tuple(lecture.scenes[place] for place in places)
        session().lecture = replace(lecture, scenes=scenes)


def _mark(scene: LectureScene) -> str:
    """Return by what the fields of a scene are known, wherever it stands."""
    own = replace(scene, prompt="", notes="", minutes=0)
    return f"own-{sha256(repr(own).encode()).hexdigest()[:12]}"


def _site() -> str:
    """Return where this copy of the app is, as a class can reach it."""
    return f"{server.address_for_a_class().rsplit('/', 1)[0]}/"


def _take_along(lecture: Lecture, text: str) -> None:
    """Offer the lecture as one file, which is made after a click, and as a site."""

    def begin() -> None:
        session().file_wanted, session().file_hurried = text, False
        session().files_begun += 1

    if session().file_wanted != text:
        with st.container(horizontal=True, key=f"along-{text}"):
            st.button(
                "Take it along as one file",
                key=f"file-{text}",
                type="tertiary",
                icon=":material/arrow_downward:",
                help="A page of HTML that needs no network: its sliders move, and it prints a "
                "handout.",
                on_click=begin,
            )
            _as_site(text)
        return
    work = making(lecture, text, _site(), hurried=session().file_hurried)
    if work.content is not None:
        content = work.content
        label = f"Save the file, {len(content) / 1e6:.1f} MB"
        with st.container(key=f"file-made-{session().files_begun}"):  # page.js presses it, once
            st.download_button(
                label, content, f"{_named(lecture)}.html", "text/html", on_click="ignore"
            )
    elif work.problem:
        st.info(work.problem)
        session().file_wanted = ""
    else:
        _progress(lecture, text)


def _as_site(text: str) -> None:
    """Say how a lecture becomes a folder for any host, which takes minutes to compute."""
    with st.popover("As a site", key=f"site-{text}", type="tertiary"):
        st.markdown(
            "A folder of plain files for any host, which opens from disk, too. It takes:\n\n"
            f"    dpviz book {_argument(text)} -o site"
        )


def _argument(text: str) -> str:
    """Return how the command is told a lecture that ships, or one of the reader's own."""
    return text if text in shipped() else shlex.quote(f"?lecture={text}")


@st.fragment(run_every=_LOOK)
def _progress(lecture: Lecture, text: str) -> None:
    """Draw how far the file is; draw the page again when it is there."""
    work = making(lecture, text, _site(), hurried=session().file_hurried)
    if work.ended:
        st.rerun()

    def hurry() -> None:
        session().file_hurried = True

    def leave() -> None:
        session().file_wanted = ""

    st.progress(work.done, text=work.words)
    with st.container(horizontal=True):
        st.button(
            "Take what there is",
            key="file-hurry",
            disabled=session().file_hurried,
            help="All scenes, with fewer places for their sliders to go to.",
            on_click=hurry,
        )
        if st.button("Stop", key="file-stop", on_click=leave):
            st.rerun()


def _named(lecture: Lecture) -> str:
    """Return a name for a file, out of the title."""
    return "-".join(re.findall(r"[a-z0-9]+", bare(lecture.title).lower())) or "lecture"


def _scene(number: int, scene: LectureScene, mark: str) -> None:
    """Draw a scene of the reader's own lecture: what is said, and all that can be corrected.

    mark: by what its fields are known; it moves along with the scene.
    """
    key, speech, length = (f"scene-{number}-{name}" for name in ("prompt", "notes", "minutes"))

    def put(changed: LectureScene) -> None:
        scenes = list(session().lecture.scenes)
        scenes[number] = changed
        session().lecture = replace(session().lecture, scenes=tuple(scenes))

    def write() -> None:
        put(replace(scene, prompt=st.session_state[key]))

    def note() -> None:
        put(replace(scene, notes=st.session_state[speech]))

    def plan() -> None:
        put(replace(scene, minutes=st.session_state[length]))

    def remove() -> None:
        scenes = session().lecture.scenes
        session().added = 0
        kept = (*scenes[:number], *scenes[number + 1 :])
        session().lecture = replace(session().lecture, scenes=kept)

    st.session_state[key] = scene.prompt
    title = _title(scene)
    st.subheader(f"{number + 1}. {title}", anchor=f"scene-{number + 1}")
    with st.container(
        key=f"scene-{number}", horizontal=True, vertical_alignment="bottom", gap="small"
    ):
        st.text_input(
            "What is asked" if scene.poll else "What is said",
            key=key,
            max_chars=LONGEST_PROMPT,
            on_change=write,
        )
        st.button("Remove", key=f"scene-{number}-drop", on_click=remove)
    composing.show_line(scene.prompt)
    what = "Exercise" if scene.exercise else "Answers and text" if scene.poll else "Text"
    if scene.is_written:
        with st.expander(f"Correct it: {what.lower()}", key=f"scene-{number}-correct"):
            composing.correct(number, scene, mark)
    else:
        _look(number, scene, put)
    with st.expander("Notes for yourself, and minutes", key=f"scene-{number}-fold"):
        st.session_state[speech] = scene.notes
        st.text_area(
            f"What to say in scene {number + 1}; it stands in the file, under Notes",
            key=speech,
            max_chars=LONGEST_NOTES,
            on_change=note,
        )
        if is_marked(scene.notes):
            st.markdown(markdown(scene.notes))
        st.session_state[length] = scene.planned
        st.number_input("Minutes", 1, MOST_MINUTES, key=length, on_change=plan)


def _title(scene: LectureScene) -> str:
    if not scene.is_written:
        return f"{entry(scene.page).title}{', predict first' if scene.ask else ''}"
    if scene.exercise:
        return "An exercise"
    return "Text" if scene.poll is None else "A question of yours"


def _look(number: int, scene: LectureScene, put: Callable[[LectureScene], None]) -> None:
    """Draw what can be corrected of a view: whether the class predicts, and the way to it."""
    key = f"scene-{number}-ask"

    def ask() -> None:
        put(replace(scene, ask=bool(st.session_state[key])))

    page = pages()[scene.page]
    opened = scene_of(page, {name: [text] for name, text in scene.state.items()})
    with st.container(horizontal=True, vertical_alignment="center"):
        if opened.prediction is not None:
            st.session_state[key] = scene.ask
            st.toggle("Let the class predict first", key=key, on_change=ask)
        st.page_link(
            entry(scene.page).path, label="Look at the view", query_params=dict(scene.state)
        )
