"""The page of lectures: the shipped ones to start, the reader's own to arrange and to share."""

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from dpviz.scene.catalogue import entry
from dpviz.ui.classroom.lectures import (
    LONGEST_PROMPT,
    Lecture,
    LectureError,
    LectureScene,
    pack,
    pasted,
    shipped,
)
from dpviz.ui.session import session


def draw() -> None:
    """Draw the page below its question."""
    st.markdown(
        "A lecture is a list of scenes: a view in a chosen state, and a sentence about it. Some "
        "ask the class to predict first. **→** and **←** or a presenter's remote go forward and "
        "back, and reveal an answer before they go on; **r** draws again, **b** goes back in the "
        "browser's history, **Esc** leaves the large view. Printed, a scene is a handout."
    )
    st.header("Ready to give", anchor=False)
    for name, lecture in shipped().items():
        with st.container(key=f"lecture-{name}", gap="xsmall"):
            st.subheader(lecture.title, anchor=False)
            st.markdown(f"{len(lecture.scenes)} scenes, about {minutes(lecture)} minutes.")
            with st.expander("The scenes", key=f"scenes-{name}"):
                st.markdown("\n".join(map(_line, lecture.scenes)))
            _start(lecture, name)
    st.header("Your own", anchor=False)
    st.markdown(
        "Below every figure, **Add this view to a lecture** puts it here. The lecture stays in "
        "this browser tab until you copy its link, which holds all of it."
    )
    _paste()
    _arrange(session().lecture)


def minutes(lecture: Lecture) -> int:
    """Return about how long a lecture takes: two minutes a scene, and two for each prediction."""
    return 2 * (len(lecture.scenes) + sum(scene.ask for scene in lecture.scenes))


def _line(scene: LectureScene) -> str:
    asks = " *Predict first.*" if scene.ask else ""
    return f"1. {scene.prompt}{asks}"


def _start(lecture: Lecture, text: str) -> None:
    path = entry(lecture.scenes[0].page).path
    query = lecture.query(1, text)
    with st.container(horizontal=True):
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

    def rename() -> None:
        session().lecture = replace(session().lecture, title=st.session_state["lecture-title"])

    st.session_state["lecture-title"] = lecture.title
    st.text_input("Title", key="lecture-title", max_chars=100, on_change=rename)
    for number, scene in enumerate(lecture.scenes):
        _scene(number, scene, last=number + 1 == len(lecture.scenes))
    try:
        text = pack(lecture)
    except LectureError as error:
        st.info(str(error))
        return
    _start(lecture, text)
    query = urlencode(lecture.query(1, text))
    home = (st.context.url or "").rsplit("/", 1)[0]
    st.code(f"{home}/{lecture.scenes[0].page}?{query}", language=None, wrap_lines=True)


def _scene(number: int, scene: LectureScene, *, last: bool) -> None:
    key = f"scene-{number}-prompt"

    def change(*scenes: LectureScene) -> None:
        session().lecture = replace(session().lecture, scenes=scenes)

    def write() -> None:
        scenes = list(session().lecture.scenes)
        scenes[number] = replace(scene, prompt=st.session_state[key])
        change(*scenes)

    def move(by: int) -> None:
        scenes = list(session().lecture.scenes)
        scenes.insert(number + by, scenes.pop(number))
        change(*scenes)

    def drop() -> None:
        scenes = session().lecture.scenes
        change(*scenes[:number], *scenes[number + 1 :])

    st.session_state[key] = scene.prompt
    with st.container(
        key=f"scene-{number}", horizontal=True, vertical_alignment="bottom", gap="small"
    ):
        label = f"{number + 1}. {entry(scene.page).title}"
        label += ", predict first" if scene.ask else ""
        st.text_input(label, key=key, max_chars=LONGEST_PROMPT, on_change=write)
        up, down, out = (f"scene-{number}-{name}" for name in ("up", "down", "drop"))
        st.button("↑", key=up, disabled=number == 0, on_click=move, args=(-1,), help="Earlier")
        st.button("↓", key=down, disabled=last, on_click=move, args=(1,), help="Later")
        st.button("Remove", key=out, on_click=drop)
