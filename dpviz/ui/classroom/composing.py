"""What a lecturer adds to a lecture of their own: a text with formulas, a question, an exercise."""

from dataclasses import replace

import streamlit as st

from dpviz.plot.written import markdown
from dpviz.scene.catalogue import entry
from dpviz.scene.homework import Task, tasks
from dpviz.scene.lectures import (
    LONGEST_WRITTEN,
    TEXT,
    LectureScene,
    written,
)
from dpviz.scene.poll import LONGEST_PROMPT, MOST_CHOICES, poll_of
from dpviz.scene.reading import LectureError
from dpviz.ui.index import pages
from dpviz.ui.session import session

_EXERCISE = "exercise"
_KINDS = {
    "": "Text alone",
    "choice": "Question: choose an answer",
    "number": "Question: a number",
    "words": "Question: a few words",
    _EXERCISE: "Exercise of a topic",
}
_KEYS = ("heading", "text", "answers", "place", "number", "least", "most", "because", _EXERCISE)


def draw() -> None:
    """Draw what adds a scene without a figure to the reader's own lecture."""
    with st.expander("Add a text, a question of your own or an exercise", key="compose-fold"):
        kind = st.selectbox(
            "What it is", list(_KINDS), format_func=_KINDS.__getitem__, key="compose-kind"
        )
        if kind == _EXERCISE:
            known = tasks(pages().values())
            st.selectbox(
                "Exercise",
                list(known),
                format_func=lambda key: _named(known[key]),
                key=_key(_EXERCISE),
            )
            st.button("Add", key="compose-add", on_click=_add)
            return
        st.text_input("Question" if kind else "Heading", key=_key("heading"), max_chars=200)
        text = st.text_area(
            "Text" if not kind else "Text above it, if any",
            key=_key("text"),
            max_chars=LONGEST_WRITTEN,
            help="A blank line begins a paragraph, - an item; **bold**, *italic*, $\\varepsilon$.",
        )
        _show(text)
        if kind == "choice":
            st.text_area("Answers, one a line", key=_key("answers"))
            st.number_input("The right one, from 1; 0 for none", 0, MOST_CHOICES, key=_key("place"))
        elif kind == "number":
            st.number_input("The right number, if there is one", value=None, key=_key("number"))
            with st.container(horizontal=True):
                st.number_input("Least that is taken, if it matters", value=None, key=_key("least"))
                st.number_input("Greatest", value=None, key=_key("most"))
        if kind in ("choice", "number"):
            st.text_input("Why", key=_key("because"), max_chars=LONGEST_PROMPT)
        st.button("Add", key="compose-add", on_click=_add)


def _named(task: Task) -> str:
    return f"{entry(task.topic).title}: {task.exercise.title}, {task.about}"


def _key(name: str) -> str:
    return f"compose-{name}"


def _show(text: str) -> None:
    """Draw a text as the class will see it, or say what cannot be read."""
    try:
        written(text)
    except LectureError as error:
        st.info(str(error))
    else:
        if text.strip():
            st.markdown(markdown(text))


def _add() -> None:
    """Add what was written, or say what it lacks."""
    said = {name: st.session_state.get(_key(name)) for name in _KEYS}
    try:
        scene = _composed(st.session_state["compose-kind"], said)
    except LectureError as error:
        session().refusal = str(error)
        return
    lecture = session().lecture
    session().lecture = replace(lecture, scenes=(*lecture.scenes, scene))
    for name, value in (("heading", ""), ("text", ""), ("answers", ""), ("because", "")):
        if _key(name) in st.session_state:
            st.session_state[_key(name)] = value


def _composed(kind: str, said: dict[str, object]) -> LectureScene:
    """Return the scene of what was written. Raises `LectureError`."""
    if kind == _EXERCISE:
        task = tasks(pages().values())[str(said[_EXERCISE])]
        return LectureScene(TEXT, {}, task.exercise.title, ask=True, exercise=task.key)
    heading, text = str(said["heading"] or "").strip(), written(said["text"] or "")
    if not heading or not (kind or text.strip()):
        raise LectureError("It needs a heading and a text." if not kind else "What is asked?")
    if not kind:
        return LectureScene(TEXT, {}, heading, text=text)
    poll: dict[str, object] = {"kind": kind, "because": said["because"] or ""}
    if kind == "choice":
        lines = map(str.strip, str(said["answers"] or "").splitlines())
        place = int(str(said["place"] or 0))
        poll |= {"answers": list(filter(None, lines)), "right": str(place - 1) if place else ""}
    elif kind == "number":
        poll |= {"right": "" if said["number"] is None else str(said["number"])}
        span = [said["least"], said["most"]]
        if None not in span:
            poll |= {"span": span}
        elif span != [None, None]:
            raise LectureError("A range has a least and a greatest number.")
    asked = poll_of(poll)
    return LectureScene(TEXT, {}, heading, ask=bool(asked.right), text=text, poll=asked)
